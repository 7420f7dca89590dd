// The situations, operation by operation.
//
// SPDX-License-Identifier: Apache-2.0
#include "faults/scripts.hpp"

#include <algorithm>
#include <array>

#include "dialogue/requests.hpp"

namespace stile::conformance::faults {
namespace {

const Line acquire = "acquire w ttl=$L budget=10h";
const Line succeed = "acquire w ttl=1h budget=10h";
const Line force = "acquire w ttl=1h budget=10h force=true";
const Line enqueue = "enqueue w";
const Line receive = "receive lease=$L";
const Line take = "receive lease=$L acquire.ttl=$L acquire.budget=10h";
const Line again = "receive lease=1h";
const Line record = "record w fence=$fence key=k value=v";

std::vector<Script> of_leases() {
  return {
      {"acquire_free", {}, acquire, {succeed}, {}, {}},
      {"acquire_held", {acquire}, succeed, {succeed}, {}, {}},
      {"acquire_released", {acquire, "release w fence=$fence"}, acquire, {}, {}, {}},
      {"acquire_lapsed", {"acquire w ttl=20ms budget=20ms", "pass"}, acquire, {}, {}, {}},
      {"acquire_by_force", {enqueue, "receive lease=20h", "acquire w ttl=20h budget=20h"}, force, {}, {}, {}},
      {"renew", {acquire}, "renew w fence=$fence ttl=2h", {succeed}, {}, {}},
      {"renew_with_budget", {acquire}, "renew w fence=$fence ttl=2h budget=20h", {succeed}, {}, {}},
      {"release", {acquire, record}, "release w fence=$fence", {succeed}, {succeed}, {}},
      {"release_late", {acquire, force}, "release w fence=$older_fence", {}, {}, {}},
  };
}

std::vector<Script> of_records() {
  const std::vector<Line> later = {"supply w key=later value=x", force};
  return {
      {"record", {acquire}, record, {succeed}, later, {}},
      // What changed nothing is not remembered (R1): only what fences nobody may come after.
      {"record_loses", {"supply w key=k value=other", acquire}, record, {succeed}, {"supply w key=later value=x"}, {}},
      {"record_equal", {"supply w key=k value=v", acquire}, record, {succeed}, {"supply w key=later value=x"}, {}},
      {"record_fenced", {acquire, force}, "record w fence=$older_fence key=k value=v", {}, later, {}},
      {"record_after_release", {acquire, "release w fence=$fence"}, record, {succeed}, later, {}},
      {"supply", {}, "supply w key=k value=v", {}, later, {}},
      {"supply_loses", {acquire, record}, "supply w key=k value=other", {}, later, {}},
      {"supply_wakes", {}, "supply w key=k value=v enqueue=true", {}, {again, "ack receipt=$receipt"}, {"one_commit"}},
      {"supply_wakes_in_flight",
       {enqueue, receive},
       "supply w key=k value=v enqueue=true",
       {again},
       {"ack receipt=$receipt", again, "ack receipt=$receipt"},
       {"one_commit"}},
      {"append", {}, "append w value=v", {}, later, {}},
      {"append_named", {}, "append w value=v message_id=m", {}, later, {}},
      {"append_duplicate", {"append w value=v message_id=m"}, "append w value=u message_id=m", {}, later, {}},
      {"append_wakes", {}, "append w value=v enqueue=true", {}, {again, "ack receipt=$receipt"}, {"one_commit"}},
      {"transact", {acquire}, "transact w fence=$fence key=k effect=$giving", {succeed}, later, {"effects"}},
      {"transact_recorded",
       {"supply w key=k value=v", acquire},
       "transact w fence=$fence key=k effect=$giving",
       {succeed},
       {"supply w key=later value=x"},
       {"effects"}},
      {"transact_fails", {acquire}, "transact w fence=$fence key=k effect=$failing", {succeed}, later, {"effects"}},
      {"rebase",
       {acquire, record, "append w value=m"},
       "rebase w fence=$fence key=base value=all",
       {succeed},
       later,
       {}},
      {"rebase_inbox",
       {acquire, record, "append w value=m", "append w value=n"},
       "rebase w fence=$fence key=base value=all inbox_after=$inbox",
       {succeed},
       later,
       {}},
      {"discard", {acquire, record}, "discard w", {}, {"supply w key=new value=x"}, {}},
      {"discard_with_wakeup", {enqueue, receive}, "discard w", {again}, {"ack receipt=$receipt", enqueue}, {}},
      {"discard_and_cancel", {enqueue, "supply w key=k value=v"}, "discard w cancel=true", {}, {enqueue}, {}},
      {"request_cancel", {acquire}, "request_cancel w", {}, later, {}},
      {"request_cancel_unknown", {}, "request_cancel w", {}, later, {}},
      {"load", {acquire, record}, "load w", {succeed}, {}, {}},
      {"watch", {acquire, record}, R"(watch workflows=[{"workflow":"w","after":0}] wait=0)", {}, {}, {"push_records"}},
  };
}

std::vector<Script> of_wakeups() {
  const std::vector<Line> handled = {again, "ack receipt=$receipt"};
  return {
      {"enqueue", {}, enqueue, {}, handled, {}},
      {"enqueue_delayed", {}, "enqueue w delay=5h queue=q", {}, {"supply w key=k value=v"}, {}},
      {"enqueue_coalesced", {"enqueue w delay=5h"}, enqueue, {}, handled, {}},
      {"enqueue_deferred",
       {enqueue, receive},
       enqueue,
       {again},
       {"ack receipt=$receipt", again, "ack receipt=$receipt"},
       {}},
      {"enqueue_dead", {enqueue, receive, "reject receipt=$receipt error=e"}, enqueue, {}, {}, {}},
      {"enqueue_revives",
       {enqueue, receive, "reject receipt=$receipt error=e"},
       "enqueue w revive=true",
       {},
       {again, "reject receipt=$receipt"},
       {}},
      {"receive", {enqueue}, "receive lease=$L again=true", {"receive lease=1h"}, {"ack receipt=$receipt"}, {}},
      {"receive_two",
       {enqueue, "pass", "enqueue v"},
       "receive lease=$L again=true max=2",
       {"receive lease=1h"},
       {},
       {}},
      {"receive_nothing", {}, "receive lease=$L again=true", {}, {}, {}},
      {"receive_with_lease",
       {enqueue, "supply w key=k value=v"},
       "receive lease=$L acquire.ttl=$L acquire.budget=10h load.limit=10 again=true",
       {"receive lease=1h"},
       {"ack receipt=$receipt"},
       {"coupled_receive"}},
      {"receive_put_off",
       {succeed, enqueue},
       "receive lease=$L acquire.ttl=$L acquire.budget=10h again=true",
       {},
       {},
       {"coupled_receive"}},
      {"extend", {enqueue, receive}, "extend receipt=$receipt lease=2h", {again}, {}, {}},
      {"extend_with_fence",
       {enqueue, take},
       "extend receipt=$receipt lease=2h fence=$fence ttl=2h",
       {succeed},
       {},
       {"coupled_receive"}},
      {"cancel", {enqueue}, "cancel w", {}, {enqueue}, {}},
      {"cancel_in_flight", {enqueue, receive}, "cancel w", {again}, {enqueue, again}, {}},
      {"cancel_nothing", {}, "cancel w", {}, {"supply w key=k value=v"}, {}},
  };
}

std::vector<Script> of_answers() {
  const std::vector<Line> next = {enqueue, again};
  const Line fenced = " fence=$fence release=true";
  const std::vector<Line> other = {again};
  std::vector<Script> all = {
      {"ack", {enqueue, receive}, "ack receipt=$receipt", other, next, {}},
      {"ack_requeues", {enqueue, receive, enqueue}, "ack receipt=$receipt", other, {again}, {}},
      {"ack_finished",
       {enqueue, take, record},
       "ack receipt=$receipt finished=true" + fenced,
       {succeed},
       next,
       {"coupled_receive"}},
      {"ack_stale", {enqueue, receive, "nack receipt=$receipt", again}, "ack receipt=$older_receipt", {}, {}, {}},
      {"ack_cancelled", {enqueue, receive, "cancel w"}, "ack receipt=$receipt", {}, {}, {}},
      {"snooze", {enqueue, receive}, "snooze receipt=$receipt delay=5h", other, next, {}},
      {"snooze_deferred", {enqueue, receive, enqueue}, "snooze receipt=$receipt delay=5h", other, {again}, {}},
      {"nack", {enqueue, receive}, "nack receipt=$receipt error=e", other, {again}, {}},
      {"nack_with_delay", {enqueue, receive}, "nack receipt=$receipt delay=5h error=e", other, next, {}},
      {"reject", {enqueue, receive}, "reject receipt=$receipt error=e", other, {"enqueue w revive=true", again}, {}},
      {"reject_requeues", {enqueue, receive, enqueue}, "reject receipt=$receipt error=e", other, {again}, {}},
  };
  for (const char* answer : {"snooze delay=5h", "nack error=e", "reject error=e"}) {
    const std::string text = answer;
    const std::size_t blank = text.find(' ');
    all.push_back({text.substr(0, blank) + "_and_release",
                   {enqueue, take, record},
                   text + " receipt=$receipt" + fenced,
                   {succeed},
                   next,
                   {"coupled_receive"}});
    if (text.starts_with("reject")) all.back().after.front() = "enqueue w revive=true";
  }
  return all;
}

std::vector<Script> of_documents() {
  const std::vector<Line> overwritten = {"put d value=later"};
  return {
      {"put", {}, "put d value=v", {}, overwritten, {}},
      {"put_over", {"put d value=u"}, "put d value=v ttl=5h", {}, overwritten, {}},
      {"put_absent", {}, "put d value=v if=absent", {}, {"erase d"}, {}},
      {"put_conflict", {"put d value=u"}, "put d value=v if=absent", {}, overwritten, {}},
      {"put_version", {"put d value=u"}, "put d value=v if=$version", {}, overwritten, {}},
      {"put_old_version", {"put d value=u", "put d value=t"}, "put d value=v if=$older_version", {}, overwritten, {}},
      {"erase", {"put d value=u"}, "erase d", {}, overwritten, {}},
      {"erase_version", {"put d value=u"}, "erase d if=$version", {}, overwritten, {}},
      {"erase_nothing", {}, "erase d", {}, {}, {}},
      {"get", {"put d value=u"}, "get d", {}, {}, {}},
      {"scan", {"put d value=u", "put e value=u"}, "scan prefix=", {}, {}, {}},
  };
}

std::vector<Script> of_the_store() {
  const std::vector<Line> finished = {acquire,
                                      record,
                                      enqueue,
                                      again,
                                      "ack receipt=$receipt finished=true fence=$fence release=true",
                                      "supply v key=k value=x"};
  return {
      {"list", {acquire, enqueue}, "list", {}, {}, {}},
      {"stats", {acquire, enqueue}, "stats", {}, {}, {}},
      {"trim", finished, "trim older_than=0", {}, {"supply w key=k value=again"}, {}},
      {"prepare", {}, "prepare", {}, {}, {}},
      {"info", {}, "info", {}, {}, {}},
  };
}

}  // namespace

const std::vector<Script>& scripts() {
  static const std::vector<Script> all = [] {
    std::vector<Script> made;
    for (auto* part : {of_leases, of_records, of_wakeups, of_answers, of_documents, of_the_store})
      for (Script& script : part()) made.push_back(std::move(script));
    return made;
  }();
  return all;
}

std::string operation_of(const Script& script) { return script.act.substr(0, script.act.find(' ')); }

bool playable(const Script& script, const Facts& facts) {
  auto lines_are_done = [&](const std::vector<Line>& lines) {
    return std::all_of(lines.begin(), lines.end(), [&](const Line& line) {
      const std::string op = line.substr(0, line.find(' '));
      return op == "pass" || facts.does(op);
    });
  };
  const std::string op = operation_of(script);
  const bool done = op == "info" || op == "prepare" || facts.does(op);
  return done && lines_are_done(script.setup) && lines_are_done(script.steal) && lines_are_done(script.after) &&
         std::all_of(script.needs.begin(), script.needs.end(), [&](const std::string& need) {
           return need == "effects" ? !effect_language(facts).empty() : facts.can(need);
         });
}

bool takes_op_id(std::string_view op) {
  static constexpr std::array<std::string_view, 17> kinds{
      "acquire", "record", "supply", "append", "transact", "rebase", "discard", "request_cancel", "enqueue",
      "receive", "ack",    "snooze", "nack",   "reject",   "cancel", "put",     "erase"};
  return std::find(kinds.begin(), kinds.end(), op) != kinds.end();
}

}  // namespace stile::conformance::faults
