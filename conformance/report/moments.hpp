// What a finding says happened, read from the judge's JSON: operations, and the leases and deliveries behind them.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace stile::conformance::report {

namespace json = boost::json;

/// An operation of a finding, or one beside it. Times are the recorder's, in microseconds.
struct Happened {
  std::string client;
  std::int64_t begin = 0;
  std::optional<std::int64_t> end;  ///< when it returned
  json::object asked, answered;
  int number = 0;  ///< from 1 for those of the finding, 0 beside it

  std::string text(const char* member) const;  ///< of what was asked; empty where it is not there
  std::string status() const;                  ///< of the answer; empty = none came
  bool in_doubt() const;                       ///< it may have happened, or may yet
};

/// A lease or a delivery as far as the operations show it.
struct Held {
  bool delivery = false;
  std::string name;  ///< its fence or receipt
  std::string workflow;
  std::string client;  ///< who was given it
  std::int64_t from = 0;
  std::optional<std::int64_t> until;  ///< by the store's clock
  std::optional<std::int64_t> over;   ///< answered, released, superseded
  int count = 0;                      ///< of a delivery
};

/// At most so many of a finding are drawn: its first and its last ones.
constexpr std::size_t most_happened = 60;

/// In the order in which they began; `left_out` counts those of the finding that are too many.
std::vector<Happened> happened(const json::object& finding, std::size_t& left_out);

/// Store time minus the recorder's, where the judge knows it.
std::optional<std::int64_t> clock_offset(const json::object& verdict);

/// When the history began, by the recorder's clock; 0 where that is not said.
std::int64_t beginning(const json::object& verdict);

/// What the operations, in that order, handed out and took back.
std::vector<Held> held(const std::vector<Happened>& all);

/// The bytes of a value of CALL.md (a string, or {"b64"}), a number, a flag: for people.
std::string said(const json::value& value);

}  // namespace stile::conformance::report
