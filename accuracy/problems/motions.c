/* Motions of different kinds without closed loops. */
#include "motions.h"

#include <stdlib.h>

/* ---- rods on pins whose axes turn from link to link, released near hanging ---- */

typedef struct rods {
  int n;
  double stiffness, damping, first_q, second_q, restitution;
} rods;

static cdn_status first_coordinate(const void *self, cdn_state *state, double *value) {
  (void)self;
  *value = cdn_state_q(state)[0];
  return CDN_OK;
}

static cdn_status bounce(const void *self, cdn_state *state, const cdn_occurrence *what, cdn_action *action) {
  double u = -*(const double *)self * cdn_state_u(state)[0];
  (void)what, (void)action;
  return cdn_state_set_slots(state, CDN_POOL_U, 0, 1, &u);
}

static cdn_state *hang(const rods *r) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body parent = cdn_ground();
  for (int i = 0; i < r->n; i++) {
    cdn_vec3 axis = i % 3 == 0 ? cdn_v3(1, 0, 0) : i % 3 == 1 ? cdn_v3(0, 1, 0) : cdn_v3(0.3, 0.2, 1);
    parent = add_pin(system, NULL, parent, axis, cdn_v3(0, 0, i ? -0.3 : 0),
                     solid(1, cdn_v3(0.01, 0.02, -0.15), 0.012, 0.011, 0.004));
    if (r->stiffness > 0) cdn_system_add_mobility_spring(system, NULL, parent, 0, r->stiffness, 0);
    if (r->damping > 0) cdn_system_add_mobility_damper(system, NULL, parent, 0, r->damping);
  }
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, 0, -9.81));
  if (r->restitution > 0) {
    cdn_event_def event = cdn_default_event_def();
    event.direction = CDN_FALLING, event.value = first_coordinate, event.handle = bounce;
    event.self = &r->restitution, event.self_size = sizeof r->restitution;
    cdn_system_add_event(system, &event);
  }
  cdn_state *state = state_of(system);
  double q[10], u[10];
  for (int i = 0; i < r->n; i++) {
    q[i] = 0.15 * sin(i + 1.0);
    u[i] = 0.2 * cos(2.0 * i);
  }
  if (r->first_q != 0) q[0] = r->first_q, q[1] = r->second_q;
  MUST(state, cdn_state_set_q(state, q));
  MUST(state, cdn_state_set_u(state, u));
  return state;
}

static cdn_state *start_chain10(void) { return hang(&(rods){ .n = 10 }); }
static cdn_state *start_springs(void) { return hang(&(rods){ .n = 10, .stiffness = 200, .damping = 0.4 }); }
static cdn_state *start_stiff(void) { return hang(&(rods){ .n = 3, .stiffness = 300, .damping = 30 }); }
static cdn_state *start_oscillatory(void) { return hang(&(rods){ .n = 5, .stiffness = 500 }); }
static cdn_state *start_bouncing(void) {
  return hang(&(rods){ .n = 2, .first_q = 0.8, .second_q = 0.3, .restitution = 0.95 });
}

/* ---- a torque-free body near its middle axis ---- */

static cdn_state *start_top(void) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  def.mobilizer = CDN_BALL;
  def.mass = solid(1, cdn_v3(0, 0, 0), 1, 2, 2.5);
  cdn_system_add_body(system, &def);
  cdn_state *state = state_of(system);
  MUST(state, cdn_state_set_u(state, (double[]){ 0.3, 2, 0.5 }));
  return state;
}

/* ---- a person, limp, on springs and dampers, thrown: limbs are cylinders, as in the benchmark ---- */

typedef struct hinge {
  cdn_vec3 at, axis; /* in the frame of the body that it moves */
} hinge;

static cdn_mass_properties cylinder(double mass, double radius, double length, cdn_vec3 com) {
  double r2 = radius * radius, across = mass * (3 * r2 + length * length) / 12;
  return solid(mass, com, across, across, mass * r2 / 2);
}

/* A body at p of its parent that n hinges in turn move: all but the last move a massless body. */
static cdn_body add_limb(cdn_system *system, cdn_body parent, cdn_vec3 p, cdn_mass_properties mass, int n,
                         const hinge *hinges) {
  for (int i = 0; i < n; i++) {
    cdn_body_def def = cdn_default_body_def();
    def.parent = parent;
    def.mobilizer = CDN_PIN;
    def.X_PF = frame_z(hinges[i].axis, i == 0 ? cdn_add(p, hinges[i].at) : hinges[i].at);
    def.X_BM = frame_z(hinges[i].axis, hinges[i].at);
    def.mass = i + 1 == n ? mass : (cdn_mass_properties){ 0 };
    parent = cdn_system_add_body(system, &def);
    cdn_system_add_mobility_spring(system, NULL, parent, 0, 10, 0);
    cdn_system_add_mobility_damper(system, NULL, parent, 0, 0.5);
  }
  return parent;
}

static void add_welded(cdn_system *system, cdn_body parent, cdn_vec3 p, cdn_mass_properties mass) {
  cdn_body_def def = cdn_default_body_def();
  def.parent = parent;
  def.mobilizer = CDN_WELD;
  def.X_PF.p = p;
  def.mass = mass;
  cdn_system_add_body(system, &def);
}

static void add_leg(cdn_system *system, cdn_body pelvis, double side) {
  const hinge hip[] = { { .axis = cdn_v3(side, 0, 0) }, { .axis = cdn_v3(0, 0, side) }, { .axis = cdn_v3(0, 1, 0) } };
  const hinge knee = { cdn_v3(0, 0, 0.02), cdn_v3(0, -1, 0) };
  const hinge ankle[] = { { cdn_v3(0, 0, 0.08), cdn_v3(0, 1, 0) },
                          { cdn_v3(0, 0, 0.04), cdn_v3(side, 0, 0.5 * side) } };
  cdn_body thigh =
      add_limb(system, pelvis, cdn_v3(0, -0.1 * side, -0.04), cylinder(4.8, 0.06, 0.4, cdn_v3(0, 0, -0.17)), 3, hip);
  cdn_body shin =
      add_limb(system, thigh, cdn_v3(0, 0.01 * side, -0.4), cylinder(2.8, 0.05, 0.35, cdn_v3(0, 0, -0.15)), 1, &knee);
  add_limb(system, shin, cdn_v3(0, 0, -0.39), cylinder(1.1, 0.05, 0.1, cdn_v3(0.035, 0, 0)), 2, ankle);
}

static void add_arm(cdn_system *system, cdn_body torso, double side) {
  const hinge shoulder[] = { { .axis = cdn_v3(2 * side, 1, side) }, { .axis = cdn_v3(0, -1, side) } };
  cdn_body upper = add_limb(system, torso, cdn_v3(0, -0.17 * side, 0.06),
                            cylinder(1.7, 0.04, 0.3, cdn_v3(0.08, -0.08 * side, -0.08)), 2, shoulder);
  cdn_body lower = add_limb(system, upper, cdn_v3(0.18, -0.18 * side, -0.18),
                            cylinder(1, 0.03, 0.3, cdn_v3(0.09, 0.09 * side, 0.09)), 1, &shoulder[1]);
  add_welded(system, lower, cdn_v3(0.18, 0.18 * side, 0.18), cylinder(0.27, 0.04, 0.08, cdn_v3(0, 0, 0)));
}

static cdn_state *start_humanoid(void) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  def.mobilizer = CDN_FREE;
  def.mass = cylinder(5.9, 0.12, 0.3, cdn_v3(0, 0, -0.046));
  cdn_body torso = cdn_system_add_body(system, &def);
  const hinge waist[] = { { cdn_v3(0, 0, 0.065), cdn_v3(0, 0, 1) }, { cdn_v3(0, 0, 0.065), cdn_v3(0, 1, 0) } };
  const hinge bend = { cdn_v3(0, 0, 0.1), cdn_v3(1, 0, 0) };
  add_welded(system, torso, cdn_v3(0, 0, 0.19), cylinder(3.1, 0.09, 0.2, cdn_v3(0, 0, 0)));
  cdn_body belly =
      add_limb(system, torso, cdn_v3(-0.01, 0, -0.26), cylinder(2.3, 0.09, 0.15, cdn_v3(0, 0, 0)), 2, waist);
  cdn_body pelvis =
      add_limb(system, belly, cdn_v3(0, 0, -0.165), cylinder(6.6, 0.1, 0.2, cdn_v3(-0.02, 0, 0)), 1, &bend);
  add_leg(system, pelvis, 1), add_leg(system, pelvis, -1);
  add_arm(system, torso, 1), add_arm(system, torso, -1);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0.7, -1.3, -9.6));
  cdn_state *state = state_of(system);
  double q[MOTION_MOST] = { 1 }, u[MOTION_MOST];
  for (int i = 7; i < cdn_system_nq(cdn_state_system(state)); i++) q[i] = 0.3 * sin(i);
  for (int i = 0; i < cdn_system_nu(cdn_state_system(state)); i++) u[i] = cos(3 * i);
  MUST(state, cdn_state_set_q(state, q));
  MUST(state, cdn_state_set_u(state, u));
  return state;
}

/* ---- all of them ---- */

const motion chain10 = { "chain10", 10, start_chain10 };
const motion top = { "top", 20, start_top };
const motion springs = { "springs", 5, start_springs };
const motion humanoid = { "humanoid", 3, start_humanoid };
const motion stiff = { "stiff", 1, start_stiff };
const motion oscillatory = { "oscillatory", 1, start_oscillatory };
const motion bouncing = { "bouncing", 10, start_bouncing };

void run_motion(const motion *m, cdn_state *state, cdn_method method, double accuracy, motion_run *out) {
  cdn_stepper *stepper = NULL;
  cdn_stepper_def def = cdn_default_stepper_def();
  def.method = method;
  def.accuracy = accuracy;
  out->nq = cdn_system_nq(cdn_state_system(state));
  out->nu = cdn_system_nu(cdn_state_system(state));
  if (out->nq + out->nu > MOTION_MOST) abort();
  MUST(state, cdn_stepper_create(state, &def, &stepper));
  for (int i = 0; i < MOTION_REPORTS; i++) {
    MUST(cdn_stepper_state(stepper), cdn_stepper_advance(stepper, m->end * (i + 1) / MOTION_REPORTS, NULL));
    const cdn_state *at = cdn_stepper_state(stepper);
    memcpy(out->y[i], cdn_state_q(at), sizeof(double) * (size_t)out->nq);
    memcpy(out->y[i] + out->nq, cdn_state_u(at), sizeof(double) * (size_t)out->nu);
  }
  MUST(cdn_stepper_state(stepper), cdn_stepper_certificate(stepper, &out->c));
  cdn_stepper_destroy(stepper);
}

double motion_distance(const motion_run *run, const motion_run *truth) {
  double worst = 0;
  for (int i = 0; i < MOTION_REPORTS; i++) {
    double q = 0, u = 0;
    for (int k = 0; k < truth->nq + truth->nu; k++) {
      double value = truth->y[i][k], off = run->y[i][k] - value;
      if (k < truth->nq) q += off * off / truth->nq;
      else u += off * off / fmax(1, value * value) / truth->nu;
    }
    worst = fmax(worst, sqrt(fmax(q, u)));
  }
  return worst;
}
