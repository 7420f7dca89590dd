// A process that forks with a store open: the child is refused, and the parent's store goes on.
//
// SPDX-License-Identifier: Apache-2.0
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <future>

#include "check.hpp"
#include "dialogue/match.hpp"
#include "faults/faults.hpp"
#include "types/pipe.hpp"

namespace stile::conformance::faults {
namespace {

const json::object put{{"op", "put"}, {"key", "k"}, {"value", "v"}};
const json::object get{{"op", "get"}, {"key", "k"}};

bool refused(const json::object& answer) {
  return answer.at("status") == "invalid" || answer.at("status") == "unavailable";
}

/// In the child: uses what its parent opened, then opens the store itself. Empty, or what is wrong.
std::string use_in_child(const Target& target, const std::string& ns, std::shared_ptr<store::Backend>& store,
                         std::unique_ptr<Client>& client) {
  const json::object change{{"op", "put"}, {"key", "k"}, {"value", "of the child"}};
  json::object answer = client->call(change, std::chrono::seconds{5});
  if (!refused(answer)) return "through its parent's session: " + brief(change) + " -> " + brief(answer);
  try {
    Client another(store);
    answer = another.call(change, std::chrono::seconds{5});
    if (!refused(answer)) return "through its parent's store: " + brief(change) + " -> " + brief(answer);
  } catch (const Error& error) {
    if (error.status() != Status::invalid && error.status() != Status::unavailable)
      return std::string("connecting on its parent's store: ") + error.what();
  }
  client.reset();
  store.reset();
  Client own(target.open(ns));
  answer = own.call(target.facts.can("cross_process") ? get : put);
  return answer.at("status") == "ok" ? "" : "through a store that the child opened: " + brief(answer);
}

Outcome fail(std::string text) { return {Verdict::failed, std::move(text), {}, 1}; }

/// How the child ended, killed after a while.
std::string wait_for(pid_t pid, int said) {
  std::string text;
  char buffer[4096];
  for (;;) {
    ssize_t n = read(said, buffer, sizeof buffer);
    if (n <= 0) break;
    text.append(buffer, static_cast<std::size_t>(n));
  }
  close(said);
  int status = 0;
  waitpid(pid, &status, 0);
  if (WIFSIGNALED(status)) return "the child was killed by signal " + std::to_string(WTERMSIG(status));
  return text;
}

Outcome fork_after_open(const Target& target) {
  const std::string ns = target.fresh_namespace();
  std::shared_ptr<store::Backend> store = target.open(ns);
  auto client = std::make_unique<Client>(store);
  if (json::object answer = client->call(put); answer.at("status") != "ok") return fail("before it: " + brief(answer));
  Outcome outcome;
  for (int turn = 0; turn < 3; ++turn) {
    const std::array<int, 2> said = types::make_pipe();
    const pid_t pid = fork();
    if (pid == 0) {
      close(said[0]);
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      alarm(60);  // hung is killed
      std::string wrong;
      try {
        wrong = use_in_child(target, ns, store, client);
      } catch (const std::exception& error) {
        wrong = error.what();
      }
      types::write_all(said[1], wrong);
      _exit(0);
    }
    close(said[1]);
    // While the child lives, and after it.
    const json::object during = client->call(get);
    const std::string wrong = wait_for(pid, said[0]);
    ++outcome.faults["forked_with_a_store_open"];
    if (!wrong.empty()) return fail("in a child forked with the store open: " + wrong);
    const json::object after = client->call(get);
    for (const json::object& answer : {during, after})
      if (answer.at("status") != "ok" || answer.at("value") != "v")
        return fail("in the parent: " + brief(get) + " -> " + brief(answer));
    Client fresh(store);
    if (json::object answer = fresh.call(put); answer.at("status") != "ok")
      return fail("through a new session of the parent: " + brief(answer));
  }
  return outcome;
}

/// A receiver that waits in the parent hears of what comes after the fork.
Outcome fork_while_waiting(const Target& target) {
  auto store = target.open(target.fresh_namespace());
  Client waiting(store), other(store);
  const json::object receive{{"op", "receive"}, {"lease", "1h"}, {"wait", "15s"}};
  auto received = std::async(std::launch::async, [&] { return waiting.call(receive, std::chrono::seconds{20}); });
  other.pass(Duration{20'000}, target.facts);
  const pid_t pid = fork();
  if (pid == 0) _exit(0);
  waitpid(pid, nullptr, 0);
  const json::object enqueue{{"op", "enqueue"}, {"workflow", "w"}};
  const json::object queued = other.call(enqueue);
  const json::object answer = received.get();
  if (queued.at("status") != "ok" || answer.at("status") != "ok" || answer.at("deliveries").as_array().size() != 1)
    return fail("a receiver waited while its process forked; then: " + brief(enqueue) + " -> " + brief(queued) +
                "\n    the receiver was told " + brief(answer));
  Outcome outcome;
  outcome.faults["forked_with_a_store_open"] = 1;
  return outcome;
}

}  // namespace

void add_forks(const Target& target) {
  if (target.facts.does("put") && target.facts.does("get"))
    add_fault("fork_after_open", "In a forked child the parent's store is refused; the parent's goes on.",
              {"R2", "R4", "R5"}, std::chrono::seconds{240}, fork_after_open);
  if (target.facts.does("receive"))
    add_fault("fork_while_waiting", "A receiver goes on waiting while its process forks.", {"W1", "W4"},
              std::chrono::seconds{240}, fork_while_waiting);
}

}  // namespace stile::conformance::faults
