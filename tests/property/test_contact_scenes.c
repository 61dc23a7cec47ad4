/* What must hold for every law of contact, whatever the shapes: momentum is conserved, energy does not grow, forces of
 * pressure fields do not jump, and a State has the same bits whatever was computed before and by how many threads.
 * Bodies are free, each with one shape; also half-spaces and height fields are on bodies that move. */
#include <float.h>
#include <pthread.h>

#include "../testing.h"
#include "property/sample_geometries.h"

typedef struct scene {
  cdn_system *system;
  cdn_state *state;
  int n;
} scene;

static cdn_contact_material material(double modulus, double dissipation, double mu) {
  cdn_contact_material m = cdn_default_contact_material();
  m.modulus = modulus, m.dissipation = dissipation, m.static_friction = m.dynamic_friction = mu;
  return m;
}

static scene make_scene(int n, const cdn_geometry *const geometry[], cdn_contact_material m) {
  scene s = { .system = cdn_system_create(NULL), .n = n };
  cdn_body_def body = cdn_default_body_def();
  body.mobilizer = CDN_FREE, body.mass.mass = 1, body.mass.inertia = (cdn_inertia){ 0.2, 0.25, 0.3, 0, 0, 0 };
  cdn_shape_def shape = cdn_default_shape_def();
  shape.material = &m;
  for (int i = 0; i < n; i++) {
    shape.body = cdn_system_add_body(s.system, &body), shape.geometry = *geometry[i];
    cdn_system_add_shape(s.system, &shape);
  }
  cdn_contact_def contact = cdn_default_contact_def();
  contact.pass_without_law = true;
  cdn_system_set_contact(s.system, &contact);
  OK_FREEZE(s.system);
  OK(cdn_state_create(s.system, &s.state));
  return s;
}

static void free_scene(scene *s) {
  cdn_state_destroy(s->state);
  cdn_system_release(s->system);
}

static void place(cdn_state *state, int body, cdn_transform X) {
  const cdn_quaternion r = cdn_quaternion_from_rotation(X.R);
  const double q[7] = { r.w, r.x, r.y, r.z, X.p.x, X.p.y, X.p.z };
  OK_ON(state, cdn_body_set_q(state, (cdn_body){ body + 1 }, 7, q));
}

static void draw(cdn_state *state, int n, double away, uint64_t *seed) {
  for (int i = 0; i < n; i++) {
    double u[6];
    place(state, i, mesh_pose(seed, away));
    for (int k = 0; k < 6; k++) u[k] = mesh_uniform(seed, -1, 1);
    OK_ON(state, cdn_body_set_u(state, (cdn_body){ i + 1 }, 6, u));
  }
}

static int contacts(cdn_state *state) {
  int n;
  OK_ON(state, cdn_contact_count(state, &n));
  return n;
}

/* ---- momentum ---- */

START_TEST(momentum_is_conserved) {
  sample_geometries samples = sample_geometries_make();
  uint64_t seed = 5;
  int touching = 0;
  for (int i = 0; i < samples.n; i++)
    for (int j = i; j < samples.n; j++) {
      const cdn_geometry *const both[2] = { &samples.geometry[i], &samples.geometry[j] };
      scene s = make_scene(2, both, material(1e6, 0.2, 0.5));
      bool any = false;
      for (int pose = 0; pose < FEWER(20); pose++) {
        cdn_spatial F[3];
        draw(s.state, 2, 0.8, &seed);
        OK_ON(s.state, cdn_applied_forces(s.state, F, NULL));
        cdn_vec3 force = { 0, 0, 0 }, moment = { 0, 0, 0 };
        double size = 0, moments = 0; /* of contacts, and on bodies, where stiffness varies with the pose, too */
        for (int b = 1; b <= 2; b++) {
          const double *q = cdn_body_q(s.state, (cdn_body){ b });
          const cdn_vec3 origin = { q[4], q[5], q[6] };
          force = cdn_add(force, F[b].v);
          moment = cdn_add(moment, cdn_add(F[b].w, cdn_cross(origin, F[b].v)));
          moments += cdn_norm(F[b].w);
        }
        const int n = contacts(s.state);
        for (int k = 0; k < n; k++) {
          cdn_contact c;
          OK_ON(s.state, cdn_contact_get(s.state, k, &c));
          size += (c.force + cdn_norm(c.friction)) * (1 + cdn_norm(c.point));
        }
        AT_MOST(cdn_norm(force), 1e-14 * size);
        AT_MOST(cdn_norm(moment), 1e-14 * size + 4 * DBL_EPSILON * moments);
        any = any || n > 0;
      }
      touching += any;
      free_scene(&s);
    }
  ck_assert_int_gt(touching, FEWER(60));
  sample_geometries_free(&samples);
}
END_TEST

/* ---- energy ---- */

static double energy(cdn_state *state) {
  double kinetic, potential;
  OK_ON(state, cdn_kinetic_energy(state, &kinetic));
  OK_ON(state, cdn_potential_energy(state, &potential));
  return kinetic + potential;
}

/* Two bodies that fly at each other, and what they have when they have parted. NAN: they have not touched. */
static double energy_gained(const cdn_geometry *const both[2], cdn_contact_material m, cdn_method method,
                            double accuracy, uint64_t *seed) {
  scene s = make_scene(2, both, m);
  const cdn_vec3 away = mesh_direction(seed);
  for (int b = 0; b < 2; b++) {
    cdn_transform X = mesh_pose(seed, 0.1);
    double u[6];
    for (int k = 0; k < 6; k++) u[k] = mesh_uniform(seed, -0.5, 0.5);
    const double side = b == 0 ? -1 : 1;
    X.p = cdn_add(X.p, cdn_scale(1.1 * side, away));
    u[3] -= side * away.x, u[4] -= side * away.y, u[5] -= side * away.z;
    place(s.state, b, X);
    OK_ON(s.state, cdn_body_set_u(s.state, (cdn_body){ b + 1 }, 6, u));
  }
  double gained = NAN;
  if (contacts(s.state) == 0) {
    const double before = energy(s.state);
    cdn_stepper *stepper;
    cdn_stepper_def def = cdn_default_stepper_def();
    def.method = method, def.accuracy = accuracy;
    OK_ON(s.state, cdn_stepper_create(s.state, &def, &stepper));
    OK_STEP(stepper, cdn_stepper_advance(stepper, 3, NULL));
    if (contacts(cdn_stepper_state(stepper)) == 0) gained = energy(cdn_stepper_state(stepper)) - before;
    cdn_stepper_destroy(stepper);
  }
  free_scene(&s);
  return gained;
}

/* Without dissipation the energy stays, to the accuracy; with it, it falls. */
START_TEST(energy_does_not_grow) {
  sample_geometries samples = sample_geometries_make();
  static const cdn_method methods[] = { CDN_METHOD_DORMAND_PRINCE, CDN_METHOD_ADAMS, CDN_METHOD_MERSON };
  enum { OTHERS = 8 };
  uint64_t seed = 5;
  int touched = 0;
  for (int i = 0; i < 5; i++)
    for (int j = 0; j < OTHERS; j++) {
      if (i == 1 || (i == 4 && j > 4)) continue;
      const cdn_geometry *const both[2] = { &samples.geometry[i], &samples.geometry[j] };
      for (int k = 0; k < (SANITIZED ? 1 : 3); k++) {
        const double accuracy = SANITIZED ? 1e-4 : 1e-6;
        const double kept = energy_gained(both, material(1e6, 0, 0), methods[k], accuracy, &seed);
        const double lost = energy_gained(both, material(1e6, 0.1, 0.5), methods[k], accuracy, &seed);
        if (!isnan(kept)) AT_MOST(fabs(kept), 30 * accuracy);
        if (!isnan(lost)) AT_MOST(lost, 30 * accuracy);
        touched += !isnan(kept) + !isnan(lost);
      }
    }
  ck_assert_int_gt(touched, FEWER(100));
  sample_geometries_free(&samples);
}
END_TEST

/* ---- pressure fields do not jump ---- */

/* The largest change of forces on the second body from pose to pose, as it turns from -range to range about an axis,
 * face on face at 0. */
static double largest_change(scene *s, cdn_transform X, cdn_vec3 axis, double range) {
  enum { POSES = SANITIZED ? 8 : 40 };
  double most = 0;
  cdn_spatial before = { { 0, 0, 0 }, { 0, 0, 0 } };
  for (int i = 0; i <= POSES; i++) {
    const double angle = range * (2.0 * i / POSES - 1);
    cdn_spatial F[3];
    cdn_transform turned = X;
    turned.R = cdn_rotation_multiply(cdn_rotation_axis_angle(axis, angle), X.R);
    place(s->state, 1, turned);
    OK_ON(s->state, cdn_applied_forces(s->state, F, NULL));
    if (i > 0) most = fmax(most, fmax(cdn_norm(cdn_sub(F[2].v, before.v)), cdn_norm(cdn_sub(F[2].w, before.w))));
    before = F[2];
  }
  return most;
}

/* A jump would stay as the steps shrink. */
START_TEST(pressure_does_not_jump) {
  sample_geometries samples = sample_geometries_make();
  static const int flat[] = { 1, 5, 6, 7 };
  const cdn_transform still = { { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }, { 0, 0, 0 } };
  const double top[] = { 0, 0.7, 0.9 }; /* of half-space, cylinder, box along z */
  uint64_t seed = 9;
  for (int i = 0; i < 3; i++)
    for (int j = 1; j < 3; j++) {
      const cdn_geometry *const both[2] = { &samples.geometry[flat[i]], &samples.geometry[flat[j]] };
      scene s = make_scene(2, both, material(1e6, 0, 0));
      place(s.state, 0, still);
      for (int k = 0; k < 5; k++) {
        cdn_transform X = { cdn_rotation_axis_angle(cdn_v3(0, 0, 1), mesh_uniform(&seed, -3, 3)),
                            cdn_v3(mesh_uniform(&seed, -0.2, 0.2), mesh_uniform(&seed, -0.2, 0.2),
                                   top[i] + top[j] - mesh_uniform(&seed, 0.001, 0.02)) };
        const cdn_vec3 axis = mesh_direction(&seed);
        const double coarse = largest_change(&s, X, axis, 1e-3), fine = largest_change(&s, X, axis, 1e-6);
        ck_assert_double_gt(coarse, 0);
        AT_MOST(fine, 3e-3 * coarse);
      }
      free_scene(&s);
    }
  sample_geometries_free(&samples);
}
END_TEST

/* ---- the same bits ---- */

enum { BODIES = 24, POSES = 12, THREADS = 4 };

static scene crowd(const sample_geometries *samples) {
  const cdn_geometry *all[BODIES];
  for (int i = 0; i < BODIES; i++) all[i] = &samples->geometry[i % samples->n];
  return make_scene(BODIES, all, material(1e6, 0.2, 0.5));
}

/* All contacts of a pose, byte by byte: the sum of all bytes by their places. */
static uint64_t bits_of_pose(cdn_state *state, int pose) {
  uint64_t seed = 100 + (uint64_t)pose, sum = 14695981039346656037u;
  draw(state, BODIES, 1.5, &seed);
  const int n = contacts(state);
  for (int i = 0; i < n; i++) {
    cdn_contact c;
    unsigned char bytes[sizeof c];
    memset(&c, 0, sizeof c);
    OK_ON(state, cdn_contact_get(state, i, &c));
    memcpy(bytes, &c, sizeof c);
    const size_t ids = offsetof(cdn_contact, feature) + sizeof c.feature; /* some bytes behind it mean nothing */
    for (size_t k = 0; k < sizeof c; k++)
      if (k < ids || k >= offsetof(cdn_contact, point)) sum = (sum ^ bytes[k]) * 1099511628211u;
  }
  return sum ^ (uint64_t)n;
}

typedef struct job {
  cdn_state *state;
  int first, step; /* of the poses, in another order for each */
  uint64_t bits[POSES];
} job;

static void *work(void *context) {
  job *j = context;
  for (int i = 0; i < POSES; i++) {
    const int pose = (j->first + i * j->step) % POSES;
    j->bits[pose] = bits_of_pose(j->state, pose);
  }
  return NULL;
}

START_TEST(bits_are_the_same_whatever_came_before) {
  static const int steps[THREADS] = { 1, 5, 7, 11 }; /* coprime with POSES */
  sample_geometries samples = sample_geometries_make();
  scene first = crowd(&samples), second = crowd(&samples);
  job alone = { .state = first.state, .first = 0, .step = 1 }, together[THREADS];
  pthread_t thread[THREADS];
  work(&alone);
  for (int i = 0; i < POSES; i++) ck_assert(i == 0 || alone.bits[i] != alone.bits[i - 1]);
  for (int k = 0; k < THREADS; k++) {
    together[k] = (job){ .first = 3 * k, .step = steps[k] };
    OK(cdn_state_create(k % 2 == 0 ? first.system : second.system, &together[k].state));
    ck_assert_int_eq(pthread_create(&thread[k], NULL, work, &together[k]), 0);
  }
  for (int k = 0; k < THREADS; k++) {
    ck_assert_int_eq(pthread_join(thread[k], NULL), 0);
    for (int i = 0; i < POSES; i++) ck_assert(together[k].bits[i] == alone.bits[i]);
    cdn_state_destroy(together[k].state);
  }
  free_scene(&first);
  free_scene(&second);
  sample_geometries_free(&samples);
}
END_TEST

CHECK_MAIN("contact_scenes", momentum_is_conserved, energy_does_not_grow, pressure_does_not_jump,
           bits_are_the_same_whatever_came_before)
