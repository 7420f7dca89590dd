// Any text as a config string: taken or refused, and what is taken is the same again after it was written and read.
//
// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "stile/config.hpp"
#include "stile/types.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  stile::Config config;
  try {
    config = stile::Config::parse(text);
  } catch (const stile::Error& error) {
    if (error.status() != stile::Status::invalid) std::abort();
    return 0;
  }
  // From here on nothing may throw.
  if (!(stile::Config::parse(config.text()) == config)) std::abort();
  config.redacted();
  return 0;
}
