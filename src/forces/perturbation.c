/* A force that pulls a body to a point, as a hand does: a custom force whose body is a parameter. How stiff it is, is
 * found in dynamics/perturbation.c, which knows constraints. */
#include <cardan/derivatives.h>
#include <cardan/operators.h>
#include <cardan/perturbation.h>

#include "core/sized.h"
#include "forces/forces.h"
#include "system/system.h"

/* The parameter array. */
enum { BODY, STATION, TARGET = 4, STIFFNESS = 7, DAMPING, N_NUMBERS };

typedef struct perturbation {
  cdn_dvar numbers;
} perturbation;

typedef struct grip {
  cdn_body body;
  cdn_vec3 p_B, p_G, v_G, target_G, force_G;
  double stiffness, damping;
} grip;

static cdn_vec3 load(const double *x) { return cdn_v3(x[0], x[1], x[2]); }

/* False: nothing is held. The numbers are parameters, which programs may set to anything. */
static bool is_held(const perturbation *p, const cdn_state *state, grip *out) {
  const double *x = cdn_state_parameters(state, p->numbers);
  const bool held = x[BODY] >= 1 && x[BODY] < cdn_system_body_count(cdn_state_system(state));
  *out = (grip){ .body = { held ? (int32_t)x[BODY] : -1 },
                 .p_B = load(x + STATION),
                 .target_G = load(x + TARGET),
                 .stiffness = x[STIFFNESS],
                 .damping = x[DAMPING] };
  return held;
}

static cdn_status find_force(cdn_state *state, grip *g) {
  CDNI_TRY(cdn_body_station(state, g->body, g->p_B, &g->p_G, &g->v_G));
  g->force_G = cdn_sub(cdn_scale(g->stiffness, cdn_sub(g->target_G, g->p_G)), cdn_scale(g->damping, g->v_G));
  return CDN_OK;
}

/* ---- the custom force ---- */

static cdn_status declare(void *self, cdn_declarer *d) {
  const double none[N_NUMBERS] = { [BODY] = -1 };
  ((perturbation *)self)->numbers = cdn_declare_parameters(d, "grip", N_NUMBERS, none);
  return CDN_OK;
}

static cdn_status calc_force(const void *self, cdn_state *state, cdn_forces *forces) {
  grip g;
  if (!is_held(self, state, &g)) return CDN_OK;
  CDNI_TRY(find_force(state, &g));
  cdn_forces_add_point(forces, g.body, g.p_B, g.force_G);
  return CDN_OK;
}

static cdn_status calc_derivative(const void *self, cdn_state *state, cdn_force_derivatives *derivatives) {
  grip g;
  if (!is_held(self, state, &g)) return CDN_OK;
  CDNI_TRY(find_force(state, &g));
  double df_dp[9] = { 0 }, df_dv[9] = { 0 };
  for (int k = 0; k < 3; k++) df_dp[4 * k] = -g.stiffness, df_dv[4 * k] = -g.damping;
  cdn_force_derivatives_add_point(derivatives, g.body, g.p_B, g.force_G, df_dp, df_dv);
  return CDN_OK;
}

cdn_force cdn_system_add_perturbation(cdn_system *system, const char *name) {
  const cdn_force_ops ops = { .subsystem = { .struct_size = sizeof ops.subsystem,
                                             .name = name ? name : "perturbation",
                                             .self_size = sizeof(perturbation),
                                             .declare = declare },
                              .struct_size = sizeof ops,
                              .reads = CDN_READS_VELOCITY,
                              .calc_force = calc_force,
                              .calc_derivative = calc_derivative };
  const perturbation self = { 0 };
  return cdn_system_add_custom_force(system, &ops, &self);
}

/* ---- in a State ---- */

/* NULL: the force is no perturbation. */
static const perturbation *pull_of(const cdn_system *system, cdn_force force) {
  const cdn_subsystem id = cdn_force_subsystem(system, force);
  const cdn_subsystem_ops *ops = id.i >= 0 ? cdni_subsystem_ops(system, id.i) : NULL;
  return ops && ops->declare == declare ? cdn_subsystem_self(system, id) : NULL;
}

bool cdni_force_is_perturbation(const cdn_system *system, int i) { return pull_of(system, (cdn_force){ i }) != NULL; }

static cdn_status find(const cdn_state *state, const char *function, cdn_force force, const perturbation **out) {
  *out = pull_of(cdn_state_system(state), force);
  if (!*out)
    return cdni_refuse(CDN_ERR_ARG, function,
                       "force %d is no perturbation: add one with cdn_system_add_perturbation before freezing",
                       (int)force.i);
  return CDN_OK;
}

static cdn_status check(const char *function, cdn_vec3 v, const char *what) {
  const double numbers[3] = { v.x, v.y, v.z };
  return cdni_all_finite(numbers, 3, NULL) ? CDN_OK
                                           : cdni_refuse(CDN_ERR_NONFINITE, function, "%s is not finite", what);
}

cdn_status cdni_perturbation_check(const cdn_state *state, const char *function, cdn_force force, cdn_vec3 p_B,
                                   cdn_vec3 target_G) {
  const perturbation *p;
  CDNI_TRY(find(state, function, force, &p));
  CDNI_TRY(check(function, p_B, "the station"));
  return check(function, target_G, "the target");
}

cdn_status cdni_perturbation_hold(cdn_state *state, cdn_force force, const cdn_perturbation *how) {
  const perturbation *p;
  CDNI_TRY(find(state, "cdn_perturbation_begin", force, &p));
  const double numbers[N_NUMBERS] = { how->body.i,     how->p_B.x,      how->p_B.y,     how->p_B.z,  how->target_G.x,
                                      how->target_G.y, how->target_G.z, how->stiffness, how->damping };
  return cdn_state_set_parameters(state, p->numbers, 0, N_NUMBERS, numbers);
}

cdn_status cdn_perturbation_move(cdn_state *state, cdn_force force, cdn_vec3 target_G) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  const perturbation *p;
  grip g;
  CDNI_TRY(find(state, __func__, force, &p));
  CDNI_TRY(check(__func__, target_G, "the target"));
  if (!is_held(p, state, &g))
    return cdni_refuse(CDN_ERR_ARG, __func__, "the perturbation holds no body: begin with cdn_perturbation_begin");
  return cdn_state_set_parameters(state, p->numbers, TARGET, 3, (double[]){ target_G.x, target_G.y, target_G.z });
}

cdn_status cdn_perturbation_end(cdn_state *state, cdn_force force) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  const perturbation *p;
  grip g;
  CDNI_TRY(find(state, "cdn_perturbation_end", force, &p));
  const double none[N_NUMBERS] = { [BODY] = -1 };
  return is_held(p, state, &g) ? cdn_state_set_parameters(state, p->numbers, 0, N_NUMBERS, none) : CDN_OK;
}

cdn_status cdn_perturbation_get_sized(cdn_state *state, cdn_force force, cdn_perturbation *out, size_t size) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  CDNI_NEED_OBJECT(out, CDN_ERR_ARG);
  const perturbation *p;
  grip g;
  CDNI_TRY(find(state, "cdn_perturbation_get", force, &p));
  cdn_perturbation result = { .body = { -1 } };
  if (is_held(p, state, &g)) {
    CDNI_TRY(find_force(state, &g));
    result = (cdn_perturbation){ g.body, g.p_B, g.p_G, g.target_G, g.stiffness, g.damping, g.force_G };
  }
  cdni_sized_write(out, size, &result, sizeof result);
  return CDN_OK;
}
