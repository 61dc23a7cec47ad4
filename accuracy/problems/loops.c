/* Mechanisms with closed loops, and a disc that rolls, of libraries of test problems. Andrews' has a file of its
 * own. */
#include "loops.h"

#include "mechanisms.h"
#include "tables.h"

static const cdn_vec3 o = { 0, 0, 0 };

/* ---- IFToMM A04 and A05 ---- */

static cdn_state *start_bricard(const problem *p) { return (void)p, make_bricard().state; }

static double station_apart(cdn_state *state, int body, cdn_vec3 station, const double *place, const double *velocity) {
  const cdn_vec3 p = cdn_v3(place[0], place[1], place[2]), v = cdn_v3(velocity[0], velocity[1], velocity[2]);
  cdn_vec3 at, moves;
  MUST(state, cdn_body_station(state, (cdn_body){ body }, station, &at, &moves));
  return fmax(cdn_norm(cdn_sub(at, p)), cdn_norm(cdn_sub(moves, v)));
}

static double bricard_apart(const problem *p, cdn_state *truth, const double *row) {
  (void)p;
  return fmax(station_apart(truth, 2, cdn_v3(0, -1, 0), row + 1, row + 7),
              station_apart(truth, 3, cdn_v3(0, 0, 1), row + 4, row + 10));
}

static const published bricard_table = {
  "IFToMM A04, integrated with 20 digits", 20, 13, table_bricard[0], 1e-11, bricard_apart
};

const problem loop_bricard = {
  .name = "a04-bricard",
  .what = "IFToMM A04, Bricard's mechanism, 10 s",
  .end = 10,
  .start = start_bricard,
  .published = &bricard_table,
};

static cdn_state *start_governor(const problem *p) { return (void)p, make_governor().state; }

/* Of shaft angle, height and angle of the rods below the horizontal. Rods with their balls: mass, centre and inertia
 * about it, across and along. */
static const double rod_mass = 5.3, rod_centre = 5.15 / 5.3, rod_across = 0.3 * 1.0001 / 12 + 0.3 * 5 / 5.3 * 0.25,
                    slim = 0.3 * 2e-4 / 12;

static void governor_rates(const void *self, long double t, const long double *x, long double *f) {
  const long double s = x[1], c = cosl(x[2]), e = sinl(x[2]), out = 0.05 + rod_centre * c;
  const long double inertia = slim + 0.005 + 2 * (slim * e * e + rod_across * c * c + rod_mass * out * out);
  const long double slope = 4 * ((slim - rod_across) * e * c - rod_mass * out * rod_centre * e);
  /* from the slider to the middle of a rod */
  const long double across = 0.5L * c, up = 1 - 0.5L * e - s, length = hypotl(across, up);
  const long double by_s = -up / length, by_angle = (-0.5L * e * across - 0.5L * c * up) / length;
  const long double pull = 8e5L * (length - 0.5L) + 4e4L * (by_s * x[4] + by_angle * x[5]);
  (void)self, (void)t;
  f[0] = x[3], f[1] = x[4], f[2] = x[5];
  f[3] = -slope * x[5] * x[3] / inertia;
  f[4] = -9.81 - 2 * pull * by_s / 3;
  f[5] = (slope * x[3] * x[3] / 2 + 2 * rod_mass * 9.81 * rod_centre * c - 2 * pull * by_angle) /
         (2 * (rod_mass * rod_centre * rod_centre + rod_across));
}

static void governor_begin(const problem *p, long double *x) {
  (void)p;
  x[0] = 0, x[1] = 0.5L, x[2] = 0.52359877559829887307710723054658L;
  x[3] = 2 * PI, x[4] = x[5] = 0;
}

/* the slider turns with the shaft; both rods */
static void governor_unfold(const problem *p, long double t, const long double *x, double *y) {
  static const int from[5] = { 0, 0, 1, 2, 2 };
  (void)p, (void)t;
  for (int i = 0; i < 5; i++) y[i] = (double)x[from[i]], y[5 + i] = (double)x[3 + from[i]];
}

static const problem_equations governor_equations = { 6, governor_begin, governor_rates, governor_unfold };

/* q: shaft; slider, angle and height; rods */
static double governor_apart(const problem *p, cdn_state *truth, const double *row) {
  static const int slot[3] = { 0, 2, 3 };
  double worst = 0;
  (void)p;
  for (int i = 0; i < 3; i++) {
    worst = fmax(worst, fabs(cdn_state_q(truth)[slot[i]] - row[1 + i]));
    worst = fmax(worst, fabs(cdn_state_u(truth)[slot[i]] - row[4 + i]));
  }
  return worst;
}

static const published governor_table = {
  "IFToMM A05, integrated with 20 digits", 20, 7, table_governor[0], 1e-11, governor_apart
};

const problem loop_governor = {
  .name = "a05-governor",
  .what = "IFToMM A05, a flyball governor, stiff, 10 s",
  .end = 10,
  .start = start_governor,
  .equations = &governor_equations,
  .published = &governor_table,
};

/* ---- the car axis (IVP test set II-17): masses of 5e-4 kg on wheels, one of which follows the road sin(10 t) / 10
 * ---- */

enum { AXLE, LEFT, RIGHT_X, RIGHT_Y };

static cdn_status road(const void *self, const cdn_motion_input *in, double *out) {
  const double s = 0.1 * sin(10 * in->t);
  (void)self;
  *out = asin(s);
  return CDN_OK;
}

static cdn_status road_rate(const void *self, const cdn_motion_input *in, double *out) {
  const double s = 0.1 * sin(10 * in->t), rate = cos(10 * in->t);
  (void)self;
  *out = rate / sqrt(1 - s * s);
  return CDN_OK;
}

static cdn_status road_bend(const void *self, const cdn_motion_input *in, double *out) {
  const double s = 0.1 * sin(10 * in->t), rate = cos(10 * in->t), c2 = 1 - s * s;
  (void)self;
  *out = (-100 * s + s * rate * rate / c2) / sqrt(c2);
  return CDN_OK;
}

/* The left mass glides on a line across the axle, whose angle the road gives; the right one is 1 m away from it. */
static cdn_state *start_car_axis(const problem *p) {
  const double mass = 10 * 1e-4 / 2, q[4] = { 0, 0.5, 1, 0.5 }, u[4] = { 1, 0, -0.5, 0 };
  const cdn_vec3 y = cdn_v3(0, 1, 0);
  const cdn_motion_ops ops = {
    .struct_size = sizeof ops, .name = "road", .q = road, .qdot = road_rate, .qdotdot = road_bend
  };
  cdn_system *system = cdn_system_create(NULL);
  const cdn_body axle = add_pin(system, "axle", cdn_ground(), cdn_v3(0, 0, 1), o, point_mass(0, o));
  cdn_body_def def = cdn_default_body_def();
  (void)p;
  def.mobilizer = CDN_SLIDER, def.X_PF = def.X_BM = frame_x(y, o), def.mass = point_mass(mass, o);
  def.name = "left", def.parent = axle;
  const cdn_body left = cdn_system_add_body(system, &def);
  def.name = "right", def.parent = add_mobile(system, "right_x", cdn_ground(), CDN_SLIDER, point_mass(0, o));
  const cdn_body right = cdn_system_add_body(system, &def);
  cdn_motion_def drive = cdn_default_motion_def();
  drive.body = axle, drive.kind = CDN_MOTION_CUSTOM, drive.custom = &ops;
  cdn_system_add_motion(system, &drive);
  cdn_system_constrain_rod(system, "body", left, o, right, o, 1);
  cdn_system_add_two_point_spring(system, "left spring", cdn_ground(), o, left, o, 1, 0.5);
  cdn_system_add_two_point_spring(system, "right spring", axle, cdn_v3(1, 0, 0), right, o, 1, 0.5);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, -1, 0));
  cdn_state *state = state_of(system);
  MUST(state, cdn_state_set_q(state, q));
  MUST(state, cdn_state_set_u(state, u));
  return state;
}

/* xl, yl, xr, yr and their rates */
static double car_axis_apart(const problem *p, cdn_state *truth, const double *row) {
  const double *q = cdn_state_q(truth), *u = cdn_state_u(truth), s = sin(q[AXLE]), c = cos(q[AXLE]);
  const double found[8] = { -s * q[LEFT],
                            c * q[LEFT],
                            q[RIGHT_X],
                            q[RIGHT_Y],
                            -s * u[LEFT] - c * q[LEFT] * u[AXLE],
                            c * u[LEFT] - s * q[LEFT] * u[AXLE],
                            u[RIGHT_X],
                            u[RIGHT_Y] };
  double worst = 0;
  (void)p;
  for (int i = 0; i < 8; i++) worst = fmax(worst, fabs(found[i] - row[1 + i]));
  return worst;
}

static const double car_axis_row[] = { 3,
                                       0.0493455784275240921315,
                                       0.496989460230008106763,
                                       1.04174252488542611519,
                                       0.373911027265365819358,
                                       -0.0770583684035920842839,
                                       0.0074468665920684164914,
                                       0.0175568157535417366297,
                                       0.770341043779601063121 };
static const published car_axis_end = {
  "IVP test set II-17, integrated with 20 digits", 1, 9, car_axis_row, 1e-11, car_axis_apart
};

const problem loop_car_axis = {
  .name = "car-axis",
  .what = "the car axis of the IVP test set, 3 s",
  .end = 3,
  .start = start_car_axis,
  .published = &car_axis_end,
};

/* ---- a disc that rolls ---- */

static cdn_state *start_rolling_disc(const problem *p) {
  const mechanism m = make_disc();
  const double lean = 20 * PI / 180, rate = -0.5 / cos(lean); /* angular velocity (0, 0.5, 6) in the disc's axes */
  (void)p;
  start_disc(&m, lean, rate, 6 - rate * sin(lean));
  return m.state;
}

static double disc_apart(const problem *p, cdn_state *truth, const double *row) {
  const cdn_body wheel = { 4 };
  cdn_transform X;
  cdn_spatial V;
  (void)p;
  MUST(truth, cdn_body_pose(truth, wheel, &X));
  MUST(truth, cdn_body_velocity(truth, wheel, &V));
  const cdn_rotation R = cdn_rotation_from_quaternion((cdn_quaternion){ row[1], row[2], row[3], row[4] });
  const double axes = fmax(cdn_norm(cdn_sub(X.R.x, R.x)), cdn_norm(cdn_sub(X.R.z, R.z)));
  const double w = cdn_norm(cdn_sub(cdn_rotate_inv(X.R, V.w), cdn_v3(row[5], row[6], row[7])));
  return fmax(fmax(axes, w), cdn_norm(cdn_sub(X.p, cdn_v3(row[8], row[9], row[10]))));
}

static const published disc_table = { "integrated with 20 digits", 10, 11, table_rolling_disc[0], 1e-11, disc_apart };

const problem loop_rolling_disc = {
  .name = "rolling-disc",
  .what = "a disc that rolls and wobbles, 5 s",
  .end = 5,
  .start = start_rolling_disc,
  .published = &disc_table,
};
