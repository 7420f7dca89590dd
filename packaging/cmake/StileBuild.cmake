# What every target of the project shares: language, warnings, sanitizers, and how a plugin is made.
include(GNUInstallDirs)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "" FORCE)
endif()
if(stile_top)
  find_program(STILE_CCACHE ccache)
  if(STILE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    set(CMAKE_C_COMPILER_LAUNCHER ${STILE_CCACHE})
    set(CMAKE_CXX_COMPILER_LAUNCHER ${STILE_CCACHE})
  endif()
  find_program(STILE_MOLD mold)
  if(STILE_MOLD AND NOT STILE_FUZZ)
    add_link_options(-fuse-ld=mold)
  endif()
  set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
  set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")
  set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
endif()
# Where plugins are built to, and where the core looks for them when it runs from the build tree.
set(STILE_PLUGIN_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/plugins")
set(STILE_PLUGIN_INSTALL_DIRECTORY "${CMAKE_INSTALL_LIBDIR}/stile/plugins")

if(STILE_SANITIZE)
  add_compile_options(-fsanitize=${STILE_SANITIZE} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${STILE_SANITIZE})
endif()

# Private to our own targets: consumers choose their own warnings.
add_library(stile_warnings INTERFACE)
target_compile_options(stile_warnings INTERFACE
  -Wall -Wextra -Wpedantic $<$<NOT:$<BOOL:$<TARGET_PROPERTY:UNITY_BUILD>>>:-Wshadow> -Wconversion -Wno-sign-conversion
  $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor> -Werror)
target_compile_options(stile_warnings INTERFACE
  $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-missing-field-initializers>
  $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-Wno-missing-field-initializers>)

# g++ 12 sees, when it optimises, overlaps in "literal" + std::string (GCC bug 105329) and uninitialised values in an
# empty std::optional (GCC bug 80635) that are not there. clang and the sanitizers look for both.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(stile_warnings INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict> $<$<COMPILE_LANGUAGE:CXX>:-Wno-maybe-uninitialized>)
endif()

# stile_unity(TARGET): its files are compiled several together. Half the work where nobody waits for one file; less
# strict, for a file may lean on one beside it (and what one names, another may hide: no -Wshadow).
function(stile_unity target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
endfunction()

function(stile_defaults target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:stile_warnings>)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON)
  if(STILE_UNITY STREQUAL "all")
    stile_unity(${target})
  endif()
endfunction()

# Every plugin that ships, and every test that the thread sanitizer is for (label "threaded").
add_custom_target(stile_plugins)
add_custom_target(stile_threaded_tests DEPENDS stile_plugins)
add_custom_target(stile_fuzzers)

include(StilePlugin)

# stile_house_plugin(NAME SOURCES ... [LIBRARIES ...]): a plugin that ships: our warnings, built where the core looks
# for it.
function(stile_house_plugin name)
  stile_add_plugin(${name} ${ARGN} OUTPUT_DIRECTORY "${STILE_PLUGIN_OUTPUT_DIRECTORY}")
  stile_defaults(stile_plugin_${name})
  add_dependencies(stile_plugins stile_plugin_${name})
  install(TARGETS stile_plugin_${name} LIBRARY DESTINATION "${STILE_PLUGIN_INSTALL_DIRECTORY}")
endfunction()

# stile_cold(TARGET): little time is spent in its own code. With sanitizers it is not optimised: that takes more than
# twice as long to compile.
function(stile_cold target)
  if(STILE_SANITIZE)
    target_compile_options(${target} PRIVATE -O0)
  endif()
endfunction()

# stile_embed(TARGET VARIABLE-NAMESPACE FILE...): text files as std::string_view constants in a generated header
# <NAMESPACE>.hpp, one constant a file, named after the file without its ending.
function(stile_embed target namespace)
  set(header "${CMAKE_CURRENT_BINARY_DIR}/embedded/${namespace}.hpp")
  set(files)
  foreach(file ${ARGN})
    cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" OUTPUT_VARIABLE path)
    list(APPEND files "${path}")
  endforeach()
  add_custom_command(OUTPUT "${header}"
    COMMAND "${CMAKE_COMMAND}" "-DHEADER=${header}" "-DNAMESPACE=${namespace}" "-DFILES=${files}"
      -P "${STILE_EMBED_SCRIPT}"
    DEPENDS ${files} "${STILE_EMBED_SCRIPT}" VERBATIM)
  target_sources(${target} PRIVATE "${header}")
  target_include_directories(${target} PRIVATE "${CMAKE_CURRENT_BINARY_DIR}/embedded")
endfunction()
set(STILE_EMBED_SCRIPT "${CMAKE_CURRENT_LIST_DIR}/embed.cmake" CACHE INTERNAL "")

# stile_add_test(NAME [SERIAL] SOURCES ... LIBRARIES ...): a GoogleTest program, every test of it known to ctest.
# SERIAL ones run with nothing beside them: they measure, or kill processes at moments that a busy machine would move.
# What is labelled "once" is not made with sanitizers.
function(stile_add_test name)
  cmake_parse_arguments(arg "SERIAL" "TIMEOUT" "SOURCES;LIBRARIES;LABELS" ${ARGN})
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 120)
  endif()
  add_executable(${name} ${arg_SOURCES})
  stile_defaults(${name})
  if(STILE_UNITY STREQUAL "tests")
    stile_unity(${name})
  endif()
  # A test's own code is run once: compiling it well would take longer than it saves.
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>)
  stile_cold(${name})
  target_link_libraries(${name} PRIVATE ${arg_LIBRARIES} GTest::gtest GTest::gtest_main)
  if("threaded" IN_LIST arg_LABELS)
    add_dependencies(stile_threaded_tests ${name})
  endif()
  if(STILE_SANITIZE AND "once" IN_LIST arg_LABELS)
    set_target_properties(${name} PROPERTIES EXCLUDE_FROM_ALL ON)
    return()
  endif()
  # One label, never none: an empty one would vanish on the way and ENVIRONMENT become the label, a list would be split.
  if(NOT arg_LABELS)
    set(arg_LABELS plain)
  endif()
  gtest_discover_tests(${name} NO_PRETTY_VALUES DISCOVERY_TIMEOUT 60 PROPERTIES
    TIMEOUT ${arg_TIMEOUT} LABELS "${arg_LABELS}" RUN_SERIAL ${arg_SERIAL}
    ENVIRONMENT "STILE_PLUGIN_PATH=${STILE_PLUGIN_OUTPUT_DIRECTORY}")
endfunction()
