/* The operations, as one table: makes the constants below, dispatch, the JSON form, logs and bindings.
 *
 * X(NAME, value, name, traits); every operation has a stile_<name>_request, and a stile_<name>_result where it has
 * STILE_TRAIT_RESULT. fields.h holds the members of each struct in the same manner.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef STILE_ABI_TABLE_H
#define STILE_ABI_TABLE_H

#define STILE_TRAIT_WRITE 1u       /* changes the store */
#define STILE_TRAIT_OP_ID 2u       /* takes an op_id and remembers it (R1) */
#define STILE_TRAIT_WORKFLOW 4u    /* its request begins, after the two leading integers, with a workflow id */
#define STILE_TRAIT_FENCE 8u       /* needs a fence (A4) */
#define STILE_TRAIT_RECEIPT 16u    /* needs a receipt (D2) */
#define STILE_TRAIT_WAITS 32u      /* has a wait, and is alone in its call when that is above 0 (R3) */
#define STILE_TRAIT_RENDERABLE 64u /* an unfenced write that render may say (R7) */
#define STILE_TRAIT_RESULT 128u    /* has a result struct */

#define STILE_OP_TABLE(X)                                                                                              \
  X(ACQUIRE, 1, acquire, STILE_TRAIT_WRITE | STILE_TRAIT_OP_ID | STILE_TRAIT_WORKFLOW | STILE_TRAIT_RESULT)            \
  X(RENEW, 2, renew, STILE_TRAIT_WRITE | STILE_TRAIT_WORKFLOW | STILE_TRAIT_FENCE | STILE_TRAIT_RESULT)                \
  X(RELEASE, 3, release, STILE_TRAIT_WRITE | STILE_TRAIT_WORKFLOW | STILE_TRAIT_FENCE)                                 \
  X(LOAD, 4, load, STILE_TRAIT_RESULT)                                                                                 \
  X(RECORD, 5, record,                                                                                                 \
    STILE_TRAIT_WRITE | STILE_TRAIT_OP_ID | STILE_TRAIT_WORKFLOW | STILE_TRAIT_FENCE | STILE_TRAIT_RESULT)             \
  X(SUPPLY, 6, supply,                                                                                                 \
    STILE_TRAIT_WRITE | STILE_TRAIT_OP_ID | STILE_TRAIT_WORKFLOW | STILE_TRAIT_RENDERABLE | STILE_TRAIT_RESULT)        \
  X(APPEND, 7, append,                                                                                                 \
    STILE_TRAIT_WRITE | STILE_TRAIT_OP_ID | STILE_TRAIT_WORKFLOW | STILE_TRAIT_RENDERABLE | STILE_TRAIT_RESULT)        \
  X(TRANSACT, 8, transact,                                                                                             \
    STILE_TRAIT_WRITE | STILE_TRAIT_OP_ID | STILE_TRAIT_WORKFLOW | STILE_TRAIT_FENCE | STILE_TRAIT_RESULT)             \
  X(REBASE, 9, rebase,                                                                                                 \
    STILE_TRAIT_WRITE | STILE_TRAIT_OP_ID | STILE_TRAIT_WORKFLOW | STILE_TRAIT_FENCE | STILE_TRAIT_RESULT)             \
  X(DISCARD, 10, discard, STILE_TRAIT_WRITE | STILE_TRAIT_OP_ID | STILE_TRAIT_WORKFLOW | STILE_TRAIT_RESULT)           \
  X(REQUEST_CANCEL, 11, request_cancel,                                                                                \
    STILE_TRAIT_WRITE | STILE_TRAIT_OP_ID | STILE_TRAIT_WORKFLOW | STILE_TRAIT_RENDERABLE)                             \
  X(WATCH, 12, watch, STILE_TRAIT_WAITS | STILE_TRAIT_RESULT)                                                          \
  X(ENQUEUE, 13, enqueue,                                                                                              \
    STILE_TRAIT_WRITE | STILE_TRAIT_OP_ID | STILE_TRAIT_WORKFLOW | STILE_TRAIT_RENDERABLE | STILE_TRAIT_RESULT)        \
  X(RECEIVE, 14, receive, STILE_TRAIT_WRITE | STILE_TRAIT_OP_ID | STILE_TRAIT_WAITS | STILE_TRAIT_RESULT)              \
  X(EXTEND, 15, extend, STILE_TRAIT_WRITE | STILE_TRAIT_RECEIPT | STILE_TRAIT_RESULT)                                  \
  X(ACK, 16, ack, STILE_TRAIT_WRITE | STILE_TRAIT_OP_ID | STILE_TRAIT_RECEIPT | STILE_TRAIT_RESULT)                    \
  X(SNOOZE, 17, snooze, STILE_TRAIT_WRITE | STILE_TRAIT_OP_ID | STILE_TRAIT_RECEIPT | STILE_TRAIT_RESULT)              \
  X(NACK, 18, nack, STILE_TRAIT_WRITE | STILE_TRAIT_OP_ID | STILE_TRAIT_RECEIPT | STILE_TRAIT_RESULT)                  \
  X(REJECT, 19, reject, STILE_TRAIT_WRITE | STILE_TRAIT_OP_ID | STILE_TRAIT_RECEIPT | STILE_TRAIT_RESULT)              \
  X(CANCEL, 20, cancel,                                                                                                \
    STILE_TRAIT_WRITE | STILE_TRAIT_OP_ID | STILE_TRAIT_WORKFLOW | STILE_TRAIT_RENDERABLE | STILE_TRAIT_RESULT)        \
  X(GET, 21, get, STILE_TRAIT_RESULT)                                                                                  \
  X(PUT, 22, put, STILE_TRAIT_WRITE | STILE_TRAIT_OP_ID | STILE_TRAIT_RENDERABLE | STILE_TRAIT_RESULT)                 \
  X(ERASE, 23, erase, STILE_TRAIT_WRITE | STILE_TRAIT_OP_ID | STILE_TRAIT_RENDERABLE | STILE_TRAIT_RESULT)             \
  X(SCAN, 24, scan, STILE_TRAIT_RESULT)                                                                                \
  X(PREPARE, 25, prepare, STILE_TRAIT_WRITE | STILE_TRAIT_RESULT)                                                      \
  X(INFO, 26, info, STILE_TRAIT_RESULT)                                                                                \
  X(STATS, 27, stats, STILE_TRAIT_RESULT)                                                                              \
  X(LIST, 28, list, STILE_TRAIT_RESULT)                                                                                \
  X(TRIM, 29, trim, STILE_TRAIT_WRITE | STILE_TRAIT_RESULT)                                                            \
  X(RENDER, 30, render, STILE_TRAIT_RESULT)                                                                            \
  X(ADVANCE, 31, advance, STILE_TRAIT_WRITE | STILE_TRAIT_RESULT)

#define STILE_OP_ACQUIRE 1u
#define STILE_OP_RENEW 2u
#define STILE_OP_RELEASE 3u
#define STILE_OP_LOAD 4u
#define STILE_OP_RECORD 5u
#define STILE_OP_SUPPLY 6u
#define STILE_OP_APPEND 7u
#define STILE_OP_TRANSACT 8u
#define STILE_OP_REBASE 9u
#define STILE_OP_DISCARD 10u
#define STILE_OP_REQUEST_CANCEL 11u
#define STILE_OP_WATCH 12u
#define STILE_OP_ENQUEUE 13u
#define STILE_OP_RECEIVE 14u
#define STILE_OP_EXTEND 15u
#define STILE_OP_ACK 16u
#define STILE_OP_SNOOZE 17u
#define STILE_OP_NACK 18u
#define STILE_OP_REJECT 19u
#define STILE_OP_CANCEL 20u
#define STILE_OP_GET 21u
#define STILE_OP_PUT 22u
#define STILE_OP_ERASE 23u
#define STILE_OP_SCAN 24u
#define STILE_OP_PREPARE 25u
#define STILE_OP_INFO 26u
#define STILE_OP_STATS 27u
#define STILE_OP_LIST 28u
#define STILE_OP_TRIM 29u
#define STILE_OP_RENDER 30u
#define STILE_OP_ADVANCE 31u
#define STILE_OP_COUNT 31 /* kinds are 1 .. STILE_OP_COUNT */

#endif
