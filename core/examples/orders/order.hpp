// What the demo's processes share: orders, how they end, and the names of the workflow and its signal.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <string>

#include "stile/workflow.hpp"

namespace orders {

struct Order {
  std::string id, customer, email, item, country, note;
  std::int64_t quantity = 0;
  std::int64_t unit_cents = 0;

  std::int64_t cents() const { return quantity * unit_cents; }
  /// Big orders wait for a person.
  bool needs_approval() const { return cents() >= 500'00; }
  /// The person's rule, so that the proof knows what to expect.
  bool would_be_approved() const { return quantity < 25; }
  /// The carrier refuses these for good.
  bool can_be_shipped() const { return item.find("anvil") == std::string::npos; }
};
BOOST_DESCRIBE_STRUCT(Order, (), (id, customer, email, item, country, note, quantity, unit_cents))

struct Ended {
  std::string how;  ///< "shipped", "refused", "undeliverable"
  std::int64_t kept_cents = 0;
  std::string parcel;
};
BOOST_DESCRIBE_STRUCT(Ended, (), (how, kept_cents, parcel))

struct Decision {
  bool approved = false;
  std::string by;
};
BOOST_DESCRIBE_STRUCT(Decision, (), (approved, by))

inline constexpr stile::Workflow<Ended(Order)> fulfil{"fulfil"};
inline constexpr stile::Signal<Decision> decision{"decision"};

}  // namespace orders
