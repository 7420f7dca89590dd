// The proxy between a client and an echo server in a process of its own: bytes come through exactly as far as the rule
// says.
//
// SPDX-License-Identifier: Apache-2.0
#include "proxy/proxy.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <vector>

#include "proxy/sockets.hpp"

namespace stile::conformance::proxy {
namespace {

/// Answers every byte with itself, to any number of connections.
[[noreturn]] void echo(int listening) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  std::vector<pollfd> fds{{listening, POLLIN, 0}};
  for (;;) {
    poll(fds.data(), fds.size(), -1);
    for (std::size_t i = fds.size(); i-- > 1;) {
      if (fds[i].revents == 0) continue;
      std::array<char, 65536> bytes;
      const ssize_t n = recv(fds[i].fd, bytes.data(), bytes.size(), 0);
      if (n > 0 && send(fds[i].fd, bytes.data(), static_cast<std::size_t>(n), MSG_NOSIGNAL) == n) continue;
      close(fds[i].fd);
      fds.erase(fds.begin() + static_cast<std::ptrdiff_t>(i));
    }
    if (fds[0].revents == 0) continue;
    if (const int taken = accept(listening, nullptr, nullptr); taken >= 0) fds.push_back({taken, POLLIN, 0});
  }
}

class EchoServer {
 public:
  explicit EchoServer(int listening) : pid_(fork()) {
    if (pid_ < 0) throw std::runtime_error("no process can be had");
    if (pid_ == 0) echo(listening);
  }
  ~EchoServer() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }

 private:
  pid_t pid_;
};

/// A client with a bound on every wait.
class Caller {
 public:
  explicit Caller(const std::string& port) : socket_(begin_connect({"127.0.0.1", port})) { wait(POLLOUT, 5000); }
  void say(std::string_view text) { send(socket_.fd(), text.data(), text.size(), MSG_NOSIGNAL); }
  /// What comes until so many bytes are there, the end, or nothing for so long; "!" behind it: reset, ".": closed.
  std::string hear(std::size_t bytes, int patience_ms = 5000) {
    std::string text;
    while (text.size() < bytes) {
      if (!wait(POLLIN, patience_ms)) return text;
      std::array<char, 65536> part;
      const ssize_t n = recv(socket_.fd(), part.data(), std::min(part.size(), bytes - text.size()), 0);
      if (n == 0) return text + ".";
      if (n < 0) return text + "!";
      text.append(part.data(), static_cast<std::size_t>(n));
    }
    return text;
  }

 private:
  bool wait(short event, int patience_ms) {
    pollfd one{socket_.fd(), event, 0};
    return poll(&one, 1, patience_ms) > 0;
  }
  Socket socket_;
};

class ProxyTest : public testing::Test {
 protected:
  Socket listening_ = listen_here();
  EchoServer server_{listening_.fd()};
  Proxy proxy_{{"127.0.0.1", port_of(listening_)}};
};

TEST_F(ProxyTest, LetsEverythingThroughUnlessTold) {
  Caller caller(proxy_.port());
  std::string sent;
  for (int i = 0; i < 100; ++i) {
    std::string part(10'000, static_cast<char>('a' + i % 26));
    caller.say(part);
    EXPECT_EQ(caller.hear(part.size()), part);
    sent += part;
  }
  Counts counts = proxy_.counts();
  EXPECT_EQ(counts["connections"], 1u);
  EXPECT_EQ(counts["up_bytes"], sent.size());
  EXPECT_EQ(counts["down_bytes"], sent.size());
}

TEST_F(ProxyTest, CutsAtTheByteOfEitherDirection) {
  for (std::uint64_t after : {0u, 1u, 5u, 999u}) {
    for (Direction direction : {Direction::up, Direction::down}) {
      Caller caller(proxy_.port());
      caller.say("x");
      ASSERT_EQ(caller.hear(1), "x");
      const std::uint64_t before = proxy_.obey({Fault::cut, direction, after})["cut"];
      const std::string text(1000, 'y');
      caller.say(text);
      std::string heard = caller.hear(2000);
      // Cut on its way up, what the server sends back may meet a closed door.
      heard.erase(heard.find_last_not_of("!.") + 1);
      if (direction == Direction::down)
        EXPECT_EQ(heard.size(), after);
      else
        EXPECT_LE(heard.size(), after);
      EXPECT_EQ(proxy_.heal()["cut"], before + 1);
    }
  }
}

TEST_F(ProxyTest, Resets) {
  Caller caller(proxy_.port());
  proxy_.obey({Fault::reset, Direction::down, 3});
  caller.say("hello");
  const std::string heard = caller.hear(6);
  EXPECT_EQ(heard.back(), '!') << heard;
  EXPECT_EQ(proxy_.counts()["reset"], 1u);
}

TEST_F(ProxyTest, HalfOpenSwallowsOneDirectionOnly) {
  Caller caller(proxy_.port());
  proxy_.obey({Fault::half_open, Direction::down, 2});
  caller.say("hello");
  EXPECT_EQ(caller.hear(5, 200), "he");  // and no end is told
  Counts counts = proxy_.heal();
  EXPECT_EQ(counts["half_open"], 1u);
  EXPECT_EQ(counts["up_bytes"], 5u);
  EXPECT_EQ(counts["swallowed_bytes"], 3u);
  caller.say("again");
  EXPECT_EQ(caller.hear(5), "again");
}

TEST_F(ProxyTest, ABlackHoleTellsNothing) {
  Caller caller(proxy_.port());
  proxy_.obey({Fault::black_hole, Direction::up, 2});
  caller.say("hello");
  EXPECT_EQ(caller.hear(5, 200), "");
  EXPECT_EQ(proxy_.counts()["black_hole"], 1u);
  Caller spared(proxy_.port());  // met as well: every connection is
  spared.say("hello");
  EXPECT_EQ(spared.hear(5, 200), "");
}

TEST_F(ProxyTest, IsSlow) {
  Caller caller(proxy_.port());
  proxy_.obey({Fault::slow, Direction::up, 0, 20'000});
  const auto begun = std::chrono::steady_clock::now();
  caller.say("abcdef");
  EXPECT_EQ(caller.hear(6), "abcdef");
  EXPECT_GE(std::chrono::steady_clock::now() - begun, std::chrono::milliseconds{100});
  EXPECT_EQ(proxy_.counts()["slow"], 1u);
}

TEST_F(ProxyTest, RefusesSoManyAndStaysMute) {
  proxy_.obey({Fault::refuse, Direction::up, 0, 0, 2});
  for (const char* wanted : {"", "", "hello"}) {
    Caller caller(proxy_.port());
    caller.say("hello");
    std::string heard = caller.hear(5);
    heard.erase(heard.find_last_not_of("!.") + 1);  // a reset that the send was told of is an end to the reader
    EXPECT_EQ(heard, wanted);
  }
  proxy_.obey({Fault::mute, Direction::up, 0, 0, 1});
  Caller unheard(proxy_.port()), heard(proxy_.port());
  unheard.say("hello");
  heard.say("hello");
  EXPECT_EQ(unheard.hear(5, 200), "");
  EXPECT_EQ(heard.hear(5), "hello");
  Counts counts = proxy_.counts();
  EXPECT_EQ(counts["refuse"], 2u);
  EXPECT_EQ(counts["mute"], 1u);
}

TEST_F(ProxyTest, ComesAndGoes) {
  Caller caller(proxy_.port());
  caller.say("x");
  ASSERT_EQ(caller.hear(1), "x");
  // An hour of no network first: who was there is reset, and who comes as well.
  EXPECT_EQ(proxy_.obey({Fault::flapping, Direction::up, 0, 3'600'000'000})["flapping"], 1u);
  EXPECT_EQ(caller.hear(1), "!");
  Caller refused(proxy_.port());
  refused.say("x");
  EXPECT_NE(refused.hear(1), "x");
  // Now every 20 ms: sooner or later one gets through, and is reset again though nobody told the proxy anything.
  proxy_.obey({Fault::flapping, Direction::up, 0, 20'000});
  bool met_both = false;
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds{20};
  while (!met_both && std::chrono::steady_clock::now() < until) {
    Caller next(proxy_.port());
    next.say("x");
    met_both = next.hear(1) == "x" && next.hear(1) == "!";
  }
  EXPECT_TRUE(met_both);
  EXPECT_GE(proxy_.heal()["changes"], 2u);
  Caller healed(proxy_.port());
  healed.say("hello");
  EXPECT_EQ(healed.hear(5), "hello");
}

TEST_F(ProxyTest, DropsWhatThereIs) {
  Caller one(proxy_.port()), other(proxy_.port());
  one.say("x");
  other.say("x");
  EXPECT_EQ(one.hear(1) + other.hear(1), "xx");
  EXPECT_EQ(proxy_.drop(true)["open"], 0u);
  EXPECT_EQ(one.hear(1), "!");
  EXPECT_EQ(other.hear(1), "!");
  Caller next(proxy_.port());
  next.say("x");
  EXPECT_EQ(next.hear(1), "x");
}

TEST(Proxy, SaysSoWhereThereIsNoServer) {
  Socket nobody = listen_here();
  const std::string port = port_of(nobody);
  nobody.close();
  Proxy proxy({"127.0.0.1", port});
  Caller caller(proxy.port());
  caller.say("x");
  const std::string heard = caller.hear(1);
  EXPECT_TRUE(heard == "!" || heard == ".") << heard;
}

TEST(Proxy, ForwardsToAUnixSocket) {
  const std::string path = std::filesystem::temp_directory_path() / ("stile-proxy-" + std::to_string(getpid()));
  Socket listening(socket(AF_UNIX, SOCK_STREAM, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.data(), path.size());
  ASSERT_EQ(bind(listening.fd(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0) << std::strerror(errno);
  ASSERT_EQ(listen(listening.fd(), 8), 0);
  EchoServer server(listening.fd());
  Proxy proxy({path, ""});
  Caller caller(proxy.port());
  caller.say("hello");
  EXPECT_EQ(caller.hear(5), "hello");
  std::filesystem::remove(path);
}

TEST(Flapping, BeginsWithoutANetwork) {
  EXPECT_FALSE(Flapping().gone(5));
  EXPECT_EQ(Flapping().next_us(5), 0u);
  Flapping flapping(1000, 100);
  EXPECT_TRUE(flapping.gone(1000));
  EXPECT_EQ(flapping.next_us(1000), 1100u);
  EXPECT_TRUE(flapping.gone(1099));
  EXPECT_FALSE(flapping.gone(1100));
  EXPECT_EQ(flapping.next_us(1150), 1200u);
  EXPECT_TRUE(flapping.gone(1200));
}

TEST(Flow, LetsExactlySoManyPass) {
  Flow flow;
  flow.obey({Fault::cut, Direction::down, 10});
  EXPECT_EQ(flow.leave(Direction::up, 100, 0).bytes, 100u);
  EXPECT_EQ(flow.leave(Direction::down, 7, 0).bytes, 7u);
  EXPECT_FALSE(flow.passed(Direction::down, 7, 0));
  EXPECT_EQ(flow.leave(Direction::down, 7, 0).bytes, 3u);
  EXPECT_TRUE(flow.passed(Direction::down, 3, 0));
  EXPECT_FALSE(flow.passed(Direction::down, 0, 0)) << "told once";
  EXPECT_EQ(flow.leave(Direction::down, 7, 0).bytes, 0u);
}

}  // namespace
}  // namespace stile::conformance::proxy
