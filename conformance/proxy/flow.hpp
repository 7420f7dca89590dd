// What the proxy does to the bytes of one connection, decided without a socket.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace stile::conformance::proxy {

/// up: from who connected to the server; down: back.
enum class Direction : std::uint8_t { up, down };

enum class Fault : std::uint8_t {
  none,
  cut,         ///< after so many bytes both ends are closed, as by a server that ends
  reset,       ///< the same, with a reset
  half_open,   ///< after so many bytes this direction is swallowed; the other goes on
  black_hole,  ///< after so many bytes nothing comes through either way, and nobody is told
  slow,        ///< a byte a period, in this direction
  refuse,      ///< new connections are closed at once; those there are go on
  mute,        ///< new connections are taken and never answered; those there are go on
  flapping,    ///< for a period all connections are reset and new ones refused, for a period all is well, and so on
};
inline constexpr std::array<std::string_view, 9> fault_names{"none", "cut",    "reset", "half_open", "black_hole",
                                                             "slow", "refuse", "mute",  "flapping"};

/// Told to the proxy; holds for connections there are and to come, bytes counted from now on, until the next one.
struct Rule {
  Fault fault = Fault::none;
  Direction direction = Direction::up;
  std::uint64_t after = 0;      ///< so many bytes of that direction still pass
  std::uint64_t period_us = 0;  ///< slow: between two bytes; flapping: between two changes
  std::uint64_t connections =
      ~0U;  ///< so many connections are met; the rest are spared. For a fault that ends by itself
};

/// A network that comes and goes, begun with a time at which it is gone.
class Flapping {
 public:
  Flapping() = default;
  Flapping(std::uint64_t begun_us, std::uint64_t period_us) : begun_us_(begun_us), period_us_(period_us) {}

  bool is_on() const { return period_us_ != 0; }
  bool gone(std::uint64_t now_us) const { return is_on() && turn(now_us) % 2 == 0; }
  /// When it changes next; 0 = never.
  std::uint64_t next_us(std::uint64_t now_us) const {
    return is_on() ? begun_us_ + (turn(now_us) + 1) * period_us_ : 0;
  }

 private:
  std::uint64_t turn(std::uint64_t now_us) const { return (now_us - begun_us_) / period_us_; }

  std::uint64_t begun_us_ = 0, period_us_ = 0;
};

/// How one connection stands with the rule.
class Flow {
 public:
  void obey(const Rule& rule) {
    rule_ = rule;
    passed_ = {};
    bitten_ = false;
    next_byte_us_ = 0;
  }

  /// How many of `waiting` bytes may pass now; `swallow`: they are dropped instead of sent on.
  struct Leave {
    std::size_t bytes = 0;
    bool swallow = false;
  };
  Leave leave(Direction direction, std::size_t waiting, std::uint64_t now_us) const;
  /// So many were sent on. True once the fault has come due and was not told before.
  bool passed(Direction direction, std::size_t bytes, std::uint64_t now_us);
  /// When a slow direction may go on; 0 = whenever.
  std::uint64_t next_byte_us() const { return next_byte_us_; }
  Fault fault() const { return rule_.fault; }
  bool bitten() const { return bitten_; }

 private:
  std::uint64_t left(Direction direction) const;

  Rule rule_;
  std::array<std::uint64_t, 2> passed_{};
  std::uint64_t next_byte_us_ = 0;
  bool bitten_ = false;
};

}  // namespace stile::conformance::proxy
