// A program beside a check: pipes, deadlines, and that nothing of it stays.
//
// SPDX-License-Identifier: Apache-2.0
#include "servers/program.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <system_error>

#include "runner/results.hpp"
#include "types/pipe.hpp"

namespace stile::conformance::servers {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t longest_line = std::size_t{64} << 20;

int milliseconds_until(Deadline deadline) {
  auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, 60'000));
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> all;
  for (std::string& word : words) all.push_back(word.data());
  all.push_back(nullptr);
  return all;
}

std::vector<std::string> environment_with(const std::map<std::string, std::string>& more) {
  std::vector<std::string> all;
  for (char** one = environ; *one; ++one) {
    std::string_view word = *one;
    if (more.count(std::string(word.substr(0, word.find('=')))) == 0) all.emplace_back(word);
  }
  for (const auto& [name, value] : more) all.push_back(name + "=" + value);
  return all;
}

[[noreturn]] void become(char* const* command, char* const* environment, int in, int out, int errors,
                         bool dies_with_us) {
  if (dies_with_us) prctl(PR_SET_PDEATHSIG, SIGKILL);
  signal(SIGPIPE, SIG_DFL);
  dup2(in, STDIN_FILENO);
  dup2(out, STDOUT_FILENO);
  if (errors >= 0) dup2(errors, STDERR_FILENO);
  execve(command[0], command, environment);
  dprintf(STDERR_FILENO, "%s: %s\n", command[0], strerror(errno));
  _exit(127);
}

}  // namespace

void breathe() { poll(nullptr, 0, 5); }

Program::Program(std::string name, const std::vector<std::string>& command,
                 const std::map<std::string, std::string>& environment, const std::string& errors, bool dies_with_us)
    : name_(std::move(name)), errors_(errors) {
  signal(SIGPIPE, SIG_IGN);
  auto in = types::make_pipe();
  auto out = types::make_pipe();
  int noise = open(errors.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  std::vector<std::string> words = command, settings = environment_with(environment);
  std::vector<char*> arguments = pointers(words), variables = pointers(settings);
  pid_ = fork();
  if (pid_ == 0) become(arguments.data(), variables.data(), in[0], out[1], noise, dies_with_us);
  int failed = errno;
  close(in[0]);
  close(out[1]);
  if (noise >= 0) close(noise);
  in_ = in[1];
  out_ = out[0];
  fcntl(in_, F_SETFL, O_NONBLOCK);
  fcntl(out_, F_SETFL, O_NONBLOCK);
  if (pid_ >= 0) return;
  close(in_);
  close(out_);
  throw std::system_error(failed, std::generic_category(), "fork");
}

Program::~Program() {
  close_input();
  if (out_ >= 0) close(out_);
  if (pid_ <= 0) return;
  ::kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

void Program::fail(const std::string& what) {
  std::string text = name_ + ": " + what;
  if (std::string noise = complaints(); !noise.empty()) text += "; it wrote:\n" + noise;
  throw Misbehaved(text);
}

void Program::say(const json::object& line, Duration patience) {
  const std::string text = json::serialize(line) + "\n";
  const Deadline end = Clock::now() + patience;
  for (std::size_t done = 0; done < text.size();) {
    ssize_t n = write(in_, text.data() + done, text.size() - done);
    if (n > 0) {
      done += static_cast<std::size_t>(n);
    } else if (errno == EAGAIN) {
      pollfd fd{in_, POLLOUT, 0};
      if (poll(&fd, 1, milliseconds_until(end)) == 0 && Clock::now() >= end) fail("it reads nothing any more");
    } else if (errno != EINTR) {
      fail((ended(std::chrono::seconds{2}) ? "it ended, and did not read " : "it is not there to read ") +
           text.substr(0, text.size() - 1));
    }
  }
}

/// False at the deadline. Throws at the end of its output.
bool Program::read_some(Deadline deadline) {
  for (;;) {
    char buffer[16384];
    ssize_t n = read(out_, buffer, sizeof buffer);
    if (n > 0) {
      heard_.append(buffer, static_cast<std::size_t>(n));
      if (heard_.size() > longest_line) fail("it wrote a line without an end");
      return true;
    }
    if (n == 0) fail(ended(std::chrono::seconds{2}) ? "it ended" : "it closed its output");
    if (errno == EINTR) continue;
    if (errno != EAGAIN) fail("its output cannot be read");
    if (Clock::now() >= deadline) return false;
    pollfd fd{out_, POLLIN, 0};
    poll(&fd, 1, milliseconds_until(deadline));
  }
}

std::optional<json::object> Program::hear_within(std::string_view what, Duration patience) {
  const Deadline end = Clock::now() + patience;
  std::size_t stop, looked_at = 0;  // a long line is not looked through again with every piece of it
  while ((stop = heard_.find('\n', looked_at)) == std::string::npos) {
    looked_at = heard_.size();
    if (!read_some(end)) return std::nullopt;
  }
  const std::string line = heard_.substr(0, stop);
  heard_.erase(0, stop + 1);
  boost::system::error_code error;
  json::value value = json::parse(line, error);
  if (!error && value.is_object()) return value.get_object();
  fail("it answered " + std::string(what) + " with what is no object: " + readable(line.substr(0, 200)));
}

json::object Program::hear(std::string_view what, Duration patience) {
  if (auto line = hear_within(what, patience)) return *line;
  auto seconds = std::chrono::duration_cast<std::chrono::seconds>(patience).count();
  fail("it did not answer " + std::string(what) + " within " + std::to_string(seconds) + " s");
}

json::object Program::ask(const json::object& line, std::string_view what, Duration patience) {
  say(line, patience);
  return hear(what, patience);
}

void Program::close_input() {
  if (in_ >= 0) close(in_);
  in_ = -1;
}

bool Program::ended(Duration patience) {
  return eventually(patience, [&] {
    if (pid_ > 0 && waitpid(pid_, &status_, WNOHANG) == pid_) pid_ = -1;
    return pid_ <= 0;
  });
}

void Program::kill(int signal) {
  if (pid_ > 0) ::kill(pid_, signal);
}

std::string Program::complaints() const {
  constexpr std::size_t most = 4096;
  std::ifstream file(errors_, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  return readable(text.size() > most ? text.substr(text.size() - most) : text);
}

void adopt_orphans() { prctl(PR_SET_CHILD_SUBREAPER, 1); }

namespace {

/// The parent of a process out of /proc/PID/stat: "12 (a name) S 1 ..."; -1 where it is gone.
pid_t parent_of(const std::string& pid) {
  std::ifstream file("/proc/" + pid + "/stat");
  std::string text;  // by getline: one that ends meanwhile cannot be read, which a bare buffer throws
  std::getline(file, text, '\0');
  std::size_t name = text.rfind(") ");
  if (name == std::string::npos || name + 4 > text.size()) return -1;
  return static_cast<pid_t>(std::strtol(text.c_str() + name + 4, nullptr, 10));
}

}  // namespace

std::vector<pid_t> children_of_ours() {
  std::vector<pid_t> all;
  DIR* folder = opendir("/proc");
  if (!folder) return all;
  while (dirent* entry = readdir(folder))
    if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9' && parent_of(entry->d_name) == getpid())
      all.push_back(static_cast<pid_t>(std::strtol(entry->d_name, nullptr, 10)));
  closedir(folder);
  return all;
}

void end_children(const std::vector<pid_t>& but) {
  for (int turns = 0; turns < 1000; ++turns) {
    std::vector<pid_t> children = children_of_ours();
    std::erase_if(children, [&](pid_t child) { return std::find(but.begin(), but.end(), child) != but.end(); });
    if (children.empty()) return;
    for (pid_t child : children) ::kill(child, SIGKILL);
    for (pid_t child : children) waitpid(child, nullptr, 0);
  }
}

}  // namespace stile::conformance::servers
