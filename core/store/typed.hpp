// Which result struct of the ABI stands behind each typed request.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "stile/abi.h"
#include "stile/admin.hpp"

/// X(Request, result struct of the ABI); void where it has none.
#define STILE_STORE_REQUESTS(X)      \
  X(Acquire, stile_acquire_result)   \
  X(Renew, stile_renew_result)       \
  X(Release, void)                   \
  X(Load, stile_load_result)         \
  X(Record, stile_record_result)     \
  X(Supply, stile_supply_result)     \
  X(Append, stile_append_result)     \
  X(Transact, stile_transact_result) \
  X(Rebase, stile_rebase_result)     \
  X(Discard, stile_discard_result)   \
  X(RequestCancel, void)             \
  X(Watch, stile_watch_result)       \
  X(Enqueue, stile_enqueue_result)   \
  X(Receive, stile_receive_result)   \
  X(Extend, stile_extend_result)     \
  X(Ack, stile_ack_result)           \
  X(Snooze, stile_snooze_result)     \
  X(Nack, stile_nack_result)         \
  X(Reject, stile_reject_result)     \
  X(Cancel, stile_cancel_result)     \
  X(Get, stile_get_result)           \
  X(Put, stile_put_result)           \
  X(Erase, stile_erase_result)       \
  X(Scan, stile_scan_result)         \
  X(Prepare, stile_prepare_result)   \
  X(Info, stile_info_result)         \
  X(Stats, stile_stats_result)       \
  X(List, stile_list_result)         \
  X(Trim, stile_trim_result)         \
  X(Render, stile_render_result)     \
  X(Advance, stile_advance_result)

namespace stile::store {

template <class Request>
struct ResultOf;
#define STILE_STORE_RESULT(Request, result) \
  template <>                               \
  struct ResultOf<Request> {                \
    using type = result;                    \
  };
STILE_STORE_REQUESTS(STILE_STORE_RESULT)
#undef STILE_STORE_RESULT

}  // namespace stile::store
