/* cardan speed: what a model costs on this machine, through the public interface. */
#define _POSIX_C_SOURCE 200809L

#include "command.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

static const help_page page = {
  "speed", "MODEL [options]",
  "Times realizations stage by stage, forward and inverse dynamics, the mass matrix, and the stepper, each as the\n"
  "best of several sweeps over perturbed states. Timings are of this machine and this moment: compare ratios.\n",
  "  cardan speed humanoid.xml\n"
  "  cardan speed robot.urdf --json | jq .forward_dynamics_ns\n",
  WHICH_MODEL
};

/* A few configurations around the initial one, visited in turn, so that nothing stays valid by luck. */
enum { POSES = 8, SWEEPS = 7 };

typedef struct subject {
  cdn_state *state;
  int nq, nu;
  double *q, *u; /* POSES of each */
  double *f, *M, *udot;
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
  /* small and the same every time; a perturbed quaternion is a rotation all the same */
  for (int p = 0; p < POSES; p++) {
    for (size_t i = 0; i < nq; i++) s.q[(size_t)p * nq + i] = cdn_state_q(state)[i] + 0.02 * sin(1.7 * (double)i + p);
    for (size_t i = 0; i < nu; i++) s.u[(size_t)p * nu + i] = cdn_state_u(state)[i] + 0.1 * cos(2.3 * (double)i + p);
  }
  return s;
}

static void free_subject(subject *s) { free(s->q), free(s->u), free(s->f), free(s->udot), free(s->M); }

/* ---- what is timed: each starts from new q and u ---- */

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

/* ---- the stepper ---- */

typedef struct pace {
  double steps_per_second, real_time; /* accepted steps, simulated time over wall time */
} pace;

/* A quarter of a second of the default accuracy. A run that fails on the way was as fast as it was until then. */
static cdn_status measure_stepper(cdn_state *state, pace *p) {
  cdn_stepper *stepper = NULL;
  cdn_status status = cdn_stepper_create(state, NULL, &stepper);
  if (status) return status;
  double start = now(), first = cdn_state_time(cdn_stepper_state(stepper));
  for (int i = 1; now() - start < 0.25 && i <= 100000; i++)
    if (cdn_stepper_advance(stepper, first + 0.01 * i, NULL) != CDN_OK) break;
  double took = now() - start;
  cdn_certificate worth;
  status = cdn_stepper_certificate(stepper, &worth);
  if (!status) *p = (pace){ (double)worth.steps / took, (worth.time_final - worth.time_initial) / took };
  cdn_stepper_destroy(stepper);
  return status;
}

/* ---- the command ---- */

static void print(const cdn_model *model, const subject *s, const double *ns, const pace *p, bool json) {
  const char *name = cdn_model_name(model);
  if (json) {
    json_writer w = jw_begin(stdout);
    jw_text(&w, "name", name);
    jw_integer(&w, "nu", s->nu);
    for (int i = 0; i < ROWS; i++) jw_number(&w, rows[i].key, ns[i]);
    jw_number(&w, "steps_per_second", p->steps_per_second);
    jw_number(&w, "real_time_factor", p->real_time);
    jw_end(&w);
    return;
  }
  printf("%s: %d speeds\n", name, s->nu);
  for (int i = 0; i < ROWS; i++)
    printf("  %-26s %10.0f ns  %8.1f ns a speed\n", rows[i].label, ns[i], s->nu ? ns[i] / s->nu : 0);
  printf("  %-26s %10.0f steps a second, %.3g x real time\n", "simulation", p->steps_per_second, p->real_time);
}

static cdn_status run(subject *s, cdn_state *initial, double *ns, pace *p) {
  for (int i = 0; i < ROWS; i++) {
    cdn_status status = measure(s, rows[i].run, &ns[i]);
    if (status) return status;
  }
  return measure_stepper(initial, p);
}

int command_speed(int argc, char **argv) {
  model_arguments arguments = { 0 };
  bool json = false;
  const option table[] = { { "json", 0, OPTION_FLAG, &json, NULL, "JSON instead of a table" },
                           { "key", 0, OPTION_TEXT, &arguments.key, "NAME", "start from this keyframe" },
                           { "state", 0, OPTION_TEXT, &arguments.state, "FILE", "then from this state file" },
                           MODEL_OPTIONS(arguments) };
  int code = options_parse(&page, table, sizeof table / sizeof table[0], argc, argv, &arguments.path);
  if (code != OPTIONS_GO) return code;
  cdn_model *model = NULL;
  cdn_state *state = NULL, *initial = NULL;
  code = load_model(&arguments, &model);
  if (code == CMD_OK) report_notes(model, &arguments);
  if (code == CMD_OK) code = load_state(model, &arguments, &state);
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
    if (!status) status = run(&s, initial, ns, &p);
    if (status) {
      cdn_error error;
      cdn_state_last_error(state, &error);
      if (error.code == CDN_OK) cdn_state_last_error(initial, &error);
      complain_error("", &error);
      code = CMD_FAILED;
    } else {
      print(model, &s, ns, &p, json);
    }
    free_subject(&s);
  }
  cdn_state_destroy(initial);
  cdn_state_destroy(state);
  cdn_model_destroy(model);
  return code;
}
