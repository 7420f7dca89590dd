// Connections and scripts.
//
// SPDX-License-Identifier: Apache-2.0
#include "server.hpp"

#include <algorithm>
#include <span>

#include "stile/sdk/author.h"

namespace stile::redis {
namespace {

constexpr std::size_t most_idle = 64;
/// How long a write may wait for replicas, and what of a deadline is kept for the way back.
constexpr std::int64_t replicas_patience = 1'000'000, reply_patience = 20'000;

void put(Link& link, const ScriptCall& call) {
  Command command = call.script->is_function() ? Command::of("FCALL", call.script->name, "1", call.key)
                                               : Command::of("EVALSHA", call.script->sha, "1", call.key);
  command.extend(call.arguments);
  call.operations.append_to(command);
  link.put(command);
}

}  // namespace

std::unique_ptr<Link> Server::take(std::int64_t deadline) {
  for (;;) {
    std::unique_ptr<Link> out;
    {
      const std::lock_guard guard(mutex_);
      if (idle_.empty()) break;
      out = std::move(idle_.back());
      idle_.pop_back();
    }
    if (out->fit()) return out;  // else the server closed it meanwhile (R5)
  }
  auto made = std::make_unique<Link>(address_, deadline);
  try {
    greet_(*made, deadline);
  } catch (const Broken& broken) {
    throw Failure(STILE_UNAVAILABLE, broken.text());
  }
  return made;
}

void Server::give(std::unique_ptr<Link> link) {
  const std::lock_guard guard(mutex_);
  if (idle_.size() < most_idle) idle_.push_back(std::move(link));
}

Borrowed::~Borrowed() { rest(); }

void Borrowed::rest() {
  if (link_ != nullptr) server_.give(std::move(link_));
}

Link& Borrowed::link() {
  if (dropped_) throw Failure(STILE_UNAVAILABLE, "not sent: the connection broke earlier in this batch");
  if (link_ == nullptr) link_ = server_.take(deadline_);
  return *link_;
}

void Borrowed::replicated() {
  if (server_.replicas() == 0) return;
  std::int64_t patience = replicas_patience;
  if (deadline_ != STILE_NEVER) patience = std::min(patience, deadline_ - stile_monotonic() - reply_patience);
  // Whole milliseconds, and never 0: that is for ever.
  const std::int64_t milliseconds = std::max<std::int64_t>(patience / 1000, 1);
  const OwnedReply reply =
      link().ask(Command::of("WAIT", std::to_string(server_.replicas()), std::to_string(milliseconds)), deadline_);
  const Reply answer(reply.get());
  if (!answer.is_error() && answer.number() >= server_.replicas()) return;
  throw Failure(STILE_UNKNOWN, answer.is_error() ? std::string(answer.text())
                                                 : "written, but only " + std::to_string(answer.number()) + " of " +
                                                       std::to_string(server_.replicas()) + " replicas have it yet");
}

void Borrowed::drop() {
  dropped_ = true;
  link_.reset();
}

void run(Link& link, std::span<const ScriptCall> calls, std::int64_t deadline, std::vector<OwnedReply>& replies) {
  for (const ScriptCall& call : calls) put(link, call);
  for (std::size_t i = 0; i < calls.size(); ++i) replies.push_back(link.next(deadline));
  for (std::size_t i = 0; i < calls.size(); ++i) {
    OwnedReply& reply = replies[replies.size() - calls.size() + i];
    if (const Reply answer(reply.get()); !answer.is_error() || !is_no_script(answer.text())) continue;
    link.put(calls[i].script->is_function() ? Command::of("FUNCTION", "LOAD", "REPLACE", calls[i].script->text)
                                            : Command::of("SCRIPT", "LOAD", calls[i].script->text));
    put(link, calls[i]);
    const OwnedReply loaded = link.next(deadline);
    OwnedReply again = link.next(deadline);
    reply = Reply(loaded.get()).is_error() ? OwnedReply(nullptr) : std::move(again);
    if (reply == nullptr)
      throw Failure(STILE_DENIED, "the server takes no script: " + std::string(Reply(loaded.get()).text()));
  }
}

OwnedReply run_one(Borrowed& at, const ScriptCall& call, Does does) {
  std::vector<OwnedReply> replies;
  try {
    run(at.link(), std::span(&call, 1), at.deadline(), replies);
    if (does == Does::write) at.replicated();
  } catch (const Broken& broken) {
    at.drop();
    throw Failure(broken.sent() && does == Does::write ? STILE_UNKNOWN : STILE_UNAVAILABLE, broken.text());
  }
  const Reply reply(replies.front().get());
  if (reply.is_array()) return std::move(replies.front());
  if (!reply.is_error()) throw Failure(STILE_STORE_LOST, std::string(store_lost));
  Fault fault = fault_of(reply.text());
  if (fault.status == STILE_FULL && call.when_full != nullptr && call.script != call.when_full)
    return run_one(at, {call.when_full, call.key, call.arguments, call.operations, nullptr}, does);
  if (fault.drop) at.drop();
  throw Failure(fault.status, std::move(fault.text), std::move(fault.native));
}

}  // namespace stile::redis
