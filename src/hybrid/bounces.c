/* Bounces that become ever smaller, to their end. Impact follows impact with one ratio of speeds, and of the times
 * between them: the flights that are still to come last as long as a geometric series says. When they are lower than
 * can be told, or slower than the accuracy, one last flight of that duration takes their place, and where it lands the
 * element stays. So rest comes when the sequence has its limit (8.6.1).
 *
 * An element that leaves an impact alone keeps when it left, and the ratio of its speed to that of the approach. The
 * next one to leave, by the landing of this one, must have the same ratio, after a flight that has lasted as long as
 * the speed and the present acceleration say. */
#include <math.h>

#include "hybrid/moment.h"

/* What is part of a sequence: speeds above this part of the fastest; ratios and times that agree so well. */
static const double APPRECIABLE = 1e-3, SAME_RATIO = 0.01, SAME_TIME = 0.05;
/* A last flight that lands more slowly than this many times its speed has not been disturbed. */
static const double UNDISTURBED = 1.5;
/* The last flight begins at so many times the speed of capture: roundings of gaps over speeds are times of landing, so
 * slower bounces would make the limit less certain. It must not depend on the accuracy, which a companion has of its
 * own. */
static const double BEFORE = 10;

static double *flight_of(const moment *m, int side) {
  const hybrid_room *room = m->room;
  return m->changes + hybrid_changes(room) - FLIGHT_NUMBERS * (size_t)(hybrid_sides(room) - side);
}

void cdni_bounces_begin(moment *m) {
  const cdn_hybrid_totals *totals = cdn_state_discrete(m->state, m->room->totals);
  const double *kept = (const double *)(totals + 1), *first = m->changes;
  double *flights = flight_of(m, 0);
  memcpy(flights, kept + (flights - first), FLIGHT_NUMBERS * (size_t)hybrid_sides(m->room) * sizeof *flights);
  m->lands = m->leaves = -1;
}

void cdni_bounces_forget(moment *m, int side) { memset(flight_of(m, side), 0, FLIGHT_NUMBERS * sizeof(double)); }

bool cdni_bounces_flies(const moment *m, int side) { return flight_of(m, side)[FLIGHT_LAST] > 0; }

/* The only one-sided element whose normal has an appreciable speed of this sign; -1: none, or several have. */
static int find_only(const moment *m, const double *speeds, double sign) {
  double most = 0;
  int found = -1;
  for (int i = 0; i < m->n_cones; i++)
    if (m->cones[i].normal >= 0)
      most = fmax(most, fmax(fabs(m->v[m->cones[i].normal]), fabs(m->w[m->cones[i].normal])));
  for (int i = 0; i < hybrid_sides(m->room); i++) {
    if (m->side_cone[i] < 0 || !(sign * speeds[m->cones[m->side_cone[i]].normal] > APPRECIABLE * most)) continue;
    if (found >= 0) return -1;
    found = i;
  }
  return found;
}

static bool follows_accuracy(const moment *m, int side) {
  return side_params(m->room, m->state, side)[ONE_SIDED_CAPTURE] == 0;
}

/* Before an impact: whether it may be one of a sequence, whose bounces are followed below the accuracy, or the end of
 * a last flight. */
void cdni_bounces_expect(moment *m, bool *fine, double *captures) {
  memcpy(m->w, m->v, (size_t)m->rows * sizeof *m->w);
  m->lands = m->hit ? -1 : find_only(m, m->v, -1);
  *fine = false, *captures = 0;
  if (m->lands < 0 || !follows_accuracy(m, m->lands)) return;
  const double *flight = flight_of(m, m->lands), v = -m->v[m->cones[m->side_cone[m->lands]].normal];
  if (flight[FLIGHT_LAST] > 0 && v < UNDISTURBED * flight[FLIGHT_LAST]) *captures = 2 * v;
  else *fine = flight[FLIGHT_RATIO] > 0;
}

/* After an impact: who leaves, and whether that continues a sequence. */
void cdni_bounces_note(moment *m) {
  const bool again = m->hit;
  const int side = m->lands >= 0 ? find_only(m, m->w, 1) : -1;
  double before[FLIGHT_NUMBERS] = { 0 };
  if (m->lands >= 0) memcpy(before, flight_of(m, m->lands), sizeof before);
  for (int i = 0; i < hybrid_sides(m->room); i++)
    if (m->side_cone[i] >= 0) memset(flight_of(m, i), 0, sizeof before);
  m->leaves = again ? -1 : side;
  if (m->leaves < 0) return;
  m->landing_speed = -m->v[m->cones[m->side_cone[m->lands]].normal];
  m->leaving_speed = m->w[m->cones[m->side_cone[side]].normal];
  m->captured_below = m->least[m->cones[m->side_cone[side]].normal];
  double *flight = flight_of(m, side);
  const double ratio = m->leaving_speed / m->landing_speed, time = cdn_state_time(m->state);
  flight[FLIGHT_TIME] = time, flight[FLIGHT_RATIO] = ratio;
  const bool same = fabs(ratio - before[FLIGHT_RATIO]) <= SAME_RATIO * ratio && ratio < 1 - SAME_RATIO;
  m->lasted = same ? time - before[FLIGHT_TIME] : 0;
}

/* Switches the constraints of what is in contact after the impact, and of friction that is at rest there. */
static cdn_status switch_held(moment *m, double rest, bool on) {
  for (int i = 0; i < hybrid_sides(m->room); i++) {
    const cdn_constraint c = { side_at(m->room, i)->constraint };
    if (m->in[i]) CDNI_TRY(cdn_constraint_set_enabled(m->state, c, on));
  }
  for (int i = 0; i < hybrid_frictions(m->room); i++) {
    const dry_friction *x = friction_at(m->room, i);
    if (m->friction_cone[i] < 0 || (x->normal >= 0 && !m->in[x->normal])) continue;
    const double *v = m->v + m->cones[m->friction_cone[i]].tangent;
    if (hypot(v[0], x->n > 1 ? v[1] : 0) > rest) continue;
    CDNI_TRY(cdn_constraint_set_enabled(m->state, (cdn_constraint){ x->slip }, on));
  }
  return CDN_OK;
}

/* Brings to rest what is captured, before accelerations are asked for: those of a body that still turns would be its
 * centripetal ones. */
cdn_status cdni_bounces_hold(moment *m, double rest) {
  if (!m->stops) return CDN_OK;
  CDNI_TRY(switch_held(m, rest, true));
  CDNI_TRY(cdni_moment_project(m));
  return switch_held(m, rest, false);
}

/* Gives the element that leaves the speed of a flight of all that are to come. */
static cdn_status fly_on(moment *m, double speed, cdn_hybrid_totals *totals) {
  const one_sided *s = side_at(m->room, m->leaves);
  const size_t nu = (size_t)m->nu;
  double *row = m->f + m->first_u, response = 0;
  memset(m->f, 0, (size_t)m->all_nu * sizeof *m->f);
  CDNI_TRY(cdni_constraint_full_rows(m->room->constraints, m->state, s->constraint, row));
  for (size_t k = 0; k < nu; k++) row[k] *= s->sign;
  CDNI_TRY(cdn_solve_constrained(m->state, m->f, NULL, m->x, m->lambda));
  for (size_t k = 0; k < nu; k++) response += row[k] * m->x[(size_t)m->first_u + k];
  if (!(response > 0)) return CDN_OK;
  const double *u = cdn_state_u(m->state), by = (speed - m->leaving_speed) / response;
  for (int k = 0; k < m->all_nu; k++) m->x[k] = u[k] + by * m->x[k];
  totals->impact_energy -= 0.5 * by * (speed + m->leaving_speed);
  flight_of(m, m->leaves)[FLIGHT_LAST] = speed;
  CDNI_TRY(cdn_state_set_u(m->state, m->x));
  return cdn_realize(m->state, CDN_STAGE_ACCELERATION);
}

cdn_status cdni_bounces_end(moment *m, cdn_hybrid_totals *totals) {
  if (m->leaves < 0 || !(m->lasted > 0) || side_is_on(m->room, m->state, m->leaves) || !follows_accuracy(m, m->leaves))
    return CDN_OK;
  const one_sided *s = side_at(m->room, m->leaves);
  const tree_data d = cdni_matter_data(m->room->matter, m->state);
  double aerr[HYBRID_MOST_EQUATIONS];
  CDNI_TRY(cdni_constraint_accelerations(m->room->constraints, m->state, s->constraint, d.A, d.udot, aerr));
  const double pull = -s->sign * aerr[0], ratio = m->leaving_speed / m->landing_speed, w = m->leaving_speed;
  if (!(fabs(0.5 * pull * ratio * m->lasted - w) <= SAME_TIME * w)) return CDN_OK;
  const double speed = w / (1 - ratio);
  return speed < m->accuracy || w < BEFORE * m->captured_below ? fly_on(m, speed, totals) : CDN_OK;
}
