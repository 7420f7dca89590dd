// A first look for duplicate members, which the JSON library lets pass, then the library's own reading.
//
// SPDX-License-Identifier: Apache-2.0
#include "types/strict_json.hpp"

#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/parse.hpp>
#include <cmath>
#include <set>
#include <vector>

namespace stile::types {
namespace {

namespace json = boost::json;
using Code = json::error_code;

// Keeps the members seen of every object that is open, and nothing else.
class Duplicates {
 public:
  static constexpr std::size_t max_object_size = json::object::max_size();
  static constexpr std::size_t max_array_size = json::array::max_size();
  static constexpr std::size_t max_key_size = json::string::max_size();
  static constexpr std::size_t max_string_size = json::string::max_size();

  const std::string& duplicate() const { return duplicate_; }
  bool found() const { return found_; }

  bool on_document_begin(Code&) { return true; }
  bool on_document_end(Code&) { return true; }
  bool on_object_begin(Code&) {
    open_.emplace_back();
    return true;
  }
  bool on_object_end(std::size_t, Code&) {
    open_.pop_back();
    return true;
  }
  bool on_array_begin(Code&) { return true; }
  bool on_array_end(std::size_t, Code&) { return true; }
  bool on_key_part(json::string_view part, std::size_t, Code&) {
    key_.append(part.data(), part.size());
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
    return true;
  }
  bool on_string_part(json::string_view, std::size_t, Code&) { return true; }
  bool on_string(json::string_view, std::size_t, Code&) { return true; }
  bool on_number_part(json::string_view, Code&) { return true; }
  bool on_int64(std::int64_t, json::string_view, Code&) { return true; }
  bool on_uint64(std::uint64_t, json::string_view, Code&) { return true; }
  bool on_double(double number, json::string_view, Code& error) {
    if (!std::isfinite(number)) error = json::error::exponent_overflow;
    return !error;
  }
  bool on_bool(bool, Code&) { return true; }
  bool on_null(Code&) { return true; }
  bool on_comment_part(json::string_view, Code&) { return true; }
  bool on_comment(json::string_view, Code&) { return true; }

 private:
  std::vector<std::set<std::string>> open_;
  std::string key_, duplicate_;
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
  json::basic_parser<Duplicates> parser(options);
  Code error;
  std::size_t read = parser.write_some(false, text.data(), text.size(), error);
  if (parser.handler().found())
    throw BadJson{"the member \"" + parser.handler().duplicate() + "\" stands here twice", read};
  if (!error && read < text.size()) throw BadJson{"something follows the end of the value", read};
  if (error) throw BadJson{error.message(), read};
  json::value value = json::parse(json::string_view(text.data(), text.size()), error, {}, options);
  if (error) throw BadJson{error.message(), read};
  return value;
}

}  // namespace stile::types
