# stile_add_plugin(NAME SOURCES ... [LIBRARIES ...] [OUTPUT_DIRECTORY DIR]): a store plugin, NAME.so, with the one
# exported symbol, bound at load. The target is stile_plugin_NAME. For authors and for this repository alike.
set(STILE_PLUGIN_MAP "${CMAKE_CURRENT_LIST_DIR}/plugin.map" CACHE INTERNAL "")

function(stile_add_plugin name)
  cmake_parse_arguments(arg "" "OUTPUT_DIRECTORY" "SOURCES;LIBRARIES" ${ARGN})
  set(target stile_plugin_${name})
  add_library(${target} MODULE ${arg_SOURCES})
  target_compile_features(${target} PRIVATE cxx_std_20)
  set_target_properties(${target} PROPERTIES
    PREFIX "" OUTPUT_NAME "${name}" SKIP_BUILD_RPATH ON LINK_DEPENDS "${STILE_PLUGIN_MAP}"
    C_VISIBILITY_PRESET hidden CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  if(arg_OUTPUT_DIRECTORY)
    set_target_properties(${target} PROPERTIES LIBRARY_OUTPUT_DIRECTORY "${arg_OUTPUT_DIRECTORY}")
  endif()
  target_link_libraries(${target} PRIVATE stile::sdk ${arg_LIBRARIES})
  target_link_options(${target} PRIVATE "LINKER:--version-script=${STILE_PLUGIN_MAP}"
    LINKER:-z,now LINKER:-z,noexecstack LINKER:-z,relro)
  # A sanitizer's runtime is in the program: only without one can every symbol be demanded at link time.
  if(NOT STILE_SANITIZE)
    target_link_options(${target} PRIVATE LINKER:-z,defs)
  endif()
endfunction()
