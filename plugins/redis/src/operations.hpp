// Operations on their way to a script: one argument of the server's for each, in which its own are packed with their
// types. A server spends more on each argument than a script on unpacking all of them at once (main.lua).
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "command.hpp"

namespace stile::redis {

class Operations {
 public:
  /// What is added from here on is an argument of this one. chained: only if the one before it answered ok.
  void begin(std::string_view name, bool chained = false) { all_.push_back({std::string(name), "<", {}, chained}); }

  void add(std::string_view text) {
    One& one = all_.back();
    if (text.size() < 256) {
      one.form += "Bc0";
      one.data += static_cast<char>(text.size());
    } else {
      one.form += "I4c0";
      append(one.data, static_cast<std::uint32_t>(text.size()));
    }
    one.data.append(text);
  }
  void number(std::int64_t value) {
    One& one = all_.back();
    one.form += 'd';
    append(one.data, static_cast<double>(value));
  }
  void flag(bool value) { add(value ? "1" : ""); }

  void append_to(Command& out) const {
    std::string packed;
    for (const One& one : all_) {
      packed.assign(1, static_cast<char>(one.name.size()));
      packed.append(one.name);
      packed += one.chained ? '\1' : '\0';
      append(packed, static_cast<std::uint16_t>(one.form.size()));
      packed.append(one.form).append(one.data);
      out.add(packed);
    }
  }

 private:
  struct One {
    std::string name;
    std::string form;  ///< as struct.unpack of Lua reads it
    std::string data;
    bool chained;
  };

  // Little-endian, as every machine is that this is built for.
  template <class Value>
  static void append(std::string& to, Value value) {
    char bytes[sizeof value];
    std::memcpy(bytes, &value, sizeof value);
    to.append(bytes, sizeof value);
  }

  std::vector<One> all_;
};

}  // namespace stile::redis
