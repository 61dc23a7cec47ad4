/* shared by tests in this folder */
#include "random_tree.h"

#include "own_mobilizers.h"

/* ---- bodies ---- */

/* What a body is made of: a massless frame needs a body with full inertia on a mobilizer further out, and a point needs
 * a mobilizer that cannot turn it about itself. */
typedef enum substance { FULL, POINT, NOTHING } substance;

static cdn_transform random_frame(rng *r, bool may_be_special) {
  cdn_transform X = cdn_transform_identity();
  int what = pick(r, 5); /* some are special, as in real models */
  if (!may_be_special) what = 4;
  cdn_vec3 p = random_vec3(r, 0.5);
  cdn_rotation R = random_rotation(r);
  if (what != 0) X.p = p;
  if (what != 0 && what != 1) X.R = R;
  return X;
}

static cdn_mass_properties random_mass(rng *r, substance what, bool may_be_rod) {
  cdn_mass_properties m = { .mass = uniform(r, 0.2, 3), .com = random_vec3(r, 0.3) };
  /* mean squares of the mass distribution along its principal axes; a rod has none across */
  double a = uniform(r, 0.02, 0.2), b = uniform(r, 0.02, 0.2), c = uniform(r, 0.02, 0.2);
  int shape = pick(r, 6);
  if (shape == 0 && may_be_rod) b = c = 0;
  if (shape == 1) c = 0;
  cdn_inertia principal = { .xx = m.mass * (b + c), .yy = m.mass * (a + c), .zz = m.mass * (a + b) };
  cdn_rotation R = random_rotation(r);
  if (what == FULL) m.inertia = cdn_inertia_reexpress(R, principal);
  if (what == NOTHING) memset(&m, 0, sizeof m);
  return m;
}

/* Reversed or not, angles or a quaternion, and parameters: shape and offsets of the kinds that have such. */
static void random_variant(cdn_body_def *def, int variant, int own, rng *r) {
  cdn_mobilizer kind = def->mobilizer;
  bool orients = kind == CDN_BALL || kind == CDN_FREE || kind == CDN_ELLIPSOID || kind == CDN_LINE_ORIENTATION ||
                 kind == CDN_FREE_LINE;
  def->reversed = variant % 2 == 1;
  def->euler = orients && variant % 3 == 0;
  for (int i = 0; i < 3; i++) def->params[i] = uniform(r, kind == CDN_ELLIPSOID ? 0 : -0.5, 0.5);
  if (kind == CDN_SPHERICAL_COORDS) def->params[2] = pick(r, 16);
  if (kind == CDN_FUNCTION_BASED) def->params[3] = own % OWN_FUNCTION_SETS;
  if (kind == CDN_CUSTOM_MOBILIZER) def->params[3] = own % OWN_CUSTOMS;
}

static void add_bodies(random_tree *tree, const tree_options *options) {
  rng shape = rng_of(options->shape), numbers = rng_of(options->numbers + 1000003);
  int style = pick(&shape, 3); /* chain, bush, anything */
  int hanging = 0;             /* massless frames in a row that still want their body */
  for (int i = 1; i <= options->bodies; i++) {
    bool last = i == options->bodies;
    int parent = style == 0 ? i - 1 : style == 1 ? i / 3 : pick(&shape, i);
    cdn_mobilizer kind = (cdn_mobilizer)pick(&shape, options->simple ? CDN_FREE + 1 : CDN_MOBILIZER_COUNT);
    int what = pick(&shape, 6), armature = pick(&shape, 3), variant = pick(&shape, 6), own = pick(&shape, 6);
    substance of = what == 0 && !last ? NOTHING : what == 1 ? POINT : FULL;

    if (hanging) { /* at most two frames, then a solid on at most three freedoms: six in all, in general position */
      parent = i - 1;
      of = hanging < 2 && of == NOTHING ? NOTHING : FULL;
      if (kind >= CDN_FREE) kind = CDN_PIN;
    }
    if (of == NOTHING && kind != CDN_SLIDER) kind = CDN_PIN;
    bool point_can_turn = kind == CDN_BALL || kind >= CDN_FREE;
    if (kind == CDN_TRANSLATION || kind == CDN_SCREW || kind == CDN_CYLINDER) point_can_turn = false;
    if (of == POINT && point_can_turn && armature != 0) of = FULL;
    if (options->floating && i == 1) kind = CDN_FREE, of = FULL, parent = 0;
    if (options->floating && i > 1 && parent == 0) parent = 1;
    /* it could turn about itself at no cost */
    bool may_be_rod =
        (kind < CDN_FREE || kind == CDN_UNIVERSAL || kind == CDN_CYLINDER || kind == CDN_SCREW) && !hanging;
    bool was_hanging = hanging > 0;
    hanging = of == NOTHING ? hanging + 1 : 0;

    cdn_body_def def = cdn_default_body_def();
    def.parent.i = parent;
    def.mobilizer = kind;
    /* the axes of massless frames must not meet or line up with the next ones */
    def.X_PF = random_frame(&numbers, !was_hanging);
    def.X_BM = random_frame(&numbers, of != NOTHING);
    def.mass = random_mass(&numbers, of, may_be_rod);
    if (!options->simple && !(options->floating && i == 1)) random_variant(&def, variant, own, &numbers);
    double inertia = uniform(&numbers, 0.05, 0.5);
    if (armature == 0 && !(options->floating && i == 1)) def.armature = inertia;
    cdn_function_mobilizer functions = own_functions(own % OWN_FUNCTION_SETS);
    double factor = 2;
    def.functions = &functions, def.custom = own_custom(own % OWN_CUSTOMS), def.custom_self = &factor;
    cdn_body body = cdn_system_add_body(tree->system, &def);
    release_functions(&functions);
    ck_assert_int_eq(body.i, i);
    tree->kind[i] = kind;
    tree->parent[i] = parent;
  }
}

/* ---- forces ---- */

static void add_force(random_tree *tree, tree_force f) {
  cdn_system *s = tree->system;
  switch (f.kind) {
    case GRAVITY: f.id = cdn_system_add_gravity(s, "gravity", f.f); break;
    case MOBILITY_SPRING: f.id = cdn_system_add_mobility_spring(s, NULL, f.a, 0, f.k, f.rest); break;
    case MOBILITY_DAMPER: f.id = cdn_system_add_mobility_damper(s, NULL, f.a, 0, f.k); break;
    case MOBILITY_FORCE: f.id = cdn_system_add_mobility_force(s, NULL, f.a, 0, f.k); break;
    case MOBILITY_STOP:
      f.id = cdn_system_add_mobility_stop(s, NULL, f.a, 0, f.lower, f.upper, f.k, f.dissipation);
      break;
    case ROTATION_SPRING:
      f.id = cdn_system_add_rotation_spring(s, NULL, f.a, f.k, cdn_rotation_axis_angle(f.f, f.rest));
      break;
    case ROTATION_STOP: f.id = cdn_system_add_rotation_stop(s, NULL, f.a, f.upper, f.k, f.dissipation); break;
    case TWO_POINT_SPRING: f.id = cdn_system_add_two_point_spring(s, NULL, f.a, f.p_A, f.b, f.p_B, f.k, f.rest); break;
    case TWO_POINT_DAMPER: f.id = cdn_system_add_two_point_damper(s, NULL, f.a, f.p_A, f.b, f.p_B, f.k); break;
    case BODY_FORCE: f.id = cdn_system_add_body_force(s, NULL, f.a, f.p_A, f.f, f.m); break;
  }
  if (tree->forces < TREE_MOST_FORCES) tree->force[tree->forces++] = f;
}

static void add_forces(random_tree *tree, const tree_options *options) {
  rng shape = rng_of(options->shape + 77), numbers = rng_of(options->numbers + 2000003);
  bool free_only = options->floating && options->conservative; /* nothing that pulls at Ground */
  if (!free_only) add_force(tree, (tree_force){ .kind = GRAVITY, .f = random_vec3(&numbers, 10) });
  for (int i = 1; i <= tree->bodies; i++) {
    bool scalar = tree->kind[i] == CDN_PIN || tree->kind[i] == CDN_SLIDER;
    bool turning = (tree->kind[i] == CDN_BALL || (tree->kind[i] == CDN_FREE && !(free_only && i == 1))) &&
                   cdn_body_has_quaternion(tree->system, (cdn_body){ i });
    int choice = pick(&shape, 4), other = pick(&shape, tree->bodies + 1);
    if (free_only && other == 0) other = i;
    tree_force f = { .a = { i }, .b = { other } };
    f.p_A = random_vec3(&shape, 0.4), f.p_B = random_vec3(&shape, 0.4); /* stations belong to the shape: they stay */
    f.f = random_vec3(&numbers, 3), f.m = random_vec3(&numbers, 2);
    f.k = uniform(&numbers, 1, 20), f.rest = uniform(&numbers, -0.5, 0.5), f.dissipation = uniform(&numbers, 0, 0.5);
    f.lower = uniform(&numbers, -0.8, -0.1), f.upper = uniform(&numbers, 0.1, 0.8);
    if (scalar) {
      static const force_kind kinds[] = { MOBILITY_DAMPER, MOBILITY_STOP, MOBILITY_FORCE, MOBILITY_SPRING };
      f.kind = kinds[choice];
      if (options->conservative) f.kind = MOBILITY_SPRING;
      add_force(tree, f);
    }
    if (turning) {
      f.kind = choice == 0 && !options->conservative ? ROTATION_STOP : ROTATION_SPRING;
      add_force(tree, f);
    }
    if (choice == 3 && other != i) {
      f.kind = TWO_POINT_SPRING;
      f.rest = 0.5 + fabs(f.rest);
      add_force(tree, f);
      f.kind = TWO_POINT_DAMPER;
      if (!options->conservative) add_force(tree, f);
    }
    f.kind = BODY_FORCE;
    if (choice == 2 && !options->conservative) add_force(tree, f);
  }
}

random_tree make_random_tree(const tree_options *options) {
  random_tree tree;
  memset(&tree, 0, sizeof tree);
  ck_assert_int_le(options->bodies, TREE_MOST_BODIES);
  cdn_system_def def = cdn_default_system_def();
  def.name = "random tree";
  def.allocator = options->allocator;
  tree.system = cdn_system_create(&def);
  ck_assert_ptr_nonnull(tree.system);
  tree.bodies = options->bodies;
  add_bodies(&tree, options);
  if (options->forces) add_forces(&tree, options);
  return tree;
}

/* ---- states ---- */

void set_random_qu(cdn_state *state, rng *r, double u_size) {
  const cdn_system *system = cdn_state_system(state);
  double q[7 * TREE_MOST_BODIES], u[6 * TREE_MOST_BODIES];
  random_numbers(r, 1, q, cdn_system_nq(system));
  random_numbers(r, u_size, u, cdn_system_nu(system));
  for (int i = 1; i < cdn_system_body_count(system); i++) {
    cdn_body body = { i };
    if (!cdn_body_has_quaternion(system, body)) continue;
    double *e = q + cdn_body_first_q(system, body);
    double length = sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3]);
    for (int k = 0; k < 4; k++) e[k] /= length;
  }
  OK(cdn_state_set_q(state, q));
  OK(cdn_state_set_u(state, u));
}

cdn_state *random_tree_state(const random_tree *tree, uint64_t seed) {
  cdn_state *state = NULL;
  rng r = rng_of(seed + 3000017);
  OK_FREEZE(tree->system);
  OK(cdn_state_create(tree->system, &state));
  cdn_system_release(tree->system);
  set_random_qu(state, &r, 1.5);
  return state;
}

void set_tree_parameters(cdn_state *state, const random_tree *other, const cdn_state *other_state) {
  for (int i = 1; i <= other->bodies; i++) {
    cdn_body body = { i };
    OK_ON(state, cdn_body_set_mass_properties(state, body, cdn_body_mass_properties(other_state, body)));
    OK_ON(state, cdn_body_set_X_PF(state, body, cdn_body_X_PF(other_state, body)));
    OK_ON(state, cdn_body_set_X_BM(state, body, cdn_body_X_BM(other_state, body)));
    if (cdn_body_mobilizer_params(other_state, body)[3] == cdn_body_mobilizer_params(state, body)[3])
      OK_ON(state, cdn_body_set_mobilizer_params(state, body, cdn_body_mobilizer_params(other_state, body)));
    OK_ON(state, cdn_body_set_armature(state, body, cdn_body_armature(other_state, body)));
  }
  for (int i = 0; i < other->forces; i++) {
    const tree_force *f = &other->force[i];
    switch (f->kind) {
      case GRAVITY: OK(cdn_gravity_set(state, f->id, f->f)); break;
      case MOBILITY_SPRING: OK(cdn_mobility_spring_set(state, f->id, f->k, f->rest)); break;
      case MOBILITY_DAMPER: OK(cdn_mobility_damper_set(state, f->id, f->k)); break;
      case MOBILITY_FORCE: OK(cdn_mobility_force_set(state, f->id, f->k)); break;
      case MOBILITY_STOP: OK(cdn_mobility_stop_set(state, f->id, f->lower, f->upper, f->k, f->dissipation)); break;
      case TWO_POINT_SPRING: OK(cdn_two_point_spring_set(state, f->id, f->k, f->rest)); break;
      case TWO_POINT_DAMPER: OK(cdn_two_point_damper_set(state, f->id, f->k)); break;
      case BODY_FORCE: OK(cdn_body_force_set(state, f->id, f->f, f->m)); break;
      case ROTATION_SPRING:
      case ROTATION_STOP: break; /* these have no parameters to set */
    }
  }
}
