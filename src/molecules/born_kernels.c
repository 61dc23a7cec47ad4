/* One set of kernels of generalized Born solvents. Every pair of slots counts, within bodies, too: a Born radius
 * depends on all atoms. */
#include "molecules/born.h"
#include "molecules/kernel.h"

/* H(r, rho, s) of W. C. Still's integral over a sphere of radius s at distance r, from rho outwards, and its slope by
 * r. Where the sphere swallows the atom, rho < s - r, its inner part counts twice, as in AMBER. */
CDNI_INLINE wide descreen(wide r, wide inverse, wide rho, wide s, wide *slope) {
  const wide far = wide_add(r, s), near = wide_absolute(wide_sub(r, s)), low = wide_larger(rho, near);
  const wide both = wide_divide(wide_set(1), wide_mul(low, far));
  const wide l = wide_mul(far, both), u = wide_mul(low, both); /* 1/low, 1/far */
  const wide logarithm = wide_log(wide_mul(low, u));
  const wide squares = wide_mul(wide_sub(u, l), wide_add(u, l));
  const wide ss = wide_mul(wide_mul(s, s), inverse);
  const wide quarter = wide_set(0.25), half = wide_set(0.5);
  wide h = wide_fma(wide_mul(quarter, wide_sub(r, ss)), squares, wide_sub(l, u));
  h = wide_mul(half, wide_fma(wide_mul(half, inverse), logarithm, h));
  const wide inner = wide_where(wide_less(rho, wide_sub(s, r)), wide_sub(wide_divide(wide_set(1), rho), l));
  const wide_mask meets = wide_less(rho, far);
  wide d = wide_mul(wide_mul(quarter, wide_fma(ss, inverse, wide_set(1))), squares);
  d = wide_fnma(wide_mul(half, wide_mul(inverse, inverse)), logarithm, d);
  *slope = wide_where(meets, wide_mul(half, d));
  return wide_where(meets, wide_add(h, inner));
}

/* The same for spheres that lie apart, r - s >= rho: H = sum over k >= 1 of k/(2k + 1) x^(2k+1)/r, x = s/r, and the
 * slope is minus the sum of 2k (k + 1)/(2k + 1) x^(2k+1)/r^2. With x^2 below 1/16 (1/64) 14 (10) terms leave out less
 * than 1e-16 of the first, and nothing cancels. */
CDNI_INLINE wide descreen_apart(wide inverse, wide s, int terms, wide *slope) {
  const wide x = wide_mul(s, inverse), xx = wide_mul(x, x), cube = wide_mul(wide_mul(x, xx), inverse);
  wide h = wide_set(terms / (2.0 * terms + 1)), d = wide_set(2.0 * terms * (terms + 1) / (2 * terms + 1));
  for (int k = terms - 1; k >= 1; k--) {
    h = wide_fma(h, xx, wide_set(k / (2.0 * k + 1)));
    d = wide_fma(d, xx, wide_set(2.0 * k * (k + 1) / (2 * k + 1)));
  }
  *slope = wide_negate(wide_mul(wide_mul(cube, inverse), d));
  return wide_mul(cube, h);
}

/* How many terms serve all eight pairs, with the larger sphere s and the larger rho of both directions; 0: none does.
 * */
CDNI_INLINE int terms_for(wide r, wide rho, wide s) {
  const wide free = wide_larger(wide_mul(wide_set(4), s), wide_add(s, rho));
  if (!wide_all(wide_less(free, r))) return 0;
  return wide_all(wide_less(wide_mul(wide_set(8), s), r)) ? TERMS_FAR : TERMS_NEAR;
}

/* Both directions of eight pairs: what slots j take from the space of slot i, and the reverse, with slopes. */
typedef struct both_ways {
  wide to_i, to_j, slope_i, slope_j;
} both_ways;
CDNI_INLINE both_ways descreen_both(const field_born *c, int i, int j, wide r, wide inverse) {
  const wide rho_i = wide_set(c->rho[i]), s_i = wide_set(c->s[i]), rho_j = wide_load(c->rho + j),
             s_j = wide_load(c->s + j);
  both_ways b;
  const int terms = terms_for(r, wide_larger(rho_i, rho_j), wide_larger(wide_absolute(s_i), wide_absolute(s_j)));
  if (terms == TERMS_FAR) {
    b.to_i = descreen_apart(inverse, s_j, TERMS_FAR, &b.slope_i);
    b.to_j = descreen_apart(inverse, s_i, TERMS_FAR, &b.slope_j);
  } else if (terms == TERMS_NEAR) {
    b.to_i = descreen_apart(inverse, s_j, TERMS_NEAR, &b.slope_i);
    b.to_j = descreen_apart(inverse, s_i, TERMS_NEAR, &b.slope_j);
  } else {
    b.to_i = descreen(r, inverse, rho_i, s_j, &b.slope_i);
    b.to_j = descreen(r, inverse, rho_j, s_i, &b.slope_j);
  }
  return b;
}

/* The neck of two spheres, and its slope by r. */
CDNI_INLINE wide neck(wide r, wide m0, wide d0, wide cut, wide *slope) {
  const wide x = wide_sub(r, d0), x2 = wide_mul(x, x), x4 = wide_mul(x2, x2);
  const wide below = wide_fma(wide_mul(wide_set(3e5), x4), x2, wide_fma(wide_set(100), x2, wide_set(1)));
  const wide n = wide_where(wide_less(r, cut), wide_divide(m0, below));
  const wide rises = wide_mul(x, wide_fma(wide_set(1.8e6), x4, wide_set(200)));
  *slope = wide_negate(wide_divide(wide_mul(n, rises), below));
  return n;
}

/* Which of slots j ... j + 7 come after slot i. Blocks begin at multiples of eight. */
CDNI_INLINE wide_mask after(int i, int j) {
  static const double numbers[WIDE] = { 0, 1, 2, 3, 4, 5, 6, 7 };
  return wide_less(wide_set(i - j), wide_load(numbers));
}

typedef struct pair {
  wide dx, dy, dz, r2, inverse, r;
} pair;

CDNI_INLINE pair pair_of(const field_work *w, int i, int j, wide_mask counts) {
  pair p;
  p.dx = wide_sub(wide_set(w->x[i]), wide_load(w->x + j)), p.dy = wide_sub(wide_set(w->y[i]), wide_load(w->y + j));
  p.dz = wide_sub(wide_set(w->z[i]), wide_load(w->z + j));
  p.r2 = wide_fma(p.dx, p.dx, wide_fma(p.dy, p.dy, wide_mul(p.dz, p.dz)));
  p.r2 = wide_select(counts, p.r2, wide_set(1)); /* an atom and itself divide by no zero */
  p.inverse = wide_inverse_root(p.r2), p.r = wide_mul(p.r2, p.inverse);
  return p;
}

static void sum_integrals(const field_sum *sum, field_share *share) {
  const field *f = sum->f;
  const field_born *c = f->born;
  double *I = share->row;
  for (int i = share->first; i < share->end; i++) {
    const double *m0 = c->m0 + (c->n_kinds ? c->kind[i] * f->row : 0);
    const double *d0 = c->d0 + (m0 - c->m0), *cut = c->cut + (m0 - c->m0);
    const double *m0_back = c->m0_back + (m0 - c->m0), *d0_back = c->d0_back + (m0 - c->m0);
    wide own = wide_zero();
    for (int j = i / WIDE * WIDE; j < f->n; j += WIDE) {
      const wide_mask counts = after(i, j);
      const pair p = pair_of(sum->w, i, j, counts);
      const both_ways both = descreen_both(c, i, j, p.r, p.inverse);
      wide to_i = both.to_i, to_j = both.to_j;
      if (c->n_kinds) {
        wide slope;
        const wide end = wide_load(cut + j);
        to_i = wide_add(to_i, neck(p.r, wide_load(m0 + j), wide_load(d0 + j), end, &slope));
        to_j = wide_add(to_j, neck(p.r, wide_load(m0_back + j), wide_load(d0_back + j), end, &slope));
      }
      own = wide_add(own, wide_where(counts, to_i));
      wide_store(I + j, wide_add(wide_load(I + j), wide_where(counts, to_j)));
    }
    I[i] += wide_sum(own);
  }
  share->energy[0] = share->energy[1] = 0;
}

/* Pairs' energy: forces at constant Born radii, and slopes by these. */
static void sum_polar(const field_sum *sum, field_share *share) {
  const field *f = sum->f;
  const double *B = sum->b->B;
  double *by_radius = share->row;
  const wide solute = wide_set(1 / f->solvent.solute), solvent = wide_set(1 / f->solvent.solvent);
  const wide kappa = wide_set(-f->solvent.kappa);
  const bool salt = f->solvent.kappa > 0;
  wide total = wide_zero();
  for (int i = share->first; i < share->end; i++) {
    const wide B_i = wide_set(B[i]), q = wide_set(-sum->polar * sum->t->charge[i]);
    wide fx = wide_zero(), fy = wide_zero(), fz = wide_zero(), own = wide_zero();
    for (int j = i / WIDE * WIDE; j < f->n; j += WIDE) {
      const wide_mask counts = after(i, j);
      const pair p = pair_of(sum->w, i, j, counts);
      const wide B_j = wide_load(B + j), BB = wide_mul(B_i, B_j);
      const wide ratio = wide_divide(wide_mul(wide_set(0.25), p.r2), BB), e = wide_exp(wide_negate(ratio));
      const wide f2 = wide_fma(BB, e, p.r2), inverse = wide_inverse_root(f2), f1 = wide_mul(f2, inverse);
      const wide damp = salt ? wide_mul(solvent, wide_exp(wide_mul(kappa, f1))) : solvent;
      const wide qq = wide_where(counts, wide_mul(q, wide_load(sum->t->charge + j)));
      const wide energy = wide_mul(wide_mul(qq, wide_sub(solute, damp)), inverse);
      total = wide_add(total, energy);
      /* dE/df over f */
      wide by_f = wide_negate(wide_mul(energy, wide_mul(inverse, inverse)));
      if (salt) by_f = wide_fnma(wide_mul(qq, wide_mul(kappa, damp)), wide_mul(inverse, inverse), by_f);
      const wide s = wide_negate(wide_mul(by_f, wide_fnma(wide_set(0.25), e, wide_set(1))));
      /* df/dB_i = e (B_j + r^2/(4 B_i))/(2 f) = e B_j (1 + ratio)/(2 f) */
      const wide by_B = wide_mul(wide_mul(wide_set(0.5), by_f), wide_mul(e, wide_add(wide_set(1), ratio)));
      own = wide_fma(by_B, B_j, own);
      wide_store(by_radius + j, wide_fma(by_B, B_i, wide_load(by_radius + j)));
      fx = wide_fma(s, p.dx, fx), fy = wide_fma(s, p.dy, fy), fz = wide_fma(s, p.dz, fz);
      wide_store(share->fx + j, wide_fnma(s, p.dx, wide_load(share->fx + j)));
      wide_store(share->fy + j, wide_fnma(s, p.dy, wide_load(share->fy + j)));
      wide_store(share->fz + j, wide_fnma(s, p.dz, wide_load(share->fz + j)));
    }
    by_radius[i] += wide_sum(own);
    share->fx[i] += wide_sum(fx), share->fy[i] += wide_sum(fy), share->fz[i] += wide_sum(fz);
  }
  share->energy[0] = wide_sum(total), share->energy[1] = 0;
}

/* Forces through the integrals I, whose slopes are in b->slope. */
static void sum_chain(const field_sum *sum, field_share *share) {
  const field *f = sum->f;
  const field_born *c = f->born;
  const double *by_integral = sum->b->slope;
  for (int i = share->first; i < share->end; i++) {
    const wide slope_i = wide_set(by_integral[i]);
    const double *m0 = c->m0 + (c->n_kinds ? c->kind[i] * f->row : 0);
    const double *d0 = c->d0 + (m0 - c->m0), *cut = c->cut + (m0 - c->m0);
    const double *m0_back = c->m0_back + (m0 - c->m0), *d0_back = c->d0_back + (m0 - c->m0);
    wide fx = wide_zero(), fy = wide_zero(), fz = wide_zero();
    for (int j = i / WIDE * WIDE; j < f->n; j += WIDE) {
      const wide_mask counts = after(i, j);
      const pair p = pair_of(sum->w, i, j, counts);
      const wide slope_j = wide_load(by_integral + j);
      const both_ways both = descreen_both(c, i, j, p.r, p.inverse);
      wide by_r = wide_fma(slope_i, both.slope_i, wide_mul(slope_j, both.slope_j));
      if (c->n_kinds) {
        const wide end = wide_load(cut + j);
        wide slope, back;
        neck(p.r, wide_load(m0 + j), wide_load(d0 + j), end, &slope);
        neck(p.r, wide_load(m0_back + j), wide_load(d0_back + j), end, &back);
        by_r = wide_fma(slope_i, slope, wide_fma(slope_j, back, by_r));
      }
      const wide force = wide_where(counts, wide_negate(wide_mul(by_r, p.inverse)));
      fx = wide_fma(force, p.dx, fx), fy = wide_fma(force, p.dy, fy), fz = wide_fma(force, p.dz, fz);
      wide_store(share->fx + j, wide_fnma(force, p.dx, wide_load(share->fx + j)));
      wide_store(share->fy + j, wide_fnma(force, p.dy, wide_load(share->fy + j)));
      wide_store(share->fz + j, wide_fnma(force, p.dz, wide_load(share->fz + j)));
    }
    share->fx[i] += wide_sum(fx), share->fy[i] += wide_sum(fy), share->fz[i] += wide_sum(fz);
  }
  share->energy[0] = share->energy[1] = 0;
}

const born_kernels KERNEL_NAME(cdni_born_kernels) = { sum_integrals, sum_polar, sum_chain };
