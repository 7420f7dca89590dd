// libstile.so loaded as a program in another language loads it: by its one symbol, with memory of one's own.
//
// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <list>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "stile/abi.h"
#include "stile/abi/core.h"

namespace {

stile_text text(std::string_view from) { return {from.data(), from.size()}; }
stile_bytes bytes(std::string_view from) { return {reinterpret_cast<const std::uint8_t*>(from.data()), from.size()}; }
std::string_view view(stile_bytes from) { return {reinterpret_cast<const char*>(from.ptr), from.len}; }

struct Arena {
  std::list<std::unique_ptr<char[]>> pieces;
  stile_arena face{sizeof(stile_arena), 0, this, [](void* ctx, std::uint64_t size) -> void* {
                     auto& all = static_cast<Arena*>(ctx)->pieces;
                     return all.emplace_back(new char[size + 1]).get();  // new aligns to 16
                   }};
};

template <class Request, class Result>
struct Operation {
  Request request{};
  Result result{};
  Arena arena;
  stile_op op{};

  explicit Operation(std::uint32_t kind) {
    request.struct_size = sizeof(Request);
    result.struct_size = sizeof(Result);
    op.struct_size = sizeof(op);
    op.kind = kind;
    op.status = STILE_UNSET;
    op.request = &request;
    op.result = &result;
    op.arena = &arena.face;
  }
};

class Entry : public testing::Test {
 protected:
  void SetUp() override {
    void* library = dlopen(STILE_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    ASSERT_TRUE(library) << dlerror();
    auto entry = reinterpret_cast<decltype(&stile_core_entry_v1)>(dlsym(library, STILE_CORE_ENTRY_NAME));
    ASSERT_TRUE(entry);
    stile_hello hello{sizeof(hello), STILE_ABI_1_0, STILE_ABI_1_0, 0};
    table_ = entry(&hello, nullptr);
    ASSERT_TRUE(table_);
    host_.struct_size = sizeof(host_);
    host_.abi = STILE_ABI_1_0;
    host_.name = text("test");
    host_.log_level = [](void*) -> std::uint32_t { return STILE_LOG_ERROR; };
    host_.log = [](void*, std::uint32_t, stile_text, const stile_text*, std::uint64_t) {};
    host_.extension = [](void*, stile_text) -> const void* { return nullptr; };
    ASSERT_EQ(table_->start(&host_, &instance_, nullptr), STILE_OK);
    stile_config config{};
    config.struct_size = sizeof(config);
    config.path = bytes("memory:");
    ASSERT_EQ(table_->open(instance_, &call_, &config, &store_, nullptr), STILE_OK);
    ASSERT_EQ(table_->connect(store_, &call_, &session_, nullptr), STILE_OK);
  }
  void TearDown() override {
    if (session_) table_->disconnect(session_);
    if (store_) table_->close(store_);
    if (instance_) table_->stop(instance_);
  }

  void execute(std::vector<stile_op*> ops) {
    ++call_.serial;
    EXPECT_EQ(table_->execute(session_, &call_, ops.data(), ops.size()), STILE_SESSION_KEEP);
  }

  const stile_plugin* table_ = nullptr;
  stile_host host_{};
  stile_instance* instance_ = nullptr;
  stile_store* store_ = nullptr;
  stile_session* session_ = nullptr;
  stile_call call_{sizeof(stile_call), 0, 0, STILE_NEVER};
};

TEST_F(Entry, AnswersIntoTheCallersMemory) {
  Operation<stile_put_request, stile_put_result> put(STILE_OP_PUT);
  put.request.key = bytes("k");
  put.request.value = bytes("v");
  Operation<stile_get_request, stile_get_result> get(STILE_OP_GET);
  get.request.key = bytes("k");
  get.op.must = STILE_MUST_AFTER_OK;
  execute({&put.op, &get.op});
  EXPECT_EQ(put.op.status, STILE_OK);
  ASSERT_EQ(get.op.status, STILE_OK);
  EXPECT_EQ(view(get.result.value), "v");
  EXPECT_EQ(view(get.result.version), view(put.result.version));
  EXPECT_FALSE(get.arena.pieces.empty());
}

TEST_F(Entry, EndsAWaitWhenItIsInterrupted) {
  Operation<stile_receive_request, stile_receive_result> receive(STILE_OP_RECEIVE);
  stile_bytes queue{};
  receive.request.max = 1;
  receive.request.lease = 1'000'000;
  receive.request.wait = std::int64_t{3600} * 1'000'000;
  receive.request.queues = &queue;
  receive.request.n_queues = 1;
  std::thread waits([&] { execute({&receive.op}); });
  table_->interrupt(session_, 1);  // running or yet to begin
  waits.join();
  EXPECT_EQ(receive.op.status, STILE_INTERRUPTED);
}

TEST_F(Entry, RefusesAConfigStringWithItsReason) {
  stile_config config{};
  config.struct_size = sizeof(config);
  config.path = bytes("memory:?nope=1");
  char buffer[256];
  stile_error error{sizeof(error), sizeof(buffer), buffer, 0};
  stile_store* store = nullptr;
  EXPECT_EQ(table_->open(instance_, &call_, &config, &store, &error), STILE_INVALID);
  EXPECT_NE(std::string_view(buffer, std::min<std::size_t>(error.text_len, sizeof(buffer))).find("nope"),
            std::string_view::npos);
}

}  // namespace
