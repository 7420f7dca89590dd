// Processes, threads and opens of a trial.
//
// SPDX-License-Identifier: Apache-2.0
#include "workloads/stage.hpp"

#include <poll.h>

#include <exception>
#include <memory>
#include <mutex>
#include <thread>

#include "runner/child.hpp"
#include "store/layers.hpp"
#include "workloads/jitter.hpp"

namespace stile::conformance::workloads {
namespace {

/// A trial is some thousand operations; one that hangs must not take the whole check's time.
constexpr std::chrono::seconds limit{150};

/// A child's words: what is wrong, or nothing.
std::string guarded(const std::function<std::string()>& body) try { return body(); } catch (const Error& error) {
  return name_of(error.status()) + ": " + error.what();
} catch (const std::exception& error) {
  return std::string("exception: ") + error.what();
}

/// Runs every body in a process of its own, side by side; what the first of them says that says anything.
std::string in_processes(const std::vector<std::function<std::string()>>& bodies) {
  std::vector<std::unique_ptr<Child>> children;
  for (const auto& body : bodies) children.push_back(std::make_unique<Child>([&body] { return guarded(body); }, limit));
  std::string trouble;
  for (auto& child : children) {
    while (!child->step()) {
      pollfd fds[2] = {{child->said_fd(), POLLIN, 0}, {child->noise_fd(), POLLIN, 0}};
      poll(fds, 2, 5);
    }
    Ended ended = child->take();
    if (trouble.empty())
      trouble = ended.complete ? ended.said : "a process of the workload: " + ended.how() + "\n" + ended.noise;
  }
  return trouble;
}

/// The opens of one process.
class Opens {
 public:
  Opens(const Trial& trial, const Target& target, const Sharing& sharing, const std::string& ns) {
    for (unsigned i = 0; i < std::max(1u, trial.amount.opens); ++i) {
      if (i == 0 || sharing.opens) backend_ = target.open(ns);
      auto store = recorded(with_jitter(backend_, trial.seed), trial.history);
      if (target.facts.is_composed()) store = store::apply_layer("history", {{"file", trial.whole()}}, store);
      stores_.emplace_back(std::move(store));
    }
  }
  const Store& at(std::size_t i) const { return stores_[i % stores_.size()]; }

 private:
  std::shared_ptr<store::Backend> backend_;
  std::vector<Store> stores_;
};

/// The callers of one process, side by side. Throws what the first of them threw.
void call(const Trial& trial, const Target& target, const Opens& opens, Board& board, unsigned first,
          unsigned everybody) {
  std::mutex guard;
  std::exception_ptr thrown;
  std::vector<std::jthread> threads;
  unsigned here = everybody / trial.amount.processes;
  for (unsigned t = 0; t < here; ++t)
    threads.emplace_back([&, t] {
      try {
        Caller caller(opens.at(t), opens.at(t + 1), board, target.facts, trial.amount, first + t, trial.seed);
        board.meet(everybody);
        for (; caller.round() < trial.amount.rounds; caller.next_round()) trial.workload->round(caller);
      } catch (...) {
        std::lock_guard lock(guard);
        if (!thrown) thrown = std::current_exception();
      }
    });
  threads.clear();
  if (thrown) std::rethrow_exception(thrown);
}

std::string told(const Trouble& trouble) {
  std::string text = trouble.text;
  for (const std::string& id : trouble.ids) text = id + "\t" + text;
  return text;
}

Trouble understood(std::string text) {
  Trouble trouble;
  for (std::size_t tab = text.find('\t'); tab <= 3; tab = text.find('\t')) {
    trouble.ids.push_back(text.substr(0, tab));
    text.erase(0, tab + 1);
  }
  trouble.text = std::move(text);
  return trouble;
}

}  // namespace

Sharing sharing_of(const Target& target) {
  Sharing sharing{.processes = target.facts.can("cross_process"), .opens = false};
  std::string said = in_processes({[&] {
    std::string ns = target.fresh_namespace();
    Store one(target.open_as_program(ns)), other(target.open_as_program(ns));
    bool put = one.try_call(Put{.key = "here", .value = "yes"}).ok();
    return std::string(put && other.get("here") ? "shared" : "apart");
  }});
  if (said != "shared" && said != "apart") throw Error(Status::internal, said);
  sharing.opens = said == "shared";
  return sharing;
}

Trouble play(const Trial& wanted, const Target& target, const Sharing& sharing) {
  Trial trial = wanted;
  unsigned everybody = trial.amount.processes * trial.amount.threads;
  if (!sharing.processes) trial.amount.processes = 1;
  Board board;
  std::string ns = target.fresh_namespace();
  auto at_rest = [&](const Store& store) { return told(settle(store, target.facts, *trial.workload, trial.amount)); };
  std::vector<std::function<std::string()>> workers;
  for (unsigned p = 0; p < trial.amount.processes; ++p)
    workers.emplace_back([&, p] {
      Opens opens(trial, target, sharing, ns);
      call(trial, target, opens, board, p * (everybody / trial.amount.processes), everybody);
      return sharing.processes ? std::string() : at_rest(opens.at(0));
    });
  std::string trouble = in_processes(workers);
  if (trouble.empty() && sharing.processes)
    trouble = in_processes({[&] { return at_rest(Opens(trial, target, sharing, ns).at(0)); }});
  return understood(std::move(trouble));
}

}  // namespace stile::conformance::workloads
