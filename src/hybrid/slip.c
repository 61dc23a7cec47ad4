/* Forces that follow reactions: that of friction that slips is sigma = mu(v) N against the slip, where N may be made of
 * multipliers, which depend on all forces; one that keeps a reaction is what makes that reaction its value. Which
 * sigma agree with their own multipliers is found elsewhere (agree.c). */
#include <math.h>
#include <stdio.h>

#include "hybrid/press.h"
#include "hybrid/slip.h"

cdn_status cdni_friction_slip(const hybrid_room *room, cdn_state *state, int i, double v[CONE_MOST_TANGENTS]) {
  double along[CONE_MOST_TANGENTS] = { 0 };
  v[0] = v[1] = v[2] = 0;
  CDNI_TRY(cdni_constraint_rates(room->constraints, state, friction_at(room, i)->slip, along, v));
  v[1] *= friction_scale(room, state, i, 1);
  return CDN_OK;
}

/* Along one equation the direction is that of the status: a slip that has turned back within a step has come to rest,
 * the step ends there, and until then the force continues smoothly. Along more it is that of the speed; where a slip
 * begins (below), that of the status comes first. */
void cdni_friction_direction(const double *numbers, int n, const double v[CONE_MOST_TANGENTS],
                             double e[CONE_MOST_TANGENTS]) {
  const double length = cone_norm(v);
  const bool follows = n > 1 && numbers[FRICTION_REST] >= 0 && length > 0;
  for (int k = 0; k < CONE_MOST_TANGENTS; k++) e[k] = follows ? v[k] / length : numbers[FRICTION_DIRECTION + k];
}

/* ---- the forces that follow ---- */

follower cdni_follower(const hybrid_room *room, int i) {
  const int kept = i - hybrid_frictions(room);
  if (kept >= 0) return (follower){ kept_at(room, kept)->name, kept_at(room, kept)->push, 1, true };
  return (follower){ friction_at(room, i)->name, friction_at(room, i)->slip, friction_at(room, i)->n, false };
}

bool cdni_follower_acts(const hybrid_room *room, const double *statuses, int i) {
  const int kept = i - hybrid_frictions(room);
  return kept >= 0 ? kept_acts_in(room, statuses, kept) : friction_status_in(room, statuses, i) == CDN_FRICTION_SLIP;
}

/* The first whose force is not zero whatever presses; -1: none. */
static int first_follower(const hybrid_room *room, const cdn_state *state) {
  if (hybrid_followers(room) == 0) return -1;
  const double *statuses = hybrid_statuses(room, state);
  for (int i = 0; i < hybrid_followers(room); i++) {
    if (!cdni_follower_acts(room, statuses, i)) continue;
    if (i >= hybrid_frictions(room)) return i;
    const double *p = friction_params(room, state, i);
    if (p[FRICTION_DYNAMIC] > 0 || p[FRICTION_VISCOUS] > 0) return i;
  }
  return -1;
}

bool cdni_hybrid_follower_text(const hybrid_room *room, const cdn_state *state, char *text, size_t size,
                               const char **does) {
  const int i = first_follower(room, state);
  if (i < 0) return false;
  const follower x = cdni_follower(room, i);
  *does = x.keeps ? "keeps a reaction" : "slips";
  if (x.keeps) snprintf(text, size, "%s", x.name);
  else cdn_dry_friction_text(state, (cdn_dry_friction){ i }, text, size);
  return true;
}

bool cdni_hybrid_follows(const hybrid_room *room, const cdn_state *state) { return first_follower(room, state) >= 0; }

double *cdni_hybrid_forces(const hybrid_room *room, cdn_state *state) {
  return cdni_state_storage(state, room->forces);
}

/* One that keeps a reaction pushes along its equation, whatever the speed. */
cdn_status cdni_follower_law(const hybrid_room *room, cdn_state *state, int i, friction_law *out) {
  if (i < hybrid_frictions(room)) return cdni_friction_law(room, state, i, out);
  *out = (friction_law){ .e = { 1, 0 }, .pull = { 1, 0 }, .scale = 1 };
  return CDN_OK;
}

/* ---- a slip that begins ----
 *
 * The direction of a speed that is almost zero follows the forces within m v / (mu N), and would keep steps as short.
 * What it follows to is known: the direction along which the slip accelerates (8.84). Friction in that direction is
 * wrong by the part v e' / (mu N / m) where e turns with e', so speeds across it by v turn / 3. Until that comes to the
 * accuracy ("is fast") or forces that brake the slip no longer let it follow, this direction is solved for. */

bool cdni_friction_begins(const hybrid_room *room, const double *statuses, int i) {
  if (i >= hybrid_frictions(room) || friction_at(room, i)->n < 2) return false;
  return friction_status_in(room, statuses, i) == CDN_FRICTION_SLIP &&
         friction_numbers_in(room, statuses, i)[FRICTION_BEGINS] != 0;
}

double cdni_friction_steers(const hybrid_room *room, cdn_state *state, int i) {
  return cdni_friction_begins(room, hybrid_statuses(room, state), i) ? hybrid_steers(room, state)[i] : NAN;
}

double cdni_hybrid_ease(const hybrid_room *room, cdn_state *state) { return *hybrid_ease(room, state); }

cdn_status cdni_friction_law(const hybrid_room *room, cdn_state *state, int i, friction_law *out) {
  const double *numbers = friction_numbers(room, state, i), *p = friction_params(room, state, i);
  CDNI_TRY(cdni_friction_slip(room, state, i, out->v));
  cdni_friction_direction(numbers, friction_at(room, i)->n, out->v, out->e);
  out->along = cone_dot(out->v, out->e);
  out->scale = p[FRICTION_RATIO];
  out->pull[0] = out->e[0], out->pull[1] = out->e[1] * out->scale, out->pull[2] = out->e[2];
  out->mu = p[FRICTION_DYNAMIC] + p[FRICTION_VISCOUS] * fabs(out->along);
  return CDN_OK;
}

cdn_status cdni_hybrid_load_slips(const hybrid_room *room, cdn_state *state, bool *depends) {
  double *forces = cdni_hybrid_forces(room, state);
  const double *statuses = hybrid_statuses(room, state);
  bool follows = false, joints = false;
  memset(forces, 0, (size_t)hybrid_followers(room) * FOLLOWER_NUMBERS * sizeof *forces);
  *hybrid_ease(room, state) = 1;
  for (int i = 0; i < hybrid_kept(room); i++) joints = joints || kept_acts_in(room, statuses, i);
  for (int i = 0; i < hybrid_frictions(room); i++) {
    friction_law law;
    if (friction_status_in(room, statuses, i) != CDN_FRICTION_SLIP) continue;
    const dry_friction *x = friction_at(room, i);
    follows = follows || x->normal >= 0 || x->reaction >= 0;
    joints = joints || x->joint >= 0 || cdni_friction_begins(room, statuses, i);
    CDNI_TRY(cdni_friction_law(room, state, i, &law));
    const double load = friction_params(room, state, i)[FRICTION_LOAD];
    for (int k = 0; k < x->n; k++) forces[FOLLOWER_NUMBERS * i + k] = -law.mu * load * law.pull[k];
  }
  *depends = joints || (follows && cdni_constraint_any_enabled(room->constraints, state));
  return CDN_OK;
}

cdn_status cdni_hybrid_push(const hybrid_room *room, cdn_state *state, sv *F, double *f) {
  const double *statuses = hybrid_statuses(room, state);
  for (int i = 0; i < hybrid_followers(room); i++)
    if (cdni_follower_acts(room, statuses, i))
      CDNI_TRY(cdni_constraint_push(room->constraints, state, cdni_follower(room, i).push,
                                    follower_force(room, state, i), F, f));
  return CDN_OK;
}

/* ---- what agrees with multipliers ---- */

int cdni_slip_list_columns(const hybrid_room *room, const cdn_state *state, int *elements, int *across) {
  const double *statuses = hybrid_statuses(room, state);
  int n = 0;
  for (int i = 0; i < hybrid_followers(room); i++) {
    if (!cdni_follower_acts(room, statuses, i)) continue;
    const int columns = cdni_friction_begins(room, statuses, i) ? friction_at(room, i)->n : 1;
    for (int k = 0; k < columns; k++, n++)
      if (elements) elements[n] = i, across[n] = k;
  }
  return n;
}

/* The direction of a column across the one that is the first of its element: at right angles to this and to others. */
static void set_across(int equations, int across, friction_law *law) {
  const double *e = (law - across)->e;
  double *to = law->e;
  if (equations == 2) {
    to[0] = -e[1], to[1] = e[0];
    return;
  }
  if (across == 1) { /* away from the axis that is farthest from e */
    const int least = fabs(e[0]) <= fabs(e[1]) && fabs(e[0]) <= fabs(e[2]) ? 0 : fabs(e[1]) <= fabs(e[2]) ? 1 : 2;
    for (int k = 0; k < 3; k++) to[k] = (k == least) - e[least] * e[k];
    const double size = cone_norm(to);
    for (int k = 0; k < 3; k++) to[k] /= size;
    return;
  }
  const double *f = (law - 1)->e;
  to[0] = e[1] * f[2] - e[2] * f[1], to[1] = e[2] * f[0] - e[0] * f[2], to[2] = e[0] * f[1] - e[1] * f[0];
}

cdn_status cdni_slip_laws(const hybrid_room *room, cdn_state *state, int n, const int *elements, const int *across,
                          friction_law *laws) {
  for (int i = 0; i < n; i++) {
    friction_law *law = &laws[i];
    CDNI_TRY(cdni_follower_law(room, state, elements[i], law));
    if (across[i] > 0) set_across(cdni_follower(room, elements[i]).n, across[i], law);
    law->pull[0] = law->e[0], law->pull[1] = law->e[1] * law->scale, law->pull[2] = law->e[2];
  }
  return CDN_OK;
}

/* Other contacts that stick may leave a slip one direction. */
static const double TURNS = 1e-6;
bool cdni_slip_turns(int n, const double *B, const int *across, int i) {
  const int along = i - across[i];
  return -B[i * n + i] > TURNS * fabs(B[along * n + along]);
}

cdn_status cdni_slip_columns(const hybrid_room *room, cdn_state *state, int n, const int *elements,
                             const friction_law *laws, double *G, double *X) {
  const size_t nu = (size_t)room->matter->tree.nu, width = (size_t)n;
  for (size_t i = 0; i < width; i++) {
    const follower x = cdni_follower(room, elements[i]);
    CDNI_TRY(cdni_constraint_full_rows(room->constraints, state, x.push, G));
    for (size_t u = 0; u < nu; u++) {
      double sum = 0;
      for (int k = 0; k < x.n; k++) sum -= laws[i].pull[k] * G[(size_t)k * nu + u];
      X[u * width + i] = sum;
    }
  }
  return CDN_OK;
}

cdn_status cdni_slip_joints(const hybrid_room *room, cdn_state *state, int n, const int *elements,
                            const friction_law *laws, const double *X, const double *L, double *J) {
  const size_t width = (size_t)n;
  for (size_t i = 0; i < width; i++) {
    const double *pull = laws[i].pull, force[] = { -pull[0], -pull[1], -pull[2] };
    const joint_cause cause = { X + i, L + i, width, width, cdni_follower(room, elements[i]).push, force };
    CDNI_TRY(cdni_joint_change(room, state, &cause, width, J + i));
  }
  return CDN_OK;
}

cdn_status cdni_hybrid_power(const hybrid_room *room, cdn_state *state, double *power) {
  *power = 0;
  if (!cdni_hybrid_follows(room, state)) return CDN_OK;
  CDNI_TRY(cdni_state_ensure(state, CDN_ACCELERATION));
  for (int i = 0; i < hybrid_followers(room); i++) {
    double v[CONE_MOST_TANGENTS], rate[CONE_MOST_TANGENTS] = { 0 };
    if (!cdni_follower_acts(room, hybrid_statuses(room, state), i)) continue;
    CDNI_TRY(cdni_constraint_rates(room->constraints, state, cdni_follower(room, i).push, rate, v));
    *power += cone_dot(follower_force(room, state, i), rate);
  }
  return CDN_OK;
}
