// Reading a list to its end, page by page, and holding each page to what the contract says of pages (B6, K7, T5).
//
// SPDX-License-Identifier: Apache-2.0
#include "dialogue/pages.hpp"

#include "codec/op.hpp"

namespace stile::conformance {
namespace {

constexpr int most_pages = 100'000;
/// `more` with nothing handed out is lawful for a while (D9), not for ever.
constexpr int most_empty_pages = 1000;

struct Reading {
  std::string_view list;  ///< the member that holds it
  std::string_view name;  ///< the member of an element that rises
};

Reading reading_of(std::string_view op) {
  if (op == "load") return {"records", "position"};
  if (op == "list") return {"workflows", "workflow"};
  if (op == "scan") return {"documents", "key"};
  if (op == "receive") return {"deliveries", ""};
  return {"", ""};
}

bool is_true(const json::object& object, std::string_view member) {
  const json::value* value = object.if_contains(member);
  return value && value->is_bool() && value->get_bool();
}

bool rises(const json::value& before, const json::value& after) {
  if (before.is_int64() && after.is_int64()) return before.get_int64() < after.get_int64();
  return codec::bytes_from_json(before, "key") < codec::bytes_from_json(after, "key");
}

/// What is wrong with this page, seen alone and after the one before it.
std::string fault_of(const json::array& page, const json::array& all, const Reading& reading,
                     const json::object& request) {
  const json::value* limit = request.if_contains("limit");
  if (limit && limit->is_int64() && page.size() > static_cast<std::uint64_t>(limit->get_int64()))
    return "a page of " + std::to_string(page.size()) + " elements is over its limit";
  if (reading.name.empty()) return {};
  const json::value* last = all.empty() ? nullptr : &all.back().at(reading.name);
  for (const json::value& element : page) {
    const json::value& name = element.at(reading.name);
    if (last && !rises(*last, name))
      return json::serialize(name) + " comes after " + json::serialize(*last) + ": repeated, or out of order";
    last = &name;
  }
  return {};
}

/// The request of the next page; false at the end.
bool go_on(json::object& request, const json::object& answer, const json::array& page, std::string_view op,
           std::string& fault) {
  if (op == "receive") return !page.empty() || is_true(answer, "more");
  if (op == "trim") return is_true(answer, "more");
  if (op == "load") {
    if (!is_true(answer, "more")) return false;
    if (page.empty()) fault = "more is true and no record was given (B6)";
    if (fault.empty()) request["after"] = page.back().at("position");
    return fault.empty();
  }
  const json::value* next = answer.if_contains("next");
  if (!next) return false;
  const json::value* after = request.if_contains("after");
  if (after && *after == *next) fault = "next is the after that was asked with: this never ends";
  request["after"] = *next;
  return fault.empty();
}

}  // namespace

Paged all_pages(Client& client, json::object request) {
  Paged paged;
  std::string op(request.at("op").as_string());
  Reading reading = reading_of(op);
  json::array all;
  std::int64_t removed = 0, pages = 0;
  for (int empty = 0; pages < most_pages && empty < most_empty_pages;) {
    paged.answer = client.call(request);
    if (paged.answer.at("status") != "ok") return paged;
    ++pages;
    json::array page;
    if (!reading.list.empty()) page = paged.answer.at(reading.list).as_array();
    paged.fault = fault_of(page, all, reading, request);
    if (!paged.fault.empty()) return paged;
    if (op == "trim") removed += paged.answer.at("removed").to_number<std::int64_t>();
    bool more = go_on(request, paged.answer, page, op, paged.fault);
    empty = page.empty() ? empty + 1 : 0;
    all.insert(all.end(), page.begin(), page.end());
    if (!paged.fault.empty()) return paged;
    if (more) continue;
    if (!reading.list.empty()) paged.answer[reading.list] = std::move(all);
    if (op == "trim") paged.answer["removed"] = removed;
    paged.answer["pages"] = pages;
    return paged;
  }
  paged.fault = "the pages do not come to an end";
  return paged;
}

}  // namespace stile::conformance
