// A server that comes back as it was at an earlier moment: a fail-over to a replica that lags, a backup put back.
//
// SPDX-License-Identifier: Apache-2.0
#include "servers/checks.hpp"

namespace stile::conformance::servers {
namespace {

std::string epoch(CallerProcess& caller) {
  return json::value_to<std::string>(must(ask_until(caller, {{"op", "info"}}, "ok"), "ok", "info").at("epoch"));
}

/// An embedded store is opened by nobody while it is harmed.
void harm(Scene& scene, std::unique_ptr<CallerProcess>& caller, std::string_view word) {
  if (scene.embedded()) {
    caller->stop();
    caller.reset();
  }
  scene.strike(word, {});
  if (word == "demote") scene.start();  // where it is now
  if (word == "demote" || scene.embedded()) caller = scene.caller();
}

void old_rights_are_void(Scene& scene, CallerProcess& caller, const json::object& record,
                         const json::object& delivery) {
  must(caller.ask(record), "fenced", "a record under a fence of the epoch before", {"S2"});
  must(caller.ask({{"op", "ack"}, {"receipt", delivery.at("receipt")}}), "stale",
       "an ack with a receipt of the epoch before", {"S2"});
  const json::object again = ok(caller, {{"op", "receive"}, {"lease", "60s"}, {"wait", "4s"}});
  const json::array& deliveries = again.at("deliveries").as_array();
  if (deliveries.size() != 1 || deliveries[0].at("delivery_count") != 2)
    throw Fault(
        "a delivery in flight when the epoch changed is not ready again with its count: " + json::serialize(again),
        {"S2"});
  scene.bit("old_rights_refused", 2);
}

void demoted(Scene& scene) {
  auto caller = scene.caller();
  const json::object granted = ok(*caller, {{"op", "acquire"}, {"workflow", "w"}, {"ttl", "10m"}, {"budget", "1h"}});
  json::object record{
      {"op", "record"}, {"workflow", "w"}, {"fence", granted.at("fence")}, {"key", "before"}, {"value", "x"}};
  ok(*caller, record);
  ok(*caller, {{"op", "enqueue"}, {"workflow", "q"}});
  const json::object got = ok(*caller, {{"op", "receive"}, {"lease", "10m"}});
  const json::object delivery = got.at("deliveries").at(0).as_object();
  const std::string old_epoch = epoch(*caller);
  harm(scene, caller, "lag");
  record["key"] = "after";
  ok(*caller, record);
  harm(scene, caller, "demote");
  const bool same = epoch(*caller) == old_epoch;
  const json::object load = must(ask_until(*caller, {{"op", "load"}, {"workflow", "w"}}, "ok"), "ok", "a load");
  const std::size_t there = load.at("records").as_array().size();
  if (same && there != 2)
    throw Fault("acknowledged writes are gone, and the epoch is the same: " + json::serialize(load), {"S2"});
  if (there == 0) throw Fault("what was written long before is gone too: " + json::serialize(load), {"B8"});
  scene.bit("writes_lost_in_the_open", 2 - there);
  if (!same) {
    scene.bit("epochs_begun");
    record["key"] = "late";
    old_rights_are_void(scene, *caller, record, delivery);
  }
  must(ask_until(*caller, {{"op", "acquire"}, {"workflow", "w"}, {"ttl", "1s"}, {"budget", "1s"}, {"force", true}},
                 "ok"),
       "ok", "a lease in the new epoch", {"S2", "A1"});
  caller->stop();
  scene.judged(1);
  scene.demand("epochs_begun");
}

}  // namespace

void add_past_checks() {
  add_server_check("demoted", {"S2"},
                   "A store that may have gone back begins an epoch: nothing granted before is good any more.",
                   {.words = {"lag", "demote"}, .body = demoted});
}

}  // namespace stile::conformance::servers
