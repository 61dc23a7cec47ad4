/* shared by tests in this folder */
/* Questions of studies: where a model rests, impulses, goals of an assembly, and what runs say of their own errors. */
#include <cardan/deliver.h>
#include <cardan/equilibrium.h>
#include <cardan/modes.h>

#include "hybrid/hybrid.h"
#include "matrix.h"
#include "studies/assembly.h"

/* ---- equilibrium ---- */

/* Whether a message has the name of a body, of a constraint, or of a motion. */
static bool names_something(const cell *c, const char *text) {
  const cdn_system *system = cdn_state_system(c->state);
  bool any = false;
  for (int i = 1; i < c->nb; i++) any = any || strstr(text, cdn_body_name(system, (cdn_body){ i }));
  for (int i = 0; i < cdn_system_constraint_count(system); i++)
    any = any || strstr(text, cdn_constraint_name(system, (cdn_constraint){ i }));
  return any;
}

/* How much udot changes with displacements that are rounding, of 1e-13: where that is all of it, two points have met
 * that pull at each other, and nothing is smaller. */
static bool rounding_of_rest(cdn_state *state, cell *c, double *noise) {
  double *v = cell_room(c, (size_t)c->nu), *q = cell_room(c, (size_t)c->nq), *udot = cell_room(c, (size_t)c->nu);
  cell_random(c, v, c->nu);
  memcpy(udot, cdn_state_udot(state), (size_t)c->nu * sizeof *udot);
  cdn_status status = cdn_multiply_by_N(state, v, q);
  for (int i = 0; i < c->nq; i++) q[i] = cdn_state_q(state)[i] + 1e-13 * q[i];
  if (status == CDN_OK) status = cdn_state_set_q(state, q);
  if (status == CDN_OK) status = cdn_realize(state, CDN_STAGE_ACCELERATION);
  *noise = 0;
  for (int k = 0; k < c->nu && status == CDN_OK; k++) *noise = fmax(*noise, fabs(udot[k] - cdn_state_udot(state)[k]));
  return cell_call(c, status, "to displace a State at rest");
}

/* What was driven is held where it is. */
static bool hold_driven(cell *c, cdn_state *state) {
  const cdn_system *system = cdn_state_system(state);
  cdn_status status = CDN_OK;
  for (int b = 1; b < c->nb && status == CDN_OK; b++)
    if (cdn_body_nu(system, (cdn_body){ b }) > 0 && c->prescribed[cdn_body_first_u(system, (cdn_body){ b })])
      status = cdn_body_lock(state, (cdn_body){ b }, CDN_LEVEL_POSITION);
  return cell_call(c, status, "cdn_body_lock");
}

/* Refused for rows that act, which is meant to be: rows of a provider or soft ones, of a feature of the scene. */
static bool refused_for_rows(const cell *c, cdn_status status) {
  bool any = false;
  for (int i = 0; i < c->s->features; i++) any = any || c->s->feature[i]->soft || c->s->feature[i]->law;
  return any && status == CDN_ERR_UNSUPPORTED && strstr(cdn_last_error_text(), "rows of '");
}

void ask_equilibrium(cell *c) {
  cdn_equilibrium_def def = cdn_default_equilibrium_def();
  cdn_equilibrium report;
  double *zero = cell_room(c, (size_t)c->nu), *b = cell_room(c, (size_t)c->m), *f = cell_room(c, (size_t)c->nu);
  double *D = cell_room(c, (size_t)(c->nu * c->nu)), *left = cell_room(c, (size_t)c->nu), before = 0, noise;
  for (int i = 0; i < c->s->features; i++)
    if (c->s->feature[i]->tip) return cell_skip(c);
  def.most_iterations = 60;
  ASK(cdn_state_copy(c->other, c->state));
  ASK(hold_driven(c, c->other) ? CDN_OK : CDN_ERR_ARG);
  ASK(cdn_state_set_u(c->other, zero));
  if (cdn_realize(c->other, CDN_STAGE_ACCELERATION) == CDN_ERR_SINGULAR) return cell_skip(c); /* rows contradict here */
  before = largest_of(cdn_state_udot(c->other), c->nu, 1);
  ASK(cdn_state_copy(c->other, c->state));
  const cdn_status status = cdn_find_equilibrium(c->other, &def, &report);
  if (refused_for_rows(c, status)) return;
  if (status == CDN_ERR_LIMIT || status == CDN_ERR_CONSTRAINT) { /* it falls */
    if (!names_something(c, cdn_last_error_text())) cell_wrong(c, "no name is in: %s", cdn_last_error_text());
    if (memcmp(cdn_state_q(c->other), c->q, (size_t)c->nq * sizeof *c->q) != 0) cell_wrong(c, "q has changed");
    if (memcmp(cdn_state_u(c->other), c->u, (size_t)c->nu * sizeof *c->u) != 0) cell_wrong(c, "u has changed");
    return;
  }
  ASK(status);
  cell_near(c, "u at rest", cdn_state_u(c->other), zero, c->nu, 1, 0);
  if (!hold_driven(c, c->other)) return;
  ASK(cdn_realize(c->other, CDN_STAGE_ACCELERATION));
  if (c->m > 0) ASK(cdn_calc_constraint_bias(c->other, b));
  if (largest_of(b, c->m, 0) == 0) {
    memcpy(f, cdn_state_udot(c->other), (size_t)c->nu * sizeof *f);
    if (rounding_of_rest(c->other, c, &noise))
      cell_near(c, "udot at rest", f, zero, c->nu, before, 1e-6 + 2 * noise / before);
  } else { /* constraints demand motion: no force is left along what they leave free */
    int n;
    ASK(cdn_displacement_basis(c->other, D, &n));
    ASK(cdn_multiply_by_M(c->other, cdn_state_udot(c->other), f));
    for (int i = 0; i < n; i++)
      for (int k = 0; k < c->nu; k++) left[i] += D[i * c->nu + k] * f[k];
    cell_near(c, "forces along what is free", left, zero, n, largest_of(f, c->nu, 1), 1e-6);
  }
  if (report.unstable > 0) cell_wrong(c, "%d directions of a stable equilibrium are unstable", report.unstable);
}

/* ---- impulses ---- */

/* M du + G^T lambda + tau = f, G du = b, du as known where it is prescribed; and, where all of G u and of what is
 * prescribed is stopped, the kinetic energy that is lost is that of the change (Carnot). */
static void check_impulses(cell *c, const double *f, const double *b, const double *known, double *du) {
  double *lambda = cell_room(c, (size_t)c->m), *tau = cell_room(c, (size_t)c->nu), *sum = cell_room(c, (size_t)c->nu);
  double *push = cell_room(c, (size_t)c->nu), *change = cell_room(c, (size_t)c->m);
  ASK(cdn_solve_impulses(c->state, f, b, known, du, lambda, tau));
  ASK(cdn_multiply_by_M(c->state, du, sum));
  const double size = largest_of(sum, c->nu, 1);
  if (c->m > 0) {
    ASK(cdn_multiply_by_G_transpose(c->state, lambda, push));
    ASK(cdn_multiply_by_G(c->state, du, change));
    cell_near(c, "G du", change, b, c->m, largest_of(b, c->m, largest_of(du, c->nu, 1)), 1e-9);
  }
  for (int k = 0; k < c->nu; k++) {
    sum[k] += push[k] + tau[k];
    if (c->prescribed[k]) cell_near(c, "du that is known", &du[k], &known[k], 1, 1, 0);
    else cell_near(c, "tau of a free mobility", &tau[k], &(double){ 0 }, 1, 1, 0);
  }
  cell_near(c, "M du + G^T lambda + tau", sum, f, c->nu, fmax(size, largest_of(push, c->nu, largest_of(tau, c->nu, 1))),
            1e-9);
}

static double energy_of(cell *c, const double *u) {
  double *p = cell_room(c, (size_t)c->nu), sum = 0;
  if (!cell_call(c, cdn_multiply_by_M(c->state, u, p), "cdn_multiply_by_M")) return NAN;
  for (int k = 0; k < c->nu; k++) sum += u[k] * p[k] / 2;
  return sum;
}

void ask_impulses(cell *c) {
  double *f = cell_room(c, (size_t)c->nu), *known = cell_room(c, (size_t)c->nu), *b = cell_room(c, (size_t)c->m);
  double *u = cell_room(c, (size_t)c->nu), *du = cell_room(c, (size_t)c->nu), *zero = cell_room(c, (size_t)c->nu);
  cell_random(c, f, c->nu);
  cell_random(c, known, c->nu);
  cell_random(c, u, c->nu);
  for (int k = 0; k < c->nu; k++) du[k] = c->prescribed[k] ? known[k] : u[k];
  if (c->m > 0) ASK(cdn_multiply_by_G(c->state, du, b)); /* changes that can be had */
  check_impulses(c, f, b, known, du);
  /* speeds that nothing allows are stopped */
  if (c->m > 0) ASK(cdn_multiply_by_G(c->state, u, b));
  for (int k = 0; k < c->nu; k++) known[k] = c->prescribed[k] ? -u[k] : 0;
  for (int i = 0; i < c->m; i++) b[i] = -b[i];
  check_impulses(c, zero, b, known, du);
  const double lost = energy_of(c, du), first = energy_of(c, u);
  for (int k = 0; k < c->nu; k++) u[k] += du[k];
  const double got = first - energy_of(c, u);
  cell_near(c, "kinetic energy that is lost", &got, &lost, 1, first, 1e-9);
}

/* ---- goals of an assembly ---- */

/* Of the user's: how far a body is from the origin, and how fast its place turns with itself; no derivatives. */
static cdn_status far_away(const void *self, cdn_state *state, double *r) {
  cdn_vec3 p;
  CDN_TRY(cdn_body_station(state, *(const cdn_body *)self, cdn_v3(0.1, -0.2, 0.3), &p, NULL));
  r[0] = cdn_norm(p) - 1, r[1] = sin(p.x) * p.y;
  return CDN_OK;
}

static bool add_goals(cell *c, cdn_assembly *a) {
  scene *s = c->s;
  const cdn_goal_ops own = {
    .struct_size = sizeof own, .name = "far away", .self_size = sizeof(cdn_body), .rows = 2, .residual = far_away
  };
  const cdn_vec3 p = cdn_v3(0.1, 0.2, -0.1);
  const cdn_goal marker = cdn_assembly_add_marker(a, "marker", s->ball, p, 2);
  const cdn_goal sensor = cdn_assembly_add_orientation(a, "sensor", s->loose[0], cdn_rotation_identity(), 0.7);
  cdn_assembly_add_goal(a, "far", &own, &s->loose[1], 1.5);
  cdn_assembly_add_coordinate(a, "slid", s->slider, 0, scene_q(s, s->slider, 0) + 0.05, 1);
  const cdn_vec3 seen = cdn_add(cdn_transform_point(s->X[s->ball.i], p), cdn_v3(0.03, -0.02, 0.04));
  const cdn_rotation turned =
      cdn_rotation_multiply(s->X[s->loose[0].i].R, cdn_rotation_axis_angle(cdn_v3(1, 2, 0), 0.1));
  return cell_call(c, cdn_assembly_observe_marker(a, marker, seen), "cdn_assembly_observe_marker") &&
         cell_call(c, cdn_assembly_observe_orientation(a, sensor, turned), "cdn_assembly_observe_orientation");
}

/* Half the sum of all squares, and its gradient along u. */
static bool goal_sum(cell *c, cdn_assembly *a, cdn_state *state, double *sum, double *gradient) {
  double *r = cell_room(c, (size_t)a->n_rows), *J = cell_room(c, (size_t)(a->n_rows * c->nu));
  int rows;
  if (!cell_call(c, cdni_assembly_residuals(a, state, false, r, &rows, sum), "residuals of goals")) return false;
  if (!gradient) return true;
  if (!cell_call(c, cdni_assembly_jacobian(a, state, false, J), "derivatives of goals")) return false;
  for (int k = 0; k < c->nu; k++) {
    gradient[k] = 0;
    for (int i = 0; i < rows; i++) gradient[k] += J[i * c->nu + k] * r[i];
  }
  return true;
}

/* What is on its surface bears goals that pull it on, whatever its status. */
static bool hold_closed(cell *c, cdn_state *state) {
  const hybrid_room *room = cdni_hybrid(cdn_state_system(state));
  for (int i = 0; room && i < cdni_hybrid_side_count(room); i++) {
    double gap;
    if (!cdni_hybrid_side_is_there(room, state, i) || cdni_hybrid_side_is_ratchet(room, i)) continue;
    if (!cell_call(c, cdn_one_sided_gap(state, (cdn_one_sided){ i }, &gap), "cdn_one_sided_gap")) return false;
    const cdn_constraint side = cdni_hybrid_side_constraint(room, i);
    if (gap < 1e-8 && !cell_call(c, cdn_constraint_set_enabled(state, side, true), "cdn_constraint_set_enabled"))
      return false;
  }
  return true;
}

/* The gradient at the State, and that at the end is balanced by constraints: no displacement lessens the sum. */
static void check_goals(cell *c, cdn_assembly *a) {
  double *v = cell_room(c, (size_t)c->nu), *gradient = cell_room(c, (size_t)c->nu), sum, side[4], got = 0;
  double *D = cell_room(c, (size_t)(c->nu * c->nu)), *left = cell_room(c, (size_t)c->nu);
  double *zero = cell_room(c, (size_t)c->nu);
  int n;
  cdn_assembly_report report;
  /* flags of what moves belong to calls of cdn_assemble; all does */
  ASK(cdn_state_copy(c->other, c->state));
  ASK(cdn_assemble(a, c->other, &report));
  if (!hold_closed(c, c->other)) return;
  ASK(cdn_displacement_basis(c->other, D, &n));
  if (!goal_sum(c, a, c->other, &sum, gradient)) return;
  for (int i = 0; i < n; i++)
    for (int k = 0; k < c->nu; k++) left[i] += D[i * c->nu + k] * gradient[k];
  cell_near(c, "gradient of goals along what moves", left, zero, n, 1, 1e-6);
  if (!(report.goal <= report.goal_before * (1 + 1e-9))) cell_wrong(c, "goals have grown");
  cell_random(c, v, c->nu);
  for (int k = 0; k < c->nu; k++)
    if (a->fixed[k]) v[k] = 0;
  ASK(cdn_state_copy(c->other, c->state));
  if (!goal_sum(c, a, c->other, &sum, gradient)) return;
  for (int k = 0; k < c->nu; k++) got += gradient[k] * v[k];
  for (int k = 0; k < 4; k++)
    if (!cell_move(c, &(direction){ .q = v }, (k % 2 ? -1e-4 : 1e-4) / (1 + k / 2)) ||
        !goal_sum(c, a, c->other, &side[k], NULL))
      return;
  const double want = (4 * (side[2] - side[3]) / 1e-4 - (side[0] - side[1]) / 2e-4) / 3;
  cell_near(c, "goals along a displacement", &got, &want, 1, largest_of(gradient, c->nu, 1), 1e-8);
}

void ask_goals(cell *c) {
  cdn_assembly *a;
  cdn_assembly_def def = cdn_default_assembly_def();
  def.accuracy = 1e-10;
  ASK(cdn_assembly_create(cdn_state_system(c->state), &def, &a));
  if (add_goals(c, a)) check_goals(c, a);
  cdn_assembly_destroy(a);
}

/* ---- what runs say of their own errors ---- */

static double error_of(cell *c, const cdn_state *state, const cdn_state *exact) {
  const size_t n = (size_t)(c->nq + c->nu + c->nz);
  double *a = cell_room(c, n), *b = cell_room(c, n);
  cell_y(c, state, a), cell_y(c, exact, b);
  return cell_distance(c, a, b);
}

/* A run that is far more accurate. */
static bool run_finely(cell *c, cdn_method method, double duration, cdn_stepper **out) {
  cdn_stepper_def fine = cdn_default_stepper_def();
  fine.method = method, fine.accuracy = 1e-9, fine.constraint_tolerance = 1e-11, fine.max_steps = 100000;
  return cell_call(c, cdn_stepper_create(c->state, &fine, out), "cdn_stepper_create") &&
         cell_call(c, cdn_stepper_advance(*out, c->t + duration, NULL), "cdn_stepper_advance");
}

/* Whether another such run ends where the first one did: not where soft contacts that slide come and go. */
static bool is_certain(cell *c, double duration, const cdn_state *exact, double error) {
  cdn_stepper *other = NULL;
  const bool is = run_finely(c, CDN_METHOD_BOGACKI_SHAMPINE, duration, &other) &&
                  error_of(c, cdn_stepper_state(other), exact) <= 0.1 * error;
  cdn_stepper_destroy(other);
  return is;
}

static void check_verdict(cell *c, const cdn_certificate *said, double error) {
  const double asked = said->accuracy;
  char sentence[400];
  cdn_certificate_verdict(said, sentence, sizeof sentence);
  /* The companion's own error is a tenth of the accuracy, or, where errors grow, of the estimate. */
  if (said->delivered == CDN_VERDICT_DELIVERED && !(error <= 4 * asked))
    cell_wrong(c, "is off by %.2g, says: %s", error, sentence);
  if (said->delivered == CDN_VERDICT_NOT_DELIVERED && !(error >= said->error_estimate / 4) &&
      said->error_time >= said->time_final)
    cell_wrong(c, "is off by %.2g only, says: %s", error, sentence);
}

void ask_verdict(cell *c) {
  const double duration = 0.05;
  const bool delivers = c->turn == 1;
  cdn_stepper_def def = cdn_default_stepper_def();
  cdn_stepper *stepper = NULL, *exact = NULL;
  cdn_certificate said;
  def.accuracy = 1e-5, def.companion = !delivers, def.max_steps = 20000;
  c->method = delivers ? "deliver" : "companion";
  bool ok = true;
  if (delivers) {
    cdn_deliver_def how = cdn_default_deliver_def();
    def.final_time = c->t + duration;
    how.interval = duration;
    ok = cell_call(c, cdn_deliver(c->state, &def, &how, &stepper, &said, NULL), "cdn_deliver");
  } else {
    ok = cell_call(c, cdn_stepper_create(c->state, &def, &stepper), "cdn_stepper_create") &&
         cell_call(c, cdn_stepper_advance(stepper, c->t + duration, NULL), "cdn_stepper_advance") &&
         cell_call(c, cdn_stepper_certificate(stepper, &said), "cdn_stepper_certificate");
  }
  if (ok && said.delivered != CDN_VERDICT_UNKNOWN && run_finely(c, CDN_METHOD_DEFAULT, duration, &exact)) {
    const double error = error_of(c, cdn_stepper_state(stepper), cdn_stepper_state(exact));
    check_verdict(c, &said, error);
    c->unsettled = c->wrong[0] && !is_certain(c, duration, cdn_stepper_state(exact), error);
    if (c->unsettled) c->wrong[0] = 0;
  }
  cdn_stepper_destroy(exact);
  cdn_stepper_destroy(stepper);
}
