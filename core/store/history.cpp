// The history layer: calls and answers as JSON lines, for a checker and for people.
//
// Two lines an operation, so that a process that dies leaves what it had under way:
//   {"client":"17.1","call":5,"place":0,"invoke":123,"op":"record","workflow":"w", ...}    written before it is sent
//   {"client":"17.1","call":5,"place":0,"return":150,"status":"ok","position":1, ...}      written when it is answered
// client is one session (process and number), call rises within it, place is that in the batch; times are microseconds
// of CLOCK_MONOTONIC, which all processes of a machine share.
//
// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <string>

#include "codec/op.hpp"
#include "stile/log.hpp"
#include "store/relay.hpp"

namespace stile::store {
namespace {

std::int64_t monotonic_now() {
  return std::chrono::floor<Duration>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

class Journal {
 public:
  explicit Journal(const std::string& path)
      : file_(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644)) {
    if (file_ < 0)
      throw Error(Status::invalid, "history.file=" + path + ": cannot be written: " + std::strerror(errno));
  }
  ~Journal() { ::close(file_); }
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  /// Whole lines, in one write: several processes may share the file.
  void append(const std::string& lines) {
    for (std::size_t done = 0; done < lines.size();) {
      ssize_t n = ::write(file_, lines.data() + done, lines.size() - done);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) {
        if (!failed_.exchange(true))
          log(LogLevel::error, "the history is incomplete", {{"error", std::strerror(errno)}});
        return;
      }
      done += static_cast<std::size_t>(n);
    }
  }

 private:
  int file_;
  std::atomic<bool> failed_{false};
};

class HistoryLink final : public Link {
 public:
  HistoryLink(std::unique_ptr<Link> inner, Journal& journal, std::string client)
      : inner_(std::move(inner)), journal_(journal), client_(std::move(client)) {}

  Fate execute(const stile_call& call, std::span<stile_op* const> ops) noexcept override {
    std::uint64_t number = ++calls_;
    write(ops, number, "invoke", codec::request_json);
    Fate fate = inner_->execute(call, ops);
    write(ops, number, "return", codec::answer_json);
    return fate;
  }
  void interrupt(std::uint64_t serial) noexcept override { inner_->interrupt(serial); }

 private:
  template <class Tell>
  void write(std::span<stile_op* const> ops, std::uint64_t number, std::string_view when, Tell tell) {
    std::int64_t moment = monotonic_now();
    std::string lines;
    for (std::size_t i = 0; i < ops.size(); ++i) {
      codec::json::object line{{"client", client_}, {"call", number}, {"place", i}, {when, moment}};
      for (auto& member : tell(*ops[i])) line.insert(member);
      lines += codec::json::serialize(line);
      lines += '\n';
    }
    journal_.append(lines);
  }

  std::unique_ptr<Link> inner_;
  Journal& journal_;
  const std::string client_;
  std::uint64_t calls_ = 0;
};

class HistoryBackend final : public Relay {
 public:
  HistoryBackend(std::shared_ptr<Backend> inner, const std::string& path) : Relay(std::move(inner)), journal_(path) {}
  std::unique_ptr<Link> connect(Deadline deadline) override {
    static std::atomic<std::uint64_t> links{0};  // of the process: two stores may write to one file
    return std::make_unique<HistoryLink>(inner().connect(deadline), journal_,
                                         std::to_string(getpid()) + "." + std::to_string(++links));
  }

 private:
  Journal journal_;
};

}  // namespace

std::shared_ptr<Backend> history_layer(const LayerOptions& options, std::shared_ptr<Backend> inner) {
  return std::make_shared<HistoryBackend>(std::move(inner), options.find("file")->second);
}

}  // namespace stile::store
