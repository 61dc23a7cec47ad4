/* Rigid contact lengthwise: cylinders that lie along edges and along each other, edges along edges, and rims across
 * edges. Expected values are closed forms, and what holds of any motion: no overlap, no gain of energy. */
#include "shape_scenes.h"

static const double R = 0.05, TABLE = 0.3;

/* A frame whose z is y of Ground. */
static cdn_transform lying(void) { return (cdn_transform){ { { 0, 0, 1 }, { 1, 0, 0 }, { 0, 1, 0 } }, { 0, 0, 0 } }; }
static cdn_geometry cylinder(double r, double h) {
  return (cdn_geometry){ .kind = CDN_GEOMETRY_CYLINDER, .size = { r, h } };
}

/* A table whose top is z = 0, up to an edge at x = TABLE along y; a cylinder of 1 kg lies on it at (0.2, y), along the
 * edge, and goes towards the edge, without spin or rolling. */
static cdn_state *can_on_table(double mu, double y, double speed, bool rolls) {
  const double h = 0.1, u[6] = { 0, rolls ? speed / R : 0, 0, speed, 0, 0 };
  const shape_scene s = begin_scene(mu, 0);
  const cdn_body can = add_free(&s, "can", 1, R * R / 4 + h * h / 3, R * R / 2, R * R / 4 + h * h / 3);
  put_shape(&s, "table", cdn_ground(), box(TABLE, TABLE, TABLE), placed(0, 0, -TABLE));
  put_shape(&s, "can", can, cylinder(R, h), lying());
  return free_state(&s, (double[]){ 1, 0, 0, 0, 0.2, y, R }, u);
}

/* Its middle turns about the edge with v^2 = v0^2 + 2 g R (1 - cos) / (1 + k), where k m R^2 is the inertia of what
 * rolls, and leaves it where v^2 = g R cos. In the second case half of the can is beyond the end of the edge. */
START_TEST(a_can_slides_off_along_an_edge) {
  const double speed = 0.3, y = _i ? 0.25 : 0, cosine = (2 + speed * speed / (g * R)) / 3;
  cdn_state *state = can_on_table(0, y, speed, false);
  cdn_stepper *run = event_run(state, 1e-9);
  const double *q = cdn_state_q(cdn_stepper_state(run));
  do ck_assert(run_to_event(run, "lets go", 2));
  while (q[4] < TABLE + 1e-3);
  NEAR(q[6] / R, cosine, 1e-7);
  NEAR(hypot(q[4] - TABLE, q[6]), R, 1e-10);
  NEAR(q[5], y, 1e-10);
  NEAR(q[0], 1, 1e-10);
  check_verdict(run);
  end_event_run(run, state);
}
END_TEST

/* It slips where a third of the pull, which is what friction has to have, is mu times the push. */
static double slip_of(double mu, double speed, double cosine) {
  const double square = speed * speed + 4 * g * R * (1 - cosine) / 3;
  return g * sqrt(1 - cosine * cosine) / 3 - mu * (g * cosine - square / R);
}

START_TEST(a_can_rolls_off_along_an_edge) {
  const double mu = 0.5, speed = 0.3;
  double low = 0, high = 1; /* of the cosine: it slips, and it does not */
  for (int i = 0; i < 60; i++) {
    const double middle = 0.5 * (low + high);
    *(slip_of(mu, speed, middle) > 0 ? &low : &high) = middle;
  }
  cdn_state *state = can_on_table(mu, 0, speed, true);
  cdn_stepper *run = event_run(state, 1e-9);
  cdn_state *now = cdn_stepper_state(run);
  const double start = scene_energy(now);
  ck_assert(run_to_event(run, "slips", 2));
  const double *q = cdn_state_q(now), *u = cdn_state_u(now);
  NEAR(q[6] / R, high, 1e-7);
  NEAR(hypot(q[4] - TABLE, q[6]), R, 1e-9);
  NEAR(hypot(u[3], u[5]), R * u[1], 1e-8);
  NEAR(scene_energy(now), start, 1e-8);
  check_verdict(run);
  end_event_run(run, state);
}
END_TEST

/* A log comes down between two others, without friction: its height, and the sum of all pushes. Logs are as long as
 * each other, shifted, shorter and longer. */
START_TEST(a_log_lies_on_two_logs) {
  static const double cases[][2] = { { 0, 0.2 }, { 0.05, 0.2 }, { 0, 0.1 }, { 0.02, 0.3 } }; /* y, half length */
  const double r = 0.1, apart = 0.12, y = cases[_i][0], h = cases[_i][1], height = sqrt(4 * r * r - apart * apart);
  const shape_scene s = begin_scene(0, 0);
  const cdn_body log = add_free(&s, "log", 1, r * r / 4 + h * h / 3, r * r / 2, r * r / 4 + h * h / 3);
  for (int k = -1; k < 2; k += 2) {
    cdn_transform X = lying();
    X.p = cdn_v3(k * apart, 0, 0);
    put_shape(&s, k < 0 ? "left" : "right", cdn_ground(), cylinder(r, 0.2), X);
  }
  put_shape(&s, "log", log, cylinder(r, h), lying());
  const double pose[7] = { 1, 0, 0, 0, 0, y, height + 0.05 };
  cdn_state *state = free_state(&s, pose, NULL);
  cdn_stepper *run = plain_run(state, 1e-8, 1);
  cdn_state *now = cdn_stepper_state(run);
  NEAR(cdn_state_q(now)[6], height, 1e-9);
  NEAR(cdn_state_q(now)[4], 0, 1e-9);
  double sum = 0;
  int n;
  OK_ON(now, cdn_contact_count(now, &n));
  for (int i = 0; i < n; i++) {
    cdn_contact contact;
    OK_ON(now, cdn_contact_get(now, i, &contact));
    NEAR(fabs(contact.normal.x), apart / (2 * r), 1e-8);
    sum += contact.force;
  }
  NEAR(sum, g * 2 * r / height, 1e-7);
  check_verdict(run);
  end_event_run(run, state);
}
END_TEST

/* What falls on the edge of a table, or on an edge that is turned upwards, at a place over it. */
typedef struct fall_case {
  const char *name;
  cdn_geometry above;
  double lean; /* about y, of the shape on its body */
  double over; /* x beyond the edge */
  double height;
  bool ridge; /* the table is turned by 45 degrees, so that its edge is above */
} fall_case;

#define CYLINDER                                         \
  {                                                      \
    .kind = CDN_GEOMETRY_CYLINDER, .size = { 0.05, 0.1 } \
  }
#define CUBE                                            \
  {                                                     \
    .kind = CDN_GEOMETRY_BOX, .size = { 0.1, 0.1, 0.1 } \
  }
static const fall_case falls[] = {
  { "a cylinder stands half over the edge", CYLINDER, 0, 0.01, 0.15, false },
  { "a cylinder leans over the edge", CYLINDER, 0.3, 0.05, 0.2, false },
  { "a cylinder leans before the edge", CYLINDER, 0.3, -0.05, 0.2, false },
  { "an edge on an edge", CUBE, 0.7853981633974483, 0, 0.25, true },
  { "an edge beside an edge", CUBE, 0.7853981633974483, 0.02, 0.25, true },
  { "a face on an edge", CUBE, 0, 0.03, 0.2, true },
};
#undef CYLINDER
#undef CUBE

START_TEST(falls_on_edges_end_without_overlap) {
  const fall_case *c = &falls[_i];
  const double accuracy = 1e-5;
  const shape_scene s = begin_scene(0.5, 0);
  const cdn_body body = add_free(&s, "upper", 1, 0.004, 0.004, 0.004);
  cdn_transform table = c->ridge ? slope(0.7853981633974483) : cdn_transform_identity();
  cdn_transform upper = slope(c->lean);
  table.p = cdn_v3(c->ridge ? 0 : -TABLE, 0, c->ridge ? -TABLE * sqrt(2) : -TABLE);
  put_shape(&s, "table", cdn_ground(), box(TABLE, TABLE, TABLE), table);
  put_shape(&s, "floor", cdn_ground(), half_space(), placed(0, 0, -2 * TABLE));
  put_shape(&s, "upper", body, c->above, upper);
  cdn_state *state = free_state(&s, (double[]){ 1, 0, 0, 0, c->over, 0, c->height }, NULL);
  cdn_stepper *run = NULL;
  cdn_stepper_def def = cdn_default_stepper_def();
  def.accuracy = accuracy;
  OK_ON(state, cdn_stepper_create(state, &def, &run));
  cdn_state *now = cdn_stepper_state(run);
  double least = scene_energy(now);
  for (int t = 1; t <= 30; t++) {
    OK_STEP(run, cdn_stepper_advance(run, 0.02 * t, NULL));
    for (int k = 0; k < 2; k++) {
      cdn_proximity near;
      OK_ON(now, cdn_shapes_distance(now, (cdn_shape){ k }, (cdn_shape){ 2 }, &near));
      ck_assert_msg(near.distance > -1e-2 * accuracy, "%s: overlap of %g", c->name, -near.distance);
    }
    ck_assert_msg(scene_energy(now) < least + accuracy, "%s: gains %g J", c->name, scene_energy(now) - least);
    least = fmin(least, scene_energy(now));
  }
  end_event_run(run, state);
}
END_TEST

static void add(TCase *c) {
  tcase_add_loop_test(c, a_can_slides_off_along_an_edge, 0, 2);
  tcase_add_test(c, a_can_rolls_off_along_an_edge);
  tcase_add_loop_test(c, a_log_lies_on_two_logs, 0, 4);
  tcase_add_loop_test(c, falls_on_edges_end_without_overlap, 0, sizeof falls / sizeof *falls);
}

CHECK_MAIN_OF("hybrid edges", 60, add)
