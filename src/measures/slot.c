/* One of q, u, z, qdot, udot, zdot, by its place in the pool or by the body whose mobilizer it belongs to. */
#include <cardan/matter.h>

#include "measures/internal.h"

typedef struct slot {
  measure base;
  cdn_ticket which;
  cdn_body body; /* { 0 }: `k` counts from the pool's start, else from the body's first */
  int k;
} slot;

static bool is(cdn_ticket a, cdn_ticket b) { return a.i == b.i; }
static bool is_rate(cdn_ticket which) { return is(which, CDN_QDOT) || is(which, CDN_UDOT) || is(which, CDN_ZDOT); }

/* The ticket of the slot's rate. */
static cdn_ticket rate_of(cdn_ticket which) {
  return is(which, CDN_Q) ? CDN_QDOT : is(which, CDN_U) ? CDN_UDOT : CDN_ZDOT;
}

/* The ticket of the slot's value: prescribed q and u are the effective ones. */
static cdn_ticket source_of(const slot *s, int order) {
  cdn_ticket which = order > 0 ? rate_of(s->which) : s->which;
  return is(which, CDN_Q) ? CDN_Q_EFF : is(which, CDN_U) ? CDN_U_EFF : which;
}

static int derivatives(const measure *m) { return is_rate(((const slot *)m)->which) ? 0 : 1; }

static cdn_stage stage(const measure *m, int order) {
  cdn_ticket source = source_of((const slot *)m, order);
  if (is(source, CDN_Q_EFF)) return CDN_STAGE_POSITION;
  if (is(source, CDN_U_EFF) || is(source, CDN_QDOT)) return CDN_STAGE_VELOCITY;
  return is(source, CDN_Z) ? CDN_STAGE_FORCE : CDN_STAGE_ACCELERATION;
}

static void depend(const measure *m, int order, cdn_declarer *d, cdn_cache entry) {
  cdni_declare_prerequisite(d, entry, source_of((const slot *)m, order));
}

static int index_of(const slot *s) {
  if (s->body.i == 0) return s->k;
  bool of_q = is(s->which, CDN_Q) || is(s->which, CDN_QDOT);
  return s->k + (of_q ? cdn_body_first_q(s->base.system, s->body) : cdn_body_first_u(s->base.system, s->body));
}

static cdn_status value(const measure *m, cdn_state *state, int order, double *out) {
  const slot *s = (const slot *)m;
  cdn_ticket source = source_of(s, order);
  const double *pool = is(source, CDN_Z)       ? cdn_state_z(state)
                       : is(source, CDN_Q_EFF) ? cdn_state_q_eff(state)
                       : is(source, CDN_U_EFF) ? cdn_state_u_eff(state)
                       : is(source, CDN_QDOT)  ? cdn_state_qdot(state)
                       : is(source, CDN_UDOT)  ? cdn_state_udot(state)
                                               : cdn_state_zdot(state);
  if (!pool) {
    cdn_error reason;
    cdn_state_last_error(state, &reason);
    return reason.code;
  }
  *out = pool[index_of(s)];
  return CDN_OK;
}

static const char *check(const measure *m) {
  const slot *s = (const slot *)m;
  const cdn_system *system = m->system;
  int n = is(s->which, CDN_Q) || is(s->which, CDN_QDOT)   ? cdn_system_nq(system)
          : is(s->which, CDN_U) || is(s->which, CDN_UDOT) ? cdn_system_nu(system)
                                                          : cdn_system_nz(system);
  return s->body.i > 0 || s->k < n ? NULL : "the System has no such slot";
}

static const measure_kind slot_kind = { .name = "slot",
                                        .size = sizeof(slot),
                                        .derivatives = derivatives,
                                        .stage = stage,
                                        .depend = depend,
                                        .value = value,
                                        .check = check };

/* ---- adding ---- */

static void check_which(cdni_adder *a, cdn_ticket which, bool z) {
  bool of_z = is(which, CDN_Z) || is(which, CDN_ZDOT);
  if (is(which, CDN_Q) || is(which, CDN_U) || is(which, CDN_QDOT) || is(which, CDN_UDOT) || (z && of_z)) return;
  cdni_adder_refuse(a, CDN_ERR_ARG, "`which` must be CDN_Q, CDN_U, CDN_QDOT%s",
                    z ? ", CDN_UDOT, CDN_Z or CDN_ZDOT" : " or CDN_UDOT");
}

cdn_measure cdn_system_add_slot_measure(cdn_system *system, const char *name, cdn_ticket which, int k) {
  cdni_adder a;
  slot s = { .base = { .n = 1, .operand = { -1 } }, .which = which, .k = k };
  cdni_measure_begin(&a, system, "cdn_system_add_slot_measure", name);
  check_which(&a, which, true);
  if (k < 0) cdni_adder_refuse(&a, CDN_ERR_ARG, "there is no slot %d", k);
  return cdni_measure_add(&a, &slot_kind, &s.base);
}

cdn_measure cdn_system_add_coordinate_measure(cdn_system *system, const char *name, cdn_body body, cdn_ticket which,
                                              int k) {
  cdni_adder a;
  slot s = { .base = { .n = 1, .operand = { -1 } }, .which = which, .body = body, .k = k };
  cdni_measure_begin(&a, system, "cdn_system_add_coordinate_measure", name);
  check_which(&a, which, false);
  if (a.ok && (body.i <= 0 || body.i >= cdn_system_body_count(system))) {
    cdni_adder_refuse(&a, CDN_ERR_ARG, "there is no moving body %d in this System (yet): add the body first",
                      (int)body.i);
  }
  if (a.ok) {
    bool of_q = is(which, CDN_Q) || is(which, CDN_QDOT);
    int n = of_q ? cdn_body_nq(system, body) : cdn_body_nu(system, body);
    if (k < 0 || k >= n) {
      cdni_adder_refuse(&a, CDN_ERR_ARG, "joint '%s' has %d %c: there is no number %d",
                        cdn_body_mobilizer_name(system, body), n, of_q ? 'q' : 'u', k);
    }
  }
  return cdni_measure_add(&a, &slot_kind, &s.base);
}
