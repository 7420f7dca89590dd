// What the store answered, held against what the contract says it must answer.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/moment.hpp"
#include "model/said.hpp"

namespace stile::conformance::model {

/// One way in which a store does not do what the contract says.
struct Difference {
  std::vector<std::string> ids;  ///< the promises it breaks
  std::string text;              ///< what the store said, and what it should have said
};

/// An answer under judgement. Where the contract leaves a choice, the store's is taken over; everything else that is
/// not as it must be becomes a Difference. Ids are given as text: "A4", or "A4 D8".
class Reply {
 public:
  explicit Reply(const json::object& answer) : answer_(answer), said_(answer) {}

  std::string status() const { return said_.bytes("status"); }
  const Said& said() const { return said_; }
  const json::object& json() const { return answer_; }

  /// The contract demands ok. False: it is something else, and that is noted.
  bool ok(std::string_view ids) { return must_be("ok", ids); }
  /// The contract demands this refusal.
  bool refuse(std::string_view status, std::string_view ids) { return must_be(status, ids); }
  /// The contract demands one of these, and leaves open which.
  bool one_of(const std::vector<std::string_view>& statuses, std::string_view ids);

  void number(std::string_view name, std::int64_t expected, std::string_view ids);
  void flag(std::string_view name, bool expected, std::string_view ids);
  void bytes(std::string_view name, std::string_view expected, std::string_view ids);
  void text(std::string_view name, std::string_view expected, std::string_view ids) { bytes(name, expected, ids); }
  /// An instant; what the store gave is known exactly from now on.
  void moment(std::string_view name, Moment& expected, std::string_view ids);
  /// An instant that may be any of these; the first that fits is taken.
  void moment_of(std::string_view name, std::vector<Moment> choices, Moment& learned, std::string_view ids);
  void absent(std::string_view name, std::string_view ids);
  /// Anything else the contract demands.
  void demand(bool holds, std::string_view ids, const std::string& text);

  /// The contract does not say what this request does: a harness must not send it.
  void leave_open() { open_ = true; }
  bool open() const { return open_; }

  /// The promises the ruling rests on: what a change that a refusal should not have made breaks besides.
  const std::vector<std::string>& rests_on() const { return rests_on_; }
  const std::vector<Difference>& differences() const { return differences_; }

 private:
  bool must_be(std::string_view status, std::string_view ids);
  void differ(std::string_view ids, std::string text);

  const json::object& answer_;
  Said said_;
  bool open_ = false;
  std::vector<std::string> rests_on_;
  std::vector<Difference> differences_;
};

/// "A4 D8" as a list.
std::vector<std::string> split_ids(std::string_view ids);

}  // namespace stile::conformance::model
