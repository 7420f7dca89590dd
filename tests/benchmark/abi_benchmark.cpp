// What the ABI itself costs: operations that do next to nothing, through a plugin that was loaded at run time.
//
// Run with --benchmark_filter=...; the store is memory: unless $STILE_STORE says otherwise.
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

struct Batch {
  std::vector<std::unique_ptr<Op>> owned;
  std::vector<stile_op*> ops;
  std::unique_ptr<stile::store::Link> link = connect();
  stile_call call{sizeof(stile_call), 0, 0, STILE_NEVER};

  Batch(std::uint32_t kind, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      owned.push_back(std::make_unique<Op>(kind));
      ops.push_back(owned.back()->get());
    }
  }
  void run() {
    ++call.serial;
    for (stile_op* op : ops) op->status = STILE_UNSET;
    benchmark::DoNotOptimize(link->execute(call, ops));
  }
};

/// Prices the way there and back: release of a workflow nobody knows changes nothing and answers `fenced`.
void refused_operation(benchmark::State& state) {
  Batch batch(STILE_OP_RELEASE, static_cast<std::size_t>(state.range(0)));
  for (auto& op : batch.owned) {
    auto* request = op->request<stile_release_request>();
    request->workflow = {reinterpret_cast<const std::uint8_t*>("w"), 1};
  }
  for (auto _ : state) batch.run();
  state.SetItemsProcessed(state.iterations() * state.range(0));
  if (batch.ops[0]->status != STILE_FENCED) state.SkipWithError("release of an unknown workflow is not fenced");
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
