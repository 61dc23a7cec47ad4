/* Friction with memory: it is passive in every state, keeps momentum, leaves no trace of what was only tried, and lives
 * in States, checkpoints and ensembles as other variables do. */
#include "../robust/counting_allocator.h"
#include "contact/memory.h"

static uint64_t seed = 7;
static double draw(double low, double high) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return low + (high - low) * (double)(seed >> 11) * 0x1p-53;
}
static cdn_vec3 draw_vector(double size) { return cdn_v3(draw(-size, size), draw(-size, size), draw(-size, size)); }

/* ---- the law ---- */

/* The power of the force and the change of the stored energy add up to what the head of bristle.c says, which is no
 * loss for no state. */
START_TEST(bristle_is_passive) {
  for (int k = 0; k < 20000; k++) {
    const double scale = pow(10, draw(-6, 2));
    bristle b = { .stiffness = pow(10, draw(2, 7)), .time = pow(10, draw(-5, -1)) };
    b.strength = draw(0, 1) < 0.1 ? 0 : pow(10, draw(-2, 3));
    b.lever = draw(0, 1) < 0.2 ? 0 : pow(10, draw(-4, 0)), b.lever0 = pow(10, draw(-4, 0));
    const cdn_vec3 n = draw_vector(1), w = draw_vector(scale);
    if (draw(0, 1) < 0.8) b.normal = cdn_scale(1 / cdn_norm(n), n);
    const cdn_vec3 V = cdn_sub(w, cdn_scale(cdn_dot(w, b.normal), b.normal));
    const double v[4] = { V.x, V.y, V.z, draw(-scale, scale) };
    double x[4], f[4], xdot[4], power = 0, stored = 0, size = 0, force = 0;
    for (int i = 0; i < 4; i++) x[i] = draw(-2, 2) * b.strength / b.stiffness * pow(10, draw(-2, 0.5));
    const bool sticks = cdni_bristle(&b, x, v, f, xdot);
    for (int i = 0; i < 4; i++) {
      power += f[i] * v[i], stored += b.stiffness * x[i] * xdot[i];
      size += fabs(f[i] * v[i]) + fabs(b.stiffness * x[i] * xdot[i]);
      if (i < 3) force += f[i] * f[i];
    }
    AT_MOST(power + stored, 1e-13 * size);
    AT_MOST(sqrt(force), b.strength * (1 + 1e-14));
    const double along = x[0] * b.normal.x + x[1] * b.normal.y + x[2] * b.normal.z;
    for (int i = 0; sticks && i < 3 && along == 0; i++) ck_assert(xdot[i] == v[i]);
    /* no rate is above 1 / T where it slides, however fast */
    for (int i = 0; !sticks && i < 4; i++)
      AT_MOST(fabs(xdot[i]), (fabs(x[i]) + fabs(f[i]) / b.stiffness) / b.time * (1 + 1e-9) + 1e-12 * fabs(v[i]));
  }
}
END_TEST

/* ---- in a System ---- */

enum { BALLS = 6 };

typedef struct heap {
  cdn_system *system;
  cdn_state *state;
  cdn_body ball[BALLS];
} heap;

/* Balls that overlap, without a floor, or over one. */
static cdn_system *build_heap(bool floor, int slots, cdn_body *ball, counting_allocator *counts) {
  cdn_system_def audited = cdn_default_system_def();
  audited.audit = true;
  if (counts) audited.allocator = allocator_of(counts);
  cdn_system *system = cdn_system_create(&audited);
  if (!system) return NULL;
  cdn_contact_material m = cdn_default_contact_material();
  m.modulus = 1e5, m.torsional_friction = 2e-3, m.rolling_friction = 1e-3, m.dissipation = 0.5;
  cdn_shape_def def_of_shape = cdn_default_shape_def();
  def_of_shape.material = &m;
  def_of_shape.geometry.kind = CDN_GEOMETRY_HALF_SPACE;
  if (floor) cdn_system_add_shape(system, &def_of_shape), cdn_system_add_gravity(system, "g", cdn_v3(0, 0, -9.81));
  for (int i = 0; i < BALLS; i++) {
    cdn_body_def body = cdn_default_body_def();
    body.mobilizer = CDN_FREE, body.mass.mass = 0.5, body.mass.inertia = (cdn_inertia){ 2e-3, 2e-3, 2e-3, 0, 0, 0 };
    body.q0 = (double[]){ 1, 0, 0, 0, 0.17 * (i % 3), 0.17 * (i / 3), 0.098 };
    ball[i] = def_of_shape.body = cdn_system_add_body(system, &body);
    def_of_shape.geometry = (cdn_geometry){ .kind = CDN_GEOMETRY_SPHERE, .size = { 0.1 } };
    if (i % 2) def_of_shape.geometry = (cdn_geometry){ .kind = CDN_GEOMETRY_ELLIPSOID, .size = { 0.1, 0.11, 0.09 } };
    if (i == 5) def_of_shape.geometry = (cdn_geometry){ .kind = CDN_GEOMETRY_BOX, .size = { 0.1, 0.1, 0.1 } };
    def_of_shape.surface_velocity = cdn_v3(0.1, 0, 0), def_of_shape.surface_spin = cdn_v3(0, 0.3, 0);
    cdn_system_add_shape(system, &def_of_shape);
  }
  cdn_contact_def def = cdn_default_contact_def();
  def.friction = CDN_FRICTION_STICKING, def.memory_slots = slots;
  cdn_system_set_contact(system, &def);
  return system;
}

static heap make_heap(bool floor, int slots) {
  heap h = { 0 };
  h.system = build_heap(floor, slots, h.ball, NULL);
  OK_FREEZE(h.system);
  OK(cdn_state_create(h.system, &h.state));
  return h;
}

static void free_heap(heap *h) {
  cdn_state_destroy(h->state);
  cdn_system_release(h->system);
}

static void draw_motion(const heap *h, cdn_state *state, double speed, double displacement) {
  const int nz = cdn_system_nz(h->system);
  double z[512] = { 0 };
  for (int i = 0; i < BALLS; i++) {
    double u[6];
    for (int k = 0; k < 6; k++) u[k] = draw(-speed, speed);
    OK_ON(state, cdn_body_set_u(state, h->ball[i], 6, u));
  }
  for (int i = 0; i < nz; i++) z[i] = 1e6 * draw(-displacement, displacement); /* micrometres */
  OK_ON(state, cdn_state_set_slots(state, CDN_POOL_Z, 0, nz, z));
}

/* All forces of contacts have opposites at the same points. */
START_TEST(friction_keeps_momentum) {
  heap h = make_heap(false, 0);
  for (int k = 0; k < 50; k++) {
    draw_motion(&h, h.state, 0.2, 1e-3);
    cdn_spatial F[BALLS + 1];
    OK_ON(h.state, cdn_applied_forces(h.state, F, NULL));
    cdn_vec3 sum = { 0, 0, 0 }, moment = { 0, 0, 0 };
    double size = 0;
    int with;
    for (int i = 0; i < BALLS; i++) {
      cdn_transform X;
      OK_ON(h.state, cdn_body_pose(h.state, h.ball[i], &X));
      sum = cdn_add(sum, F[i + 1].v), size += cdn_norm(F[i + 1].v);
      moment = cdn_add(moment, cdn_add(F[i + 1].w, cdn_cross(X.p, F[i + 1].v)));
    }
    AT_MOST(cdn_norm(sum), 1e-14 * size);
    AT_MOST(cdn_norm(moment), 1e-14 * size);
    OK_ON(h.state, cdn_contact_memory(h.state, NULL, &with, NULL));
    ck_assert_int_ge(with, 7);
  }
  free_heap(&h);
}
END_TEST

/* What contacts report is what acts, and friction takes more power out of surfaces than its bristles store. */
START_TEST(friction_of_a_state_is_passive) {
  heap h = make_heap(true, 0);
  for (int k = 0; k < 100; k++) {
    draw_motion(&h, h.state, pow(10, draw(-4, 0)), 1e-3);
    OK_ON(h.state, cdn_realize(h.state, CDN_STAGE_ACCELERATION));
    const double *z = cdn_state_z(h.state), *zdot = cdn_state_zdot(h.state);
    int n;
    OK_ON(h.state, cdn_contact_count(h.state, &n));
    for (int i = 0; i < n; i++) {
      cdn_contact c, other;
      OK_ON(h.state, cdn_contact_get(h.state, i, &c));
      if (c.slot < 0 || c.radius[0] == 0) continue;
      for (int j = 0; j < i; j++) {
        OK_ON(h.state, cdn_contact_get(h.state, j, &other));
        ck_assert(other.slot != c.slot || other.radius[0] == 0);
      }
      const cdn_vec3 slip = cdn_add(cdn_scale(c.slip[0], c.tangent[0]), cdn_scale(c.slip[1], c.tangent[1]));
      /* the modulus of two equal materials is E / 2^(3/2) */
      const double a = sqrt(1e-3) * c.radius[0] * c.radius[1] / c.depth, stiffness = 1.6 * 1e5 * pow(2, -1.5) * a;
      double stored = 0;
      for (int d = 0; d < 3; d++) stored += 1e-12 * stiffness * z[7 * c.slot + d] * zdot[7 * c.slot + d];
      AT_MOST(fabs(cdn_dot(c.friction, c.normal)), 1e-14 * c.force);
      AT_MOST(cdn_norm(c.friction), 0.8 * c.force * (1 + 1e-12));
      AT_MOST(cdn_dot(c.friction, slip) + stored, 1e-9 * c.force + 1e-12);
      ck_assert_int_eq(c.sticks, c.sticks != 0);
    }
  }
  free_heap(&h);
}
END_TEST

static void all_bytes(cdn_state *state, cdn_buffer *to) {
  OK_ON(state, cdn_realize(state, CDN_STAGE_ACCELERATION));
  OK_ON(state, cdn_state_save(state, cdn_buffer_write, to));
}

/* Another pose is tried, with contacts that are not there otherwise: nothing of it is left. */
START_TEST(what_is_tried_leaves_no_trace) {
  heap h = make_heap(true, 0);
  cdn_buffer before = { 0 }, after = { 0 };
  all_bytes(h.state, &before);
  double udot[6 * BALLS];
  memcpy(udot, cdn_state_udot(h.state), sizeof udot);
  double q[7 * BALLS];
  memcpy(q, cdn_state_q(h.state), sizeof q);
  for (int i = 0; i < BALLS; i++)
    OK_ON(h.state,
          cdn_body_set_q(h.state, h.ball[i], 7, (double[]){ 1, 0, 0, 0, 0.16 * ((i + 2) % 3), 0.16 * (i / 3), 0.09 }));
  OK_ON(h.state, cdn_realize(h.state, CDN_STAGE_ACCELERATION));
  OK_ON(h.state, cdn_state_set_q(h.state, q));
  all_bytes(h.state, &after);
  ck_assert_uint_eq(before.size, after.size);
  ck_assert_mem_eq(before.bytes, after.bytes, after.size);
  ck_assert_mem_eq(udot, cdn_state_udot(h.state), sizeof udot);
  cdn_buffer_free(&before), cdn_buffer_free(&after);
  free_heap(&h);
}
END_TEST

static cdn_stepper *heap_stepper(cdn_state *state, cdn_method method) {
  cdn_stepper *stepper = NULL;
  cdn_stepper_def def = cdn_default_stepper_def();
  def.method = method, def.accuracy = 1e-5;
  OK_ON(state, cdn_stepper_create(state, &def, &stepper));
  return stepper;
}

/* A run that is saved while contacts last, and one that is not, have the same bits at their ends. */
START_TEST(checkpoints_resume_with_memory) {
  static const cdn_method methods[] = { CDN_METHOD_ADAMS, CDN_METHOD_DORMAND_PRINCE, CDN_METHOD_MERSON };
  for (int k = 0; k < 3; k++) {
    heap h = make_heap(true, 0);
    cdn_stepper *whole = heap_stepper(h.state, methods[k]), *second = NULL;
    OK_STEP(whole, cdn_stepper_advance(whole, 0.3, NULL));
    int used;
    OK_ON(cdn_stepper_state(whole), cdn_contact_memory(cdn_stepper_state(whole), NULL, &used, NULL));
    ck_assert_int_gt(used, 0);
    cdn_buffer saved = { 0 };
    OK_STEP(whole, cdn_stepper_save(whole, cdn_buffer_write, &saved));
    OK_STEP(whole, cdn_stepper_advance(whole, 0.6, NULL));
    heap other = make_heap(true, 0);
    OK_ON(other.state, cdn_stepper_load(other.state, NULL, NULL, cdn_buffer_read, &saved, &second));
    OK_STEP(second, cdn_stepper_advance(second, 0.6, NULL));
    cdn_buffer a = { 0 }, b = { 0 };
    all_bytes(cdn_stepper_state(whole), &a), all_bytes(cdn_stepper_state(second), &b);
    ck_assert_uint_eq(a.size, b.size);
    ck_assert_mem_eq(a.bytes, b.bytes, a.size);
    cdn_buffer_free(&a), cdn_buffer_free(&b), cdn_buffer_free(&saved);
    cdn_stepper_destroy(whole), cdn_stepper_destroy(second);
    free_heap(&h), free_heap(&other);
  }
}
END_TEST

/* A pool that is too small: contacts beyond it have the friction of the slip speed, and it is told. */
START_TEST(full_pool_is_told) {
  heap h = make_heap(true, 3);
  draw_motion(&h, h.state, 0.1, 0);
  int slots, used, without, n, forgotten = 0;
  OK_ON(h.state, cdn_contact_memory(h.state, &slots, &used, &without));
  ck_assert_int_eq(slots, 3);
  ck_assert_int_eq(used, 3);
  ck_assert_int_eq(cdn_system_nz(h.system), 21);
  OK_ON(h.state, cdn_contact_count(h.state, &n));
  for (int i = 0; i < n; i++) {
    cdn_contact c;
    OK_ON(h.state, cdn_contact_get(h.state, i, &c));
    if (c.slot >= 0) continue;
    forgotten += c.radius[0] > 0;
    ck_assert_int_eq(c.sticks, 0);
    const double speed = hypot(c.slip[0], c.slip[1]);
    NEAR(cdn_norm(c.friction), c.force * fmin(speed / 0.01, 1) * (0.7 + 0.2 / (1 + 1e4 * speed * speed)),
         1e-9 * c.force);
  }
  ck_assert_int_ge(without, 3);
  ck_assert_int_le(forgotten, without);
  cdn_stepper *stepper = heap_stepper(h.state, CDN_METHOD_ADAMS);
  OK_STEP(stepper, cdn_stepper_advance(stepper, 0.2, NULL));
  cdn_stepper_destroy(stepper);
  free_heap(&h);
}
END_TEST

/* A State that has stuck for a while forgets. */
START_TEST(friction_forgets) {
  heap h = make_heap(true, 0);
  cdn_stepper *stepper = heap_stepper(h.state, CDN_METHOD_ADAMS);
  OK_STEP(stepper, cdn_stepper_advance(stepper, 0.2, NULL));
  OK_ON(h.state, cdn_state_copy(h.state, cdn_stepper_state(stepper)));
  cdn_contact before, after;
  OK_ON(h.state, cdn_contact_get(h.state, 0, &before));
  ck_assert_double_gt(cdn_norm(before.displacement), 0);
  OK_ON(h.state, cdn_contact_forget(h.state));
  OK_ON(h.state, cdn_contact_get(h.state, 0, &after));
  ck_assert_double_eq(cdn_norm(after.displacement), 0);
  ck_assert_double_eq(after.force, before.force);
  FAILS(cdn_contact_forget(NULL), CDN_ERR_ARG);
  cdn_stepper_destroy(stepper);
  free_heap(&h);
}
END_TEST

/* Freezes, makes a State, and runs for a while. */
static cdn_status life_of_a_heap(counting_allocator *counts, bool steady) {
  cdn_body ball[BALLS];
  cdn_system *system = build_heap(true, 0, ball, counts);
  if (!system) return CDN_ERR_NOMEM;
  cdn_state *state = NULL;
  cdn_stepper *stepper = NULL;
  cdn_stepper_def def = cdn_default_stepper_def();
  def.method = CDN_METHOD_DORMAND_PRINCE, def.accuracy = 1e-4;
  cdn_status status = cdn_system_freeze(system);
  if (!status) status = cdn_state_create(system, &state);
  if (!status) status = cdn_stepper_create(state, &def, &stepper);
  if (!status) status = cdn_stepper_advance(stepper, steady ? 0.3 : 0.02, NULL);
  if (steady) {
    const int64_t before = counts->calls;
    OK_STEP(stepper, cdn_stepper_advance(stepper, 0.6, NULL));
    ck_assert_int_eq(counts->calls, before);
  }
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
  cdn_system_release(system);
  return status;
}

START_TEST(no_step_allocates_and_memory_may_run_out) {
  counting_allocator counts = { 0 };
  OK(life_of_a_heap(&counts, true));
  ck_assert_int_eq(counts.outstanding + counts.misuse, 0);
  for (int64_t k = 1;; k++) {
    counting_allocator c = { .fail_at = k, .fail_after = true };
    const cdn_status status = life_of_a_heap(&c, false);
    ck_assert_int_eq(c.outstanding + c.misuse, 0);
    if (c.calls < k) break;
    ck_assert_msg(status == CDN_ERR_NOMEM || status == CDN_OK, "call %d: %s", (int)k, cdn_status_name(status));
  }
}
END_TEST

/* Lane k is the lone run, whatever the numbers of contacts: rates, steps and memory. */
START_TEST(lanes_have_the_bits_of_lone_runs) {
  enum { STATES = 11, STEPS = 10 };
  const double h = 5e-4;
  heap x = make_heap(true, 0);
  cdn_state *lone[STATES];
  cdn_ensemble_def def = cdn_default_ensemble_def();
  def.count = STATES, def.threads = 2;
  cdn_ensemble *ensemble;
  OK_ON(x.state, cdn_ensemble_create(x.state, &def, &ensemble));
  for (int k = 0; k < STATES; k++) {
    OK(cdn_state_create(x.system, &lone[k]));
    draw_motion(&x, lone[k], 0.3, 0);
    const cdn_vec3 up = cdn_v3(0.05 * k, 0, 0.098 + 0.01 * (k % 3));
    OK_ON(lone[k], cdn_body_set_q(lone[k], x.ball[0], 7, (double[]){ 1, 0, 0, 0, up.x, up.y, up.z }));
    /* some begin with contacts that have lasted for a while */
    cdn_stepper_def how = cdn_default_stepper_def();
    how.method = CDN_METHOD_DORMAND_PRINCE, how.fixed_step = h;
    cdn_stepper *stepper;
    OK_ON(lone[k], cdn_stepper_create(lone[k], &how, &stepper));
    OK_STEP(stepper, cdn_stepper_advance(stepper, h * (k % 4) * 10, NULL));
    OK_ON(lone[k], cdn_state_copy(lone[k], cdn_stepper_state(stepper)));
    cdn_stepper_destroy(stepper);
    ck_assert_msg(cdn_ensemble_set_state(ensemble, k, lone[k]) == CDN_OK, "%s", cdn_last_error_text());
  }
  const int nz = cdn_system_nz(x.system), nu = cdn_system_nu(x.system);
  double *rates = malloc((size_t)(STATES * nz) * sizeof *rates);
  for (int round = 0; round < 8; round++) {
    OK(cdn_ensemble_rates(ensemble, CDN_POOL_Z, rates, 0));
    for (int k = 0; k < STATES; k++)
      ck_assert_mem_eq(rates + k * nz, cdn_state_zdot(lone[k]), (size_t)nz * sizeof *rates);
    OK(cdn_ensemble_rates(ensemble, CDN_POOL_U, rates, 0));
    for (int k = 0; k < STATES; k++)
      ck_assert_mem_eq(rates + k * nu, cdn_state_udot(lone[k]), (size_t)nu * sizeof *rates);
    if (round == 7) break;
    OK(cdn_ensemble_advance(ensemble, h, STEPS));
    for (int k = 0; k < STATES; k++) {
      cdn_stepper_def how = cdn_default_stepper_def();
      how.method = CDN_METHOD_DORMAND_PRINCE, how.fixed_step = h;
      cdn_stepper *stepper;
      OK_ON(lone[k], cdn_stepper_create(lone[k], &how, &stepper));
      OK_STEP(stepper, cdn_stepper_advance(stepper, cdn_state_time(lone[k]) + STEPS * h, NULL));
      OK_ON(lone[k], cdn_state_copy(lone[k], cdn_stepper_state(stepper)));
      cdn_stepper_destroy(stepper);
      cdn_state *of_lane;
      OK(cdn_state_create(x.system, &of_lane));
      OK(cdn_ensemble_get_state(ensemble, k, of_lane));
      cdn_buffer a = { 0 }, b = { 0 };
      all_bytes(lone[k], &a), all_bytes(of_lane, &b);
      ck_assert_uint_eq(a.size, b.size);
      ck_assert_mem_eq(cdn_state_z(lone[k]), cdn_state_z(of_lane), (size_t)nz * sizeof *rates);
      ck_assert_mem_eq(a.bytes, b.bytes, a.size);
      cdn_buffer_free(&a), cdn_buffer_free(&b);
      cdn_state_destroy(of_lane);
    }
  }
  free(rates);
  for (int k = 0; k < STATES; k++) cdn_state_destroy(lone[k]);
  cdn_ensemble_destroy(ensemble);
  free_heap(&x);
}
END_TEST

CHECK_MAIN("friction_memory", friction_forgets, bristle_is_passive, friction_keeps_momentum,
           friction_of_a_state_is_passive, what_is_tried_leaves_no_trace, checkpoints_resume_with_memory,
           full_pool_is_told, no_step_allocates_and_memory_may_run_out, lanes_have_the_bits_of_lone_runs)
