/* Dry friction as a bounded row. A crate is pushed up a slope at u0. Friction brakes it until it stops; it stays there,
 * without creeping, because the slope is less steep than friction allows. */
#include <cardan/core.h>
#include <cardan/rows.h>
#include <math.h>
#include <stdio.h>

typedef struct friction {
  cdn_body body;
  double most, time; /* the largest force (N), and the time (s) within which it shall stop the body */
} friction;

/* The row "udot = -u / time", with a force of at most `most`. */
static cdn_status calc_rows(const void *self, cdn_state *state, cdn_row_list *rows) {
  const friction *f = self;
  cdn_row_def def = cdn_default_row_def();
  def.target[0] = -*cdn_body_u(state, f->body) / f->time;
  def.lower = -f->most, def.upper = f->most;
  cdn_row_list_add(rows, &def);
  cdn_row_list_add_mobility(rows, f->body, 0, 1);
  return CDN_OK;
}

static cdn_status declare(void *self, cdn_declarer *d) {
  (void)self;
  const cdn_row_provider provider = { .struct_size = sizeof provider, .name = "friction", .calc_rows = calc_rows };
  cdn_declare_rows(d, &provider);
  return CDN_OK;
}

int main(void) {
  const double g = 9.81, angle = 0.2, mu = 0.5, mass = 40, u0 = 3, h = 1e-3;
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  def.name = "crate", def.mobilizer = CDN_SLIDER, def.mass.mass = mass, def.u0 = &u0;
  const friction self = { cdn_system_add_body(system, &def), mu * mass * g * cos(angle), h };
  cdn_system_add_gravity(system, "gravity", cdn_v3(-g * sin(angle), -g * cos(angle), 0)); /* x goes up the slope */
  const cdn_subsystem_ops ops = {
    .struct_size = sizeof ops, .name = "friction", .self_size = sizeof self, .declare = declare
  };
  cdn_system_add_subsystem(system, &ops, &self);

  cdn_state *state = NULL;
  cdn_stepper *stepper = NULL;
  cdn_stepper_def how = cdn_default_stepper_def();
  how.method = CDN_METHOD_SEMI_EXPLICIT_EULER, how.fixed_step = h; /* a target of -u / h stops it within one step */
  cdn_status status = cdn_system_freeze(system);
  if (!status) status = cdn_state_create(system, &state);
  if (!status) status = cdn_stepper_create(state, &how, &stepper);
  if (!status) status = cdn_stepper_advance(stepper, 2, NULL);
  const double there = status ? NAN : cdn_state_q(cdn_stepper_state(stepper))[0];
  if (!status) status = cdn_stepper_advance(stepper, 20, NULL);
  const double later = status ? NAN : cdn_state_q(cdn_stepper_state(stepper))[0];
  if (status) fprintf(stderr, "dry_friction: %s\n", cdn_last_error_text());

  const double distance = u0 * u0 / (2 * g * (sin(angle) + mu * cos(angle)));
  printf("stops after %.4f m (%.4f m without steps), and creeps %.1e m in 18 s\n", there, distance, later - there);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
  cdn_system_release(system);
  return !status && fabs(there - distance) < u0 * h && fabs(later - there) < 1e-12 ? 0 : 1;
}
