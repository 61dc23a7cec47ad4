/* What the builders of problems have in common. */
#include "parts.h"

#include <stdio.h>
#include <stdlib.h>

void must(const cdn_state *state, cdn_status status, const char *call) {
  cdn_error error = { .code = CDN_OK };
  if (status == CDN_OK) return;
  if (state) cdn_state_last_error(state, &error);
  fprintf(stderr, "%s: %s: [%s] %s\n", call, cdn_status_name(status), error.element, error.text);
  abort();
}

cdn_mass_properties point_mass(double mass, cdn_vec3 at) { return solid(mass, at, 0, 0, 0); }

cdn_mass_properties solid(double mass, cdn_vec3 com, double ixx, double iyy, double izz) {
  cdn_mass_properties m = { .mass = mass, .com = com, .inertia = { .xx = ixx, .yy = iyy, .zz = izz } };
  return m;
}

cdn_transform frame_z(cdn_vec3 axis, cdn_vec3 p) {
  cdn_transform X = { .R = cdn_rotation_z_to(axis), .p = p };
  return X;
}

cdn_transform frame_x(cdn_vec3 axis, cdn_vec3 p) {
  cdn_transform X = { .R = cdn_rotation_x_to(axis), .p = p };
  return X;
}

cdn_body add_pin(cdn_system *system, const char *name, cdn_body parent, cdn_vec3 axis, cdn_vec3 p,
                 cdn_mass_properties mass) {
  cdn_body_def def = cdn_default_body_def();
  def.name = name;
  def.parent = parent;
  def.mobilizer = CDN_PIN;
  def.X_PF = frame_z(axis, p);
  def.X_BM = frame_z(axis, cdn_v3(0, 0, 0));
  def.mass = mass;
  return cdn_system_add_body(system, &def);
}

cdn_body add_mobile(cdn_system *system, const char *name, cdn_body parent, cdn_mobilizer kind,
                    cdn_mass_properties mass) {
  cdn_body_def def = cdn_default_body_def();
  def.name = name;
  def.parent = parent;
  def.mobilizer = kind;
  def.mass = mass;
  return cdn_system_add_body(system, &def);
}

cdn_body add_on_rail(cdn_system *system, const char *name, double m) {
  return add_mobile(system, name, cdn_ground(), CDN_SLIDER, point_mass(m, cdn_v3(0, 0, 0)));
}

cdn_state *state_of(cdn_system *system) {
  cdn_state *state = NULL;
  cdn_error error = { .code = CDN_OK };
  const cdn_status status = cdn_system_freeze(system);
  if (status) {
    cdn_system_last_error(system, &error);
    fprintf(stderr, "freeze: %s: [%s] %s\n", cdn_status_name(status), error.element, error.text);
    abort();
  }
  MUST(NULL, cdn_state_create(system, &state));
  cdn_system_release(system);
  return state;
}

cdn_state *state_with(cdn_system *system, const double *q, const double *u) {
  cdn_state *state = state_of(system);
  if (q) MUST(state, cdn_state_set_q(state, q));
  if (u) MUST(state, cdn_state_set_u(state, u));
  return state;
}
