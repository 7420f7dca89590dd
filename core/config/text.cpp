// Percent-encoding, names, redaction, small files.
//
// SPDX-License-Identifier: Apache-2.0
#include "config/text.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>

#include "types/text.hpp"

namespace stile::config {
namespace {

constexpr std::size_t longest_name = 64;

bool lower(char c) { return c >= 'a' && c <= 'z'; }
bool digit(char c) { return c >= '0' && c <= '9'; }
bool upper(char c) { return c >= 'A' && c <= 'Z'; }

std::string lowered(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (upper(c)) c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

}  // namespace

bool is_name(std::string_view text, bool plus) {
  if (text.empty() || text.size() > longest_name || !lower(text[0])) return false;
  return std::all_of(text.begin(), text.end(),
                     [&](char c) { return lower(c) || digit(c) || c == '.' || c == '-' || (plus && c == '+'); });
}

bool is_layer_name(std::string_view text) { return is_name(text) && text.find('.') == std::string_view::npos; }

bool is_option_name(std::string_view text) {
  if (text.empty() || text.size() > longest_name || (!lower(text[0]) && !upper(text[0]))) return false;
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return lower(c) || upper(c) || digit(c) || c == '_' || c == '.' || c == '-'; });
}

bool is_port(std::string_view text) {
  unsigned port = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  return error == std::errc() && end == text.data() + text.size() && port >= 1 && port <= 65535 && text.size() <= 5;
}

bool is_prepare(std::string_view text) { return text == "auto" || text == "check" || text == "never"; }

bool is_ipv6(std::string_view text) {
  std::string address(text.substr(0, text.find('%')));
  if (address.size() < text.size() && address.size() + 1 == text.size()) return false;  // a zone of no length
  in6_addr parsed{};
  return inet_pton(AF_INET6, address.c_str(), &parsed) == 1;
}

std::string encode(std::string_view bytes, std::string_view special) {
  constexpr char digits[] = "0123456789ABCDEF";
  std::string out;
  out.reserve(bytes.size());
  while (!bytes.empty()) {
    std::size_t length = types::visible_length(bytes);
    bool plain = length > 0 && bytes[0] != '%' && bytes[0] != ' ' && special.find(bytes[0]) == std::string_view::npos;
    if (plain) {
      out += bytes.substr(0, length);
      bytes.remove_prefix(length);
      continue;
    }
    auto byte = static_cast<unsigned char>(bytes[0]);
    out += '%';
    out += digits[byte >> 4];
    out += digits[byte & 15];
    bytes.remove_prefix(1);
  }
  return out;
}

bool sounds_secret(std::string_view option) {
  static constexpr std::array words{"pass",   "secret",  "token",      "credential",
                                    "apikey", "api_key", "access_key", "private"};
  std::string name = lowered(option);
  return std::any_of(words.begin(), words.end(),
                     [&](const char* word) { return name.find(word) != std::string::npos; });
}

std::string redact_text(std::string_view text) {
  std::string_view rest = text.substr(0, 4096);
  std::string out;
  std::size_t slashes = rest.find("://");
  std::size_t at = rest.rfind('@');
  if (slashes != std::string_view::npos && at != std::string_view::npos && at > slashes) {
    out = std::string(rest.substr(0, slashes + 3)) + "***@";
    rest.remove_prefix(at + 1);
  } else if (slashes != std::string_view::npos) {
    // "u:secret" whose @ was forgotten looks like a host with a port that is no number.
    std::size_t end = rest.find_first_of("/?", slashes + 3);
    if (end == std::string_view::npos) end = rest.size();
    std::string_view authority = rest.substr(slashes + 3, end - slashes - 3);
    std::size_t colon = authority.rfind(':');
    bool harmless =
        colon == std::string_view::npos || authority.starts_with('[') || is_port(authority.substr(colon + 1));
    out = std::string(rest.substr(0, slashes + 3));
    out += harmless ? std::string(authority) : std::string(authority.substr(0, authority.find(':') + 1)) + "***";
    rest.remove_prefix(end);
  }
  std::size_t query = rest.find('?');
  if (query == std::string_view::npos) return types::printable(out + std::string(rest));
  out += rest.substr(0, query);
  rest.remove_prefix(query);
  while (!rest.empty()) {
    std::size_t end = std::min(rest.find('&', 1), rest.size());
    std::string_view option = rest.substr(0, end);
    std::size_t equals = option.find('=');
    bool hide = equals != std::string_view::npos && sounds_secret(option.substr(0, equals));
    out += hide ? std::string(option.substr(0, equals + 1)) + "***" : std::string(option);
    rest.remove_prefix(end);
  }
  return types::printable(out);
}

std::string read_file(const std::string& path, std::size_t limit, std::string_view purpose) {
  std::string what = std::string(purpose) + " " + types::printable(path);
  int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) throw Error(Status::invalid, what + " cannot be opened: " + std::strerror(errno));
  std::string bytes;
  std::array<char, 4096> buffer;
  ssize_t got = 0;
  int failed = 0;
  while (bytes.size() <= limit) {
    got = read(file, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    bytes.append(buffer.data(), static_cast<std::size_t>(got));
  }
  if (got < 0) failed = errno;
  close(file);
  if (failed != 0) throw Error(Status::invalid, what + " cannot be read: " + std::strerror(failed));
  if (bytes.size() > limit) {
    throw Error(Status::invalid, what + " is larger than " + std::to_string(limit) + " bytes");
  }
  return bytes;
}

std::string secret_from_file(const std::string& path) {
  constexpr std::size_t limit = 64 * 1024;
  std::string secret = read_file(path, limit, "the secret file");
  if (secret.ends_with('\n')) secret.pop_back();
  if (secret.ends_with('\r')) secret.pop_back();
  return secret;
}

}  // namespace stile::config
