// From a request to the operation that rules on it.
//
// SPDX-License-Identifier: Apache-2.0
#include "model/model.hpp"

#include <algorithm>
#include <map>

#include "model/operations.hpp"

namespace stile::conformance::model {

namespace {

using Rule = void (*)(Call);

Rule rule_of(const std::string& op) {
  static const std::map<std::string, Rule, std::less<>> rules = {
      {"acquire", acquire}, {"renew", renew},     {"release", release}, {"load", load},
      {"record", record},   {"supply", supply},   {"append", append},   {"transact", transact},
      {"rebase", rebase},   {"discard", discard}, {"watch", watch},     {"request_cancel", request_cancel},
      {"enqueue", enqueue}, {"receive", receive}, {"extend", extend},   {"ack", answer},
      {"snooze", answer},   {"nack", answer},     {"reject", answer},   {"cancel", cancel},
      {"get", get},         {"put", put},         {"erase", erase},     {"scan", scan},
      {"prepare", prepare}, {"info", info},       {"stats", stats},     {"list", list},
      {"trim", trim},       {"advance", advance},
  };
  auto found = rules.find(op);
  return found == rules.end() ? nullptr : found->second;
}

Workflow* workflow_of(World& world, const Said& said) {
  if (said.has("workflow")) return world.find(said.workflow());
  auto receipt = world.receipts.find(said.bytes("receipt"));
  return receipt == world.receipts.end() ? nullptr : world.find(receipt->second);
}

/// When several statuses apply, the first of the list under "Statuses".
void rule(World& world, const Said& said, Reply& reply, Now now, std::string_view before) {
  if (auto fault = argument_fault(world, said, now)) {
    reply.one_of(fault->statuses, fault->ids);
    return;
  }
  if (said.flag("after_ok") && before.empty()) {  // R3: nothing before it
    reply.refuse("invalid", "R3");
    return;
  }
  if (said.flag("after_ok") && before != "ok") {
    reply.refuse("skipped", "R3");
    return;
  }
  Rule operation = rule_of(said.op());
  if (!operation) return reply.leave_open();
  if (Workflow* workflow = workflow_of(world, said)) {
    settle(*workflow, now);
    if (unclear(*workflow, said)) return reply.leave_open();
  }
  operation({world, said, reply, now});
}

/// What trim and `idle_for` count from (T2, S4), and how long what is left of a workflow is kept.
void add_ages(const Workflow& workflow, const Said& said, std::vector<Moment>& out) {
  Time age = said.duration(said.op() == "trim" ? "older_than" : "idle_for");
  std::vector<Moment> since{workflow.first_operation, workflow.last_operation};
  for (const auto& each : {workflow.finished, workflow.touched.surely, workflow.touched.perhaps}) {
    if (each) since.push_back(*each);
  }
  for (Moment each : since) out.push_back(each + age);
  out.push_back(workflow.last_operation + memory_span);
  if (workflow.lease) out.push_back(workflow.lease->live_until + memory_span);
}

std::vector<Moment> moments_of(const Workflow& workflow, const Said& said) {
  std::vector<Moment> out;
  if (said.op() == "trim" || said.has("idle_for")) add_ages(workflow, said, out);
  if (workflow.lease) out.insert(out.end(), {workflow.lease->live_until, workflow.lease->budget_until});
  if (workflow.cancelled_receipt) out.push_back(workflow.cancelled_at + memory_span);
  if (!workflow.wakeup) return out;
  out.push_back(workflow.wakeup->due);
  if (workflow.wakeup->deferred) out.push_back(*workflow.wakeup->deferred);
  if (workflow.wakeup->put_off) out.push_back(*workflow.wakeup->put_off);
  return out;
}

/// Whether what ends in a workflow can change what a request does.
bool meets(const World& world, const Said& said, const std::string& id, const Workflow& workflow) {
  if (said.has("workflow")) return said.workflow() == id;
  if (said.has("receipt")) {
    auto owner = world.receipts.find(said.bytes("receipt"));
    return owner != world.receipts.end() && owner->second == id;
  }
  if (said.op() == "receive" && said.has("queues")) {
    std::vector<std::string> queues = said.list("queues");
    return std::find(queues.begin(), queues.end(), workflow.queue) != queues.end();
  }
  return !said.has("key") && id.starts_with(said.bytes("prefix"));
}

}  // namespace

Ruling Model::apply(const json::object& request, const json::object& answer, Now now, std::string_view before) {
  Said said(request);
  Reply reply(answer);
  world_.passed_over = false;
  rule(world_, said, reply, now, before);
  Ruling ruling{reply.differences(), reply.rests_on(), reply.open()};
  for (Difference& each : ruling.differences) each.text = said.op() + ": " + each.text;
  return ruling;
}

bool Model::determines(const json::object& request, Now now) const {
  Said said(request);
  Model part(world_.terms);
  auto receipt = world_.receipts.find(said.bytes("receipt"));
  if (receipt != world_.receipts.end()) part.world_.receipts.insert(*receipt);
  for (const auto& [id, workflow] : world_.workflows) {
    if (meets(world_, said, id, workflow)) part.world_.workflows.emplace(id, workflow);
  }
  auto document = world_.documents.find(said.bytes("key"));
  if (document != world_.documents.end()) part.world_.documents.insert(*document);
  json::object ok{{"status", "ok"}};
  return !part.apply(request, ok, now, "ok").open;
}

std::vector<Time> Model::ends_within(const json::object& request, Time from, Time to) const {
  Said said(request);
  std::vector<Time> out;
  auto take = [&](Moment each) {
    if (each.latest() > from && each.earliest() <= to) out.push_back(each.at);
  };
  for (const Said& when : {said, said.group("enqueue")}) {
    if (when.has("at")) take({when.number("at"), 0});
  }
  for (const auto& [id, workflow] : world_.workflows) {
    if (!meets(world_, said, id, workflow)) continue;
    for (Moment each : moments_of(workflow, said)) take(each);
  }
  for (const auto& [key, document] : world_.documents) {
    if (said.has("key") && said.bytes("key") != key) continue;
    if (document.there && document.expires) take(*document.expires);
    take((document.there && document.expires ? *document.expires : document.last_operation) + memory_span);
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

std::string describe(const Difference& difference) {
  std::string ids;
  for (std::size_t i = 0; i < difference.ids.size(); ++i) {
    const auto at = difference.ids.begin() + static_cast<std::ptrdiff_t>(i);
    if (std::find(difference.ids.begin(), at, *at) == at) ids += (ids.empty() ? "" : " ") + *at;  // each once
  }
  return "[" + ids + "] " + difference.text;
}

}  // namespace stile::conformance::model
