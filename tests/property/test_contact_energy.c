/* Forces of contact are the gradient of the stored energy: their power, as two bodies move by a little, is what the
 * energy loses. Also closed forms of the energy of pressure fields. */
#include "../testing.h"
#include "property/sample_geometries.h"

typedef struct scene {
  cdn_system *system;
  cdn_state *state;
  cdn_measure energy;
} scene;

/* Two free bodies with a shape each; no dissipation, no friction. */
static scene make_scene(const cdn_geometry *a, const cdn_geometry *b, double E_a, double E_b, double thickness) {
  scene s = { .system = cdn_system_create(NULL) };
  const cdn_geometry *const both[2] = { a, b };
  cdn_body_def body = cdn_default_body_def();
  body.mobilizer = CDN_FREE, body.mass.mass = 1, body.mass.inertia = (cdn_inertia){ 0.2, 0.25, 0.3, 0, 0, 0 };
  for (int i = 0; i < 2; i++) {
    cdn_contact_material m = cdn_default_contact_material();
    m.modulus = i == 0 ? E_a : E_b, m.dissipation = 0, m.static_friction = m.dynamic_friction = 0;
    m.thickness = thickness;
    cdn_shape_def shape = cdn_default_shape_def();
    shape.body = cdn_system_add_body(s.system, &body), shape.geometry = *both[i], shape.material = &m;
    cdn_system_add_shape(s.system, &shape);
  }
  cdn_contact_def contact = cdn_default_contact_def();
  contact.pass_without_law = true;
  cdn_system_set_contact(s.system, &contact);
  cdn_contact_measure_def stored = cdn_default_contact_measure_def();
  stored.quantity = CDN_CONTACT_ENERGY;
  s.energy = cdn_system_add_contact_measure(s.system, &stored);
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

/* The energy, by the State and as a measure and by the contacts. */
static double energy(scene *s) {
  double potential, sum = 0;
  int n;
  OK_ON(s->state, cdn_potential_energy(s->state, &potential));
  const double *measured = cdn_measure_value(s->state, s->energy);
  ck_assert_ptr_nonnull(measured);
  OK_ON(s->state, cdn_contact_count(s->state, &n));
  for (int i = 0; i < n; i++) {
    cdn_contact c;
    OK_ON(s->state, cdn_contact_get(s->state, i, &c));
    ck_assert(c.elastic >= 0);
    sum += c.elastic;
  }
  NEAR(*measured, potential, 1e-14 * potential);
  NEAR(sum, potential, 1e-13 * potential);
  return potential;
}

typedef struct pose {
  cdn_transform X[2];
  cdn_vec3 w[2], v[2];
} pose;

static void move(scene *s, const pose *p, double h) {
  for (int b = 0; b < 2; b++) {
    cdn_transform X = p->X[b];
    const double angle = h * cdn_norm(p->w[b]);
    X.p = cdn_add(X.p, cdn_scale(h, p->v[b]));
    if (angle != 0) X.R = cdn_rotation_multiply(cdn_rotation_axis_angle(cdn_scale(h / angle, p->w[b]), angle), X.R);
    place(s->state, b, X);
  }
}

static void draw(pose *p, double away, uint64_t *seed) {
  for (int b = 0; b < 2; b++) {
    p->X[b] = mesh_pose(seed, away);
    p->w[b] = cdn_scale(mesh_uniform(seed, 0.1, 1), mesh_direction(seed)), p->v[b] = mesh_direction(seed);
  }
}

/* How far the power of the forces is from what the energy loses, in units of the largest power there could be; NAN: no
 * contact. */
static double wrong_by(scene *s, const pose *p, double h) {
  cdn_spatial F[3];
  int n;
  double power = 0, size = 0;
  move(s, p, 0);
  OK_ON(s->state, cdn_contact_count(s->state, &n));
  if (n == 0) return NAN;
  OK_ON(s->state, cdn_applied_forces(s->state, F, NULL));
  for (int b = 0; b < 2; b++) {
    power += cdn_dot(F[b + 1].w, p->w[b]) + cdn_dot(F[b + 1].v, p->v[b]);
    size += cdn_norm(F[b + 1].w) + cdn_norm(F[b + 1].v);
  }
  /* fourth order */
  double at[4];
  for (int k = 0; k < 4; k++) {
    move(s, p, (k < 2 ? -h : h) * (k % 3 == 0 ? 2 : 1));
    at[k] = energy(s);
  }
  const double change = (8 * (at[2] - at[1]) - (at[3] - at[0])) / (12 * h);
  return fabs(power + change) / size;
}

/* Random poses: counts those with a contact, and of these the ones in which differences are exact. */
static void compare_poses(scene *s, int n, uint64_t *seed, int *touching, int *exact) {
  for (int k = 0; k < n; k++) {
    pose p;
    draw(&p, 0.5, seed);
    const double wrong = wrong_by(s, &p, 1e-4);
    if (isnan(wrong)) continue;
    AT_MOST(wrong, 1e-4);
    ++*touching;
    *exact += wrong < 1e-8;
  }
}

/* Pairs of solids with flat faces, in any pose. The force has a bend where other faces become the nearest ones: there
 * differences of the fourth order have the error of the first. */
START_TEST(pressure_is_the_gradient_of_its_energy) {
  sample_geometries samples = sample_geometries_make();
  uint64_t seed = 3;
  int touching = 0, exact = 0;
  for (int i = 0; i < samples.n; i++)
    for (int j = i; j < samples.n; j++) {
      const cdn_geometry *a = &samples.geometry[i], *b = &samples.geometry[j];
      static const cdn_geometry_kind flat[] = { CDN_GEOMETRY_HALF_SPACE, CDN_GEOMETRY_CYLINDER, CDN_GEOMETRY_BOX,
                                                CDN_GEOMETRY_CONVEX };
      int is_flat = 0;
      for (int k = 0; k < 4; k++) is_flat += (a->kind == flat[k]) + (b->kind == flat[k]);
      if (is_flat < 2 || (a->kind == b->kind && a->kind == CDN_GEOMETRY_HALF_SPACE)) continue;
      scene s = make_scene(a, b, 1e6, mesh_uniform(&seed, 0, 1) < 0.3 ? 1e30 : 3e6, i % 2 ? 0.1 : 0);
      compare_poses(&s, FEWER(40), &seed, &touching, &exact);
      free_scene(&s);
    }
  ck_assert_int_gt(touching, FEWER(200));
  ck_assert_int_gt(exact, touching * 8 / 10);
  sample_geometries_free(&samples);
}
END_TEST

/* The work of the forces along the path from -h to h, by Gauss's rule with three points on each of its parts. */
static double work_along(scene *s, const pose *p, double h) {
  enum { PARTS = 20 };
  const double at[3] = { -sqrt(0.6), 0, sqrt(0.6) }, weight[3] = { 5. / 9, 8. / 9, 5. / 9 };
  double work = 0;
  for (int i = 0; i < PARTS; i++)
    for (int k = 0; k < 3; k++) {
      cdn_spatial F[3];
      move(s, p, h * ((2 * i + 1 + at[k]) / PARTS - 1));
      OK_ON(s->state, cdn_applied_forces(s->state, F, NULL));
      for (int b = 0; b < 2; b++)
        work += h / PARTS * weight[k] * (cdn_dot(F[b + 1].w, p->w[b]) + cdn_dot(F[b + 1].v, p->v[b]));
    }
  return work;
}

/* Special poses of a solid on another: flat on it, turned about one of its edges, a corner ahead; just touching, and
 * deep. It tilts, falls or slides from there. `size`: how high its middle is above the other's when they touch. */
static pose special_pose(int kind, double size, uint64_t *seed) {
  static const double depths[] = { 1e-3, 0.02, 0.2, 0.8 };
  pose p = { .X[0].R = cdn_rotation_identity(), .X[1].R = cdn_rotation_identity() };
  const double angle = mesh_uniform(seed, 0, 1.5);
  if (kind % 3 == 1) p.X[1].R = cdn_rotation_axis_angle(cdn_v3(1, 0, 0), angle);
  if (kind % 3 == 2) p.X[1].R = cdn_rotation_axis_angle(mesh_direction(seed), angle);
  p.X[1].p = cdn_v3(0, 0, size * (1 - depths[kind / 3 % 4]));
  const int motion = kind / 12 % 3;
  if (motion == 0) p.w[1] = cdn_v3(mesh_uniform(seed, -2, 2), 0, 0);
  if (motion == 1) p.v[1] = cdn_v3(0, 0, -1);
  if (motion == 2) p.v[1] = cdn_v3(1, 0.3, -0.2), p.w[1] = mesh_direction(seed);
  return p;
}

/* What the energy gains along a path is what the forces take. Faces that have been parallel are not any more, corners
 * and edges come to touch, and the energy must not jump there. */
START_TEST(the_energy_is_the_work_of_the_force_along_paths) {
  const double corners[] = { 0.3, 0, -0.2, -0.2, 0.3, -0.2, -0.2, -0.3, -0.2, 0.1, 0, 0.3 };
  cdn_surface *hull;
  OK(cdn_surface_create_convex(4, corners, &hull));
  const cdn_geometry floor = { .kind = CDN_GEOMETRY_HALF_SPACE },
                     solids[] = { { .kind = CDN_GEOMETRY_BOX, .size = { 0.2, 0.3, 0.15 } },
                                  { .kind = CDN_GEOMETRY_CYLINDER, .size = { 0.25, 0.2 } },
                                  { .kind = CDN_GEOMETRY_CONVEX, .surface = hull } };
  uint64_t seed = 29;
  int touching = 0;
  for (int i = 0; i < 3; i++)
    for (int j = -1; j <= i; j++) {
      const cdn_geometry *under = j < 0 ? &floor : &solids[j];
      scene s = make_scene(under, &solids[i], 1e6, j % 2 ? 3e6 : 1e30, j == 0 ? 0.1 : 0);
      const double size = solids[i].kind == CDN_GEOMETRY_BOX ? 0.15 : 0.2, below = j < 0 ? 0 : j == 0 ? 0.15 : 0.2;
      for (int k = 0; k < 36; k += SANITIZED ? 5 : 1) { /* all kinds of poses, depths and motions */
        const pose p = special_pose(k, size + below, &seed);
        const double h = 0.02, work = work_along(&s, &p, h);
        move(&s, &p, -h);
        const double before = energy(&s);
        move(&s, &p, h);
        const double after = energy(&s), most = fmax(before, after);
        /* the force has a bend where the two come to touch, within a part */
        NEAR(after - before, -work, 5e-4 * most + 1e-6);
        touching += most > 0;
      }
      free_scene(&s);
    }
  ck_assert_int_gt(touching, FEWER(200));
  cdn_surface_release(hull);
}
END_TEST

enum { GRID = 13 };

/* 6 m wide, with heights up to `rough`. */
static cdn_geometry height_field(double rough, uint64_t *seed) {
  double heights[GRID * GRID];
  cdn_surface *surface;
  for (int i = 0; i < GRID * GRID; i++) heights[i] = mesh_uniform(seed, 0, rough);
  OK(cdn_surface_create_height_field(GRID, GRID, heights, 3, 3, &surface));
  return (cdn_geometry){ .kind = CDN_GEOMETRY_HEIGHT_FIELD, .surface = surface };
}

static bool lies_on_fields(cdn_geometry_kind kind) {
  return kind == CDN_GEOMETRY_CYLINDER || kind == CDN_GEOMETRY_BOX || kind == CDN_GEOMETRY_CONVEX ||
         kind == CDN_GEOMETRY_MESH;
}

/* Solids in hills, as deep as may be, but not over the rim. */
START_TEST(hills_have_a_gradient_as_well) {
  sample_geometries samples = sample_geometries_make();
  uint64_t seed = 13;
  const cdn_geometry hills = height_field(0.4, &seed);
  int touching = 0, exact = 0;
  for (int i = 0; i < samples.n; i++) {
    const cdn_geometry *g = &samples.geometry[i];
    if (!lies_on_fields(g->kind) || g->kind == CDN_GEOMETRY_MESH) continue;
    scene s = i % 2 ? make_scene(&hills, g, 1e6, 3e6, 0) : make_scene(g, &hills, 1e6, 3e6, 0.2);
    compare_poses(&s, FEWER(25), &seed, &touching, &exact);
    free_scene(&s);
  }
  ck_assert_int_gt(touching, FEWER(40));
  ck_assert_int_gt(exact, touching * 7 / 10);
  cdn_surface_release(hills.surface);
  sample_geometries_free(&samples);
}
END_TEST

/* Springs of meshes turn where another triangle of the hills becomes the nearest one: between these places they have a
 * gradient. */
START_TEST(springs_in_hills_have_a_gradient) {
  sample_geometries samples = sample_geometries_make();
  uint64_t seed = 19;
  const cdn_geometry hills = height_field(0.4, &seed);
  int touching = 0, exact = 0;
  for (int i = 0; i < samples.n; i++) {
    const cdn_geometry *g = &samples.geometry[i];
    if (g->kind != CDN_GEOMETRY_MESH) continue;
    scene s = i % 2 ? make_scene(&hills, g, 1e6, 3e6, 0) : make_scene(g, &hills, 1e6, 3e6, 0.2);
    for (int k = 0; k < FEWER(50); k++) {
      pose p;
      draw(&p, 0.5, &seed);
      const double wrong = wrong_by(&s, &p, 1e-6);
      touching += !isnan(wrong), exact += wrong < 1e-5;
    }
    free_scene(&s);
  }
  if (getenv("CARDAN_TEST_SHOW")) printf("%d of %d\n", exact, touching);
  ck_assert_int_gt(touching, FEWER(20));
  ck_assert_int_gt(exact, touching * 8 / 10);
  cdn_surface_release(hills.surface);
  sample_geometries_free(&samples);
}
END_TEST

/* A field without hills is a half-space: forces and energies are equal. */
START_TEST(a_flat_field_is_a_half_space) {
  sample_geometries samples = sample_geometries_make();
  uint64_t seed = 17;
  const cdn_geometry flat = height_field(0, &seed), floor = { .kind = CDN_GEOMETRY_HALF_SPACE };
  int touching = 0;
  for (int i = 0; i < samples.n; i++) {
    const cdn_geometry *g = &samples.geometry[i];
    if (!lies_on_fields(g->kind)) continue;
    scene s[2] = { make_scene(&flat, g, 1e6, 3e6, 0), make_scene(&floor, g, 1e6, 3e6, 0) };
    for (int k = 0; k < FEWER(20); k++) {
      pose p;
      cdn_spatial F[2][3];
      double E[2], size = 1e-9;
      draw(&p, 0.6, &seed);
      for (int j = 0; j < 2; j++) {
        move(&s[j], &p, 0);
        OK_ON(s[j].state, cdn_applied_forces(s[j].state, F[j], NULL));
        E[j] = energy(&s[j]);
      }
      size += cdn_norm(F[0][2].v) + cdn_norm(F[0][2].w);
      AT_MOST(cdn_norm(cdn_sub(F[0][2].v, F[1][2].v)), 1e-11 * size);
      AT_MOST(cdn_norm(cdn_sub(F[0][2].w, F[1][2].w)), 1e-11 * size);
      NEAR(E[0], E[1], 1e-11 * size);
      touching += E[1] > 0;
    }
    for (int j = 0; j < 2; j++) free_scene(&s[j]);
  }
  ck_assert_int_gt(touching, FEWER(30));
  cdn_surface_release(flat.surface);
  sample_geometries_free(&samples);
}
END_TEST

/* What is round: Hertz's law, with curvatures that vary over an ellipsoid, on all that it touches, faces, edges and
 * corners too. The depth has bends where other features become the nearest ones, and many nearest points where bodies
 * are deep: few poses have any. */
START_TEST(hertz_is_the_gradient_of_its_energy) {
  sample_geometries samples = sample_geometries_make();
  uint64_t seed = 7;
  for (int i = 0; i < samples.n; i++)
    for (int j = 0; j < samples.n; j++) {
      const cdn_geometry *a = &samples.geometry[i], *b = &samples.geometry[j];
      const bool egg = a->kind == CDN_GEOMETRY_ELLIPSOID || b->kind == CDN_GEOMETRY_ELLIPSOID;
      const bool ball = a->kind == CDN_GEOMETRY_SPHERE || a->kind == CDN_GEOMETRY_CAPSULE;
      if ((!egg && !ball) || a->kind > CDN_GEOMETRY_CONVEX || b->kind > CDN_GEOMETRY_CONVEX) continue;
      scene s = make_scene(a, b, 1e6, 3e6, 0);
      int touching = 0, exact = 0;
      for (int k = 0; k < 12000 && touching < FEWER(60); k++) {
        pose p;
        cdn_contact c;
        int n;
        draw(&p, 0.9, &seed);
        move(&s, &p, 0);
        OK_ON(s.state, cdn_contact_count(s.state, &n));
        if (n == 0) continue;
        OK_ON(s.state, cdn_contact_get(s.state, 0, &c));
        if (c.depth > 0.15) continue;
        touching++;
        exact += wrong_by(&s, &p, 1e-4) < 1e-7;
      }
      ck_assert_int_gt(touching, FEWER(20));
      ck_assert_msg(SANITIZED || exact >= touching * 9 / 10, "%s and %s: %d of %d", cdn_geometry_kind_name(a->kind),
                    cdn_geometry_kind_name(b->kind), exact, touching);
      free_scene(&s);
    }
  sample_geometries_free(&samples);
}
END_TEST

/* A rigid floor cuts a box that stands on it, by d. Near the rim other faces are nearer: f = k (x y d - (x + y) d^2 +
 * 4/3 d^3). */
START_TEST(a_standing_box_has_the_work_of_its_force) {
  const cdn_geometry floor = { .kind = CDN_GEOMETRY_HALF_SPACE },
                     box = { .kind = CDN_GEOMETRY_BOX, .size = { 0.1, 0.2, 0.3 } };
  const double k = 2e6 / 0.1, x = 0.2, y = 0.4;
  scene s = make_scene(&floor, &box, 1e30, 2e6, 0);
  for (double d = 1e-6; d < 0.05; d *= 7) {
    place(s.state, 1, (cdn_transform){ cdn_rotation_identity(), { 0, 0, 0.3 - d } });
    const double E = k * (x * y * d * d / 2 - (x + y) * d * d * d / 3 + d * d * d * d / 3);
    NEAR(energy(&s), E, 1e-9 * E + 1e-13);
  }
  /* two equal boxes, face on face, with layers much thinner than they are wide: two beds in series */
  const cdn_geometry cube = { .kind = CDN_GEOMETRY_BOX, .size = { 1, 1, 1 } };
  scene t = make_scene(&cube, &cube, 1e6, 3e6, 0.1);
  const double d = 1e-5, E = 0.5 * (1e6 * 3e6 / 4e6 / 0.1) * 4 * d * d;
  place(t.state, 1, (cdn_transform){ cdn_rotation_identity(), { 0, 0, 2 - d } });
  NEAR(energy(&t), E, 1e-4 * E);
  free_scene(&s);
  free_scene(&t);
}
END_TEST

CHECK_MAIN("contact_energy", pressure_is_the_gradient_of_its_energy, the_energy_is_the_work_of_the_force_along_paths,
           hertz_is_the_gradient_of_its_energy, hills_have_a_gradient_as_well, springs_in_hills_have_a_gradient,
           a_flat_field_is_a_half_space, a_standing_box_has_the_work_of_its_force)
