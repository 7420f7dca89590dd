// Who does a measurement.
//
// Several processes speak JSON lines: the first one says {"cell": ...} and is told {"ready": true} when it is prepared,
// says {"go": true} and is told {"measured": ...}; or {"failed": ..., "status": ...} at any time.
// SPDX-License-Identifier: Apache-2.0
#include "cli/bench/team.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/json.hpp>
#include <cerrno>
#include <optional>
#include <system_error>

#include "store/open.hpp"

extern char** environ;

namespace stile::cli::bench {
namespace {

namespace json = boost::json;

json::object cell_json(const Cell& cell) {
  return {{"workload", cell.workload}, {"callers", cell.callers}, {"batch", cell.batch}};
}

Cell read_cell(const json::object& told) {
  return {std::string(told.at("workload").as_string()), told.at("callers").to_number<unsigned>(),
          told.at("batch").to_number<unsigned>()};
}

/// Lines over two file descriptors, one at a time.
class Talk {
 public:
  Talk(int in, int out) : in_(in), out_(out) {}

  bool say(const json::object& said) {
    std::string line = json::serialize(said) + "\n";
    for (std::string_view rest = line; !rest.empty();) {
      ssize_t written = write(out_, rest.data(), rest.size());
      if (written < 0 && errno != EINTR) return false;
      rest.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(written, 0)));
    }
    return true;
  }
  /// Nothing at the end.
  std::optional<json::object> hear() {
    for (;;) {
      if (auto end = buffer_.find('\n'); end != std::string::npos) {
        json::object heard = json::parse(buffer_.substr(0, end)).as_object();
        buffer_.erase(0, end + 1);
        return heard;
      }
      char chunk[4096];
      ssize_t got = read(in_, chunk, sizeof(chunk));
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return std::nullopt;
      buffer_.append(chunk, static_cast<std::size_t>(got));
    }
  }

 private:
  int in_, out_;
  std::string buffer_;
};

class Here : public Team {
 public:
  Here(const OpenStore& open, const Run& run) : open_(open), run_(run) {}
  Measured measure(const Cell& cell, std::stop_token stop) override {
    Measurement measurement(open_.store(), open_.trips(), run_.settings, cell);
    measurement.prepare(stop);
    return measurement.run(stop);
  }

 private:
  const OpenStore& open_;
  const Run& run_;
};

int must(int result, const char* what) {
  if (result != 0) throw std::system_error(result, std::generic_category(), what);
  return result;
}

/// Another process of this program. Its end of the pipes closes with it.
class Worker {
 public:
  Worker(const Run& run, unsigned number) {
    int to[2], from[2];
    must(pipe2(to, O_CLOEXEC) ? errno : 0, "pipe");
    must(pipe2(from, O_CLOEXEC) ? errno : 0, "pipe");
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, to[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, from[1], STDOUT_FILENO);
    std::vector<std::string> words = words_of(run, number);
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    int failed = posix_spawn(&process_, "/proc/self/exe", &actions, nullptr, argv.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    close(to[0]);
    close(from[1]);
    in_ = from[0];
    out_ = to[1];
    must(failed, "starting another process");
    talk_.emplace(in_, out_);
  }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  ~Worker() {
    close(out_);  // the end of its input is its end
    close(in_);
    if (process_ > 0) waitpid(process_, nullptr, 0);
  }

  void say(const json::object& said) { talk_->say(said); }
  void end() { kill(process_, SIGTERM); }
  json::object hear() {
    auto heard = talk_->hear();
    if (!heard) throw Error(Status::interrupted, "a process of the measurement ended");
    if (const auto* text = heard->if_contains("failed"))
      throw Error(static_cast<Status>(heard->at("status").to_number<int>()), std::string(text->as_string()));
    return *std::move(heard);
  }

 private:
  static std::vector<std::string> words_of(const Run& run, unsigned number) {
    const Settings& settings = run.settings;
    auto count = [](auto n) { return std::to_string(n); };
    std::vector<std::string> words{"stile", "bench", run.choice.config, "--namespace", run.ns};
    auto add = [&](const char* name, std::string value) { words.insert(words.end(), {name, std::move(value)}); };
    add("--worker", count(number));
    add("--processes", count(settings.processes));
    add("--time", count(settings.time.count()));
    add("--payload", count(settings.payload));
    add("--records", count(settings.records));
    add("--deadline", run.choice.deadline);
    add("--concurrency", count(run.waiting));
    if (!run.choice.plugin_file.empty()) add("--plugin", run.choice.plugin_file);
    return words;
  }

  pid_t process_ = -1;
  int in_ = -1, out_ = -1;
  std::optional<Talk> talk_;
};

class Processes : public Team {
 public:
  explicit Processes(const Run& run) {
    for (unsigned i = 0; i < run.settings.processes; ++i) workers_.push_back(std::make_unique<Worker>(run, i));
  }
  Measured measure(const Cell& cell, std::stop_token stop) override {
    std::stop_callback ends(stop, [this] {
      for (auto& worker : workers_) worker->end();
    });
    for (auto& worker : workers_) worker->say({{"cell", cell_json(cell)}});
    for (auto& worker : workers_) worker->hear();
    for (auto& worker : workers_) worker->say({{"go", true}});
    Measured all;
    for (auto& worker : workers_) all.merge(Measured::read(worker->hear().at("measured").as_object()));
    return all;
  }

 private:
  std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace

OpenStore::OpenStore(const Run& run) {
  store::OpenOptions options;
  options.plugin_file = run.choice.plugin_file;
  options.ns = run.ns;
  options.deadline = run.choice.until();
  OpenOptions handle;
  handle.waiting = run.waiting + 1;
  store_ = std::make_unique<Store>(trips_.around(store::open_backend(run.choice.config, options)), handle);
}

std::unique_ptr<Team> team_here(const OpenStore& open, const Run& run) { return std::make_unique<Here>(open, run); }

std::unique_ptr<Team> team_of_processes(const Run& run) { return std::make_unique<Processes>(run); }

void serve(const Run& run, std::stop_token stop) {
  Talk talk(STDIN_FILENO, STDOUT_FILENO);
  try {
    OpenStore open(run);
    while (auto said = talk.hear()) {
      Cell cell = read_cell(said->at("cell").as_object());
      Measurement measurement(open.store(), open.trips(), run.settings, cell);
      measurement.prepare(stop);
      talk.say({{"ready", true}});
      if (!talk.hear()) return;
      talk.say({{"measured", measurement.run(stop).told()}});
    }
  } catch (const Error& error) {
    talk.say({{"failed", error.what()}, {"status", static_cast<int>(error.status())}});
  }
}

}  // namespace stile::cli::bench
