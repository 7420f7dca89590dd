// refused: a lambda must not be mutable
//
// One function runs on many threads at once.
//
// SPDX-License-Identifier: Apache-2.0
#include "stile/worker.hpp"

using stile::Run;
using stile::Task;

void use(stile::Worker& worker, const stile::Workflow<int(int)>& kind) {
  int calls = 0;
  worker.handle(kind, [calls](Run&, int) mutable -> Task<int> { co_return ++calls; });
}
