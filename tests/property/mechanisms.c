/* shared by tests in this folder */
#include "mechanisms.h"

#include <stdio.h>

/* ---- planar links ---- */

static cdn_body link_at(cdn_system *s, const char *name, cdn_body parent, double x, double y) {
  cdn_body_def def = cdn_default_body_def();
  def.name = name;
  def.parent = parent;
  def.mobilizer = CDN_PIN;
  def.X_PF.p = cdn_v3(x, y, 0);
  def.mass = (cdn_mass_properties){ 1, cdn_v3(0.5, 0, 0), { 0.1, 0.2, 0.2, 0, 0, 0 } };
  return cdn_system_add_body(s, &def);
}

/* A pin that closes a planar loop: the station of b is where the one of a is, in x and y. */
static void close_pin(cdn_system *s, const char *name, cdn_body a, double ax, double ay, cdn_body b, cdn_vec3 p_B) {
  char text[64];
  snprintf(text, sizeof text, "%s.x", name);
  cdn_system_constrain_point_in_plane(s, text, a, cdn_v3(1, 0, 0), ax, b, p_B);
  snprintf(text, sizeof text, "%s.y", name);
  cdn_system_constrain_point_in_plane(s, text, a, cdn_v3(0, 1, 0), ay, b, p_B);
}

static cdn_system *frozen(cdn_system *s) {
  OK_FREEZE(s);
  return s;
}

static cdn_system *begin_four_bar(double ground, double crank, double coupler, double rocker, cdn_body *arm) {
  cdn_system *s = cdn_system_create(NULL);
  const cdn_body a = link_at(s, "crank", cdn_ground(), 0, 0);
  const cdn_body b = link_at(s, "coupler", a, crank, 0);
  const cdn_body c = link_at(s, "rocker", cdn_ground(), ground, 0);
  close_pin(s, "closure", c, rocker, 0, b, cdn_v3(coupler, 0, 0));
  *arm = b;
  return s;
}

cdn_system *four_bar_of(double ground, double crank, double coupler, double rocker) {
  cdn_body arm;
  return frozen(begin_four_bar(ground, crank, coupler, rocker, &arm));
}

cdn_system *four_bar(void) { return four_bar_of(4, 1, 3, 3.5); }

cdn_system *slider_crank(double offset) {
  cdn_system *s = cdn_system_create(NULL);
  const cdn_body crank = link_at(s, "crank", cdn_ground(), 0, 0);
  const cdn_body rod = link_at(s, "rod", crank, 1, 0);
  cdn_system_constrain_point_in_plane(s, "guide", cdn_ground(), cdn_v3(0, 1, 0), offset, rod, cdn_v3(3, 0, 0));
  return frozen(s);
}

cdn_system *six_bar(void) {
  cdn_body coupler;
  cdn_system *s = begin_four_bar(4, 1, 3, 3.5, &coupler);
  const cdn_body arm = link_at(s, "coupler_arm", coupler, 1.5, 1);
  const cdn_body rocker = link_at(s, "second_rocker", cdn_ground(), 5, 3);
  close_pin(s, "second", rocker, 2.5, 0, arm, cdn_v3(3, 0, 0));
  return frozen(s);
}

/* Where the third corner is of a triangle with one corner at the origin and one at (c, 0), at distances b and a from
 * them. */
static cdn_vec3 corner(double a, double b, double c, double side) {
  const double x = (b * b + c * c - a * a) / (2 * c);
  return cdn_v3(x, side * sqrt(b * b - x * x), 0);
}

cdn_system *theo_jansen(void) {
  cdn_system *s = cdn_system_create(NULL);
  const cdn_body crank = link_at(s, "crank", cdn_ground(), 0, 0);
  const cdn_body upper = link_at(s, "upper", cdn_ground(), -3.8, -0.78);
  const cdn_body lower = link_at(s, "lower_link", cdn_ground(), -3.8, -0.78);
  const cdn_body foot = link_at(s, "foot", lower, 3.93, 0);
  const cdn_vec3 d = corner(5.58, 4.01, 4.15, 1); /* of upper: pivot, end of j on x, end of f */
  const cdn_body j = link_at(s, "rod_j", crank, 1.5, 0), k = link_at(s, "rod_k", crank, 1.5, 0);
  const cdn_body f = link_at(s, "rod_f", upper, d.x, d.y);
  cdn_system_constrain_ball(s, "top", upper, cdn_v3(4.15, 0, 0), j, cdn_v3(5.0, 0, 0));
  cdn_system_constrain_ball(s, "knee", lower, cdn_v3(3.93, 0, 0), k, cdn_v3(6.19, 0, 0));
  cdn_system_constrain_ball(s, "back", foot, cdn_v3(3.67, 0, 0), f, cdn_v3(3.94, 0, 0));
  return frozen(s);
}

/* ---- in space ---- */

cdn_vec3 stewart_base(int i) {
  const double a = 2 * PI / 3 * (i / 2) + (i % 2 ? 0.25 : -0.25);
  return cdn_v3(1.2 * cos(a), 1.2 * sin(a), 0);
}
cdn_vec3 stewart_top(int i) {
  const double a = 2 * PI / 3 * (i / 2) + (i % 2 ? PI / 3 - 0.25 : 0.25 - PI / 3);
  return cdn_v3(0.7 * cos(a), 0.7 * sin(a), 0);
}

cdn_system *stewart(void) {
  cdn_system *s = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  def.mass = (cdn_mass_properties){ 1, cdn_v3(0, 0, 0), { 0.1, 0.1, 0.1, 0, 0, 0 } };
  def.name = "platform";
  def.mobilizer = CDN_FREE;
  const double q0[] = { 1, 0, 0, 0, 0, 0, 1 };
  def.q0 = q0;
  const cdn_body platform = cdn_system_add_body(s, &def);
  for (int i = 0; i < 6; i++) {
    char name[32];
    snprintf(name, sizeof name, "leg%d", i);
    def.name = name, def.parent = cdn_ground(), def.mobilizer = CDN_UNIVERSAL, def.q0 = NULL;
    def.X_PF = cdn_transform_identity();
    def.X_PF.p = stewart_base(i);
    const cdn_body leg = cdn_system_add_body(s, &def);
    snprintf(name, sizeof name, "leg%d.slider", i);
    def.parent = leg, def.mobilizer = CDN_SLIDER;
    /* along the leg's z */
    def.X_PF.p = cdn_v3(0, 0, 0);
    def.X_PF.R = cdn_rotation_x_to(cdn_v3(0, 0, 1));
    const double length = 1;
    def.q0 = &length;
    const cdn_body slider = cdn_system_add_body(s, &def);
    snprintf(name, sizeof name, "joint%d", i);
    cdn_system_constrain_ball(s, name, platform, stewart_top(i), slider, cdn_v3(0, 0, 0));
  }
  return frozen(s);
}

cdn_system *ring(int n, double gap, bool spatial) {
  cdn_system *s = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  def.mobilizer = spatial ? CDN_BALL : CDN_PIN;
  def.mass = (cdn_mass_properties){ 1, cdn_v3(0.5, 0, 0), { 0.1, 0.2, 0.2, 0, 0, 0 } };
  cdn_body last = cdn_ground();
  for (int i = 0; i < n; i++) {
    char name[32];
    snprintf(name, sizeof name, "link%d", i);
    def.name = name, def.parent = last;
    def.X_PF.p = cdn_v3(i ? 1 : 0, 0, 0);
    last = cdn_system_add_body(s, &def);
  }
  if (spatial) cdn_system_constrain_ball(s, "closure", cdn_ground(), cdn_v3(gap, 0, 0), last, cdn_v3(1, 0, 0));
  else close_pin(s, "closure", cdn_ground(), gap, 0, last, cdn_v3(1, 0, 0));
  return frozen(s);
}

cdn_system *free_chain(int n, double gap) {
  cdn_system *s = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  def.mobilizer = CDN_FREE;
  def.mass = (cdn_mass_properties){ 1, cdn_v3(0.5, 0, 0), { 0.1, 0.2, 0.2, 0, 0, 0 } };
  cdn_body last = cdn_ground();
  for (int i = 0; i <= n; i++) {
    char name[32];
    snprintf(name, sizeof name, "body%d", i);
    def.name = name;
    const cdn_body next = i < n ? cdn_system_add_body(s, &def) : cdn_ground();
    snprintf(name, sizeof name, "joint%d", i);
    cdn_system_constrain_ball(s, name, last, i ? cdn_v3(1, 0, 0) : cdn_v3(0, 0, 0), next,
                              i < n ? cdn_v3(0, 0, 0) : cdn_v3(gap, 0, 0));
    last = next;
  }
  return frozen(s);
}

/* ---- States ---- */

cdn_state *mechanism_state(cdn_system *system) {
  cdn_state *state = NULL;
  OK(cdn_state_create(system, &state));
  cdn_system_release(system);
  return state;
}

void scatter(cdn_state *state, rng *r, double size) {
  const cdn_system *s = cdn_state_system(state);
  double q[7];
  for (int i = 1; i < cdn_system_body_count(s); i++) {
    const cdn_body body = { i };
    const int n = cdn_body_nq(s, body);
    const bool turns = cdn_body_has_quaternion(s, body);
    const cdn_mobilizer kind = cdn_body_mobilizer(s, body);
    const bool angle = kind == CDN_PIN || kind == CDN_UNIVERSAL || kind == CDN_GIMBAL;
    for (int k = 0; k < n; k++)
      q[k] = turns && k < 4 ? uniform(r, -1, 1) : angle ? uniform(r, -PI, PI) : uniform(r, -size, size);
    OK_ON(state, cdn_body_set_q(state, body, n, q));
  }
}

cdn_body body_named(const cdn_state *state, const char *name) {
  const cdn_body body = cdn_system_find_body(cdn_state_system(state), name);
  ck_assert_int_gt(body.i, 0);
  return body;
}

double *coordinate_copy(const cdn_state *state) {
  const size_t n = (size_t)cdn_system_nq(cdn_state_system(state));
  double *q = malloc((n + 1) * sizeof *q);
  ck_assert_ptr_nonnull(q);
  if (n) memcpy(q, cdn_state_q(state), n * sizeof *q);
  return q;
}
