// The conformance suite as a library: for a store author's own test program.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace stile {
inline namespace v1 {

/// What the program stile-conformance does with its arguments (see its --help; --gtest_* options are GoogleTest's).
/// Answers the exit status: 0 all passed, 1 something failed, 2 usage, 130 interrupted, 10 + the status with which a
/// store did not open. Once, on the main thread, before any other thread is started: every case runs in a child
/// process.
int conformance_main(int argc, char** argv);

/// What `stile-conformance judge` does: judges recorded histories (argv[0] is not looked at). Answers the exit status:
/// 0 accepted, 1 refused, 2 not readable. Any thread.
int judge_main(int argc, char** argv);

/// What `stile-conformance explain` does: says what a promise is for and which cases guard it (argv[0] is not looked
/// at). Answers the exit status: 0, or 2 for an id that the contract has not. Once, instead of conformance_main.
int explain_main(int argc, char** argv);

}  // namespace v1
}  // namespace stile
