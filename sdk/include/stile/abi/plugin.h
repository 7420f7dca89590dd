/* The plugin's table, and how the host opens a store with it.
 *
 * A plugin opens a store, makes sessions, and executes batches of operations. That is all of it. It exports one symbol,
 * stile_plugin_entry_v1, and keeps nothing in globals: everything hangs off the instance that start made.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef STILE_ABI_PLUGIN_H
#define STILE_ABI_PLUGIN_H

#include "call.h"
#include "types.h"

#define STILE_LOG_ERROR 0u
#define STILE_LOG_WARN 1u
#define STILE_LOG_INFO 2u
#define STILE_LOG_DEBUG 3u

/* What the host offers a plugin, from start until stop returns. [any thread] Copy the pointer, not the struct. */
typedef struct stile_host {
  uint32_t struct_size;
  uint32_t abi;       /* the revision that was agreed on */
  void *ctx;          /* the first argument of the functions below */
  stile_text name;    /* of the program, for server-side connection names */
  stile_text version; /* of the core */
  /* The highest STILE_LOG_* that is listened to. [any thread] */
  uint32_t (*log_level)(void *ctx);
  /* Logs one message; pairs are key, value, key, value. Borrowed. [any thread] */
  void (*log)(void *ctx, uint32_t level, stile_text message, const stile_text *pairs, uint64_t n_pairs);
  /* Interfaces added later, by id; null = unknown. [any thread] */
  const void *(*extension)(void *ctx, stile_text id);
} stile_host;

#define STILE_OPTION_BOOL 1u     /* "true" or "false" */
#define STILE_OPTION_INTEGER 2u  /* decimal, within min and max */
#define STILE_OPTION_DURATION 3u /* the plugin gets decimal microseconds; people write "200ms" */
#define STILE_OPTION_SIZE 4u     /* the plugin gets decimal bytes; people write "16MiB" */
#define STILE_OPTION_TEXT 5u
#define STILE_OPTION_CHOICE 6u /* one of allowed, separated by | */

#define STILE_OPTION_SECRET 1u     /* flag: never shown */
#define STILE_OPTION_REQUIRED 2u   /* flag */
#define STILE_OPTION_DEPRECATED 4u /* flag: warned about */

/* An option of a config string, described by data: the host parses, checks and completes. Static. */
typedef struct stile_option {
  uint32_t struct_size;
  uint32_t type;  /* STILE_OPTION_* */
  uint32_t flags; /* STILE_OPTION_SECRET ... */
  uint32_t reserved0;
  stile_text name;          /* [a-z][a-z0-9_]* */
  stile_text default_value; /* empty = none: then the option is absent unless given */
  stile_text allowed;       /* CHOICE only */
  stile_text help;          /* one sentence */
  int64_t min;              /* INTEGER, DURATION, SIZE; both 0 = any */
  int64_t max;
} stile_option;

/* A config string, parsed, decoded, checked against the options, defaults filled in. Borrowed until open returns. */
typedef struct stile_config {
  uint32_t struct_size;
  uint32_t reserved0;
  stile_text scheme;
  stile_text user;
  stile_text secret;
  const stile_pair *hosts; /* host and port as text, in the order given */
  uint64_t n_hosts;
  stile_bytes path; /* what follows the scheme or the hosts; a server scheme's without its slash */
  stile_bytes ns;   /* the namespace: 1-128 bytes, or empty where it was not given */
  const stile_pair *options;
  uint64_t n_options;
  const stile_pair *passthrough; /* options the plugin did not describe, where it has STILE_PLUGIN_PASSTHROUGH */
  uint64_t n_passthrough;
} stile_config;

typedef struct stile_instance stile_instance; /* one a core that started the plugin */
typedef struct stile_store stile_store;       /* one an open */
typedef struct stile_session stile_session;   /* one caller at a time */

/* What execute says about its session. */
#define STILE_SESSION_KEEP 0u
#define STILE_SESSION_DROP 1u /* gone or in doubt: the host disconnects it and connects another */

/* Flags of a plugin. */
#define STILE_PLUGIN_NAMESPACE_REQUIRED 1u /* a config string must say namespace=; server schemes */
#define STILE_PLUGIN_PASSTHROUGH 2u        /* unknown options are handed over instead of refused */
#define STILE_PLUGIN_PREPARE_CHECK 4u      /* prepare=check is the default; otherwise auto */

/* The plugin's table: static const. Every slot is required; one left null is refused by name. */
typedef struct stile_plugin {
  uint32_t struct_size;
  uint32_t abi; /* the revision of this table, within what hello offered */
  uint32_t flags;
  uint32_t reserved0;
  stile_text name;    /* [a-z][a-z0-9+.-]*, as in the note */
  stile_text version; /* for people; never compared */
  stile_text license; /* SPDX */
  stile_text help;    /* one sentence: what this store is */
  const stile_text *schemes;
  uint64_t n_schemes;
  const stile_option *const *options;
  uint64_t n_options;
  const stile_text *capabilities; /* the most that any store of it can have; info says what this one has (S3) */
  uint64_t n_capabilities;
  /* start: makes an instance. Returns STILE_OK, or a status with *error. No thread may run before it. [once a core] */
  int32_t (*start)(const stile_host *host, stile_instance **out, stile_error *error);
  /* stop: frees the instance and joins every thread of it. After all stores are closed. [once] */
  void (*stop)(stile_instance *instance);
  /* open: makes a store handle from a checked config. May touch the server. Option "prepare" is auto, check or never;
   * with auto it prepares (S1). Returns STILE_OK, or a status with *error. [any thread] */
  int32_t (*open)(stile_instance *instance, const stile_call *call, const stile_config *config, stile_store **out,
                  stile_error *error);
  /* close: after every session is disconnected. Never fails. [once a store] */
  void (*close)(stile_store *store);
  /* connect: makes a session; epoch, server, permissions and policies are checked here (S2, S5). [any thread] */
  int32_t (*connect)(stile_store *store, const stile_call *call, stile_session **out, stile_error *error);
  /* disconnect: never fails, never blocks long. [one at a time a session, any thread] */
  void (*disconnect)(stile_session *session);
  /* execute: runs a batch; each operation is atomic alone and gets its own status (R3). Returns STILE_SESSION_*. A
   * plugin never reconnects inside a session. [one at a time a session, any thread] */
  uint32_t (*execute)(stile_session *session, const stile_call *call, stile_op *const *ops, uint64_t count);
  /* interrupt: every call up to serial, running or yet to come, returns soon; no later one does. It shortens waiting; a
   * write already sent is STILE_UNKNOWN. [any thread] */
  void (*interrupt)(stile_session *session, uint64_t serial);
  /* extension: interfaces added later, by id; null = unknown. Pure. [any thread] */
  const void *(*extension)(stile_text id);
} stile_plugin;

/* What the host offers the entry point: the revisions it can speak. */
typedef struct stile_hello {
  uint32_t struct_size;
  uint32_t abi_min;
  uint32_t abi_max;
  uint32_t reserved0;
} stile_hello;

#define STILE_ENTRY_NAME "stile_plugin_entry_v1"
#define STILE_EXPORT __attribute__((visibility("default")))

typedef const stile_plugin *(*stile_plugin_entry_fn)(const stile_hello *hello, stile_error *error);

/* The one exported symbol. Pure: no threads, no files, no side effects. Null = refused, with *error. [any thread] */
STILE_EXPORT const stile_plugin *stile_plugin_entry_v1(const stile_hello *hello, stile_error *error);

#endif
