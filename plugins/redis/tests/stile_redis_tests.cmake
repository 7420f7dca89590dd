# stile_redis_tests(SCHEME PREFIX): a Redis store's own tests, and the suite, on servers that they start.
#
# SPDX-License-Identifier: Apache-2.0
set(STILE_REDIS_DIRECTORY "${CMAKE_CURRENT_LIST_DIR}/.." CACHE INTERNAL "")

function(stile_redis_tests scheme prefix)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  find_program(STILE_REDIS_SERVER redis-server)
  if(NOT STILE_PROGRAMS OR NOT STILE_REDIS_SERVER)
    return()
  endif()
  set(environment "STILE_PLUGIN_PATH=${STILE_PLUGIN_OUTPUT_DIRECTORY}")
  set(driver "'${Python3_EXECUTABLE}' '${STILE_REDIS_DIRECTORY}/driver/driver.py' ${scheme}")
  string(APPEND driver " --server '${STILE_REDIS_SERVER}'")

  add_test(NAME ${prefix}.own COMMAND "${Python3_EXECUTABLE}" "${STILE_REDIS_DIRECTORY}/tests/own_test.py" -v)
  set_tests_properties(${prefix}.own PROPERTIES TIMEOUT 300 LABELS once
    ENVIRONMENT "${environment};STILE_TEST_SCHEME=${scheme};STILE_TEST_PROGRAM=$<TARGET_FILE:stile>")

  # Levels 1 and 2 with the clock by hand, by the real one in three partitions; faults; servers that are done harm.
  foreach(options "clock=manual" "partitions=3")
    string(REGEX REPLACE "=.*" "" name "${options}")
    add_test(NAME conformance.${prefix}_${name}
      COMMAND stile_conformance --driver "${driver} --unsynced '${options}'" --level 2 --seed 1 --timeout-multiplier 4)
    list(APPEND suites conformance.${prefix}_${name})
  endforeach()
  add_test(NAME conformance.${prefix}_faults
    COMMAND stile_conformance --driver "${driver} --unsynced 'clock=manual'" --only "Faults.*" --seed 1)
  add_test(NAME conformance.${prefix}_network
    COMMAND stile_conformance --driver "${driver} --unsynced" --only "Network.*" --seed 1)
  add_test(NAME conformance.${prefix}_servers
    COMMAND stile_conformance --driver "${driver}" --only "Servers.*" --seed 1)
  list(APPEND suites conformance.${prefix}_faults conformance.${prefix}_network conformance.${prefix}_servers)
  set_tests_properties(${suites} PROPERTIES TIMEOUT 1500 LABELS once ENVIRONMENT "${environment}")
  set_tests_properties(conformance.${prefix}_servers PROPERTIES RUN_SERIAL ON)
endfunction()
