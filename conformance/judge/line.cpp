// From the members of a line to the numbers of an event.
//
// SPDX-License-Identifier: Apache-2.0
#include "judge/line.hpp"

#include <charconv>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "codec/decode.hpp"
#include "codec/op.hpp"
#include "codec/text.hpp"
#include "stile/types.hpp"

namespace stile::conformance::judge {
namespace {

// Every member that is judged; others (messages for people, effects, pages) are passed over.
// clang-format off
#define JUDGE_MEMBERS(X) \
  X(workflow) X(key) X(value) X(op_id) X(receipt) X(fence) X(queue) X(queues) X(message_id) X(error) X(ttl) \
  X(budget) X(lease) X(wait) X(older_than) X(delay) X(at) X(after) X(inbox_after) X(max) X(prefix) X(force) \
  X(cancel) X(revive) X(enqueue) X(finished) X(release) X(after_ok) X(again) X(acquire) X(load) X(first) \
  X(duplicate) X(cancel_requested) X(more) X(requeued) X(ran) X(removed) X(position) X(written_at) \
  X(live_until) X(budget_until) X(visible_at) X(store_time) X(fence_number) X(state) X(version) X(expires_at) \
  X(delivery_count) X(records) X(deliveries) X(documents) X(last_error) X(next)
// clang-format on

enum class Member : std::uint8_t {
#define JUDGE_MEMBER(name) name,
  JUDGE_MEMBERS(JUDGE_MEMBER)
#undef JUDGE_MEMBER
      condition,
  ignored,
};
static_assert(static_cast<int>(Member::ignored) < 64);
constexpr std::uint64_t bit(Member member) { return std::uint64_t{1} << static_cast<int>(member); }

Member member_of(std::string_view name) {
  static const std::unordered_map<std::string_view, Member> table{
#define JUDGE_MEMBER(name) {#name, Member::name},
      JUDGE_MEMBERS(JUDGE_MEMBER)
#undef JUDGE_MEMBER
          {"if", Member::condition},
  };
  auto found = table.find(name);
  return found == table.end() ? Member::ignored : found->second;
}

std::string_view name_of_member(Member member) {
  constexpr std::string_view names[] = {
#define JUDGE_MEMBER(name) #name,
      JUDGE_MEMBERS(JUDGE_MEMBER)
#undef JUDGE_MEMBER
          "if",
  };
  return names[static_cast<int>(member)];
}

constexpr std::uint64_t bits() { return 0; }
template <class... Rest>
constexpr std::uint64_t bits(Member first, Rest... rest) {
  return bit(first) | bits(rest...);
}

std::uint64_t needed_to_ask(std::uint32_t kind) {
  using enum Member;
  switch (kind) {
    case STILE_OP_ACQUIRE: return bits(workflow, ttl, budget);
    case STILE_OP_RENEW: return bits(workflow, fence, ttl);
    case STILE_OP_RELEASE: return bits(workflow, fence);
    case STILE_OP_RECORD:
    case STILE_OP_REBASE: return bits(workflow, fence, key, value);
    case STILE_OP_TRANSACT: return bits(workflow, fence, key);
    case STILE_OP_SUPPLY: return bits(workflow, key, value);
    case STILE_OP_APPEND: return bits(workflow, value);
    case STILE_OP_LOAD:
    case STILE_OP_DISCARD:
    case STILE_OP_REQUEST_CANCEL:
    case STILE_OP_ENQUEUE:
    case STILE_OP_CANCEL: return bits(workflow);
    case STILE_OP_RECEIVE: return bits(lease);
    case STILE_OP_EXTEND: return bits(receipt, lease);
    case STILE_OP_ACK:
    case STILE_OP_SNOOZE:
    case STILE_OP_NACK:
    case STILE_OP_REJECT: return bits(receipt);
    case STILE_OP_GET:
    case STILE_OP_ERASE: return bits(key);
    case STILE_OP_PUT: return bits(key, value);
    case STILE_OP_SCAN: return bits(prefix);
    case STILE_OP_TRIM: return bits(older_than);
    default: return 0;
  }
}

std::uint64_t needed_to_tell(const Event& event) {
  using enum Member;
  if (!event.ok()) return event.status == STILE_HELD ? bits(live_until) : 0;
  switch (event.kind) {
    case STILE_OP_ACQUIRE: return bits(fence, live_until, budget_until, cancel_requested);
    case STILE_OP_RENEW: return bits(live_until, budget_until, cancel_requested);
    case STILE_OP_LOAD: return bits(records, fence_number, cancel_requested, finished, more);
    case STILE_OP_RECORD: return bits(value, first, position, written_at);
    case STILE_OP_SUPPLY: return bits(value, first, position, written_at) | (event.asked.enqueue ? bits(state) : 0);
    case STILE_OP_APPEND: return bits(key, position, duplicate) | (event.asked.enqueue ? bits(state) : 0);
    case STILE_OP_TRANSACT: return bits(value, ran, position, written_at);
    case STILE_OP_REBASE: return bits(removed, position, written_at);
    case STILE_OP_DISCARD:
    case STILE_OP_CANCEL:
    case STILE_OP_ERASE: return bits(removed);
    case STILE_OP_ENQUEUE: return bits(state);
    case STILE_OP_RECEIVE: return bits(deliveries, more, store_time);
    case STILE_OP_EXTEND:
      return bits(visible_at, cancel_requested) | (event.asked.has_fence ? bits(live_until, budget_until) : 0);
    case STILE_OP_ACK: return bits(requeued);
    case STILE_OP_SNOOZE: return bits(visible_at);
    case STILE_OP_NACK: return bits(visible_at, delivery_count);
    case STILE_OP_REJECT: return bits(state);
    case STILE_OP_GET: return bits(value, version);
    case STILE_OP_PUT: return bits(version);
    case STILE_OP_SCAN: return bits(documents);
    case STILE_OP_TRIM: return bits(removed, more);
    default: return 0;
  }
}

std::uint64_t needed_of_delivery(const Asked& asked) {
  using enum Member;
  return bits(workflow, queue, receipt, delivery_count, visible_at, cancel_requested) |
         (asked.acquire && !asked.again ? bits(fence, live_until, budget_until) : 0) |
         (asked.load ? bits(records, more, finished) : 0);
}

void check(std::uint64_t needed, std::uint64_t seen) {
  std::uint64_t missing = needed & ~seen;
  if (missing == 0) return;
  throw BadMember{std::string(name_of_member(static_cast<Member>(__builtin_ctzll(missing)))) + " is missing"};
}

/// Takes values out of JSON; what is of the wrong form throws, named after the member.
class Taker {
 public:
  explicit Taker(History& history) : history_(history) {}

  Text text(std::string_view name, const json::value& value) {
    if (const auto* plain = value.if_string()) return history_.names.intern(*plain);
    return history_.names.intern(codec::bytes_from_json(value, name));
  }
  static std::int64_t number(std::string_view name, const json::value& value) {
    if (const auto* plain = value.if_int64()) return *plain;
    auto whole = codec::whole_number(value);
    if (!whole) throw BadMember{std::string(name) + " must be a whole number"};
    auto size = static_cast<std::int64_t>(std::min<std::uint64_t>(whole->size, never));
    return whole->negative ? -size : size;
  }
  /// What an answer counts, and the instants it tells, begin with 0.
  static std::int64_t count(std::string_view name, const json::value& value) {
    std::int64_t number = Taker::number(name, value);
    if (number < 0) throw BadMember{std::string(name) + " must not be negative"};
    return number;
  }
  static Time duration(std::string_view name, const json::value& value) {
    if (value.is_string()) return std::min(codec::duration_from_json(value, name), never);
    return std::min(number(name, value), never);
  }
  static bool flag(std::string_view name, const json::value& value) {
    if (!value.is_bool()) throw BadMember{std::string(name) + " must be true or false"};
    return value.get_bool();
  }
  FenceName fence(std::string_view name, const json::value& value) {
    if (value.is_null()) return {};
    const auto* text = value.if_string();
    std::size_t dot = text ? text->find('.') : std::string_view::npos;
    FenceName fence;
    if (text && dot != std::string_view::npos) {
      const char* end = text->data() + dot;
      auto [last, error] = std::from_chars(text->data(), end, fence.number);
      if (error == std::errc{} && last == end && fence.number > 0) {
        fence.stamp = history_.names.intern(std::string_view(*text).substr(dot + 1));
        return fence;
      }
    }
    throw BadMember{std::string(name) + " must be NUMBER.STAMP or null"};
  }
  static const json::array& list(std::string_view name, const json::value& value) {
    if (!value.is_array()) throw BadMember{std::string(name) + " must be a list"};
    return value.get_array();
  }
  static const json::object& object(std::string_view name, const json::value& value) {
    if (!value.is_object()) throw BadMember{std::string(name) + " must be an object"};
    return value.get_object();
  }

  bool ask(Asked& to, Member member, std::string_view name, const json::value& value);
  void ask_when(Asked& to, Member member, std::string_view name, const json::value& value);
  void ask_enqueue(Asked& to, const json::value& value);
  void ask_acquire(Asked& to, const json::value& value);
  void ask_condition(Asked& to, const json::value& value);
  void tell(Told& to, Member member, std::string_view name, const json::value& value);
  void tell_flag(Told& to, Member member, std::string_view name, const json::value& value);
  std::uint64_t tell_all(Told& to, const json::object& line);
  Range records(const json::value& value);
  Range documents(const json::value& value);
  Range deliveries(const json::value& value, const Asked& asked);

 private:
  History& history_;
};

/// True for a member that it took.
bool Taker::ask(Asked& to, Member member, std::string_view name, const json::value& value) {
  switch (member) {
    case Member::workflow: to.workflow = text(name, value); return true;
    case Member::key: to.key = text(name, value), to.has_key = true; return true;
    case Member::value: to.value = text(name, value); return true;
    case Member::op_id: to.op_id = text(name, value); return true;
    case Member::receipt: to.receipt = text(name, value); return true;
    case Member::fence: to.fence = fence(name, value), to.has_fence = true; return true;
    case Member::queue: to.queue = text(name, value), to.has_queue = true; return true;
    case Member::message_id: to.message_id = text(name, value), to.has_message_id = true; return true;
    case Member::error: to.error = text(name, value), to.has_error = true; return true;
    case Member::prefix: to.prefix = text(name, value); return true;
    case Member::force: to.force = flag(name, value); return true;
    case Member::cancel: to.cancel = flag(name, value); return true;
    case Member::revive: to.revive = flag(name, value); return true;
    case Member::finished: to.finished = flag(name, value); return true;
    case Member::release: to.release = flag(name, value); return true;
    case Member::after_ok: to.after_ok = flag(name, value); return true;
    case Member::again: to.again = flag(name, value); return true;
    case Member::max: to.max = number(name, value); return true;
    case Member::load: to.load = !value.is_bool() || value.get_bool(); return true;
    case Member::enqueue: ask_enqueue(to, value); return true;
    case Member::acquire: ask_acquire(to, value); return true;
    case Member::condition: ask_condition(to, value); return true;
    case Member::queues: {
      auto begin = static_cast<std::uint32_t>(history_.queues.size());
      for (const json::value& each : list(name, value)) history_.queues.push_back(text(name, each));
      to.queues = {begin, static_cast<std::uint32_t>(history_.queues.size())};
      return true;
    }
    default: ask_when(to, member, name, value); return true;
  }
}

void Taker::ask_when(Asked& to, Member member, std::string_view name, const json::value& value) {
  switch (member) {
    case Member::ttl:
      to.keep_ttl = value.is_string() && value.get_string() == "keep";
      to.ttl = to.keep_ttl ? 0 : duration(name, value);
      break;
    case Member::budget: to.budget = duration(name, value); break;
    case Member::lease: to.lease = duration(name, value); break;
    case Member::wait: to.wait = duration(name, value); break;
    case Member::older_than: to.older_than = duration(name, value); break;
    case Member::delay: to.when = {duration(name, value), false}; break;
    case Member::at: to.when = {number(name, value), true}; break;
    case Member::inbox_after:
      to.after = std::max<std::int64_t>(0, inbox_position(history_.names[text(name, value)]));
      break;
    case Member::after:
      if (value.is_number())
        to.after = number(name, value);
      else
        to.page_after = text(name, value);
      break;
    default: break;
  }
}

void Taker::ask_enqueue(Asked& to, const json::value& value) {
  to.enqueue = !value.is_bool() || value.get_bool();
  if (value.is_bool()) return;
  for (const auto& [name, inner] : object("enqueue", value)) ask(to, member_of(name), name, inner);
}

void Taker::ask_acquire(Asked& to, const json::value& value) {
  to.acquire = true;
  for (const auto& [name, inner] : object("acquire", value)) ask(to, member_of(name), name, inner);
}

void Taker::ask_condition(Asked& to, const json::value& value) {
  if (value == "any") return;
  to.condition = value == "absent" ? Asked::If::absent : Asked::If::version;
  if (to.condition == Asked::If::version) to.version = text("if", value);
}

void Taker::tell(Told& to, Member member, std::string_view name, const json::value& value) {
  switch (member) {
    case Member::workflow: to.workflow = text(name, value); break;
    case Member::key: to.key = text(name, value); break;
    case Member::value: to.value = text(name, value); break;
    case Member::version: to.version = text(name, value); break;
    case Member::queue: to.queue = text(name, value); break;
    case Member::receipt: to.receipt = text(name, value); break;
    case Member::last_error: to.last_error = text(name, value); break;
    case Member::fence: to.fence = fence(name, value); break;
    case Member::position: to.position = count(name, value); break;
    case Member::fence_number: to.fence_number = count(name, value); break;
    case Member::delivery_count: to.delivery_count = count(name, value); break;
    case Member::removed: to.removed = value.is_bool() ? value.get_bool() : count(name, value); break;
    case Member::written_at: to.written_at = count(name, value); break;
    case Member::live_until: to.live_until = count(name, value); break;
    case Member::budget_until: to.budget_until = count(name, value); break;
    case Member::visible_at: to.visible_at = count(name, value), to.has_visible_at = true; break;
    case Member::store_time: to.store_time = count(name, value); break;
    case Member::expires_at: to.expires_at = count(name, value); break;
    case Member::next: to.next = text(name, value), to.has_next = true; break;
    case Member::records: to.records = records(value); break;
    case Member::documents: to.documents = documents(value); break;
    case Member::state: {
      const auto* plain = value.if_string();
      to.state = plain ? codec::state_from_name(*plain) : 0;
      if (to.state == 0) throw BadMember{"state is none of the contract's"};
      break;
    }
    default: tell_flag(to, member, name, value);
  }
}

void Taker::tell_flag(Told& to, Member member, std::string_view name, const json::value& value) {
  switch (member) {
    case Member::first: to.first = flag(name, value); break;
    case Member::duplicate: to.duplicate = flag(name, value); break;
    case Member::cancel_requested: to.cancel_requested = flag(name, value); break;
    case Member::finished: to.finished = flag(name, value); break;
    case Member::more: to.more = flag(name, value); break;
    case Member::requeued: to.requeued = flag(name, value); break;
    case Member::ran: to.ran = flag(name, value); break;
    default: break;
  }
}

std::uint64_t Taker::tell_all(Told& to, const json::object& line) {
  std::uint64_t seen = 0;
  for (const auto& [name, value] : line) {
    Member member = member_of(name);
    if (member == Member::ignored) continue;
    tell(to, member, name, value);
    seen |= bit(member);
  }
  return seen;
}

Range Taker::records(const json::value& value) {
  auto begin = static_cast<std::uint32_t>(history_.records.size());
  for (const json::value& each : list("records", value)) {
    Told one;
    using enum Member;
    check(bits(position, key, value, written_at), tell_all(one, object("records", each)));
    history_.records.push_back({one.position, one.key, one.value, one.written_at});
  }
  return {begin, static_cast<std::uint32_t>(history_.records.size())};
}

Range Taker::documents(const json::value& value) {
  auto begin = static_cast<std::uint32_t>(history_.documents.size());
  for (const json::value& each : list("documents", value)) {
    Told one;
    check(bits(Member::key, Member::version), tell_all(one, object("documents", each)));
    history_.documents.push_back({one.key, one.version, one.expires_at});
  }
  return {begin, static_cast<std::uint32_t>(history_.documents.size())};
}

Range Taker::deliveries(const json::value& value, const Asked& asked) {
  std::vector<Told> made;
  for (const json::value& each : list("deliveries", value))
    check(needed_of_delivery(asked), tell_all(made.emplace_back(), object("deliveries", each)));
  auto begin = static_cast<std::uint32_t>(history_.deliveries.size());
  history_.deliveries.insert(history_.deliveries.end(), made.begin(), made.end());
  return {begin, static_cast<std::uint32_t>(history_.deliveries.size())};
}

const json::value& must_have(const json::object& line, std::string_view name) {
  const json::value* value = line.if_contains(name);
  if (!value) throw BadMember{std::string(name) + " is missing"};
  return *value;
}

std::int32_t status_from(const json::value& value) {
  static const std::unordered_map<std::string_view, std::int32_t> table{
#define JUDGE_STATUS(NAME, number, name, happened, again, text) {#name, number},
      STILE_STATUS_TABLE(JUDGE_STATUS)
#undef JUDGE_STATUS
  };
  const auto* plain = value.if_string();
  auto found = plain ? table.find(std::string_view(*plain)) : table.end();
  if (found == table.end()) throw BadMember{"status is none of the contract's"};
  return found->second;
}

}  // namespace

Heading heading_of(const json::object& line) {
  Heading heading;
  const json::value& client = must_have(line, "client");
  if (!client.is_string()) throw BadMember{"client must be text"};
  heading.client = client.get_string();
  auto count = [&](std::string_view name) {
    return static_cast<std::uint64_t>(Taker::count(name, must_have(line, name)));
  };
  heading.call = count("call");
  heading.place = count("place");
  const json::value* invoke = line.if_contains("invoke");
  const json::value* returned = line.if_contains("return");
  if ((invoke != nullptr) == (returned != nullptr)) throw BadMember{"a line has either invoke or return"};
  heading.asks = invoke != nullptr;
  heading.moment = Taker::count(invoke ? "invoke" : "return", invoke ? *invoke : *returned);
  return heading;
}

void take_question(const json::object& line, Event& to, History& history) {
  const json::value& op = must_have(line, "op");
  to.kind = op.is_string() ? codec::op_kind(op.get_string()) : 0;
  if (to.kind == 0) throw BadMember{"op is none of the contract's: " + json::serialize(op)};
  Taker taker(history);
  std::uint64_t seen = 0;
  if (is_overview(to.kind)) return take_overview_question(line, to, history);
  try {
    for (const auto& [name, value] : line) {
      Member member = member_of(name);
      if (member == Member::ignored || to.kind == STILE_OP_RENDER) continue;
      taker.ask(to.asked, member, name, value);
      seen |= bit(member);
    }
  } catch (const codec::BadRequest& bad) {
    throw BadMember{bad.text};
  }
  check(needed_to_ask(to.kind), seen);
}

namespace {

/// A negative length may be asked for, and no store may answer it with ok.
void check_lengths(const Event& event) {
  const Asked& asked = event.asked;
  const std::pair<const char*, Time> lengths[] = {
      {"ttl", asked.ttl},   {"budget", asked.budget},         {"lease", asked.lease},
      {"wait", asked.wait}, {"older_than", asked.older_than}, {asked.when.instant ? "at" : "delay", asked.when.value}};
  for (const auto& [name, length] : lengths)
    if (event.ok() && length < 0)
      throw BadMember{std::string("is answered ok, and asked for a negative ") + name + ", which is invalid"};
}

}  // namespace

void take_answer(const json::object& line, Event& to, History& history) {
  to.status = status_from(must_have(line, "status"));
  check_lengths(to);
  Taker taker(history);
  std::uint64_t seen = 0;
  if (is_overview(to.kind)) return take_overview_answer(line, to, history);
  if (to.kind == STILE_OP_RENDER || to.kind == STILE_OP_PREPARE) return;
  try {
    for (const auto& [name, value] : line) {
      Member member = member_of(name);
      if (member == Member::ignored || member == Member::error) continue;
      if (member == Member::deliveries)
        to.told.deliveries = taker.deliveries(value, to.asked);
      else
        taker.tell(to.told, member, name, value);
      seen |= bit(member);
    }
  } catch (const codec::BadRequest& bad) {
    throw BadMember{bad.text};
  }
  check(needed_to_tell(to), seen);
}

}  // namespace stile::conformance::judge
