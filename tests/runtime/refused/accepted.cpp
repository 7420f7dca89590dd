// accepted
//
// What the others do wrong, done right.
//
// SPDX-License-Identifier: Apache-2.0
#include "stile/worker.hpp"

using stile::Run;
using stile::Task;

Task<int> workflow(Run& run, std::string text) {
  auto copies = [text] { return text.size(); };
  auto a = co_await run.step("a", copies);
  auto b = co_await run.step("b", [&] { return text.size() + a; });
  auto c = co_await run.step("c", {.within = std::chrono::seconds(1)}, [&](stile::Attempt& t) { return t.number(); });
  co_return static_cast<int>(a + b) + c;
}

void use(stile::Worker& worker, const stile::Workflow<int(std::string)>& kind) { worker.handle(kind, workflow); }
