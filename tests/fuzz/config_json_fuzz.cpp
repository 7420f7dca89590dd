// Any text as a config file: taken or refused, and what is taken can be written as a config string.
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
    config = stile::Config::from_json(text, "fuzz.json");
  } catch (const stile::Error& error) {
    if (error.status() != stile::Status::invalid) std::abort();
    return 0;
  }
  if (!(stile::Config::parse(config.text()) == config)) std::abort();
  return 0;
}
