/* Paths in a State: gaps from point to point, lengths, rates, points to draw. */
#include <math.h>
#include <stdio.h>

#include "paths/internal.h"

static const path_room *of(const void *self) { return *(const path_room *const *)self; }

/* ---- items on their bodies ---- */

/* Of an item, in the frames M of its body and of its side's: they change with numbers and frames alone. */
typedef struct item_seat {
  v3 place, side;
  m3 axes; /* of a cylinder */
} item_seat;

static v3 seat_of(const path_room *room, cdn_state *state, int body, const double *p_B) {
  const double *X_BM = cdni_matter_X_BM(room->matter, state, (cdn_body){ body });
  return m3_tmul(m3_load(X_BM), v3_sub(v3_load(p_B), v3_load(X_BM + 9)));
}

static m3 axes_of(const path_room *room, cdn_state *state, const path_item *item) {
  const m3 R = m3_load(cdni_matter_X_BM(room->matter, state, (cdn_body){ item->body }));
  return (m3){ m3_tmul(R, cdni_to_v3(item->R.x)), m3_tmul(R, cdni_to_v3(item->R.y)),
               m3_tmul(R, cdni_to_v3(item->R.z)) };
}

static cdn_status calc_seats(const void *self, cdn_state *state, void *out) {
  const path_room *room = of(self);
  const double *numbers = cdn_state_parameters(state, room->numbers);
  item_seat *seat = out;
  CDNI_TRY(cdni_state_ensure(state, room->matter->frame_constants.ticket));
  for (size_t i = 0; i < room->paths.count; i++) {
    const path_entry *path = path_at(room, (int)i);
    for (size_t k = 0; k < path->items.count; k++, seat++, numbers += ITEM_NUMBERS) {
      const path_item *item = item_at(path, (int)k);
      memset(seat, 0, sizeof *seat);
      if (item->kind == PATH_PULLEY || item->kind == PATH_COORDINATE) continue;
      seat->place = seat_of(room, state, item->body, numbers + ITEM_PLACE);
      if (item->kind == PATH_CYLINDER) seat->axes = axes_of(room, state, item);
      if (item->side_body >= 0) seat->side = seat_of(room, state, item->side_body, numbers + ITEM_SIDE);
    }
  }
  return CDN_OK;
}

/* ---- gaps ---- */

/* Places of stations in Ground, from poses that are valid. */
typedef struct placing {
  cdn_state *state;
  const body_pose *pose;
  const double *numbers;  /* of the path's items */
  const item_seat *seats; /* likewise */
} placing;

static placing place_items(const path_room *room, cdn_state *state, const body_pose *pose) {
  return (placing){ state, pose, cdn_state_parameters(state, room->numbers), cdni_state_storage(state, room->seats) };
}

static placing place_path(const placing *all, const path_entry *path) {
  placing p = *all;
  p.numbers += (size_t)path->first * ITEM_NUMBERS, p.seats += path->first;
  return p;
}

static v3 place_of(const body_pose *pose, v3 p_M) { return v3_add(pose->p_GM, m3_mul(pose->R_GM, p_M)); }

static const double *numbers_at(const placing *p, int item) { return p->numbers + (size_t)item * ITEM_NUMBERS; }

/* Leads the gap around its obstacle, if the obstacle is in the way. */
static void wrap(const placing *p, const path_item *item, const item_seat *seat, double radius, path_gap *gap) {
  const body_pose *pose = &p->pose[item->body];
  const bool sphere = item->kind == PATH_SPHERE;
  gap->body[1] = item->body;
  gap->O = place_of(pose, seat->place);
  gap->around = (wrap_obstacle){ .kind = sphere ? WRAP_SPHERE : WRAP_CYLINDER,
                                 .radius = radius,
                                 .has_side = item->side_body >= 0 };
  gap->axis = sphere ? v3_zero() : m3_mul(pose->R_GM, seat->axes.z);
  gap->side = gap->around.has_side ? v3_sub(place_of(&p->pose[item->side_body], seat->side), gap->O) : v3_zero();
  const v3 P = v3_sub(gap->P, gap->O), Q = v3_sub(gap->Q, gap->O);
  if (cdni_wrap_is_passed(&gap->around, gap->axis, gap->side, P, Q)) return;
  wrap_path *w = &gap->path;
  gap->R = sphere ? m3_identity() : m3_mul_m3(pose->R_GM, seat->axes);
  gap->around.side = m3_tmul(gap->R, gap->side);
  gap->wraps = cdni_wrap(&gap->around, m3_tmul(gap->R, P), m3_tmul(gap->R, Q), w, NULL);
  if (!gap->wraps) return;
  w->leave = m3_mul(gap->R, w->leave), w->arrive = m3_mul(gap->R, w->arrive);
  w->from_P = m3_mul(gap->R, w->from_P), w->to_Q = m3_mul(gap->R, w->to_Q);
}

/* False: points of different bodies meet; the line between them has the direction `else_along`. */
static bool fill_gap(const placing *p, const path_entry *path, int from, v3 else_along, path_gap *gap) {
  const path_item *item = item_at(path, from + 1);
  const bool plain = item->kind == PATH_POINT;
  const int to = from + (plain ? 1 : 2);
  gap->body[0] = item_at(path, from)->body, gap->body[1] = -1, gap->body[2] = item_at(path, to)->body;
  gap->wraps = false;
  gap->P = place_of(&p->pose[gap->body[0]], p->seats[from].place);
  gap->Q = place_of(&p->pose[gap->body[2]], p->seats[to].place);
  if (!plain) wrap(p, item, &p->seats[from + 1], numbers_at(p, from + 1)[ITEM_RADIUS], gap);
  if (gap->wraps) return true;
  const v3 line = v3_sub(gap->Q, gap->P);
  gap->path.length = v3_norm(line);
  gap->path.from_P = gap->path.to_Q = gap->path.length > 0 ? v3_scale(1 / gap->path.length, line) : else_along;
  return gap->path.length > 0 || gap->body[0] == gap->body[2];
}

/* The gaps of one path; `p` is of it. `along`: a direction where points of two bodies meet; NULL: that is a failure. */
static cdn_status fill_gaps(const placing *p, const path_entry *path, const v3 *along, path_gap *gap) {
  double weight = 1;
  for (int k = 0; k + 1 < (int)path->items.count && path->n_gaps > 0; k++) {
    if (item_at(path, k)->kind == PATH_PULLEY) weight = 1 / numbers_at(p, k)[ITEM_DIVISOR];
    if (item_at(path, k)->kind != PATH_POINT || item_at(path, k + 1)->kind == PATH_PULLEY) continue;
    if (!fill_gap(p, path, k, along ? *along : v3_zero(), gap) && !along)
      return cdni_state_fail(p->state, CDN_ERR_SINGULAR, true, "cdn_realize", path->name,
                             "point %d of path '%s' and the next one meet, where the path has no direction: start "
                             "with them apart",
                             k, path->name);
    gap->begins = k == 0 || item_at(path, k - 1)->kind == PATH_PULLEY;
    gap++->weight = weight;
  }
  return CDN_OK;
}

static cdn_status calc_gaps(const void *self, cdn_state *state, void *out) {
  const path_room *room = of(self);
  CDNI_TRY(cdni_state_ensure(state, room->seats.ticket));
  const placing all = place_items(room, state, cdni_matter_pose(room->matter, state));
  if (!all.pose) return CDN_ERR_SINGULAR;
  for (size_t i = 0; i < room->paths.count; i++) {
    const path_entry *path = path_at(room, (int)i);
    const placing p = place_path(&all, path);
    CDNI_TRY(fill_gaps(&p, path, NULL, (path_gap *)out + path->first_gap));
  }
  return CDN_OK;
}

/* ---- lengths and rates ---- */

static double sum_of_coordinates(const path_room *room, const path_entry *path, cdn_state *state, const double *x,
                                 bool of_q) {
  if (path->coordinates.count == 0) return 0;
  const double *numbers = cdn_state_parameters(state, room->numbers) + (size_t)path->first * ITEM_NUMBERS;
  double sum = 0;
  for (size_t k = 0; k < path->coordinates.count; k++) {
    const path_coordinate *c = &CDNI_AT(path->coordinates, path_coordinate, k);
    sum += numbers[k * ITEM_NUMBERS + ITEM_COEFFICIENT] * x[of_q ? c->q : c->u];
  }
  return sum;
}

static cdn_status calc_lengths(const void *self, cdn_state *state, void *out) {
  const path_room *room = of(self);
  double *length = out;
  CDNI_TRY(cdni_state_ensure(state, CDN_Q_EFF));
  CDNI_TRY(cdni_state_ensure(state, room->gaps.ticket));
  const path_gap *gaps = cdni_state_storage(state, room->gaps);
  const double *q = cdni_matter_data(room->matter, state).q;
  for (size_t i = 0; i < room->paths.count; i++) {
    const path_entry *path = path_at(room, (int)i);
    length[i] = sum_of_coordinates(room, path, state, q, true);
    for (int k = 0; k < path->n_gaps; k++)
      length[i] += gaps[path->first_gap + k].weight * gaps[path->first_gap + k].path.length;
  }
  return CDN_OK;
}

/* The velocity of body a at a place, seen from body b. */
static v3 velocity_between(const body_pose *pose, const body_twist *twist, int a, int b, v3 place) {
  if (a == b) return v3_zero();
  return v3_sub(sv_shift_motion(twist[a].V, v3_sub(place, pose[a].p_GM)).v,
                sv_shift_motion(twist[b].V, v3_sub(place, pose[b].p_GM)).v);
}

/* The obstacle holds the points between the ends still: seen from it the length changes with the ends alone. */
double cdni_gap_rate(const path_gap *gap, const body_pose *pose, const body_twist *twist) {
  const int from = gap->wraps ? gap->body[1] : gap->body[2];
  const v3 at_P = velocity_between(pose, twist, gap->body[0], from, gap->P);
  if (!gap->wraps) return -v3_dot(gap->path.from_P, at_P);
  return v3_dot(gap->path.to_Q, velocity_between(pose, twist, gap->body[2], from, gap->Q)) -
         v3_dot(gap->path.from_P, at_P);
}

static cdn_status calc_rates(const void *self, cdn_state *state, void *out) {
  const path_room *room = of(self);
  double *rate = out;
  CDNI_TRY(cdni_state_ensure(state, CDN_U_EFF));
  CDNI_TRY(cdni_state_ensure(state, room->gaps.ticket));
  const body_twist *twist = cdni_matter_twist(room->matter, state);
  const body_pose *pose = cdni_matter_pose(room->matter, state);
  const path_gap *gaps = cdni_state_storage(state, room->gaps);
  if (!twist || !pose) return CDN_ERR_SINGULAR;
  const double *u = cdni_matter_data(room->matter, state).u;
  for (size_t i = 0; i < room->paths.count; i++) {
    const path_entry *path = path_at(room, (int)i);
    rate[i] = sum_of_coordinates(room, path, state, u, false);
    for (int k = 0; k < path->n_gaps; k++) {
      const path_gap *gap = &gaps[path->first_gap + k];
      rate[i] += gap->weight * cdni_gap_rate(gap, pose, twist);
    }
  }
  return CDN_OK;
}

/* ---- the subsystem ---- */

static cdn_dvar declare_numbers(const path_room *room, cdn_declarer *d, double *numbers) {
  for (size_t i = 0; i < room->paths.count; i++) {
    const path_entry *path = path_at(room, (int)i);
    for (size_t k = 0; k < path->items.count; k++)
      memcpy(numbers + ((size_t)path->first + k) * ITEM_NUMBERS, item_at(path, (int)k)->numbers,
             ITEM_NUMBERS * sizeof *numbers);
  }
  return cdn_declare_parameters(d, "numbers", room->n_items * ITEM_NUMBERS, numbers);
}

cdn_status cdni_paths_declare(void *self, cdn_declarer *d) {
  path_room *room = *(path_room **)self;
  const cdn_allocator *a = cdni_system_allocator(cdni_declarer_system(d));
  const size_t n = room->paths.count, bytes = (size_t)room->n_items * ITEM_NUMBERS * sizeof(double);
  room->matter = cdni_matter(cdni_declarer_system(d));
  if (n == 0 || !room->matter) return CDN_OK;
  double *numbers = cdni_alloc(a, bytes);
  if (!numbers) return cdn_declare_error(d, CDN_ERR_NOMEM, "out of memory");
  room->numbers = declare_numbers(room, d, numbers);
  cdni_free(a, numbers, bytes);
  const cdn_ticket of_seats[] = { room->matter->frame_constants.ticket, room->numbers.ticket };
  room->seats = cdn_declare_cache(d, "seats", ((size_t)room->n_items + 1) * sizeof(item_seat), calc_seats,
                                  CDNI_COUNT(of_seats), of_seats);
  const cdn_ticket of_gaps[] = { CDN_POSE, room->seats.ticket, room->numbers.ticket };
  room->gaps = cdn_declare_cache(d, "gaps", ((size_t)room->n_gaps + 1) * sizeof(path_gap), calc_gaps,
                                 CDNI_COUNT(of_gaps), of_gaps);
  const cdn_ticket of_lengths[] = { room->gaps.ticket, CDN_Q_EFF, room->numbers.ticket };
  cdni_declare_well_known(d, room->lengths_ticket);
  room->lengths = cdn_declare_cache(d, "lengths", n * sizeof(double), calc_lengths, CDNI_COUNT(of_lengths), of_lengths);
  const cdn_ticket of_rates[] = { room->lengths.ticket, CDN_TWIST, CDN_U_EFF };
  cdni_declare_well_known(d, room->rates_ticket);
  room->rates = cdn_declare_cache(d, "rates", n * sizeof(double), calc_rates, CDNI_COUNT(of_rates), of_rates);
  cdni_path_kinks_declare(room, d);
  return CDN_OK;
}

void cdni_paths_describe(const void *self, const cdn_system *system, cdn_description *d) {
  const path_room *room = of(self);
  for (size_t i = 0; i < room->paths.count; i++) {
    const path_entry *path = path_at(room, (int)i);
    char text[400] = "";
    size_t at = 0;
    for (size_t k = 0; k < path->items.count && at < sizeof text; k++) {
      const path_item *item = item_at(path, (int)k);
      const char *on = item->kind == PATH_PULLEY       ? ""
                       : item->kind == PATH_COORDINATE ? cdn_body_mobilizer_name(system, (cdn_body){ item->body })
                                                       : cdn_body_name(system, (cdn_body){ item->body });
      at +=
          (size_t)snprintf(text + at, sizeof text - at, "%s%s %s", k ? ", " : "", cdni_path_item_word(item->kind), on);
    }
    cdn_describe(d, path->name, "%s", text);
  }
}

/* ---- in a State ---- */

cdn_status cdni_path_view(const path_room *room, cdn_state *state, cdn_path id, path_view *out) {
  const path_entry *path = path_at(room, id.i);
  CDNI_TRY(cdni_state_ensure(state, room->lengths.ticket));
  *out = (path_view){ .name = path->name,
                      .length = ((const double *)cdni_state_storage(state, room->lengths))[id.i],
                      .n_gaps = path->n_gaps,
                      .n_coordinates = (int)path->coordinates.count,
                      .gaps = (const path_gap *)cdni_state_storage(state, room->gaps) + path->first_gap,
                      .coordinates = path->coordinates.data };
  if (out->n_coordinates > 0)
    out->coefficient = cdn_state_parameters(state, room->numbers) + path->first * ITEM_NUMBERS + ITEM_COEFFICIENT;
  return CDN_OK;
}

cdn_status cdni_path_moments_at(const path_room *room, cdn_state *state, cdn_path id, const tree_data *d,
                                double *moments) {
  const path_entry *path = path_at(room, id.i);
  CDNI_TRY(cdni_state_ensure(state, room->seats.ticket));
  const placing all = place_items(room, state, d->pose), p = place_path(&all, path);
  const v3 x = { 1, 0, 0 }; /* MuJoCo's */
  path_gap *gaps = cdn_work_push(state, (size_t)path->n_gaps * sizeof *gaps + 1);
  if (!gaps) return CDN_ERR_NOMEM;
  const cdn_status status = fill_gaps(&p, path, &x, gaps);
  const path_view view = { .name = path->name,
                           .n_gaps = path->n_gaps,
                           .n_coordinates = (int)path->coordinates.count,
                           .gaps = gaps,
                           .coordinates = path->coordinates.data,
                           .coefficient = p.numbers + ITEM_COEFFICIENT };
  if (status == CDN_OK) cdni_path_add_moments(room->matter, d, &view, moments);
  cdn_work_pop(state, gaps);
  return status;
}

cdn_ticket cdni_path_items_ticket(const path_room *room) { return room->seats.ticket; }

cdn_status cdni_path_rate(const path_room *room, cdn_state *state, cdn_path id, double *rate) {
  CDNI_TRY(cdni_state_ensure(state, room->rates.ticket));
  *rate = ((const double *)cdni_state_storage(state, room->rates))[id.i];
  return CDN_OK;
}

/* Checks the id, and whether there is a place for the result. */
static cdn_status find(cdn_state *state, const char *function, cdn_path id, const void *place, const path_room **room) {
  *room = cdni_paths(cdn_state_system(state));
  if (!cdni_path_exists(*room, id)) return cdni_state_lacks(state, function, "path", (int)id.i);
  return place ? CDN_OK
               : cdni_state_fail(state, CDN_ERR_ARG, false, function, path_at(*room, id.i)->name,
                                 "no place is given for a result of path '%s'", path_at(*room, id.i)->name);
}

cdn_status cdn_path_length(cdn_state *state, cdn_path path, double *length) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  const path_room *room;
  path_view view;
  CDNI_TRY(find(state, __func__, path, length, &room));
  CDNI_TRY(cdni_path_view(room, state, path, &view));
  *length = view.length;
  return CDN_OK;
}

cdn_status cdn_path_rate(cdn_state *state, cdn_path path, double *rate) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  const path_room *room;
  CDNI_TRY(find(state, __func__, path, rate, &room));
  return cdni_path_rate(room, state, path, rate);
}

cdn_status cdn_path_moments(cdn_state *state, cdn_path path, double *moments) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  const path_room *room;
  path_view view;
  CDNI_TRY(find(state, __func__, path, moments, &room));
  CDNI_TRY(cdni_path_view(room, state, path, &view));
  memset(moments, 0, (size_t)room->matter->tree.nu * sizeof *moments);
  const tree_data d = cdni_matter_data(room->matter, state);
  cdni_path_add_moments(room->matter, &d, &view, moments);
  return CDN_OK;
}

/* ---- points to draw ---- */

enum { MOST_ON_ARC = 1000 };
static bool is_arc(int arc) { return arc >= 0 && arc <= MOST_ON_ARC; }

int cdn_path_most_points(const cdn_system *system, cdn_path path, int arc) {
  CDNI_NEED_OBJECT(system, 0);
  const path_room *room = cdni_paths(system);
  if (!cdni_path_exists(room, path) || !is_arc(arc)) return 0;
  return path_at(room, path.i)->n_gaps * (4 + arc);
}

/* Points along the arc of a gap. The path's plane about a sphere turns; about a cylinder it also rises. */
static int add_arc(const path_gap *gap, int arc, cdn_vec3 *points) {
  const v3 a = m3_tmul(gap->R, gap->path.leave), b = m3_tmul(gap->R, gap->path.arrive);
  const bool cylinder = gap->around.kind == WRAP_CYLINDER;
  const double rise = cylinder ? b.z - a.z : 0, flat = sqrt(fmax(gap->path.arc * gap->path.arc - rise * rise, 0));
  /* the direction in which the path runs on the obstacle where it arrives there */
  v3 along = m3_tmul(gap->R, gap->path.from_P);
  if (cylinder) along.z = 0;
  const double speed = v3_norm(along), angle = flat / gap->around.radius;
  v3 out = a;
  if (cylinder) out.z = 0;
  for (int i = 0; i < arc && speed > 0; i++) {
    const double part = (i + 1.0) / (arc + 1), turn = part * angle;
    v3 x = v3_fma(gap->around.radius / speed * sin(turn), along, v3_scale(cos(turn), out));
    if (cylinder) x.z = a.z + part * rise;
    points[i] = cdni_from_v3(v3_add(gap->O, m3_mul(gap->R, x)));
  }
  return speed > 0 ? arc : 0;
}

static int add_gap(const path_gap *gap, int arc, cdn_vec3 *points) {
  int n = 0;
  if (gap->wraps) {
    points[n++] = cdni_from_v3(v3_add(gap->O, gap->path.leave));
    if (gap->path.arc > 0) {
      n += add_arc(gap, arc, points + n);
      points[n++] = cdni_from_v3(v3_add(gap->O, gap->path.arrive));
    }
  }
  points[n++] = cdni_from_v3(gap->Q);
  return n;
}

cdn_status cdn_path_points(cdn_state *state, cdn_path path, int arc, cdn_vec3 *points, int *part, int *n) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  const path_room *room;
  path_view view;
  CDNI_TRY(find(state, __func__, path, points ? n : NULL, &room));
  if (!is_arc(arc))
    return cdni_state_fail(state, CDN_ERR_ARG, false, __func__, path_at(room, path.i)->name,
                           "%d points along each arc of path '%s' are asked for: from 0 to %d are possible", arc,
                           path_at(room, path.i)->name, MOST_ON_ARC);
  CDNI_TRY(cdni_path_view(room, state, path, &view));
  int count = 0, parts = 0;
  for (int k = 0; k < view.n_gaps; k++) {
    const path_gap *gap = &view.gaps[k];
    if (k == 0 || gap->begins) {
      if (part) part[parts] = count;
      parts++;
      points[count++] = cdni_from_v3(gap->P);
    }
    count += add_gap(gap, arc, points + count);
  }
  *n = count;
  return CDN_OK;
}
