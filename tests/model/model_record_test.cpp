// The model on records, the inbox and effects: contract B, I, E.
//
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "dialogue.hpp"

namespace stile::conformance::model {
namespace {

std::string supply(std::string_view key, std::string_view value, char digit) {
  return "{'op':'supply','workflow':'w','key':'" + std::string(key) + "','value':'" + std::string(value) +
         "','op_id':'" + op(digit) + "'}";
}
std::string append(std::string_view more, char digit) {
  return "{'op':'append','workflow':'w','value':'x'" + std::string(more) + ",'op_id':'" + op(digit) + "'}";
}

TEST(ModelRecord, TheFirstWriteWins) {
  Dialogue talk;
  talk.lawful(supply("a", "x", '1'), "{'status':'ok','value':'x','first':true,'position':1,'written_at':1000000}");
  talk.pass(5);
  talk.broken("B2", supply("a", "y", '2'),
              "{'status':'ok','value':'x','first':true,'position':1,'written_at':1000000}");
  talk.broken("B1", supply("a", "y", '2'),
              "{'status':'ok','value':'y','first':false,'position':1,'written_at':1000000}");
  talk.broken("B1", supply("a", "y", '2'),
              "{'status':'ok','value':'x','first':false,'position':1,'written_at':1000005}");
  talk.lawful(supply("a", "y", '2'), "{'status':'ok','value':'x','first':false,'position':1,'written_at':1000000}");
  talk.lawful(supply("a", "x", '3'), "{'status':'ok','value':'x','first':true,'position':1,'written_at':1000000}");
  talk.broken("B3", supply("b", "y", '4'),
              "{'status':'ok','value':'y','first':true,'position':3,'written_at':1000005}");
  talk.lawful(supply("b", "y", '4'), "{'status':'ok','value':'y','first':true,'position':2,'written_at':1000005}");
}

TEST(ModelRecord, PagesHaveNoGapAndMoreIsExact) {
  Dialogue talk;
  talk.lawful(supply("a", "x", '1'), "{'status':'ok','value':'x','first':true,'position':1,'written_at':1000000}");
  talk.lawful(supply("b", "y", '2'), "{'status':'ok','value':'y','first':true,'position':2,'written_at':1000000}");
  const std::string a = "{'key':'a','value':'x','position':1,'written_at':1000000}";
  const std::string b = "{'key':'b','value':'y','position':2,'written_at':1000000}";
  talk.lawful("{'op':'load','workflow':'w'}", "{'status':'ok','records':[" + a + "," + b + "],'more':false}");
  talk.lawful("{'op':'load','workflow':'w'}", "{'status':'ok','records':[" + a + "],'more':true}");
  talk.broken("B6", "{'op':'load','workflow':'w'}", "{'status':'ok','records':[" + a + "],'more':false}");
  talk.broken("B6", "{'op':'load','workflow':'w'}", "{'status':'ok','records':[],'more':true}");
  talk.broken("B3", "{'op':'load','workflow':'w'}", "{'status':'ok','records':[" + b + "],'more':false}");
  talk.broken("B6", "{'op':'load','workflow':'w','max_bytes':3}",
              "{'status':'ok','records':[" + a + "," + b + "],'more':false}");
  talk.lawful("{'op':'load','workflow':'w','after':1}", "{'status':'ok','records':[" + b + "],'more':false}");
  talk.lawful("{'op':'load','workflow':'w','key':'b','after':9}", "{'status':'ok','records':[" + b + "],'more':false}");
  talk.broken("B1", "{'op':'load','workflow':'w','after':1}",
              "{'status':'ok','records':[{'key':'b','value':'z','position':2,'written_at':1000000}],'more':false}");
}

TEST(ModelRecord, AMessageIdIsThereOnce) {
  Dialogue talk;
  const std::string key = "inbox:00000000000000000001";
  talk.broken("I1", append(",'message_id':'m'", '1'), "{'status':'ok','key':'inbox:1','position':1,'duplicate':false}");
  talk.lawful(append(",'message_id':'m'", '1'), "{'status':'ok','key':'" + key + "','position':1,'duplicate':false}");
  talk.broken("R1", append(",'message_id':'m'", '1'),
              "{'status':'ok','key':'" + key + "','position':1,'duplicate':true}");
  talk.lawful(append(",'message_id':'m'", '1'), "{'status':'ok','key':'" + key + "','position':1,'duplicate':false}");
  talk.broken("I3", append(",'message_id':'m'", '2'),
              "{'status':'ok','key':'inbox:00000000000000000002','position':2,'duplicate':false}");
  talk.lawful(append(",'message_id':'m'", '2'), "{'status':'ok','key':'" + key + "','position':1,'duplicate':true}");
  talk.lawful(append("", '3'), "{'status':'ok','key':'inbox:00000000000000000002','position':2,'duplicate':false}");
  talk.lawful(append("", '3'), "{'status':'ok','key':'inbox:00000000000000000002','position':2,'duplicate':false}");
  talk.lawful(supply("inbox:x", "y", '4'), "{'status':'invalid'}");
  talk.broken("I1", supply("inbox:x", "y", '4'), "{'status':'ok','first':true,'position':3,'written_at':1000000}");
}

TEST(ModelRecord, AnOpIdNamesOneRequest) {
  Dialogue talk;
  talk.lawful(supply("a", "x", '1'), "{'status':'ok','value':'x','first':true,'position':1,'written_at':1000000}");
  talk.pass(9);
  talk.lawful(supply("a", "x", '1'), "{'status':'ok','value':'x','first':true,'position':1,'written_at':1000000}");
  const std::string record =
      "{'op':'record','workflow':'w','fence':null,'key':'a','value':'x','op_id':'" + op('1') + "'}";
  talk.broken("R1", record, "{'status':'fenced'}");
  talk.lawful(record, "{'status':'invalid'}");
}

TEST(ModelRecord, RebaseKeepsTheInboxAboveItsMark) {
  Dialogue talk;
  talk.lawful("{'op':'acquire','workflow':'w','ttl':100,'budget':300,'op_id':'" + op('1') + "'}",
              "{'status':'ok','fence':'" + fence(1, '1') + "','live_until':1000100,'budget_until':1000300}");
  talk.lawful(append(",'message_id':'m'", '2'),
              "{'status':'ok','key':'inbox:00000000000000000001','position':1,'duplicate':false}");
  talk.lawful(supply("a", "x", '3'), "{'status':'ok','value':'x','first':true,'position':2,'written_at':1000000}");
  talk.lawful(append(",'message_id':'n'", '4'),
              "{'status':'ok','key':'inbox:00000000000000000003','position':3,'duplicate':false}");
  const std::string rebase = "{'op':'rebase','workflow':'w','fence':'" + fence(1, '1') +
                             "','key':'base','value':'b','inbox_after':'inbox:00000000000000000001','op_id':'" +
                             op('5') + "'}";
  talk.broken("B11", rebase, "{'status':'ok','removed':3,'position':4,'written_at':1000000}");
  talk.broken("B4", rebase, "{'status':'ok','removed':2,'position':3,'written_at':1000000}");
  talk.lawful(rebase, "{'status':'ok','removed':2,'position':4,'written_at':1000000}");
  talk.lawful("{'op':'load','workflow':'w'}",
              "{'status':'ok','fence_number':1,'more':false,'records':[{'key':'inbox:00000000000000000003','value':'x',"
              "'position':3,'written_at':1000000},{'key':'base','value':'b','position':4,'written_at':1000000}]}");
  talk.lawful(append(",'message_id':'m'", '6'),
              "{'status':'ok','key':'inbox:00000000000000000001','position':1,'duplicate':true}");
}

TEST(ModelRecord, AnEffectRunsOnceAndUnderTheFence) {
  Dialogue talk;
  talk.lawful("{'op':'acquire','workflow':'w','ttl':100,'budget':300,'op_id':'" + op('1') + "'}",
              "{'status':'ok','fence':'" + fence(1, '1') + "','live_until':1000100,'budget_until':1000300}");
  auto transact = [](const std::string& fence, std::string_view language, char digit, std::string_view gives) {
    return "{'op':'transact','workflow':'w','key':'a','fence':'" + fence + "','effect':{'language':'" +
           std::string(language) + "','text':'t'},'gives':" + std::string(gives) + ",'op_id':'" + op(digit) + "'}";
  };
  talk.lawful(transact(fence(1, '2'), "lua", '2', "null"), "{'status':'unsupported'}");
  talk.lawful(transact(fence(1, '2'), "sql", '2', "'v'"), "{'status':'fenced'}");
  talk.lawful(transact(fence(1, '1'), "sql", '2', "null"), "{'status':'effect_failed'}");
  talk.broken("E1", transact(fence(1, '1'), "sql", '2', "'v'"),
              "{'status':'ok','ran':false,'value':'v','position':1,'written_at':1000000}");
  talk.lawful(transact(fence(1, '1'), "sql", '2', "'v'"),
              "{'status':'ok','ran':true,'value':'v','position':1,'written_at':1000000}");
  talk.broken("E2", transact(fence(1, '1'), "sql", '3', "'v'"),
              "{'status':'ok','ran':true,'value':'v','position':1,'written_at':1000000}");
  talk.lawful(transact(fence(1, '1'), "sql", '3', "'v'"),
              "{'status':'ok','ran':false,'value':'v','position':1,'written_at':1000000}");
}

}  // namespace
}  // namespace stile::conformance::model
