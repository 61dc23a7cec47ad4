/* A subsystem with one of each kind of growing thing, whose z depends on all of them. */
#ifndef CARDAN_TESTS_REGION_RIG_H
#define CARDAN_TESTS_REGION_RIG_H

#include "../testing.h"

enum { RIG_CHARGES = 1000, RIG_MARKS = 2 };

/* 12 bytes: its elements do not end where doubles do. */
typedef struct mark {
  float x;
  int32_t kind, id;
} mark;

typedef struct rig {
  bool shares; /* else the charges are an ordinary array */
  cdn_zvar z;
  cdn_region marks;
  cdn_computed_region found; /* as many numbers as z says */
  cdn_auto_region memory;    /* the last few z */
  cdn_dvar charges;
  cdn_cache sum;
  int *evaluations; /* of `found`; may be NULL */
} rig;

static const mark rig_marks[RIG_MARKS] = { { 0.5f, 1, 10 }, { 1.5f, 2, 20 } };

static cdn_status rig_find(const void *self, cdn_state *state, cdn_region_output *out) {
  const rig *r = self;
  const double z = *cdn_state_zvar(state, r->z);
  const mark *marks;
  int n_marks, n = (int)fmin(fabs(100 * z), 1e6);
  if (r->evaluations) ++*r->evaluations;
  cdn_status status = cdn_region_get(state, r->marks, (const void **)&marks, &n_marks);
  /* in two goes, as one who searches does */
  for (int go = 0; status == CDN_OK && go < 2; go++) {
    void *to;
    const int m = go ? n - n / 2 : n / 2;
    status = cdn_region_output_add(out, m, &to);
    for (int i = 0; status == CDN_OK && i < m; i++)
      ((double *)to)[i] = z + i + (n_marks > 0 ? (double)marks[i % n_marks].x : 0);
  }
  return status;
}

/* The memory's next contents: z first, then what was there, as long as z is large. */
static cdn_status rig_remember(const void *self, cdn_state *state, cdn_region_output *out) {
  const rig *r = self;
  const double z = *cdn_state_zvar(state, r->z), *before;
  int n, wanted = 1 + (int)fmin(fabs(20 * z), 40);
  void *to;
  cdn_status status = cdn_region_get(state, r->memory.variable, (const void **)&before, &n);
  if (status == CDN_OK) status = cdn_region_output_add(out, 1, &to);
  if (status != CDN_OK) return status;
  *(double *)to = z;
  const int kept = n < wanted - 1 ? n : wanted - 1;
  status = cdn_region_output_add(out, kept, &to);
  if (status == CDN_OK && kept > 0) memcpy(to, before, (size_t)kept * sizeof(double));
  return status;
}

static cdn_status rig_sum(const void *self, cdn_state *state, void *out) {
  const rig *r = self;
  const double *found, *memory, *charges = cdn_state_parameters(state, r->charges);
  int n_found, n_memory;
  double sum = 0;
  cdn_status status = cdn_region_eval(state, r->found, (const void **)&found, &n_found);
  if (status == CDN_OK) status = cdn_region_eval(state, r->memory.update, (const void **)&memory, &n_memory);
  if (status != CDN_OK) return status;
  for (int i = 0; i < n_found; i++) sum += found[i] * charges[i % RIG_CHARGES];
  for (int i = 0; i < n_memory; i++) sum += memory[i] / (2 + i);
  *(double *)out = sum;
  return CDN_OK;
}

static cdn_status rig_zdot(const void *self, cdn_state *state, double *zdot) {
  const rig *r = self;
  const double *sum = cdn_eval(state, r->sum);
  if (!sum) {
    cdn_error reason;
    cdn_state_last_error(state, &reason);
    return reason.code;
  }
  *zdot = 3 * cos(2 * cdn_state_time(state)) - *cdn_state_zvar(state, r->z) + 0.01 * sin(*sum);
  return CDN_OK;
}

static cdn_status rig_declare(void *self, cdn_declarer *d) {
  rig *r = self;
  const double z0 = 0.3, first = 0.25;
  double charges[RIG_CHARGES];
  for (int i = 0; i < RIG_CHARGES; i++) charges[i] = 0.01 * i - 3;
  r->z = cdn_declare_z(d, 1, &z0);
  r->marks = cdn_declare_region(d, "marks", sizeof(mark), RIG_MARKS, rig_marks, CDN_STAGE_FORCE);
  const cdn_ticket of_found[] = { r->z.ticket, r->marks.ticket };
  r->found = cdn_declare_computed_region(d, "found", sizeof(double), rig_find, 2, of_found, CDN_STAGE_FORCE);
  r->memory = cdn_declare_auto_region(d, "memory", sizeof(double), 1, &first, rig_remember, 1, &r->z.ticket);
  r->charges = r->shares ? cdn_declare_shared_parameters(d, "charges", RIG_CHARGES, charges)
                         : cdn_declare_parameters(d, "charges", RIG_CHARGES, charges);
  const cdn_ticket of_sum[] = { r->found.ticket, r->memory.update.ticket, r->charges.ticket };
  r->sum = cdn_declare_cache(d, "sum", sizeof(double), rig_sum, 3, of_sum);
  return CDN_OK;
}

/* Adds it to a System that is being built. */
static inline cdn_subsystem rig_add(cdn_system *system, bool shares, int *evaluations) {
  static const cdn_subsystem_ops ops = {
    .struct_size = sizeof ops, .name = "rig", .self_size = sizeof(rig), .declare = rig_declare, .calc_zdot = rig_zdot
  };
  return cdn_system_add_subsystem(system, &ops, &(rig){ .shares = shares, .evaluations = evaluations });
}

/* A frozen System of nothing else; *r is where the rig's ids are. */
static inline cdn_system *rig_system(const cdn_allocator *allocator, bool shares, int *evaluations, const rig **r) {
  cdn_system_def def = cdn_default_system_def();
  def.audit = true;
  if (allocator) def.allocator = *allocator;
  cdn_system *system = cdn_system_create(&def);
  const cdn_subsystem id = rig_add(system, shares, evaluations);
  OK_FREEZE(system);
  *r = cdn_subsystem_self(system, id);
  return system;
}

/* What the State would be saved as, with the last digit of everything. */
static inline cdn_buffer rig_saved(cdn_state *state) {
  cdn_buffer b = { 0 };
  OK_ON(state, cdn_state_save(state, cdn_buffer_write, &b));
  return b;
}

static inline bool rig_same(cdn_state *a, cdn_state *b) {
  cdn_buffer x = rig_saved(a), y = rig_saved(b);
  const bool same = x.size == y.size && memcmp(x.bytes, y.bytes, x.size) == 0;
  cdn_buffer_free(&x);
  cdn_buffer_free(&y);
  return same;
}

static inline int rig_count(const cdn_state *state, cdn_region r) {
  int n = -1;
  OK(cdn_region_get(state, r, NULL, &n));
  return n;
}

#endif
