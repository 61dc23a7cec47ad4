/* Bad input of soft rows, with every solver and cone: each State is solved to its tolerance, or says that it is not, or
 * is refused by name. Nothing hangs, and no number is lost. */
#include <math.h>

#include "../testing.h"

enum { BOXES = 3, NU = 6 * BOXES };

typedef struct bad_case {
  const char *name;
  double mu, D, tolerance;
  int copies;    /* of each shape: contacts that say the same */
  bool loops;    /* hard rods of which some follow from the others */
  bool contrary; /* two hard equations that want different things of one mobility */
  bool opposed;  /* soft equations that want the opposite of each other, with this D */
  bool straight; /* an arm stretched against a hard point: a singular pose */
} bad_case;

static const bad_case cases[] = {
  { .name = "mu 0", .mu = 0, .tolerance = 1e-8, .copies = 1 },
  { .name = "mu 1e9", .mu = 1e9, .tolerance = 1e-8, .copies = 1 },
  { .name = "redundant contacts", .mu = 0.5, .tolerance = 1e-8, .copies = 8 },
  { .name = "impossible tolerance", .mu = 0.5, .tolerance = 0, .copies = 2 },
  { .name = "opposed", .mu = 0.5, .tolerance = 1e-8, .copies = 1, .opposed = true, .D = 1 },
  { .name = "opposed and stiff", .mu = 0.5, .tolerance = 1e-8, .copies = 1, .opposed = true, .D = 1e8 },
  { .name = "redundant loops", .mu = 0.5, .tolerance = 1e-8, .copies = 1, .loops = true },
  { .name = "contrary loops", .mu = 0.5, .tolerance = 1e-8, .copies = 1, .loops = true, .contrary = true },
  { .name = "loops and opposed",
    .mu = 1e9,
    .tolerance = 1e-8,
    .copies = 2,
    .loops = true,
    .contrary = true,
    .opposed = true,
    .D = 1e8 },
  { .name = "singular pose", .mu = 0.5, .tolerance = 1e-8, .copies = 1, .straight = true },
};

static double stiffness; /* of the opposed equations */

static cdn_status oppose(const void *self, cdn_state *state, cdn_row_list *list) {
  (void)self, (void)state;
  for (int side = -1; side <= 1; side += 2) {
    cdn_row_def g = cdn_default_row_def();
    g.kind = CDN_SOFT_EQUALITY, g.rows = 2, g.joint = (cdn_body){ 1 };
    for (int k = 0; k < 2; k++) g.g[k][3 + k] = 1, g.g[k][0] = 0.3, g.target[k] = 100 * side, g.R[k] = 1 / stiffness;
    cdn_row_list_add(list, &g);
  }
  return CDN_OK;
}

static cdn_status declare_opposed(void *self, cdn_declarer *d) {
  const cdn_row_provider provider = { .struct_size = sizeof provider, .name = "opposed", .calc_rows = oppose };
  (void)self;
  cdn_declare_rows(d, &provider);
  return CDN_OK;
}

/* Boxes on a floor, side by side and one on another. */
static cdn_state *build(const bad_case *c, const cdn_soft_def *soft) {
  cdn_system *s = cdn_system_create(NULL);
  cdn_state *state;
  cdn_system_add_gravity(s, NULL, cdn_v3(1, 0, -9.81));
  cdn_contact_def contact = cdn_default_contact_def();
  contact.model = CDN_CONTACT_SOFT;
  cdn_system_set_contact(s, &contact);
  cdn_system_set_soft(s, soft);
  cdn_soft_material material = cdn_default_soft_material();
  material.friction[0] = c->mu;
  cdn_shape_def shape = cdn_default_shape_def();
  shape.soft = &material;
  shape.geometry.kind = CDN_GEOMETRY_HALF_SPACE;
  cdn_system_add_shape(s, &shape);
  cdn_body_def b = cdn_default_body_def();
  b.mobilizer = CDN_FREE, b.mass.mass = 1, b.mass.inertia = (cdn_inertia){ 0.01, 0.01, 0.01, 0, 0, 0 };
  shape.geometry.kind = CDN_GEOMETRY_BOX;
  for (int i = 0; i < 3; i++) shape.geometry.size[i] = 0.1;
  cdn_body box[BOXES];
  for (int i = 0; i < BOXES; i++) {
    shape.body = box[i] = cdn_system_add_body(s, &b);
    for (int k = 0; k < c->copies; k++) cdn_system_add_shape(s, &shape);
  }
  for (int i = 0; c->loops && i < 4; i++)
    cdn_system_constrain_rod(s, NULL, box[0], cdn_v3(0, 0.02 * i, 0), box[1], cdn_v3(0, 0.02 * i, 0), 0.3);
  for (int i = 0; c->contrary && i < 2; i++) cdn_system_constrain_acceleration(s, NULL, box[2], 3, i);
  if (c->straight) {
    b.mobilizer = CDN_PIN, b.mass.com = cdn_v3(0.5, 0, 0), b.X_PF.p = cdn_v3(0, 0, 3);
    const cdn_body upper = cdn_system_add_body(s, &b);
    b.parent = upper, b.X_PF.p = cdn_v3(1, 0, 0);
    const cdn_body lower = cdn_system_add_body(s, &b);
    cdn_system_constrain_ball(s, NULL, cdn_ground(), cdn_v3(2, 0, 3), lower, cdn_v3(1, 0, 0));
    for (int i = 0; i < 2; i++) {
      cdn_friction_loss_def dry = cdn_default_friction_loss_def();
      dry.body = i ? lower : upper, dry.loss = 2;
      cdn_system_add_friction_loss(s, &dry);
    }
  }
  stiffness = c->D;
  const cdn_subsystem_ops ops = { .struct_size = sizeof ops, .name = "opposed", .declare = declare_opposed };
  if (c->opposed) cdn_system_add_subsystem(s, &ops, NULL);
  OK_FREEZE(s);
  OK(cdn_state_create(s, &state));
  double q[7 * BOXES + 2] = { 0 };
  for (int i = 0; i < BOXES; i++) {
    q[7 * i] = 1, q[7 * i + 4] = i == 1 ? 0.3 : 0;
    q[7 * i + 6] = i < 2 ? 0.0999 : 0.2997;
  }
  OK_ON(state, cdn_state_set_q(state, q));
  cdn_system_release(s);
  return state;
}

static void check(const bad_case *c, const cdn_soft_def *soft, const char *solver) {
  cdn_state *state = build(c, soft);
  cdn_soft_statistics s;
  const cdn_status status = cdn_realize(state, CDN_STAGE_ACCELERATION);
  if (status != CDN_OK) {
    cdn_error error;
    cdn_state_last_error(state, &error);
    ck_assert_msg(strlen(error.text) > 0, "%s: %s is not told", c->name, cdn_status_name(status));
    cdn_state_destroy(state);
    return;
  }
  OK_ON(state, cdn_soft_get_statistics(state, &s));
  const double *udot = cdn_state_udot(state);
  for (int i = 0; i < cdn_system_nu(cdn_state_system(state)); i++)
    ck_assert_msg(isfinite(udot[i]), "%s, %s: udot[%d] is %g", c->name, solver, i, udot[i]);
  ck_assert(isfinite(s.residual) && s.residual >= 0);
  ck_assert_int_eq(s.converged, s.residual <= soft->tolerance);
  ck_assert_int_le(s.most_iterations, soft->iterations);
  /* Newton's method does all of them. Rounding of accelerations, times a D of 1e8 and more, is a force that is left. */
  const bool stiff = c->D >= 1e8 || c->mu == 0;
  if (soft->solver == CDN_SOFT_NEWTON && soft->tolerance > 0)
    ck_assert_msg(s.converged || (stiff && s.residual < 1e-5), "%s: residual %g after %d iterations", c->name,
                  s.residual, s.most_iterations);
  cdn_state_destroy(state);
}

START_TEST(bad_input_is_solved_or_told) {
  static const char *const names[] = { "Newton", "CG", "PGS" };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (cdn_soft_solver solver = CDN_SOFT_NEWTON; solver <= CDN_SOFT_PGS; solver++)
      for (int cone = 0; cone < 2; cone++)
        for (int way = 0; way < 3; way++) {
          cdn_soft_def soft = cdn_default_soft_def();
          soft.solver = solver, soft.cone = cone ? CDN_SOFT_ELLIPTIC : CDN_SOFT_PYRAMIDAL;
          soft.tolerance = cases[i].tolerance;
          soft.noslip_iterations = way == 1 ? 10 : 0;
          if (way == 2 && cases[i].tolerance == 0) soft.cost_tolerance = 0;
          check(&cases[i], &soft, names[solver]);
        }
}
END_TEST

START_TEST(laws_that_are_no_numbers_are_refused) {
  for (int i = 0; i < 2; i++) {
    cdn_system *s = cdn_system_create(NULL);
    cdn_contact_def contact = cdn_default_contact_def();
    cdn_soft_material material = cdn_default_soft_material();
    cdn_shape_def shape = cdn_default_shape_def();
    cdn_error error;
    contact.model = CDN_CONTACT_SOFT;
    cdn_system_set_contact(s, &contact);
    if (i == 0) material.law.ref[0] = NAN;
    else material.law.imp[2] = NAN;
    shape.name = "floor", shape.soft = &material, shape.geometry.kind = CDN_GEOMETRY_HALF_SPACE;
    cdn_system_add_shape(s, &shape);
    FAILS(cdn_system_freeze(s), CDN_ERR_ARG);
    cdn_system_last_error(s, &error);
    ck_assert_ptr_nonnull(strstr(error.text, "floor"));
    cdn_system_release(s);
  }
}
END_TEST

CHECK_MAIN("soft bad input", bad_input_is_solved_or_told, laws_that_are_no_numbers_are_refused)
