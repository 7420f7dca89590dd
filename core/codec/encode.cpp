// From an operation to the JSON of its request and of its answer.
//
// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "codec/fields.hpp"
#include "codec/op.hpp"
#include "codec/text.hpp"
#include "types/abi.hpp"

namespace stile::codec {
namespace {

using types::view;

std::string fence_text(const stile_fence& fence) {
  Fence owned{fence.number, {}};
  std::memcpy(owned.stamp.bytes.data(), fence.stamp.bytes, sizeof(fence.stamp.bytes));
  return owned.text();
}

json::value value_json(const stile_value& value) {
  switch (value.type) {
    case STILE_TYPE_INTEGER: return value.integer;
    case STILE_TYPE_REAL: return value.real;
    case STILE_TYPE_TEXT: return bytes_json(view(value.data));
    case STILE_TYPE_BYTES: return bytes_json(view(value.data));
    default: return nullptr;
  }
}

// Of an argument of an effect: text and bytes are different things there.
json::value argument_json(const stile_value& value) {
  if (value.type == STILE_TYPE_BYTES) return {{"b64", to_base64(view(value.data))}};
  return value_json(value);
}

template <class T, class Each>
json::array list_json(const Field& field, const void* from, Each each) {
  json::array list;
  const T* items = at<const T*>(from, field);
  auto count = at<std::uint64_t>(from, (&field)[1]);  // the length follows its list
  list.reserve(count);
  for (std::uint64_t i = 0; i < count; ++i) list.push_back(each(items[i]));
  return list;
}

json::array approximate_json(std::uint32_t bits) {
  json::array names;
  if (bits & STILE_APPROX_WORKFLOWS) names.push_back("workflows");
  if (bits & STILE_APPROX_FINISHED) names.push_back("finished");
  if (bits & STILE_APPROX_RECORDS) names.push_back("records");
  if (bits & STILE_APPROX_DOCUMENTS) names.push_back("documents");
  return names;
}

/// Tells a request: what has its default is left out.
class Asking {
 public:
  static json::object operation(const stile_op& op) {
    json::object to;
    to["op"] = op_name(op.kind);
    if (const Struct* request = request_of(op.kind)) members(*request, op.request, to);
    if (op.must & STILE_MUST_AFTER_OK) to["after_ok"] = true;
    if (op.must & STILE_MUST_AGAIN) to["again"] = true;
    Id id;
    std::memcpy(id.bytes.data(), op.op_id.bytes, sizeof(op.op_id.bytes));
    if (!id.empty() && (traits_of(op.kind) & STILE_TRAIT_OP_ID)) to["op_id"] = id.text();
    return to;
  }

 private:
  static void members(const Struct& description, const void* from, json::object& to) {
    for (const Field& field : description.fields)
      if (said(field, description, from)) member(field, description, from, to);
  }

  static bool flagged(const void* from, std::uint16_t offset) {
    return *reinterpret_cast<const std::uint32_t*>(static_cast<const char*>(from) + offset) != 0;
  }

  static bool said(const Field& field, const Struct& description, const void* from) {
    if (auto dot = field.name.find('.'); dot != std::string_view::npos) return false;  // told with its group
    if (field.presence != Field::none) return flagged(from, field.presence);
    if (field.has(STILE_FIELD_WITH_FENCE)) return flagged(from, description.member("has_fence")->offset);
    if (field.has(STILE_FIELD_REQUIRED) && field.form != Form::when) return true;
    return !is_default(field, from);
  }

  static bool is_default(const Field& field, const void* from) {
    switch (field.form) {
      case Form::flag:
      case Form::state:
      case Form::condition:
      case Form::group: return at<std::uint32_t>(from, field) == 0;
      case Form::count: return at<std::uint32_t>(from, field) == field.fallback;
      case Form::number: return at<std::uint64_t>(from, field) == field.fallback;
      case Form::position:
      case Form::duration:
      case Form::ttl: return at<std::int64_t>(from, field) == 0;
      case Form::bytes: return at<stile_bytes>(from, field).len == 0;
      case Form::text: return at<stile_text>(from, field).len == 0;
      case Form::values: return at<std::uint64_t>(from, (&field)[1]) == 0;
      case Form::bytes_list: {
        auto count = at<std::uint64_t>(from, (&field)[1]);
        const auto* items = at<const stile_bytes*>(from, field);
        return count == field.fallback && (count == 0 || (count == 1 && items[0].len == 0));
      }
      case Form::enqueue: return at<const void*>(from, field) == nullptr;
      case Form::when:
      case Form::answer:
      case Form::enqueue_inline: return false;
      default: return field.name.empty();
    }
  }

  static void member(const Field& field, const Struct& description, const void* from, json::object& to) {
    switch (field.form) {
      case Form::when: return when(field, description, from, to);
      case Form::answer: return members(answer_struct, &at<stile_answer>(from, field), to);
      case Form::enqueue_inline: return members(enqueue_struct, at<const stile_enqueue*>(from, field), to);
      case Form::condition: {
        auto condition = at<std::uint32_t>(from, field);
        const Field& version = *description.member("version");
        to[field.name] =
            condition == STILE_IF_ABSENT ? json::value("absent") : bytes_json(view(at<stile_bytes>(from, version)));
        return;
      }
      case Form::group: {
        json::object inner;
        for (const Field& one : description.fields) {
          if (!one.name.starts_with(field.name) || one.name.substr(field.name.size(), 1) != ".") continue;
          // Two, since a list is told with the field behind it, its length.
          Field part[2] = {one, &one == &description.fields.back() ? one : (&one)[1]};
          part[0].name.remove_prefix(field.name.size() + 1);
          if (said(part[0], description, from)) member(part[0], description, from, inner);
        }
        to[field.name] = std::move(inner);
        return;
      }
      default: to[field.name] = value(field, from);
    }
  }

  static void when(const Field& field, const Struct& description, const void* from, json::object& to) {
    bool instant = at<std::uint32_t>(from, *description.member("is_instant")) != 0;
    auto time = at<std::int64_t>(from, field);
    if (instant)
      to["at"] = time;
    else if (time != 0 || field.has(STILE_FIELD_REQUIRED))
      to["delay"] = time;
  }

  static json::value value(const Field& field, const void* from) {
    switch (field.form) {
      case Form::flag: return at<std::uint32_t>(from, field) != 0;
      case Form::count: return at<std::uint32_t>(from, field);
      case Form::number: return at<std::uint64_t>(from, field);
      case Form::position:
      case Form::duration: return at<std::int64_t>(from, field);
      case Form::ttl: {
        auto ttl = at<std::int64_t>(from, field);
        return ttl == STILE_TTL_KEEP ? json::value("keep") : json::value(ttl);
      }
      case Form::bytes:
      case Form::receipt: return bytes_json(view(at<stile_bytes>(from, field)));
      case Form::text: return bytes_json(view(at<stile_text>(from, field)));
      case Form::fence: {
        const auto& fence = at<stile_fence>(from, field);
        return fence.number == 0 ? json::value(nullptr) : json::value(fence_text(fence));
      }
      case Form::state: return json::value(state_name(at<std::uint32_t>(from, field)));
      case Form::bytes_list:
        return list_json<stile_bytes>(field, from, [](const auto& one) { return bytes_json(view(one)); });
      case Form::values: return list_json<stile_value>(field, from, argument_json);
      case Form::watched:
        return list_json<stile_watched>(field, from, [](const auto& one) -> json::value {
          return {{"workflow", bytes_json(view(one.workflow))}, {"after", one.after}};
        });
      case Form::enqueue: {
        json::object inner;
        members(enqueue_struct, at<const stile_enqueue*>(from, field), inner);
        return inner.empty() ? json::value(true) : json::value(std::move(inner));
      }
      case Form::effect: {
        json::object inner;
        members(effect_struct, at<const stile_effect*>(from, field), inner);
        return inner;
      }
      case Form::operation: return operation(*at<const stile_op*>(from, field));
      default: return nullptr;
    }
  }
};

/// Tells an answer: what does not apply is left out.
class Answering {
 public:
  explicit Answering(const stile_op& op) : op_(op) {
    switch (op.kind) {
      case STILE_OP_SUPPLY: asked(STILE_FIELD_WITH_ENQUEUE, as<stile_supply_request>().enqueue != nullptr); break;
      case STILE_OP_APPEND: asked(STILE_FIELD_WITH_ENQUEUE, as<stile_append_request>().enqueue != nullptr); break;
      case STILE_OP_EXTEND: asked(STILE_FIELD_WITH_FENCE, as<stile_extend_request>().has_fence != 0); break;
      case STILE_OP_RECEIVE:
        asked(STILE_FIELD_WITH_ACQUIRE, as<stile_receive_request>().acquire != 0);
        asked(STILE_FIELD_WITH_LOAD, as<stile_receive_request>().load != 0);
        break;
      default: break;
    }
  }

  void result(const Struct& description, json::object& to) const { members(description, op_.result, to, op_.status); }

 private:
  template <class T>
  const T& as() const {
    return *static_cast<const T*>(op_.request);
  }
  void asked(std::uint32_t trait, bool is) {
    if (is) asked_ |= trait;
  }

  static bool counts(const Field& field, int status, const Struct& description, const void* from) {
    if (status == STILE_OK) return !field.has(STILE_FIELD_NOT_ON_OK);
    if (status == STILE_HELD) return field.has(STILE_FIELD_ON_HELD);
    if (status != STILE_CONFLICT || !field.has(STILE_FIELD_ON_CONFLICT)) return false;
    return at<stile_bytes>(from, *description.member("version")).len != 0;  // else nothing is there (K2)
  }

  bool said(const Field& field, int status, const Struct& description, const void* from) const {
    if (field.name.empty() || !counts(field, status, description, from)) return false;
    constexpr std::uint32_t with =
        STILE_FIELD_WITH_FENCE | STILE_FIELD_WITH_ENQUEUE | STILE_FIELD_WITH_ACQUIRE | STILE_FIELD_WITH_LOAD;
    if ((field.traits & with & ~asked_) != 0) return false;
    if (field.presence != Field::none)
      return *reinterpret_cast<const std::uint32_t*>(static_cast<const char*>(from) + field.presence) != 0;
    if (field.form == Form::fence) return at<stile_fence>(from, field).number != 0;
    if (field.has(STILE_FIELD_NOT_NEGATIVE)) return at<std::int64_t>(from, field) >= 0;
    if (!field.has(STILE_FIELD_NONZERO)) return true;
    if (field.form == Form::bytes) return at<stile_bytes>(from, field).len != 0;
    if (field.form == Form::approximate) return at<std::uint32_t>(from, field) != 0;
    return at<std::int64_t>(from, field) != 0;
  }

  void members(const Struct& description, const void* from, json::object& to, int status = STILE_OK) const {
    for (const Field& field : description.fields) {
      if (!said(field, status, description, from)) continue;
      if (field.form == Form::finished_at) {
        auto instant = at<std::int64_t>(from, field);
        to["finished"] = instant != 0;
        if (instant != 0) to["finished_at"] = instant;
      } else {
        to[field.name] = value(field, from, description);
      }
    }
  }

  json::value value(const Field& field, const void* from, const Struct& description) const {
    switch (field.form) {
      case Form::flag: return at<std::uint32_t>(from, field) != 0;
      case Form::count: return at<std::uint32_t>(from, field);
      case Form::number: return at<std::uint64_t>(from, field);
      case Form::position:
      case Form::duration:
      case Form::instant: return at<std::int64_t>(from, field);
      case Form::bytes:
        return bytes_json(
            view(field.has(STILE_FIELD_OWN) ? own(field, from, description) : at<stile_bytes>(from, field)));
      case Form::receipt: return bytes_json(view(at<stile_bytes>(from, field)));
      case Form::text: return bytes_json(view(at<stile_text>(from, field)));
      case Form::fence: return json::value(fence_text(at<stile_fence>(from, field)));
      case Form::state: return json::value(state_name(at<std::uint32_t>(from, field)));
      case Form::approximate: return approximate_json(at<std::uint32_t>(from, field));
      case Form::bytes_list:
        return list_json<stile_bytes>(field, from, [](const auto& one) { return bytes_json(view(one)); });
      case Form::text_list:
        return list_json<stile_text>(field, from, [](const auto& one) { return bytes_json(view(one)); });
      case Form::values: return list_json<stile_value>(field, from, value_json);
      case Form::changed: {
        const auto& watch = as<stile_watch_request>();
        return list_json<std::uint64_t>(field, from, [&](std::uint64_t i) -> json::value {
          return i < watch.n_watched ? bytes_json(view(watch.watched[i].workflow)) : json::value(nullptr);
        });
      }
      case Form::limits: {
        json::object inner;
        if (const void* limits = at<const void*>(from, field)) members(limits_struct, limits, inner);
        return inner;
      }
      default: return elements(field, from);
    }
  }

  // B2: a winner need not be sent its own bytes back.
  stile_bytes own(const Field& field, const void* from, const Struct& description) const {
    auto stored = at<stile_bytes>(from, field);
    if (stored.len != 0 || at<std::uint32_t>(from, *description.member("first")) == 0) return stored;
    return at<stile_bytes>(op_.request, *request_of(op_.kind)->member("value"));
  }

  json::value elements(const Field& field, const void* from) const {
    const Struct* description = element_of(field.form);
    if (!description) return nullptr;
    const Field& next = *description->member("next");
    json::array list;
    // A list of a plugin that leads back into itself must not take all memory; no page is so long.
    constexpr std::size_t most = std::size_t{1} << 20;
    for (const void* one = at<const void*>(from, field); one && list.size() < most; one = at<const void*>(one, next))
      members(*description, one, list.emplace_back(json::object()).get_object());
    return list;
  }

  const stile_op& op_;
  std::uint32_t asked_ = 0;
};

}  // namespace

json::value bytes_json(std::string_view bytes) {
  if (is_utf8(bytes)) return json::value(json::string(bytes));
  return {{"b64", to_base64(bytes)}};
}

json::object request_json(const stile_op& op) { return Asking::operation(op); }

json::object answer_json(const stile_op& op) {
  json::object to;
  bool unset = op.status == STILE_UNSET;
  auto status = unset ? Status::internal : static_cast<Status>(op.status);
  to["status"] = name_of(status);
  if (status != Status::ok) {
    if (unset)
      to["error"] = "the operation was left without a status";
    else
      to["error"] = op.error.len != 0 ? bytes_json(view(op.error)) : json::value(meaning_of(status));
    if (op.native.len != 0) to["native"] = bytes_json(view(op.native));
    if (op.retry_after != 0) to["retry_after"] = op.retry_after;
  }
  const Struct* result = result_of(op.kind);
  if (result && op.result && !unset) Answering(op).result(*result, to);
  return to;
}

}  // namespace stile::codec
