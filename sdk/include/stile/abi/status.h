/* The closed list of statuses, numbered by their place (conformance/CONTRACT.md, Statuses).
 *
 * A status says two things without reading any text: may the operation have happened, and does sending it again help.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef STILE_ABI_STATUS_H
#define STILE_ABI_STATUS_H

/* happened? */
#define STILE_HAPPENED_NO 0
#define STILE_HAPPENED_YES 1
#define STILE_HAPPENED_MAYBE 2

/* send again? */
#define STILE_AGAIN_NO 0     /* the same answer would come back */
#define STILE_AGAIN_YES 1    /* yes, a write under the same op_id (R1) */
#define STILE_AGAIN_LATER 2  /* not now; retry_after says when, if the store knows */
#define STILE_AGAIN_CALLER 3 /* only after the caller has looked, or together with the operation before it */

/* X(NAME, value, name, happened, again, what it means) */
#define STILE_STATUS_TABLE(X)                                                                                          \
  X(OK, 0, ok, STILE_HAPPENED_YES, STILE_AGAIN_NO, "done")                                                             \
  X(FENCED, 1, fenced, STILE_HAPPENED_NO, STILE_AGAIN_NO,                                                              \
    "the fence is not the current one: this pass was superseded")                                                      \
  X(STALE, 2, stale, STILE_HAPPENED_NO, STILE_AGAIN_NO, "the receipt is not the current one of its wakeup")            \
  X(CANCELLED, 3, cancelled, STILE_HAPPENED_NO, STILE_AGAIN_NO, "the wakeup behind this receipt was cancelled")        \
  X(LAPSED, 4, lapsed, STILE_HAPPENED_NO, STILE_AGAIN_NO,                                                              \
    "the fence is current but its budget is spent; writes still land, buy budget or stop")                             \
  X(HELD, 5, held, STILE_HAPPENED_NO, STILE_AGAIN_LATER, "another lease is live; the answer says until when")          \
  X(CONFLICT, 6, conflict, STILE_HAPPENED_NO, STILE_AGAIN_CALLER,                                                      \
    "the document's condition failed; the answer carries what is there")                                               \
  X(NOT_FOUND, 7, not_found, STILE_HAPPENED_NO, STILE_AGAIN_NO, "there is no such thing")                              \
  X(INVALID, 8, invalid, STILE_HAPPENED_NO, STILE_AGAIN_NO, "an argument breaks a stated limit or rule")               \
  X(TOO_LARGE, 9, too_large, STILE_HAPPENED_NO, STILE_AGAIN_NO, "a value, key or id is over the stated limit")         \
  X(UNSUPPORTED, 10, unsupported, STILE_HAPPENED_NO, STILE_AGAIN_NO, "this store declares that it does not do this")   \
  X(UNPREPARED, 11, unprepared, STILE_HAPPENED_NO, STILE_AGAIN_CALLER,                                                 \
    "the store's schema is absent or older: run prepare")                                                              \
  X(SKIPPED, 12, skipped, STILE_HAPPENED_NO, STILE_AGAIN_CALLER,                                                       \
    "the operation this one was chained to did not answer ok")                                                         \
  X(EFFECT_FAILED, 13, effect_failed, STILE_HAPPENED_NO, STILE_AGAIN_CALLER,                                           \
    "the effect itself failed; nothing of it remains")                                                                 \
  X(UNAVAILABLE, 14, unavailable, STILE_HAPPENED_NO, STILE_AGAIN_YES,                                                  \
    "the store cannot be reached or is busy; known not to have happened")                                              \
  X(FULL, 15, full, STILE_HAPPENED_NO, STILE_AGAIN_LATER, "the store is out of room; nothing changed")                 \
  X(DENIED, 16, denied, STILE_HAPPENED_NO, STILE_AGAIN_NO, "credentials or permission")                                \
  X(READ_ONLY, 17, read_only, STILE_HAPPENED_NO, STILE_AGAIN_CALLER, "this store takes no writes here")                \
  X(UNKNOWN, 18, unknown, STILE_HAPPENED_MAYBE, STILE_AGAIN_YES,                                                       \
    "sent, and the reply was lost or came too late: it may have happened")                                             \
  X(TIMED_OUT, 19, timed_out, STILE_HAPPENED_NO, STILE_AGAIN_YES, "the caller's deadline passed before it was sent")   \
  X(INTERRUPTED, 20, interrupted, STILE_HAPPENED_NO, STILE_AGAIN_YES,                                                  \
    "the host asked a waiting call to return; nothing was handed out")                                                 \
  X(STORE_LOST, 21, store_lost, STILE_HAPPENED_NO, STILE_AGAIN_NO,                                                     \
    "the data this store had is gone or went back in time")                                                            \
  X(CORRUPT, 22, corrupt, STILE_HAPPENED_NO, STILE_AGAIN_NO, "stored data cannot be read; the text says where")        \
  X(INTERNAL, 23, internal, STILE_HAPPENED_MAYBE, STILE_AGAIN_NO, "a bug in the plugin; the text says what")

#define STILE_OK 0
#define STILE_FENCED 1
#define STILE_STALE 2
#define STILE_CANCELLED 3
#define STILE_LAPSED 4
#define STILE_HELD 5
#define STILE_CONFLICT 6
#define STILE_NOT_FOUND 7
#define STILE_INVALID 8
#define STILE_TOO_LARGE 9
#define STILE_UNSUPPORTED 10
#define STILE_UNPREPARED 11
#define STILE_SKIPPED 12
#define STILE_EFFECT_FAILED 13
#define STILE_UNAVAILABLE 14
#define STILE_FULL 15
#define STILE_DENIED 16
#define STILE_READ_ONLY 17
#define STILE_UNKNOWN 18
#define STILE_TIMED_OUT 19
#define STILE_INTERRUPTED 20
#define STILE_STORE_LOST 21
#define STILE_CORRUPT 22
#define STILE_INTERNAL 23
#define STILE_STATUS_COUNT 24

/* What the host writes before execute; finding it afterwards is a bug of the plugin (law 6). */
#define STILE_UNSET (-1)

#endif
