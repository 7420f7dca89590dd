// Files that are written at the end of a long work, tried before its beginning.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace stile::conformance::report {

/// A file, and the option that names it.
struct Output {
  std::string option, path;
};

struct BadOutput : std::runtime_error {
  BadOutput(std::string of, const std::string& text) : std::runtime_error(text), option(std::move(of)) {}
  std::string option;
};

/// Opens each as it will be opened at the end, and leaves all as it was: nothing is emptied, what was not there is not
/// there afterwards. Throws BadOutput for one that cannot be written, for a file that two of them name, and for one of
/// the inputs, which would be lost. A pipe is kept open, so that its reader waits for what comes.
void try_outputs(const std::vector<Output>& outputs, const std::vector<std::string>& inputs);

/// Writes a whole file. Why it could not be written; empty = it was.
std::string write_output_file(const std::string& path, const std::string& text);

/// By its name, however it is spelt: .html, .HTM.
bool is_page(const std::string& path);

}  // namespace stile::conformance::report
