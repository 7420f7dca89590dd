// The two tables of the contract agree with the constants and the structs beside them.
//
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <type_traits>
#include <vector>

#include "stile/abi.h"

namespace {

struct Operation {
  std::string name, constant_name;
  std::uint32_t value, constant, traits;
};

const std::vector<Operation> operations = {
#define STILE_TEST_OPERATION(NAME, value, name, traits) {#name, #NAME, value##u, STILE_OP_##NAME, (traits)},
    STILE_OP_TABLE(STILE_TEST_OPERATION)
#undef STILE_TEST_OPERATION
};

// Every operation has a request that begins with its size, is trivially copyable, and is never bigger than told.
#define STILE_TEST_REQUEST(NAME, value, name, traits)                   \
  static_assert(std::is_trivially_copyable_v<stile_##name##_request> && \
                offsetof(stile_##name##_request, struct_size) == 0);
STILE_OP_TABLE(STILE_TEST_REQUEST)
#undef STILE_TEST_REQUEST

TEST(OperationTable, kinds_are_1_to_count_in_order) {
  ASSERT_EQ(operations.size(), static_cast<std::size_t>(STILE_OP_COUNT));
  for (std::size_t i = 0; i < operations.size(); ++i) {
    EXPECT_EQ(operations[i].value, i + 1) << operations[i].name;
    EXPECT_EQ(operations[i].constant, i + 1) << operations[i].name;
  }
}

TEST(OperationTable, constants_are_the_names_in_capitals) {
  for (const auto& operation : operations) {
    std::string capitals;
    for (const char c : operation.name) capitals += c == '_' ? '_' : static_cast<char>(c - 'a' + 'A');
    EXPECT_EQ(capitals, operation.constant_name);
  }
}

TEST(OperationTable, traits_say_what_the_contract_says) {
  const auto traits = [](std::uint32_t kind) { return operations[kind - 1].traits; };
  for (const auto kind :
       {STILE_OP_RENEW, STILE_OP_RELEASE, STILE_OP_EXTEND, STILE_OP_PREPARE, STILE_OP_TRIM, STILE_OP_ADVANCE}) {
    EXPECT_TRUE(traits(kind) & STILE_TRAIT_WRITE);
    EXPECT_FALSE(traits(kind) & STILE_TRAIT_OP_ID) << "R1 gives it none";
  }
  for (const auto kind : {STILE_OP_LOAD, STILE_OP_WATCH, STILE_OP_GET, STILE_OP_SCAN, STILE_OP_INFO, STILE_OP_STATS,
                          STILE_OP_LIST, STILE_OP_RENDER})
    EXPECT_FALSE(traits(kind) & STILE_TRAIT_WRITE);
  for (const auto& operation : operations) {
    // What can be rendered is an unfenced write (R7); whoever takes an op_id writes.
    if (operation.traits & STILE_TRAIT_RENDERABLE) {
      EXPECT_TRUE(operation.traits & STILE_TRAIT_WRITE) << operation.name;
      EXPECT_FALSE(operation.traits & (STILE_TRAIT_FENCE | STILE_TRAIT_RECEIPT)) << operation.name;
    }
    if (operation.traits & STILE_TRAIT_OP_ID) {
      EXPECT_TRUE(operation.traits & STILE_TRAIT_WRITE) << operation.name;
    }
  }
}

#define STILE_TEST_WORKFLOW(name) static_assert(offsetof(stile_##name##_request, workflow) == 8);
STILE_TEST_WORKFLOW(acquire)
STILE_TEST_WORKFLOW(renew)
STILE_TEST_WORKFLOW(release)
STILE_TEST_WORKFLOW(record)
STILE_TEST_WORKFLOW(supply)
STILE_TEST_WORKFLOW(append)
STILE_TEST_WORKFLOW(transact)
STILE_TEST_WORKFLOW(rebase)
STILE_TEST_WORKFLOW(discard)
STILE_TEST_WORKFLOW(request_cancel)
STILE_TEST_WORKFLOW(enqueue)
STILE_TEST_WORKFLOW(cancel)
#undef STILE_TEST_WORKFLOW

TEST(StatusTable, numbers_are_places_and_agree_with_the_constants) {
  int place = 0;
#define STILE_TEST_STATUS(NAME, value, name, happened, again, text)                   \
  EXPECT_EQ(value, place);                                                            \
  EXPECT_EQ(STILE_##NAME, place++);                                                   \
  EXPECT_TRUE((happened) >= STILE_HAPPENED_NO && (happened) <= STILE_HAPPENED_MAYBE); \
  EXPECT_TRUE((again) >= STILE_AGAIN_NO && (again) <= STILE_AGAIN_CALLER);            \
  EXPECT_FALSE(std::string(text).empty());
  STILE_STATUS_TABLE(STILE_TEST_STATUS)
#undef STILE_TEST_STATUS
  EXPECT_EQ(place, STILE_STATUS_COUNT);
}

}  // namespace
