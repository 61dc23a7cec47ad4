/* The rows of the points of contact, by MuJoCo's parameters. */
#include <math.h>

#include "soft/impedance.h"
#include "soft/internal.h"

/* The velocity of body b relative to a at the point. */
static sv relative_velocity(const tree_data *d, const soft_group *g) {
  sv V[2];
  for (int s = 0; s < 2; s++)
    V[s] = sv_shift_motion(d->twist[g->body[s]].V, v3_sub(g->point, d->pose[g->body[s]].p_GM));
  return sv_sub(V[1], V[0]);
}

/* Normal, two tangents, torsion, two rolls. */
static void put_rows(const contact_point *p, soft_group *g) {
  const v3 axis[3] = { cdni_to_v3(p->normal), cdni_to_v3(p->tangent[0]), cdni_to_v3(p->tangent[1]) };
  for (int k = 0; k < g->s.rows; k++) g->B[k] = k < 3 ? (sv){ v3_zero(), axis[k] } : (sv){ axis[k - 3], v3_zero() };
}

/* Surfaces that run over their bodies: friction is against what they do. */
static cdn_status count_surface_motion(const soft_room *room, cdn_state *state, const contact_point *p, soft_group *g) {
  cdn_spatial surface_motions;
  bool run;
  CDNI_TRY(cdni_contact_surface_motion(room->contact, state, p, &run, &surface_motions));
  if (!run) return CDN_OK;
  const sv V = { cdni_to_v3(surface_motions.w), cdni_to_v3(surface_motions.v) };
  for (int k = 1; k < g->s.rows; k++) g->ref[k] -= g->damping * sv_dot(g->B[k], V);
  g->known = false;
  return CDN_OK;
}

/* g is zero before. */
static void fill_group(const soft_room *room, const tree_data *d, const double (*weight)[2], const contact_point *p,
                       soft_group *g) {
  const cdn_soft_def *def = &room->def;
  const double x = p->distance - p->soft.margin;
  const soft_response response = cdni_soft_response(&p->soft.law, x, def->shortest_time);
  const double translation = weight[p->body[0]][0] + weight[p->body[1]][0], mu = p->soft.friction[0];
  g->about[0] = translation;
  g->place = SOFT_PAIR, g->body[0] = p->body[0], g->body[1] = p->body[1], g->point = cdni_to_v3(p->point);
  if (p->soft.dimension == 1) {
    g->s = (soft_function){ .kind = SOFT_LIMIT, .rows = 1 };
    g->s.D[0] = 1 / cdni_soft_regularisation(response.d, translation);
  } else {
    const bool pyramid = def->cone == CDN_SOFT_PYRAMIDAL;
    const double R = cdni_soft_regularisation(response.d, pyramid ? translation * (1 + mu * mu) : translation);
    g->s = cdni_soft_cone(pyramid ? SOFT_PYRAMIDAL : SOFT_ELLIPTIC, (int)p->soft.dimension, p->soft.friction, R,
                          def->impedance_ratio);
  }
  g->known = cdni_contact_motion_is_known(room->contact, p);
  g->stiffness = response.stiffness, g->damping = response.B, g->growth = response.growth;
  cdni_soft_set_in(g, -x, def->onset);
  put_rows(p, g);
  const sv V = relative_velocity(d, g);
  for (int k = 0; k < g->s.rows; k++) g->ref[k] = -response.B * sv_dot(g->B[k], V);
  g->ref[0] -= response.K * response.d * x;
}

/* In the gap there is no row; and nothing acts between bodies that nothing moves. */
static bool is_contact(const contact_point *p) { return p->distance < p->soft.margin; }
static bool has_rows(const soft_room *room, const contact_point *p) {
  return is_contact(p) && (room->moves[p->body[0]] || room->moves[p->body[1]]);
}

cdn_status cdni_soft_add_contacts(const soft_room *room, cdn_state *state, const soft_diagonal *diagonal,
                                  cdn_region_output *out) {
  const contact_point *points;
  int n;
  CDNI_TRY(cdni_contact_points(room->contact, state, &points, &n));
  if (n == 0) return CDN_OK;
  inverse_weights weights;
  CDNI_TRY(cdni_matter_inverse_weights(room->matter, state, &weights));
  const tree_data d = cdni_matter_data(room->matter, state);
  const bool any_runs = cdni_contact_any_surface_runs(room->contact, state);
  void *place;
  int contacts = 0, rows = 0;
  for (int i = 0; i < n; i++) rows += has_rows(room, &points[i]);
  CDNI_TRY(cdn_region_output_add(out, rows, &place));
  soft_group *g = place;
  for (int i = 0; i < n; i++) {
    contacts += is_contact(&points[i]); /* so far, of those that the State tells (cdn_contact_get) */
    if (!has_rows(room, &points[i])) continue;
    fill_group(room, &d, weights.body, &points[i], g);
    if (any_runs) CDNI_TRY(count_surface_motion(room, state, &points[i], g));
    if (diagonal) cdni_soft_diagonal_scale(diagonal, g);
    g->contact = contacts, g->source = i;
    g++;
  }
  return CDN_OK;
}
