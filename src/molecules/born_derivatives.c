/* Second derivatives of generalized Born solvents, one pair at a time. The energy is a function of positions and of the
 * integrals I, each of which is a sum over pairs. So with rows D = dI/dq and C = d/dq dE/dI at constant I,
 *
 *   d2E/dq2 = that of the pairs, with dE/dI as weights of the integrals' own, + D^T (d2E/dI2 D + C) + C^T D. */
#include <math.h>

#include "molecules/born.h"
#include "molecules/derivatives.h"
#include "system/system.h"

typedef struct born_second {
  double k, surface;  /* Coulomb's constant times the polar term's factor; the surface term's factor */
  born_work b;        /* slope: dE/dI */
  double *by_I, *own; /* dB/dI; d2E/dI2 of an integral with itself */
} born_second;

/* ---- energies of two charges ---- */

/* A function with its first two derivatives. */
typedef struct curve {
  double value, slope, curvature;
} curve;

/* (1/solute - exp(-kappa f)/solvent)/f */
static curve screened(const field *f, double at) {
  const double kappa = f->solvent.kappa, damp = exp(-kappa * at) / f->solvent.solvent;
  const double value = (1 / f->solvent.solute - damp) / at, slope = (kappa * damp - value) / at;
  return (curve){ value, slope, -(kappa * kappa * damp + 2 * slope) / at };
}

/* Of R = r^2 and P = B_i B_j. */
typedef struct polar {
  double by_R, by_P, by_RR, by_RP, by_PP;
} polar;

static polar polar_of(const second *s, int i, int j, double R) {
  const born_second *x = s->born;
  const double P = x->b.B[i] * x->b.B[j], ratio = R / (4 * P), e = exp(-ratio), f = sqrt(R + P * e);
  const curve of_f = screened(s->f, f);
  const double qq = -x->k * s->t.charge[i] * s->t.charge[j];
  /* by f^2 */
  const double once = qq * of_f.slope / (2 * f), twice = qq * (of_f.curvature - of_f.slope / f) / (4 * f * f);
  const double by_R = 1 - e / 4, by_P = e * (1 + ratio);
  return (polar){ .by_R = once * by_R,
                  .by_P = once * by_P,
                  .by_RR = twice * by_R * by_R + once * e / (16 * P),
                  .by_RP = twice * by_R * by_P - once * e * ratio / (4 * P),
                  .by_PP = twice * by_P * by_P + once * e * ratio * ratio / P };
}

/* ---- integrals ---- */

/* What an atom of radius rho takes from a sphere s at distance r: derivatives by r. kernels say where the formulas are
 * from (born_kernels.c). */
static curve descreened(double r, double rho, double s) {
  curve h = { 0 };
  if (r - s >= rho && r > 4 * s) { /* x = s/r; nothing cancels */
    const double x = s / r, xx = x * x;
    for (int k = TERMS_NEAR; k >= 1; k--) {
      const double c = 2.0 * k * (k + 1) / (2 * k + 1);
      h.slope = h.slope * xx + c, h.curvature = h.curvature * xx + c * (2 * k + 3);
    }
    h.slope *= -x * xx / (r * r), h.curvature *= x * xx / (r * r * r);
    return h;
  }
  const double far = r + s, near = fabs(r - s), low = fmax(rho, near);
  if (rho >= far) return h;
  const double u = 1 / far, l = 1 / low, squares = (u - l) * (u + l), logarithm = log(low * u);
  const double ratio = s * s / (r * r), by_r = 1 / r, grows = near < rho ? 0 : r < s ? -1 : 1;
  h.slope = 0.5 * (0.25 * (1 + ratio) * squares - 0.5 * by_r * by_r * logarithm);
  h.curvature = 0.5 * by_r * (by_r * by_r * logarithm - 0.5 * ratio * squares);
  h.curvature -= 0.25 * ((1 + ratio) * u * u * u - by_r * by_r * u);
  h.curvature += grows * 0.25 * ((1 + ratio) * l * l * l - by_r * by_r * l);
  return h;
}

static curve neck(double r, double m0, double d0, double end) {
  if (!(r < end)) return (curve){ 0 };
  const double x = r - d0, x2 = x * x, x4 = x2 * x2, below = 1 + 100 * x2 + 3e5 * x4 * x2;
  const double rises = x * (200 + 1.8e6 * x4), bends = 200 + 9e6 * x4, n = m0 / below;
  return (curve){ n, -n * rises / below, n * (2 * rises * rises / below - bends) / below };
}

/* How I_i varies with the distance of slots i and j. */
static curve integral(const field *f, int i, int j, double r) {
  const field_born *c = f->born;
  curve h = descreened(r, c->rho[i], c->s[j]);
  if (c->n_kinds > 0) {
    const int at = c->kind[i] * f->row + j;
    const curve n = neck(r, c->m0[at], c->d0[at], c->cut[at]);
    h.slope += n.slope, h.curvature += n.curvature;
  }
  return h;
}

/* ---- by the integrals ---- */

/* dE/dI of all, and d2E/dI2 of each. */
static void find_slopes(const second *s) {
  const field *f = s->f;
  born_second *x = s->born;
  const double *B = x->b.B;
  memset(x->b.slope, 0, (size_t)f->row * sizeof *x->b.slope), memset(x->own, 0, (size_t)f->n * sizeof *x->own);
  for (int i = 0; i < f->n; i++)
    for (int j = 0; j < i; j++) {
      const double dx = s->w.x[i] - s->w.x[j], dy = s->w.y[i] - s->w.y[j], dz = s->w.z[i] - s->w.z[j];
      const polar p = polar_of(s, i, j, dx * dx + dy * dy + dz * dz);
      x->b.slope[i] += p.by_P * B[j], x->own[i] += p.by_PP * B[j] * B[j];
      x->b.slope[j] += p.by_P * B[i], x->own[j] += p.by_PP * B[i] * B[i];
    }
  for (int i = 0; i < f->n; i++) {
    const curve self = screened(f, B[i]);
    const double q = s->t.charge[i], half = -0.5 * x->k * q * q, area = x->surface * mol_born_surface(f, i, B[i]);
    const born_radius radius = mol_born_radius(f, i, x->b.I[i]);
    const double slope = x->b.slope[i] + half * self.slope - 6 * area / B[i];
    const double curvature = x->own[i] + half * self.curvature + 42 * area / (B[i] * B[i]);
    x->by_I[i] = radius.slope;
    x->b.slope[i] = slope * radius.slope;
    x->own[i] = curvature * radius.slope * radius.slope + slope * radius.curvature;
  }
}

cdn_status mol_begin_born(second *s, cdn_state *state) {
  const field *f = s->f;
  const double *factor = s->factor;
  if (!f->born || (factor[CDN_TERM_POLAR] == 0 && factor[CDN_TERM_SURFACE] == 0)) return CDN_OK;
  const size_t row = (size_t)f->row;
  born_second *x = cdn_work_push(state, sizeof *x + 5 * row * sizeof(double));
  if (!x) return cdni_state_fail(state, CDN_ERR_NOMEM, false, "cdn_realize", f->name, "out of memory");
  double *memory = (double *)(x + 1);
  *x = (born_second){ .k = f->coulomb_constant * factor[CDN_TERM_POLAR], .surface = factor[CDN_TERM_SURFACE] };
  x->b = (born_work){ memory, memory + row, memory + 2 * row };
  x->by_I = memory + 3 * row, x->own = memory + 4 * row;
  s->born = x;
  CDNI_TRY(mol_calc_born_radii(f, state, &s->w, &x->b));
  find_slopes(s);
  return CDN_OK;
}

void mol_end_born(second *s, cdn_state *state) {
  if (s->born) cdn_work_pop(state, s->born);
  s->born = NULL;
}

void mol_add_born_pair(const second *s, int i, int j, double r, double *slope, double *curvature) {
  const born_second *x = s->born;
  const field *f = s->f;
  const double R = r * r, at_i = x->b.slope[i], at_j = x->b.slope[j];
  const polar p = polar_of(s, i, j, R);
  const curve of_i = integral(f, i, j, r), of_j = integral(f, j, i, r);
  *slope += 2 * R * p.by_R + r * (at_i * of_i.slope + at_j * of_j.slope);
  *curvature += 2 * R * p.by_R + 4 * R * R * p.by_RR + R * (at_i * of_i.curvature + at_j * of_j.curvature);
}

/* ---- the rest ---- */

/* Rows of matter's nu numbers: D of all slots; a row of C, and one of d2E/dI2 D + C. */
typedef struct rows {
  size_t nu;
  double *D, *C, *sum;
  double *gradient; /* of one number, by bodies of the web */
} rows;

/* d/dr of a number of slot i by the distance of slot j, over r. */
typedef double by_distance(const second *s, int i, int j, double r);
static double of_integral(const second *s, int i, int j, double r) { return integral(s->f, i, j, r).slope / r; }
static double of_slope(const second *s, int i, int j, double r) {
  return 2 * polar_of(s, i, j, r * r).by_RP * s->born->b.B[j] * s->born->by_I[i];
}

static cdn_status find_row(const second *s, cdn_force_derivatives *d, int i, by_distance *of, const rows *x,
                           double *to) {
  const field *f = s->f;
  memset(x->gradient, 0, SPATIAL * (size_t)f->n_bodies * sizeof *x->gradient);
  for (int j = 0; j < f->n; j++) {
    const v3 b = mol_at_slot(s, j), e = v3_sub(b, mol_at_slot(s, i));
    if (s->home[j] == s->home[i]) continue;
    const v3 g = v3_scale(of(s, i, j, sqrt(v3_dot(e, e))), e), moment = v3_cross(b, g);
    double *sum = x->gradient + SPATIAL * s->home[j];
    sum[0] += moment.x, sum[1] += moment.y, sum[2] += moment.z, sum[3] += g.x, sum[4] += g.y, sum[5] += g.z;
  }
  return cdni_force_derivatives_of_number(d, &s->web, s->home[i], x->gradient, to);
}

static cdn_status add_slot(const second *s, cdn_force_derivatives *d, int i, const rows *x) {
  const field *f = s->f;
  const born_second *born = s->born;
  const double *B = born->b.B;
  CDNI_TRY(find_row(s, d, i, of_slope, x, x->C));
  memcpy(x->sum, x->C, x->nu * sizeof *x->sum);
  for (int j = 0; j < f->n; j++) {
    double both = born->own[i];
    if (j != i) {
      const v3 e = v3_sub(mol_at_slot(s, j), mol_at_slot(s, i));
      const polar p = polar_of(s, i, j, v3_dot(e, e));
      both = (p.by_PP * B[i] * B[j] + p.by_P) * born->by_I[i] * born->by_I[j];
    }
    const double *row = x->D + x->nu * (size_t)j;
    for (size_t k = 0; k < x->nu; k++) x->sum[k] += both * row[k];
  }
  cdni_force_derivatives_add_product(d, x->D + x->nu * (size_t)i, x->sum);
  cdni_force_derivatives_add_product(d, x->C, x->D + x->nu * (size_t)i);
  return CDN_OK;
}

cdn_status mol_add_born_derivatives(const second *s, cdn_state *state, cdn_force_derivatives *d) {
  const field *f = s->f;
  rows x = { .nu = (size_t)cdni_matter(cdn_state_system(state))->tree.nu };
  double *memory = cdn_work_push(state, (x.nu * ((size_t)f->n + 2) + SPATIAL * (size_t)f->n_bodies) * sizeof *memory);
  if (!memory) return cdni_state_fail(state, CDN_ERR_NOMEM, false, "cdn_realize", f->name, "out of memory");
  x.D = memory, x.C = x.D + x.nu * (size_t)f->n, x.sum = x.C + x.nu, x.gradient = x.sum + x.nu;
  cdn_status status = CDN_OK;
  for (int i = 0; i < f->n && !status; i++) status = find_row(s, d, i, of_integral, &x, x.D + x.nu * (size_t)i);
  for (int i = 0; i < f->n && !status; i++) status = add_slot(s, d, i, &x);
  cdn_work_pop(state, memory);
  return status;
}
