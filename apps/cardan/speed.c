/* cardan speed: the cost of a model on this machine, measured through the public interface. */
#define _POSIX_C_SOURCE 200809L

#include <cardan/ensemble.h>

#include "speed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "view/encode.h"

static const help_page page = {
  "speed", "MODEL [options]",
  "Times realizations stage by stage, forward and inverse dynamics, the mass matrix, each as the best of several\n"
  "sweeps over perturbed states; and the stepper: its steps a second, and which part of a step each stage takes.\n"
  "Timings are of this machine and this moment: compare ratios.\n",
  "  cardan speed humanoid.xml\n"
  "  cardan speed robot.urdf --json | jq .forward_dynamics_ns\n"
  "  cardan speed walker.xml --like mujoco --control-noise 0.1\n"
  "  cardan speed walker.xml --ensemble 1000 --threads 2\n",
  WHICH_MODEL
};

/* A few configurations around the initial one, visited in turn, so that no result is valid by accident. */
enum { POSES = 8, SWEEPS = 7 };

typedef struct subject {
  cdn_state *state;
  int nq, nu;
  double *q, *u; /* POSES of each */
  double *f, *M, *udot;
  cdn_scene *scene; /* for frames of the viewer */
  void *frame;
  size_t frame_size;
} subject;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static subject make_subject(cdn_state *state) {
  const cdn_system *system = cdn_state_system(state);
  subject s = { .state = state, .nq = cdn_system_nq(system), .nu = cdn_system_nu(system) };
  size_t nq = (size_t)s.nq, nu = (size_t)s.nu;
  s.q = allocate(POSES * nq, sizeof *s.q);
  s.u = allocate(POSES * nu, sizeof *s.u);
  s.f = allocate(nu, sizeof *s.f);
  s.udot = allocate(nu, sizeof *s.udot);
  s.M = allocate(nu * nu, sizeof *s.M);
  /* small and the same every time; a perturbed quaternion still describes a rotation */
  for (int p = 0; p < POSES; p++) {
    for (size_t i = 0; i < nq; i++) s.q[(size_t)p * nq + i] = cdn_state_q(state)[i] + 0.02 * sin(1.7 * (double)i + p);
    for (size_t i = 0; i < nu; i++) s.u[(size_t)p * nu + i] = cdn_state_u(state)[i] + 0.1 * cos(2.3 * (double)i + p);
  }
  return s;
}

static void free_subject(subject *s) {
  free(s->q), free(s->u), free(s->f), free(s->udot), free(s->M), free(s->frame);
  cdn_scene_destroy(s->scene);
}

/* ---- the timed calculations: each starts from new q and u ---- */

typedef cdn_status timed(subject *s, int pose);

static cdn_status set(subject *s, int pose) {
  cdn_status status = cdn_state_set_q(s->state, s->q + (size_t)pose * (size_t)s->nq);
  return status ? status : cdn_state_set_u(s->state, s->u + (size_t)pose * (size_t)s->nu);
}

static cdn_status to_stage(subject *s, int pose, cdn_stage stage) {
  cdn_status status = set(s, pose);
  return status ? status : cdn_realize(s->state, stage);
}

static cdn_status to_position(subject *s, int pose) { return to_stage(s, pose, CDN_STAGE_POSITION); }
static cdn_status to_velocity(subject *s, int pose) { return to_stage(s, pose, CDN_STAGE_VELOCITY); }
static cdn_status to_force(subject *s, int pose) { return to_stage(s, pose, CDN_STAGE_FORCE); }
static cdn_status to_acceleration(subject *s, int pose) { return to_stage(s, pose, CDN_STAGE_ACCELERATION); }

static cdn_status forward(subject *s, int pose) {
  cdn_status status = set(s, pose);
  return status ? status : cdn_forward_dynamics(s->state, NULL, s->f, s->udot, NULL);
}

static cdn_status inverse(subject *s, int pose) {
  cdn_status status = set(s, pose);
  return status ? status : cdn_inverse_dynamics(s->state, s->udot, NULL, NULL, s->f);
}

static cdn_status matrix(subject *s, int pose) {
  cdn_status status = set(s, pose);
  return status ? status : cdn_calc_M(s->state, s->M);
}

/* A frame of the viewer beyond what its State costs anyway: poses, contacts and forces, as bytes. */
static cdn_status frame(subject *s, int pose) {
  const view_frame f = { .scene = s->scene, .n_bodies = cdn_system_body_count(cdn_state_system(s->state)) };
  cdn_status status = to_stage(s, pose, CDN_STAGE_VELOCITY);
  if (!status) status = cdn_scene_update(s->scene, s->state);
  if (status) return status;
  const size_t n = cdni_frame_size(&f);
  if (n > s->frame_size) {
    free(s->frame);
    s->frame = allocate(s->frame_size = 2 * n, 1);
  }
  cdni_frame_write(&f, s->frame);
  return CDN_OK;
}

static const struct {
  const char *key, *label;
  timed *run;
} rows[] = {
  { "realize_position_ns", "realize to Position", to_position },
  { "realize_velocity_ns", "realize to Velocity", to_velocity },
  { "realize_force_ns", "realize to Force", to_force },
  { "realize_acceleration_ns", "realize to Acceleration", to_acceleration },
  { "forward_dynamics_ns", "forward dynamics", forward },
  { "inverse_dynamics_ns", "inverse dynamics", inverse },
  { "mass_matrix_ns", "mass matrix", matrix },
  { "view_frame_ns", "frame of the viewer", frame },
};
enum { ROWS = sizeof rows / sizeof rows[0] };

/* Nanoseconds a call: the best of several sweeps of some milliseconds each. */
static cdn_status measure(subject *s, timed *run, double *ns) {
  double best = INFINITY;
  int calls = POSES;
  for (int sweep = 0; sweep < SWEEPS; sweep++) {
    double start = now();
    for (int i = 0; i < calls; i++) {
      cdn_status status = run(s, i % POSES);
      if (status) return status;
    }
    double took = now() - start;
    best = fmin(best, took / calls);
    /* the first sweep is for warming up, and tells how many calls make a sweep */
    if (sweep == 0) {
      calls = (int)fmin(1e6, fmax(POSES, 0.01 / (took / calls)));
      best = INFINITY;
    }
  }
  *ns = 1e9 * best;
  return CDN_OK;
}

/* ---- ensembles ---- */

typedef struct crowd {
  int count, threads;                 /* as asked for; count 0: no ensemble */
  int lanes;                          /* States at once */
  double acceleration_ns, inverse_ns; /* a State */
  double steps_per_second;            /* of all States together; 0: the System cannot be advanced so */
} crowd;

/* All States from new q and u to udot, or to generalized forces. */
static cdn_status evaluate_crowd(cdn_ensemble *e, const double *q, const double *u, double *out, bool inverse) {
  cdn_status status = cdn_ensemble_set(e, CDN_POOL_Q, q, 0);
  if (!status) status = cdn_ensemble_set(e, CDN_POOL_U, u, 0);
  if (status) return status;
  return inverse ? cdn_ensemble_inverse_dynamics(e, NULL, 0, out, 0) : cdn_ensemble_rates(e, CDN_POOL_U, out, 0);
}

/* Nanoseconds a State, the best of several sweeps. */
static cdn_status measure_crowd(cdn_ensemble *e, const double *q, const double *u, double *out, bool inverse,
                                double *ns) {
  *ns = INFINITY;
  for (int sweep = 0; sweep < SWEEPS; sweep++) {
    double start = now(), took;
    int rounds = 0;
    do {
      cdn_status status = evaluate_crowd(e, q, u, out, inverse);
      if (status) return status;
      rounds++;
    } while ((took = now() - start) < 0.01);
    *ns = fmin(*ns, 1e9 * took / rounds / cdn_ensemble_count(e));
  }
  return CDN_OK;
}

/* Steps of a millisecond for a quarter of a second, as far as the States come. */
static double measure_crowd_steps(cdn_ensemble *e) {
  double start = now(), took;
  int64_t steps = 0;
  do {
    if (cdn_ensemble_advance(e, 1e-3, 1) != CDN_OK) break;
    steps++;
  } while ((took = now() - start) < 0.25);
  return steps ? (double)steps * cdn_ensemble_count(e) / (now() - start) : 0;
}

static cdn_status measure_ensemble(const subject *s, cdn_state *state, crowd *c) {
  cdn_ensemble_def def = cdn_default_ensemble_def();
  cdn_ensemble *e = NULL;
  def.count = c->count, def.threads = c->threads;
  cdn_status status = cdn_ensemble_create(state, &def, &e);
  if (status) return status;
  const size_t n = (size_t)c->count, nq = (size_t)s->nq, nu = (size_t)s->nu;
  double *q = allocate(n * nq, sizeof *q), *u = allocate(n * nu, sizeof *u), *out = allocate(n * nu, sizeof *out);
  for (size_t k = 0; k < n; k++) {
    memcpy(q + k * nq, s->q + k % POSES * nq, nq * sizeof *q);
    memcpy(u + k * nu, s->u + k % POSES * nu, nu * sizeof *u);
  }
  c->lanes = cdn_ensemble_lanes(e);
  status = measure_crowd(e, q, u, out, false, &c->acceleration_ns);
  if (!status) status = measure_crowd(e, q, u, out, true, &c->inverse_ns);
  if (!status) c->steps_per_second = measure_crowd_steps(e);
  free(q), free(u), free(out);
  cdn_ensemble_destroy(e);
  return status;
}

/* ---- the command ---- */

static void print(const cdn_model *model, const subject *s, const double *ns, const pace *p, const pace_arguments *how,
                  const crowd *c, bool json) {
  const char *name = cdn_model_name(model);
  if (json) {
    json_writer w = jw_begin(stdout);
    jw_text(&w, "name", name);
    jw_integer(&w, "nu", s->nu);
    for (int i = 0; i < ROWS; i++) jw_number(&w, rows[i].key, ns[i]);
    print_pace_json(&w, p, how);
    if (c->count > 0) {
      jw_integer(&w, "ensemble_count", c->count);
      jw_integer(&w, "ensemble_threads", c->threads);
      jw_integer(&w, "ensemble_lanes", c->lanes);
      jw_number(&w, "ensemble_acceleration_ns", c->acceleration_ns);
      jw_number(&w, "ensemble_inverse_dynamics_ns", c->inverse_ns);
      jw_number(&w, "ensemble_steps_per_second", c->steps_per_second);
    }
    jw_end(&w);
    return;
  }
  printf("%s: %d speeds\n", visible(name), s->nu);
  for (int i = 0; i < ROWS; i++)
    printf("  %-26s %10.0f ns  %8.1f ns a speed\n", rows[i].label, ns[i], s->nu ? ns[i] / s->nu : 0);
  print_pace(p, how);
  if (c->count == 0) return;
  printf("  an ensemble of %d States, %d lanes, %d threads:\n", c->count, c->lanes, c->threads);
  printf("  %-26s %10.0f ns a State  %8.1f ns a speed\n", "realize to Acceleration", c->acceleration_ns,
         c->acceleration_ns / s->nu);
  printf("  %-26s %10.0f ns a State  %8.1f ns a speed\n", "inverse dynamics", c->inverse_ns, c->inverse_ns / s->nu);
  printf("  %-26s %10.0f steps a second\n", "fixed steps", c->steps_per_second);
}

static cdn_status run(subject *s, cdn_state *initial, const pace_arguments *how, double *ns, pace *p, crowd *c) {
  for (int i = 0; i < ROWS; i++) {
    cdn_status status = measure(s, rows[i].run, &ns[i]);
    if (status) return status;
  }
  cdn_status status = measure_pace(initial, how, p);
  return status || c->count == 0 ? status : measure_ensemble(s, initial, c);
}

/* A whole number up to a limit; 0: not given. */
static bool is_count(double x, double limit) { return x == floor(x) && x <= limit; }

int command_speed(int argc, char **argv) {
  model_arguments arguments = { 0 };
  bool json = false;
  double count = 0, threads = 0;
  const char *method = NULL;
  pace_arguments how = { 0 };
  const option table[] = { { "ensemble", 0, OPTION_POSITIVE, &count, "K", "time an ensemble of K States, too" },
                           { "threads", 0, OPTION_POSITIVE, &threads, "N", "threads of the ensemble (default 1)" },
                           { "method", 0, OPTION_TEXT, &method, "NAME",
                             "of the stepper; file: the method and the step of the model's file" },
                           { "step", 0, OPTION_POSITIVE, &how.step, "H",
                             "equal steps, s (default: steps under error control, at the default accuracy)" },
                           { "control-noise", 0, OPTION_POSITIVE, &how.noise, "S",
                             "normal noise on the controls of each step, in halves of their ranges" },
                           PRESET_OPTION(arguments),
                           { "json", 0, OPTION_FLAG, &json, NULL, "JSON instead of a table" },
                           { "key", 0, OPTION_TEXT, &arguments.key, "NAME", "start from this keyframe" },
                           CONTROL_OPTION(arguments),
                           { "state", 0, OPTION_TEXT, &arguments.state, "FILE", "then from this state file" },
                           MODEL_OPTIONS(arguments) };
  int code = options_parse(&page, table, sizeof table / sizeof table[0], argc, argv, &arguments.path);
  if (code != OPTIONS_GO) return code;
  if (!is_count(count, 1e8) || !is_count(threads, 1024) || (threads > 0 && count == 0)) {
    complain("--ensemble and --threads are whole numbers, up to 100000000 and 1024; threads are an ensemble's");
    return CMD_USAGE;
  }
  if (!settle_names(&arguments, &method, 0, NULL) || !choose_method(&arguments, method, how.step, &how.method))
    return CMD_USAGE;
  settle_onset(&arguments, how.step, cdn_default_stepper_def().accuracy);
  crowd c = { .count = (int)count, .threads = threads > 0 ? (int)threads : 1 };
  cdn_model *model = NULL;
  cdn_state *state = NULL, *initial = NULL;
  code = load_start(&arguments, &model, &state);
  if (code == CMD_OK) code = settle_steps(&arguments, method, model, &how.method, &how.step);
  if (code == CMD_OK && cdn_system_nu(cdn_model_system(model)) == 0) {
    complain("%s: nothing moves in this model, so there is nothing to time", arguments.path);
    code = CMD_FAILED;
  }
  if (code == CMD_OK && cdn_state_create(cdn_model_system(model), &initial) != CDN_OK) {
    complain("out of memory");
    code = CMD_FAILED;
  }
  if (code == CMD_OK) {
    double ns[ROWS];
    pace p;
    subject s = make_subject(state);
    cdn_status status = cdn_state_copy(initial, state);
    if (!status) status = cdn_model_create_scene(model, state, NULL, &s.scene);
    if (!status) status = run(&s, initial, &how, ns, &p, &c);
    if (status) {
      cdn_error error;
      cdn_state_last_error(state, &error);
      if (error.code == CDN_OK) cdn_state_last_error(initial, &error);
      complain_error("", &error);
      code = CMD_FAILED;
    } else {
      print(model, &s, ns, &p, &how, &c, json);
    }
    free_subject(&s);
  }
  cdn_state_destroy(initial);
  cdn_state_destroy(state);
  cdn_model_destroy(model);
  return code;
}
