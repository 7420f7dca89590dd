// Servers without room, and servers that take no writes.
//
// SPDX-License-Identifier: Apache-2.0
#include "servers/checks.hpp"

namespace stile::conformance::servers {
namespace {

constexpr std::uint64_t large = 4096;

json::object put(const std::string& key, const std::string& value) {
  return {{"op", "put"}, {"key", key}, {"value", value}, {"op_id", Id::random().text()}};
}

void reads_go_on(Scene& scene, CallerProcess& reader, const std::string& while_what) {
  for (int i = 0; i < 5; ++i) {
    const json::object read = reader.ask({{"op", "get"}, {"key", "known"}});
    must(read, "ok", "a read " + while_what, {"R2"});
    if (read.at("value") != "here") throw Fault("a read " + while_what + " gave " + json::serialize(read), {"B8"});
  }
  scene.bit("reads_" + std::string(while_what == "of a full store" ? "while_full" : "while_read_only"), 5);
}

void full(Scene& scene) {
  auto reader = scene.caller();
  ok(*reader, put("known", "here"));
  scene.open_crowd(2, large);
  scene.rounds(2, [&] {
    scene.goes_on("the store was opened");
    scene.strike("fill", scene.crowd_pids());
    const std::uint64_t before = scene.heard(&Counters::full);
    if (!scene.hears(&Counters::full, 20, std::chrono::seconds{30}))
      throw Fault("did not bite: of all writes after fill, " + std::to_string(scene.heard(&Counters::full) - before) +
                      " were answered full, wanted 20",
                  {"R2"});
    scene.bit("full_answers", scene.heard(&Counters::full) - before);
    reads_go_on(scene, *reader, "of a full store");
    scene.strike("unfill", scene.crowd_pids());
    scene.goes_on("there was room again");
  });
  must(ask_until(*reader, put("again", "here"), "ok"), "ok", "a write after there was room again", {"R2"});
  reader->stop();
  scene.judge();
  scene.demand("full_answers", 40);
}

/// An embedded store's callers open it anew: what they opened before may be written as before.
void reopen(Scene& scene, std::unique_ptr<CallerProcess>& caller, std::string_view word) {
  if (!scene.embedded()) {
    scene.strike(word, {});
    return;
  }
  if (caller) caller->stop();
  caller.reset();
  scene.strike(word, {});
  caller = scene.caller();
}

void read_only(Scene& scene) {
  auto caller = scene.caller();
  ok(*caller, put("known", "here"));
  scene.open_crowd();
  scene.goes_on("the store was opened");
  if (scene.embedded()) scene.stop_crowd();
  reopen(scene, caller, "read_only");
  const json::object refused = ask_until(*caller, put("refused", "x"), "read_only", std::chrono::seconds{10});
  must(refused, "read_only", "did not bite: a write after the driver was asked for read_only", {"R2"});
  scene.bit("read_only_answers");
  reads_go_on(scene, *caller, "of a store that takes no writes");
  must(caller->ask({{"op", "get"}, {"key", "refused"}}), "not_found", "what was refused", {"R2"});
  reopen(scene, caller, "writable");
  must(ask_until(*caller, put("taken", "x"), "ok"), "ok", "a write after the store took writes again", {"R5"});
  if (scene.embedded()) scene.open_crowd();
  scene.goes_on("the store took writes again");
  caller->stop();
  scene.judge();
  scene.demand("read_only_answers");
}

}  // namespace

void add_room_checks() {
  add_server_check("full", {"R2", "R5"},
                   "A store without room refuses cleanly, is read, and goes on once there is room.",
                   {.words = {"fill", "unfill"}, .body = full, .rounds = true});
  add_server_check("read_only", {"R2", "R5"}, "A server that takes no writes says so, and is read.",
                   {.words = {"read_only", "writable"}, .body = read_only});
}

}  // namespace stile::conformance::servers
