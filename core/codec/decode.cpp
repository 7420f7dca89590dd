// From the JSON of an operation to its request.
//
// SPDX-License-Identifier: Apache-2.0
#include "codec/decode.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <new>

#include "codec/copy.hpp"
#include "codec/fields.hpp"
#include "codec/text.hpp"
#include "types/text.hpp"

namespace stile::codec {

void refuse(std::string_view member, std::string_view what) {
  throw BadRequest{Status::invalid, std::string(member) + " " + std::string(what)};
}

std::optional<Whole> whole_number(const json::value& value) {
  if (const auto* number = value.if_int64())
    return Whole{*number < 0,
                 *number < 0 ? 0 - static_cast<std::uint64_t>(*number) : static_cast<std::uint64_t>(*number)};
  if (const auto* number = value.if_uint64()) return Whole{false, *number};
  const auto* number = value.if_double();
  if (!number || std::trunc(*number) != *number || std::fabs(*number) > 9007199254740992.0) return std::nullopt;
  return Whole{*number < 0, static_cast<std::uint64_t>(std::fabs(*number))};
}

// What was meant, or else what there is.
std::string hint(std::string_view word, const std::vector<std::string>& known) {
  if (auto meant = types::nearest(word, known)) return "; did you mean " + *meant + "?";
  std::string all;
  for (const std::string& name : known) all += (all.empty() ? "; known: " : ", ") + name;
  return all;
}

std::vector<std::string> op_names() {
  std::vector<std::string> names;
  for (std::uint32_t kind = 1; kind <= STILE_OP_COUNT; ++kind) names.emplace_back(op_name(kind));
  return names;
}

const json::value* Members::take(std::string_view name) {
  const json::value* value = object_.if_contains(name);
  known_.emplace_back(name);
  if (value) taken_.push_back(name);
  return value;
}

void Members::finish() const {
  if (taken_.size() == object_.size()) return;
  for (const auto& member : object_)
    if (std::find(taken_.begin(), taken_.end(), std::string_view(member.key())) == taken_.end())
      refuse(path(member.key()), "is not a member here" + hint(member.key(), known_));
}

std::string bytes_from_json(const json::value& value, std::string_view member) {
  if (const auto* text = value.if_string()) return std::string(*text);
  const auto* object = value.if_object();
  const json::value* encoded = object && object->size() == 1 ? object->if_contains("b64") : nullptr;
  if (!encoded || !encoded->is_string()) refuse(member, "must be text or {\"b64\": text}");
  auto bytes = from_base64(encoded->get_string());
  if (!bytes) refuse(std::string(member) + ".b64", "is no base64");
  return *std::move(bytes);
}

std::int64_t duration_from_json(const json::value& value, std::string_view member) {
  if (const auto* text = value.if_string()) return duration_from_text(*text, member);
  auto number = whole_number(value);
  if (!number) refuse(member, "must be a whole number of microseconds or text such as \"200ms\"");
  if (number->size > INT64_MAX) refuse(member, "is too long");
  auto size = static_cast<std::int64_t>(number->size);
  return number->negative ? -size : size;
}

/// Fills a request from its JSON, by the tables.
class Decoder {
 public:
  explicit Decoder(Op& op) : arena_(*op.arena()) {}

  static std::unique_ptr<Op> decode(const json::object& line);

 private:
  void read(const Struct& description, Members& members, void* to);
  void read_field(const Field& field, Members& members, void* to, const Struct& description);
  void read_value(const Field& field, const json::value& value, const std::string& path, void* to);
  void read_when(const Field& field, Members& members, void* to, const Struct& description);
  void read_group(const Field& group, const json::value& value, const std::string& path, void* to,
                  const Struct& description);
  void read_condition(const json::value& value, const std::string& path, const Field& field, void* to,
                      const Struct& description);
  void read_enqueue(const json::value& value, const std::string& path, const stile_enqueue*& to);
  void read_values(const Field& field, const json::value& value, const std::string& path, void* to);
  void read_watched(const Field& field, const json::value& value, const std::string& path, void* to);
  void read_operation(const json::value& value, const std::string& path, const stile_op*& to);
  void fall_back(const Field& field, void* to);

  // A misspelt member is named before the one that is missing for it.
  void miss(std::string text) {
    if (missing_.empty()) missing_ = std::move(text);
  }

  template <class T>
  T* make(std::size_t count = 1) {
    void* memory = arena_.alloc(arena_.ctx, sizeof(T) * count);
    if (!memory) throw std::bad_alloc{};
    std::memset(memory, 0, sizeof(T) * count);
    return static_cast<T*>(memory);
  }
  stile_bytes keep(std::string_view bytes) {
    if (bytes.empty()) return {nullptr, 0};
    auto* copy = make<std::uint8_t>(bytes.size());
    std::memcpy(copy, bytes.data(), bytes.size());
    return {copy, bytes.size()};
  }
  stile_bytes bytes(const json::value& value, const std::string& path) {
    if (const auto* text = value.if_string()) return keep(*text);
    return keep(bytes_from_json(value, path));
  }
  template <class T>
  T* make_sized(const Struct& description) {
    T* made = make<T>();
    at<std::uint32_t>(made, description.fields[0]) = description.size;
    return made;
  }

  const stile_arena& arena_;
  std::string missing_;
};

namespace {

std::string_view text_of(const json::value& value, const std::string& path) {
  const auto* text = value.if_string();
  if (!text) refuse(path, "must be text");
  return *text;
}

bool flag_of(const json::value& value, const std::string& path) {
  if (!value.is_bool()) refuse(path, "must be true or false");
  return value.get_bool();
}

const json::object& object_of(const json::value& value, const std::string& path) {
  if (!value.is_object()) refuse(path, "must be an object");
  return value.get_object();
}

const json::array& array_of(const json::value& value, const std::string& path) {
  if (!value.is_array()) refuse(path, "must be a list");
  return value.get_array();
}

// What is above the range of a count means "as many as there are".
std::uint64_t count_of(const json::value& value, const std::string& path, std::uint64_t largest) {
  auto number = whole_number(value);
  if (!number || (number->negative && number->size != 0)) refuse(path, "must be a whole number of at least 0");
  return std::min(number->size, largest);
}

std::int64_t instant_of(const json::value& value, const std::string& path) {
  auto number = whole_number(value);
  if (!number) refuse(path, "must be a whole number of Unix microseconds");
  if (number->size > INT64_MAX) refuse(path, "is too late");
  auto size = static_cast<std::int64_t>(number->size);
  return number->negative ? -size : size;
}

std::int64_t position_of(const json::value& value, const std::string& path) {
  auto number = whole_number(value);
  if (!number) refuse(path, "must be a whole number");
  auto size = static_cast<std::int64_t>(std::min<std::uint64_t>(number->size, INT64_MAX));
  return number->negative ? -size : size;
}

stile_fence fence_of(const json::value& value, const std::string& path) {
  stile_fence fence{};
  if (value.is_null()) return fence;
  auto parsed = value.is_string() ? Fence::parse(value.get_string()) : std::nullopt;
  if (!parsed) refuse(path, "must be NUMBER.STAMP, the stamp in 32 lower-case hexadecimal digits, or null");
  fence.number = parsed->number;
  std::copy(parsed->stamp.bytes.begin(), parsed->stamp.bytes.end(), fence.stamp.bytes);
  return fence;
}

stile_id op_id_of(const json::value& value, const std::string& path) {
  auto parsed = value.is_string() ? Id::parse(value.get_string()) : std::nullopt;
  if (!parsed || parsed->empty()) refuse(path, "must be 32 hexadecimal digits, not all of them 0");
  stile_id id;
  std::copy(parsed->bytes.begin(), parsed->bytes.end(), id.bytes);
  return id;
}

std::uint32_t state_of(const json::value& value, const std::string& path) {
  std::uint32_t state = value.is_string() ? state_from_name(value.get_string()) : 0;
  if (state < STILE_STATE_READY || state > STILE_STATE_IDLE)
    refuse(path, "must be ready, delayed, in_flight, dead, finished or idle");
  return state;
}

}  // namespace

void Decoder::read(const Struct& description, Members& members, void* to) {
  for (const Field& field : description.fields) read_field(field, members, to, description);
}

void Decoder::read_field(const Field& field, Members& members, void* to, const Struct& description) {
  if (field.form == Form::when) return read_when(field, members, to, description);
  if (field.form == Form::answer) return read(answer_struct, members, &at<stile_answer>(to, field));
  if (field.form == Form::enqueue_inline) {
    auto* enqueue = make_sized<stile_enqueue>(enqueue_struct);
    at<const stile_enqueue*>(to, field) = enqueue;
    return read(enqueue_struct, members, enqueue);
  }
  if (field.form == Form::effect_form) {
    at<std::uint32_t>(to, field) = STILE_EFFECT_STATEMENT;
    return;
  }
  // Of a group: read with it.
  if (field.name.empty() || field.name.find('.') != std::string_view::npos) return;

  std::string path = members.path(field.name);
  const json::value* value = members.take(field.name);
  if (field.has(STILE_FIELD_WITH_FENCE)) {
    bool fenced = at<std::uint32_t>(to, *description.member("has_fence")) != 0;
    if (value && !fenced) refuse(path, "counts only with fence");
    if (!value && fenced && field.has(STILE_FIELD_REQUIRED)) miss(path + " is missing: it goes with fence");
  } else if (!value && field.has(STILE_FIELD_REQUIRED)) {
    miss(path + " is missing");
  }
  if (!value) return fall_back(field, to);
  auto flag = [&](std::uint32_t is) {
    if (field.presence != Field::none) *reinterpret_cast<std::uint32_t*>(static_cast<char*>(to) + field.presence) = is;
  };
  flag(1);
  if (field.form == Form::group) return read_group(field, *value, path, to, description);
  if (field.form == Form::condition) return read_condition(*value, path, field, to, description);
  read_value(field, *value, path, to);
  if (field.has(STILE_FIELD_ZERO_IS_NONE) && at<std::int64_t>(to, field) == 0) flag(0);
}

void Decoder::fall_back(const Field& field, void* to) {
  switch (field.form) {
    case Form::count: at<std::uint32_t>(to, field) = static_cast<std::uint32_t>(field.fallback); break;
    case Form::number: at<std::uint64_t>(to, field) = field.fallback; break;
    case Form::bytes_list:  // as many empty ones
      at<const stile_bytes*>(to, field) = field.fallback ? make<stile_bytes>(field.fallback) : nullptr;
      at<std::uint64_t>(to, (&field)[1]) = field.fallback;
      break;
    default: break;  // zero
  }
}

void Decoder::read_value(const Field& field, const json::value& value, const std::string& path, void* to) {
  switch (field.form) {
    case Form::flag: at<std::uint32_t>(to, field) = flag_of(value, path); break;
    case Form::count:
      at<std::uint32_t>(to, field) = static_cast<std::uint32_t>(count_of(value, path, UINT32_MAX));
      break;
    case Form::number: at<std::uint64_t>(to, field) = count_of(value, path, UINT64_MAX); break;
    case Form::position: at<std::int64_t>(to, field) = position_of(value, path); break;
    case Form::duration: at<std::int64_t>(to, field) = duration_from_json(value, path); break;
    case Form::ttl:
      at<std::int64_t>(to, field) = value == "keep" ? STILE_TTL_KEEP : duration_from_json(value, path);
      break;
    case Form::bytes: at<stile_bytes>(to, field) = bytes(value, path); break;
    case Form::receipt: at<stile_bytes>(to, field) = keep(text_of(value, path)); break;
    case Form::text: {
      stile_bytes text = keep(text_of(value, path));
      at<stile_text>(to, field) = {reinterpret_cast<const char*>(text.ptr), text.len};
      break;
    }
    case Form::fence: at<stile_fence>(to, field) = fence_of(value, path); break;
    case Form::state: at<std::uint32_t>(to, field) = state_of(value, path); break;
    case Form::bytes_list: {
      const json::array& list = array_of(value, path);
      auto* made = make<stile_bytes>(list.size());
      for (std::size_t i = 0; i < list.size(); ++i) made[i] = bytes(list[i], path + "[" + std::to_string(i) + "]");
      at<const stile_bytes*>(to, field) = made;
      at<std::uint64_t>(to, (&field)[1]) = list.size();
      break;
    }
    case Form::values: read_values(field, value, path, to); break;
    case Form::watched: read_watched(field, value, path, to); break;
    case Form::enqueue: read_enqueue(value, path, at<const stile_enqueue*>(to, field)); break;
    case Form::effect: {
      auto* effect = make_sized<stile_effect>(effect_struct);
      Members members(object_of(value, path), path + ".");
      read(effect_struct, members, effect);
      members.finish();
      at<const stile_effect*>(to, field) = effect;
      break;
    }
    case Form::operation: read_operation(value, path, at<const stile_op*>(to, field)); break;
    default: refuse(path, "cannot be written here");
  }
}

void Decoder::read_when(const Field& field, Members& members, void* to, const Struct& description) {
  const json::value* delay = members.take("delay");
  const json::value* instant = members.take("at");
  if (delay && instant) refuse(members.path("at"), "and delay exclude each other");
  if (!delay && !instant && field.has(STILE_FIELD_REQUIRED)) miss(members.path("delay") + " or at is missing");
  if (delay) at<std::int64_t>(to, field) = duration_from_json(*delay, members.path("delay"));
  if (instant) at<std::int64_t>(to, field) = instant_of(*instant, members.path("at"));
  at<std::uint32_t>(to, *description.member("is_instant")) = instant != nullptr;
}

void Decoder::read_group(const Field& group, const json::value& value, const std::string& path, void* to,
                         const Struct& description) {
  at<std::uint32_t>(to, group) = 1;
  Members members(object_of(value, path), path + ".");
  for (const Field& field : description.fields) {
    if (!field.name.starts_with(group.name) || field.name.substr(group.name.size(), 1) != ".") continue;
    Field inner = field;
    inner.name.remove_prefix(group.name.size() + 1);
    read_field(inner, members, to, description);
  }
  members.finish();
}

void Decoder::read_condition(const json::value& value, const std::string& path, const Field& field, void* to,
                             const Struct& description) {
  std::uint32_t condition = value == "any" ? STILE_IF_ANY : value == "absent" ? STILE_IF_ABSENT : STILE_IF_VERSION;
  at<std::uint32_t>(to, field) = condition;
  if (condition == STILE_IF_VERSION) at<stile_bytes>(to, *description.member("version")) = bytes(value, path);
}

void Decoder::read_enqueue(const json::value& value, const std::string& path, const stile_enqueue*& to) {
  if (value.is_bool() && !value.get_bool()) return;
  auto* enqueue = make_sized<stile_enqueue>(enqueue_struct);
  to = enqueue;
  if (value.is_bool()) return;
  if (!value.is_object()) refuse(path, "must be true, false or an object");
  Members members(value.get_object(), path + ".");
  read(enqueue_struct, members, enqueue);
  members.finish();
}

void Decoder::read_values(const Field& field, const json::value& value, const std::string& path, void* to) {
  const json::array& list = array_of(value, path);
  auto* values = make<stile_value>(list.size());
  for (std::size_t i = 0; i < list.size(); ++i) {
    stile_value& one = values[i];
    std::string place = path + "[" + std::to_string(i) + "]";
    if (list[i].is_null()) {
      one.type = STILE_TYPE_NULL;
    } else if (list[i].is_double()) {
      one.type = STILE_TYPE_REAL;
      one.real = list[i].get_double();
    } else if (list[i].is_number()) {
      if (list[i].is_uint64() && list[i].get_uint64() > INT64_MAX) refuse(place, "is too large a number");
      one.type = STILE_TYPE_INTEGER;
      one.integer = list[i].to_number<std::int64_t>();
    } else if (list[i].is_string()) {
      one.type = STILE_TYPE_TEXT;
      one.data = keep(list[i].get_string());
    } else if (list[i].is_object()) {
      one.type = STILE_TYPE_BYTES;
      one.data = bytes(list[i], place);
    } else {
      refuse(place, "must be a number, text, {\"b64\": text} or null");
    }
  }
  at<const stile_value*>(to, field) = values;
  at<std::uint64_t>(to, (&field)[1]) = list.size();
}

void Decoder::read_watched(const Field& field, const json::value& value, const std::string& path, void* to) {
  const json::array& list = array_of(value, path);
  auto* watched = make<stile_watched>(list.size());
  for (std::size_t i = 0; i < list.size(); ++i) {
    std::string place = path + "[" + std::to_string(i) + "]";
    Members members(object_of(list[i], place), place + ".");
    read(watched_struct, members, &watched[i]);
    members.finish();
  }
  at<const stile_watched*>(to, field) = watched;
  at<std::uint64_t>(to, (&field)[1]) = list.size();
}

void Decoder::read_operation(const json::value& value, const std::string& path, const stile_op*& to) {
  std::unique_ptr<Op> inner;
  try {
    inner = Op::decode(object_of(value, path));
  } catch (BadRequest& bad) {
    bad.text = path + ": " + bad.text;
    throw;
  }
  if (inner->get()->must != 0) refuse(path, "is said, not run: it takes neither after_ok nor again");
  // Its memory goes with it, so what is kept is a copy in this operation's own.
  auto* copy = make<stile_op>();
  if (!copy_request(*inner->get(), *copy, arena_)) throw std::bad_alloc{};
  to = copy;
}

std::unique_ptr<Op> Decoder::decode(const json::object& line) {
  Members members(line, {});
  const json::value* name = members.take("op");
  if (!name) refuse("op", "is missing");
  std::uint32_t kind = op_kind(text_of(*name, "op"));
  if (kind == 0) {
    throw BadRequest{Status::unsupported,
                     "op: there is no operation " + json::serialize(*name) + hint(text_of(*name, "op"), op_names())};
  }
  auto op = std::make_unique<Op>(kind);
  try {
    stile_op& raw = *op->get();
    if (traits_of(kind) & STILE_TRAIT_OP_ID)
      if (const json::value* id = members.take("op_id")) raw.op_id = op_id_of(*id, "op_id");
    if (const json::value* chained = members.take("after_ok"))
      if (flag_of(*chained, "after_ok")) raw.must |= STILE_MUST_AFTER_OK;
    if (kind == STILE_OP_RECEIVE)
      if (const json::value* again = members.take("again"))
        if (flag_of(*again, "again")) raw.must |= STILE_MUST_AGAIN;
    Decoder decoder(*op);
    decoder.read(*request_of(kind), members, op->request<void>());
    members.finish();
    if (!decoder.missing_.empty()) throw BadRequest{Status::invalid, decoder.missing_};
  } catch (BadRequest& bad) {
    bad.text = std::string(op_name(kind)) + ": " + bad.text;
    throw;
  }
  op->keep();
  return op;
}

std::unique_ptr<Op> Op::decode(const json::object& line) { return Decoder::decode(line); }

}  // namespace stile::codec
