// refused before g++ 15: capture by reference [&], or name the lambda
//
// Wrapping the closure does not help: it is the temporary.
//
// SPDX-License-Identifier: Apache-2.0
#include "stile/worker.hpp"

using stile::Run;
using stile::Task;

#include <functional>

Task<int> workflow(Run& run, std::string text) {
  auto tried = co_await run.try_step("a", std::function<int()>([&] { return static_cast<int>(text.size()); }));
  co_return *tried;
}
