// refused: a Task hands its value over: return it by value
//
// A reference into a frame that is gone.
//
// SPDX-License-Identifier: Apache-2.0
#include "stile/worker.hpp"

using stile::Run;
using stile::Task;

Task<int&> workflow(Run&, int value) { co_return value; }
