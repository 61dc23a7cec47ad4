/* Whole robots against an independent computation: inverse dynamics, mass matrix, accelerations, energy.
 * The numbers are in tests/data/urdf_dynamics.json, with their source; the models are not part of the repository: they
 * are looked for in the folder that CARDAN_SHARED names, and a robot that is not there is skipped. */
#include "testing.h"

#include <jansson.h>
#include <stdio.h>
#include <unistd.h>

typedef struct robot {
  json_t *facts;
  cdn_model *model;
  cdn_state *state;
  int n, n_bodies;
  cdn_spatial *F_G; /* gravity's forces; dampers act on mobilities and are left out */
} robot;

static json_t *load_facts(void) {
  char path[1024];
  const char *root = getenv("CARDAN_SOURCE_ROOT");
  snprintf(path, sizeof path, "%s/tests/data/urdf_dynamics.json", root ? root : ".");
  json_error_t error;
  json_t *facts = json_load_file(path, 0, &error);
  ck_assert_msg(facts != NULL, "%s: %s", path, error.text);
  return facts;
}

static double *numbers(const json_t *facts, const char *name, int n) {
  const json_t *array = json_object_get(facts, name);
  ck_assert_int_eq((int)json_array_size(array), n);
  double *values = malloc((size_t)n * sizeof *values);
  for (int i = 0; i < n; i++) values[i] = json_number_value(json_array_get(array, (size_t)i));
  return values;
}

static double largest(const double *values, int n) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(values[i]));
  return most;
}

/* All of `ours` within `tolerance` times the largest of the truth. */
static void compare(const robot *r, const char *name, const double *ours, double tolerance) {
  double *truth = numbers(r->facts, name, r->n);
  const double scale = largest(truth, r->n);
  for (int i = 0; i < r->n; i++)
    ck_assert_msg(fabs(ours[i] - truth[i]) <= tolerance * scale, "%s, %s[%d]: %.17g, not %.17g (%.2g of the largest)",
                  cdn_model_name(r->model), name, i, ours[i], truth[i], fabs(ours[i] - truth[i]) / scale);
  free(truth);
}

/* False if the file is not there. */
static bool open_robot(robot *r, json_t *facts, bool floating_base) {
  char path[1024];
  const char *shared = getenv("CARDAN_SHARED");
  snprintf(path, sizeof path, "%s/models/urdf/%s", shared ? shared : "../shared",
           json_string_value(json_object_get(facts, "file")));
  if (access(path, R_OK) != 0) return false;
  cdn_model_options options = cdn_default_model_options();
  options.tree_only = true;
  options.floating_base = floating_base;
  *r = (robot){ .facts = facts };
  cdn_status status = cdn_model_load(path, &options, &r->model);
  cdn_error error;
  cdn_model_last_error(r->model, &error);
  ck_assert_msg(status == CDN_OK, "%s", error.text);
  const cdn_system *system = cdn_model_system(r->model);
  r->n = cdn_system_nu(system);
  r->n_bodies = cdn_system_body_count(system);
  OK(cdn_state_create(system, &r->state));
  r->F_G = malloc((size_t)r->n_bodies * sizeof *r->F_G);
  return true;
}

static void close_robot(robot *r) {
  cdn_state_destroy(r->state);
  cdn_model_destroy(r->model);
  free(r->F_G);
}

static void set_state(robot *r) {
  double *q = numbers(r->facts, "q", r->n), *u = numbers(r->facts, "u", r->n);
  OK_ON(r->state, cdn_state_set_q(r->state, q));
  OK_ON(r->state, cdn_state_set_u(r->state, u));
  OK_ON(r->state, cdn_applied_forces(r->state, r->F_G, NULL));
  free(q);
  free(u);
}

static void check_listing(const robot *r) {
  const json_t *names = json_object_get(r->facts, "joints");
  ck_assert_int_eq(cdn_model_joint_count(r->model), (int)json_array_size(names));
  for (int i = 0; i < cdn_model_joint_count(r->model); i++) {
    const cdn_model_joint joint = cdn_model_get_joint(r->model, i);
    ck_assert_str_eq(joint.name, json_string_value(json_array_get(names, (size_t)i)));
    ck_assert_int_eq(joint.first_q, i);
    ck_assert_int_eq(joint.first_u, i);
  }
  double total, moving;
  OK_ON(r->state, cdn_system_mass(r->state, &total, &moving));
  const double truth = json_number_value(json_object_get(r->facts, "total_mass"));
  NEAR(total, truth, 1e-14 * truth * r->n_bodies); /* a rounding a body */
}

/* Inverse dynamics sums as many terms as there are bodies: some hundred roundings of the largest torque. */
static const double sum_tolerance = 1e-12;

static void check_inverse_dynamics(robot *r) {
  double *udot = numbers(r->facts, "udot", r->n), *tau = malloc((size_t)r->n * sizeof *tau);
  OK_ON(r->state, cdn_inverse_dynamics(r->state, udot, r->F_G, NULL, tau));
  compare(r, "tau", tau, sum_tolerance);
  OK_ON(r->state, cdn_inverse_dynamics(r->state, NULL, r->F_G, NULL, tau));
  compare(r, "tau_at_rest_acceleration", tau, sum_tolerance);
  OK_ON(r->state, cdn_multiply_by_J_transpose(r->state, r->F_G, tau));
  for (int i = 0; i < r->n; i++) tau[i] = -tau[i];
  compare(r, "gravity_tau", tau, sum_tolerance);
  free(udot);
  free(tau);
}

static void check_mass_matrix(robot *r) {
  double *M = malloc((size_t)(r->n * r->n) * sizeof *M), *diagonal = malloc((size_t)r->n * sizeof *diagonal);
  OK_ON(r->state, cdn_calc_M(r->state, M));
  for (int i = 0; i < r->n; i++) diagonal[i] = M[i * r->n + i];
  compare(r, "M_diagonal", diagonal, sum_tolerance);
  compare(r, "M_first_row", M, sum_tolerance);
  free(M);
  free(diagonal);
}

static void check_forward_dynamics(robot *r) {
  double *udot = malloc((size_t)r->n * sizeof *udot), energy;
  OK_ON(r->state, cdn_forward_dynamics(r->state, r->F_G, NULL, udot, NULL));
  /* Accelerations feel the mass matrix's condition, of up to some ten thousand for fingers on an arm. */
  compare(r, "qdd", udot, 1e-10);
  OK_ON(r->state, cdn_kinetic_energy(r->state, &energy));
  const double truth = json_number_value(json_object_get(r->facts, "kinetic_energy"));
  NEAR(energy, truth, sum_tolerance * truth);
  free(udot);
}

START_TEST(test_robots) {
  json_t *facts = load_facts(), *robots = json_object_get(facts, "robots");
  int missing = 0;
  for (size_t i = 0; i < json_array_size(robots); i++) {
    robot r;
    if (!open_robot(&r, json_array_get(robots, i), false)) {
      missing++;
      continue;
    }
    check_listing(&r);
    set_state(&r);
    check_inverse_dynamics(&r);
    check_mass_matrix(&r);
    check_forward_dynamics(&r);
    close_robot(&r);
  }
  json_decref(facts);
  if (missing) SKIP("%d robots are not there", missing);
}
END_TEST

/* Set free, a robot under gravity alone and at rest falls as one: the base at g, no joint moving. */
START_TEST(test_free_fall) {
  json_t *facts = load_facts(), *robots = json_object_get(facts, "robots");
  int missing = 0;
  for (size_t i = 0; i < json_array_size(robots); i++) {
    robot r;
    if (!open_robot(&r, json_array_get(robots, i), true)) {
      missing++;
      continue;
    }
    ck_assert_str_eq(cdn_model_get_joint(r.model, 0).kind, "free");
    double total, moving;
    OK_ON(r.state, cdn_system_mass(r.state, &total, &moving));
    NEAR(moving, total, 0);
    double *udot = malloc((size_t)r.n * sizeof *udot);
    OK_ON(r.state, cdn_applied_forces(r.state, r.F_G, NULL));
    cdn_status status = cdn_forward_dynamics(r.state, r.F_G, NULL, udot, NULL);
    /* Some root links have no mass, nor anything fixed to them that has: no acceleration is defined then. */
    if (status != CDN_ERR_SINGULAR) {
      OK_ON(r.state, status);
      for (int k = 0; k < r.n; k++) NEAR(udot[k], k == 5 ? -9.81 : 0, 1e-9); /* 1e-10 of g, by the condition as above */
    }
    free(udot);
    close_robot(&r);
  }
  json_decref(facts);
  if (missing) SKIP("%d robots are not there", missing);
}
END_TEST

CHECK_MAIN("urdf_reference", test_robots, test_free_fall)
