// Requests from JSON, back to JSON, and copied.
//
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstring>
#include <set>

#include "codec/copy.hpp"
#include "codec/line.hpp"
#include "codec/op.hpp"

namespace {

using namespace stile::codec;
using stile::Status;

std::unique_ptr<Op> decode(std::string_view text) { return Op::decode(parse_line(text).as_object()); }

BadRequest refusal(std::string_view text) {
  try {
    decode(text);
  } catch (const BadRequest& bad) {
    return bad;
  }
  ADD_FAILURE() << "not refused: " << text;
  return {Status::ok, {}};
}

std::string_view view(stile_bytes bytes) { return {reinterpret_cast<const char*>(bytes.ptr), bytes.len}; }

// What request_json tells is what was said, less the defaults; and it says the same again.
constexpr const char* canonical[] = {
    R"({"op":"acquire","workflow":"w","ttl":1,"budget":2})",
    R"({"op":"acquire","force":true,"workflow":"w","ttl":1,"budget":2,"op_id":"00112233445566778899aabbccddeeff"})",
    R"({"op":"renew","workflow":"w","fence":"7.5f0c0000000000000000000000000000","ttl":1})",
    R"({"op":"renew","workflow":"w","fence":null,"ttl":1,"budget":-1})",
    R"({"op":"release","workflow":{"b64":"/w=="},"fence":null})",
    R"({"op":"load","workflow":"w"})",
    R"({"op":"load","limit":3,"workflow":"w","after":9007199254740993,"max_bytes":0,"key":""})",
    R"({"op":"record","workflow":"w","fence":null,"key":"k","value":"","after_ok":true})",
    R"({"op":"supply","workflow":"w","key":"k","value":"v"})",
    R"({"op":"supply","workflow":"w","key":"k","value":"v","enqueue":true})",
    R"({"op":"supply","workflow":"w","key":"k","value":"v","enqueue":{"at":0,"queue":""}})",
    R"({"op":"append","workflow":"w","value":"v","message_id":"","enqueue":{"delay":-5}})",
    R"({"op":"transact","workflow":"w","fence":null,"key":"k","effect":{"language":"sql","text":"x",)"
    R"("args":[1,-2,2.5E0,"t",{"b64":"dA=="},null],"keys":["a",""]}})",
    R"({"op":"rebase","workflow":"w","fence":null,"inbox_after":"i","key":"k","value":"v"})",
    R"({"op":"discard","cancel":true,"workflow":"w"})",
    R"({"op":"request_cancel","workflow":"w"})",
    R"({"op":"watch","workflows":[{"workflow":"a","after":0},{"workflow":"b","after":7}],"wait":5})",
    R"({"op":"watch","workflows":[],"wait":0})",
    R"({"op":"enqueue","workflow":"w"})",
    R"({"op":"enqueue","revive":true,"workflow":"w","at":77,"queue":"q"})",
    R"({"op":"receive","lease":1})",
    R"({"op":"receive","lease":1,"queues":[]})",
    R"({"op":"receive","max":0,"lease":1,"wait":2,"queues":["a",""],"acquire":{"ttl":0,"budget":-1},)"
    R"("load":{},"again":true})",
    R"({"op":"receive","lease":1,"load":{"max_bytes":7,"limit":3}})",
    R"({"op":"extend","receipt":"r","lease":1})",
    R"({"op":"extend","receipt":"r","lease":1,"fence":null,"ttl":2,"budget":3})",
    R"({"op":"ack","finished":true,"receipt":"r","fence":null,"release":true})",
    R"({"op":"snooze","delay":0,"receipt":"r"})",
    R"({"op":"snooze","at":0,"receipt":"r"})",
    R"({"op":"nack","delay":5,"error":"","receipt":"r"})",
    R"({"op":"reject","receipt":""})",
    R"({"op":"cancel","workflow":"w"})",
    R"({"op":"get","key":"k"})",
    R"({"op":"put","key":"k","value":"v"})",
    R"({"op":"put","if":"absent","key":"k","value":"v","ttl":"keep"})",
    R"({"op":"put","if":{"b64":"/w=="},"key":"k","value":"v","ttl":5})",
    R"({"op":"erase","if":"3","key":"k"})",
    R"({"op":"scan","limit":0,"prefix":"","after":"a"})",
    R"({"op":"prepare","check_only":true})",
    R"({"op":"info"})",
    R"({"op":"stats","queue":""})",
    R"({"op":"list","state":"in_flight","queue":"","prefix":"p","after":"a","idle_for":0,"limit":1})",
    R"({"op":"trim","limit":5,"older_than":0})",
    R"({"op":"render","language":"sql","say":{"op":"append","workflow":"w","value":"v",)"
    R"("op_id":"00112233445566778899aabbccddeeff"}})",
    R"({"op":"advance","by":1})",
};

TEST(Decode, TellsWhatWasSaid) {
  std::set<std::string_view> ops;
  for (const char* text : canonical) {
    auto op = decode(text);
    ops.insert(op_name(op->get()->kind));
    EXPECT_EQ(json::serialize(request_json(*op->get())), text);
  }
  EXPECT_EQ(ops.size(), static_cast<std::size_t>(STILE_OP_COUNT));
}

TEST(Decode, ClonesWithoutSharing) {
  for (const char* text : canonical) {
    auto op = decode(text);
    auto copy = Op::clone(*op->get());
    op.reset();
    EXPECT_EQ(json::serialize(request_json(*copy->get())), text);
    EXPECT_EQ(copy->get()->status, STILE_UNSET);
  }
}

TEST(Decode, FillsInTheDefaults) {
  auto load = decode(R"({"op":"load","workflow":"w"})");
  EXPECT_EQ(load->request<stile_load_request>()->limit, STILE_PAGE);
  EXPECT_EQ(load->request<stile_load_request>()->max_bytes, STILE_ALL_BYTES);
  auto receive = decode(R"({"op":"receive","lease":"1s","load":{}})");
  const auto* asked = receive->request<stile_receive_request>();
  EXPECT_EQ(asked->struct_size, sizeof(stile_receive_request));
  EXPECT_EQ(asked->max, 1u);
  EXPECT_EQ(asked->lease, 1'000'000);
  ASSERT_EQ(asked->n_queues, 1u);
  EXPECT_EQ(asked->queues[0].len, 0u);
  EXPECT_EQ(asked->load_limit, STILE_PAGE);
  EXPECT_EQ(asked->load_max_bytes, STILE_ALL_BYTES);
  EXPECT_EQ(asked->acquire, 0u);
  EXPECT_EQ(decode(R"({"op":"trim","older_than":1})")->request<stile_trim_request>()->limit, 1000u);
  auto now = decode(R"({"op":"enqueue","workflow":"w"})");
  const auto* enqueue = now->request<stile_enqueue_request>()->enqueue;
  ASSERT_TRUE(enqueue);
  EXPECT_EQ(enqueue->struct_size, sizeof(stile_enqueue));
}

TEST(Decode, SetsTheBitsAroundTheRequest) {
  auto op =
      decode(R"({"op":"receive","lease":1,"again":true,"after_ok":true,"op_id":"000000000000000000000000000000FF"})");
  EXPECT_EQ(op->get()->must, STILE_MUST_AGAIN | STILE_MUST_AFTER_OK);
  EXPECT_EQ(op->get()->op_id.bytes[15], 0xFF);
  EXPECT_EQ(decode(R"({"op":"receive","lease":1,"again":false,"after_ok":false})")->get()->must, 0u);
}

TEST(Decode, TakesWhatMeansTheSame) {
  EXPECT_EQ(json::serialize(
                request_json(*decode(R"({"op":"put","key":{"b64":"aw=="},"value":"v","if":"any","ttl":"0s"})")->get())),
            R"({"op":"put","key":"k","value":"v"})");
  EXPECT_EQ(json::serialize(
                request_json(*decode(R"({"op":"supply","workflow":"w","key":"k","value":"v","enqueue":{}})")->get())),
            R"({"op":"supply","workflow":"w","key":"k","value":"v","enqueue":true})");
  auto left = decode(R"({"op":"renew","workflow":"w","fence":null,"ttl":1,"budget":"0s"})");
  EXPECT_EQ(left->request<stile_renew_request>()->has_budget, 0u);
  auto none = decode(R"({"op":"supply","workflow":"w","key":"k","value":"v","enqueue":false})");
  EXPECT_EQ(none->request<stile_supply_request>()->enqueue, nullptr);
  auto large =
      decode(R"({"op":"load","workflow":"w","limit":5000000000,"after":18446744073709551615,"max_bytes":1e3})");
  EXPECT_EQ(large->request<stile_load_request>()->limit, STILE_PAGE);
  EXPECT_EQ(large->request<stile_load_request>()->after, INT64_MAX);
  EXPECT_EQ(large->request<stile_load_request>()->max_bytes, 1000u);
}

TEST(Decode, NamesWhatIsWrong) {
  const std::pair<const char*, const char*> wrong[] = {
      {R"({})", "op is missing"},
      {R"({"op":1})", "op must be text"},
      {R"({"op":"get"})", "get: key is missing"},
      {R"({"op":"get","kex":"k"})", "get: kex is not a member here"},
      {R"({"op":"get","key":"k","op_id":"00112233445566778899aabbccddeeff"})", "get: op_id is not a member here"},
      {R"({"op":"get","key":"k","again":true})", "get: again is not a member here"},
      {R"({"op":"get","key":"k","tag":1})", "get: tag is not a member here"},
      {R"({"op":"get","key":null})", "get: key must be text or"},
      {R"({"op":"put","key":"k","value":"v","op_id":"00"})", "put: op_id must be 32"},
      {R"({"op":"put","key":"k","value":"v","op_id":"00000000000000000000000000000000"})", "put: op_id must be 32"},
      {R"({"op":"put","key":"k","value":"v","ttl":"forever"})", "put: ttl: \"forever\""},
      {R"({"op":"put","key":"k","value":"v","if":1})", "put: if must be text or"},
      {R"({"op":"put","key":"k","value":"v","after_ok":1})", "put: after_ok must be true or false"},
      {R"({"op":"load","workflow":"w","limit":-1})", "load: limit must be a whole number of at least 0"},
      {R"({"op":"load","workflow":"w","limit":1.5})", "load: limit must be a whole number"},
      {R"({"op":"load","workflow":"w","after":"1"})", "load: after must be a whole number"},
      {R"({"op":"record","workflow":"w","key":"k","value":"v"})", "record: fence is missing"},
      {R"({"op":"record","workflow":"w","key":"k","value":"v","fence":"7"})", "record: fence must be NUMBER.STAMP"},
      {R"({"op":"record","workflow":"w","key":"k","value":"v","fence":7})", "record: fence must be NUMBER.STAMP"},
      {R"({"op":"enqueue","workflow":"w","delay":0,"at":0})", "enqueue: at and delay exclude each other"},
      {R"({"op":"enqueue","workflow":"w","at":"1s"})", "enqueue: at must be a whole number of Unix microseconds"},
      {R"({"op":"enqueue","workflow":"w","at":9223372036854775808})", "enqueue: at is too late"},
      {R"({"op":"supply","workflow":"w","key":"k","value":"v","enqueue":{"when":1}})",
       "supply: enqueue.when is not a member here"},
      {R"({"op":"supply","workflow":"w","key":"k","value":"v","enqueue":null})", "supply: enqueue must be true, false"},
      {R"({"op":"snooze","receipt":"r"})", "snooze: delay or at is missing"},
      {R"({"op":"ack","receipt":{"b64":""}})", "ack: receipt must be text"},
      {R"({"op":"receive","lease":1,"queues":"q"})", "receive: queues must be a list"},
      {R"({"op":"receive","lease":1,"queues":["q",1]})", "receive: queues[1] must be text"},
      {R"({"op":"receive","lease":1,"acquire":true})", "receive: acquire must be an object"},
      {R"({"op":"receive","lease":1,"acquire":{"ttl":1}})", "receive: acquire.budget is missing"},
      {R"({"op":"receive","lease":1,"load":{"x":1}})", "receive: load.x is not a member here"},
      {R"({"op":"receive","lease":1,"acquire.ttl":1})", "receive: acquire.ttl is not a member here"},
      {R"({"op":"extend","receipt":"r","lease":1,"ttl":1})", "extend: ttl counts only with fence"},
      {R"({"op":"extend","receipt":"r","lease":1,"budget":1})", "extend: budget counts only with fence"},
      {R"({"op":"extend","receipt":"r","lease":1,"fence":null})", "extend: ttl is missing: it goes with fence"},
      {R"({"op":"list","state":"coalesced"})", "list: state must be ready"},
      {R"({"op":"watch","workflows":[{"workflow":"w"}],"wait":0})", "watch: workflows[0].after is missing"},
      {R"({"op":"watch","workflows":["w"],"wait":0})", "watch: workflows[0] must be an object"},
      {R"({"op":"transact","workflow":"w","fence":null,"key":"k","effect":{"language":"sql"}})",
       "transact: effect.text is missing"},
      {R"({"op":"transact","workflow":"w","fence":null,"key":"k","effect":{"language":"sql","text":"x",)"
       R"("args":[true]}})",
       "transact: effect.args[0] must be"},
      {R"({"op":"render","language":"sql","say":{"op":"put","key":"k"}})", "render: say: put: value is missing"},
      {R"({"op":"render","language":"sql","say":{"op":"put","key":"k","value":"v","after_ok":true}})",
       "render: say is said, not run"},
  };
  for (const auto& [text, why] : wrong) {
    BadRequest bad = refusal(text);
    EXPECT_EQ(bad.status, Status::invalid) << text;
    EXPECT_EQ(bad.text.substr(0, std::strlen(why)), why);
  }
  EXPECT_EQ(refusal(R"({"op":"nope"})").status, Status::unsupported);
  EXPECT_EQ(refusal(R"({"op":"render","language":"l","say":{"op":"nope"}})").status, Status::unsupported);
}

TEST(Decode, CarriesLargeValues) {
  std::string value(20 << 20, 'x');
  auto op = decode(R"({"op":"put","key":"k","value":")" + value + R"("})");
  EXPECT_EQ(view(op->request<stile_put_request>()->value), value);
}

TEST(Clone, KeepsACallbackAsItIs) {
  Op op(STILE_OP_TRANSACT);
  stile_effect effect{};
  effect.struct_size = sizeof(effect);
  effect.form = STILE_EFFECT_CALLBACK;
  effect.ctx = &effect;
  effect.run = [](void*, const stile_tx*, stile_bytes*, stile_text*) -> int32_t { return STILE_OK; };
  op.request<stile_transact_request>()->effect = &effect;
  auto copy = Op::clone(*op.get());
  const stile_effect* copied = copy->request<stile_transact_request>()->effect;
  EXPECT_NE(copied, &effect);
  EXPECT_EQ(copied->ctx, effect.ctx);
  EXPECT_EQ(copied->run, effect.run);
}

TEST(Clone, RefusesWhatIsUnknown) {
  stile_op op{};
  op.kind = STILE_OP_COUNT + 1;
  try {
    Op::clone(op);
    FAIL();
  } catch (const BadRequest& bad) {
    EXPECT_EQ(bad.status, Status::unsupported);
  }
}

TEST(Reset, MakesRoomForAnotherAnswer) {
  auto op = decode(R"({"op":"get","key":"k"})");
  auto allocate = [&](std::uint64_t size) { return op->arena()->alloc(op->arena()->ctx, size); };
  void* first = allocate(100);
  ASSERT_TRUE(first);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(first) % 16, 0u);
  ASSERT_TRUE(allocate(0));
  ASSERT_TRUE(allocate(5 << 20));
  EXPECT_EQ(allocate(UINT64_MAX), nullptr);
  op->get()->status = STILE_OK;
  op->result<stile_get_result>()->expires_at = 7;
  op->reset();
  EXPECT_EQ(op->get()->status, STILE_UNSET);
  EXPECT_EQ(op->result<stile_get_result>()->expires_at, 0);
  EXPECT_EQ(op->result<stile_get_result>()->struct_size, sizeof(stile_get_result));
  EXPECT_EQ(allocate(100), first);
  EXPECT_EQ(view(op->request<stile_get_request>()->key), "k");
}

}  // namespace
