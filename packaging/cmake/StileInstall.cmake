# Install, export and version files: find_package(Stile), add_subdirectory and pkg-config all give the same targets.
include(CMakePackageConfigHelpers)

set(stile_targets stile_abi stile_sdk stile_core)
set_target_properties(stile_abi PROPERTIES EXPORT_NAME abi)
set_target_properties(stile_sdk PROPERTIES EXPORT_NAME sdk)
set_target_properties(stile_core PROPERTIES EXPORT_NAME core)
if(TARGET stile_conformance_lib)
  list(APPEND stile_targets stile_conformance_lib)
  set_target_properties(stile_conformance_lib PROPERTIES EXPORT_NAME conformance)
endif()
set(stile_cmake_dir "${CMAKE_INSTALL_LIBDIR}/cmake/Stile")

install(TARGETS ${stile_targets} EXPORT StileTargets
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
  RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/sdk/include/" "${PROJECT_SOURCE_DIR}/core/include/"
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")
install(EXPORT StileTargets NAMESPACE stile:: DESTINATION "${stile_cmake_dir}")

configure_package_config_file("${CMAKE_CURRENT_LIST_DIR}/StileConfig.cmake.in"
  "${PROJECT_BINARY_DIR}/StileConfig.cmake" INSTALL_DESTINATION "${stile_cmake_dir}")
# 0.x promises nothing between minor versions.
write_basic_package_version_file("${PROJECT_BINARY_DIR}/StileConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES
  "${PROJECT_BINARY_DIR}/StileConfig.cmake" "${PROJECT_BINARY_DIR}/StileConfigVersion.cmake"
  "${CMAKE_CURRENT_LIST_DIR}/StilePlugin.cmake" "${CMAKE_CURRENT_LIST_DIR}/plugin.map"
  DESTINATION "${stile_cmake_dir}")

# The .pc files follow the prefix that an install is given, wherever it lands.
file(RELATIVE_PATH STILE_PC_TO_PREFIX "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
string(REGEX REPLACE "/$" "" STILE_PC_TO_PREFIX "${STILE_PC_TO_PREFIX}")
foreach(package stile stile-sdk)
  configure_file("${CMAKE_CURRENT_LIST_DIR}/${package}.pc.in" "${PROJECT_BINARY_DIR}/${package}.pc" @ONLY)
  install(FILES "${PROJECT_BINARY_DIR}/${package}.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
endforeach()
