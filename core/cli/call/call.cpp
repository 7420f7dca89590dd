// `stile call`: every operation of the contract, from a shell, a script, any language.
//
// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "cli/call/lines.hpp"
#include "cli/call/session.hpp"
#include "cli/command.hpp"
#include "codec/line.hpp"
#include "codec/words.hpp"
#include "config/text.hpp"

namespace stile::cli {
namespace {

constexpr const char* help = R"(
Without OP: JSON lines on standard input, each an operation or a list of them (a batch); one answer a line.
With OP: one operation from words; a dot leads into an object, a value that begins with [ or { is JSON.

Examples:
  stile call memory: put key=leader value=me if=absent ttl=10s
  stile call - receive lease=30s acquire.ttl=10s acquire.budget=1h load.limit=100
  echo '{"op":"get","key":"leader"}' | stile call -
  printf '%s\n' '[{"op":"ack","receipt":"r"},{"op":"get","key":"k","after_ok":true}]' | stile call -

Operations: )";

struct Options {
  StoreChoice choice;
  std::string sessions, operation;
  std::vector<std::string> words;
};

std::size_t session_count(const Options& options) {
  if (options.sessions.empty()) return 0;
  std::size_t count = 0;
  auto read = std::from_chars(options.sessions.data(), options.sessions.data() + options.sessions.size(), count);
  constexpr std::size_t most = 1024;
  if (read.ec != std::errc() || *read.ptr != 0 || count == 0 || count > most)
    throw Usage("--sessions must be a whole number from 1 to 1024: " + options.sessions);
  return count;
}

// The sessions, and the one place where answers are written: whole lines, flushed each.
class Calls {
 public:
  Calls(const Options& options, std::size_t sessions, Context& context) : context_(context) {
    auto backend = options.choice.open();
    Duration deadline = duration_option(options.choice.deadline, "--deadline");
    for (std::size_t i = 0; i < std::max<std::size_t>(sessions, 1); ++i)
      sessions_.push_back(std::make_unique<Session>(backend, deadline, [this](const Job& job) { answered(job); }));
    stopping_ = context.stop.add([this] {
      for (auto& session : sessions_) session->stop();
    });
  }
  ~Calls() { finish(); }

  void push(Job job) {
    Session& session = *sessions_[job.session];
    session.push(std::move(job));
  }
  /// Waits until everything is answered.
  void finish() {
    for (auto& session : sessions_) session->end();
    context_.stop.forget(stopping_);
    sessions_.clear();
  }
  Status last_status() const { return last_status_; }

 private:
  void answered(const Job& job) {
    std::string line = job.answer();
    std::lock_guard lock(mutex_);
    last_status_ = job.members.empty() ? Status::ok : job.members.back().status();
    if (!print(line)) context_.stop.request(exit_output);
  }

  Context& context_;
  std::mutex mutex_;
  Status last_status_ = Status::ok;
  std::vector<std::unique_ptr<Session>> sessions_;
  int stopping_ = 0;
};

int call_one(const Options& options, std::size_t sessions, Context& context) {
  Job job;
  try {
    // What is no operation is shown in the answer: it may be a config string.
    job = job_of(codec::object_from_words(config::hide_secrets(options.operation), options.words), sessions);
  } catch (const codec::BadRequest& bad) {
    throw Usage(bad.text);
  }
  Calls calls(options, sessions, context);
  calls.push(std::move(job));
  calls.finish();
  return exit_of(calls.last_status());
}

int call_lines(const Options& options, std::size_t sessions, Context& context) {
  Calls calls(options, sessions, context);
  Lines lines(STDIN_FILENO, context.stop.fd(), codec::longest_line);
  while (auto line = lines.next()) {
    if (!line->too_long && line->text.find_first_not_of(" \t\r") == std::string::npos) continue;
    std::size_t bytes = line->text.size();
    Job job = line->too_long ? unread_job("column " + std::to_string(codec::longest_line + 1) +
                                          ": a line is longer than " + std::to_string(codec::longest_line) + " bytes")
                             : read_job(line->text, sessions);
    job.bytes = bytes;
    calls.push(std::move(job));
  }
  calls.finish();
  return exit_ok;
}

std::string operation_names() {
  std::string names;
  for (std::uint32_t kind = 1; kind <= STILE_OP_COUNT; ++kind) names += std::string(codec::op_name(kind)) + " ";
  return names;
}

}  // namespace

void add_call(CLI::App& program, Context& context) {
  auto options = std::make_shared<Options>();
  CLI::App* call = program.add_subcommand("call", "Do operations of the contract, from words or JSON lines");
  call->footer(help + operation_names());
  options->choice.add_to(*call);
  call->add_option("--deadline", options->choice.deadline, "bound of each line")->capture_default_str();
  call->add_option("--sessions", options->sessions, "so many sessions side by side, chosen by \"s\" of a line")
      ->type_name("N");
  call->add_option("OP", options->operation, "operation");
  call->add_option("NAME=VALUE", options->words, "its members");
  call->callback([options, &context] {
    std::size_t sessions = session_count(*options);
    context.status =
        options->operation.empty() ? call_lines(*options, sessions, context) : call_one(*options, sessions, context);
  });
}

}  // namespace stile::cli
