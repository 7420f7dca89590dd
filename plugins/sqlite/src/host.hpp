// Logging through the host.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "stile/abi.h"

namespace stile::sqlite {

class Host {
 public:
  explicit Host(const stile_host* host = nullptr) : host_(host) {}

  void warn(std::string_view message, std::string_view file, std::string_view why) const {
    if (!host_ || host_->log_level(host_->ctx) < STILE_LOG_WARN) return;
    const stile_text pairs[] = {text("file"), text(file), text("why"), text(why)};
    host_->log(host_->ctx, STILE_LOG_WARN, text(message), pairs, 4);
  }

 private:
  static stile_text text(std::string_view from) { return {from.data(), from.size()}; }

  const stile_host* host_;
};

}  // namespace stile::sqlite
