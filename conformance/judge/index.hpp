// A history by its subjects: the operations of each workflow and of each document, in the order they were asked.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "judge/clock.hpp"
#include "judge/history.hpp"

namespace stile::conformance::judge {

/// An operation as one subject sees it: what receive told of one delivery, or what the event told.
struct Mark {
  std::uint32_t event = 0;
  const Told* told = nullptr;
};

struct Group {
  Text subject = Text::none;
  std::vector<Mark> marks;
};

/// Who was handed a receipt first.
struct Owner {
  Text workflow = Text::none;
  Text op_id = Text::none;  ///< of that receive
  std::uint32_t event = 0;
};

/// Reads a history that must outlive it.
class Index {
 public:
  explicit Index(const History& history);

  const History& history() const { return history_; }
  const Event& event(const Mark& mark) const { return history_.events[mark.event]; }
  const std::vector<Group>& workflows() const { return workflows_; }
  const std::vector<Group>& documents() const { return documents_; }
  /// Of no workflow: receives whose answer was lost, trims, scans, pages of all workflows.
  const std::vector<std::uint32_t>& lost_receives() const { return lost_receives_; }
  const std::vector<std::uint32_t>& trims() const { return trims_; }
  const std::vector<std::uint32_t>& scans() const { return scans_; }
  const std::vector<std::uint32_t>& lists() const { return lists_; }
  /// Null for a receipt that no answer told.
  const Owner* owner(Text receipt) const;
  /// Its op_id was sent more than once: R1 speaks of it.
  bool is_repeated(const Event& event) const;
  /// A fence that was shown or told has this stamp.
  bool is_stamp(Text text) const { return (said_[static_cast<std::size_t>(text)] & stamp) != 0; }
  /// An answer told it as a value.
  bool is_heard(Text text) const { return (said_[static_cast<std::size_t>(text)] & heard) != 0; }

 private:
  Group& group(std::vector<Group>& groups, std::vector<std::int32_t>& places, Text subject);
  void place(std::uint32_t number);
  void hear(const Told& told);

  const History& history_;
  std::vector<Group> workflows_, documents_;
  std::vector<std::int32_t> workflow_places_, document_places_;  // by Text
  std::unordered_map<Text, Owner> receipts_;
  std::vector<std::uint8_t> sends_;  // of an op_id, by Text, two standing for more
  static constexpr std::uint8_t stamp = 1, heard = 2;
  std::vector<std::uint8_t> said_;  // by Text
  std::vector<std::uint32_t> lost_receives_, trims_, scans_, lists_;
};

}  // namespace stile::conformance::judge
