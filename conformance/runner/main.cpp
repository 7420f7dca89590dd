// The program stile-conformance.
//
// SPDX-License-Identifier: Apache-2.0
#include "stile/conformance.hpp"

int main(int argc, char** argv) { return stile::conformance_main(argc, argv); }
