/* The core for other languages: libstile.so speaks the plugin's verb, with pooling, batching, sending again behind it.
 *
 * stile_core_entry_v1 answers the same table as a plugin's entry (plugin.h), and every law of stile/abi.h holds, with
 * the caller as the host. What differs from a plugin:
 *  - open takes any config string: config->path is the whole of it ("memory:", "-" for $STILE_STORE, "@file.json"), its
 *    scheme "stile" or empty; hosts, user and secret are left empty. config->ns, when not empty, replaces the namespace
 *    of the config string. config->options may hold, as text: plugin_file (load this file first), prepare (auto, check,
 *    never: replaces that of the config string), program (named to servers), lanes and waiting (bounds of sessions).
 *  - sessions are cheap: all of a store share one pool, none is ever dropped. Use one a thread. What waits or runs a
 *    callback may stand in a call of its own only (R3), as ever.
 *  - a write without op_id gets one, and is sent again under it after UNKNOWN and UNAVAILABLE until the deadline;
 *    with STILE_NEVER for ever. `interrupt` ends that too.
 *  - what a store does not couple (W9, D9, B14) is composed.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef STILE_ABI_CORE_H
#define STILE_ABI_CORE_H

#include "plugin.h"

#ifdef __cplusplus
extern "C" {
#endif

#define STILE_CORE_ENTRY_NAME "stile_core_entry_v1"
#define STILE_CORE_SCHEME "stile"

/* The one symbol that libstile.so exports. Pure. Null = refused, with *error. [any thread] */
STILE_EXPORT const stile_plugin *stile_core_entry_v1(const stile_hello *hello, stile_error *error);

#ifdef __cplusplus
}
#endif

#endif
