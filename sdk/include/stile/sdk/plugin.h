/* What most plugins in C have in common: the entry, and the slots of a store that needs nothing in them.
 *
 *   static const stile_plugin table = {
 *       STILE_TABLE("cabinet", "1.0", "Apache-2.0", "Documents in a cabinet."), .schemes = schemes, .n_schemes = 1,
 *       STILE_PLAIN_SLOTS, .open = open_store, .close = close_store, .execute = execute};
 *   STILE_ENTRY(table)
 *
 * The functions are C99 and C++11; the macros with designated initialisers are for C.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef STILE_SDK_PLUGIN_H
#define STILE_SDK_PLUGIN_H

#include "stile/sdk/author.h"

/* The head of a table: its size, revision and texts. The name, and the schemes, are those of STILE_NOTE. */
#define STILE_TABLE(its_name, its_version, its_license, its_help)                         \
  .struct_size = sizeof(stile_plugin), .abi = STILE_ABI_1_0, .name = STILE_LIT(its_name), \
  .version = STILE_LIT(its_version), .license = STILE_LIT(its_license), .help = STILE_LIT(its_help)

/* Every slot but open, close and execute, for a store that keeps nothing outside its stile_store: no instance to start
 * or stop, a session that is the store itself, no call that waits. */
#define STILE_PLAIN_SLOTS                                                               \
  .start = stile_plain_start, .stop = stile_plain_stop, .connect = stile_plain_connect, \
  .disconnect = stile_plain_disconnect, .interrupt = stile_plain_interrupt, .extension = stile_plain_extension

static inline int32_t stile_plain_start(const stile_host* host, stile_instance** out, stile_error* error) {
  static char instance; /* something to point at: null would mean that there is none */
  (void)host, (void)error;
  *out = (stile_instance*)(void*)&instance;
  return STILE_OK;
}
static inline void stile_plain_stop(stile_instance* instance) { (void)instance; }

static inline int32_t stile_plain_connect(stile_store* store, const stile_call* call, stile_session** out,
                                          stile_error* error) {
  (void)call, (void)error;
  *out = (stile_session*)(void*)store;
  return STILE_OK;
}
static inline void stile_plain_disconnect(stile_session* session) { (void)session; }
/* The store behind a session of stile_plain_connect. */
static inline stile_store* stile_store_of(stile_session* session) { return (stile_store*)(void*)session; }

/* Right only where no call waits: nothing can be shortened. */
static inline void stile_plain_interrupt(stile_session* session, uint64_t serial) { (void)session, (void)serial; }
static inline const void* stile_plain_extension(stile_text id) { return (void)id, (const void*)0; }

/* The entry's whole work: table, if its revision is among those that were offered, else null with a text. Pure. */
static inline const stile_plugin* stile_answer_hello(const stile_plugin* table, const stile_hello* hello,
                                                     stile_error* error) {
  if (hello->abi_min <= table->abi && table->abi <= hello->abi_max) return table;
  stile_refuse(error, STILE_UNSUPPORTED, "this plugin and this core have no revision of the ABI in common");
  return (const stile_plugin*)0;
}

/* Defines the one exported symbol; once, at file scope. */
#define STILE_ENTRY(table)                                                                               \
  STILE_EXPORT const stile_plugin* stile_plugin_entry_v1(const stile_hello* hello, stile_error* error) { \
    return stile_answer_hello(&(table), hello, error);                                                   \
  }

#endif
