// Actors as processes and as threads.
//
// SPDX-License-Identifier: Apache-2.0
#include "faults/actor.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <condition_variable>
#include <mutex>
#include <system_error>
#include <thread>

#include "types/pipe.hpp"

namespace stile::conformance::faults {
namespace {

bool read_byte(int fd) {
  char byte = 0;
  ssize_t n;
  do n = read(fd, &byte, 1);
  while (n < 0 && errno == EINTR);
  return n == 1;
}

void write_byte(int fd) {
  ssize_t n;
  do n = write(fd, "g", 1);
  while (n < 0 && errno == EINTR);
}

class ProcessActor final : public Actor {
 public:
  ProcessActor(const Site& site, const std::string& who, const Act& act, bool free) {
    auto here = types::make_pipe(), go = types::make_pipe();
    pid_ = fork();
    if (pid_ < 0) throw std::system_error(errno, std::generic_category(), "fork");
    if (pid_ == 0) {
      close(here[0]);
      close(go[1]);
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      live(site, who, act, here[1], go[0], free);
    }
    close(here[1]);
    close(go[0]);
    here_ = here[0];
    go_ = go[1];
  }
  ~ProcessActor() override {
    kill();
    close(here_);
    close(go_);
  }

  bool arrived() override { return read_byte(here_); }
  void let_go() override { write_byte(go_); }
  void kill() override {
    if (pid_ <= 0) return;  // -1 would be everybody
    ::kill(pid_, SIGKILL);
    join();
  }
  void freeze() override {
    if (pid_ <= 0) throw Error(Status::internal, "a worker that ended is to be frozen");
    ::kill(pid_, SIGSTOP);
    int status = 0;
    waitpid(pid_, &status, WUNTRACED);
    if (!WIFSTOPPED(status)) throw Error(Status::internal, "a worker ended before it could be frozen");
  }
  void thaw() override {
    if (pid_ > 0) ::kill(pid_, SIGCONT);
  }
  void join() override {
    if (pid_ <= 0) return;
    int status = 0;
    while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) continue;
    pid_ = -1;
  }

 private:
  [[noreturn]] static void live(const Site& site, const std::string& who, const Act& act, int here, int go, bool free) {
    try {
      Worker worker(site, site.open(), who);
      act(worker, [&](std::size_t, bool) {
        if (free) return;
        write_byte(here);
        if (!read_byte(go)) _exit(0);
      });
      _exit(0);
    } catch (const std::exception& error) {
      std::string text = who + ": " + error.what() + "\n";
      [[maybe_unused]] ssize_t n = write(STDERR_FILENO, text.data(), text.size());
    }
    _exit(1);
  }

  pid_t pid_ = -1;
  int here_ = -1, go_ = -1;
};

class ThreadActor final : public Actor {
 public:
  ThreadActor(const Site& site, std::shared_ptr<store::Backend> store, const std::string& who, Act act, bool free)
      : free_(free), thread_([this, &site, store = std::move(store), who, act = std::move(act)] {
          try {
            Worker worker(site, store, who);
            act(worker, [this](std::size_t, bool) { stand(); });
          } catch (const Killed&) {
          } catch (const std::exception&) {  // the ledger shows how far it came
          }
          std::lock_guard lock(mutex_);
          over_ = true;
          changed_.notify_all();
        }) {}
  ~ThreadActor() override {
    if (thread_.joinable()) kill();
  }

  bool arrived() override {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return over_ || standing_; });
    return standing_;
  }
  void let_go() override {
    std::lock_guard lock(mutex_);
    standing_ = false;
    changed_.notify_all();
  }
  void kill() override {
    {
      std::lock_guard lock(mutex_);
      killed_ = true;
      standing_ = frozen_ = false;
      changed_.notify_all();
    }
    join();
  }
  void freeze() override {
    std::lock_guard lock(mutex_);
    frozen_ = true;
  }
  void thaw() override {
    std::lock_guard lock(mutex_);
    frozen_ = false;
    changed_.notify_all();
  }
  void join() override { thread_.join(); }

 private:
  struct Killed {};

  void stand() {
    std::unique_lock lock(mutex_);
    if (killed_) throw Killed{};
    standing_ = !free_;
    changed_.notify_all();
    changed_.wait(lock, [&] { return killed_ || (!standing_ && !frozen_); });
    if (killed_) throw Killed{};
  }

  const bool free_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool standing_ = false, killed_ = false, frozen_ = false, over_ = false;
  std::thread thread_;
};

std::string read_to_end(int fd) {
  std::string text;
  char buffer[65536];
  for (;;) {
    ssize_t n = read(fd, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return text;
    text.append(buffer, static_cast<std::size_t>(n));
  }
}

}  // namespace

std::unique_ptr<Actor> make_actor(const Site& site, const std::shared_ptr<store::Backend>& shared,
                                  const std::string& who, Act act) {
  if (shared) return std::make_unique<ThreadActor>(site, shared, who, std::move(act), false);
  return std::make_unique<ProcessActor>(site, who, act, false);
}

std::unique_ptr<Actor> make_free_actor(const Site& site, const std::shared_ptr<store::Backend>& shared,
                                       const std::string& who, Act act) {
  if (shared) return std::make_unique<ThreadActor>(site, shared, who, std::move(act), true);
  return std::make_unique<ProcessActor>(site, who, act, true);
}

std::string elsewhere(const Site& site, const std::shared_ptr<store::Backend>& shared, const std::string& who,
                      const std::function<std::string(Worker&)>& act) {
  if (shared) {
    Worker worker(site, shared, who);
    return act(worker);
  }
  auto ends = types::make_pipe();
  pid_t pid = fork();
  if (pid < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (pid == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    try {
      Worker worker(site, site.open(), who);
      types::write_all(ends[1], "+" + act(worker));
    } catch (const std::exception& error) {
      types::write_all(ends[1], std::string("-") + error.what());
    }
    _exit(0);
  }
  close(ends[1]);
  const std::string said = read_to_end(ends[0]);
  close(ends[0]);
  waitpid(pid, nullptr, 0);
  if (said.empty() || said[0] != '+')
    throw Error(Status::internal, who + ": " + (said.empty() ? "it died" : said.substr(1)));
  return said.substr(1);
}

Held held_elsewhere(const Site& site, const std::shared_ptr<store::Backend>& shared) {
  const std::string text = elsewhere(site, shared, "reader", [](Worker& worker) {
    const Held held = read_held(worker.client());
    json::object told, records, states;
    for (const auto& [workflow, list] : held.records)
      for (const Held::Record& one : list) {
        if (!records.contains(workflow)) records[workflow].emplace_array();
        records[workflow].get_array().push_back(json::array{one.key, one.value});
      }
    for (const auto& [workflow, state] : held.states) states[workflow] = state;
    return json::serialize(json::array{records, states});
  });
  Held held;
  const json::array told = json::parse(text).as_array();
  for (const auto& [workflow, list] : told[0].as_object())
    for (const json::value& one : list.as_array())
      held.records[workflow].push_back(
          {std::string(one.as_array()[0].as_string()), std::string(one.as_array()[1].as_string())});
  for (const auto& [workflow, state] : told[1].as_object()) held.states[workflow] = std::string(state.as_string());
  return held;
}

}  // namespace stile::conformance::faults
