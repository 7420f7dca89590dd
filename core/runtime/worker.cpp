// Worker and run_pass, as users see them.
//
// SPDX-License-Identifier: Apache-2.0
#include "stile/worker.hpp"

#include "runtime/worker_core.hpp"
#include "stile/testing.hpp"

namespace stile {
inline namespace v1 {

using runtime::End;

Worker::Worker(Store store, const WorkerOptions& options)
    : core_(std::make_shared<runtime::WorkerCore>(std::move(store), options)) {}
Worker::~Worker() = default;
Worker::Worker(Worker&&) noexcept = default;
Worker& Worker::operator=(Worker&&) noexcept = default;

void Worker::add(std::string_view kind, std::shared_ptr<const detail::Body> body) { core_->add(kind, std::move(body)); }
void Worker::run(std::stop_token stop) { core_->run(std::move(stop)); }
unsigned Worker::run_until_idle() { return core_->run_until_idle(); }
WorkerCounts Worker::counts() const { return core_->counts(); }

std::string_view name_of(PassOutcome outcome) {
  switch (outcome) {
    case PassOutcome::completed: return "completed";
    case PassOutcome::sleeping: return "sleeping";
    case PassOutcome::waiting: return "waiting";
    case PassOutcome::retrying: return "retrying";
    case PassOutcome::stuck: return "stuck";
    case PassOutcome::held: return "held";
  }
  return "an outcome outside the list";
}

namespace detail {
namespace {

PassEnd outcome_of(const runtime::Pass& pass, End::Kind kind) {
  const End& end = pass.end();
  PassEnd answer{PassOutcome::held, std::nullopt, end.text};
  if (end.at) answer.due = end.at;
  if (end.delay) answer.due = pass.store_now() + *end.delay;
  switch (kind) {
    case End::Kind::completed: answer.outcome = PassOutcome::completed; break;
    case End::Kind::draining:
    case End::Kind::sleeping: answer.outcome = PassOutcome::sleeping; break;
    case End::Kind::waiting: answer.outcome = PassOutcome::waiting; break;
    case End::Kind::retrying: answer.outcome = PassOutcome::retrying; break;
    case End::Kind::stuck: answer.outcome = PassOutcome::stuck; break;
    case End::Kind::running:
    case End::Kind::trouble: throw Error(Status::unavailable, end.text);
    case End::Kind::lost: break;
  }
  return answer;
}

}  // namespace

PassEnd run_one_pass(const Store& store, std::string_view kind, const Body& body, std::string_view id,
                     const WorkerOptions& options) {
  runtime::WorkerSettings settings(options);
  Deadline sent = std::chrono::steady_clock::now();
  auto acquired = store.try_call(Acquire{.workflow = id, .ttl = settings.lease, .budget = settings.lease});
  if (acquired.status() == Status::held) return {PassOutcome::held, std::nullopt, acquired.failure().text};
  Fence fence = acquired.value().fence;
  bool manual = store.has("manual_clock");
  runtime::StoreClock clock(manual);
  clock.hear(store.info().store_time, std::chrono::steady_clock::now());
  auto life = std::make_shared<runtime::Life>(runtime::Life::Id{Bytes(id), {}, fence},
                                              runtime::Liveness(sent, settings.lease), acquired->cancel_requested);
  runtime::Keeper keeper(store, settings.lease, settings.step_warning);
  keeper.keep(life);
  runtime::Pass pass(store, life, clock,
                     {.check_values = settings.check_values, .build = settings.build, .drain = {}, .keeper = &keeper});
  // The caller owns the body and outlives the pass.
  runtime::Bodies bodies{{std::string(kind), {std::shared_ptr<void>(), &body}}};
  if (pass.load_rest(0)) runtime::drive(pass, bodies);
  auto ended = runtime::answer_lone_pass(pass);
  keeper.forget(life);
  return outcome_of(pass, ended);
}

}  // namespace detail

namespace testing {

Store store() { return open("memory:?clock=manual"); }

}  // namespace testing
}  // namespace v1
}  // namespace stile
