/* The members of every request, result and element, as tables beside the operation table (table.h): they make the JSON
 * form of CALL.md, deep copies, logs and bindings. Macros only: nothing here is needed to write a store.
 *
 * STILE_FIELDS_<struct>(X) gives X(form, member, name, traits, fallback) for each member of stile_<struct>, in order:
 *   form      what kind of thing it is, of STILE_FORM_TABLE
 *   member    its name in the C struct
 *   name      in the JSON form; "" = not said there; "a|b" = one of these; "group.name" = inside the object of group
 *   traits    STILE_FIELD_*, below
 *   fallback  of requests: what stands there when it is left out and not flagged by a has_<member>
 * A member that has a has_<member> beside it (form presence) may be left out, and the flag says so.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef STILE_ABI_FIELDS_H
#define STILE_ABI_FIELDS_H

/* X(form, the C type, how it is written in JSON) */
#define STILE_FORM_TABLE(X)                                                                                            \
  X(struct_size, uint32_t, "not said: set by whoever allocates")                                                       \
  X(reserved, uint32_t, "not said: zero")                                                                              \
  X(presence, uint32_t, "not said: 1 when the member after has_ is there")                                             \
  X(flag, uint32_t, "true or false")                                                                                   \
  X(count, uint32_t, "a whole number; one above its range counts as its largest")                                      \
  X(number, uint64_t, "a whole number; one above its range counts as its largest")                                     \
  X(position, int64_t, "a whole number")                                                                               \
  X(duration, int64_t, "microseconds, or text such as \"200ms\"")                                                      \
  X(ttl, int64_t, "a duration, 0 or \"keep\"")                                                                         \
  X(instant, int64_t, "a whole number of Unix microseconds")                                                           \
  X(is_instant, uint32_t, "not said: which of delay and at was given")                                                 \
  X(when, int64_t, "a delay (duration) or an at (instant)")                                                            \
  X(finished_at, int64_t, "an instant, and finished: true when there is one")                                          \
  X(bytes, stile_bytes, "text, or {\"b64\": ...}")                                                                     \
  X(text, stile_text, "text")                                                                                          \
  X(receipt, stile_bytes, "text, opaque")                                                                              \
  X(fence, stile_fence, "\"NUMBER.STAMP\", or null for none")                                                          \
  X(state, uint32_t, "the name of a STILE_STATE_* in lower case")                                                      \
  X(condition, uint32_t, "\"any\", \"absent\" or a version")                                                           \
  X(version, stile_bytes, "not said: the version that the condition named")                                            \
  X(approximate, uint32_t, "the names of STILE_APPROX_* in lower case, as a list")                                     \
  X(group, uint32_t, "an object of the members named after it; 1 when it is there")                                    \
  X(length, uint64_t, "not said: of the list before it")                                                               \
  X(bytes_list, const stile_bytes *, "a list of bytes")                                                                \
  X(text_list, const stile_text *, "a list of text")                                                                   \
  X(values, const stile_value *, "a list of numbers, text, {\"b64\": ...} or null")                                    \
  X(watched, const stile_watched *, "a list of objects")                                                               \
  X(changed, const uint64_t *, "a list of workflows: those of the request at these places")                            \
  X(answer, stile_answer, "its members, beside the others")                                                            \
  X(enqueue, const stile_enqueue *, "an object; true = now, false = none")                                             \
  X(enqueue_inline, const stile_enqueue *, "its members, beside the others")                                           \
  X(effect, const stile_effect *, "an object")                                                                         \
  X(effect_form, uint32_t, "not said: STILE_EFFECT_STATEMENT")                                                         \
  X(callback, void *, "not said: a function or its argument, copied as it is")                                         \
  X(operation, const stile_op *, "an operation as an object")                                                          \
  X(limits, const stile_limits *, "an object")                                                                         \
  X(next, void *, "not said: the element after this one")                                                              \
  X(records, stile_record *, "a list of objects")                                                                      \
  X(deliveries, stile_delivery *, "a list of objects")                                                                 \
  X(documents, stile_document *, "a list of objects")                                                                  \
  X(workflows, stile_workflow *, "a list of objects")

/* Of requests. */
#define STILE_FIELD_REQUIRED 1u /* must be said */
/* Of requests: counts only with fence, and is refused without. Of answers: is there when the request had one. */
#define STILE_FIELD_WITH_FENCE 2u
/* Of answers: is there when the request had enqueue, acquire, load. */
#define STILE_FIELD_WITH_ENQUEUE 4u
#define STILE_FIELD_WITH_ACQUIRE 8u
#define STILE_FIELD_WITH_LOAD 16u
/* Of answers: left out when 0 or empty; when below 0. */
#define STILE_FIELD_NONZERO 32u
#define STILE_FIELD_NOT_NEGATIVE 64u
/* Of answers: counts when HELD too; when CONFLICT, where something is there; not when OK. */
#define STILE_FIELD_ON_HELD 128u
#define STILE_FIELD_ON_CONFLICT 256u
#define STILE_FIELD_NOT_ON_OK 512u
/* Of answers: the caller's own value where first is set and the store left this empty. */
#define STILE_FIELD_OWN 1024u
/* Of requests: 0 is the same as left out. */
#define STILE_FIELD_ZERO_IS_NONE 2048u

/* Every struct that has a table: those of the operations, then elements and what is pointed to. */
#define STILE_STRUCT_TABLE(X)                                                                                          \
  X(acquire_request)                                                                                                   \
  X(acquire_result)                                                                                                    \
  X(renew_request)                                                                                                     \
  X(renew_result)                                                                                                      \
  X(release_request)                                                                                                   \
  X(load_request)                                                                                                      \
  X(load_result)                                                                                                       \
  X(record_request)                                                                                                    \
  X(record_result)                                                                                                     \
  X(supply_request)                                                                                                    \
  X(supply_result)                                                                                                     \
  X(append_request)                                                                                                    \
  X(append_result)                                                                                                     \
  X(transact_request)                                                                                                  \
  X(transact_result)                                                                                                   \
  X(rebase_request)                                                                                                    \
  X(rebase_result)                                                                                                     \
  X(discard_request)                                                                                                   \
  X(discard_result)                                                                                                    \
  X(request_cancel_request)                                                                                            \
  X(watch_request)                                                                                                     \
  X(watch_result)                                                                                                      \
  X(enqueue_request)                                                                                                   \
  X(enqueue_result)                                                                                                    \
  X(receive_request)                                                                                                   \
  X(receive_result)                                                                                                    \
  X(extend_request)                                                                                                    \
  X(extend_result)                                                                                                     \
  X(ack_request)                                                                                                       \
  X(ack_result)                                                                                                        \
  X(snooze_request)                                                                                                    \
  X(snooze_result)                                                                                                     \
  X(nack_request)                                                                                                      \
  X(nack_result)                                                                                                       \
  X(reject_request)                                                                                                    \
  X(reject_result)                                                                                                     \
  X(cancel_request)                                                                                                    \
  X(cancel_result)                                                                                                     \
  X(get_request)                                                                                                       \
  X(get_result)                                                                                                        \
  X(put_request)                                                                                                       \
  X(put_result)                                                                                                        \
  X(erase_request)                                                                                                     \
  X(erase_result)                                                                                                      \
  X(scan_request)                                                                                                      \
  X(scan_result)                                                                                                       \
  X(prepare_request)                                                                                                   \
  X(prepare_result)                                                                                                    \
  X(info_request)                                                                                                      \
  X(info_result)                                                                                                       \
  X(stats_request)                                                                                                     \
  X(stats_result)                                                                                                      \
  X(list_request)                                                                                                      \
  X(list_result)                                                                                                       \
  X(trim_request)                                                                                                      \
  X(trim_result)                                                                                                       \
  X(render_request)                                                                                                    \
  X(render_result)                                                                                                     \
  X(advance_request)                                                                                                   \
  X(advance_result) X(record) X(enqueue) X(watched) X(answer) X(effect) X(delivery) X(document) X(limits) X(workflow)

#define STILE_FIELDS_SIZE_(X) X(struct_size, struct_size, "", 0, 0)
#define STILE_FIELDS_HEAD_(X) STILE_FIELDS_SIZE_(X) X(reserved, reserved0, "", 0, 0)
#define STILE_FIELDS_WORKFLOW_(X) X(bytes, workflow, "workflow", STILE_FIELD_REQUIRED, 0)
#define STILE_FIELDS_FENCE_(X) X(fence, fence, "fence", STILE_FIELD_REQUIRED, 0)
#define STILE_FIELDS_KEY_(X) X(bytes, key, "key", STILE_FIELD_REQUIRED, 0)
#define STILE_FIELDS_VALUE_(X) X(bytes, value, "value", STILE_FIELD_REQUIRED, 0)
#define STILE_FIELDS_WRITTEN_(X) X(position, position, "position", 0, 0) X(instant, written_at, "written_at", 0, 0)
#define STILE_FIELDS_STATE_(X)                                                                                         \
  X(state, state, "state", STILE_FIELD_WITH_ENQUEUE, 0)                                                                \
  X(reserved, reserved0, "", 0, 0)                                                                                     \
  X(instant, visible_at, "visible_at", STILE_FIELD_WITH_ENQUEUE | STILE_FIELD_NONZERO, 0)

/* lease.h */
#define STILE_FIELDS_acquire_request(X)                                                                                \
  STILE_FIELDS_SIZE_(X)                                                                                                \
  X(flag, force, "force", 0, 0)                                                                                        \
  STILE_FIELDS_WORKFLOW_(X)                                                                                            \
  X(duration, ttl, "ttl", STILE_FIELD_REQUIRED, 0) X(duration, budget, "budget", STILE_FIELD_REQUIRED, 0)
#define STILE_FIELDS_acquire_result(X)                                                                                 \
  STILE_FIELDS_SIZE_(X)                                                                                                \
  X(flag, cancel_requested, "cancel_requested", 0, 0)                                                                  \
  X(fence, fence, "fence", 0, 0)                                                                                       \
  X(instant, live_until, "live_until", STILE_FIELD_ON_HELD, 0) X(instant, budget_until, "budget_until", 0, 0)
#define STILE_FIELDS_renew_request(X)                                                                                  \
  STILE_FIELDS_SIZE_(X)                                                                                                \
  X(presence, has_budget, "", 0, 0)                                                                                    \
  STILE_FIELDS_WORKFLOW_(X)                                                                                            \
  STILE_FIELDS_FENCE_(X)                                                                                               \
  X(duration, ttl, "ttl", STILE_FIELD_REQUIRED, 0) X(duration, budget, "budget", STILE_FIELD_ZERO_IS_NONE, 0)
#define STILE_FIELDS_renew_result(X)                                                                                   \
  STILE_FIELDS_SIZE_(X)                                                                                                \
  X(flag, cancel_requested, "cancel_requested", 0, 0)                                                                  \
  X(instant, live_until, "live_until", 0, 0) X(instant, budget_until, "budget_until", 0, 0)
#define STILE_FIELDS_release_request(X) STILE_FIELDS_HEAD_(X) STILE_FIELDS_WORKFLOW_(X) STILE_FIELDS_FENCE_(X)

/* checkpoint.h */
#define STILE_FIELDS_record(X)                                                                                         \
  STILE_FIELDS_HEAD_(X) X(next, next, "", 0, 0) STILE_FIELDS_KEY_(X) STILE_FIELDS_VALUE_(X) STILE_FIELDS_WRITTEN_(X)
#define STILE_FIELDS_enqueue(X)                                                                                        \
  STILE_FIELDS_SIZE_(X)                                                                                                \
  X(is_instant, is_instant, "", 0, 0)                                                                                  \
  X(when, when, "delay|at", 0, 0)                                                                                      \
  X(presence, has_queue, "", 0, 0) X(reserved, reserved0, "", 0, 0) X(bytes, queue, "queue", 0, 0)
#define STILE_FIELDS_load_request(X)                                                                                   \
  STILE_FIELDS_SIZE_(X)                                                                                                \
  X(count, limit, "limit", 0, STILE_PAGE)                                                                              \
  STILE_FIELDS_WORKFLOW_(X)                                                                                            \
  X(position, after, "after", 0, 0)                                                                                    \
  X(number, max_bytes, "max_bytes", 0, STILE_ALL_BYTES)                                                                \
  X(presence, has_key, "", 0, 0) X(reserved, reserved0, "", 0, 0) X(bytes, key, "key", 0, 0)
#define STILE_FIELDS_load_result(X)                                                                                    \
  STILE_FIELDS_SIZE_(X)                                                                                                \
  X(flag, cancel_requested, "cancel_requested", 0, 0)                                                                  \
  X(records, records, "records", 0, 0)                                                                                 \
  X(number, fence_number, "fence_number", 0, 0) X(flag, finished, "finished", 0, 0) X(flag, more, "more", 0, 0)
#define STILE_FIELDS_record_request(X)                                                                                 \
  STILE_FIELDS_HEAD_(X) STILE_FIELDS_WORKFLOW_(X) STILE_FIELDS_FENCE_(X) STILE_FIELDS_KEY_(X) STILE_FIELDS_VALUE_(X)
#define STILE_FIELDS_record_result(X)                                                                                  \
  STILE_FIELDS_SIZE_(X)                                                                                                \
  X(flag, first, "first", 0, 0) X(bytes, value, "value", STILE_FIELD_OWN, 0) STILE_FIELDS_WRITTEN_(X)
#define STILE_FIELDS_supply_request(X)                                                                                 \
  STILE_FIELDS_HEAD_(X)                                                                                                \
  STILE_FIELDS_WORKFLOW_(X) STILE_FIELDS_KEY_(X) STILE_FIELDS_VALUE_(X) X(enqueue, enqueue, "enqueue", 0, 0)
#define STILE_FIELDS_supply_result(X) STILE_FIELDS_record_result(X) STILE_FIELDS_STATE_(X)
#define STILE_FIELDS_append_request(X)                                                                                 \
  STILE_FIELDS_SIZE_(X)                                                                                                \
  X(presence, has_message_id, "", 0, 0)                                                                                \
  STILE_FIELDS_WORKFLOW_(X)                                                                                            \
  STILE_FIELDS_VALUE_(X) X(bytes, message_id, "message_id", 0, 0) X(enqueue, enqueue, "enqueue", 0, 0)
#define STILE_FIELDS_append_result(X)                                                                                  \
  STILE_FIELDS_SIZE_(X)                                                                                                \
  X(flag, duplicate, "duplicate", 0, 0)                                                                                \
  X(bytes, key, "key", 0, 0) X(position, position, "position", 0, 0) STILE_FIELDS_STATE_(X)
#define STILE_FIELDS_rebase_request(X)                                                                                 \
  STILE_FIELDS_HEAD_(X)                                                                                                \
  STILE_FIELDS_WORKFLOW_(X)                                                                                            \
  STILE_FIELDS_FENCE_(X) X(bytes, inbox_after, "inbox_after", 0, 0) STILE_FIELDS_KEY_(X) STILE_FIELDS_VALUE_(X)
#define STILE_FIELDS_rebase_result(X) STILE_FIELDS_HEAD_(X) X(number, removed, "removed", 0, 0) STILE_FIELDS_WRITTEN_(X)
#define STILE_FIELDS_discard_request(X) STILE_FIELDS_SIZE_(X) X(flag, cancel, "cancel", 0, 0) STILE_FIELDS_WORKFLOW_(X)
#define STILE_FIELDS_discard_result(X) STILE_FIELDS_HEAD_(X) X(number, removed, "removed", 0, 0)
#define STILE_FIELDS_request_cancel_request(X) STILE_FIELDS_HEAD_(X) STILE_FIELDS_WORKFLOW_(X)
#define STILE_FIELDS_watched(X) STILE_FIELDS_WORKFLOW_(X) X(position, after, "after", STILE_FIELD_REQUIRED, 0)
#define STILE_FIELDS_watch_request(X)                                                                                  \
  STILE_FIELDS_HEAD_(X)                                                                                                \
  X(watched, watched, "workflows", STILE_FIELD_REQUIRED, 0)                                                            \
  X(length, n_watched, "", 0, 0) X(duration, wait, "wait", STILE_FIELD_REQUIRED, 0)
#define STILE_FIELDS_watch_result(X)                                                                                   \
  STILE_FIELDS_HEAD_(X) X(changed, changed, "changed", 0, 0) X(length, n_changed, "", 0, 0)

/* effect.h */
#define STILE_FIELDS_effect(X)                                                                                         \
  STILE_FIELDS_SIZE_(X)                                                                                                \
  X(effect_form, form, "", 0, 0)                                                                                       \
  X(text, language, "language", STILE_FIELD_REQUIRED, 0)                                                               \
  X(text, text, "text", STILE_FIELD_REQUIRED, 0)                                                                       \
  X(values, params, "args", 0, 0)                                                                                      \
  X(length, n_params, "", 0, 0)                                                                                        \
  X(bytes_list, keys, "keys", 0, 0) X(length, n_keys, "", 0, 0) X(callback, ctx, "", 0, 0) X(callback, run, "", 0, 0)
#define STILE_FIELDS_transact_request(X)                                                                               \
  STILE_FIELDS_HEAD_(X)                                                                                                \
  STILE_FIELDS_WORKFLOW_(X)                                                                                            \
  STILE_FIELDS_FENCE_(X) STILE_FIELDS_KEY_(X) X(effect, effect, "effect", STILE_FIELD_REQUIRED, 0)
#define STILE_FIELDS_transact_result(X)                                                                                \
  STILE_FIELDS_SIZE_(X) X(flag, ran, "ran", 0, 0) X(bytes, value, "value", 0, 0) STILE_FIELDS_WRITTEN_(X)

/* queue.h */
#define STILE_FIELDS_enqueue_request(X)                                                                                \
  STILE_FIELDS_SIZE_(X) X(flag, revive, "revive", 0, 0) STILE_FIELDS_WORKFLOW_(X) X(enqueue_inline, enqueue, "", 0, 0)
#define STILE_FIELDS_enqueue_result(X)                                                                                 \
  STILE_FIELDS_SIZE_(X) X(state, state, "state", 0, 0) X(instant, visible_at, "visible_at", STILE_FIELD_NONZERO, 0)
#define STILE_FIELDS_receive_request(X)                                                                                \
  STILE_FIELDS_SIZE_(X)                                                                                                \
  X(count, max, "max", 0, 1)                                                                                           \
  X(duration, lease, "lease", STILE_FIELD_REQUIRED, 0)                                                                 \
  X(duration, wait, "wait", 0, 0)                                                                                      \
  X(bytes_list, queues, "queues", 0, 1)                                                                                \
  X(length, n_queues, "", 0, 0)                                                                                        \
  X(group, acquire, "acquire", 0, 0)                                                                                   \
  X(group, load, "load", 0, 0)                                                                                         \
  X(duration, acquire_ttl, "acquire.ttl", STILE_FIELD_REQUIRED, 0)                                                     \
  X(duration, acquire_budget, "acquire.budget", STILE_FIELD_REQUIRED, 0)                                               \
  X(number, load_max_bytes, "load.max_bytes", 0, STILE_ALL_BYTES)                                                      \
  X(count, load_limit, "load.limit", 0, STILE_PAGE) X(reserved, reserved0, "", 0, 0)
#define STILE_FIELDS_delivery(X)                                                                                       \
  STILE_FIELDS_SIZE_(X)                                                                                                \
  X(count, delivery_count, "delivery_count", 0, 0)                                                                     \
  X(next, next, "", 0, 0)                                                                                              \
  X(bytes, workflow, "workflow", 0, 0)                                                                                 \
  X(bytes, queue, "queue", 0, 0)                                                                                       \
  X(receipt, receipt, "receipt", 0, 0)                                                                                 \
  X(bytes, last_error, "last_error", STILE_FIELD_NONZERO, 0)                                                           \
  X(instant, visible_at, "visible_at", 0, 0)                                                                           \
  X(fence, fence, "fence", STILE_FIELD_WITH_ACQUIRE, 0)                                                                \
  X(instant, live_until, "live_until", STILE_FIELD_WITH_ACQUIRE, 0)                                                    \
  X(instant, budget_until, "budget_until", STILE_FIELD_WITH_ACQUIRE, 0)                                                \
  X(records, records, "records", STILE_FIELD_WITH_LOAD, 0)                                                             \
  X(flag, more, "more", STILE_FIELD_WITH_LOAD, 0)                                                                      \
  X(flag, finished, "finished", STILE_FIELD_WITH_LOAD, 0)                                                              \
  X(flag, cancel_requested, "cancel_requested", 0, 0) X(reserved, reserved0, "", 0, 0)
#define STILE_FIELDS_receive_result(X)                                                                                 \
  STILE_FIELDS_SIZE_(X)                                                                                                \
  X(flag, more, "more", 0, 0) X(deliveries, deliveries, "deliveries", 0, 0) X(instant, store_time, "store_time", 0, 0)
#define STILE_FIELDS_extend_request(X)                                                                                 \
  STILE_FIELDS_SIZE_(X)                                                                                                \
  X(presence, has_fence, "", 0, 0)                                                                                     \
  X(receipt, receipt, "receipt", STILE_FIELD_REQUIRED, 0)                                                              \
  X(duration, lease, "lease", STILE_FIELD_REQUIRED, 0)                                                                 \
  X(fence, fence, "fence", 0, 0)                                                                                       \
  X(duration, ttl, "ttl", STILE_FIELD_WITH_FENCE | STILE_FIELD_REQUIRED, 0)                                            \
  X(presence, has_budget, "", 0, 0)                                                                                    \
  X(reserved, reserved0, "", 0, 0) X(duration, budget, "budget", STILE_FIELD_WITH_FENCE | STILE_FIELD_ZERO_IS_NONE, 0)
#define STILE_FIELDS_extend_result(X)                                                                                  \
  STILE_FIELDS_SIZE_(X)                                                                                                \
  X(flag, cancel_requested, "cancel_requested", 0, 0)                                                                  \
  X(instant, visible_at, "visible_at", 0, 0)                                                                           \
  X(instant, live_until, "live_until", STILE_FIELD_WITH_FENCE, 0)                                                      \
  X(instant, budget_until, "budget_until", STILE_FIELD_WITH_FENCE, 0)
#define STILE_FIELDS_answer(X)                                                                                         \
  X(receipt, receipt, "receipt", STILE_FIELD_REQUIRED, 0)                                                              \
  X(fence, fence, "fence", 0, 0) X(presence, has_fence, "", 0, 0) X(flag, release, "release", 0, 0)
#define STILE_FIELDS_ack_request(X)                                                                                    \
  STILE_FIELDS_SIZE_(X) X(flag, finished, "finished", 0, 0) X(answer, answer, "", 0, 0)
#define STILE_FIELDS_ack_result(X) STILE_FIELDS_SIZE_(X) X(flag, requeued, "requeued", 0, 0)
#define STILE_FIELDS_snooze_request(X)                                                                                 \
  STILE_FIELDS_SIZE_(X)                                                                                                \
  X(is_instant, is_instant, "", 0, 0) X(when, when, "delay|at", STILE_FIELD_REQUIRED, 0) X(answer, answer, "", 0, 0)
#define STILE_FIELDS_snooze_result(X) STILE_FIELDS_HEAD_(X) X(instant, visible_at, "visible_at", 0, 0)
#define STILE_FIELDS_nack_request(X)                                                                                   \
  STILE_FIELDS_SIZE_(X)                                                                                                \
  X(presence, has_error, "", 0, 0)                                                                                     \
  X(duration, delay, "delay", 0, 0) X(bytes, error, "error", 0, 0) X(answer, answer, "", 0, 0)
#define STILE_FIELDS_nack_result(X)                                                                                    \
  STILE_FIELDS_SIZE_(X) X(count, delivery_count, "delivery_count", 0, 0) X(instant, visible_at, "visible_at", 0, 0)
#define STILE_FIELDS_reject_request(X)                                                                                 \
  STILE_FIELDS_SIZE_(X) X(presence, has_error, "", 0, 0) X(bytes, error, "error", 0, 0) X(answer, answer, "", 0, 0)
#define STILE_FIELDS_reject_result(X) STILE_FIELDS_SIZE_(X) X(state, state, "state", 0, 0)
#define STILE_FIELDS_cancel_request(X) STILE_FIELDS_HEAD_(X) STILE_FIELDS_WORKFLOW_(X)
#define STILE_FIELDS_cancel_result(X) STILE_FIELDS_SIZE_(X) X(flag, removed, "removed", 0, 0)

/* document.h */
#define STILE_FIELDS_get_request(X) STILE_FIELDS_HEAD_(X) STILE_FIELDS_KEY_(X)
#define STILE_FIELDS_get_result(X)                                                                                     \
  STILE_FIELDS_HEAD_(X)                                                                                                \
  X(bytes, value, "value", 0, 0)                                                                                       \
  X(bytes, version, "version", 0, 0) X(instant, expires_at, "expires_at", STILE_FIELD_NONZERO, 0)
#define STILE_FIELDS_put_request(X)                                                                                    \
  STILE_FIELDS_SIZE_(X)                                                                                                \
  X(condition, condition, "if", 0, 0)                                                                                  \
  STILE_FIELDS_KEY_(X) STILE_FIELDS_VALUE_(X) X(version, version, "", 0, 0) X(ttl, ttl, "ttl", 0, 0)
#define STILE_FIELDS_put_result(X)                                                                                     \
  STILE_FIELDS_HEAD_(X)                                                                                                \
  X(bytes, version, "version", STILE_FIELD_ON_CONFLICT, 0)                                                             \
  X(bytes, value, "value", STILE_FIELD_ON_CONFLICT | STILE_FIELD_NOT_ON_OK, 0)
#define STILE_FIELDS_erase_request(X)                                                                                  \
  STILE_FIELDS_SIZE_(X) X(condition, condition, "if", 0, 0) STILE_FIELDS_KEY_(X) X(version, version, "", 0, 0)
#define STILE_FIELDS_erase_result(X)                                                                                   \
  STILE_FIELDS_SIZE_(X)                                                                                                \
  X(flag, removed, "removed", 0, 0)                                                                                    \
  X(bytes, version, "version", STILE_FIELD_ON_CONFLICT | STILE_FIELD_NOT_ON_OK, 0)                                     \
  X(bytes, value, "value", STILE_FIELD_ON_CONFLICT | STILE_FIELD_NOT_ON_OK, 0)
#define STILE_FIELDS_document(X)                                                                                       \
  STILE_FIELDS_HEAD_(X)                                                                                                \
  X(next, next, "", 0, 0)                                                                                              \
  X(bytes, key, "key", 0, 0)                                                                                           \
  X(bytes, version, "version", 0, 0) X(instant, expires_at, "expires_at", STILE_FIELD_NONZERO, 0)
#define STILE_FIELDS_scan_request(X)                                                                                   \
  STILE_FIELDS_SIZE_(X)                                                                                                \
  X(count, limit, "limit", 0, STILE_PAGE)                                                                              \
  X(bytes, prefix, "prefix", STILE_FIELD_REQUIRED, 0) X(bytes, after, "after", 0, 0)
#define STILE_FIELDS_scan_result(X)                                                                                    \
  STILE_FIELDS_SIZE_(X)                                                                                                \
  X(presence, has_next, "", 0, 0) X(documents, documents, "documents", 0, 0) X(bytes, next, "next", 0, 0)

/* admin.h */
#define STILE_FIELDS_prepare_request(X) STILE_FIELDS_SIZE_(X) X(flag, check_only, "check_only", 0, 0)
#define STILE_FIELDS_prepare_result(X) STILE_FIELDS_SIZE_(X) X(flag, migrated, "migrated", 0, 0)
#define STILE_FIELDS_limits(X)                                                                                         \
  STILE_FIELDS_HEAD_(X)                                                                                                \
  X(number, id_bytes, "id_bytes", 0, 0)                                                                                \
  X(number, value_bytes, "value_bytes", 0, 0)                                                                          \
  X(number, reply_bytes, "reply_bytes", 0, 0)                                                                          \
  X(number, error_bytes, "error_bytes", 0, 0)                                                                          \
  X(number, receipt_bytes, "receipt_bytes", 0, 0)                                                                      \
  X(number, batch, "batch", 0, 0)                                                                                      \
  X(number, page, "page", 0, 0)                                                                                        \
  X(number, queues, "queues", 0, 0) X(number, partitions, "partitions", 0, 0) X(number, writers, "writers", 0, 0)
#define STILE_FIELDS_info_request(X) STILE_FIELDS_HEAD_(X)
#define STILE_FIELDS_info_result(X)                                                                                    \
  STILE_FIELDS_HEAD_(X)                                                                                                \
  X(text, plugin, "plugin", 0, 0)                                                                                      \
  X(instant, store_time, "store_time", 0, 0)                                                                           \
  X(bytes, epoch, "epoch", 0, 0)                                                                                       \
  X(text, durability, "durability", 0, 0)                                                                              \
  X(text, server, "server", 0, 0)                                                                                      \
  X(text_list, capabilities, "capabilities", 0, 0) X(length, n_capabilities, "", 0, 0) X(limits, limits, "limits", 0, 0)
#define STILE_FIELDS_stats_request(X)                                                                                  \
  STILE_FIELDS_SIZE_(X) X(presence, has_queue, "", 0, 0) X(bytes, queue, "queue", 0, 0)
#define STILE_FIELDS_stats_result(X)                                                                                   \
  STILE_FIELDS_SIZE_(X)                                                                                                \
  X(approximate, approximate, "approximate", STILE_FIELD_NONZERO, 0)                                                   \
  X(number, ready, "ready", 0, 0)                                                                                      \
  X(number, delayed, "delayed", 0, 0)                                                                                  \
  X(number, in_flight, "in_flight", 0, 0)                                                                              \
  X(number, dead, "dead", 0, 0)                                                                                        \
  X(number, workflows, "workflows", 0, 0)                                                                              \
  X(number, finished, "finished", 0, 0)                                                                                \
  X(number, records, "records", 0, 0)                                                                                  \
  X(number, documents, "documents", 0, 0)                                                                              \
  X(number, stored_bytes, "stored_bytes", 0, 0)                                                                        \
  X(duration, oldest_ready_age, "oldest_ready_age", STILE_FIELD_NOT_NEGATIVE, 0)                                       \
  X(instant, next_due_at, "next_due_at", STILE_FIELD_NONZERO, 0)
#define STILE_FIELDS_workflow(X)                                                                                       \
  STILE_FIELDS_SIZE_(X)                                                                                                \
  X(state, state, "state", 0, 0)                                                                                       \
  X(next, next, "", 0, 0)                                                                                              \
  X(bytes, workflow, "workflow", 0, 0)                                                                                 \
  X(bytes, queue, "queue", 0, 0)                                                                                       \
  X(bytes, last_error, "last_error", STILE_FIELD_NONZERO, 0)                                                           \
  X(instant, due_at, "due_at", STILE_FIELD_NONZERO, 0)                                                                 \
  X(number, records, "records", 0, 0)                                                                                  \
  X(number, fence_number, "fence_number", 0, 0)                                                                        \
  X(instant, live_until, "live_until", STILE_FIELD_NONZERO, 0)                                                         \
  X(finished_at, finished_at, "finished|finished_at", 0, 0)                                                            \
  X(instant, last_written_at, "last_written_at", STILE_FIELD_NONZERO, 0)                                               \
  X(count, delivery_count, "delivery_count", 0, 0) X(flag, cancel_requested, "cancel_requested", 0, 0)
#define STILE_FIELDS_list_request(X)                                                                                   \
  STILE_FIELDS_SIZE_(X)                                                                                                \
  X(state, state, "state", 0, 0)                                                                                       \
  X(presence, has_queue, "", 0, 0)                                                                                     \
  X(presence, has_idle_for, "", 0, 0)                                                                                  \
  X(bytes, queue, "queue", 0, 0)                                                                                       \
  X(bytes, prefix, "prefix", 0, 0)                                                                                     \
  X(bytes, after, "after", 0, 0)                                                                                       \
  X(duration, idle_for, "idle_for", 0, 0) X(count, limit, "limit", 0, STILE_PAGE) X(reserved, reserved0, "", 0, 0)
#define STILE_FIELDS_list_result(X)                                                                                    \
  STILE_FIELDS_SIZE_(X)                                                                                                \
  X(presence, has_next, "", 0, 0) X(workflows, workflows, "workflows", 0, 0) X(bytes, next, "next", 0, 0)
#define STILE_FIELDS_trim_request(X)                                                                                   \
  STILE_FIELDS_SIZE_(X) X(count, limit, "limit", 0, 1000) X(duration, older_than, "older_than", STILE_FIELD_REQUIRED, 0)
#define STILE_FIELDS_trim_result(X)                                                                                    \
  STILE_FIELDS_SIZE_(X) X(flag, more, "more", 0, 0) X(number, removed, "removed", 0, 0)
#define STILE_FIELDS_render_request(X)                                                                                 \
  STILE_FIELDS_HEAD_(X)                                                                                                \
  X(text, language, "language", STILE_FIELD_REQUIRED, 0) X(operation, op, "say", STILE_FIELD_REQUIRED, 0)
#define STILE_FIELDS_render_result(X)                                                                                  \
  STILE_FIELDS_HEAD_(X)                                                                                                \
  X(text, text, "text", 0, 0)                                                                                          \
  X(values, params, "params", 0, 0)                                                                                    \
  X(length, n_params, "", 0, 0) X(bytes_list, keys, "keys", 0, 0) X(length, n_keys, "", 0, 0)
#define STILE_FIELDS_advance_request(X) STILE_FIELDS_HEAD_(X) X(duration, by, "by", STILE_FIELD_REQUIRED, 0)
#define STILE_FIELDS_advance_result(X) STILE_FIELDS_HEAD_(X) X(instant, store_time, "store_time", 0, 0)

#endif
