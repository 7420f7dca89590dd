// The states of a workflow, each with the script that leads there.
//
// SPDX-License-Identifier: Apache-2.0
#include "model/stage.hpp"

namespace stile::conformance::model {

namespace {

constexpr Time ms = 1000;
constexpr Time hour = Time{3600} * 1000 * ms;
constexpr Time moment = 40 * ms;   // a lease that the script lets lapse
constexpr Time a_while = 80 * ms;  // so long that it surely has
constexpr Time hold = 2000 * ms;   // a lease that by a real clock lasts until all cells have met it

/// A request that needs no token; the workflow is put in.
Step say(json::object request, Time then_pass = 0) {
  return {[request = std::move(request)](const Stage&, const std::string& id) -> std::optional<json::object> {
            json::object made(request);
            made["workflow"] = id;
            return made;
          },
          then_pass};
}

Step show_fence(json::object request, Time then_pass = 0) {
  return {[request = std::move(request)](const Stage& stage, const std::string& id) -> std::optional<json::object> {
            json::object made(request);
            made["workflow"] = id;
            made["fence"] = json::string(stage.fence(id).value_or("1." + std::string(32, '1')));
            return made;
          },
          then_pass};
}

/// An answer to the delivery in flight; with "fence": true it shows the current one.
Step answer(json::object request, Time then_pass = 0) {
  return {[request = std::move(request)](const Stage& stage, const std::string& id) -> std::optional<json::object> {
            json::object made(request);
            made["receipt"] = json::string(stage.receipt(id).value_or("none"));
            if (made.contains("fence"))
              made["fence"] = json::string(stage.fence(id).value_or("1." + std::string(32, '1')));
            return made;
          },
          then_pass};
}

Step acquire(Time ttl = hour, Time budget = 2 * hour, Time then_pass = 0) {
  return say({{"op", "acquire"}, {"ttl", ttl}, {"budget", budget}}, then_pass);
}

Step enqueue(json::object more = {}, Time then_pass = 0) {
  return {[more = std::move(more)](const Stage&, const std::string& id) -> std::optional<json::object> {
            json::object made{{"op", "enqueue"}, {"workflow", id}, {"queue", id}};
            for (const auto& member : more) made[member.key()] = member.value();
            return made;
          },
          then_pass};
}

/// Of the workflow's own queue, so that no other workflow is met.
Step receive(Time lease = hour, bool acquires = false, Time then_pass = 0, Time ttl = hour) {
  return {[=](const Stage&, const std::string& id) -> std::optional<json::object> {
            json::object made{{"op", "receive"}, {"queues", json::array{id}}, {"lease", lease}};
            if (acquires) made["acquire"] = json::object{{"ttl", ttl}, {"budget", 2 * hour}};
            return made;
          },
          then_pass};
}

Step record(std::string_view key = "a") { return show_fence({{"op", "record"}, {"key", key}, {"value", "va"}}); }
Step append() { return say({{"op", "append"}, {"message_id", "m1"}, {"value", "vm"}}); }
Step discard(bool cancels = false) { return say({{"op", "discard"}, {"cancel", cancels}}); }

std::vector<State> of_leases() {
  Step supply = say({{"op", "supply"}, {"key", "a"}, {"value", "va"}});
  Step release = show_fence({{"op", "release"}});
  Step force = say({{"op", "acquire"}, {"ttl", hour}, {"budget", hour}, {"force", true}});
  Step wants_cancel = say({{"op", "request_cancel"}});
  return {
      {"unknown", "B6", {}, {}},
      {"supplied", "B7", {supply, append()}, {}},
      {"leased", "A1", {acquire()}, {}},
      {"leased_recorded", "A6", {acquire(), record(), append()}, {}},
      {"short_ttl", "A6 A7", {acquire(hour, 3 * hour), show_fence({{"op", "renew"}, {"ttl", 2 * hour}})}, {}},
      {"lapsed",
       "A5",
       {acquire(hour, 2 * hour), record(), say({{"op", "discard"}}), acquire(moment, hour, a_while)},
       {}},
      {"lapsed_recorded",
       "A5 A7",
       {acquire(moment), record(), append(), show_fence({{"op", "renew"}, {"ttl", moment}}, a_while)},
       {}},
      {"budget_spent",
       "A3 A7",
       {acquire(hour, moment), record(), show_fence({{"op", "record"}, {"key", "b"}, {"value", "vb"}}, a_while)},
       {}},
      {"released", "A8", {acquire(), record(), release}, {}},
      {"released_twice", "A8", {acquire(), release, release}, {}},
      {"superseded", "A4 A8", {acquire(), record(), release, acquire()}, {}},
      {"forced", "A13", {acquire(), record(), force}, {}},
      {"cancel_requested", "C8", {wants_cancel}, {}},
      {"cancel_requested_leased", "C8", {acquire(), wants_cancel, append()}, {}},
      {"discarded", "A10", {acquire(), record(), append(), discard()}, {}},
      {"discarded_used", "A10 B4", {acquire(), record(), append(), discard(), supply}, {}},
      {"rebased",
       "B11",
       {acquire(), record(), append(), say({{"op", "append"}, {"message_id", "m2"}, {"value", "v2"}}),
        show_fence({{"op", "rebase"}, {"key", "r"}, {"value", "vr"}})},
       {}},
  };
}

std::vector<State> of_wakeups() {
  Step early = say({{"op", "enqueue"}, {"delay", 30 * ms}});
  return {
      {"ready", "W1", {enqueue()}, {}},
      {"ready_leased", "W1 D9", {acquire(), record(), enqueue()}, {}},
      {"delayed", "W2 W4", {enqueue({{"delay", hour}})}, {}},
      {"delayed_due", "W4", {enqueue({{"delay", 20 * ms}}), say({{"op", "append"}, {"value", "v"}}, a_while)}, {}},
      {"in_flight", "D1", {enqueue(), receive()}, {}},
      {"in_flight_leased", "D9", {enqueue(), receive(hour, true), record()}, {"coupled_receive"}},
      {"in_flight_lease_lapsed", "D8 A5", {enqueue(), receive(hour, true, a_while, moment)}, {"coupled_receive"}},
      {"lapsed_delivery", "D4", {enqueue(), receive(moment, false, a_while)}, {}},
      {"lapsed_delivery_leased", "D4 D9", {enqueue(), receive(moment, true, a_while)}, {"coupled_receive"}},
      {"lapsed_delivery_put_off",
       "D9",
       {enqueue(), receive(moment, true, a_while), receive(hour, true)},
       {"coupled_receive"}},
      {"redelivered", "D2 D4", {enqueue(), receive(moment, false, a_while), receive()}, {}},
      {"put_off", "D9", {acquire(), enqueue(), receive(hour, true)}, {"coupled_receive"}},
      {"put_off_lapsed",
       "D9",
       {acquire(hold, hold), enqueue(), receive(hour, true, hold + a_while)},
       {"coupled_receive"}},
      {"put_off_released",
       "D9",
       {acquire(), enqueue(), receive(hour, true), show_fence({{"op", "release"}})},
       {"coupled_receive"}},
      {"put_off_renewed",
       "D9",
       {acquire(), enqueue(), receive(hour, true), show_fence({{"op", "renew"}, {"ttl", 2 * hour}})},
       {"coupled_receive"}},
      {"put_off_forced",
       "A13 D9",
       {acquire(), enqueue(), receive(hour, true),
        say({{"op", "acquire"}, {"ttl", hour}, {"budget", hour}, {"force", true}})},
       {"coupled_receive"}},
      {"deferred", "W3", {enqueue(), receive(hour, true), enqueue({}, 5 * ms)}, {"coupled_receive"}},
      {"deferred_later",
       "W3 W10",
       {enqueue(), receive(), enqueue({{"delay", hour}}), enqueue({{"delay", hour / 2}})},
       {}},
      {"deferred_lapsed", "W3 D4", {enqueue(), receive(moment, false, a_while), enqueue({}, 5 * ms)}, {}},
      {"deferred_redelivered",
       "W3",
       {enqueue(), receive(moment), enqueue(), say({{"op", "append"}, {"value", "v"}}, a_while), receive()},
       {}},
      {"coalesced", "W2", {enqueue({{"delay", hour}}), early, enqueue({{"delay", 2 * hour}})}, {}},
      {"forced_in_flight",
       "A13",
       {enqueue(), receive(hour, true), record(),
        say({{"op", "acquire"}, {"ttl", hour}, {"budget", hour}, {"force", true}})},
       {"coupled_receive"}},
      {"discarded_in_flight", "A10", {enqueue(), receive(hour, true), record(), discard()}, {"coupled_receive"}},
      {"discarded_ready", "A10", {acquire(), record(), enqueue(), discard()}, {}},
      {"discarded_cancelled", "C6", {enqueue(), receive(hour, true), record(), discard(true)}, {"coupled_receive"}},
      {"cancelled_ready", "C1", {acquire(), enqueue(), say({{"op", "cancel"}})}, {}},
      {"cancelled_in_flight",
       "C2",
       {enqueue(), receive(hour, true), record(), say({{"op", "cancel"}})},
       {"coupled_receive"}},
      {"cancelled_woken", "C2", {enqueue(), receive(), say({{"op", "cancel"}}), enqueue()}, {}},
      {"cancelled_long_ago",
       "C2",
       {enqueue(), receive(hour, true), record(), say({{"op", "cancel"}}, memory_span)},
       {"coupled_receive", "manual_clock"}},
  };
}

std::vector<State> of_answers() {
  json::object done{{"op", "ack"}, {"fence", true}, {"release", true}};
  json::object finish{{"op", "ack"}, {"fence", true}, {"release", true}, {"finished", true}};
  json::object reject{{"op", "reject"}, {"error", "poison"}};
  std::vector<Step> to_finished{enqueue(), receive(hour, true), record(), append(), answer(finish)};
  auto after_finished = [&](std::vector<Step> more) {
    std::vector<Step> all(to_finished);
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  return {
      {"husk", "R1", {enqueue(), receive(), answer({{"op", "ack"}})}, {}},
      {"acked", "D6", {enqueue(), receive(hour, true), record(), answer(done)}, {"coupled_receive"}},
      {"requeued", "W3 W10", {enqueue(), receive(), enqueue({{"queue", ""}}), answer({{"op", "ack"}})}, {}},
      {"snoozed", "D5", {enqueue(), receive(), answer({{"op", "snooze"}, {"delay", hour}})}, {}},
      {"snoozed_deferred", "W3", {enqueue(), receive(), enqueue(), answer({{"op", "snooze"}, {"delay", hour}})}, {}},
      {"nacked", "D5 D11", {enqueue(), receive(), answer({{"op", "nack"}, {"error", "e1"}})}, {}},
      {"nacked_delayed",
       "D5 D11",
       {enqueue(), receive(hour, true), record(),
        answer({{"op", "nack"}, {"error", "e1"}, {"delay", hour}, {"fence", true}, {"release", true}})},
       {"coupled_receive"}},
      {"nacked_in_flight", "D5 D2", {enqueue(), receive(), answer({{"op", "nack"}, {"error", "e1"}}), receive()}, {}},
      {"dead", "D7 D11", {enqueue(), receive(), answer(reject)}, {}},
      {"dead_leased", "D7", {enqueue(), receive(hour, true), record(), answer(reject)}, {"coupled_receive"}},
      {"dead_discarded", "A10 D7", {enqueue(), receive(), answer(reject), discard()}, {}},
      {"revived", "D7 D11", {enqueue(), receive(), answer(reject), enqueue({{"revive", true}})}, {}},
      {"rejected_deferred", "W3 D7", {enqueue(), receive(), enqueue(), answer(reject)}, {}},
      {"finished", "T1", to_finished, {"coupled_receive"}, true},
      {"finished_unleased",
       "D8 T1",
       {enqueue(), receive(), append(), answer({{"op", "ack"}, {"finished", true}})},
       {},
       true},
      {"finished_woken", "T1", after_finished({enqueue()}), {"coupled_receive"}, true},
      {"finished_in_flight", "T1", after_finished({enqueue(), receive(hour, true)}), {"coupled_receive"}, true},
      {"finished_leased", "T1", after_finished({acquire()}), {"coupled_receive"}, true},
      {"finished_requeued",
       "W3 T1",
       {enqueue(), receive(), enqueue(), answer({{"op", "ack"}, {"finished", true}})},
       {},
       true},
      {"finished_dead", "T1", after_finished({enqueue(), receive(), answer(reject)}), {"coupled_receive"}, true},
      {"finished_discarded", "A10", after_finished({discard()}), {"coupled_receive"}, true},
  };
}

}  // namespace

const std::vector<State>& states() {
  static const std::vector<State> all = [] {
    std::vector<State> out;
    for (State& each : out = of_leases()) each.of = Of::checkpoint;
    for (const std::vector<State>& some : {of_wakeups(), of_answers(), document_states()}) {
      out.insert(out.end(), some.begin(), some.end());
    }
    return out;
  }();
  return all;
}

}  // namespace stile::conformance::model
