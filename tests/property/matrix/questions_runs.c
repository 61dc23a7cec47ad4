/* shared by tests in this folder */
/* Questions of time: methods against each other, lanes against a State alone, copies and checkpoints to the bit,
 * and motion under contact that has an inverse. */
#include <stdlib.h>

#include <cardan/ensemble.h>
#include <cardan/invertible.h>

#include "matrix.h"
#include "system/system.h"

/* ---- steppers ---- */

/* How a method's error can be judged. Each method has an entry. */
typedef enum judged { BY_ACCURACY, BY_STEPS } judged;
static judged how_judged(cdn_method method) {
  switch (method) {
    case CDN_METHOD_DEFAULT:
    case CDN_METHOD_MERSON:
    case CDN_METHOD_DORMAND_PRINCE:
    case CDN_METHOD_BOGACKI_SHAMPINE:
    case CDN_METHOD_FEHLBERG:
    case CDN_METHOD_DORMAND_PRINCE_8:
    case CDN_METHOD_ADAMS:
    case CDN_METHOD_CVODE_BDF:
    case CDN_METHOD_CVODE_ADAMS:
    case CDN_METHOD_IDA: return BY_ACCURACY;
    case CDN_METHOD_SEMI_EXPLICIT_EULER:
    case CDN_METHOD_SEMI_EXPLICIT_EULER_2:
    case CDN_METHOD_EXPLICIT_EULER:
    case CDN_METHOD_MUJOCO_EULER:
    case CDN_METHOD_MUJOCO_IMPLICIT:
    case CDN_METHOD_MUJOCO_IMPLICIT_FAST:
    case CDN_METHOD_MUJOCO_MIDPOINT:
    case CDN_METHOD_VERLET:
    case CDN_METHOD_TRAPEZOID:
    case CDN_METHOD_MUJOCO_RK4:
    case CDN_METHOD_IMPLICIT_CONTACT: return BY_STEPS;
    case CDN_METHOD_COUNT: break;
  }
  ck_abort_msg("no method");
  return BY_ACCURACY;
}

bool cell_stepper(cell *c, cdn_state *from, cdn_method method, double h, cdn_stepper **out) {
  cdn_stepper_def def = cdn_default_stepper_def();
  def.method = method, def.fixed_step = h, def.accuracy = 1e-8, def.constraint_tolerance = 1e-11;
  def.max_steps = 100000;
  c->method = cdn_method_name(method);
  return cell_call(c, cdn_stepper_create(from, &def, out), "cdn_stepper_create");
}

void cell_y(const cell *c, const cdn_state *state, double *y) {
  memcpy(y, cdn_state_q(state), (size_t)c->nq * sizeof *y);
  memcpy(y + c->nq, cdn_state_u(state), (size_t)c->nu * sizeof *y);
  if (c->nz > 0) memcpy(y + c->nq + c->nu, cdn_state_z(state), (size_t)c->nz * sizeof *y);
}

/* y after `duration`, in steps of h or under error control. */
static bool run(cell *c, cdn_method method, double h, double duration, double *y) {
  cdn_stepper *stepper;
  if (!cell_stepper(c, c->state, method, h, &stepper)) return false;
  const bool ok = cell_call(c, cdn_stepper_advance(stepper, c->t + duration, NULL), "cdn_stepper_advance");
  cell_y(c, cdn_stepper_state(stepper), y);
  cdn_stepper_destroy(stepper);
  return ok;
}

/* The root mean square of n differences; of z in its unit changes (NULL: ones), relative above them. */
static double mean_distance(int n, const double *a, const double *b, bool of_z, const double *unit) {
  double sum = 0;
  for (int i = 0; i < n; i++) {
    const double off = (a[i] - b[i]) / (of_z ? fmax(unit ? unit[i] : 1, fabs(b[i])) : 1);
    sum += off * off;
  }
  return n > 0 ? sqrt(sum / n) : 0;
}

/* In the norm that accuracy is about (docs/accuracy.md). Bristles of friction are counted in micrometres, and a
 * millimetre is their unit change. */
double cell_distance(const cell *c, const double *a, const double *b) {
  const int u = c->nq, z = c->nq + c->nu;
  const double *unit = cdni_system_z_scale(cdn_state_system(c->state));
  const double of_q = mean_distance(c->nq, a, b, false, NULL), of_u = mean_distance(c->nu, a + u, b + u, false, NULL);
  const double of_z = mean_distance(c->nz, a + z, b + z, true, unit);
  return isnan(of_q + of_u + of_z) ? INFINITY : fmax(of_q, fmax(of_u, of_z));
}

/* ---- methods ---- */

/* Whether two methods with error control tell the motion that well: not where soft contacts that slide come and go. */
static bool is_settled(cell *c, double duration, const double *reference, double off) {
  double *other = cell_room(c, (size_t)(c->nq + c->nu + c->nz));
  if (!run(c, CDN_METHOD_BOGACKI_SHAMPINE, 0, duration, other)) return false;
  return cell_distance(c, other, reference) <= 0.1 * off;
}

/* The largest error of runs in few steps. Where a force has a kink, the error is the square of the step times a factor
 * that depends on where in its step the kink falls, and has zeros: one run alone may hit such a zero. */
static bool in_long_steps(cell *c, cdn_method method, double duration, const double *reference, double *off) {
  static const int steps[] = { 16, 19, 23 };
  double *y = cell_room(c, (size_t)(c->nq + c->nu + c->nz));
  *off = 0;
  for (int k = 0; k < 3; k++) {
    if (!run(c, method, duration / steps[k], duration, y)) return false;
    *off = fmax(*off, cell_distance(c, y, reference));
  }
  return true;
}

void ask_method(cell *c) {
  const cdn_method method = (cdn_method)c->turn;
  const double duration = 2e-3;
  const size_t size = (size_t)(c->nq + c->nu + c->nz);
  double *reference = cell_room(c, size), *short_steps = cell_room(c, size);
  if (!cdn_method_is_available(method)) return cell_skip(c);
  const judged by = how_judged(method);
  const double h = by == BY_ACCURACY ? 0 : duration / 128;
  if (!run(c, method, h, duration, short_steps)) return;
  if (!run(c, method == CDN_METHOD_DORMAND_PRINCE_8 ? CDN_METHOD_ADAMS : CDN_METHOD_DORMAND_PRINCE_8, 0, duration,
           reference))
    return;
  const double off = cell_distance(c, short_steps, reference);
  bool right = off <= 2 * 3e-8; /* both runs deliver three accuracies */
  double before = 0;
  if (!right && by == BY_STEPS) {
    /* Steps an eighth as long have an eighth of the error, or less; forces may have kinks. */
    if (!in_long_steps(c, method, duration, reference, &before)) return;
    right = off <= 0.25 * before && off <= 0.1;
  }
  if (!right) c->unsettled = !is_settled(c, duration, reference, off);
  c->method = cdn_method_name(method);
  if (right || c->unsettled) return;
  if (by == BY_ACCURACY) cell_wrong(c, "asked 1e-8, off by %.2g after %g s", off, duration);
  else cell_wrong(c, "off by %.2g in steps of %g, by %.2g in steps of %g", before, 8 * h, off, h);
}

/* ---- lanes ---- */

enum { MEMBERS = 5 };

/* Member k of an ensemble in `other`: displaced, and, if parameters vary, of other masses. */
static bool member(cell *c, const double *v, int k, bool varied) {
  if (!cell_move(c, &(direction){ .q = v, .u = v, .z = v + c->nu }, 1e-4 * k)) return false;
  if (!varied) return true;
  cdn_mass_properties m = cdn_body_mass_properties(c->other, c->s->ball);
  m.mass *= 1 + 0.1 * k;
  return cell_call(c, cdn_body_set_mass_properties(c->other, c->s->ball, m), "cdn_body_set_mass_properties");
}

static bool make_ensemble(cell *c, const double *v, cdn_method method, bool varied, cdn_ensemble **out) {
  cdn_ensemble_def def = cdn_default_ensemble_def();
  def.count = MEMBERS, def.method = method;
  if (varied)
    def.vary = CDN_VARY_FRAMES | CDN_VARY_MASSES | CDN_VARY_FORCES | CDN_VARY_OWN | CDN_VARY_APPLIED |
               CDN_VARY_CONTROLS | CDN_VARY_MOCAP;
  if (!cell_call(c, cdn_ensemble_create(c->state, &def, out), "cdn_ensemble_create")) return false;
  for (int k = 0; k < MEMBERS; k++)
    if (!member(c, v, k, varied) ||
        !cell_call(c, cdn_ensemble_set_state(*out, k, c->other), "cdn_ensemble_set_state")) {
      cdn_ensemble_destroy(*out);
      return false;
    }
  return true;
}

static void same_bits(cell *c, const char *what, int k, const double *got, const double *want, int n) {
  for (int i = 0; i < n; i++)
    if (memcmp(&got[i], &want[i], sizeof *got) != 0) {
      cell_wrong(c, "%s[%d] of State %d is %.17g, alone %.17g", what, i, k, got[i], want[i]);
      return;
    }
}

static void compare_members(cell *c, cdn_ensemble *e, const double *v, bool varied) {
  double *rates[3], *f = cell_room(c, (size_t)(MEMBERS * c->nu)), *alone = cell_room(c, (size_t)c->nu);
  double kinetic[MEMBERS], potential[MEMBERS], energy[2];
  const int n[3] = { c->nq, c->nu, c->nz };
  for (int p = 0; p < 3; p++) {
    rates[p] = cell_room(c, (size_t)(MEMBERS * n[p]));
    if (n[p] > 0) ASK(cdn_ensemble_rates(e, (cdn_pool)p, rates[p], 0));
  }
  ASK(cdn_ensemble_energies(e, kinetic, potential));
  ASK(cdn_ensemble_inverse_dynamics(e, NULL, 0, f, 0));
  for (int k = 0; k < MEMBERS; k++) {
    if (!member(c, v, k, varied)) return;
    ASK(cdn_realize(c->other, CDN_STAGE_ACCELERATION));
    same_bits(c, "qdot", k, rates[0] + k * c->nq, cdn_state_qdot(c->other), c->nq);
    same_bits(c, "udot", k, rates[1] + k * c->nu, cdn_state_udot(c->other), c->nu);
    if (c->nz > 0) same_bits(c, "zdot", k, rates[2] + k * c->nz, cdn_state_zdot(c->other), c->nz);
    ASK(cdn_kinetic_energy(c->other, &energy[0]));
    ASK(cdn_potential_energy(c->other, &energy[1]));
    same_bits(c, "kinetic energy", k, &kinetic[k], &energy[0], 1);
    same_bits(c, "potential energy", k, &potential[k], &energy[1], 1);
    ASK(cdn_inverse_dynamics(c->other, NULL, NULL, NULL, alone));
    same_bits(c, "inverse dynamics", k, f + k * c->nu, alone, c->nu);
  }
}

void ask_lanes(cell *c) {
  cdn_ensemble *e;
  const bool varied = c->turn == 1;
  double *v = cell_room(c, (size_t)(c->nu + c->nz));
  cell_random(c, v, c->nu + c->nz);
  if (!make_ensemble(c, v, CDN_METHOD_DORMAND_PRINCE, varied, &e)) return;
  compare_members(c, e, v, varied);
  cdn_ensemble_destroy(e);
}

/* Whether ensembles take the method. Each method has an entry. */
static bool in_lockstep(cdn_method method) {
  switch (method) {
    case CDN_METHOD_MERSON:
    case CDN_METHOD_DORMAND_PRINCE:
    case CDN_METHOD_BOGACKI_SHAMPINE:
    case CDN_METHOD_FEHLBERG:
    case CDN_METHOD_DORMAND_PRINCE_8:
    case CDN_METHOD_SEMI_EXPLICIT_EULER:
    case CDN_METHOD_EXPLICIT_EULER:
    case CDN_METHOD_TRAPEZOID:
    case CDN_METHOD_MUJOCO_EULER:
    case CDN_METHOD_MUJOCO_IMPLICIT:
    case CDN_METHOD_MUJOCO_IMPLICIT_FAST:
    case CDN_METHOD_MUJOCO_MIDPOINT:
    case CDN_METHOD_MUJOCO_RK4: return true;
    case CDN_METHOD_DEFAULT:
    case CDN_METHOD_ADAMS:
    case CDN_METHOD_VERLET:
    case CDN_METHOD_SEMI_EXPLICIT_EULER_2:
    case CDN_METHOD_CVODE_BDF:
    case CDN_METHOD_CVODE_ADAMS:
    case CDN_METHOD_IDA:
    case CDN_METHOD_IMPLICIT_CONTACT: return false;
    case CDN_METHOD_COUNT: break;
  }
  ck_abort_msg("no method");
  return false;
}

void ask_lanes_advance(cell *c) {
  const cdn_method method = (cdn_method)c->turn;
  const double h = 1e-4;
  const int n = c->nq + c->nu + c->nz;
  cdn_ensemble *e;
  cdn_stepper_def def = cdn_default_stepper_def();
  def.method = method, def.fixed_step = h;
  if (!in_lockstep(method)) return cell_skip(c);
  c->method = cdn_method_name(method);
  bool settles = false;
  for (int i = 0; i < c->s->features; i++) settles = settles || c->s->feature[i]->settles;
  double *v = cell_room(c, (size_t)(c->nu + c->nz)), *got = cell_room(c, (size_t)n), *want = cell_room(c, (size_t)n);
  cell_random(c, v, c->nu + c->nz);
  if (!make_ensemble(c, v, method, false, &e)) return;
  bool ok = cell_call(c, cdn_ensemble_advance(e, h, 2), "cdn_ensemble_advance");
  for (int k = 0; ok && k < MEMBERS; k++) {
    cdn_stepper *stepper = NULL;
    ok = member(c, v, k, false) && cell_call(c, cdn_stepper_create(c->other, &def, &stepper), "cdn_stepper_create");
    if (ok) ok = cell_call(c, cdn_stepper_advance(stepper, c->t + 2 * h, NULL), "cdn_stepper_advance");
    if (ok) cell_y(c, cdn_stepper_state(stepper), want);
    cdn_stepper_destroy(stepper);
    if (ok) ok = cell_call(c, cdn_ensemble_get_state(e, k, c->other), "cdn_ensemble_get_state");
    if (ok) cell_y(c, c->other, got);
    if (ok && !settles) same_bits(c, "y", k, got, want, n);
    /* with statuses a stepper that goes on from another State does as a new one, but not to the bit */
    if (ok && settles) cell_near(c, "y in lanes", got, want, n, largest_of(want, n, 1), 1e-8);
  }
  cdn_ensemble_destroy(e);
}

/* ---- copies and checkpoints ---- */

/* The State's results are those of the cell. */
static void as_before(cell *c, cdn_state *state, const char *what) {
  ASK(cdn_realize(state, CDN_STAGE_ACCELERATION));
  char text[64];
  const struct {
    const char *name;
    const double *got, *want;
    int n;
  } all[] = { { "udot", cdn_state_udot(state), c->udot, c->nu },
              { "qdot", cdn_state_qdot(state), c->qdot, c->nq },
              { "zdot", c->nz ? cdn_state_zdot(state) : NULL, c->zdot, c->nz },
              { "multiplier", c->m ? cdn_state_multipliers(state) : NULL, c->lambda, c->m } };
  for (int i = 0; i < 4; i++) {
    snprintf(text, sizeof text, "%s %s", what, all[i].name);
    if (all[i].n > 0) same_bits(c, text, 0, all[i].got, all[i].want, all[i].n);
  }
}

void ask_copy(cell *c) {
  double *v = cell_room(c, (size_t)(c->nu + c->nz));
  cell_random(c, v, c->nu + c->nz);
  ASK(cdn_state_copy(c->other, c->state));
  as_before(c, c->other, "a copy's");
  /* Another State, and back: results follow from variables alone, and the original has not changed. */
  if (!cell_move(c, &(direction){ .q = v, .u = v, .z = v + c->nu }, 0.05)) return;
  if (cdn_realize(c->other, CDN_STAGE_ACCELERATION) != CDN_OK) return;
  ASK(cdn_state_set_q(c->other, c->q));
  ASK(cdn_state_set_u(c->other, c->u));
  if (c->nz > 0) ASK(cdn_state_set_z(c->other, c->z));
  as_before(c, c->other, "a State's that went and came back");
  as_before(c, c->state, "the original's");
}

/* The same System built once more. */
static bool build_again(cell *c, scene *again) {
  scene_build(again, c->s->feature, c->s->features, c->s->size, c->s->seed);
  if (again->state) return true;
  cell_wrong(c, "the System could not be built again: %s", cdn_last_error_text());
  scene_drop(again);
  return false;
}

void ask_checkpoint(cell *c) {
  cdn_buffer bytes = { 0 };
  scene again;
  ASK(cdn_state_save(c->state, cdn_buffer_write, &bytes));
  if (build_again(c, &again)) {
    if (cell_call(c, cdn_state_load(again.state, cdn_buffer_read, &bytes), "cdn_state_load"))
      as_before(c, again.state, "a loaded State's");
    scene_drop(&again);
  }
  cdn_buffer_free(&bytes);
}

static bool take_steps(cell *c, cdn_stepper *stepper, int n, double *y) {
  for (int k = 0; k < n; k++)
    if (!cell_call(c, cdn_stepper_step(stepper, INFINITY), "cdn_stepper_step")) return false;
  cell_y(c, cdn_stepper_state(stepper), y);
  return true;
}

void ask_run_checkpoint(cell *c) {
  const cdn_method method = (cdn_method)c->turn;
  const int n = c->nq + c->nu + c->nz;
  cdn_stepper *stepper, *loaded = NULL;
  cdn_buffer bytes = { 0 };
  double *want = cell_room(c, (size_t)n), *got = cell_room(c, (size_t)n);
  if (!cdn_method_is_available(method)) return cell_skip(c);
  if (!cell_stepper(c, c->state, method, cdn_method_needs_fixed_step(method) ? 1e-4 : 0, &stepper)) return;
  if (take_steps(c, stepper, 3, want) &&
      cell_call(c, cdn_stepper_save(stepper, cdn_buffer_write, &bytes), "cdn_stepper_save") &&
      cell_call(c, cdn_stepper_load(c->other, NULL, NULL, cdn_buffer_read, &bytes, &loaded), "cdn_stepper_load") &&
      take_steps(c, stepper, 3, want) && take_steps(c, loaded, 3, got))
    same_bits(c, "y of a loaded run", 0, got, want, n);
  cdn_stepper_destroy(loaded);
  cdn_stepper_destroy(stepper);
  cdn_buffer_free(&bytes);
}

/* c->other becomes `state` by its vector. */
static bool put_back(cell *c, cdn_state *state) {
  const int n = cdn_state_vector_size(state, CDN_VECTOR_INTEGRATION);
  double *vector = cell_room(c, (size_t)n);
  return cell_call(c, cdn_state_get_vector(state, CDN_VECTOR_INTEGRATION, n, vector), "cdn_state_get_vector") &&
         cell_call(c, cdn_state_set_vector(c->other, CDN_VECTOR_INTEGRATION, n, vector), "cdn_state_set_vector");
}

void ask_vector(cell *c) {
  double *v = cell_room(c, (size_t)c->nu);
  cell_random(c, v, c->nu);
  if (!cell_move(c, &(direction){ .q = v, .u = v }, 0.05)) return;
  if (put_back(c, c->state)) as_before(c, c->other, "a State's that got the vector");
}

/* Two runs that start from a State in the middle of a run, and from its vector. */
void ask_run_vector(cell *c) {
  const cdn_method method = (cdn_method)c->turn;
  const int n = c->nq + c->nu + c->nz;
  cdn_stepper *before, *run[2] = { NULL, NULL };
  double *y[2] = { cell_room(c, (size_t)n), cell_room(c, (size_t)n) };
  if (!cdn_method_is_available(method)) return cell_skip(c);
  const double fixed = cdn_method_needs_fixed_step(method) ? 1e-4 : 0;
  if (!cell_stepper(c, c->state, method, fixed, &before)) return;
  bool good = take_steps(c, before, 3, y[0]) && put_back(c, cdn_stepper_state(before));
  for (int i = 0; i < 2 && good; i++)
    good = cell_stepper(c, i ? c->other : cdn_stepper_state(before), method, fixed, &run[i]) &&
           take_steps(c, run[i], 3, y[i]);
  if (good) same_bits(c, "y of a run from a vector", 0, y[1], y[0], n);
  for (int i = 0; i < 2; i++) cdn_stepper_destroy(run[i]);
  cdn_stepper_destroy(before);
}

/* ---- invertible contact ---- */

/* A step's impulses change u by what contact does, beside udot; inverse dynamics of the path is zero. */
static void check_invertible(cell *c, cdn_invertible_motion *motion, double h) {
  cdn_state *state = cdn_invertible_motion_state(motion);
  double *u = cell_room(c, (size_t)c->nu), *change = cell_room(c, (size_t)c->nu), *got = cell_room(c, (size_t)c->nu);
  double *want = cell_room(c, (size_t)c->nu), *path = cell_room(c, (size_t)(3 * c->nq)),
         *tau = cell_room(c, (size_t)c->nu);
  double *zero = cell_room(c, (size_t)c->nu);
  cdn_spatial F[SCENE_MOST_BODIES] = { 0 };
  memcpy(path, cdn_state_q(state), (size_t)c->nq * sizeof *path);
  ASK(cdn_invertible_motion_advance(motion, 1));
  memcpy(path + c->nq, cdn_state_q(state), (size_t)c->nq * sizeof *path);
  ASK(cdn_realize(state, CDN_STAGE_ACCELERATION));
  ASK(cdn_state_copy(c->other, state));
  memcpy(u, cdn_state_u(state), (size_t)c->nu * sizeof *u);
  memcpy(change, cdn_state_udot(state), (size_t)c->nu * sizeof *u);
  ASK(cdn_invertible_motion_advance(motion, 1));
  memcpy(path + 2 * c->nq, cdn_state_q(state), (size_t)c->nq * sizeof *path);
  for (int k = 0; k < c->nu; k++) change[k] = c->prescribed[k] ? 0 : cdn_state_u(state)[k] - u[k] - h * change[k];
  for (int i = 0; i < cdn_invertible_motion_contact_count(motion); i++) {
    cdn_invertible_contact contact;
    ASK(cdn_invertible_motion_get_contact(motion, i, &contact));
    for (int side = 0; side < 2; side++) {
      const cdn_body body = cdn_shape_body(cdn_state_system(state), side ? contact.b : contact.a);
      const cdn_vec3 f = cdn_scale(side ? 1 : -1, contact.impulse);
      cdn_transform X;
      ASK(cdn_body_pose(c->other, body, &X));
      F[body.i].v = cdn_add(F[body.i].v, f);
      F[body.i].w = cdn_add(F[body.i].w, cdn_cross(cdn_sub(contact.point, X.p), f));
    }
  }
  ASK(cdn_multiply_by_J_transpose(c->other, F, want));
  ASK(cdn_multiply_by_M(c->other, change, got));
  for (int k = 0; k < c->nu; k++)
    if (c->prescribed[k]) got[k] = want[k] = 0;
  if (c->m == 0)
    cell_near(c, "impulse of a step with an inverse", got, want, c->nu,
              largest_of(want, c->nu, largest_of(u, c->nu, 1)), 1e-9);
  /* What reads t and z reads those of the step. */
  ASK(cdn_state_set_time(state, cdn_state_time(c->other)));
  if (c->nz > 0) ASK(cdn_state_set_z(state, cdn_state_z(c->other)));
  ASK(cdn_invertible_motion_inverse(motion, 3, path, tau));
  cell_near(c, "tau of a motion with an inverse", tau, zero, c->nu, largest_of(c->udot, c->nu, 1) + 1 / h, 1e-6);
}

void ask_invertible(cell *c) {
  /* refused while shapes touch rigidly, which others may have changed */
  for (int i = 0; i < c->s->features; i++)
    if (c->s->feature[i]->contact == RIGID_CONTACT) return cell_skip(c);
  cdn_invertible_motion *motion;
  cdn_invertible_motion_def def = cdn_default_invertible_motion_def();
  cdn_invertible_law law = cdn_default_invertible_law();
  law.w_max = 0.02, law.elastic = 0.1, law.kappa = 1e-3;
  def.step = 1e-3, def.keep_stops = true, def.law = &law;
  if (!cell_call(c, cdn_invertible_motion_create(c->state, &def, &motion), "cdn_invertible_motion_create")) return;
  check_invertible(c, motion, def.step);
  cdn_invertible_motion_destroy(motion);
}
