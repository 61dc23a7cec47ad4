/* MuJoCo's humanoid.xml read by Cardan, against numbers that no simulator printed.
 *
 * Source of the table: the masses and inertias of the file's capsules and spheres (density 1000) and the mass matrix
 * and gravity forces of its tree at the initial pose, in multiple precision from the closed formulas of the solids, by
 * a program that shares nothing with this library or MuJoCo; 18 digits. Generalized forces and the diagonal of M are
 * in MuJoCo's order: linear and angular of the root (its axes are the world's here), then the hinges in the file's
 * order. Armature is in M. All springs are at rest and all speeds zero, so that the residual at udot = 0 is gravity's
 * part alone. */
#include "../testing.h"

#include <stdio.h>

#include <cardan/model.h>

#define N_U 27

static const struct body {
  const char *name;
  double mass, com[3];
} bodies[] = {
  { "torso", 5.8538343111889814, { -0.00386404293381037567, 0.0, -0.0463685152057245081 } },
  { "head", 3.05362805928927903, { 0.0, 0.0, 0.0 } },
  { "waist_lower", 2.26194671058465113, { 0.0, 0.0, 0.0 } },
  { "pelvis", 6.61619412846010456, { -0.02, 0.0, 0.0 } },
  { "thigh_right", 4.7517509288062414, { 0.0, 0.005, -0.17 } },
  { "shin_right", 2.75569616718364218, { 0.0, 0.0, -0.15 } },
  { "foot_right", 1.13114123238998432, { 0.035, 0.0, 0.0 } },
  { "thigh_left", 4.7517509288062414, { 0.0, -0.005, -0.17 } },
  { "shin_left", 2.75569616718364218, { 0.0, 0.0, -0.15 } },
  { "foot_left", 1.13114123238998432, { 0.035, 0.0, 0.0 } },
  { "upper_arm_right", 1.66108048483820833, { 0.08, -0.08, -0.08 } },
  { "lower_arm_right", 0.961457619724751384, { 0.09, 0.09, 0.09 } },
  { "hand_right", 0.268082573106329023, { 0.0, 0.0, 0.0 } },
  { "upper_arm_left", 1.66108048483820833, { 0.08, 0.08, -0.08 } },
  { "lower_arm_left", 0.961457619724751384, { 0.09, -0.09, 0.09 } },
  { "hand_left", 0.268082573106329023, { 0.0, 0.0, 0.0 } },
};
#define N_BODIES ((int)(sizeof bodies / sizeof bodies[0]))
static const double total_mass = 40.8440212216213294;
static const double com[3] = { 0.0156855957698185195, -9.0534315246756864e-34, 0.849840174510566709 };
static const char *const hinges[] = { "abdomen_z",       "abdomen_y",    "abdomen_x",      "hip_x_right",
                                      "hip_z_right",     "hip_y_right",  "knee_right",     "ankle_y_right",
                                      "ankle_x_right",   "hip_x_left",   "hip_z_left",     "hip_y_left",
                                      "knee_left",       "ankle_y_left", "ankle_x_left",   "shoulder1_right",
                                      "shoulder2_right", "elbow_right",  "shoulder1_left", "shoulder2_left",
                                      "elbow_left" };
static const double M_diagonal[N_U] = {
  40.8440212216213294,   40.8440212216213294,   40.8440212216213294,  15.4248351528115885,   15.1197872566508645,
  0.91507392664296909,   0.262167569286405596,  8.71756928920854934,  5.98804968643244271,   1.79583909962680446,
  0.0298145787331089666, 1.8017003072378048,    0.319721848246941979, 0.0245686762735343122, 0.0150035746555397295,
  1.79583909962680446,   0.0298145787331089666, 1.8017003072378048,   0.319721848246941979,  0.0245686762735343122,
  0.0150035746555397295, 0.135782919501508403,  0.186780852332518191, 0.0679942355172237906, 0.135782919501508403,
  0.186780852332518191,  0.0679942355172237906
};
static const double gravity_forces[N_U] = { 0.0,
                                            0.0,
                                            400.679848184105241,
                                            0.0,
                                            -6.28490213172812776,
                                            0.0,
                                            0.0,
                                            0.521342603721670282,
                                            0.0,
                                            0.6143721319561189,
                                            0.0,
                                            -0.388377342141101116,
                                            0.388377342141101116,
                                            -0.388377342141101116,
                                            0.0,
                                            0.6143721319561189,
                                            0.0,
                                            -0.388377342141101116,
                                            0.388377342141101116,
                                            -0.388377342141101116,
                                            0.0,
                                            -3.71586082275992787,
                                            3.39198357636931938,
                                            0.934972747558268065,
                                            -3.71586082275992787,
                                            3.39198357636931938,
                                            0.934972747558268065 };

static char path[4096];

/* NULL if the file is not there. */
static cdn_model *load(void) {
  const char *shared = getenv("CARDAN_SHARED");
  snprintf(path, sizeof path, "%s/models/mjcf/humanoid.xml", shared ? shared : "../shared");
  FILE *file = fopen(path, "r");
  if (!file) return NULL;
  fclose(file);
  cdn_model_options options = cdn_default_model_options();
  options.tree_only = true;
  cdn_model *model = NULL;
  cdn_status status = cdn_model_load(path, &options, &model);
  cdn_error error = { .code = CDN_OK };
  if (status != CDN_OK && model) cdn_model_last_error(model, &error);
  ck_assert_msg(status == CDN_OK, "%s: %s", path, error.text);
  return model;
}

/* Where the table's mobility i is in our order: the root's halves change places. */
static int our_u(const cdn_model *model, int i) {
  int joint = i < 6 ? 0 : i - 5;
  cdn_model_joint j = cdn_model_get_joint(model, joint);
  return j.first_u + (i < 6 ? (i + 3) % 6 : 0);
}

START_TEST(test_masses) {
  cdn_model *model = load();
  if (!model) SKIP("%s is not there", path);
  const cdn_system *system = cdn_model_system(model);
  cdn_state *state;
  OK(cdn_state_create(system, &state));
  ck_assert_int_eq(cdn_model_body_count(model), N_BODIES);
  for (int i = 0; i < N_BODIES; i++) {
    cdn_body body = cdn_model_body(model, i);
    ck_assert_str_eq(cdn_body_name(system, body), bodies[i].name);
    cdn_mass_properties mass = cdn_body_mass_properties(state, body);
    /* a few roundings: volumes are sums of two terms, centres lie within half a metre */
    NEAR(mass.mass, bodies[i].mass, 1e-14 * bodies[i].mass);
    NEAR(mass.com.x, bodies[i].com[0], 2e-16);
    NEAR(mass.com.y, bodies[i].com[1], 2e-16);
    NEAR(mass.com.z, bodies[i].com[2], 2e-16);
  }
  double total, moving;
  OK_ON(state, cdn_system_mass(state, &total, &moving));
  NEAR(total, total_mass, 1e-14 * total_mass);
  NEAR(moving, total_mass, 1e-14 * total_mass);
  cdn_vec3 p;
  OK_ON(state, cdn_center_of_mass(state, &p));
  NEAR(p.x, com[0], 1e-15); /* metres; the body is about one metre from the origin */
  NEAR(p.y, com[1], 1e-15);
  NEAR(p.z, com[2], 1e-15);
  cdn_state_destroy(state);
  cdn_model_destroy(model);
}
END_TEST

START_TEST(test_joints) {
  cdn_model *model = load();
  if (!model) SKIP("%s is not there", path);
  ck_assert_int_eq(cdn_model_joint_count(model), N_U - 5);
  ck_assert_str_eq(cdn_model_get_joint(model, 0).kind, "free");
  for (int i = 1; i < N_U - 5; i++) {
    cdn_model_joint joint = cdn_model_get_joint(model, i);
    ck_assert_str_eq(joint.name, hinges[i - 1]);
    ck_assert_str_eq(joint.kind, "pin");
    ck_assert_int_eq(joint.first_q, 6 + i);
    ck_assert_int_eq(joint.first_u, 5 + i);
  }
  cdn_model_destroy(model);
}
END_TEST

START_TEST(test_dynamics) {
  cdn_model *model = load();
  if (!model) SKIP("%s is not there", path);
  const cdn_system *system = cdn_model_system(model);
  cdn_state *state;
  OK(cdn_state_create(system, &state));
  ck_assert_int_eq(cdn_system_nu(system), N_U);
  static double M[N_U * N_U], zero[N_U], residual[N_U];
  OK_ON(state, cdn_calc_M(state, M));
  OK_ON(state, cdn_residual(state, zero, residual));
  for (int i = 0; i < N_U; i++) {
    int u = our_u(model, i);
    /* tens of roundings a body: of each element, and of the weights that the joints carry (at most 400 N, 0.5 m) */
    NEAR(M[u * N_U + u], M_diagonal[i], 1e-14 * M_diagonal[i]);
    NEAR(residual[u], gravity_forces[i], i < 3 ? 1e-14 * 400 : 1e-14 * 200);
  }
  cdn_state_destroy(state);
  cdn_model_destroy(model);
}
END_TEST

CHECK_MAIN("humanoid reference", test_masses, test_joints, test_dynamics)
