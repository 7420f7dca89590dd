// refused: a step is a function without parameters, or of a stile::Attempt&
//
// Nobody could give the parameters.
//
// SPDX-License-Identifier: Apache-2.0
#include "stile/worker.hpp"

using stile::Run;
using stile::Task;

Task<int> workflow(Run& run, int) {
  auto value = co_await run.step("a", [](int x) { return x; });
  co_return value;
}
