/* The graph of joints as a tree: which joints are cut is compared with Kruskal's algorithm and with breadth-first
 * distances, and a mechanism must move alike however its loop is cut. */
#include "testing.h"

#include <stdio.h>

static cdn_spec *spec;
static cdn_spec_tree *tree;

static uint32_t seed;
static int draw(int n) {
  seed = seed * 1664525u + 1013904223u;
  return (int)((seed >> 8) % (uint32_t)n);
}

static void add_body(const char *name, double mass, bool base) {
  cdn_spec_body body = cdn_default_spec_body();
  body.name = name, body.must_be_base = base;
  if (mass > 0)
    body.mass = (cdn_mass_properties){ mass, { 0, 0, 0.5 }, { 0.1 * mass, 0.1 * mass, 0.1 * mass, 0, 0, 0 } };
  OK(cdn_spec_add_body(spec, &body, NULL));
}

static void add_joint(const char *parent, const char *child, double weight, cdn_mobilizer kind, cdn_spec_cut cut) {
  cdn_spec_joint joint = cdn_default_spec_joint();
  joint.parent = parent, joint.child = child, joint.weight = weight, joint.kind = kind, joint.cut = cut;
  OK(cdn_spec_add_joint(spec, &joint, NULL));
}

static void make(void) {
  const cdn_status status = cdn_spec_make_tree(spec, &tree);
  cdn_error error;
  cdn_spec_last_error(spec, &error);
  ck_assert_msg(status == CDN_OK, "%s", error.text);
}

static cdn_spec_mobilizer mobilizer(int i) {
  cdn_spec_mobilizer m;
  OK(cdn_spec_tree_mobilizer(tree, i, &m));
  return m;
}

static cdn_spec_loop loop(int i) {
  cdn_spec_loop l;
  OK(cdn_spec_tree_loop(tree, i, &l));
  return l;
}

/* ---- what holds for every graph -------------------------------------------------------------- */

/* Bodies 0 to n - 1 and Ground, which is n. */
typedef struct random_graph {
  int n, m, parent[40], child[40];
  double weight[40], mass[12];
  bool base[12];
} random_graph;

static random_graph draw_graph(int weights) {
  random_graph g = { .n = draw(12), .m = 0 };
  char names[12][8];
  OK(cdn_spec_create(NULL, &spec));
  for (int i = 0; i < g.n; i++) {
    snprintf(names[i], sizeof names[i], "b%d", i);
    g.mass[i] = draw(4) ? 1 + draw(3) : 0;
    g.base[i] = weights > 1 && draw(8) == 0;
    add_body(names[i], g.mass[i], g.base[i]);
  }
  const int wanted = g.n ? draw(3 * g.n) : 0;
  for (int k = 0; k < wanted; k++) {
    const int a = draw(g.n + 1), b = draw(g.n + 1);
    if (a == b) continue;
    g.parent[g.m] = a, g.child[g.m] = b, g.weight[g.m] = 1 + draw(weights);
    add_joint(a < g.n ? names[a] : NULL, b < g.n ? names[b] : NULL, g.weight[g.m], CDN_PIN, CDN_CUT_AUTO);
    g.m++;
  }
  make();
  return g;
}

static void end(void) {
  cdn_spec_tree_destroy(tree);
  cdn_spec_destroy(spec);
}

static int find(int *root, int i) {
  while (root[i] != i) i = root[i] = root[root[i]];
  return i;
}

static bool has_ground_joint(const random_graph *g, int body) {
  for (int k = 0; k < g->m; k++)
    if ((g->parent[k] == body && g->child[k] == g->n) || (g->child[k] == body && g->parent[k] == g->n)) return true;
  return false;
}

/* The weight of the largest spanning forest, by Kruskal; bodies that must be bases are one with Ground. */
static double kruskal(const random_graph *g) {
  int root[13];
  double sum = 0;
  for (int i = 0; i <= g->n; i++) root[i] = i;
  for (int i = 0; i < g->n; i++)
    if (g->base[i] && !has_ground_joint(g, i)) root[find(root, i)] = find(root, g->n);
  for (double w = 3; w >= 1; w--)
    for (int k = 0; k < g->m; k++) {
      const int a = find(root, g->parent[k]), b = find(root, g->child[k]);
      if (g->weight[k] != w || a == b) continue;
      root[a] = b;
      sum += w;
    }
  return sum;
}

static void check_tree(const random_graph *g) {
  const int n = cdn_spec_tree_mobilizer_count(tree), loops = cdn_spec_tree_loop_count(tree);
  int wholes[12] = { 0 }, parts[12] = { 0 }, level[80], used[40] = { 0 }, stack[80], depth = 0;
  double weight = 0;
  for (int i = 0; i < n; i++) {
    const cdn_spec_mobilizer m = mobilizer(i);
    ck_assert(m.inboard < i && m.inboard >= -1);
    level[i] = m.inboard < 0 ? 1 : level[m.inboard] + 1;
    ck_assert_int_eq(m.level, level[i]);
    if (m.inboard >= 0) ck_assert_int_eq(mobilizer(m.inboard).part, 0);
    /* depth first: what it hangs on is on the way from Ground to the mobilizer before */
    while (depth > 0 && stack[depth - 1] != m.inboard) depth--;
    ck_assert(m.inboard < 0 || depth > 0);
    stack[depth++] = i;
    if (m.part == 0) wholes[m.body]++;
    parts[m.body]++;
    if (m.joint < 0) {
      ck_assert(m.inboard < 0 && m.part == 0);
      continue;
    }
    used[m.joint]++;
    const int inboard = m.inboard < 0 ? g->n : mobilizer(m.inboard).body;
    ck_assert_int_eq(g->parent[m.joint], m.reversed ? m.body : inboard);
    ck_assert_int_eq(g->child[m.joint], m.reversed ? inboard : m.body);
    if (m.part == 0) weight += g->weight[m.joint];
    else ck_assert(g->mass[m.body] > 0);
  }
  for (int i = 0; i < n; i++) ck_assert_int_eq(mobilizer(i).parts, parts[mobilizer(i).body]);
  for (int i = 0; i < g->n; i++) ck_assert_int_eq(wholes[i], 1);
  for (int i = 0; i < loops; i++) {
    const cdn_spec_loop l = loop(i);
    if (l.weld) {
      ck_assert(l.a >= 0 && mobilizer(l.a).part == 0 && mobilizer(l.b).part > 0);
      ck_assert(mobilizer(l.a).body == mobilizer(l.b).body && mobilizer(l.b).joint == l.joint);
      continue;
    }
    used[l.joint]++; /* neither body could be split */
    ck_assert_int_eq(l.a < 0 ? g->n : mobilizer(l.a).body, g->parent[l.joint]);
    ck_assert_int_eq(l.b < 0 ? g->n : mobilizer(l.b).body, g->child[l.joint]);
    for (int k = 0; k < 2; k++) {
      const int body = k ? g->child[l.joint] : g->parent[l.joint];
      ck_assert(body == g->n || g->mass[body] == 0);
    }
  }
  for (int k = 0; k < g->m; k++) ck_assert_int_eq(used[k], 1);
  ck_assert(weight == kruskal(g));
}

START_TEST(test_random_graphs) {
  for (seed = 1; seed < 3000; seed++) {
    const uint32_t keep = seed;
    const random_graph g = draw_graph(3);
    check_tree(&g);
    end();
    seed = keep;
  }
}
END_TEST

/* Without weights branches are as short as they can be: a body's level is its distance from Ground. */
START_TEST(test_short_branches) {
  for (seed = 1; seed < 3000; seed++) {
    const uint32_t keep = seed;
    const random_graph g = draw_graph(1);
    int distance[13];
    for (int i = 0; i < g.n; i++) distance[i] = 1000;
    distance[g.n] = 0;
    for (int sweep = 0; sweep < g.n; sweep++)
      for (int k = 0; k < g.m; k++) {
        const int a = g.parent[k], b = g.child[k];
        if (distance[a] + 1 < distance[b]) distance[b] = distance[a] + 1;
        if (distance[b] + 1 < distance[a]) distance[a] = distance[b] + 1;
      }
    for (int i = 0; i < cdn_spec_tree_mobilizer_count(tree); i++) {
      const cdn_spec_mobilizer m = mobilizer(i);
      if (m.part == 0 && distance[m.body] < 1000) ck_assert_int_eq(m.level, distance[m.body]);
    }
    end();
    seed = keep;
  }
}
END_TEST

/* ---- rules that the header states ------------------------------------------------------------ */

START_TEST(test_bases) {
  OK(cdn_spec_create(NULL, &spec));
  add_body("hand", 9, false);
  add_body("arm", 1, false);
  add_body("base", 1, false); /* no joint's child */
  add_body("lone", 1, false);
  add_body("x", 1, false); /* a ring: every body is a child; y is the heaviest */
  add_body("y", 3, false);
  add_joint("arm", "hand", 1, CDN_PIN, CDN_CUT_AUTO);
  add_joint("base", "arm", 1, CDN_PIN, CDN_CUT_AUTO);
  add_joint("x", "y", 1, CDN_PIN, CDN_CUT_AUTO);
  add_joint("y", "x", 1, CDN_PIN, CDN_CUT_AUTO);
  make();
  int bases[3], n = 0;
  for (int i = 0; i < cdn_spec_tree_mobilizer_count(tree); i++)
    if (mobilizer(i).joint < 0 && n < 3) bases[n++] = mobilizer(i).body;
  ck_assert(n == 3 && bases[0] == 2 && bases[1] == 3 && bases[2] == 5);
  cdn_spec_tree_destroy(tree);
  cdn_spec_body body;
  OK(cdn_spec_get_body(spec, 0, &body));
  body.must_be_base = true;
  OK(cdn_spec_set_body(spec, 0, &body));
  make();
  ck_assert(mobilizer(0).body == 0 && mobilizer(0).joint < 0 && mobilizer(1).body == 1 && mobilizer(1).reversed);
  end();
}
END_TEST

START_TEST(test_where_loops_are_cut) {
  const struct {
    cdn_mobilizer kind;
    cdn_spec_cut cut;
    bool weld;
  } cases[] = {
    { CDN_PIN, CDN_CUT_AUTO, true },   { CDN_WELD, CDN_CUT_AUTO, false }, { CDN_BALL, CDN_CUT_AUTO, false },
    { CDN_FREE, CDN_CUT_AUTO, false }, { CDN_PIN, CDN_CUT_JOINT, false }, { CDN_BALL, CDN_CUT_BODY, true }
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    OK(cdn_spec_create(NULL, &spec));
    add_body("a", 1, false);
    add_body("b", 1, false);
    add_joint(NULL, "a", 1, CDN_PIN, CDN_CUT_AUTO);
    add_joint("a", "b", 1, cases[i].kind, cases[i].cut); /* lighter than the last: it is cut */
    add_joint("b", NULL, 2, CDN_PIN, CDN_CUT_AUTO);
    make();
    ck_assert_int_eq(cdn_spec_tree_loop_count(tree), 1);
    ck_assert(loop(0).joint == 1 && loop(0).weld == cases[i].weld);
    end();
  }
}
END_TEST

START_TEST(test_mistakes_are_named) {
  static const struct {
    const char *parent, *child, *text;
  } cases[] = { { "a", "a", "joint 'joint0' connects body 'a' with itself" },
                { "a", "nobody", "joint 'joint0': there is no body 'nobody'" },
                { NULL, "Ground", "connects body 'Ground' with itself" } };
  cdn_error error;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    OK(cdn_spec_create(NULL, &spec));
    add_body("a", 1, false);
    add_joint(cases[i].parent, cases[i].child, 1, CDN_PIN, CDN_CUT_AUTO);
    FAILS(cdn_spec_make_tree(spec, &tree), CDN_ERR_ARG);
    ck_assert_ptr_null(tree);
    cdn_spec_last_error(spec, &error);
    ck_assert_msg(strstr(error.text, cases[i].text), "%s", error.text);
    end();
  }
  OK(cdn_spec_create(NULL, &spec));
  add_body("a", 1, false);
  add_body("a", 1, false);
  FAILS(cdn_spec_make_tree(spec, &tree), CDN_ERR_ARG);
  cdn_spec_last_error(spec, &error);
  ck_assert_msg(strstr(error.text, "body 'a' is there twice"), "%s", error.text);
  OK(cdn_spec_remove(spec, CDN_SPEC_BODY, 1));
  add_joint(NULL, "a", NAN, CDN_PIN, CDN_CUT_AUTO);
  FAILS(cdn_spec_make_tree(spec, &tree), CDN_ERR_NONFINITE);
  OK(cdn_spec_remove(spec, CDN_SPEC_JOINT, 0)); /* cured, it is made */
  make();
  ck_assert_int_eq(cdn_spec_tree_mobilizer_count(tree), 1);
  end();
}
END_TEST

/* ---- mechanics ------------------------------------------------------------------------------- */

/* A parallelogram in the x-z plane: two cranks of 1 m, which carry a coupler of 2 m; pins along y. */
static void make_parallelogram(cdn_spec_cut cut) {
  OK(cdn_spec_create(NULL, &spec));
  OK(cdn_spec_set_gravity(spec, cdn_v3(3, 0, -9.81)));
  add_body("coupler", 5, false);
  add_body("left", 2, false);
  add_body("right", 2, false);
  const struct {
    const char *name, *parent, *child;
    cdn_vec3 p_F, p_M;
  } joints[] = { { "top right", "coupler", "right", { 2, 0, 0 }, { 0, 0, 1 } },
                 { "left foot", NULL, "left", { 0, 0, 0 }, { 0, 0, 0 } },
                 { "top left", "left", "coupler", { 0, 0, 1 }, { 0, 0, 0 } },
                 { "right foot", "right", NULL, { 0, 0, 0 }, { 2, 0, 0 } } };
  for (int i = 0; i < 4; i++) {
    cdn_spec_joint joint = cdn_default_spec_joint();
    const cdn_rotation R = cdn_rotation_z_to(cdn_v3(0, 1, 0));
    joint.name = joints[i].name, joint.parent = joints[i].parent, joint.child = joints[i].child, joint.kind = CDN_PIN;
    joint.X_PF = (cdn_transform){ R, joints[i].p_F }, joint.X_CM = (cdn_transform){ R, joints[i].p_M };
    joint.cut = cut;
    OK(cdn_spec_add_joint(spec, &joint, NULL));
  }
}

static void accelerate(cdn_spec_cut cut, double q, cdn_spatial A[3], int *freedoms, double *mass) {
  static const char *const bodies[] = { "coupler", "left", "right" };
  cdn_model *model;
  cdn_state *state;
  cdn_freedom freedom;
  double moving;
  make_parallelogram(cut);
  cdn_system *system = cdn_system_create(NULL);
  OK(cdn_model_build(spec, NULL, system, &model));
  OK_FREEZE(system);
  OK(cdn_state_create(system, &state));
  cdn_assembly *assembly;
  OK(cdn_assembly_create(system, NULL, &assembly));
  const cdn_model_joint foot = cdn_model_get_joint(model, cdn_model_find_joint(model, "left foot"));
  cdn_assembly_add_coordinate(assembly, NULL, foot.mobilized, 0, q, 1);
  cdn_assembly_add_speed(assembly, NULL, foot.mobilized, 0, 1.5, 1);
  OK(cdn_assemble(assembly, state, NULL));
  OK(cdn_assemble_speeds(assembly, state, NULL));
  cdn_assembly_destroy(assembly);
  for (int i = 0; i < 3; i++) OK_ON(state, cdn_body_acceleration(state, cdn_model_find_body(model, bodies[i]), &A[i]));
  OK_ON(state, cdn_degrees_of_freedom(state, &freedom, NULL));
  *freedoms = freedom.net;
  OK_ON(state, cdn_system_mass(state, mass, &moving));
  cdn_state_destroy(state);
  cdn_model_destroy(model);
  cdn_system_release(system);
  cdn_spec_destroy(spec);
}

START_TEST(test_a_loop_moves_alike_however_it_is_cut) {
  cdn_spatial A[2][3];
  double mass[2];
  int freedoms[2];
  accelerate(CDN_CUT_BODY, 0.4, A[0], &freedoms[0], &mass[0]);
  accelerate(CDN_CUT_JOINT, 0.4, A[1], &freedoms[1], &mass[1]);
  ck_assert(freedoms[0] == 1 && freedoms[1] == 1);
  ck_assert(mass[0] == 9 && mass[1] == 9);
  for (int i = 0; i < 18; i++) NEAR((&A[0][0].w.x)[i], (&A[1][0].w.x)[i], 1e-8);
}
END_TEST

/* Upright, turning with 1.5 rad/s: theta'' = (m a_x/2 + m a_x/2 + m_c a_x) / (I + I + m_c), I about the feet. */
START_TEST(test_a_split_parallelogram_accelerates_as_it_must) {
  cdn_spatial A[3];
  double mass;
  int freedoms;
  accelerate(CDN_CUT_AUTO, 0, A, &freedoms, &mass);
  const double I = 0.2 + 2 * 0.25, expected = (2 * 0.5 * 2 * 3 + 5 * 3.0) / (2 * I + 5);
  NEAR(A[1].w.y, expected, 1e-9);
  NEAR(A[2].w.y, expected, 1e-9);
  NEAR(A[0].w.y, 0, 1e-9);
  NEAR(A[0].v.x, expected, 1e-9);
  NEAR(A[0].v.z, -1.5 * 1.5, 1e-9);
}
END_TEST

/* Ground is the child: the coordinate is what it was meant to be, the body's pose the inverse. */
START_TEST(test_reversed_joints_keep_their_coordinates) {
  OK(cdn_spec_create(NULL, &spec));
  add_body("b", 1, false);
  cdn_spec_joint joint = cdn_default_spec_joint();
  joint.name = "j", joint.parent = "b", joint.kind = CDN_CYLINDER;
  joint.X_PF = (cdn_transform){ cdn_rotation_axis_angle(cdn_v3(1, 2, 3), 0.7), { 1, -2, 0.5 } };
  joint.X_CM = (cdn_transform){ cdn_rotation_axis_angle(cdn_v3(-1, 1, 0), 1.9), { 0.2, 0.3, 4 } };
  joint.q0[0] = 0.6, joint.q0[1] = -0.3;
  OK(cdn_spec_add_joint(spec, &joint, NULL));
  cdn_model *model;
  cdn_state *state;
  cdn_system *system = cdn_system_create(NULL);
  OK(cdn_model_build(spec, NULL, system, &model));
  OK_FREEZE(system);
  OK(cdn_state_create(system, &state));
  cdn_transform X;
  OK_ON(state, cdn_body_pose(state, cdn_model_find_body(model, "b"), &X));
  const cdn_transform X_FM = { cdn_rotation_axis_angle(cdn_v3(0, 0, 1), 0.6), { 0, 0, -0.3 } };
  const cdn_transform X_BG =
      cdn_transform_multiply(cdn_transform_multiply(joint.X_PF, X_FM), cdn_transform_invert(joint.X_CM));
  const cdn_transform expected = cdn_transform_invert(X_BG);
  for (int i = 0; i < 12; i++) NEAR((&X.R.x.x)[i], (&expected.R.x.x)[i], 4e-15);
  cdn_state_destroy(state);
  cdn_model_destroy(model);
  cdn_system_release(system);
  cdn_spec_destroy(spec);
}
END_TEST

CHECK_MAIN("spec_tree", test_random_graphs, test_short_branches, test_bases, test_where_loops_are_cut,
           test_mistakes_are_named, test_a_loop_moves_alike_however_it_is_cut,
           test_a_split_parallelogram_accelerates_as_it_must, test_reversed_joints_keep_their_coordinates)
