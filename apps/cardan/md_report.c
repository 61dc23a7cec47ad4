/* What a run of `cardan md` is worth. */
#include <math.h>
#include <string.h>

#include "md.h"

typedef struct verdict {
  double kinetic, temperature; /* means, kJ/mol, K */
  double drift, swing;         /* along the line through the conserved quantity over the run, and about it */
  double exp, exp_error;       /* of exp(-dH/kT) over trajectories: the mean, and its standard error */
} verdict;

static verdict judge(const md_molecule *m, const md_sums *s, double span) {
  const double xx = s->tt - s->t * s->t / s->n, yy = s->EE - s->E * s->E / s->n, xy = s->tE - s->t * s->E / s->n;
  verdict v = { .kinetic = s->kinetic / s->n };
  v.temperature = m->freedom > 0 ? 2 * v.kinetic / (m->freedom * CDN_GAS_CONSTANT) : 0;
  v.drift = xx > 0 ? xy / xx * span : 0;
  v.swing = sqrt(fmax(yy - (xx > 0 ? xy * xy / xx : 0), 0) / s->n);
  const double solved = s->trajectories - s->unsolved;
  v.exp = s->exp / solved;
  v.exp_error = sqrt(fmax(s->exp_squares / solved - v.exp * v.exp, 0) / solved);
  return v;
}

static const char *sampler_name(const md_arguments *a) { return a->hmc ? "hmc" : "md"; }

/* ---- JSON ---------------------------------------------------------------------------------- */

static void print_json(const md_arguments *a, const md_molecule *m, const md_sampler *s, const md_ended *e,
                       const verdict *v) {
  json_writer w = jw_begin(stdout);
  jw_integer(&w, "atoms", m->n_atoms), jw_integer(&w, "mobilities", m->nu), jw_integer(&w, "freedoms", m->freedom);
  if (a->minimize && e->first == 0) md_print_minimum_json(m, &w);
  jw_text(&w, "sampler", sampler_name(a)), jw_text(&w, "thermostat", md_thermostat_names[a->thermostat]);
  jw_integer(&w, "seed", a->seed);
  jw_integer(&w, "steps", e->steps), jw_number(&w, "step", a->step), jw_integer(&w, "frames", e->frames);
  jw_number(&w, "time_initial", e->t0), jw_number(&w, "time_final", e->t);
  jw_number(&w, "fastest_period", e->period);
  jw_number(&w, "kinetic_energy", v->kinetic), jw_number(&w, "temperature", v->temperature);
  if (a->hmc) {
    jw_integer(&w, "trajectories", (int64_t)s->sums.trajectories),
        jw_integer(&w, "accepted", (int64_t)s->sums.accepted);
    jw_integer(&w, "unsolved", (int64_t)s->sums.unsolved);
    jw_number(&w, "mean_exp", v->exp), jw_number(&w, "mean_exp_error", v->exp_error);
  } else {
    jw_number(&w, "swing", v->swing), jw_number(&w, "drift", v->drift), jw_number(&w, "heat", s->sums.heat);
  }
  jw_number(&w, "max_constraint_error", s->sums.constraint_error);
  if (a->companion) jw_number(&w, "error_estimate", s->sums.distance);
  jw_text(&w, "delivered", a->companion ? "measured" : "unknown");
  jw_number(&w, "seconds", e->seconds);
  jw_end(&w);
}

/* ---- tables -------------------------------------------------------------------------------- */

static void print_balance(const md_sampler *s, FILE *to, const verdict *v) {
  const md_sums *x = &s->sums;
  fprintf(to, "  accepted     %.0f of %.0f trajectories of %lld steps, %.3g %%\n", x->accepted, x->trajectories,
          (long long)s->stride, 100 * x->accepted / fmax(x->trajectories, 1));
  if (x->unsolved > 0)
    fprintf(to, "  unsolved     %.0f of them: a step found no end, or no way back; try a shorter --step\n",
            x->unsolved);
  fprintf(to, "  balance      %.4g, standard error %.2g: the mean of exp(-dH/kT), which is 1 if all is right\n", v->exp,
          v->exp_error);
}

static void print_conserved(const md_arguments *a, const md_sampler *s, FILE *to, const verdict *v) {
  const double percent = v->kinetic > 0 ? 100 / v->kinetic : 0;
  const bool holds = a->thermostat != MD_FREE;
  if (holds)
    fprintf(to, "  heat         %.5g kJ/mol, which the thermostat has given (%s)\n", s->sums.heat,
            md_thermostat_names[a->thermostat]);
  fprintf(to, "  swing        %.3g kJ/mol, %.2g %% of the kinetic energy: root mean square about the trend\n", v->swing,
          v->swing * percent);
  fprintf(to, "  drift        %.3g kJ/mol, %.2g %%: the trend over the run\n", v->drift, v->drift * percent);
  fprintf(to,
          "               known from kinetic + potential energy%s after every step, and a straight line through "
          "them\n",
          holds ? " less the heat" : "");
}

static void print_tables(const md_arguments *a, const md_molecule *m, const md_sampler *s, const md_ended *e,
                         const verdict *v, FILE *to) {
  const bool rests = a->temperature == 0 && !m->restart->velocities;
  fprintf(to, "%s: %d atoms, %d mobilities%s\n\n", visible(a->topology), m->n_atoms, m->nu,
          rests ? ", from rest: the coordinates have no velocities" : "");
  if (a->minimize && e->first == 0) md_print_minimum(m, to);
  fprintf(to, "  steps        %lld of %g fs, %g ps; %.3g s, %.3g ns a day\n", (long long)e->steps, 1e3 * a->step,
          e->t - e->t0, e->seconds, 86.4 * (double)(e->steps - e->first) * a->step / e->seconds);
  if (isfinite(e->period))
    fprintf(to, "  fastest      %.3g fs, the period of the fastest vibration at the start: %.3g steps\n",
            1e3 * e->period, e->period / a->step);
  fprintf(to, "  temperature  %.4g K: mean kinetic energy %.5g kJ/mol of %d freedoms\n", v->temperature, v->kinetic,
          m->freedom);
  if (a->hmc) print_balance(s, to, v);
  else print_conserved(a, s, to, v);
  if (cdn_system_nudoterr(m->system) > 0) fprintf(to, "  loops        closed to %.2g\n", s->sums.constraint_error);
  if (a->companion)
    fprintf(to, "  error        %.2g nm: the farthest that an atom came from where a run of half the steps had it\n",
            s->sums.distance);
  else if (a->hmc || a->thermostat == MD_LANGEVIN || a->thermostat == MD_REDRAW)
    fprintf(to, "  delivered    unknown: a run that samples; its averages are to be judged by their spread\n");
  else fprintf(to, "  delivered    unknown: steps are equal, and no second run went along (--companion)\n");
}

void md_report(const md_arguments *a, const md_molecule *m, const md_sampler *s, const md_ended *ended) {
  const verdict v = judge(m, &s->sums, ended->t - ended->t0);
  if (a->json) print_json(a, m, s, ended, &v);
  else print_tables(a, m, s, ended, &v, a->table && strcmp(a->table, "-") == 0 ? stderr : stdout);
}
