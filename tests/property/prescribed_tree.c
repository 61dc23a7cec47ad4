/* shared by tests in this folder */
#include "prescribed_tree.h"

/* ---- a motion of the tests' own ---- */

enum { B, W, PHASE, C };

/* b sin(w t + phase + i) and its derivatives. */
static double wave(const cdn_motion_input *in, int i, int derivative) {
  const double *p = in->params;
  double x = p[W] * in->t + p[PHASE] + i;
  return derivative == 0 ? p[B] * sin(x) : derivative == 1 ? p[B] * p[W] * cos(x) : -p[B] * p[W] * p[W] * sin(x);
}

static cdn_status fill_q(const cdn_motion_input *in, bool quaternion, int derivative, double *out) {
  for (int i = 0; i < in->nq; i++) out[i] = wave(in, i, derivative);
  if (!quaternion) return CDN_OK;
  static const double axis[3] = { 1 / 3., 2 / 3., 2 / 3. };
  /* half of the angle, and its derivatives */
  double a = wave(in, 0, 0), da = wave(in, 0, 1), dda = wave(in, 0, 2), c, s;
  if (derivative == 0) c = cos(a), s = sin(a);
  else if (derivative == 1) c = -da * sin(a), s = da * cos(a);
  else c = -dda * sin(a) - da * da * cos(a), s = dda * cos(a) - da * da * sin(a);
  out[0] = c;
  for (int k = 0; k < 3; k++) out[1 + k] = s * axis[k];
  return CDN_OK;
}

#define POSITION(name, QUATERNION, DERIVATIVE)                                        \
  static cdn_status name(const void *self, const cdn_motion_input *in, double *out) { \
    (void)self;                                                                       \
    return fill_q(in, QUATERNION, DERIVATIVE, out);                                   \
  }
POSITION(own_q, false, 0)
POSITION(own_qdot, false, 1)
POSITION(own_qdotdot, false, 2)
POSITION(own_turn, true, 0)
POSITION(own_turndot, true, 1)
POSITION(own_turndotdot, true, 2)

static cdn_status own_u(const void *self, const cdn_motion_input *in, double *u) {
  (void)self;
  for (int i = 0; i < in->nu; i++) u[i] = wave(in, i, 0);
  if (in->nq == 1) u[0] += in->params[C] * in->q[in->first_q];
  return CDN_OK;
}

static cdn_status own_u_dot(const void *self, const cdn_motion_input *in, double *udot) {
  (void)self;
  for (int i = 0; i < in->nu; i++) udot[i] = wave(in, i, 1);
  if (in->nq == 1) udot[0] += in->params[C] * in->u[in->first_u]; /* where there is one coordinate qdot = u */
  return CDN_OK;
}

typedef struct own_self {
  int nu; /* of the whole System */
} own_self;

static cdn_status own_udot(const void *self, const cdn_motion_input *in, double *udot) {
  const own_self *own = self;
  double sum = in->q[in->first_q];
  for (int i = 0; i < own->nu; i++) sum += in->u[i];
  for (int i = 0; i < in->nu; i++) udot[i] = wave(in, i, 0) - in->params[C] * (in->u[in->first_u + i] + sum);
  return CDN_OK;
}

const cdn_motion_ops *own_motion(cdn_motion_level level, bool quaternion) {
  static const cdn_motion_ops ops[] = {
    { .struct_size = sizeof *ops, .name = "own", .q = own_q, .qdot = own_qdot, .qdotdot = own_qdotdot },
    { .struct_size = sizeof *ops, .name = "turn", .q = own_turn, .qdot = own_turndot, .qdotdot = own_turndotdot },
    { .struct_size = sizeof *ops, .name = "own", .u = own_u, .udot = own_u_dot },
    { .struct_size = sizeof *ops, .name = "own", .self_size = sizeof(own_self), .udot = own_udot },
  };
  if (level == CDN_LEVEL_POSITION) return &ops[quaternion];
  return level == CDN_LEVEL_VELOCITY ? &ops[2] : &ops[3];
}

/* ---- trees ---- */

static void add_motion(prescribed_tree *p, int body, rng *r) {
  cdn_system *system = p->tree.system;
  cdn_motion_def def = cdn_default_motion_def();
  const own_self self = { .nu = cdn_system_nu(system) };
  def.body.i = body;
  def.level = (cdn_motion_level)(CDN_LEVEL_ACCELERATION + pick(r, 3));
  bool quaternion = cdn_body_has_quaternion(system, def.body);
  drive how = (drive)(BY_SINUSOID + pick(r, 3));
  if (how == BY_SINUSOID && def.level == CDN_LEVEL_POSITION && quaternion) how = BY_OWN_MOTION;
  if (how == BY_STEADY) def.level = CDN_LEVEL_VELOCITY;
  def.kind = how == BY_SINUSOID ? CDN_MOTION_SINUSOID : how == BY_STEADY ? CDN_MOTION_STEADY : CDN_MOTION_CUSTOM;
  def.custom = own_motion(def.level, quaternion);
  def.custom_self = &self;
  random_numbers(r, 1, def.params, CDN_MOTION_PARAMS);
  def.params[W] = uniform(r, 0.5, 3);
  p->motion[body] = cdn_system_add_motion(system, &def);
  p->drive[body] = how;
  p->level[body] = def.level;
}

prescribed_tree make_prescribed_tree(const tree_options *options, uint64_t seed) {
  prescribed_tree p = { .tree = make_random_tree(options) };
  rng r = rng_of(seed + 77);
  /* from hardly any to nearly all */
  double part = uniform(&r, 0.1, 0.9);
  for (int i = 1; i <= p.tree.bodies; i++) {
    p.motion[i].i = -1;
    if (cdn_body_nu(p.tree.system, (cdn_body){ i }) == 0) continue;
    if (uniform(&r, 0, 1) < part) add_motion(&p, i, &r);
    if (uniform(&r, 0, 1) < 0.4 * part) {
      p.drive[i] = BY_LOCK;
      p.level[i] = (cdn_motion_level)(CDN_LEVEL_ACCELERATION + pick(&r, 3));
    }
    p.prescribed += p.drive[i] != FREE_MOBILIZER;
  }
  return p;
}

cdn_state *prescribed_tree_state(const prescribed_tree *p, uint64_t seed) {
  const cdn_system *system = p->tree.system;
  cdn_state *state = random_tree_state(&p->tree, seed);
  rng r = rng_of(seed + 7);
  OK(cdn_state_set_time(state, uniform(&r, 0, 3)));
  for (int i = 1; i <= p->tree.bodies; i++) {
    if (p->drive[i] != BY_LOCK) continue;
    double values[7];
    cdn_body body = { i };
    int n = p->level[i] == CDN_LEVEL_POSITION ? cdn_body_nq(system, body) : cdn_body_nu(system, body);
    random_numbers(&r, 1, values, n);
    if (pick(&r, 2)) OK_ON(state, cdn_body_lock_at(state, body, p->level[i], n, values));
    else OK_ON(state, cdn_body_lock(state, body, p->level[i]));
  }
  set_random_qu(state, &r, 1.5);
  return state;
}

cdn_state *freed(cdn_state *state, const prescribed_tree *p) {
  cdn_state *out = NULL;
  OK(cdn_state_create(cdn_state_system(state), &out));
  OK(cdn_state_copy(out, state));
  OK_ON(out, cdn_prescribe(out, NULL));
  for (int i = 1; i <= p->tree.bodies; i++) {
    /* in this order: without its lock the mobilizer would follow its motion at once */
    if (p->motion[i].i >= 0) OK_ON(out, cdn_motion_set_enabled(out, p->motion[i], false));
    OK_ON(out, cdn_body_unlock(out, (cdn_body){ i }));
  }
  return out;
}

void hold_accelerations(cdn_state *state, const prescribed_tree *p) {
  const cdn_system *system = cdn_state_system(state);
  double udot[6 * TREE_MOST_BODIES];
  const double *now = cdn_state_udot(state);
  ck_assert(now);
  memcpy(udot, now, (size_t)cdn_system_nu(system) * sizeof *udot);
  for (int i = 1; i <= p->tree.bodies; i++) {
    cdn_body body = { i };
    if (p->drive[i] == FREE_MOBILIZER || p->level[i] == CDN_LEVEL_ACCELERATION) continue;
    OK_ON(state, cdn_body_lock_at(state, body, CDN_LEVEL_ACCELERATION, cdn_body_nu(system, body),
                                  udot + cdn_body_first_u(system, body)));
  }
}
