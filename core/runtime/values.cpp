// The parts of the value mapping that know no type: exact JSON text, UTF-8, numbers, places in a value.
//
// SPDX-License-Identifier: Apache-2.0
#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value_stack.hpp>
#include <charconv>

#include "stile/codec.hpp"

namespace stile {
inline namespace v1 {
namespace detail {
namespace {

// Boost.JSON's own parser rounds some doubles to a neighbour. This one takes their text and reads it exactly.
struct ExactHandler {
  static constexpr std::size_t max_object_size = std::size_t(-1);
  static constexpr std::size_t max_array_size = std::size_t(-1);
  static constexpr std::size_t max_key_size = std::size_t(-1);
  static constexpr std::size_t max_string_size = std::size_t(-1);

  json::value_stack stack;
  std::string number;

  using Text = json::string_view;
  using Ec = json::error_code;

  bool on_document_begin(Ec&) { return stack.reset(), true; }
  bool on_document_end(Ec&) { return true; }
  bool on_object_begin(Ec&) { return true; }
  bool on_object_end(std::size_t n, Ec&) { return stack.push_object(n), true; }
  bool on_array_begin(Ec&) { return true; }
  bool on_array_end(std::size_t n, Ec&) { return stack.push_array(n), true; }
  bool on_key_part(Text s, std::size_t, Ec&) { return stack.push_chars(s), true; }
  bool on_key(Text s, std::size_t, Ec&) { return stack.push_key(s), true; }
  bool on_string_part(Text s, std::size_t, Ec&) { return stack.push_chars(s), true; }
  bool on_string(Text s, std::size_t, Ec&) { return stack.push_string(s), true; }
  bool on_number_part(Text s, Ec&) { return number.append(s.data(), s.size()), true; }
  bool on_int64(std::int64_t i, Text, Ec&) { return number.clear(), stack.push_int64(i), true; }
  bool on_uint64(std::uint64_t u, Text, Ec&) { return number.clear(), stack.push_uint64(u), true; }
  bool on_double(double rounded, Text s, Ec&) {
    number.append(s.data(), s.size());
    double exact = rounded;
    std::from_chars(number.data(), number.data() + number.size(), exact);
    number.clear();
    return stack.push_double(exact), true;
  }
  bool on_bool(bool b, Ec&) { return stack.push_bool(b), true; }
  bool on_null(Ec&) { return stack.push_null(), true; }
  bool on_comment_part(Text, Ec&) { return true; }
  bool on_comment(Text, Ec&) { return true; }
};

constexpr char base64_digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

int base64_digit(char c) {
  std::string_view digits(base64_digits, 64);
  auto at = digits.find(c);
  return at == std::string_view::npos ? -1 : static_cast<int>(at);
}

/// The length of the well-formed UTF-8 sequence that begins there, or 0.
std::size_t utf8_sequence(const unsigned char* p, std::size_t left) {
  auto follows = [&](std::size_t i, unsigned low = 0x80, unsigned high = 0xBF) {
    return i < left && p[i] >= low && p[i] <= high;
  };
  unsigned char lead = p[0];
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return follows(1) ? 2 : 0;
  if (lead == 0xE0) return follows(1, 0xA0) && follows(2) ? 3 : 0;
  if (lead == 0xED) return follows(1, 0x80, 0x9F) && follows(2) ? 3 : 0;  // no surrogates
  if (lead >= 0xE1 && lead <= 0xEF) return follows(1) && follows(2) ? 3 : 0;
  if (lead == 0xF0) return follows(1, 0x90) && follows(2) && follows(3) ? 4 : 0;
  if (lead >= 0xF1 && lead <= 0xF3) return follows(1) && follows(2) && follows(3) ? 4 : 0;
  if (lead == 0xF4) return follows(1, 0x80, 0x8F) && follows(2) && follows(3) ? 4 : 0;
  return 0;
}

}  // namespace

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
  json::parse_options options;
  options.max_depth = 200;
  json::basic_parser<ExactHandler> parser(options);
  json::error_code error;
  std::size_t read = parser.write_some(false, text.data(), text.size(), error);
  if (!error && read < text.size()) error = json::make_error_code(json::error::extra_data);
  if (error) throw ValueError("no JSON at byte " + std::to_string(read) + ": " + error.message());
  return parser.handler().stack.release();
}

std::string write_json(const json::value& value) { return json::serialize(value); }

bool is_utf8(std::string_view text) {
  auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
  for (std::size_t i = 0; i < text.size();) {
    std::size_t length = utf8_sequence(bytes + i, text.size() - i);
    if (length == 0) return false;
    i += length;
  }
  return true;
}

void check_text(std::string_view text, const At& at) {
  if (!is_utf8(text)) fail_value(at, "text that is not UTF-8: say stile::Blob for bytes");
}

std::string to_base64(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    for (std::size_t k = 0; k < 3; ++k)
      group = group << 8 | (k < count ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    for (std::size_t k = 0; k < 4; ++k) text += k <= count ? base64_digits[group >> (18 - 6 * k) & 63] : '=';
  }
  return text;
}

std::optional<std::string> from_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); i += 4) {
    std::size_t padding = 0;
    if (i + 4 == text.size()) padding = text.ends_with("==") ? 2 : text.ends_with("=") ? 1 : 0;
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 4; ++k) {
      int digit = k >= 4 - padding ? 0 : base64_digit(text[i + k]);
      if (digit < 0) return std::nullopt;
      group = group << 6 | static_cast<std::uint32_t>(digit);
    }
    for (std::size_t k = 0; k < 3 - padding; ++k) bytes += static_cast<char>(group >> (16 - 8 * k) & 255);
    if (padding && (group & (padding == 2 ? 0xFFFFu : 0xFFu))) return std::nullopt;
  }
  return bytes;
}

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
