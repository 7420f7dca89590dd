// refused: stile::Task<Result> f(stile::Run&, Input)
//
// The function is not that of its kind.
//
// SPDX-License-Identifier: Apache-2.0
#include "stile/worker.hpp"

using stile::Run;
using stile::Task;

void use(stile::Worker& worker, const stile::Workflow<int(std::string)>& kind) {
  worker.handle(kind, [](Run&, std::vector<int>) -> Task<int> { co_return 1; });
}
