/* How the forces of media vary: with w and v in the frame's axes, by the product rule, and with the frame that turns.
 * */
#include <math.h>

#include "forces/elements/fluid.h"
#include "forces/fluid.h"

/* The change of moment and force, in the frame's axes, by changes of w and v there. */
typedef sv local_change(const double *p, v3 w, v3 v, v3 dw, v3 dv);

/* x |x| varies by 2 |x|. */
static v3 drag_change(double linear, v3 squared, v3 v, v3 dv) {
  return (v3){ -(linear + 2 * squared.x * fabs(v.x)) * dv.x, -(linear + 2 * squared.y * fabs(v.y)) * dv.y,
               -(linear + 2 * squared.z * fabs(v.z)) * dv.z };
}

static sv box_change(const double *p, v3 w, v3 v, v3 dw, v3 dv) {
  const box_drag d = box_drag_of(p);
  return (sv){ drag_change(d.turn, d.turn_squared, w, dw), drag_change(d.move, d.move_squared, v, dv) };
}

/* Of a cross product. */
static v3 cross_change(v3 a, v3 da, v3 b, v3 db) { return v3_add(v3_cross(da, b), v3_cross(a, db)); }

static sv ellipsoid_change(const double *p, v3 w, v3 v, v3 dw, v3 dv) {
  const ellipsoid_law law = ellipsoid_law_of(p);
  const fluid_flow f = fluid_flow_of(&law, v);
  const v3 dn = fluid_times(law.shadow, dv);
  /* relative changes of the lengths, and of what is made of them */
  const double root = v3_dot(f.n, dv) * f.by_root * f.by_root, n = v3_dot(f.n, dn) * f.by_n * f.by_n;
  const double speed = v3_dot(v, dv) * f.by_speed * f.by_speed;
  const double dA = f.A * (n - root), dlift = f.lift * (root - n - speed);

  const double Jw_length = sqrt(v3_dot(fluid_times(law.angular, w), fluid_times(law.angular, w)));
  const v3 Jw = fluid_times(law.angular, w), dJw = fluid_times(law.angular, dw);
  const double dturn = v3_dot(Jw, dJw) * fluid_inverse(Jw_length);
  v3 moment = cross_change(fluid_times(law.mass, v), fluid_times(law.mass, dv), v, dv);
  moment = v3_add(moment, cross_change(fluid_times(law.inertia, w), fluid_times(law.inertia, dw), w, dw));
  moment = v3_fma(-(law.turn + Jw_length), dw, v3_fma(-dturn, w, moment));

  const double by_speed = law.blunt * f.A + law.slender;
  const double drag = law.move + f.speed * by_speed;
  const double ddrag = f.speed * (speed * by_speed + law.blunt * dA);
  v3 force = cross_change(fluid_times(law.mass, v), fluid_times(law.mass, dv), w, dw);
  force = v3_add(force, v3_scale(law.magnus, cross_change(w, dw, v, dv)));
  force = v3_fma(-drag, dv, v3_fma(-ddrag, v, force));
  const v3 around = v3_cross(f.n, v);
  force = v3_fma(law.kutta * dlift, v3_cross(around, v), force);
  force = v3_fma(law.kutta * f.lift, cross_change(around, cross_change(f.n, dn, v, dv), v, dv), force);
  return (sv){ moment, force };
}

/* One element where it is. F in Ground, about the frame's origin. */
typedef struct fluid_law {
  const double *p;
  fluid_frame at;
  sv F;
  local_change *local;
} fluid_law;

static void change(const void *self, int n, const station_motion *x, sv *dF) {
  const fluid_law *law = self;
  const v3 turn = x->X.w;
  (void)n;
  const v3 dw = m3_tmul(law->at.R, v3_sub(x->V.w, v3_cross(turn, law->at.w_G)));
  const v3 dv = m3_tmul(law->at.R, v3_sub(x->V.v, v3_cross(turn, law->at.v_G)));
  const sv d = law->local(law->p, law->at.w, law->at.v, dw, dv);
  dF->w = v3_add(v3_cross(turn, law->F.w), m3_mul(law->at.R, d.w));
  dF->v = v3_add(v3_cross(turn, law->F.v), m3_mul(law->at.R, d.v));
}

static void add_element(const force_batch *b, cdn_state *state, int i, const double *p,
                        sv (*on)(const double *, v3, v3), local_change *local, cdn_force_derivatives *out) {
  const fluid_element *e = (const fluid_element *)b->elements + i;
  fluid_law law = { .p = p, .local = local };
  if (!force_is_on(b, i) || e->body == 0) return;
  law.at = fluid_frame_at(force_frames(b, state), out->pass->pose, out->pass->twist, e, p + FLUID_WIND);
  const sv F = on(p, law.at.w, law.at.v);
  law.F = (sv){ m3_mul(law.at.R, F.w), m3_mul(law.at.R, F.v) };
  cdni_derivative_of_bodies(out, 1, &e->body, &law.at.r, &law.F, false, true, change, &law);
}

static sv on_box(const double *p, v3 w, v3 v) { return fluid_on_box(p, w, v); }
static sv on_ellipsoid(const double *p, v3 w, v3 v) { return fluid_on_ellipsoid(p, w, v); }

cdn_status cdni_fluid_box_derivative(const force_batch *b, cdn_state *state, cdn_force_derivatives *out) {
  for (int i = 0; i < b->n; i++) add_element(b, state, i, b->params + FLUID_BOX_PARAMS * i, on_box, box_change, out);
  return CDN_OK;
}

cdn_status cdni_fluid_ellipsoid_derivative(const force_batch *b, cdn_state *state, cdn_force_derivatives *out) {
  for (int i = 0; i < b->n; i++)
    add_element(b, state, i, b->params + FLUID_ELLIPSOID_PARAMS * i, on_ellipsoid, ellipsoid_change, out);
  return CDN_OK;
}
