// A page of a scan or a list (contract K7).
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "stile/sdk/engine/context.hpp"

namespace stile::sdk::engine {

/// Fills one page: at most as many elements as were asked for, and not many more keys looked at, for those that are not
/// told cost time too. Its members answer whether to look at the next key.
template <class Element, class Result>
class Paging {
 public:
  Paging(stile_op& op, std::uint64_t asked, const Context& context, Element*& first)
      : op_(op), out_(result_of<Result>(op)), limit_(std::min(asked, context.limits->page)), tail_(&first) {}

  /// A key that is not told.
  bool skip(std::string_view key) {
    if (++looked_ < limit_ * 10 + 100) return true;
    out_.has_next = 1;
    out_.next = copy(op_, key);
    return false;
  }
  /// No room for the one that is looked at: the next page goes on after the last that was given.
  bool full() {
    if (given_ == limit_) out_.has_next = 1;
    return given_ == limit_;
  }
  /// The element of a key; the key is in the answer's memory.
  bool give(Element* element, const stile_bytes& key) {
    *tail_ = element;
    tail_ = &element->next;
    ++given_;
    ++looked_;
    out_.next = key;
    return true;
  }
  void end() {
    if (!out_.has_next) out_.next = {nullptr, 0};
    accept(op_);
  }

 private:
  stile_op& op_;
  Result& out_;
  std::uint64_t limit_, given_ = 0, looked_ = 0;
  Element** tail_;
};

}  // namespace stile::sdk::engine
