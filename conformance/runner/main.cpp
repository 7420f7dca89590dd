// The program stile-conformance.
//
// SPDX-License-Identifier: Apache-2.0
#include "stile/conformance.hpp"

#include <string_view>

#include "types/streams.hpp"

int main(int argc, char** argv) {
  stile::types::open_standard_streams();
  std::string_view word = argc > 1 ? argv[1] : "";
  int status = word == "judge"     ? stile::judge_main(argc - 1, argv + 1)
               : word == "explain" ? stile::explain_main(argc - 1, argv + 1)
                                   : stile::conformance_main(argc, argv);
  // Not 1: that is a judgement.
  return stile::types::finish_output(status, 2);
}
