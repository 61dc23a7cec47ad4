/* Nose-Hoover chains: a custom force, whose z are the friction rates xi of the chain, and their integrals s. */
#include <math.h>

#include <cardan/dynamics.h>
#include <cardan/operators.h>
#include <cardan/sampling.h>

#include "core/sized.h"
#include "forces/internal.h"
#include "forces/nose_hoover.h"

CDNI_DEF(nose_hoover_def, .length = 3);

enum { KT, TIME, FREEDOMS, NUMBERS };
static const char *const names[NUMBERS] = { "kT", "time", "freedoms" };

typedef struct chain {
  int length;
  double initial[NUMBERS];
  cdn_dvar numbers[NUMBERS];
  cdn_zvar z;
} chain;

static cdn_status declare(void *self, cdn_declarer *d) {
  chain *c = self;
  double scale[2 * CDN_NOSE_HOOVER_MOST];
  for (int i = 0; i < NUMBERS; i++) c->numbers[i] = cdn_declare_parameters(d, names[i], 1, &c->initial[i]);
  c->z = cdn_declare_z(d, 2 * c->length, NULL);
  for (int i = 0; i < 2 * c->length; i++) scale[i] = i < c->length ? 1 / c->initial[TIME] : 1;
  cdn_declare_z_scale(d, c->z, scale);
  return CDN_OK;
}

typedef struct chain_numbers {
  double kT, n, Q1, Q;
} chain_numbers;

static chain_numbers numbers_of(const chain *c, const cdn_state *state) {
  chain_numbers out = { .kT = *cdn_state_parameters(state, c->numbers[KT]),
                        .n = *cdn_state_parameters(state, c->numbers[FREEDOMS]) };
  const double tau = *cdn_state_parameters(state, c->numbers[TIME]);
  if (out.n == 0) out.n = cdn_system_nu(cdn_state_system(state));
  out.Q = out.kT * tau * tau;
  out.Q1 = out.n * out.Q;
  return out;
}

/* M u, in scratch that the caller gives back. */
static cdn_status momenta(cdn_state *state, double **p) {
  const double *u = cdn_state_u_eff(state);
  if (!u) return CDN_ERR_CALLBACK;
  *p = cdn_work_push(state, ((size_t)cdn_system_nu(cdn_state_system(state)) + 1) * sizeof **p);
  if (!*p) return CDN_ERR_NOMEM;
  const cdn_status status = cdn_multiply_by_M(state, u, *p);
  if (status != CDN_OK) cdn_work_pop(state, *p);
  return status;
}

static cdn_status calc_force(const void *self, cdn_state *state, cdn_forces *forces) {
  const chain *c = self;
  const cdn_system *system = cdn_state_system(state);
  const double xi = cdn_state_zvar(state, c->z)[0];
  double *p;
  if (xi == 0) return CDN_OK;
  CDNI_TRY(momenta(state, &p));
  for (int b = 1; b < cdn_system_body_count(system); b++) {
    const int first = cdn_body_first_u(system, (cdn_body){ b });
    for (int k = 0; k < cdn_body_nu(system, (cdn_body){ b }); k++)
      cdn_forces_add_mobility(forces, (cdn_body){ b }, k, -xi * p[first + k]);
  }
  cdn_work_pop(state, p);
  return CDN_OK;
}

static cdn_status calc_zdot(const void *self, cdn_state *state, double *zdot) {
  const chain *c = self;
  const chain_numbers at = numbers_of(c, state);
  const double *xi = cdn_state_zvar(state, c->z);
  double K;
  CDNI_TRY(cdn_kinetic_energy(state, &K));
  for (int k = 0; k < c->length; k++) {
    const double Q = k == 0 ? at.Q1 : at.Q, before = k == 1 ? at.Q1 : at.Q;
    zdot[k] = k == 0 ? (2 * K - at.n * at.kT) / Q : (before * xi[k - 1] * xi[k - 1] - at.kT) / Q;
    if (k + 1 < c->length) zdot[k] -= xi[k] * xi[k + 1];
    zdot[c->length + k] = xi[k];
  }
  return CDN_OK;
}

static bool allowed(double kT, double time, double freedoms) {
  return kT > 0 && time > 0 && freedoms >= 0 && isfinite(kT + time + freedoms);
}

cdn_force cdn_system_add_nose_hoover(cdn_system *system, const char *name, const cdn_nose_hoover_def *def) {
  force_adder a;
  cdn_nose_hoover_def d = nose_hoover_def_defaults;
  const cdn_force none = { -1 };
  const char *unreadable =
      def ? read_nose_hoover_def(&d, def) : "no def is given: start with cdn_default_nose_hoover_def()";
  CDNI_NEED_OBJECT(system, none);
  cdni_force_begin(&a, system, FORCE_CUSTOM, "cdn_system_add_nose_hoover", name);
  if (unreadable) cdni_adder_refuse(&a.by, def ? CDN_ERR_VERSION : CDN_ERR_ARG, "%s", unreadable);
  else if (!allowed(d.kT, d.time, d.freedoms))
    cdni_adder_refuse(&a.by, CDN_ERR_ARG, "kT is %g, time %g, freedoms %g: set the first two above 0", d.kT, d.time,
                      d.freedoms);
  else if (d.length < 1 || d.length > CDN_NOSE_HOOVER_MOST)
    cdni_adder_refuse(&a.by, CDN_ERR_ARG, "the chain's length is %d: it must be 1 to %d", d.length,
                      CDN_NOSE_HOOVER_MOST);
  if (!a.by.ok) return none;
  const chain c = { .length = d.length, .initial = { d.kT, d.time, d.freedoms } };
  cdn_force_ops ops = { .struct_size = sizeof ops, .reads = CDN_READS_EVERYTHING, .calc_force = calc_force };
  ops.subsystem = (cdn_subsystem_ops){ .struct_size = sizeof ops.subsystem,
                                       .name = a.by.name,
                                       .self_size = sizeof c,
                                       .declare = declare,
                                       .calc_zdot = calc_zdot };
  const cdn_force id = cdn_system_add_custom_force(system, &ops, &c);
  cdni_force_depends_on_masses(system, id);
  return id;
}

/* NULL: another force. */
static const chain *as_chain(const cdn_system *system, cdn_force force) {
  const char *kind = cdn_force_kind_name(system, force);
  if (!kind || strcmp(kind, "custom") != 0) return NULL;
  const cdn_subsystem subsystem = cdn_force_subsystem(system, force);
  return cdni_subsystem_ops(system, subsystem.i)->calc_zdot == calc_zdot ? cdn_subsystem_self(system, subsystem) : NULL;
}

static const chain *chain_of(cdn_state *state, const char *function, cdn_force force) {
  const chain *c = as_chain(cdn_state_system(state), force);
  if (!c) cdni_state_fail(state, CDN_ERR_ARG, false, function, NULL, "force %d is no Nose-Hoover chain", force.i);
  return c;
}

cdn_status cdn_nose_hoover_set(cdn_state *state, cdn_force force, double kT, double time, double freedoms) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  const chain *c = chain_of(state, __func__, force);
  const double values[NUMBERS] = { kT, time, freedoms };
  if (!c) return CDN_ERR_ARG;
  if (!allowed(kT, time, freedoms))
    return cdni_state_fail(state, CDN_ERR_ARG, false, __func__, NULL,
                           "kT is %g, time %g, freedoms %g: the first two must be above 0, the third not negative", kT,
                           time, freedoms);
  for (int i = 0; i < NUMBERS; i++) CDNI_TRY(cdn_state_set_parameters(state, c->numbers[i], 0, 1, &values[i]));
  return CDN_OK;
}

cdn_status cdn_nose_hoover_energy(cdn_state *state, cdn_force force, double *of_chain, double *conserved) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  const chain *c = chain_of(state, __func__, force);
  if (!c) return CDN_ERR_ARG;
  const chain_numbers at = numbers_of(c, state);
  const double *xi = cdn_state_zvar(state, c->z), *s = xi + c->length;
  double sum = 0, K = 0, U = 0;
  for (int k = 0; k < c->length; k++)
    sum += 0.5 * (k == 0 ? at.Q1 : at.Q) * xi[k] * xi[k] + (k == 0 ? at.n : 1) * at.kT * s[k];
  if (of_chain) *of_chain = sum;
  if (!conserved) return CDN_OK;
  CDNI_TRY(cdn_kinetic_energy(state, &K));
  CDNI_TRY(cdn_potential_energy(state, &U));
  *conserved = K + U + sum;
  return CDN_OK;
}

/* ---- a step of their own ---- */

double cdni_nose_hoover_friction(cdn_state *state) {
  const cdn_system *system = cdn_state_system(state);
  double sum = 0;
  for (int i = 0; i < cdn_system_force_count(system); i++) {
    const chain *c = as_chain(system, (cdn_force){ i });
    if (c && cdn_force_is_enabled(state, (cdn_force){ i })) sum += cdn_state_zvar(state, c->z)[0];
  }
  return sum;
}

/* What pushes link k, over its mass. */
static double push(const chain_numbers *at, const double *xi, int k, double twice_K) {
  if (k == 0) return (twice_K - at->n * at->kT) / at->Q1;
  return ((k == 1 ? at->Q1 : at->Q) * xi[k - 1] * xi[k - 1] - at->kT) / at->Q;
}

/* Half of link k's part of the time: pushed, with the friction of the next link before and after. */
static void turn_link(const chain_numbers *at, int length, double *xi, int k, double half, double twice_K) {
  const double friction = k + 1 < length ? exp(-0.5 * half * xi[k + 1]) : 1;
  xi[k] = friction * (friction * xi[k] + half * push(at, xi, k, twice_K));
}

/* The symmetric splitting of G. J. Martyna, M. E. Tuckerman, D. J. Tobias, M. L. Klein, Mol. Phys. 87:1117 (1996). */
static double turn(const chain *c, const chain_numbers *at, double *xi, double time, double K) {
  double *s = xi + c->length;
  for (int k = c->length; k-- > 0;) turn_link(at, c->length, xi, k, 0.5 * time, 2 * K);
  const double factor = exp(-time * xi[0]);
  for (int k = 0; k < c->length; k++) s[k] += time * xi[k];
  for (int k = 0; k < c->length; k++) turn_link(at, c->length, xi, k, 0.5 * time, 2 * K * factor * factor);
  return factor;
}

cdn_status cdni_nose_hoover_turn(cdn_state *state, double time, double K, double *factor) {
  const cdn_system *system = cdn_state_system(state);
  double z[2 * CDN_NOSE_HOOVER_MOST];
  *factor = 1;
  for (int i = 0; i < cdn_system_force_count(system); i++) {
    const chain *c = as_chain(system, (cdn_force){ i });
    if (!c || !cdn_force_is_enabled(state, (cdn_force){ i })) continue;
    const chain_numbers at = numbers_of(c, state);
    memcpy(z, cdn_state_zvar(state, c->z), 2 * (size_t)c->length * sizeof *z);
    *factor *= turn(c, &at, z, time, K * *factor * *factor);
    CDNI_TRY(cdn_state_set_zvar(state, c->z, z));
  }
  return CDN_OK;
}
