// SPDX-License-Identifier: Apache-2.0
#include "herd.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <new>
#include <stdexcept>
#include <system_error>
#include <thread>

namespace orders {
namespace {

[[noreturn]] void fail(const char* what) { throw std::system_error(errno, std::generic_category(), what); }

std::string board_of(const std::string& folder) { return folder + "/board"; }

}  // namespace

bool used(const std::string& folder) { return access(board_of(folder).c_str(), F_OK) == 0; }

Board& shared_board(const std::string& folder) {
  int file = open(board_of(folder).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (file < 0 || ftruncate(file, sizeof(Board)) != 0) fail("the board");
  void* page = mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (page == MAP_FAILED) fail("mapping the board");
  return *static_cast<Board*>(page);  // all zero is a fresh board
}

Herd::Herd(std::vector<std::string> arguments, unsigned size) : arguments_(std::move(arguments)) {
  for (unsigned i = 0; i < size; ++i) workers_.push_back(start_one());
}

Herd::~Herd() {
  for (pid_t worker : workers_) kill(worker, SIGKILL);
  for (pid_t worker : workers_) waitpid(worker, nullptr, 0);
}

pid_t Herd::start_one() {
  std::string program = "/proc/self/exe";
  std::vector<char*> argv{program.data()};
  for (auto& argument : arguments_) argv.push_back(argument.data());
  argv.push_back(nullptr);
  pid_t conductor = getpid();
  pid_t child = fork();
  if (child < 0) fail("starting a worker");
  if (child == 0) {
    // A worker does not outlive its conductor, however that one ends.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != conductor) _exit(1);
    execv(program.c_str(), argv.data());
    _exit(127);
  }
  return child;
}

void Herd::kill_one(std::minstd_rand& random) {
  pid_t& worker = workers_[std::uniform_int_distribution<std::size_t>(0, workers_.size() - 1)(random)];
  kill(worker, SIGKILL);
  waitpid(worker, nullptr, 0);
  ++killed_;
  worker = start_one();
}

void Herd::look() {
  for (pid_t& worker : workers_) {
    int status = 0;
    if (waitpid(worker, &status, WNOHANG) != worker) continue;
    worker = start_one();
    if (++ended_ > 5) throw std::runtime_error("workers end by themselves again and again; their messages stand above");
  }
}

void Herd::stop() {
  for (pid_t worker : workers_) kill(worker, SIGTERM);
  auto until = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  while (!workers_.empty() && std::chrono::steady_clock::now() < until) {
    std::erase_if(workers_, [](pid_t worker) { return waitpid(worker, nullptr, WNOHANG) == worker; });
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  for (pid_t worker : workers_) kill(worker, SIGKILL);
  for (pid_t worker : workers_) waitpid(worker, nullptr, 0);
  workers_.clear();
}

}  // namespace orders
