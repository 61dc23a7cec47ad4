/* The sums of sum.c for several States at once: the same parts in the same order, so that they are the same bits. */
#include "forces/lanes.h"

#include "forces/internal.h"

#include "math/lane_block.h"

size_t cdni_force_params_count(const force_room *room) {
  size_t n = 0;
  for (int k = 0; k < FORCE_KIND_COUNT; k++) n += room->sets[k].ids.count * (size_t)cdni_force_kinds[k]->n_params;
  return n;
}

void cdni_force_params_collect(const force_room *room, const cdn_state *state, double *out) {
  for (int k = 0; k < FORCE_KIND_COUNT; k++) {
    const size_t n = room->sets[k].ids.count * (size_t)cdni_force_kinds[k]->n_params;
    if (n) memcpy(out, cdn_state_parameters(state, room->sets[k].params), n * sizeof *out);
    out += n;
  }
}

int cdni_force_params_belong(const force_room *room, int32_t ticket) {
  if (ticket == room->enabled.i) return -1;
  for (int k = 0; k < FORCE_KIND_COUNT; k++) {
    const force_set *set = &room->sets[k];
    if (set->ids.count == 0) continue;
    if (set->has_own && ticket == set->own.i) return -1;
    if (cdni_force_kinds[k]->n_params && ticket == set->params.i) return 1;
  }
  return 0;
}

bool cdni_forces_call_out(const force_room *room) {
  return room->sets[FORCE_CUSTOM].ids.count > 0 || room->sets[FORCE_ACTUATOR].ids.count > 0;
}

/* The part's kernel. */
static void run_kernel(const cdni_force_lanes *x, cdn_state *shared, const force_batch *b) {
  const force_set *set = &x->room->sets[b->kind];
  const tree *t = &x->room->matter->tree;
  int64_t failed[CDNI_MOST_LANES] __attribute__((aligned(CDNI_ALIGN)));
  for (int l = 0; l < x->lanes; l++) failed[l] = -1;
  const double *params = x->params;
  for (int k = 0; k < (int)b->kind; k++)
    params += x->room->sets[k].ids.count * (size_t)cdni_force_kinds[k]->n_params * (size_t)x->lanes;
  const force_lanes lanes = { .n = b->n,
                              .elements = b->elements,
                              .ids = b->ids,
                              .enabled = b->enabled,
                              .params = params,
                              .own = set->has_own ? cdn_state_parameters(shared, set->own) : NULL,
                              .nb = t->n,
                              .nu = t->nu,
                              .frames = x->frames,
                              .q = x->d.q,
                              .u = x->d.u,
                              .pose = x->d.pose,
                              .twist = x->d.twist,
                              .inertia = x->d.inertia,
                              .F = (sv *)x->sum_F,
                              .f = x->sum_f,
                              .failed = failed };
  x->kernels->calc[b->part->kernel](&lanes);
  for (int l = 0; l < x->lanes; l++) x->failed[l] = x->failed[l] || failed[l] >= 0;
}

/* A part that calls out, on a copy of each lane's sum so far. */
static void call_out(const cdni_force_lanes *x, force_kind_id kind, const force_part *part) {
  const matter *m = x->room->matter;
  const size_t nF = 6 * (size_t)m->tree.n, nf = (size_t)m->tree.nu;
  for (int l = 0; l < x->lanes; l++) {
    cdn_state *state = x->state(x->context, l);
    if (!state) continue;
    if (x->sum_F) lane_get(x->sum_F, x->lanes, l, x->one_F, nF);
    if (x->sum_f) lane_get(x->sum_f, x->lanes, l, x->one_f, nf);
    force_collector c = { .to = { .state = state, .matter = m, .F = x->sum_F ? (sv *)x->one_F : NULL, .f = x->one_f } };
    cdn_status status = cdni_state_ensure(state, CDN_POSE);
    if (status == CDN_OK && part->reads != CDN_READS_POSITION) status = cdni_state_ensure(state, CDN_TWIST);
    if (status == CDN_OK) {
      c.to.pose = cdni_matter_pose(m, state);
      const force_batch b = cdni_force_batch(x->room, state, kind, part);
      status = cdni_force_calc(&b, state, &c.to);
    }
    x->failed[l] = x->failed[l] || status != CDN_OK;
    if (x->sum_F) lane_put(x->sum_F, x->lanes, l, x->one_F, nF);
    if (x->sum_f) lane_put(x->sum_f, x->lanes, l, x->one_f, nf);
  }
}

static void add(double *to, const double *from, size_t n) {
  for (size_t i = 0; i < n; i++) to[i] += from[i];
}

/* Sums start from zeros. What comes first is summed where the totals are: zero plus a sum that began with zero is that sum,
 * to the bit. */
static double *start(double *total, double *scratch, size_t n, bool wanted, bool *begun) {
  if (!wanted) return NULL;
  double *sum = *begun ? scratch : total;
  memset(sum, 0, n * sizeof *sum);
  *begun = true;
  return sum;
}

void cdni_forces_lanes(cdni_force_lanes *x, cdn_state *shared, bool begun) {
  const tree *t = &x->room->matter->tree;
  const size_t nF = 6 * (size_t)t->n * (size_t)x->lanes, nf = (size_t)t->nu * (size_t)x->lanes;
  bool F_begun = begun, f_begun = begun;
  for (int i = 0; i < FORCE_CLASSES; i++) {
    const accumulator *a = &x->room->accumulators[i];
    if (a->n_parts == 0) continue;
    x->sum_F = start(x->F, x->other_F, nF, a->bodies, &F_begun);
    x->sum_f = start(x->f, x->other_f, nf, a->mobilities && nf > 0, &f_begun);
    for (int k = 0; k < a->n_parts; k++) {
      const force_part *part = a->parts[k].part;
      const force_batch b = cdni_force_batch(x->room, shared, a->parts[k].kind, part);
      if (part->kernel == FORCE_KERNEL_none) call_out(x, a->parts[k].kind, part);
      else run_kernel(x, shared, &b);
    }
    if (x->sum_F && x->sum_F != x->F) add(x->F, x->sum_F, nF);
    if (x->sum_f && x->sum_f != x->f) add(x->f, x->sum_f, nf);
  }
  if (!F_begun) memset(x->F, 0, nF * sizeof *x->F);
  if (!f_begun && nf > 0) memset(x->f, 0, nf * sizeof *x->f);
}
