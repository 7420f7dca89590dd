// The host's side of the table, folders, processes.
//
// SPDX-License-Identifier: Apache-2.0
#include "support.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <iostream>
#include <thread>

namespace stile::sqlite::test {
namespace {

std::map<std::string, Child>& children() {
  static std::map<std::string, Child> all;
  return all;
}

std::uint32_t log_level(void*) { return STILE_LOG_ERROR; }
void log(void*, std::uint32_t, stile_text, const stile_text*, std::uint64_t) {}
const void* no_extension(void*, stile_text) { return nullptr; }
const stile_host host = {sizeof(stile_host), STILE_ABI_1_0, nullptr, STILE_LIT("sqlite_test"),
                         STILE_LIT("0"),     log_level,     log,     no_extension};

struct ErrorText {
  char room[2'000];
  stile_error error{sizeof(stile_error), sizeof room, room, 0};
  std::string text() const { return {room, std::min<std::size_t>(error.text_len, sizeof room)}; }
};

stile_call call_until(std::uint64_t serial, std::int64_t patience) {
  return {sizeof(stile_call), 0, serial, patience == INT64_MAX ? STILE_NEVER : monotonic() + patience};
}

stile_text as_text(const std::string& of) { return {of.data(), of.size()}; }

}  // namespace

std::int64_t monotonic() {
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * s + now.tv_nsec / 1000;
}

stile_id fresh_id() {
  stile_id id;
  if (getrandom(id.bytes, sizeof id.bytes, 0) != sizeof id.bytes) std::abort();
  return id;
}

void* Arena::alloc(void* self, std::uint64_t size) {
  auto& block = static_cast<Arena*>(self)->blocks_.emplace_back(size + 16);
  const auto at = reinterpret_cast<std::uintptr_t>(block.data());
  return block.data() + (16 - at % 16) % 16;
}

Plugin::Plugin() {
  const stile_hello hello = {sizeof(stile_hello), STILE_ABI_1_0, STILE_ABI_1_0, 0};
  table_ = stile_plugin_entry_v1(&hello, nullptr);
  ErrorText why;
  if (table_->start(&host, &instance_, &why.error) != STILE_OK) throw std::runtime_error(why.text());
}

Plugin::~Plugin() { table_->stop(instance_); }

Store::Store(Plugin& plugin, const std::string& path, const Options& options, const std::string& ns,
             std::int64_t patience)
    : plugin_(plugin) {
  Options all = {{"synchronous", "full"}, {"prepare", "auto"}, {"cache", "16777216"}};
  for (const auto& [name, value] : options) all[name] = value;
  std::vector<stile_pair> pairs;
  for (const auto& [name, value] : all) pairs.push_back({as_text(name), as_text(value)});
  stile_config config = {};
  config.struct_size = sizeof config;
  config.scheme = STILE_LIT("sqlite");
  config.path = bytes(path);
  config.ns = bytes(ns);
  config.options = pairs.data();
  config.n_options = pairs.size();
  const stile_call call = call_until(0, patience);
  ErrorText why;
  status_ = table().open(plugin.instance(), &call, &config, &store_, &why.error);
  error_ = why.text();
}

Store::~Store() {
  if (store_) table().close(store_);
}

std::unique_ptr<Session> Store::connect() {
  EXPECT_EQ(status_, STILE_OK) << error_;
  const stile_call call = call_until(0, 20 * s);
  ErrorText why;
  stile_session* session = nullptr;
  const std::int32_t status = table().connect(store_, &call, &session, &why.error);
  if (status != STILE_OK) throw std::runtime_error("connect: " + why.text());
  return std::make_unique<Session>(table(), session);
}

std::int32_t Store::try_connect(std::string& error) {
  const stile_call call = call_until(0, 20 * s);
  ErrorText why;
  stile_session* session = nullptr;
  const std::int32_t status = table().connect(store_, &call, &session, &why.error);
  error = why.text();
  if (session) table().disconnect(session);
  return status;
}

std::uint32_t Session::execute(std::initializer_list<stile_op*> ops, std::int64_t patience) {
  return execute(std::vector<stile_op*>(ops), patience);
}

std::uint32_t Session::execute(const std::vector<stile_op*>& ops, std::int64_t patience) {
  const stile_call call = call_until(++serial_, patience);
  return table_.execute(session_, &call, ops.data(), ops.size());
}

stile_fence Session::acquire(std::string_view workflow, std::int64_t ttl, std::int64_t budget) {
  Acquire op;
  op.request.workflow = bytes(workflow);
  op.request.ttl = ttl;
  op.request.budget = budget;
  EXPECT_EQ(run(op), STILE_OK) << op.error();
  return op.result.fence;
}

std::int32_t Session::record(std::string_view workflow, const stile_fence& fence, std::string_view key,
                             std::string_view value) {
  Record op;
  op.request.workflow = bytes(workflow);
  op.request.fence = fence;
  op.request.key = bytes(key);
  op.request.value = bytes(value);
  return run(op);
}

std::int32_t Session::enqueue(std::string_view workflow, std::int64_t delay, std::string_view queue) {
  stile_enqueue when = {sizeof(stile_enqueue), 0, delay, !queue.empty(), 0, bytes(queue)};
  Enqueue op;
  op.request.workflow = bytes(workflow);
  op.request.enqueue = &when;
  return run(op);
}

std::vector<std::string> Session::receive(std::int64_t wait, std::string_view queue, std::int64_t lease) {
  const stile_bytes queues[] = {bytes(queue)};
  Receive op;
  op.request.max = 10;
  op.request.lease = lease;
  op.request.wait = wait;
  op.request.queues = queues;
  op.request.n_queues = 1;
  EXPECT_EQ(run(op, wait + 20 * s), STILE_OK) << op.error();
  std::vector<std::string> out;
  for (const stile_delivery* d = op.result.deliveries; d; d = d->next) out.push_back(text(d->workflow));
  return out;
}

std::string Session::load(std::string_view workflow, std::string_view key) {
  Load op;
  op.request.workflow = bytes(workflow);
  op.request.limit = STILE_PAGE;
  op.request.max_bytes = STILE_ALL_BYTES;
  op.request.has_key = 1;
  op.request.key = bytes(key);
  EXPECT_EQ(run(op), STILE_OK) << op.error();
  return op.result.records ? text(op.result.records->value) : "(none)";
}

std::int64_t Session::store_time() {
  Info op;
  EXPECT_EQ(run(op), STILE_OK) << op.error();
  return op.result.store_time;
}

Folder::Folder() {
  std::string name = (std::filesystem::temp_directory_path() / "stile-sqlite-XXXXXX").string();
  if (!mkdtemp(name.data())) throw std::runtime_error("no temporary folder");
  path_ = name;
}

Folder::~Folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

Foreign::Foreign(const std::string& path) {
  if (sqlite3_open(path.c_str(), &db_) != SQLITE_OK) throw std::runtime_error(sqlite3_errmsg(db_));
  sqlite3_busy_timeout(db_, 10'000);
}

Foreign::~Foreign() { sqlite3_close(db_); }

int Foreign::exec(const std::string& sql) { return sqlite3_exec(db_, sql.c_str(), nullptr, nullptr, nullptr); }

std::string Foreign::ask(const std::string& sql) {
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(db_, sql.c_str(), -1, &statement, nullptr) != SQLITE_OK)
    throw std::runtime_error(sqlite3_errmsg(db_));
  std::string out = "(none)";
  if (sqlite3_step(statement) == SQLITE_ROW) {
    const auto* data = static_cast<const char*>(sqlite3_column_blob(statement, 0));
    out = data ? std::string(data, static_cast<std::size_t>(sqlite3_column_bytes(statement, 0))) : "";
  }
  sqlite3_finalize(statement);
  return out;
}

RegisterChild::RegisterChild(const char* name, Child child) { children()[name] = child; }

Process::Process(const std::string& name, const std::vector<std::string>& arguments,
                 const std::vector<std::string>& environment, unsigned user) {
  int out[2], in[2];
  if (pipe2(out, O_CLOEXEC) != 0 || pipe2(in, O_CLOEXEC) != 0) throw std::runtime_error("pipe");
  const std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
  std::vector<std::string> words = {program, "--child", name};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  pid_ = fork();
  if (pid_ == 0) {
    dup2(out[1], 1);
    dup2(in[0], 0);
    for (const std::string& set : environment) putenv(strdup(set.c_str()));
    if (user != 0 && (setgid(user) != 0 || setuid(user) != 0)) _exit(126);
    execv(program.c_str(), argv.data());
    _exit(127);
  }
  close(out[1]);
  close(in[0]);
  out_ = out[0];
  in_ = in[1];
}

Process::~Process() {
  if (!waited_) {
    ::kill(pid_, SIGKILL);
    wait();
  }
  close(out_);
  close(in_);
}

std::string Process::line(std::int64_t patience) {
  const std::int64_t until = monotonic() + patience;
  for (;;) {
    const auto end = buffer_.find('\n');
    if (end != std::string::npos) {
      std::string found = buffer_.substr(0, end);
      buffer_.erase(0, end + 1);
      return found;
    }
    const std::int64_t left = until - monotonic();
    pollfd wanted = {out_, POLLIN, 0};
    if (left <= 0 || poll(&wanted, 1, static_cast<int>(left / ms) + 1) <= 0) return {};
    char room[4'096];
    const ssize_t got = read(out_, room, sizeof room);
    if (got <= 0) return {};
    buffer_.append(room, static_cast<std::size_t>(got));
  }
}

void Process::say(const std::string& line) {
  const std::string all = line + "\n";
  if (write(in_, all.data(), all.size()) < 0) throw std::runtime_error("the child does not listen");
}

void Process::kill(int signal) { ::kill(pid_, signal); }

int Process::wait() {
  if (waited_) return status_;
  int status = 0;
  waitpid(pid_, &status, 0);
  waited_ = true;
  return status_ = WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

void tell(const std::string& line) { std::cout << line << std::endl; }

std::string hear() {
  std::string line;
  std::getline(std::cin, line);
  return line;
}

bool eventually(const std::function<bool()>& so, std::int64_t patience) {
  for (const std::int64_t until = monotonic() + patience; monotonic() < until;) {
    if (so()) return true;
    std::this_thread::yield();
  }
  return so();
}

bool eventually_without_spinning(const std::function<bool()>& so, std::int64_t patience) {
  for (const std::int64_t until = monotonic() + patience; monotonic() < until;) {
    if (so()) return true;
    poll(nullptr, 0, 10);
  }
  return so();
}

int run_child(int argc, char** argv) {
  const auto found = children().find(argv[2]);
  if (found == children().end()) return 125;
  return found->second({argv + 3, argv + argc});
}

}  // namespace stile::sqlite::test
