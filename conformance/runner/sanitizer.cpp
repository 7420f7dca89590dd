// What a sanitizer says in the midst of all that a child writes.
//
// SPDX-License-Identifier: Apache-2.0
#include "runner/sanitizer.hpp"

#include <algorithm>

namespace stile::conformance {
namespace {

constexpr std::size_t most_report = 16384, most_line = 4096;

/// The line that each of them begins with. A warning of a setting, or of memory that could not be had, is no report.
bool begins_report(std::string_view line) {
  for (std::string_view mark : {"ERROR: AddressSanitizer", "ERROR: LeakSanitizer", "WARNING: ThreadSanitizer",
                                "FATAL: ThreadSanitizer", "WARNING: MemorySanitizer", "ERROR: ThreadSanitizer",
                                "ERROR: MemorySanitizer", "ERROR: UndefinedBehaviorSanitizer"})
    if (line.find(mark) != std::string_view::npos) return true;
  // file.cpp:12:34: runtime error: signed integer overflow
  if (std::size_t at = line.find(": runtime error: "); at != std::string_view::npos && at > 0)
    return line[at - 1] >= '0' && line[at - 1] <= '9';
  // ==123== Invalid read of size 4
  std::size_t end = line.starts_with("==") ? line.find("== ", 2) : std::string_view::npos;
  if (end == std::string_view::npos) return false;
  std::string_view said = line.substr(end + 3);
  return said.starts_with("Invalid ") || said.starts_with("Conditional jump or move depends on uninit") ||
         said.starts_with("Use of uninitialised value");
}

}  // namespace

void SanitizerReport::hear(std::string_view piece) {
  while (report_.empty() && !piece.empty()) {
    std::size_t end = piece.find('\n');
    line_.append(piece.substr(0, std::min(end, most_line)));
    if (end == std::string_view::npos) {
      if (line_.size() > most_line) line_.resize(most_line);
      return;
    }
    piece.remove_prefix(end + 1);
    if (begins_report(line_)) report_ = line_ + "\n";
    line_.clear();
  }
  if (report_.size() < most_report) report_.append(piece.substr(0, most_report - report_.size()));
}

std::string ended_by_sanitizer(int status, std::string_view report, std::string_view noise) {
  constexpr int of_the_thread_sanitizer = 66;
  const std::string with = " with status " + std::to_string(status) + " and no verdict";
  if (!report.empty()) return "ended by a sanitizer" + with + ": " + std::string(report.substr(0, report.find('\n')));
  constexpr std::string_view last_words = "Sanitizer:DEADLYSIGNAL";
  if (std::size_t at = noise.find(last_words); at != std::string_view::npos) {
    std::size_t line = noise.rfind('\n', at) + 1;  // npos + 1 = the beginning
    return "ended by " + std::string(noise.substr(line, at - line)) + "Sanitizer" + with +
           ": memory was touched that is not there; the report is in the file of log_path, if one was given";
  }
  if (status == of_the_thread_sanitizer)
    return "ended" + with +
           ", as the thread sanitizer does that found a race; the report is in the file of log_path, if one was given";
  return {};
}

}  // namespace stile::conformance
