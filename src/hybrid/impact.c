/* Impact: which law finds the impulses, what the set tells it, and what its answer means. */
#include "hybrid/impact.h"

#include <math.h>

/* ---- restitution ---- */

/* The speeds below which elements are captured. The height of a flight at this speed must be more than rounding, or its
 * end cannot be told from its beginning. b are accelerations without pushes. */
static void set_capture_speeds(moment *m) {
  bool fine;
  double captures;
  cdni_bounces_expect(m, &fine, &captures);
  /* what bounces again and again is pulled back by others' pushes, too: no faster than others are */
  double fastest = 0;
  for (int r = 0; r < m->rows && fine; r++) fastest = fmax(fastest, fabs(m->b[r]));
  for (int i = 0; i < hybrid_sides(m->room); i++) {
    if (m->side_cone[i] < 0) continue;
    const int row = m->cones[m->side_cone[i]].normal;
    const double asked = side_params(m->room, m->state, i)[ONE_SIDED_CAPTURE];
    const double least = asked > 0 ? asked : fine ? sqrt(2 * fastest * FLIGHT_ROUNDING) : m->accuracy;
    const double pull = fmax(0, -m->b[row]);
    /* within a captured step what rests is pulled as fast as the last of these, and flights are not shorter than it */
    const double step = fmax(2 * m->span, m->step) * pull;
    m->least[row] = fmax(fmax(least, captures), fmax(sqrt(2 * pull * FLIGHT_ROUNDING), step));
  }
}

/* What e is multiplied by at this speed of approach. */
static cdn_status at_speed(const moment *m, int i, double speed, double *factor) {
  const one_sided *s = side_at(m->room, i);
  cdn_function_result result;
  *factor = 1;
  if (!s->by_speed) return CDN_OK;
  const cdn_status status = cdn_function_calc(s->by_speed, &speed, 0, &result);
  if (status == CDN_OK && result.value >= 0 && result.value <= 1) {
    *factor = result.value;
    return CDN_OK;
  }
  return cdni_state_fail(m->state, status == CDN_OK ? CDN_ERR_ARG : status, false, "cdn_settle", s->name,
                         "restitution_by_speed of '%s' gives %g at a speed of %g: it must give 0 to 1", s->name,
                         status == CDN_OK ? result.value : NAN, speed);
}

/* Springs hand an approach on to contacts that rest: the fastest approach counts for these. */
static double fast_approach(const moment *m) {
  double most = 0;
  for (int i = 0; i < m->n_cones; i++) {
    const int row = m->cones[i].normal;
    if (row >= 0 && -m->v[row] > m->least[row]) most = fmax(most, -m->v[row]);
  }
  return most;
}

/* The speed of approach that the pull without pushes makes within half a captured step. The speeds at the time of the
 * impact have it, before and after, and their ratio is e: with (1 + e) times that pull the speeds of half a step ago
 * have the ratio of which bounces neither gain nor lose. */
static double pull_of(const moment *m, int row) { return -0.5 * m->step * m->b[row]; }

cdn_status cdni_impact_restitution(moment *m, impact_law *law) {
  const double fastest = law == cdni_impact_by_springs ? fast_approach(m) : 0;
  for (int i = 0; i < hybrid_sides(m->room); i++) {
    if (m->side_cone[i] < 0) continue;
    const int row = m->cones[m->side_cone[i]].normal;
    const double speed = -m->v[row] > m->least[row] ? -m->v[row] : fastest;
    double factor = 0;
    if (!m->dull && (m->jammed || speed > 0)) CDNI_TRY(at_speed(m, i, speed, &factor));
    m->e[row] = factor * side_params(m->room, m->state, i)[ONE_SIDED_RESTITUTION];
    if (m->e[row] > 0 && speed > 0) m->e[row] = fmin(1, fmax(0, m->e[row] + (1 + m->e[row]) * pull_of(m, row) / speed));
  }
  return CDN_OK;
}

/* What has separated more slowly than its capture speed is taken to stay: of impacts one after another, ever smaller,
 * these are the last (8.6.1). Returns how many. */
static int capture(moment *m) {
  int captured = 0;
  m->stops = false;
  for (int i = 0; i < hybrid_sides(m->room); i++) {
    if (m->side_cone[i] < 0) continue;
    const int row = m->cones[m->side_cone[i]].normal;
    const bool slow = m->w[row] < m->least[row] && fabs(m->v[row]) < m->least[row];
    if (slow && m->w[row] > 0) m->w[row] = 0, m->stops = true;
    captured += slow && m->v[row] < 0;
  }
  return captured;
}

/* ---- energy ---- */

/* The kinetic energy that the impulses add, J, and the size of its parts. */
static double gain(const moment *m, double *scale) {
  double sum = 0;
  *scale = 0;
  for (int r = 0; r < m->rows; r++) {
    const double part = 0.5 * m->total[r] * (m->v[r] + m->w[r]);
    sum += part, *scale += fabs(part);
  }
  return sum;
}

/* Lowers all e to the largest part of them that adds no energy. */
static cdn_status lower(moment *m, impact_law *law) {
  double low = 0, high = 1, scale;
  for (int k = 0; k < 50; k++) {
    const double middle = 0.5 * (low + high);
    CDNI_TRY(law(m, middle));
    if (gain(m, &scale) > 0) high = middle;
    else low = middle;
  }
  return law(m, low);
}

cdn_status cdni_impact_strike(moment *m, impact_law *law, bool *lowered) {
  double scale;
  CDNI_TRY(law(m, 1));
  if (!(gain(m, &scale) > 1e-10 * scale)) return CDN_OK;
  *lowered = true;
  return lower(m, law);
}

/* ---- the whole ---- */

static impact_law *const laws[] = { [CDN_IMPACT_POISSON] = cdni_impact_by_phases,
                                    [CDN_IMPACT_NEWTON] = cdni_impact_by_phases,
                                    [CDN_IMPACT_STRONGE] = cdni_impact_by_springs };

size_t cdni_impact_law_work(int rows, int cones) {
  const size_t springs = cdni_impact_spring_work(rows, cones), user = cdni_impact_user_work(cones);
  return springs > user ? springs : user;
}

size_t cdni_impact_work(const hybrid_room *room, int rows, int cones) {
  return cdni_impact_law_work(rows, cones) + cdni_impact_turn_work(room, rows, cones);
}

static impact_law *law_of(const hybrid_room *room) {
  return room->own.solve                                    ? cdni_impact_by_user
         : room->impact.propagation == CDN_IMPACT_COMPLIANT ? cdni_impact_by_springs
                                                            : laws[room->impact.law];
}

bool cdni_impact_by_sets(const hybrid_room *room) {
  return law_of(room) == cdni_impact_by_phases && room->impact.propagation == CDN_IMPACT_TOGETHER;
}

static cdn_status find_impulses(moment *m, bool *lowered) {
  impact_law *law = law_of(m->room);
  set_capture_speeds(m);
  if (m->jammed && law == cdni_impact_by_phases) CDNI_TRY(cdni_impact_foresee(m));
  if (m->room->impact.propagation == CDN_IMPACT_PAIRWISE) return cdni_impact_in_turn(m, law, lowered);
  CDNI_TRY(cdni_impact_restitution(m, law));
  return cdni_impact_strike(m, law, lowered);
}

cdn_status cdni_moment_collide(moment *m, cdn_hybrid_totals *totals) {
  bool lowered = false;
  double scale;
  CDNI_TRY(cdni_moment_free_accelerations(m));
  CDNI_TRY(cdni_moment_respond_kept(m, true));
  memset(m->kept_total, 0, (size_t)hybrid_kept(m->room) * sizeof *m->kept_total);
  CDNI_TRY(find_impulses(m, &lowered));
  totals->lowered += lowered;
  for (int i = 0; i < hybrid_sides(m->room) && lowered; i++)
    if (m->side_cone[i] >= 0 && m->v[m->cones[m->side_cone[i]].normal] < 0) totals->lowered_at = i;
  totals->impact_energy -= gain(m, &scale);
  cdni_changes_note(m);
  memcpy(m->x, cdn_state_u(m->state), (size_t)m->all_nu * sizeof *m->x);
  for (int r = 0; r < m->rows; r++) cdni_sparse_add_to(&m->X, r, m->total[r], m->x + m->first_u);
  for (int i = 0; i < hybrid_kept(m->room); i++)
    for (int k = 0; k < m->nu; k++) m->x[m->first_u + k] += m->kept_total[i] * m->kept_X[i * m->nu + k];
  totals->impacts++, totals->captures += capture(m);
  cdni_bounces_note(m);
  memcpy(m->v, m->w, (size_t)m->rows * sizeof *m->v);
  m->hit = true;
  return cdn_state_set_u(m->state, m->x);
}
