// The tables of members: complete, in place, and in agreement with the description of `stile call`.
//
// SPDX-License-Identifier: Apache-2.0
#include "codec/fields.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <vector>

#include "codec/op.hpp"

namespace {

using namespace stile::codec;

// There is no padding in the ABI (pins.h), so members that follow each other without a gap up to the end are all.
TEST(Fields, CoverEveryByteOfEveryStruct) {
  std::size_t seen = 0;
  for (const Struct& one : structs()) {
    std::size_t end = 0;
    for (const Field& field : one.fields) {
      EXPECT_EQ(field.offset, end) << one.name << "." << field.member;
      end = field.offset + field.size;
      ++seen;
    }
    EXPECT_EQ(end, one.size) << one.name;
  }
  EXPECT_GT(seen, 300u);
}

TEST(Fields, CoverTheStructsOfEveryOperation) {
  std::size_t results = 0;
#define STILE_CHECK_OP(NAME, value, op, traits)                                      \
  ASSERT_TRUE(request_of(value)) << #op;                                             \
  EXPECT_EQ(request_of(value)->size, sizeof(stile_##op##_request));                  \
  EXPECT_EQ(result_of(value) != nullptr, ((traits)&STILE_TRAIT_RESULT) != 0) << #op; \
  EXPECT_EQ(traits_of(value), (traits));                                             \
  EXPECT_EQ(op_name(value), #op);                                                    \
  EXPECT_EQ(op_kind(#op), value);                                                    \
  results += result_of(value) != nullptr;
  STILE_OP_TABLE(STILE_CHECK_OP)
#undef STILE_CHECK_OP
  EXPECT_EQ(results, STILE_OP_COUNT - 2u);  // release and request_cancel have none
  EXPECT_EQ(request_of(0), nullptr);
  EXPECT_EQ(request_of(STILE_OP_COUNT + 1), nullptr);
  EXPECT_EQ(op_name(99), "");
  EXPECT_EQ(op_kind("nope"), 0u);
}

TEST(Fields, HaveTheTypeThatTheirFormSays) {
#define STILE_CHECK_TYPE(form, type, written) sizes[Form::form] = sizeof(type);
  std::map<Form, std::size_t> sizes;
  STILE_FORM_TABLE(STILE_CHECK_TYPE)
#undef STILE_CHECK_TYPE
  for (const Struct& one : structs())
    for (const Field& field : one.fields) EXPECT_EQ(field.size, sizes[field.form]) << one.name << "." << field.member;
}

TEST(Fields, FlagTheirPresence) {
  std::size_t flags = 0, flagged = 0;
  for (const Struct& one : structs()) {
    for (const Field& field : one.fields) {
      flags += field.form == Form::presence;
      flagged += field.presence != Field::none;
    }
  }
  EXPECT_EQ(flags, flagged);
  EXPECT_EQ(find_struct("renew_request")->member("budget")->presence, offsetof(stile_renew_request, has_budget));
  EXPECT_EQ(find_struct("renew_request")->member("ttl")->presence, Field::none);
}

TEST(Fields, EndListsWithTheirLength) {
  const std::set<Form> lists{Form::bytes_list, Form::text_list, Form::values, Form::watched, Form::changed};
  for (const Struct& one : structs()) {
    for (std::size_t i = 0; i < one.fields.size(); ++i) {
      if (!lists.contains(one.fields[i].form)) continue;
      EXPECT_TRUE(i + 1 < one.fields.size() && one.fields[i + 1].form == Form::length) << one.name;
    }
  }
}

// --- against members.txt ---

using Words = std::multiset<std::string>;

void tell(const Struct& description, Words& words, bool in);

std::string inner(const Struct& description, bool in) {
  Words words;
  tell(description, words, in);
  std::string text = "{";
  for (const std::string& word : words) text += (text.size() > 1 ? " " : "") + word;
  return text + "}";
}

std::string word_of(const Field& field, const Struct& description, bool in) {
  std::string text(field.name);
  if (field.form == Form::effect) text += inner(effect_struct, in);
  if (field.form == Form::watched) text += inner(watched_struct, in);
  bool nested = description.name.ends_with("_result");
  if (nested && element_of(field.form)) text += inner(*element_of(field.form), in);
  if (field.form == Form::group) {
    Words words;
    for (const Field& one : description.fields) {
      if (!one.name.starts_with(text + ".")) continue;
      std::string name(one.name.substr(text.size() + 1));
      words.insert(one.has(STILE_FIELD_REQUIRED) ? name : "[" + name + "]");
    }
    std::string list;
    for (const std::string& word : words) list += (list.empty() ? "" : " ") + word;
    text += "{" + list + "}";
  }
  bool optional = in && (!field.has(STILE_FIELD_REQUIRED) || field.has(STILE_FIELD_WITH_FENCE));
  return optional ? "[" + text + "]" : text;
}

void tell(const Struct& description, Words& words, bool in) {
  for (const Field& field : description.fields) {
    if (field.form == Form::answer) tell(answer_struct, words, in);
    if (field.form == Form::enqueue_inline) tell(enqueue_struct, words, in);
    if (field.name.empty() || field.name.find('.') != std::string_view::npos) continue;
    if (!in && field.has(STILE_FIELD_NOT_ON_OK)) continue;
    words.insert(word_of(field, description, in));
  }
}

// Splits at blanks outside braces, and sorts within braces: order says nothing in JSON.
Words split(std::string_view text) {
  Words words;
  std::string word;
  int depth = 0;
  auto finish = [&] {
    if (auto brace = word.find('{'); brace != std::string::npos) {
      auto close = word.rfind('}');
      std::string list;
      for (const std::string& one : split(std::string_view(word).substr(brace + 1, close - brace - 1)))
        list += (list.empty() ? "" : " ") + one;
      word = word.substr(0, brace + 1) + list + word.substr(close);
    }
    if (!word.empty()) words.insert(word);
    word.clear();
  };
  for (char c : text) {
    depth += c == '{' ? 1 : c == '}' ? -1 : 0;
    if (c == ' ' && depth == 0)
      finish();
    else
      word += c;
  }
  finish();
  return words;
}

Words otherwise(const Struct* result, std::uint32_t trait) {
  Words words;
  if (result)
    for (const Field& field : result->fields)
      if (field.has(trait)) words.insert(std::string(field.name));
  return words;
}

TEST(Fields, AgreeWithTheDescriptionOfCall) {
  std::ifstream file(STILE_TEST_DATA "/members.txt");
  std::set<std::string> seen;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::vector<std::string> parts;
    std::istringstream stream(line + " ");
    for (std::string part; std::getline(stream, part, '|');) {
      // A bar without blanks around it belongs to a word.
      bool joined = !parts.empty() && !parts.back().empty() && parts.back().back() != ' ';
      if (joined)
        parts.back() += "|" + part;
      else
        parts.push_back(part);
    }
    ASSERT_EQ(parts.size(), 4u) << line;
    std::string op = *split(parts[0]).begin();
    std::uint32_t kind = op_kind(op);
    ASSERT_NE(kind, 0u) << op;
    seen.insert(op);

    Words in;
    tell(*request_of(kind), in, true);
    if (traits_of(kind) & STILE_TRAIT_OP_ID) in.insert("[op_id]");
    if (kind == STILE_OP_RECEIVE) in.insert("[again]");
    EXPECT_EQ(in, split(parts[1])) << op;

    Words out;
    if (result_of(kind)) tell(*result_of(kind), out, false);
    EXPECT_EQ(out, split(parts[2])) << op;

    auto colon = parts[3].find(':');
    Words rest = colon == std::string::npos ? Words{} : split(std::string_view(parts[3]).substr(colon + 1));
    bool held = parts[3].find("held:") != std::string::npos;
    EXPECT_EQ(otherwise(result_of(kind), STILE_FIELD_ON_HELD), held ? rest : Words{}) << op;
    EXPECT_EQ(otherwise(result_of(kind), STILE_FIELD_ON_CONFLICT), held ? Words{} : rest) << op;
  }
  EXPECT_EQ(seen.size(), static_cast<std::size_t>(STILE_OP_COUNT));
}

}  // namespace
