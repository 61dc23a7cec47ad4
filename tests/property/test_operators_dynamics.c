/* Reactions against the balance of every body by itself; momentum and its rate against sums over bodies, external
 * forces, and differences along a simulated motion. */
#include "operator_samples.h"

/* What is known of a State's dynamics besides the operators: all by the naive tree. */
typedef struct free_bodies {
  double udot[MOST_NU], f_mob[MOST_NU];
  cdn_spatial applied[MOST_NB];  /* at the bodies' origins */
  cdn_spatial inertial[MOST_NB]; /* m a and the rate of spin, about the centre of mass */
  double size;                   /* magnitudes summed */
} free_bodies;

static cdn_vec3 inertia_times(cdn_inertia I, cdn_vec3 w) {
  return cdn_v3(I.xx * w.x + I.xy * w.y + I.xz * w.z, I.xy * w.x + I.yy * w.y + I.yz * w.z,
                I.xz * w.x + I.yz * w.y + I.zz * w.z);
}

static free_bodies make_free_bodies(sample *s, const double *udot) {
  free_bodies f = { .size = 1 };
  memcpy(f.udot, udot, (size_t)s->nu * sizeof *udot);
  OK_ON(s->state, cdn_applied_forces(s->state, f.applied, f.f_mob));
  for (int b = 1; b < s->nb; b++) {
    const naive_body *B = &s->naive.body[b];
    double size;
    cdn_spatial A = naive_point_acceleration(s, b, B->p_BC_G, udot, &size);
    cdn_vec3 w = B->V_GB.w;
    f.inertial[b].v = cdn_scale(B->mass, A.v);
    f.inertial[b].w = cdn_add(inertia_times(B->I_G, A.w), cdn_cross(w, inertia_times(B->I_G, w)));
    /* arms reach as far as there are bodies */
    f.size += (spatial_size(f.applied[b]) + (B->mass + B->I_G.xx + B->I_G.yy + B->I_G.zz) * size) * s->nb;
  }
  return f;
}

/* ---- reactions ------------------------------------------------------------------------------ */

/* Every body alone: what is applied, its own mobilizer, and its children's, make m a and the rate of its spin. */
static void check_balance(sample *s, const free_bodies *f) {
  const cdn_system *system = cdn_state_system(s->state);
  cdn_spatial on_body[MOST_NB], on_parent[MOST_NB], sum[MOST_NB];
  OK_ON(s->state, cdn_calc_reaction_forces(s->state, f->udot, CDN_REACTION_ON_BODY_AT_ORIGIN, on_body));
  OK_ON(s->state, cdn_calc_reaction_forces(s->state, f->udot, CDN_REACTION_ON_PARENT_AT_ORIGIN, on_parent));
  for (int b = 0; b < s->nb; b++) sum[b] = spatial_sum(f->applied[b], on_body[b]);
  for (int b = 1; b < s->nb; b++) {
    cdn_spatial *parent = &sum[cdn_body_parent(system, (cdn_body){ b }).i];
    *parent = spatial_sum(*parent, on_parent[b]);
  }
  near_spatial(sum[0], (cdn_spatial){ { 0, 0, 0 }, { 0, 0, 0 } }, ALONG_A_PATH * f->size); /* Ground does not move */
  near_spatial(on_parent[0], (cdn_spatial){ cdn_scale(-1, on_body[0].w), cdn_scale(-1, on_body[0].v) }, 0);
  for (int b = 1; b < s->nb; b++)
    near_spatial(force_at(sum[b], s->naive.body[b].p_BC_G), f->inertial[b], ALONG_A_PATH * f->size);
}

/* The same forces about the mobilizer's frames; and along its mobilities. */
static void check_points(sample *s, const free_bodies *f, bool own) {
  const cdn_system *system = cdn_state_system(s->state);
  cdn_spatial R[CDN_REACTION_COUNT][MOST_NB];
  for (int where = 0; where < CDN_REACTION_COUNT; where++)
    OK_ON(s->state, cdn_calc_reaction_forces(s->state, f->udot, (cdn_reaction)where, R[where]));
  for (int b = 1; b < s->nb; b++) {
    cdn_body body = { b }, parent = cdn_body_parent(system, body);
    cdn_transform X_GB = s->naive.body[b].X_GB, X_GP = s->naive.body[parent.i].X_GB;
    cdn_vec3 p_BM = cdn_rotate(X_GB.R, cdn_body_X_BM(s->state, body).p);
    cdn_vec3 p_PF = cdn_rotate(X_GP.R, cdn_body_X_PF(s->state, body).p);
    cdn_vec3 p_FM = cdn_sub(cdn_add(X_GB.p, p_BM), cdn_add(X_GP.p, p_PF));
    cdn_spatial at_M = R[CDN_REACTION_ON_BODY_AT_M][b];
    near_spatial(at_M, force_at(R[CDN_REACTION_ON_BODY_AT_ORIGIN][b], p_BM), ALONG_A_PATH * f->size);
    cdn_spatial at_F = R[CDN_REACTION_ON_PARENT_AT_F][b];
    near_spatial(at_F, force_at(R[CDN_REACTION_ON_PARENT_AT_ORIGIN][b], p_PF), ALONG_A_PATH * f->size);
    /* equal and opposite, at one point */
    cdn_spatial both = spatial_sum(at_M, force_at(at_F, p_FM));
    near_spatial(both, (cdn_spatial){ { 0, 0, 0 }, { 0, 0, 0 } }, ALONG_A_PATH * f->size);
    /* the power along a mobility: what drives it, less what its rotor takes */
    int first = cdn_body_first_u(system, body);
    for (int k = first; own && k < first + cdn_body_nu(system, body); k++) {
      cdn_spatial J_B = s->naive.J[b * s->nu + k], on_B = R[CDN_REACTION_ON_BODY_AT_ORIGIN][b];
      double power = cdn_dot(J_B.w, on_B.w) + cdn_dot(J_B.v, on_B.v);
      /* the State's udot is the solution of equations, to the condition of M times roundings */
      NEAR(power, f->f_mob[k] - s->naive.armature[k] * f->udot[k], 20 * ALONG_A_PATH * f->size);
    }
  }
}

static void check_reactions(sample *s) {
  double udot[MOST_NU];
  random_numbers(&s->r, 4, udot, s->nu);
  for (int b = 0; b < s->nb; b++)
    OK(cdn_state_set_applied_body_force(s->state, (cdn_body){ b }, random_spatial(&s->r, 3)));
  free_bodies given = make_free_bodies(s, udot);
  check_balance(s, &given);
  check_points(s, &given, false);
  memcpy(udot, cdn_state_udot(s->state), (size_t)s->nu * sizeof *udot);
  free_bodies own = make_free_bodies(s, udot);
  check_balance(s, &own);
  check_points(s, &own, true);
}

/* ---- momentum ------------------------------------------------------------------------------- */

static cdn_vec3 far_from(cdn_vec3 center, const naive_body *B) {
  return cdn_sub(cdn_add(B->X_GB.p, B->p_BC_G), center);
}

static void check_momentum(sample *s) {
  double udot[MOST_NU], mass = 0, load = 0;
  random_numbers(&s->r, 4, udot, s->nu);
  free_bodies f = make_free_bodies(s, udot);
  cdn_vec3 center = naive_center_of_mass(&s->naive), p = { 0, 0, 0 }, v, a;
  cdn_spatial H = { { 0, 0, 0 }, { 0, 0, 0 } }, rate = H, central, about_origin, about_center;
  for (int b = 1; b < s->nb; b++) {
    const naive_body *B = &s->naive.body[b];
    cdn_vec3 v_C = cdn_add(B->V_GB.v, cdn_cross(B->V_GB.w, B->p_BC_G)), r = far_from(center, B);
    cdn_vec3 linear = cdn_scale(B->mass, v_C);
    mass += B->mass;
    p = cdn_add(p, linear);
    H.w = cdn_add(H.w, cdn_add(inertia_times(B->I_G, B->V_GB.w), cdn_cross(r, linear)));
    H.v = p;
    rate.w = cdn_add(rate.w, cdn_add(f.inertial[b].w, cdn_cross(r, f.inertial[b].v)));
    rate.v = cdn_add(rate.v, f.inertial[b].v);
    load += (B->mass + B->I_G.xx + B->I_G.yy + B->I_G.zz) * (B->speed + cdn_norm(B->V_GB.w)) * s->nb;
  }
  OK_ON(s->state, cdn_central_momentum(s->state, &central));
  near_spatial(central, H, ALONG_A_PATH * (load + 1e-300));
  OK_ON(s->state, cdn_center_of_mass_velocity(s->state, &v));
  near_vec3(v, cdn_scale(1 / mass, p), ALONG_A_PATH * load / mass);
  OK_ON(s->state, cdn_calc_momentum_rate(s->state, udot, &about_origin, &about_center));
  near_spatial(about_center, rate, ALONG_A_PATH * f.size);
  near_spatial(about_origin, force_at(rate, cdn_scale(-1, center)), ALONG_A_PATH * f.size * s->nb);
  OK_ON(s->state, cdn_calc_momentum_rate(s->state, udot, NULL, NULL));
  OK_ON(s->state, cdn_calc_center_of_mass_acceleration(s->state, udot, &a));
  near_vec3(a, cdn_scale(1 / mass, rate.v), ALONG_A_PATH * f.size / mass);
}

/* The rate is what acts from outside: what Ground's mobilizers and the force elements do, for any udot. */
static void check_external_forces(sample *s) {
  double udot[MOST_NU];
  random_numbers(&s->r, 4, udot, s->nu);
  free_bodies f = make_free_bodies(s, udot);
  const cdn_system *system = cdn_state_system(s->state);
  cdn_spatial rate, external = { { 0, 0, 0 }, { 0, 0, 0 } }, reaction[MOST_NB];
  OK_ON(s->state, cdn_calc_momentum_rate(s->state, udot, &rate, NULL));
  OK_ON(s->state, cdn_calc_reaction_forces(s->state, udot, CDN_REACTION_ON_BODY_AT_ORIGIN, reaction));
  for (int b = 1; b < s->nb; b++) {
    cdn_spatial F = f.applied[b];
    if (cdn_body_parent(system, (cdn_body){ b }).i == 0) F = spatial_sum(F, reaction[b]);
    external = spatial_sum(external, force_at(F, cdn_scale(-1, s->naive.body[b].X_GB.p)));
  }
  near_spatial(rate, external, ALONG_A_PATH * f.size * s->nb);
}

/* ---- along a motion ------------------------------------------------------------------------- */

typedef struct moment {
  cdn_spatial origin, center;
  cdn_vec3 p, v;
} moment;

/* Rates from the operators at a time of a simulated motion, and five-point differences of what they are rates of: the
 * stencil is off by h^4 / 30 times fifth derivatives, and by 1.5 / h times what the stepper adds within it. */
START_TEST(test_along_a_motion) {
  enum { MIDDLE = 2 };
  const double h = 2e-3;
  for (uint64_t seed = 1; seed <= 6; seed++) {
    tree_options options = { .bodies = 5, .shape = seed, .numbers = seed, .forces = true, .conservative = true };
    random_tree tree = make_random_tree(&options);
    cdn_state *state = random_tree_state(&tree, seed);
    cdn_stepper *stepper = NULL;
    cdn_stepper_def def = cdn_default_stepper_def();
    def.accuracy = 1e-12;
    OK_ON(state, cdn_stepper_create(state, &def, &stepper));
    moment at[5];
    cdn_spatial origin = { { 0, 0, 0 }, { 0, 0, 0 } }, center = origin;
    cdn_vec3 a = { 0, 0, 0 };
    double scale = 1;
    for (int i = 0; i < 5; i++) {
      OK_STEP(stepper, cdn_stepper_advance(stepper, 0.1 + i * h, NULL));
      cdn_state *now = cdn_stepper_state(stepper);
      OK_ON(now, cdn_momentum(now, &at[i].origin));
      OK_ON(now, cdn_central_momentum(now, &at[i].center));
      OK_ON(now, cdn_center_of_mass(now, &at[i].p));
      OK_ON(now, cdn_center_of_mass_velocity(now, &at[i].v));
      if (i != MIDDLE) continue;
      const double *udot = cdn_state_udot(now);
      ck_assert_ptr_nonnull(udot);
      OK_ON(now, cdn_calc_momentum_rate(now, udot, &origin, &center));
      OK_ON(now, cdn_calc_center_of_mass_acceleration(now, udot, &a));
      for (int k = 0; k < cdn_system_nu(tree.system); k++) scale = fmax(scale, fabs(udot[k]));
    }
#define RATE(member)      \
  cdn_scale(1 / (12 * h), \
            cdn_add(cdn_sub(at[0].member, at[4].member), cdn_scale(8, cdn_sub(at[3].member, at[1].member))))
    /* accelerations of some hundreds change within 1/sqrt(hundreds) seconds */
    double tolerance = 1e-7 * scale + h * h * h * h / 30 * scale * pow(scale, 2.0);
    near_vec3(origin.w, RATE(origin.w), tolerance);
    near_vec3(origin.v, RATE(origin.v), tolerance);
    near_vec3(center.w, RATE(center.w), tolerance);
    near_vec3(center.v, RATE(center.v), tolerance);
    near_vec3(at[MIDDLE].v, RATE(p), tolerance);
    near_vec3(a, RATE(v), tolerance);
#undef RATE
    cdn_stepper_destroy(stepper);
    cdn_state_destroy(state);
  }
}
END_TEST

START_TEST(test_reactions) { on_trees(check_reactions, 40, true); }
END_TEST
START_TEST(test_momentum) { on_trees(check_momentum, 40, true); }
END_TEST
START_TEST(test_external_forces) { on_trees(check_external_forces, 40, true); }
END_TEST

CHECK_MAIN("operators: dynamics", test_reactions, test_momentum, test_external_forces, test_along_a_motion)
