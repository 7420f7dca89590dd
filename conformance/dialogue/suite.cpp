// The cases that come with the suite, and those of a folder.
//
// SPDX-License-Identifier: Apache-2.0
#include "dialogue/suite.hpp"

#include <algorithm>
#include <filesystem>
#include <memory>

#include "check.hpp"
#include "config/text.hpp"
#include "dialogue/parser.hpp"
#include "dialogue/player.hpp"
#include "runner/contract.hpp"
#include "runner/registry.hpp"
#include "stile_case_index.hpp"
#include "types/text.hpp"

namespace stile::conformance {
namespace {

/// GoogleTest's filters give '-' a meaning of its own.
std::string test_name(std::string name) {
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += (text.empty() ? "" : " ") + line;
  return text;
}

CaseFile read_file(const std::filesystem::path& path) {
  return {path.string(),
          config::read_file(path.string(), SIZE_MAX, "the case file " + types::printable(path.string()))};
}

}  // namespace

std::vector<CaseFile> built_in_cases() {
  std::vector<CaseFile> files;
  for (const auto& [name, text] : stile_cases::index) files.push_back({std::string(name), std::string(text)});
  return files;
}

std::vector<CaseFile> read_cases(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (!fs::is_directory(path, error)) return {read_file(path)};
  std::vector<fs::path> paths;
  for (const auto& entry : fs::recursive_directory_iterator(path))
    if (entry.path().extension() == ".case") paths.push_back(entry.path());
  if (paths.empty()) throw Error(Status::not_found, path + ": no *.case file below it");
  std::sort(paths.begin(), paths.end());
  std::vector<CaseFile> files;
  for (const auto& one : paths) files.push_back(read_file(one));
  return files;
}

void add_cases(const CaseFile& file) {
  std::vector<Case> cases = parse_cases(file.name, file.text);
  if (cases.empty()) throw SyntaxError({file.name, 1, 1}, "there is no case in it");
  for (Case& one : cases) {
    Check check;
    check.suite = one.suite;
    check.name = test_name(one.name);
    check.ids = one.ids;
    for (const std::string& id : check.ids)
      if (!promise(id)) throw SyntaxError(one.place, "the contract has no " + id);
    if (find_check(check.suite, check.name))
      throw SyntaxError(one.place, "there is another case called " + one.suite + "." + one.name);
    check.about = joined(one.about);
    check.place = one.place.file + ":" + std::to_string(one.place.line);
    if (one.limit) check.limit = *one.limit;
    check.alone = one.alone;
    auto kept = std::make_shared<Case>(std::move(one));
    check.run = [kept](const Target& target) { return play(*kept, target); };
    add_check(std::move(check));
  }
}

}  // namespace stile::conformance
