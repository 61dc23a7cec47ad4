/* Spring, damper and constant force between two stations: elements/two_point.h has their formulas. */
#include "forces/derivatives.h"
#include "forces/elements/two_point.h"

static two_point check_ends(force_adder *a, cdn_body body_a, cdn_vec3 p_A, cdn_body body_b, cdn_vec3 p_B) {
  const double stations[] = { p_A.x, p_A.y, p_A.z, p_B.x, p_B.y, p_B.z };
  cdni_force_check_pair(a, body_a, body_b);
  cdni_adder_check_numbers(&a->by, "a station", stations, 6);
  return (two_point){ body_a.i, body_b.i, p_A, p_B };
}

/* ---- spring ---- */

static cdn_status fail_spring(cdn_state *state, const char *function, const char *name) {
  return cdni_state_fail(state, CDN_ERR_SINGULAR, true, function, name,
                         "the ends of two-point spring '%s' meet, where its force has no direction: start with them "
                         "apart, or give it rest length 0",
                         name);
}

static cdn_status calc_potential(const force_batch *b, cdn_state *state, double *energy) {
  const two_point *e = b->elements;
  CDNI_TRY(cdni_state_ensure(state, CDN_POSE));
  const body_pose *pose = cdni_matter_pose(b->matter, state);
  for (int i = 0; i < b->n; i++) {
    if (!force_is_on(b, i)) continue;
    const double x = line_of(force_frames(b, state), pose, &e[i]).length - b->params[2 * i + 1];
    *energy += 0.5 * b->params[2 * i] * x * x;
  }
  return CDN_OK;
}

static cdn_status derivative_of_spring(const force_batch *b, cdn_state *state, cdn_force_derivatives *out) {
  const two_point *e = b->elements;
  for (int i = 0; i < b->n; i++) {
    if (!force_is_on(b, i)) continue;
    const double k = b->params[2 * i], rest = b->params[2 * i + 1];
    const line l = line_of(force_frames(b, state), out->pass->pose, &e[i]);
    const double pull = rest == 0 ? k : k * (l.length - rest) / l.length;
    cdni_derivative_of_line(out, e[i].body_a, l.r_a, e[i].body_b, l.r_b, pull, k, 0);
  }
  return CDN_OK;
}

const force_kind cdni_force_two_point_spring = {
  .name = "two_point_spring",
  .element_size = sizeof(two_point),
  .n_params = 2,
  .params = { CDNI_ANY("k", "N/m"), CDNI_NOT_NEGATIVE("rest", "m") },
  .parts = { { .reads = CDN_READS_POSITION,
               .potential = true,
               .bodies = true,
               .kernel = FORCE_KERNEL_two_point_spring } },
  .calc_potential = calc_potential,
  .fail = fail_spring,
  .derivative = derivative_of_spring,
  .describe = cdni_describe_two_points,
};

cdn_force cdn_system_add_two_point_spring(cdn_system *system, const char *name, cdn_body a, cdn_vec3 p_A, cdn_body b,
                                          cdn_vec3 p_B, double k, double rest) {
  force_adder adder;
  cdni_force_begin(&adder, system, FORCE_TWO_POINT_SPRING, "cdn_system_add_two_point_spring", name);
  const two_point e = check_ends(&adder, a, p_A, b, p_B);
  const double params[] = { k, rest };
  return cdni_force_add(&adder, &e, params);
}

cdn_status cdn_two_point_spring_set(cdn_state *state, cdn_force force, double k, double rest) {
  const double params[] = { k, rest };
  return cdni_force_set(state, force, FORCE_TWO_POINT_SPRING, "cdn_two_point_spring_set", params);
}

/* ---- damper ---- */

static cdn_status derivative_of_damper(const force_batch *b, cdn_state *state, cdn_force_derivatives *out) {
  const two_point *e = b->elements;
  const body_twist *twist = out->pass->twist;
  for (int i = 0; i < b->n; i++) {
    const double c = b->params[i];
    if (!force_is_on(b, i) || c == 0) continue;
    const line l = line_of(force_frames(b, state), out->pass->pose, &e[i]);
    if (l.length == 0)
      return cdni_state_fail(state, CDN_ERR_SINGULAR, true, out->pass->function, force_name(b, i),
                             "the ends of two-point damper '%s' meet, where its force has no derivative",
                             force_name(b, i));
    const double tension = c * v3_dot(line_direction(&l), line_rate(twist, &e[i], &l));
    cdni_derivative_of_line(out, e[i].body_a, l.r_a, e[i].body_b, l.r_b, tension / l.length, 0, c);
  }
  return CDN_OK;
}

const force_kind cdni_force_two_point_damper = {
  .name = "two_point_damper",
  .element_size = sizeof(two_point),
  .n_params = 1,
  .params = { CDNI_NOT_NEGATIVE("c", "N s/m") },
  .parts = { { .reads = CDN_READS_VELOCITY, .bodies = true, .kernel = FORCE_KERNEL_two_point_damper } },
  .derivative = derivative_of_damper,
  .describe = cdni_describe_two_points,
};

cdn_force cdn_system_add_two_point_damper(cdn_system *system, const char *name, cdn_body a, cdn_vec3 p_A, cdn_body b,
                                          cdn_vec3 p_B, double c) {
  force_adder adder;
  cdni_force_begin(&adder, system, FORCE_TWO_POINT_DAMPER, "cdn_system_add_two_point_damper", name);
  const two_point e = check_ends(&adder, a, p_A, b, p_B);
  return cdni_force_add(&adder, &e, &c);
}

cdn_status cdn_two_point_damper_set(cdn_state *state, cdn_force force, double c) {
  return cdni_force_set(state, force, FORCE_TWO_POINT_DAMPER, "cdn_two_point_damper_set", &c);
}

/* ---- constant force ---- */

static cdn_status fail_force(cdn_state *state, const char *function, const char *name) {
  return cdni_state_fail(state, CDN_ERR_SINGULAR, true, function, name,
                         "the ends of two-point force '%s' meet, where it has no direction: start with them apart",
                         name);
}

static cdn_status derivative_of_force(const force_batch *b, cdn_state *state, cdn_force_derivatives *out) {
  const two_point *e = b->elements;
  for (int i = 0; i < b->n; i++) {
    if (!force_is_on(b, i) || b->params[i] == 0) continue;
    const line l = line_of(force_frames(b, state), out->pass->pose, &e[i]);
    cdni_derivative_of_line(out, e[i].body_a, l.r_a, e[i].body_b, l.r_b, -b->params[i] / l.length, 0, 0);
  }
  return CDN_OK;
}

const force_kind cdni_force_two_point_force = {
  .name = "two_point_force",
  .element_size = sizeof(two_point),
  .n_params = 1,
  .params = { CDNI_ANY("f", "N") },
  .parts = { { .reads = CDN_READS_POSITION, .bodies = true, .kernel = FORCE_KERNEL_two_point_force } },
  .fail = fail_force,
  .derivative = derivative_of_force,
  .describe = cdni_describe_two_points,
};

cdn_force cdn_system_add_two_point_force(cdn_system *system, const char *name, cdn_body a, cdn_vec3 p_A, cdn_body b,
                                         cdn_vec3 p_B, double f) {
  force_adder adder;
  cdni_force_begin(&adder, system, FORCE_TWO_POINT_FORCE, "cdn_system_add_two_point_force", name);
  const two_point e = check_ends(&adder, a, p_A, b, p_B);
  return cdni_force_add(&adder, &e, &f);
}

cdn_status cdn_two_point_force_set(cdn_state *state, cdn_force force, double f) {
  return cdni_force_set(state, force, FORCE_TWO_POINT_FORCE, "cdn_two_point_force_set", &f);
}
