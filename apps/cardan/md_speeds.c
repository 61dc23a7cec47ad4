/* Speeds at the start of a run. */
#include <cardan/operators.h>

#include <stdlib.h>

#include "md.h"

/* The u whose velocities of atoms are nearest to v, weighted by mass: M u = J^T (m v), since M is the sum of the atoms'
 * m J^T J. */
static cdn_status fit_speeds(md_molecule *m, const cdn_vec3 *v, cdn_spatial *momentum, double *p, double *u) {
  CDN_TRY(cdn_realize(m->state, CDN_STAGE_POSITION));
  for (int i = 0; i < m->n_atoms; i++) {
    cdn_body body;
    cdn_vec3 station;
    cdn_transform X;
    CDN_TRY(cdn_force_field_atom_place(m->system, m->field, i, &body, &station));
    CDN_TRY(cdn_body_pose(m->state, body, &X));
    const cdn_vec3 r = cdn_rotate(X.R, station), mv = cdn_scale(m->prmtop->mass[i], v[i]);
    cdn_spatial *on = &momentum[body.i];
    on->w = cdn_add(on->w, cdn_cross(r, mv)), on->v = cdn_add(on->v, mv);
  }
  CDN_TRY(cdn_multiply_by_J_transpose(m->state, momentum, p));
  CDN_TRY(cdn_multiply_by_M_inv(m->state, p, u));
  CDN_TRY(cdn_state_set_u(m->state, u));
  return cdn_system_nudoterr(m->system) > 0 ? cdn_project_u(m->state, NULL, NULL) : CDN_OK;
}

static cdn_status fit_to_file(md_molecule *m) {
  if (!m->restart->velocities) return CDN_OK;
  cdn_spatial *momentum = allocate((size_t)cdn_system_body_count(m->system), sizeof *momentum);
  double *p = allocate((size_t)m->nu, sizeof *p), *u = allocate((size_t)m->nu, sizeof *u);
  const cdn_status status = fit_speeds(m, m->restart->velocities, momentum, p, u);
  free(momentum), free(p), free(u);
  return status;
}

cdn_status md_set_speeds(const md_arguments *a, md_molecule *m) {
  enum { WHO = 0x6d6400 }; /* draws */
  return a->temperature > 0 ? cdn_draw_speeds(m->state, CDN_GAS_CONSTANT * a->temperature, 0, WHO) : fit_to_file(m);
}
