// How the tests of this store open it: through its table, as a host would, with real files and real processes.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "stile/abi.h"

namespace stile::sqlite::test {

using namespace std::string_view_literals;

inline constexpr std::int64_t ms = 1'000, s = 1'000'000;

inline stile_bytes bytes(std::string_view of) { return {reinterpret_cast<const std::uint8_t*>(of.data()), of.size()}; }
inline std::string text(stile_bytes of) { return {reinterpret_cast<const char*>(of.ptr), of.len}; }
inline std::string text(stile_text of) { return {of.ptr, of.len}; }
std::int64_t monotonic();
stile_id fresh_id();

/// The memory of answers.
class Arena {
 public:
  const stile_arena* get() const { return &arena_; }

 private:
  static void* alloc(void* self, std::uint64_t size);
  std::deque<std::vector<char>> blocks_;
  stile_arena arena_{sizeof(stile_arena), 0, this, alloc};
};

/// One operation with its request, its answer and their memory.
template <class Request, class Result, std::uint32_t kind>
class Op {
 public:
  Op() {
    op_.struct_size = sizeof op_;
    op_.kind = kind;
    op_.status = STILE_UNSET;
    op_.request = &request;
    op_.result = &result;
    op_.arena = arena_.get();
    request.struct_size = sizeof request;
    result.struct_size = sizeof result;
  }
  Op(const Op&) = delete;
  Op& operator=(const Op&) = delete;

  stile_op* get() { return &op_; }
  stile_op* operator->() { return &op_; }
  std::int32_t status() const { return op_.status; }
  std::string error() const { return {op_.error.ptr, op_.error.len}; }
  void reset() {
    op_.status = STILE_UNSET;
    op_.error = {};
    result = {};
    result.struct_size = sizeof result;
  }

  Request request{};
  Result result{};

 private:
  Arena arena_;
  stile_op op_{};
};

struct NoResult {
  std::uint32_t struct_size;
  std::uint32_t reserved0;
};

using Acquire = Op<stile_acquire_request, stile_acquire_result, STILE_OP_ACQUIRE>;
using Renew = Op<stile_renew_request, stile_renew_result, STILE_OP_RENEW>;
using Load = Op<stile_load_request, stile_load_result, STILE_OP_LOAD>;
using Record = Op<stile_record_request, stile_record_result, STILE_OP_RECORD>;
using Supply = Op<stile_supply_request, stile_supply_result, STILE_OP_SUPPLY>;
using Append = Op<stile_append_request, stile_append_result, STILE_OP_APPEND>;
using Transact = Op<stile_transact_request, stile_transact_result, STILE_OP_TRANSACT>;
using Rebase = Op<stile_rebase_request, stile_rebase_result, STILE_OP_REBASE>;
using Discard = Op<stile_discard_request, stile_discard_result, STILE_OP_DISCARD>;
using Watch = Op<stile_watch_request, stile_watch_result, STILE_OP_WATCH>;
using Enqueue = Op<stile_enqueue_request, stile_enqueue_result, STILE_OP_ENQUEUE>;
using Receive = Op<stile_receive_request, stile_receive_result, STILE_OP_RECEIVE>;
using Ack = Op<stile_ack_request, stile_ack_result, STILE_OP_ACK>;
using Nack = Op<stile_nack_request, stile_nack_result, STILE_OP_NACK>;
using Reject = Op<stile_reject_request, stile_reject_result, STILE_OP_REJECT>;
using Cancel = Op<stile_cancel_request, stile_cancel_result, STILE_OP_CANCEL>;
using Get = Op<stile_get_request, stile_get_result, STILE_OP_GET>;
using Put = Op<stile_put_request, stile_put_result, STILE_OP_PUT>;
using Erase = Op<stile_erase_request, stile_erase_result, STILE_OP_ERASE>;
using Scan = Op<stile_scan_request, stile_scan_result, STILE_OP_SCAN>;
using Prepare = Op<stile_prepare_request, stile_prepare_result, STILE_OP_PREPARE>;
using Info = Op<stile_info_request, stile_info_result, STILE_OP_INFO>;
using Stats = Op<stile_stats_request, stile_stats_result, STILE_OP_STATS>;
using List = Op<stile_list_request, stile_list_result, STILE_OP_LIST>;
using Trim = Op<stile_trim_request, stile_trim_result, STILE_OP_TRIM>;
using Render = Op<stile_render_request, stile_render_result, STILE_OP_RENDER>;
using Advance = Op<stile_advance_request, stile_advance_result, STILE_OP_ADVANCE>;

using Options = std::map<std::string, std::string>;

/// The plugin, started.
class Plugin {
 public:
  Plugin();
  ~Plugin();
  Plugin(const Plugin&) = delete;
  Plugin& operator=(const Plugin&) = delete;
  const stile_plugin& table() const { return *table_; }
  stile_instance* instance() const { return instance_; }

 private:
  const stile_plugin* table_;
  stile_instance* instance_ = nullptr;
};

class Session;

/// A store, opened. When it was refused, status and error say why.
class Store {
 public:
  Store(Plugin& plugin, const std::string& path, const Options& options = {}, const std::string& ns = {},
        std::int64_t patience = 20 * s);
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  std::int32_t status() const { return status_; }
  const std::string& error() const { return error_; }
  std::unique_ptr<Session> connect();
  /// What connect answers; the session is thrown away.
  std::int32_t try_connect(std::string& error);

  const stile_plugin& table() const { return plugin_.table(); }

 private:
  Plugin& plugin_;
  stile_store* store_ = nullptr;
  std::int32_t status_ = STILE_UNSET;
  std::string error_;
};

class Session {
 public:
  Session(const stile_plugin& table, stile_session* session) : table_(table), session_(session) {}
  ~Session() { table_.disconnect(session_); }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  std::uint32_t execute(std::initializer_list<stile_op*> ops, std::int64_t patience = 20 * s);
  std::uint32_t execute(const std::vector<stile_op*>& ops, std::int64_t patience = 20 * s);
  template <class O>
  std::int32_t run(O& op, std::int64_t patience = 20 * s) {
    execute({op.get()}, patience);
    return op.status();
  }
  void interrupt(std::uint64_t serial) { table_.interrupt(session_, serial); }
  std::uint64_t last_serial() const { return serial_; }

  // The operations that tests need most.
  stile_fence acquire(std::string_view workflow, std::int64_t ttl = 60 * s, std::int64_t budget = 3600 * s);
  std::int32_t record(std::string_view workflow, const stile_fence& fence, std::string_view key,
                      std::string_view value);
  std::int32_t enqueue(std::string_view workflow, std::int64_t delay = 0, std::string_view queue = {});
  /// The workflows received.
  std::vector<std::string> receive(std::int64_t wait = 0, std::string_view queue = {}, std::int64_t lease = 60 * s);
  std::string load(std::string_view workflow, std::string_view key);
  std::int64_t store_time();

 private:
  const stile_plugin& table_;
  stile_session* session_;
  std::uint64_t serial_ = 0;
};

/// A folder of its own, gone with the test.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string file(const std::string& name = "store.db") const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// A connection of somebody else's to the same file.
class Foreign {
 public:
  explicit Foreign(const std::string& path);
  ~Foreign();
  Foreign(const Foreign&) = delete;
  Foreign& operator=(const Foreign&) = delete;
  int exec(const std::string& sql);
  /// The first column of the first row, as text.
  std::string ask(const std::string& sql);
  sqlite3* handle() { return db_; }

 private:
  sqlite3* db_ = nullptr;
};

/// A part of a test that runs in a process of its own, started with exec. Returns the exit status.
using Child = int (*)(const std::vector<std::string>& arguments);
struct RegisterChild {
  RegisterChild(const char* name, Child child);
};
#define STILE_TEST_CHILD(name)                                                            \
  static int child_##name(const std::vector<std::string>& arguments);                     \
  static const ::stile::sqlite::test::RegisterChild register_##name(#name, child_##name); \
  static int child_##name([[maybe_unused]] const std::vector<std::string>& arguments)

/// One such process.
class Process {
 public:
  Process(const std::string& name, const std::vector<std::string>& arguments,
          const std::vector<std::string>& environment = {}, unsigned user = 0);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  /// One line of what it writes, without the end; empty at the end of its output, or when the time is over.
  std::string line(std::int64_t patience = 20 * s);
  /// Lets it go on, where it waits for a line.
  void say(const std::string& line);
  void kill(int signal);
  /// Its exit status, or minus the signal that ended it.
  int wait();

 private:
  int pid_ = -1, out_ = -1, in_ = -1;
  std::string buffer_;
  bool waited_ = false;
  int status_ = 0;
};

/// What a child says to, and hears from, the test.
void tell(const std::string& line);
std::string hear();

/// Waits until it is so, or the time is over.
bool eventually(const std::function<bool()>& so, std::int64_t patience = 20 * s);

/// The same without using the processor meanwhile.
bool eventually_without_spinning(const std::function<bool()>& so, std::int64_t patience);

int run_child(int argc, char** argv);

}  // namespace stile::sqlite::test
