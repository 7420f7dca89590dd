// Starting the proxy's process, and talking to it.
//
// SPDX-License-Identifier: Apache-2.0
#include "proxy/proxy.hpp"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <boost/json.hpp>
#include <cerrno>
#include <stdexcept>
#include <system_error>

#include "proxy/sockets.hpp"

namespace stile::conformance::proxy {

namespace json = boost::json;

Proxy::Proxy(const Endpoint& server) {
  Socket listening = listen_here();
  port_ = port_of(listening);
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
    throw std::system_error(errno, std::generic_category(), "socketpair");
  pid_ = fork();
  if (pid_ < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (pid_ == 0) {
    close(ends[0]);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    int status = 0;
    try {
      serve(listening.fd(), ends[1], server);
    } catch (const std::exception&) {
      status = 1;  // who asks is told nothing, and says so
    }
    _exit(status);
  }
  close(ends[1]);
  control_ = ends[0];
}

Proxy::~Proxy() {
  close(control_);
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

Counts Proxy::ask(const std::string& line) {
  if (send(control_, line.data(), line.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(line.size()))
    throw std::runtime_error("the proxy is gone");
  std::string text;
  for (char letter = 0; letter != '\n'; text += letter) {
    ssize_t n;
    do n = read(control_, &letter, 1);
    while (n < 0 && errno == EINTR);
    if (n != 1) throw std::runtime_error("the proxy died");
  }
  Counts counts;
  const json::value told = json::parse(text);
  for (const auto& [name, times] : told.as_object()) counts[std::string(name)] = times.to_number<std::uint64_t>();
  return counts;
}

Counts Proxy::obey(const Rule& rule) {
  return ask(json::serialize(json::object{{"fault", fault_names[static_cast<std::size_t>(rule.fault)]},
                                          {"direction", rule.direction == Direction::up ? "up" : "down"},
                                          {"after", rule.after},
                                          {"period_us", rule.period_us},
                                          {"connections", rule.connections}}) +
             "\n");
}

Counts Proxy::drop(bool reset) { return ask(reset ? "{\"drop\":\"reset\"}\n" : "{\"drop\":\"cut\"}\n"); }

Counts Proxy::counts() { return ask("{}\n"); }

}  // namespace stile::conformance::proxy
