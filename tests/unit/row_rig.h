/* Row providers whose function a test gives. */
#ifndef CARDAN_TESTS_ROW_RIG_H
#define CARDAN_TESTS_ROW_RIG_H

#include "force_rig.h"

/* A provider, with numbers for its function. */
typedef struct row_source {
  cdn_status (*calc)(const struct row_source *s, cdn_state *state, cdn_row_list *rows);
  cdn_body body, other;
  double numbers[6];
  int nz; /* z of its own, which do not change */
  cdn_zvar z;
  cdn_row_set set;
} row_source;

static inline cdn_status row_source_calc(const void *self, cdn_state *state, cdn_row_list *rows) {
  const row_source *s = self;
  return s->calc(s, state, rows);
}

static inline cdn_status row_source_declare(void *self, cdn_declarer *d) {
  row_source *s = self;
  const cdn_row_provider provider = { .struct_size = sizeof provider, .name = "source", .calc_rows = row_source_calc };
  if (s->nz > 0) s->z = cdn_declare_z(d, s->nz, (double[]){ 0.3, -0.2 });
  s->set = cdn_declare_rows(d, &provider);
  return CDN_OK;
}

static inline cdn_status row_source_rates(const void *self, cdn_state *state, double *zdot) {
  (void)state;
  for (int k = 0; k < ((const row_source *)self)->nz; k++) zdot[k] = 0;
  return CDN_OK;
}

static inline cdn_subsystem add_rows(cdn_system *system, row_source s) {
  const cdn_subsystem_ops ops = { .struct_size = sizeof ops,
                                  .name = "source",
                                  .self_size = sizeof s,
                                  .declare = row_source_declare,
                                  .calc_zdot = s.nz > 0 ? row_source_rates : NULL };
  return cdn_system_add_subsystem(system, &ops, &s);
}

/* The forces of a provider's rows, n of them. */
static inline const double *row_forces(cdn_state *state, cdn_subsystem provider, int n) {
  static double f[64];
  const row_source *s = cdn_subsystem_self(cdn_state_system(state), provider);
  int count;
  OK_ON(state, cdn_row_forces(state, s->set, 64, f, &count));
  ck_assert_int_eq(count, n);
  return f;
}

#endif
