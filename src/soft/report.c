/* What the soft rows of a State did. */
#include "core/sized.h"
#include "matter/operators.h"
#include "soft/internal.h"

cdn_status cdni_soft_results(const soft_room *room, cdn_state *state, int n, soft_results **results) {
  const size_t size = cdni_region_size(state, room->results);
  const size_t least =
      sizeof **results + (size_t)n * sizeof(soft_outcome) + (size_t)room->matter->tree.nu * sizeof(double);
  *results = cdni_region_elements(state, room->results);
  const size_t records = size >= least ? (size_t)(*results)->statistics.records : 0;
  if (size >= least && records <= SOFT_MOST_RECORDS && size == least + records * sizeof(cdn_soft_iteration))
    return CDN_OK;
  *results = NULL;
  return cdni_state_fail(
      state, CDN_ERR_PARSE, false, "cdn_state_load", NULL,
      "the checkpoint of this State lacks the results of its rows: load another, or set the State anew");
}

cdn_status cdni_soft_find(cdn_state *state, const soft_group **groups, int *n, soft_results **results) {
  const soft_room *room = cdni_soft(cdn_state_system(state));
  const void *elements;
  *n = 0, *results = NULL;
  if (!room) return CDN_OK;
  CDNI_TRY(cdni_state_ensure(state, CDN_ACCELERATION));
  CDNI_TRY(cdn_region_eval(state, room->groups, &elements, n));
  *groups = elements;
  return *n > 0 ? cdni_soft_results(room, state, *n, results) : CDN_OK;
}

static cdn_status check_number(cdn_state *state, const char *function, int i, int n) {
  if (i >= 0 && i < n) return CDN_OK;
  return cdni_state_fail(state, CDN_ERR_ARG, false, function, NULL,
                         "there is no group %d of soft rows: the State has %d", i, n);
}

const char *cdni_soft_group_name(const soft_room *room, const soft_group *g) {
  if (g->element > 0) return CDNI_AT(room->elements->elements, soft_element, g->element - 1).name;
  return g->provider > 0 ? CDNI_AT(room->providers, soft_provider, g->provider - 1).name : NULL;
}

/* The bodies of a row that names bodies; or else the first of its joints. */
static void name_terms(const soft_group *g, cdn_soft_group *out) {
  for (int i = g->terms - 1; i >= 0; i--)
    if (cdni_soft_is_body(&g->term[i])) out->b = out->a, out->a.i = g->term[i].body;
  if (g->terms > 0 && out->a.i == 0) out->joint.i = g->term[0].body;
}

cdn_status cdn_soft_count(cdn_state *state, int *n) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  const soft_group *groups;
  soft_results *results;
  int count;
  if (!n) return cdni_state_fail(state, CDN_ERR_ARG, false, "cdn_soft_count", NULL, "there is no place for the number");
  CDNI_TRY(cdni_soft_find(state, &groups, &count, &results));
  *n = count;
  return CDN_OK;
}

cdn_status cdn_soft_get_sized(cdn_state *state, int i, cdn_soft_group *out, size_t size) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  const soft_group *groups;
  soft_results *results;
  int n;
  CDNI_TRY(cdni_soft_find(state, &groups, &n, &results));
  CDNI_TRY(check_number(state, "cdn_soft_get", i, n));
  const soft_group *g = &groups[i];
  const soft_outcome *o = &soft_outcomes(results)[i];
  cdn_soft_group full = { .kind = (cdn_soft_kind)g->s.kind, .rows = g->s.rows };
  if (g->place == SOFT_PAIR) full.a.i = g->body[0], full.b.i = g->body[1], full.point_G = cdni_from_v3(g->point);
  else if (g->place == SOFT_JOINT) full.joint.i = g->body[1];
  else name_terms(g, &full);
  const contact_room *contact = cdni_contact(cdn_state_system(state));
  int of_contact = -1;
  if (g->contact > 0) CDNI_TRY(cdni_contact_of_model(state, contact, CDN_CONTACT_SOFT, g->contact - 1, &of_contact));
  full.element = g->element - 1, full.contact = of_contact;
  full.name = cdni_soft_group_name(cdni_soft(cdn_state_system(state)), g);
  memcpy(full.residual, o->residual, sizeof full.residual);
  memcpy(full.force, o->force, sizeof full.force);
  cdni_sized_write(out, size, &full, sizeof full);
  return CDN_OK;
}

cdn_status cdn_row_forces(cdn_state *state, cdn_row_set set, int most, double *force, int *n) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  const soft_room *room = cdni_soft(cdn_state_system(state));
  const soft_group *groups;
  soft_results *results;
  int count, rows = 0;
  if (!room || set.i < 0 || (size_t)set.i >= room->providers.count)
    return cdni_state_lacks(state, __func__, "row provider", (int)set.i);
  if (!n || (most > 0 && !force))
    return cdni_state_fail(state, CDN_ERR_ARG, false, __func__, NULL,
                           "there is no place for the forces, or their number");
  CDNI_TRY(cdni_soft_find(state, &groups, &count, &results));
  for (int i = 0; i < count; i++)
    for (int k = 0; k < groups[i].s.rows && groups[i].provider == set.i + 1; k++, rows++)
      if (rows < most) force[rows] = soft_outcomes(results)[i].force[k];
  *n = rows;
  return CDN_OK;
}

cdn_status cdn_soft_group_forces(cdn_state *state, int i, cdn_spatial *F_G, double *f) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  const soft_group *groups;
  soft_results *results;
  int n;
  CDNI_TRY(cdni_soft_find(state, &groups, &n, &results));
  CDNI_TRY(check_number(state, __func__, i, n));
  const soft_room *room = cdni_soft(cdn_state_system(state));
  const tree *t = &room->matter->tree;
  const tree_data d = cdni_matter_data(room->matter, state);
  soft_work w = { .g = &groups[i] };
  sv *F = cdn_work_push(state, (size_t)t->n * sizeof *F + (size_t)(t->nu + 1) * sizeof(double));
  if (!F) return cdni_state_fail(state, CDN_ERR_NOMEM, false, __func__, NULL, "out of memory");
  double *along = (double *)(F + t->n);
  memset(F, 0, (size_t)t->n * sizeof *F + (size_t)(t->nu + 1) * sizeof(double));
  cdni_soft_place(d.pose, &w);
  cdni_soft_add_force(t, &w, soft_outcomes(results)[i].force, F, along);
  for (int b = 0; F_G && b < t->n; b++) {
    const double *X_BM = cdni_matter_X_BM(room->matter, state, (cdn_body){ b });
    const v3 origin = cdni_to_v3(cdni_body_transform(X_BM, &d.pose[b]).p);
    F_G[b] = cdni_from_sv(sv_shift_force(F[b], v3_sub(d.pose[b].p_GM, origin)));
  }
  if (f && t->nu) memcpy(f, along, (size_t)t->nu * sizeof *f);
  cdn_work_pop(state, F);
  return CDN_OK;
}

cdn_status cdn_soft_get_statistics_sized(cdn_state *state, cdn_soft_statistics *out, size_t size) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  const soft_group *groups;
  soft_results *results;
  int n;
  const cdn_soft_statistics none = { .converged = true };
  CDNI_TRY(cdni_soft_find(state, &groups, &n, &results));
  cdni_sized_write(out, size, results ? &results->statistics : &none, sizeof none);
  return CDN_OK;
}

cdn_status cdn_soft_get_iteration_sized(cdn_state *state, int i, cdn_soft_iteration *out, size_t size) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  const soft_group *groups;
  soft_results *results;
  int n;
  CDNI_TRY(cdni_soft_find(state, &groups, &n, &results));
  const int records = results ? results->statistics.records : 0;
  if (i < 0 || i >= records)
    return cdni_state_fail(state, CDN_ERR_ARG, false, "cdn_soft_get_iteration", NULL,
                           "there is no iteration %d of the soft rows: the State has %d", i, records);
  const int nu = cdni_soft(cdn_state_system(state))->matter->tree.nu;
  const cdn_soft_iteration *all = (const cdn_soft_iteration *)((const double *)(soft_outcomes(results) + n) + nu);
  cdni_sized_write(out, size, &all[i], sizeof *all);
  return CDN_OK;
}

cdn_status cdni_soft_power(const soft_room *room, cdn_state *state, double *power) {
  const void *elements;
  int n;
  *power = 0;
  CDNI_TRY(cdn_region_eval(state, room->groups, &elements, &n));
  if (n == 0) return CDN_OK;
  CDNI_TRY(cdni_state_ensure(state, CDN_ACCELERATION));
  const tree_data d = cdni_matter_data(room->matter, state);
  const soft_group *groups = elements;
  soft_results *results;
  CDNI_TRY(cdni_soft_results(room, state, n, &results));
  const soft_outcome *out = soft_outcomes(results);
  for (int i = 0; i < n; i++) {
    const soft_group *g = &groups[i];
    bool acts = false;
    for (int k = 0; k < g->s.rows; k++) acts = acts || out[i].force[k] != 0;
    if (!acts) continue;
    sv between = sv_zero(); /* of a pair: the velocity of b relative to a */
    for (int s = 0; s < 2 && g->place == SOFT_PAIR; s++) {
      const v3 point = s ? g->point : v3_add(g->point, g->arm);
      const sv V = sv_shift_motion(d.twist[g->body[s]].V, v3_sub(point, d.pose[g->body[s]].p_GM));
      between = s ? sv_sub(V, between) : V;
    }
    for (int k = 0; k < g->s.rows; k++) {
      double rate = 0;
      if (g->place == SOFT_JOINT) {
        const tree_node *node = &room->matter->tree.node[g->body[1]];
        for (int j = 0; j < node->nu; j++) rate += g->g[k][j] * d.u[node->u + j];
      } else if (g->place == SOFT_TERMS) {
        for (int j = 0; j < g->terms; j++) {
          const soft_term *t = &g->term[j];
          rate += cdni_soft_is_body(t) ? sv_dot(cdni_soft_body_row(g, t), d.twist[t->body].V) : t->slope * d.u[t->u];
        }
      } else {
        rate = sv_dot(g->B[k], between);
      }
      *power += out[i].force[k] * rate;
    }
  }
  return CDN_OK;
}

cdn_status cdni_soft_contact_force(cdn_state *state, int contact, contact_force *out) {
  const soft_room *room = cdni_soft(cdn_state_system(state));
  const soft_group *groups;
  soft_results *results;
  int n, from = 0;
  *out = (contact_force){ .pyramid = room && room->def.cone == CDN_SOFT_PYRAMIDAL };
  CDNI_TRY(cdni_soft_find(state, &groups, &n, &results));
  /* contacts come last, in ascending order; between bodies that nothing moves a contact has no group */
  for (int to = n; from < to;) {
    const int middle = from + (to - from) / 2;
    if (groups[middle].contact <= contact) from = middle + 1;
    else to = middle;
  }
  if (from == n || groups[from].contact != contact + 1) return CDN_OK;
  memcpy(out->force, soft_outcomes(results)[from].force, sizeof out->force);
  return CDN_OK;
}
