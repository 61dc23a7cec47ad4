/* Rays, points and distances among all shapes of a State against the same questions to each geometry alone; which
 * shapes take part; and how many are looked at closely. */
#include "../robust/counting_allocator.h"
#include "property/sample_geometries.h"
#include "testing.h"

enum { COPIES = 3, ROOM = 64, MOST = 16 * COPIES * 8 };

typedef struct scene {
  cdn_system *system;
  cdn_state *state;
  int n;
} scene;

static scene make_scene(uint64_t *seed, const sample_geometries *samples, const cdn_allocator *allocator) {
  cdn_system_def def = cdn_default_system_def();
  if (allocator) def.allocator = *allocator;
  scene s = { .system = cdn_system_create(&def) };
  for (int i = 0; i < samples->n * COPIES; i++) {
    cdn_body_def body = cdn_default_body_def();
    body.mobilizer = CDN_FREE, body.mass.mass = 1, body.mass.inertia = (cdn_inertia){ 1, 1, 1, 0, 0, 0 };
    body.X_PF = mesh_pose(seed, 3);
    cdn_shape_def shape = cdn_default_shape_def();
    shape.geometry = samples->geometry[i % samples->n];
    shape.body = i % 5 == 0 ? cdn_ground() : cdn_system_add_body(s.system, &body);
    shape.X_BS = mesh_pose(seed, shape.body.i == 0 ? 3 : 0.3);
    shape.type = 1u << (i % 3), shape.affinity = 0;
    cdn_system_add_shape(s.system, &shape);
  }
  cdn_contact_def contact = cdn_default_contact_def();
  contact.pass_without_law = true;
  cdn_system_set_contact(s.system, &contact);
  s.n = cdn_system_shape_count(s.system);
  OK_FREEZE(s.system);
  OK(cdn_state_create(s.system, &s.state));
  OK(cdn_shape_set_enabled(s.state, (cdn_shape){ 1 }, false));
  return s;
}

static void end(scene *s) {
  cdn_state_destroy(s->state);
  cdn_system_release(s->system);
}

/* Which shapes a query is to look at. */
static bool looks_at(const scene *s, const cdn_shape_query_def *query, int i) {
  if (i == 1) return false;
  if (!query) return true;
  return cdn_shape_body(s->system, (cdn_shape){ i }).i != query->except.i && (1u << (i % 3) & query->affinity) != 0;
}

static int by_distance(const void *x, const void *y) {
  const cdn_shape_hit *a = x, *b = y;
  if (a->hit.distance != b->hit.distance) return a->hit.distance > b->hit.distance ? 1 : -1;
  return a->shape.i - b->shape.i;
}

static cdn_vec3 somewhere(uint64_t *seed) { return cdn_scale(mesh_uniform(seed, 0, 6), mesh_direction(seed)); }

/* Every third query looks at everything, the others leave out a body and some types. */
static const cdn_shape_query_def *choose(int k, cdn_shape_query_def *query) {
  *query = cdn_default_shape_query_def();
  query->type = 0, query->affinity = 1u << (k % 3) | 1u << ((k / 3) % 3), query->except = (cdn_body){ k % 7 };
  return k % 3 ? query : NULL;
}

/* What rounding makes of a normal; those of custom geometries come from searches. */
static double normal_error(const sample_geometries *samples, cdn_shape shape) {
  return samples->geometry[shape.i % samples->n].kind == CDN_GEOMETRY_CUSTOM ? 1e-5 : 1e-9;
}

START_TEST(rays_meet_all_shapes) {
  uint64_t seed = 5;
  sample_geometries samples = sample_geometries_make();
  scene s = make_scene(&seed, &samples, NULL);
  static cdn_shape_hit wanted[MOST], got[MOST];
  int met = 0;
  for (int k = 0; k < 300; k++) {
    const cdn_vec3 origin = somewhere(&seed);
    cdn_vec3 direction = cdn_scale(mesh_uniform(&seed, 0.1, 5), mesh_direction(&seed));
    if (k % 10 == 0) direction = cdn_v3(0, 0, -1); /* along sides of boxes */
    const double reach = k % 2 ? INFINITY : mesh_uniform(&seed, 0, 6);
    cdn_shape_query_def def;
    const cdn_shape_query_def *query = choose(k, &def);
    int n = 0, all, few;
    for (int i = 0; i < s.n; i++) {
      cdn_geometry g;
      cdn_transform X;
      cdn_ray_hit hits[ROOM];
      int here;
      if (!looks_at(&s, query, i)) continue;
      OK(cdn_shape_get(s.state, (cdn_shape){ i }, &g, &X));
      OK(cdn_geometry_ray(&g, &X, origin, direction, reach, ROOM, hits, &here));
      for (int h = 0; h < here; h++) wanted[n++] = (cdn_shape_hit){ { i }, hits[h] };
    }
    qsort(wanted, (size_t)n, sizeof *wanted, by_distance);
    OK(cdn_shapes_ray(s.state, origin, direction, reach, query, MOST, got, &all));
    ck_assert_int_eq(all, n);
    for (int h = 0; h < n; h++) {
      ck_assert_int_eq(got[h].shape.i, wanted[h].shape.i);
      NEAR(got[h].hit.distance, wanted[h].hit.distance, 1e-12);
      NEAR(cdn_norm(cdn_sub(got[h].hit.point, wanted[h].hit.point)), 0, 1e-12);
      NEAR(cdn_norm(cdn_sub(got[h].hit.normal, wanted[h].hit.normal)), 0, normal_error(&samples, got[h].shape));
    }
    for (int room = 0; room < 4; room++) {
      OK(cdn_shapes_ray(s.state, origin, direction, reach, query, room, got, &few));
      ck_assert_int_eq(few, n < room ? n : room);
      for (int h = 0; h < few; h++) {
        ck_assert_int_eq(got[h].shape.i, wanted[h].shape.i);
        NEAR(got[h].hit.distance, wanted[h].hit.distance, 1e-12);
      }
    }
    met += n;
  }
  ck_assert_int_gt(met, 600);
  end(&s);
  sample_geometries_free(&samples);
}
END_TEST

START_TEST(shapes_near_a_point) {
  uint64_t seed = 6;
  sample_geometries samples = sample_geometries_make();
  scene s = make_scene(&seed, &samples, NULL);
  static cdn_shape_proximity got[MOST];
  for (int k = 0; k < 300; k++) {
    const cdn_vec3 p = somewhere(&seed);
    const double radius = k % 5 == 0 ? 0 : k % 5 == 1 ? INFINITY : mesh_uniform(&seed, -0.2, 3);
    cdn_shape_query_def def;
    const cdn_shape_query_def *query = choose(k, &def);
    int inside = 0, n, few;
    OK(cdn_shapes_near_point(s.state, p, radius, query, MOST, got, &n));
    for (int i = 0; i < s.n; i++) {
      cdn_geometry g;
      cdn_transform X;
      cdn_proximity near;
      OK(cdn_shape_get(s.state, (cdn_shape){ i }, &g, &X));
      OK(cdn_geometry_point_distance(&g, &X, p, &near));
      const bool wanted = looks_at(&s, query, i) && near.distance <= radius;
      inside += wanted;
      int at = 0;
      while (at < n && got[at].shape.i != i) at++;
      ck_assert_int_eq(at < n, wanted);
      if (!wanted) continue;
      NEAR(got[at].near.distance, near.distance, 1e-12);
      const double error = normal_error(&samples, got[at].shape);
      NEAR(cdn_norm(cdn_sub(got[at].near.point_a, near.point_a)), 0, 10 * error);
      NEAR(cdn_norm(cdn_sub(got[at].near.normal, near.normal)), 0, error);
      ck_assert(got[at].near.feature_a == near.feature_a);
    }
    ck_assert_int_eq(inside, n);
    for (int h = 1; h < n; h++) ck_assert(got[h].near.distance >= got[h - 1].near.distance);
    for (int room = 0; room < 4; room++) {
      cdn_shape_proximity first[4];
      OK(cdn_shapes_near_point(s.state, p, radius, query, room, first, &few));
      ck_assert_int_eq(few, n < room ? n : room);
      for (int h = 0; h < few; h++) ck_assert_int_eq(first[h].shape.i, got[h].shape.i);
    }
  }
  end(&s);
  sample_geometries_free(&samples);
}
END_TEST

START_TEST(distances_of_shapes) {
  uint64_t seed = 7;
  sample_geometries samples = sample_geometries_make();
  scene s = make_scene(&seed, &samples, NULL);
  for (int i = 0; i < s.n; i++)
    for (int j = 0; j < s.n; j += 1 + i % 3) {
      cdn_geometry a, b;
      cdn_transform X_a, X_b;
      cdn_proximity got, wanted;
      if (i == j) {
        FAILS(cdn_shapes_distance(s.state, (cdn_shape){ i }, (cdn_shape){ j }, &got), CDN_ERR_ARG);
        continue;
      }
      OK(cdn_shape_get(s.state, (cdn_shape){ i }, &a, &X_a));
      OK(cdn_shape_get(s.state, (cdn_shape){ j }, &b, &X_b));
      if (cdn_geometry_distance(&a, &X_a, &b, &X_b, &wanted) == CDN_ERR_UNSUPPORTED) {
        FAILS(cdn_shapes_distance(s.state, (cdn_shape){ i }, (cdn_shape){ j }, &got), CDN_ERR_UNSUPPORTED);
        ck_assert(strstr(cdn_last_error_text(), cdn_shape_name(s.system, (cdn_shape){ j })));
        continue;
      }
      OK(cdn_shapes_distance(s.state, (cdn_shape){ i }, (cdn_shape){ j }, &got));
      ck_assert(memcmp(&got, &wanted, sizeof got) == 0);
    }
  cdn_proximity out;
  FAILS(cdn_shapes_distance(s.state, (cdn_shape){ 0 }, (cdn_shape){ s.n }, &out), CDN_ERR_ARG);
  FAILS(cdn_shapes_distance(s.state, (cdn_shape){ 0 }, (cdn_shape){ 2 }, NULL), CDN_ERR_ARG);
  end(&s);
  sample_geometries_free(&samples);
}
END_TEST

/* ---- many shapes ---- */

static bool count(void *context, cdn_shape shape) {
  (void)shape;
  ++*(int *)context;
  return true;
}

/* Of 8000 balls in a cube few are looked at, and memory does not grow after the first queries. */
START_TEST(few_of_many_are_looked_at) {
  enum { SIDE = 20 };
  counting_allocator counter = { 0 };
  const cdn_allocator allocator = allocator_of(&counter);
  cdn_system_def system_def = cdn_default_system_def();
  system_def.allocator = allocator;
  cdn_system *system = cdn_system_create(&system_def);
  cdn_body_def body = cdn_default_body_def();
  body.mobilizer = CDN_FREE, body.mass.mass = 1, body.mass.inertia = (cdn_inertia){ 1, 1, 1, 0, 0, 0 };
  cdn_shape_def shape = cdn_default_shape_def();
  shape.body = cdn_system_add_body(system, &body);
  shape.geometry = (cdn_geometry){ .kind = CDN_GEOMETRY_SPHERE, .size = { 0.2 } };
  for (int i = 0; i < SIDE * SIDE * SIDE; i++) {
    shape.X_BS.p = cdn_v3(i % SIDE, i / SIDE % SIDE, i / (SIDE * SIDE));
    cdn_system_add_shape(system, &shape);
  }
  OK_FREEZE(system);
  cdn_state *state;
  OK(cdn_state_create(system, &state));
  int looked, n;
  cdn_shape_query_def query = cdn_default_shape_query_def();
  query.accept = count, query.context = &looked;
  int64_t before = 0;
  for (int round = 0; round < 2; round++) {
    static cdn_shape_hit hits[100];
    static cdn_shape_proximity near[100];
    looked = 0;
    OK(cdn_shapes_ray(state, cdn_v3(-1, 3.05, 7), cdn_v3(1, 0, 0), INFINITY, &query, 100, hits, &n));
    ck_assert_int_eq(n, 2 * SIDE);
    ck_assert_int_eq(looked, SIDE);
    looked = 0;
    OK(cdn_shapes_near_point(state, cdn_v3(3.1, 4.2, 5.3), 0.9, &query, 100, near, &n));
    ck_assert_int_ge(n, 4);
    ck_assert_int_le(looked, 27);
    if (round == 0) before = counter.calls;
    ck_assert_int_eq(counter.calls, before);
  }
  cdn_state_destroy(state);
  cdn_system_release(system);
}
END_TEST

START_TEST(queries_that_make_no_sense) {
  uint64_t seed = 8;
  sample_geometries samples = sample_geometries_make();
  scene s = make_scene(&seed, &samples, NULL);
  cdn_shape_hit hit;
  cdn_shape_proximity near;
  int n;
  const cdn_vec3 o = { 0, 0, 0 }, z = { 0, 0, 1 }, bad = { NAN, 0, 0 };
  FAILS(cdn_shapes_ray(s.state, o, o, 1, NULL, 1, &hit, &n), CDN_ERR_ARG);
  FAILS(cdn_shapes_ray(s.state, bad, z, 1, NULL, 1, &hit, &n), CDN_ERR_ARG);
  FAILS(cdn_shapes_ray(s.state, o, bad, 1, NULL, 1, &hit, &n), CDN_ERR_ARG);
  FAILS(cdn_shapes_ray(s.state, o, z, -1, NULL, 1, &hit, &n), CDN_ERR_ARG);
  FAILS(cdn_shapes_ray(s.state, o, z, NAN, NULL, 1, &hit, &n), CDN_ERR_ARG);
  FAILS(cdn_shapes_ray(s.state, o, z, 1, NULL, -1, &hit, &n), CDN_ERR_ARG);
  FAILS(cdn_shapes_ray(s.state, o, z, 1, NULL, 1, NULL, &n), CDN_ERR_ARG);
  FAILS(cdn_shapes_ray(s.state, o, z, 1, NULL, 1, &hit, NULL), CDN_ERR_ARG);
  FAILS(cdn_shapes_near_point(s.state, bad, 1, NULL, 1, &near, &n), CDN_ERR_ARG);
  FAILS(cdn_shapes_near_point(s.state, o, NAN, NULL, 1, &near, &n), CDN_ERR_ARG);
  FAILS(cdn_shapes_near_point(s.state, o, 1, NULL, -2, &near, &n), CDN_ERR_ARG);
  FAILS(cdn_shapes_near_point(s.state, o, 1, NULL, 1, NULL, &n), CDN_ERR_ARG);
  cdn_shape_query_def query = cdn_default_shape_query_def();
  query.except.i = cdn_system_body_count(s.system);
  FAILS(cdn_shapes_ray(s.state, o, z, 1, &query, 1, &hit, &n), CDN_ERR_ARG);
  FAILS(cdn_shapes_near_point(s.state, o, 1, &query, 1, &near, &n), CDN_ERR_ARG);
  /* directions of any length */
  OK(cdn_shapes_ray(s.state, o, cdn_v3(0, 0, 1e-320), INFINITY, NULL, 1, &hit, &n));
  OK(cdn_shapes_ray(s.state, o, cdn_v3(1e308, 0, 1e308), INFINITY, NULL, 1, &hit, &n));
  end(&s);
  sample_geometries_free(&samples);
}
END_TEST

/* A System without shapes, or without bodies, has nothing to be met. */
START_TEST(nothing_to_be_met) {
  for (int k = 0; k < 2; k++) {
    cdn_system *system = cdn_system_create(NULL);
    cdn_shape_def shape = cdn_default_shape_def();
    shape.geometry.kind = CDN_GEOMETRY_HALF_SPACE;
    if (k == 1) cdn_system_add_shape(system, &shape);
    OK_FREEZE(system);
    cdn_state *state;
    OK(cdn_state_create(system, &state));
    cdn_shape_hit hit;
    cdn_shape_proximity near;
    int n = -1;
    OK(cdn_shapes_ray(state, cdn_v3(0, 0, 1), cdn_v3(0, 0, -1), INFINITY, NULL, 1, &hit, &n));
    ck_assert_int_eq(n, 0);
    OK(cdn_shapes_near_point(state, cdn_v3(0, 0, 1), INFINITY, NULL, 1, &near, &n));
    ck_assert_int_eq(n, 0);
    cdn_state_destroy(state);
    cdn_system_release(system);
  }
}
END_TEST

CHECK_MAIN("shape_queries", rays_meet_all_shapes, shapes_near_a_point, distances_of_shapes, few_of_many_are_looked_at,
           queries_that_make_no_sense, nothing_to_be_met)
