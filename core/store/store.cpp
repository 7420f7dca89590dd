// The store handle.
//
// SPDX-License-Identifier: Apache-2.0
#include "stile/store.hpp"

#include "store/core.hpp"
#include "store/open.hpp"

namespace stile {
inline namespace v1 {

Store::Store(std::shared_ptr<store::Backend> backend, const OpenOptions& options)
    : core_(std::make_shared<store::Core>(std::move(backend), options)) {}

void Store::run(std::span<const detail::Slot> slots, bool chained, const CallOptions& options) const {
  auto go = [&](std::span<store::Operation*> ops) {
    for (std::size_t i = 0; i < ops.size(); ++i) {
      ops[i] = slots[i].get();
      ops[i]->after_ok = chained && i > 0;
    }
    core_->run(ops, options);
  };
  std::array<store::Operation*, 8> few;
  if (slots.size() <= few.size()) return go(std::span(few).first(slots.size()));
  std::vector<store::Operation*> many(slots.size());
  go(many);
}

const StoreInfo& Store::opened_as() const { return core_->info(); }

const std::string& Store::config() const { return core_->backend().config(); }

std::optional<Document> Store::get(std::string_view key, const CallOptions& options) const {
  auto answer = try_call(Get{key}, options);
  if (answer.status() == Status::not_found) return std::nullopt;
  return std::move(answer).value();
}

void Store::close() const { core_->close(); }

Store open(std::string_view config, const OpenOptions& options) {
  store::OpenOptions how;
  how.plugin_file = options.plugin_file;
  how.ns = options.ns;
  how.prepare = options.prepare;
  how.program = options.program;
  how.deadline = std::chrono::steady_clock::now() + options.timeout;
  return Store(store::open_backend(config, how), options);
}

}  // namespace v1
}  // namespace stile
