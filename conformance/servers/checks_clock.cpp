// The server's clock stepped: an hour on, two hours back.
//
// SPDX-License-Identifier: Apache-2.0
#include "servers/checks.hpp"

namespace stile::conformance::servers {
namespace {

constexpr std::int64_t minute = 60'000'000, hour = 60 * minute;

std::int64_t store_time(CallerProcess& caller) { return ok(caller, {{"op", "info"}}).at("store_time").as_int64(); }

std::int64_t fence_number(const json::object& granted) {
  return std::stoll(json::value_to<std::string>(granted.at("fence")));
}

json::object step(Scene& scene, std::int64_t by) { return scene.strike("clock", scene.crowd_pids(), {{"by", by}}); }

void step_on(Scene& scene, CallerProcess& caller) {
  const std::int64_t before = store_time(caller);
  step(scene, hour);
  const std::int64_t gone = store_time(caller) - before;
  if (gone < hour || gone > hour + minute)
    throw Fault("did not bite: the clock was stepped by an hour, and the store's went on by " +
                std::to_string(gone / 1'000'000) + " s");
  scene.bit("steps_forward");
}

/// The store may not show it (A12), so the driver says what its server's clock is now.
void step_back(Scene& scene) {
  const json::object answer = step(scene, -2 * hour);
  const json::value* clock = answer.if_contains("clock");
  if (!clock || !clock->is_number()) throw Fault("the driver: clock was answered without the clock as it is now");
  using namespace std::chrono;
  const std::int64_t ours = duration_cast<microseconds>(system_clock::now().time_since_epoch()).count();
  const std::int64_t off = clock->to_number<std::int64_t>() - (ours - hour);
  if (off < -minute || off > minute)
    throw Fault("did not bite: the clock was stepped two hours back, and the server's is off by " +
                std::to_string(off / 1'000'000) + " s");
  scene.bit("steps_back");
}

void received(CallerProcess& caller, const std::string& workflow, std::string_view when) {
  const json::object got = ok(caller, {{"op", "receive"}, {"queues", {"clock"}}, {"lease", "10m"}, {"wait", "4s"}});
  const json::array& deliveries = got.at("deliveries").as_array();
  if (deliveries.size() != 1 || deliveries[0].at("workflow") != json::value_from(workflow))
    throw Fault("wanted a delivery of " + workflow + " " + std::string(when) + ", answered " + json::serialize(got),
                {"W1"});
  ok(caller, {{"op", "ack"}, {"receipt", deliveries[0].at("receipt")}});
}

json::object record(const json::object& granted, const char* key) {
  return {{"op", "record"}, {"workflow", "w"}, {"fence", granted.at("fence")}, {"key", key}, {"value", "x"}};
}

void stepped(Scene& scene) {
  auto caller = scene.caller();
  const json::object acquire{{"op", "acquire"}, {"workflow", "w"}, {"ttl", "10m"}, {"budget", "10m"}};
  scene.open_crowd();
  scene.goes_on("the store was opened");
  const json::object first = ok(*caller, acquire);
  ok(*caller, record(first, "one"));
  ok(*caller, {{"op", "enqueue"}, {"workflow", "later"}, {"queue", "clock"}, {"delay", "30m"}});
  step_on(scene, *caller);
  received(*caller, "later", "once its time had come");
  const json::object second = must(ask_until(*caller, acquire, "ok"), "ok", "a lease that lapsed an hour ago", {"A3"});
  if (fence_number(second) <= fence_number(first)) throw Fault("a fence's number did not rise", {"A1"});
  must(caller->ask(record(first, "late")), "fenced", "a record under the lapsed lease", {"A4"});
  const json::object two = ok(*caller, record(second, "two"));
  scene.goes_on("the clock was stepped forward");
  step_back(scene);
  const json::object three = ok(*caller, record(second, "three"));
  if (three.at("written_at").as_int64() < two.at("written_at").as_int64())
    throw Fault("written_at fell: " + json::serialize(two) + " then " + json::serialize(three), {"A12", "B3"});
  ok(*caller, {{"op", "enqueue"}, {"workflow", "now"}, {"queue", "clock"}});
  received(*caller, "now", "at once, the clock stepped back or not");
  json::object force = acquire;
  force["force"] = true;
  const json::object third = ok(*caller, force);
  if (fence_number(third) <= fence_number(second)) throw Fault("a fence's number did not rise", {"A1", "A12"});
  must(caller->ask(record(second, "late")), "fenced", "a record of who was superseded", {"A4"});
  scene.goes_on("the clock was stepped back");
  // The store stays open: one that lives in its callers forgets with the last of them that its clock was further on
  // (A12), and what was put off by then would come two hours later.
  scene.judge(false);
  caller->stop();
  scene.demand("steps_forward");
  scene.demand("steps_back");
}

}  // namespace

void add_clock_checks() {
  add_server_check("clock_stepped", {"A1", "A3", "A4", "A12", "B3", "W1", "W6"},
                   "Whatever the server's clock does, fences rise, order holds and calls come back.",
                   {.words = {"clock"}, .body = stepped});
}

}  // namespace stile::conformance::servers
