// The SDK's help for documents in C: conditions, versions, expiry, the memory of sends; and byte order.
//
// SPDX-License-Identifier: Apache-2.0
#include "stile/sdk/documents.h"

#include <utility>

#include "speak.hpp"

namespace stile::test {
namespace {

constexpr stile_present nothing{0, 0, {nullptr, 0}};

Put put_if(std::uint32_t condition, std::string_view version = {}) {
  Put put(STILE_OP_PUT);
  put.q().condition = condition;
  put.q().version = put.keep(version);
  return put;
}

Erase erase_if(std::uint32_t condition, std::string_view version = {}) {
  Erase erase(STILE_OP_ERASE);
  erase.q().condition = condition;
  erase.q().version = erase.keep(version);
  return erase;
}

TEST(Documents, K1_K2_conditions) {
  const stile_present seven{1, 7, bytes("here")};
  const struct {
    std::uint32_t condition;
    std::string_view version;
    bool with_seven, with_nothing;
  } rows[] = {{STILE_IF_ANY, "", true, true},         {STILE_IF_ABSENT, "", false, true},
              {STILE_IF_VERSION, "7", true, false},   {STILE_IF_VERSION, "8", false, false},
              {STILE_IF_VERSION, "07", false, false}, {STILE_IF_VERSION, "", false, false}};
  for (const auto& row : rows) {
    for (const auto& [there, holds] : {std::pair{seven, row.with_seven}, std::pair{nothing, row.with_nothing}}) {
      Put put = put_if(row.condition, row.version);
      EXPECT_EQ(stile_condition_holds(&put.op(), &there) != 0, holds) << row.condition << row.version << there.there;
      EXPECT_EQ(put.status(), holds ? STILE_UNSET : STILE_CONFLICT);
      EXPECT_EQ(string(put.r().version), !holds && there.there ? "7" : "");
      EXPECT_EQ(string(put.r().value), !holds && there.there ? "here" : "");
    }
  }
}

TEST(Documents, K6_an_erase_says_what_is_there_too) {
  const stile_present seven{1, 7, bytes("here")};
  Erase other = erase_if(STILE_IF_VERSION, "6"), same = erase_if(STILE_IF_VERSION, "7");
  EXPECT_FALSE(stile_condition_holds(&other.op(), &seven));
  EXPECT_EQ(other.status(), STILE_CONFLICT);
  EXPECT_EQ(string(other.r().version), "7");
  EXPECT_EQ(string(other.r().value), "here");
  EXPECT_TRUE(stile_condition_holds(&same.op(), &seven));
}

TEST(Documents, a_conflict_without_room_for_its_answer_is_unknown) {
  const stile_present seven{1, 7, bytes("here")};
  Put put = put_if(STILE_IF_ABSENT);
  put.arena().fail_after = 1;
  EXPECT_FALSE(stile_condition_holds(&put.op(), &seven));
  EXPECT_EQ(put.status(), STILE_UNKNOWN);
}

TEST(Documents, K5_expiry) {
  stile_put_request put{};
  put.ttl = STILE_TTL_NONE;
  EXPECT_EQ(stile_expiry(&put, 100, 50), 0);
  put.ttl = STILE_TTL_KEEP;
  EXPECT_EQ(stile_expiry(&put, 100, 50), 50);
  EXPECT_EQ(stile_expiry(&put, 100, 0), 0);
  put.ttl = 7;
  EXPECT_EQ(stile_expiry(&put, 100, 50), 107);
}

TEST(Documents, K3_the_last_eight_are_remembered) {
  stile_sends sends{};
  std::vector<stile_id> sent;
  for (std::uint64_t version = 1; version <= STILE_SENDS + 1; ++version) {
    Put put = put_if(STILE_IF_ANY);
    put.op().op_id = fresh_id();
    EXPECT_FALSE(stile_sent_before(&sends, &put.op()));
    stile_remember(&sends, &put.op(), version, 0);
    sent.push_back(put.op().op_id);
  }
  for (std::size_t i = 0; i < sent.size(); ++i) {
    Put again = put_if(STILE_IF_ANY);
    again.op().op_id = sent[i];
    EXPECT_EQ(stile_sent_before(&sends, &again.op()) != 0, i != 0) << i;
    EXPECT_EQ(string(again.r().version), i == 0 ? "" : std::to_string(i + 1));
    EXPECT_EQ(again.status(), i == 0 ? STILE_UNSET : STILE_OK);
  }
}

TEST(Documents, R1_an_op_id_names_one_request) {
  stile_sends sends{};
  Erase erase = erase_if(STILE_IF_ANY);
  erase.op().op_id = fresh_id();
  stile_remember(&sends, &erase.op(), 0, 1);
  Erase again = erase_if(STILE_IF_ANY);
  again.op().op_id = erase.op().op_id;
  EXPECT_TRUE(stile_sent_before(&sends, &again.op()));
  EXPECT_EQ(again.status(), STILE_OK);
  EXPECT_EQ(again.r().removed, 1u);
  Put put = put_if(STILE_IF_ANY);
  put.op().op_id = erase.op().op_id;
  EXPECT_TRUE(stile_sent_before(&sends, &put.op()));
  EXPECT_EQ(put.status(), STILE_INVALID);
}

TEST(Documents, without_an_op_id_nothing_is_a_second_send) {
  stile_sends sends{};
  Put put = put_if(STILE_IF_ANY);
  stile_remember(&sends, &put.op(), 1, 0);
  EXPECT_FALSE(stile_sent_before(&sends, &put.op()));
  put.op().op_id = fresh_id();
  EXPECT_FALSE(stile_sent_before(nullptr, &put.op()));
}

TEST(Documents, K7_byte_order) {
  const std::string_view sorted[] = {"", std::string_view("\0", 1), "a", "a\x01", "ab", "b", "\x7f", "\x80", "\xff"};
  for (std::size_t i = 0; i < std::size(sorted); ++i) {
    for (std::size_t j = 0; j < std::size(sorted); ++j) {
      int order = stile_compare(bytes(sorted[i]), bytes(sorted[j]));
      EXPECT_EQ(order < 0, i < j) << i << " " << j;
      EXPECT_EQ(order == 0, i == j) << i << " " << j;
    }
  }
  EXPECT_TRUE(stile_begins_with(bytes("ab"), bytes("")));
  EXPECT_TRUE(stile_begins_with(bytes("ab"), bytes("ab")));
  EXPECT_FALSE(stile_begins_with(bytes("ab"), bytes("abc")));
  EXPECT_FALSE(stile_begins_with(bytes("ab"), bytes("b")));
}

}  // namespace
}  // namespace stile::test
