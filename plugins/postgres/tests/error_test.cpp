// SQLSTATEs and what they become.
//
// SPDX-License-Identifier: Apache-2.0
#include "error.hpp"

#include <gtest/gtest.h>

namespace stile::postgres {
namespace {

TEST(Errors, WhatTheServerSaysIsOneOfTheContractsStatuses) {
  const std::pair<const char*, std::int32_t> rows[] = {
      {"40001", STILE_UNAVAILABLE}, {"40P01", STILE_UNAVAILABLE}, {"55P03", STILE_UNAVAILABLE},
      {"57014", STILE_UNAVAILABLE}, {"57P01", STILE_UNAVAILABLE}, {"57P03", STILE_UNAVAILABLE},
      {"53300", STILE_UNAVAILABLE}, {"53100", STILE_FULL},        {"53200", STILE_FULL},
      {"25006", STILE_READ_ONLY},   {"42501", STILE_DENIED},      {"28P01", STILE_DENIED},
      {"3D000", STILE_UNPREPARED},  {"42883", STILE_UNPREPARED},  {"42P01", STILE_UNPREPARED},
      {"XX001", STILE_CORRUPT},     {"08006", STILE_UNAVAILABLE}, {"54000", STILE_TOO_LARGE},
  };
  for (const auto& [state, status] : rows) EXPECT_EQ(status_of(state), status) << state;
}

TEST(Errors, WhatIsNotKnownIsABug) {
  EXPECT_EQ(status_of("42601"), STILE_INTERNAL);  // a syntax error
  EXPECT_EQ(status_of(""), STILE_INTERNAL);
}

TEST(Errors, OnlyConflictsAreBegunAgain) {
  for (const char* state : {"40001", "40P01", "55P03"}) EXPECT_TRUE(is_conflict(state)) << state;
  for (const char* state : {"57014", "53100", "25006", "40003", ""}) EXPECT_FALSE(is_conflict(state)) << state;
}

TEST(Errors, ASessionEndsWithItsBackend) {
  for (const char* state : {"57P01", "57P02", "08006", "0A000"}) EXPECT_TRUE(ends_session(state)) << state;
  for (const char* state : {"57014", "25006", "40001", "53100"}) EXPECT_FALSE(ends_session(state)) << state;
}

TEST(Errors, TheTextSaysWhatToDo) {
  const StoreError error = error_of("53100", "could not extend file\n");
  EXPECT_EQ(error.status(), STILE_FULL);
  EXPECT_EQ(error.native(), "53100");
  EXPECT_EQ(error.text(), "could not extend file: nothing was written; make room on the server");
}

TEST(Errors, WhatWasLostMayHaveHappened) { EXPECT_EQ(Lost("gone").status(), STILE_UNKNOWN); }

}  // namespace
}  // namespace stile::postgres
