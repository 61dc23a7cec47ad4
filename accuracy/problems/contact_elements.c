/* Elements that act on one side, beside the contacts of contacts.c: a motor with a limit, a ratchet, a stop, a guide
 * with clearance, a bar whose load is kept, rods that rub, and a ladder. */
#include "contacts.h"

static const cdn_vec3 o = { 0, 0, 0 };
static const double g = 9.81;

/* A force along a slider: a function of time, as `calc` writes it. */
static void drive(cdn_system *system, cdn_body slider,
                  cdn_status (*calc)(const void *self, const double *t, int order, cdn_function_result *out),
                  const double *self, int n) {
  const cdn_function_ops ops = { .struct_size = sizeof ops,
                                 .name = "force of time",
                                 .self_size = (size_t)n * sizeof *self,
                                 .n_inputs = 1,
                                 .calc = calc };
  cdn_control_def wave = cdn_default_control_def();
  wave.name = "force", wave.unit = "N";
  const cdn_control control = cdn_system_add_control(system, &wave);
  cdn_function *function = cdn_function_create(&ops, self);
  cdn_control_follow_function(system, control, function);
  cdn_function_release(function);
  cdn_actuator_def force = cdn_default_actuator_def();
  force.body = slider, force.control = control;
  cdn_system_add_actuator(system, "force", &force);
}

/* a cos(w t + phase) + b + c t; self = { a, w, phase, b, c } */
static cdn_status wave(const void *self, const double *t, int order, cdn_function_result *out) {
  const double *x = self, at = x[1] * t[0] + x[2];
  out->value = x[0] * cos(at) + x[3] + x[4] * t[0];
  if (order >= 1) out->d1[0] = -x[0] * x[1] * sin(at) + x[4];
  if (order >= 2) out->d2[0] = -x[0] * x[1] * x[1] * cos(at);
  return CDN_OK;
}

/* ---- a motor that keeps a speed with at most 5 N, against a load of 2 N + 0.1 N/s t ---- */

static void motor_exact(const problem *p, double t, double *y) {
  const long double reaches = 30 - sqrtl(700), leaves = 30, x = t;
  const long double angle = 1.5L * reaches * reaches - 0.05L * reaches * reaches * reaches / 3;
  (void)p;
  y[0] = (double)(1.5L * x * x - 0.05L * x * x * x / 3), y[1] = (double)(3 * x - 0.05L * x * x);
  if (x > reaches) y[0] = (double)(angle + 10 * (x - reaches)), y[1] = 10;
  if (x > leaves) {
    const long double in = x - leaves;
    y[0] = (double)(angle + 10 * (x - reaches) - 0.05L * in * in * in / 3), y[1] = (double)(10 - 0.05L * in * in);
  }
}

static int motor_changes(const problem *p, double *t, int most) {
  (void)p, (void)most;
  t[0] = 30 - sqrt(700), t[1] = 30;
  return 2;
}

static cdn_state *start_motor(const problem *p) {
  cdn_system *system = cdn_system_create(NULL);
  const cdn_body wheel = add_on_rail(system, "wheel", 1);
  (void)p;
  drive(system, wheel, wave, (double[]){ 0, 0, 0, -2, -0.1 }, 5);
  cdn_dry_friction_def motor = cdn_default_dry_friction_def();
  motor.name = "motor", motor.slip = cdn_system_constrain_speed(system, "motor", wheel, 0, 10);
  motor.load = 5, motor.mu_dynamic = 1;
  cdn_system_add_dry_friction(system, &motor);
  return state_of(system);
}

const problem contact_motor = {
  .name = "rigid-motor",
  .what = "a motor with a limit that comes to its speed, keeps it, and loses it under a load that grows, 48 s",
  .end = 48,
  .start = start_motor,
  .exact = motor_exact,
  .events = motor_changes,
};

/* ---- a ratchet, under cos 2 t - 0.2: it stops, holds, and turns again in each period ---- */

/* The speed when it turns from `from` on, and its zero after that. */
static long double turning(long double from, long double t) {
  return (sinl(2 * t) - sinl(2 * from)) / 2 - 0.2L * (t - from);
}

static long double stops_after(long double from) {
  long double low = from + 1, high = from + 3; /* positive at first: the speed falls through zero once between them */
  for (int i = 0; i < 80; i++) {
    const long double middle = (low + high) / 2;
    if (turning(from, middle) > 0) low = middle;
    else high = middle;
  }
  return low;
}

/* When it turns again for the n-th time, from 1: the force comes to zero. */
static long double turns_at(int n) { return n == 0 ? 0 : n * acosl(-1) - acosl(0.2L) / 2; }

static long double turned(long double from, long double t) {
  return (cosl(2 * from) - cosl(2 * t)) / 4 - sinl(2 * from) / 2 * (t - from) - 0.1L * (t - from) * (t - from);
}

static void ratchet_exact(const problem *p, double t, double *y) {
  long double angle = 0;
  (void)p;
  for (int n = 0;; n++) {
    const long double from = turns_at(n), to = stops_after(from), until = fminl(to, t);
    y[0] = (double)(angle + turned(from, until)), y[1] = t < to ? (double)turning(from, t) : 0;
    if (t < turns_at(n + 1)) return;
    angle += turned(from, to);
  }
}

static int ratchet_changes(const problem *p, double *t, int most) {
  int n = 0;
  for (int k = 0; n + 1 < most && (double)turns_at(k) < p->end; k++) {
    if (k > 0) t[n++] = (double)turns_at(k);
    t[n++] = (double)stops_after(turns_at(k));
  }
  while (n > 0 && t[n - 1] > p->end) n--;
  return n;
}

static cdn_state *start_ratchet(const problem *p) {
  cdn_system *system = cdn_system_create(NULL);
  const cdn_body wheel = add_on_rail(system, "wheel", 1);
  (void)p;
  drive(system, wheel, wave, (double[]){ 1, 2, 0, -0.2, 0 }, 5);
  cdn_one_sided_def pawl = cdn_default_one_sided_def();
  pawl.constraint = cdn_system_constrain_speed(system, "pawl", wheel, 0, 0);
  cdn_system_make_one_sided(system, &pawl);
  return state_of(system);
}

const problem contact_ratchet = {
  .name = "rigid-ratchet",
  .what = "a ratchet under a force that goes to and fro, stops and turns again five times",
  .end = 17.3,
  .start = start_ratchet,
  .exact = ratchet_exact,
  .events = ratchet_changes,
};

/* ---- a driven mass on a spring that strikes a stop once in a period (Shaw and Holmes); x = { the force's angular
 * frequency, damping ratio, stop, e, time and speed of the impact } ---- */

static cdn_state *start_oscillator(const problem *p) {
  const double *x = p->x;
  cdn_system *system = cdn_system_create(NULL);
  const cdn_body mass = add_on_rail(system, "mass", 1);
  cdn_system_add_mobility_spring(system, "spring", mass, 0, 1, 0);
  if (x[1] > 0) cdn_system_add_mobility_damper(system, "damper", mass, 0, 2 * x[1]);
  drive(system, mass, wave, (double[]){ 1, x[0], x[0] * x[4], 0, 0 }, 5);
  cdn_one_sided_def side = cdn_default_one_sided_def();
  side.constraint = cdn_system_constrain_coordinate(system, "stop", mass, 0, x[2]);
  side.upper = true, side.restitution = x[3];
  cdn_system_make_one_sided(system, &side);
  return state_with(system, &x[2], (double[]){ -x[3] * x[5] });
}

static double oscillator_apart(const problem *p, cdn_state *truth, const double *row) {
  (void)p;
  return fabs(cdn_state_q(truth)[0] - row[1]);
}

static const double orbit_stable[] = { 6 * 2.8559933214452665804, 0.1 };
static const double orbit_unstable[] = { 3 * 2.2439947525641380275, 0 };
static const published stable_table = { "the orbit with 30 digits", 1, 2, orbit_stable, 1e-11, oscillator_apart };
static const published unstable_table = { "the orbit with 30 digits", 1, 2, orbit_unstable, 1e-11, oscillator_apart };

const problem contact_oscillator = {
  .name = "rigid-oscillator",
  .what = "a driven mass that strikes a stop once in each of seven periods",
  .end = 20,
  .start = start_oscillator,
  .x = { 2.2, 0.05, 0.1, 0.7, 1.2136550002360066546, 1.1193984560056302017 },
  .published = &stable_table,
};
const problem contact_oscillator_unstable = {
  .name = "rigid-oscillator-unstable",
  .what = "the same on an orbit on which errors grow three times in a period, four periods",
  .end = 10,
  .start = start_oscillator,
  .x = { 2.8, 0, 0, 0.8, 1.0926345564090809343, 0.33617726997567011916 },
  .published = &unstable_table,
};

/* ---- a slider crank whose slider has clearance in its guide (Flores, Leine and Glocker 2010) ---- */

static cdn_body add_link(cdn_system *system, const char *name, cdn_body parent, double from, double m, double com,
                         double J) {
  cdn_body_def d = cdn_default_body_def();
  d.name = name, d.parent = parent, d.mobilizer = CDN_PIN, d.X_PF.p = cdn_v3(from, 0, 0);
  d.mass = solid(m, cdn_v3(com, 0, 0), J, J, J);
  return cdn_system_add_body(system, &d);
}

static cdn_state *start_clearance(const problem *p) {
  const double l1 = 0.153, l2 = 0.306, a = 0.05, b = 0.025, c = 0.001;
  cdn_system *system = cdn_system_create(NULL);
  const cdn_body crank = add_link(system, "crank", cdn_ground(), 0, 0.038, l1 / 2, 7.4e-5);
  const cdn_body rod = add_link(system, "rod", crank, l1, 0.038, l2 / 2, 5.9e-4);
  const cdn_body slider = add_link(system, "slider", rod, l2, 0.076, 0, 2.7e-6);
  (void)p;
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, -g, 0));
  for (int i = 0; i < 4; i++) { /* corners 1 and 2 above, 3 and 4 below */
    static const char *const names[] = { "corner 1", "corner 2", "corner 3", "corner 4" };
    const double up = i < 2 ? 1 : -1;
    cdn_rigid_contact_def contact = cdn_default_rigid_contact_def();
    contact.name = names[i], contact.b = slider, contact.p_B = cdn_v3(i % 2 ? a : -a, up * b, 0);
    contact.restitution = 0.4, contact.mu_dynamic = 0.01;
    contact.X_AP = frame_z(cdn_v3(0, -up, 0), cdn_v3(0, up * (b + c), 0));
    cdn_system_add_rigid_contact(system, &contact);
  }
  cdn_impact_def law = cdn_default_impact_def();
  law.law = CDN_IMPACT_NEWTON;
  cdn_system_set_impact(system, &law);
  return state_with(system, NULL, (double[]){ 150, -225, 75 - 0.01 });
}

const problem contact_clearance = {
  .name = "rigid-clearance",
  .what = "a slider that hammers in its guide with two corners by turns, comes to rest on it, and slides on, 8 ms",
  .end = 0.008,
  .start = start_clearance,
  .witness = 1e-12,
};

/* ---- a tractor of 2 kg, a trailer of 3 kg, a bar between them, and a motor of the trailer that keeps the bar from
 * more than 6 N. The pull is 5 N/s t up to 4 s, then it falls as fast. ---- */

static const double bar_from = 2, bar_to = 6; /* s, between which the motor helps: 5 t / 5 kg * 3 kg = 6 N */

static long double pulled_by(long double t) { return t < 4 ? 2.5L * t * t : 40 - 2.5L * (8 - t) * (8 - t) + 40; }
static long double pulled_twice(long double t) {
  return t < 4 ? 2.5L * t * t * t / 3 : 2.5L * 64 / 3 + 80 * (t - 4) + 2.5L * ((8 - t) * (8 - t) * (8 - t) - 64) / 3;
}

static void bar_exact(const problem *p, double t, double *y) {
  long double x = 0, v = 0, from = 0;
  const long double until[] = { bar_from, bar_to, 8 };
  (void)p;
  for (int k = 0; k < 3 && from < t; k++) {
    const long double to = fminl(t, until[k]), in = to - from, m = k == 1 ? 2 : 5, held = k == 1 ? 6 : 0;
    const long double impulse = pulled_by(to) - pulled_by(from);
    const long double twice = pulled_twice(to) - pulled_twice(from) - pulled_by(from) * in;
    x += v * in + (twice - held * in * in / 2) / m, v += (impulse - held * in) / m;
    from = to;
  }
  y[0] = (double)(1 + x), y[1] = (double)x, y[2] = y[3] = (double)v;
}

static int bar_changes(const problem *p, double *t, int most) {
  (void)p, (void)most;
  t[0] = bar_from, t[1] = 4, t[2] = bar_to;
  return 3;
}

static cdn_state *start_bar(const problem *p) {
  cdn_system *system = cdn_system_create(NULL);
  const cdn_body tractor = add_on_rail(system, "tractor", 2), trailer = add_on_rail(system, "trailer", 3);
  cdn_kept_reaction_def help = cdn_default_kept_reaction_def();
  (void)p;
  help.constraint = cdn_system_constrain_rod(system, "bar", trailer, o, tractor, o, 1);
  help.push = cdn_system_constrain_speed(system, "help", trailer, 0, 0);
  help.value = 6, help.keep = CDN_KEEP_AT_MOST;
  cdn_system_keep_reaction(system, &help);
  cdn_control_def ramp = cdn_default_control_def();
  ramp.name = "pull", ramp.unit = "N";
  const cdn_control control = cdn_system_add_control(system, &ramp);
  cdn_control_follow_samples(system, control, 3, (double[]){ 0, 4, 8 }, (double[]){ 0, 20, 0 });
  cdn_actuator_def pull = cdn_default_actuator_def();
  pull.body = tractor, pull.control = control;
  cdn_system_add_actuator(system, "pull", &pull);
  return state_with(system, (double[]){ 1, 0 }, NULL);
}

const problem contact_bar = {
  .name = "rigid-bar",
  .what = "a motor that helps while a bar bears its load, under a pull that grows and falls, 7.5 s",
  .end = 7.5,
  .start = start_bar,
  .exact = bar_exact,
  .events = bar_changes,
};

/* ---- three rods on pins, each with friction by what its pin transmits ---- */

static cdn_state *start_rods(const problem *p) {
  const double l = 0.5, J = l * l / 12;
  cdn_system *system = cdn_system_create(NULL);
  cdn_body rod = cdn_ground();
  (void)p;
  for (int i = 0; i < 3; i++) {
    rod =
        add_pin(system, NULL, rod, cdn_v3(0, 0, 1), cdn_v3(0, i ? -l : 0, 0), solid(1, cdn_v3(0, -l / 2, 0), J, J, J));
    cdn_dry_friction_def bearing = cdn_default_dry_friction_def();
    bearing.slip = cdn_system_constrain_speed(system, NULL, rod, 0, 0);
    bearing.mobilizer = rod, bearing.mu_dynamic = 0.01;
    cdn_system_add_dry_friction(system, &bearing);
  }
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, -g, 0));
  return state_with(system, (double[]){ 1, -0.1, 0.2 }, (double[]){ -1, -2, -3 });
}

static double rods_apart(const problem *p, cdn_state *truth, const double *row) {
  double worst = 0, angle = 0;
  (void)p;
  for (int i = 0; i < 3; i++) {
    angle += cdn_state_q(truth)[i];
    worst = fmax(worst, fabs(angle - row[1 + i]));
  }
  return worst;
}

static const double rods_turn[] = { 0.033304914191374435, 0.9491474225168051, 0.8160170632976749, 0.8890239218881726 };
static const published rods_table = { "an integration at 1e-13", 1, 4, rods_turn, 1e-10, rods_apart };

const problem contact_rods = {
  .name = "rigid-rods",
  .what = "three rods on pins with friction by their reactions, which turn to and fro, 1 s",
  .end = 1,
  .start = start_rods,
  .published = &rods_table,
};

/* ---- a ladder that slides down between a floor and a wall, until it leaves the wall and falls ---- */

static cdn_state *start_ladder(const problem *p) {
  const double l = 2, angle = 0.8, J = l * l / 12;
  cdn_system *system = cdn_system_create(NULL);
  const cdn_body ladder = add_mobile(system, "ladder", cdn_ground(), CDN_PLANAR, solid(1, o, J, J, J));
  (void)p;
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, -g, 0));
  for (int i = 0; i < 2; i++) {
    cdn_rigid_contact_def c = cdn_default_rigid_contact_def();
    c.name = i ? "wall" : "floor", c.b = ladder, c.p_B = cdn_v3(i ? -l / 2 : l / 2, 0, 0);
    c.mu_dynamic = i ? 0.3 : 0.4, c.X_AP = frame_z(i ? cdn_v3(1, 0, 0) : cdn_v3(0, 1, 0), o);
    cdn_system_add_rigid_contact(system, &c);
  }
  return state_with(system, (double[]){ -angle, l / 2 * cos(angle), l / 2 * sin(angle) }, NULL);
}

const problem contact_ladder = {
  .name = "rigid-ladder",
  .what = "a ladder that is not steep enough, slides with both ends, and leaves the wall, 1.2 s",
  .end = 1.2,
  .start = start_ladder,
};
