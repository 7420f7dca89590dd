// The smallest host: loads a plugin file with dlopen and drives its table, one operation or one batch at a time.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stile/abi.h"

namespace stile::test {

using namespace std::chrono_literals;
using std::chrono::microseconds;

inline stile_bytes bytes(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}
inline std::string string(const stile_bytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.ptr), static_cast<std::size_t>(bytes.len)};
}
inline std::string string(const stile_text& text) { return {text.ptr, static_cast<std::size_t>(text.len)}; }

/// A fresh op_id, or one that is told again.
stile_id fresh_id();

bool same(const stile_id& a, const stile_id& b);
bool same(const stile_fence& a, const stile_fence& b);

/// Memory of answers. `fail_after` allocations it is out of room.
class Arena {
 public:
  Arena();
  const stile_arena* get() const { return &arena_; }
  std::optional<int> fail_after;

 private:
  static void* alloc(void* ctx, std::uint64_t size);
  stile_arena arena_{};
  std::vector<std::unique_ptr<std::uint8_t[]>> blocks_;
};

struct NoResult {
  std::uint32_t struct_size;
};

/// One operation with its memory.
template <class Request, class Result>
class Op {
 public:
  explicit Op(std::uint32_t kind) : op_(std::make_unique<Held>()) {
    op_->request.struct_size = sizeof(Request);
    op_->result.struct_size = sizeof(Result);
    op_->op.struct_size = sizeof(stile_op);
    op_->op.kind = kind;
    op_->op.status = STILE_UNSET;
    op_->op.request = &op_->request;
    op_->op.result = &op_->result;
    op_->op.arena = op_->arena.get();
  }

  Request& q() { return op_->request; }
  const Result& r() const { return op_->result; }
  stile_op& op() { return op_->op; }
  Arena& arena() { return op_->arena; }
  std::int32_t status() const { return op_->op.status; }
  std::string error() const { return string(op_->op.error); }
  /// Keeps a text alive as long as the operation.
  stile_bytes keep(std::string_view text) {
    op_->kept.push_back(std::make_unique<std::string>(text));
    return bytes(*op_->kept.back());
  }
  /// Puts the answer back, to be sent again.
  void reset() {
    op_->result = Result{};
    op_->result.struct_size = sizeof(Result);
    op_->op.status = STILE_UNSET;
    op_->op.error = {};
  }

 private:
  struct Held {
    Request request{};
    Result result{};
    stile_op op{};
    Arena arena;
    std::vector<std::unique_ptr<std::string>> kept;
  };
  std::unique_ptr<Held> op_;
};

/// A plugin file.
class Plugin {
 public:
  explicit Plugin(const std::string& file);
  ~Plugin();
  Plugin(const Plugin&) = delete;
  Plugin& operator=(const Plugin&) = delete;
  const stile_plugin& table() const { return *table_; }
  stile_instance* instance() const { return instance_; }

  /// The plugin of that name among those that were built; loaded and started once.
  static Plugin& named(const std::string& name);

 private:
  void* library_ = nullptr;
  const stile_plugin* table_ = nullptr;
  stile_instance* instance_ = nullptr;
  stile_host host_{};
};

using Options = std::map<std::string, std::string>;

/// An opened store.
class Store {
 public:
  Store(Plugin& plugin, std::string host, std::string ns, const Options& options);
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;
  /// STILE_OK, or what open answered.
  std::int32_t status() const { return status_; }
  const std::string& error() const { return error_; }
  const stile_plugin& table() const { return plugin_.table(); }
  stile_store* get() const { return store_; }

 private:
  Plugin& plugin_;
  stile_store* store_ = nullptr;
  std::int32_t status_ = STILE_OK;
  std::string error_;
};

/// A session of a store.
class Session {
 public:
  explicit Session(Store& store);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  std::uint32_t run(const std::vector<stile_op*>& ops, std::int64_t deadline = STILE_NEVER);
  template <class O>
  O& run(O& op, std::int64_t deadline = STILE_NEVER) {
    run(std::vector<stile_op*>{&op.op()}, deadline);
    return op;
  }
  void interrupt() { table_.interrupt(session_, serial_); }
  void interrupt_up_to(std::uint64_t serial) { table_.interrupt(session_, serial); }
  std::uint64_t serial() const { return serial_; }
  stile_session* get() const { return session_; }

 private:
  const stile_plugin& table_;
  stile_session* session_ = nullptr;
  std::uint64_t serial_ = 0;
};

}  // namespace stile::test
