// Opening: connections, the layout of the namespace, its clock.
//
// SPDX-License-Identifier: Apache-2.0
#include "store.hpp"

#include "encode.hpp"
#include "session.hpp"

namespace stile::redis {
namespace {

std::string hex(std::string_view bytes) {
  std::string out;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    out += "0123456789abcdef"[byte >> 4];
    out += "0123456789abcdef"[byte & 15];
  }
  return out;
}

std::string fresh_word() {
  const stile_id id = sdk::Entropy().id();
  return {reinterpret_cast<const char*>(id.bytes), sizeof id.bytes};
}

}  // namespace

Store::Store(Settings settings, const Model& model, std::shared_ptr<Scripts> scripts)
    : settings_(std::move(settings)),
      model_(model),
      scripts_(std::move(scripts)),
      layout_(settings_.ns, settings_.partitions),
      limits_(limits_of(settings_.partitions)),
      word_(hex(fresh_word())),
      server_(settings_.address, settings_.replicas,
              [this](Link& link, std::int64_t deadline) { greet(link, deadline); }),
      hub_(settings_.address, layout_.channel(word_), layout_.clock_channel(),
           [this](std::string_view queue) { ring(queue); }) {}

// A session borrows a connection for each call: this only finds out by now what cannot be reached at all. Who has no
// time left hears of it from the call itself.
std::unique_ptr<Session> Store::connect(const stile_call& call) {
  if (call.deadline == STILE_NEVER || stile_monotonic() < call.deadline) Borrowed(server_, call.deadline).link();
  return std::make_unique<Session>(*this);
}

bool Store::prepare_one(Borrowed& at, std::uint32_t partition, bool check_only) {
  ScriptCall call{&scripts_->prepare(), layout_.meta(partition), {}, {}, nullptr};
  call.arguments.number(schema);
  call.arguments.number(layout_.partitions());
  call.arguments.add(fresh_word());
  call.arguments.add(settings_.clock);
  call.arguments.flag(check_only);
  at.link();  // the server is met with that
  call.arguments.add(met().replication_id);
  call.arguments.add(model_.name);
  const OwnedReply owned = run_one(at, call, check_only ? Does::read : Does::write);
  const Reply reply(owned.get());
  switch (reply[0].number()) {
    case STILE_OK: break;
    case STILE_UNPREPARED:
      throw Failure(STILE_UNPREPARED, "the store is not prepared: run prepare, or open with prepare=auto");
    case STILE_UNSUPPORTED:
      throw Failure(STILE_UNSUPPORTED, "this namespace was laid out by a newer version (schema " +
                                           std::string(reply[1].text()) + "): update this program");
    case STILE_HELD:
      throw Failure(STILE_INVALID, "this namespace was laid out by " + std::string(reply[1].text()) +
                                       ": open it as that, or take another namespace");
    case STILE_INVALID:
      throw Failure(STILE_INVALID, "this namespace has " + std::string(reply[1].text()) +
                                       " partitions: write partitions=" + std::string(reply[1].text()));
    default:
      throw Failure(STILE_INVALID, "the clock of this namespace is " + std::string(reply[1].text()) +
                                       ", and stays so: leave clock= out");
  }
  if (partition == 0) {
    const std::lock_guard guard(mutex_);
    epoch_ = reply[2].number();
    identity_ = reply[3].text();
    manual_.store(reply[4].number() != 0, std::memory_order_release);
  }
  return reply[1].number() != 0;
}

bool Store::prepare(Borrowed& at, bool check_only) {
  bool made = false;
  // The first partition last: where it is laid out, all are.
  for (std::uint32_t partition = layout_.partitions(); partition-- > 0;)
    made = prepare_one(at, partition, check_only) || made;
  prepared_.store(true, std::memory_order_release);
  return made;
}

bool Store::prepared(Borrowed& at) {
  if (prepared_.load(std::memory_order_acquire)) return true;
  try {
    prepare_one(at, 0, true);
  } catch (const Failure& failure) {
    if (failure.status() == STILE_UNPREPARED) return false;
    throw;
  }
  prepared_.store(true, std::memory_order_release);
  return true;
}

Met Store::met() const {
  const std::lock_guard guard(mutex_);
  return met_;
}

// A user who may not do all of it would leave operations half done.
void Store::probe(Link& link, std::int64_t deadline) {
  ScriptCall one{&scripts_->probe(), layout_.meta(0), {}, {}, nullptr};
  one.arguments.add(layout_.channel(word_));
  const OwnedReply owned = greeting(link, one, deadline);
  const Reply refused(owned.get());
  if (refused.size() == 0) return;
  std::string names;
  for (std::size_t i = 0; i < refused.size(); i += 2) names += (i == 0 ? "" : ", ") + std::string(refused[i].text());
  throw Failure(STILE_DENIED,
                "this user may not run " + names +
                    " here, and the store needs it (its README has the ACL): " + std::string(refused[1].text()),
                "NOPERM");
}

OwnedReply Store::greeting(Link& link, const ScriptCall& one, std::int64_t deadline) {
  std::vector<OwnedReply> replies;
  run(link, std::span(&one, 1), deadline, replies);
  const Reply reply(replies.front().get());
  if (reply.is_error()) {
    const Fault fault = fault_of(reply.text());
    throw Failure(fault.status, fault.text, fault.native);
  }
  return std::move(replies.front());
}

// Each server is met in every partition once, by the replication id that it has (S2). A partition that is not laid out
// yet meets it when it is.
void Store::greet(Link& link, std::int64_t deadline) {
  Met now = redis::meet(link, deadline);
  libraries_.store(now.libraries);
  {
    const std::lock_guard guard(mutex_);
    if (now.replication_id == met_.replication_id) {
      met_ = now;
      return;
    }
  }
  probe(link, deadline);
  std::int64_t epoch = 0;
  for (std::uint32_t partition = layout_.partitions(); partition-- > 0;) {
    ScriptCall one{&scripts_->meet(), layout_.meta(partition), {}, {}, nullptr};
    one.arguments.add(now.replication_id);
    one.arguments.add(now.replication_before);
    one.arguments.flag(now.durable);
    const OwnedReply reply = greeting(link, one, deadline);
    epoch = Reply(reply.get())[1].number();
  }
  // Only now: should anything fail on the way, the next connection begins again.
  const std::lock_guard guard(mutex_);
  met_ = now;
  if (epoch != 0) epoch_ = epoch;  // else it is not laid out
}

std::string Store::epoch() const {
  const std::lock_guard guard(mutex_);
  return hex(identity_) + ":" + std::to_string(epoch_);
}

std::int64_t Store::time(Borrowed& at) {
  try {
    if (manual_clock()) {
      const OwnedReply reply = at.link().ask(Command::of("HGET", layout_.meta(0), "clock"), at.deadline());
      return Reply(reply.get()).number();
    }
    at.link().put(Command::of("HGET", layout_.meta(0), "behind"));  // read_time in head.lua
    const OwnedReply behind = at.link().ask(Command::of("TIME"), at.deadline());
    const OwnedReply time = at.link().next(at.deadline());
    return Reply(time.get())[0].number() * 1'000'000 + Reply(time.get())[1].number() + Reply(behind.get()).number();
  } catch (const Broken& broken) {
    at.drop();
    throw Failure(STILE_UNAVAILABLE, broken.text());
  }
}

void Store::ring(std::string_view queue) noexcept {
  constexpr std::int64_t patience = 1'000'000;
  try {
    Borrowed at(server_, stile_monotonic() + patience);
    for (std::uint32_t partition = 0; partition < layout_.partitions(); ++partition) {
      ScriptCall one = call(receive_room, partition);
      one.operations.begin("ring");
      one.operations.add(queue);
      run_one(at, one, Does::read);  // no replica need have heard of it
    }
  } catch (const std::exception&) {  // a hint: whoever waits looks by itself
  }
}

}  // namespace stile::redis
