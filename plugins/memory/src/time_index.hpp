// Things in order of a time, without allocating: what is due first, what can be trimmed first.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace stile::memory {

template <class T>
struct TimeHook {
  std::int64_t time = 0;
  T* before = nullptr;  // list: the one before; heap: the parent, or the sibling to the left
  T* after = nullptr;   // list: the one after; heap: the sibling to the right
  T* child = nullptr;   // heap: the leftmost child
  bool in_list = false;
};

/// An intrusive priority queue: a sorted list for what arrives in order (nearly all does: "now", "in a minute"), and a
/// pairing heap for what does not. Every operation is noexcept; insert and erase of the in-order case are O(1), the
/// rest O(log n) amortised.
template <class T, TimeHook<T> T::*hook>
class TimeIndex {
 public:
  TimeIndex() = default;
  TimeIndex(const TimeIndex&) = delete;
  TimeIndex& operator=(const TimeIndex&) = delete;

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

  /// The earliest, or null.
  T* first() const {
    if (head_ == nullptr) return root_;
    if (root_ == nullptr) return head_;
    return (root_->*hook).time < (head_->*hook).time ? root_ : head_;
  }

  /// Gives every item, in no order.
  template <class Visit>
  void each(Visit&& visit) const {
    for (T* item = head_; item != nullptr; item = (item->*hook).after) visit(*item);
    for (T* item = root_; item != nullptr; item = next_in_heap(item)) visit(*item);
  }

  void insert(T* item, std::int64_t time) {
    auto& own = item->*hook;
    own = TimeHook<T>{time, nullptr, nullptr, nullptr, false};
    ++size_;
    T* place = tail_;
    for (int steps = 0; place != nullptr && (place->*hook).time > time; place = (place->*hook).before)
      if (++steps == near) return to_heap(item);
    own.in_list = true;
    link_after(item, place);
  }

  void erase(T* item) {
    auto& own = item->*hook;
    --size_;
    if (own.in_list) {
      unlink(item);
    } else if (item == root_) {
      root_ = merge_pairs(own.child);
    } else {
      cut(item);
      root_ = merge(root_, merge_pairs(own.child));
    }
    own = TimeHook<T>{};
  }

 private:
  static constexpr int near = 8;  // how far from the list's end an arrival may still find its place

  /// Down first, then to the right, then up until there is something to the right.
  static T* next_in_heap(T* item) {
    if ((item->*hook).child != nullptr) return (item->*hook).child;
    while (item != nullptr && (item->*hook).after == nullptr) item = parent(item);
    return item != nullptr ? (item->*hook).after : nullptr;
  }
  static T* parent(T* item) {
    for (T* before = (item->*hook).before; before != nullptr; before = (item->*hook).before) {
      if ((before->*hook).child == item) return before;
      item = before;
    }
    return nullptr;
  }

  void link_after(T* item, T* place) {
    T* next = place != nullptr ? (place->*hook).after : head_;
    (item->*hook).before = place;
    (item->*hook).after = next;
    (place != nullptr ? (place->*hook).after : head_) = item;
    (next != nullptr ? (next->*hook).before : tail_) = item;
  }

  void unlink(T* item) {
    auto& own = item->*hook;
    (own.before != nullptr ? (own.before->*hook).after : head_) = own.after;
    (own.after != nullptr ? (own.after->*hook).before : tail_) = own.before;
  }

  void to_heap(T* item) { root_ = merge(root_, item); }

  /// Takes a heap item, with what hangs below it, out of the children of its parent.
  static void cut(T* item) {
    auto& own = item->*hook;
    auto& before = own.before->*hook;
    (before.child == item ? before.child : before.after) = own.after;
    if (own.after != nullptr) (own.after->*hook).before = own.before;
    own.before = own.after = nullptr;
  }

  static T* merge(T* a, T* b) {
    if (a == nullptr) return b;
    if (b == nullptr) return a;
    if ((b->*hook).time < (a->*hook).time) {
      T* swapped = a;
      a = b;
      b = swapped;
    }
    auto& parent = a->*hook;
    auto& child = b->*hook;
    child.before = a;
    child.after = parent.child;
    if (parent.child != nullptr) (parent.child->*hook).before = b;
    parent.child = b;
    return a;
  }

  /// Two passes over siblings: pairs from the left, then all from the right.
  static T* merge_pairs(T* first) {
    T* pairs = nullptr;  // chained through `after`, last pair first
    while (first != nullptr) {
      T* a = first;
      T* b = (a->*hook).after;
      first = b != nullptr ? (b->*hook).after : nullptr;
      (a->*hook).before = (a->*hook).after = nullptr;
      if (b != nullptr) (b->*hook).before = (b->*hook).after = nullptr;
      T* pair = merge(a, b);
      (pair->*hook).after = pairs;
      pairs = pair;
    }
    T* root = nullptr;
    while (pairs != nullptr) {
      T* next = (pairs->*hook).after;
      (pairs->*hook).after = nullptr;
      root = merge(root, pairs);
      pairs = next;
    }
    return root;
  }

  T* head_ = nullptr;
  T* tail_ = nullptr;
  T* root_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace stile::memory
