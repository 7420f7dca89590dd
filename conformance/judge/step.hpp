// One operation tried at one place of an order: what the rules are given, and what they say when it does not fit.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "judge/history.hpp"
#include "judge/time.hpp"

namespace stile::conformance::judge {

/// Why an answer is impossible where it was tried.
struct Reason {
  const char* ids = "";
  const char* text = "";
};

/// Where the contract or a lost answer leaves a choice, every way is tried, one after the other.
class Ways {
 public:
  /// One of two; the first way answers false everywhere.
  bool choose() {
    std::uint32_t place = asked_++;
    return place < 32 && ((way_ >> place) & 1u) != 0;
  }
  /// Goes on to the next way; false when all were tried.
  bool next() {
    std::uint32_t asked = asked_ < 32 ? asked_ : 32;
    asked_ = 0;
    while (asked > 0 && ((way_ >> (asked - 1)) & 1u) != 0) --asked;
    if (asked == 0) return false;
    way_ = (way_ & ((std::uint64_t{1} << (asked - 1)) - 1)) | (std::uint64_t{1} << (asked - 1));
    return true;
  }

 private:
  std::uint64_t way_ = 0;
  std::uint32_t asked_ = 0;
};

/// An operation of one workflow or document: an event, or that part of one which concerns it.
struct Item {
  const Event* event = nullptr;
  const Told* told = nullptr;  ///< of the event, or of one delivery in it
  enum class Part : std::uint8_t {
    whole,
    seen,
    not_seen
  } part = Part::whole;            ///< of a scan or list: a name on its page, or not
  SeenDocument document;           ///< seen by scan
  const Listed* listed = nullptr;  ///< seen by list
  Text op_id = Text::none;         ///< where it was sent more than once: else nobody can ask for its memory (R1)
  Text receipt_op = Text::none;    ///< of what shows a receipt: the op_id of the receive that gave it
  Time invoke = 0, end = never;
  Moment when = Moment::any();  ///< the same by the store's clock
  bool optional = false;        ///< it may be left out
  /// It only looks: a read, a refusal. A store reads its clock while it holds what orders its writes, and others see
  /// the write later, at its commit: until then they see what was before, at a time that lies after the stamp.
  bool looks = false;
  bool nameless = false;     ///< in doubt, and no answer and no other request names its op_id
  bool unheard = false;      ///< no answer says its value
  std::int32_t before = -1;  ///< the item that stands before it in the same batch (R3)
};

class Facts;

/// A try. The rules narrow the window, change the state, and answer false with a reason where it does not fit.
struct Step {
  const History& history;
  const Facts& facts;
  const Event& event;
  const Asked& asked;
  const Told& told;
  const Item& item;
  Window window;
  Ways& ways;
  Reason& reason;
  bool informed;  ///< the answer is known to be ok, and told says it; else only that it may have happened
  bool looks;     ///< it changes nothing, so that what comes after it may have an earlier stamp

  /// When it took effect: as it was told, else as wide as it can be, so that the state does not tell where it was
  /// tried.
  Moment now() const { return window.told() > -never ? Moment::at(window.told()) : item.when; }
  /// An end that has come for whatever comes next.
  Moment over() const { return Moment::at(item.when.earliest); }

  /// A demand, with the promise it rests on.
  bool must(bool holds, const char* ids, const char* text) {
    if (!holds) reason = {ids, text};
    return holds;
  }
  /// A demand on what the answer says, if it says anything.
  bool says(bool holds, const char* ids, const char* text) { return must(!informed || holds, ids, text); }
  /// The same of an instant; what was told is known exactly from now on.
  bool says_when(Moment& expected, Time told_instant, const char* ids, const char* text) {
    if (!informed) return true;
    if (!must(expected.can_be(told_instant), ids, text)) return false;
    expected = Moment::at(told_instant);
    return true;
  }
  /// The answer fixes when it took effect.
  bool at(Time told_instant, const char* ids, const char* text) {
    return !informed || must(window.exactly(told_instant), ids, text);
  }
};

}  // namespace stile::conformance::judge
