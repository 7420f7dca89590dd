// Who can be killed and frozen: a process, or, where a store is not shared by processes, a thread that stands in.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "faults/worker.hpp"

namespace stile::conformance::faults {

/// An actor stops at every gate of its worker and says so; it goes on when it is let.
class Actor {
 public:
  virtual ~Actor() = default;

  /// Waits until it stands at its next gate; false once it has ended.
  virtual bool arrived() = 0;
  virtual void let_go() = 0;
  /// SIGKILL, or what is most like it: it never does anything again, and nobody closes its session with a word.
  virtual void kill() = 0;
  virtual void freeze() = 0;
  virtual void thaw() = 0;
  /// Waits for its end.
  virtual void join() = 0;
};

using Act = std::function<void(Worker&, const Gate&)>;

/// Where the store is shared by processes, a child: this process must be single-threaded and have opened nothing.
/// Otherwise a thread, on `shared`.
std::unique_ptr<Actor> make_actor(const Site& site, const std::shared_ptr<store::Backend>& shared,
                                  const std::string& who, Act act);

/// The same, but it stops at no gate unless it is frozen.
std::unique_ptr<Actor> make_free_actor(const Site& site, const std::shared_ptr<store::Backend>& shared,
                                       const std::string& who, Act act);

/// Does something with the store as somebody else: in a child, or here on `shared`. What it returns comes back; throws
/// Error where it failed.
std::string elsewhere(const Site& site, const std::shared_ptr<store::Backend>& shared, const std::string& who,
                      const std::function<std::string(Worker&)>& act);

/// The state of a store, read elsewhere.
Held held_elsewhere(const Site& site, const std::shared_ptr<store::Backend>& shared);

}  // namespace stile::conformance::faults
