// refused before g++ 15: capture by reference [&], or name the lambda
//
// A closure that owns a copy is destroyed twice.
//
// SPDX-License-Identifier: Apache-2.0
#include "stile/worker.hpp"

using stile::Run;
using stile::Task;

Task<int> workflow(Run& run, std::string text) {
  auto size = co_await run.step("a", [text] { return text.size(); });
  co_return static_cast<int>(size);
}
