// One line of a history: its members, taken into an event.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json.hpp>
#include <optional>
#include <string>

#include "judge/history.hpp"

namespace stile::conformance::judge {

namespace json = boost::json;

/// What is wrong with a line; the reader adds where it stands.
struct BadMember {
  std::string text;
};

/// Who wrote a line, and of which operation it speaks.
struct Heading {
  std::string client;
  std::uint64_t call = 0, place = 0;
  Time moment = 0;
  bool asks = false;  ///< it was invoked then; else it returned
};

/// Throws BadMember.
Heading heading_of(const json::object& line);
/// Fills kind and asked. Throws BadMember: an unknown operation, a member missing or of the wrong form.
void take_question(const json::object& line, Event& to, History& history);
/// watch, list, stats and info have members of their own; these two take them.
bool is_overview(std::uint32_t kind);
void take_overview_question(const json::object& line, Event& to, History& history);
void take_overview_answer(const json::object& line, Event& to, History& history);
/// Fills status and told, lists included.
void take_answer(const json::object& line, Event& to, History& history);

}  // namespace stile::conformance::judge
