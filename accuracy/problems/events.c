/* Events: balls that bounce, a relay. */
#include "kinks.h"
#include "motions.h"

static const cdn_vec3 o = { 0, 0, 0 };
static const double g = 9.81;

/* ---- a ball dropped from 1 m; x = { restitution } ---- */

/* When it touches the floor for the n-th time, from 0. */
static long double impact(const problem *p, int n) {
  const long double e = p->x[0], first = sqrtl(2 / (long double)g);
  long double t = first;
  for (int i = 1; i <= n; i++) t += 2 * first * powl(e, i);
  return t;
}

static void ball_exact(const problem *p, double t, double *y) {
  const long double e = p->x[0], first = sqrtl(2 / (long double)g), at_rest = first * (1 + e) / (1 - e);
  int n = 0;
  y[0] = y[1] = 0;
  if (t >= at_rest) return;
  while (impact(p, n) <= t) n++;
  if (n == 0) {
    y[0] = (double)(1 - g * (long double)t * t / 2), y[1] = -g * t;
    return;
  }
  const long double in = t - impact(p, n - 1), v = g * first * powl(e, n);
  y[0] = (double)(v * in - g * in * in / 2), y[1] = (double)(v - g * in);
}

static int impacts(const problem *p, double *t, int most) {
  int n = 0;
  while (n < most && impact(p, n) < p->end) {
    t[n] = (double)impact(p, n);
    /* at rest */
    if (n && !(t[n] > t[n - 1])) break;
    n++;
  }
  return n;
}

static cdn_status height(const void *self, cdn_state *state, double *value) {
  (void)self;
  *value = cdn_state_q(state)[0];
  return CDN_OK;
}

static cdn_status bounce(const void *self, cdn_state *state, const cdn_occurrence *what, cdn_action *action) {
  const double u = -*(const double *)self * cdn_state_u(state)[0];
  (void)what, (void)action;
  return cdn_state_set_u(state, &u);
}

static cdn_state *start_ball(const problem *p) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  cdn_event_def event = cdn_default_event_def();
  const double one = 1;
  def.name = "ball", def.mobilizer = CDN_SLIDER, def.mass = point_mass(1, o), def.q0 = &one;
  def.X_PF = def.X_BM = frame_x(cdn_v3(0, 1, 0), o);
  cdn_system_add_body(system, &def);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, -g, 0));
  event.name = "impact", event.value = height, event.direction = CDN_FALLING, event.handle = bounce;
  event.self = p->x, event.self_size = sizeof(double);
  cdn_system_add_event(system, &event);
  return state_of(system);
}

const problem event_ball_5 = {
  .name = "ball-0.5",
  .what = "a ball of restitution 0.5, 8 impacts, until it is nearly at rest",
  .end = 1.35,
  .start = start_ball,
  .x = { 0.5 },
  .exact = ball_exact,
  .events = impacts,
};
const problem event_ball_9 = {
  .name = "ball-0.9",
  .what = "a ball of restitution 0.9, 26 impacts, 8 s",
  .end = 8,
  .start = start_ball,
  .x = { 0.9 },
  .exact = ball_exact,
  .events = impacts,
};
const problem event_ball_rest = {
  .name = "ball-to-rest",
  .what = "a ball of restitution 0.5 beyond its last impact, at 1.35 s, which a run may say to fail at",
  .end = 3,
  .start = start_ball,
  .x = { 0.5 },
  .exact = ball_exact,
  .events = impacts,
  .fails_after = 1.3,
};

/* ---- a relay: x'' = -f, a force parameter that a handler sets to the sign of x; parabolas from x = 1 at rest ---- */

static void relay_exact(const problem *p, double t, double *y) {
  /* quarters of sqrt 2 s; as if it had come from x = 0 */
  const long double quarter = sqrtl(2), since = t + quarter, n = floorl(since / (2 * quarter)),
                    in = since - n * 2 * quarter;
  const long double sign = fmodl(n, 2) > 0.5L ? -1 : 1;
  (void)p;
  y[0] = (double)(sign * (quarter * in - in * in / 2)), y[1] = (double)(sign * (quarter - in));
}

static int switches(const problem *p, double *t, int most) {
  int n = 0;
  while (n < most && (2 * n + 1) * sqrt(2) < p->end) t[n] = (2 * n + 1) * sqrt(2), n++;
  return n;
}

static cdn_status relay(const void *self, cdn_state *state, const cdn_occurrence *what, cdn_action *action) {
  const cdn_force *force = self;
  (void)action;
  return cdn_mobility_force_set(state, *force, what->direction == CDN_FALLING ? 1 : -1);
}

static cdn_state *start_relay(const problem *p) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_event_def event = cdn_default_event_def();
  const cdn_body mass = add_mobile(system, "mass", cdn_ground(), CDN_SLIDER, point_mass(1, o));
  const cdn_force force = cdn_system_add_mobility_force(system, "force", mass, 0, -1);
  (void)p;
  event.name = "switch", event.value = height, event.handle = relay, event.self = &force,
  event.self_size = sizeof force;
  cdn_system_add_event(system, &event);
  cdn_state *state = state_of(system);
  MUST(state, cdn_state_set_q(state, (double[]){ 1 }));
  return state;
}

const problem event_relay = {
  .name = "relay",
  .what = "a force that an event switches against the motion, 35 switches, 100 s",
  .end = 100,
  .start = start_relay,
  .exact = relay_exact,
  .events = switches,
};

/* ---- a double pendulum that swings against a wall ---- */

static cdn_state *start_bouncing(const problem *p) { return (void)p, bouncing.start(); }

const problem event_bouncing = {
  .name = "bouncing",
  .what = "a double pendulum that swings against a wall, forty impacts, 10 s",
  .end = 10,
  .start = start_bouncing,
};
