// Runs the suite on a shelf: starts the server on a free port, then the suite with the arguments given, and ends as
// that did. The argument `shelf:` is replaced by the config string of the server.
//
//   shelf-judged SUITE ARGUMENT...
//
// SPDX-License-Identifier: Apache-2.0
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "proxy/sockets.hpp"
#include "store/open.hpp"
#include "target.hpp"

namespace stile::conformance {
namespace {

/// All namespaces in memory, a line of JSON each way: [namespace, operation] and the answer.
class Server {
 public:
  [[noreturn]] void serve(int listening) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    std::vector<pollfd> fds{{listening, POLLIN, 0}};
    std::map<int, std::string> heard;
    for (;;) {
      poll(fds.data(), fds.size(), -1);
      for (std::size_t i = fds.size(); i-- > 1;) {
        if (fds[i].revents == 0 || answer(fds[i].fd, heard[fds[i].fd])) continue;
        close(fds[i].fd);
        heard.erase(fds[i].fd);
        fds.erase(fds.begin() + static_cast<std::ptrdiff_t>(i));
      }
      if (fds[0].revents == 0) continue;
      if (const int taken = accept(listening, nullptr, nullptr); taken >= 0) fds.push_back({taken, POLLIN, 0});
    }
  }

 private:
  /// False once the connection has ended.
  bool answer(int fd, std::string& heard) {
    char part[65536];
    const ssize_t n = recv(fd, part, sizeof part, 0);
    if (n <= 0) return false;
    heard.append(part, static_cast<std::size_t>(n));
    for (std::size_t end; (end = heard.find('\n')) != std::string::npos; heard.erase(0, end + 1)) {
      const json::array asked = json::parse(std::string_view(heard).substr(0, end)).as_array();
      const std::string text = json::serialize(client(asked[0].as_string()).call(asked[1].as_object())) + "\n";
      for (std::size_t done = 0; done < text.size();) {
        const ssize_t sent = send(fd, text.data() + done, text.size() - done, MSG_NOSIGNAL);
        if (sent <= 0) return false;
        done += static_cast<std::size_t>(sent);
      }
    }
    return true;
  }

  Client& client(std::string_view ns) {
    auto& known = clients_[std::string(ns)];
    if (!known) {
      store::OpenOptions options;
      options.ns = std::string(ns);
      known = std::make_unique<Client>(store::open_backend("memory:", options));
    }
    return *known;
  }

  std::map<std::string, std::unique_ptr<Client>> clients_;
};

int run(const std::vector<std::string>& words) {
  proxy::Socket listening = proxy::listen_here();
  const std::string port = proxy::port_of(listening);
  const pid_t server = fork();
  if (server < 0) return 2;
  if (server == 0) Server().serve(listening.fd());
  std::vector<std::string> command(words.begin() + 1, words.end());
  std::replace(command.begin(), command.end(), std::string("shelf:"), "shelf://127.0.0.1:" + port);
  const pid_t suite = fork();
  if (suite == 0) {
    std::vector<char*> arguments;
    for (std::string& word : command) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    execv(arguments[0], arguments.data());
    _exit(127);
  }
  int status = 0;
  waitpid(suite, &status, 0);
  kill(server, SIGKILL);
  waitpid(server, nullptr, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 126;
}

}  // namespace
}  // namespace stile::conformance

int main(int argc, char** argv) {
  if (argc < 2) {
    std::cerr << "usage: shelf-judged SUITE ARGUMENT...\n";
    return 2;
  }
  return stile::conformance::run({argv, argv + argc});
}
