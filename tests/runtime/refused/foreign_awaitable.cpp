// refused: a workflow awaits only what stile::Run offers
//
// Would be resumed after its frame was destroyed.
//
// SPDX-License-Identifier: Apache-2.0
#include "stile/worker.hpp"

using stile::Run;
using stile::Task;

struct Foreign {
  bool await_ready() { return false; }
  void await_suspend(std::coroutine_handle<>) {}
  int await_resume() { return 1; }
};

Task<int> workflow(Run&, int) {
  auto value = co_await Foreign();
  co_return value;
}
