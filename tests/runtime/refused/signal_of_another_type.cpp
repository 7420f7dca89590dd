// refused: type_identity_t<
//
// Both sides of a signal agree on its type.
//
// SPDX-License-Identifier: Apache-2.0
#include "stile/worker.hpp"

using stile::Run;
using stile::Task;

void use(const stile::Handle<int>& handle, const stile::Signal<std::vector<int>>& signal) {
  handle.signal(signal, std::string("anna"));
}
