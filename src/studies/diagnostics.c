/* What is the matter with a State: how well its accelerations solve the equations of motion, and why shapes that are
 * near each other push each other or do not. */
#include <cardan/constraints.h>
#include <cardan/diagnostics.h>
#include <cardan/elements.h>
#include <cardan/motion.h>
#include <cardan/operators.h>
#include <cardan/queries.h>
#include <cardan/soft.h>
#include <math.h>

#include "core/sized.h"
#include "system/system.h"

/* ---- forward and inverse dynamics -------------------------------------------------------------- */

static double largest_of(const double *f, int n, int *at) {
  double largest = 0;
  for (int i = 0; i < n; i++)
    if (fabs(f[i]) > largest) largest = fabs(f[i]), *at = i;
  return largest;
}

/* r = M udot + f_bias - f_applied, and what should be its opposite. */
static cdn_status miss(cdn_state *state, double *f, double *part, double *scale) {
  const cdn_system *system = cdn_state_system(state);
  const int nu = cdn_system_nu(system);
  const double *udot = cdn_state_udot(state), *lambda = cdn_state_multipliers(state);
  int at;
  if (!udot || !lambda) return CDN_ERR_CALLBACK;
  CDNI_TRY(cdn_residual(state, udot, f));
  CDNI_TRY(cdn_residual(state, NULL, part));
  *scale = largest_of(part, nu, &at);
  for (int i = 0; i < nu; i++) part[i] = f[i] - part[i]; /* M udot */
  *scale = fmax(*scale, largest_of(part, nu, &at));
  CDNI_TRY(cdn_soft_forces(state, udot, part));
  *scale = fmax(*scale, largest_of(part, nu, &at));
  for (int i = 0; i < nu; i++) f[i] -= part[i];
  if (cdn_system_nudoterr(system) > 0) {
    CDNI_TRY(cdn_multiply_by_G_transpose(state, lambda, part));
    *scale = fmax(*scale, largest_of(part, nu, &at));
    for (int i = 0; i < nu; i++) f[i] += part[i];
  }
  const double *tau = cdn_motion_forces(state);
  if (!tau) return CDN_ERR_CALLBACK;
  *scale = fmax(*scale, largest_of(tau, nu, &at));
  for (int i = 0; i < nu; i++) f[i] += tau[i];
  return CDN_OK;
}

cdn_status cdn_calc_imbalance_sized(cdn_state *state, double *f, cdn_imbalance *out, size_t size) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  const cdn_system *system = cdn_state_system(state);
  const int nu = cdn_system_nu(system);
  cdn_imbalance full = { .slot = "" };
  double *work = cdn_work_push(state, 2 * ((size_t)nu + 1) * sizeof *work), *to = f ? f : work + nu;
  int at = -1;
  if (!work) return cdni_state_fail(state, CDN_ERR_NOMEM, false, "cdn_calc_imbalance", NULL, "out of memory");
  const cdn_status status = nu > 0 ? miss(state, to, work, &full.scale) : CDN_OK;
  if (status == CDN_OK) full.largest = largest_of(to, nu, &at);
  cdn_work_pop(state, work);
  CDNI_TRY(status);
  if (at >= 0) cdn_system_slot_name(system, CDN_POOL_U, at, full.slot, sizeof full.slot);
  if (out) cdni_sized_write(out, size, &full, sizeof full);
  return CDN_OK;
}

/* ---- near pairs ---------------------------------------------------------------------------------- */

typedef struct box {
  cdn_vec3 least, most;
  cdn_geometry_kind kind;
  bool on;
} box;

static cdn_status find_boxes(cdn_state *state, int n, box *boxes) {
  for (int i = 0; i < n; i++) {
    cdn_geometry geometry;
    cdn_transform X;
    double enabled = 1;
    const int k = cdn_element_find_parameter(cdn_state_system(state), CDN_ELEMENT_SHAPE, i, "enabled");
    CDNI_TRY(cdn_shape_get(state, (cdn_shape){ i }, &geometry, &X));
    CDNI_TRY(cdn_geometry_bounds(&geometry, &X, &boxes[i].least, &boxes[i].most));
    if (k >= 0) CDNI_TRY(cdn_element_get_parameters(state, CDN_ELEMENT_SHAPE, i, k, 1, &enabled));
    boxes[i].kind = geometry.kind, boxes[i].on = enabled != 0;
  }
  return CDN_OK;
}

static bool are_near(const box *a, const box *b, double within) {
  const double *la = &a->least.x, *ma = &a->most.x, *lb = &b->least.x, *mb = &b->most.x;
  for (int k = 0; k < 3; k++)
    if (la[k] > mb[k] + within || lb[k] > ma[k] + within) return false;
  return true;
}

/* *touches: they have a contact, with or without a force. */
static cdn_status force_of(cdn_state *state, int contacts, const cdn_near_pair *p, bool *touches, double *force) {
  *touches = false, *force = 0;
  for (int i = 0; i < contacts; i++) {
    cdn_contact c;
    CDNI_TRY(cdn_contact_get(state, i, &c));
    if (c.a.i != p->a.i || c.b.i != p->b.i) continue;
    *touches = true, *force += c.force;
  }
  return CDN_OK;
}

static cdn_status judge(cdn_state *state, const box *boxes, int contacts, cdn_near_pair *p) {
  bool touches;
  CDNI_TRY(force_of(state, contacts, p, &touches, &p->force));
  p->rule = cdn_shapes_rule(cdn_state_system(state), p->a, p->b);
  if (p->force > 0) p->reason = CDN_NEAR_FORCE;
  else if (p->rule != CDN_RULE_NONE) p->reason = CDN_NEAR_RULE;
  else if (!boxes[p->a.i].on || !boxes[p->b.i].on) p->reason = CDN_NEAR_OFF;
  else if (touches) p->reason = CDN_NEAR_NO_PUSH;
  else p->reason = p->distance >= 0 ? CDN_NEAR_APART : CDN_NEAR_NO_LAW;
  return CDN_OK;
}

static cdn_status list(cdn_state *state, double within, int room, const box *boxes, cdn_near_pair *out, int *n) {
  const cdn_system *system = cdn_state_system(state);
  const int shapes = cdn_system_shape_count(system);
  int contacts;
  CDNI_TRY(cdn_contact_count(state, &contacts));
  for (int j = 1; j < shapes; j++)
    for (int i = 0; i < j; i++) {
      cdn_near_pair p = { .a = { i }, .b = { j } };
      cdn_proximity near;
      if (!are_near(&boxes[i], &boxes[j], within)) continue;
      if (cdn_shapes_rule(system, p.a, p.b) == CDN_RULE_ONE_PIECE) continue;
      if (!cdn_geometry_pair_is_supported(boxes[i].kind, boxes[j].kind)) continue;
      CDNI_TRY(cdn_shapes_distance(state, p.a, p.b, &near));
      if (near.distance > within) continue;
      p.distance = near.distance;
      if (*n < room) {
        CDNI_TRY(judge(state, boxes, contacts, &p));
        out[*n] = p;
      }
      ++*n;
    }
  return CDN_OK;
}

cdn_status cdn_near_pairs(cdn_state *state, double within, int room, cdn_near_pair *out, int *n) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  if (!(within >= 0) || room < 0 || (room > 0 && !out) || !n)
    return cdni_state_fail(state, CDN_ERR_ARG, false, __func__, NULL,
                           "within is %g m and must not be negative; room is %d, and needs a place for the pairs",
                           within, room);
  const int shapes = cdn_system_shape_count(cdn_state_system(state));
  *n = 0;
  if (shapes == 0) return CDN_OK;
  box *boxes = cdn_work_push(state, (size_t)shapes * sizeof *boxes);
  if (!boxes) return cdni_state_fail(state, CDN_ERR_NOMEM, false, __func__, NULL, "out of memory");
  cdn_status status = find_boxes(state, shapes, boxes);
  if (status == CDN_OK) status = list(state, within, room, boxes, out, n);
  cdn_work_pop(state, boxes);
  return status;
}

void cdn_near_pair_text(const cdn_system *system, const cdn_near_pair *pair, char *text, size_t size) {
  static const char *const rules[CDN_RULE_COUNT] = {
    [CDN_RULE_NONE] = "nothing keeps them apart",
    [CDN_RULE_ONE_PIECE] = "they are on one body, or on bodies that are welded together",
    [CDN_RULE_MASKS] = "their masks share no bit",
    [CDN_RULE_GROUP] = "they are in one group",
    [CDN_RULE_PARENT] = "one body is the other's parent",
    [CDN_RULE_EXCLUDED] = "they are excluded",
    [CDN_RULE_OVERLAP] = "their bodies overlap in the first pose",
    [CDN_RULE_FILTER] = "the filter says so",
  };
  static const char *const reasons[CDN_NEAR_COUNT] = {
    [CDN_NEAR_FORCE] = "and push each other",
    [CDN_NEAR_RULE] = "and may not touch: ",
    [CDN_NEAR_OFF] = "and one of them is switched off",
    [CDN_NEAR_APART] = "and do not touch",
    [CDN_NEAR_NO_PUSH] = "and have a contact without a force: they part, or are in the gap of the margin",
    [CDN_NEAR_NO_LAW] = "and no law of contact is known for these two kinds of shapes",
  };
  if (!system || !pair || !text || (unsigned)pair->reason >= CDN_NEAR_COUNT || (unsigned)pair->rule >= CDN_RULE_COUNT) {
    if (text && size > 0) text[0] = '\0';
    return;
  }
  const char *a = cdn_shape_name(system, pair->a), *b = cdn_shape_name(system, pair->b);
  cdni_print(text, size, "'%s' and '%s' %s %.3g m, %s%s", a ? a : "?", b ? b : "?",
             pair->distance < 0 ? "overlap by" : "are apart by", fabs(pair->distance), reasons[pair->reason],
             pair->reason == CDN_NEAR_RULE ? rules[pair->rule] : "");
}
