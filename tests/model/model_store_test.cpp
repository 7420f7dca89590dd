// The model on documents, trim, stats and real time: contract K, T, S.
//
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "dialogue.hpp"

namespace stile::conformance::model {
namespace {

std::string put(std::string_view more, char digit) {
  return "{'op':'put','key':'d','value':'x'" + std::string(more) + ",'op_id':'" + op(digit) + "'}";
}
std::string erase(std::string_view more, char digit) {
  return "{'op':'erase','key':'d'" + std::string(more) + ",'op_id':'" + op(digit) + "'}";
}

TEST(ModelDocument, AConditionIsRefusedWithWhatIsThere) {
  Dialogue talk;
  talk.lawful(put(",'if':'7'", '0'), "{'status':'conflict'}");
  talk.broken("K2", put(",'if':'7'", '0'), "{'status':'conflict','version':'7','value':''}");
  talk.lawful(put(",'if':'absent'", '1'), "{'status':'ok','version':'1'}");
  talk.broken("K1", put(",'if':'absent'", '2'), "{'status':'ok','version':'2'}");
  talk.lawful(put(",'if':'absent'", '2'), "{'status':'conflict','version':'1','value':'x'}");
  talk.broken("K2", put(",'if':'1'", '3'), "{'status':'ok','version':'1'}");
  talk.lawful(put(",'if':'1'", '3'), "{'status':'ok','version':'4'}");
  talk.lawful(put(",'if':'1'", '4'), "{'status':'conflict','version':'4','value':'x'}");
  talk.lawful(erase(",'if':'absent'", '5'), "{'status':'invalid'}");
}

TEST(ModelDocument, ItIsGoneAtItsExpiryForEverything) {
  Dialogue talk;
  talk.lawful(put(",'ttl':100", '1'), "{'status':'ok','version':'1'}");
  talk.lawful("{'op':'get','key':'d'}", "{'status':'ok','value':'x','version':'1','expires_at':1000100}");
  talk.pass(50);
  talk.lawful(put(",'ttl':'keep'", '2'), "{'status':'ok','version':'2'}");
  talk.pass(49);
  talk.broken("K4", "{'op':'get','key':'d'}", "{'status':'not_found'}");
  talk.pass(1);
  talk.broken("K4", "{'op':'get','key':'d'}", "{'status':'ok','value':'x','version':'2','expires_at':1000100}");
  talk.lawful("{'op':'get','key':'d'}", "{'status':'not_found'}");
  talk.broken("K7", "{'op':'scan','prefix':''}", "{'status':'ok','documents':[{'key':'d','version':'2'}]}");
  talk.lawful("{'op':'scan','prefix':''}", "{'status':'ok','documents':[]}");
  talk.broken("K2", put(",'if':'absent'", '3'), "{'status':'ok','version':'1'}");
  talk.lawful(put(",'if':'absent'", '3'), "{'status':'ok','version':'3'}");
}

TEST(ModelDocument, TheLastEightAreRemembered) {
  Dialogue talk;
  talk.lawful(put("", '1'), "{'status':'ok','version':'1'}");
  talk.lawful(erase("", '2'), "{'status':'ok','removed':true}");
  talk.broken("K3", put("", '1'), "{'status':'ok','version':'2'}");
  talk.lawful(put("", '1'), "{'status':'ok','version':'1'}");
  talk.lawful("{'op':'get','key':'d'}", "{'status':'not_found'}");
  talk.lawful(erase("", '1'), "{'status':'invalid'}");
  for (char digit : {'3', '4', '5', '6', '7', '8', '9'}) {
    talk.lawful(put("", digit), std::string("{'status':'ok','version':'v") + digit + "'}");
  }
  talk.lawful(erase("", '2'), "{'status':'ok','removed':true}");
  talk.open(put("", '1'));
}

TEST(ModelTrim, OnlyWhatIsFinishedAndUntouchedGoes) {
  Dialogue talk;
  for (const char* id : {"a", "b"}) {
    std::string workflow(id);
    talk.lawful("{'op':'enqueue','workflow':'" + workflow + "','op_id':'" + op('1') + "'}",
                "{'status':'ok','state':'ready','visible_at':" + std::to_string(talk.now()) + "}");
    talk.lawful("{'op':'receive','lease':500,'op_id':'" + op(id[0]) + "'}",
                "{'status':'ok','store_time':" + std::to_string(talk.now()) + ",'deliveries':[{'workflow':'" +
                    workflow + "','queue':'','receipt':'" + workflow +
                    "','delivery_count':1,'visible_at':" + std::to_string(talk.now() + 500) + "}]}");
    talk.lawful("{'op':'ack','receipt':'" + workflow + "','finished':true,'op_id':'" + op('3') + "'}",
                "{'status':'ok','requeued':false}");
    talk.pass(100);
  }
  talk.broken("T1", "{'op':'trim','older_than':150}", "{'status':'ok','removed':2,'more':false}");
  talk.broken("T2", "{'op':'trim','older_than':150}", "{'status':'ok','removed':0,'more':false}");
  talk.lawful("{'op':'trim','older_than':150}", "{'status':'ok','removed':1,'more':false}");
  talk.broken("S4", "{'op':'list'}", "{'status':'ok','workflows':[]}");
  talk.lawful("{'op':'list'}",
              "{'status':'ok','workflows':[{'workflow':'b','queue':'','state':'finished','finished':true,"
              "'finished_at':1000100}]}");
  talk.lawful("{'op':'stats'}", "{'status':'ok','workflows':1,'finished':1}");
  talk.broken("S4", "{'op':'stats'}", "{'status':'ok','workflows':2,'finished':1}");
}

}  // namespace
}  // namespace stile::conformance::model
