// What the processes that share a file tell each other: whose turn it is to write, what is synced, who waits for what.
//
// A mapped file beside the data. It is for fairness and speed only: safety stays with SQLite's own locks, and the data
// never depends on what is in here. Whoever opens it with nobody else there starts it afresh, so a file left over by a
// crash or a reboot means nothing.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthread.h>
#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace stile::sqlite {

/// Sets of up to 64 classes, by hash: of queues, or of workflows. A collision costs one look, never a wakeup.
using Mask = std::uint64_t;

/// The class of a name in a namespace.
Mask mask_of(std::int64_t ns, const void* data, std::size_t size);

/// A process that waits. word is a futex: it changes with every ring, so a ring between look and wait is not missed.
struct alignas(64) Bell {
  std::atomic<std::uint32_t> word;
  std::atomic<std::uint32_t> reserved0;
  std::atomic<Mask> queues;             ///< waits for a wakeup in one of these
  std::atomic<Mask> workflows;          ///< waits for a record of one of these
  std::atomic<std::int64_t> next_look;  ///< by CLOCK_MONOTONIC: it looks by then in any case
  std::atomic<Mask> rung_queues;
  std::atomic<Mask> rung_workflows;
};

inline constexpr int bell_count = 128;

/// The content of the file. Its layout is fixed by layout_version.
struct SideContent {
  std::atomic<std::uint64_t> magic;  ///< written last: the rest is made
  std::uint32_t layout_version;
  std::uint32_t mutex_size;
  alignas(64) pthread_mutex_t writer;
  alignas(64) pthread_mutex_t gate;
  alignas(64) pthread_mutex_t checkpointer;
  /// Commits begun, counted under the write lock before each COMMIT; and how many of them are known to be synced.
  alignas(64) std::atomic<std::uint64_t> begun;
  std::atomic<std::uint64_t> synced;
  /// How far the wall clock was ahead of the monotonic one, at most: so the store's time never steps back (A12).
  std::atomic<std::int64_t> clock_ahead;
  alignas(64) std::atomic<std::uint32_t> bells_used;
  std::atomic<std::uint32_t> next_bell;
  Bell bells[bell_count];
};

class SideFile {
 public:
  /// Opens or makes it. Null with the reason when there cannot be one; then everything still works, less fairly.
  static std::unique_ptr<SideFile> open(const std::string& path, mode_t mode, std::string& why_not);
  ~SideFile();
  SideFile(const SideFile&) = delete;
  SideFile& operator=(const SideFile&) = delete;

  /// Takes the turn to write, by CLOCK_MONOTONIC microseconds; false when the time is over. A holder that died is
  /// passed over. The thread that took it gives it back.
  bool lock_writer(std::int64_t until);
  void unlock_writer();
  /// Before the turn: whoever waited long for it holds the gate and has it next, and those who come wait at the gate.
  bool lock_gate(std::int64_t until);
  void unlock_gate();
  /// Does nobody hold the gate?
  bool gate_open();
  /// One process at a time copies the log back into the file; false = somebody does.
  bool try_lock_checkpointer();
  void unlock_checkpointer();

  SideContent& content() { return *content_; }

  /// Claims a bell that no living process has; null when all are taken.
  Bell* claim_bell();
  void give_back_bell(Bell* bell);

  /// Rings one process that waits for a wakeup of these queues.
  void ring_one(Mask queues);
  /// Rings each that waits for these queues and would not look by that time, of CLOCK_MONOTONIC.
  void ring_late(Mask queues, std::int64_t before);
  /// Rings every process that watches one of these workflows.
  void ring_watchers(Mask workflows);

  /// Waits until the bell's word is no longer seen, it is poked, or the time is over.
  static void wait(Bell& bell, std::uint32_t seen, std::int64_t until);
  /// Wakes this process's own waiting thread.
  static void poke(Bell& bell);

 private:
  SideFile(std::string path, int file, SideContent* content) : path_(std::move(path)), file_(file), content_(content) {}

  std::string path_;
  int file_;
  SideContent* content_;
};

}  // namespace stile::sqlite
