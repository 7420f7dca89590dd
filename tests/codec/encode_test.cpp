// Answers as JSON: what applies is there, what does not is left out.
//
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "codec/copy.hpp"
#include "codec/line.hpp"
#include "codec/op.hpp"

namespace {

using namespace stile::codec;

stile_bytes bytes(std::string_view text) { return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}; }
stile_text text(std::string_view text) { return {text.data(), text.size()}; }

class Answer : public testing::Test {
 protected:
  // Asks, and hands back the result to be filled in.
  template <class T>
  T& ask(std::string_view request, int status = STILE_OK) {
    ask(request, status);
    return *op_->result<T>();
  }
  void ask(std::string_view request, int status = STILE_OK) {
    op_ = Op::decode(parse_line(request).as_object());
    op_->get()->status = status;
  }

  // Also through a deep copy: it must tell the same.
  std::string told() {
    std::string direct = json::serialize(answer_json(*op_->get()));
    auto other = Op::clone(*op_->get());
    copy_answer(*op_->get(), *other->get());
    EXPECT_EQ(json::serialize(answer_json(*other->get())), direct);
    return direct;
  }

  std::unique_ptr<Op> op_;
};

TEST_F(Answer, OfAFailureHasItsText) {
  ask(R"({"op":"get","key":"k"})", STILE_NOT_FOUND);
  EXPECT_EQ(told(), R"({"status":"not_found","error":"there is no such thing"})");
  op_->get()->error = text("no document \"k\"");
  op_->get()->native = text("E7");
  op_->get()->retry_after = 5;
  EXPECT_EQ(told(), R"({"status":"not_found","error":"no document \"k\"","native":"E7","retry_after":5})");
  op_->get()->error = text("\xFF");
  EXPECT_EQ(json::serialize(answer_json(*op_->get()).at("error")), R"({"b64":"/w=="})");
}

TEST_F(Answer, LeftUnsetIsInternal) {
  ask(R"({"op":"get","key":"k"})", STILE_UNSET);
  EXPECT_EQ(told(), R"({"status":"internal","error":"the operation was left without a status"})");
  ask(R"({"op":"release","workflow":"w","fence":null})", 99);
  EXPECT_EQ(told(), R"({"status":"status 99","error":"a status outside the contract"})");
}

TEST_F(Answer, OfAcquire) {
  auto& granted = ask<stile_acquire_result>(R"({"op":"acquire","workflow":"w","ttl":1,"budget":1})");
  granted.fence.number = 7;
  granted.fence.stamp.bytes[0] = 0x5f;
  granted.live_until = 10;
  granted.budget_until = 20;
  EXPECT_EQ(told(), R"({"status":"ok","cancel_requested":false,"fence":"7.5f000000000000000000000000000000",)"
                    R"("live_until":10,"budget_until":20})");
  op_->get()->status = STILE_HELD;
  EXPECT_EQ(told(), R"({"status":"held","error":"another lease is live; the answer says until when","live_until":10})");
}

TEST_F(Answer, OfRecordAlwaysHasTheValue) {
  auto& own = ask<stile_record_result>(R"({"op":"record","workflow":"w","fence":null,"key":"k","value":"mine"})");
  own.first = 1;
  own.position = 3;
  own.written_at = 9;
  EXPECT_EQ(told(), R"({"status":"ok","first":true,"value":"mine","position":3,"written_at":9})");
  own.first = 0;
  own.value = bytes("\xFF");
  EXPECT_EQ(told(), R"({"status":"ok","first":false,"value":{"b64":"/w=="},"position":3,"written_at":9})");
  own.value = {nullptr, 0};
  EXPECT_EQ(answer_json(*op_->get()).at("value"), "");  // the winner's is empty, ours is not
}

TEST_F(Answer, OfSupplyAndAppendHasAStateWithEnqueue) {
  auto& supplied = ask<stile_supply_result>(R"({"op":"supply","workflow":"w","key":"k","value":"v","enqueue":true})");
  supplied.first = 1;
  supplied.state = STILE_STATE_READY;
  supplied.visible_at = 5;
  EXPECT_EQ(told(),
            R"({"status":"ok","first":true,"value":"v","position":0,"written_at":0,"state":"ready","visible_at":5})");
  supplied.state = STILE_STATE_DEAD;
  supplied.visible_at = 0;
  EXPECT_EQ(told(), R"({"status":"ok","first":true,"value":"v","position":0,"written_at":0,"state":"dead"})");
  auto& appended = ask<stile_append_result>(R"({"op":"append","workflow":"w","value":"v"})");
  appended.key = bytes("inbox:1");
  EXPECT_EQ(told(), R"({"status":"ok","duplicate":false,"key":"inbox:1","position":0})");
}

TEST_F(Answer, OfReceive) {
  auto& received = ask<stile_receive_result>(R"({"op":"receive","lease":1})");
  stile_record record{};
  record.key = bytes("k");
  record.value = bytes("v");
  record.position = 1;
  record.written_at = 2;
  stile_delivery second{};
  second.workflow = bytes("b");
  stile_delivery first{};
  first.next = &second;
  first.workflow = bytes("a");
  first.receipt = bytes("r");
  first.delivery_count = 2;
  first.last_error = bytes("bad");
  first.visible_at = 8;
  first.fence.number = 4;
  first.live_until = 5;
  first.budget_until = 6;
  first.records = &record;
  first.more = 1;
  received.deliveries = &first;
  received.store_time = 3;
  EXPECT_EQ(
      told(),
      R"({"status":"ok","more":false,"deliveries":[{"delivery_count":2,"workflow":"a","queue":"","receipt":"r",)"
      R"("last_error":"bad","visible_at":8,"cancel_requested":false},{"delivery_count":0,"workflow":"b","queue":"",)"
      R"("receipt":"","visible_at":0,"cancel_requested":false}],"store_time":3})");
  ask<stile_receive_result>(R"({"op":"receive","lease":1,"acquire":{"ttl":1,"budget":1},"load":{}})").deliveries =
      &first;
  first.next = nullptr;
  EXPECT_EQ(told(),
            R"({"status":"ok","more":false,"deliveries":[{"delivery_count":2,"workflow":"a","queue":"","receipt":"r",)"
            R"("last_error":"bad","visible_at":8,"fence":"4.00000000000000000000000000000000","live_until":5,)"
            R"("budget_until":6,"records":[{"key":"k","value":"v","position":1,"written_at":2}],"more":true,)"
            R"("finished":false,"cancel_requested":false}],"store_time":0})");
}

TEST_F(Answer, OfExtendHasTheLeaseWithAFence) {
  auto& plain = ask<stile_extend_result>(R"({"op":"extend","receipt":"r","lease":1})");
  plain.visible_at = 1;
  EXPECT_EQ(told(), R"({"status":"ok","cancel_requested":false,"visible_at":1})");
  ask<stile_extend_result>(R"({"op":"extend","receipt":"r","lease":1,"fence":null,"ttl":1})").live_until = 2;
  EXPECT_EQ(told(), R"({"status":"ok","cancel_requested":false,"visible_at":0,"live_until":2,"budget_until":0})");
}

TEST_F(Answer, OfDocuments) {
  auto& got = ask<stile_get_result>(R"({"op":"get","key":"k"})");
  got.version = bytes("1");
  EXPECT_EQ(told(), R"({"status":"ok","value":"","version":"1"})");
  got.expires_at = 4;
  EXPECT_EQ(told(), R"({"status":"ok","value":"","version":"1","expires_at":4})");
  auto& put = ask<stile_put_result>(R"({"op":"put","key":"k","value":"v"})");
  put.version = bytes("2");
  EXPECT_EQ(told(), R"({"status":"ok","version":"2"})");
  op_->get()->status = STILE_CONFLICT;
  op_->get()->error = text("e");
  EXPECT_EQ(told(), R"({"status":"conflict","error":"e","version":"2","value":""})");
  put.version = {nullptr, 0};
  EXPECT_EQ(told(), R"({"status":"conflict","error":"e"})");
  auto& erased = ask<stile_erase_result>(R"({"op":"erase","key":"k"})");
  erased.removed = 1;
  erased.version = bytes("3");
  EXPECT_EQ(told(), R"({"status":"ok","removed":true})");
  stile_document document{};
  document.key = bytes("k");
  document.version = bytes("1");
  auto& scanned = ask<stile_scan_result>(R"({"op":"scan","prefix":""})");
  EXPECT_EQ(told(), R"({"status":"ok","documents":[]})");
  scanned.documents = &document;
  scanned.has_next = 1;
  scanned.next = bytes("k");
  EXPECT_EQ(told(), R"({"status":"ok","documents":[{"key":"k","version":"1"}],"next":"k"})");
}

TEST_F(Answer, OfWatchNamesWorkflows) {
  const std::uint64_t changed[] = {1, 0};
  auto& watched = ask<stile_watch_result>(
      R"({"op":"watch","workflows":[{"workflow":"a","after":0},{"workflow":"b","after":0}],"wait":0})");
  EXPECT_EQ(told(), R"({"status":"ok","changed":[]})");
  watched.changed = changed;
  watched.n_changed = 2;
  EXPECT_EQ(told(), R"({"status":"ok","changed":["b","a"]})");
}

TEST_F(Answer, OfInfo) {
  const stile_text capabilities[] = {text("durable"), text("effects:x")};
  stile_limits limits{};
  limits.id_bytes = 512;
  limits.writers = UINT64_MAX;
  auto& info = ask<stile_info_result>(R"({"op":"info"})");
  info.plugin = text("p 1");
  info.store_time = 1;
  info.epoch = bytes("e");
  info.capabilities = capabilities;
  info.n_capabilities = 2;
  info.limits = &limits;
  EXPECT_EQ(told(),
            R"({"status":"ok","plugin":"p 1","store_time":1,"epoch":"e","durability":"","server":"",)"
            R"("capabilities":["durable","effects:x"],"limits":{"id_bytes":512,"value_bytes":0,"reply_bytes":0,)"
            R"("error_bytes":0,"receipt_bytes":0,"batch":0,"page":0,"queues":0,"partitions":0,)"
            R"("writers":18446744073709551615}})");
}

TEST_F(Answer, OfStatsAndList) {
  auto& stats = ask<stile_stats_result>(R"({"op":"stats"})");
  stats.oldest_ready_age = -1;
  stats.ready = 2;
  auto counts = answer_json(*op_->get());
  EXPECT_EQ(counts.at("ready"), 2);
  EXPECT_FALSE(counts.contains("approximate") || counts.contains("oldest_ready_age") || counts.contains("next_due_at"));
  stats.oldest_ready_age = 0;
  stats.next_due_at = 5;
  stats.approximate = STILE_APPROX_RECORDS | STILE_APPROX_WORKFLOWS;
  counts = answer_json(*op_->get());
  EXPECT_EQ(counts.at("oldest_ready_age"), 0);
  EXPECT_EQ(counts.at("next_due_at"), 5);
  EXPECT_EQ(json::serialize(counts.at("approximate")), R"(["workflows","records"])");

  stile_workflow idle{};
  idle.state = STILE_STATE_IDLE;
  idle.workflow = bytes("w");
  auto& list = ask<stile_list_result>(R"({"op":"list"})");
  list.workflows = &idle;
  EXPECT_EQ(told(),
            R"({"status":"ok","workflows":[{"state":"idle","workflow":"w","queue":"","records":0,"fence_number":0,)"
            R"("finished":false,"delivery_count":0,"cancel_requested":false}]})");
  idle.state = STILE_STATE_DELAYED;
  idle.due_at = 1;
  idle.live_until = 2;
  idle.finished_at = 3;
  idle.last_written_at = 4;
  idle.last_error = bytes("e");
  EXPECT_EQ(told(),
            R"({"status":"ok","workflows":[{"state":"delayed","workflow":"w","queue":"","last_error":"e","due_at":1,)"
            R"("records":0,"fence_number":0,"live_until":2,"finished":true,"finished_at":3,"last_written_at":4,)"
            R"("delivery_count":0,"cancel_requested":false}]})");
}

TEST_F(Answer, OfRender) {
  stile_value params[4] = {};
  params[0].type = STILE_TYPE_TEXT;
  params[0].data = bytes("t");
  params[1].type = STILE_TYPE_INTEGER;
  params[1].integer = -7;
  params[2].type = STILE_TYPE_BYTES;
  params[2].data = bytes("\xFE");
  auto& rendered = ask<stile_render_result>(R"({"op":"render","language":"l","say":{"op":"cancel","workflow":"w"}})");
  rendered.text = text("insert");
  rendered.params = params;
  rendered.n_params = 4;
  EXPECT_EQ(told(), R"({"status":"ok","text":"insert","params":["t",-7,{"b64":"/g=="},null],"keys":[]})");
}

TEST_F(Answer, ThatCannotBeCopiedIsInDoubt) {
  ask<stile_put_result>(R"({"op":"put","key":"k","value":"v"})").version = bytes("1");
  stile_arena full{sizeof(stile_arena), 0, nullptr, [](void*, std::uint64_t) -> void* { return nullptr; }};
  stile_put_result result{};
  stile_op other = *op_->get();
  other.arena = &full;
  other.result = &result;
  copy_answer(*op_->get(), other);
  EXPECT_EQ(other.status, STILE_UNKNOWN);
  EXPECT_NE(other.error.len, 0u);
}

}  // namespace
