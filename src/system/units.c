/* What a System calls the units of its numbers. */
#include "system/structs.h"

#include "system/system.h"

void cdn_system_set_units(cdn_system *system, cdn_units units) {
  CDNI_NEED_OBJECT_OR_NOTHING(system);
  if (cdni_system_refuses(system, __func__)) return;
  if ((int)units >= 0 && units < CDN_UNITS_COUNT) system->units = units;
  else cdni_system_fail(system, CDN_ERR_ARG, __func__, NULL, "there are no units %d", (int)units);
}

cdn_units cdn_system_units(const cdn_system *system) {
  CDNI_NEED_OBJECT(system, CDN_UNITS_SI);
  return system->units;
}

const char *cdn_system_unit(const cdn_system *system, const char *si) {
  static const char *const molecular[][2] = {
    { "m", "nm" },
    { "m/s", "nm/ps" },
    { "m/s^2", "nm/ps^2" },
    { "rad", "rad" },
    { "rad/s", "rad/ps" },
    { "rad/s^2", "rad/ps^2" },
    { "s", "ps" },
    { "1/s", "1/ps" },
    { "kg", "Da" },
    { "kg m^2", "Da nm^2" },
    { "N", "kJ/mol/nm" },
    { "N m", "kJ/mol" },
    { "J", "kJ/mol" },
    { "W", "kJ/mol/ps" },
    { "N/m", "kJ/mol/nm^2" },
    { "N m/rad", "kJ/mol/rad" },
    { "N s/m", "kJ/mol ps/nm^2" },
    { "N m s/rad", "kJ/mol ps/rad" },
    { "1", "1" },
  };
  CDNI_NEED_OBJECT(system, "");
  CDNI_NEED_OBJECT(si, "");
  if (system->units == CDN_UNITS_SI) return si;
  for (int i = 0; i < CDNI_COUNT(molecular); i++)
    if (strcmp(molecular[i][0], si) == 0) return molecular[i][1];
  return "";
}
