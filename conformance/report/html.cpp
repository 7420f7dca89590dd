// Text of strangers on its way into a page, and the page around it.
//
// SPDX-License-Identifier: Apache-2.0
#include "report/html.hpp"

#include <algorithm>

#include "stile/types.hpp"
#include "stile_report_files.hpp"
#include "types/text.hpp"

namespace stile::conformance::report {
namespace {

std::string_view entity(char c) {
  switch (c) {
    case '&': return "&amp;";
    case '<': return "&lt;";
    case '>': return "&gt;";
    case '"': return "&quot;";
    case '\'': return "&#39;";
    default: return {};
  }
}

/// Bytes that stand for themselves; a backslash does in a page, other than in `printable`.
std::size_t shown_length(std::string_view text) {
  if (text[0] == '\n' || text[0] == '\t' || text[0] == '\\') return 1;
  return types::visible_length(text);
}

/// One digit behind the point while the number is small: 1.23, 12.3, 123.
std::string three_digits(std::int64_t value, std::int64_t unit) {
  std::string whole = std::to_string(value / unit);
  if (value / unit >= 100) return whole;
  std::int64_t hundredths = value % unit * 100 / unit;
  if (value / unit >= 10) return whole + "." + std::to_string(hundredths / 10);
  return whole + "." + (hundredths < 10 ? "0" : "") + std::to_string(hundredths);
}

}  // namespace

std::string html(std::string_view text) {
  std::string out;
  out.reserve(text.size() + text.size() / 8);
  while (!text.empty()) {
    std::size_t length = shown_length(text);
    if (length == 0) {
      std::size_t hidden = 1;
      while (hidden < text.size() && shown_length(text.substr(hidden)) == 0) ++hidden;
      out += types::printable(text.substr(0, hidden));
      text.remove_prefix(hidden);
      continue;
    }
    std::string_view named = length == 1 ? entity(text[0]) : std::string_view();
    out += named.empty() ? text.substr(0, length) : named;
    text.remove_prefix(length);
  }
  return out;
}

namespace {

/// *This* stands out; an asterisk that is alone stays what it is.
std::string emphasised(std::string text) {
  for (std::size_t begin = text.find('*'); begin != std::string::npos; begin = text.find('*', begin + 1)) {
    std::size_t end = text.find('*', begin + 1);
    if (end == std::string::npos) break;
    std::string word = text.substr(begin + 1, end - begin - 1);
    if (word.empty() || word.find(' ') != std::string::npos) continue;
    text.replace(begin, end + 1 - begin, "<em>" + word + "</em>");
  }
  return text;
}

}  // namespace

std::string prose(std::string_view text) {
  std::string out;
  for (bool code = false; !text.empty(); code = !code) {
    std::size_t end = std::min(text.find('`'), text.size());
    // A quote that is never closed quotes nothing.
    bool closed = code && end < text.size();
    std::string part = html(text.substr(0, end));
    out += closed ? "<code>" + part + "</code>" : (code ? "`" : "") + emphasised(std::move(part));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

std::string cut(std::string_view text, std::size_t most) {
  if (text.size() <= most) return std::string(text);
  std::size_t end = most;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return std::string(text.substr(0, end)) + " … (" + grouped(text.size() - end) + " bytes more)";
}

std::string grouped(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3;) digits.insert(at -= 3, ",");
  return digits;
}

std::string length(std::int64_t microseconds) {
  std::int64_t us = std::max<std::int64_t>(0, microseconds);
  if (us < 1000) return std::to_string(us) + " us";
  if (us < 1'000'000) return three_digits(us, 1000) + " ms";
  if (us < 120'000'000) return three_digits(us, 1'000'000) + " s";
  std::int64_t seconds = us / 1'000'000;
  if (seconds < 7200) return std::to_string(seconds / 60) + " min " + std::to_string(seconds % 60) + " s";
  return std::to_string(seconds / 3600) + " h " + std::to_string(seconds / 60 % 60) + " min";
}

std::string instant(std::int64_t microseconds) {
  std::string digits = std::to_string(std::max<std::int64_t>(0, microseconds));
  if (digits.size() < 4) digits.insert(0, 4 - digits.size(), '0');
  return digits.insert(digits.size() - 3, ".") + " ms";
}

std::string counted(std::uint64_t number, std::string_view one) {
  return grouped(number) + " " + std::string(one) + (number == 1 ? "" : "s");
}

std::string page(std::string_view title, std::string_view body) {
  const std::string nonce = Id::random().text();
  std::string out =
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n"
      // Whatever a store's text is taken for, nothing is fetched and no script but ours is run.
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
      "base-uri 'none'; form-action 'none'; script-src 'nonce-";
  out += nonce;
  out += "'\">\n<title>";
  out += html(title);
  out += "</title>\n<style>\n";
  out += stile_report_files::page_style;
  out += "</style>\n</head>\n<body>\n";
  out += body;
  out += "<script nonce=\"" + nonce + "\">\n";
  out += stile_report_files::page_script;
  out += "</script>\n</body>\n</html>\n";
  return out;
}

}  // namespace stile::conformance::report
