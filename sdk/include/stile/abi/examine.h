/* Examining a store: does what it keeps beside its data, such as indexes and counts, agree with the data?
 *
 * An extension of the plugin's table, for operators (stile doctor). A store without it has nothing that could disagree,
 * or a server that looks after it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef STILE_ABI_EXAMINE_H
#define STILE_ABI_EXAMINE_H

#include "call.h"
#include "plugin.h"
#include "types.h"

#define STILE_EXTENSION_EXAMINE "stile.examine.1"

/* Hears of one thing that is wrong: what, for people, borrowed; mended = 1 where it no longer is. On the thread that
 * called examine. */
typedef void (*stile_finding_fn)(void *ctx, stile_text what, uint32_t mended);

/* What extension("stile.examine.1") of a plugin answers. Static. */
typedef struct stile_examine {
  uint32_t struct_size;
  uint32_t reserved0;
  /* examine: looks at everything, while others work, and tells said of what is wrong; with mend != 0 it is put right
   * from the data, which is never changed. What the data itself lost is told and stays so. Returns STILE_OK, however
   * much was found, or a status with *error; what was told until then is true. May take long. [any thread] */
  int32_t (*examine)(stile_store *store, const stile_call *call, uint32_t mend, stile_finding_fn said, void *ctx,
                     stile_error *error);
} stile_examine;

#endif
