// The program stile-conformance.
//
// SPDX-License-Identifier: Apache-2.0
#include "stile/conformance.hpp"

#include <string_view>

int main(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == "judge") return stile::judge_main(argc - 1, argv + 1);
  return stile::conformance_main(argc, argv);
}
