// Starting the suite, and reading its certificate.
//
// SPDX-License-Identifier: Apache-2.0
#include "mutants/suite_run.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <stdexcept>
#include <system_error>

#include "mutants/entries.hpp"

namespace stile::conformance::mutants {
namespace {

namespace json = boost::json;

bool has(const json::object& check, const char* list, const std::string& id) {
  const json::value* found = check.if_contains(list);
  if (found == nullptr || !found->is_array()) return false;
  const json::array& ids = found->get_array();
  return std::any_of(ids.begin(), ids.end(), [&](const json::value& one) { return one == json::value_from(id); });
}

/// The exit status, or -1.
int run(const std::vector<std::string>& command, const std::string& mutant, const std::string& log,
        const std::string& temporary) {
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  const pid_t child = fork();
  if (child < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (child == 0) {
    const int out = open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (out < 0 || dup2(out, STDOUT_FILENO) < 0 || dup2(out, STDERR_FILENO) < 0) _exit(127);
    if (mutant.empty() ? unsetenv("STILE_MUTANT") : setenv("STILE_MUTANT", mutant.c_str(), 1)) _exit(127);
    if (setenv("TMPDIR", temporary.c_str(), 1) != 0) _exit(127);
    execv(words[0], words.data());
    _exit(127);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) throw std::system_error(errno, std::generic_category(), "waitpid");
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

std::optional<std::string> SuiteRun::caught_by(const std::string& id, const std::vector<std::string>& of) const {
  const json::value* checks = certificate.if_contains("checks");
  if (checks == nullptr) return std::nullopt;
  for (const json::value& one : checks->as_array()) {
    const json::object& check = one.as_object();
    const std::string_view verdict = check.at("verdict").as_string();
    if (verdict != "failed" && verdict != "crashed" && verdict != "timed out") continue;
    const std::string name(check.at("name").as_string());
    if (!of.empty() && std::find(of.begin(), of.end(), name) == of.end()) continue;
    // A check of many promises names those it saw broken; one that does not stands for all its ids.
    if (has(check, check.contains("broken") ? "broken" : "ids", id)) return name;
  }
  return std::nullopt;
}

std::vector<std::string> SuiteRun::judged_ids() const {
  std::vector<std::string> out;
  const json::value* ids = certificate.if_contains("ids");
  if (ids == nullptr) return out;
  for (const auto& [id, counts] : ids->as_object())
    if (counts.as_object().at("passed").to_number<std::uint64_t>() != 0) out.emplace_back(id);
  return out;
}

SuiteRun run_suite(const Suite& suite, const std::string& mutant, const std::string& store,
                   const std::vector<std::string>& more, std::uint64_t seed) {
  const std::string stem = suite.folder + "/run-" + std::to_string(getpid());
  const std::string report = stem + ".json", log = stem + ".log";
  std::filesystem::remove(report);
  std::vector<std::string> command = suite.program;
  if (!suite.plugin.empty()) command.insert(command.end(), {"--plugin", suite.plugin});
  if (!suite.driver.empty()) command.insert(command.end(), {"--driver", suite.driver});
  if (!store.empty()) command.push_back(store);
  command.insert(command.end(), {"--seed", std::to_string(seed), "--report", report});
  command.insert(command.end(), more.begin(), more.end());
  SuiteRun out;
  // A mutant fails as it should: what the suite keeps of a failure goes.
  const std::string temporary = std::filesystem::absolute(stem).string() + ".tmp";
  std::filesystem::create_directories(temporary);
  out.status = run(command, mutant, log, temporary);
  std::filesystem::remove_all(temporary);
  out.said = read_file(log);
  if (std::filesystem::exists(report)) out.certificate = json::parse(read_file(report)).as_object();
  std::filesystem::remove(report);
  std::filesystem::remove(log);
  return out;
}

std::optional<Catch> hunt(const Suite& suite, const Hunt& hunt) {
  std::vector<std::string> more{"--level", std::to_string(hunt.level), "--gtest_fail_fast"};
  for (const std::string& only : hunt.checks.empty() ? hunt.ids : hunt.checks)
    more.insert(more.end(), {"--only", only});
  for (std::uint64_t tried = 0; tried < hunt.most_seeds; ++tried) {
    SuiteRun run = run_suite(suite, hunt.mutant, hunt.store, more, hunt.seed + tried);
    for (const std::string& id : hunt.ids)
      if (auto check = run.caught_by(id)) return Catch{*check, id, tried + 1};
    if (run.status != 0 && run.status != 1) throw std::runtime_error("the suite could not be run: " + run.said);
  }
  return std::nullopt;
}

}  // namespace stile::conformance::mutants
