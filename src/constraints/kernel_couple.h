/* Couplings in the elimination of a body: 6 x 6 blocks, by rows of six numbers. */
#ifndef CARDAN_CONSTRAINTS_KERNEL_COUPLE_H
#define CARDAN_CONSTRAINTS_KERNEL_COUPLE_H

#include "constraints/kernel.h"
#include "math/six.h"

/* What earlier bodies have taken from the inertia of body i. */
CDNI_INLINE void take_reached(const loop_plan *p, int i, loop_factor *f) {
  if (!p->reached[i]) return;
  const real(*R)[6] = (const real(*)[6])(f->R + 6 * i);
  articulated_inertia *P = &f->P[i];
  P->J = s3_add(P->J, (s3){ R[0][0], R[1][1], R[2][2], R[0][1], R[0][2], R[1][2] });
  P->M = s3_add(P->M, (s3){ R[3][3], R[4][4], R[5][5], R[3][4], R[3][5], R[4][5] });
  P->F.x = v3_add(P->F.x, (v3){ R[0][3], R[1][3], R[2][3] });
  P->F.y = v3_add(P->F.y, (v3){ R[0][4], R[1][4], R[2][4] });
  P->F.z = v3_add(P->F.z, (v3){ R[0][5], R[1][5], R[2][5] });
}

/* to -= E_D^T E, where E_D is transposed already; or += if it is given back. */
CDNI_INLINE void take_product(int nu, const real *E_D, const six *E, bool back, real *to) {
  for (int m = 0; m < 6; m++) {
    six row = six_load(to + 6 * m);
    for (int k = 0; k < nu; k++)
      row = back ? six_fma(E_D[m * nu + k], E[k], row) : six_fnma(E_D[m * nu + k], E[k], row);
    six_store(to + 6 * m, row);
  }
}

/* What coupling c of body i takes from the other body's inertia, and from its couplings with the earlier ones. */
CDNI_INLINE void take_products(const loop_plan *p, int i, int c, int nu, const six *E, bool back, loop_factor *f) {
  const int first = p->couple_first[i];
  const int32_t *fill = p->fill + p->fill_first[i] + (c - first) * (c - first - 1) / 2;
  take_product(nu, f->E_D + 6 * p->couple_E[c], E, back, (real *)(f->R + 6 * p->couple[c]));
  for (int b = first; b < c; b++) /* rows: the earlier of the two, which is b's */
    take_product(nu, f->E_D + 6 * p->couple_E[b], E, back, (real *)(f->C + 6 * fill[b - first]));
}

/* E = H^T C, in Ground's axes C itself; E_D^T = E^T D^-1. */
CDNI_INLINE void project_coupling(int nu, hinge_form form, const sv *h, const real *D_inv, const real *C, six *E,
                                  real *E_kept, real *E_D) {
  if (form == HINGE_GROUND) {
    six D[6];
    for (int k = 0; k < 6; k++) E[k] = six_load(C + 6 * k), D[k] = six_load(D_inv + 6 * k);
    for (int m = 0; m < 6; m++) {
      six row = six_zero();
      for (int k = 0; k < 6; k++) row = six_fma(C[6 * k + m], D[k], row);
      six_store(E_D + 6 * m, row);
    }
    return;
  }
  const int from = form == HINGE_LINEAR ? 3 : 0, to = form == HINGE_ANGULAR ? 3 : 6;
  for (int k = 0; k < nu; k++) {
    const real *x = &h[k].w.x;
    E[k] = six_zero();
    for (int l = from; l < to; l++) E[k] = six_fma(x[l], six_load(C + 6 * l), E[k]);
    six_store(E_kept + 6 * k, E[k]);
  }
  for (int k = 0; k < nu; k++) {
    six row = six_zero();
    for (int l = 0; l < nu; l++) row = six_fma(D_inv[6 * k + l], E[l], row);
    const sv all = six_to_sv(row);
    for (int m = 0; m < 6; m++) E_D[m * nu + k] = (&all.w.x)[m];
  }
}

/* The coupling of body i with another becomes one of its parent: X has the rows of the parent, r is from the parent's
 * origin to the body's. `back`: it is taken out again. */
CDNI_INLINE void couple_parent(const loop_plan *p, const tree_node *n, v3 r, int nu, int c, const real *C, const six *E,
                               bool back, loop_factor *f) {
  six row[6];
  for (int l = 0; l < 6; l++) row[l] = six_load(C + 6 * l);
  row[0] = six_fma(r.y, row[5], six_fnma(r.z, row[4], row[0]));
  row[1] = six_fma(r.z, row[3], six_fnma(r.x, row[5], row[1]));
  row[2] = six_fma(r.x, row[4], six_fnma(r.y, row[3], row[2]));
  for (int k = 0; k < nu; k++) {
    const real *g = &f->g[n->u + k].w.x;
    for (int l = 0; l < 6; l++) row[l] = six_fnma(g[l], E[k], row[l]);
  }
  real X[6][6];
  real *up = p->couple_up[c] == -2 ? (real *)(f->R + 6 * n->parent) : (real *)(f->C + 6 * p->couple_up[c]);
  const bool is_parent = p->couple_up[c] == -2, turned = p->place[n->parent] > p->place[p->couple[c]];
  for (int l = 0; l < 6 && back; l++) row[l] = six_fnma(1, row[l], six_zero());
  for (int l = 0; l < 6; l++) six_store(X[l], row[l]);
  if (is_parent || !turned)
    for (int l = 0; l < 6; l++) six_store(up + 6 * l, six_add(six_load(up + 6 * l), row[l]));
  if (is_parent || turned)
    for (int l = 0; l < 6; l++)
      for (int k = 0; k < 6; k++) up[6 * k + l] += X[l][k];
}

/* The bodies that body i is coupled with: their inertias, and their couplings with each other and with the parent. The
 * blocks that are open at the joint reach them. */
CDNI_INLINE void uncouple(const loop_plan *p, const tree_node *n, const tree_data *d, int i, int nu, hinge_form form,
                          const sv *h, loop_factor *f) {
  const int first = p->couple_first[i], count = p->couple_first[i + 1] - first;
  for (int c = first; c < first + count; c++) {
    const real *C = (const real *)(f->C + 6 * p->couple_C[c]);
    real *E_D = f->E_D + 6 * p->couple_E[c];
    six E[6];
    project_coupling(nu, form, h, f->D_inv + 6 * n->u, C, E, (real *)(f->E + p->couple_E[c]), E_D);
    take_products(p, i, c, nu, E, false, f);
    for (int s = p->slot_first[i]; s < p->slot_first[i] + p->n_open[i]; s++) {
      const int b = p->slot_block[s], m = f->count[b];
      const real *v = f->v + p->slot_v[s];
      sv *K = f->K + p->slot_K[p->couple_slot[p->couple_slot_first[c] + s - p->slot_first[i]]];
      for (int e = 0; e < m; e++)
        for (int l = 0; l < 6; l++)
          for (int k = 0; k < nu; k++) (&K[e].w.x)[l] = r_fnma(v[e * nu + k], E_D[l * nu + k], (&K[e].w.x)[l]);
    }
    if (p->couple_up[c] != -1) couple_parent(p, n, d->pose[i].r, nu, c, C, E, false, f);
  }
}

/* Takes what the couplings of body i have added to others out of them again. */
CDNI_INLINE void give_back(const loop_plan *p, const tree_node *n, const tree_data *d, int i, int nu, hinge_form form,
                           loop_factor *f) {
  for (int c = p->couple_first[i]; c < p->couple_first[i + 1]; c++) {
    const real *C = (const real *)(f->C + 6 * p->couple_C[c]);
    const real *kept = form == HINGE_GROUND ? C : (const real *)(f->E + p->couple_E[c]);
    six E[6];
    for (int k = 0; k < nu; k++) E[k] = six_load(kept + 6 * k);
    take_products(p, i, c, nu, E, true, f);
    if (p->couple_up[c] != -1) couple_parent(p, n, d->pose[i].r, nu, c, C, E, true, f);
  }
}

#endif
