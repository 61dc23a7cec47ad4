/* Spatial tendons against MuJoCo's: lengths and moments of paths past spheres and cylinders, on either side and from
 * inside, at random poses. */
#include <mujoco/mujoco.h>
#include <stdio.h>

#include "../property/random_tree.h"
#include "mujoco_bridge.h"

enum { POSES = 3000 };

typedef enum passing { FREELY, BY_A_SIDE, INSIDE } passing;

static const double RADIUS = 0.3;

/* The axes of the cylinder in its body are MuJoCo's: a turn about x. */
static const char *const MODEL =
    "<mujoco><option gravity='0 0 0'/><worldbody>"
    "<body name='a'><freejoint/><inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/><site name='a' pos='.1 .2 .3'/></body>"
    "<body name='b'><freejoint/><inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/>"
    "<geom name='obstacle' type='%s' size='.3 2' pos='.1 0 .2' euler='30 0 0' contype='0' conaffinity='0'/>"
    "<site name='side' pos='%g %g %g'/></body>"
    "<body name='c'><freejoint/><inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/><site name='c' pos='0 -.2 .1'/></body>"
    "</worldbody><tendon><spatial name='t'><site site='a'/><geom geom='obstacle'%s/><site site='c'/>"
    "<pulley divisor='3'/><site site='c'/><site site='a'/></spatial></tendon></mujoco>";

static cdn_state *our_state(bool sphere, passing how, cdn_vec3 side, cdn_path *path) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  cdn_body body[3];
  cdn_state *state;
  def.mobilizer = CDN_FREE, def.mass.mass = 1, def.mass.inertia = (cdn_inertia){ .xx = 1, .yy = 1, .zz = 1 };
  for (int i = 0; i < 3; i++) body[i] = cdn_system_add_body(system, &def);
  const cdn_transform X = { cdn_rotation_axis_angle(cdn_v3(1, 0, 0), PI / 6), cdn_v3(0.1, 0, 0.2) };
  *path = cdn_system_add_path(system, "t");
  cdn_path_add_point(system, *path, body[0], cdn_v3(0.1, 0.2, 0.3));
  if (sphere) cdn_path_add_sphere(system, *path, body[1], X.p, RADIUS);
  else cdn_path_add_cylinder(system, *path, body[1], &X, RADIUS);
  if (how != FREELY) cdn_path_pass_by(system, *path, body[1], side);
  cdn_path_add_point(system, *path, body[2], cdn_v3(0, -0.2, 0.1));
  cdn_path_add_pulley(system, *path, 3);
  cdn_path_add_point(system, *path, body[2], cdn_v3(0, -0.2, 0.1));
  cdn_path_add_point(system, *path, body[0], cdn_v3(0.1, 0.2, 0.3));
  OK_FREEZE(system);
  OK(cdn_state_create(system, &state));
  cdn_system_release(system);
  return state;
}

/* Three free bodies: the quaternion and the place, in MuJoCo's order the other way round. */
static void set_pose(rng *r, cdn_state *state, double *qpos, cdn_rotation R[3]) {
  double q[21];
  for (int i = 0; i < 3; i++) {
    R[i] = random_rotation(r);
    const cdn_quaternion e = cdn_quaternion_from_rotation(R[i]);
    const cdn_vec3 p = random_vec3(r, 1);
    const double place[3] = { p.x, p.y, p.z }, turn[4] = { e.w, e.x, e.y, e.z };
    memcpy(q + 7 * i, turn, sizeof turn), memcpy(q + 7 * i + 4, place, sizeof place);
    memcpy(qpos + 7 * i, place, sizeof place), memcpy(qpos + 7 * i + 3, turn, sizeof turn);
  }
  OK_ON(state, cdn_state_set_q(state, q));
}

/* MuJoCo's u of a free joint is (v, w in the body's axes), ours (w, v). */
static void compare_moments(const double *theirs, const double *ours, const cdn_rotation R[3], double tolerance) {
  for (int i = 0; i < 3; i++) {
    const double *J = theirs + 6 * i, *m = ours + 6 * i;
    const cdn_vec3 w = cdn_rotate(R[i], cdn_v3(J[3], J[4], J[5]));
    NEAR(m[3], J[0], tolerance);
    NEAR(m[4], J[1], tolerance);
    NEAR(m[5], J[2], tolerance);
    NEAR(m[0], w.x, tolerance);
    NEAR(m[1], w.y, tolerance);
    NEAR(m[2], w.z, tolerance);
  }
}

/* MuJoCo 2.2.2 takes a side for one inside of a sphere where its projection on the path's plane is; later ones do
 * not. */
static bool is_inside_to_them(cdn_state *state, cdn_vec3 side) {
  cdn_vec3 P, O, Q, S;
  OK_ON(state, cdn_body_station(state, (cdn_body){ 1 }, cdn_v3(0.1, 0.2, 0.3), &P, NULL));
  OK_ON(state, cdn_body_station(state, (cdn_body){ 2 }, cdn_v3(0.1, 0, 0.2), &O, NULL));
  OK_ON(state, cdn_body_station(state, (cdn_body){ 2 }, side, &S, NULL));
  OK_ON(state, cdn_body_station(state, (cdn_body){ 3 }, cdn_v3(0, -0.2, 0.1), &Q, NULL));
  const cdn_vec3 normal = cdn_cross(cdn_sub(P, O), cdn_sub(Q, O)), to_side = cdn_sub(S, O);
  const double off = cdn_dot(to_side, normal) / cdn_norm(normal);
  return cdn_dot(to_side, to_side) - off * off < RADIUS * RADIUS;
}

/* MuJoCo looks for the point inside to 1e-6 of an angle's function, which the length has to second order. */
static void compare(bool sphere, passing how) {
  const cdn_vec3 side = how == INSIDE ? cdn_v3(0.15, 0.02, 0.22) : cdn_v3(0.2, 0.7, -0.1);
  char text[1400], error[300] = "";
  snprintf(text, sizeof text, MODEL, sphere ? "sphere" : "cylinder", side.x, side.y, side.z,
           how == FREELY ? "" : " sidesite='side'");
  mjModel *m = mj_bridge_load_string(text, "paths.xml", error, sizeof error);
  ck_assert_msg(m != NULL, "%s", error);
  mjData *d = mj_makeData(m);
  cdn_path path;
  cdn_state *state = our_state(sphere, how, side, &path);
  rng r = rng_of(31 + (uint64_t)how);
  int wrapped = 0;
  const double loose = how == INSIDE ? 1e-5 : 1e-12;
  for (int i = 0; i < FEWER(POSES); i++) {
    double length, moments[18];
    cdn_rotation R[3];
    cdn_vec3 points[12];
    int n;
    set_pose(&r, state, d->qpos, R);
    mj_kinematics(m, d), mj_comPos(m, d), mj_tendon(m, d);
    OK_ON(state, cdn_path_length(state, path, &length));
    OK_ON(state, cdn_path_moments(state, path, moments));
    OK_ON(state, cdn_path_points(state, path, 0, points, NULL, &n));
    wrapped += n > 4;
    if (sphere && how == BY_A_SIDE && is_inside_to_them(state, side)) continue;
    NEAR(length, d->ten_length[0], how == INSIDE ? 1e-9 : 1e-11); /* MuJoCo's arcs are arccosines: near 0 they round */
    compare_moments(d->ten_J, moments, R, loose);
  }
  ck_assert_int_gt(wrapped, FEWER(POSES) / 50);
  cdn_state_destroy(state);
  mj_deleteData(d), mj_deleteModel(m);
}

START_TEST(freely) { compare(true, FREELY), compare(false, FREELY); }
END_TEST
START_TEST(by_a_side) { compare(true, BY_A_SIDE), compare(false, BY_A_SIDE); }
END_TEST
START_TEST(from_inside) { compare(true, INSIDE), compare(false, INSIDE); }
END_TEST

CHECK_MAIN("paths against MuJoCo", freely, by_a_side, from_inside)
