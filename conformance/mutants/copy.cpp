// Writes a copy of sources with a switch at the site of every mutant. A step of the build, not installed.
//
//   stile-mutate MUTANTS.txt DEPFILE SWITCH.hpp [ROOT FROM TO]...
//
// FROM is the folder that `file ROOT/...` of an entry means, TO where its copy goes. SWITCH.hpp is what every copied
// file must see first: stile_mutant(number), true for the one mutant that STILE_MUTANT names when it is first asked.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <stdexcept>

#include "mutants/sites.hpp"

namespace stile::conformance::mutants {
namespace {

namespace fs = std::filesystem;

void write_file(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out << text;
  out.close();
  if (!out) throw std::runtime_error(path.string() + ": cannot be written");
}

std::string switch_text(const std::vector<Mutant>& mutants) {
  std::string names;
  for (const Mutant& mutant : mutants) names += "      \"" + mutant.name + "\",\n";
  return "// Generated: which mutant this process is.\n"
         "#pragma once\n"
         "#include <cstdio>\n"
         "#include <cstdlib>\n"
         "#include <cstring>\n"
         "#include <ctime>\n"
         "#include <map>\n"
         "#include <string>\n"
         "inline int stile_mutant_chosen() {\n"
         "  static const char* const names[] = {\n" +
         names +
         "  };\n"
         "  const char* wanted = std::getenv(\"STILE_MUTANT\");\n"
         "  if (wanted == nullptr || *wanted == '\\0') return -1;\n"
         "  int number = 0;\n"
         "  for (const char* name : names) {\n"
         "    if (std::strcmp(name, wanted) == 0) return number;\n"
         "    ++number;\n"
         "  }\n"
         "  std::fprintf(stderr, \"STILE_MUTANT=%s: there is no such mutant\\n\", wanted);\n"
         "  std::abort();\n"
         "}\n"
         "inline bool stile_mutant(int number) {\n"
         "  static const int chosen = stile_mutant_chosen();\n"
         "  return chosen == number;\n"
         "}\n";
}

void copy(const std::vector<std::string>& args) {
  const std::string &list = args[0], &depfile = args[1], &switched = args[2];
  const std::vector<Mutant> mutants = read_mutants(read_file(list), list);
  std::map<std::string, std::vector<Numbered>> by_file;
  for (std::size_t i = 0; i < mutants.size(); ++i)
    for (const Change& change : mutants[i].changes)
      by_file[change.file].push_back({&mutants[i], &change, static_cast<int>(i)});
  std::string read = switched + ": " + list;
  for (std::size_t i = 3; i + 2 < args.size(); i += 3) {
    const fs::path from = args[i + 1], to = args[i + 2];
    for (const auto& entry : fs::recursive_directory_iterator(from)) {
      if (!entry.is_regular_file()) continue;
      const std::string name = fs::relative(entry.path(), from).generic_string();
      const auto found = by_file.extract(args[i] + "/" + name);
      read += " \\\n  " + entry.path().string();
      const std::string text = read_file(entry.path().string());
      write_file(to / name, found.empty() ? text : with_switches(text, found.mapped()));
    }
  }
  for (const auto& [file, left] : by_file)
    throw std::runtime_error("mutant " + left[0].mutant->name + ": there is no file " + file);
  write_file(switched, switch_text(mutants));
  write_file(depfile, read + "\n");
}

}  // namespace
}  // namespace stile::conformance::mutants

int main(int argc, char** argv) {
  const std::vector<std::string> args(argv + 1, argv + argc);
  if (args.size() < 3 || args.size() % 3 != 0) {
    std::cerr << "usage: stile-mutate MUTANTS.txt DEPFILE SWITCH.hpp [ROOT FROM TO]...\n";
    return 2;
  }
  try {
    stile::conformance::mutants::copy(args);
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "stile-mutate: " << args[0] << ": " << error.what() << "\n";
    return 1;
  }
}
