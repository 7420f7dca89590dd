// The model on leases and fences: contract A.
//
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "dialogue.hpp"

namespace stile::conformance::model {
namespace {

const std::string acquire_w = "{'op':'acquire','workflow':'w','ttl':100,'budget':300,'op_id':'" + op('1') + "'}";
const std::string granted =
    "{'status':'ok','fence':'" + fence(7, '1') + "','live_until':1000100,'budget_until':1000300}";

std::string acquire(char digit, std::string_view more = "") {
  return "{'op':'acquire','workflow':'w','ttl':100,'budget':300,'op_id':'" + op(digit) + "'" + std::string(more) + "}";
}
std::string grant(int number, char digit, Time now) {
  return "{'status':'ok','fence':'" + fence(number, digit) + "','live_until':" + std::to_string(now + 100) +
         ",'budget_until':" + std::to_string(now + 300) + "}";
}
std::string with_fence(std::string_view op, std::string_view fence, std::string_view more = "") {
  return "{'op':'" + std::string(op) + "','workflow':'w','fence':'" + std::string(fence) + "'" + std::string(more) +
         "}";
}

TEST(ModelLease, AGrantIsAboveAllAndStampedByItsOpId) {
  Dialogue talk;
  talk.broken("A1", acquire_w, grant(7, '2', 1000000));
  talk.broken("A1", acquire_w, "{'status':'ok','fence':'7','live_until':1000100,'budget_until':1000300}");
  talk.broken("A3", acquire_w,
              "{'status':'ok','fence':'" + fence(7, '1') + "','live_until':1000101,'budget_until':1000300}");
  talk.broken("A1", acquire_w, "{'status':'held','live_until':5}");
  talk.lawful(acquire_w, granted);
  talk.pass(100);
  talk.broken("A1", acquire('2'), grant(7, '2', talk.now()));
  talk.lawful(acquire('2'), grant(12, '2', talk.now()));
}

TEST(ModelLease, ALiveLeaseIsHeldAndLapsesAtItsEnd) {
  Dialogue talk;
  talk.lawful(acquire_w, granted);
  talk.pass(99);
  talk.broken("A2", acquire('2'), grant(8, '2', talk.now()));
  talk.broken("A2", acquire('2'), "{'status':'held','live_until':1000099}");
  talk.lawful(acquire('2'), "{'status':'held','live_until':1000100}");
  talk.pass(1);
  talk.broken("A1", acquire('2'), "{'status':'held','live_until':1000100}");
  talk.lawful(acquire('2'), grant(8, '2', talk.now()));
}

TEST(ModelLease, OnlyTheCurrentPairWrites) {
  Dialogue talk;
  talk.lawful(acquire_w, granted);
  const std::string members = ",'key':'a','value':'x'";
  const std::string ok = "{'status':'ok','value':'x','first':true,'position':1,'written_at':1000000}";
  for (const std::string& wrong : {fence(6, '1'), fence(8, '1'), fence(7, '2')}) {
    talk.broken("A4", with_fence("record", wrong, members), ok);
    talk.lawful(with_fence("record", wrong, members), "{'status':'fenced'}");
  }
  talk.broken("A4", with_fence("record", fence(7, '1'), members), "{'status':'fenced'}");
  talk.pass(100);
  talk.broken("A5", with_fence("record", fence(7, '1'), members), "{'status':'fenced'}");
  talk.lawful(with_fence("record", fence(7, '1'), members),
              "{'status':'ok','value':'x','first':true,'position':1,'written_at':1000100}");
}

TEST(ModelLease, ASignOfLifeLengthensOnlyALiveLease) {
  Dialogue talk;
  talk.lawful(acquire_w, granted);
  talk.pass(50);
  talk.lawful(with_fence("record", fence(7, '1'), ",'key':'a','value':''"),
              "{'status':'ok','value':'','first':true,'position':1,'written_at':1000050}");
  talk.broken("A6", "{'op':'list'}",
              "{'status':'ok','workflows':[{'workflow':'w','queue':'','state':'idle','records':1,'fence_number':7,"
              "'live_until':1000100,'last_written_at':1000050}]}");
  talk.lawful("{'op':'list'}",
              "{'status':'ok','workflows':[{'workflow':'w','queue':'','state':'idle','records':1,'fence_number':7,"
              "'live_until':1000150,'last_written_at':1000050}]}");
  talk.pass(200);
  talk.lawful(with_fence("record", fence(7, '1'), ",'key':'b','value':''"),
              "{'status':'ok','value':'','first':true,'position':2,'written_at':1000250}");
  talk.broken("A3", "{'op':'list'}",
              "{'status':'ok','workflows':[{'workflow':'w','queue':'','state':'idle','records':2,'fence_number':7,"
              "'live_until':1000300,'last_written_at':1000250}]}");
}

TEST(ModelLease, RenewRevivesWhileTheBudgetLasts) {
  Dialogue talk;
  talk.lawful(acquire_w, granted);
  talk.pass(200);
  const std::string renew = with_fence("renew", fence(7, '1'), ",'ttl':50");
  talk.broken("A7", renew, "{'status':'lapsed'}");
  talk.lawful(renew, "{'status':'ok','live_until':1000250,'budget_until':1000300}");
  talk.pass(100);
  talk.broken("A7", renew, "{'status':'ok','live_until':1000350,'budget_until':1000300}");
  talk.lawful(renew, "{'status':'lapsed'}");
  talk.lawful(with_fence("renew", fence(7, '1'), ",'ttl':50,'budget':20"),
              "{'status':'ok','live_until':1000320,'budget_until':1000320}");
}

TEST(ModelLease, ReleaseEndsTheBudget) {
  Dialogue talk;
  talk.lawful(acquire_w, granted);
  talk.lawful(with_fence("release", fence(7, '1')), "{'status':'ok'}");
  talk.lawful(with_fence("release", fence(7, '1')), "{'status':'ok'}");
  talk.broken("A7", with_fence("renew", fence(7, '1'), ",'ttl':50"),
              "{'status':'ok','live_until':1000050,'budget_until':1000300}");
  talk.lawful(with_fence("renew", fence(7, '1'), ",'ttl':50"), "{'status':'lapsed'}");
  talk.lawful(acquire('2'), grant(8, '2', talk.now()));
  talk.broken("A8", with_fence("release", fence(7, '1')), "{'status':'ok'}");
}

TEST(ModelLease, TheSameGrantIsAnsweredAgainWhileItIsLive) {
  Dialogue talk;
  talk.lawful(acquire_w, granted);
  talk.pass(10);
  talk.broken("A9", acquire_w, "{'status':'held','live_until':1000100}");
  talk.broken("A9", acquire_w, grant(8, '1', talk.now()));
  talk.lawful(acquire_w, granted);
  talk.pass(90);
  talk.broken("A1", acquire_w, granted);
  talk.lawful(acquire_w, grant(8, '1', talk.now()));
}

TEST(ModelLease, DiscardFencesAndNumbersStillRise) {
  Dialogue talk;
  talk.lawful(acquire_w, granted);
  talk.lawful("{'op':'supply','workflow':'w','key':'a','value':'x','op_id':'" + op('2') + "'}",
              "{'status':'ok','value':'x','first':true,'position':5,'written_at':1000000}");
  talk.lawful("{'op':'discard','workflow':'w','op_id':'" + op('3') + "'}", "{'status':'ok','removed':1}");
  talk.broken("A10", "{'op':'load','workflow':'w'}", "{'status':'ok','records':[],'fence_number':7}");
  talk.lawful("{'op':'load','workflow':'w'}", "{'status':'ok','records':[],'fence_number':0}");
  talk.lawful(with_fence("release", fence(7, '1')), "{'status':'fenced'}");
  talk.broken("B4", "{'op':'supply','workflow':'w','key':'a','value':'y','op_id':'" + op('4') + "'}",
              "{'status':'ok','value':'y','first':true,'position':5,'written_at':1000000}");
  talk.broken("A1", acquire('5'), grant(7, '5', talk.now()));
  talk.lawful(acquire('5'), grant(9, '5', talk.now()));
}

TEST(ModelLease, ForceGrantsOverALiveLeaseAndFreesTheDelivery) {
  Dialogue talk;
  talk.lawful("{'op':'enqueue','workflow':'w','op_id':'" + op('9') + "'}",
              "{'status':'ok','state':'ready','visible_at':1000000}");
  talk.lawful("{'op':'receive','lease':500,'acquire':{'ttl':100,'budget':300},'op_id':'" + op('1') + "'}",
              "{'status':'ok','store_time':1000000,'deliveries':[{'workflow':'w','queue':'','receipt':'r1',"
              "'delivery_count':1,'visible_at':1000500,'fence':'" +
                  fence(7, '1') +
                  "','live_until':1000100,"
                  "'budget_until':1000300}]}");
  talk.broken("A13", acquire('2', ",'force':true"), "{'status':'held','live_until':1000100}");
  talk.lawful(acquire('2', ",'force':true"), grant(8, '2', talk.now()));
  talk.broken("D2", "{'op':'ack','receipt':'r1','op_id':'" + op('3') + "'}", "{'status':'ok'}");
  talk.lawful("{'op':'ack','receipt':'r1','op_id':'" + op('3') + "'}", "{'status':'stale'}");
  talk.lawful("{'op':'stats'}", "{'status':'ok','ready':1,'workflows':1,'oldest_ready_age':0}");
}

}  // namespace
}  // namespace stile::conformance::model
