// One operation on a store.
//
// SPDX-License-Identifier: Apache-2.0
#include "cli/ask.hpp"

#include "store/operation.hpp"

namespace stile::cli {

void ask(store::Backend& backend, codec::Op& op, Deadline deadline, Stop& stop) {
  auto link = backend.connect(deadline);
  int stopping = stop.add([&] { link->interrupt(UINT64_MAX); });
  stile_call call{sizeof(stile_call), 0, 1, store::abi_of(deadline)};
  stile_op* ops[] = {op.get()};
  link->execute(call, ops);
  stop.forget(stopping);
}

void require_ok(const codec::Op& op) {
  if (op.status() == Status::ok) return;
  std::string text(store::view(op.get()->error));
  throw Error(op.status(), text.empty() ? std::string(meaning_of(op.status())) : text);
}

}  // namespace stile::cli
