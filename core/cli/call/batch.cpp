// Running the operations of one line.
//
// SPDX-License-Identifier: Apache-2.0
#include "cli/call/batch.hpp"

#include "store/operation.hpp"

namespace stile::cli {
namespace {

bool chained(const Member& member) { return (member.op->get()->must & STILE_MUST_AFTER_OK) != 0; }

// One call's worth, and what was learnt from it.
class Send {
 public:
  explicit Send(const Execute& execute) : execute_(execute) {}

  std::size_t size() const { return ops_.size(); }
  store::Fate fate() const { return fate_; }

  void add(Member& member) { ops_.push_back(member.op->get()); }
  void flush() {
    if (ops_.empty()) return;
    if (fate_ == store::Fate::keep) {
      fate_ = execute_(ops_);
    } else {
      for (stile_op* op : ops_) unavailable(*op);
    }
    ops_.clear();
  }

 private:
  // The session went with an earlier part of the batch, and nothing is sent behind the caller's back over another one.
  static void unavailable(stile_op& op) {
    op.status = STILE_UNAVAILABLE;
    op.error = STILE_LIT("the connection was lost before this part of the batch was sent");
  }

  const Execute& execute_;
  std::vector<stile_op*> ops_;
  store::Fate fate_ = store::Fate::keep;
};

}  // namespace

store::Fate run_members(std::span<Member> members, std::size_t limit, const Execute& execute) {
  Send send(execute);
  const Member* before = nullptr;  // in the batch, sent or not
  bool open = false;               // before is in the call that is being filled
  for (Member& member : members) {
    if (!member.bad && members.size() > 1 && store::travels_alone(*member.op->get()))
      member.refuse(Status::invalid, "an operation that waits, or runs a callback, is alone in its call");
    if (!member.bad && send.size() == limit) {
      send.flush();
      open = false;
    }
    if (!member.bad && chained(member) && before && !open) {
      // The one before is answered: what it was chained to is known here, and the store need not ask.
      if (before->status() == Status::ok)
        member.op->get()->must &= ~STILE_MUST_AFTER_OK;
      else
        member.refuse(Status::skipped, "the operation before it answered " + name_of(before->status()));
    }
    open = !member.bad;
    if (open) send.add(member);
    before = &member;
  }
  send.flush();
  return send.fate();
}

}  // namespace stile::cli
