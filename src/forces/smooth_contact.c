/* A sphere on a half-space, by a force that is smooth in pose and velocity (Serrancoli, Falisse, Dembia, Vantilt, Tanghe,
 * Lefeber, Jonkers, De Schutter and De Groote, Subject-exoskeleton contact model calibration leads to accurate interaction
 * force predictions, 2019; Simbody's SmoothSphereHalfSpaceForce). With x the depth, v its rate, k = 1/2 E^(2/3):
 *    hertz = 4/3 k sqrt(R k) (x^2 + c)^(3/4) (1 + tanh(b_x x)) / 2,
 *    normal = hertz (1 + 3/2 d v) (1 + tanh(b_v (v + 2 / (3 d)))) / 2,
 *    friction = normal (min(s / w, 1) (mu_d + 2 (mu_s - mu_d) / (1 + (s / w)^2)) + mu_v s) against the slip, with
 *    s^2 = slip^2 + c. */
#include <math.h>
#include <stdio.h>

#include "forces/internal.h"
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

static bool check(const double *p, char *why, size_t size) {
  cdn_transform X;
  memcpy(&X, p + FRAME, sizeof X);
  if (p[STATIC] < p[DYNAMIC]) snprintf(why, size, "static friction must not be less than dynamic friction");
  else if (cdni_check_frame(X) != CDN_OK) snprintf(why, size, "X_AP must have axes that are right-handed unit vectors");
  else return true;
  return false;
}

/* The force along the normal, and the factor of the slip velocity that makes its friction. */
static double normal_force(const double *p, double x, double v) {
  const double k = 0.5 * cbrt(p[MODULUS] * p[MODULUS]);
  const double hertz = 4.0 / 3 * k * sqrt(p[RADIUS] * k) * pow(x * x + p[CONSTANT], 0.75);
  const double smooth = hertz * (0.5 + 0.5 * tanh(p[DEPTH_SHARPNESS] * x));
  if (p[DISSIPATION] == 0) return smooth;
  return smooth * (1 + 1.5 * p[DISSIPATION] * v) *
         (0.5 + 0.5 * tanh(p[RATE_SHARPNESS] * (v + 2 / (3 * p[DISSIPATION]))));
}

static double friction_factor(const double *p, double normal, double slip) {
  const double s = sqrt(slip * slip + p[CONSTANT]), r = s / p[TRANSITION];
  const double coefficient = fmin(r, 1) * (p[DYNAMIC] + 2 * (p[STATIC] - p[DYNAMIC]) / (1 + r * r)) + p[VISCOUS] * s;
  return s > 0 ? normal * coefficient / s : 0;
}

static cdn_status calc_one(const force_batch *b, int i, cdn_state *state, cdn_forces *out) {
  const smooth_contact *e = &((const smooth_contact *)b->elements)[i];
  const double *p = b->params + NUMBERS * i;
  const cdn_body plane = { e->plane }, ball = { e->ball };
  cdn_transform X_GA, X_GB, X_AP;
  cdn_vec3 v_A, v_B;
  CDNI_TRY(cdn_body_pose(state, plane, &X_GA));
  CDNI_TRY(cdn_body_pose(state, ball, &X_GB));
  memcpy(&X_AP, p + FRAME, sizeof X_AP);
  const cdn_transform X_GP = cdn_transform_multiply(X_GA, X_AP);
  const cdn_vec3 n = X_GP.R.z, centre = cdn_transform_point(X_GB, cdn_v3(p[STATION], p[STATION + 1], p[STATION + 2]));
  const double height = cdn_dot(n, cdn_sub(centre, X_GP.p)), x = p[RADIUS] - height;
  /* between the lowest point of the ball and the plane: both give way alike */
  const cdn_vec3 point = cdn_sub(centre, cdn_scale(p[RADIUS] - 0.5 * x, n));
  const cdn_vec3 p_A = cdn_rotate_inv(X_GA.R, cdn_sub(point, X_GA.p));
  const cdn_vec3 p_B = cdn_rotate_inv(X_GB.R, cdn_sub(point, X_GB.p));
  CDNI_TRY(cdn_body_station(state, plane, p_A, NULL, &v_A));
  CDNI_TRY(cdn_body_station(state, ball, p_B, NULL, &v_B));
  const cdn_vec3 v = cdn_sub(v_B, v_A), slip = cdn_sub(v, cdn_scale(cdn_dot(v, n), n));
  const double normal = normal_force(p, x, -cdn_dot(v, n));
  const cdn_vec3 f = cdn_sub(cdn_scale(normal, n), cdn_scale(friction_factor(p, normal, cdn_norm(slip)), slip));
  cdn_forces_add_point(out, ball, p_B, f);
  cdn_forces_add_point(out, plane, p_A, cdn_scale(-1, f));
  return CDN_OK;
}

static cdn_status calc(const force_batch *b, cdn_state *state, cdn_forces *out) {
  for (int i = 0; i < b->n; i++)
    if (force_is_on(b, i)) CDNI_TRY(calc_one(b, i, state, out));
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
  .is_differenced = force_is_on,
  .calc_one = calc_one,
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
  if (unreadable) cdni_force_refuse(&a, def ? CDN_ERR_VERSION : CDN_ERR_ARG, "%s", unreadable);
  cdni_force_check_pair(&a, d.plane_body, d.ball_body);
  double p[NUMBERS];
  numbers_of(&d, p);
  const smooth_contact e = { d.plane_body.i, d.ball_body.i };
  return cdni_force_add(&a, &e, p);
}

cdn_status cdn_smooth_contact_set(cdn_state *state, cdn_force force, const cdn_smooth_contact_def *def) {
  static const char function[] = "cdn_smooth_contact_set";
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  CDNI_NEED(state, def);
  cdn_smooth_contact_def d;
  const char *unreadable = read_smooth_contact_def(&d, def);
  if (unreadable) return cdni_state_fail(state, CDN_ERR_VERSION, false, function, NULL, "%s", unreadable);
  double p[NUMBERS];
  numbers_of(&d, p);
  return cdni_force_set(state, force, FORCE_SMOOTH_CONTACT, function, p);
}
