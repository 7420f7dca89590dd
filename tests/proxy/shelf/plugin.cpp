// The shelf: documents on a server, a line of JSON each way. A real store with a connection for the suite's Network to
// judge; tests/mutants/network breaks it as a careless author would.
//
// SPDX-License-Identifier: Apache-2.0
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <memory>
#include <string>

#include "codec/op.hpp"
#include "proxy/sockets.hpp"
#include "stile/sdk/plugin.hpp"

namespace stile::shelf {
namespace {

namespace json = boost::json;
using conformance::proxy::Endpoint;
using conformance::proxy::Socket;

constexpr std::array<stile_text, 1> schemes{{{"shelf", 5}}};
constexpr std::array<stile_text, 2> capabilities{{{"cross_process", 13}, {"durable", 7}}};
constexpr stile_limits make_limits() {
  stile_limits made{};
  made.struct_size = sizeof made;
  made.id_bytes = 512;
  made.value_bytes = made.reply_bytes = 16 << 20;
  made.error_bytes = made.receipt_bytes = 1024;
  made.batch = 256;
  made.page = 1000;
  made.queues = made.partitions = made.writers = 1;
  return made;
}
constexpr stile_limits limits = make_limits();

/// The connection broke, or the deadline passed.
struct Lost {
  bool sent;  ///< something of the request had left
  bool late;
};

class Session {
 public:
  Session(const Endpoint& server, std::string ns, std::int64_t deadline)
      : ns_(std::move(ns)), socket_(conformance::proxy::begin_connect(server)) {
    // As of every server: to get to it takes a while.
    if (passed(deadline)) throw sdk::Refusal(STILE_UNAVAILABLE, "no time was left to connect");
    if (!socket_ || !wait(POLLOUT, deadline)) throw sdk::Refusal(STILE_UNAVAILABLE, "the server cannot be reached");
    int failed = 0;
    socklen_t size = sizeof failed;
    if (getsockopt(socket_.fd(), SOL_SOCKET, SO_ERROR, &failed, &size) != 0 || failed != 0)
      throw sdk::Refusal(STILE_UNAVAILABLE, "the server refuses connections");
  }

  bool execute(const stile_call& call, std::span<stile_op* const> ops) {
    bool last_ok = false, first = true;
    for (std::size_t i = 0; i < ops.size(); ++i) {
      stile_op& op = *ops[i];
      const bool chained = (op.must & STILE_MUST_AFTER_OK) != 0;
      if (chained && first)
        sdk::answer(op, STILE_INVALID, "after_ok with nothing before it");
      else if (chained && !last_ok)
        sdk::answer(op, STILE_SKIPPED, "the operation before it was not ok");
      else if (!one(call, op)) {
        sdk::answer_rest(ops.subspan(i), STILE_UNAVAILABLE, "not sent: the connection is gone");
        return false;
      }
      first = false;
      last_ok = op.status == STILE_OK;
    }
    return true;
  }
  void interrupt(std::uint64_t) noexcept {}

 private:
  static bool known(std::uint32_t kind) {
    return kind == STILE_OP_GET || kind == STILE_OP_PUT || kind == STILE_OP_ERASE || kind == STILE_OP_SCAN ||
           kind == STILE_OP_INFO || kind == STILE_OP_PREPARE;
  }

  /// False once the connection is of no more use.
  bool one(const stile_call& call, stile_op& op) {
    if (!known(op.kind) || (op.must & ~STILE_MUST_AFTER_OK) != 0) {
      sdk::answer(op, STILE_UNSUPPORTED, "only documents are kept here");
      return true;
    }
    if (op.kind == STILE_OP_PUT && static_cast<const stile_put_request*>(op.request)->value.len > limits.value_bytes) {
      sdk::answer(op, STILE_TOO_LARGE, "a value has at most 16 MiB");
      return true;
    }
    json::object request = codec::request_json(op);
    request.erase("after_ok");
    try {
      const std::string line = ask(json::serialize(json::array{ns_, request}) + "\n", call.deadline);
      take(op, json::parse(line).as_object());
      return true;
    } catch (const Lost& lost) {
      lose(op, lost);
      return false;
    }
  }

  static void lose(stile_op& op, const Lost& lost) {
    if (!lost.sent) return sdk::answer(op, lost.late ? STILE_TIMED_OUT : STILE_UNAVAILABLE, "not sent");
    sdk::answer(op, STILE_UNKNOWN, "sent, and no reply came");
  }

  static std::int64_t left_until(std::int64_t deadline) {
    const auto now =
        std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now().time_since_epoch())
            .count();
    return deadline <= now ? 0 : deadline - now;
  }

  static bool passed(std::int64_t deadline) { return left_until(deadline) == 0; }

  bool wait(short event, std::int64_t deadline) const {
    std::int64_t left = left_until(deadline) / 1000;
    if (deadline == STILE_NEVER) left = 5'000;
    pollfd one{socket_.fd(), event, 0};
    return poll(&one, 1, static_cast<int>(std::min<std::int64_t>(left, 60'000))) > 0;
  }

  std::string ask(std::string_view text, std::int64_t deadline) {
    bool sent = false;
    while (!text.empty()) {
      if (!wait(POLLOUT, deadline)) throw Lost{sent, true};
      const ssize_t n = send(socket_.fd(), text.data(), text.size(), MSG_NOSIGNAL);
      if (n < 0 && (errno == EINTR || errno == EAGAIN)) continue;
      if (n < 0) throw Lost{sent, false};
      sent = true;
      text.remove_prefix(static_cast<std::size_t>(n));
    }
    std::string line;
    for (;;) {
      if (!wait(POLLIN, deadline)) throw Lost{true, true};
      std::array<char, 65536> part;
      const ssize_t n = recv(socket_.fd(), part.data(), part.size(), 0);
      if (n < 0 && (errno == EINTR || errno == EAGAIN)) continue;
      if (n <= 0) throw Lost{true, false};
      line.append(part.data(), static_cast<std::size_t>(n));
      if (line.back() == '\n') return line;
    }
  }

  static stile_bytes bytes(const stile_op& op, const json::object& answer, const char* member) {
    const json::value* value = answer.if_contains(member);
    if (!value) return {};
    const std::string text = codec::bytes_from_json(*value, member);
    auto* memory = static_cast<std::uint8_t*>(op.arena->alloc(op.arena->ctx, text.size() + 1));
    if (!memory) throw std::bad_alloc();
    std::copy(text.begin(), text.end(), memory);
    return {memory, text.size()};
  }
  static std::int64_t number(const json::object& answer, const char* member) {
    const json::value* value = answer.if_contains(member);
    return value ? value->to_number<std::int64_t>() : 0;
  }
  template <class T>
  static T& result(stile_op& op) {
    return *static_cast<T*>(op.result);
  }

  static void take(stile_op& op, const json::object& answer) {
    const std::string_view status = answer.at("status").as_string();
    std::int32_t is = STILE_INTERNAL;
    for (std::int32_t one = 0; one <= STILE_INTERNAL; ++one)
      if (name_of(static_cast<Status>(one)) == status) is = one;
    const json::value* error = answer.if_contains("error");
    sdk::answer(op, is, error ? std::string_view(error->as_string()) : std::string_view());
    switch (op.kind) {
      case STILE_OP_GET:
        result<stile_get_result>(op).value = bytes(op, answer, "value");
        result<stile_get_result>(op).version = bytes(op, answer, "version");
        result<stile_get_result>(op).expires_at = number(answer, "expires_at");
        break;
      case STILE_OP_PUT:
        result<stile_put_result>(op).version = bytes(op, answer, "version");
        result<stile_put_result>(op).value = bytes(op, answer, "value");
        break;
      case STILE_OP_ERASE:
        result<stile_erase_result>(op).removed = answer.contains("removed") && answer.at("removed").as_bool();
        result<stile_erase_result>(op).version = bytes(op, answer, "version");
        result<stile_erase_result>(op).value = bytes(op, answer, "value");
        break;
      case STILE_OP_SCAN: take_scan(op, answer); break;
      case STILE_OP_INFO: take_info(op, answer); break;
      default: break;
    }
  }

  static void take_scan(stile_op& op, const json::object& answer) {
    auto& out = result<stile_scan_result>(op);
    stile_document** end = &out.documents;
    const json::value* list = answer.if_contains("documents");
    if (!list) return;
    for (const json::value& each : list->as_array()) {
      auto* made = static_cast<stile_document*>(op.arena->alloc(op.arena->ctx, sizeof(stile_document)));
      if (!made) throw std::bad_alloc();
      *made = {sizeof(stile_document),
               0,
               nullptr,
               bytes(op, each.as_object(), "key"),
               bytes(op, each.as_object(), "version"),
               number(each.as_object(), "expires_at")};
      *end = made;
      end = &made->next;
    }
    out.has_next = answer.contains("next");
    out.next = bytes(op, answer, "next");
  }

  static void take_info(stile_op& op, const json::object& answer) {
    auto& out = result<stile_info_result>(op);
    out.plugin = {"shelf 1.0", 9};
    out.store_time = number(answer, "store_time");
    out.epoch = {reinterpret_cast<const std::uint8_t*>("1"), 1};
    out.durability = {"as long as its server runs", 26};
    out.server = {"shelf 1.0", 9};
    out.capabilities = capabilities.data();
    out.n_capabilities = 1;
    out.limits = &limits;
  }

  const std::string ns_;
  Socket socket_;
};

class Store {
 public:
  Store(Endpoint server, std::string ns) : server_(std::move(server)), ns_(std::move(ns)) {}
  std::unique_ptr<Session> connect(const stile_call& call) {
    return std::make_unique<Session>(server_, ns_, call.deadline);
  }

 private:
  Endpoint server_;
  std::string ns_;
};

class Instance {
 public:
  explicit Instance(const stile_host&) {}
  std::unique_ptr<Store> open(const stile_call&, const sdk::Config& config) {
    if (config.raw().n_hosts != 1) throw sdk::Refusal(STILE_INVALID, "shelf://HOST:PORT");
    const stile_pair& host = config.raw().hosts[0];
    return std::make_unique<Store>(
        Endpoint{std::string(host.key.ptr, host.key.len), std::string(host.value.ptr, host.value.len)},
        std::string(config.ns()));
  }
};

struct Shelf {
  using Instance = shelf::Instance;
  using Store = shelf::Store;
  using Session = shelf::Session;
  static const void* extension(std::string_view) noexcept { return nullptr; }
};

constexpr stile_plugin table = sdk::make_table<Shelf>({.name = "shelf",
                                                       .version = "1.0",
                                                       .help = "documents on a server: for tests of the suite",
                                                       .schemes = schemes,
                                                       .capabilities = std::span(capabilities).first(1)});

}  // namespace
}  // namespace stile::shelf

STILE_NOTE(1, 0, 1, 0, "shelf", "1.0", "shelf");
STILE_SDK_PLUGIN(stile::shelf::table)
