# Install, export and version files: find_package(Stile), add_subdirectory and pkg-config all give the same targets.
