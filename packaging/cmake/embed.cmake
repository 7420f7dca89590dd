# Writes HEADER with one std::string_view constant for each of FILES, in namespace NAMESPACE.
set(text "// Generated from the files named below.\n#pragma once\n#include <string_view>\nnamespace ${NAMESPACE} {\n")
foreach(file ${FILES})
  cmake_path(GET file STEM LAST_ONLY name)
  string(REGEX REPLACE "[^A-Za-z0-9_]" "_" name "${name}")
  file(READ "${file}" hex HEX)
  string(REGEX REPLACE "(..)" "\\\\x\\1" body "${hex}")
  # Lines of 64 bytes, so that no literal is longer than compilers promise.
  string(REGEX REPLACE "((\\\\x..)(\\\\x..)?(\\\\x..)?(\\\\x..)?(\\\\x..)?(\\\\x..)?(\\\\x..)?(\\\\x..)?(\\\\x..)?(\\\\x..)?(\\\\x..)?(\\\\x..)?(\\\\x..)?(\\\\x..)?(\\\\x..)?)" "\"\\1\"\n  " body "${body}")
  file(SIZE "${file}" size)
  string(APPEND text "inline constexpr std::string_view ${name}{\n  ${body}\"\", ${size}};\n")
endforeach()
string(APPEND text "}  // namespace ${NAMESPACE}\n")
file(WRITE "${HEADER}" "${text}")
