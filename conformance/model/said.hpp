// What a caller said: the members of a request in the JSON of CALL.md, with the contract's defaults.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/moment.hpp"

namespace stile::conformance::model {

namespace json = boost::json;

/// When something should run: after a delay, or at an instant (W8).
struct When {
  bool instant = false;
  Time value = 0;
};

/// A view of one request, or of a group inside it. The object must live as long.
class Said {
 public:
  explicit Said(const json::object& line) : line_(&line) {}

  std::string op() const { return bytes("op"); }
  std::string op_id() const { return bytes("op_id"); }
  std::string workflow() const { return bytes("workflow"); }

  bool has(std::string_view name) const { return line_->contains(name); }
  /// A member that is true, or an object; false when left out.
  bool flag(std::string_view name) const;
  /// Empty when left out.
  std::string bytes(std::string_view name) const;
  Time duration(std::string_view name, Time otherwise = 0) const;
  std::int64_t number(std::string_view name, std::int64_t otherwise = 0) const;
  /// The fence as text; nothing when it is left out or null, which is "none".
  std::optional<std::string> fence() const;
  When when() const;
  std::vector<std::string> list(std::string_view name) const;
  std::vector<Said> objects(std::string_view name) const;
  /// A group such as acquire, load, enqueue; an empty one where the member is no object.
  Said group(std::string_view name) const;
  const json::value* find(std::string_view name) const { return line_->if_contains(name); }

 private:
  const json::object* line_;
};

}  // namespace stile::conformance::model
