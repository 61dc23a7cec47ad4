/* Alanine dipeptide in OBC2 with Fixman's potential: Hamiltonian Monte Carlo, Nose-Hoover chains and Langevin dynamics
 * sample one density of phi and psi, that of exp(-U/RT). Three methods are compared with each other, by the spread of
 * blocks that are many autocorrelation times long. CARDAN_TEST_LONG: else <exp(-dH/RT)> = 1 alone. */
#include <cardan/fixman.h>

#include "averages.h"

/* Hot, so that barriers are passed often. */
static const double TEMPERATURE = 3000, kT = 3000 * CDN_GAS_CONSTANT;

typedef struct model {
  cdn_state *state;
  cdn_force field, chain;
} model;

/* All torsions. `held`: the root stays, so that nothing but torsions moves and no momentum is conserved, which a
 * Nose-Hoover chain alone would not thermalize. The density of torsions is the same. */
static bool make(model *out, bool held, bool chain) {
  char path[512];
  const char *directory = getenv("CARDAN_SHARED");
  cdn_prmtop *prmtop = NULL;
  cdn_restart *restart = NULL;
  snprintf(path, sizeof path, "%s/molecular/alanine-dipeptide.prmtop", directory ? directory : "../shared");
  FILE *file = fopen(path, "r");
  if (!file) return false;
  fclose(file);
  OK(cdn_prmtop_load(path, NULL, &prmtop));
  snprintf(path, sizeof path, "%s/molecular/alanine-dipeptide.inpcrd", directory ? directory : "../shared");
  OK(cdn_restart_load(path, prmtop, NULL, &restart));
  ck_assert_str_eq(prmtop->name[8], "CA");
  cdn_molecule *m = cdn_molecule_from_prmtop(prmtop, restart->positions);
  cdn_solvent_def solvent = cdn_default_solvent_def();
  solvent.model = CDN_SOLVENT_OBC2;
  cdn_molecule_set_solvent(m, &solvent);
  cdn_molecule_set_mobility(m, "torsions");
  cdn_system *system = cdn_system_create(NULL);
  out->field = cdn_system_add_molecule(system, NULL, m, cdn_ground());
  cdn_fixman_def fixman = cdn_default_fixman_def();
  fixman.temperature = TEMPERATURE;
  cdn_system_add_fixman(system, NULL, &fixman);
  cdn_nose_hoover_def def = cdn_default_nose_hoover_def();
  def.kT = kT, def.time = 0.1, def.freedoms = 7;
  out->chain = chain ? cdn_system_add_nose_hoover(system, NULL, &def) : (cdn_force){ -1 };
  out->state = state_of(system);
  if (held) OK_ON(out->state, cdn_body_lock(out->state, (cdn_body){ 1 }, CDN_LEVEL_POSITION));
  cdn_molecule_destroy(m);
  cdn_prmtop_destroy(prmtop);
  cdn_restart_destroy(restart);
  return true;
}

static double dihedral(const double *x, const int atom[4]) {
  cdn_vec3 p[4];
  for (int i = 0; i < 4; i++) p[i] = cdn_v3(x[3 * atom[i]], x[3 * atom[i] + 1], x[3 * atom[i] + 2]);
  const cdn_vec3 u = cdn_sub(p[1], p[0]), v = cdn_sub(p[2], p[1]), w = cdn_sub(p[3], p[2]);
  return atan2(cdn_norm(v) * cdn_dot(u, cdn_cross(v, w)), cdn_dot(cdn_cross(u, v), cdn_cross(v, w)));
}

/* ---- histograms ---- */

enum { BINS = 8, ANGLES = 2, SLOW = 2 * ANGLES };

/* By angle and bin: what part of the samples is there. */
typedef struct histogram {
  const char *method;
  int64_t n;
  average part[ANGLES][BINS];
  float *slow[SLOW]; /* cosines and sines in all samples, for their autocorrelation: a sine of phi tells rare visits */
} histogram;

static histogram histogram_of(const char *method, int64_t n) {
  histogram h = { .method = method };
  for (int k = 0; k < SLOW; k++) h.slow[k] = malloc((size_t)n * sizeof(float));
  for (int a = 0; a < ANGLES; a++)
    for (int b = 0; b < BINS; b++) h.part[a][b] = average_of(n);
  return h;
}

static void look(histogram *h, cdn_state *state, cdn_force field) {
  static const int phi[4] = { 4, 6, 8, 14 }, psi[4] = { 6, 8, 14, 16 };
  double x[66];
  OK_ON(state, cdn_force_field_positions(state, field, x));
  const double angle[ANGLES] = { dihedral(x, phi), dihedral(x, psi) };
  for (int a = 0; a < ANGLES; a++) {
    const int at = (int)((angle[a] + PI) / (2 * PI) * BINS) % BINS;
    for (int b = 0; b < BINS; b++) take(&h->part[a][b], b == at);
    h->slow[2 * a][h->n] = (float)cos(angle[a]), h->slow[2 * a + 1][h->n] = (float)sin(angle[a]);
  }
  h->n++;
}

/* The integrated autocorrelation time, in samples, with Sokal's window: as far as five times itself. */
static double autocorrelation(const float *x, int64_t n) {
  double mean = 0, variance = 0, sum = 0.5;
  for (int64_t i = 0; i < n; i++) mean += x[i] / (double)n;
  for (int64_t i = 0; i < n; i++) variance += (x[i] - mean) * (x[i] - mean) / (double)n;
  for (int64_t lag = 1; lag < n / 20 && (double)lag < 10 * sum; lag++) {
    double c = 0;
    for (int64_t i = 0; i + lag < n; i++) c += (x[i] - mean) * (x[i + lag] - mean);
    sum += c / (double)(n - lag) / variance;
  }
  return 2 * sum;
}

/* Blocks are independent: they are longer than ten autocorrelation times. */
static void check_blocks(const histogram *h) {
  static const char *const names[SLOW] = { "cos phi", "sin phi", "cos psi", "sin psi" };
  for (int k = 0; k < SLOW; k++) {
    const double time = autocorrelation(h->slow[k], h->n), block = (double)h->n / BLOCKS;
    if (getenv("CARDAN_TEST_VERBOSE"))
      printf("%s: %s has an autocorrelation time of %.0f samples, a block %.0f\n", h->method, names[k], time, block);
    ck_assert_msg(block > 10 * time, "%s: the autocorrelation time of %s is %.0f samples, a block has %.0f", h->method,
                  names[k], time, block);
  }
}

/* ---- two methods ---- */

/* The covariance of two bins' means, by blocks. */
static double covariance(const average *a, const average *b) {
  double e, f, sum = 0;
  const double p = mean_of(a, &e), q = mean_of(b, &f);
  for (int k = 0; k < BLOCKS; k++)
    sum += (a->sum[k] / (double)a->per_block - p) * (b->sum[k] / (double)b->per_block - q);
  return sum / BLOCKS / (BLOCKS - 1);
}

/* d^T C^-1 d, by elimination; the numbers are destroyed. C is positive definite. */
static double squared(int n, double C[BINS][BINS], double *d) {
  double sum = 0;
  for (int i = 0; i < n; i++) {
    for (int k = i + 1; k < n; k++) {
      const double factor = C[k][i] / C[i][i];
      for (int j = i; j < n; j++) C[k][j] -= factor * C[i][j];
      d[k] -= factor * d[i];
    }
    sum += d[i] * d[i] / C[i][i];
  }
  return sum;
}

/* Hotelling's T^2 of the differences: bins of one angle fill and empty together, so that it matters how they are
 * correlated. Its mean is n (2 BLOCKS - 2)/(2 BLOCKS - 3 - n) for n bins. Chance makes it larger than the bound in one
 * of ten thousand comparisons. One bin follows from the others; those that are seldom visited have no known error. */
static void check_same(const histogram *h, const histogram *k) {
  for (int a = 0; a < ANGLES; a++) {
    double C[BINS][BINS], d[BINS];
    int bin[BINS], n = 0;
    for (int b = 0; b < BINS; b++) {
      double e, f;
      const double p = mean_of(&h->part[a][b], &e), q = mean_of(&k->part[a][b], &f), error = hypot(e, f);
      if (getenv("CARDAN_TEST_VERBOSE"))
        printf("%-12s %-12s %s %d: %.4f %.4f, %.1f\n", h->method, k->method, a ? "psi" : "phi", b, p, q,
               error > 0 ? (p - q) / error : 0);
      ck_assert_msg(error < 0.012, "%s and %s: the error of bin %d is %.3f", h->method, k->method, b, error);
      if (p + q > 0.02 && b < BINS - 1) d[n] = p - q, bin[n++] = b;
    }
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        C[i][j] =
            covariance(&h->part[a][bin[i]], &h->part[a][bin[j]]) + covariance(&k->part[a][bin[i]], &k->part[a][bin[j]]);
    const double T2 = squared(n, C, d), scale = (2 * BLOCKS - 2.0) / (2 * BLOCKS - 3 - n);
    if (getenv("CARDAN_TEST_VERBOSE"))
      printf("%-12s %-12s %s: T^2 = %.1f of %d bins\n", h->method, k->method, a ? "psi" : "phi", T2, n);
    ck_assert_msg(n >= 4 && T2 < scale * (n + 6 * sqrt(2.0 * n)), "%s and %s: T^2 of %s is %.1f of %d bins", h->method,
                  k->method, a ? "psi" : "phi", T2, n);
  }
}

/* ---- three methods ---- */

static histogram by_hmc(int64_t n) {
  model m;
  ck_assert(make(&m, false, false));
  cdn_hmc_def def = cdn_default_hmc_def();
  def.kT = kT, def.step = 0.006, def.steps = 10;
  cdn_hmc *hmc = sampler(m.state, &def);
  histogram h = histogram_of("HMC", n);
  for (int64_t i = -n / 50; i < n; i++) {
    advance(hmc, 1);
    if (i >= 0) look(&h, cdn_hmc_state(hmc), m.field);
  }
  check_balance(hmc, 0.5);
  cdn_hmc_destroy(hmc);
  return h;
}

static histogram by_langevin(int64_t n) {
  model m;
  ck_assert(make(&m, true, false));
  cdn_hmc_def def = cdn_default_hmc_def();
  def.kT = kT, def.step = 0.002, def.steps = 1, def.no_metropolis = true, def.friction = 3;
  cdn_hmc *hmc = sampler(m.state, &def);
  histogram h = histogram_of("Langevin", n);
  for (int64_t i = -n / 50; i < n; i++) {
    advance(hmc, 30);
    if (i >= 0) look(&h, cdn_hmc_state(hmc), m.field);
  }
  cdn_hmc_destroy(hmc);
  return h;
}

/* Steps that turn the chain before and behind each of them. */
static histogram by_nose_hoover(int64_t n) {
  model m;
  ck_assert(make(&m, true, true));
  OK_ON(m.state, cdn_draw_speeds(m.state, kT, 0, 0));
  cdn_hmc_def def = cdn_default_hmc_def();
  def.kT = kT, def.step = 0.002, def.no_metropolis = true;
  cdn_hmc *hmc = sampler(m.state, &def);
  histogram h = histogram_of("Nose-Hoover", n);
  for (int64_t i = -n / 50; i < n; i++) {
    OK_ON(cdn_hmc_state(hmc), cdn_hmc_steps(hmc, def.step, 30));
    if (i >= 0) look(&h, cdn_hmc_state(hmc), m.field);
  }
  cdn_hmc_destroy(hmc);
  return h;
}

START_TEST(methods_agree) {
  model m;
  if (!make(&m, false, false)) SKIP("no files of molecules");
  cdn_state_destroy(m.state);
  const int64_t N = 150000;
  histogram h[3] = { by_hmc(N), by_langevin(N), by_nose_hoover(N) };
  for (int i = 0; i < 3; i++) check_blocks(&h[i]);
  for (int i = 0; i < 3; i++) check_same(&h[i], &h[(i + 1) % 3]);
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < SLOW; k++) free(h[i].slow[k]);
}
END_TEST

START_TEST(exponentials_average_to_one) {
  model m;
  if (!make(&m, false, false)) SKIP("no files of molecules");
  cdn_hmc_def def = cdn_default_hmc_def();
  def.kT = kT, def.step = 0.006, def.steps = 10;
  cdn_hmc *hmc = sampler(m.state, &def);
  advance(hmc, FEWER(600));
  check_balance(hmc, 0.5);
  cdn_hmc_destroy(hmc);
}
END_TEST

static void tests(TCase *tc) {
  tcase_add_test(tc, exponentials_average_to_one);
  if (is_long()) tcase_add_test(tc, methods_agree);
}

CHECK_MAIN_OF("alanine_sampling", CHECK_TIMEOUT, tests)
