// Playing the steps of many workflows side by side, and keeping the tokens they were given.
//
// SPDX-License-Identifier: Apache-2.0
#include "model/stage.hpp"

#include <algorithm>

namespace stile::conformance::model {

namespace {

constexpr std::size_t side_by_side = 16;

/// The last of a list that is not the current one.
std::optional<std::string> before(const std::vector<std::string>& all, const std::optional<std::string>& current) {
  auto found = std::find_if(all.rbegin(), all.rend(), [&](const std::string& each) { return each != current; });
  return found == all.rend() ? std::nullopt : std::optional(*found);
}

}  // namespace

const Workflow* Stage::find(const std::string& id) const {
  auto place = world().workflows.find(id);
  return place == world().workflows.end() ? nullptr : &place->second;
}

const Tokens& Stage::tokens(const std::string& id) const {
  static const Tokens none;
  auto place = tokens_.find(id);
  return place == tokens_.end() ? none : place->second;
}

std::optional<std::string> Stage::fence(const std::string& id) const {
  const Workflow* workflow = find(id);
  return workflow && workflow->lease ? std::optional(workflow->lease->fence) : std::nullopt;
}

std::optional<std::string> Stage::older_fence(const std::string& id) const {
  return before(tokens(id).fences, fence(id));
}

std::optional<std::string> Stage::receipt(const std::string& id) const {
  const Workflow* workflow = find(id);
  bool in_flight = workflow && workflow->wakeup && workflow->wakeup->state == Wakeup::State::in_flight;
  return in_flight ? std::optional(workflow->wakeup->receipt) : std::nullopt;
}

std::optional<std::string> Stage::older_receipt(const std::string& id) const {
  return before(tokens(id).receipts, receipt(id));
}

std::optional<std::string> Stage::version(const std::string& key) const {
  auto place = world().documents.find(key);
  bool there = place != world().documents.end() && place->second.live(trial_.now());
  return there ? std::optional(place->second.version) : std::nullopt;
}

std::optional<std::string> Stage::older_version(const std::string& key) const {
  return before(tokens(key).versions, version(key));
}

void Stage::note(const std::string& id, const json::object& request, const json::object& answer) {
  Tokens& tokens = tokens_[id];
  Said given(answer);
  if (request.contains("op_id")) tokens.writes.push_back(request);
  if (given.has("fence")) tokens.fences.push_back(given.bytes("fence"));
  for (const Said& delivery : given.objects("deliveries")) {
    tokens.receipts.push_back(delivery.bytes("receipt"));
    if (delivery.has("fence")) tokens.fences.push_back(delivery.bytes("fence"));
  }
  if (given.bytes("status") == "ok" && given.has("version")) tokens.versions.push_back(given.bytes("version"));
}

void Stage::say(const std::vector<std::pair<std::string, json::object>>& requests, std::vector<Differs>& found) {
  for (std::size_t begin = 0; begin < requests.size(); begin += side_by_side) {
    std::vector<json::object> some;
    for (std::size_t i = begin; i < std::min(begin + side_by_side, requests.size()); ++i) {
      some.push_back(requests[i].second);
      trial_.give_op_id(some.back());
    }
    std::vector<json::object> answers = trial_.exchange(some, found);
    for (std::size_t i = 0; i < answers.size(); ++i) note(requests[begin + i].first, some[i], answers[i]);
  }
}

}  // namespace stile::conformance::model
