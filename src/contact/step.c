/* Compliant contact as rows of an implicit step.
 *
 * All that follows from the pose alone is that of the State, which has the pose that the step will probably lead to:
 * points, normals, depths, and shares. What follows from the velocities V at the step's end is a force that falls with
 * them, so that it is minus the slope of a convex function:
 *
 * - Pressure. The step leads to the depth w = depth - h (V - V~), where V~ is the velocity of the State. The pressure
 * of a law
 *   grows with w and with the rate -V, both of which fall with V. A pressure field is its bed of springs (bed.c).
 * - Friction that sticks. A bristle (laws/bristle.c) moves at xdot = -f / (k T) - x / T. After an implicit step of the
 *   size h its displacement is x1 = (x0 - h f / (k T)) / (1 + h / T), which makes f = -P(k (x0 + (h + T) V)): P
 *   shortens a vector to the length of the slider's strength. It is the return mapping of plasticity, and convex.
 * - Friction of the slip speed is -P(F V / transition), and its viscous part linear.
 *
 * The strength of a slider goes with the normal force: that force, and the speed in Stribeck's formula, are those of
 * the State. */
#include <math.h>

#include "contact/bed.h"
#include "contact/entries.h"
#include "contact/laws.h"
#include "contact/memory.h"
#include "contact/motion.h"
#include "contact/room.h"
#include "contact/touch.h"
#include "contact/step.h"

/* ---- what rows are made of ---- */

typedef struct maker {
  const contact_room *room;
  const contact_step *step;
  const touch *touches;
  const touch_force *forces;
  motion_view motion;
  double transition;
  int at_z; /* of memory, among all z */
  contact_step_row *out;
  int n;
} maker;

static contact_step_row *add(maker *m, const touch *t, contact_step_kind kind, int rows, cdn_vec3 point) {
  contact_step_row *r = &m->out[m->n++];
  memset(r, 0, sizeof *r);
  r->kind = kind, r->rows = rows, r->first = -1, r->point = point, r->touch = (int32_t)(t - m->touches);
  r->body[0] = shape_body(m->room, t->a), r->body[1] = shape_body(m->room, t->b);
  return r;
}

static cdn_vec3 axis(int k) { return cdn_v3(k == 0, k == 1, k == 2); }

static cdn_vec3 across(cdn_vec3 x, cdn_vec3 n) { return cdn_sub(x, cdn_scale(cdn_dot(x, n), n)); }

/* ---- pressure ---- */

static void add_press(maker *m, const touch *t, const relative_motion *motion, cdn_vec3 arm, const double *numbers,
                      double depth) {
  contact_step_row *r = add(m, t, CONTACT_STEP_PRESS, 1, t->point);
  r->w[0] = cdn_cross(arm, t->normal), r->v[0] = t->normal;
  r->V[0] = cdn_dot(r->w[0], motion->w) + cdn_dot(t->normal, motion->u);
  r->law = pressure_at(m->room, t->law), r->depth = depth, r->usual = t->depth;
  memcpy(r->numbers, numbers, sizeof r->numbers);
}

static void press(maker *m, const touch *t, const relative_motion *motion) {
  if (!t->in_pair) {
    add_press(m, t, motion, cdn_v3(0, 0, 0), t->numbers, t->depth);
    return;
  }
  bed_spring springs[4];
  const double stiffness = 0.25 * t->stiffness;
  const double numbers[CDN_LAW_NUMBERS] = { stiffness * t->depth, t->numbers[1], t->depth };
  cdni_bed_springs(t, springs);
  for (int k = 0; k < 4; k++) add_press(m, t, motion, springs[k].arm, numbers, springs[k].force / stiffness);
}

static void add_pressure(maker *m, int i) {
  const touch *t = &m->touches[i];
  const relative_motion motion = cdni_relative_motion(&m->motion, t);
  if (t->elastic > 0 && t->depth > 0) press(m, t, &motion);
}

/* ---- touches that were kept ---- */

typedef struct kept_touch {
  touch t;
  v3 at[2], normal, tangent; /* its point on the bodies; its directions on body a */
} kept_touch;

void cdni_contact_step_declare(contact_room *room, cdn_declarer *d) {
  room->kept = cdn_declare_region(d, "kept", sizeof(kept_touch), 0, NULL, CDN_STAGE_REPORT);
}

static const kept_touch *kept_touches(const contact_room *room, const cdn_state *state, int *n) {
  const void *elements;
  return cdn_region_get(state, room->kept, &elements, n) == CDN_OK ? elements : NULL;
}

static void keep(const contact_room *room, const body_pose *pose, const touch *t, kept_touch *k) {
  const int bodies[2] = { shape_body(room, t->a), shape_body(room, t->b) };
  k->t = *t;
  for (int s = 0; s < 2; s++)
    k->at[s] = m3_tmul(pose[bodies[s]].R_GM, v3_sub(cdni_to_v3(t->point), pose[bodies[s]].p_GM));
  k->normal = m3_tmul(pose[bodies[0]].R_GM, cdni_to_v3(t->normal));
  k->tangent = m3_tmul(pose[bodies[0]].R_GM, cdni_to_v3(t->tangent));
}

cdn_status cdni_contact_step_hold(const contact_room *room, cdn_state *state) {
  const void *touches;
  int n, before;
  (void)kept_touches(room, state, &before);
  CDNI_TRY(cdn_region_eval(state, room->touches, &touches, &n));
  if (n == 0 && before == 0) return CDN_OK;
  kept_touch *kept = cdn_work_push(state, (size_t)n * sizeof *kept + 1);
  if (!kept) return CDN_ERR_NOMEM;
  for (int i = 0; i < n; i++) keep(room, cdni_matter_pose(room->matter, state), (const touch *)touches + i, &kept[i]);
  const cdn_status status = cdn_region_set(state, room->kept, n, kept);
  cdn_work_pop(state, kept);
  return status;
}

/* Whoever loads a State may bring anything. */
static bool is_possible(const contact_room *room, const touch *t) {
  const int n = (int)room->shapes.count;
  return t->a >= 0 && t->a < n && t->b >= 0 && t->b < n && t->law >= 0 && (size_t)t->law < LAW_COUNT + room->laws.count;
}

/* The touch at the pose of the State: deeper, or apart, by what the points on the two bodies have moved. */
static void add_kept(maker *m, const kept_touch *k) {
  const body_pose *a = &m->motion.pose[shape_body(m->room, k->t.a)], *b = &m->motion.pose[shape_body(m->room, k->t.b)];
  const v3 n = m3_mul(a->R_GM, k->normal), p_a = m3_mul_add(a->R_GM, k->at[0], a->p_GM),
           p_b = m3_mul_add(b->R_GM, k->at[1], b->p_GM);
  touch t = k->t;
  if (!(t.elastic > 0 && t.depth > 0)) return;
  t.normal = cdni_from_v3(n), t.tangent = cdni_from_v3(m3_mul(a->R_GM, k->tangent)), t.point = cdni_from_v3(p_a);
  const relative_motion motion = cdni_relative_motion(&m->motion, &t);
  const double opened = v3_dot(n, v3_sub(p_b, p_a));
  const int first = m->n;
  press(m, &t, &motion);
  for (int i = first; i < m->n; i++) m->out[i].touch = -1, m->out[i].depth -= opened;
}

static bool is_before(const touch *x, const touch *y) { return x->a != y->a ? x->a < y->a : x->b < y->b; }

/* Those of pairs that do not touch. Touches of both lists are in the order of their pairs. */
static void add_all_kept(maker *m, cdn_state *state, int n) {
  int count;
  const kept_touch *kept = kept_touches(m->room, state, &count);
  for (int i = 0, j = 0; j < count; j++) {
    if (!is_possible(m->room, &kept[j].t)) continue;
    while (i < n && is_before(&m->touches[i], &kept[j].t)) i++;
    if (i == n || is_before(&kept[j].t, &m->touches[i])) add_kept(m, &kept[j]);
  }
}

/* ---- friction by the slip speed ---- */

static void add_slip(maker *m, int i) {
  const touch *t = &m->touches[i];
  const touch_force *f = &m->forces[i];
  const double N = m->step->normal[i], speed = hypot(f->slip[0], f->slip[1]);
  const cdn_vec3 axes[2] = { t->tangent, cdn_cross(t->normal, t->tangent) };
  const relative_motion motion = cdni_relative_motion(&m->motion, t);
  const double x = speed / m->transition, *mu = t->friction;
  if (!(N > 0)) return;
  contact_step_row *r = add(m, t, CONTACT_STEP_SLIDE, 2, t->point);
  /* below the transition Stribeck's formula is a slope; what slides at the stage's end is bounded by what there is
   * above it */
  r->bound = N * friction_dry(mu, fmax(x, 1), NULL);
  r->stiffness = N * friction_dry(mu, x, NULL) / m->transition, r->time = 1, r->viscous = N * mu[2];
  for (int k = 0; k < 2; k++) {
    r->v[k] = axes[k], r->V[k] = f->slip[k];
    r->offset[k] = r->V[k] - cdn_dot(motion.u, axes[k]);
  }
}

/* Moments against the turn of the surfaces: about the normal, and across it. */
static void add_turn(maker *m, int i, double length, bool spin) {
  const touch *t = &m->touches[i];
  const relative_motion motion = cdni_relative_motion(&m->motion, t);
  const double N = m->step->normal[i], size = cdni_contact_size(&m->motion, t->a, t->b);
  if (!(N * length > 0)) return;
  contact_step_row *r = add(m, t, CONTACT_STEP_SLIDE, spin ? 1 : 3, t->point);
  r->bound = N * length, r->stiffness = r->bound * size / m->transition, r->time = 1;
  for (int k = 0; k < r->rows; k++) {
    r->w[k] = spin ? t->normal : across(axis(k), t->normal);
    r->V[k] = cdn_dot(r->w[k], motion.turn);
    r->offset[k] = r->V[k] - cdn_dot(r->w[k], motion.w);
  }
}

/* ---- friction that sticks ---- */

typedef struct bristle_place {
  const bristle *b;
  int first, n; /* its numbers among those of the slot */
  double bound;
} bristle_place;

static void put_memory(maker *m, contact_step_row *r, const patch *p, const bristle_place *at, const double *x) {
  r->first = m->room->slot_numbers * p->slot + at->first;
  r->stiffness = at->b->stiffness, r->forget = at->b->time, r->time = m->step->h + at->b->time;
  r->bound = at->bound;
  for (int k = 0; k < at->n; k++) r->x[k] = r->whole[k] = x[at->first + k] + m->step->h * r->carried[k];
  if (at->n < 3) return;
  const cdn_vec3 n = at->b->normal, along = { r->x[0], r->x[1], r->x[2] }, flat = across(along, n);
  r->x[0] = flat.x, r->x[1] = flat.y, r->x[2] = flat.z;
}

/* The slider bears f and the moment m if |f|^2 + (m / lever)^2 <= F^2. In a step each of them has a bound of its own,
 * at the ratio that the State has: what sticks has what the other leaves, what slides has its part. */
static void share_strength(const bristle *b, const double e[4], double *force, double *turn) {
  const double a = b->lever > 0 ? b->lever0 / b->lever : 0, F = b->strength, third = a * e[3];
  const double plane = sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2]), size = hypot(plane, third);
  if (size > F) {
    *force = F * plane / size;
    *turn = a > 0 ? F * fabs(third) / size / a : 0;
    return;
  }
  *force = sqrt(fmax(F * F - third * third, 0));
  *turn = a > 0 ? sqrt(fmax(F * F - plane * plane, 0)) / a : 0;
}

static void put_vector(double *to, cdn_vec3 x) { to[0] = x.x, to[1] = x.y, to[2] = x.z; }

/* Displacements that the step begins with. */
static void memory_before(const maker *m, cdn_state *state, const patch *p, double x[SLOT_MOST_NUMBERS]) {
  const double *now = cdn_state_z(state) + m->at_z, *before = m->step->z + m->at_z;
  cdni_contact_displacement(m->room, state, p->slot, x);
  for (int k = 0; k < m->room->slot_numbers; k++) {
    const int i = m->room->slot_numbers * p->slot + k;
    x[k] += SLOT_UNIT * (before[i] - now[i]);
  }
}

static void add_patch(maker *m, cdn_state *state, const patch *p, touch_force *forces) {
  const touch *t = &m->touches[p->first];
  for (int i = 0; i < p->count; i++) {
    forces[i] = m->forces[p->first + i];
    forces[i].normal = m->step->normal[p->first + i];
  }
  const patch_load l = cdni_patch_load(t, forces, p->count);
  const relative_motion motion = cdni_relative_motion(&m->motion, t);
  double x[SLOT_MOST_NUMBERS], e[4], force, turn;
  memory_before(m, state, p, x);
  const patch_bristles b = cdni_patch_bristles(&m->motion, t, &l, m->transition);
  const bristle *sliding = &b.sliding;
  contact_step_row *r = add(m, t, CONTACT_STEP_SLIDE, 3, t->point);
  for (int i = 0; i < p->count && l.N > 0; i++) {
    const touch *of = &t[i];
    const double share = forces[i].normal / l.N;
    const cdn_vec3 arm = cdn_sub(of->point, t->point);
    for (int k = 0; k < 3; k++) {
      const cdn_vec3 along = cdn_scale(share, across(across(axis(k), l.normal), of->normal));
      r->v[k] = cdn_add(r->v[k], along), r->w[k] = cdn_add(r->w[k], cdn_cross(arm, along));
    }
  }
  put_vector(r->V, l.V);
  put_vector(r->carried, cdn_cross(l.carried, cdn_v3(x[0], x[1], x[2])));
  const bristle_place place = { sliding, 0, 3, 0 };
  put_memory(m, r, p, &place, x);
  for (int k = 0; k < 3; k++) {
    r->offset[k] = r->V[k] - cdn_dot(r->v[k], motion.u) - cdn_dot(r->w[k], motion.w);
    e[k] = r->stiffness * (r->x[k] + r->time * r->V[k]);
  }
  contact_step_row *spin = add(m, t, CONTACT_STEP_SLIDE, 1, t->point);
  spin->w[0] = cdn_scale(sliding->lever0, l.normal);
  spin->V[0] = cdn_dot(spin->w[0], l.turn), spin->offset[0] = spin->V[0] - cdn_dot(spin->w[0], motion.w);
  const bristle_place of_spin = { sliding, 3, 1, 0 };
  put_memory(m, spin, p, &of_spin, x);
  e[3] = spin->stiffness * (spin->x[0] + spin->time * spin->V[0]);
  share_strength(sliding, e, &force, &turn);
  r->bound = force, spin->bound = turn;
  if (m->room->slot_numbers == SLOT_NUMBERS || !(t->rolling > 0)) return;
  contact_step_row *roll = add(m, t, CONTACT_STEP_SLIDE, 3, t->point);
  for (int k = 0; k < 3; k++) {
    roll->w[k] = cdn_scale(b.roll_lever, across(axis(k), l.normal));
    roll->V[k] = cdn_dot(roll->w[k], l.turn), roll->offset[k] = roll->V[k] - cdn_dot(roll->w[k], motion.w);
  }
  put_vector(roll->carried, cdn_cross(l.carried, cdn_v3(x[4], x[5], x[6])));
  const bristle_place of_roll = { &b.rolling, SLOT_NUMBERS, 3, b.rolling.strength };
  put_memory(m, roll, p, &of_roll, x);
}

/* ---- all ---- */

enum { ROWS_OF_TOUCH = 8, ROWS_OF_KEPT = 4 };

cdn_status cdni_contact_step_touches(const contact_room *room, cdn_state *state, int *n, int *rows) {
  int kept;
  (void)kept_touches(room, state, &kept);
  CDNI_TRY(cdn_region_eval(state, room->touches, NULL, n));
  *rows = ROWS_OF_TOUCH * *n + ROWS_OF_KEPT * kept;
  return CDN_OK;
}

static cdn_status add_all(maker *m, cdn_state *state, int n, bool *by_patch, touch_force *scratch) {
  CDNI_TRY(cdni_contact_mark_patches(m->room, state, n, by_patch));
  for (int i = 0; i < n; i++) {
    const touch *t = &m->touches[i];
    add_pressure(m, i);
    if (!by_patch[i]) add_slip(m, i), add_turn(m, i, t->torsional, true);
    if (!by_patch[i] || m->room->slot_numbers == SLOT_NUMBERS) add_turn(m, i, t->rolling, false);
  }
  add_all_kept(m, state, n);
  if (m->room->slots == 0) return CDN_OK;
  const patch *patches;
  int count;
  CDNI_TRY(cdni_contact_patches(m->room, state, &patches, &count));
  for (int k = 0; k < count; k++)
    if (patches[k].slot >= 0) add_patch(m, state, &patches[k], scratch);
  return CDN_OK;
}

cdn_status cdni_contact_step_rows(const contact_room *room, cdn_state *state, const contact_step *step,
                                  contact_step_row *rows, int *n) {
  maker m = { .room = room, .step = step, .out = rows };
  const void *elements;
  int touches, kept;
  *n = 0;
  (void)kept_touches(room, state, &kept);
  CDNI_TRY(cdn_region_eval(state, room->touches, &elements, &touches));
  if (touches == 0 && kept == 0) return CDN_OK;
  m.touches = elements;
  CDNI_TRY(cdn_region_eval(state, room->forces, &elements, &touches));
  m.forces = elements;
  CDNI_TRY(cdni_motion_view(room, state, &m.motion));
  m.transition = *cdn_state_parameters(state, room->transition);
  if (room->slots > 0) cdni_contact_memory_z(state, &m.at_z);
  touch_force *scratch = cdn_work_push(state, (size_t)touches * (sizeof *scratch + 1) + 1);
  if (!scratch) return CDN_ERR_NOMEM;
  const cdn_status status = add_all(&m, state, touches, (bool *)(scratch + touches), scratch);
  cdn_work_pop(state, scratch);
  *n = m.n;
  return status;
}

cdn_status cdni_contact_step_normals(const contact_room *room, cdn_state *state, double *normal) {
  const void *forces;
  int n;
  CDNI_TRY(cdn_region_eval(state, room->forces, &forces, &n));
  for (int i = 0; i < n; i++) normal[i] = ((const touch_force *)forces)[i].normal;
  return CDN_OK;
}

/* ---- forces that the rows replace ---- */

static void pull(const contact_room *room, const body_pose *pose, const touch *t, cdn_vec3 force, cdn_vec3 moment,
                 sv *F) {
  const int bodies[2] = { shape_body(room, t->a), shape_body(room, t->b) };
  for (int s = 0; s < 2; s++) {
    const v3 r = v3_sub(cdni_to_v3(t->point), pose[bodies[s]].p_GM);
    const sv at = sv_shift_force((sv){ cdni_to_v3(moment), cdni_to_v3(force) }, r);
    F[bodies[s]] = s ? sv_sub(F[bodies[s]], at) : sv_add(F[bodies[s]], at);
  }
}

cdn_status cdni_contact_step_remove(const contact_room *room, cdn_state *state, sv *F) {
  const void *elements, *found;
  const patch *patches;
  int n, count;
  CDNI_TRY(cdn_region_eval(state, room->touches, &elements, &n));
  if (n == 0) return CDN_OK;
  CDNI_TRY(cdn_region_eval(state, room->forces, &found, &n));
  const touch *touches = elements;
  const touch_force *forces = found;
  const body_pose *pose = cdni_matter_pose(room->matter, state);
  for (int i = 0; i < n; i++) {
    const cdn_vec3 normal = cdn_scale(forces[i].normal, touches[i].normal);
    pull(room, pose, &touches[i], cdn_add(normal, forces[i].friction), forces[i].moment, F);
  }
  if (room->slots == 0) return CDN_OK;
  CDNI_TRY(cdni_contact_patches(room, state, &patches, &count));
  CDNI_TRY(cdn_region_eval(state, room->patch_forces, &found, &count));
  const patch_force *of_patches = found;
  for (int k = 0; k < count; k++)
    for (int i = patches[k].first; patches[k].slot >= 0 && i < patches[k].first + patches[k].count; i++) {
      cdn_vec3 f, moment;
      cdni_patch_share(&of_patches[k], &touches[i], &forces[i], &f, &moment);
      pull(room, pose, &touches[i], f, moment, F);
    }
  return CDN_OK;
}

/* ---- memory ---- */

void cdni_contact_step_rates(cdn_state *state, const contact_step *step, const contact_step_row *rows, int n,
                             const double *forces, double *zdot) {
  int at;
  const int size = cdni_contact_memory_z(state, &at);
  for (int k = 0; k < size; k++) zdot[at + k] = 0;
  for (int i = 0; i < n; i++) {
    const contact_step_row *r = &rows[i];
    if (r->first < 0) continue;
    const double beta = step->h / r->forget;
    for (int k = 0; k < r->rows; k++) {
      const double slip = -forces[3 * i + k] / (r->stiffness * r->forget);
      const double x = (r->whole[k] + step->h * slip) / (1 + beta);
      zdot[at + r->first + k] = (slip - x / r->forget + r->carried[k]) / SLOT_UNIT;
    }
  }
}
