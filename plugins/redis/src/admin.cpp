// info, advance, render (contract S, A14, R7).
//
// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include "decode.hpp"
#include "encode.hpp"
#include "session.hpp"
#include "stile/sdk/engine/context.hpp"

namespace stile::redis {
namespace {

using sdk::engine::accept;
using sdk::engine::copy;
using sdk::engine::refuse;
using sdk::engine::request_of;
using sdk::engine::result_of;
using sdk::engine::view;

stile_text kept(stile_op& op, std::string_view text) {
  const stile_bytes bytes = copy(op, text);
  return {reinterpret_cast<const char*>(bytes.ptr), bytes.len};
}

/// What every store of both plugins can do.
constexpr stile_text always[] = {STILE_LIT("one_commit"),   STILE_LIT("coupled_receive"), STILE_LIT("push_wakeups"),
                                 STILE_LIT("push_records"), STILE_LIT("effects:lua"),     STILE_LIT("render:lua"),
                                 STILE_LIT("cross_process")};

bool renderable(std::uint32_t kind) {
  switch (kind) {
    case STILE_OP_SUPPLY:
    case STILE_OP_APPEND:
    case STILE_OP_REQUEST_CANCEL:
    case STILE_OP_ENQUEUE:
    case STILE_OP_CANCEL:
    case STILE_OP_PUT:
    case STILE_OP_ERASE: return true;
    default: return false;
  }
}

}  // namespace

void Session::info(Borrowed& at, stile_op& op) {
  const std::int64_t now = store_.time(at);  // connects where nobody has yet
  const Met met = store_.met();
  std::vector<stile_text> declared(std::begin(always), std::end(always));
  if (met.durable) declared.push_back(STILE_LIT("durable"));
  const std::int64_t replicas = store_.server().replicas();
  if (replicas != 0) declared.push_back(STILE_LIT("replicated"));
  if (store_.manual_clock()) declared.push_back(STILE_LIT("manual_clock"));
  auto& out = result_of<stile_info_result>(op);
  out.plugin = kept(op, std::string(store_.model().name) + " " + std::string(store_.model().version));
  out.store_time = from_double(now);
  out.epoch = copy(op, store_.epoch());
  std::string durability = met.durability;
  if (replicas != 0) durability += "; received by " + std::to_string(replicas) + " replicas before the answer";
  out.durability = kept(op, durability);
  out.server = kept(op, met.server);
  auto* list = static_cast<stile_text*>(sdk::engine::allocate(op, declared.size() * sizeof(stile_text)));
  std::copy(declared.begin(), declared.end(), list);
  out.capabilities = list;
  out.n_capabilities = declared.size();
  auto* limits = static_cast<stile_limits*>(sdk::engine::allocate(op, sizeof(stile_limits)));
  *limits = store_.limits();
  out.limits = limits;
  accept(op);
}

void Session::advance(Borrowed& at, stile_op& op) {
  for (std::uint32_t partition = store_.layout().partitions(); partition-- > 0;) {
    ScriptCall call = store_.call(admin_room, partition);
    call.operations.begin("advance");
    call.operations.number(as_double(request_of<stile_advance_request>(op).by));
    call.operations.add(store_.layout().clock_channel());
    const OwnedReply owned = run_one(at, call, Does::write);
    const Reply reply = Reply(owned.get())[0];
    if (reply[0].number() == STILE_UNSUPPORTED)
      return refuse(op, STILE_UNSUPPORTED, "this store's clock is the server's: lay it out with clock=manual");
    if (reply[0].number() != STILE_OK) return decode_refusal(op, reply);
    result_of<stile_advance_result>(op).store_time = from_double(reply[1].number());
  }
  accept(op);
}

// The script of the operation itself, with the arguments that this operation gives it: what a caller's MULTI does with
// it is what the operation would have done (R7).
void Session::render(stile_op& op) {
  const auto& asked = request_of<stile_render_request>(op);
  if (sdk::view(asked.language) != "lua")
    return refuse(op, STILE_UNSUPPORTED, "this store says operations in the language lua only");
  if (!renderable(asked.op->kind))
    return refuse(op, STILE_UNSUPPORTED,
                  "render says unfenced writes: supply, append, request_cancel, enqueue, cancel, put, erase");
  stile_op said = *asked.op;
  const stile_clock clock = STILE_REALTIME_CLOCK;
  if (!stile_check(&said, &store_.limits(), &clock)) return refuse(op, said.status, sdk::view(said.error));
  sdk::engine::ReceiptReader reader;
  bool is_receipt = false;
  const auto partition = store_.layout().partition_of(subject_of(said, reader, is_receipt));
  ScriptCall call = store_.call_though_full(room_of(said.kind), partition);
  encode(said, {}, call.operations);
  Command command;
  call.operations.append_to(command);
  const std::vector<std::string> arguments = command.arguments();
  auto* params = static_cast<stile_value*>(sdk::engine::allocate(op, arguments.size() * sizeof(stile_value)));
  for (std::size_t i = 0; i < arguments.size(); ++i) params[i] = {STILE_TYPE_BYTES, 0, 0, 0, copy(op, arguments[i])};
  auto* keys = static_cast<stile_bytes*>(sdk::engine::allocate(op, sizeof(stile_bytes)));
  keys[0] = copy(op, call.key);
  auto& out = result_of<stile_render_result>(op);
  out.text = kept(op, call.when_full->text);
  out.params = params;
  out.n_params = arguments.size();
  out.keys = keys;
  out.n_keys = 1;
  accept(op);
}

}  // namespace stile::redis
