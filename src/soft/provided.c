/* Rows of subsystems: what a provider adds, checked. */
#include <math.h>

#include "core/sized.h"
#include "soft/provided.h"

CDNI_DEF(row_def, .kind = CDN_SOFT_BOUNDED, .rows = 1, .lower = -INFINITY, .upper = INFINITY);

static void note(cdn_row_list *list, cdn_status mistake, const char *reason) {
  if (list->mistake == CDN_OK) list->mistake = mistake, list->reason = reason;
}

/* ---- checks ---- */

static bool is_cone(const cdn_row_def *d) { return d->kind == CDN_SOFT_ELLIPTIC || d->kind == CDN_SOFT_PYRAMIDAL; }

static bool rows_fit(const cdn_row_def *d) {
  if (is_cone(d)) return d->rows == 3 || d->rows == 4 || d->rows == 6;
  if (d->kind == CDN_SOFT_EQUALITY) return d->rows >= 1 && d->rows <= CDN_SOFT_MOST_ROWS;
  return d->rows == 1;
}

static const char *not_finite(const cdn_row_def *d) {
  for (int k = 0; k < d->rows; k++) {
    if (!isfinite(d->target[k])) return "a target of its rows is not finite";
    const bool read = d->kind != CDN_SOFT_PYRAMIDAL || k == 0;
    if (read && !(d->R[k] >= 0 && d->R[k] <= 1e100)) return "an R of its rows is negative or not finite";
  }
  return NULL;
}

static const char *wrong_numbers(const cdn_row_def *d) {
  for (int k = 0; k < d->rows && is_cone(d); k++) {
    const bool read = d->kind != CDN_SOFT_PYRAMIDAL || k == 0;
    if (read && !(d->R[k] >= 1e-100)) return "an R of its cone is zero: a cone gives way";
    if (k > 0 && !(d->friction[k - 1] >= 0 && d->friction[k - 1] <= 1e100))
      return "a friction of its cone is negative or not finite";
  }
  if (d->kind == CDN_SOFT_FRICTION_LOSS && !(d->loss >= 0 && isfinite(d->loss)))
    return "its friction loss is negative or not finite";
  if (d->kind == CDN_SOFT_ELLIPTIC && !(d->mu >= 0 && d->mu <= 1e100))
    return "mu of its cone is negative or not finite";
  if (d->kind == CDN_SOFT_BOUNDED && (!(d->lower <= d->upper) || d->lower == INFINITY || d->upper == -INFINITY))
    return "one of its rows has bounds between which there is no number: lower must not be above upper, nor either "
           "a NaN";
  return NULL;
}

static const char *wrong_terms(const cdn_row_list *list, const cdn_row_def *d) {
  size_t bad;
  if (d->terms < 2 || d->terms > CDN_SOFT_MOST_TERMS) return "it is on several joints, of which it must name 2 to 16";
  if (d->rows != 1) return "it is on several joints, and has more than one row";
  if (d->joint.i > 0 || d->a.i > 0 || d->b.i > 0)
    return "it is on several joints and on something else: give one of the two";
  if (!cdni_all_finite(d->slope, (size_t)d->terms, &bad)) return "a slope of it is not finite";
  for (int i = 0; i < d->terms; i++) {
    const cdn_mobility *t = &d->term[i];
    if (!cdni_body_exists(list->room->matter, t->body) || t->k < 0 ||
        t->k >= list->room->matter->tree.node[t->body.i].nu)
      return "it names a mobility that this System does not have";
    for (int j = 0; j < i; j++)
      if (d->term[j].body.i == t->body.i && d->term[j].k == t->k) return "it names a mobility twice";
  }
  return NULL;
}

/* Whether a def names nothing: a row that the next calls fill. */
static bool is_open(const cdn_row_def *d) {
  return d->terms == 0 && d->joint.i == 0 && d->a.i == 0 && d->b.i == 0 && d->rows == 1 && !is_cone(d);
}

static const char *wrong_place(const cdn_row_list *list, const cdn_row_def *d) {
  size_t bad;
  if (is_open(d)) return NULL;
  if (d->terms != 0) return wrong_terms(list, d);
  if (!cdni_body_exists(list->room->matter, d->a) || !cdni_body_exists(list->room->matter, d->b) ||
      !cdni_body_exists(list->room->matter, d->joint))
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

/* ---- groups ---- */

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

/* Adds a group; NULL: no memory. What was the last one before is complete. */
static soft_group *add(cdn_row_list *list, int32_t kind, int rows) {
  void *place;
  cdni_soft_list_close(list);
  if (cdn_region_output_add(list->out, 1, &place) != CDN_OK) {
    note(list, CDN_ERR_NOMEM, "out of memory");
    return NULL;
  }
  soft_group *g = list->last = place;
  memset(g, 0, sizeof *g);
  g->provider = list->provider + 1;
  g->s.kind = kind, g->s.rows = rows;
  return g;
}

/* Rows first ... first + rows - 1 of a def, where they are. */
static void place_rows(const cdn_row_list *list, const cdn_row_def *d, int first, soft_group *g) {
  const tree *t = &list->room->matter->tree;
  const int rows = g->s.rows;
  g->point = cdni_to_v3(d->point_G);
  if (d->terms > 0) {
    g->place = SOFT_TERMS, g->terms = d->terms;
    for (int i = 0; i < d->terms; i++) {
      const int body = d->term[i].body.i;
      g->term[i] = (soft_term){ body, t->node[body].u + d->term[i].k, d->slope[i] };
    }
  } else if (d->joint.i > 0) {
    g->place = SOFT_JOINT, g->body[1] = d->joint.i;
    memcpy(g->g, d->g[first], (size_t)rows * sizeof g->g[0]);
  } else if (is_open(d)) {
    g->place = SOFT_TERMS, g->rates = true;
  } else {
    g->place = SOFT_PAIR, g->body[0] = d->a.i, g->body[1] = d->b.i;
    for (int k = 0; k < rows; k++) g->B[k] = (sv){ cdni_to_v3(d->J[first + k].w), cdni_to_v3(d->J[first + k].v) };
    if (list->room->def.rates) cdni_soft_count_rates(list->room, list->state, g);
  }
}

/* ---- how much exact rows give way ---- */

/* Rows with a smaller R, as a part of the inverse inertia that they meet, are solved by passes (exact.c). */
static const double STIFF = 1e-3;

static double weight_of_body(const cdn_row_list *list, int body, sv J) {
  const double *w = list->weights.body[body];
  return w[0] * v3_dot(J.v, J.v) + w[1] * v3_dot(J.w, J.w);
}

/* The inverse inertia that a row meets, roughly. */
static double weight_of_row(const cdn_row_list *list, const soft_group *g, int k) {
  const double *mobility = list->weights.mobility;
  double sum = 0;
  if (g->place == SOFT_PAIR)
    for (int s = 0; s < 2; s++) sum += weight_of_body(list, g->body[s], g->B[k]);
  else if (g->place == SOFT_JOINT) {
    const tree_node *node = &list->room->matter->tree.node[g->body[1]];
    for (int i = 0; i < node->nu; i++) sum += g->g[k][i] * g->g[k][i] * mobility[node->u + i];
  } else
    for (int i = 0; i < g->terms; i++) {
      const soft_term *t = &g->term[i];
      sum += cdni_soft_is_body(t) ? weight_of_body(list, t->body, cdni_soft_body_row(g, t))
                                  : t->slope * t->slope * mobility[t->u];
    }
  return sum > 0 && isfinite(sum) ? sum : 1;
}

static bool is_on_one_mobility(const cdn_row_list *list, const soft_group *g) {
  if (g->place == SOFT_TERMS) return g->terms == 1 && !cdni_soft_is_body(&g->term[0]);
  if (g->place != SOFT_JOINT) return false;
  int n = 0;
  for (int i = 0; i < list->room->matter->tree.node[g->body[1]].nu; i++) n += g->g[0][i] != 0;
  return n == 1;
}

void cdni_soft_list_close(cdn_row_list *list) {
  soft_group *g = list->last;
  list->last = NULL;
  if (!g || g->s.rows != 1 || g->s.D[0] > 0) return;
  const double weight = weight_of_row(list, g, 0);
  g->about[0] = weight;
  if (g->R < STIFF * weight) g->give = (is_on_one_mobility(list, g) ? SOFT_GIVE_OF_JOINT : SOFT_GIVE) * weight;
  g->s.D[0] = 1 / (g->R + g->give);
}

/* ---- adding ---- */

/* Whether an equality of several rows has exact ones; these are groups of their own. */
static bool falls_apart(const cdn_row_def *d) {
  bool any = false;
  for (int k = 0; k < d->rows && d->kind == CDN_SOFT_EQUALITY && d->rows > 1; k++) any = any || !(d->R[k] > 0);
  return any;
}

static void add_bounded(cdn_row_list *list, const cdn_row_def *d, int k, double lower, double upper) {
  soft_group *g = add(list, SOFT_BOUNDED, 1);
  if (!g) return;
  g->R = d->R[k], g->ref[0] = d->target[k];
  g->s.friction[BOUNDED_LOWER] = lower, g->s.friction[BOUNDED_UPPER] = upper;
  place_rows(list, d, k, g);
}

static void add_whole(cdn_row_list *list, const cdn_row_def *d) {
  soft_group *g = add(list, (int32_t)d->kind, d->rows);
  if (!g) return;
  g->s.loss = d->loss, g->s.mu = d->mu;
  for (int k = 0; k < d->rows; k++) g->s.D[k] = k == 0 || d->kind != CDN_SOFT_PYRAMIDAL ? 1 / d->R[k] : 0;
  memcpy(g->s.friction, d->friction, sizeof g->s.friction);
  memcpy(g->ref, d->target, sizeof g->ref);
  place_rows(list, d, 0, g);
  if (d->rows > 1) return;
  g->R = d->R[0], g->s.D[0] = 0; /* cdni_soft_list_close */
}

void cdn_row_list_add(cdn_row_list *list, const cdn_row_def *given) {
  CDNI_NEED_OBJECT_OR_NOTHING(list);
  cdn_row_def d;
  const char *wrong = read_row_def(&d, given);
  if (wrong) {
    note(list, CDN_ERR_VERSION, wrong);
    return;
  }
  if ((unsigned)d.kind > CDN_SOFT_BOUNDED) wrong = "its kind is none of cdn_soft_kind";
  else if (!rows_fit(&d)) wrong = "its number of rows does not fit its kind";
  else if ((wrong = not_finite(&d)) != NULL) {
    note(list, CDN_ERR_NONFINITE, wrong);
    return;
  } else if (!(wrong = wrong_numbers(&d))) wrong = wrong_place(list, &d);
  if (wrong) {
    note(list, CDN_ERR_ARG, wrong);
    return;
  }
  if (d.kind == CDN_SOFT_BOUNDED) add_bounded(list, &d, 0, d.lower, d.upper);
  else if (!falls_apart(&d)) add_whole(list, &d);
  else
    for (int k = 0; k < d.rows; k++) add_bounded(list, &d, k, -INFINITY, INFINITY);
}

/* The row that is being described; NULL if there is none. */
static soft_group *last(cdn_row_list *list) {
  soft_group *g = list->last;
  if (g && g->place == SOFT_TERMS && g->rates) return g;
  note(list, CDN_ERR_ARG, "it describes a row before it has added one that names nothing: call cdn_row_list_add first");
  return NULL;
}

static soft_term *add_term(cdn_row_list *list, soft_group *g, bool is_body) {
  int n = 0;
  for (int i = 0; i < g->terms; i++) n += cdni_soft_is_body(&g->term[i]) == is_body;
  if (n < (is_body ? CDN_ROW_MOST_BODIES : CDN_ROW_MOST_MOBILITIES)) {
    soft_term *t = &g->term[g->terms++];
    t->u = SOFT_TERM_BODY - n;
    return t;
  }
  note(list, CDN_ERR_LIMIT,
       is_body ? "one of its rows names more than CDN_ROW_MOST_BODIES bodies"
               : "one of its rows names more than CDN_ROW_MOST_MOBILITIES mobilities");
  return NULL;
}

/* J about a point at r from M's origin; the centripetal acceleration of that point goes to the target. */
static void add_at(cdn_row_list *list, soft_group *g, int32_t body, v3 r, sv J) {
  soft_term *term = NULL;
  if (body == 0) return;
  for (int i = 0; i < g->terms && !term; i++)
    if (g->term[i].body == body && cdni_soft_is_body(&g->term[i])) term = &g->term[i];
  if (!term) {
    term = add_term(list, g, true);
    if (!term) return;
    term->body = body, g->row[SOFT_TERM_BODY - term->u] = sv_zero();
  }
  sv *to = &g->row[SOFT_TERM_BODY - term->u];
  const v3 w = cdni_matter_data(list->room->matter, list->state).twist[body].V.w;
  g->ref[0] -= v3_dot(J.v, v3_cross(w, v3_cross(w, r)));
  *to = sv_add(*to, sv_shift_force(J, r));
}

static bool is_body(cdn_row_list *list, cdn_body body) {
  if (cdni_body_exists(list->room->matter, body)) return true;
  note(list, CDN_ERR_ARG, "one of its rows names a body that this System does not have");
  return false;
}

static v3 station(const cdn_row_list *list, cdn_body body, cdn_vec3 p_B) {
  const matter *m = list->room->matter;
  return cdni_to_v3(cdni_matter_station(m, list->state, cdni_matter_data(m, list->state).pose, body, p_B));
}

static bool is_finite3(cdn_vec3 a) { return (a.x - a.x) + (a.y - a.y) + (a.z - a.z) == 0; }
static const char no_number[] = "it gave a NaN or an infinity";

void cdn_row_list_add_body(cdn_row_list *list, cdn_body body, cdn_spatial J_G) {
  CDNI_NEED_OBJECT_OR_NOTHING(list);
  soft_group *g = last(list);
  if (!g || !is_body(list, body)) return;
  if (!is_finite3(J_G.w) || !is_finite3(J_G.v)) note(list, CDN_ERR_NONFINITE, no_number);
  add_at(list, g, body.i, station(list, body, cdn_v3(0, 0, 0)), (sv){ cdni_to_v3(J_G.w), cdni_to_v3(J_G.v) });
}

void cdn_row_list_add_point(cdn_row_list *list, cdn_body body, cdn_vec3 p_B, cdn_vec3 direction_G) {
  CDNI_NEED_OBJECT_OR_NOTHING(list);
  soft_group *g = last(list);
  if (!g || !is_body(list, body)) return;
  if (!is_finite3(p_B) || !is_finite3(direction_G)) note(list, CDN_ERR_NONFINITE, no_number);
  add_at(list, g, body.i, station(list, body, p_B), (sv){ v3_zero(), cdni_to_v3(direction_G) });
}

void cdn_row_list_add_mobility(cdn_row_list *list, cdn_body body, int k, double slope) {
  CDNI_NEED_OBJECT_OR_NOTHING(list);
  soft_group *g = last(list);
  if (!g || !is_body(list, body)) return;
  const tree_node *n = &list->room->matter->tree.node[body.i];
  if (k < 0 || k >= n->nu) note(list, CDN_ERR_ARG, "one of its rows names a mobility that the joint does not have");
  else if (!isfinite(slope)) note(list, CDN_ERR_NONFINITE, no_number);
  else {
    for (int i = 0; i < g->terms; i++)
      if (g->term[i].u == n->u + k) {
        g->term[i].slope += slope;
        return;
      }
    soft_term *t = add_term(list, g, false);
    if (t) *t = (soft_term){ body.i, n->u + k, slope };
  }
}

/* ---- weights ---- */

/* L of W = L L^T, with columns of zeros where W is singular; false: W has a negative eigenvalue. */
static bool take_root(const double W[36], double L[36]) {
  double most = 0;
  memset(L, 0, 36 * sizeof *L);
  for (int k = 0; k < 6; k++) most = fmax(most, fabs(W[7 * k]));
  const double nothing = 1e-13 * most;
  for (int k = 0; k < 6; k++) {
    double column[6];
    for (int i = k; i < 6; i++) {
      column[i] = W[6 * i + k];
      for (int j = 0; j < k; j++) column[i] -= L[6 * i + j] * L[6 * k + j];
    }
    if (column[k] < -nothing) return false;
    for (int i = k; i < 6 && column[k] <= nothing; i++)
      if (fabs(column[i]) > sqrt(nothing * most)) return false;
    for (int i = k; i < 6 && column[k] > nothing; i++) L[6 * i + k] = column[i] / sqrt(column[k]);
  }
  return true;
}

static bool is_symmetric(const double W[36]) {
  double most = 0, apart = 0;
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++) {
      most = fmax(most, fabs(W[6 * i + j]));
      apart = fmax(apart, fabs(W[6 * i + j] - W[6 * j + i]));
    }
  return apart <= 1e-12 * most;
}

void cdn_row_list_add_weight(cdn_row_list *list, cdn_body a, cdn_body b, cdn_vec3 p_G, const double W[36],
                             cdn_spatial bias) {
  CDNI_NEED_OBJECT_OR_NOTHING(list);
  double L[36];
  size_t bad;
  if (!is_body(list, a) || !is_body(list, b)) return;
  if (!W) {
    note(list, CDN_ERR_ARG, "a weight of it is NULL");
    return;
  }
  if (!is_finite3(p_G) || !is_finite3(bias.w) || !is_finite3(bias.v) || !cdni_all_finite(W, 36, &bad)) {
    note(list, CDN_ERR_NONFINITE, no_number);
    return;
  }
  if (!is_symmetric(W) || !take_root(W, L)) {
    note(list, CDN_ERR_ARG, "a weight of it is not symmetric, or has a negative eigenvalue");
    return;
  }
  soft_group *g = add(list, SOFT_EQUALITY, 6);
  if (!g) return;
  const double biases[6] = { bias.w.x, bias.w.y, bias.w.z, bias.v.x, bias.v.y, bias.v.z };
  g->place = SOFT_PAIR, g->body[0] = a.i, g->body[1] = b.i, g->point = cdni_to_v3(p_G);
  for (int k = 0; k < 6; k++) {
    const double *l = L + k;
    g->s.D[k] = 1;
    g->B[k] = (sv){ { l[0], l[6], l[12] }, { l[18], l[24], l[30] } };
    for (int j = 0; j < 6; j++) g->ref[k] -= l[6 * j] * biases[j];
  }
  cdni_soft_count_rates(list->room, list->state, g);
}

/* ---- of a State ---- */

static cdn_status call(const soft_provider *p, cdn_state *state, cdn_row_list *list) {
  cdni_state_clear_error(state);
  const void *own = cdn_subsystem_self(cdn_state_system(state), p->subsystem);
  const cdn_status status = p->ops.calc_rows(own, state, list);
  cdn_error e;
  cdn_state_last_error(state, &e);
  cdni_soft_list_close(list);
  if (status != CDN_OK && e.code != CDN_OK) return status;
  if (status != CDN_OK)
    return cdni_state_fail(state, status, status == CDN_ERR_NONFINITE, "cdn_realize", p->name,
                           "calc_rows of row provider '%s' failed: %s", p->name, cdn_status_text(status));
  if (list->mistake != CDN_OK)
    return cdni_state_fail(state, list->mistake, list->mistake == CDN_ERR_NONFINITE, "cdn_realize", p->name,
                           "row provider '%s': %s", p->name, list->reason);
  return CDN_OK;
}

cdn_status cdni_soft_add_provided(const soft_room *room, cdn_state *state, cdn_region_output *out) {
  cdn_row_list list = { .state = state, .room = room, .out = out };
  if (room->providers.count > 0) CDNI_TRY(cdni_matter_inverse_weights(room->matter, state, &list.weights));
  for (size_t i = 0; i < room->providers.count; i++) {
    list.provider = (int32_t)i;
    CDNI_TRY(call(&CDNI_AT(room->providers, soft_provider, i), state, &list));
  }
  return CDN_OK;
}
