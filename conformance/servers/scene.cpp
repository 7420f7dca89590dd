// What a check of level 4 has on stage.
//
// SPDX-License-Identifier: Apache-2.0
#include "servers/scene.hpp"

#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

namespace stile::conformance::servers {
namespace {

constexpr unsigned crowd_threads = 5;  // the last one reads
constexpr Duration lease = std::chrono::milliseconds{300};
constexpr Duration call_patience = std::chrono::milliseconds{1500};
constexpr Duration opening = std::chrono::seconds{40};  // the store's own deadline for it is 20 s
constexpr Duration liveness = std::chrono::seconds{20};

/// The file of this program. Where it is must be read before the mounts are this process's own: a program that runs
/// from others' is afterwards told from their root, which in a chroot is not ours, and so would be all that runs it.
const std::string& own_program() {
  static const std::string file = [] {
    std::error_code failed;
    const std::filesystem::path told = std::filesystem::read_symlink("/proc/self/exe", failed);
    return !failed && std::filesystem::exists(told, failed) ? told.native() : "/proc/self/exe";
  }();
  return file;
}

}  // namespace

CallerProcess::CallerProcess(const Job& job, const Started& started)
    : job_(job),
      program_("caller " + job.name, {own_program(), std::string(caller_word)}, started.environment,
               job.folder + "/" + job.name + ".errors", true) {
  if (job.threads != 0) counters_ = std::make_unique<SharedCounters>(job.folder + "/" + job.name + ".counters");
  program_.say(to_json(job));
}

void CallerProcess::wait_until_open() {
  json::object opened = program_.hear("to open the store", opening);
  if (opened.at("status") != "ok") throw Fault("the store does not open: " + json::serialize(opened));
}

void CallerProcess::begin(const json::object& operation, Duration deadline) {
  program_.say({{"ask", operation}, {"deadline", deadline.count()}});
}

json::object CallerProcess::answer(Duration patience) { return program_.hear("an operation", patience); }

std::optional<json::object> CallerProcess::answer_within(Duration patience) {
  return program_.hear_within("an operation", patience);
}

json::object CallerProcess::ask(const json::object& operation, Duration deadline) {
  begin(operation, deadline);
  // By its deadline it must have answered (R4); the rest is for machines that are busy.
  if (auto heard = answer_within(deadline + std::chrono::seconds{5})) return *heard;
  throw Fault("no answer 5 s after the deadline of " + std::to_string(deadline.count() / 1000) +
                  " ms: " + json::serialize(operation),
              {"R4"});
}

void CallerProcess::stop() {
  program_.close_input();
  if (!program_.ended(std::chrono::seconds{30})) throw Fault("a caller does not end: its calls hang", {"R4"});
  if (program_.status() == 0) return;
  const int status = program_.status();
  throw Fault("a caller ended " +
              (WIFSIGNALED(status) ? "by signal " + std::to_string(WTERMSIG(status))
                                   : "with status " + std::to_string(WEXITSTATUS(status))) +
              ": " + program_.complaints());
}

Scene::Scene(const Target& target, std::vector<std::string> faults, Outcome& outcome)
    : target_(target),
      outcome_(outcome),
      faults_(std::move(faults)),
      folder_(target.folder + "/servers-" + std::to_string(getpid())),
      ns_(target.fresh_namespace()) {
  std::filesystem::create_directories(folder_ + "/callers");
  driver_ = std::make_unique<Driver>(target.driver, folder_ + "/data", target.patience);
}

Scene::~Scene() {
  crowd_.clear();
  driver_.reset();
  std::error_code ignored;
  std::filesystem::remove_all(folder_ + "/data", ignored);
  if (outcome_.history.empty()) std::filesystem::remove_all(folder_, ignored);
}

void Scene::start(bool durable) {
  Started now = driver_->start({faults_, durable});
  // Elsewhere than before: nobody's calls would find it.
  const bool moved = !crowd_.empty() && now.config != started_.config;
  started_ = std::move(now);
  if (!moved) return;
  const auto processes = static_cast<unsigned>(crowd_.size());
  const std::uint64_t value_bytes = crowd_.front()->job().value_bytes;
  stop_crowd();
  open_crowd(processes, value_bytes);
}

json::object Scene::strike(std::string_view word, const std::vector<pid_t>& callers, json::object with) {
  with["callers"] = json::value_from(callers);
  return driver_->order(word, std::move(with));
}

std::uint64_t Scene::seen(const std::string& fault) const {
  auto at = outcome_.faults.find(fault);
  return at == outcome_.faults.end() ? 0 : at->second;
}

void Scene::demand(const std::string& fault, std::uint64_t times) const {
  if (seen(fault) < times)
    throw Fault("did not bite: " + fault + " was seen " + std::to_string(seen(fault)) + " times, wanted " +
                std::to_string(times));
}

Job Scene::job(std::string name) const {
  Job job;
  job.config = started_.config;
  job.plugin_file = target_.plugin_file;
  job.ns = ns_;
  job.name = std::move(name);
  job.folder = folder_ + "/callers";
  job.seed = target_.seed * 1000 + rounds_;
  job.lease = lease.count();
  job.patience = call_patience.count();
  return job;
}

std::unique_ptr<CallerProcess> Scene::caller() {
  auto one = std::make_unique<CallerProcess>(job("c" + std::to_string(++named_)), started_);
  one->wait_until_open();
  return one;
}

void Scene::open_crowd(unsigned processes, std::uint64_t value_bytes) {
  ++rounds_;
  const std::size_t before = crowd_.size();
  for (unsigned i = 0; i < processes; ++i) {
    Job one = job("c" + std::to_string(++named_));
    one.threads = crowd_threads;
    one.value_bytes = value_bytes;
    crowd_.push_back(std::make_unique<CallerProcess>(one, started_));
    gone_.push_back(std::make_unique<SharedCounters>(one.folder + "/" + one.name + ".counters"));
  }
  for (std::size_t i = before; i < crowd_.size(); ++i) crowd_[i]->wait_until_open();
}

std::vector<pid_t> Scene::crowd_pids() const {
  std::vector<pid_t> all;
  for (const auto& one : crowd_) all.push_back(one->pid());
  return all;
}

std::vector<CallerProcess*> Scene::crowd() const {
  std::vector<CallerProcess*> all;
  for (const auto& one : crowd_) all.push_back(one.get());
  return all;
}

std::uint64_t Scene::heard(std::atomic<std::uint64_t> Counters::*counter) const {
  std::uint64_t all = 0;
  for (const auto& one : gone_) all += ((**one).*counter).load();
  return all;
}

bool Scene::hears(std::atomic<std::uint64_t> Counters::*counter, std::uint64_t more, Duration patience) {
  const std::uint64_t before = heard(counter);
  return eventually(patience, [&] { return heard(counter) - before >= more; });
}

void Scene::goes_on(std::string_view after) {
  constexpr std::uint64_t enough = 60;
  if (!hears(&Counters::ok, enough, liveness))
    throw Fault("no " + std::to_string(enough) + " calls were answered ok within 20 s after " + std::string(after),
                {"R5"});
}

void Scene::stop_crowd() {
  for (const auto& one : crowd_) one->program().close_input();
  for (const auto& one : crowd_) one->stop();
  crowd_.clear();
}

void Scene::bury_crowd(const std::string& fault) {
  for (const auto& one : crowd_) {
    if (!one->program().ended(std::chrono::seconds{10}))
      throw Fault("did not bite: " + fault + ": the driver was asked to, and process " + std::to_string(one->pid()) +
                  " lives");
    const int status = one->program().status();
    if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL)
      throw Fault("a caller ended by itself, with wait status " + std::to_string(status) + ": " +
                  one->program().complaints());
    bit(fault);
  }
  crowd_.clear();
}

void Scene::rounds(std::uint64_t least, const std::function<void()>& round) {
  const Deadline end = std::chrono::steady_clock::now() + target_.time;
  for (std::uint64_t i = 0; i < least * target_.scale || std::chrono::steady_clock::now() < end; ++i) round();
}

namespace {

/// So that what a driver mounts is seen by the callers, and gone with them. Where that may not be, it cannot mount.
void enter_own_mounts() {
  own_program();
  if (unshare(CLONE_NEWNS) == 0) mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr);
}

void perform(const Target& target, const Play& what, Outcome& outcome) {
  Scene scene(target, what.words, outcome);
  for (const std::string& word : what.words) {
    if (scene.driver().can(word)) continue;
    outcome.verdict = Verdict::absent;
    outcome.text = scene.driver().name() + " does not say that it can " + word;
    return scene.driver().end();
  }
  scene.start(!what.undurable);
  what.body(scene);
  scene.driver().end();
}

}  // namespace

Outcome play(const Target& target, const Play& what) {
  Outcome outcome;
  outcome.counted = 0;
  if (what.durable && !target.facts.can("durable")) {
    outcome.verdict = Verdict::absent;
    outcome.text = "the store does not declare durable";
    return outcome;
  }
  if (target.facts.part != Part::all) {
    outcome.verdict = Verdict::absent;
    outcome.text =
        "the store keeps " + std::string(name_of(target.facts.part)) + ": level 4 judges those that keep all";
    return outcome;
  }
  if (!target.facts.can("cross_process")) {
    outcome.verdict = Verdict::absent;
    outcome.text = "the store does not declare cross_process: it is gone with its process, and has no server to harm";
    return outcome;
  }
  adopt_orphans();
  enter_own_mounts();
  try {
    perform(target, what, outcome);
  } catch (const Fault& fault) {
    outcome.verdict = Verdict::failed;
    outcome.text = fault.what();
    outcome.ids = fault.ids;
  } catch (const std::exception& error) {  // Misbehaved, and what the machine refuses
    outcome.verdict = Verdict::failed;
    outcome.text = error.what();
  }
  end_children();
  return outcome;
}

}  // namespace stile::conformance::servers
