// Any config that can be made is the same again after it was written and read.
//
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <rapidcheck.h>
// Needs gtest before it.
#include <rapidcheck/gtest.h>

#include <string>

#include "stile/config.hpp"
#include "stile/types.hpp"

namespace {

using stile::Config;

rc::Gen<std::string> bytes(std::size_t least, std::size_t most, bool zero = false) {
  auto byte = rc::gen::oneOf(rc::gen::elementOf(std::string("a1/%?&=@:,[]+# ~\\\"'\n\t\x7f")),
                             rc::gen::inRange<char>(zero ? '\0' : '\x01', '\x7f'),
                             rc::gen::map(rc::gen::inRange<int>(128, 256), [](int n) { return static_cast<char>(n); }));
  return rc::gen::mapcat(rc::gen::inRange(least, most + 1),
                         [byte](std::size_t n) { return rc::gen::container<std::string>(n, byte); });
}

rc::Gen<std::string> name(const std::string& letters) {
  return rc::gen::map(rc::gen::mapcat(rc::gen::inRange<std::size_t>(0, 20),
                                      [letters](std::size_t n) {
                                        return rc::gen::container<std::string>(n, rc::gen::elementOf(letters));
                                      }),
                      [](const std::string& rest) { return "s" + rest; });
}

stile::Host host() {
  stile::Host made;
  made.name = *rc::gen::oneOf(bytes(1, 20), rc::gen::element<std::string>("::1", "fe80::2%eth0", "/run/socket", "h"));
  if (*rc::gen::arbitrary<bool>()) made.port = std::to_string(*rc::gen::inRange(1, 65536));
  return made;
}

Config config() {
  Config made;
  made.layers = *rc::gen::container<std::vector<std::string>>(name("abc01-"));
  made.scheme = *name("abc01.-");
  made.authority = *rc::gen::arbitrary<bool>();
  if (made.authority) {
    if (*rc::gen::arbitrary<bool>()) made.user = *bytes(0, 12);
    if (made.user && *rc::gen::arbitrary<bool>()) made.secret = *bytes(0, 12);
    for (int n = *rc::gen::inRange(0, 4); n > 0; --n) made.hosts.push_back(host());
    if (*rc::gen::arbitrary<bool>()) made.path = "/" + *bytes(0, 30);
  } else {
    made.path = *bytes(0, 30);
  }
  made.ns = *bytes(0, 128, true);
  made.prepare = *rc::gen::element<std::string>("", "auto", "check", "never");
  if (*rc::gen::arbitrary<bool>()) made.plugin = *name("abc+01.-");
  for (int n = *rc::gen::inRange(0, 5); n > 0; --n) {
    made.options.push_back({"o" + std::to_string(n) + *name("aZ_-"), *bytes(0, 20)});
  }
  if (!made.layers.empty()) made.options.push_back({made.layers[0] + ".x", *bytes(0, 20)});
  return made;
}

RC_GTEST_PROP(RoundTrip, WrittenAndReadAgain, ()) {
  Config made = config();
  RC_LOG() << made.text();
  RC_ASSERT(Config::parse(made.text()) == made);
}

RC_GTEST_PROP(RoundTrip, TakenOrRefusedNeverMore, ()) {
  std::string text = *bytes(0, 60, true);
  if (*rc::gen::arbitrary<bool>()) text = "x:" + text;
  if (*rc::gen::arbitrary<bool>()) text = "x://" + text;
  try {
    Config first = Config::parse(text);
    RC_ASSERT(Config::parse(first.text()) == first);
  } catch (const stile::Error& error) {
    RC_ASSERT(error.status() == stile::Status::invalid);
  }
}

}  // namespace
