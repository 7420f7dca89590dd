/* Identity without running code: an ELF note that says what a plugin file is.
 *
 * Section .note.stile, owner "Stile", type 1, descriptor: u32 abi_min, u32 abi_max, then name, version and schemes
 * (separated by single spaces), each ended by a zero byte. The core lists and refuses files by it before any code of
 * theirs runs. It is written with assembler directives because a C object in a section may be aligned so that readers
 * call the note corrupt; this form survives LTO, strip and --gc-sections with gcc and clang.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef STILE_ABI_NOTE_H
#define STILE_ABI_NOTE_H

#define STILE_NOTE_SECTION ".note.stile"
#define STILE_NOTE_OWNER "Stile"
#define STILE_NOTE_TYPE 1

#define STILE_STRINGIFY_(x) #x
#define STILE_STRINGIFY(x) STILE_STRINGIFY_(x)

/* STILE_NOTE(1, 0, 1, 0, "memory", "0.1.0", "memory mem"); once, at file scope, in one source of the plugin. */
#define STILE_NOTE(min_major, min_minor, max_major, max_minor, name, version, schemes)                                 \
  __asm__(                                                                                                             \
      ".pushsection .note.stile,\"a\",%note\n\t.balign 4\n\t.long 6\n\t.long 772f-771f\n\t.long 1\n\t"                 \
      ".asciz \"Stile\"\n\t.balign 4\n"                                                                                \
      "771:\t.long (" STILE_STRINGIFY(min_major) "<<16)+" STILE_STRINGIFY(min_minor) "\n\t.long (" STILE_STRINGIFY(    \
          max_major) "<<16)+" STILE_STRINGIFY(max_minor) "\n\t.asciz \"" name "\"\n\t.asciz \"" version                \
                                                         "\"\n\t.asciz \"" schemes                                     \
                                                         "\"\n772:\t.balign 4\n\t.popsection")

#endif
