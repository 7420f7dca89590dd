// The members of watch, list, stats and info.
//
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string_view>

#include "codec/decode.hpp"
#include "codec/op.hpp"
#include "codec/text.hpp"
#include "judge/line.hpp"

namespace stile::conformance::judge {
namespace {

/// The members of one object; what is missing or of the wrong form is named.
class Members {
 public:
  Members(const json::object& object, History& history) : object_(object), history_(history) {}

  bool has(std::string_view name) const { return object_.if_contains(name) != nullptr; }
  const json::value& need(std::string_view name) const {
    const json::value* value = object_.if_contains(name);
    if (!value) throw BadMember{std::string(name) + " is missing"};
    return *value;
  }
  Text text(std::string_view name) const { return history_.names.intern(bytes(need(name), name)); }
  Text text_or_none(std::string_view name) const { return has(name) ? text(name) : Text::none; }
  /// What may be asked for; what is told begins with 0.
  std::int64_t any_number(std::string_view name) const {
    boost::system::error_code error;
    auto number = need(name).to_number<std::int64_t>(error);
    if (error) throw BadMember{std::string(name) + " must be a whole number"};
    return std::min(number, never);
  }
  std::int64_t number(std::string_view name) const {
    std::int64_t number = any_number(name);
    if (number < 0) throw BadMember{std::string(name) + " must not be negative"};
    return number;
  }
  std::int64_t number_or_0(std::string_view name) const { return has(name) ? number(name) : 0; }
  bool flag(std::string_view name) const {
    const json::value& value = need(name);
    if (!value.is_bool()) throw BadMember{std::string(name) + " must be true or false"};
    return value.get_bool();
  }
  const json::array& list(std::string_view name) const {
    const json::value& value = need(name);
    if (!value.is_array()) throw BadMember{std::string(name) + " must be a list"};
    return value.get_array();
  }
  static const json::object& inside(const json::value& value, std::string_view name) {
    if (!value.is_object()) throw BadMember{std::string(name) + " must be a list of objects"};
    return value.get_object();
  }

 private:
  static Bytes bytes(const json::value& value, std::string_view name) try {
    return codec::bytes_from_json(value, name);
  } catch (const codec::BadRequest& bad) {
    throw BadMember{bad.text};
  }

  const json::object& object_;
  History& history_;
};

template <class Each>
Range appended(std::vector<Each>& to, const std::vector<Each>& made) {
  auto begin = static_cast<std::uint32_t>(to.size());
  to.insert(to.end(), made.begin(), made.end());
  return {begin, static_cast<std::uint32_t>(to.size())};
}

Range watched(const Members& members, History& history) {
  std::vector<Watched> made;
  for (const json::value& each : members.list("workflows")) {
    Members one(Members::inside(each, "workflows"), history);
    made.push_back({one.text("workflow"), one.has("after") ? one.any_number("after") : 0});
  }
  return appended(history.watched, made);
}

Time duration(const Members& members, std::string_view name) {
  const json::value& value = members.need(name);
  if (value.is_string()) return std::min(codec::duration_from_json(value, name), never);
  return members.any_number(name);
}

Range listed(const Members& members, History& history) {
  std::vector<Listed> made;
  for (const json::value& each : members.list("workflows")) {
    Members one(Members::inside(each, "workflows"), history);
    const auto* state = one.need("state").if_string();
    Listed& to = made.emplace_back();
    to.workflow = one.text("workflow");
    to.queue = one.text_or_none("queue");
    to.last_error = one.text_or_none("last_error");
    to.state = state ? codec::state_from_name(*state) : 0;
    if (to.state == 0) throw BadMember{"state is none of the contract's"};
    to.delivery_count = one.number_or_0("delivery_count");
    to.records = one.number("records");
    to.fence_number = one.number("fence_number");
    to.finished = one.flag("finished");
    to.cancel_requested = one.flag("cancel_requested");
  }
  return appended(history.listed, made);
}

Range figures(const Members& members, History& history) {
  Figures made{members.number("ready"),     members.number("delayed"),
               members.number("in_flight"), members.number("dead"),
               members.number("workflows"), members.number("finished"),
               members.number("records"),   members.has("approximate") && !members.list("approximate").empty()};
  return appended(history.figures, {made});
}

}  // namespace

bool is_overview(std::uint32_t kind) {
  return kind == STILE_OP_WATCH || kind == STILE_OP_LIST || kind == STILE_OP_STATS || kind == STILE_OP_INFO;
}

void take_overview_question(const json::object& line, Event& to, History& history) {
  Members members(line, history);
  Asked& asked = to.asked;
  switch (to.kind) {
    case STILE_OP_WATCH:
      asked.watched = watched(members, history);
      asked.wait = duration(members, "wait");
      break;
    case STILE_OP_LIST:
      asked.narrowed = members.has("state") || members.has("queue") || members.has("idle_for");
      asked.prefix = members.text_or_none("prefix");
      asked.page_after = members.text_or_none("after");
      break;
    case STILE_OP_STATS: asked.narrowed = members.has("queue"); break;
    default: break;
  }
}

void take_overview_answer(const json::object& line, Event& to, History& history) {
  if (!to.ok()) return;
  Members members(line, history);
  Told& told = to.told;
  switch (to.kind) {
    case STILE_OP_WATCH: told.woken = members.has("changed") && !members.list("changed").empty(); break;
    case STILE_OP_LIST:
      told.listed = listed(members, history);
      told.has_next = members.has("next");
      told.next = members.text_or_none("next");
      break;
    case STILE_OP_STATS: told.figures = figures(members, history); break;
    default: {
      told.store_time = members.number("store_time");
      const json::value* limits = line.if_contains("limits");
      if (limits && limits->is_object())
        told.partitions = Members(limits->get_object(), history).number_or_0("partitions");
    }
  }
}

}  // namespace stile::conformance::judge
