// A program's calls over a line that loses messages: its handle sends them again, and all is as if nothing was lost.
//
// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "check.hpp"
#include "faults/faults.hpp"
#include "stile/store.hpp"
#include "store/layers.hpp"

namespace stile::conformance::faults {
namespace {

constexpr unsigned usual_rounds = 30;
constexpr Duration hour = std::chrono::hours{1};

/// Shares of what is said that are lost, and of sessions and connections.
struct Losses {
  const char *requests, *replies, *sessions, *connections;
};
constexpr Losses bad{"0.25", "0.25", "0.1", "0.1"}, hopeless{"0.2", "0.6", "0.3", "0.2"};

/// The store behind a line that loses a share of what is said, and a handle on it.
class LossyLine {
 public:
  LossyLine(const std::shared_ptr<store::Backend>& store, std::uint64_t seed, const Losses& losses)
      : line_(store::apply_layer("chaos",
                                 {{"seed", std::to_string(seed)},
                                  {"lose_request", losses.requests},
                                  {"lose_reply", losses.replies},
                                  {"cut", losses.sessions},
                                  {"refuse", losses.connections}},
                                 store)),
        handle_(open()) {}

  const Store& handle() const { return handle_; }
  void count(Outcome& outcome) const {
    for (const auto& [name, times] : store::layer_counts(*line_))
      if (name == "lost_requests" || name == "lost_replies") outcome.faults[name] += times;
  }
  bool bitten() const {
    Outcome so_far;
    count(so_far);
    return so_far.faults["lost_requests"] >= 5 && so_far.faults["lost_replies"] >= 5;
  }

 private:
  /// Who opens a store is told when it cannot be reached, and opens it again.
  Store open() const {
    for (int tries = 1;; ++tries) {
      try {
        return Store(line_);
      } catch (const Error& error) {
        if (error.status() != Status::unavailable || tries == 100) throw;
      }
    }
  }

  std::shared_ptr<store::Backend> line_;
  Store handle_;
};

class Program {
 public:
  explicit Program(const Target& target) : target_(target), store_(target.open_as_program(target.fresh_namespace())) {}

  Outcome run() {
    const auto rounds = static_cast<unsigned>(usual_rounds * target_.scale);
    const Store behind(store_);
    const LossyLine line(store_, target_.seed, bad);
    unsigned done = 0;
    for (; found_.verdict == Verdict::passed && (done < rounds || (!line.bitten() && done < rounds * 10)); ++done)
      round(line.handle(), std::to_string(done));
    line.count(found_);
    if (found_.verdict == Verdict::passed && !line.bitten()) fail("the fault did not bite: nothing was lost", {});
    if (found_.verdict == Verdict::passed && target_.facts.does("append")) messages(behind, done);
    if (found_.verdict == Verdict::passed && target_.facts.does("put")) without_an_end(behind, rounds);
    return std::move(found_);
  }

 private:
  void fail(std::string text, std::vector<std::string> ids) {
    found_.verdict = Verdict::failed;
    found_.text += std::move(text) + "\n";
    found_.ids = std::move(ids);
  }

  /// The answer, which must be ok: whatever was lost on the way there or back was sent again.
  template <class Request>
  std::optional<typename Request::Answer> must(const Store& handle, const std::string& what, const Request& request,
                                               std::vector<std::string> ids) {
    ++found_.counted;
    auto answer = handle.try_call(request);
    if (answer) return std::move(answer).value();
    fail(what + ", sent again whenever its request or its reply was lost: " + name_of(answer.status()) + ": " +
             answer.failure().text,
         std::move(ids));
    return std::nullopt;
  }

  void round(const Store& handle, const std::string& i) {
    const Facts& facts = target_.facts;
    const std::string document = "d" + i, held = "held" + i, job = "job" + i;
    if (facts.does("append")) must(handle, "append to w", Append{.workflow = "w", .value = i}, {"R1", "I3"});
    if (facts.does("put"))
      must(handle, "put " + document + " if absent", Put{.key = document, .value = i, .condition = If::absent()},
           {"R1", "K3"});
    if (facts.does("acquire")) {
      const auto granted =
          must(handle, "acquire " + held, Acquire{.workflow = held, .ttl = hour, .budget = hour}, {"R1", "A9"});
      if (granted)
        must(handle, "record in " + held, Record{.workflow = held, .fence = granted->fence, .key = "k", .value = i},
             {"R1", "A4"});
    }
    if (facts.does("receive")) work(handle, job);
  }

  /// Woken once, handed out once: a delivery whose reply was lost must come, and no other.
  void work(const Store& handle, const std::string& job) {
    must(handle, "enqueue " + job, Enqueue{.workflow = job}, {"R1", "W1"});
    const auto received =
        must(handle, "receive", Receive{.lease = hour, .wait = std::chrono::seconds{5}}, {"R1", "W6"});
    if (!received) return;
    if (received->deliveries.size() != 1 || received->deliveries[0].workflow != job)
      return fail("after enqueue of " + job +
                      " a receive whose reply may have been lost, sent again with `again`, gave " +
                      (received->deliveries.empty() ? "nothing" : received->deliveries[0].workflow),
                  {"R1", "W1"});
    const Delivery& delivery = received->deliveries[0];
    if (delivery.delivery_count != 1)
      fail(job + " was delivered " + std::to_string(delivery.delivery_count) + " times", {"R1", "D5"});
    must(handle, "ack of " + job, Ack{.receipt = delivery.receipt}, {"R1", "D6"});
  }

  void messages(const Store& behind, unsigned rounds) {
    const auto loaded = must(behind, "load", Load{.workflow = "w", .limit = rounds * 2 + 10}, {"B6"});
    if (loaded && loaded->records.size() != rounds)
      fail(std::to_string(rounds) + " messages were accepted, and " + std::to_string(loaded->records.size()) +
               " are there",
           {"R1", "I3"});
  }

  /// A line so bad that calls end without an answer: what is refused in the end must not have happened.
  void without_an_end(const Store& behind, unsigned rounds) {
    std::optional<LossyLine> line;
    std::uint64_t doubtful = 0;
    const unsigned wanted = rounds / 6;
    for (unsigned i = 0; i < rounds || (doubtful < wanted && i < rounds * 20); ++i) {
      if (found_.verdict != Verdict::passed) return;
      if (i % 4 == 0) line.emplace(store_, target_.seed + 1 + i, hopeless);  // one that fails often is used less often
      const std::string key = "hopeless" + std::to_string(i);
      const CallOptions soon{.timeout = std::chrono::milliseconds{20}};
      const auto answer = line->handle().try_call(Put{.key = key, .value = "x", .condition = If::absent()}, soon);
      const bool there = behind.get(key).has_value();
      ++found_.counted;
      doubtful += answer.status() == Status::unknown;
      if (answer && !there) fail("put " + key + " answered ok, and it is not there", {"R2"});
      if (!answer && answer.status() != Status::unknown && there)
        fail("put " + key + " was answered " + std::string(name_of(answer.status())) +
                 ", which says that it did not happen, and it is there",
             {"R2"});
    }
    found_.faults["left_in_doubt"] += doubtful;
    if (found_.verdict == Verdict::passed && doubtful < wanted)
      fail("the fault did not bite: left_in_doubt is " + std::to_string(doubtful), {});
  }

  const Target& target_;
  std::shared_ptr<store::Backend> store_;
  Outcome found_{};
};

}  // namespace

void add_handle(const Target&) {
  add_fault("handle_sends_again",
            "A program's handle over a line that loses requests and replies: each call happens once, and says so.",
            {"R1", "R2", "A9", "I3", "K3", "D6", "W1"}, std::chrono::seconds{120},
            [](const Target& target) { return Program(target).run(); });
}

}  // namespace stile::conformance::faults
