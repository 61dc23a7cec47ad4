/* Making an ensemble: the choice of lanes, the variables that vary, the memory. */
#include <stdio.h>

#include "contact/contact.h"
#include "controls/controls.h"
#include "dynamics/dynamics.h"
#include "hybrid/hybrid.h"
#include "integrators/method.h"
#include "random/random.h"
#include "soft/soft.h"
#include "studies/ensemble.h"

CDNI_DEF(ensemble_def, .count = 1, .threads = 1, .method = CDN_METHOD_DORMAND_PRINCE, .accuracy = 1e-4);

cdn_status cdni_ensemble_fail(cdn_ensemble *e, cdn_status code, const char *function, int index, const char *format,
                              ...) {
  va_list args;
  va_start(args, format);
  cdni_error_vset(&e->error, code, function, NULL, format, args);
  va_end(args);
  e->error.index = index;
  cdni_error_tell(&e->error);
  return code;
}

cdn_status cdni_ensemble_run(cdn_ensemble *e, const char *function, void (*job)(void *context, int thread, int batch),
                             void *context) {
  cdni_threads_run(e->threads, job, context, e->n_batches);
  return cdni_ensemble_first_failure(e, function);
}

cdn_status cdni_ensemble_first_failure(cdn_ensemble *e, const char *function) {
  for (int k = 0; k < e->count; k++) {
    if (e->status[k] == CDN_OK) continue;
    e->error = e->errors[k];
    e->error.function = function;
    cdni_error_tell(&e->error);
    return e->status[k];
  }
  return CDN_OK;
}

/* ---- what kind of System it is ---- */

/* Lanes need a System in which only bodies have q and u. */
static bool suits_lanes(const cdn_ensemble *e) { return e->m && e->nq == e->m->tree.nq && e->nu == e->m->tree.nu; }

/* Whether evaluations need lone States: for everything but bodies, forces of the library and their dynamics. */
static bool asks_views(const cdn_ensemble *e) {
  const int plain = 2 + (e->forces != NULL);
  return e->traits.subsystems > plain || e->m->tree.n_custom > 0 || e->prescribed;
}

/* Most of the work on soft rows is each State's own, and four States stay in the cache where eight do not. */
static cdn_status choose_lanes(cdn_ensemble *e, int wanted, cdn_state *state) {
  static const int widths[] = { 8, 4, 1 };
  const int most = wanted == 0 && cdni_soft(e->system) ? 4 : 8;
  int set = -1, lanes = 1;
  for (int i = 0; set < 0 && i < CDNI_COUNT(widths); i++)
    if (wanted == widths[i] || (wanted == 0 && widths[i] <= most)) set = cdni_kernel_set(lanes = widths[i]);
  if (set < 0)
    return cdni_state_fail(state, CDN_ERR_UNSUPPORTED, false, "cdn_ensemble_create", NULL,
                           "def.lanes is %d: it can be 0, 1, 4 where there is AVX2, 8 where there is AVX-512", wanted);
  e->lanes = 1;
  if (lanes == 1 || !suits_lanes(e)) return CDN_OK;
  e->lanes = lanes;
  return cdni_lanes_system(e->system, lanes, e->prescribed, &e->twin);
}

/* At least one byte, so that NULL always means that memory ran out. */
static size_t bytes(size_t count, size_t size) { return count > 0 ? count * size : 1; }

static void *reserve(cdn_ensemble *e, size_t count, size_t size) {
  return cdni_calloc(&e->allocator, bytes(count, size));
}

static void give_back(cdn_ensemble *e, void *memory, size_t count, size_t size) {
  if (memory) cdni_free(&e->allocator, memory, bytes(count, size));
}

/* Damping of joints goes along the tree in lanes, where it is that of all States, and the same about all axes of a
 * joint. */
static cdn_status choose_damping(cdn_ensemble *e, unsigned vary, cdn_state *state) {
  e->apart = true;
  if (!e->twin || (vary & CDN_VARY_FORCES)) return CDN_OK;
  double *damping = reserve(e, (size_t)e->nu, sizeof *damping);
  if (!damping) return CDN_ERR_NOMEM;
  bool constant;
  const cdn_status status = cdni_forces_joint_damping(e->forces, state, damping, e->nu, &constant);
  e->apart = status != CDN_OK || !constant || !cdni_dynamics_damps_in_lanes(cdni_dynamics(e->system), damping);
  if (e->apart) give_back(e, damping, (size_t)e->nu, sizeof *damping);
  else e->damping = damping;
  return status;
}

static cdn_status choose_method(cdn_ensemble *e, cdn_method method, unsigned vary, cdn_state *state) {
  cdn_stepper_def how = { .method = method, .fixed_step = 1 };
  const cdni_method *m = cdni_choose_method(&how, NULL);
  e->method = method == CDN_METHOD_DEFAULT ? CDN_METHOD_DORMAND_PRINCE : method; /* in steps of any size */
  e->how = m;
  if (m && m->attempt == cdni_rk_attempt) e->rk = m->data;
  else if (m == &cdni_mujoco_euler) return choose_damping(e, vary, state);
  else if (m && m->equal_steps) e->apart = true;
  else if (m != &cdni_semi_explicit_euler)
    return cdni_state_fail(
        state, CDN_ERR_UNSUPPORTED, false, "cdn_ensemble_create", NULL,
        "def.method is %s: take an explicit Runge-Kutta method, semi-explicit Euler, or a method that takes "
        "equal steps only",
        m ? m->name : "no method");
  return CDN_OK;
}

/* ---- what varies ---- */

/* The flag of cdn_vary for a parameter array; 0: all States always share the array. */
static unsigned group_of(const cdn_ensemble *e, int32_t i) {
  if (e->m && (i == e->m->frames.ticket.i || i == e->m->params.ticket.i)) return CDN_VARY_FRAMES;
  int inputs;
  if (e->m && i == cdni_mocap_inputs(e->m, &inputs).ticket.i && inputs > 0) return CDN_VARY_MOCAP;
  if (e->m && (i == e->m->mass.ticket.i || i == e->m->armature.ticket.i)) return CDN_VARY_MASSES;
  if (cdni_controls(e->system) && i == cdni_controls_variable(cdni_controls(e->system)).ticket.i)
    return CDN_VARY_CONTROLS;
  if (!e->forces) return CDN_VARY_OWN;
  const int belongs = cdni_force_params_belong(e->forces, i);
  return belongs < 0 ? 0 : belongs > 0 ? CDN_VARY_FORCES : CDN_VARY_OWN;
}

static bool add_varying(cdn_ensemble *e, cdn_dvar v, int n, bool parameters) {
  const varying x = { v, n, parameters, e->n_values };
  e->n_values += (size_t)n;
  return cdni_array_push(&e->allocator, &e->varying, sizeof x, &x) != NULL &&
         cdni_array_push(&e->allocator, &e->own, sizeof v, &v) != NULL;
}

static bool add_sharing(cdn_ensemble *e, cdn_dvar v) {
  return cdni_array_push(&e->allocator, &e->sharing, sizeof v, &v) != NULL &&
         cdni_array_push(&e->allocator, &e->own, sizeof v, &v) != NULL;
}

static bool varies(const cdn_ensemble *e, cdn_dvar v) {
  for (size_t i = 0; i < e->varying.count; i++)
    if (CDNI_AT(e->varying, varying, i).v.ticket.i == v.ticket.i) return true;
  return false;
}

/* What rigid contact and friction change at their events: their statuses, and which constraints are on. */
static bool add_statuses(cdn_ensemble *e) {
  const hybrid_room *room = cdni_hybrid(e->system);
  hybrid_variable v[HYBRID_MOST_VARIABLES];
  int constraints;
  if (!room) return true;
  for (int i = cdni_hybrid_variables(room, v) - 1; i >= 0; i--)
    if (!varies(e, v[i].variable) && !add_varying(e, v[i].variable, v[i].n, v[i].is_parameters)) return false;
  const cdn_dvar switches = cdni_constraints_switches(cdni_constraints(e->system), &constraints);
  return varies(e, switches) || add_varying(e, switches, constraints, true);
}

static bool choose_varying(cdn_ensemble *e, unsigned vary) {
  cdn_dvar v;
  int n;
  for (int i = 0; cdni_system_parameters(e->system, i, &v, &n); i++)
    if ((group_of(e, v.ticket.i) & vary) && n > 0 &&
        !(cdni_is_shared(e->system, v) ? add_sharing(e, v) : add_varying(e, v, n, true)))
      return false;
  /* Every run begins with a new memory of redundant equations. */
  v = e->traits.constraints ? cdni_constraints_memory(cdni_constraints(e->system)) : (cdn_dvar){ 0 };
  if (e->traits.constraints && !cdni_array_push(&e->allocator, &e->own, sizeof v, &v)) return false;
  n = cdni_contact_memory_variable(e->system, &v);
  e->remembers_friction = n > 0;
  if (n > 0 && !add_varying(e, v, n, false)) return false;
  n = cdni_random_variable(e->system, &v);
  e->draws = n > 0, e->place = e->n_values;
  if (n > 0 && !add_varying(e, v, n, false)) return false;
  if (!add_statuses(e)) return false;
  if (!(vary & CDN_VARY_APPLIED) || !e->m) return true;
  return add_varying(e, e->m->applied_f, 1 + e->m->tree.nu, false) &&
         add_varying(e, e->m->applied_F, 1 + 6 * e->m->tree.n, false);
}

/* ---- memory ---- */

static size_t padded(const cdn_ensemble *e) { return (size_t)e->n_batches * (size_t)e->lanes; }
static size_t constants_size(const cdn_ensemble *e) {
  return e->n_constants * (e->constants_vary ? padded(e) : (size_t)e->lanes);
}

static void plan_constants(cdn_ensemble *e, unsigned vary) {
  if (!e->twin) return;
  e->n_constants = cdni_lanes_constants(e->twin);
  /* the limits of controls, and what shapes are, are parameters of subsystems */
  const unsigned controls = cdni_controls(e->system) ? CDN_VARY_CONTROLS | CDN_VARY_OWN : 0;
  const unsigned shapes = cdni_contact(e->system) ? CDN_VARY_OWN : 0;
  e->constants_vary = (vary & (CDN_VARY_FRAMES | CDN_VARY_MASSES | CDN_VARY_FORCES | controls | shapes)) != 0;
}

static bool reserve_states(cdn_ensemble *e) {
  const size_t n = padded(e);
  e->values = reserve(e, n * e->n_values, sizeof(double));
  e->held = reserve(e, n * e->sharing.count, sizeof *e->held);
  e->constants = reserve(e, constants_size(e), sizeof(double));
  e->t = reserve(e, n, sizeof(double));
  e->y = reserve(e, n * (size_t)e->ny, sizeof(double));
  e->rates = reserve(e, n * (size_t)e->ny, sizeof(double));
  e->known = reserve(e, (size_t)e->n_batches, sizeof(bool));
  e->status = reserve(e, n, sizeof(cdn_status));
  e->errors = reserve(e, (size_t)e->count, sizeof(cdn_error));
  e->courses = reserve(e, n, sizeof(course));
  e->guesses = reserve(e, n, sizeof *e->guesses);
  return e->courses && e->guesses && e->values && e->held && e->constants && e->t && e->y && e->rates && e->known &&
         e->status && e->errors;
}

/* The vectors of a worker. With lanes the size of each vector is a multiple of 64 bytes. */
static bool reserve_worker(cdn_ensemble *e, worker *w) {
  const size_t width = (size_t)e->lanes, ny = (size_t)e->ny, nu = (size_t)e->nu;
  const size_t stages = e->rk ? (size_t)e->rk->stages + 2 : 2;
  const size_t marks = e->judged ? CDNI_MARKS : 0;
  w->memory_size = (width * ((1 + stages + marks) * ny + 2 * nu) + 2 * ny + 8) * sizeof(double);
  w->memory = cdni_calloc(&e->allocator, w->memory_size);
  if (!w->memory) return false;
  double *at = w->memory;
#define TAKE(member, count) (w->member = at, at += (count))
  TAKE(trial, ny * width);
  TAKE(stages, stages * ny * width);
  TAKE(mark_y, marks * ny * width);
  TAKE(mobility[0], nu * width);
  TAKE(mobility[1], nu * width);
  TAKE(one, ny);
  TAKE(other, ny);
#undef TAKE
  if (w->state) w->trial = (double *)cdni_state_y(w->state); /* saves a copy */
  return true;
}

static cdn_status make_worker(cdn_ensemble *e, worker *w, const cdn_state *state) {
  w->e = e;
  w->constants_of = -1;
  w->in_lanes.state = cdni_ensemble_standing_state, w->in_lanes.context = w;
  for (int i = 0; i < (e->twin && asks_views(e) ? e->lanes : 1); i++) {
    view *v = &w->views[w->n_views];
    v->viewed = v->lane = -1;
    CDNI_TRY(cdn_state_create(e->system, &v->state));
    w->n_views++;
    CDNI_TRY(cdn_state_copy(v->state, state));
  }
  if (e->twin && !(w->state = cdni_lanes_state(e->twin, state, &w->in_lanes))) return CDN_ERR_NOMEM;
  return reserve_worker(e, w) ? CDN_OK : CDN_ERR_NOMEM;
}

static cdn_status make_workers(cdn_ensemble *e, int n, cdni_threads *threads, cdn_state *state) {
  e->workers = reserve(e, (size_t)n, sizeof *e->workers);
  if (!e->workers) return CDN_ERR_NOMEM;
  e->n_workers = n;
  for (int i = 0; i < n; i++) { CDNI_TRY(make_worker(e, &e->workers[i], state)); }
  e->follows = threads != NULL;
  e->threads = threads ? threads : cdni_threads_create(&e->allocator, n);
  return e->threads ? CDN_OK : CDN_ERR_NOMEM;
}

/* Slots of q and u that locks and motions prescribe, in all States, are no part of errors. */
static bool find_driven(cdn_ensemble *e, const cdn_state *state) {
  const int of[3] = { e->nq, e->nu, e->nz };
  memcpy(e->n_free, of, sizeof of);
  if (!e->prescribed) return true;
  e->driven = reserve(e, (size_t)(e->nq + e->nu), sizeof *e->driven);
  if (!e->driven) return false;
  cdni_state_prescribed(state, e->driven, e->driven + e->nq);
  for (int i = 0; i < e->nq + e->nu; i++) e->n_free[i >= e->nq] -= e->driven[i];
  return true;
}

/* ---- life ---- */

/* Gives all lanes the values of the State, including the lanes that fill up the last batch. */
static cdn_status fill(cdn_ensemble *e, const cdn_state *state) {
  for (size_t i = 0; i < e->varying.count; i++) {
    const varying *x = &CDNI_AT(e->varying, varying, i);
    for (size_t k = 0; k < padded(e); k++)
      memcpy(e->values + k * e->n_values + x->at, cdn_state_discrete(state, x->v), (size_t)x->n * sizeof(double));
  }
  for (size_t k = 0; e->draws && k < padded(e); k++)
    cdni_random_part(e->values + e->place, e->values + k * e->n_values + e->place, (int)k);
  for (size_t i = 0; i < e->sharing.count; i++) {
    const cdn_dvar v = CDNI_AT(e->sharing, cdn_dvar, i);
    for (size_t k = 0; k < padded(e); k++) e->held[k * e->sharing.count + i] = cdni_shared_hold(state, v);
  }
  for (int k = 0; k < (int)padded(e); k++) {
    e->t[k] = cdn_state_time(state);
    lane_put(ensemble_y(e, k / e->lanes), e->lanes, k % e->lanes, cdni_state_y(state), (size_t)e->ny);
    cdni_ensemble_restart(e, k);
    if (e->constants_vary || k < e->lanes)
      CDNI_TRY(cdni_ensemble_put_constants(&e->workers[0], &e->workers[0].views[0], k));
  }
  if (e->m)
    e->any_applied = *(const double *)cdn_state_discrete(state, e->m->applied_f) != 0 ||
                     *(const double *)cdn_state_discrete(state, e->m->applied_F) != 0;
  return CDN_OK;
}

static cdn_status make(cdn_state *state, const cdn_ensemble_def *def, cdni_threads *threads, cdn_ensemble **out);

static cdn_status add_companion(cdn_ensemble *e, cdn_state *state, const cdn_ensemble_def *def) {
  const cdn_ensemble_def how = cdni_ensemble_companion_def(e, def);
  CDNI_TRY(make(state, &how, e->threads, &e->companion));
  e->companion->interrupt = &e->interrupted;
  for (int i = 0; i < e->n_workers; i++)
    CDNI_TRY(cdni_gauge_create(state, "cdn_ensemble_create", &e->workers[i].gauge));
  return CDN_OK;
}

/* A companion has the threads of its ensemble. */
static cdn_status build(cdn_ensemble *e, cdn_state *state, const cdn_ensemble_def *def, cdni_threads *threads) {
  e->interrupt = &e->interrupted;
  CDNI_TRY(choose_lanes(e, def->lanes, state));
  CDNI_TRY(choose_method(e, def->method, def->vary, state));
  e->count = def->count;
  e->n_batches = (def->count - 1) / e->lanes + 1;
  plan_constants(e, def->vary);
  if (!choose_varying(e, def->vary) || !reserve_states(e)) return CDN_ERR_NOMEM;
  CDNI_TRY(cdn_state_create(e->system, &e->prototype));
  CDNI_TRY(cdn_state_copy(e->prototype, state));
  e->accuracy = def->accuracy, e->max_steps = def->max_steps, e->judged = def->companion;
  if (!find_driven(e, state)) return CDN_ERR_NOMEM;
  CDNI_TRY(make_workers(e, def->threads, threads, state));
  CDNI_TRY(fill(e, state));
  return def->companion ? add_companion(e, state, def) : CDN_OK;
}

/* Larger numbers are mistakes. They would fill the memory, or start threads for seconds. */
enum { MOST_STATES = 1 << 22, MOST_THREADS = 4096 };

cdn_status cdn_ensemble_create(cdn_state *state, const cdn_ensemble_def *def, cdn_ensemble **out) {
  if (out) *out = NULL;
  if (!out || !state) return cdni_refuse(CDN_ERR_ARG, __func__, "the State, or where the ensemble shall go, is NULL");
  cdn_ensemble_def known;
  const char *unreadable = read_ensemble_def(&known, def);
  def = &known;
  if (unreadable) return cdni_state_fail(state, CDN_ERR_VERSION, false, __func__, NULL, "%s", unreadable);
  if (def->count < 1 || def->threads < 1)
    return cdni_state_fail(state, CDN_ERR_ARG, false, __func__, NULL, "def.count is %d, def.threads %d: 1 or more",
                           def->count, def->threads);
  if (def->count > MOST_STATES || def->threads > MOST_THREADS)
    return cdni_state_fail(state, CDN_ERR_LIMIT, false, __func__, NULL,
                           "def.count is %d, def.threads %d: %d and %d are the most; make several ensembles",
                           def->count, def->threads, (int)MOST_STATES, (int)MOST_THREADS);
  const unsigned all = CDN_VARY_FRAMES | CDN_VARY_MASSES | CDN_VARY_FORCES | CDN_VARY_OWN | CDN_VARY_APPLIED |
                       CDN_VARY_CONTROLS | CDN_VARY_MOCAP;
  if (def->vary & ~all)
    return cdni_state_fail(state, CDN_ERR_ARG, false, __func__, NULL, "def.vary is %u, which is no sum of cdn_vary",
                           def->vary);
  if (!(def->accuracy >= 1e-15 && def->accuracy <= 1) || def->max_steps < 0)
    return cdni_state_fail(state, CDN_ERR_ARG, false, __func__, NULL,
                           "def.accuracy is %g, def.max_steps %lld: from 1e-15 to 1, and 0 or more", def->accuracy,
                           (long long)def->max_steps);
  CDNI_TRY(cdn_realize(state, CDN_STAGE_INSTANCE));
  return make(state, def, NULL, out);
}

static cdn_status make(cdn_state *state, const cdn_ensemble_def *def, cdni_threads *threads, cdn_ensemble **out) {
  static const char function[] = "cdn_ensemble_create";
  const cdn_system *system = cdn_state_system(state);
  const cdn_allocator allocator = *cdni_system_allocator(system);
  cdn_ensemble *e = cdni_calloc(&allocator, sizeof *e);
  if (!e) return cdni_state_fail(state, CDN_ERR_NOMEM, false, function, NULL, "out of memory");
  e->system = system;
  e->allocator = allocator;
  cdn_system_retain(system);
  e->m = cdni_matter(system);
  e->forces = e->m ? cdni_forces(system) : NULL;
  const void *self;
  e->sweeps = cdni_system_sweeper(e->system, &self) != NULL;
  e->quaternions = !e->m || e->nq > e->m->tree.nq;
  for (int i = 1; e->m && i < e->m->tree.n; i++) e->quaternions = e->quaternions || e->m->tree.node[i].quaternion;
  e->prescribed = e->m && cdni_matter_is_prescribed(e->m, state);
  e->traits = cdni_system_traits(system);
  e->nq = cdn_system_nq(system), e->nu = cdn_system_nu(system), e->nz = cdn_system_nz(system);
  e->ny = e->nq + e->nu + e->nz;
  cdn_status status = build(e, state, def, threads);
  if (status == CDN_OK) {
    *out = e;
    return CDN_OK;
  }
  if (status == CDN_ERR_NOMEM) cdni_state_fail(state, status, false, function, NULL, "out of memory");
  cdn_ensemble_destroy(e);
  return status;
}

void cdn_ensemble_destroy(cdn_ensemble *e) {
  if (!e) return;
  cdn_ensemble_destroy(e->companion);
  if (!e->follows) cdni_threads_destroy(e->threads);
  for (int i = 0; i < e->n_workers; i++) {
    worker *w = &e->workers[i];
    cdn_stepper_destroy(w->stepper);
    cdn_stepper_destroy(w->gauge);
    for (int v = 0; v < w->n_views; v++) cdn_state_destroy(w->views[v].state);
    cdni_lanes_state_free(w->state);
    give_back(e, w->memory, w->memory_size, 1);
  }
  give_back(e, e->damping, (size_t)e->nu, sizeof *e->damping);
  give_back(e, e->workers, (size_t)e->n_workers, sizeof *e->workers);
  cdn_state_destroy(e->prototype);
  const size_t n = padded(e);
  for (size_t i = 0; e->held && i < n * e->sharing.count; i++) cdni_shared_let_go(e->system, e->held[i]);
  give_back(e, e->held, n * e->sharing.count, sizeof *e->held);
  give_back(e, e->values, n * e->n_values, sizeof(double));
  give_back(e, e->constants, constants_size(e), sizeof(double));
  give_back(e, e->t, n, sizeof(double));
  give_back(e, e->y, n * (size_t)e->ny, sizeof(double));
  give_back(e, e->rates, n * (size_t)e->ny, sizeof(double));
  give_back(e, e->known, (size_t)e->n_batches, sizeof(bool));
  give_back(e, e->status, n, sizeof(cdn_status));
  give_back(e, e->errors, (size_t)e->count, sizeof(cdn_error));
  give_back(e, e->courses, n, sizeof(course));
  for (size_t i = 0; e->guesses && i < n; i++) cdni_array_free(&e->allocator, &e->guesses[i]);
  give_back(e, e->guesses, n, sizeof *e->guesses);
  give_back(e, e->driven, (size_t)(e->nq + e->nu), sizeof *e->driven);
  cdni_array_free(&e->allocator, &e->varying);
  cdni_array_free(&e->allocator, &e->own);
  cdni_lanes_system_free(e->twin);
  cdni_array_free(&e->allocator, &e->sharing);
  cdn_system_release(e->system);
  const cdn_allocator a = e->allocator;
  cdni_free(&a, e, sizeof *e);
}

int cdn_ensemble_count(const cdn_ensemble *e) { return e ? e->count : 0; }
int cdn_ensemble_lanes(const cdn_ensemble *e) { return e ? e->lanes : 0; }

cdn_status cdn_ensemble_status(const cdn_ensemble *e, int k) {
  CDNI_NEED_OBJECT(e, CDN_ERR_ARG);
  if (k < 0 || k >= e->count)
    return cdni_refuse(CDN_ERR_ARG, "cdn_ensemble_status", "there is no State %d in an ensemble of %d", k, e->count);
  cdni_error_tell(&e->errors[k]);
  return e->status[k];
}

void cdn_ensemble_error_sized(const cdn_ensemble *e, int k, cdn_error *out, size_t size) {
  const cdn_error none = { .code = cdn_ensemble_status(e, k), .index = k };
  const bool failed = e && k >= 0 && k < e->count && e->status[k] != CDN_OK;
  cdni_sized_write(out, size, failed ? &e->errors[k] : &none, sizeof none);
}

void cdn_ensemble_last_error_sized(const cdn_ensemble *e, cdn_error *out, size_t size) {
  const cdn_error none = { .code = CDN_ERR_ARG };
  cdni_sized_write(out, size, e ? &e->error : &none, sizeof none);
}
