// A plugin in C++: write three classes, get a table whose entries never throw.
//
//   struct Mine {
//     class Instance {                       // one a core
//       explicit Instance(const stile_host& host);
//       std::unique_ptr<Store> open(const stile_call& call, const Config& config);   // throws Refusal
//     };
//     class Store {                          // one an open; connect may be called by several threads at once
//       std::unique_ptr<Session> connect(const stile_call& call);                    // throws Refusal
//     };
//     class Session {                        // one caller at a time, but interrupt by anybody
//       bool execute(const stile_call& call, std::span<stile_op* const> ops);        // false = drop this session
//       void interrupt(std::uint64_t serial) noexcept;
//     };
//     static const void* extension(std::string_view id) noexcept;
//   };
//   static const stile_plugin table = stile::sdk::make_table<Mine>(facts);
//   STILE_SDK_PLUGIN(table)
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <memory>
#include <new>
#include <span>
#include <string>
#include <string_view>

#include "stile/abi.h"
#include "stile/sdk/author.h"
#include "stile/sdk/engine/tables.hpp"
#include "stile/sdk/options.hpp"

namespace stile::sdk {

/// Knows whether this process is the one that made it, at the cost of one read: after a fork handles are dead (law 9).
class ForkMark {
 public:
  ForkMark() {
    const auto size = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    void* page = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) throw std::bad_alloc();
    size_ = size;
    mark_ = static_cast<volatile unsigned char*>(page);
    if (::madvise(page, size, MADV_WIPEONFORK) != 0) owner_ = ::getpid();
    *mark_ = 1;
  }
  ~ForkMark() { ::munmap(const_cast<unsigned char*>(mark_), size_); }
  ForkMark(const ForkMark&) = delete;
  ForkMark& operator=(const ForkMark&) = delete;

  bool here() const { return owner_ == 0 ? *mark_ != 0 : owner_ == ::getpid(); }

 private:
  volatile unsigned char* mark_ = nullptr;
  std::size_t size_ = 0;
  ::pid_t owner_ = 0;  // where the kernel does not wipe
};

inline constexpr const char* after_fork = "this handle was opened before a fork: open the store in the child itself";

/// Logging through the host. Copyable; valid while the instance is.
class Log {
 public:
  explicit Log(const stile_host* host = nullptr) : host_(host) {}
  bool listens(std::uint32_t level) const { return host_ != nullptr && level <= host_->log_level(host_->ctx); }
  void operator()(std::uint32_t level, std::string_view message) const {
    if (listens(level)) host_->log(host_->ctx, level, text(message), nullptr, 0);
  }

 private:
  const stile_host* host_;
};

/// Answers an operation with a text of one's own; where the arena has no room the status stands alone.
inline void answer(stile_op& op, std::int32_t status, std::string_view text) noexcept {
  stile_answer_copy(&op, status, text.data(), text.size());
}
inline void answer(stile_op& op, const engine::Failure& failure) noexcept {
  answer(op, failure.status(), failure.text());
  if (failure.native().empty()) return;
  const auto size = failure.native().size();
  if (auto* memory = static_cast<char*>(op.arena->alloc(op.arena->ctx, size))) {
    std::memcpy(memory, failure.native().data(), size);
    op.native = {memory, size};
  }
}

/// What every operation that was left without a status gets.
inline void answer_rest(std::span<stile_op* const> ops, std::int32_t status, std::string_view text) noexcept {
  for (stile_op* op : ops)
    if (op->status == STILE_UNSET) answer(*op, status, text);
}

/// The entries of the table around the classes of P. Nothing unwinds out of them (law 9).
template <class P>
struct Guard {
  using Instance = typename P::Instance;
  using Store = typename P::Store;
  using Session = typename P::Session;

  struct InstanceBox {
    explicit InstanceBox(const stile_host& host) : inner(host) {}
    ForkMark fork;
    Instance inner;
  };
  struct StoreBox {
    const ForkMark* fork;
    std::unique_ptr<Store> inner;
  };
  struct SessionBox {
    const ForkMark* fork;
    std::unique_ptr<Session> inner;
  };

  /// Runs body, which makes something; whatever it throws becomes a status and a text.
  template <class Body>
  static std::int32_t refusing(stile_error* error, Body&& body) noexcept {
    try {
      body();
      return STILE_OK;
    } catch (const Refusal& refusal) {
      return stile_refuse(error, refusal.status(), refusal.what());
    } catch (const engine::Failure& failure) {
      return stile_refuse(error, failure.status(), failure.what());
    } catch (const std::bad_alloc&) {
      return stile_refuse(error, STILE_FULL, "out of memory");
    } catch (const std::exception& exception) {
      return stile_refuse(error, STILE_INTERNAL, exception.what());
    } catch (...) {
      return stile_refuse(error, STILE_INTERNAL, "an exception of unknown type inside the plugin");
    }
  }

  static std::int32_t start(const stile_host* host, stile_instance** out, stile_error* error) noexcept {
    return refusing(error, [&] { *out = reinterpret_cast<stile_instance*>(new InstanceBox(*host)); });
  }
  static void stop(stile_instance* instance) noexcept { delete reinterpret_cast<InstanceBox*>(instance); }

  static std::int32_t open(stile_instance* instance, const stile_call* call, const stile_config* config,
                           stile_store** out, stile_error* error) noexcept {
    return refusing(error, [&] {
      auto& box = *reinterpret_cast<InstanceBox*>(instance);
      if (!box.fork.here()) throw Refusal(STILE_UNAVAILABLE, after_fork);
      auto made = std::make_unique<StoreBox>();
      made->fork = &box.fork;
      made->inner = box.inner.open(*call, Config(*config));
      *out = reinterpret_cast<stile_store*>(made.release());
    });
  }
  static void close(stile_store* store) noexcept { end(reinterpret_cast<StoreBox*>(store)); }

  static std::int32_t connect(stile_store* store, const stile_call* call, stile_session** out,
                              stile_error* error) noexcept {
    return refusing(error, [&] {
      auto& box = *reinterpret_cast<StoreBox*>(store);
      if (!box.fork->here()) throw Refusal(STILE_UNAVAILABLE, after_fork);
      auto made = std::make_unique<SessionBox>();
      made->fork = box.fork;
      made->inner = box.inner->connect(*call);
      *out = reinterpret_cast<stile_session*>(made.release());
    });
  }
  static void disconnect(stile_session* session) noexcept { end(reinterpret_cast<SessionBox*>(session)); }

  static std::uint32_t execute(stile_session* session, const stile_call* call, stile_op* const* ops,
                               std::uint64_t count) noexcept {
    auto& box = *reinterpret_cast<SessionBox*>(session);
    const std::span<stile_op* const> all(ops, static_cast<std::size_t>(count));
    if (!box.fork->here()) {
      answer_rest(all, STILE_UNAVAILABLE, after_fork);
      return STILE_SESSION_DROP;
    }
    try {
      return box.inner->execute(*call, all) ? STILE_SESSION_KEEP : STILE_SESSION_DROP;
    } catch (const std::exception& exception) {
      answer_rest(all, STILE_INTERNAL, exception.what());
    } catch (...) {
      answer_rest(all, STILE_INTERNAL, "an exception of unknown type inside the plugin");
    }
    return STILE_SESSION_DROP;
  }
  static void interrupt(stile_session* session, std::uint64_t serial) noexcept {
    auto& box = *reinterpret_cast<SessionBox*>(session);
    if (box.fork->here()) box.inner->interrupt(serial);
  }
  static const void* extension(stile_text id) noexcept { return P::extension(view(id)); }

 private:
  /// In a forked child the other threads are gone, and with them whoever held a lock or would end a wait: what the
  /// parent made is left as it is there.
  template <class Box>
  static void end(Box* box) noexcept {
    if (!box->fork->here()) static_cast<void>(box->inner.release());
    delete box;
  }
};

/// Everything of a table but its entries.
struct Facts {
  std::string_view name, version, help;
  std::span<const stile_text> schemes;
  std::span<const stile_option* const> options;
  std::span<const stile_text> capabilities;
  std::uint32_t flags = 0;
  std::string_view license = "not stated";  ///< an SPDX expression
};

template <class P>
constexpr stile_plugin make_table(const Facts& facts) {
  const auto of = [](std::string_view from) { return stile_text{from.data(), from.size()}; };
  using G = Guard<P>;
  stile_plugin out{};
  out.struct_size = sizeof(stile_plugin);
  out.abi = STILE_ABI_1_0;
  out.flags = facts.flags;
  out.name = of(facts.name);
  out.version = of(facts.version);
  out.license = of(facts.license);
  out.help = of(facts.help);
  out.schemes = facts.schemes.data();
  out.n_schemes = facts.schemes.size();
  out.options = facts.options.data();
  out.n_options = facts.options.size();
  out.capabilities = facts.capabilities.data();
  out.n_capabilities = facts.capabilities.size();
  out.start = G::start;
  out.stop = G::stop;
  out.open = G::open;
  out.close = G::close;
  out.connect = G::connect;
  out.disconnect = G::disconnect;
  out.execute = G::execute;
  out.interrupt = G::interrupt;
  out.extension = G::extension;
  return out;
}

/// The entry point's work: agree on a revision, or refuse with both ranges named.
inline const stile_plugin* enter(const stile_plugin& table, const stile_hello* hello, stile_error* error) noexcept {
  if (hello->abi_min <= table.abi && table.abi <= hello->abi_max) return &table;
  stile_refuse(error, STILE_UNSUPPORTED,
               "this plugin speaks revision 1.0 of the Stile ABI, which the host does not offer: update the older one");
  return nullptr;
}

}  // namespace stile::sdk

/// Defines the one exported symbol.
#define STILE_SDK_PLUGIN(table)                                                                                     \
  extern "C" STILE_EXPORT const stile_plugin* stile_plugin_entry_v1(const stile_hello* hello, stile_error* error) { \
    return ::stile::sdk::enter(table, hello, error);                                                                \
  }
