/* Shapes that make no sense, and those that only just do: whatever comes in, there is a result or a message, and an
 * end. Random geometries through all queries, random scenes through some steps, meshes of all kinds of faults, shapes
 * in one place, materials that are no numbers. CARDAN_FUZZ=N makes N times as many; CARDAN_FUZZ_SEED begins
 * elsewhere. */
#include "core/core.h"
#include "testing.h"

#include <stdio.h>
#include <stdlib.h>

#include "../property/random_tree.h"

static int rounds(int n) {
  const char *times = getenv("CARDAN_FUZZ");
  return times ? n * atoi(times) : SANITIZED ? (n + 2) / 3 : n;
}

static uint64_t first_seed(void) {
  const char *seed = getenv("CARDAN_FUZZ_SEED");
  return seed ? strtoull(seed, NULL, 10) : 1;
}

/* ---- numbers ---- */

/* From 1e-6 to 1e6, most of them near 1. */
static double some_size(rng *r) { return pick(r, 4) ? uniform(r, 0.05, 2) : pow(10, uniform(r, -6, 6)); }

static double bad_number(rng *r) {
  static const double bad[] = { NAN, INFINITY, -INFINITY, 0, -1, 1e300, 1e-300, -0.0 };
  return bad[pick(r, CDNI_COUNT(bad))];
}

static cdn_vec3 some_point(rng *r, double size) {
  return cdn_v3(size * uniform(r, -1, 1), size * uniform(r, -1, 1), size * uniform(r, -1, 1));
}

static cdn_rotation some_rotation(rng *r) {
  if (pick(r, 4) == 0) return cdn_rotation_identity();
  const cdn_vec3 axis = pick(r, 4) ? some_point(r, 1) : cdn_v3(0, 0, 1);
  return cdn_rotation_axis_angle(cdn_norm(axis) > 0 ? cdn_scale(1 / cdn_norm(axis), axis) : cdn_v3(1, 0, 0),
                                 uniform(r, -4, 4));
}

/* ---- surfaces ---- */

/* Points in a ball, on a plane, on a line, in one place, twice, or far apart. */
static void some_points(rng *r, int n, double *x) {
  const int how = pick(r, 7);
  const double size = some_size(r);
  for (int i = 0; i < n; i++) {
    cdn_vec3 p = some_point(r, size);
    if (how == 1) p.z = 0;
    if (how == 2) p.y = p.z = 0;
    if (how == 3) p = cdn_v3(size, size, size);
    if (how == 4 && i >= n / 2) p = cdn_v3(x[3 * (i - n / 2)], x[3 * (i - n / 2) + 1], x[3 * (i - n / 2) + 2]);
    if (how == 5) p.z *= 1e-6;
    if (how == 6) p = cdn_scale(size / fmax(cdn_norm(p), 1e-300), p);
    memcpy(x + 3 * i, &p, sizeof p);
  }
  if (pick(r, 20) == 0) x[pick(r, 3 * n)] = bad_number(r);
}

/* A box of twelve triangles, some of which are turned, left out, doubled, or name vertices that are not there. */
static cdn_status some_mesh(rng *r, cdn_surface **out) {
  enum { MOST = 60 };
  double x[3 * MOST];
  int t[3 * MOST], n = 8, m = 12;
  static const int box[36] = { 0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                               2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5 };
  if (pick(r, 2)) {
    const double size[3] = { some_size(r), some_size(r), some_size(r) };
    for (int i = 0; i < 24; i++) x[i] = (i / 3) >> (i % 3) & 1 ? size[i % 3] : -size[i % 3];
    memcpy(t, box, sizeof box);
  } else {
    n = 1 + pick(r, MOST), m = 1 + pick(r, MOST);
    some_points(r, n, x);
    for (int i = 0; i < 3 * m; i++) t[i] = pick(r, n);
  }
  for (int k = pick(r, 5); k > 0; k--) {
    const int i = pick(r, m), j = pick(r, m);
    switch (pick(r, 5)) {
      case 0: memcpy(t + 3 * i, t + 3 * j, 3 * sizeof *t); break;
      case 1: {
        const int kept = t[3 * i];
        t[3 * i] = t[3 * i + 1], t[3 * i + 1] = kept;
        break;
      }
      case 2: m = m > 1 ? m - 1 : 1; break;
      case 3: t[3 * i + 1] = t[3 * i]; break;
      default:
        if (pick(r, 10) == 0) t[3 * i] = pick(r, 2) ? n : -1;
    }
  }
  if (pick(r, 3) == 0)
    for (int i = 0; i < m; i++) {
      const int kept = t[3 * i];
      t[3 * i] = t[3 * i + 1], t[3 * i + 1] = kept;
    }
  return cdn_surface_create_mesh(n, x, m, t, out);
}

static cdn_status some_hull(rng *r, cdn_surface **out) {
  double x[3 * 60];
  const int n = 1 + pick(r, 60);
  some_points(r, n, x);
  return cdn_surface_create_convex(n, x, out);
}

static cdn_status some_field(rng *r, cdn_surface **out) {
  double h[144];
  const int n_x = 1 + pick(r, 12), n_y = 1 + pick(r, 12);
  const double size = some_size(r);
  for (int i = 0; i < n_x * n_y; i++) h[i] = size * uniform(r, -1, 1);
  if (pick(r, 15) == 0) h[pick(r, n_x * n_y)] = bad_number(r);
  return cdn_surface_create_height_field(n_x, n_y, h, some_size(r), some_size(r), out);
}

/* Functions that keep no promise. */
typedef struct nonsense {
  int kind;
  double size;
} nonsense;

static cdn_vec3 wild_support(const void *self, cdn_vec3 d) {
  const nonsense *n = self;
  switch (n->kind) {
    case 0: return cdn_scale(n->size / fmax(cdn_norm(d), 1e-300), d); /* a ball */
    case 1: return cdn_v3(NAN, 0, 0);
    case 2: return cdn_v3(0, 0, 0);
    case 3: return cdn_scale(-n->size, d); /* the wrong side */
    case 4: return cdn_v3(1e300, -1e300, d.x);
    default: return cdn_v3(sin(1e6 * d.x), sin(1e6 * d.y), sin(1e6 * d.z));
  }
}

static double wild_distance(const void *self, cdn_vec3 p, cdn_vec3 *gradient) {
  const nonsense *n = self;
  const double length = cdn_norm(p);
  *gradient = length > 0 ? cdn_scale(1 / length, p) : cdn_v3(0, 0, 1);
  switch (n->kind) {
    case 0: return length - n->size;
    case 1: return NAN;
    case 2: *gradient = cdn_v3(0, 0, 0); return -1;
    case 3: *gradient = cdn_v3(NAN, NAN, NAN); return length - n->size;
    case 4: *gradient = cdn_scale(1e10, *gradient); return -INFINITY;
    default: return sin(1e6 * (p.x + p.y + p.z));
  }
}

static cdn_status some_functions(rng *r, cdn_surface **out) {
  const nonsense self = { pick(r, 6), some_size(r) };
  const int which = pick(r, 3);
  const cdn_surface_ops ops = { .struct_size = sizeof ops,
                                .self_size = sizeof self,
                                .support = which != 1 ? wild_support : NULL,
                                .distance = which != 0 ? wild_distance : NULL,
                                .radius = pick(r, 20) ? self.size : bad_number(r) };
  return cdn_surface_create_custom(&ops, &self, out);
}

/* A geometry that the library takes; of the others it says what is wrong. */
static cdn_geometry some_geometry(rng *r, bool functions) {
  for (;;) {
    cdn_geometry g = { .kind = (cdn_geometry_kind)pick(r, functions ? CDN_GEOMETRY_KIND_COUNT : CDN_GEOMETRY_CUSTOM) };
    cdn_surface *surface = NULL;
    cdn_status status = CDN_OK;
    for (int k = 0; k < 3; k++) g.size[k] = pick(r, 40) ? some_size(r) : bad_number(r);
    cdn_last_error_clear();
    if (g.kind == CDN_GEOMETRY_CONVEX) status = some_hull(r, &surface);
    if (g.kind == CDN_GEOMETRY_MESH) status = some_mesh(r, &surface);
    if (g.kind == CDN_GEOMETRY_HEIGHT_FIELD) status = some_field(r, &surface);
    if (g.kind == CDN_GEOMETRY_CUSTOM) status = some_functions(r, &surface);
    g.surface = surface;
    if (status == CDN_OK) status = cdn_geometry_check(&g);
    if (status == CDN_OK) return g;
    ck_assert_msg(cdn_last_error_text()[0], "kind %d was refused in silence", (int)g.kind);
    cdn_surface_release(surface);
  }
}

/* ---- queries ---- */

static bool finite3(cdn_vec3 v) { return isfinite(v.x) && isfinite(v.y) && isfinite(v.z); }

/* What a message has of the two. */
static const char *story_of(uint64_t seed, const cdn_geometry *a, const cdn_geometry *b) {
  static char text[300];
  snprintf(text, sizeof text, "seed %llu: %s (%g %g %g) and %s (%g %g %g)", (unsigned long long)seed,
           cdn_geometry_kind_name(a->kind), a->size[0], a->size[1], a->size[2], cdn_geometry_kind_name(b->kind),
           b->size[0], b->size[1], b->size[2]);
  return text;
}

/* Answers of the library's own geometries are numbers, and normals have length 1. */
static void check_near(const cdn_proximity *near, const char *message, const char *what) {
  ck_assert_msg(!isnan(near->distance), "%s: %s: the distance is NaN", message, what);
  if (!isfinite(near->distance)) return;
  ck_assert_msg(fabs(cdn_norm(near->normal) - 1) < 1e-9, "%s: %s: the normal has length %.17g", message, what,
                cdn_norm(near->normal));
  ck_assert_msg(finite3(near->point_a) && finite3(near->point_b), "%s: %s: a point is not finite", message, what);
}

static void query(rng *r, uint64_t seed) {
  const cdn_geometry a = some_geometry(r, true), b = some_geometry(r, true);
  const bool ours = a.kind != CDN_GEOMETRY_CUSTOM && b.kind != CDN_GEOMETRY_CUSTOM;
  cdn_transform X = { some_rotation(r), some_point(r, 1) }, Y = { some_rotation(r), some_point(r, some_size(r)) };
  if (pick(r, 6) == 0) Y.p = X.p;
  if (pick(r, 10) == 0) Y = X;
  const bool bad_pose = pick(r, 50) == 0;
  if (bad_pose) Y.p.x = NAN;
  cdn_proximity near;
  cdn_manifold points;
  cdn_ray_hit hits[5];
  cdn_vec3 least, most, direction;
  double k[2];
  int n;
  const char *message = story_of(seed, &a, &b);
  const cdn_status status = cdn_geometry_distance(&a, &X, &b, &Y, &near);
  if (bad_pose) ck_assert_int_ne(status, CDN_OK);
  if (status == CDN_OK && ours) check_near(&near, message, "distance");
  if (cdn_geometry_manifold(&a, &X, &b, &Y, pick(r, 2) ? 0 : some_size(r), &points) == CDN_OK) {
    ck_assert(points.n >= 0 && points.n <= CDN_MANIFOLD_MOST);
    for (int i = 0; i < points.n && ours; i++) check_near(&points.points[i], message, "manifold");
  }
  if (cdn_geometry_point_distance(&a, &X, Y.p, &near) == CDN_OK && ours) check_near(&near, message, "point");
  const cdn_vec3 from = some_point(r, 3), to = pick(r, 5) ? some_point(r, 1) : cdn_v3(0, 0, -1);
  if (cdn_geometry_ray(&a, &X, from, to, pick(r, 2) ? INFINITY : some_size(r), pick(r, 6), hits, &n) == CDN_OK)
    for (int i = 0; i < n && ours; i++)
      ck_assert_msg(hits[i].distance >= 0 && finite3(hits[i].point), "%s: a ray", message);
  if (cdn_geometry_bounds(&a, &X, &least, &most) == CDN_OK && ours)
    ck_assert_msg(least.x <= most.x && least.y <= most.y && least.z <= most.z, "%s: bounds", message);
  (void)!cdn_geometry_curvature(&a, &X, from, k, &direction);
  cdn_surface_release((cdn_surface *)a.surface);
  cdn_surface_release((cdn_surface *)b.surface);
}

START_TEST(queries_answer_or_say_why) {
  const int n = rounds(4000);
  for (int i = 0; i < n; i++) {
    rng r = rng_of(first_seed() + (uint64_t)i);
    query(&r, first_seed() + (uint64_t)i);
  }
}
END_TEST

/* ---- scenes ---- */

static cdn_body some_body(rng *r, cdn_system *system) {
  cdn_body_def body = cdn_default_body_def();
  static const cdn_mobilizer kinds[] = { CDN_FREE, CDN_FREE, CDN_SLIDER, CDN_PIN, CDN_BALL, CDN_WELD };
  body.mobilizer = kinds[pick(r, CDNI_COUNT(kinds))];
  body.mass.mass = 1;
  body.mass.inertia = (cdn_inertia){ 0.1, 0.1, 0.1, 0, 0, 0 };
  if (pick(r, 3) == 0) body.parent.i = pick(r, cdn_system_body_count(system));
  body.X_PF.p = pick(r, 4) ? some_point(r, 2) : cdn_v3(0, 0, 0);
  return cdn_system_add_body(system, &body);
}

static cdn_soft_material some_softness(rng *r) {
  static const int32_t dimensions[] = { 1, 3, 4, 6 };
  cdn_soft_material soft = cdn_default_soft_material();
  soft.condim = dimensions[pick(r, 4)], soft.priority = pick(r, 3), soft.solmix = pick(r, 3);
  soft.margin = pick(r, 2) ? uniform(r, 0, 0.3) : 0, soft.gap = pick(r, 3) ? 0 : uniform(r, 0, 0.4);
  soft.friction[0] = pick(r, 3) ? uniform(r, 0, 2) : pick(r, 2) ? 0 : 1e9;
  soft.law.imp[0] = pick(r, 4) ? 0.9 : 0, soft.law.imp[1] = pick(r, 4) ? 0.95 : 1, soft.law.imp[2] = pick(r, 2) * 0.01;
  if (pick(r, 2)) soft.law.ref[0] = pow(10, uniform(r, -8, 3));
  else if (pick(r, 2)) soft.law.ref[0] = -pow(10, uniform(r, -3, 9)), soft.law.ref[1] = -pick(r, 100);
  return soft;
}

static void some_shape(rng *r, cdn_system *system, cdn_body body) {
  cdn_shape_def shape = cdn_default_shape_def();
  cdn_contact_material material = cdn_default_contact_material();
  material.modulus = pow(10, uniform(r, 2, 9)), material.dissipation = pick(r, 3);
  material.static_friction = 0.9, material.dynamic_friction = uniform(r, 0, 0.9);
  shape.body = body, shape.material = &material;
  shape.geometry = some_geometry(r, true);
  shape.X_BS = (cdn_transform){ some_rotation(r), some_point(r, 0.3) };
  cdn_soft_material soft = cdn_default_soft_material();
  if (cdn_system_contact_model(system) == CDN_CONTACT_SOFT) soft = some_softness(r), shape.soft = &soft;
  cdn_system_add_shape(system, &shape);
  cdn_surface_release((cdn_surface *)shape.geometry.surface);
}

/* Few steps, bounded; whatever fails has a message. */
static void run(rng *r, cdn_system *system, uint64_t seed) {
  const cdn_contact_model model = cdn_system_contact_model(system);
  cdn_state *state = NULL;
  cdn_error error;
  if (cdn_system_freeze(system) != CDN_OK) {
    cdn_system_last_error(system, &error);
    ck_assert_msg(error.text[0], "seed %llu: frozen in silence", (unsigned long long)seed);
    return;
  }
  OK(cdn_state_create(system, &state));
  int n = 0;
  if (cdn_contact_count(state, &n) == CDN_OK) {
    for (int i = 0; i < n && i < 50; i++) {
      cdn_contact c;
      /* the forces of soft contact are known with accelerations, which these bodies need not have */
      const bool known = model == CDN_CONTACT_COMPLIANT || cdn_realize(state, CDN_STAGE_ACCELERATION) == CDN_OK;
      const cdn_status status = cdn_contact_get(state, i, &c);
      if (!known) cdn_state_last_error(state, &error);
      if (known) OK_ON(state, status);
      else
        ck_assert_msg(status != CDN_OK && error.text[0], "seed %llu: contacts fail in silence",
                      (unsigned long long)seed);
    }
    cdn_stepper_def def = cdn_default_stepper_def();
    def.accuracy = 1e-2, def.max_steps = 12, def.companion = false;
    if (pick(r, 4) == 0) def.fixed_step = 0.01;
    cdn_stepper *stepper = NULL;
    if (cdn_stepper_create(state, &def, &stepper) == CDN_OK) {
      if (cdn_stepper_advance(stepper, 0.1, NULL) != CDN_OK) {
        cdn_failure failure;
        cdn_stepper_failure(stepper, &failure);
        ck_assert_msg(failure.error.code == CDN_OK || failure.error.text[0], "seed %llu: failed in silence",
                      (unsigned long long)seed);
      }
    }
    cdn_stepper_destroy(stepper);
  } else {
    cdn_state_last_error(state, &error);
    ck_assert_msg(error.text[0], "seed %llu: contacts failed in silence", (unsigned long long)seed);
  }
  cdn_state_destroy(state);
}

static void scene(uint64_t seed, cdn_contact_model model) {
  rng r = rng_of(seed);
  cdn_system *system = cdn_system_create(NULL);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, 0, -9.81));
  cdn_contact_def contact = cdn_default_contact_def();
  contact.pass_without_law = pick(&r, 4) != 0;
  contact.parent_child = pick(&r, 3) == 0;
  contact.model = model;
  cdn_system_set_contact(system, &contact);
  const int bodies = 1 + pick(&r, 6);
  if (pick(&r, 2)) some_shape(&r, system, cdn_ground());
  for (int i = 0; i < bodies; i++) {
    const cdn_body body = some_body(&r, system);
    for (int k = pick(&r, 3); k >= 0; k--) some_shape(&r, system, body);
  }
  run(&r, system, seed);
  cdn_system_release(system);
}

START_TEST(scenes_run_or_say_why) {
  const int n = rounds(150);
  for (int i = 0; i < n; i++) scene(first_seed() + (uint64_t)i, CDN_CONTACT_COMPLIANT);
}
END_TEST

START_TEST(soft_scenes_run_or_say_why) {
  const int n = rounds(150);
  for (int i = 0; i < n; i++) scene(first_seed() + (uint64_t)i, CDN_CONTACT_SOFT);
}
END_TEST

/* ---- mistakes that have names ---- */

/* What freezing says of a System with one shape that is wrong. */
static void is_refused(const cdn_shape_def *shape, const char *says) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_error error;
  cdn_system_add_shape(system, shape);
  ck_assert_int_ne(cdn_system_freeze(system), CDN_OK);
  cdn_system_last_error(system, &error);
  ck_assert_msg(strstr(error.element, "culprit") || strstr(error.text, "culprit"), "'%s' %s", error.element,
                error.text);
  ck_assert_msg(strstr(error.text, says), "%s", error.text);
  cdn_system_release(system);
}

START_TEST(what_is_wrong_has_a_name) {
  cdn_shape_def shape = cdn_default_shape_def();
  cdn_contact_material material = cdn_default_contact_material();
  shape.name = "culprit", shape.geometry.kind = CDN_GEOMETRY_BOX;
  is_refused(&shape, "size");
  for (int k = 0; k < 3; k++) shape.geometry.size[k] = 1;
  shape.material = &material;
  material.modulus = NAN;
  is_refused(&shape, "finite");
  material.modulus = 1e6, material.static_friction = -1;
  is_refused(&shape, "friction");
  material.static_friction = 1, shape.X_BS.p.x = INFINITY;
  is_refused(&shape, "frame");
  shape.X_BS.p.x = 0, shape.geometry.kind = CDN_GEOMETRY_MESH;
  is_refused(&shape, "surface");
}
END_TEST

/* n balls in one place, on bodies of their own. */
static cdn_state *coincident(int n) {
  cdn_system *system = cdn_system_create(NULL);
  for (int i = 0; i < n; i++) {
    cdn_body_def body = cdn_default_body_def();
    cdn_shape_def shape = cdn_default_shape_def();
    body.mobilizer = CDN_FREE, body.mass.mass = 1, body.mass.inertia = (cdn_inertia){ 1, 1, 1, 0, 0, 0 };
    shape.body = cdn_system_add_body(system, &body);
    shape.geometry.kind = CDN_GEOMETRY_SPHERE, shape.geometry.size[0] = 0.1;
    cdn_system_add_shape(system, &shape);
  }
  cdn_state *state;
  OK_FREEZE(system);
  OK(cdn_state_create(system, &state));
  cdn_system_release(system);
  return state;
}

START_TEST(shapes_in_one_place_end) {
  cdn_state *state = coincident(300);
  int n;
  OK_ON(state, cdn_contact_count(state, &n));
  ck_assert_int_eq(n, 300 * 299 / 2);
  OK_ON(state, cdn_realize(state, CDN_STAGE_ACCELERATION));
  cdn_state_destroy(state);
  state = coincident(10000);
  ck_assert_int_eq(cdn_contact_count(state, &n), CDN_ERR_LIMIT);
  cdn_error error;
  cdn_state_last_error(state, &error);
  ck_assert_msg(strstr(error.text, "shape0") && strstr(error.text, "apart"), "%s", error.text);
  cdn_state_destroy(state);
}
END_TEST

CHECK_MAIN("contact_fuzz", queries_answer_or_say_why, scenes_run_or_say_why, soft_scenes_run_or_say_why,
           what_is_wrong_has_a_name, shapes_in_one_place_end)
