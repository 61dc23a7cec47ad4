/* A point of a body over a plane, held up by a spring whose force grows exponentially as it comes down, with friction
 * that sticks (the normal force is that of Simbody 3.8's ExponentialSpringForce):
 *    N = d1 exp(-d2 (z - d0)) (1 - c_z zdot), at least 0; z: height over the plane.
 * Friction is a bristle in the plane: a spring k with a damper c beside it, in series with a slider that bears at
 * most F = mu N. With its displacement x, a state, the velocity v of the point in the plane, and T = c / k,
 *    g = k (x + T v),   f = -s g  with  s = min(1, F / |g|),   xdot = s v - (1 - s) x / T.
 * What is loaded below F moves elastically and does not creep. mu falls from mu_s to mu_d with the speed. A custom
 * force of the library's own: nothing here is beyond the public interface. */
#include <cardan/forces.h>
#include <math.h>

#include "forces/internal.h"
#include "laws/laws.h"
#include "matter/checks.h"

CDNI_DEF(exponential_spring_def, .X_AP = { { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }, { 0, 0, 0 } }, .d0 = 0.0065905,
         .d1 = 0.5336, .d2 = 1150, .cz = 0.5, .static_friction = 0.7, .dynamic_friction = 0.5, .k = 20000, .c = 280,
         .transition_velocity = 0.01);

enum { D0, D1, D2, CZ, STATIC, DYNAMIC, STIFFNESS, DAMPING, TRANSITION, NUMBERS };
static const char *const names[NUMBERS] = {
  "d0", "d1", "d2", "cz", "static_friction", "dynamic_friction", "k", "c", "transition_velocity"
};

typedef struct exponential_spring {
  cdn_body plane, body;
  cdn_transform X_AP;
  cdn_vec3 p_B;
  double initial[NUMBERS];
  cdn_dvar numbers[NUMBERS]; /* declared */
  cdn_zvar bristle;          /* displacement in the plane, along P's x and y */
} exponential_spring;

static cdn_status declare(void *self, cdn_declarer *d) {
  exponential_spring *e = self;
  for (int i = 0; i < NUMBERS; i++) e->numbers[i] = cdn_declare_parameters(d, names[i], 1, &e->initial[i]);
  e->bristle = cdn_declare_z(d, 2, NULL);
  const double scale = e->initial[STIFFNESS] > 0 ? 1 / e->initial[STIFFNESS] : 1; /* what 1 N displaces */
  cdn_declare_z_scale(d, e->bristle, (double[]){ scale, scale });
  return CDN_OK;
}

typedef struct pushed {
  cdn_transform X_GP;
  cdn_vec3 p_A, f_P; /* where the force acts on the plane's body; the force on the point, in P */
  double xdot[2];
} pushed;

static cdn_status push(const exponential_spring *e, cdn_state *state, pushed *out) {
  double p[NUMBERS];
  for (int i = 0; i < NUMBERS; i++) p[i] = *cdn_state_parameters(state, e->numbers[i]);
  cdn_transform X_GA;
  cdn_vec3 at, v_B, v_A;
  CDNI_TRY(cdn_body_pose(state, e->plane, &X_GA));
  CDNI_TRY(cdn_body_station(state, e->body, e->p_B, &at, &v_B));
  out->p_A = cdn_rotate_inv(X_GA.R, cdn_sub(at, X_GA.p));
  CDNI_TRY(cdn_body_station(state, e->plane, out->p_A, NULL, &v_A));
  out->X_GP = cdn_transform_multiply(X_GA, e->X_AP);
  const double z = cdn_dot(out->X_GP.R.z, cdn_sub(at, out->X_GP.p));
  const cdn_vec3 v = cdn_rotate_inv(out->X_GP.R, cdn_sub(v_B, v_A));
  const double law[CDN_LAW_NUMBERS] = { p[D1], p[D2], p[D0], p[CZ] };
  const double N = law_force(&cdni_pressure_laws[LAW_EXPONENTIAL], law, -z, -v.z);
  const double *x = cdn_state_zvar(state, e->bristle), T = p[DAMPING] / p[STIFFNESS];
  const double r = hypot(v.x, v.y) / p[TRANSITION];
  const double F = N * stribeck(p[DYNAMIC], p[STATIC] - p[DYNAMIC], r, NULL);
  const double g[2] = { p[STIFFNESS] * (x[0] + T * v.x), p[STIFFNESS] * (x[1] + T * v.y) };
  const double size = hypot(g[0], g[1]), s = size > F ? F / size : 1;
  out->f_P = cdn_v3(-s * g[0], -s * g[1], N);
  out->xdot[0] = s * v.x - (1 - s) * x[0] / T, out->xdot[1] = s * v.y - (1 - s) * x[1] / T;
  return CDN_OK;
}

static cdn_status calc_force(const void *self, cdn_state *state, cdn_forces *forces) {
  const exponential_spring *e = self;
  pushed p;
  CDNI_TRY(push(e, state, &p));
  const cdn_vec3 f = cdn_rotate(p.X_GP.R, p.f_P);
  cdn_forces_add_point(forces, e->body, e->p_B, f);
  cdn_forces_add_point(forces, e->plane, p.p_A, cdn_scale(-1, f));
  return CDN_OK;
}

static cdn_status calc_zdot(const void *self, cdn_state *state, double *zdot) {
  pushed p;
  CDNI_TRY(push(self, state, &p));
  zdot[0] = p.xdot[0], zdot[1] = p.xdot[1];
  return CDN_OK;
}

static void check_def(force_adder *a, const cdn_exponential_spring_def *d) {
  const double numbers[] = {
    d->d0, d->d1, d->d2, d->cz, d->static_friction, d->dynamic_friction, d->k, d->c, d->transition_velocity
  };
  cdni_force_check_pair(a, d->plane_body, d->body);
  cdni_adder_check_numbers(&a->by, "the station", &d->p_B.x, 3);
  cdni_adder_check_numbers(&a->by, "the def", numbers, CDNI_COUNT(numbers));
  if (!(d->d1 > 0 && d->d2 > 0 && d->k > 0 && d->c > 0 && d->transition_velocity > 0))
    cdni_adder_refuse(&a->by, CDN_ERR_ARG, "d1, d2, k, c and the transition velocity must be above 0");
  else if (d->cz < 0 || d->dynamic_friction < 0 || d->static_friction < d->dynamic_friction)
    cdni_adder_refuse(
        &a->by, CDN_ERR_ARG,
        "cz and the coefficients of friction must not be negative, nor static friction less than dynamic");
  else if (cdni_check_frame(d->X_AP) != CDN_OK)
    cdni_adder_refuse(&a->by, CDN_ERR_ARG,
                      "X_AP must have finite numbers, and axes that are right-handed unit vectors");
}

cdn_force cdn_system_add_exponential_spring(cdn_system *system, const cdn_exponential_spring_def *def) {
  force_adder a;
  const cdn_force none = { -1 };
  cdn_exponential_spring_def d = exponential_spring_def_defaults;
  const char *unreadable =
      def ? read_exponential_spring_def(&d, def) : "no def is given: start with cdn_default_exponential_spring_def()";
  CDNI_NEED_OBJECT(system, none);
  cdni_force_begin(&a, system, FORCE_CUSTOM, "cdn_system_add_exponential_spring", unreadable ? NULL : d.name);
  if (unreadable) cdni_adder_refuse(&a.by, def ? CDN_ERR_VERSION : CDN_ERR_ARG, "%s", unreadable);
  check_def(&a, &d);
  if (!a.by.ok) return none;
  const exponential_spring e = { .plane = d.plane_body,
                                 .body = d.body,
                                 .X_AP = d.X_AP,
                                 .p_B = d.p_B,
                                 .initial = { [D0] = d.d0,
                                              [D1] = d.d1,
                                              [D2] = d.d2,
                                              [CZ] = d.cz,
                                              [STATIC] = d.static_friction,
                                              [DYNAMIC] = d.dynamic_friction,
                                              [STIFFNESS] = d.k,
                                              [DAMPING] = d.c,
                                              [TRANSITION] = d.transition_velocity } };
  cdn_force_ops ops = { .struct_size = sizeof ops, .reads = CDN_READS_EVERYTHING, .calc_force = calc_force };
  ops.subsystem = (cdn_subsystem_ops){ .struct_size = sizeof ops.subsystem,
                                       .name = a.by.name,
                                       .self_size = sizeof e,
                                       .declare = declare,
                                       .calc_zdot = calc_zdot };
  return cdn_system_add_custom_force(system, &ops, &e);
}
