// The JSON library's parser with a builder of our own, stricter than the library's.
//
// SPDX-License-Identifier: Apache-2.0
#include "types/strict_json.hpp"

#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/value_stack.hpp>
#include <charconv>
#include <cmath>
#include <set>
#include <vector>

namespace stile::types {
namespace {

namespace json = boost::json;
using Code = json::error_code;

// Builds the value. What the library would let pass is refused here: a member twice, a number that is none; and doubles
// are read exactly, which the library of this version does not do.
class Builder {
 public:
  static constexpr std::size_t max_object_size = json::object::max_size();
  static constexpr std::size_t max_array_size = json::array::max_size();
  static constexpr std::size_t max_key_size = json::string::max_size();
  static constexpr std::size_t max_string_size = json::string::max_size();

  Builder() { stack_.reset(); }
  json::value release() { return stack_.release(); }
  const std::string& duplicate() const { return duplicate_; }
  bool found() const { return found_; }

  bool on_document_begin(Code&) { return true; }
  bool on_document_end(Code&) { return true; }
  bool on_object_begin(Code&) {
    open_.emplace_back();
    return true;
  }
  bool on_object_end(std::size_t members, Code&) {
    open_.pop_back();
    stack_.push_object(members);
    return true;
  }
  bool on_array_begin(Code&) { return true; }
  bool on_array_end(std::size_t elements, Code&) {
    stack_.push_array(elements);
    return true;
  }
  bool on_key_part(json::string_view part, std::size_t, Code&) {
    key_.append(part.data(), part.size());
    stack_.push_chars(part);
    return true;
  }
  bool on_key(json::string_view part, std::size_t, Code& error) {
    key_.append(part.data(), part.size());
    if (!open_.back().insert(key_).second) {
      found_ = true;
      duplicate_ = key_;
      error = json::error::syntax;
      return false;
    }
    key_.clear();
    stack_.push_key(part);
    return true;
  }
  bool on_string_part(json::string_view part, std::size_t, Code&) {
    stack_.push_chars(part);
    return true;
  }
  bool on_string(json::string_view part, std::size_t, Code&) {
    stack_.push_string(part);
    return true;
  }
  bool on_number_part(json::string_view part, Code&) {
    number_.append(part.data(), part.size());
    return true;
  }
  bool on_int64(std::int64_t number, json::string_view, Code&) {
    number_.clear();
    stack_.push_int64(number);
    return true;
  }
  bool on_uint64(std::uint64_t number, json::string_view, Code&) {
    number_.clear();
    stack_.push_uint64(number);
    return true;
  }
  bool on_double(double about, json::string_view part, Code& error) {
    number_.append(part.data(), part.size());
    double number = about;
    auto read = std::from_chars(number_.data(), number_.data() + number_.size(), number);
    // Too small to be told from 0 is 0; too large is no number here.
    if (read.ec == std::errc::result_out_of_range && std::abs(about) < 1)
      number = std::copysign(0.0, about);
    else if (read.ec != std::errc() || !std::isfinite(number))
      error = json::error::exponent_overflow;
    number_.clear();
    if (!error) stack_.push_double(number);
    return !error;
  }
  bool on_bool(bool value, Code&) {
    stack_.push_bool(value);
    return true;
  }
  bool on_null(Code&) {
    stack_.push_null();
    return true;
  }
  bool on_comment_part(json::string_view, Code&) { return true; }
  bool on_comment(json::string_view, Code&) { return true; }

 private:
  json::value_stack stack_;
  std::vector<std::set<std::string>> open_;  // the members of every object that is not closed yet
  std::string key_, number_, duplicate_;
  bool found_ = false;
};

}  // namespace

std::string BadJson::place(std::string_view json) const {
  std::size_t line = 1, start = 0;
  for (std::size_t i = 0; i < offset && i < json.size(); ++i) {
    if (json[i] == '\n') {
      ++line;
      start = i + 1;
    }
  }
  return "line " + std::to_string(line) + ", column " + std::to_string(offset - start + 1);
}

json::value parse_json(std::string_view text, std::size_t depth) {
  json::parse_options options;
  options.max_depth = depth;
  json::basic_parser<Builder> parser(options);
  Code error;
  std::size_t read = parser.write_some(false, text.data(), text.size(), error);
  if (parser.handler().found())
    throw BadJson{"the member \"" + parser.handler().duplicate() + "\" stands here twice", read};
  if (!error && read < text.size()) throw BadJson{"something follows the end of the value", read};
  if (error) throw BadJson{error.message(), read};
  return parser.handler().release();
}

}  // namespace stile::types
