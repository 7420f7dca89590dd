# Runs level 2 of the program SUITE on the store STORE, in which @ stands for a temporary folder that goes afterwards.
#
# SPDX-License-Identifier: Apache-2.0
execute_process(COMMAND mktemp -d -t stile-suite.XXXXXX OUTPUT_VARIABLE folder OUTPUT_STRIP_TRAILING_WHITESPACE
  COMMAND_ERROR_IS_FATAL ANY)
string(REPLACE "@" "${folder}" STORE "${STORE}")
execute_process(COMMAND "${SUITE}" "${STORE}" --level 2 --only Concurrent.* --seed 1 --time ${TIME}
  --timeout-multiplier ${PATIENCE} RESULT_VARIABLE status)
file(REMOVE_RECURSE "${folder}")
if(NOT status EQUAL 0)
  message(FATAL_ERROR "the suite ended with ${status}")
endif()
