/* Random sequences of all that can be done to regions and shared arrays of several States, beside a model that does the
 * same with plain arrays. Now and then memory runs out: then the call fails and has changed nothing. */
#include "../robust/counting_allocator.h"
#include "../unit/region_rig.h"
#include "random_tree.h"

enum { STATES = 4, MOST = 200, SEQUENCES = FEWER(40), STEPS = 400 };

/* What a State should hold. */
typedef struct model {
  double t, z, memory[MOST], charges[RIG_CHARGES];
  int n_marks, n_memory;
  mark marks[MOST];
} model;

typedef struct world {
  rng rng;
  counting_allocator memory;
  cdn_system *system;
  const rig *r;
  cdn_state *state[STATES];
  model model[STATES];
} world;

static int below(world *w, int n) { return (int)uniform(&w->rng, 0, n) % n; }

static void check_state(const world *w, int k) {
  const model *m = &w->model[k];
  const void *elements;
  int n;
  OK(cdn_region_get(w->state[k], w->r->marks, &elements, &n));
  ck_assert_int_eq(n, m->n_marks);
  ck_assert(n == 0 || memcmp(elements, m->marks, (size_t)n * sizeof *m->marks) == 0);
  OK(cdn_region_get(w->state[k], w->r->memory.variable, &elements, &n));
  ck_assert_int_eq(n, m->n_memory);
  ck_assert(n == 0 || memcmp(elements, m->memory, (size_t)n * sizeof *m->memory) == 0);
  ck_assert_mem_eq(cdn_state_parameters(w->state[k], w->r->charges), m->charges, sizeof m->charges);
  ck_assert_double_eq(*cdn_state_zvar(w->state[k], w->r->z), m->z);
}

static void draw_marks(world *w, mark *to, int n) {
  for (int i = 0; i < n; i++) {
    to[i] = (mark){ (float)uniform(&w->rng, -1, 1), below(w, 5), below(w, 1000) };
    if (below(w, 20) == 0) to[i].x = NAN;
  }
}

/* Where the model is what the State should then be, the call's status decides which of the two stays. */
static void settle(world *w, int k, const model *next, cdn_status status) {
  if (status == CDN_OK) w->model[k] = *next;
  else ck_assert_int_eq(status, CDN_ERR_NOMEM);
}

static void change_marks(world *w, int k) {
  model next = w->model[k];
  mark drawn[MOST];
  const int room = MOST - next.n_marks, n = below(w, (below(w, 4) ? 8 : MOST / 2) + 1);
  cdn_state *s = w->state[k];
  draw_marks(w, drawn, n);
  switch (below(w, 5)) {
    case 0:
      memcpy(next.marks, drawn, (size_t)n * sizeof *drawn);
      next.n_marks = n;
      settle(w, k, &next, cdn_region_set(s, w->r->marks, n, drawn));
      break;
    case 1:
      if (n > room) break;
      memcpy(next.marks + next.n_marks, drawn, (size_t)n * sizeof *drawn);
      next.n_marks += n;
      settle(w, k, &next, cdn_region_append(s, w->r->marks, n, drawn));
      break;
    case 2:
      if (n > next.n_marks) memset(next.marks + next.n_marks, 0, (size_t)(n - next.n_marks) * sizeof *drawn);
      next.n_marks = n;
      settle(w, k, &next, cdn_region_resize(s, w->r->marks, n));
      break;
    case 3: {
      const int first = below(w, next.n_marks + 1), m = below(w, next.n_marks - first + 1);
      draw_marks(w, drawn, m);
      memcpy(next.marks + first, drawn, (size_t)m * sizeof *drawn);
      settle(w, k, &next, cdn_region_set_elements(s, w->r->marks, first, m, drawn));
      break;
    }
    case 4: { /* some of its own */
      const mark *own;
      const int first = below(w, next.n_marks + 1), m = below(w, next.n_marks - first + 1);
      if (m > room) break;
      OK(cdn_region_get(s, w->r->marks, (const void **)&own, NULL));
      memcpy(next.marks + next.n_marks, next.marks + first, (size_t)m * sizeof *drawn);
      next.n_marks += m;
      settle(w, k, &next, cdn_region_append(s, w->r->marks, m, own ? own + first : NULL));
      break;
    }
  }
}

static void change_charges(world *w, int k) {
  model next = w->model[k];
  double drawn[RIG_CHARGES];
  const int first = below(w, RIG_CHARGES), n = below(w, RIG_CHARGES - first + 1);
  for (int i = 0; i < n; i++) drawn[i] = next.charges[first + i] = below(w, 3);
  settle(w, k, &next, cdn_state_set_parameters(w->state[k], w->r->charges, first, n, drawn));
}

/* A step, as far as the memory is concerned. */
static void update_memory(world *w, int k) {
  model next = w->model[k];
  next.z = uniform(&w->rng, -3, 3);
  OK(cdn_state_set_z(w->state[k], &next.z));
  w->model[k].z = next.z;
  const int wanted = 1 + (int)fmin(fabs(20 * next.z), 40);
  const double *is;
  int n;
  next.n_memory = next.n_memory + 1 < wanted ? next.n_memory + 1 : wanted;
  memmove(next.memory + 1, next.memory, sizeof next.memory - sizeof *next.memory);
  next.memory[0] = next.z;
  cdn_status status = cdn_region_eval(w->state[k], w->r->memory.update, (const void **)&is, &n);
  if (status == CDN_OK) {
    ck_assert_int_eq(n, next.n_memory);
    ck_assert_mem_eq(is, next.memory, (size_t)n * sizeof *is);
    status = cdn_state_auto_update(w->state[k]);
  }
  settle(w, k, &next, status);
}

/* What is found follows from the variables, whatever was computed before. */
static void evaluate(world *w, int k) {
  const model *m = &w->model[k];
  const double *is;
  int n, wanted = (int)fmin(fabs(100 * m->z), 1e6);
  const cdn_status status = cdn_region_eval(w->state[k], w->r->found, (const void **)&is, &n);
  if (status != CDN_OK) {
    ck_assert_int_eq(status, CDN_ERR_NOMEM);
    return;
  }
  ck_assert_int_eq(n, wanted);
  for (int i = 0; i < n; i++) {
    const int j = i < n / 2 ? i : i - n / 2;
    const double x = m->z + j + (m->n_marks > 0 ? (double)m->marks[j % m->n_marks].x : 0);
    ck_assert(is[i] == x || (isnan(is[i]) && isnan(x)));
  }
}

static void save_and_load(world *w, int from, int to) {
  cdn_buffer b = { 0 };
  const cdn_status saved = cdn_state_save(w->state[from], cdn_buffer_write, &b);
  if (saved == CDN_OK) settle(w, to, &w->model[from], cdn_state_load(w->state[to], cdn_buffer_read, &b));
  else ck_assert_int_eq(saved, CDN_ERR_NOMEM);
  cdn_buffer_free(&b);
}

static void renew(world *w, int k) {
  cdn_state *fresh = NULL;
  if (cdn_state_create(w->system, &fresh) != CDN_OK) return;
  cdn_state_destroy(w->state[k]);
  w->state[k] = fresh;
  model *m = &w->model[k];
  memset(m, 0, sizeof *m);
  m->z = 0.3;
  m->n_marks = RIG_MARKS, m->n_memory = 1, m->memory[0] = 0.25;
  memcpy(m->marks, rig_marks, sizeof rig_marks);
  for (int i = 0; i < RIG_CHARGES; i++) m->charges[i] = 0.01 * i - 3;
}

static bool same_models(const model *a, const model *b) {
  return a->z == b->z && a->n_marks == b->n_marks && a->n_memory == b->n_memory &&
         memcmp(a->marks, b->marks, (size_t)a->n_marks * sizeof *a->marks) == 0 &&
         memcmp(a->memory, b->memory, (size_t)a->n_memory * sizeof *a->memory) == 0 &&
         memcmp(a->charges, b->charges, sizeof a->charges) == 0;
}

static void act(world *w) {
  const int k = below(w, STATES), other = below(w, STATES);
  switch (below(w, 8)) {
    case 0:
    case 1: change_marks(w, k); break;
    case 2: change_charges(w, k); break;
    case 3: update_memory(w, k); break;
    case 4: evaluate(w, k); break;
    case 5: settle(w, k, &w->model[other], cdn_state_copy(w->state[k], w->state[other])); break;
    case 6: save_and_load(w, other, k); break;
    default:
      if (below(w, 4) == 0) renew(w, k);
      break;
  }
}

static void sequence(uint64_t seed, bool failures) {
  world *w = calloc(1, sizeof *w);
  ck_assert_ptr_nonnull(w);
  w->rng = rng_of(seed);
  const cdn_allocator allocator = allocator_of(&w->memory);
  w->system = rig_system(&allocator, true, NULL, &w->r);
  for (int k = 0; k < STATES; k++) renew(w, k);
  for (int i = 0; i < STEPS; i++) {
    if (failures && below(w, 3) == 0) w->memory.fail_at = w->memory.calls + 1 + below(w, 4);
    act(w);
    w->memory.fail_at = 0;
    for (int k = 0; k < STATES; k++) check_state(w, k);
    const int a = below(w, STATES), b = below(w, STATES);
    if (i % 20 == 0 && !failures) {
      /* saved values of what was computed from updates are the State's, too: copies of their variables have none */
      cdn_state *x = NULL, *y = NULL;
      OK(cdn_state_create(w->system, &x));
      OK(cdn_state_create(w->system, &y));
      OK_ON(x, cdn_state_copy(x, w->state[a]));
      OK_ON(y, cdn_state_copy(y, w->state[b]));
      OK_ON(x, cdn_state_set_z(x, &w->model[a].z));
      OK_ON(y, cdn_state_set_z(y, &w->model[b].z));
      ck_assert(rig_same(x, y) == same_models(&w->model[a], &w->model[b]));
      cdn_state_destroy(x);
      cdn_state_destroy(y);
    }
  }
  for (int k = 0; k < STATES; k++) cdn_state_destroy(w->state[k]);
  cdn_system_release(w->system);
  ck_assert_int_eq(w->memory.outstanding, 0);
  ck_assert_int_eq(w->memory.bytes, 0);
  ck_assert_int_eq(w->memory.misuse, 0);
  free(w);
}

START_TEST(states_hold_what_was_put_into_them) {
  for (uint64_t seed = 1; seed <= SEQUENCES; seed++) sequence(seed, false);
}
END_TEST

START_TEST(states_stay_as_they_are_where_memory_runs_out) {
  for (uint64_t seed = 1; seed <= SEQUENCES; seed++) sequence(100 + seed, true);
}
END_TEST

CHECK_MAIN("region sequences", states_hold_what_was_put_into_them, states_stay_as_they_are_where_memory_runs_out)
