# NOT RUN: nobody has built this port yet. It takes the repository that it is in.
get_filename_component(SOURCE_PATH "${CURRENT_PORT_DIR}/../.." ABSOLUTE)
vcpkg_configure_meson(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS -Dtests=disabled -Dpeers=disabled -Dbench=disabled -Daccuracy=disabled -Dpython=disabled -Dapp=disabled
    -Dview=disabled -Drender=disabled -Dnetcdf=disabled -Dhdf5=disabled -Dnpz=disabled -Dsundials=disabled)
vcpkg_install_meson()
vcpkg_fixup_pkgconfig()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/cardan)
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
