/* What nothing concerns keeps its bits in an assembly; joints at limits that constraints tie together let go
 * together. */
#include "mechanisms.h"

/* On a table that turns: two linkages of five bars whose frames lie anyhow, and an arm with two fingers of which one
 * mimics the other; beside it a free body. By body the group that it belongs to. */
enum { TABLE = 1, LEFT = 2, RIGHT = 6, ARM = 10, FINGER, OTHER_FINGER, BOX, BODIES };
static const int group_of[BODIES] = { -1, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 4, 4, 5 };

static cdn_body add(cdn_system *s, cdn_body parent, cdn_mobilizer kind, cdn_transform X_PF) {
  cdn_body_def def = cdn_default_body_def();
  def.parent = parent, def.mobilizer = kind, def.X_PF = X_PF;
  def.mass = (cdn_mass_properties){ 1, cdn_v3(0.1, 0.2, 0.3), { 1, 1.2, 1.1, 0, 0, 0 } };
  return cdn_system_add_body(s, &def);
}

static cdn_transform at(double x, double y) { return (cdn_transform){ cdn_rotation_identity(), { x, y, 0 } }; }

static void add_five_bar(cdn_system *s, const char *name, double angle) {
  const cdn_transform X = { cdn_rotation_axis_angle(cdn_v3(1, angle, 0.3), angle), { 0.3, -0.2, angle } };
  const cdn_body left = add(s, (cdn_body){ TABLE }, CDN_PIN, X), left_rod = add(s, left, CDN_PIN, at(1, 0));
  const cdn_body right = add(s, (cdn_body){ TABLE }, CDN_PIN, cdn_transform_multiply(X, at(2, 0)));
  const cdn_body right_rod = add(s, right, CDN_PIN, at(1, 0));
  cdn_system_constrain_ball(s, name, left_rod, cdn_v3(2, 0, 0), right_rod, cdn_v3(2.2, 0, 0));
}

static cdn_state *workshop(void) {
  cdn_system *s = cdn_system_create(NULL);
  const cdn_body table = add(s, cdn_ground(), CDN_PIN, at(0, 0));
  add_five_bar(s, "left loop", 0.7);
  add_five_bar(s, "right loop", 1.9);
  const cdn_body arm = add(s, table, CDN_PIN, at(1, 0));
  const cdn_body finger = add(s, arm, CDN_PIN, at(1, 0)), other = add(s, arm, CDN_PIN, at(1, 0.1));
  add(s, cdn_ground(), CDN_FREE, at(0, 3));
  const double mimic[5] = { 0, -1, 0, 0, 0 };
  cdn_system_couple_by_polynomial(s, "mimic", (cdn_mobility){ other, 0 }, 0, (cdn_mobility){ finger, 0 }, 0, mimic);
  OK_FREEZE(s);
  cdn_state *state = mechanism_state(s);
  double q[20];
  rng r = rng_of(3);
  random_numbers(&r, 1, q, 20);
  q[OTHER_FINGER - 1] = -q[FINGER - 1];
  for (int k = 0; k < 2; k++)
    q[LEFT - 1 + 4 * k] = 1.2, q[LEFT + 4 * k] = -0.5, q[LEFT + 1 + 4 * k] = 1.9, q[LEFT + 2 + 4 * k] = 0.5;
  OK_ON(state, cdn_state_set_q(state, q)); /* the free body's quaternion is not of unit length */
  return state;
}

static cdn_body body_named_joint(const cdn_state *state, const char *joint) {
  const cdn_system *s = cdn_state_system(state);
  for (int i = 1; i < cdn_system_body_count(s); i++)
    if (strcmp(cdn_body_mobilizer_name(s, (cdn_body){ i }), joint) == 0) return (cdn_body){ i };
  return (cdn_body){ -1 };
}

static cdn_assembly *assembly_of(const cdn_state *state) {
  cdn_assembly *a = NULL;
  OK(cdn_assembly_create(cdn_state_system(state), NULL, &a));
  return a;
}

/* All but those of the groups named (a bit each) are as they were. */
static void check_others(const cdn_state *state, const double *before, unsigned groups) {
  const cdn_system *s = cdn_state_system(state);
  for (int b = 1; b < BODIES; b++) {
    if (groups & 1u << group_of[b]) continue;
    const int first = cdn_body_first_q(s, (cdn_body){ b });
    for (int k = 0; k < cdn_body_nq(s, (cdn_body){ b }); k++)
      ck_assert_msg(cdn_state_q(state)[first + k] == before[first + k], "coordinate %d of body %d moved by %g", k, b,
                    cdn_state_q(state)[first + k] - before[first + k]);
  }
}

/* A goal concerns its own group; a marker or an orientation also what the body hangs on. */
START_TEST(test_goals) {
  cdn_state *state = workshop();
  cdn_assembly *closer = assembly_of(state);
  OK_ASSEMBLY(closer, cdn_assemble(closer, state, NULL));
  cdn_assembly_destroy(closer);
  double *before = coordinate_copy(state);
  for (int b = 1; b < BOX; b++)
    for (int kind = 0; kind < 3; kind++) {
      cdn_assembly *a = assembly_of(state);
      const cdn_body body = { b };
      cdn_assembly_report report;
      unsigned groups = 1u << group_of[b];
      OK_ON(state, cdn_state_set_q(state, before));
      const double wanted = *cdn_body_q(state, body) + 0.1;
      if (kind == 0) cdn_assembly_add_coordinate(a, NULL, body, 0, wanted, 1);
      else {
        groups |= 1u | (group_of[b] == 4 ? 1u << 3 : 0);
        cdn_transform X;
        OK_ON(state, cdn_body_pose(state, body, &X));
        if (kind == 1) {
          const cdn_goal g = cdn_assembly_add_marker(a, NULL, body, cdn_v3(0.2, 0.1, 0.3), 1);
          OK(cdn_assembly_observe_marker(a, g, cdn_add(X.p, cdn_v3(0.3, 0.2, 0.1))));
        } else {
          const cdn_goal g = cdn_assembly_add_orientation(a, NULL, body, cdn_rotation_identity(), 1);
          OK(cdn_assembly_observe_orientation(
              a, g, cdn_rotation_multiply(cdn_rotation_axis_angle(cdn_v3(0, 0, 1), 0.2), X.R)));
        }
      }
      OK_ASSEMBLY(a, cdn_assemble(a, state, &report));
      ck_assert(report.goal < report.goal_before);
      if (kind == 0) NEAR(*cdn_body_q(state, body), wanted, 1e-12);
      check_others(state, before, groups);
      cdn_assembly_destroy(a);
    }
  free(before);
  cdn_state_destroy(state);
}
END_TEST

/* An open loop concerns its own bodies, neither what it is mounted on nor a loop that is closed, be it to rounding
 * only. */
START_TEST(test_errors) {
  cdn_state *state = workshop();
  cdn_assembly *a = assembly_of(state);
  OK_ASSEMBLY(a, cdn_assemble(a, state, NULL));
  double *closed = coordinate_copy(state), *q = coordinate_copy(state);
  for (int b = LEFT; b < BOX; b++) {
    if (b == ARM) continue;
    const cdn_system *s = cdn_state_system(state);
    memcpy(q, closed, (size_t)cdn_system_nq(s) * sizeof *q);
    q[cdn_body_first_q(s, (cdn_body){ b })] += 0.1;
    OK_ON(state, cdn_state_set_q(state, q));
    cdn_assembly_report report;
    OK_ASSEMBLY(a, cdn_assemble(a, state, &report));
    ck_assert(report.error_before > 0.01);
    check_others(state, q, 1u << group_of[b]);
  }
  free(closed), free(q);
  cdn_assembly_destroy(a), cdn_state_destroy(state);
}
END_TEST

/* The same of speeds. */
START_TEST(test_speeds) {
  cdn_state *state = workshop();
  const cdn_system *s = cdn_state_system(state);
  cdn_assembly *closer = assembly_of(state);
  OK_ASSEMBLY(closer, cdn_assemble(closer, state, NULL));
  double u[32];
  const int nu = cdn_system_nu(s);
  rng r = rng_of(8);
  random_numbers(&r, 1, u, nu);
  OK_ON(state, cdn_state_set_u(state, u));
  OK_ASSEMBLY(closer, cdn_assemble_speeds(closer, state, NULL));
  cdn_assembly_destroy(closer);
  memcpy(u, cdn_state_u(state), (size_t)nu * sizeof *u);
  for (int b = 1; b < BOX; b++) {
    cdn_assembly *a = assembly_of(state);
    OK_ON(state, cdn_state_set_u(state, u));
    cdn_assembly_add_speed(a, NULL, (cdn_body){ b }, 0, 3, 1);
    OK_ASSEMBLY(a, cdn_assemble_speeds(a, state, NULL));
    NEAR(*cdn_body_u(state, (cdn_body){ b }), 3, 1e-9);
    for (int other = 1; other < BODIES; other++) {
      const int first = cdn_body_first_u(s, (cdn_body){ other });
      for (int k = 0; k < cdn_body_nu(s, (cdn_body){ other }) && group_of[other] != group_of[b]; k++)
        NEAR(cdn_state_u(state)[first + k], u[first + k], group_of[other] == 1 || group_of[other] == 2 ? 1e-15 : 0);
    }
    cdn_assembly_destroy(a);
  }
  cdn_state_destroy(state);
}
END_TEST

/* Both fingers at their limits: the goal of one opens both, until the first limit that either has. */
START_TEST(test_fingers_open_together) {
  cdn_state *state = workshop();
  const cdn_body fingers[2] = { { FINGER }, { OTHER_FINGER } };
  double *q = coordinate_copy(state);
  q[FINGER - 1] = q[OTHER_FINGER - 1] = 0;
  for (int which = 0; which < 2; which++)
    for (int arm = 0; arm < 2; arm++) {
      cdn_assembly *a = assembly_of(state);
      OK(cdn_assembly_set_bounds(a, fingers[0], 0, 0, 0.5));
      OK(cdn_assembly_set_bounds(a, fingers[1], 0, -0.4, 0));
      cdn_assembly_add_coordinate(a, NULL, fingers[which], 0, which ? -0.3 : 0.3, 1);
      if (arm) cdn_assembly_add_coordinate(a, NULL, (cdn_body){ ARM }, 0, 0.2, 1);
      OK_ON(state, cdn_state_set_q(state, q));
      OK_ASSEMBLY(a, cdn_assemble(a, state, NULL));
      NEAR(*cdn_body_q(state, fingers[0]), 0.3, 1e-10);
      NEAR(*cdn_body_q(state, fingers[1]), -0.3, 1e-10);
      cdn_assembly_add_coordinate(a, NULL, fingers[which], 0, which ? -1 : 1, 9);
      OK_ASSEMBLY(a, cdn_assemble(a, state, NULL));
      NEAR(*cdn_body_q(state, fingers[0]), 0.4, 1e-10);
      NEAR(*cdn_body_q(state, fingers[1]), -0.4, 1e-10);
      cdn_assembly_destroy(a);
    }
  free(q);
  cdn_state_destroy(state);
}
END_TEST

/* Limits that keep a loop open are named. */
START_TEST(test_limits_in_the_way) {
  cdn_state *state = workshop();
  cdn_assembly *a = assembly_of(state);
  OK_ON(state, cdn_state_set_q(state, cdn_state_q(state)));
  for (int b = LEFT; b < RIGHT; b++) OK(cdn_assembly_set_bounds(a, (cdn_body){ b }, 0, -0.01, 0.01));
  ck_assert_int_eq(cdn_assemble(a, state, NULL), CDN_ERR_CONSTRAINT);
  cdn_error message;
  cdn_assembly_last_error(a, &message);
  ck_assert_str_eq(message.element, "left loop");
  ck_assert_msg(strstr(message.text, "is at its bound") != NULL, "%s", message.text);
  cdn_assembly_destroy(a), cdn_state_destroy(state);
}
END_TEST

/* All limits of a file's joints bound an assembly: of a hinge in degrees, a slider, none, one under another in one
 * body. */
START_TEST(test_limits_of_a_file) {
  static const char text[] =
      "<mujoco><worldbody><body><joint name='hinge' axis='0 0 1' range='-30 60' limited='true'/>"
      "<joint name='slide' type='slide' range='-.1 .2' limited='true'/><geom type='sphere' size='.1' mass='1'/>"
      "<body><joint name='free hinge' axis='0 1 0'/><geom type='sphere' size='.1' mass='1'/>"
      "<body><joint name='ball' type='ball' range='0 40' limited='true'/><geom type='sphere' size='.1' mass='1'/>"
      "<body><joint name='last' axis='0 1 0' range='-10 10' limited='true'/><geom type='sphere' size='.1' mass='1'/>"
      "</body></body></body></body></worldbody></mujoco>";
  static const double limit[8][2] = { [0] = { -PI / 6, PI / 3 }, [1] = { -0.1, 0.2 }, [7] = { -PI / 18, PI / 18 } };
  for (int tree_only = 0; tree_only < 2; tree_only++) {
    cdn_model *model;
    cdn_state *state;
    cdn_model_options options = cdn_default_model_options();
    options.tree_only = tree_only;
    OK(cdn_model_load_string(text, sizeof text - 1, "limits", &options, &model));
    OK(cdn_state_create(cdn_model_system(model), &state));
    cdn_assembly *a = assembly_of(state);
    OK(cdn_model_bound_assembly(model, a));
    FAILS(cdn_model_bound_assembly(NULL, a), CDN_ERR_ARG);
    FAILS(cdn_model_bound_assembly(model, NULL), CDN_ERR_ARG);
    for (int i = 0; i < cdn_model_joint_count(model); i++) {
      const cdn_model_joint j = cdn_model_get_joint(model, i);
      const bool limited = !tree_only && limit[j.first_q][0] < 0;
      NEAR(limited ? j.lower : 0, limited ? limit[j.first_q][0] : 0, 1e-15);
      NEAR(limited ? j.upper : 0, limited ? limit[j.first_q][1] : 0, 1e-15);
      if (!limited) ck_assert(j.lower == -INFINITY && j.upper == INFINITY);
      if (j.nq == 1) cdn_assembly_add_coordinate(a, NULL, body_named_joint(state, j.name), 0, 3, 1);
    }
    OK_ASSEMBLY(a, cdn_assemble(a, state, NULL));
    for (int i = 0; i < 8; i++) {
      if (i >= 3 && i < 7) continue;
      NEAR(cdn_state_q(state)[i], !tree_only && limit[i][1] > 0 ? limit[i][1] : 3, 1e-7);
    }
    cdn_assembly_destroy(a), cdn_state_destroy(state), cdn_model_destroy(model);
  }
}
END_TEST

CHECK_MAIN("assembly_concerns", test_goals, test_errors, test_speeds, test_fingers_open_together,
           test_limits_in_the_way, test_limits_of_a_file)
