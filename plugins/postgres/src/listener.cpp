// The hint connection's thread.
//
// SPDX-License-Identifier: Apache-2.0
#include "listener.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <utility>

#include "clock.hpp"
#include "stile/sdk/entropy.hpp"

namespace stile::postgres {
namespace {

constexpr std::int64_t refresh = 2 * second_us + second_us / 2;
constexpr std::int64_t lifetime = 3 * refresh;
constexpr std::int64_t between_rings = 25'000;
constexpr std::int64_t patience = 5 * second_us;
constexpr std::chrono::milliseconds begin_patience{500};
constexpr std::int64_t pause_after_failure = second_us / 5;

std::string hex(std::string_view bytes) {
  std::string out;
  for (const char byte : bytes) {
    out += "0123456789abcdef"[static_cast<unsigned char>(byte) >> 4];
    out += "0123456789abcdef"[byte & 15];
  }
  return out;
}

int digit(char c) { return c >= 'a' ? c - 'a' + 10 : c - '0'; }

std::string unhex(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2)
    out += static_cast<char>(digit(text[i]) << 4 | digit(text[i + 1]));
  return out;
}

}  // namespace

Listener::Listener(ConnectionWords words, const Texts& texts) : words_(std::move(words)), texts_(texts) {
  sdk::Entropy entropy;
  channel_ = "stile_" + hex(view_of(entropy.id()));
  wake_fd_ = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
}

Listener::~Listener() {
  {
    const std::lock_guard guard(mutex_);
    stop_ = true;
  }
  wake();
  if (thread_.joinable()) thread_.join();
  if (wake_fd_ >= 0) close(wake_fd_);
}

void Listener::wake() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = write(wake_fd_, &one, sizeof one);
}

// With the mutex held.
void Listener::start() {
  if (thread_.joinable()) return;
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] { run(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void Listener::begin(std::int32_t ns, const std::vector<std::string>& queues) {
  std::unique_lock lock(mutex_);
  ns_ = ns;
  if (queues.empty()) ++watchers_;
  for (const std::string& queue : queues) ++queues_[queue];
  const bool said = queues.empty() ? said_watches_ : std::all_of(queues.begin(), queues.end(), [&](const auto& queue) {
    return said_queues_.count(queue) != 0;
  });
  if (!said || monotonic_now() - said_at_ > 2 * refresh) ++changed_;
  start();
  if (told_ == changed_) return;
  wake();
  const std::uint64_t wanted = changed_;
  said_.wait_for(lock, begin_patience, [&] { return told_ >= wanted; });
}

void Listener::end(const std::vector<std::string>& queues) {
  const std::lock_guard guard(mutex_);
  // What is said stays true until it is said anew: one who comes back soon need not be waited for.
  if (queues.empty()) --watchers_;
  for (const std::string& queue : queues)
    if (const auto at = queues_.find(queue); --at->second == 0) queues_.erase(at);
}

void Listener::tell(std::int32_t ns, What what, std::string_view subject, std::int64_t span) {
  tell_room(what, std::string(subject), span);
  const std::lock_guard guard(mutex_);
  if (ns != 0) ns_ = ns;
  const auto [at, made] = rings_.try_emplace(Key(what, std::string(subject)), span);
  if (!made) at->second = std::min(at->second, span);
  start();
  wake();
}

void Listener::tell_room(What what, std::string subject, std::int64_t span) {
  if (what == What::clock) return room_.wake_all();
  sdk::News news;
  if (what == What::wakeup)
    news.due.push_back({std::move(subject), std::max<std::int64_t>(span, 0)});
  else
    news.changed.push_back({std::move(subject), true});
  room_.tell(news, 0);
}

void Listener::run() {
  for (;;) {
    {
      const std::lock_guard guard(mutex_);
      if (stop_) return;
    }
    try {
      Connection connection(words_, monotonic_now() + patience);
      const bool hears = listen(connection);
      {
        const std::lock_guard guard(mutex_);
        deaf_ = !hears;
        ++changed_;  // what an earlier connection said may be gone
      }
      serve(connection);
      return;
    } catch (const std::exception&) {
      room_.wake_all();  // hints may have been lost: everybody looks
      pollfd woken = {wake_fd_, POLLIN, 0};
      poll(&woken, 1, static_cast<int>(pause_after_failure / 1000));
    }
  }
}

// Behind a pooler in transaction mode LISTEN hears nothing, and what is set would be set for others (P22, P25): there
// we only tell.
bool Listener::listen(Connection& connection) {
  const std::int64_t deadline = monotonic_now() + patience;
  const Result found = connection.run_text("SELECT pg_backend_pid()", {}, deadline);
  if (Row(found, 0).integer(0) != PQbackendPID(connection.handle())) {
    connection.prepare_nothing();
    return false;
  }
  connection.script("SET synchronous_commit TO off; LISTEN " + channel_, deadline);
  return true;
}

void Listener::serve(Connection& connection) {
  room_.wake_all();
  for (;;) {
    {
      const std::lock_guard guard(mutex_);
      if (stop_) break;
    }
    std::uint64_t count = 0;
    [[maybe_unused]] const auto got = read(wake_fd_, &count, sizeof count);
    const bool said = say_who_waits(connection);
    const bool rings_left = send_rings(connection);
    hear(connection);
    if (said) continue;
    pollfd ready[2] = {{PQsocket(connection.handle()), POLLIN, 0}, {wake_fd_, POLLIN, 0}};
    poll(ready, 2, static_cast<int>((rings_left ? between_rings : refresh) / 1000));
    if (ready[0].revents != 0 && PQconsumeInput(connection.handle()) == 0) throw StoreError(STILE_UNAVAILABLE, "lost");
  }
  Params params;
  params.view(channel_);
  connection.run(texts_[Sql::leave], params, monotonic_now() + second_us / 5);
}

bool Listener::say_who_waits(Connection& connection) {
  std::unique_lock lock(mutex_);
  const std::int64_t now = monotonic_now();
  if (deaf_) {
    told_ = changed_;
    lock.unlock();
    said_.notify_all();
    return false;
  }
  if (ns_ == 0 || (queues_.empty() && watchers_ == 0 && told_ == changed_)) return false;
  if (told_ == changed_ && now - said_at_ < refresh) return false;
  const std::uint64_t version = changed_;
  Params params;
  const bool watches = watchers_ > 0;
  std::set<std::string> names;
  Array queues(Type::bytes);
  for (const auto& [name, count] : queues_) names.insert(name), queues.add(name);
  params.integer(ns_).view(channel_).integer(lifetime).boolean(watches);
  names.empty() ? params.none() : params.array(queues);
  lock.unlock();
  connection.run(texts_[Sql::wait], params, now + patience);
  lock.lock();
  said_at_ = now;
  said_queues_ = std::move(names);
  said_watches_ = watches;
  told_ = version;
  lock.unlock();
  said_.notify_all();
  return true;
}

// Answers whether some are left for later.
bool Listener::send_rings(Connection& connection) {
  std::map<Key, std::int64_t> rings;
  std::int32_t ns = 0;
  {
    const std::lock_guard guard(mutex_);
    if (rings_.empty()) return false;
    if (monotonic_now() - rang_at_ < between_rings) return true;
    rings.swap(rings_);
    ns = ns_;
    rang_at_ = monotonic_now();
  }
  for (const auto& [key, span] : rings) {
    Params params;
    params.integer(ns).integer(static_cast<std::int32_t>(key.first)).view(key.second).integer(span).view(channel_);
    connection.run(texts_[Sql::ring], params, monotonic_now() + patience);
  }
  return false;
}

// We are told of a wakeup that nobody here receives any more: first that is said, then others are told.
bool Listener::nobody_wants(const std::string& queue) {
  const std::lock_guard guard(mutex_);
  if (queues_.count(queue) != 0 || said_queues_.count(queue) == 0) return false;
  ++changed_;
  return true;
}

void Listener::hear(Connection& connection) {
  for (;;) {
    const std::unique_ptr<PGnotify, void (*)(void*)> note(PQnotifies(connection.handle()), PQfreemem);
    if (!note) return;
    const std::string_view payload = note->extra;
    const std::size_t first = payload.find(':'), second = payload.find(':', first + 1);
    if (second == std::string_view::npos) continue;
    int what = 0;
    std::int64_t span = 0;
    std::from_chars(payload.data(), payload.data() + first, what);
    std::from_chars(payload.data() + first + 1, payload.data() + second, span);
    std::string subject = unhex(payload.substr(second + 1));
    if (static_cast<What>(what) == What::wakeup && nobody_wants(subject)) {
      tell(0, What::wakeup, subject, span);
      continue;
    }
    tell_room(static_cast<What>(what), std::move(subject), span);
  }
}

}  // namespace stile::postgres
