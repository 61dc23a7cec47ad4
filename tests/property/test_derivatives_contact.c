/* Derivatives of contacts of balls, capsules and ellipsoids: against differences of the equations of motion. */
#include "differences.h"

#include <cardan/contact.h>

typedef struct options {
  bool friction, moments, belts, capsule, capsules;
  cdn_geometry_kind edges; /* of the second body, if it is no sphere */
} options;

/* A roof with a rounded end. */
static cdn_surface *hull_of(void) {
  static const double corners[] = { 0.9, 0.5, 0, 0.9, -0.5, 0, -0.7, 0.5, 0, -0.7, -0.5,
                                    0,   0.9, 0, 0.8, -0.7, 0, 0.8,  0,   0, -0.9 };
  cdn_surface *hull;
  OK(cdn_surface_create_convex((int)(sizeof corners / sizeof *corners) / 3, corners, &hull));
  return hull;
}

static cdn_transform random_frame(rng *r) {
  return (cdn_transform){ cdn_rotation_axis_angle(random_vec3(r, 1), 2), random_vec3(r, 0.3) };
}

/* Large shapes on the bodies of a tree, so that many of them overlap. */
static void add_shapes(const random_tree *tree, rng *r, const options *o) {
  cdn_surface *hull = hull_of();
  cdn_contact_def contact = cdn_default_contact_def();
  contact.parent_child = true, contact.transition_velocity = 0.5;
  cdn_system_set_contact(tree->system, &contact);
  for (int i = 0; i <= tree->bodies; i++) {
    cdn_contact_material m = cdn_default_contact_material();
    m.modulus = 10 * (1 + i % 3), m.dissipation = 0.03;
    m.static_friction = o->friction ? 0.8 : 0, m.dynamic_friction = o->friction ? 0.5 : 0;
    m.viscous_friction = o->friction ? 0.1 : 0;
    if (o->moments) m.torsional_friction = 0.2, m.rolling_friction = 0.1;
    cdn_shape_def shape = cdn_default_shape_def();
    shape.body.i = i, shape.material = &m, shape.X_BS = random_frame(r);
    shape.geometry.kind = i == 0                                  ? CDN_GEOMETRY_HALF_SPACE
                          : o->capsules || (i == 2 && o->capsule) ? CDN_GEOMETRY_CAPSULE
                                                                  : CDN_GEOMETRY_SPHERE;
    shape.geometry.size[0] = 0.8 + 0.1 * (i % 4), shape.geometry.size[1] = 0.7;
    if (o->edges && i == 2) {
      const bool is_hull = o->edges == CDN_GEOMETRY_CONVEX;
      shape.geometry = (cdn_geometry){ .kind = o->edges, .size = { 0.6, 0.9, 0.7 }, .surface = is_hull ? hull : NULL };
      if (is_hull) memset(shape.geometry.size, 0, sizeof shape.geometry.size);
    }
    if (o->edges && i == 0) shape.geometry.kind = CDN_GEOMETRY_SPHERE;
    if (o->belts) shape.surface_velocity = random_vec3(r, 1), shape.surface_spin = random_vec3(r, 1);
    cdn_system_add_shape(tree->system, &shape);
  }
  cdn_surface_release(hull);
}

static int check_scene(uint64_t seed, options o) {
  tree_options shape = { .bodies = 3 + (int)(seed % 4), .shape = seed, .numbers = seed, .forces = true };
  random_tree tree = make_random_tree(&shape);
  rng r = rng_of(seed + 11);
  add_shapes(&tree, &r, &o);
  sample s = sample_of_tree(&tree, seed);
  int contacts;
  OK_ON(s.state, cdn_contact_count(s.state, &contacts));
  OK_ON(s.state, cdn_inverse_dynamics_derivatives(s.state, s.udot, s.a, s.b, NULL));
  check_matrix_by(2e-5, &s, residual, ALONG_Q, s.nu, s.a, 1e-8, "dtau/dq");
  check_matrix_by(2e-5, &s, residual, ALONG_U, s.nu, s.b, 1e-8, "dtau/du");
  drop(&s);
  return contacts;
}

static void check_scenes(options o) {
  int contacts = 0;
  for (uint64_t seed = 1; seed <= FEWER(30); seed++) contacts += check_scene(seed, o);
  ck_assert_int_gt(contacts, FEWER(30));
}

START_TEST(normal_forces) { check_scenes((options){ .friction = false }); }
END_TEST
START_TEST(friction) { check_scenes((options){ .friction = true }); }
END_TEST
START_TEST(moments) { check_scenes((options){ .friction = true, .moments = true }); }
END_TEST
START_TEST(belts) { check_scenes((options){ .friction = true, .moments = true, .belts = true }); }
END_TEST
START_TEST(capsules) { check_scenes((options){ .friction = true, .capsule = true }); }
END_TEST

/* Of one another as well: across, end on, and nearly parallel. */
START_TEST(capsules_on_capsules) {
  check_scenes((options){ .capsules = true });
  check_scenes((options){ .friction = true, .moments = true, .belts = true, .capsules = true });
}
END_TEST

/* Balls and capsules on faces, edges and corners, also where they are deep within. */
static void check_edges(cdn_geometry_kind kind) {
  for (int rods = 0; rods < 2; rods++) {
    check_scenes((options){ .capsules = rods, .edges = kind });
    check_scenes((options){ .friction = true, .moments = true, .belts = true, .capsules = rods, .edges = kind });
  }
}

START_TEST(boxes) { check_edges(CDN_GEOMETRY_BOX); }
END_TEST
START_TEST(cylinders) { check_edges(CDN_GEOMETRY_CYLINDER); }
END_TEST
START_TEST(ellipsoids) { check_edges(CDN_GEOMETRY_ELLIPSOID); }
END_TEST
START_TEST(hulls) { check_edges(CDN_GEOMETRY_CONVEX); }
END_TEST

CHECK_MAIN("derivatives contact", capsules_on_capsules, normal_forces, friction, moments, belts, capsules, boxes,
           cylinders, ellipsoids, hulls)
