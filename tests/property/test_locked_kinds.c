/* A mobilizer of any kind that is locked is a weld: between a free body and one on a pin, against the same with a weld
 * in its place. */
#include "own_mobilizers.h"
#include "random_tree.h"

typedef struct joint {
  cdn_mobilizer kind;
  bool reversed, euler;
  int own; /* which of the tests' own, for function-based and custom */
} joint;

static cdn_mass_properties solid(rng *r) {
  cdn_mass_properties m = { .mass = uniform(r, 0.5, 2), .com = random_vec3(r, 0.2) };
  cdn_inertia principal = { .xx = uniform(r, 0.1, 0.12), .yy = uniform(r, 0.1, 0.12), .zz = uniform(r, 0.1, 0.12) };
  m.inertia = cdn_inertia_reexpress(random_rotation(r), principal);
  return m;
}

static cdn_transform frame(rng *r) {
  cdn_transform X = { random_rotation(r), random_vec3(r, 0.5) };
  return X;
}

/* base (1), middle (2), tip (3); the middle one on the joint, or welded at X_PB. */
static cdn_state *make(const joint *j, uint64_t seed, const cdn_transform *X_PB) {
  cdn_system *system = cdn_system_create(NULL);
  rng r = rng_of(seed);
  cdn_body_def def = cdn_default_body_def();
  def.mobilizer = CDN_FREE, def.mass = solid(&r);
  cdn_body base = cdn_system_add_body(system, &def);

  cdn_function_mobilizer functions = own_functions(j->own);
  double factor = 2;
  def = cdn_default_body_def();
  def.parent = base, def.mass = solid(&r);
  def.X_PF = frame(&r), def.X_BM = frame(&r);
  def.armature = 0.3; /* of a rotor that stands still with it */
  for (int k = 0; k < 3; k++) def.params[k] = uniform(&r, 0.3, 0.8);
  if (j->kind == CDN_SPHERICAL_COORDS) def.params[2] = pick(&r, 16);
  def.mobilizer = j->kind, def.reversed = j->reversed, def.euler = j->euler;
  def.functions = &functions, def.custom = own_custom(j->own % OWN_CUSTOMS), def.custom_self = &factor;
  if (X_PB) {
    def.mobilizer = CDN_WELD, def.reversed = def.euler = false;
    def.X_PF = *X_PB, def.X_BM = cdn_transform_identity();
  }
  cdn_body middle = cdn_system_add_body(system, &def);
  release_functions(&functions);

  def = cdn_default_body_def();
  def.parent = middle, def.mass = solid(&r), def.mobilizer = CDN_PIN;
  def.X_PF = frame(&r), def.X_BM = frame(&r);
  cdn_body tip = cdn_system_add_body(system, &def);
  cdn_system_add_gravity(system, "gravity", random_vec3(&r, 5));
  cdn_system_add_two_point_spring(system, "spring", base, cdn_v3(0, 0, 0), tip, cdn_v3(0.1, 0.2, 0.3), 30, 0.1);
  cdn_state *state = NULL;
  OK_FREEZE(system);
  OK(cdn_state_create(system, &state));
  cdn_system_release(system);
  return state;
}

static void near_vec3(cdn_vec3 a, cdn_vec3 b, double tolerance) { NEAR(cdn_norm(cdn_sub(a, b)), 0, tolerance); }

static void compare(const joint *j, uint64_t seed) {
  cdn_state *locked = make(j, seed, NULL), *welded;
  const cdn_system *system = cdn_state_system(locked);
  const cdn_body base = { 1 }, middle = { 2 }, tip = { 3 };
  rng r = rng_of(seed + 99);
  double q[16], u[16];
  set_random_qu(locked, &r, 1.5);
  OK_ON(locked, cdn_body_lock(locked, middle, CDN_LEVEL_POSITION));
  cdn_transform X_GP, X_GB;
  OK_ON(locked, cdn_body_pose(locked, base, &X_GP));
  OK_ON(locked, cdn_body_pose(locked, middle, &X_GB));
  cdn_transform X_PB = cdn_transform_multiply(cdn_transform_invert(X_GP), X_GB);
  welded = make(j, seed, &X_PB);
  const int nq = cdn_body_nq(system, middle), nu = cdn_body_nu(system, middle);
  memcpy(q, cdn_state_q(locked), 7 * sizeof *q);
  memcpy(u, cdn_state_u(locked), 6 * sizeof *u);
  q[7] = cdn_state_q(locked)[7 + nq], u[6] = cdn_state_u(locked)[6 + nu];
  OK(cdn_state_set_q(welded, q));
  OK(cdn_state_set_u(welded, u));

  /* lengths and speeds of order one; the joints' inertias and a stiff spring bring factors of ten */
  for (int b = 1; b <= tip.i; b++) {
    cdn_transform X[2];
    cdn_spatial V[2], A[2];
    cdn_state *both[2] = { locked, welded };
    for (int k = 0; k < 2; k++) {
      OK_ON(both[k], cdn_body_pose(both[k], (cdn_body){ b }, &X[k]));
      OK_ON(both[k], cdn_body_velocity(both[k], (cdn_body){ b }, &V[k]));
      OK_ON(both[k], cdn_body_acceleration(both[k], (cdn_body){ b }, &A[k]));
    }
    near_vec3(X[0].p, X[1].p, 1e-13);
    near_vec3(X[0].R.x, X[1].R.x, 1e-13);
    near_vec3(V[0].w, V[1].w, 1e-12);
    near_vec3(V[0].v, V[1].v, 1e-12);
    near_vec3(A[0].w, A[1].w, 1e-10);
    near_vec3(A[0].v, A[1].v, 1e-10);
  }
  double energy[2];
  OK_ON(locked, cdn_kinetic_energy(locked, &energy[0]));
  OK_ON(welded, cdn_kinetic_energy(welded, &energy[1]));
  NEAR(energy[0], energy[1], 1e-12 * energy[1]);
  cdn_state_destroy(locked);
  cdn_state_destroy(welded);
}

START_TEST(every_kind) {
  for (int kind = 0; kind < CDN_MOBILIZER_COUNT; kind++)
    for (int variant = 0; variant < 4; variant++)
      for (uint64_t seed = 1; seed <= 6; seed++) {
        const joint j = { (cdn_mobilizer)kind, variant & 1, variant & 2, (int)seed % OWN_FUNCTION_SETS };
        bool has_euler = kind == CDN_BALL || kind == CDN_FREE || kind == CDN_ELLIPSOID ||
                         kind == CDN_LINE_ORIENTATION || kind == CDN_FREE_LINE;
        if (!j.euler || has_euler) compare(&j, seed);
      }
}
END_TEST

CHECK_MAIN("locked kinds", every_kind)
