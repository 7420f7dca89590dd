// The three standard streams of a program: there from the start, and nothing written to the second one lost unsaid.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace stile::types {

/// First thing in a main: puts /dev/null on each of the descriptors 0 to 2 that is closed, so that no file, pipe or
/// socket gets one of these numbers. Reading 0 then finds the end; writing 1 fails, which finish_output tells.
void open_standard_streams();

/// Writes to standard output now, behind what stdio holds; false when that failed, which is told on standard error at
/// once ("PROGRAM: stdout: No space left on device") unless it is only that the reader has gone. Any thread.
bool write_output(std::string_view text);
/// The same for what stdio holds.
bool flush_output();

/// Last thing in a main: flushes, and answers the exit status: `lost` in place of 0 when output was lost. A reader that
/// has gone is no loss.
int finish_output(int status, int lost = 1);

}  // namespace stile::types
