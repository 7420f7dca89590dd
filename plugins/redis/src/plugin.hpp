// What both plugins are made of: options, opening. A plugin adds its Model and its facts.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>

#include "session.hpp"
#include "stile/sdk/examine.hpp"
#include "store.hpp"

namespace stile::redis {

/// What a config string may say besides what every store knows.
extern const stile_option* const all_options[9];

/// The most that any store of either plugin can do (S3).
inline constexpr stile_text all_capabilities[] = {
    STILE_LIT("one_commit"),  STILE_LIT("coupled_receive"), STILE_LIT("push_wakeups"),  STILE_LIT("push_records"),
    STILE_LIT("effects:lua"), STILE_LIT("render:lua"),      STILE_LIT("cross_process"), STILE_LIT("durable"),
    STILE_LIT("replicated"),  STILE_LIT("manual_clock")};

inline constexpr std::uint32_t plugin_flags = STILE_PLUGIN_NAMESPACE_REQUIRED | STILE_PLUGIN_PREPARE_CHECK;

std::unique_ptr<Store> open_store(const stile_call& call, const sdk::Config& config, const Model& model,
                                  std::shared_ptr<Scripts> scripts, std::string_view program);

/// The three classes of a plugin; model says how it keeps wakeups.
template <const Model& (*model)()>
struct PluginOf {
  class Instance {
   public:
    explicit Instance(const stile_host& host)
        : program_(sdk::view(host.name)), scripts_(std::make_shared<Scripts>(model())) {}
    std::unique_ptr<redis::Store> open(const stile_call& call, const sdk::Config& config) {
      return open_store(call, config, model(), scripts_, program_);
    }

   private:
    const std::string program_;
    const std::shared_ptr<Scripts> scripts_;
  };
  using Store = redis::Store;
  using Session = redis::Session;
  static const void* extension(std::string_view id) noexcept {
    return id == STILE_EXTENSION_EXAMINE ? &sdk::examine_table<PluginOf> : nullptr;
  }
};

}  // namespace stile::redis
