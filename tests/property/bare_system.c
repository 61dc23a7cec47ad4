/* shared by tests in this folder */
#include "bare_system.h"

cdn_system *bare_system(bool audit) {
  cdn_system_def def = cdn_default_system_def();
  def.name = "no mechanics";
  def.audit = audit;
  cdn_system *system = cdn_system_create(&def);
  ck_assert_ptr_nonnull(system);
  return system;
}

cdn_state *bare_state(cdn_system *system) {
  cdn_state *state = NULL;
  OK_FREEZE(system);
  OK(cdn_state_create(system, &state));
  cdn_system_release(system);
  return state;
}
