// The parts of the value mapping that know no type: exact JSON text, UTF-8, numbers, places in a value.
//
// SPDX-License-Identifier: Apache-2.0
#include <boost/json/serialize.hpp>
#include <charconv>

#include "codec/text.hpp"
#include "stile/codec.hpp"
#include "types/strict_json.hpp"

namespace stile {
inline namespace v1 {
namespace detail {

std::string At::text() const {
  std::string path = up ? up->text() : std::string();
  if (!up) return path;
  if (member.data() == nullptr) return path + "[" + std::to_string(index) + "]";
  return path + (path.empty() ? "" : ".") + std::string(member);
}

void fail_value(const At& at, std::string_view what) {
  std::string place = at.text();
  throw ValueError((place.empty() ? "" : place + ": ") + std::string(what));
}

json::value parse_json(std::string_view text) {
  constexpr std::size_t most_levels = 200;
  try {
    return types::parse_json(text, most_levels);
  } catch (const types::BadJson& bad) {
    throw ValueError("no JSON at byte " + std::to_string(bad.offset) + ": " + bad.text);
  }
}

std::string write_json(const json::value& value) { return json::serialize(value); }

bool is_utf8(std::string_view text) { return codec::is_utf8(text); }

void check_text(std::string_view text, const At& at) {
  if (!is_utf8(text)) fail_value(at, "text that is not UTF-8: say stile::Blob for bytes");
}

std::string to_base64(std::string_view bytes) { return codec::to_base64(bytes); }

std::optional<std::string> from_base64(std::string_view text) { return codec::from_base64(text); }

std::int64_t read_integer(const json::value& value, const At& at) {
  if (value.is_int64()) return value.get_int64();
  if (value.is_uint64()) fail_value(at, "a number out of range");
  if (value.is_double()) {
    double d = value.get_double();
    if (std::trunc(d) == d && d >= -0x1p53 && d <= 0x1p53) return static_cast<std::int64_t>(d);
  }
  fail_value(at, "no whole number");
}

std::uint64_t read_unsigned(const json::value& value, const At& at) {
  if (value.is_uint64()) return value.get_uint64();
  std::int64_t read = read_integer(value, at);
  if (read < 0) fail_value(at, "a number out of range");
  return static_cast<std::uint64_t>(read);
}

double read_double(const json::value& value, const At& at) {
  if (value.is_double()) return value.get_double();
  if (value.is_int64()) return static_cast<double>(value.get_int64());
  if (value.is_uint64()) return static_cast<double>(value.get_uint64());
  fail_value(at, "no number");
}

const json::string& read_text(const json::value& value, const At& at) {
  if (!value.is_string()) fail_value(at, "no text");
  return value.get_string();
}

const json::array& read_array(const json::value& value, const At& at) {
  if (!value.is_array()) fail_value(at, "no array");
  return value.get_array();
}

const json::object& read_object(const json::value& value, const At& at) {
  if (!value.is_object()) fail_value(at, "no object");
  return value.get_object();
}

void fail_enum(const At& at, std::string_view got, std::string_view names) {
  fail_value(at, "\"" + std::string(got) + "\" is none of " + std::string(names));
}

void fail_codec(char wanted, std::string_view stored) {
  if (stored.size() < 2) throw ValueError("a stored value of less than two bytes");
  if (stored[1] != static_cast<char>(Form::value)) throw ValueError("what is stored is no value");
  throw ValueError("stored by codec '" + std::string(1, stored[0]) + "', and this type is read by '" +
                   std::string(1, wanted) + "'");
}

}  // namespace detail
}  // namespace v1
}  // namespace stile
