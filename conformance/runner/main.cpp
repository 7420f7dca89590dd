// The program stile-conformance.
//
// SPDX-License-Identifier: Apache-2.0
#include "stile/conformance.hpp"

#include <string_view>

#include "types/streams.hpp"

int main(int argc, char** argv) {
  stile::types::open_standard_streams();
  bool judging = argc > 1 && std::string_view(argv[1]) == "judge";
  int status = judging ? stile::judge_main(argc - 1, argv + 1) : stile::conformance_main(argc, argv);
  // Not 1: that is a judgement.
  return stile::types::finish_output(status, 2);
}
