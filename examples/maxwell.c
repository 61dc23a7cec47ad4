/* A Maxwell element as a custom force: a spring k in series with a damper c between points of two bodies. The damper's
 * length is an auxiliary state z; the line between the points is a cache entry, computed once for each pose however
 * often it is asked for.
 *
 * Held at a fixed length, such an element relaxes: its tension decays as exp(-k t / c). Here it pulls at a body that
 * is too heavy to move, and the decay is compared with that. */
#include <cardan/core.h>
#include <math.h>
#include <stdio.h>

/* ---- the element ---- */

typedef struct maxwell {
  cdn_body a, b; /* given: bodies, points on them, stiffness, damping, start length of the damper */
  cdn_vec3 p_A, p_B;
  double k, c, start;
  cdn_zvar damper; /* declared: the damper's length */
  cdn_cache line;  /* declared: where the other end is */
} maxwell;

typedef struct line {
  cdn_vec3 direction;
  double length;
} line;

static cdn_status calc_line(const void *self, cdn_state *state, void *out) {
  const maxwell *m = self;
  line *l = out;
  cdn_vec3 a, b;
  CDN_TRY(cdn_body_station(state, m->a, m->p_A, &a, NULL));
  CDN_TRY(cdn_body_station(state, m->b, m->p_B, &b, NULL));
  l->length = cdn_norm(cdn_sub(b, a));
  if (l->length == 0)
    return cdn_state_fail(state, CDN_ERR_SINGULAR, true, "maxwell", "the ends meet: no direction to pull in");
  l->direction = cdn_scale(1 / l->length, cdn_sub(b, a));
  return CDN_OK;
}

/* Spring and damper in series carry the same tension; the spring's stretch is what the damper leaves of the length. */
static double tension(const maxwell *m, cdn_state *state, const line *l) {
  return m->k * (l->length - cdn_state_zvar(state, m->damper)[0]);
}

static cdn_status declare(void *self, cdn_declarer *d) {
  maxwell *m = self;
  m->damper = cdn_declare_z(d, 1, &m->start);
  m->line = cdn_declare_cache(d, "line", sizeof(line), calc_line, 1, &CDN_POSE);
  return CDN_OK;
}

static cdn_status calc_force(const void *self, cdn_state *state, cdn_forces *forces) {
  const maxwell *m = self;
  const line *l = cdn_eval(state, m->line);
  if (!l) return CDN_ERR_CALLBACK;
  cdn_vec3 pull = cdn_scale(tension(m, state, l), l->direction);
  cdn_forces_add_point(forces, m->a, m->p_A, pull);
  cdn_forces_add_point(forces, m->b, m->p_B, cdn_scale(-1, pull));
  return CDN_OK;
}

static cdn_status calc_zdot(const void *self, cdn_state *state, double *zdot) {
  const maxwell *m = self;
  const line *l = cdn_eval(state, m->line);
  if (!l) return CDN_ERR_CALLBACK;
  zdot[0] = tension(m, state, l) / m->c;
  return CDN_OK;
}

/* ---- the experiment ---- */

int main(void) {
  const double length = 1.5;
  const maxwell element = { .b = { 1 }, .k = 80, .c = 20, .start = 1 }; /* from Ground to body 1 */
  cdn_force_ops ops = { .struct_size = sizeof ops, .reads = CDN_READS_EVERYTHING, .calc_force = calc_force };
  ops.subsystem = (cdn_subsystem_ops){ .struct_size = sizeof ops.subsystem,
                                       .name = "maxwell",
                                       .self_size = sizeof element,
                                       .declare = declare,
                                       .calc_zdot = calc_zdot };
  cdn_body_def def = cdn_default_body_def();
  def.name = "anvil", def.mobilizer = CDN_SLIDER, def.q0 = &length, def.mass.mass = 1e12;
  cdn_system *system = cdn_system_create(NULL);
  cdn_system_add_body(system, &def);
  cdn_force id = cdn_system_add_custom_force(system, &ops, &element);

  cdn_state *state = NULL;
  cdn_stepper *stepper = NULL;
  cdn_stepper_def how = cdn_default_stepper_def();
  how.accuracy = 1e-9;
  cdn_status status = cdn_system_freeze(system);
  if (!status) status = cdn_state_create(system, &state);
  if (!status) status = cdn_stepper_create(state, &how, &stepper);
  double worst = 0, first = element.k * (length - element.start);
  for (int i = 1; !status && i <= 10; i++) {
    status = cdn_stepper_advance(stepper, 0.1 * i, NULL);
    if (status) break;
    const maxwell *m = cdn_subsystem_self(system, cdn_force_subsystem(system, id));
    const line *l = cdn_eval(cdn_stepper_state(stepper), m->line);
    double now = l ? tension(m, cdn_stepper_state(stepper), l) : 0, exact = first * exp(-m->k / m->c * 0.1 * i);
    printf("%3.1f s  tension %12.9f N, exactly %12.9f N\n", 0.1 * i, now, exact);
    worst = fmax(worst, fabs(now - exact) / first);
  }
  if (status) fprintf(stderr, "maxwell: %s\n", cdn_last_error_text());
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
  cdn_system_release(system);
  return !status && worst < 1e-7 ? 0 : 1;
}
