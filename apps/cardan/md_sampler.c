/* The steps of `cardan md`: all by cdn_hmc_steps, with speeds that are drawn between them, or by cdn_hmc_advance. */
#include <cardan/operators.h>

#include <math.h>
#include <stdlib.h>

#include "md.h"

enum { WHO = 0x6d6401, STEPS = 10 }; /* draws; of a trajectory */
static const double ANY_KT = 1;      /* kJ/mol: nothing is drawn */

int64_t md_stride(const md_arguments *a) {
  if (!a->hmc) return 1;
  return a->trajectory > 0 ? llround(a->trajectory / a->step) : STEPS;
}

static cdn_status make(const md_sampler *s, double step, cdn_hmc **out) {
  const md_arguments *a = s->a;
  cdn_hmc_def def = cdn_default_hmc_def();
  def.kT = a->temperature > 0 ? CDN_GAS_CONSTANT * a->temperature : ANY_KT;
  def.step = step, def.steps = (int)s->stride, def.no_metropolis = !a->hmc;
  return cdn_hmc_create(s->m->state, &def, out);
}

cdn_status md_sampler_open(md_sampler *s, const md_arguments *a, const md_molecule *m, const cdn_state *companion) {
  *s = (md_sampler){ .a = a, .m = m, .stride = md_stride(a), .t0 = cdn_state_time(m->state) };
  s->x = allocate(3 * (size_t)m->n_atoms, sizeof *s->x), s->y = allocate(3 * (size_t)m->n_atoms, sizeof *s->y);
  if (m->chain.i >= 0) CDN_TRY(cdn_nose_hoover_energy(m->state, m->chain, &s->sums.chain, NULL));
  CDN_TRY(make(s, a->step, &s->hmc));
  if (a->companion) CDN_TRY(make(s, 0.5 * a->step, &s->companion));
  return companion ? cdn_state_copy(cdn_hmc_state(s->companion), companion) : CDN_OK;
}

void md_sampler_close(md_sampler *s) {
  cdn_hmc_destroy(s->hmc);
  cdn_hmc_destroy(s->companion);
  free(s->x), free(s->y);
}

cdn_state *md_sampler_state(const md_sampler *s) { return cdn_hmc_state(s->hmc); }

/* ---- steps --------------------------------------------------------------------------------- */

/* Whether speeds are drawn after so many steps, and what they keep of themselves. */
static bool is_drawn(const md_arguments *a, int64_t done, double *keep) {
  *keep = a->thermostat == MD_LANGEVIN ? exp(-a->step / a->answer) : 0;
  if (a->thermostat == MD_REDRAW) return done > 0 && done % llround(a->answer / a->step) == 0;
  return a->thermostat == MD_LANGEVIN;
}

/* Draws by the number of the step, so that each has numbers of its own. */
static cdn_status draw(md_sampler *s, cdn_state *state, int64_t done, double keep) {
  double before, after;
  const cdn_random_place place = { .seed = s->a->seed, .count = (uint64_t)done };
  CDN_TRY(cdn_kinetic_energy(state, &before));
  CDN_TRY(cdn_state_set_random(state, &place));
  CDN_TRY(cdn_draw_speeds(state, CDN_GAS_CONSTANT * s->a->temperature, keep, WHO));
  CDN_TRY(cdn_kinetic_energy(state, &after));
  s->sums.heat += after - before;
  return CDN_OK;
}

static cdn_status step(md_sampler *s, int64_t done) {
  cdn_state *state = md_sampler_state(s);
  double keep;
  if (is_drawn(s->a, done, &keep)) CDN_TRY(draw(s, state, done, keep));
  CDN_TRY(cdn_hmc_steps(s->hmc, s->a->step, 1));
  return cdn_state_set_time(state, s->t0 + (double)(done + 1) * s->a->step);
}

/* A trajectory with its test, and what its error dH says. */
static cdn_status trajectory(md_sampler *s) {
  cdn_hmc_report before, after;
  cdn_hmc_get_report(s->hmc, &before);
  CDN_TRY(cdn_hmc_advance(s->hmc, 1));
  cdn_hmc_get_report(s->hmc, &after);
  s->sums.trajectories++;
  s->sums.accepted += (double)(after.accepted - before.accepted);
  if (after.unsolved > before.unsolved) {
    s->sums.unsolved++;
    return CDN_OK;
  }
  const double weight = exp(-after.last_energy_error / (CDN_GAS_CONSTANT * s->a->temperature));
  s->sums.exp += weight, s->sums.exp_squares += weight * weight;
  return CDN_OK;
}

cdn_status md_sampler_advance(md_sampler *s, int64_t done) {
  if (s->a->hmc) return trajectory(s);
  CDN_TRY(step(s, done));
  return s->companion ? cdn_hmc_steps(s->companion, 0.5 * s->a->step, 2) : CDN_OK;
}

/* ---- what they come to --------------------------------------------------------------------- */

static void add(md_sums *s, double t, double E) {
  if (s->n == 0) s->t0 = t, s->E0 = E;
  const double x = t - s->t0, y = E - s->E0;
  s->n++;
  s->t += x, s->tt += x * x, s->E += y, s->EE += y * y, s->tE += x * y;
}

/* How far the farthest atom is from where the companion has it. */
static cdn_status compare(md_sampler *s) {
  CDN_TRY(cdn_force_field_positions(md_sampler_state(s), s->m->field, s->x));
  CDN_TRY(cdn_force_field_positions(cdn_hmc_state(s->companion), s->m->field, s->y));
  for (int i = 0; i < 3 * s->m->n_atoms; i += 3) {
    const cdn_vec3 apart = cdn_v3(s->x[i] - s->y[i], s->x[i + 1] - s->y[i + 1], s->x[i + 2] - s->y[i + 2]);
    s->sums.distance = fmax(s->sums.distance, cdn_norm(apart));
  }
  return CDN_OK;
}

cdn_status md_sampler_note(md_sampler *s) {
  cdn_state *state = md_sampler_state(s);
  double potential, kinetic, chain;
  CDN_TRY(cdn_potential_energy(state, &potential));
  CDN_TRY(cdn_kinetic_energy(state, &kinetic));
  if (s->m->chain.i >= 0) {
    CDN_TRY(cdn_nose_hoover_energy(state, s->m->chain, &chain, NULL));
    s->sums.heat = s->sums.chain - chain;
  }
  add(&s->sums, cdn_state_time(state), potential + kinetic - s->sums.heat);
  s->sums.kinetic += kinetic;
  const int equations = cdn_system_nqerr(s->m->system);
  const double *error = cdn_state_qerr(state);
  for (int i = 0; error && i < equations; i++)
    s->sums.constraint_error = fmax(s->sums.constraint_error, fabs(error[i]));
  return s->companion ? compare(s) : CDN_OK;
}
