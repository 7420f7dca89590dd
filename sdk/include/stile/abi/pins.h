/* The layout of revision 1.0, pinned: a struct may only grow at its end, and frozen ones not at all.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef STILE_ABI_PINS_H
#define STILE_ABI_PINS_H

#include "admin.h"
#include "call.h"
#include "checkpoint.h"
#include "document.h"
#include "effect.h"
#include "lease.h"
#include "plugin.h"
#include "queue.h"
#include "types.h"

#if defined(__cplusplus)
#define STILE_PIN(condition) static_assert(condition, #condition)
#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
#define STILE_PIN(condition) _Static_assert(condition, #condition)
#else
#define STILE_PIN_AT_(condition, line) typedef char stile_pin_##line[(condition) ? 1 : -1] __attribute__((unused))
#define STILE_PIN_AT(condition, line) STILE_PIN_AT_(condition, line)
#define STILE_PIN(condition) STILE_PIN_AT(condition, __LINE__)
#endif

/* Size, and that the last member ends where the struct does: no padding. Values that hold a pointer are pinned, too:
 * NOLINTBEGIN(bugprone-sizeof-expression) */
#define STILE_PIN_STRUCT(type, last, size) STILE_PIN(sizeof(type) == (size) && STILE_END(type, last) == (size))

STILE_PIN_STRUCT(stile_text, len, 16);
STILE_PIN_STRUCT(stile_bytes, len, 16);
STILE_PIN_STRUCT(stile_id, bytes, 16);
STILE_PIN_STRUCT(stile_fence, stamp, 24);
STILE_PIN_STRUCT(stile_value, data, 40);
STILE_PIN_STRUCT(stile_pair, value, 32);
STILE_PIN_STRUCT(stile_watched, after, 24);
STILE_PIN_STRUCT(stile_error, text_len, 24);
STILE_PIN_STRUCT(stile_arena, alloc, 24);
STILE_PIN_STRUCT(stile_call, deadline, 24);
STILE_PIN_STRUCT(stile_op, retry_after, 96);
STILE_PIN_STRUCT(stile_acquire_request, budget, 40);
STILE_PIN_STRUCT(stile_acquire_result, budget_until, 48);
STILE_PIN_STRUCT(stile_renew_request, budget, 64);
STILE_PIN_STRUCT(stile_renew_result, budget_until, 24);
STILE_PIN_STRUCT(stile_release_request, fence, 48);
STILE_PIN_STRUCT(stile_record, written_at, 64);
STILE_PIN_STRUCT(stile_enqueue, queue, 40);
STILE_PIN_STRUCT(stile_load_request, key, 64);
STILE_PIN_STRUCT(stile_load_result, more, 32);
STILE_PIN_STRUCT(stile_record_request, value, 80);
STILE_PIN_STRUCT(stile_record_result, written_at, 40);
STILE_PIN_STRUCT(stile_supply_request, enqueue, 64);
STILE_PIN_STRUCT(stile_supply_result, visible_at, 56);
STILE_PIN_STRUCT(stile_append_request, enqueue, 64);
STILE_PIN_STRUCT(stile_append_result, visible_at, 48);
STILE_PIN_STRUCT(stile_rebase_request, value, 96);
STILE_PIN_STRUCT(stile_rebase_result, written_at, 32);
STILE_PIN_STRUCT(stile_discard_request, workflow, 24);
STILE_PIN_STRUCT(stile_discard_result, removed, 16);
STILE_PIN_STRUCT(stile_request_cancel_request, workflow, 24);
STILE_PIN_STRUCT(stile_watch_request, wait, 32);
STILE_PIN_STRUCT(stile_watch_result, n_changed, 24);
STILE_PIN_STRUCT(stile_row, values, 24);
STILE_PIN_STRUCT(stile_rows, native, 56);
STILE_PIN_STRUCT(stile_tx, native, 32);
STILE_PIN_STRUCT(stile_effect, run, 88);
STILE_PIN_STRUCT(stile_transact_request, effect, 72);
STILE_PIN_STRUCT(stile_transact_result, written_at, 40);
STILE_PIN_STRUCT(stile_enqueue_request, enqueue, 32);
STILE_PIN_STRUCT(stile_enqueue_result, visible_at, 16);
STILE_PIN_STRUCT(stile_receive_request, reserved0, 80);
STILE_PIN_STRUCT(stile_delivery, reserved0, 152);
STILE_PIN_STRUCT(stile_receive_result, store_time, 24);
STILE_PIN_STRUCT(stile_extend_request, budget, 80);
STILE_PIN_STRUCT(stile_extend_result, budget_until, 32);
STILE_PIN_STRUCT(stile_answer, release, 48);
STILE_PIN_STRUCT(stile_ack_request, answer, 56);
STILE_PIN_STRUCT(stile_ack_result, requeued, 8);
STILE_PIN_STRUCT(stile_snooze_request, answer, 64);
STILE_PIN_STRUCT(stile_snooze_result, visible_at, 16);
STILE_PIN_STRUCT(stile_nack_request, answer, 80);
STILE_PIN_STRUCT(stile_nack_result, visible_at, 16);
STILE_PIN_STRUCT(stile_reject_request, answer, 72);
STILE_PIN_STRUCT(stile_reject_result, state, 8);
STILE_PIN_STRUCT(stile_cancel_request, workflow, 24);
STILE_PIN_STRUCT(stile_cancel_result, removed, 8);
STILE_PIN_STRUCT(stile_get_request, key, 24);
STILE_PIN_STRUCT(stile_get_result, expires_at, 48);
STILE_PIN_STRUCT(stile_put_request, ttl, 64);
STILE_PIN_STRUCT(stile_put_result, value, 40);
STILE_PIN_STRUCT(stile_erase_request, version, 40);
STILE_PIN_STRUCT(stile_erase_result, value, 40);
STILE_PIN_STRUCT(stile_document, expires_at, 56);
STILE_PIN_STRUCT(stile_scan_request, after, 40);
STILE_PIN_STRUCT(stile_scan_result, next, 32);
STILE_PIN_STRUCT(stile_prepare_request, check_only, 8);
STILE_PIN_STRUCT(stile_prepare_result, migrated, 8);
STILE_PIN_STRUCT(stile_limits, writers, 88);
STILE_PIN_STRUCT(stile_info_request, reserved0, 8);
STILE_PIN_STRUCT(stile_info_result, limits, 104);
STILE_PIN_STRUCT(stile_stats_request, queue, 24);
STILE_PIN_STRUCT(stile_stats_result, next_due_at, 96);
STILE_PIN_STRUCT(stile_workflow, cancel_requested, 120);
STILE_PIN_STRUCT(stile_list_request, reserved0, 80);
STILE_PIN_STRUCT(stile_list_result, next, 32);
STILE_PIN_STRUCT(stile_trim_request, older_than, 16);
STILE_PIN_STRUCT(stile_trim_result, removed, 16);
STILE_PIN_STRUCT(stile_render_request, op, 32);
STILE_PIN_STRUCT(stile_render_result, n_keys, 56);
STILE_PIN_STRUCT(stile_advance_request, by, 16);
STILE_PIN_STRUCT(stile_advance_result, store_time, 16);
STILE_PIN_STRUCT(stile_host, extension, 72);
STILE_PIN_STRUCT(stile_option, max, 96);
STILE_PIN_STRUCT(stile_config, n_passthrough, 136);
STILE_PIN_STRUCT(stile_plugin, extension, 200);
STILE_PIN_STRUCT(stile_hello, reserved0, 16);
STILE_PIN(offsetof(stile_op, op_id) == 40);
STILE_PIN(offsetof(stile_plugin, start) == 128);
/* NOLINTEND(bugprone-sizeof-expression) */

#endif
