#include "matter/lanes.h"

#include "math/lane_block.h"
#include "matter/custom.h"
#include "matter/subsystem.h"

static size_t numbers(const matter *m) {
  const size_t n = (size_t)m->tree.n;
  return n * (RECORD_NUMBERS(body_pose) + RECORD_NUMBERS(rigid_inertia) + RECORD_NUMBERS(body_twist) +
              RECORD_NUMBERS(body_articulated) + 2 * RECORD_NUMBERS(sv)) +
         (size_t)m->tree.n_custom * RECORD_NUMBERS(custom_across) +
         (size_t)(m->tree.nH + m->tree.nG + m->tree.nD + m->tree.nu);
}

size_t cdni_tree_lanes_size(const matter *m, int lanes) {
  const size_t bytes = numbers(m) * (size_t)lanes * sizeof(double);
  return (bytes + CDNI_ALIGN - 1) / CDNI_ALIGN * CDNI_ALIGN;
}

tree_data cdni_tree_lanes(const matter *m, int lanes, void *memory) {
  const size_t n = (size_t)m->tree.n, width = (size_t)lanes;
  tree_data d = { 0 };
  double *at = memory;
#define TAKE(member, count) (d.member = (void *)at, at += (count)*width)
  TAKE(pose, n * RECORD_NUMBERS(body_pose));
  TAKE(inertia, n * RECORD_NUMBERS(rigid_inertia));
  TAKE(twist, n * RECORD_NUMBERS(body_twist));
  TAKE(articulated, n * RECORD_NUMBERS(body_articulated));
  TAKE(z, n * RECORD_NUMBERS(sv));
  TAKE(A, n * RECORD_NUMBERS(sv));
  TAKE(custom, (size_t)m->tree.n_custom * RECORD_NUMBERS(custom_across));
  TAKE(H, (size_t)m->tree.nH);
  TAKE(G, (size_t)m->tree.nG);
  TAKE(D_inv, (size_t)m->tree.nD);
  TAKE(eps, (size_t)m->tree.nu);
#undef TAKE
  return d;
}

cdn_status cdni_matter_constants(const matter *m, cdn_state *state, const body_frames **frames,
                                 const body_mass **mass) {
  CDNI_TRY(cdni_state_ensure(state, m->frame_constants.ticket));
  CDNI_TRY(cdni_state_ensure(state, m->mass_constants.ticket));
  const tree_data d = cdni_matter_data(m, state);
  *frames = d.frames;
  *mass = d.mass;
  return CDN_OK;
}

bool cdni_matter_is_prescribed(const matter *m, const cdn_state *state) {
  return cdni_matter_data(m, state).prescribed != NULL;
}

cdn_status cdni_custom_lane(const matter *m, cdn_state *state, int lanes, int lane, custom_across *out) {
  CDNI_TRY(cdni_state_ensure(state, CDN_TWIST));
  const custom_across *records = cdni_matter_data(m, state).custom;
  lane_put((double *)out, lanes, lane, (const double *)records,
           (size_t)m->tree.n_custom * RECORD_NUMBERS(custom_across));
  return CDN_OK;
}

void cdni_custom_N_lane(const matter *m, int lanes, int lane, const double *q, const double *u, double *qdot) {
  for (size_t i = 0; i < m->customs.count; i++) {
    const custom_mobilizer *x = &CDNI_AT(m->customs, custom_mobilizer, i);
    const tree_node *n = &m->tree.node[x->body];
    double one_q[7], one_u[6], one_qdot[7];
    lane_get(q + (size_t)(n->q * lanes), lanes, lane, one_q, n->nq);
    lane_get(u + (size_t)(n->u * lanes), lanes, lane, one_u, n->nu);
    cdni_custom_N(x, one_q, one_u, one_qdot, n->nu);
    lane_put(qdot + (size_t)(n->q * lanes), lanes, lane, one_qdot, n->nq);
  }
}
