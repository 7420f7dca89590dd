# Runs the program SUITE on a fresh file with the clock CLOCK, in a temporary folder that goes afterwards.
#
# SPDX-License-Identifier: Apache-2.0
execute_process(COMMAND mktemp -d -t stile-suite.XXXXXX OUTPUT_VARIABLE folder OUTPUT_STRIP_TRAILING_WHITESPACE
  COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${SUITE}" "sqlite:${folder}/store.db?clock=${CLOCK}" --seed 1 RESULT_VARIABLE status)
file(REMOVE_RECURSE "${folder}")
if(NOT status EQUAL 0)
  message(FATAL_ERROR "the suite ended with ${status}")
endif()
