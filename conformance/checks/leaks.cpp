// What a store must give back: memory, files, threads (law 1 of the ABI: what a plugin keeps is the plugin's to free).
//
// SPDX-License-Identifier: Apache-2.0
#include <malloc.h>
#include <poll.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "check.hpp"
#include "checks/checks.hpp"
#include "dialogue/absence.hpp"

// A sanitizer keeps freed memory on purpose: then only files and threads are counted.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define STILE_MEMORY_IS_KEPT 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define STILE_MEMORY_IS_KEPT 1
#endif
#endif

namespace stile::conformance {
namespace {

#ifdef STILE_MEMORY_IS_KEPT
constexpr bool memory_counts = false;
#else
constexpr bool memory_counts = true;
#endif

/// What this process holds.
struct Holds {
  std::int64_t heap = 0;      ///< by malloc; 0 where another allocator stands in its place
  std::int64_t resident = 0;  ///< bytes
  std::int64_t files = 0, threads = 0;
};

std::int64_t entries(const char* folder) {
  std::int64_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder)) ++count;
  return count;
}

Holds now() {
  struct mallinfo2 info = mallinfo2();
  std::ifstream statm("/proc/self/statm");
  std::int64_t size = 0, resident = 0;
  statm >> size >> resident;
  return {static_cast<std::int64_t>(info.uordblks + info.hblkhd), resident * sysconf(_SC_PAGESIZE),
          entries("/proc/self/fd"), entries("/proc/self/task")};
}

/// What it holds more, and should not; empty = nothing.
std::string growth(const Holds& before, const Holds& after, std::int64_t heap, std::int64_t resident) {
  std::string text;
  auto add = [&](std::int64_t was, std::int64_t is, std::int64_t allowed, const char* what) {
    if (is - was <= allowed) return;
    text += (text.empty() ? "" : ", ") + std::to_string(is - was) + " " + what + " more";
  };
  if (memory_counts) {
    add(before.heap, after.heap, heap, "bytes of heap");
    add(before.resident, after.resident, resident, "bytes of memory");
  }
  add(before.files, after.files, 0, "open files");
  add(before.threads, after.threads, 0, "threads");
  return text;
}

/// As growth, of what is still held after a moment: a thread that was joined may be seen a little longer, and what
/// works in the background may be about to give back.
std::string lasting_growth(const Holds& before, std::int64_t heap, std::int64_t resident) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds{2};
  for (;;) {
    std::string text = growth(before, now(), heap, resident);
    if (text.empty() || std::chrono::steady_clock::now() > end) return text;
    poll(nullptr, 0, 10);
  }
}

Outcome kept(std::uint64_t times, const std::string& what, const std::string& more) {
  Outcome outcome;
  outcome.counted = times;
  if (more.empty()) return outcome;
  outcome.verdict = Verdict::failed;
  outcome.text = what + " " + std::to_string(times) + " times left " + more;
  return outcome;
}

/// Nothing is written, so nothing may be kept: neither of what was asked nor of what was answered.
Outcome reads_keep_nothing(const Target& target) {
  constexpr int warm = 300, times = 3000;
  // Less than eight bytes a call: no leak is so small. Resident memory also grows by what malloc does not know.
  constexpr std::int64_t heap = 24'000, resident = std::int64_t{16} << 20;
  Client client(target.open(target.fresh_namespace()));
  std::uint64_t tried = 0;
  for (std::string_view op : {"get", "scan", "load", "list", "stats", "info"}) {
    if (!target.facts.does(op)) continue;
    json::object request = harmless_request(op);
    if (request.empty()) request = {{"op", op}};
    for (int i = 0; i < warm; ++i) client.call(request);
    Holds before = now();
    for (int i = 0; i < times; ++i) client.call(request);
    tried += times;
    std::string more = lasting_growth(before, heap, resident);
    if (!more.empty()) return kept(times, "asking " + std::string(op), more);
  }
  return kept(tried, {}, {});
}

Outcome sessions_keep_nothing(const Target& target) {
  constexpr int warm = 20, times = 200;
  auto backend = target.open(target.fresh_namespace());
  auto once = [&] { Client(backend).call({{"op", "info"}}); };
  for (int i = 0; i < warm; ++i) once();
  Holds before = now();
  for (int i = 0; i < times; ++i) once();
  return kept(times, "connecting and disconnecting a session", lasting_growth(before, 200'000, std::int64_t{16} << 20));
}

/// Of a store that lives in its process the data stays as long as anybody has it open, and its namespace is the same.
Outcome stores_keep_nothing(const Target& target) {
  constexpr int warm = 5, times = 25;
  const std::string ns = target.fresh_namespace();
  auto held = target.open(ns);
  auto once = [&] { Client(target.open(ns)).call({{"op", "info"}}); };
  for (int i = 0; i < warm; ++i) once();
  Holds before = now();
  for (int i = 0; i < times; ++i) once();
  return kept(times, "opening and closing the store", lasting_growth(before, 1'000'000, std::int64_t{24} << 20));
}

void add(const char* name, const char* about, Outcome (*run)(const Target&)) {
  Check check;
  check.suite = "leaks";
  check.name = name;
  check.about = about;
  check.limit = std::chrono::seconds{60};
  check.run = run;
  add_check(std::move(check));
}

}  // namespace

void add_leak_checks() {
  add("reads_keep_nothing", "What reads and keeps nothing must not grow (ABI law 1).", reads_keep_nothing);
  add("sessions_keep_nothing", "A session that is over leaves no memory, file or thread (ABI law 1).",
      sessions_keep_nothing);
  add("stores_keep_nothing", "A store that was closed leaves no memory, file or thread (ABI law 1).",
      stores_keep_nothing);
}

}  // namespace stile::conformance
