// Time within brackets: what is known of an instant, and every way in which a call can lie to it.
//
// SPDX-License-Identifier: Apache-2.0
#include "model/moment.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "dialogue.hpp"

namespace stile::conformance::model {
namespace {

TEST(ModelMoment, BetweenHoldsBothEnds) {
  for (Time width : {0, 1, 2, 7, 1000}) {
    Moment some = between(100, 100 + width);
    EXPECT_TRUE(can_be(some, 100)) << width;
    EXPECT_TRUE(can_be(some, 100 + width)) << width;
    EXPECT_FALSE(can_be(some, 98)) << width;
    EXPECT_FALSE(can_be(some, 102 + width)) << width;
  }
  EXPECT_EQ(between(100, 100), (Moment{100, 0}));
}

TEST(ModelMoment, TheLaterOfTwoBracketsIsABracket) {
  Moment wide = between(100, 200);
  EXPECT_EQ(later_of(wide, Moment{150, 0}), between(150, 200));
  EXPECT_EQ(earlier_of(wide, Moment{150, 0}), between(100, 150));
  EXPECT_EQ(later_of(Moment{3, 0}, Moment{4, 0}), (Moment{4, 0}));
}

/// The answers to "has it come?" for some moments, in every way, as text: 0 and 1.
std::set<std::string> ways(Choices choices, const std::vector<Moment>& asked) {
  std::set<std::string> out;
  do {
    std::string way;
    for (Moment each : asked) way += choices.reached(each) ? '1' : '0';
    EXPECT_TRUE(out.insert(way).second) << way << " was tried twice";
  } while (choices.next());
  return out;
}

TEST(ModelChoices, WhatLiesOutsideTheBracketLeavesNoChoice) {
  Choices choices(100, 200);
  EXPECT_TRUE(choices.reached({100, 0}));
  EXPECT_FALSE(choices.reached({201, 0}));
  EXPECT_TRUE(choices.reached(between(50, 100)));
  EXPECT_FALSE(choices.any());
  EXPECT_FALSE(choices.next());
}

TEST(ModelChoices, NoWayContradictsItself) {
  // Of two ends inside the bracket the later never comes first; the same end is the same whoever asks.
  EXPECT_EQ(ways({100, 200}, {{120, 0}, {180, 0}}), (std::set<std::string>{"00", "10", "11"}));
  EXPECT_EQ(ways({100, 200}, {{180, 0}, {120, 0}}), (std::set<std::string>{"00", "01", "11"}));
  EXPECT_EQ(ways({100, 200}, {{150, 0}, {150, 0}}), (std::set<std::string>{"00", "11"}));
  EXPECT_EQ(ways({100, 200}, {{200, 0}}), (std::set<std::string>{"0", "1"}));
}

TEST(ModelChoices, WhatIsNotKnownExactlyCanBeEitherSide) {
  // The first lies somewhere in [110, 190], so that the second may come before it or after it.
  EXPECT_EQ(ways({100, 200}, {between(110, 190), {150, 0}}), (std::set<std::string>{"00", "01", "10", "11"}));
}

TEST(ModelTime, RealTimeIsABracket) {
  Dialogue talk({"one_commit", "coupled_receive"});
  talk.within(50);
  const std::string acquire = "{'op':'acquire','workflow':'w','ttl':100,'budget':300,'op_id':'" + op('1') + "'}";
  auto granted = [](Time live, Time budget) {
    return "{'status':'ok','fence':'" + fence(1, '1') + "','live_until':" + std::to_string(live) +
           ",'budget_until':" + std::to_string(budget) + "}";
  };
  talk.broken("A3", acquire, granted(1000151, 1000300));
  talk.broken("A3", acquire, granted(1000049, 1000300));
  talk.lawful(acquire, granted(1000130, 1000330));
  talk.broken("A2", "{'op':'acquire','workflow':'w','ttl':100,'budget':300,'op_id':'" + op('2') + "'}",
              "{'status':'held','live_until':1000131}");
  auto ends = talk.model().ends_within({}, 1000120, 1000140);
  ASSERT_EQ(ends.size(), 1u);
  EXPECT_EQ(ends[0], 1000130);
}

}  // namespace
}  // namespace stile::conformance::model
