/* What each way of contact does to a block of 30 kg on a floor: how deep it rests, how it creeps on a slope, how it
 * is lifted while it slides, how its force jumps at the first touch, and what a second of a fall costs.
 * docs/evidence/which_contact.md tells what follows from these numbers. The block stands on a face, or on four balls as
 * feet. */
#include <cardan/core.h>
#include <cardan/soft.h>
#include <cardan/invertible.h>
#include <math.h>
#include <stdio.h>

static const double G = 9.81, MASS = 30, MU = 0.7, HEIGHT = 0.05; /* of the centre over the sole */

typedef struct way {
  const char *name;
  bool face;           /* the block stands on a face */
  cdn_contact_def law; /* its model and friction count */
  cdn_soft_kind cone;  /* of soft contact */
  cdn_method method;
  double step;         /* of fixed size, s; 0: by the accuracy 1e-4 */
  double kappa, R_min; /* > 0: invertible contact */
} way;

#define STICKS .law = { .friction = CDN_FRICTION_STICKING }
#define SOFT .law = { .model = CDN_CONTACT_SOFT }
static const way ways[] = {
  { "Hertz, friction sticks", STICKS },
  { "Hertz, friction by slip speed", .law = { .friction = CDN_FRICTION_SLIP_SPEED } },
  { "pressure field, friction sticks", true, STICKS },
  { "implicit step, Hertz", STICKS, .method = CDN_METHOD_IMPLICIT_CONTACT },
  { "implicit step, pressure field", true, STICKS, .method = CDN_METHOD_IMPLICIT_CONTACT },
  { "soft, elliptic, 2 ms", true, SOFT, .cone = CDN_SOFT_ELLIPTIC, .method = CDN_METHOD_MUJOCO_EULER, .step = 0.002 },
  { "soft, pyramidal, 2 ms", true, SOFT, .cone = CDN_SOFT_PYRAMIDAL, .method = CDN_METHOD_MUJOCO_EULER, .step = 0.002 },
  { "soft, elliptic, by accuracy", true, SOFT, .cone = CDN_SOFT_ELLIPTIC },
  { "invertible, 10 ms", .kappa = 0.1, .R_min = 0.01, .step = 0.01 },
  { "invertible, small kappa, 10 ms", .kappa = 1e-4, .R_min = 1e-4, .step = 0.01 },
};
enum { WAYS = sizeof ways / sizeof *ways };

static void add_shapes(cdn_system *system, cdn_body block, bool face) {
  cdn_contact_material hard = cdn_default_contact_material();
  cdn_soft_material soft = cdn_default_soft_material(); /* MuJoCo's, but for friction */
  hard.modulus = 1e8, hard.dissipation = 1;
  hard.static_friction = hard.dynamic_friction = soft.friction[0] = MU;
  cdn_shape_def shape = cdn_default_shape_def();
  shape.material = &hard, shape.soft = &soft;
  shape.geometry.kind = CDN_GEOMETRY_HALF_SPACE;
  cdn_system_add_shape(system, &shape);
  shape.body = block;
  if (face) shape.geometry = (cdn_geometry){ .kind = CDN_GEOMETRY_BOX, .size = { 0.1, 0.1, HEIGHT } };
  else shape.geometry = (cdn_geometry){ .kind = CDN_GEOMETRY_SPHERE, .size = { 0.03 } };
  for (int i = 0; i < (face ? 1 : 4); i++) {
    if (!face) shape.X_BS.p = cdn_v3(i & 1 ? 0.1 : -0.1, i & 2 ? 0.1 : -0.1, 0.03 - HEIGHT);
    cdn_system_add_shape(system, &shape);
  }
}

/* A block at rest, its sole on the floor; x goes down the slope. */
static cdn_status make(const way *w, double slope, cdn_system **system, cdn_state **state) {
  cdn_body_def body = cdn_default_body_def();
  cdn_contact_def contact = cdn_default_contact_def();
  cdn_soft_def soft = cdn_default_soft_def();
  contact.model = w->law.model, contact.friction = w->law.friction, soft.cone = w->cone;
  soft.shortest_time = 2 * w->step;
  *system = cdn_system_create(NULL);
  body.name = "block", body.mobilizer = CDN_FREE, body.q0 = (double[]){ 1, 0, 0, 0, 0, 0, HEIGHT };
  body.mass = (cdn_mass_properties){ .mass = MASS, .inertia = { 0.125, 0.125, 0.2, 0, 0, 0 } };
  add_shapes(*system, cdn_system_add_body(*system, &body), w->face);
  cdn_system_add_gravity(*system, "gravity", cdn_v3(G * sin(slope), 0, -G * cos(slope)));
  cdn_system_set_contact(*system, &contact);
  if (contact.model == CDN_CONTACT_SOFT) cdn_system_set_soft(*system, &soft);
  const cdn_status status = cdn_system_freeze(*system);
  return status ? status : cdn_state_create(*system, state);
}

/* ---- a run -------------------------------------------------------------------------------------- */

typedef struct run {
  cdn_stepper *stepper;
  cdn_invertible_motion *motion; /* or this */
  double step;
} run;

static cdn_status begin(run *r, const way *w, cdn_state *state) {
  cdn_stepper_def how = cdn_default_stepper_def();
  cdn_invertible_motion_def def = cdn_default_invertible_motion_def();
  cdn_invertible_law law = cdn_default_invertible_law();
  *r = (run){ .step = w->step };
  how.method = w->method, how.fixed_step = w->step;
  law.kappa = w->kappa, law.R_min = w->R_min, def.law = &law, def.step = w->step, def.friction = MU;
  return w->kappa > 0 ? cdn_invertible_motion_create(state, &def, &r->motion)
                      : cdn_stepper_create(state, &how, &r->stepper);
}
static cdn_status advance(run *r, double duration) {
  if (r->motion) return cdn_invertible_motion_advance(r->motion, (int)lround(duration / r->step));
  return cdn_stepper_advance(r->stepper, cdn_state_time(cdn_stepper_state(r->stepper)) + duration, NULL);
}
static const cdn_state *now(const run *r) {
  return r->motion ? cdn_invertible_motion_state(r->motion) : cdn_stepper_state(r->stepper);
}
static double x_of(const run *r) { return cdn_state_q(now(r))[4]; }
static double z_of(const run *r) { return cdn_state_q(now(r))[6]; }
static void end(run *r) { cdn_stepper_destroy(r->stepper), cdn_invertible_motion_destroy(r->motion), *r = (run){ 0 }; }

/* ---- what is measured -------------------------------------------------------------------------------- */

typedef struct result {
  double depth, creep, lift, way, touch, hit, cost;
} result;

static cdn_status creeps(const way *w, cdn_state *state, result *to) {
  run r;
  cdn_status status = begin(&r, w, state);
  if (!status) status = advance(&r, 2);
  const double from = status ? NAN : x_of(&r);
  if (!status) status = advance(&r, 8);
  if (!status) to->creep = (x_of(&r) - from) / 8;
  end(&r);
  return status;
}

/* Rest, and then a push to 2 m/s. */
static cdn_status slides(const way *w, cdn_state *state, result *to) {
  run r;
  cdn_status status = begin(&r, w, state);
  if (!status) status = advance(&r, 3);
  const double rest = status ? NAN : z_of(&r), from = status ? NAN : x_of(&r);
  to->depth = HEIGHT - rest;
  if (!status) status = r.motion ? cdn_state_set_q(state, cdn_state_q(now(&r))) : cdn_state_copy(state, now(&r));
  end(&r);
  if (!status) status = cdn_state_set_u(state, (double[]){ 0, 0, 0, 2, 0, 0 });
  if (!status) status = begin(&r, w, state);
  for (int i = 0; i < 100 && !status; i++) {
    status = advance(&r, 0.01);
    if (!status) to->lift = fmax(to->lift, z_of(&r) - rest);
  }
  if (!status) to->way = x_of(&r) - from;
  end(&r);
  return status;
}

/* The force on the block, in weights. */
static cdn_status force_at(const way *w, cdn_state *state, double z, double speed, double *force) {
  run r = { 0 };
  cdn_status status = cdn_state_set_q(state, (double[]){ 1, 0, 0, 0, 0, 0, z });
  if (!status) status = cdn_state_set_u(state, (double[]){ 0, 0, 0, 0, 0, -speed });
  if (!status && w->kappa > 0) {
    status = begin(&r, w, state);
    if (!status) status = advance(&r, w->step);
    if (!status) *force = 1 + (cdn_state_u(now(&r))[5] + speed) / (w->step * G);
    end(&r);
  } else if (!status) {
    status = cdn_realize(state, CDN_STAGE_ACCELERATION);
    if (!status) *force = 1 + cdn_state_udot(state)[5] / G;
  }
  return status;
}

/* By how much it jumps where a contact begins. */
static cdn_status touches(const way *w, cdn_state *state, double speed, double *jump) {
  const double border = HEIGHT + (w->kappa > 0 ? cdn_default_invertible_law().w_max : 0);
  double before, after;
  cdn_status status = force_at(w, state, border + 1e-9, speed, &before);
  if (!status) status = force_at(w, state, border - 1e-9, speed, &after);
  if (!status) *jump = after - before;
  return status;
}

/* Thrown, tilted and turning: two seconds. */
static cdn_status falls(const way *w, cdn_state *state, result *to) {
  run r;
  cdn_certificate certificate;
  cdn_status status = cdn_state_set_q(state, (double[]){ 0.9, 0.3, 0.3, 0, 0, 0, 0.3 });
  if (!status) status = cdn_state_set_u(state, (double[]){ 1, 2, 3, 1, 0, 0 });
  if (!status) status = begin(&r, w, state);
  if (!status) status = advance(&r, 2);
  if (!status && r.stepper) status = cdn_stepper_certificate(r.stepper, &certificate);
  if (!status) to->cost = r.stepper ? (double)certificate.evaluations / 2 : 1 / w->step;
  end(&r);
  return status;
}

static cdn_status measure(const way *w, result *to) {
  cdn_system *level = NULL, *slope = NULL;
  cdn_state *flat = NULL, *tilted = NULL;
  cdn_status status = make(w, 0, &level, &flat);
  if (!status) status = make(w, 20 * 3.14159265358979 / 180, &slope, &tilted);
  if (!status) status = touches(w, flat, 0, &to->touch);
  if (!status) status = touches(w, flat, 0.1, &to->hit);
  if (!status) status = falls(w, flat, to);
  if (!status) status = cdn_state_set_q(flat, cdn_state_q(tilted));
  if (!status) status = cdn_state_set_u(flat, cdn_state_u(tilted));
  if (!status) status = slides(w, flat, to);
  if (!status) status = creeps(w, tilted, to);
  cdn_state_destroy(flat), cdn_state_destroy(tilted);
  cdn_system_release(level), cdn_system_release(slope);
  return status;
}

/* What the page says of a way: friction that sticks does not creep and slides as far as Coulomb's; soft contact jumps,
 * creeps and lifts; invertible contact acts before it touches. */
static bool is_told(const way *w, const result *r, double coulomb) {
  if (w->kappa > 0) return r->depth < 0 && r->creep > 1e-3;
  if (w->law.model == CDN_CONTACT_SOFT)
    return r->touch > 0.9 && r->creep > 5e-4 && r->lift > 5e-4 && fabs(r->way - coulomb) < 2e-3;
  const bool sticks = w->law.friction == CDN_FRICTION_STICKING;
  return r->touch < 1e-3 && r->hit < 1e-3 && r->lift < 1e-4 && fabs(r->way - coulomb) < 2e-3 &&
         (sticks == (fabs(r->creep) < 1e-6));
}

int main(void) {
  const double coulomb = 4 / (2 * MU * G);
  int failures = 0;
  printf("%-32s %9s %10s %9s %9s %9s %9s %9s\n", "", "depth mm", "creep mm/s", "lift mm", "slides m", "touch mg",
         "hit mg", "evals/s");
  for (int i = 0; i < WAYS; i++) {
    result r = { 0 };
    if (measure(&ways[i], &r)) {
      fprintf(stderr, "%s\n", ways[i].name);
      fprintf(stderr, "which_contact: %s\n", cdn_last_error_text());
      return 1;
    }
    failures += !is_told(&ways[i], &r, coulomb);
    printf("%-32s %9.4f %10.2g %9.3f %9.4f %9.2g %9.2g %9.0f\n", ways[i].name, 1e3 * r.depth, 1e3 * r.creep,
           1e3 * r.lift, r.way, r.touch, r.hit, r.cost);
  }
  printf("Coulomb's friction stops it after %.4f m\n", coulomb);
  return failures;
}
