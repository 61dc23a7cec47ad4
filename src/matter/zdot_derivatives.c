/* What calc_zdot_derivative of a subsystem adds: checked, and put into the matrices. */
#include "matter/zdot_derivatives.h"

#include "matter/checks.h"

static void note(cdn_zdot_derivatives *d, cdn_status mistake, const char *what, int index) {
  if (d->mistake != CDN_OK) return;
  d->mistake = mistake, d->what = what, d->index = index;
}

/* The row of a rate. -1, and a noted mistake, if the rate does not belong to the subsystem that is asked. */
static int row_of(cdn_zdot_derivatives *d, cdn_zvar z, int i) {
  const int first = cdni_zvar_first(d->system, z);
  if (first >= d->first && first < d->first + d->n && i >= 0 && i < cdni_zvar_count(d->system, z)) return first + i;
  note(d, CDN_ERR_ARG, "z of its own", i);
  return -1;
}

static bool accepts(cdn_zdot_derivatives *d, const double *numbers, size_t n) {
  if (cdni_all_finite(numbers, n, NULL)) return true;
  note(d, CDN_ERR_NONFINITE, "number that is finite", -1);
  return false;
}

static bool has_body(cdn_zdot_derivatives *d, cdn_body body) {
  if (d->pass.m && cdni_body_exists(d->pass.m, body)) return true;
  note(d, CDN_ERR_ARG, "body", body.i);
  return false;
}

static void add(double *matrix, int columns, int row, int column, double value) {
  matrix[(size_t)row * (size_t)columns + (size_t)column] += value;
}

void cdn_zdot_derivatives_add_z(cdn_zdot_derivatives *d, cdn_zvar z, int i, cdn_zvar by, int k, double value) {
  CDNI_NEED_OBJECT_OR_NOTHING(d);
  const int row = row_of(d, z, i), n = cdni_zvar_count(d->system, by);
  if (k < 0 || k >= n) note(d, CDN_ERR_ARG, "z to vary with", k);
  else if (row >= 0 && accepts(d, &value, 1)) add(d->to->L, d->nz, row, cdni_zvar_first(d->system, by) + k, value);
}

void cdn_zdot_derivatives_add_slot(cdn_zdot_derivatives *d, cdn_zvar z, int i, int slot, double by_q, double by_u) {
  CDNI_NEED_OBJECT_OR_NOTHING(d);
  const double numbers[] = { by_q, by_u };
  const int row = row_of(d, z, i);
  if (slot < 0 || slot >= d->nu) note(d, CDN_ERR_ARG, "slot of u", slot);
  else if (row >= 0 && accepts(d, numbers, 2)) {
    add(d->to->G, d->nu, row, slot, by_q);
    add(d->to->H, d->nu, row, slot, by_u);
  }
}

void cdn_zdot_derivatives_add_mobility(cdn_zdot_derivatives *d, cdn_zvar z, int i, cdn_body body, int l, double by_q,
                                       double by_u, double by_udot) {
  CDNI_NEED_OBJECT_OR_NOTHING(d);
  if (!has_body(d, body)) return;
  const tree_node *n = &d->pass.node[body.i];
  if (l < 0 || l >= n->nu) {
    note(d, CDN_ERR_ARG, "mobility of that body", l);
    return;
  }
  const int row = row_of(d, z, i), slot = d->first_u + n->u + l;
  if (row < 0 || !accepts(d, &by_udot, 1)) return;
  cdn_zdot_derivatives_add_slot(d, z, i, slot, by_q, by_u);
  add(d->to->W, d->nu, row, slot, by_udot);
}

void cdn_zdot_derivatives_add_station(cdn_zdot_derivatives *d, cdn_zvar z, int i, cdn_body body, cdn_vec3 p_B,
                                      cdn_vec3 by_p, cdn_vec3 by_v) {
  CDNI_NEED_OBJECT_OR_NOTHING(d);
  const double numbers[] = { p_B.x, p_B.y, p_B.z, by_p.x, by_p.y, by_p.z, by_v.x, by_v.y, by_v.z };
  const int row = row_of(d, z, i);
  if (!has_body(d, body) || row < 0 || !accepts(d, numbers, 9)) return;
  const derivative_pass *p = &d->pass;
  v3 r = cdni_to_v3(cdni_matter_station(p->m, p->state, p->pose, body, p_B));
  const v3 v = sv_shift_motion(p->twist[body.i].V, r).v, gp = cdni_to_v3(by_p), gv = cdni_to_v3(by_v);
  for (int j = body.i; j > 0; j = p->node[j].parent) {
    for (int l = 0; l < p->node[j].nu; l++) {
      const mobility_motion *s = &p->motion[p->node[j].u + l];
      const int column = d->first_u + p->node[j].u + l;
      const v3 g = sv_shift_motion(s->S, r).v;
      /* The mobility carries the velocity along, and turns or moves the joint's own axes. */
      const sv rest = { s->eta.w, v3_sub(s->eta.v, v3_cross(s->S.w, p->twist[j].V.v)) };
      const v3 dv = v3_cross_add(s->S.w, v, sv_shift_motion(rest, r).v);
      add(d->to->G, d->nu, row, column, v3_dot(gp, g) + v3_dot(gv, dv));
      add(d->to->H, d->nu, row, column, v3_dot(gv, g));
    }
    r = v3_add(r, p->pose[j].r);
  }
}
