// A store that couples nothing: another plugin, without one_commit, coupled_receive and push_records, or with those
// that an option of that name keeps (?one_commit=true). What it does not declare it refuses as unsupported (S3), so
// that every program has it composed. UNCOUPLED_PLUGIN is the file of the other plugin, UNCOUPLED_NAME what this one is
// called and its scheme.
//
// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <new>
#include <string_view>
#include <vector>

#include "stile/abi.h"
#include "stile/sdk/author.h"
#include "stile/sdk/check.h"
#include "stile/sdk/plugin.hpp"

namespace {

/// A bit of stile_op.must that nobody knows: what carries it is judged as every operation is, in its place in its
/// chain, and then refused as unsupported.
constexpr std::uint32_t unknown_bit = 1u << 31;

const stile_plugin* coupled = nullptr;  // that of the other plugin, which is never unloaded

constexpr std::array<std::string_view, 3> couplings{"one_commit", "coupled_receive", "push_records"};

/// Which of them a store keeps.
struct Kept {
  std::array<bool, couplings.size()> each{};

  bool has(std::string_view coupling) const {
    return each[static_cast<std::size_t>(std::find(couplings.begin(), couplings.end(), coupling) - couplings.begin())];
  }
  bool hides(std::string_view capability) const {
    return std::find(couplings.begin(), couplings.end(), capability) != couplings.end() && !has(capability);
  }
};

bool is_refused(const stile_op& op, const Kept& kept) {
  switch (op.kind) {
    case STILE_OP_SUPPLY:
      return !kept.has("one_commit") && static_cast<const stile_supply_request*>(op.request)->enqueue != nullptr;
    case STILE_OP_APPEND:
      return !kept.has("one_commit") && static_cast<const stile_append_request*>(op.request)->enqueue != nullptr;
    case STILE_OP_WATCH: return !kept.has("push_records");
    case STILE_OP_RECEIVE:
      return !kept.has("coupled_receive") && static_cast<const stile_receive_request*>(op.request)->acquire != 0;
    default: return false;
  }
}

void forget_hidden(stile_op& op, const Kept& kept) {
  auto& result = *static_cast<stile_info_result*>(op.result);
  const std::uint64_t size = result.n_capabilities * sizeof(stile_text);
  auto* declared = static_cast<stile_text*>(op.arena->alloc(op.arena->ctx, size));
  if (declared == nullptr) return stile_answer_with(&op, STILE_UNAVAILABLE, "out of memory");
  auto* end = std::remove_copy_if(result.capabilities, result.capabilities + result.n_capabilities, declared,
                                  [&](const stile_text& name) { return kept.hides(stile::sdk::view(name)); });
  result.capabilities = declared;
  result.n_capabilities = static_cast<std::uint64_t>(end - declared);
}

/// Memory for one answer that is thrown away.
class Scratch {
 public:
  const stile_arena* abi() { return &arena_; }

 private:
  static void* take(void* ctx, std::uint64_t size) {
    auto& blocks = static_cast<Scratch*>(ctx)->blocks_;
    return blocks.emplace_back(new (std::nothrow) std::byte[size + 1]).get();
  }
  std::vector<std::unique_ptr<std::byte[]>> blocks_;
  stile_arena arena_{sizeof(stile_arena), 0, this, take};
};

struct Store {
  stile_store* inner = nullptr;
  Kept kept;
};

struct Session {
  Kept kept;
  stile_session* inner = nullptr;
  stile_limits limits{};    // nothing while the store does not say, such as before it is prepared
  std::int64_t opened = 0;  // by its clock: arguments are judged by about now

  std::uint32_t execute(const stile_call* call, stile_op* const* ops, std::uint64_t count) {
    if (limits.struct_size == 0) learn(call);
    const stile_clock clock{[](void* of) { return static_cast<const Session*>(of)->opened; }, this};
    for (std::uint64_t i = 0; i < count; ++i) {
      stile_op& op = *ops[i];
      // What else is wrong with it comes first, and is answered by the other plugin.
      const bool alone = count > 1 && stile_alone(&op) != 0;
      if (is_refused(op, kept) && !alone && stile_check(&op, &limits, &clock) != 0) op.must |= unknown_bit;
    }
    const std::uint32_t fate = coupled->execute(inner, call, ops, count);
    for (std::uint64_t i = 0; i < count; ++i) {
      stile_op& op = *ops[i];
      op.must &= ~unknown_bit;
      if (op.kind == STILE_OP_INFO && op.status == STILE_OK) forget_hidden(op, kept);
    }
    return fate;
  }

 private:
  void learn(const stile_call* call) {
    Scratch scratch;
    stile_info_request request{sizeof(stile_info_request), 0};
    stile_info_result result{};
    result.struct_size = sizeof(stile_info_result);
    stile_op op{};
    op.struct_size = sizeof(stile_op);
    op.kind = STILE_OP_INFO;
    op.status = STILE_UNSET;
    op.request = &request;
    op.result = &result;
    op.arena = scratch.abi();
    stile_op* only = &op;
    coupled->execute(inner, call, &only, 1);
    if (op.status != STILE_OK) return;
    limits = *result.limits;
    opened = result.store_time;
  }
};

Store* store_of(stile_store* store) { return reinterpret_cast<Store*>(store); }
Session* session_of(stile_session* session) { return reinterpret_cast<Session*>(session); }

/// The other plugin is not told of the options that are this one's.
std::int32_t open(stile_instance* instance, const stile_call* call, const stile_config* config, stile_store** out,
                  stile_error* error) {
  std::unique_ptr<Store> made(new (std::nothrow) Store);
  if (made == nullptr) return STILE_UNAVAILABLE;
  std::vector<stile_pair> others;
  for (std::uint64_t i = 0; i < config->n_options; ++i) {
    const auto coupling = std::find(couplings.begin(), couplings.end(), stile::sdk::view(config->options[i].key));
    if (coupling == couplings.end())
      others.push_back(config->options[i]);
    else
      made->kept.each[static_cast<std::size_t>(coupling - couplings.begin())] =
          stile::sdk::view(config->options[i].value) == "true";
  }
  stile_config passed = *config;
  passed.options = others.data();
  passed.n_options = others.size();
  if (const std::int32_t status = coupled->open(instance, call, &passed, &made->inner, error); status != STILE_OK)
    return status;
  *out = reinterpret_cast<stile_store*>(made.release());
  return STILE_OK;
}

void close(stile_store* store) {
  const std::unique_ptr<Store> owned(store_of(store));
  coupled->close(owned->inner);
}

std::int32_t connect(stile_store* store, const stile_call* call, stile_session** out, stile_error* error) {
  std::unique_ptr<Session> made(new (std::nothrow) Session);
  if (made == nullptr) return STILE_UNAVAILABLE;
  made->kept = store_of(store)->kept;
  const std::int32_t status = coupled->connect(store_of(store)->inner, call, &made->inner, error);
  if (status != STILE_OK) return status;
  *out = reinterpret_cast<stile_session*>(made.release());
  return STILE_OK;
}

void disconnect(stile_session* session) {
  const std::unique_ptr<Session> owned(session_of(session));
  coupled->disconnect(owned->inner);
}

std::uint32_t execute(stile_session* session, const stile_call* call, stile_op* const* ops, std::uint64_t count) {
  return session_of(session)->execute(call, ops, count);
}

void interrupt(stile_session* session, std::uint64_t serial) { coupled->interrupt(session_of(session)->inner, serial); }

constexpr stile_option keeps(stile_text coupling) {
  return {sizeof(stile_option),
          STILE_OPTION_BOOL,
          0,
          0,
          coupling,
          STILE_LIT("false"),
          {nullptr, 0},
          STILE_LIT("Whether it keeps this capability of the other plugin."),
          0,
          0};
}

/// The other plugin's table with what is this one's.
stile_plugin table_from(const stile_plugin& other) {
  static constexpr stile_text name = STILE_LIT(UNCOUPLED_NAME);
  static constexpr std::array own{keeps(STILE_LIT("one_commit")), keeps(STILE_LIT("coupled_receive")),
                                  keeps(STILE_LIT("push_records"))};
  static std::array<const stile_option*, 32> options;
  coupled = &other;
  auto* end = std::copy_n(other.options, std::min(other.n_options, options.size() - own.size()), options.begin());
  for (const stile_option& option : own) *end++ = &option;
  stile_plugin table = other;
  table.name = name;
  table.schemes = &name;
  table.n_schemes = 1;
  table.options = options.data();
  table.n_options = static_cast<std::uint64_t>(end - options.begin());
  table.open = open;
  table.close = close;
  table.connect = connect;
  table.disconnect = disconnect;
  table.execute = execute;
  table.interrupt = interrupt;
  return table;
}

}  // namespace

STILE_NOTE(1, 0, 1, 0, UNCOUPLED_NAME, "0.1.0", UNCOUPLED_NAME);

extern "C" STILE_EXPORT const stile_plugin* stile_plugin_entry_v1(const stile_hello* hello, stile_error* error) {
  void* const library = dlopen(UNCOUPLED_PLUGIN, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  void* const symbol = library == nullptr ? nullptr : dlsym(library, STILE_ENTRY_NAME);
  if (symbol == nullptr) return nullptr;
  const stile_plugin* other = reinterpret_cast<stile_plugin_entry_fn>(symbol)(hello, error);
  if (other == nullptr) return nullptr;
  static const stile_plugin table = table_from(*other);
  return &table;
}
