/* What dispatch_test.c offers the tests.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef STILE_TESTS_SDK_DISPATCH_TEST_H
#define STILE_TESTS_SDK_DISPATCH_TEST_H

#include "stile/abi.h"

#ifdef __cplusplus
extern "C" {
#endif

struct scripted {
  int64_t now;
  int prepared;
  int break_at; /* the operation, counted from 1, at which the connection breaks; 0 = none */
  int done;     /* operations that reached the store */
};

uint32_t run_in_c(struct scripted* script, const stile_limits* limits, stile_op* const* ops, uint64_t count);
int check_in_c(int64_t* at, const stile_limits* limits, stile_op* op);
int64_t remaining_in_c(int64_t deadline_in);
uint64_t refuse_in_c(char* buffer, uint32_t cap, const char* text);

#ifdef __cplusplus
}
#endif

#endif
