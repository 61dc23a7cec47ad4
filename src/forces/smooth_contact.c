/* A sphere on a half-space, by a force that is smooth in pose and velocity (Serrancoli, Falisse, Dembia, Vantilt,
 * Tanghe, Lefeber, Jonkers, De Schutter and De Groote, Subject-exoskeleton contact model calibration leads to accurate
 * interaction force predictions, 2019; Simbody's SmoothSphereHalfSpaceForce). With x the depth, v its rate, k = 1/2
 * E^(2/3):
 *    hertz = 4/3 k sqrt(R k) (x^2 + c)^(3/4) (1 + tanh(b_x x)) / 2,
 *    normal = hertz (1 + 3/2 d v) (1 + tanh(b_v (v + 2 / (3 d)))) / 2,
 *    friction = normal (min(s / w, 1) (mu_d + 2 (mu_s - mu_d) / (1 + (s / w)^2)) + mu_v s) against the slip, with
 *    s^2 = slip^2 + c. */
#include <math.h>
#include <stdio.h>

#include "forces/derivatives.h"
#include "laws/laws.h"
#include "matter/checks.h"

typedef struct smooth_contact {
  int32_t plane, ball; /* bodies */
} smooth_contact;

enum {
  MODULUS,
  DISSIPATION,
  STATIC,
  DYNAMIC,
  VISCOUS,
  TRANSITION,
  CONSTANT,
  DEPTH_SHARPNESS,
  RATE_SHARPNESS,
  RADIUS,
  STATION,
  FRAME = STATION + 3,
  NUMBERS = FRAME + 12
};

static bool check(const double *p, char *reason, size_t size) {
  cdn_transform X;
  memcpy(&X, p + FRAME, sizeof X);
  if (p[STATIC] < p[DYNAMIC]) snprintf(reason, size, "static friction must not be less than dynamic friction");
  else if (cdni_check_frame(X) != CDN_OK)
    snprintf(reason, size, "X_AP must have axes that are right-handed unit vectors");
  else return true;
  return false;
}

/* What the laws of pressure and of friction are told. */
static void numbers_of_laws(const double *p, double pressure[CDN_LAW_NUMBERS]) {
  const double k = 0.5 * cbrt(p[MODULUS] * p[MODULUS]);
  pressure[SMOOTH_FORCE] = 4.0 / 3 * k * sqrt(p[RADIUS] * k);
  pressure[SMOOTH_CONSTANT] = p[CONSTANT], pressure[SMOOTH_DEPTH_SHARPNESS] = p[DEPTH_SHARPNESS];
  pressure[SMOOTH_DAMPING] = 1.5 * p[DISSIPATION], pressure[SMOOTH_RATE_SHARPNESS] = p[RATE_SHARPNESS];
}

typedef struct smooth_touch {
  cdn_vec3 n, point, to_centre; /* from the point */
  cdn_vec3 v, slip, w_A, w_B;
  double x, normal, slope[2];     /* depth; force along the normal, and its derivatives */
  double speed, factor, by_speed; /* friction is -normal factor slip */
  cdn_vec3 p_A, p_B, f;           /* stations; force on the ball */
} smooth_touch;

static cdn_status touch_of(const force_batch *b, int i, cdn_state *state, smooth_touch *t) {
  const smooth_contact *e = &((const smooth_contact *)b->elements)[i];
  const pressure_law *law = &cdni_pressure_laws[LAW_SMOOTH];
  const double *p = b->params + NUMBERS * i;
  const cdn_body plane = { e->plane }, ball = { e->ball };
  cdn_transform X_GA, X_GB, X_AP;
  cdn_spatial V_A, V_B;
  cdn_vec3 v_A, v_B;
  CDNI_TRY(cdn_body_pose(state, plane, &X_GA));
  CDNI_TRY(cdn_body_pose(state, ball, &X_GB));
  memcpy(&X_AP, p + FRAME, sizeof X_AP);
  const cdn_transform X_GP = cdn_transform_multiply(X_GA, X_AP);
  const cdn_vec3 n = X_GP.R.z, centre = cdn_transform_point(X_GB, cdn_v3(p[STATION], p[STATION + 1], p[STATION + 2]));
  const double height = cdn_dot(n, cdn_sub(centre, X_GP.p)), x = p[RADIUS] - height;
  /* between the lowest point of the ball and the plane: both give way alike */
  *t = (smooth_touch){ .n = n, .x = x, .to_centre = cdn_scale(p[RADIUS] - 0.5 * x, n) };
  t->point = cdn_sub(centre, t->to_centre);
  t->p_A = cdn_rotate_inv(X_GA.R, cdn_sub(t->point, X_GA.p));
  t->p_B = cdn_rotate_inv(X_GB.R, cdn_sub(t->point, X_GB.p));
  CDNI_TRY(cdn_body_station(state, plane, t->p_A, NULL, &v_A));
  CDNI_TRY(cdn_body_station(state, ball, t->p_B, NULL, &v_B));
  CDNI_TRY(cdn_body_velocity(state, plane, &V_A));
  CDNI_TRY(cdn_body_velocity(state, ball, &V_B));
  t->w_A = V_A.w, t->w_B = V_B.w;
  t->v = cdn_sub(v_B, v_A), t->slip = cdn_sub(t->v, cdn_scale(cdn_dot(t->v, n), n));
  double numbers[CDN_LAW_NUMBERS];
  numbers_of_laws(p, numbers);
  t->normal = law->pressure(numbers, x, -cdn_dot(t->v, n));
  law->slopes(numbers, x, -cdn_dot(t->v, n), t->slope);
  t->speed = sqrt(cdn_dot(t->slip, t->slip) + p[CONSTANT]);
  t->factor = cdni_friction_over_speed(p + STATIC, t->speed, p[TRANSITION], &t->by_speed);
  t->f = cdn_sub(cdn_scale(t->normal, n), cdn_scale(t->normal * t->factor, t->slip));
  return CDN_OK;
}

static cdn_status calc(const force_batch *b, cdn_state *state, cdn_forces *out) {
  const smooth_contact *e = b->elements;
  for (int i = 0; i < b->n; i++) {
    smooth_touch t;
    if (!force_is_on(b, i)) continue;
    CDNI_TRY(touch_of(b, i, state, &t));
    cdn_forces_add_point(out, (cdn_body){ e[i].ball }, t.p_B, t.f);
    cdn_forces_add_point(out, (cdn_body){ e[i].plane }, t.p_A, cdn_scale(-1, t.f));
  }
  return CDN_OK;
}

/* The stations are those of the plane and of the ball where the force acts, which moves over both. */
static void change(const void *law, int n_stations, const station_motion *m, sv *dF) {
  const smooth_touch *t = law;
  (void)n_stations;
  const cdn_vec3 turn_A = cdni_from_v3(m[0].X.w), move_A = cdni_from_v3(m[0].X.v), move_B = cdni_from_v3(m[1].X.v);
  const cdn_vec3 centre = cdn_add(move_B, cdn_cross(cdni_from_v3(m[1].X.w), t->to_centre));
  const cdn_vec3 dn = cdn_cross(turn_A, t->n);
  const double dx = -cdn_dot(t->n, cdn_sub(centre, cdn_add(move_A, cdn_cross(turn_A, t->to_centre))));
  const double arm = cdn_dot(t->n, t->to_centre);
  const cdn_vec3 dp = cdn_add(cdn_sub(centre, cdn_scale(arm, dn)), cdn_scale(0.5 * dx, t->n));
  const cdn_vec3 over_A = cdn_sub(dp, move_A), over_B = cdn_sub(dp, move_B);
  const cdn_vec3 dv = cdn_sub(cdn_add(cdni_from_v3(m[1].V.v), cdn_cross(t->w_B, over_B)),
                              cdn_add(cdni_from_v3(m[0].V.v), cdn_cross(t->w_A, over_A)));
  const double along = cdn_dot(t->n, t->v), d_along = cdn_dot(dn, t->v) + cdn_dot(t->n, dv);
  const cdn_vec3 d_slip = cdn_sub(dv, cdn_add(cdn_scale(along, dn), cdn_scale(d_along, t->n)));
  const double dN = t->slope[0] * dx - t->slope[1] * d_along;
  const double d_factor = t->by_speed * cdn_dot(t->slip, d_slip) / t->speed;
  const cdn_vec3 df = cdn_sub(
      cdn_add(cdn_scale(dN, t->n), cdn_scale(t->normal, dn)),
      cdn_add(cdn_scale(dN * t->factor + t->normal * d_factor, t->slip), cdn_scale(t->normal * t->factor, d_slip)));
  dF[1] = (sv){ cdni_to_v3(cdn_cross(over_B, t->f)), cdni_to_v3(df) };
  dF[0] = (sv){ cdni_to_v3(cdn_cross(t->f, over_A)), v3_neg(cdni_to_v3(df)) };
}

static cdn_status derivative(const force_batch *b, cdn_state *state, cdn_force_derivatives *out) {
  const smooth_contact *e = b->elements;
  const body_pose *pose = cdni_matter_pose(b->matter, state);
  for (int i = 0; i < b->n; i++) {
    smooth_touch t;
    if (!force_is_on(b, i)) continue;
    CDNI_TRY(touch_of(b, i, state, &t));
    const int bodies[2] = { e[i].plane, e[i].ball };
    const v3 p = cdni_to_v3(t.point), f = cdni_to_v3(t.f);
    const v3 r[2] = { v3_sub(p, pose[bodies[0]].p_GM), v3_sub(p, pose[bodies[1]].p_GM) };
    const sv F[2] = { { v3_zero(), v3_neg(f) }, { v3_zero(), f } };
    cdni_derivative_of_bodies(out, 2, bodies, r, F, true, true, change, &t);
  }
  return CDN_OK;
}

static void describe(const force_room *room, const void *element, char *text, size_t size) {
  const smooth_contact *e = element;
  snprintf(text, size, " of a ball on %s on a plane on %s", cdn_body_name(room->system, (cdn_body){ e->ball }),
           cdn_body_name(room->system, (cdn_body){ e->plane }));
}

const force_kind cdni_force_smooth_contact = {
  .name = "smooth_contact",
  .element_size = sizeof(smooth_contact),
  .n_params = NUMBERS,
  .params = { CDNI_POSITIVE("modulus", "Pa"), CDNI_NOT_NEGATIVE("dissipation", "s/m"),
              CDNI_NOT_NEGATIVE("static_friction", "1"), CDNI_NOT_NEGATIVE("dynamic_friction", "1"),
              CDNI_NOT_NEGATIVE("viscous_friction", "s/m"), CDNI_POSITIVE("transition_velocity", "m/s"),
              CDNI_POSITIVE("constant", "m^2"), CDNI_POSITIVE("depth_sharpness", "1/m"),
              CDNI_POSITIVE("rate_sharpness", "s/m"), CDNI_POSITIVE("radius", "m"), CDNI_VECTOR("p_B", "m"),
              CDNI_FRAME("X_AP") },
  .check = check,
  .parts = { { .reads = CDN_READS_VELOCITY, .bodies = true, .calc = calc } },
  .derivative = derivative,
  .describe = describe,
};

/* ---- adding, setting ---- */

CDNI_DEF(smooth_contact_def, .X_AP = { { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }, { 0, 0, 0 } }, .modulus = 1e7,
         .dissipation = 0.1, .static_friction = 0.8, .dynamic_friction = 0.7, .transition_velocity = 0.01,
         .constant = 1e-5, .depth_sharpness = 300, .rate_sharpness = 50);

static void numbers_of(const cdn_smooth_contact_def *d, double p[NUMBERS]) {
  p[MODULUS] = d->modulus, p[DISSIPATION] = d->dissipation, p[STATIC] = d->static_friction;
  p[DYNAMIC] = d->dynamic_friction, p[VISCOUS] = d->viscous_friction, p[TRANSITION] = d->transition_velocity;
  p[CONSTANT] = d->constant, p[DEPTH_SHARPNESS] = d->depth_sharpness, p[RATE_SHARPNESS] = d->rate_sharpness;
  p[RADIUS] = d->radius;
  memcpy(p + STATION, &d->p_B, 3 * sizeof *p);
  memcpy(p + FRAME, &d->X_AP, 12 * sizeof *p);
}

cdn_force cdn_system_add_smooth_contact(cdn_system *system, const cdn_smooth_contact_def *def) {
  force_adder a;
  cdn_smooth_contact_def d = smooth_contact_def_defaults;
  const char *unreadable =
      def ? read_smooth_contact_def(&d, def) : "no def is given: start with cdn_default_smooth_contact_def()";
  cdni_force_begin(&a, system, FORCE_SMOOTH_CONTACT, "cdn_system_add_smooth_contact", unreadable ? NULL : d.name);
  if (unreadable) cdni_adder_refuse(&a.by, def ? CDN_ERR_VERSION : CDN_ERR_ARG, "%s", unreadable);
  cdni_force_check_pair(&a, d.plane_body, d.ball_body);
  double p[NUMBERS];
  numbers_of(&d, p);
  const smooth_contact e = { d.plane_body.i, d.ball_body.i };
  return cdni_force_add(&a, &e, p);
}

cdn_status cdn_smooth_contact_set(cdn_state *state, cdn_force force, const cdn_smooth_contact_def *def) {
  CDNI_NEED(state, def);
  cdn_smooth_contact_def d;
  const char *unreadable = read_smooth_contact_def(&d, def);
  if (unreadable) return cdni_state_fail(state, CDN_ERR_VERSION, false, __func__, NULL, "%s", unreadable);
  double p[NUMBERS];
  numbers_of(&d, p);
  return cdni_force_set(state, force, FORCE_SMOOTH_CONTACT, __func__, p);
}
