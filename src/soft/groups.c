/* The groups of a State: what providers add, checked. */
#include <math.h>

#include "core/sized.h"
#include "soft/internal.h"

CDNI_DEF(soft_group_def, .rows = 1, .D = { 1, 1, 1, 1, 1, 1 });

struct cdn_soft_list {
  cdn_state *state;
  const soft_room *room;
  cdn_region_output *out;
  int32_t provider;
  cdn_status mistake;
  const char *why;
};

static void note(cdn_soft_list *list, cdn_status mistake, const char *why) {
  if (list->mistake == CDN_OK) list->mistake = mistake, list->why = why;
}

/* ---- checks ---- */

static bool is_cone(const cdn_soft_group_def *d) {
  return d->kind == CDN_SOFT_ELLIPTIC || d->kind == CDN_SOFT_PYRAMIDAL;
}

static bool rows_fit(const cdn_soft_group_def *d) {
  if (is_cone(d)) return d->rows == 3 || d->rows == 4 || d->rows == 6;
  if (d->kind == CDN_SOFT_EQUALITY) return d->rows >= 1 && d->rows <= CDN_SOFT_MOST_ROWS;
  return d->rows == 1;
}

static const char *wrong_numbers(const cdn_soft_group_def *d) {
  for (int k = 0; k < d->rows; k++) {
    const bool read = d->kind != CDN_SOFT_PYRAMIDAL || k == 0;
    if (read && !(d->D[k] > 0 && d->D[k] <= 1e100)) return "a D of its rows is not positive and finite";
    if (!isfinite(d->target[k])) return "a target of its rows is not finite";
    if (is_cone(d) && k > 0 && !(d->friction[k - 1] >= 0 && d->friction[k - 1] <= 1e100))
      return "a friction of its cone is negative or not finite";
  }
  if (d->kind == CDN_SOFT_FRICTION_LOSS && !(d->loss >= 0 && isfinite(d->loss)))
    return "its friction loss is negative or not finite";
  if (d->kind == CDN_SOFT_ELLIPTIC && !(d->mu >= 0 && d->mu <= 1e100))
    return "mu of its cone is negative or not finite";
  return NULL;
}

static bool body_exists(const cdn_soft_list *list, cdn_body body) {
  return body.i >= 0 && body.i < list->room->matter->tree.n;
}

static const char *wrong_terms(const cdn_soft_list *list, const cdn_soft_group_def *d) {
  size_t bad;
  if (d->terms < 2 || d->terms > CDN_SOFT_MOST_TERMS) return "it is on several joints, of which it must name 2 to 16";
  if (d->rows != 1) return "it is on several joints, and has more than one row";
  if (d->joint.i > 0 || d->a.i > 0 || d->b.i > 0)
    return "it is on several joints and on something else: give one of the two";
  if (!cdni_all_finite(d->slope, (size_t)d->terms, &bad)) return "a slope of it is not finite";
  for (int i = 0; i < d->terms; i++) {
    const cdn_mobility *t = &d->term[i];
    if (!body_exists(list, t->body) || t->k < 0 || t->k >= list->room->matter->tree.node[t->body.i].nu)
      return "it names a mobility that this System does not have";
    for (int j = 0; j < i; j++)
      if (d->term[j].body.i == t->body.i && d->term[j].k == t->k) return "it names a mobility twice";
  }
  return NULL;
}

static const char *wrong_place(const cdn_soft_list *list, const cdn_soft_group_def *d) {
  size_t bad;
  if (d->terms != 0) return wrong_terms(list, d);
  if (!body_exists(list, d->a) || !body_exists(list, d->b) || !body_exists(list, d->joint))
    return "it names a body that this System does not have";
  if (d->joint.i > 0 && (d->a.i > 0 || d->b.i > 0)) return "it is on a joint and on bodies: give one of the two";
  if (d->joint.i == 0 && d->a.i == d->b.i) return "its bodies a and b are the same one";
  if (!cdni_all_finite(&d->point_G.x, 3, &bad)) return "its point is not finite";
  for (int k = 0; k < d->rows; k++)
    if (d->joint.i > 0 ? !cdni_all_finite(d->g[k], (size_t)list->room->matter->tree.node[d->joint.i].nu, &bad)
                       : !cdni_all_finite(&d->J[k].w.x, 6, &bad))
      return "a row of it is not finite";
  return NULL;
}

/* ---- adding ---- */

void cdni_soft_count_rates(const soft_room *room, cdn_state *state, soft_group *g) {
  const tree_data d = cdni_matter_data(room->matter, state);
  v3 sum = v3_zero();
  for (int s = 0; s < 2; s++) {
    const v3 w = d.twist[g->body[s]].V.w, r = v3_sub(g->point, d.pose[g->body[s]].p_GM);
    const v3 a = v3_cross(w, v3_cross(w, r));
    sum = s ? v3_add(sum, a) : v3_sub(sum, a);
  }
  for (int k = 0; k < g->s.rows; k++) g->ref[k] -= v3_dot(g->B[k].v, sum);
  g->rates = true;
}

void cdn_soft_list_add(cdn_soft_list *list, const cdn_soft_group_def *given) {
  CDNI_NEED_OBJECT_OR_NOTHING(list);
  cdn_soft_group_def d;
  void *place;
  const char *wrong = read_soft_group_def(&d, given);
  if (wrong) {
    note(list, CDN_ERR_VERSION, wrong);
    return;
  }
  if ((unsigned)d.kind > CDN_SOFT_PYRAMIDAL) wrong = "its kind is none of cdn_soft_kind";
  else if (!rows_fit(&d)) wrong = "its number of rows does not fit its kind";
  else if (!(wrong = wrong_numbers(&d))) wrong = wrong_place(list, &d);
  if (wrong) {
    note(list, CDN_ERR_ARG, wrong);
    return;
  }
  if (cdn_region_output_add(list->out, 1, &place) != CDN_OK) {
    note(list, CDN_ERR_NOMEM, "out of memory");
    return;
  }
  soft_group *g = place;
  memset(g, 0, sizeof *g);
  g->provider = list->provider + 1;
  g->s = (soft_function){ .kind = (int32_t)d.kind, .rows = d.rows, .loss = d.loss, .mu = d.mu };
  memcpy(g->s.D, d.D, sizeof g->s.D);
  memcpy(g->s.friction, d.friction, sizeof g->s.friction);
  memcpy(g->ref, d.target, sizeof g->ref);
  g->point = cdni_to_v3(d.point_G);
  if (d.terms > 0) {
    g->place = SOFT_JOINTS, g->terms = d.terms;
    for (int i = 0; i < d.terms; i++) {
      const int body = d.term[i].body.i;
      g->term[i] = (soft_term){ body, list->room->matter->tree.node[body].u + d.term[i].k, d.slope[i] };
    }
    return;
  }
  if (d.joint.i > 0) {
    g->place = SOFT_JOINT, g->body[1] = d.joint.i;
    memcpy(g->g, d.g, sizeof g->g);
    return;
  }
  g->place = SOFT_PAIR, g->body[0] = d.a.i, g->body[1] = d.b.i;
  for (int k = 0; k < d.rows; k++) g->B[k] = (sv){ cdni_to_v3(d.J[k].w), cdni_to_v3(d.J[k].v) };
  if (list->room->def.rates) cdni_soft_count_rates(list->room, list->state, g);
}

/* Where the groups of soft elements go, and what scales them; NULL: the approximations. */
typedef struct element_list {
  cdn_region_output *out;
  const soft_diagonal *diagonal;
} element_list;

static cdn_status add_element(void *to, const soft_group *g) {
  const element_list *list = to;
  void *place;
  CDNI_TRY(cdn_region_output_add(list->out, 1, &place));
  memcpy(place, g, sizeof *g);
  if (list->diagonal) cdni_soft_diagonal_scale(list->diagonal, place);
  return CDN_OK;
}

/* The groups of soft elements and contacts. */
static cdn_status add_own(const soft_room *room, cdn_state *state, const soft_diagonal *diagonal,
                          cdn_region_output *out) {
  element_list list = { out, diagonal };
  if (room->elements)
    CDNI_TRY(cdni_soft_element_groups(room->elements, state, room->def.shortest_time, room->def.onset, room->def.rates,
                                      add_element, &list));
  return room->contact ? cdni_soft_add_contacts(room, state, diagonal, out) : CDN_OK;
}

cdn_status cdni_soft_calc_groups(const void *self, cdn_state *state, cdn_region_output *out) {
  const soft_room *room = *(const soft_room *const *)self;
  cdn_soft_list list = { .state = state, .room = room, .out = out };
  CDNI_TRY(cdni_state_ensure(state, CDN_POSE));
  CDNI_TRY(cdni_state_ensure(state, CDN_TWIST));
  for (size_t i = 0; i < room->providers.count; i++) {
    const soft_provider *p = &CDNI_AT(room->providers, soft_provider, i);
    cdni_state_clear_error(state);
    list.provider = (int32_t)i;
    const void *own = cdn_subsystem_self(cdn_state_system(state), p->subsystem);
    const cdn_status status = p->ops.calc_groups(own, state, &list);
    cdn_error e;
    cdn_state_last_error(state, &e);
    if (status != CDN_OK && e.code != CDN_OK) return status;
    if (status != CDN_OK)
      return cdni_state_fail(state, status, status == CDN_ERR_NONFINITE, "cdn_realize", p->name,
                             "calc_groups of '%s' failed: %s", p->name, cdn_status_text(status));
    if (list.mistake != CDN_OK)
      return cdni_state_fail(state, list.mistake, false, "cdn_realize", p->name, "soft rows of '%s': %s", p->name,
                             list.why);
  }
  if (!cdni_soft_is_exact(room)) return add_own(room, state, NULL, out);
  soft_diagonal diagonal;
  CDNI_TRY(cdni_soft_diagonal_begin(state, &diagonal));
  const cdn_status status = add_own(room, state, &diagonal, out);
  cdni_soft_diagonal_end(&diagonal, state);
  return status;
}
