/* Derivatives of the forces of balls and capsules on each other, on half-spaces, boxes, cylinders and hulls: exact,
 * with normals that turn and witnesses that slide over the surfaces. Two capsules have the derivatives of their own law
 * (near.c). For all others:
 *
 * Let the body i turn by theta_i and its material point at the contact move by delta_i. The outward normal n of
 * surface a is minus that of b; A and B are the curvature tensors of the two in the plane of the contact, g < 0 the
 * gap, u_i the displacement of the material at the nearest point x_i, and s_i how far that point slides over its
 * surface. Then dn = theta_a x n + A s_a = theta_b x n - B s_b,    d(x_b - x_a) = d(g n),
 * and from these, with w_i the part of theta_i x n in the plane and v that of u_b - u_a,
 *    (A + B (1 + g A)) s_a = w_b - w_a + B v - g B w_a,    dg = n . (u_b - u_a). */
#include <math.h>

#include "contact/derivatives.h"
#include "contact/entries.h"
#include "contact/materials.h"
#include "contact/memory.h"

/* ---- one contact ---- */

static cdn_vec3 in_plane(cdn_vec3 n, cdn_vec3 v) { return cdn_sub(v, cdn_scale(cdn_dot(n, v), n)); }

static cdn_vec3 bend(const surface_tensor *T, cdn_vec3 s) {
  return cdn_add(cdn_scale(T->k, s), cdn_scale((T->along - T->k) * cdn_dot(T->axis, s), T->axis));
}

static cdn_vec3 slide_of_a(const spot *c, cdn_vec3 w_a, cdn_vec3 w_b, cdn_vec3 v) {
  const cdn_vec3 n = c->t->normal, axis[2] = { c->t->tangent, cdn_cross(n, c->t->tangent) };
  const double g = -c->depth;
  const cdn_vec3 right = cdn_add(cdn_sub(w_b, w_a), bend(&c->B, cdn_sub(v, cdn_scale(g, w_a))));
  double M[2][2], r[2];
  for (int j = 0; j < 2; j++) {
    const cdn_vec3 As = bend(&c->A, axis[j]);
    const cdn_vec3 column = cdn_add(As, bend(&c->B, cdn_add(axis[j], cdn_scale(g, As))));
    for (int i = 0; i < 2; i++) M[i][j] = cdn_dot(axis[i], column);
    r[j] = cdn_dot(axis[j], right);
  }
  const double det = M[0][0] * M[1][1] - M[0][1] * M[1][0];
  if (det == 0) return cdn_v3(0, 0, 0);
  return cdn_add(cdn_scale((M[1][1] * r[0] - M[0][1] * r[1]) / det, axis[0]),
                 cdn_scale((M[0][0] * r[1] - M[1][0] * r[0]) / det, axis[1]));
}

/* By the depth, and where the force changes by a part of itself. */
static void press(const spot *c, effect *e, double part) {
  e->elastic = part * c->t->elastic - c->still_slope * e->gap;
  e->pressed = part * c->N - c->slope[0] * e->gap;
}

/* Two capsules: the law of near.c, whose force has the part length / D. */
static effect rods_effect(const spot *c, const small_motion *d) {
  const cdn_vec3 n = c->t->normal, p = c->t->point, turn[2] = { d->theta_a, d->theta_b };
  const cdn_vec3 shift[2] = { cdn_add(d->delta_a, cdn_cross(d->theta_a, cdn_sub(c->X[0]->p, p))),
                              cdn_add(d->delta_b, cdn_cross(d->theta_b, cdn_sub(c->X[1]->p, p))) };
  const double depth = c->t->depth;
  rods_rate by;
  cdni_contact_rods_rate(&c->rods, c->X, turn, shift, &by);
  effect e = { .n = by.normal, .gap = by.D };
  e.p = cdn_add(by.on_a, cdn_add(cdn_scale(c->radius_a - c->share * depth, by.normal), cdn_scale(c->share * by.D, n)));
  press(c, &e, c->rods.length > 0 ? by.length / c->rods.length - by.D / c->rods.D : 0);
  return e;
}

static effect tensor_effect(const spot *c, const small_motion *d) {
  const cdn_vec3 n = c->t->normal, p = c->t->point, x_b = cdn_sub(c->x_a, cdn_scale(c->depth, n));
  const cdn_vec3 u_a = cdn_add(d->delta_a, cdn_cross(d->theta_a, cdn_sub(c->x_a, p)));
  const cdn_vec3 u_b = cdn_add(d->delta_b, cdn_cross(d->theta_b, cdn_sub(x_b, p)));
  const cdn_vec3 w_a = cdn_cross(d->theta_a, n), w_b = cdn_cross(d->theta_b, n), u = cdn_sub(u_b, u_a);
  const cdn_vec3 s = slide_of_a(c, w_a, w_b, in_plane(n, u));
  effect e = { .n = cdn_add(w_a, bend(&c->A, s)), .gap = cdn_dot(n, u) };
  e.p = cdn_add(cdn_add(u_a, s),
                cdn_sub(cdn_scale(c->share * e.gap, n), cdn_scale(c->skin + c->share * c->t->depth, e.n)));
  press(c, &e, 0);
  return e;
}

effect cdni_contact_effect(const spot *c, const small_motion *d) {
  effect e;
  if (c->differenced) e = cdni_contact_effect_of_law(c->t, c->by_b, d);
  else {
    e = c->X[0] ? rods_effect(c, d) : tensor_effect(c, d);
    e.spread = -0.5 * c->t->spread / c->t->depth * e.gap;
  }
  e.over_a = cdn_sub(e.p, d->delta_a);
  e.over_b = cdn_sub(e.p, d->delta_b);
  return e;
}

/* ---- forces on b at the point ---- */

static push_on_b elastic_change(const spot *c, const effect *e) {
  const cdn_vec3 along = cdn_add(cdn_scale(e->elastic, c->t->normal), cdn_scale(c->t->elastic, e->n));
  return (push_on_b){ .force = cdn_add(along, e->side_force), .moment = e->side_moment };
}

/* The change of a moment -N mu turn / max(|turn|, least), where N changes by dN, mu by d_mu and the turn by `by`. */
static cdn_vec3 moment_change(double mu, double N, double dN, double least, cdn_vec3 turn, cdn_vec3 by, double d_mu) {
  const double size = cdn_norm(turn), over = fmax(size, least);
  const double d_over = size > least ? cdn_dot(turn, by) / size : 0;
  return cdn_scale(
      -mu, cdn_add(cdn_scale((dN + N * d_mu / mu) / over - N * d_over / (over * over), turn), cdn_scale(N / over, by)));
}

/* e NULL: nothing moves. du: change of the bodies' relative velocity at the point; dw: of their relative angular
 * velocity; d_slip, d_turn: of what the surfaces move beyond that. */
static contact_change change_of(const spot *c, const effect *e, cdn_vec3 du, cdn_vec3 dw, cdn_vec3 d_slip,
                                cdn_vec3 d_turn) {
  const cdn_vec3 n = c->t->normal, dn = e ? e->n : cdn_v3(0, 0, 0);
  const double d_rate = -cdn_dot(n, du) - cdn_dot(dn, c->m.u);
  const cdn_vec3 whole = cdn_add(c->m.u, cdn_sub(c->over_b, c->over_a)), d_whole = cdn_add(du, d_slip);
  const double along = cdn_dot(n, whole);
  contact_change to = { .n = dn, .turn = cdn_add(dw, d_turn) };
  if (c->N > 0) to.dN = c->slope[1] * d_rate;
  if (e) to.elastic = e->elastic, to.spread = e->spread, to.stamp = e->stamp;
  if (e && c->N > 0) to.dN += e->pressed;
  if (e && e->varies) to.friction = e->friction;
  to.slip = cdn_sub(in_plane(n, cdn_sub(d_whole, cdn_scale(along, dn))), cdn_scale(cdn_dot(dn, whole), n));
  return to;
}

/* Of what is not elastic. `friction`: with friction and torsion, which are the patch's if that has memory; `rolling`:
 * with rolling friction. */
static push_on_b rest_change(const spot *c, const contact_change *d, bool friction, bool rolling) {
  const touch *t = c->t;
  const cdn_vec3 n = t->normal, dn = d->n, ds = d->slip;
  const double N = c->N, dN = d->dN;
  push_on_b to = { .force =
                       cdn_add(cdn_scale(dN - c->stored * d->elastic, n), cdn_scale(N - c->stored * t->elastic, dn)) };
  const cdn_vec3 turn = c->m.turn, by = d->turn;
  const double spin = cdn_dot(turn, n), d_spin = cdn_dot(by, n) + cdn_dot(turn, dn), least = c->transition / c->size;
  const cdn_vec3 spins = cdn_scale(spin, n), d_spins = cdn_add(cdn_scale(d_spin, n), cdn_scale(spin, dn));
  if (rolling && t->rolling > 0)
    to.moment = moment_change(t->rolling, N, dN, least, cdn_sub(turn, spins), cdn_sub(by, d_spins),
                              d->friction ? d->friction[4] : 0);
  if (!friction) return to;
  /* friction -N phi s */
  const cdn_vec3 s = c->m.slip;
  const double speed = cdn_norm(s);
  double slope;
  const double phi = cdni_friction_over_speed(t->friction, speed, c->transition, &slope);
  double d_phi = speed > 0 ? slope * cdn_dot(s, ds) / speed : 0;
  if (d->friction) d_phi += cdni_friction_over_speed(d->friction, speed, c->transition, NULL); /* linear in these */
  to.force = cdn_sub(to.force, cdn_add(cdn_scale(dN * phi + N * d_phi, s), cdn_scale(N * phi, ds)));
  if (t->torsional > 0)
    to.moment =
        cdn_add(to.moment, moment_change(t->torsional, N, dN, least, spins, d_spins, d->friction ? d->friction[3] : 0));
  return to;
}

/* ---- all contacts ---- */

void cdni_contact_put_column(double *matrix, int column, push_on_b by, cdn_vec3 F, cdn_vec3 over_a, cdn_vec3 over_b) {
  const cdn_vec3 rows[4] = { cdn_scale(-1, cdn_add(by.moment, cdn_cross(over_a, F))), cdn_scale(-1, by.force),
                             cdn_add(by.moment, cdn_cross(over_b, F)), by.force };
  for (int i = 0; i < 4; i++) {
    matrix[12 * (3 * i) + column] = rows[i].x;
    matrix[12 * (3 * i + 1) + column] = rows[i].y;
    matrix[12 * (3 * i + 2) + column] = rows[i].z;
  }
}

small_motion cdni_contact_unit_motion(int column) {
  const double one[3] = { column % 3 == 0, column % 3 == 1, column % 3 == 2 };
  const cdn_vec3 v = cdn_v3(one[0], one[1], one[2]), zero = { 0, 0, 0 };
  const int which = column / 3;
  return (small_motion){ which == 0 ? v : zero, which == 1 ? v : zero, which == 2 ? v : zero, which == 3 ? v : zero };
}

static void elastic_matrix(const spot *c, double *by_X, cdn_spatial F[2]) {
  const cdn_vec3 f = cdn_add(cdn_scale(c->t->elastic, c->t->normal), c->t->side_force), moment = c->t->side_moment;
  F[0] = (cdn_spatial){ cdn_scale(-1, moment), cdn_scale(-1, f) }, F[1] = (cdn_spatial){ moment, f };
  for (int k = 0; k < 12; k++) {
    const small_motion d = cdni_contact_unit_motion(k);
    const effect e = cdni_contact_effect(c, &d);
    cdni_contact_put_column(by_X, k, elastic_change(c, &e), f, e.over_a, e.over_b);
  }
}

void cdni_contact_changes(const spot *c, int column, effect *e, contact_change *by_X, contact_change *by_V) {
  const cdn_vec3 zero = { 0, 0, 0 };
  const small_motion d = cdni_contact_unit_motion(column);
  *e = cdni_contact_effect(c, &d);
  const cdn_vec3 du = cdn_sub(cdn_cross(c->w_b, e->over_b), cdn_cross(c->w_a, e->over_a));
  const cdn_vec3 slip_a = cdn_add(cdn_cross(d.theta_a, c->over_a), cdn_cross(c->spin_a, e->over_a));
  const cdn_vec3 slip_b = cdn_add(cdn_cross(d.theta_b, c->over_b), cdn_cross(c->spin_b, e->over_b));
  const cdn_vec3 turn_a = cdn_cross(d.theta_a, c->spin_a), turn_b = cdn_cross(d.theta_b, c->spin_b);
  *by_X = change_of(c, e, du, zero, cdn_sub(slip_b, slip_a), cdn_sub(turn_b, turn_a));
  by_X->carried = cdn_add(cdn_scale(c->m.share, turn_a), cdn_scale(1 - c->m.share, turn_b));
  *by_V = change_of(c, NULL, cdn_sub(d.delta_b, d.delta_a), cdn_sub(d.theta_b, d.theta_a), zero, zero);
  by_V->carried = cdn_add(cdn_scale(c->m.share, d.theta_a), cdn_scale(1 - c->m.share, d.theta_b));
}

static void rest_matrices(const spot *c, const touch_force *f, bool friction, bool rolling, double *by_X, double *by_V,
                          cdn_spatial F[2]) {
  const cdn_vec3 zero = { 0, 0, 0 };
  const cdn_vec3 force = cdn_add(cdn_scale(f->normal - c->stored * c->t->elastic, c->t->normal), f->friction);
  F[0] = (cdn_spatial){ cdn_scale(-1, f->moment), cdn_scale(-1, force) }, F[1] = (cdn_spatial){ f->moment, force };
  for (int k = 0; k < 12; k++) {
    effect e;
    contact_change X, V;
    cdni_contact_changes(c, k, &e, &X, &V);
    cdni_contact_put_column(by_X, k, rest_change(c, &X, friction, rolling), force, e.over_a, e.over_b);
    cdni_contact_put_column(by_V, k, rest_change(c, &V, friction, rolling), force, zero, zero);
  }
}

/* The tensor of a surface that lies by `skin` above another: a sharp edge has become round. */
static surface_tensor above(surface_tensor T, double skin) {
  T.k = isinf(T.k) ? 1 / skin : T.k / (1 + skin * T.k);
  T.along /= 1 + skin * T.along;
  return T;
}

static bool has_edges(cdn_geometry_kind kind) {
  return kind != CDN_GEOMETRY_HALF_SPACE && cdni_geometry_kinds[kind]->contact == CONTACT_FACES;
}

/* Tensors at the nearest points. What has edges gets a skin as thick as the other shape is round: distances to it are
 * less by that, and turn as they do. */
static void set_tensors(spot *c, const cdn_geometry *const g[2], const cdn_transform *const X[2]) {
  const cdn_vec3 n = c->t->normal, x[2] = { c->x_a, cdn_sub(c->x_a, cdn_scale(c->t->depth, n)) };
  surface_tensor *T[2] = { &c->A, &c->B };
  for (int i = 0; i < 2; i++) {
    *T[i] = cdni_surface_tensor(g[i], X[i], x[i], i == 0 ? n : cdn_scale(-1, n));
    /* a capsule touches a half-space with its ends, which are balls */
    if (g[1 - i]->kind == CDN_GEOMETRY_HALF_SPACE) T[i]->axis = cdn_v3(0, 0, 0);
    if (!has_edges(g[i]->kind)) continue;
    const double skin = g[1 - i]->size[0];
    *T[i] = above(*T[i], skin);
    c->depth += skin;
    if (i == 0) c->skin = skin, c->x_a = cdn_add(c->x_a, cdn_scale(skin, n));
  }
}

static void set_motion(const motion_view *v, const touch *t, const cdn_transform *const X[2], spot *c) {
  c->m = cdni_relative_motion(v, t);
  c->size = cdni_contact_size(v, t->a, t->b);
  const int32_t shapes[2] = { t->a, t->b };
  cdn_vec3 over[2], surface_motion[2];
  for (int i = 0; i < 2; i++) {
    const double *numbers = v->surface_motions + SURFACE_MOTION_NUMBERS * shapes[i];
    surface_motion[i] = cdn_rotate(X[i]->R, cdn_v3(numbers[3], numbers[4], numbers[5]));
    over[i] = cdn_add(cdn_rotate(X[i]->R, cdn_v3(numbers[0], numbers[1], numbers[2])),
                      cdn_cross(surface_motion[i], cdn_sub(t->point, X[i]->p)));
  }
  c->over_a = over[0], c->over_b = over[1], c->spin_a = surface_motion[0], c->spin_b = surface_motion[1];
  c->w_a = cdni_from_v3(v->twist[shape_body(v->room, t->a)].V.w);
  c->w_b = cdni_from_v3(v->twist[shape_body(v->room, t->b)].V.w);
  c->rate = -cdn_dot(t->normal, c->m.u);
}

/* What the law of the pressure says of the touch. */
static void set_pressure(const contact_room *room, spot *c) {
  const touch *t = c->t;
  const pressure_law *law = pressure_at(room, t->law);
  double still[2];
  (void)cdni_law_slopes(law, t->numbers, t->depth, 0, still);
  c->still_slope = still[0];
  c->N = cdni_law_slopes(law, t->numbers, t->depth, c->rate, c->slope);
}

spot cdni_contact_spot(const motion_view *v, const touch *t, const double *pair_numbers, double transition,
                       bool moves) {
  const touch_pair pair = touch_pair_of(v->room, v->places, v->poses, pair_numbers, t->a, t->b);
  const cdn_geometry *const *g = pair.g;
  const cdn_transform *const *X = pair.X;
  const combined_material m = cdni_combine_materials(&pair);
  spot c = { .t = t,
             .depth = t->depth,
             .share = m.share_a,
             .differenced = !pair.law->exact,
             .stored = isnan(t->energy) ? 0 : 1,
             .transition = transition };
  c.x_a = cdn_add(t->point, cdn_scale(m.share_a * t->depth, t->normal));
  if (moves) set_motion(v, t, X, &c);
  set_pressure(v->room, &c);
  if (c.differenced) {
    cdni_contact_difference_law(&pair, t, fmin(v->places[t->a].radius, v->places[t->b].radius), c.rate, c.by_b);
    return c;
  }
  set_tensors(&c, g, X);
  if (g[0]->kind == CDN_GEOMETRY_CAPSULE && g[1]->kind == CDN_GEOMETRY_CAPSULE) {
    c.X[0] = X[0], c.X[1] = X[1];
    c.radius_a = g[0]->size[0];
    c.rods = cdni_contact_rods(g, c.X);
  }
  return c;
}

cdn_status cdni_contact_stations(cdn_state *state, const touch *t, const cdn_body bodies[2], cdn_vec3 stations[2]) {
  for (int k = 0; k < 2; k++) {
    cdn_transform X_GB;
    CDNI_TRY(cdn_body_pose(state, bodies[k], &X_GB));
    stations[k] = cdn_rotate_inv(X_GB.R, cdn_sub(t->point, X_GB.p));
  }
  return CDN_OK;
}

/* Adds the elastic forces of all contacts, or all others. */
static cdn_status add_all(const contact_room *room, cdn_state *state, bool elastic, cdn_force_derivatives *d) {
  const void *touches, *forces = NULL;
  int n;
  CDNI_TRY(cdn_region_eval(state, room->touches, &touches, &n));
  if (n == 0) return CDN_OK;
  motion_view v = { .room = room,
                    .places = cdni_state_storage(state, room->places),
                    .poses = cdni_state_storage(state, room->poses) };
  if (!elastic) {
    CDNI_TRY(cdn_region_eval(state, room->forces, &forces, &n));
    CDNI_TRY(cdni_motion_view(room, state, &v));
  }
  const double *pairs = cdn_state_parameters(state, room->pair_numbers);
  const double transition = *cdn_state_parameters(state, room->transition);
  bool *of_patch = cdn_work_push(state, (size_t)n);
  if (!of_patch) return CDN_ERR_NOMEM;
  cdn_status status = cdni_contact_mark_patches(room, state, n, of_patch);
  for (int i = 0; status == CDN_OK && i < n; i++) {
    const touch *t = (const touch *)touches + i;
    if (t->model != CDN_CONTACT_COMPLIANT || (elastic && isnan(t->energy))) continue;
    const spot c = cdni_contact_spot(&v, t, pairs, transition, !elastic);
    const cdn_body bodies[2] = { { shape_body(room, t->a) }, { shape_body(room, t->b) } };
    cdn_vec3 stations[2];
    status = cdni_contact_stations(state, t, bodies, stations);
    if (status != CDN_OK) break;
    double by_X[144], by_V[144];
    cdn_spatial F[2];
    if (elastic) elastic_matrix(&c, by_X, F);
    else
      rest_matrices(&c, (const touch_force *)forces + i, !of_patch[i],
                    !of_patch[i] || room->slot_numbers == SLOT_NUMBERS, by_X, by_V, F);
    cdn_force_derivatives_add_bodies(d, 2, bodies, stations, F, by_X, elastic ? NULL : by_V, true);
  }
  cdn_work_pop(state, of_patch);
  return status;
}

cdn_status cdni_contact_elastic_derivative(const void *self, cdn_state *state, cdn_force_derivatives *d) {
  return add_all(contact_of(self), state, true, d);
}

cdn_status cdni_contact_rest_derivative(const void *self, cdn_state *state, cdn_force_derivatives *d) {
  return add_all(contact_of(self), state, false, d);
}

/* Pairs of which each touch is known, or can be found again. Where friction has memory, a patch of several touches is
 * not: those of the user's laws are one. */
static bool is_known(const contact_room *room, cdn_geometry_kind a, cdn_geometry_kind b) {
  const contact_law *law = room->law[CDN_CONTACT_COMPLIANT][a][b];
  return !law || law->exact || (law->touch && (law->damping > 0 || room->slots == 0));
}

/* Kinds of shapes that are not known with some kind of the System. */
static void find_suspects(const contact_room *room, bool suspect[CDN_GEOMETRY_KIND_COUNT]) {
  bool present[CDN_GEOMETRY_KIND_COUNT] = { false };
  for (size_t i = 0; i < room->shapes.count; i++) present[CDNI_AT(room->shapes, shape, i).geometry.kind] = true;
  for (int a = 0; a < CDN_GEOMETRY_KIND_COUNT; a++) {
    suspect[a] = false;
    for (int b = 0; b < CDN_GEOMETRY_KIND_COUNT; b++)
      suspect[a] =
          suspect[a] || (present[a] && present[b] && !is_known(room, (cdn_geometry_kind)a, (cdn_geometry_kind)b));
  }
}

/* What is not known may be shapes that never touch each other: steps of the same stairs. */
bool cdni_contact_has_derivatives(const contact_room *room) {
  const int n = (int)room->shapes.count;
  bool suspect[CDN_GEOMETRY_KIND_COUNT];
  if (room->sources.count > 0 || (room->shape_laws > 0 && room->slots > 0)) return false;
  find_suspects(room, suspect);
  for (int i = 0; i < n; i++) {
    const shape *a = &CDNI_AT(room->shapes, shape, i);
    if (!suspect[a->geometry.kind] || room->group[a->body] == 0) continue;
    for (int j = 0; j < n; j++) {
      const cdn_geometry_kind b = CDNI_AT(room->shapes, shape, j).geometry.kind;
      if (suspect[b] && i != j && !is_known(room, a->geometry.kind, b) && cdni_contact_may_accept(room, i, j) &&
          contact_model_of(room, i, j) == CDN_CONTACT_COMPLIANT)
        return false;
    }
  }
  return true;
}
