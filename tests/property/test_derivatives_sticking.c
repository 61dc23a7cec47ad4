/* Derivatives of friction that sticks, and of what it remembers, of balls and capsules: by q, u and z, against
 * differences. Some contacts stick and some slide. */
#include "random_tree.h"

#include <cardan/derivatives.h>

typedef struct options {
  bool rolling, belts, capsule, capsules;
  cdn_geometry_kind edges; /* of the second body, if it is no sphere */
} options;

typedef struct scene {
  cdn_state *state;
  int nq, nu, nz;
  double *q, *u, *z, *udot;
} scene;

static double *numbers(int n) {
  double *x = calloc((size_t)n + 1, sizeof *x);
  ck_assert_ptr_nonnull(x);
  return x;
}

static scene make_scene(uint64_t seed, options o, int *sticks, int *slides) {
  tree_options shape = { .bodies = 2 + (int)(seed % 4), .shape = seed, .numbers = seed };
  random_tree tree = make_random_tree(&shape);
  rng r = rng_of(seed + 11);
  cdn_contact_def contact = cdn_default_contact_def();
  contact.parent_child = true, contact.transition_velocity = 0.5, contact.friction = CDN_FRICTION_STICKING;
  cdn_system_set_contact(tree.system, &contact);
  for (int i = 0; i <= tree.bodies; i++) {
    cdn_contact_material m = cdn_default_contact_material();
    m.modulus = 10 * (1 + i % 3), m.dissipation = 0.03;
    m.static_friction = 0.8, m.dynamic_friction = 0.5, m.viscous_friction = 0.1, m.torsional_friction = 0.2;
    m.rolling_friction = o.rolling ? 0.1 : 0;
    cdn_shape_def def = cdn_default_shape_def();
    def.body.i = i, def.material = &m;
    def.X_BS = (cdn_transform){ cdn_rotation_axis_angle(random_vec3(&r, 1), 2), random_vec3(&r, 0.3) };
    def.geometry.kind = i == 0                                ? CDN_GEOMETRY_HALF_SPACE
                        : o.capsules || (i == 2 && o.capsule) ? CDN_GEOMETRY_CAPSULE
                                                              : CDN_GEOMETRY_SPHERE;
    def.geometry.size[0] = 0.8 + 0.1 * (i % 4), def.geometry.size[1] = 0.7;
    if (o.edges && i == 0) def.geometry.kind = CDN_GEOMETRY_SPHERE;
    if (o.edges && i == 2) def.geometry = (cdn_geometry){ .kind = o.edges, .size = { 0.6, 0.9, 0.7 } };
    if (o.belts) def.surface_velocity = random_vec3(&r, 1), def.surface_spin = random_vec3(&r, 1);
    cdn_system_add_shape(tree.system, &def);
  }
  scene s = { .state = random_tree_state(&tree, seed) };
  const cdn_system *system = cdn_state_system(s.state);
  s.nq = cdn_system_nq(system), s.nu = cdn_system_nu(system), s.nz = cdn_system_nz(system);
  s.q = numbers(s.nq), s.u = numbers(s.nu), s.z = numbers(s.nz), s.udot = numbers(s.nu);
  memcpy(s.q, cdn_state_q(s.state), (size_t)s.nq * sizeof *s.q);
  memcpy(s.u, cdn_state_u(s.state), (size_t)s.nu * sizeof *s.u);
  /* micrometres: displacements of a few metres, as the bodies are so soft */
  random_numbers(&r, seed % 2 ? 3e5 : 3e6, s.z, s.nz);
  random_numbers(&r, 3, s.udot, s.nu);
  OK_ON(s.state, cdn_state_set_z(s.state, s.z));
  int n;
  OK_ON(s.state, cdn_contact_count(s.state, &n));
  for (int i = 0; i < n; i++) {
    cdn_contact c;
    OK_ON(s.state, cdn_contact_get(s.state, i, &c));
    if (c.slot >= 0 && c.force > 0) *(c.sticks ? sticks : slides) += 1;
  }
  return s;
}

static void free_scene(scene *s) {
  cdn_state_destroy(s->state);
  free(s->q), free(s->u), free(s->z), free(s->udot);
}

enum { ALONG_Q, ALONG_U, ALONG_Z };

static void displace(scene *s, int what, int k, double h) {
  double *x = numbers(s->nq + s->nu + s->nz), *unit = numbers(s->nu);
  OK_ON(s->state, cdn_state_set_q(s->state, s->q));
  OK_ON(s->state, cdn_state_set_u(s->state, s->u));
  OK_ON(s->state, cdn_state_set_z(s->state, s->z));
  if (what == ALONG_Q) {
    unit[k] = 1;
    OK_ON(s->state, cdn_multiply_by_N(s->state, unit, x));
    for (int i = 0; i < s->nq; i++) x[i] = s->q[i] + h * x[i];
    OK_ON(s->state, cdn_state_set_q(s->state, x));
  } else if (what == ALONG_U) {
    memcpy(x, s->u, (size_t)s->nu * sizeof *x);
    x[k] += h;
    OK_ON(s->state, cdn_state_set_u(s->state, x));
  } else {
    memcpy(x, s->z, (size_t)s->nz * sizeof *x);
    x[k] += h;
    OK_ON(s->state, cdn_state_set_z(s->state, x));
  }
  free(x), free(unit);
}

/* nu numbers of forces, then nz rates. */
static void evaluate(scene *s, double *out) {
  OK_ON(s->state, cdn_residual(s->state, s->udot, out));
  const double *zdot = cdn_state_zdot(s->state);
  ck_assert_ptr_nonnull(zdot);
  memcpy(out + s->nu, zdot, (size_t)s->nz * sizeof *out);
}

/* Columns of the derivatives by differences of the fourth order; every element of `forces` and `rates` to a part of the
 * largest one. */
static void compare(scene *s, int what, int columns, double h, const double *forces, const double *rates) {
  const int n = s->nu + s->nz;
  double *at[4], largest[2] = { 1e-3, 1e-3 };
  for (int i = 0; i < 4; i++) at[i] = numbers(n);
  if (what == ALONG_Z) largest[0] = 1e-9;
  for (int i = 0; i < s->nu * columns; i++) largest[0] = fmax(largest[0], fabs(forces[i]));
  for (int i = 0; i < s->nz * columns; i++) largest[1] = fmax(largest[1], fabs(rates[i]));
  for (int k = 0; k < columns; k++) {
    for (int i = 0; i < 4; i++) {
      displace(s, what, k, (i < 2 ? -h : h) * (i % 3 == 0 ? 2 : 1));
      evaluate(s, at[i]);
    }
    for (int i = 0; i < n; i++) {
      const double truth = (8 * (at[2][i] - at[1][i]) - (at[3][i] - at[0][i])) / (12 * h);
      const double known = i < s->nu ? forces[i * columns + k] : rates[(i - s->nu) * columns + k];
      const double size = largest[i >= s->nu];
      ck_assert_msg(fabs(known - truth) <= 2e-7 * size,
                    "%s of %s %d by %c %d: %.10g, by differences %.10g (largest %g)", "derivative",
                    i < s->nu ? "force" : "rate", i < s->nu ? i : i - s->nu, "quz"[what], k, known, truth, size);
    }
  }
  displace(s, ALONG_U, 0, 0);
  for (int i = 0; i < 4; i++) free(at[i]);
}

static void check_scenes(options o) {
  int sticks = 0, slides = 0;
  for (uint64_t seed = 1; seed <= FEWER(24); seed++) {
    scene s = make_scene(seed, o, &sticks, &slides);
    const int nu = s.nu, nz = s.nz;
    double *tau[3] = { numbers(nu * nu), numbers(nu * nu), numbers(nu * nz) };
    double *rate[3] = { numbers(nz * nu), numbers(nz * nu), numbers(nz * nz) };
    OK_ON(s.state, cdn_inverse_dynamics_derivatives(s.state, s.udot, tau[0], tau[1], tau[2]));
    OK_ON(s.state, cdn_calc_zdot_derivatives(s.state, rate[0], rate[1], rate[2]));
    compare(&s, ALONG_Q, nu, 2e-5, tau[0], rate[0]);
    compare(&s, ALONG_U, nu, 2e-5, tau[1], rate[1]);
    compare(&s, ALONG_Z, nz, 100, tau[2], rate[2]);
    for (int i = 0; i < 3; i++) free(tau[i]), free(rate[i]);
    free_scene(&s);
  }
  ck_assert_int_gt(sticks + slides, FEWER(5));
  if (!SANITIZED) ck_assert(sticks > 5 && slides > 5);
}

START_TEST(sliding_and_torsion) { check_scenes((options){ .rolling = false }); }
END_TEST
START_TEST(rolling) { check_scenes((options){ .rolling = true }); }
END_TEST
START_TEST(belts) { check_scenes((options){ .rolling = true, .belts = true }); }
END_TEST
START_TEST(capsules) {
  check_scenes((options){ .capsule = true });
  check_scenes((options){ .rolling = true, .belts = true, .capsules = true });
}
END_TEST

/* On edges and faces; of ellipsoids the patch grows as its curvatures do. */
START_TEST(edges) {
  check_scenes((options){ .rolling = true, .edges = CDN_GEOMETRY_BOX });
  check_scenes((options){ .rolling = true, .capsules = true, .edges = CDN_GEOMETRY_CYLINDER });
  check_scenes((options){ .rolling = true, .belts = true, .edges = CDN_GEOMETRY_ELLIPSOID });
}
END_TEST

CHECK_MAIN("derivatives_sticking", sliding_and_torsion, rolling, belts, capsules, edges)
