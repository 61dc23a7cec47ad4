/* Roots of molecules, and what they carry: as many coordinates as bodies need, a mass matrix that is not singular, and
 * coordinates that follow from positions. */
#include "../molecule_system.h"

enum { MOST = 12 };

/* A molecule without terms: atoms at x, bonds by their lower atom's row. */
typedef struct plan {
  const char *name;
  int n;
  double x[MOST][3];
  struct {
    int a, b;
    cdn_bond_mobility mobility;
  } bond[MOST];
  cdn_mobilizer root;
  int nu;
} plan;

#define RIGID CDN_BOND_RIGID
#define PIN CDN_BOND_TORSION
#define BEND CDN_BOND_TORSION_BEND
#define FLEX CDN_BOND_FLEXIBLE
#define BALL CDN_BOND_BALL

/* Counted by hand: 3 for each atom, less lengths and angles that are kept. */
static const plan plans[] = {
  { "one atom", 1, { { 1, 2, 3 } }, { { 0 } }, CDN_TRANSLATION, 3 },
  { "two atoms, rigid", 2, { { 0 }, { 1 } }, { { 0, 1, RIGID } }, CDN_FREE_LINE, 5 },
  { "two atoms, flexible", 2, { { 0 }, { 1, 0.5 } }, { { 0, 1, FLEX } }, CDN_FREE_LINE, 6 },
  { "two atoms, a torsion of nothing", 2, { { 0 }, { 1, 0.5 } }, { { 0, 1, PIN } }, CDN_FREE_LINE, 5 },
  { "a straight chain", 3, { { 0 }, { 1, 1, 1 }, { 2, 2, 2 } }, { { 0, 1, FLEX }, { 1, 2, FLEX } }, CDN_FREE_LINE, 7 },
  { "three atoms, the end first", 3, { { 0 }, { 1 }, { 1.2, 1 } }, { { 0, 1, FLEX }, { 1, 2, FLEX } }, CDN_FREE, 9 },
  { "three atoms, the middle first", 3, { { 0 }, { 1 }, { 0.2, 1 } }, { { 0, 1, FLEX }, { 0, 2, FLEX } }, CDN_FREE, 9 },
  { "the middle first, with bends", 3, { { 0 }, { 1 }, { 0.2, 1 } }, { { 0, 1, BEND }, { 0, 2, BEND } }, CDN_FREE, 7 },
  { "four atoms",
    4,
    { { 0 }, { 1 }, { 1.2, 1 }, { 1.5, 1.3, 0.9 } },
    { { 0, 1, FLEX }, { 1, 2, FLEX }, { 2, 3, FLEX } },
    CDN_FREE,
    12 },
  { "two atoms and a pin that bends",
    4,
    { { 0 }, { 1 }, { 1.2, 1 }, { 1.5, 1.3, 0.9 } },
    { { 0, 1, RIGID }, { 1, 2, BEND }, { 2, 3, RIGID } },
    CDN_FREE,
    8 },
  { "butane",
    4,
    { { 0 }, { 1 }, { 1.2, 1 }, { 1.5, 1.3, 0.9 } },
    { { 0, 1, RIGID }, { 1, 2, PIN }, { 2, 3, RIGID } },
    CDN_FREE,
    7 },
  /* the first bond turns what the root turns */
  { "an atom and a pin",
    4,
    { { 0 }, { 1 }, { 1.2, 1 }, { 1.5, 1.3, 0.9 } },
    { { 0, 1, PIN }, { 1, 2, RIGID }, { 2, 3, RIGID } },
    CDN_FREE,
    6 },
  { "an atom and a bond that stretches",
    4,
    { { 0 }, { 1 }, { 1.2, 1 }, { 1.5, 1.3, 0.9 } },
    { { 0, 1, FLEX }, { 1, 2, RIGID }, { 2, 3, RIGID } },
    CDN_FREE,
    7 },
  /* both ends of a straight piece turn about it: one of them with the root */
  { "two rotors at a straight root",
    6,
    { { 0, 0, 0 }, { 0, 0, 1 }, { 0, 0, 2 }, { 0.5, 0.8, 2.3 }, { 0, 0, -1 }, { 0.7, -0.2, -1.4 } },
    { { 0, 1, RIGID }, { 1, 2, PIN }, { 2, 3, RIGID }, { 0, 4, PIN }, { 4, 5, RIGID } },
    CDN_FREE,
    7 },
  /* methyls without all their atoms: both turn against the plane of the three atoms in the middle */
  { "an ether, oxygen first",
    5,
    { { 0, 0, 0 }, { 1, 0, 0 }, { -0.3, 1, 0 }, { 1.4, 0.7, 0.5 }, { -1.1, 1.2, 0.4 } },
    { { 0, 1, BEND }, { 0, 2, BEND }, { 1, 3, BEND }, { 2, 4, BEND } },
    CDN_FREE,
    11 },
  /* three bonds bend where nothing is rigid: 3 for each atom, less the lengths */
  { "a branch that bends",
    5,
    { { 0 }, { 1 }, { 1.4, 0.9 }, { 1.5, -0.7, 0.6 }, { 1.3, -0.4, -0.9 } },
    { { 0, 1, BEND }, { 1, 2, BEND }, { 1, 3, BEND }, { 1, 4, BEND } },
    CDN_FREE,
    11 },
  /* a rigid part decides the plane of what bends on it */
  { "a bond that bends on three atoms",
    5,
    { { 0 }, { 1 }, { 1.4, 0.9 }, { 1.9, 0.7, 0.6 }, { -0.3, -0.4, -0.9 } },
    { { 0, 1, RIGID }, { 1, 2, RIGID }, { 2, 3, BEND }, { 0, 4, BEND } },
    CDN_FREE,
    8 },
  { "an atom and a ball", 3, { { 0 }, { 1 }, { 1.2, 1 } }, { { 0, 1, BALL }, { 1, 2, RIGID } }, CDN_TRANSLATION, 6 },
  { "two atoms and a ball",
    4,
    { { 0 }, { 1 }, { 1.2, 1 }, { 1.5, 1.3, 0.9 } },
    { { 0, 1, RIGID }, { 1, 2, BALL }, { 2, 3, RIGID } },
    CDN_FREE_LINE,
    8 },
};
enum { PLANS = sizeof plans / sizeof *plans };

static cdn_vec3 place(const plan *p, int i) { return cdn_v3(p->x[i][0], p->x[i][1], p->x[i][2]); }

/* The root is the body with the atom `heavy`. */
static molecule_system make(const plan *p, int heavy) {
  cdn_molecule *m = cdn_molecule_create(p->name);
  for (int i = 0; i < p->n; i++) {
    cdn_atom_def a = cdn_default_atom_def();
    a.mass = i == heavy ? 100 : 1 + i % 3, a.position = place(p, i);
    cdn_molecule_add_atom(m, &a);
  }
  for (int i = 0; i + 1 < p->n; i++) {
    cdn_molecule_add_bond(m, p->bond[i].a, p->bond[i].b);
    cdn_molecule_set_bond_mobility(m, p->bond[i].a, p->bond[i].b, p->bond[i].mobility);
  }
  const molecule_system out = build_molecule(m);
  cdn_molecule_destroy(m);
  return out;
}

/* The mass matrix has this many pivots, of which none is tiny beside its own mobility's inertia. */
static void check_mass(cdn_state *state, int nu, const char *name) {
  double M[48 * 48], own[48];
  ck_assert_msg(nu <= 48, "%s: %d", name, nu);
  OK_ON(state, cdn_calc_M(state, M));
  for (int i = 0; i < nu; i++) own[i] = M[i * nu + i];
  for (int i = 0; i < nu; i++) {
    ck_assert_msg(M[i * nu + i] > 1e-8 * own[i], "%s: pivot %d is %g of %g", name, i, M[i * nu + i], own[i]);
    for (int k = i + 1; k < nu; k++) {
      const double by = M[k * nu + i] / M[i * nu + i];
      for (int j = i; j < nu; j++) M[k * nu + j] -= by * M[i * nu + j];
    }
  }
}

/* Moves every coordinate somewhat. */
static void shake(molecule_system *m, unsigned seed) {
  double u[48], rate[64], q[64];
  const int nq = cdn_system_nq(m->system), nu = cdn_system_nu(m->system);
  for (int i = 0; i < nu; i++) u[i] = sin(1.7 * i + seed);
  OK_ON(m->state, cdn_multiply_by_N(m->state, u, rate));
  for (int i = 0; i < nq; i++) q[i] = cdn_state_q(m->state)[i] + 0.3 * rate[i];
  OK_ON(m->state, cdn_state_set_q(m->state, q));
}

static void check(const plan *p, int heavy) {
  molecule_system m = make(p, heavy);
  double x[3 * MOST], y[3 * MOST];
  ck_assert_msg(cdn_system_nu(m.system) == p->nu, "%s: %d mobilities", p->name, cdn_system_nu(m.system));
  const cdn_mobilizer root = cdn_body_mobilizer(m.system, (cdn_body){ 1 });
  ck_assert_msg(root == p->root, "%s: the root is %s", p->name, cdn_mobilizer_name(root));
  check_mass(m.state, p->nu, p->name);
  OK_ON(m.state, cdn_force_field_positions(m.state, m.field, x));
  for (int i = 0; i < 3 * p->n; i++) NEAR(x[i], p->x[i / 3][i % 3], 1e-12);

  /* positions come back from another State, and from this one after it has been elsewhere */
  cdn_state *other;
  OK(cdn_state_create(m.system, &other));
  for (unsigned k = 0; k < 5; k++) {
    shake(&m, k);
    check_mass(m.state, p->nu, p->name);
    OK_ON(m.state, cdn_force_field_positions(m.state, m.field, x));
    OK_ON(other, cdn_force_field_set_positions(other, m.field, x));
    OK_ON(other, cdn_force_field_positions(other, m.field, y));
    for (int i = 0; i < 3 * p->n; i++)
      ck_assert_msg(fabs(x[i] - y[i]) <= 1e-12, "%s: %.15g, not %.15g", p->name, y[i], x[i]);
  }
  cdn_state_destroy(other);
  drop_molecule(&m);
}

START_TEST(roots_and_what_they_carry) {
  for (int i = 0; i < PLANS; i++) check(&plans[i], 0);
}
END_TEST

/* A chain of which every length, angle and dihedral is a coordinate takes any positions at all, whatever its root. */
START_TEST(flexible_chains_take_any_positions) {
  for (int n = 2; n <= MOST; n++)
    for (int heavy = 0; heavy < n; heavy += SANITIZED ? 3 : 1) {
      plan p = { .name = "flexible chain", .n = n, .root = n == 2 ? CDN_FREE_LINE : CDN_FREE, .nu = 3 * n };
      for (int i = 0; i < n; i++) {
        p.x[i][0] = 0.1 * i, p.x[i][1] = 0.05 * (i % 2), p.x[i][2] = 0.03 * sin(i);
        p.bond[i].a = i, p.bond[i].b = i + 1, p.bond[i].mobility = CDN_BOND_FLEXIBLE;
      }
      check(&p, heavy);
      molecule_system m = make(&p, heavy);
      for (int k = 0; k < 5; k++) {
        double x[3 * MOST], y[3 * MOST];
        for (int i = 0; i < 3 * n; i++) x[i] = sin(37.7 * i + 1.3 * k + n);
        OK_ON(m.state, cdn_force_field_set_positions(m.state, m.field, x));
        OK_ON(m.state, cdn_force_field_positions(m.state, m.field, y));
        for (int i = 0; i < 3 * n; i++) NEAR(y[i], x[i], 1e-12);
      }
      drop_molecule(&m);
    }
}
END_TEST

/* So does a tree with branches, whatever its root. */
START_TEST(flexible_trees_take_any_positions) {
  static const int inner[] = { 0, 0, 0, 0, 2, 2, 2, 5, 5, 7, 7, 9 };
  for (int n = 3; n <= MOST; n++)
    for (int heavy = 0; heavy < n; heavy += SANITIZED ? 3 : 1) {
      plan p = { .name = "flexible tree", .n = n, .root = CDN_FREE, .nu = 3 * n };
      for (int i = 0; i < n; i++)
        for (int k = 0; k < 3; k++) p.x[i][k] = 0.1 * sin(23.3 * i + 4.1 * k + 0.7);
      for (int i = 1; i < n; i++)
        p.bond[i - 1].a = inner[i - 1], p.bond[i - 1].b = i, p.bond[i - 1].mobility = CDN_BOND_FLEXIBLE;
      check(&p, heavy);
      molecule_system m = make(&p, heavy);
      for (int k = 0; k < 5; k++) {
        double x[3 * MOST], y[3 * MOST];
        for (int i = 0; i < 3 * n; i++) x[i] = sin(5.1 * i * i + 1.3 * k + n);
        OK_ON(m.state, cdn_force_field_set_positions(m.state, m.field, x));
        OK_ON(m.state, cdn_force_field_positions(m.state, m.field, y));
        for (int i = 0; i < 3 * n; i++) NEAR(y[i], x[i], 1e-12);
      }
      drop_molecule(&m);
    }
}
END_TEST

START_TEST(coordinates_have_names) {
  molecule_system m =
      make(&(plan){ .name = "names",
                    .n = 6,
                    .x = { { 0 }, { 1 }, { 1.4, 0.9 }, { 1.5, -0.7, 0.6 }, { 1.3, 1.9, -0.9 }, { 2, 2 } },
                    .bond = { { 0, 1, FLEX }, { 1, 2, FLEX }, { 1, 3, FLEX }, { 2, 4, BEND }, { 4, 5, BALL } } },
           0);
  static const struct {
    int a, b;
    const char *names[5];
  } all[] = { { 0, 1, { "length" } },
              { 1, 2, { "angle", "dihedral", "length" } },
              { 1, 3, { "angle", "length", "azimuth" } },
              { 2, 4, { "angle" } } };
  for (int i = 0; i < 4; i++) {
    const cdn_body body = cdn_force_field_bond_body(m.system, m.field, all[i].a, all[i].b);
    int n = 0;
    for (int k = 0; all[i].names[k]; k++, n++) {
      const char *name = cdn_force_field_coordinate_name(m.system, m.field, body, k);
      ck_assert_msg(name && strcmp(name, all[i].names[k]) == 0, "%d-%d: %s, not %s", all[i].a, all[i].b,
                    name ? name : "none", all[i].names[k]);
    }
    ck_assert_int_eq(cdn_body_nq(m.system, body), n);
    ck_assert_ptr_null(cdn_force_field_coordinate_name(m.system, m.field, body, n));
    ck_assert_ptr_null(cdn_force_field_coordinate_name(m.system, m.field, body, -1));
  }
  const cdn_body ball = cdn_force_field_bond_body(m.system, m.field, 4, 5);
  ck_assert_str_eq(cdn_force_field_coordinate_name(m.system, m.field, ball, 3), "z");
  ck_assert_ptr_null(cdn_force_field_coordinate_name(m.system, m.field, (cdn_body){ 1 }, 0));
  drop_molecule(&m);
}
END_TEST

START_TEST(straight_positions_tell_no_rotation) {
  molecule_system m = make(&plans[5], 0);
  cdn_error e;
  FAILS(cdn_force_field_set_positions(m.state, m.field, (double[]){ 0, 0, 0, 1, 0, 0, 2, 0, 0 }), CDN_ERR_SINGULAR);
  cdn_state_last_error(m.state, &e);
  ck_assert_msg(strstr(e.text, "atoms 'atom1', 'atom0' and 'atom2' are on one line"), "%s", e.text);
  drop_molecule(&m);
}
END_TEST

static void tests(TCase *tc) {
  tcase_add_test(tc, roots_and_what_they_carry);
  tcase_add_test(tc, flexible_chains_take_any_positions);
  tcase_add_test(tc, flexible_trees_take_any_positions);
  tcase_add_test(tc, coordinates_have_names);
  tcase_add_test(tc, straight_positions_tell_no_rotation);
}

CHECK_MAIN_OF("molecule_roots", CHECK_TIMEOUT, tests)
