/* The sums of all forces: up to six cache entries, by the variables that the forces in them read and by whether they
 * have a potential. So setting u does not recompute forces that depend on positions only, and the power of forces
 * without a potential is known separately. */
#include "forces/internal.h"

#include "math/lane_block.h"

const cdn_ticket CDN_POTENTIAL_ENERGY = { CDNI_TICKET_WELL_KNOWN + CDNI_N_WELL_KNOWN - 1 };

static const force_room *of(const void *self) { return *(const force_room *const *)self; }

force_batch cdni_force_batch(const force_room *room, cdn_state *state, force_kind_id kind, const force_part *part) {
  const force_set *set = &room->sets[kind];
  return (force_batch){
    .room = room,
    .kind = kind,
    .matter = room->matter,
    .part = part,
    .n = (int)set->ids.count,
    .elements = set->elements.data,
    .ids = set->ids.data,
    .params = cdni_force_kinds[kind]->n_params ? cdn_state_parameters(state, set->params) : NULL,
    .enabled = cdn_state_parameters(state, room->enabled),
  };
}

/* ---- one sum ---- */

/* The part's kernel on the State's own numbers, and on `inputs` if the kind gathers them. */
static cdn_status run_kernel(const force_batch *b, cdn_state *state, const double *inputs, cdn_forces *out) {
  const force_set *set = &b->room->sets[b->kind];
  const matter *m = b->matter;
  CDNI_TRY(cdni_state_ensure(state, CDN_POSE));
  CDNI_LANE_FINDINGS(failed);
  for (int l = 0; l < m->lanes; l++) failed[l] = -1;
  force_lanes lanes = { .n = b->n,
                        .elements = b->elements,
                        .ids = b->ids,
                        .enabled = b->enabled,
                        .params = b->params,
                        .own = set->has_own ? cdn_state_parameters(state, set->own) : NULL,
                        .inputs = inputs,
                        .nb = m->tree.n,
                        .nu = m->tree.nu,
                        .frames = force_frames(b, state),
                        .pose = cdni_matter_pose(m, state),
                        .F = out->F,
                        .f = out->f,
                        .failed = failed };
  CDNI_TRY(force_q(b, state, &lanes.q));
  if (b->part->inertia) {
    CDNI_TRY(cdni_state_ensure(state, m->inertia.ticket));
    lanes.inertia = cdni_matter_inertia(m, state);
  }
  if (b->part->reads != CDN_READS_POSITION) {
    CDNI_TRY(cdni_state_ensure(state, CDN_TWIST));
    lanes.twist = cdni_matter_twist(m, state);
    CDNI_TRY(force_u(b, state, &lanes.u));
  }
  if (cdni_force_kinds[b->kind]->n_z > 0) lanes.z = force_z(b, state);
  b->room->kernels->calc[b->part->kernel](&lanes);
  const int64_t element = cdni_lanes_fail(state, failed);
  return element < 0 ? CDN_OK : cdni_force_kinds[b->kind]->fail(state, "cdn_realize", force_name(b, (int)element));
}

static cdn_status gather_and_run(const force_batch *b, cdn_state *state, cdn_forces *out) {
  double *inputs = cdn_work_push(state, (size_t)(b->n * b->matter->lanes) * sizeof *inputs);
  if (!inputs) return CDN_ERR_NOMEM;
  cdn_status status = cdni_force_kinds[b->kind]->gather(b, state, inputs);
  if (status == CDN_OK) status = run_kernel(b, state, inputs, out);
  cdn_work_pop(state, inputs);
  return status;
}

/* A part that calls out, for one lane's own State. */
static cdn_status call_one(force_kind_id kind, const force_part *part, cdn_state *state, sv *F, double *f) {
  const force_room *room = cdni_forces(cdn_state_system(state));
  force_collector c = { .to = { .state = state, .matter = room->matter, .F = F, .f = f } };
  CDNI_TRY(cdni_state_ensure(state, CDN_POSE));
  if (part->reads != CDN_READS_POSITION) CDNI_TRY(cdni_state_ensure(state, CDN_TWIST));
  c.to.pose = cdni_matter_pose(room->matter, state);
  const force_batch b = cdni_force_batch(room, state, kind, part);
  return part->calc(&b, state, &c.to);
}

/* The same for all lanes, one after another, each on a copy of its sum so far. */
static cdn_status call_in_lanes(const force_batch *b, cdn_state *state, cdn_forces *out) {
  const int lanes = b->matter->lanes;
  const size_t nF = out->F ? 6 * (size_t)b->matter->tree.n : 0, nf = out->f ? (size_t)b->matter->tree.nu : 0;
  double *F = cdn_work_push(state, (nF + nf) * sizeof *F), *f = F + nF;
  if (!F) return CDN_ERR_NOMEM;
  for (int l = 0; l < lanes; l++) {
    cdn_state *one = cdni_lane_state(state, l);
    if (!one) continue;
    lane_get((const double *)out->F, lanes, l, F, nF);
    lane_get(out->f, lanes, l, f, nf);
    if (call_one(b->kind, b->part, one, nF ? (sv *)F : NULL, out->f ? f : NULL) != CDN_OK) cdni_lane_fail(state, l);
    lane_put((double *)out->F, lanes, l, F, nF);
    lane_put(out->f, lanes, l, f, nf);
  }
  cdn_work_pop(state, F);
  return CDN_OK;
}

cdn_status cdni_force_calc(const force_batch *b, cdn_state *state, cdn_forces *out) {
  if (cdni_force_kinds[b->kind]->gather) return gather_and_run(b, state, out);
  if (!b->part->calc) return run_kernel(b, state, NULL, out);
  return b->matter->lanes > 1 ? call_in_lanes(b, state, out) : b->part->calc(b, state, out);
}

static double *sum_begun(const accumulator *a, void *storage) { return (double *)((char *)storage + a->size); }

static cdn_status accumulate(const force_room *room, cdn_state *state, int i, void *out) {
  const accumulator *a = &room->accumulators[i];
  const int lanes = room->matter->lanes;
  force_collector collector = { .to = { .state = state, .matter = room->matter, .unset = out, .bytes = a->size } };
  if (!a->called || lanes > 1) force_begin(&collector.to);
  if (a->bodies) {
    CDNI_TRY(cdni_state_ensure(state, CDN_POSE));
    collector.to.pose = cdni_matter_pose(room->matter, state);
    collector.to.F = out;
  }
  if (a->mobilities) collector.to.f = (double *)((char *)out + a->f_offset);
  for (int k = 0; k < a->n_parts; k++) {
    const force_batch b = cdni_force_batch(room, state, a->parts[k].kind, a->parts[k].part);
    CDNI_TRY(cdni_force_calc(&b, state, &collector.to));
  }
  double *begun = sum_begun(a, out);
  for (int l = 0; l < lanes; l++) begun[l] = !collector.to.unset;
  return CDN_OK;
}

/* Entries of one subsystem share `self`, so each sum has a function of its own. */
static cdn_status sum_0(const void *self, cdn_state *state, void *out) { return accumulate(of(self), state, 0, out); }
static cdn_status sum_1(const void *self, cdn_state *state, void *out) { return accumulate(of(self), state, 1, out); }
static cdn_status sum_2(const void *self, cdn_state *state, void *out) { return accumulate(of(self), state, 2, out); }
static cdn_status sum_3(const void *self, cdn_state *state, void *out) { return accumulate(of(self), state, 3, out); }
static cdn_status sum_4(const void *self, cdn_state *state, void *out) { return accumulate(of(self), state, 4, out); }
static cdn_status sum_5(const void *self, cdn_state *state, void *out) { return accumulate(of(self), state, 5, out); }

static const struct {
  const char *name;
  cdn_calc_fn *calc;
} sums[FORCE_CLASSES] = {
  { "position", sum_0 },           { "position_potential", sum_1 }, { "velocity", sum_2 },
  { "velocity_potential", sum_3 }, { "everything", sum_4 },         { "everything_potential", sum_5 },
};

/* Where a sum's numbers are: F, f are NULL if it has none, or nothing was added. */
typedef struct sum_view {
  const sv *F;
  const double *f;
} sum_view;

static cdn_status view_sum(const accumulator *a, cdn_state *state, sum_view *v) {
  CDNI_TRY(cdni_state_ensure(state, a->entry.ticket));
  char *storage = cdni_state_storage(state, a->entry);
  const bool begun = *sum_begun(a, storage) != 0;
  v->F = a->bodies && begun ? (const sv *)storage : NULL;
  v->f = a->mobilities && begun ? (const double *)(storage + a->f_offset) : NULL;
  return CDN_OK;
}

/* The first of several sums is taken as it is, which is what zero and it make, to the bit. */
static void add(bool *begun, double *restrict to, const double *restrict from, int n) {
  if (!*begun) memcpy(to, from, (size_t)n * sizeof *to);
  else
    for (int i = 0; i < n; i++) to[i] += from[i];
  *begun = true;
}

int cdni_forces_sums(const force_room *room, cdn_ticket *tickets) {
  int n = 0;
  for (int i = 0; i < FORCE_CLASSES; i++)
    if (room->accumulators[i].n_parts > 0) tickets[n++] = room->accumulators[i].entry.ticket;
  return n;
}

/* Every class of sums, or every second: those without a potential come first of each pair. */
static cdn_status add_sums(const force_room *room, cdn_state *state, int each, bool begun, sv *F, double *f) {
  const tree *t = &room->matter->tree;
  const int nF = 6 * t->n * room->matter->lanes, nf = t->nu * room->matter->lanes;
  bool F_begun = begun, f_begun = begun || nf == 0;
  for (int i = 0; i < FORCE_CLASSES; i += each) {
    const accumulator *a = &room->accumulators[i];
    if (a->n_parts == 0) continue;
    sum_view v;
    CDNI_TRY(view_sum(a, state, &v));
    if (v.F) add(&F_begun, (double *)F, (const double *)v.F, nF);
    if (v.f && nf > 0) add(&f_begun, f, v.f, nf);
  }
  if (!F_begun) memset(F, 0, (size_t)nF * sizeof(double));
  if (!f_begun) memset(f, 0, (size_t)nf * sizeof *f);
  return CDN_OK;
}

cdn_status cdni_forces_add(const force_room *room, cdn_state *state, bool begun, sv *F, double *f) {
  return add_sums(room, state, 1, begun, F, f);
}

cdn_status cdni_forces_nonpotential(const force_room *room, cdn_state *state, sv *F, double *f) {
  return add_sums(room, state, 2, false, F, f);
}

static cdn_status calc_potential(const void *self, cdn_state *state, void *out) {
  const force_room *room = of(self);
  double energy = 0;
  for (int k = 0; k < FORCE_KIND_COUNT; k++) {
    if (!cdni_force_kinds[k]->calc_potential || room->sets[k].ids.count == 0) continue;
    const force_batch b = cdni_force_batch(room, state, (force_kind_id)k, NULL);
    CDNI_TRY(cdni_force_kinds[k]->calc_potential(&b, state, &energy));
  }
  *(double *)out = energy;
  return CDN_OK;
}

/* ---- declaring ---- */

/* Which parts go into sum i. */
static void collect_parts(force_room *room, int i) {
  accumulator *a = &room->accumulators[i];
  a->called = true;
  for (int k = 0; k < FORCE_KIND_COUNT; k++) {
    const force_kind *kind = cdni_force_kinds[k];
    for (int p = 0; room->sets[k].ids.count > 0 && p < FORCE_CLASSES; p++) {
      const force_part *part = &kind->parts[p];
      if (!force_part_exists(part) || 2 * (int)part->reads + part->potential != i) continue;
      if (kind->has_part && !kind->has_part(&room->sets[k], part)) continue;
      a->parts[a->n_parts].kind = (force_kind_id)k;
      a->parts[a->n_parts++].part = part;
      a->bodies = a->bodies || part->bodies;
      a->mobilities = a->mobilities || part->mobilities;
      a->called = a->called && part->calc;
    }
  }
}

void cdni_force_depend(const force_room *room, cdn_declarer *d, cdn_cache entry, int k, const force_part *part) {
  const force_kind *kind = cdni_force_kinds[k];
  if (kind->n_params) cdni_declare_prerequisite(d, entry, room->sets[k].params.ticket);
  if (kind->depend) kind->depend(&room->sets[k], part, room->matter, d, entry);
}

static void plan_sum(const matter *m, int lanes, accumulator *a) {
  a->f_offset = a->bodies ? (size_t)(m->tree.n * lanes) * sizeof(sv) : 0;
  a->size = a->f_offset + (a->mobilities ? (size_t)(m->tree.nu * lanes) * sizeof(double) : 0);
}

cdn_status cdni_forces_planned(cdn_system *system, void *data) {
  force_room *room = data;
  room->system = system;
  room->matter = cdni_matter(system);
  room->kernels = cdni_force_kernels[cdni_kernel_set(cdni_system_lanes(system))];
  if (!room->matter) return CDN_OK;
  const cdni_runs runs = cdni_subsystem_runs(system, room->matter->subsystem);
  room->first_q = runs.q, room->first_u = runs.u;
  for (int i = 0; i < FORCE_CLASSES; i++) plan_sum(room->matter, room->matter->lanes, &room->accumulators[i]);
  return room->matter->lanes == 1 ? cdni_force_readers_plan(system, room) : CDN_OK;
}

static void declare_sum(force_room *room, cdn_declarer *d, int i) {
  accumulator *a = &room->accumulators[i];
  collect_parts(room, i);
  if (a->n_parts == 0) return;
  plan_sum(room->matter, 1, a);

  /* The sum of the first class, then the sums of the later ones are added. */
  const cdn_force_reads reads = (cdn_force_reads)(i / 2);
  const cdn_ticket prerequisites[] = {
    room->enabled.ticket, CDN_POSE, CDN_TWIST, CDN_U_EFF, CDN_Z, cdn_stage_ticket(CDN_STAGE_VELOCITY)
  };
  const int n = reads == CDN_READS_POSITION ? 2 : reads == CDN_READS_VELOCITY ? 4 : 6;
  a->entry = cdn_declare_cache(d, sums[i].name, a->size + sizeof(double), sums[i].calc, n, prerequisites);
  cdni_declare_in_lanes(d, a->entry.ticket, CDNI_LANES_TOGETHER);
  for (int k = 0; k < a->n_parts; k++) cdni_force_depend(room, d, a->entry, (int)a->parts[k].kind, a->parts[k].part);
}

static cdn_status declare(void *self, cdn_declarer *d) {
  force_room *room = *(force_room **)self;
  room->system = cdni_declarer_system(d);
  room->matter = cdni_matter(room->system);
  room->enabled = cdn_declare_parameters(d, "enabled", (int)room->enabled0.count, room->enabled0.data);
  for (int k = 0; k < FORCE_KIND_COUNT; k++) {
    force_set *set = &room->sets[k];
    const force_kind *kind = cdni_force_kinds[k];
    if (set->ids.count == 0) continue;
    if (kind->n_params) {
      set->params = cdn_declare_parameters(d, kind->name, (int)set->defaults.count, set->defaults.data);
      cdni_declare_in_lanes(d, set->params.ticket, CDNI_LANES_TOGETHER);
    }
    if (kind->prepare) kind->prepare(set, d);
  }
  cdni_force_declare_z(room, d);

  /* Without bodies no force acts; custom forces may still have potentials. */
  for (int i = 0; room->matter && i < FORCE_CLASSES; i++) declare_sum(room, d, i);
  if (room->matter) cdni_force_kinks_declare(room, d);
  const cdn_ticket prerequisites[] = { room->enabled.ticket, CDN_POSE };
  cdni_declare_well_known(d, CDN_POTENTIAL_ENERGY);
  room->potential =
      cdn_declare_cache(d, "potential", sizeof(double), calc_potential, room->matter ? 2 : 1, prerequisites);
  for (int k = 0; k < FORCE_KIND_COUNT; k++)
    if (cdni_force_kinds[k]->calc_potential && room->sets[k].ids.count > 0)
      cdni_force_depend(room, d, room->potential, k, NULL);
  return CDN_OK;
}

const cdn_subsystem_ops cdni_forces_ops = {
  .struct_size = sizeof cdni_forces_ops,
  .name = "forces",
  .self_size = sizeof(force_room *),
  .declare = declare,
  .calc_zdot = cdni_force_calc_zdot,
  .calc_zdot_derivative = cdni_force_zdot_derivative,
  .describe = cdni_forces_describe,
};

/* ---- results ---- */

cdn_status cdn_potential_energy(cdn_state *state, double *energy) {
  CDNI_NEED(state, energy);
  const force_room *room = cdni_forces(cdn_state_system(state));
  *energy = 0;
  if (!room) return CDN_OK;
  CDNI_TRY(cdni_state_ensure(state, room->potential.ticket));
  *energy = *(const double *)cdni_state_storage(state, room->potential);
  return CDN_OK;
}

double cdni_force_power(const matter *m, const body_twist *twist, const double *u, const sv *F, const double *f) {
  double power = 0;
  for (int b = 1; F && b < m->tree.n; b++) power += v3_dot(F[b].w, twist[b].V.w) + v3_dot(F[b].v, twist[b].V.v);
  for (int k = 0; f && k < m->tree.nu; k++) power += f[k] * u[k];
  return power;
}

cdn_status cdni_forces_nonpotential_power(const force_room *room, cdn_state *state, const body_twist *twist,
                                          const double *u, double *power) {
  double sum = 0;
  for (int i = 0; i < FORCE_CLASSES; i += 2) {
    if (room->accumulators[i].n_parts == 0) continue;
    sum_view v;
    CDNI_TRY(view_sum(&room->accumulators[i], state, &v));
    sum += cdni_force_power(room->matter, twist, u, v.F, v.f);
  }
  *power = sum;
  return CDN_OK;
}
