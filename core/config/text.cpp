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
constexpr std::string_view name_characters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.+-";

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

void replace_all(std::string& text, std::string_view what, std::string_view with) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size()))
    text.replace(at, what.size(), with);
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
  static constexpr std::array words{"pass", "pwd", "secret", "token", "credential", "key", "auth", "private"};
  std::string name = lowered(option);
  return std::any_of(words.begin(), words.end(),
                     [&](const char* word) { return name.find(word) != std::string::npos; });
}

std::string hide_secrets(std::string_view text, bool user_first) {
  std::string out;
  std::size_t at = text.rfind('@');
  if (at != std::string_view::npos && (user_first || text.find(':') < at)) {
    out = "***";
    text.remove_prefix(at);
  }
  for (std::size_t i = text.find_first_of("=:"); i != std::string_view::npos; i = text.find_first_of("=:", i + 1)) {
    std::string_view before = text.substr(0, i);
    before = before.substr(0, before.find_last_not_of(" \t'\"") + 1);
    std::size_t from = before.find_last_not_of(name_characters) + 1;
    if (sounds_secret(before.substr(from))) return out + std::string(text.substr(0, i + 1)) + "***";
  }
  return out + std::string(text);
}

std::string hide_arguments(std::string error, std::span<const std::string> arguments) {
  auto hide = [&](std::string_view shown) {
    std::string hidden = hide_secrets(shown);
    if (hidden == shown) return;
    replace_all(error, shown, hidden);
    replace_all(error, types::printable(shown), types::printable(hidden));
  };
  for (std::string_view argument : arguments) {
    hide(argument);
    // --option=value is shown in part, and so is the folder of a file's name.
    if (argument.starts_with("--") && argument.find('=') != std::string_view::npos)
      hide(argument.substr(argument.find('=') + 1));
    if (argument.rfind('/') != std::string_view::npos) hide(argument.substr(0, argument.rfind('/')));
  }
  return error;
}

std::string describe_unread(std::string_view text) {
  std::string bytes = std::to_string(text.size()) + (text.size() == 1 ? " byte" : " bytes");
  std::size_t length = text.find_first_not_of(name_characters);
  bool scheme = length != std::string_view::npos && length > 0 && length <= longest_name && text[length] == ':';
  // Before an @, only what stands before :// is surely no user's name and no secret.
  bool user = text.find('@') != std::string_view::npos && text.substr(scheme ? length : 0).substr(0, 3) != "://";
  return scheme && !user ? std::string(text.substr(0, length)) + ":..., " + bytes : bytes;
}

std::string read_file(const std::string& path, std::size_t limit, const std::string& what) {
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
  std::string secret = read_file(path, limit, "the file");
  if (secret.ends_with('\n')) secret.pop_back();
  if (secret.ends_with('\r')) secret.pop_back();
  return secret;
}

}  // namespace stile::config
