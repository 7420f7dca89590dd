// Histories of strangers: whatever the bytes are, either the line that cannot be read is named, or there is a verdict,
// in bounded time, and the same again.
//
// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "judge/judge.hpp"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most) __attribute__((weak));

namespace {

namespace judge = stile::conformance::judge;
using Random = std::minstd_rand;

void require(bool holds) {
  if (!holds) std::abort();
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = std::min(text.find('\n', at), text.size());
    lines.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

/// The values of a line: what stands behind a colon, up to what ends it.
std::vector<std::pair<std::size_t, std::size_t>> values_in(const std::string& line) {
  std::vector<std::pair<std::size_t, std::size_t>> values;
  for (std::size_t at = 0; (at = line.find(':', at)) != std::string::npos;) {
    std::size_t begin = ++at;
    if (begin < line.size() && line[begin] == '"')
      at = std::min(line.find('"', begin + 1), line.size() - 1) + 1;
    else
      at = std::min(line.find_first_of(",}]", begin), line.size());
    if (at > begin) values.emplace_back(begin, at - begin);
  }
  return values;
}

/// One change that keeps lines lines: one goes, comes twice, changes its place, or has a value of another.
void change(std::vector<std::string>& lines, Random& random) {
  static const char* odd[] = {"0",
                              "-1",
                              "9223372036854775807",
                              "-9223372036854775808",
                              "9007199254740993",
                              "1e300",
                              "null",
                              "[]",
                              "{}",
                              "\"\"",
                              "true",
                              "253402300799999999",
                              "1",
                              "\"ok\"",
                              "\"unknown\"",
                              "\"9007199254740991.a\""};
  auto any = [&]() -> std::string& { return lines[random() % lines.size()]; };
  switch (random() % 5) {
    case 0: lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(random() % lines.size())); return;
    case 1:
      lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(random() % lines.size()), std::string(any()));
      return;
    case 2: std::swap(any(), any()); return;
    default: break;
  }
  std::string& line = any();
  auto values = values_in(line);
  if (values.empty()) return;
  auto [at, size] = values[random() % values.size()];
  std::string other = odd[random() % std::size(odd)];
  if (random() % 2 == 0) {
    const std::string& from = any();
    if (auto there = values_in(from); !there.empty()) {
      auto [begin, length] = there[random() % there.size()];
      other = from.substr(begin, length);
    }
  }
  line.replace(at, size, other);
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  Random random(seed + 1);
  auto lines = lines_of({reinterpret_cast<const char*>(data), size});
  if (lines.empty() || random() % 8 == 0) return LLVMFuzzerMutate(data, size, most);
  for (auto changes = 1 + random() % 4; changes > 0 && !lines.empty(); --changes) change(lines, random);
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  if (text.size() > most) text.resize(most);
  std::copy(text.begin(), text.end(), data);
  return text.size();
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string text(reinterpret_cast<const char*>(data), size);
  try {
    judge::History history = judge::history_from(text);
    judge::Options options;
    options.step_cap = 20'000;
    options.most_steps = 50'000;
    judge::Verdict verdict = judge::judge(history, options);
    std::string told = boost::json::serialize(verdict_json(verdict, history));
    require(!verdict_text(verdict, history).empty());
    require(verdict.accepted() == verdict.findings.empty());
    require(boost::json::serialize(verdict_json(judge::judge(history, options), history)) == told);
  } catch (const judge::BadHistory& bad) {
    require(std::string_view(bad.what()).starts_with("history:"));
  }
  return 0;
}
