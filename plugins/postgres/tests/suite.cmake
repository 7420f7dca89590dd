# Runs the program SUITE on a private server that SERVER starts, with the clock CLOCK.
#
# SPDX-License-Identifier: Apache-2.0
execute_process(COMMAND mktemp -d -t stile-suite.XXXXXX OUTPUT_VARIABLE folder OUTPUT_STRIP_TRAILING_WHITESPACE
  COMMAND_ERROR_IS_FATAL ANY)
file(CHMOD "${folder}" PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
execute_process(COMMAND "${SERVER}" start "${folder}" OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${SERVER}" url "${folder}" OUTPUT_VARIABLE url OUTPUT_STRIP_TRAILING_WHITESPACE)
execute_process(COMMAND "${SUITE}" "${url}?prepare=auto&clock=${CLOCK}" --seed 1 RESULT_VARIABLE status)
execute_process(COMMAND "${SERVER}" stop "${folder}")
file(REMOVE_RECURSE "${folder}")
if(NOT status EQUAL 0)
  message(FATAL_ERROR "the suite ended with ${status}")
endif()
