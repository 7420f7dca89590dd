// The model on wakeups, deliveries and cancel: contract W, D, C.
//
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "dialogue.hpp"

namespace stile::conformance::model {
namespace {

std::string enqueue(std::string_view workflow, std::string_view more, char digit) {
  return "{'op':'enqueue','workflow':'" + std::string(workflow) + "'" + std::string(more) + ",'op_id':'" + op(digit) +
         "'}";
}
std::string receive(std::string_view more, char digit) {
  return "{'op':'receive','lease':500" + std::string(more) + ",'op_id':'" + op(digit) + "'}";
}
std::string delivered(const Dialogue& talk, std::string_view workflow, std::string_view receipt, int count,
                      std::string_view more = "") {
  return "{'workflow':'" + std::string(workflow) + "','queue':'','receipt':'" + std::string(receipt) +
         "','delivery_count':" + std::to_string(count) + ",'visible_at':" + std::to_string(talk.now() + 500) +
         std::string(more) + "}";
}
std::string handed(const Dialogue& talk, const std::string& deliveries) {
  return "{'status':'ok','store_time':" + std::to_string(talk.now()) + ",'deliveries':[" + deliveries + "]}";
}
std::string answer(std::string_view op_name, std::string_view receipt, std::string_view more, char digit) {
  return "{'op':'" + std::string(op_name) + "','receipt':'" + std::string(receipt) + "'" + std::string(more) +
         ",'op_id':'" + op(digit) + "'}";
}
std::string at(std::string_view state, Time when) {
  return "{'status':'ok','state':'" + std::string(state) + "','visible_at':" + std::to_string(when) + "}";
}

TEST(ModelQueue, NeverEarlyAndTheEarliestTimeHolds) {
  Dialogue talk;
  talk.lawful(enqueue("w", ",'delay':100", '1'), at("delayed", 1000100));
  talk.broken("W2", enqueue("w", ",'delay':200", '2'), at("coalesced", 1000200));
  talk.lawful(enqueue("w", ",'delay':200", '2'), at("coalesced", 1000100));
  talk.pass(99);
  talk.broken("W4", receive("", '3'), handed(talk, delivered(talk, "w", "r1", 1)));
  talk.lawful(receive("", '3'), handed(talk, ""));
  talk.pass(1);
  talk.lawful(receive("", '4'), handed(talk, ""));
  EXPECT_TRUE(talk.model().world().passed_over);
  talk.lawful(receive("", '5'), handed(talk, delivered(talk, "w", "r1", 1)));
  EXPECT_FALSE(talk.model().world().passed_over);
}

TEST(ModelQueue, OneDeliveryAtATimeAndOnlyTheNewestReceiptWorks) {
  Dialogue talk;
  talk.lawful(enqueue("w", "", '1'), at("ready", 1000000));
  talk.lawful(receive("", '2'), handed(talk, delivered(talk, "w", "r1", 1)));
  talk.broken("D1", receive("", '3'), handed(talk, delivered(talk, "w", "r2", 2)));
  talk.pass(499);
  talk.broken("D1", receive("", '3'), handed(talk, delivered(talk, "w", "r2", 2)));
  talk.pass(1);
  talk.broken("D2", receive("", '3'), handed(talk, delivered(talk, "w", "r1", 2)));
  talk.broken("D5", receive("", '3'), handed(talk, delivered(talk, "w", "r2", 1)));
  talk.lawful(receive("", '3'), handed(talk, delivered(talk, "w", "r2", 2)));
  talk.broken("D2", answer("ack", "r1", "", '4'), "{'status':'ok'}");
  talk.lawful(answer("ack", "r1", "", '4'), "{'status':'stale'}");
  talk.lawful(answer("ack", "r2", "", '4'), "{'status':'ok','requeued':false}");
  talk.broken("R1", answer("ack", "r2", "", '4'), "{'status':'stale'}");
  talk.lawful(answer("ack", "r2", "", '4'), "{'status':'ok','requeued':false}");
  talk.lawful(answer("ack", "r2", "", '5'), "{'status':'stale'}");
  talk.broken("R1", answer("nack", "r2", "", '4'), "{'status':'stale'}");
}

TEST(ModelQueue, AnEnqueueInFlightIsKeptForItsAnswer) {
  Dialogue talk;
  talk.lawful(enqueue("w", "", '1'), at("ready", 1000000));
  talk.lawful(receive("", '2'), handed(talk, delivered(talk, "w", "r1", 1)));
  talk.lawful(enqueue("w", ",'delay':100", '3'), at("deferred", 1000100));
  talk.broken("W3", answer("ack", "r1", "", '4'), "{'status':'ok','requeued':false}");
  talk.lawful(answer("ack", "r1", "", '4'), "{'status':'ok','requeued':true}");
  talk.lawful("{'op':'list'}",
              "{'status':'ok','workflows':[{'workflow':'w','queue':'','state':'delayed','due_at':1000100}]}");
  talk.broken("W3", "{'op':'list'}",
              "{'status':'ok','workflows':[{'workflow':'w','queue':'','state':'delayed','due_at':1000000}]}");
}

TEST(ModelQueue, WhatIsHeldIsPutOffUntilTheLeaseEnds) {
  Dialogue talk;
  talk.lawful("{'op':'acquire','workflow':'w','ttl':100,'budget':300,'op_id':'" + op('1') + "'}",
              "{'status':'ok','fence':'" + fence(1, '1') + "','live_until':1000100,'budget_until':1000300}");
  talk.lawful(enqueue("w", "", '2'), at("ready", 1000000));
  const std::string coupled = receive(",'acquire':{'ttl':100,'budget':300}", '3');
  talk.broken("D9", coupled,
              handed(talk, delivered(talk, "w", "r1", 1,
                                     ",'fence':'" + fence(2, '3') + "','live_until':1000100,'budget_until':1000300")));
  talk.lawful(coupled, handed(talk, ""));
  talk.broken("S4", "{'op':'list'}",
              "{'status':'ok','workflows':[{'workflow':'w','queue':'','state':'ready','due_at':1000000,"
              "'fence_number':1,'live_until':1000100}]}");
  talk.lawful("{'op':'list'}",
              "{'status':'ok','workflows':[{'workflow':'w','queue':'','state':'delayed','due_at':1000100,"
              "'fence_number':1,'live_until':1000100}]}");
  talk.broken("W4", receive("", '4'), handed(talk, delivered(talk, "w", "r1", 1)));
  talk.lawful("{'op':'release','workflow':'w','fence':'" + fence(1, '1') + "'}", "{'status':'ok'}");
  talk.lawful(receive("", '5'), handed(talk, delivered(talk, "w", "r1", 1)));
}

TEST(ModelQueue, EarlierQueuesAndEarlierTimesComeFirst) {
  Dialogue talk;
  talk.lawful(enqueue("a", ",'queue':'q'", '1'), at("ready", 1000000));
  talk.lawful(enqueue("b", "", '2'), at("ready", 1000000));
  talk.pass(5000);
  talk.lawful(enqueue("c", "", '3'), at("ready", talk.now()));
  talk.broken("W10", receive(",'queues':['q','']", '4'), handed(talk, delivered(talk, "b", "r1", 1)));
  talk.broken("W7", receive("", '4'), handed(talk, delivered(talk, "c", "r1", 1)));
  talk.broken("W10", receive("", '4'), handed(talk, delivered(talk, "a", "r1", 1)));
  talk.broken("D10", receive("", '4'),
              handed(talk, delivered(talk, "b", "r1", 1) + "," + delivered(talk, "c", "r2", 1)));
  talk.lawful(receive("", '4'), handed(talk, delivered(talk, "b", "r1", 1)));
  talk.lawful(receive(",'again':true", '4'), handed(talk, delivered(talk, "b", "r1", 1)));
  talk.broken("R1", receive(",'again':true", '4'), handed(talk, delivered(talk, "c", "r2", 1)));
}

TEST(ModelQueue, ACancelledReceiptIsToldSoForAWhile) {
  Dialogue talk;
  talk.lawful(enqueue("w", "", '1'), at("ready", 1000000));
  talk.lawful(receive("", '2'), handed(talk, delivered(talk, "w", "r1", 1)));
  talk.broken("C1", "{'op':'cancel','workflow':'w','op_id':'" + op('3') + "'}", "{'status':'ok','removed':false}");
  talk.lawful("{'op':'cancel','workflow':'w','op_id':'" + op('3') + "'}", "{'status':'ok','removed':true}");
  talk.broken("C2", answer("nack", "r1", "", '4'), "{'status':'stale'}");
  talk.lawful(answer("nack", "r1", "", '4'), "{'status':'cancelled'}");
  talk.broken("C1", receive("", '5'), handed(talk, delivered(talk, "w", "r2", 2)));
  talk.broken("C7", "{'op':'list'}", "{'status':'ok','workflows':[{'workflow':'w','queue':'','state':'idle'}]}");
  talk.pass(memory_span);
  talk.lawful(answer("nack", "r1", "", '4'), "{'status':'stale'}");
}

TEST(ModelQueue, TheDeadStayDeadUntilRevived) {
  Dialogue talk;
  talk.lawful(enqueue("w", "", '1'), at("ready", 1000000));
  talk.lawful(receive("", '2'), handed(talk, delivered(talk, "w", "r1", 1)));
  talk.lawful(answer("reject", "r1", ",'error':'bad'", '3'), "{'status':'ok','state':'dead'}");
  talk.broken("D7", enqueue("w", "", '4'), at("ready", 1000000));
  talk.lawful(enqueue("w", "", '4'), "{'status':'ok','state':'dead'}");
  talk.open(enqueue("w", "", '4'));
  talk.lawful(enqueue("w", ",'revive':true", '5'), at("ready", 1000000));
  talk.broken("D11", receive("", '6'), handed(talk, delivered(talk, "w", "r2", 1)));
  talk.broken("D5", receive("", '6'), handed(talk, delivered(talk, "w", "r2", 2, ",'last_error':'bad'")));
  talk.lawful(receive("", '6'), handed(talk, delivered(talk, "w", "r2", 1, ",'last_error':'bad'")));
}

TEST(ModelQueue, AnAnswerThatShowsAFenceNeedsTheCurrentOne) {
  Dialogue talk;
  talk.lawful(enqueue("w", "", '1'), at("ready", 1000000));
  talk.lawful(receive(",'acquire':{'ttl':100,'budget':300}", '2'),
              handed(talk, delivered(talk, "w", "r1", 1,
                                     ",'fence':'" + fence(3, '2') + "','live_until':1000100,'budget_until':1000300")));
  talk.broken("D8", answer("ack", "r1", ",'fence':'" + fence(3, '9') + "'", '3'), "{'status':'ok'}");
  talk.lawful(answer("ack", "r1", ",'fence':null", '3'), "{'status':'fenced'}");
  talk.lawful(answer("ack", "r1", ",'finished':true", '3'), "{'status':'invalid'}");
  talk.lawful(answer("ack", "r1", ",'release':true", '3'), "{'status':'invalid'}");
  talk.lawful(answer("ack", "old", ",'fence':null", '3'), "{'status':'stale'}");
  talk.broken("D8", answer("ack", "r1", ",'finished':true", '3'), "{'status':'ok'}");
  talk.lawful(answer("ack", "r1", ",'finished':true,'release':true,'fence':'" + fence(3, '2') + "'", '3'),
              "{'status':'ok','requeued':false}");
  talk.lawful("{'op':'list','state':'finished'}",
              "{'status':'ok','workflows':[{'workflow':'w','queue':'','state':'finished','finished':true,"
              "'finished_at':1000000,'fence_number':3}]}");
}

TEST(ModelQueue, AChainGoesOnOnlyAfterOk) {
  Dialogue talk;
  json::object chained{{"op", "cancel"}, {"workflow", "w"}, {"after_ok", true}};
  json::object skipped{{"status", "skipped"}}, done{{"status", "ok"}, {"removed", false}};
  EXPECT_TRUE(talk.model().apply(chained, skipped, Now::exactly(1), "fenced").fine());
  EXPECT_FALSE(talk.model().apply(chained, done, Now::exactly(1), "fenced").fine());
  EXPECT_TRUE(talk.model().apply(chained, done, Now::exactly(1), "ok").fine());
  EXPECT_FALSE(talk.model().apply(chained, done, Now::exactly(1), "").fine());
}

/// A lease on w that lasts 1000, w enqueued and put off by it, then v enqueued a little later.
void put_off_then_another(Dialogue& talk) {
  talk.lawful("{'op':'acquire','workflow':'w','ttl':1000,'budget':1000,'op_id':'" + op('1') + "'}",
              "{'status':'ok','fence':'" + fence(1, '1') + "','live_until':1001000,'budget_until':1001000}");
  talk.lawful(enqueue("w", "", '2'), at("ready", 1000000));
  talk.lawful(receive(",'acquire':{'ttl':10,'budget':10}", '3'), handed(talk, ""));
  talk.lawful("{'op':'stats'}", "{'status':'ok','delayed':1,'workflows':1,'next_due_at':1001000}");
  talk.broken("S4", "{'op':'stats'}", "{'status':'ok','delayed':1,'workflows':1,'next_due_at':1000000}");
  talk.pass(900);
  talk.lawful(enqueue("v", ",'delay':2000", '4'), at("delayed", 1002900));
}

/// D9: it keeps its place by the time it first became due, however late the lease that it met is released.
TEST(ModelQueue, WhatWasPutOffKeepsItsPlace) {
  Dialogue talk;
  put_off_then_another(talk);
  talk.pass(5000);
  talk.broken("W7", receive("", '5'),
              handed(talk, "{'workflow':'v','queue':'','receipt':'r','delivery_count':1,'visible_at':1006400}"));
  talk.lawful(receive("", '5'), handed(talk, delivered(talk, "w", "r", 1)));
}

TEST(ModelQueue, TheOldestReadyIsTheOldestOfAll) {
  Dialogue talk;
  put_off_then_another(talk);
  talk.pass(5000);
  // Since the lease's end, or since it first became due: both can be read, but v is never older than both.
  talk.lawful("{'op':'stats'}", "{'status':'ok','ready':2,'workflows':2,'oldest_ready_age':5900}");
  talk.lawful("{'op':'stats'}", "{'status':'ok','ready':2,'workflows':2,'oldest_ready_age':4900}");
  talk.broken("S4", "{'op':'stats'}", "{'status':'ok','ready':2,'workflows':2,'oldest_ready_age':3000}");
}

/// D3: extended while it is put off, it is told by the later of its own lease's end and the one it waits for.
TEST(ModelQueue, AnExtendedPutOffIsNotToldEarlierThanItsOwnLease) {
  Dialogue talk;
  talk.lawful(enqueue("w", "", '1'), at("ready", 1000000));
  talk.lawful(receive("", '2'), handed(talk, delivered(talk, "w", "r", 1)));
  talk.pass(500);
  talk.lawful("{'op':'acquire','workflow':'w','ttl':100,'budget':100,'op_id':'" + op('3') + "'}",
              "{'status':'ok','fence':'" + fence(1, '3') + "','live_until':1000600,'budget_until':1000600}");
  talk.lawful(receive(",'acquire':{'ttl':10,'budget':10}", '4'), handed(talk, ""));
  talk.broken("D3", "{'op':'extend','receipt':'r','lease':300}", "{'status':'ok','visible_at':1000600}");
  talk.lawful("{'op':'extend','receipt':'r','lease':300}", "{'status':'ok','visible_at':1000800}");
  talk.pass(299);
  talk.broken("D1", receive("", '5'), handed(talk, delivered(talk, "w", "r2", 2)));
}

}  // namespace
}  // namespace stile::conformance::model
