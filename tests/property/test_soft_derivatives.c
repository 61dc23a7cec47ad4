/* Derivatives of udot where soft rows act: against differences. Contacts of shapes whose motion is known and of others,
 * of all dimensions and both cones; limits and friction losses. */
#include "differences.h"

#include <cardan/contact.h>
#include <cardan/soft_elements.h>

typedef enum scene_shapes { BALLS, CAPSULES, BOXES, MIXED } scene_shapes;

typedef struct options {
  scene_shapes shapes;
  int condim;
  bool pyramid, elements, exact, masses;
  int bodies; /* 0: a few */
} options;

static cdn_transform random_frame(rng *r) {
  return (cdn_transform){ cdn_rotation_axis_angle(random_vec3(r, 1), 2), random_vec3(r, 0.3) };
}

static cdn_geometry_kind kind_of(const options *o, int i) {
  static const cdn_geometry_kind mixed[] = { CDN_GEOMETRY_ELLIPSOID, CDN_GEOMETRY_CAPSULE, CDN_GEOMETRY_BOX };
  if (i == 0) return CDN_GEOMETRY_HALF_SPACE;
  if (o->shapes == MIXED) return mixed[i % 3];
  if (o->shapes == BOXES) return CDN_GEOMETRY_BOX;
  return o->shapes == CAPSULES && i % 2 ? CDN_GEOMETRY_CAPSULE : CDN_GEOMETRY_SPHERE;
}

/* Large shapes on the bodies of a tree, so that many of them overlap, and a wide impedance, so that its slope
 * counts. */
static void add_shapes(const random_tree *tree, rng *r, const options *o) {
  cdn_contact_def contact = cdn_default_contact_def();
  contact.model = CDN_CONTACT_SOFT, contact.parent_child = o->shapes != BOXES;
  cdn_system_set_contact(tree->system, &contact);
  for (int i = 0; i <= tree->bodies; i++) {
    cdn_soft_material m = cdn_default_soft_material();
    m.condim = o->condim, m.margin = 0.3, m.gap = 0.1;
    m.law.imp[0] = 0.2, m.law.imp[2] = 1.5, m.law.imp[4] = 1 + i % 3;
    m.law.ref[0] = 0.3;
    m.friction[0] = 0.7, m.friction[1] = 0.3, m.friction[2] = 0.2;
    cdn_shape_def shape = cdn_default_shape_def();
    shape.body.i = i, shape.soft = &m, shape.X_BS = random_frame(r);
    shape.geometry.kind = kind_of(o, i);
    shape.geometry.size[0] = 0.6 + 0.1 * (i % 4), shape.geometry.size[1] = 0.7, shape.geometry.size[2] = 0.5;
    cdn_system_add_shape(tree->system, &shape);
  }
}

/* On the joints that have one coordinate whose rate is a speed. */
static int add_elements(const random_tree *tree) {
  int n = 0;
  for (int i = 1; i <= tree->bodies; i++) {
    const cdn_body body = { i };
    const cdn_mobilizer kind = cdn_body_mobilizer(tree->system, body);
    if (kind != CDN_PIN && kind != CDN_SLIDER) continue;
    cdn_soft_limit_def limit = cdn_default_soft_limit_def();
    limit.body = body, limit.lower = -0.1, limit.upper = 0.1, limit.margin = 0.2;
    limit.law.imp[0] = 0.3, limit.law.imp[2] = 2;
    cdn_system_add_soft_limit(tree->system, &limit);
    cdn_friction_loss_def loss = cdn_default_friction_loss_def();
    loss.body = body, loss.loss = 2;
    cdn_system_add_friction_loss(tree->system, &loss);
    n++;
  }
  return n;
}

/* ---- differences ---- */

static void displace(sample *s, pool what, int k, double h) {
  double values[MOST_NQ], unit[MOST_NU] = { 0 };
  put_back(s);
  unit[k] = 1;
  if (what == ALONG_Q) {
    OK_ON(s->state, cdn_multiply_by_N(s->state, unit, values));
    for (int i = 0; i < s->nq; i++) values[i] = s->q[i] + h * values[i];
    OK_ON(s->state, cdn_state_set_q(s->state, values));
  } else {
    for (int i = 0; i < s->nu; i++) values[i] = s->u[i] + h * unit[i];
    OK_ON(s->state, cdn_state_set_u(s->state, values));
  }
}

/* Columns that were compared, and those where a row comes, goes or begins to slide within the steps: there differences
 * of different steps, and from both sides, are not the same. */
static int n_compared, n_kinks;

static void compare(sample *s, pool what, const double *matrix) {
  double here[MOST_NU], there[4][MOST_NU], largest = 1;
  const double h[4] = { 2e-5, -2e-5, 1e-5, -1e-5 };
  put_back(s);
  forward(s, here);
  for (int i = 0; i < s->nu * s->nu; i++) largest = fmax(largest, fabs(matrix[i]));
  for (int k = 0; k < s->nu; k++) {
    double apart = 0, worst = 0;
    for (int n = 0; n < 4; n++) displace(s, what, k, h[n]), forward(s, there[n]);
    for (int i = 0; i < s->nu; i++) {
      const double far = (there[0][i] - there[1][i]) / 4e-5, near = (there[2][i] - there[3][i]) / 2e-5;
      const double ahead = (there[2][i] - here[i]) / 1e-5;
      apart = fmax(apart, fmax(fabs(far - near), 1e-2 * fabs(ahead - near)) / largest);
      worst = fmax(worst, fabs(near - matrix[i * s->nu + k]) / largest);
    }
    if (apart > 1e-5) n_kinks++;
    else {
      n_compared++;
      ck_assert_msg(worst < 2e-5, "column %d by %s is off by %.2e of the largest element, %g", k,
                    what == ALONG_Q ? "q" : "u", worst, largest);
    }
  }
  put_back(s);
}

/* The regressor of forward dynamics; a scene has some 40 numbers that can change. */
static void compare_masses(sample *s) {
  double by_Y[MOST_NU], far[MOST_NU], near[MOST_NU], largest = 1;
  OK_ON(s->state, cdn_forward_dynamics_regressor(s->state, s->a));
  for (int i = 0; i < s->nu * CDN_INERTIAL_PARAMETERS * s->nb; i++) largest = fmax(largest, fabs(s->a[i]));
  for (int b = 1; b < s->nb; b++)
    for (int number = 0; number < CDN_INERTIAL_PARAMETERS; number++) {
      const cdn_body body = { b };
      const double mass = cdn_body_mass_properties(s->state, body).mass;
      double apart = 0, worst = 0;
      if (mass == 0 || !along_mass(s, body, number, 2e-5 * mass, s->a, by_Y, far)) continue;
      along_mass(s, body, number, 1e-5 * mass, s->a, by_Y, near);
      for (int i = 0; i < s->nu; i++) {
        apart = fmax(apart, fabs(far[i] - near[i]) / largest);
        worst = fmax(worst, fabs(near[i] - by_Y[i]) / largest);
      }
      if (apart > 1e-5) n_kinks++;
      else {
        n_compared++;
        ck_assert_msg(worst < 2e-5, "by number %d of the mass of body %d: off by %.2e of the largest element, %g",
                      number, b, worst, largest);
      }
    }
}

static int check_scene(uint64_t seed, options o) {
  const int bodies = o.bodies ? o.bodies : 3 + (int)(seed % 4);
  tree_options shape = { .bodies = bodies, .shape = seed, .numbers = seed, .forces = true };
  random_tree tree = make_random_tree(&shape);
  rng r = rng_of(seed + 11);
  cdn_soft_def soft = cdn_default_soft_def();
  soft.tolerance = 0, soft.line_tolerance = 1e-12, soft.cone = o.pyramid ? CDN_SOFT_PYRAMIDAL : CDN_SOFT_ELLIPTIC;
  soft.exact_diagonal = o.exact;
  cdn_system_set_soft(tree.system, &soft);
  if (o.elements) add_elements(&tree);
  add_shapes(&tree, &r, &o);
  sample s = sample_of_tree(&tree, seed);
  int groups, acting = 0;
  OK_ON(s.state, cdn_soft_count(s.state, &groups));
  for (int i = 0; i < groups; i++) {
    cdn_soft_group g;
    OK_ON(s.state, cdn_soft_get(s.state, i, &g));
    acting += g.force[0] != 0;
  }
  OK_ON(s.state, cdn_forward_dynamics_derivatives(s.state, s.a, s.b, NULL, NULL));
  compare(&s, ALONG_Q, s.a);
  compare(&s, ALONG_U, s.b);
  if (o.masses) compare_masses(&s);
  drop(&s);
  return acting;
}

static void check_scenes(options o) {
  int acting = 0;
  for (uint64_t seed = 1; seed <= FEWER(20); seed++) acting += check_scene(seed, o);
  ck_assert_int_gt(acting, FEWER(20));
  if (!SANITIZED) ck_assert_int_gt(n_compared, 30 * n_kinks);
}

START_TEST(contacts_of_balls) {
  for (int i = 0; i < 8; i++)
    check_scenes((options){ .shapes = BALLS, .condim = (const int[]){ 1, 3, 4, 6 }[i / 2], .pyramid = i % 2 });
}
END_TEST
START_TEST(contacts_of_capsules) {
  for (int i = 0; i < 8; i++)
    check_scenes((options){ .shapes = CAPSULES, .condim = (const int[]){ 1, 3, 4, 6 }[i / 2], .pyramid = i % 2 });
}
END_TEST
START_TEST(contacts_of_boxes) {
  for (int i = 0; i < 4; i++) check_scenes((options){ .shapes = BOXES, .condim = i / 2 ? 6 : 3, .pyramid = i % 2 });
}
END_TEST
START_TEST(contacts_that_are_differenced) { check_scenes((options){ .shapes = MIXED, .condim = 3 }); }
END_TEST
START_TEST(limits_and_friction_losses) { check_scenes((options){ .shapes = BALLS, .condim = 3, .elements = true }); }
END_TEST
/* Their regularisation varies with the pose. */
START_TEST(rows_with_an_exact_diagonal) {
  for (int i = 0; i < 2; i++)
    check_scenes((options){ .shapes = BALLS, .condim = 3, .elements = true, .exact = true, .pyramid = i });
}
END_TEST
/* Rows are scaled by how light bodies are, at the default coordinates or as they stand. */
START_TEST(masses) {
  for (int i = 0; i < 4; i++)
    check_scenes((options){ .shapes = BALLS, .condim = 3, .elements = i % 2, .exact = i / 2, .masses = true });
}
END_TEST
/* Rows of an island are solved for one by one up to 256, else the columns are. */
START_TEST(contacts_of_a_crowd) {
  const options o = { .shapes = BALLS, .condim = 6, .bodies = 16 };
  ck_assert_int_gt(6 * check_scene(3, o), 256);
  ck_assert_int_gt(n_compared, 20);
}
END_TEST

CHECK_MAIN("soft derivatives", contacts_of_balls, contacts_of_capsules, contacts_of_boxes,
           contacts_that_are_differenced, limits_and_friction_losses, rows_with_an_exact_diagonal, masses,
           contacts_of_a_crowd)
