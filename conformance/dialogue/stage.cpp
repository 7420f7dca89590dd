// What a case is played on: its sessions, stores and namespaces, and calls that run beside it.
//
// SPDX-License-Identifier: Apache-2.0
#include "dialogue/stage.hpp"

#include <poll.h>
#include <unistd.h>

#include <fstream>

namespace stile::conformance {
namespace {

using Clock = std::chrono::steady_clock;

constexpr Duration tidy_for = std::chrono::seconds{2}, rest_within = std::chrono::seconds{2};

json::array list_of(const json::object& answer, std::string_view member) {
  const json::value* list = answer.if_contains(member);
  return list && list->is_array() ? list->get_array() : json::array{};
}

void tidy_workflows(Client& client, Clock::time_point end) {
  while (Clock::now() < end) {
    json::array workflows = list_of(client.call({{"op", "list"}, {"limit", 100}}), "workflows");
    if (workflows.empty()) return;
    for (const json::value& one : workflows)
      client.call({{"op", "discard"}, {"workflow", one.at("workflow")}, {"cancel", true}});
  }
}

void tidy_documents(Client& client, Clock::time_point end) {
  while (Clock::now() < end) {
    json::array documents = list_of(client.call({{"op", "scan"}, {"prefix", ""}, {"limit", 100}}), "documents");
    if (documents.empty()) return;
    for (const json::value& one : documents) client.call({{"op", "erase"}, {"key", one.at("key")}});
  }
}

bool sleeps(int thread) {
  std::ifstream file("/proc/self/task/" + std::to_string(thread) + "/stat");
  std::string text;
  std::getline(file, text, '\0');
  std::size_t name_ends = text.rfind(')');
  return name_ends == std::string::npos || text.compare(name_ends, 3, ") S") == 0;
}

/// Asleep whenever one looks: it is at what it waits for, and not on its way there. One that never sleeps is believed
/// after a while.
void come_to_rest(const Running& call) {
  constexpr int looks = 5;
  const auto end = Clock::now() + rest_within;
  for (int asleep = 0; asleep < looks && !call.done && Clock::now() < end;) {
    poll(nullptr, 0, 1);
    asleep = sleeps(call.thread_id) ? asleep + 1 : 0;
  }
}

}  // namespace

Stage::Stage(const Case& one, const Target& target) : case_(one), target_(target), space_(target.fresh_namespace()) {
  open();
}

Stage::~Stage() {
  interrupt_all();
  for (auto& [name, running] : running_)
    if (running->thread.joinable()) running->thread.join();
}

void Stage::interrupt_all() {
  for (auto& [name, running] : running_) clients_.at(name)->interrupt();
}

void Stage::open() {
  auto backend = target_.open(space_);
  clients_[""] = std::make_unique<Client>(backend);
  for (const Extra& extra : case_.extras) {
    auto under = extra.kind == Extra::Kind::session ? backend : target_.open(space_ + extra.suffix);
    clients_[extra.name] = std::make_unique<Client>(std::move(under));
  }
}

void Stage::start(const std::string& session, json::object request, Duration deadline) {
  auto running = std::make_unique<Running>();
  running->request = std::move(request);
  Running* call = running.get();
  Client* client = clients_.at(session).get();
  call->thread = std::thread([call, client, deadline] {
    auto begun = Clock::now();
    call->thread_id = gettid();
    call->thread_id.notify_one();
    try {
      call->answer = client->call(call->request, deadline);
    } catch (const Error& error) {
      call->answer = {{"status", name_of(error.status())}, {"error", error.what()}};
    }
    call->returned = Clock::now();
    call->took = std::chrono::duration_cast<Duration>(call->returned - begun);
    call->done = true;
  });
  call->thread_id.wait(0);
  const json::value* wait = call->request.if_contains("wait");
  if (wait && *wait != 0 && *wait != "0") come_to_rest(*call);
  running_[session] = std::move(running);
}

bool Stage::returned(const std::string& session) const {
  auto found = running_.find(session);
  return found == running_.end() || found->second->done;
}

std::unique_ptr<Running> Stage::finish(const std::string& session) {
  auto found = running_.find(session);
  if (found == running_.end()) return nullptr;
  auto running = std::move(found->second);
  running_.erase(found);
  running->thread.join();
  return running;
}

void Stage::reopen() {
  clients_.clear();
  open();
}

void Stage::tidy() {
  const Facts& facts = target_.facts;
  if (!facts.can("durable") && !facts.can("cross_process")) return;  // gone with the process
  auto end = Clock::now() + tidy_for;
  for (const auto& [name, client] : clients_) {
    bool space = name.empty();
    for (const Extra& extra : case_.extras) space = space || (extra.name == name && !extra.suffix.empty());
    if (!space) continue;
    if (facts.does("list") && facts.does("discard")) tidy_workflows(*client, end);
    if (facts.does("scan") && facts.does("erase")) tidy_documents(*client, end);
  }
}

}  // namespace stile::conformance
