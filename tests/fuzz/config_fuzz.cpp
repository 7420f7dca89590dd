// Any text as a config string: taken or refused, and what is taken is the same again after it was written and read.
// Wherever a secret stands in it, with or without a scheme, no message and no redacted form shows it.
//
// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "stile/config.hpp"
#include "stile/types.hpp"

namespace {

constexpr std::string_view secret = "QzQ";

void shows_no_secret(const std::string& text) {
  std::string shown;
  try {
    shown = stile::Config::parse(text).redacted();
  } catch (const stile::Error& error) {
    shown = error.what();
  }
  if (shown.find(secret) != std::string::npos) std::abort();
}

void hide_secrets_in(std::string_view text) {
  if (text.find(secret) != std::string_view::npos) return;
  // At most some 16 places, so that fuzzing stays fast.
  for (std::size_t place = 0; place <= text.size(); place += 1 + text.size() / 16) {
    std::string before(text.substr(0, place)), after(text.substr(place));
    for (const char* with : {"u:QzQ@", " password=QzQ ", "&tls_key=QzQ", "\" Secret\" : 'QzQ'"})
      shows_no_secret(before + with + after);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  hide_secrets_in(text);
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
