// One poll for all: new connections, control, bytes both ways.
//
// SPDX-License-Identifier: Apache-2.0
#include "proxy/loop.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <cerrno>
#include <chrono>
#include <climits>
#include <memory>
#include <vector>

#include "proxy/flow.hpp"
#include "proxy/sockets.hpp"

namespace stile::conformance::proxy {
namespace {

namespace json = boost::json;

constexpr std::size_t buffer_bytes = 65536;

std::uint64_t now_us() {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now().time_since_epoch())
          .count());
}

struct Connection {
  std::array<Socket, 2> ends;          ///< who connected, the server
  std::array<std::string, 2> waiting;  ///< by direction: read and not yet sent on
  std::array<bool, 2> ended{};         ///< by direction: who writes into it has closed
  std::array<bool, 2> told{};          ///< by direction: who reads of it was told so
  Flow flow;
  bool mute = false;

  bool over() const { return !ends[0] || (told[0] && told[1]); }
};

class Loop {
 public:
  Loop(int listening, int control, Endpoint server)
      : listening_(listening), control_(control), server_(std::move(server)) {}

  void run() {
    while (!closed_) turn();
  }

 private:
  void turn() {
    const std::uint64_t now = now_us();
    flap(now);
    std::vector<pollfd> fds{{control_, POLLIN, 0}, {listening_, POLLIN, 0}};
    int timeout = flapping_.is_on() ? static_cast<int>((flapping_.next_us(now) - now) / 1000 + 1) : -1;
    for (auto& each : connections_) {
      for (std::size_t end = 0; end < 2; ++end) {
        // Who waits for nothing is not looked at: a hangup that nobody takes would be told for ever.
        const short wanted = events(*each, end, now);
        fds.push_back({wanted != 0 ? each->ends[end].fd() : -1, wanted, 0});
      }
      const bool holds_back = !each->waiting[0].empty() || !each->waiting[1].empty();
      if (holds_back && each->flow.next_byte_us() > now)
        timeout = std::min<int>(timeout < 0 ? INT_MAX : timeout,
                                static_cast<int>((each->flow.next_byte_us() - now) / 1000 + 1));
    }
    if (poll(fds.data(), fds.size(), timeout) < 0 && errno != EINTR) {
      closed_ = true;
      return;
    }
    const std::size_t there = connections_.size();
    for (std::size_t i = 0; i < there; ++i)
      for (std::size_t end = 0; end < 2; ++end) work(*connections_[i], end, fds[2 + 2 * i + end].revents);
    std::erase_if(connections_, [](const auto& each) { return each->over(); });
    if (fds[0].revents != 0) listen_to_control();
    if (fds[1].revents != 0) accept_one();
  }

  /// Once in a time without a network, all that was connected is gone.
  void flap(std::uint64_t now) {
    const bool gone = flapping_.gone(now);
    if (gone != gone_) count("changes");
    if (gone && !gone_) drop_all("flapping", true);
    gone_ = gone;
  }

  void drop_all(std::string_view counted, bool reset) {
    count(counted, connections_.size());
    for (auto& each : connections_) drop(*each, reset);
    connections_.clear();
  }

  /// What to wait for at one end: it is read while its buffer is empty, so that what is swallowed or held back is
  /// exact.
  static short events(const Connection& each, std::size_t end, std::uint64_t now) {
    if (!each.ends[end] || each.mute) return 0;
    const std::size_t in = end, out = 1 - end;  // this end writes into direction `end`, and reads of the other
    short wanted = 0;
    if (each.waiting[in].empty() && !each.ended[in]) wanted |= POLLIN;
    const auto direction = static_cast<Direction>(out);
    const bool may = !each.waiting[out].empty() && each.flow.leave(direction, each.waiting[out].size(), now).bytes > 0;
    if (may) wanted |= POLLOUT;
    return wanted;
  }

  void work(Connection& each, std::size_t end, short happened) {
    if (!each.ends[end] || each.mute) return;
    const std::size_t in = end, out = 1 - end;
    if ((happened & (POLLIN | POLLHUP | POLLERR)) != 0 && each.waiting[in].empty() && !each.ended[in]) read(each, in);
    if ((happened & POLLOUT) != 0 && !each.waiting[out].empty()) write(each, out);
    // Told of the end once everything before it has come through.
    for (std::size_t d = 0; d < 2; ++d) {
      if (!each.ended[d] || each.told[d] || !each.waiting[d].empty() || !each.ends[0]) continue;
      if (each.flow.fault() == Fault::black_hole && each.flow.bitten()) continue;
      shutdown(each.ends[1 - d].fd(), SHUT_WR);
      each.told[d] = true;
    }
  }

  void read(Connection& each, std::size_t direction) {
    std::array<char, buffer_bytes> bytes;
    const ssize_t n = recv(each.ends[direction].fd(), bytes.data(), bytes.size(), 0);
    if (n < 0 && (errno == EINTR || errno == EAGAIN || errno == ENOTCONN || errno == EINPROGRESS)) return;
    if (n < 0) {
      drop(each, true);
      return;
    }
    if (n == 0) each.ended[direction] = true;
    each.waiting[direction].append(bytes.data(), static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
    settle(each, direction, 0);
  }

  void write(Connection& each, std::size_t direction) {
    std::string& waiting = each.waiting[direction];
    const Flow::Leave leave = each.flow.leave(static_cast<Direction>(direction), waiting.size(), now_us());
    if (leave.bytes == 0) return;
    if (leave.swallow) {
      count("swallowed_bytes", leave.bytes);
      waiting.erase(0, leave.bytes);
      return;
    }
    const ssize_t n = send(each.ends[1 - direction].fd(), waiting.data(), leave.bytes, MSG_NOSIGNAL);
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) return;
    if (n < 0) {
      drop(each, true);
      return;
    }
    waiting.erase(0, static_cast<std::size_t>(n));
    count(direction == 0 ? "up_bytes" : "down_bytes", static_cast<std::uint64_t>(n));
    settle(each, direction, static_cast<std::size_t>(n));
  }

  /// After bytes have passed, or stand before a limit of none: the fault may be due.
  void settle(Connection& each, std::size_t direction, std::size_t bytes) {
    if (!each.flow.passed(static_cast<Direction>(direction), bytes, now_us())) return;
    count(fault_names[static_cast<std::size_t>(each.flow.fault())]);
    if (each.flow.fault() == Fault::cut) drop(each, false);
    if (each.flow.fault() == Fault::reset) drop(each, true);
  }

  static void drop(Connection& each, bool reset) {
    for (Socket& end : each.ends) {
      if (reset)
        end.reset();
      else
        end.close();
    }
  }

  void accept_one() {
    Socket taken(accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!taken) return;
    const int on = 1;
    setsockopt(taken.fd(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    count("connections");
    const bool met = rule_.fault != Fault::none && rule_.connections > 0;
    if (met && rule_.connections != ~0U) --rule_.connections;
    if (flapping_.gone(now_us())) {
      count("flapping");
      taken.reset();
      return;
    }
    if (met && rule_.fault == Fault::refuse) {
      count("refuse");
      taken.reset();
      return;
    }
    auto made = std::make_unique<Connection>();
    made->ends[0] = std::move(taken);
    if (met && rule_.fault == Fault::mute) {
      count("mute");
      made->mute = true;
    } else {
      made->ends[1] = begin_connect(server_);
      if (!made->ends[1]) return;
      if (met) made->flow.obey(rule_);
    }
    connections_.push_back(std::move(made));
  }

  void listen_to_control() {
    char bytes[4096];
    const ssize_t n = ::read(control_, bytes, sizeof bytes);
    if (n < 0 && errno == EINTR) return;
    if (n <= 0) {
      closed_ = true;
      return;
    }
    asked_.append(bytes, static_cast<std::size_t>(n));
    for (std::size_t end; (end = asked_.find('\n')) != std::string::npos; asked_.erase(0, end + 1))
      obey(json::parse(std::string_view(asked_).substr(0, end)).as_object());
  }

  void obey(const json::object& asked) {
    if (const json::value* drop_what = asked.if_contains("drop")) {
      for (auto& each : connections_) {
        count(*drop_what == "reset" ? "reset" : "cut");
        drop(*each, *drop_what == "reset");
      }
      connections_.clear();
    }
    if (const json::value* fault = asked.if_contains("fault")) {
      const auto found = std::find(fault_names.begin(), fault_names.end(), std::string_view(fault->as_string()));
      auto number = [&](const char* name) { return asked.at(name).to_number<std::uint64_t>(); };
      rule_ = {static_cast<Fault>(found - fault_names.begin()),
               asked.at("direction") == "up" ? Direction::up : Direction::down, number("after"), number("period_us"),
               number("connections")};
      flapping_ =
          rule_.fault == Fault::flapping ? Flapping(now_us(), std::max<std::uint64_t>(1, rule_.period_us)) : Flapping();
      flap(now_us());
      const bool of_new_ones = rule_.fault == Fault::refuse || rule_.fault == Fault::mute;
      for (auto& each : connections_) {
        const bool met = rule_.connections > 0 && rule_.fault != Fault::none && !of_new_ones;
        each->flow.obey(met ? rule_ : Rule{});
        if (met && rule_.connections != ~0U) --rule_.connections;
      }
    }
    json::object told;
    for (const auto& [name, times] : counts_) told[name] = times;
    told["open"] = connections_.size();
    const std::string line = json::serialize(told) + "\n";
    [[maybe_unused]] const ssize_t n = ::write(control_, line.data(), line.size());
  }

  void count(std::string_view what, std::uint64_t times = 1) { counts_[std::string(what)] += times; }

  int listening_, control_;
  Endpoint server_;
  Rule rule_;
  Flapping flapping_;
  bool gone_ = false;  ///< flapping: there is no network now
  std::vector<std::unique_ptr<Connection>> connections_;
  std::map<std::string, std::uint64_t> counts_;
  std::string asked_;
  bool closed_ = false;
};

}  // namespace

void serve(int listening, int control, const Endpoint& server) { Loop(listening, control, server).run(); }

}  // namespace stile::conformance::proxy
