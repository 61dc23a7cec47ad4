/* The same motions by rigid, compliant and soft contact: the stiffer the last two, the nearer to the first, which is
 * exact. (Impacts in the limit of stiff materials: verify/test_contact_impacts.) */
#include "shape_scenes.h"

static const double radius = 0.1;

/* A ball at rest on an incline, which slides (slip all the time) or rolls. */
typedef struct incline {
  double angle, mu;
  double acceleration; /* of the rigid ball */
} incline;
static incline incline_of(bool rolls) {
  const double angle = rolls ? 0.1 : 0.6, mu = rolls ? 0.5 : 0.1;
  return (incline){ angle, mu, g * (rolls ? sin(angle) * 5 / 7 : sin(angle) - mu * cos(angle)) };
}

/* `stiffness`: the modulus of compliant contact; for soft contact 1 / R: its impedance is 1 - R. Returns how far the
 * ball is, after 1 s, from where the rigid one is; *depth: how deep it lies. */
static double off_by(cdn_contact_model model, const incline *x, double stiffness, double accuracy, double *depth) {
  const double J = 0.4 * radius * radius;
  cdn_system *system = cdn_system_create(NULL);
  cdn_system_add_gravity(system, "gravity", cdn_v3(g * sin(x->angle), 0, -g * cos(x->angle)));
  cdn_body_def d = cdn_default_body_def();
  d.name = "ball", d.mobilizer = CDN_FREE, d.mass = (cdn_mass_properties){ 1, { 0, 0, 0 }, { J, J, J, 0, 0, 0 } };
  cdn_contact_def contact = cdn_default_contact_def();
  contact.model = model, contact.friction = CDN_FRICTION_STICKING;
  cdn_system_set_contact(system, &contact);
  cdn_contact_material hard = cdn_default_contact_material();
  hard.static_friction = hard.dynamic_friction = x->mu, hard.viscous_friction = 0;
  if (model == CDN_CONTACT_COMPLIANT) hard.modulus = stiffness, hard.dissipation = 5;
  cdn_soft_material soft = cdn_default_soft_material();
  soft.friction[0] = x->mu, soft.condim = 3, soft.law.ref[0] = 0.005, soft.law.ref[1] = 1;
  if (model == CDN_CONTACT_SOFT) soft.law.imp[0] = soft.law.imp[1] = 1 - 1 / stiffness;
  cdn_shape_def shape = cdn_default_shape_def();
  shape.material = &hard, shape.soft = &soft, shape.geometry.kind = CDN_GEOMETRY_HALF_SPACE;
  cdn_system_add_shape(system, &shape);
  shape.body = cdn_system_add_body(system, &d);
  shape.geometry = sphere(radius);
  cdn_system_add_shape(system, &shape);
  cdn_state *state = hybrid_state(system, (double[]){ 1, 0, 0, 0, 0, 0, radius }, NULL);
  cdn_stepper *run = stepper_of(state, accuracy);
  OK_STEP(run, cdn_stepper_advance(run, 1, NULL));
  const double *q = cdn_state_q(cdn_stepper_state(run)), off = q[4] - x->acceleration / 2;
  *depth = radius - q[6];
  cdn_stepper_destroy(run);
  cdn_state_destroy(state);
  return off;
}

START_TEST(rigid_contact_is_the_limit_itself) {
  const incline x = incline_of(_i);
  double depth;
  NEAR(off_by(CDN_CONTACT_RIGID, &x, 0, 1e-9, &depth), 0, 1e-14);
  NEAR(depth, 0, 1e-14);
}
END_TEST

/* By Hertz the depth goes with the power -2/3 of the modulus. While it slides, friction lacks what the push lacks: the
 * push has given the ball the momentum of its way down, which is mu times the depth when all is at rest along the
 * normal. */
START_TEST(compliant_contact_tends_to_rigid_contact) {
  const incline x = incline_of(_i);
  double before = NAN, depth;
  for (double modulus = 1e5; modulus < 2e8; modulus *= 10) {
    const double off = off_by(CDN_CONTACT_COMPLIANT, &x, modulus, 1e-8, &depth);
    if (_i == 0) NEAR(off, x.mu * depth, 1e-7);
    if (!isnan(before)) NEAR(log10(before / off), 2. / 3, 0.01);
    before = off;
  }
  AT_MOST(fabs(before), 1e-4);
}
END_TEST

/* R has the power 1, down to the least one that there is (soft_rows.md). */
START_TEST(soft_contact_tends_to_rigid_contact) {
  const incline x = incline_of(true);
  double before = NAN, depth;
  for (double stiffness = 10; stiffness < 2e4; stiffness *= 10) {
    const double off = off_by(CDN_CONTACT_SOFT, &x, stiffness, 1e-8, &depth);
    if (!isnan(before)) NEAR(log10(before / off), 1, 0.01);
    before = off;
  }
  AT_MOST(fabs(before), 1e-8);
}
END_TEST

/* ---- boxes that slide to rest, tip, and stand on each other; a ball that bounces ---- */

typedef struct way {
  cdn_contact_model model;
  double stiffness; /* the modulus, or 1 / R */
  double time;      /* of soft contact, s */
  double e;         /* of rigid contact */
} way;

static cdn_system *begin(const way *w) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_contact_def contact = cdn_default_contact_def();
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, 0, -g));
  contact.model = w->model, contact.friction = CDN_FRICTION_STICKING;
  cdn_system_set_contact(system, &contact);
  return system;
}

static void put(cdn_system *system, const way *w, cdn_body body, cdn_geometry geometry, double mu, double damping) {
  cdn_contact_material hard = cdn_default_contact_material();
  cdn_soft_material soft = cdn_default_soft_material();
  hard.static_friction = hard.dynamic_friction = mu, hard.dissipation = damping, hard.restitution = w->e;
  soft.friction[0] = mu;
  if (w->model == CDN_CONTACT_COMPLIANT) hard.modulus = w->stiffness;
  if (w->model == CDN_CONTACT_SOFT) {
    soft.law.imp[0] = soft.law.imp[1] = 1 - 1 / w->stiffness;
    soft.law.ref[0] = w->time, soft.law.ref[1] = damping;
  }
  cdn_shape_def shape = cdn_default_shape_def();
  shape.material = &hard, shape.soft = &soft, shape.body = body, shape.geometry = geometry;
  cdn_system_add_shape(system, &shape);
}
static cdn_body add_round(cdn_system *system, const char *name, double m, double J) {
  return add_free(&(shape_scene){ .system = system }, name, m, J, J, J);
}

/* Soft rows that set in by turns, many of them, make steps with error control short: then by equal ones. */
static double end_of(cdn_system *system, const way *w, bool many, const double *q, const double *u, double t,
                     int which) {
  cdn_state *state = hybrid_state(system, q, u);
  cdn_stepper *run = NULL;
  cdn_stepper_def def = cdn_default_stepper_def();
  def.accuracy = 1e-7;
  if (w->model == CDN_CONTACT_SOFT && many) def.method = CDN_METHOD_MUJOCO_RK4, def.fixed_step = w->time / 50;
  OK_ON(state, cdn_stepper_create(state, &def, &run));
  OK_STEP(run, cdn_stepper_advance(run, t, NULL));
  const double end = cdn_state_q(cdn_stepper_state(run))[which];
  cdn_stepper_destroy(run);
  cdn_state_destroy(state);
  return end;
}

/* How far a box comes that begins with 1 m/s: v^2 / (2 mu g). */
static double slides(const way *w) {
  cdn_system *system = begin(w);
  put(system, w, cdn_ground(), half_space(), 0.3, 1);
  put(system, w, add_round(system, "box", 1, 0.002), box(0.05, 0.05, 0.05), 0.3, 1);
  const double q[7] = { 1, 0, 0, 0, 0, 0, 0.05 }, u[6] = { 0, 0, 0, 1, 0, 0 };
  return end_of(system, w, true, q, u, 0.5, 4);
}
/* How far a rod has tipped, whose round end sticks. */
static double tips(const way *w) {
  const double tilt = 0.3, r = 0.02, l = 0.2;
  cdn_system *system = begin(w);
  put(system, w, cdn_ground(), half_space(), 1, 1);
  put(system, w, add_round(system, "rod", 1, 0.015), capsule(r, l), 1, 1);
  const double q[7] = { cos(tilt / 2), 0, sin(tilt / 2), 0, 0, 0, l * cos(tilt) + r };
  return end_of(system, w, true, q, NULL, 0.3, 2);
}
/* The height of a box on a box. */
static double stands(const way *w) {
  cdn_system *system = begin(w);
  put(system, w, cdn_ground(), half_space(), 0.5, 1);
  put(system, w, add_round(system, "lower", 1, 0.002), box(0.05, 0.05, 0.05), 0.5, 1);
  put(system, w, add_round(system, "upper", 1, 0.002), box(0.05, 0.05, 0.05), 0.5, 1);
  cdn_system_add_global_damper(system, "calm", 20);
  const double q[14] = { 1, 0, 0, 0, 0, 0, 0.05, 1, 0, 0, 0, 0.01, 0, 0.15 };
  return end_of(system, w, true, q, NULL, 1, 13);
}
/* The height of a ball on its way up. */
static const double damping = 0.5, fall = 0.01;
static double bounces(const way *w) {
  cdn_system *system = begin(w);
  put(system, w, cdn_ground(), half_space(), 0, damping);
  put(system, w, add_round(system, "ball", 1, 0.004), sphere(radius), 0, damping);
  const double q[7] = { 1, 0, 0, 0, 0, 0, radius + fall }, u[6] = { 0, 0, 0, 0, 0, -1 };
  return end_of(system, w, false, q, u, 0.05, 6);
}

/* Where a ball that hits with v leaves with e v, at the same time. */
static double bounced(double e) {
  const double v = sqrt(1 + 2 * g * fall), t = 0.05 - (v - 1) / g;
  return radius + e * v * t - g / 2 * t * t;
}
/* Hunt and Crossley's law takes (v - ln(1 + D v) / D) / D of the speed squared on the way in, and as much on the way
 * out, whatever the stiffness, with D = 1.5 times the dissipation. */
static double restitution_of_springs(void) {
  const double c = 1.5 * damping * sqrt(1 + 2 * g * fall);
  double low = 0, high = 1;
  while (high - low > 1e-15) {
    const double e = (low + high) / 2;
    if (c * (1 + e) > log((1 + c) / (1 - c * e))) low = e;
    else high = e;
  }
  return low;
}
/* An oscillator with the damping ratio z that does not pull: it lets go where its acceleration is zero. */
static double restitution_of_rows(void) { return exp(-2 * damping * acos(damping) / sqrt(1 - damping * damping)); }

typedef double motion(const way *w);
typedef struct limit {
  const char *name;
  motion *of;
  cdn_contact_model model;
  bool by_time;       /* the time of soft rows, and not the stiffness, goes to its limit */
  double first, step; /* of that */
  double order, tolerance;
} limit;
/* - The pressure on a face grows as the depth, so that depths, and how friction stretches, fall as 1 / E.
 * - A contact by Hertz's law takes a time that falls as E^(-2/5), and restitution stays.
 * - R leaves a part of the force unbalanced, so the depth of what stands falls as R.
 * - Soft rows take speeds away within their time T: a slip that ends slides mu g T^2 / 8 farther, friction that sticks
 *   creeps with a speed that falls as T, and an impact takes as long as T. */
static const limit limits[] = {
  { "a box slides on a soft floor", slides, CDN_CONTACT_COMPLIANT, false, 1e6, 10, 1, 0.03 },
  { "a box slides on rows", slides, CDN_CONTACT_SOFT, true, 0.02, 0.5, 2, 0.1 },
  { "a rod tips on rows", tips, CDN_CONTACT_SOFT, true, 0.005, 0.5, 1, 0.06 },
  { "a box stands on springs", stands, CDN_CONTACT_COMPLIANT, false, 1e6, 10, 1, 0.01 },
  { "a box stands on rows", stands, CDN_CONTACT_SOFT, false, 10, 10, 1, 0.01 },
  { "a ball bounces on springs", bounces, CDN_CONTACT_COMPLIANT, false, 1e8, 10, 0.4, 0.015 },
  { "a ball bounces on rows", bounces, CDN_CONTACT_SOFT, true, 0.001, 0.5, 1, 0.1 },
};

START_TEST(motions_tend_to_rigid_ones) {
  const limit *x = &limits[_i];
  const double e = x->model == CDN_CONTACT_SOFT ? restitution_of_rows() : restitution_of_springs();
  const double rigid = x->of(&(way){ .model = CDN_CONTACT_RIGID, .e = x->of == bounces ? e : 0 });
  if (x->of == slides) NEAR(rigid, 1 / (2 * 0.3 * g), 1e-7);
  if (x->of == stands) NEAR(rigid, 0.15, 1e-9);
  if (x->of == bounces) NEAR(rigid, bounced(e), 1e-7);
  double before = NAN, at = x->first;
  for (int k = 0; k < 3; k++, at *= x->step) {
    const double off = x->of(&(way){ x->model, x->by_time ? 1e4 : at, x->by_time ? at : 0.005, 0 }) - rigid;
    const double order = log(before / off) / fabs(log(x->step));
    ck_assert_msg(k == 0 || fabs(order - x->order) < x->tolerance, "%s: off by %.3g and then %.3g, with the order %.3f",
                  x->name, before, off, order);
    before = off;
  }
}
END_TEST

static void add(TCase *c) {
  tcase_add_loop_test(c, rigid_contact_is_the_limit_itself, 0, 2);
  tcase_add_loop_test(c, compliant_contact_tends_to_rigid_contact, 0, 2);
  tcase_add_test(c, soft_contact_tends_to_rigid_contact);
  tcase_add_loop_test(c, motions_tend_to_rigid_ones, 0, sizeof limits / sizeof *limits);
}

CHECK_MAIN_OF("hybrid limits", 60, add)
