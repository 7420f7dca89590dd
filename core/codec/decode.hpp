// Readers of single JSON values, shared by the decoder of operations and by what else reads the JSON form.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "codec/op.hpp"

namespace stile::codec {

/// A whole number within 64 bits, also written as 1e3; nothing for anything else.
struct Whole {
  bool negative = false;
  std::uint64_t size = 0;  ///< without the sign
};
std::optional<Whole> whole_number(const json::value& value);

/// The members of one object, each taken once; finish() refuses those that nobody took.
class Members {
 public:
  /// path stands before the names of members in texts: "enqueue." or nothing.
  Members(const json::object& object, std::string path) : object_(object), path_(std::move(path)) {}

  const json::value* take(std::string_view name);
  void finish() const;
  std::string path(std::string_view name) const { return path_ + std::string(name); }

 private:
  const json::object& object_;
  std::string path_;
  std::vector<std::string_view> taken_;
  std::vector<std::string> known_;  // asked for, there or not
};

[[noreturn]] void refuse(std::string_view member, std::string_view what);

}  // namespace stile::codec
