/* The Stile store ABI: the only thing a store plugin and the core share.
 *
 * What a store must do is conformance/CONTRACT.md; ids such as A4 in these headers are its promises. C99 to C17 and
 * C++11 to C++20, 64-bit, no padding anywhere; pins.h fixes the layout of revision 1.0.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef STILE_ABI_H
#define STILE_ABI_H

/* clang-format off */
/* LAWS
 *
 *  1 Memory.   What the host passes in is borrowed until the function returns. What a plugin hands out is allocated
 *              from op->arena (or is static); the host frees it in one stroke. Nothing is ever released by the other
 *              side.
 *  2 Text.     (pointer, length), not zero-terminated. Text is UTF-8 for people; bytes are bytes, ids and keys
 *              included. Empty = length 0, the pointer may be null.
 *  3 Sizes.    struct_size is set by whoever allocates. Touch a member added after revision 1.0 only if STILE_HAS says
 *              so; members of 1.0 need no test. Elements of lists are linked or pointed to, so that elements can grow.
 *  4 Meaning.  A request never changes its meaning by a member that an old plugin skips: such a member comes with a bit
 *              in op->must, and a plugin that meets a bit it does not know answers STILE_UNSUPPORTED and does nothing.
 *  5 Time.     int64 microseconds. Durations in; instants out are Unix time by the store's clock; deadlines alone are
 *              CLOCK_MONOTONIC of this host. 0 = none or absent where said; STILE_NEVER = no bound.
 *  6 Answers.  execute sets the status of every operation. The host pre-fills STILE_UNSET; finding it afterwards is a
 *              bug of the plugin, reported as STILE_INTERNAL. result is zeroed by the host; its members count only for
 *              the statuses named beside them.
 *  7 Doubt.    Sent and no reply, or committed and then out of arena: STILE_UNKNOWN. Not sent: STILE_UNAVAILABLE or
 *              STILE_TIMED_OUT. Never guess (R2).
 *  8 Threads.  Every function says who may call it: [once], [once a core], [once a store], [any thread], [one at a time
 *              a session, any thread], or [thread inside run] for what an effect's callback is lent. Nothing is bound
 *              to a thread.
 *  9 Walls.    No exception, longjmp or panic leaves a plugin. No touching of process state: locale, signals, working
 *              directory, environment, stdio, atexit, atfork. After fork, handles are dead in the child.
 * 10 Unknown.  Unknown kind, form, language, option or extension: answer STILE_UNSUPPORTED or null. Never crash, never
 *              assume.
 */
/* clang-format on */

#ifdef __cplusplus
extern "C" {
#endif

#include "abi/admin.h"
#include "abi/call.h"
#include "abi/checkpoint.h"
#include "abi/document.h"
#include "abi/effect.h"
#include "abi/lease.h"
#include "abi/note.h"
#include "abi/plugin.h"
#include "abi/queue.h"
#include "abi/status.h"
#include "abi/table.h"
#include "abi/types.h"

#include "abi/pins.h"

#ifdef __cplusplus
}
#endif

#endif
