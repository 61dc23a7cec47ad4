/* A stage of an implicit step: accelerations that forces would have at the step's end, as far as contact goes. */
#include <math.h>

#include "dynamics/internal.h"
#include "matter/motion.h"

/* The normal forces that bound friction are assumed, and assumed anew when the solution has others. */
enum { MOST_PASSES = 4 };

typedef struct stage_forces {
  sv *F;                            /* by body, without those that become rows */
  double *f, *resistance, *damping; /* nu */
} stage_forces;

/* The part of a force that u takes away at the end of the stage: of a damper, and of a spring that is stretched on the
 * way. What pushes on stays explicit. */
static cdn_status find_resistance(const dynamics *dyn, cdn_state *state, const soft_step *step, const stage_forces *x) {
  CDNI_TRY(cdni_forces_on_mobilities(dyn->forces, state, x->resistance, x->damping));
  for (int k = 0; k < dyn->matter->tree.nu; k++) x->resistance[k] = fmax(x->damping[k] + step->h * x->resistance[k], 0);
  return CDN_OK;
}

static cdn_status solve(const dynamics *dyn, cdn_state *state, soft_stage *s, const sv *F, const double *f,
                        double *udot) {
  tree_data d = cdni_matter_data(dyn->matter, state);
  bool again = true;
  if (d.prescribed) CDNI_TRY(cdni_motion_calc_udot(dyn->matter, state, d.udot));
  d.force = F, d.f_mob = f;
  CDNI_TRY(cdni_dynamics_accelerate(dyn, state, &d));
  for (int pass = 0; pass < MOST_PASSES && again; pass++) CDNI_TRY(cdni_soft_stage_solve(s, &d, udot, &again));
  return CDN_OK;
}

/* All forces of the State; friction that slips has those of its accelerations, with which contact is explicit. */
static cdn_status find_forces(const dynamics *dyn, cdn_state *state, const stage_forces *x) {
  const size_t nu = (size_t)dyn->matter->tree.nu;
  const sv *F;
  const double *f;
  const bool slips = dyn->hybrid && cdni_hybrid_follows(dyn->hybrid, state);
  if (slips) CDNI_TRY(cdni_state_ensure(state, CDN_ACCELERATION));
  CDNI_TRY(cdni_dynamics_applied_forces(dyn, state, &F, &f));
  memcpy(x->F, F, (size_t)dyn->matter->tree.n * sizeof *F);
  if (nu) memcpy(x->f, f, nu * sizeof *f);
  return slips ? cdni_hybrid_push(dyn->hybrid, state, x->F, x->f) : CDN_OK;
}

static cdn_status run(const dynamics *dyn, cdn_state *state, const soft_step *step, const stage_forces *x, double *udot,
                      double *zdot, soft_effort *effort) {
  const soft_room *room = cdni_soft_steps(cdn_state_system(state));
  soft_stage s;
  CDNI_TRY(find_forces(dyn, state, x));
  CDNI_TRY(find_resistance(dyn, state, step, x));
  CDNI_TRY(cdni_soft_stage_begin(&s, room, state, step, x->resistance, x->F));
  const cdn_status status = solve(dyn, state, &s, x->F, x->f, udot);
  if (status == CDN_OK) cdni_soft_stage_rates(&s, zdot);
  *effort = s.effort;
  cdni_soft_stage_end(&s);
  return status;
}

bool cdni_dynamics_steps(const cdn_system *system) { return cdni_soft_steps(system) != NULL; }

cdn_status cdni_dynamics_hold(cdn_state *state) {
  return cdni_soft_hold(cdni_soft_steps(cdn_state_system(state)), state);
}

cdn_status cdni_dynamics_step(cdn_state *state, const soft_step *step, double *udot, double *zdot,
                              soft_effort *effort) {
  const dynamics *dyn = cdni_dynamics(cdn_state_system(state));
  const size_t nb = (size_t)dyn->matter->tree.n, nu = (size_t)dyn->matter->tree.nu;
  CDNI_TRY(cdni_state_ensure(state, dyn->matter->inertia.ticket));
  CDNI_TRY(cdni_state_ensure(state, dyn->matter->twist.ticket));
  stage_forces x = { .F = cdn_work_push(state, nb * sizeof(sv) + (3 * nu + 1) * sizeof(double)) };
  if (!x.F) return cdni_state_fail(state, CDN_ERR_NOMEM, false, "cdn_stepper_advance", NULL, "out of memory");
  x.f = (double *)(x.F + nb), x.resistance = x.f + nu, x.damping = x.resistance + nu;
  const cdn_status status = run(dyn, state, step, &x, udot, zdot, effort);
  cdn_work_pop(state, x.F);
  return status;
}
