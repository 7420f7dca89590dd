// refused: this type has no JSON form: describe it
//
// A value that nobody said how to store.
//
// SPDX-License-Identifier: Apache-2.0
#include "stile/worker.hpp"

using stile::Run;
using stile::Task;

struct Undescribed {
  std::string text;
};

Task<int> workflow(Run& run, int) {
  auto value = co_await run.step("a", [] { return Undescribed(); });
  co_return static_cast<int>(value.text.size());
}
