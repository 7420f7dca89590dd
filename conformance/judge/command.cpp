// stile-conformance judge: the verdict on recorded histories, for people or as JSON.
//
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/text.hpp"
#include "judge/judge.hpp"
#include "report/output.hpp"
#include "report/pages.hpp"
#include "stile/conformance.hpp"
#include "types/streams.hpp"

namespace stile {
inline namespace v1 {
namespace {

constexpr const char* usage =
    R"(Judges recorded histories: whether what a store answered to many callers at once keeps the contract.
Usage: stile-conformance judge [--json] [--report FILE.html] HISTORY.jsonl...

Several files are one history (processes that wrote each its own). Record one with the history layer:
  'history+memory:?history.file=h.jsonl'
--report draws what contradicts itself: time to the right, one lane a client, leases and deliveries as bars.
A history begins with an empty namespace, and is of one. Exit status: 0 accepted, 1 refused, 2 not readable, without
any operation, or output that cannot be written.
)";

}  // namespace

int judge_main(int argc, char** argv) {
  using namespace conformance::judge;
  using namespace conformance::report;
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  auto complain = [&](const std::string& error) {
    return std::cerr << config::hide_arguments(error, arguments) << "\n", 2;
  };
  bool as_json = false;
  std::optional<std::string> page;
  std::vector<std::string> files;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& word = arguments[i];
    if (word == "-h" || word == "--help") return types::write_output(usage), 0;
    if (word == "--json")
      as_json = true;
    else if (word.starts_with("--report="))
      page = word.substr(9);
    else if (word == "--report" && i + 1 < arguments.size())
      page = arguments[++i];
    else if (word.starts_with("-"))
      return complain("stile-conformance judge: " + word + " is no option\n" + usage);
    else
      files.emplace_back(word);
  }
  if (files.empty()) return std::cerr << usage, 2;
  try {
    if (page) try_outputs({{"--report", *page}}, files);
    History history = read_history(files);
    Verdict verdict = judge(history);
    if (verdict.counts.operations == 0)
      return complain("stile-conformance judge: no operation was recorded there, so nothing was judged");
    if (page)
      if (std::string why = write_output_file(*page, history_page(verdict_json(verdict, history), files)); !why.empty())
        return complain("stile-conformance judge: " + *page + ": cannot be written: " + why);
    types::write_output(as_json ? boost::json::serialize(verdict_json(verdict, history)) + "\n"
                                : verdict_text(verdict, history));
    return verdict.accepted() ? 0 : 1;
  } catch (const BadOutput& bad) {
    return complain("stile-conformance judge: " + bad.option + " " + bad.what());
  } catch (const std::exception& error) {  // above all BadHistory, which names the file and the line
    return complain(error.what());
  }
}

}  // namespace v1
}  // namespace stile
