// What the ABI itself costs: operations that do nothing or next to nothing, through a plugin that was loaded at run
// time.
//
// Run with --benchmark_filter=...; the store is memory: unless $STILE_STORE says otherwise. no_op has its own plugin,
// noop.c, whose operations answer ok and no more.
//
// SPDX-License-Identifier: Apache-2.0
#include <benchmark/benchmark.h>

#include <array>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "codec/op.hpp"
#include "stile/store.hpp"
#include "store/link.hpp"
#include "store/open.hpp"

namespace {

using stile::codec::Op;

std::string config() {
  const char* given = std::getenv("STILE_STORE");
  return given ? given : "memory:";
}

std::unique_ptr<stile::store::Link> connect() {
  static const auto backend = stile::store::open_backend(config());
  return backend->connect(stile::Deadline::max());
}

std::unique_ptr<stile::store::Link> connect_noop() {
  static const auto backend = [] {
    stile::store::OpenOptions options;
    options.plugin_file = STILE_NOOP_PLUGIN;
    options.compose = false;  // nothing but the plugin
    return stile::store::open_backend("noop:", options);
  }();
  return backend->connect(stile::Deadline::max());
}

struct Batch {
  std::unique_ptr<stile::store::Link> link;
  std::vector<std::unique_ptr<Op>> owned;
  std::vector<stile_op*> ops;
  stile_call call{sizeof(stile_call), 0, 0, STILE_NEVER};

  Batch(std::unique_ptr<stile::store::Link> over, std::uint32_t kind, std::size_t count) : link(std::move(over)) {
    for (std::size_t i = 0; i < count; ++i) {
      owned.push_back(std::make_unique<Op>(kind));
      ops.push_back(owned.back()->get());
    }
  }
  /// The link sets every status to unset before it lets the plugin work.
  void run() {
    ++call.serial;
    benchmark::DoNotOptimize(link->execute(call, ops));
  }
  void expect(benchmark::State& state, std::int32_t status) const {
    for (const stile_op* op : ops)
      if (op->status != status) return state.SkipWithError("an operation has another status than it should");
  }
};

void name_workflows(Batch& batch) {
  for (auto& op : batch.owned) {
    auto* request = op->request<stile_release_request>();
    request->workflow = {reinterpret_cast<const std::uint8_t*>("w"), 1};
  }
}

/// A whole execute of operations that do nothing: the link, the plugin's dispatcher, and back.
void no_op(benchmark::State& state) {
  Batch batch(connect_noop(), STILE_OP_PREPARE, static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) batch.run();
  state.SetItemsProcessed(state.iterations() * state.range(0));
  batch.expect(state, STILE_OK);
}
BENCHMARK(no_op)->Arg(1)->Arg(64);

/// The same with arguments for the dispatcher to check.
void no_op_with_arguments(benchmark::State& state) {
  Batch batch(connect_noop(), STILE_OP_RELEASE, static_cast<std::size_t>(state.range(0)));
  name_workflows(batch);
  for (auto _ : state) batch.run();
  state.SetItemsProcessed(state.iterations() * state.range(0));
  batch.expect(state, STILE_OK);
}
BENCHMARK(no_op_with_arguments)->Arg(1)->Arg(64);

/// Release of a workflow that nobody knows changes nothing and answers `fenced`: what a real store adds.
void refused_operation(benchmark::State& state) {
  Batch batch(connect(), STILE_OP_RELEASE, static_cast<std::size_t>(state.range(0)));
  name_workflows(batch);
  for (auto _ : state) batch.run();
  state.SetItemsProcessed(state.iterations() * state.range(0));
  batch.expect(state, STILE_FENCED);
}
BENCHMARK(refused_operation)->Arg(1)->Arg(64);

/// One call through the handle: slot, batcher, plugin and the way back as a C++ value.
void typed_call(benchmark::State& state) {
  static stile::Store store = stile::open(config());
  for (auto _ : state) benchmark::DoNotOptimize(store.try_call(stile::Get{.key = "nothing"}));
}
BENCHMARK(typed_call)->ThreadRange(1, 8)->UseRealTime();

}  // namespace

BENCHMARK_MAIN();
