// The thread that listens.
//
// SPDX-License-Identifier: Apache-2.0
#include "hub.hpp"

#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>

#include "stile/sdk/author.h"

namespace stile::redis {
namespace {

using std::chrono::milliseconds;

constexpr std::int64_t connect_patience = 2'000'000;
constexpr milliseconds first_pause{20}, longest_pause{1000};
constexpr milliseconds subscribe_patience{500};

}  // namespace

Hub::Hub(Address address, std::string channel, std::string clock_channel, std::function<void(std::string_view)> pass_on)
    : address_(std::move(address)),
      channel_(std::move(channel)),
      clock_channel_(std::move(clock_channel)),
      pass_on_(std::move(pass_on)),
      wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

Hub::~Hub() {
  stop_.store(true);
  const std::uint64_t one = 1;
  static_cast<void>(::write(wake_, &one, sizeof one));
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
  ::close(wake_);
}

void Hub::start(std::int64_t deadline) {
  std::unique_lock lock(mutex_);
  if (!thread_.joinable()) {
    // No signal of the program is delivered to a thread of the plugin (law 9).
    sigset_t all, before;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    thread_ = std::thread([this] { work(); });
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }
  auto until = std::chrono::steady_clock::now() + subscribe_patience;
  if (deadline != STILE_NEVER)
    until = std::min(until, std::chrono::steady_clock::time_point(std::chrono::microseconds(deadline)));
  changed_.wait_until(lock, until, [this] { return subscribed_; });
}

void Hub::enter(const std::vector<std::string>& queues) {
  const std::lock_guard guard(mutex_);
  if (counts_.empty()) since_ = stile_realtime();
  for (const auto& queue : queues) ++counts_[queue];
}

std::vector<std::string> Hub::leave(const std::vector<std::string>& queues) {
  const std::lock_guard guard(mutex_);
  std::vector<std::string> out;
  for (const auto& queue : queues) {
    const auto found = counts_.find(queue);
    if (--found->second != 0) continue;
    counts_.erase(found);
    out.push_back(queue);
  }
  return out;
}

bool Hub::others_wait(const std::string& queue) {
  const std::lock_guard guard(mutex_);
  const auto found = counts_.find(queue);
  return found != counts_.end() && found->second > 1;
}

std::int64_t Hub::since() {
  const std::lock_guard guard(mutex_);
  return since_;
}

void Hub::work() {
  auto pause = first_pause;
  while (!stopping()) {
    try {
      Link link(address_, stile_monotonic() + connect_patience);
      listen(link);
    } catch (const Broken&) {
      pause = first_pause;
    } catch (const Failure&) {
    }
    std::unique_lock lock(mutex_);
    subscribed_ = false;
    changed_.wait_for(lock, pause, [this] { return stopping(); });
    pause = std::min(pause * 2, longest_pause);
  }
}

void Hub::listen(Link& link) {
  link.put(Command::of("SUBSCRIBE", channel_, clock_channel_));
  link.flush(stile_monotonic() + connect_patience);
  while (!stopping()) {
    while (const OwnedReply reply = link.arrived()) {
      const Reply message(reply.get());
      if (message.is_error()) throw Failure(STILE_DENIED, std::string(message.text()));
      if (message[0].text() == "message") {
        hear(message[2].text());
      } else if (message[0].text() == "subscribe" && message[2].number() == 2) {
        {
          const std::lock_guard guard(mutex_);
          subscribed_ = true;
        }
        changed_.notify_all();
        room_.wake_all();  // what was published before this nobody heard
      }
    }
    link.rest(wake_, STILE_NEVER);
  }
}

void Hub::hear(std::string_view message) {
  if (message.empty()) return;
  const std::string_view about = message.substr(1);
  sdk::News news;
  switch (message[0]) {
    case 'c': return room_.wake_all();
    case 'v':
    case 'g': news.changed.push_back({std::string(about), message[0] == 'g'}); return room_.tell(news, 1);
    case 'q': break;
    default: return;
  }
  {
    const std::lock_guard guard(mutex_);
    if (counts_.find(about) != counts_.end()) news.due.push_back({std::string(about), 0});
  }
  if (news.empty()) return pass_on_(about);
  room_.tell(news, 1);
}

}  // namespace stile::redis
