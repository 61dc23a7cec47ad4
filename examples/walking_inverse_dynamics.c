/* Which forces does a walk need? A walker with six legs is driven over a floor with soft contact, and its motion is
 * recorded. Inverse dynamics then finds, at each moment of the recording, the forces of contact and the torques
 * of the joints: in closed form, contact by contact, with no iteration. It is told nothing but the motion. First
 * with the accelerations of the recording, which gives back the torques that drove the walker; then from
 * positions alone, at every step of 2 ms, and one in 10 ms, where impacts of the feet are lost. */
#include <cardan/core.h>
#include <cardan/model.h>
#include <cardan/operators.h>
#include <cardan/contact.h>
#include <cardan/soft.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEGS = 6, NU = 6 + 3 * LEGS, NQ = NU + 1, STEPS = 2000 };
static const double STEP = 0.002, PERIOD = 0.8, TURN = 0.3, LIFT = 0.35;
static const double STIFFNESS = 60, DAMPING = 1.5; /* of the drive, N m/rad, N m s */

/* Angles of the joints of a leg: front left, front right, middle left... Three legs stand while three swing. */
static void wanted(double t, int leg, double angle[3]) {
  const int side = leg % 2 ? 1 : -1;
  const double phase = 2 * 3.14159265358979 * t / PERIOD + ((leg / 2 + leg) % 2 ? 3.14159265358979 : 0);
  const double grow = fmin(t / 0.5, 1);
  angle[0] = side * TURN * grow * cos(phase); /* the foot goes back while the sine is positive */
  angle[1] = LIFT * grow * fmax(-sin(phase), 0);
  angle[2] = 0;
}

typedef struct moment {
  double q[NQ], u[NU], udot[NU], torque[NU], floor; /* floor: what it bears, N */
} moment;
static moment record[STEPS];

static cdn_status load(cdn_model **model, cdn_state **state) {
  const char *root = getenv("CARDAN_SOURCE_ROOT");
  char path[1024];
  snprintf(path, sizeof path, "%s/examples/models/hexapod.xml", root ? root : ".");
  cdn_model_options options = cdn_default_model_options();
  options.contact = CDN_MODEL_SOFT;
  CDN_TRY(cdn_model_load(path, &options, model));
  return cdn_state_create(cdn_model_system(*model), state);
}

/* The floor's force on the whole walker at these accelerations, and the forces on mobilities that the motion needs. */
static cdn_status explain(cdn_state *state, const double *udot, double *floor, double missing[NU]) {
  double contact[NU];
  CDN_TRY(cdn_soft_forces(state, udot, contact));
  *floor = contact[5];
  return cdn_constrained_inverse_dynamics(state, udot, NULL, missing, NULL, NULL);
}

/* ---- the walk ----------------------------------------------------------------------------------- */

/* The sum of the forces of the contacts, upward. */
static cdn_status carried(cdn_state *state, double *sum) {
  int n;
  *sum = 0;
  CDN_TRY(cdn_contact_count(state, &n));
  for (int i = 0; i < n; i++) {
    cdn_contact c;
    CDN_TRY(cdn_contact_get(state, i, &c));
    *sum += c.force * c.normal.z;
  }
  return CDN_OK;
}

static cdn_status walk(cdn_stepper *stepper) {
  for (int i = 0; i < STEPS; i++) {
    cdn_state *state = cdn_stepper_state(stepper);
    double torque[NU] = { 0 };
    for (int k = 0; k < 3 * LEGS; k++) {
      double angle[3];
      wanted(STEP * i, k / 3, angle);
      torque[6 + k] = STIFFNESS * (angle[k % 3] - cdn_state_q(state)[7 + k]) - DAMPING * cdn_state_u(state)[6 + k];
    }
    CDN_TRY(cdn_state_set_applied_mobility_forces(state, torque));
    moment *m = &record[i];
    CDN_TRY(cdn_realize(state, CDN_STAGE_ACCELERATION));
    memcpy(m->q, cdn_state_q(state), sizeof m->q);
    memcpy(m->u, cdn_state_u(state), sizeof m->u);
    memcpy(m->udot, cdn_state_udot(state), sizeof m->udot);
    memcpy(m->torque, torque, sizeof m->torque);
    CDN_TRY(carried(state, &m->floor));
    CDN_TRY(cdn_stepper_advance(stepper, STEP * (i + 1), NULL));
  }
  return CDN_OK;
}

/* ---- what it needs ------------------------------------------------------------------------------ */

/* Speeds from moment i to the one `apart` later. */
static cdn_status speeds(cdn_state *state, int i, int apart, double u[NU]) {
  double qdot[NQ];
  for (int k = 0; k < NQ; k++) qdot[k] = (record[i + apart].q[k] - record[i].q[k]) / (apart * STEP);
  CDN_TRY(cdn_state_set_q(state, record[i].q));
  return cdn_multiply_by_N_inv(state, qdot, u);
}

typedef struct outcome {
  double root, torque, floor; /* roots of mean squares of what is off: N and N m on the trunk, N m, N */
  double mean;                /* of the floor's force, N */
} outcome;

/* apart 0: with the speeds and accelerations of the recording. */
static cdn_status analyse(cdn_state *state, int apart, outcome *o) {
  double before[NU], after[NU], udot[NU], missing[NU], floor;
  int n = 0;
  *o = (outcome){ 0 };
  const int stride = apart > 0 ? apart : 1;
  for (int i = stride; i < STEPS - stride; i += stride) {
    const moment *m = &record[i];
    CDN_TRY(speeds(state, i - stride, stride, before));
    CDN_TRY(speeds(state, i, stride, after));
    for (int k = 0; k < NU; k++) udot[k] = apart > 0 ? (after[k] - before[k]) / (apart * STEP) : m->udot[k];
    CDN_TRY(cdn_state_set_u(state, apart > 0 ? before : m->u));
    CDN_TRY(explain(state, udot, &floor, missing));
    for (int k = 0; k < NU; k++)
      *(k < 6 ? &o->root : &o->torque) +=
          (missing[k] - m->torque[k]) * (missing[k] - m->torque[k]) / (k < 6 ? 6 : NU - 6);
    o->floor += (floor - m->floor) * (floor - m->floor), o->mean += floor, n++;
    if (apart == 0 && i % 90 == 0)
      printf("%6.2f %10.2f %12.3f %12.3f %12.3f\n", STEP * i, floor, missing[6], missing[7], missing[8]);
  }
  o->root = sqrt(o->root / n), o->torque = sqrt(o->torque / n), o->floor = sqrt(o->floor / n), o->mean /= n;
  return CDN_OK;
}

int main(void) {
  cdn_model *model = NULL;
  cdn_state *state = NULL;
  cdn_stepper *stepper = NULL;
  cdn_stepper_def how = cdn_default_stepper_def();
  outcome out[3] = { 0 };
  double weight = 0;
  how.method = CDN_METHOD_MUJOCO_EULER, how.fixed_step = STEP;
  cdn_status status = load(&model, &state);
  if (!status) status = cdn_system_mass(state, &weight, NULL);
  if (!status) status = cdn_stepper_create(state, &how, &stepper);
  if (!status) status = walk(stepper);
  printf("time, s   floor, N   torques of the front left leg, N m: turn, lift, knee\n");
  const int apart[3] = { 0, 1, 5 };
  for (int i = 0; i < 3 && !status; i++) status = analyse(state, apart[i], &out[i]);
  if (status) fprintf(stderr, "walking_inverse_dynamics: %s\n", cdn_last_error_text());
  const double way = record[STEPS - 1].q[4];
  printf("it walked %.2f m in %g s, and weighs %.1f N; the floor bears %.1f N on the average\n", way, STEPS * STEP,
         9.81 * weight, out[0].mean);
  static const char *const from[3] = { "by its accelerations", "by positions 2 ms apart", "by positions 10 ms apart" };
  for (int i = 0; i < 3; i++)
    printf("%-25s %8.2g N from nowhere; torques are off by %8.2g N m, the floor's force by %8.2g N\n", from[i],
           out[i].root, out[i].torque, out[i].floor);
  cdn_stepper_destroy(stepper), cdn_state_destroy(state), cdn_model_destroy(model);
  return !status && way > 0.3 && out[0].root < 1e-6 && out[0].torque < 1e-6 && out[0].floor < 1e-6 ? 0 : 1;
}
