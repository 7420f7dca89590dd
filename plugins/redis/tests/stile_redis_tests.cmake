# stile_redis_tests(SCHEME PREFIX [SECOND] [SCRIPT ...]): a Redis store's own tests, and the suite, on servers that they
# start. SECOND: only its scripts differ from those of another one, which is tried with sanitizers and in more ways.
#
# SPDX-License-Identifier: Apache-2.0
set(STILE_REDIS_DIRECTORY "${CMAKE_CURRENT_LIST_DIR}/.." CACHE INTERNAL "")

# Stands in for a broken disk and a clock that is off; loaded by LD_PRELOAD into servers of tests alone.
add_library(redis_shim MODULE "${STILE_REDIS_DIRECTORY}/driver/shim.c")
stile_defaults(redis_shim)
set_target_properties(redis_shim PROPERTIES PREFIX "" LIBRARY_OUTPUT_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}")
target_link_libraries(redis_shim PRIVATE ${CMAKE_DL_LIBS})

find_package(GTest REQUIRED)
include(GoogleTest)
stile_add_test(redis_units_test SOURCES "${CMAKE_CURRENT_LIST_DIR}/units_test.cpp" LIBRARIES stile_redis)

function(stile_redis_tests scheme prefix)
  cmake_parse_arguments(arg "SECOND" "" "" ${ARGN})
  find_package(Python3 3.9 REQUIRED COMPONENTS Interpreter)
  find_program(STILE_REDIS_SERVER redis-server)
  if(NOT STILE_PROGRAMS)
    return()
  endif()
  if(NOT STILE_REDIS_SERVER)
    # A store that nobody judged is seen: a skipped test is a failure where CI is true.
    add_test(NAME conformance.${prefix} COMMAND "${CMAKE_COMMAND}" -E echo "skipped: no redis-server here")
    set_tests_properties(conformance.${prefix} PROPERTIES SKIP_REGULAR_EXPRESSION "^skipped: " LABELS plain)
    return()
  endif()
  set(environment "STILE_PLUGIN_PATH=${STILE_PLUGIN_OUTPUT_DIRECTORY};PYTHONDONTWRITEBYTECODE=1")
  set(scripts own_test doctor_test)
  # A preloaded library and a sanitizer's do not go together.
  if(NOT STILE_SANITIZE)
    list(APPEND scripts clock_test)
  endif()
  if(NOT arg_SECOND)
    list(APPEND scripts connect_test)
  endif()
  list(TRANSFORM scripts PREPEND "${STILE_REDIS_DIRECTORY}/tests/")
  list(TRANSFORM scripts APPEND ".py")
  foreach(script ${scripts} ${arg_UNPARSED_ARGUMENTS})
    cmake_path(GET script STEM name)
    add_test(NAME ${prefix}.${name} COMMAND Python3::Interpreter "${script}" -v)
    set_tests_properties(${prefix}.${name} PROPERTIES TIMEOUT 600 LABELS plain ENVIRONMENT
      "${environment};STILE_TEST_SERVER=${STILE_REDIS_SERVER};STILE_TEST_SCHEME=${scheme};\
STILE_TEST_PROGRAM=$<TARGET_FILE:stile>;STILE_TEST_SHIM=$<TARGET_FILE:redis_shim>")
  endforeach()

  # Only what hangs pays for it: a machine may be busy, and a sanitizer makes everything so much slower.
  set(patience 4)
  if(STILE_SANITIZE)
    set(patience 10)
  endif()
  set(driver "'${Python3_EXECUTABLE}' '${STILE_REDIS_DIRECTORY}/driver/driver.py' ${scheme}")
  string(APPEND driver " --server '${STILE_REDIS_SERVER}'")
  function(add_suite name label driver_options)
    set(tier)
    if(label STREQUAL "long")
      set(tier CONFIGURATIONS long)
    endif()
    add_test(NAME conformance.${prefix}_${name} ${tier}
      COMMAND stile_conformance --driver "${driver} ${driver_options}" --seed 1 --timeout-multiplier ${patience}
        ${ARGN})
    set_tests_properties(conformance.${prefix}_${name} PROPERTIES TIMEOUT 1500 LABELS ${label} COST 100
      ENVIRONMENT "${environment}")
  endfunction()
  set(sanitized plain)
  if(arg_SECOND)
    set(sanitized once)
  endif()
  # They wait for what is slow on purpose, and work little.
  set(waiting --jobs 10)
  set(shim "--shim '$<TARGET_FILE:redis_shim>'")
  add_suite(manual ${sanitized} "--unsynced 'clock=manual'" --level 1)
  add_suite(concurrent threaded "--unsynced" --only "Concurrent.*")
  add_suite(faults once "--unsynced" --only "Faults.*" ${waiting})
  add_suite(network once "--unsynced" --only "Network.*" ${waiting})
  # Not with sanitizers: servers have none of our code.
  add_suite(servers once "${shim}" --only "Servers.*" ${waiting})
  if(NOT arg_SECOND)
    add_suite(faults_manual once "--unsynced 'clock=manual'" --only "Faults.*" ${waiting})
    add_suite(partitions once "--unsynced 'partitions=3'" --level 2 "--gtest_filter=-CellTable.*:Random.*:leaks.*")
  endif()
  add_suite(partitions_long long "--unsynced 'partitions=3&clock=manual'" --level 2)
  add_suite(servers_long long "${shim}" --only "Servers.*" --scale 20)
  set_tests_properties(conformance.${prefix}_servers_long PROPERTIES TIMEOUT 3600)
endfunction()
