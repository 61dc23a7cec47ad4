/* One set of kernels of pairs. */
#include "molecules/kernel.h"

/* ---- slots that are left out ---- */

/* Marks the slots that slot i leaves out, and those of its body from slot `from` on, or takes the marks away: their
 * squared distances are larger by `far`. */
CDNI_INLINE void mark(const field *f, double *row, int i, int from, double far) {
  for (int k = f->left_start[i]; k < f->left_start[i + 1]; k++) row[f->left_out[k]] = far;
  for (int k = from; k < f->next[i]; k++) row[k] = far;
}
static const double FAR = 1e300;

/* ---- one atom and eight others ---- */

typedef struct atom {
  wide x, y, z, charge; /* charge: times Coulomb's constant and its factor */
  const double *A, *B;
  wide fx, fy, fz; /* the force on it */
} atom;

CDNI_INLINE atom atom_at(const field_sum *sum, int i) {
  const field_tables *t = sum->t;
  const size_t row = (size_t)sum->f->type[i] * (size_t)sum->f->row;
  return (atom){ .x = wide_set(sum->w->x[i]),
                 .y = wide_set(sum->w->y[i]),
                 .z = wide_set(sum->w->z[i]),
                 .charge = wide_set(t->coulomb * t->charge[i]),
                 .A = t->A + row,
                 .B = t->B + row,
                 .fx = wide_zero(),
                 .fy = wide_zero(),
                 .fz = wide_zero() };
}

typedef struct eight {
  wide dx, dy, dz, r2;
} eight;

CDNI_INLINE eight eight_from(const field_sum *sum, const double *far, const atom *a, int j) {
  const field_work *w = sum->w;
  eight e = { .dx = wide_sub(a->x, wide_load(w->x + j)),
              .dy = wide_sub(a->y, wide_load(w->y + j)),
              .dz = wide_sub(a->z, wide_load(w->z + j)) };
  e.r2 = wide_fma(e.dx, e.dx, wide_fma(e.dy, e.dy, wide_fma(e.dz, e.dz, wide_load(far + j))));
  return e;
}

/* Adds forces of s = -dE/dr over r. */
CDNI_INLINE void push(field_share *share, atom *a, const eight *e, int j, wide s) {
  a->fx = wide_fma(s, e->dx, a->fx), a->fy = wide_fma(s, e->dy, a->fy), a->fz = wide_fma(s, e->dz, a->fz);
  wide_store(share->fx + j, wide_fnma(s, e->dx, wide_load(share->fx + j)));
  wide_store(share->fy + j, wide_fnma(s, e->dy, wide_load(share->fy + j)));
  wide_store(share->fz + j, wide_fnma(s, e->dz, wide_load(share->fz + j)));
}
CDNI_INLINE void push_own(field_share *share, const atom *a, int i) {
  share->fx[i] += wide_sum(a->fx), share->fy[i] += wide_sum(a->fy), share->fz[i] += wide_sum(a->fz);
}

/* ---- all pairs ---- */

static void sum_dense(const field_sum *sum, field_share *share) {
  const field *f = sum->f;
  const wide factor = wide_set(sum->t->lj);
  wide sum_lj = wide_zero(), sum_coulomb = wide_zero();
  for (int i = share->first; i < share->end; i++) {
    const int begin = f->next[i];
    mark(f, share->row, i, begin, FAR);
    atom a = atom_at(sum, i);
    for (int j = begin; j < f->n; j += WIDE) {
      const eight e = eight_from(sum, share->row, &a, j);
      const wide inverse = wide_inverse_root(e.r2), inverse2 = wide_mul(inverse, inverse);
      const wide inverse6 = wide_mul(inverse2, wide_mul(inverse2, inverse2)), scaled6 = wide_mul(factor, inverse6);
      const wide c = wide_mul(wide_mul(a.charge, wide_load(sum->t->charge + j)), inverse);
      const wide a6 = wide_mul(wide_load(a.A + j), inverse6), b6 = wide_load(a.B + j);
      sum_coulomb = wide_add(sum_coulomb, c);
      sum_lj = wide_fma(scaled6, wide_sub(a6, b6), sum_lj);
      /* -dE/dr times r */
      const wide slope =
          wide_fma(wide_mul(wide_set(6), scaled6), wide_fma(wide_set(2), a6, wide_sub(wide_zero(), b6)), c);
      push(share, &a, &e, j, wide_mul(slope, inverse2));
    }
    push_own(share, &a, i);
    mark(f, share->row, i, begin, 0);
  }
  share->energy[0] = wide_sum(sum_lj), share->energy[1] = wide_sum(sum_coulomb);
}

/* ---- pairs within a cutoff ----
 *
 * What the list has beyond the cutoff adds zeros, and the eight side by side are always the same: so the sum has the
 * same bits, whichever list it is made by. Eights within the cutoff are found first, without a branch, and then summed:
 * first those that the switch does not touch, then the others. So nothing waits for a branch that was guessed wrong. */

typedef struct cut_numbers {
  wide_part distance2, first, first2, by_width, krf, two_krf, crf, factor, six_factor;
} cut_numbers;

static cut_numbers cut_numbers_of(const field_sum *sum) {
  const field_cutoff *c = &sum->f->cutoff;
  const double width = c->distance - c->first, lj = sum->t->lj;
  return (cut_numbers){ .distance2 = part_set(c->distance * c->distance),
                        .first = part_set(c->first),
                        .first2 = part_set(c->first * c->first),
                        .by_width = part_set(width > 0 ? 1 / width : 0),
                        .krf = part_set(c->krf),
                        .two_krf = part_set(2 * c->krf),
                        .crf = part_set(c->crf),
                        .factor = part_set(lj),
                        .six_factor = part_set(6 * lj) };
}

/* -dE/dr over r, zero where `within` is false; energies are added. */
CDNI_INLINE wide_part cut_slope(const cut_numbers *c, bool switched, wide_part_mask within, wide_part r2, wide_part A,
                                wide_part B, wide_part charges, wide_part *sum_lj, wide_part *sum_coulomb) {
  const wide_part inverse = part_inverse_root(r2), inverse2 = inverse * inverse;
  const wide_part inverse6 = part_where(within, inverse2 * (inverse2 * inverse2)), a6 = A * inverse6, d6 = a6 - B;
  const wide_part qq = part_where(within, charges);
  wide_part lj = c->factor * inverse6 * d6, slope = c->six_factor * inverse6 * (a6 + d6);
  if (switched) {
    const wide_part r = r2 * inverse, beyond = r - c->first;
    const wide_part x = part_where(within & (beyond > 0), beyond * c->by_width), xx = x * x;
    const wide_part polynomial = part_fma(x, part_fma(x, part_set(-6), part_set(15)), part_set(-10));
    const wide_part keep = part_fma(xx * x, polynomial, part_set(1));
    const wide_part fade = part_set(-30) * xx * part_fma(x, x - 2, part_set(1));
    slope = part_fnma(lj * fade, part_where(within, r) * c->by_width, slope * keep);
    lj *= keep;
  }
  *sum_lj += lj;
  *sum_coulomb = part_fma(qq, inverse + part_fma(c->krf, r2, -c->crf), *sum_coulomb);
  slope = part_fma(qq, part_fnma(c->two_krf, r2, inverse), slope);
  return slope * inverse2;
}

typedef struct cut_sums {
  wide lj, coulomb;
} cut_sums;

CDNI_INLINE wide_part part_distance2(const field_sum *sum, const double *far, const atom *a, int j, wide_part d[3]) {
  const field_work *w = sum->w;
  d[0] = a->x.p[0] - part_load(w->x + j), d[1] = a->y.p[0] - part_load(w->y + j);
  d[2] = a->z.p[0] - part_load(w->z + j);
  return part_fma(d[0], d[0], part_fma(d[1], d[1], part_fma(d[2], d[2], part_load(far + j))));
}

/* Finds the eights of row i that have a pair within the cutoff: from `places` on those that the switch does not touch,
 * from `places + f->row` on the others. */
CDNI_INLINE void find_within(const field_sum *sum, const field_share *share, const cut_numbers *c, const atom *a, int i,
                             int n[2]) {
  int32_t *inner = share->places, *outer = inner + sum->f->row;
  n[0] = n[1] = 0;
  for (int k = sum->list.start[i]; k < sum->list.start[i + 1]; k++) {
    const int j = sum->list.entry[k];
    int any = 0, touched = 0;
    for (int part = 0; part < WIDE_PARTS; part++) {
      wide_part d[3];
      const wide_part r2 = part_distance2(sum, share->row, a, j + part * WIDE_PART, d);
      const wide_part_mask within = r2 < c->distance2;
      any |= part_any(within), touched |= part_any(within & (c->first2 < r2));
    }
    inner[n[0]] = outer[n[1]] = j;
    n[0] += any & ~touched, n[1] += touched;
  }
}

CDNI_INLINE void sum_places(const field_sum *sum, field_share *share, const cut_numbers *c, bool switched, atom *a,
                            const int32_t *places, int n, cut_sums *s) {
  for (int k = 0; k < n; k++)
    for (int part = 0; part < WIDE_PARTS; part++) {
      const int j = places[k] + part * WIDE_PART;
      wide_part d[3];
      const wide_part r2 = part_distance2(sum, share->row, a, j, d);
      const wide_part f =
          cut_slope(c, switched, r2 < c->distance2, r2, part_load(a->A + j), part_load(a->B + j),
                    a->charge.p[0] * part_load(sum->t->charge + j), &s->lj.p[part], &s->coulomb.p[part]);
      a->fx.p[part] = part_fma(f, d[0], a->fx.p[part]);
      a->fy.p[part] = part_fma(f, d[1], a->fy.p[part]);
      a->fz.p[part] = part_fma(f, d[2], a->fz.p[part]);
      part_store(share->fx + j, part_fnma(f, d[0], part_load(share->fx + j)));
      part_store(share->fy + j, part_fnma(f, d[1], part_load(share->fy + j)));
      part_store(share->fz + j, part_fnma(f, d[2], part_load(share->fz + j)));
    }
}

static void sum_listed(const field_sum *sum, field_share *share) {
  const field *f = sum->f;
  const cut_numbers c = cut_numbers_of(sum);
  cut_sums s = { wide_zero(), wide_zero() };
  for (int i = share->first; i < share->end; i++) {
    const int from = f->next[i] / WIDE * WIDE;
    int n[2];
    mark(f, share->row, i, from, FAR);
    atom a = atom_at(sum, i);
    find_within(sum, share, &c, &a, i, n);
    sum_places(sum, share, &c, false, &a, share->places, n[0], &s);
    sum_places(sum, share, &c, true, &a, share->places + f->row, n[1], &s);
    push_own(share, &a, i);
    mark(f, share->row, i, from, 0);
  }
  share->energy[0] = wide_sum(s.lj), share->energy[1] = wide_sum(s.coulomb);
}

/* ---- the list ---- */

/* Boxes of blocks: their middles, and half their sides. */
static void box_blocks(const field *f, const field_work *w, int blocks, double *boxes) {
  const double *const x[3] = { w->x, w->y, w->z };
  for (int k = 0; k < 3; k++) {
    double *middle = boxes + 2 * k * blocks, *half = middle + blocks;
    for (int b = 0; b < blocks; b++) {
      double least = 1e150, most = 1e150; /* of no slots: far from all */
      for (int i = b * WIDE; i < (b + 1) * WIDE && i < f->n; i++) {
        const double at = x[k][i];
        least = at < least ? at : least, most = i == b * WIDE || at > most ? at : most;
      }
      middle[b] = 0.5 * (least + most), half[b] = 0.5 * (most - least);
    }
  }
}

/* Blocks from `block` on whose boxes are within reach of its own. */
static int find_near(int blocks, const double *boxes, int block, int last, double reach2, int32_t *near) {
  int n = 0;
  for (int b = block; b < last; b += WIDE) {
    wide r2 = wide_zero();
    for (int k = 0; k < 3; k++) {
      const double *middle = boxes + 2 * k * blocks, *half = middle + blocks;
      wide d = wide_absolute(wide_sub(wide_set(middle[block]), wide_load(middle + b)));
      d = wide_larger(wide_sub(d, wide_add(wide_set(half[block]), wide_load(half + b))), wide_zero());
      r2 = wide_fma(d, d, r2);
    }
    double v[WIDE];
    wide_store(v, r2);
    for (int k = 0; k < WIDE && b + k < last; k++)
      if (v[k] < reach2) near[n++] = b + k;
  }
  return n;
}

static int list_pairs(const field *f, const field_work *w, double reach, int32_t *start, int32_t *entry, int room,
                      double *boxes, int32_t *near) {
  const int blocks = mol_blocks(f), last = f->row / FIELD_ROW;
  const wide reach2 = wide_set(reach * reach);
  int n = 0;
  box_blocks(f, w, blocks, boxes);
  for (int block = 0; block * WIDE < f->n; block++) {
    const int n_near = find_near(blocks, boxes, block, last, reach * reach, near);
    for (int i = block * WIDE; i < (block + 1) * WIDE && i < f->n; i++) {
      const wide x = wide_set(w->x[i]), y = wide_set(w->y[i]), z = wide_set(w->z[i]);
      start[i] = n;
      for (int k = 0; k < n_near; k++) {
        const int j = near[k] * WIDE;
        if (j + WIDE <= f->next[i]) continue;
        const wide dx = wide_sub(x, wide_load(w->x + j)), dy = wide_sub(y, wide_load(w->y + j));
        const wide dz = wide_sub(z, wide_load(w->z + j));
        if (!wide_any(wide_less(wide_fma(dx, dx, wide_fma(dy, dy, wide_mul(dz, dz))), reach2))) continue;
        if (n < room) entry[n] = j;
        n++;
      }
    }
  }
  start[f->n] = n;
  return n;
}

const field_kernels KERNEL_NAME(cdni_molecule_kernels) = { sum_dense, sum_listed, list_pairs };
