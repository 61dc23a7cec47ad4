/* The moments at which statuses change are ordinary events of a run. All that fire at one moment are handled as one
 * set. */
#include <math.h>
#include <stdio.h>

#include <cardan/events.h>

#include "hybrid/press.h"
#include "hybrid/slip.h"
#include "system/events.h"
#include "system/triggers.h"

/* ---- triggers ---- */

/* Of shapes: the least gap of what has no slot; and by slot how far what is on is from the ends of its surfaces. */
static cdn_status calc_shapes(const hybrid_room *room, cdn_state *state, double *values) {
  CDNI_TRY(cdni_rigid_least_gap(room->contact, state, values++, NULL));
  for (int slot = 0; slot < room->slots; slot++) {
    rigid_touch t;
    bool found;
    values[slot] = NAN;
    if (!side_is_on(room, state, room->first_slot + slot)) continue;
    CDNI_TRY(cdni_rigid_touch(room->contact, state, slot, false, &found, &t));
    if (found && t.within < INFINITY) values[slot] = t.within + cdni_rigid_slack(room->contact, state, slot);
  }
  return CDN_OK;
}

/* How far below zero a gap must be to touch. */
static double slack_of(const hybrid_room *room, cdn_state *state, int i) {
  if (side_slot(room, i) >= 0) return cdni_rigid_noise(room->contact, state, side_slot(room, i));
  return hybrid_statuses(room, state)[slack_place(room, i)];
}

static cdn_status calc_gaps(const hybrid_room *room, cdn_state *state, double *gaps) {
  const double *statuses = hybrid_statuses(room, state);
  for (int i = 0; i < hybrid_sides(room); i++) {
    const one_sided *s = side_at(room, i);
    gaps[i] = NAN;
    if (s->speed || statuses[i] != 0 || !side_is_there(room, state, i)) continue;
    CDNI_TRY(cdn_calc_constraint_perr(state, (cdn_constraint){ s->constraint }, &gaps[i]));
    gaps[i] = s->sign * gaps[i] + slack_of(room, state, i);
  }
  return room->slots > 0 ? calc_shapes(room, state, gaps + hybrid_sides(room)) : CDN_OK;
}

/* A gap, and how it moves: of what has a constraint. */
static cdn_status move_gap(const void *self, cdn_state *state, int i, double *gap, double *rate, double *second) {
  const hybrid_room *room = *(hybrid_room *const *)self;
  const one_sided *s = i < hybrid_sides(room) ? side_at(room, i) : NULL;
  if (!s || s->speed || side_is_on(room, state, i) || !side_is_there(room, state, i)) return CDN_OK;
  CDNI_TRY(cdni_state_ensure(state, CDN_ACCELERATION));
  const tree_data d = cdni_matter_data(room->matter, state);
  CDNI_TRY(cdni_constraint_motion(room->constraints, state, s->constraint, d.A, d.udot, gap, rate, second));
  *gap = s->sign * *gap + slack_of(room, state, i), *rate *= s->sign, *second *= s->sign;
  return CDN_OK;
}

/* ---- how far things move: bodies and mobilities ---- */

static int count_parts(const void *self) {
  const tree *t = &(*(hybrid_room *const *)self)->matter->tree;
  return 2 * t->n + t->nu;
}

static cdn_status find_speeds(const void *self, cdn_state *state, double *speeds, double *changes) {
  const hybrid_room *room = *(hybrid_room *const *)self;
  const tree *t = &room->matter->tree;
  CDNI_TRY(cdni_state_ensure(state, CDN_ACCELERATION));
  const tree_data d = cdni_matter_data(room->matter, state);
  for (int b = 0; b < t->n; b++) {
    speeds[2 * b] = b > 0 ? v3_norm(d.twist[b].V.v) : 0, speeds[2 * b + 1] = b > 0 ? v3_norm(d.twist[b].V.w) : 0;
    changes[2 * b] = b > 0 ? v3_norm(d.A[b].v) : 0, changes[2 * b + 1] = b > 0 ? v3_norm(d.A[b].w) : 0;
  }
  for (int i = 0; i < t->nu; i++) speeds[2 * t->n + i] = fabs(d.u[i]), changes[2 * t->n + i] = fabs(d.udot[i]);
  return CDN_OK;
}

/* Of what has a constraint. */
static cdn_status bound_gap(const void *self, cdn_state *state, int i, double *gap, int *n, int32_t part[TRIGGER_PARTS],
                            double weight[TRIGGER_PARTS]) {
  const hybrid_room *room = *(hybrid_room *const *)self;
  const one_sided *s = i < hybrid_sides(room) && side_slot(room, i) < 0 ? side_at(room, i) : NULL;
  if (!s || s->speed || side_is_on(room, state, i)) return CDN_OK;
  CDNI_TRY(cdni_constraint_bound(room->constraints, state, s->constraint, gap, TRIGGER_PARTS, n, part, weight));
  *gap *= s->sign;
  return CDN_OK;
}

static const cdni_trigger_ways ways = { count_parts, find_speeds, bound_gap };

/* Of a slip with speed v: *left is positive until it may have come to its end, *until until it is fast. Along one
 * equation a slip ends where it has turned back. Along more it seldom passes zero: it ends where it is slow; one that
 * is slow ends where it has turned back, and is looked at again where it is faster, or, where it begins, has turned
 * away from where it began. A spin that begins, too, may turn back slowly: where a ball comes from a face to an edge,
 * the push that bounds its friction jumps, and within the rounding of that place it begins and ends again and again. */
static void follow_slip(const double *numbers, int n, const double v[CONE_MOST_TANGENTS], double *left, double *until) {
  const double *d = numbers + FRICTION_DIRECTION, rest = numbers[FRICTION_REST], size = cone_norm(v);
  *left = *until = NAN;
  if (n == 1) {
    *left = v[0] * d[0] + fabs(rest);
    if (rest < 0) *until = -3 * rest - size;
  } else if (rest > 0) *left = size - rest;
  else {
    *left = cone_dot(v, d) + SLIP_AT_REST;
    *until = numbers[FRICTION_BEGINS] ? -rest - cone_across(v, d) : -3 * rest - size;
  }
}

/* Of ratchets that are off, and of friction that slips. */
static cdn_status calc_speeds(const hybrid_room *room, cdn_state *state, double *speeds) {
  const double *statuses = hybrid_statuses(room, state);
  for (int i = 0; i < hybrid_sides(room); i++) {
    const one_sided *s = side_at(room, i);
    speeds[i] = NAN;
    if (!s->speed || statuses[i] != 0) continue;
    CDNI_TRY(cdn_calc_constraint_verr(state, (cdn_constraint){ s->constraint }, &speeds[i]));
    speeds[i] *= s->sign;
  }
  speeds += hybrid_sides(room);
  for (int i = 0; i < hybrid_frictions(room); i++, speeds += 2) {
    double v[CONE_MOST_TANGENTS];
    speeds[0] = speeds[1] = NAN;
    if (friction_status_in(room, statuses, i) != CDN_FRICTION_SLIP) continue;
    CDNI_TRY(cdni_friction_slip(room, state, i, v));
    follow_slip(friction_numbers_in(room, statuses, i), friction_at(room, i)->n, v, &speeds[0], &speeds[1]);
  }
  return CDN_OK;
}

static bool any_acts(const hybrid_room *room, const double *statuses) {
  for (int i = 0; i < hybrid_sides(room); i++)
    if (statuses[i] != 0) return true;
  for (int i = 0; i < hybrid_frictions(room); i++)
    if (friction_status_in(room, statuses, i) == CDN_FRICTION_STICK || cdni_friction_begins(room, statuses, i))
      return true;
  for (int i = 0; i < hybrid_kept(room); i++)
    if (kept_at(room, i)->sense != 0) return true;
  return false;
}

/* A value that is rounding has not come to zero. */
static double beyond(double rounding, double value) { return fabs(value) < rounding ? rounding : value; }

/* Of reactions that are kept on one side: whether the force may begin to act, or come to rest. */
static void calc_kept(const hybrid_room *room, cdn_state *state, const pressing *p, double rounding, double *values) {
  for (int i = 0; i < hybrid_kept(room); i++, values += 2) {
    const kept_reaction *x = kept_at(room, i);
    values[0] = values[1] = NAN;
    if (x->sense == 0 || (x->constraint >= 0 && !cdn_constraint_is_enabled(state, (cdn_constraint){ x->constraint })))
      continue;
    const double *numbers = hybrid_statuses(room, state) + kept_place(room, i);
    if (numbers[KEPT_ACTS] != 0)
      values[1] = beyond(rounding, numbers[KEPT_SIGN] * *follower_force(room, state, hybrid_frictions(room) + i));
    else values[0] = beyond(rounding, x->sense * (cdni_kept_now(room, i, p, NULL) - kept_value(room, state, i)));
  }
}

/* A push that is so small beside other forces is their rounding: what touches without any load stays closed. */
static const double PUSH_ROUNDING = 1e-13;

static double rounding_of(const hybrid_room *room, cdn_state *state, const double *lambda) {
  const double *udot = cdn_state_udot(state);
  double largest = 0, fastest = 0, mass = 0, moving = 0;
  for (int k = 0; k < cdni_constraints_equations(room->constraints); k++) largest = fmax(largest, fabs(lambda[k]));
  for (int k = 0; udot && k < cdn_system_nu(cdn_state_system(state)); k++) fastest = fmax(fastest, fabs(udot[k]));
  (void)!cdn_system_mass(state, &mass, &moving);
  return PUSH_ROUNDING * fmax(largest, moving * fastest);
}

/* Where the forces of slips come nearer than this to growing without bound, friction jams: that takes a millionth of
 * the time in which a slip turns. */
static const double JAM = 1e-3;

/* A moment that has found no jam there waits until forces are twice as large. */
static double jam_of(const hybrid_room *room, const cdn_state *state) {
  const double last = cdni_changes_captured(room, state, LAST_EASE);
  return last > 0 ? fmin(JAM, 0.5 * last) : JAM;
}

/* A slip that begins follows its acceleration less well than that: its direction has to be read from its speed. */
static const double STEERED = 0.5;

/* Of elements that are on: their push; of friction that sticks: what its force may still grow by, of a slip that begins
 * how well it follows its acceleration; how far slips are from jamming. Where nothing acts nobody asks for
 * accelerations. */
static cdn_status calc_pushes(const hybrid_room *room, cdn_state *state, double *pushes) {
  const double *statuses = hybrid_statuses(room, state);
  if (!any_acts(room, statuses)) {
    const int n = hybrid_sides(room) + hybrid_frictions(room) + 2 * hybrid_kept(room) + 1;
    for (int i = 0; i < n; i++) pushes[i] = NAN;
    return CDN_OK;
  }
  const double *lambda = cdn_state_multipliers(state);
  if (!lambda) {
    cdn_error e;
    cdn_state_last_error(state, &e);
    return e.code;
  }
  lambda += cdni_constraints_first_row(room->constraints);
  const double rounding = rounding_of(room, state, lambda);
  for (int i = 0; i < hybrid_sides(room); i++) {
    const one_sided *s = side_at(room, i);
    pushes[i] = NAN;
    if (statuses[i] != 0)
      pushes[i] = beyond(rounding, -s->sign * lambda[constraint_at(room->constraints, s->constraint)->row]);
  }
  pushes += hybrid_sides(room);
  double *joints;
  CDNI_TRY(cdni_joints_of(room, state, &joints));
  const pressing p = { .lambda = lambda, .joints = joints };
  for (int i = 0; i < hybrid_frictions(room); i++) {
    pushes[i] = NAN;
    if (cdni_friction_begins(room, statuses, i)) pushes[i] = cdni_friction_steers(room, state, i) - STEERED;
    if (friction_status_in(room, statuses, i) == CDN_FRICTION_STICK)
      pushes[i] = beyond(rounding, cdni_friction_margin(room, state, i, &p, NULL));
  }
  calc_kept(room, state, &p, rounding, pushes + hybrid_frictions(room));
  pushes[hybrid_frictions(room) + 2 * hybrid_kept(room)] =
      cdni_hybrid_follows(room, state) ? cdni_hybrid_ease(room, state) - jam_of(room, state) : NAN;
  cdn_work_pop(state, joints);
  return CDN_OK;
}

cdn_status cdni_hybrid_triggers(const hybrid_room *room, cdn_state *state, int group, double *values) {
  if (group == room->gaps) return calc_gaps(room, state, values);
  if (group == room->speeds) return calc_speeds(room, state, values);
  return calc_pushes(room, state, values);
}

/* ---- handling ---- */

static cdn_status handle(const void *self, cdn_state *state, int n, const cdn_occurrence *what, cdn_action *action) {
  const hybrid_room *room = *(hybrid_room *const *)self;
  const size_t sides = (size_t)hybrid_sides(room), frictions = (size_t)hybrid_frictions(room);
  const size_t kept = (size_t)hybrid_kept(room), n_flags = 2 * (sides + frictions) + kept;
  (void)action;
  bool *flags = cdn_work_push(state, n_flags + 1);
  if (!flags) return cdni_state_fail(state, CDN_ERR_NOMEM, false, "cdn_stepper_advance", NULL, "out of memory");
  memset(flags, 0, n_flags + 1);
  hybrid_fired fired = { .touches = flags,
                         .lets_go = flags + sides,
                         .slips = flags + 2 * sides,
                         .sticks = flags + 2 * sides + frictions,
                         .turns = flags + 2 * (sides + frictions) };
  for (int k = 0; k < n; k++) {
    const int at = what[k].event.i - room->first_event, at_friction = at - 2 * (int)sides;
    const int at_kept = at_friction - 3 * (int)frictions, at_shapes = at_kept - 2 * (int)kept;
    const int friction = at_friction / 3, which = at_friction % 3;
    if (at_friction < 0) flags[(at % 2 ? sides : 0) + (size_t)at / 2] = true;
    else if (friction < (int)frictions && which < 2)
      flags[2 * sides + (which == 1 ? frictions : 0) + (size_t)friction] = true;
    else if (at_kept >= 0 && at_shapes < 0) flags[2 * (sides + frictions) + (size_t)at_kept / 2] = true;
    fired.shapes_touch = fired.shapes_touch || (room->slots > 0 && at_shapes == 0);
    fired.jams = fired.jams || what[k].event.i == room->jam_event;
    fired.captures = fired.captures || what[k].event.i == room->capture_event;
    fired.anything =
        fired.anything || fired.jams || fired.captures || at_shapes < (room->slots > 0 ? 1 + room->slots : 0);
  }
  /* the flags outlive scratch that is taken later */
  const hybrid_run run = { n > 0 ? what[0].accuracy : 0, n > 0 ? what[0].step : 0, n > 0 ? what[0].latest : 0 };
  const cdn_status status = cdni_hybrid_settle(room, state, &run, fired.anything ? &fired : NULL);
  cdn_work_pop(state, flags);
  return status;
}

/* Captured steps that came to the end of the time that was asked for go on. */
static cdn_status resume(const void *self, cdn_state *state, double after, double *time) {
  const double at = cdni_changes_captured(*(hybrid_room *const *)self, state, LAST_RESUME);
  *time = at > after ? at : INFINITY;
  return CDN_OK;
}

/* Where steps of events fail, captured steps take over, if it may be contacts or friction that they fail by. */
static bool can_capture(const void *self, const cdn_state *state) {
  const hybrid_room *room = *(hybrid_room *const *)self;
  const double *statuses = hybrid_statuses(room, state);
  bool acts = false;
  for (int i = 0; i < hybrid_sides(room); i++) acts = acts || statuses[i] != 0;
  for (int i = 0; i < hybrid_frictions(room); i++)
    acts = acts || friction_status_in(room, statuses, i) != CDN_FRICTION_OFF;
  return acts && hybrid_kept(room) == 0;
}

/* Forces go on without a jump where a push, or what friction that sticks may still grow by, comes to zero, and where a
 * slip ends or is fast: a push that would pull by less than an error, for a while, moves nothing by more. Not so where
 * the static coefficient is another one. A touch changes speeds by about as much as it is fast. */
static bool grazes(const void *self, const cdn_state *state, cdn_event event, double rate, double accuracy) {
  const hybrid_room *room = *(hybrid_room *const *)self;
  const int at = event.i - room->first_event, friction = at - 2 * hybrid_sides(room);
  if (at < 2 * hybrid_sides(room)) return at % 2 ? true : fabs(rate) <= accuracy;
  if (friction >= 3 * hybrid_frictions(room)) return fabs(rate) <= accuracy;
  const double *p = friction_params(room, state, friction / 3);
  return friction % 3 == 2 || friction_static(p) == p[FRICTION_DYNAMIC];
}

/* The least gap of shapes is that of now these, now those: where it comes near zero and away again there may be a kink,
 * which slopes do not tell. */
enum { SAMPLES = 7 };

static cdn_event add_sampled(cdn_declarer *d, const char *name, const char *what, int group, int index, int samples) {
  char text[300];
  cdn_event_def def = cdn_default_event_def();
  def.samples = samples;
  snprintf(text, sizeof text, "%s %s", name, what);
  def.stage = CDN_STAGE_POSITION; /* what a value needs beyond that it asks for */
  def.name = text, def.group = group, def.index = index, def.direction = CDN_FALLING, def.handle_set = handle;
  return cdn_declare_event(d, &def);
}

static cdn_event add(cdn_declarer *d, const char *name, const char *what, int group, int index) {
  return add_sampled(d, name, what, group, index, 1);
}

static void add_grazed(cdn_declarer *d, const char *name, const char *what, int group, int index, int samples) {
  cdni_declare_event_grazes(d, add_sampled(d, name, what, group, index, samples), grazes);
}

cdn_status cdni_hybrid_declare_events(hybrid_room *room, cdn_declarer *d) {
  const int sides = hybrid_sides(room), frictions = hybrid_frictions(room);
  room->gaps = cdn_declare_event_triggers(d, CDN_STAGE_POSITION, sides + 1 + room->slots);
  cdni_declare_trigger_motion(d, room->gaps, move_gap);
  cdni_declare_trigger_ways(d, room->gaps, &ways);
  cdn_ticket reads[3];
  for (int i = room->slots > 0 ? cdni_rigid_reads(room->contact, reads) : 0; i > 0; i--)
    cdni_declare_trigger_reads(d, room->gaps, reads[i - 1]);
  room->speeds = cdn_declare_event_triggers(d, CDN_STAGE_VELOCITY, sides + 2 * frictions + 1);
  room->pushes = cdn_declare_event_triggers(d, CDN_STAGE_ACCELERATION, sides + frictions + 2 * hybrid_kept(room) + 1);
  if (room->slots > 0) cdni_declare_trigger_reads(d, room->speeds, cdni_contact_surface_motion_ticket(room->contact));
  cdni_declare_trigger_shows(d, room->speeds);
  cdni_declare_trigger_shows(d, room->pushes);
  room->first_event = cdn_system_event_count(cdni_declarer_system(d));
  for (int i = 0; i < sides; i++) {
    const one_sided *s = side_at(room, i);
    add_grazed(d, s->name, "touches", s->speed ? room->speeds : room->gaps, i, 1);
    add_grazed(d, s->name, "lets go", room->pushes, i, 1);
  }
  for (int i = 0; i < frictions; i++) {
    const char *name = friction_at(room, i)->name;
    add_grazed(d, name, "slips", room->pushes, sides + i, 1);
    add_grazed(d, name, "sticks", room->speeds, sides + 2 * i, 1);
    add_grazed(d, name, "is fast", room->speeds, sides + 2 * i + 1, 1);
  }
  for (int i = 0; i < hybrid_kept(room); i++) {
    add(d, kept_at(room, i)->name, "acts", room->pushes, sides + frictions + 2 * i);
    add(d, kept_at(room, i)->name, "rests", room->pushes, sides + frictions + 2 * i + 1);
  }
  if (room->slots > 0) add_grazed(d, "a shape", "touches", room->gaps, sides, SAMPLES);
  for (int i = 0; i < room->slots; i++)
    add(d, side_at(room, room->first_slot + i)->name, "slides off", room->gaps, sides + 1 + i);
  room->jam_event =
      frictions > 0 ? add(d, "friction", "jams", room->pushes, sides + frictions + 2 * hybrid_kept(room)).i : -1;
  cdn_event_def def = cdn_default_event_def();
  def.name = "capturing goes on", def.kind = CDN_EVENT_SCHEDULED, def.next_time = resume, def.handle_set = handle;
  const cdn_event captures = cdn_declare_event(d, &def);
  room->capture_event = captures.i;
  cdni_declare_rescue(d, captures, can_capture);
  def = cdn_default_event_def();
  def.name = "statuses", def.kind = CDN_EVENT_START, def.handle_set = handle;
  return cdn_declare_event(d, &def).i >= 0 ? CDN_OK : CDN_ERR_ARG;
}
