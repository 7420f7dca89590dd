// What a whole run needs that has a driver: a server of its own, and that nothing stays behind.
//
// SPDX-License-Identifier: Apache-2.0
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <stdexcept>
#include <system_error>

#include "servers/driver.hpp"
#include "servers/servers.hpp"
#include "types/pipe.hpp"

namespace stile::conformance::servers {
namespace {

constexpr Duration starting = std::chrono::seconds{90}, ending = std::chrono::seconds{15};

bool adopting = false;
pid_t spared = 0;

/// The process that holds the server: orphans of the driver come to it, and not to the runner.
[[noreturn]] void hold_server(const std::string& command, const std::string& folder, int slowness, int said, int hold) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (int number : {SIGINT, SIGTERM, SIGHUP}) signal(number, SIG_DFL);
  adopt_orphans();
  try {
    Driver driver(command, folder, slowness);
    const std::string line = json::serialize(json::object{{"config", driver.start().config}}) + "\n";
    if (write(said, line.data(), line.size()) < 0) _exit(1);
    char byte;
    while (read(hold, &byte, 1) > 0 || errno == EINTR) errno = 0;
    driver.end();
  } catch (const std::exception& error) {
    const std::string line = json::serialize(json::object{{"error", error.what()}}) + "\n";
    if (write(said, line.data(), line.size()) < 0) end_children();
  }
  end_children();
  _exit(0);
}

}  // namespace

ForRun::ForRun(const std::string& driver, const std::string& folder, bool start, int slowness, int (*stop)()) {
  adopt_orphans();
  adopting = true;
  if (!start) return;
  auto said = types::make_pipe();
  auto hold = types::make_pipe();
  pid_ = fork();
  if (pid_ == 0) {
    close(said[0]);
    close(hold[1]);
    hold_server(driver, folder, slowness, said[1], hold[0]);
  }
  spared = pid_;
  close(said[1]);
  close(hold[0]);
  hold_ = hold[1];
  if (pid_ < 0) throw std::system_error(errno, std::generic_category(), "fork");
  hear(said[0], starting * slowness, stop);
  close(said[0]);
}

void ForRun::hear(int said, Duration patience, int (*stop)()) {
  const Deadline end = std::chrono::steady_clock::now() + patience;
  std::string heard;
  while (heard.find('\n') == std::string::npos && stop() == 0 && std::chrono::steady_clock::now() < end) {
    pollfd fd{said, POLLIN, 0};
    if (poll(&fd, 1, 50) <= 0) continue;
    char buffer[4096];
    ssize_t n = read(said, buffer, sizeof buffer);
    if (n <= 0) break;
    heard.append(buffer, static_cast<std::size_t>(n));
  }
  if (stop() != 0) return;
  if (!heard.ends_with('\n')) throw std::runtime_error("the driver starts no server: it was given up");
  const json::object line = json::parse(heard).as_object();
  if (const json::value* error = line.if_contains("error"))
    throw std::runtime_error(json::value_to<std::string>(*error));
  config_ = json::value_to<std::string>(line.at("config"));
}

ForRun::~ForRun() {
  if (pid_ > 0) {
    close(hold_);
    int status = 0;
    if (!eventually(ending, [&] { return waitpid(pid_, &status, WNOHANG) == pid_; })) {
      ::kill(-pid_, SIGKILL);
      waitpid(pid_, nullptr, 0);
    }
  }
  spared = 0;
  sweep();
  adopting = false;
}

void sweep() {
  if (adopting) end_children({spared});
}

}  // namespace stile::conformance::servers
