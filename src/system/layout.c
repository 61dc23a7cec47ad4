/* Planning the State's block: offsets of every variable, rate, error slot and cache entry. No pointers inside, so that
 * copying it is one memcpy. Regions have their counts in it and their elements outside; shared arrays are all
 * outside. */
#include "system/structs.h"

/* Small things share cache lines; anything of a line or more starts on one, and all that kernels of several lanes
 * read. */
static size_t place(const cdn_system *s, size_t *at, size_t bytes) {
  size_t align = bytes >= CDNI_ALIGN || s->lanes > 1 ? CDNI_ALIGN : sizeof(double);
  *at = (*at + align - 1) / align * align;
  size_t here = *at;
  *at += bytes;
  return here;
}

static size_t place_doubles(const cdn_system *s, size_t *at, int n) { return place(s, at, (size_t)n * sizeof(double)); }

/* block = t | y | discrete | ydot | q_eff, u_eff | errors, lambda | previous t, y | cache | valid bits |
 * serials */
cdn_status cdni_layout_plan(cdn_system *s) {
  const int lanes = s->lanes;
  s->nq = (int)s->q0.count * lanes, s->nu = (int)s->u0.count * lanes, s->nz = (int)s->z0.count * lanes;
  int ny = s->nq + s->nu + s->nz;
  if (s->z_scale.count > 0 && !cdni_z_scale_complete(s)) {
    return cdni_system_fail(s, CDN_ERR_NOMEM, "cdn_system_freeze", NULL, "out of memory");
  }
  size_t at = 0, n = s->nodes.count;
  s->off_t = place_doubles(s, &at, lanes);
  s->off_y = place_doubles(s, &at, ny);
  for (size_t i = 0; i < n; i++)
    if (node_at(s, (int32_t)i)->kind == NODE_VARIABLE && i >= TICKET_FIRST_FREE &&
        node_at(s, (int32_t)i)->storage != SHARED)
      node_at(s, (int32_t)i)->offset = place(s, &at, node_at(s, (int32_t)i)->size);
  s->off_ydot = place_doubles(s, &at, ny);
  size_t q_eff = place_doubles(s, &at, node_at(s, TICKET_Q_EFF)->calc ? s->nq : 0);
  size_t u_eff = place_doubles(s, &at, node_at(s, TICKET_U_EFF)->calc ? s->nu : 0);
  s->off_qerr = place_doubles(s, &at, s->n_qerr);
  s->off_uerr = place_doubles(s, &at, s->n_uerr);
  s->off_udoterr = place_doubles(s, &at, s->n_udoterr);
  s->off_multipliers = place_doubles(s, &at, s->n_udoterr);
  s->off_previous = place_doubles(s, &at, s->keep_previous ? 1 + ny : 0);
  for (size_t i = CDNI_TICKET_WELL_KNOWN; i < n; i++) {
    node *e = node_at(s, (int32_t)i);
    if (e->kind == NODE_ENTRY || e->kind == NODE_COMPANION) e->offset = place(s, &at, e->size);
  }
  s->off_valid = place(s, &at, (size_t)s->words * sizeof(uint64_t));
  s->off_serials = place(s, &at, n * sizeof(uint64_t));
  s->block_size = cdni_aligned(at);

  /* Entries that live in the pools. Without prescribed slots the effective values are the variables. */
  size_t q = s->off_y, u = q + (size_t)s->nq * sizeof(double), qdot = s->off_ydot;
  node_at(s, TICKET_Q_EFF)->offset = node_at(s, TICKET_Q_EFF)->calc ? q_eff : q;
  node_at(s, TICKET_U_EFF)->offset = node_at(s, TICKET_U_EFF)->calc ? u_eff : u;
  node_at(s, TICKET_QDOT)->offset = qdot;
  node_at(s, TICKET_UDOT)->offset = qdot + (size_t)s->nq * sizeof(double);
  node_at(s, TICKET_ZDOT)->offset = qdot + (size_t)(s->nq + s->nu) * sizeof(double);
  node_at(s, TICKET_QERR)->offset = s->off_qerr;
  node_at(s, TICKET_UERR)->offset = s->off_uerr;
  node_at(s, TICKET_UDOTERR)->offset = s->off_udoterr;
  node_at(s, TICKET_MULTIPLIERS)->offset = s->off_multipliers;
  return CDN_OK;
}

size_t cdni_entry_offset(const cdn_system *system, cdn_cache entry) { return node_at(system, entry.ticket.i)->offset; }
size_t cdni_variable_offset(const cdn_system *system, cdn_dvar v) { return node_at(system, v.ticket.i)->offset; }

size_t cdni_pool_offset(const cdn_system *s, cdn_pool pool, bool rates) {
  int before = pool == CDN_POOL_Q ? 0 : pool == CDN_POOL_U ? s->nq : s->nq + s->nu;
  return (rates ? s->off_ydot : s->off_y) + (size_t)before * sizeof(double);
}
