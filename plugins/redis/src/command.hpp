// A command as the server's protocol wants it: how many arguments, then each with its length.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace stile::redis {

class Command {
 public:
  void add(std::string_view argument) {
    char length[24];
    length[0] = '$';
    char* end = std::to_chars(length + 1, length + 22, argument.size()).ptr;
    *end++ = '\r';
    *end++ = '\n';
    body_.append(length, static_cast<std::size_t>(end - length));
    body_.append(argument);
    body_.append("\r\n", 2);
    ++count_;
  }
  void number(std::int64_t value) {
    char text[24];
    add({text, static_cast<std::size_t>(std::to_chars(text, text + sizeof text, value).ptr - text)});
  }
  void flag(bool value) { add(value ? "1" : ""); }

  /// Adds all arguments of another one.
  void extend(const Command& other) {
    body_.append(other.body_);
    count_ += other.count_;
  }

  void append_to(std::string& out) const {
    char head[24];
    head[0] = '*';
    char* end = std::to_chars(head + 1, head + 22, count_).ptr;
    *end++ = '\r';
    *end++ = '\n';
    out.append(head, static_cast<std::size_t>(end - head));
    out.append(body_);
  }
  /// All of them, taken apart again.
  std::vector<std::string> arguments() const {
    std::vector<std::string> out;
    for (std::size_t at = 0; at < body_.size();) {
      std::size_t length = 0;
      const char* const end = std::from_chars(body_.data() + at + 1, body_.data() + body_.size(), length).ptr;
      const auto from = static_cast<std::size_t>(end - body_.data()) + 2;
      out.push_back(body_.substr(from, length));
      at = from + length + 2;
    }
    return out;
  }

  template <class... Arguments>
  static Command of(const Arguments&... arguments) {
    Command out;
    (out.add(arguments), ...);
    return out;
  }

 private:
  std::string body_;
  std::size_t count_ = 0;
};

}  // namespace stile::redis
