// A forked child, a pipe for its verdict, and a bound on its life.
//
// SPDX-License-Identifier: Apache-2.0
#include "loader/probe.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <map>
#include <mutex>

#include "loader/library.hpp"
#include "types/text.hpp"

namespace stile::loader {
namespace {

constexpr std::string_view loaded = "+";

void write_all(int to, std::string_view text) {
  while (!text.empty()) {
    ssize_t done = write(to, text.data(), text.size());
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(done));
  }
}

// The child's whole life. What it prints, and its core, are nobody's business.
[[noreturn]] void try_in_child(int to, const std::string& path, const Inspected& inspected) {
  int nowhere = open("/dev/null", O_RDWR);
  for (int standard : {0, 1, 2}) dup2(nowhere, standard);
  rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  try {
    load_library(path, inspected);
    write_all(to, loaded);
  } catch (const std::exception& error) {
    write_all(to, error.what());
  } catch (...) {
    write_all(to, "something was thrown while it was loaded");
  }
  _exit(0);
}

struct Verdictless {
  std::string said;
  bool in_time = true;
};

Verdictless listen(int from, Duration limit) {
  Deadline deadline = std::chrono::steady_clock::now() + limit;
  Verdictless heard;
  while (true) {
    auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    pollfd watched{from, POLLIN, 0};
    int ready =
        left.count() > 0 ? poll(&watched, 1, static_cast<int>(std::min<std::int64_t>(left.count(), 60'000))) : 0;
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0 && std::chrono::steady_clock::now() < deadline) continue;
    if (ready <= 0) {
      heard.in_time = false;
      return heard;
    }
    std::array<char, 4096> buffer;
    ssize_t got = read(from, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return heard;
    heard.said.append(buffer.data(), static_cast<std::size_t>(got));
  }
}

std::string how_it_died(int status, bool in_time) {
  if (!in_time) return "it was not loaded in time: a constructor of it hangs";
  if (WIFSIGNALED(status)) {
    return std::string("it kills the process that loads it: ") + strsignal(WTERMSIG(status)) +
           " in a constructor of it";
  }
  if (WIFEXITED(status)) {
    return "it ends the process that loads it: a constructor of it calls exit(" + std::to_string(WEXITSTATUS(status)) +
           ")";
  }
  return "the process that loads it is gone";
}

// Why the file cannot be used; empty = it can.
std::string try_loading(const std::string& path, const Inspected& inspected, Duration limit) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return std::string("it cannot be tried: ") + std::strerror(errno);
  pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    try_in_child(ends[1], path, inspected);
  }
  close(ends[1]);
  if (child < 0) {
    close(ends[0]);
    return std::string("it cannot be tried: ") + std::strerror(errno);
  }
  Verdictless heard = listen(ends[0], limit);
  close(ends[0]);
  if (!heard.in_time) kill(child, SIGKILL);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (heard.said == loaded) return {};
  return heard.said.empty() || !heard.in_time ? how_it_died(status, heard.in_time) : heard.said;
}

}  // namespace

Probed probe(const std::string& path, Duration limit) {
  static std::mutex mutex;
  static auto* known = new std::map<std::string, std::string>;
  File file(path);
  Probed probed{inspect(file), false, {}, file.failure().empty() ? file.sha256() : ""};
  if (!probed.inspected.good()) {
    probed.reason = probed.inspected.reason;
    return probed;
  }
  std::lock_guard lock(mutex);
  const FileId& id = file.id();
  std::string key = std::to_string(id.device) + ":" + std::to_string(id.inode) + ":" + std::to_string(id.size) + ":" +
                    std::to_string(id.changed) + ":" + probed.sha256;
  auto before = known->find(key);
  if (before == known->end()) before = known->emplace(key, try_loading(path, probed.inspected, limit)).first;
  probed.reason = before->second;
  probed.good = probed.reason.empty();
  return probed;
}

}  // namespace stile::loader
