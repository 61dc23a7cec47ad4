/* The memory of regions and shared arrays: who allocates, and when; threads; checkpoints that lie. */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <stdio.h>
#include <zlib.h>

#include <cardan/ensemble.h>

#include "../unit/region_rig.h"
#include "counting_allocator.h"

typedef struct world {
  counting_allocator memory;
  cdn_system *system;
  const rig *r;
} world;

static void begin(world *w, bool shares) {
  *w = (world){ .system = NULL };
  const cdn_allocator a = allocator_of(&w->memory);
  w->system = rig_system(&a, shares, NULL, &w->r);
}

static void end(world *w) {
  cdn_system_release(w->system);
  ck_assert_int_eq(w->memory.outstanding, 0);
  ck_assert_int_eq(w->memory.bytes, 0);
  ck_assert_int_eq(w->memory.misuse, 0);
}

static cdn_state *new_state(const world *w) {
  cdn_state *state = NULL;
  OK(cdn_state_create(w->system, &state));
  return state;
}

/* ---- shared arrays --------------------------------------------------------------------------- */

enum { MANY = 1000 };
static const int64_t ARRAY = RIG_CHARGES * sizeof(double);

/* Bytes that MANY States take, each a copy of `first` if that is one. */
static int64_t bytes_of_many(world *w, const cdn_state *first, cdn_state **states) {
  const int64_t before = w->memory.bytes;
  for (int k = 0; k < MANY; k++) {
    states[k] = new_state(w);
    if (first) OK_ON(states[k], cdn_state_copy(states[k], first));
  }
  return w->memory.bytes - before;
}

START_TEST(a_thousand_states_hold_the_charges_once) {
  static cdn_state *states[MANY];
  const double charge = 17, original = 0.01 * 3 - 3;
  int64_t bytes[2];
  for (int shares = 0; shares < 2; shares++) {
    world w;
    begin(&w, shares);
    bytes[shares] = bytes_of_many(&w, NULL, states);
    for (int k = 0; shares && k < MANY; k++)
      ck_assert_ptr_eq(cdn_state_parameters(states[k], w.r->charges), cdn_state_parameters(states[0], w.r->charges));
    const int64_t before = w.memory.bytes;
    OK_ON(states[5], cdn_state_set_parameters(states[5], w.r->charges, 3, 1, &charge));
    for (int k = 0; k < MANY; k++) {
      const double *charges = cdn_state_parameters(states[k], w.r->charges);
      ck_assert_double_eq(charges[3], k == 5 ? charge : original);
      ck_assert_double_eq(charges[4], 0.01 * 4 - 3);
    }
    if (shares) AT_MOST((double)(w.memory.bytes - before), (double)(ARRAY + 64));
    else ck_assert_int_eq(w.memory.bytes, before);
    for (int k = 0; k < MANY; k++) cdn_state_destroy(states[k]);
    /* a State with charges of its own, and a thousand copies of it */
    if (shares) {
      cdn_state *first = new_state(&w);
      OK_ON(first, cdn_state_set_parameters(first, w.r->charges, 3, 1, &charge));
      ck_assert_int_eq(bytes_of_many(&w, first, states), bytes[1]);
      cdn_state_destroy(first);
      for (int k = 0; k < MANY; k++) {
        ck_assert_double_eq(cdn_state_parameters(states[k], w.r->charges)[3], charge);
        cdn_state_destroy(states[k]);
      }
    }
    end(&w);
  }
  printf("%d States: %.0f bytes each, %.0f with shared charges\n", MANY, (double)bytes[0] / MANY,
         (double)bytes[1] / MANY);
  AT_MOST((double)bytes[1], (double)bytes[0] - MANY * (double)(ARRAY - 200));
}
END_TEST

START_TEST(an_ensemble_holds_charges_that_are_the_same_once) {
  world w;
  begin(&w, true);
  cdn_state *state = new_state(&w);
  cdn_ensemble_def def = cdn_default_ensemble_def();
  cdn_ensemble *e = NULL;
  def.count = MANY; /* on one thread: the allocator that counts is not for several */
  OK_ON(state, cdn_ensemble_create(state, &def, &e));
  cdn_ensemble_destroy(e);
  e = NULL;
  int64_t before = w.memory.bytes;
  OK_ON(state, cdn_ensemble_create(state, &def, &e));
  const int64_t without = w.memory.bytes - before;
  cdn_ensemble_destroy(e);
  def.vary = CDN_VARY_OWN;
  OK_ON(state, cdn_ensemble_create(state, &def, &e));
  AT_MOST((double)(w.memory.bytes - before), (double)(without + MANY * 16));
  before = w.memory.bytes;
  for (int k = 0; k < 300; k++) {
    const double charge = 1 + k / 100;
    OK_ON(state, cdn_state_set_parameters(state, w.r->charges, 3, 1, &charge));
    OK(cdn_ensemble_set_state(e, k, state));
  }
  OK(cdn_ensemble_rates(e, CDN_POOL_Z, (double[MANY]){ 0 }, 1));
  AT_MOST((double)(w.memory.bytes - before), 5 * (double)(ARRAY + 64));
  for (int k = 0; k < 400; k += 50) {
    OK(cdn_ensemble_get_state(e, k, state));
    ck_assert_double_eq(cdn_state_parameters(state, w.r->charges)[3], k < 300 ? 1 + k / 100 : 0.01 * 3 - 3);
  }
  cdn_ensemble_destroy(e);
  cdn_state_destroy(state);
  end(&w);
}
END_TEST

START_TEST(what_is_set_to_what_it_is_stays_shared) {
  world w;
  begin(&w, true);
  cdn_state *a = new_state(&w), *b = new_state(&w);
  const double *shared = cdn_state_parameters(a, w.r->charges), other = 99;
  const uint64_t serial = cdn_state_serial(a, w.r->charges.ticket);
  OK_ON(a, cdn_state_set_parameters(a, w.r->charges, 0, RIG_CHARGES, shared));
  ck_assert_ptr_eq(cdn_state_parameters(a, w.r->charges), shared);
  ck_assert_uint_eq(cdn_state_serial(a, w.r->charges.ticket), serial + 1);
  /* a checkpoint of a State that shares is loaded into one that shares again */
  OK_ON(b, cdn_state_set_parameters(b, w.r->charges, 1, 1, &other));
  ck_assert_ptr_ne(cdn_state_parameters(b, w.r->charges), shared);
  cdn_buffer saved = rig_saved(a);
  OK_ON(b, cdn_state_load(b, cdn_buffer_read, &saved));
  ck_assert_ptr_eq(cdn_state_parameters(b, w.r->charges), shared);
  cdn_buffer_free(&saved);
  /* and a copy of one */
  OK_ON(b, cdn_state_set_parameters(b, w.r->charges, 1, 1, &other));
  OK_ON(b, cdn_state_copy(b, a));
  ck_assert_ptr_eq(cdn_state_parameters(b, w.r->charges), shared);
  /* values may be among the array's own, shared or not */
  OK_ON(a, cdn_state_set_parameters(a, w.r->charges, 2, 5, shared));
  const double *own = cdn_state_parameters(a, w.r->charges);
  OK_ON(a, cdn_state_set_parameters(a, w.r->charges, 0, 5, own + 1));
  OK_ON(b, cdn_state_copy(b, a));
  OK_ON(b, cdn_state_set_parameters(b, w.r->charges, 1, 4, cdn_state_parameters(b, w.r->charges)));
  const double expected[] = { -2.99, -3.0, -2.99, -2.98, -2.97 }, copied[] = { -2.99, -2.99, -3, -2.99, -2.98 };
  for (int i = 0; i < 5; i++) {
    NEAR(cdn_state_parameters(a, w.r->charges)[i], expected[i], 1e-12);
    NEAR(cdn_state_parameters(b, w.r->charges)[i], copied[i], 1e-12);
  }
  FAILS(cdn_state_set_parameters(a, w.r->charges, 0, 1, (const double[]){ NAN }), CDN_ERR_NONFINITE);
  cdn_state_destroy(a);
  cdn_state_destroy(b);
  end(&w);
}
END_TEST

START_TEST(states_that_take_turns_settle_on_memory_of_their_own) {
  world w;
  begin(&w, true);
  cdn_state *s[4];
  for (int k = 0; k < 4; k++) s[k] = new_state(&w);
  int64_t before = 0;
  for (int i = 0; i < 100; i++) {
    const double charge = i;
    if (i == 10) before = w.memory.calls;
    /* as a stepper does it: what is set in one goes to the others, and back */
    OK_ON(s[0], cdn_state_set_parameters(s[0], w.r->charges, i, 1, &charge));
    for (int k = 1; k < 4; k++) OK_ON(s[k], cdn_state_copy(s[k], s[0]));
    if (i % 3 == 0) OK_ON(s[3], cdn_state_set_parameters(s[3], w.r->charges, 0, 1, &charge));
    if (i % 3 == 0) OK_ON(s[0], cdn_state_copy(s[0], s[3]));
  }
  ck_assert_int_eq(w.memory.calls, before);
  for (int k = 0; k < 4; k++) cdn_state_destroy(s[k]);
  end(&w);
}
END_TEST

START_TEST(a_change_without_memory_changes_nothing) {
  world w;
  begin(&w, true);
  cdn_state *a = new_state(&w);
  const double charge = 1, *shared = cdn_state_parameters(a, w.r->charges);
  OK_ON(a, cdn_realize(a, CDN_STAGE_ACCELERATION));
  w.memory.fail_at = w.memory.calls + 1;
  FAILS(cdn_state_set_parameters(a, w.r->charges, 0, 1, &charge), CDN_ERR_NOMEM);
  ck_assert_ptr_eq(cdn_state_parameters(a, w.r->charges), shared);
  ck_assert_int_eq(cdn_state_stage(a), CDN_STAGE_ACCELERATION);
  cdn_error e;
  cdn_state_last_error(a, &e);
  ck_assert_msg(strstr(e.text, "rig.charges") != NULL, "%s", e.text);
  OK_ON(a, cdn_state_set_parameters(a, w.r->charges, 0, 1, &charge));
  cdn_state_destroy(a);
  end(&w);
}
END_TEST

/* ---- regions ---------------------------------------------------------------------------------- */

START_TEST(only_what_is_longer_than_ever_allocates) {
  world w;
  begin(&w, true);
  cdn_state *a = new_state(&w), *b = new_state(&w);
  const double large = 50, small = 0.1;
  OK_ON(a, cdn_region_resize(a, w.r->marks, 5000));
  OK_ON(a, cdn_state_set_z(a, &large));
  OK_ON(a, cdn_realize(a, CDN_STAGE_ACCELERATION));
  OK_ON(b, cdn_state_copy(b, a));
  int64_t before = w.memory.calls;
  for (int i = 0; i < 50; i++) {
    OK_ON(a, cdn_region_resize(a, w.r->marks, 100 * i));
    OK_ON(a, cdn_region_append(a, w.r->marks, 100, NULL));
    OK_ON(a, cdn_state_set_z(a, i % 2 ? &large : &small));
    OK_ON(a, cdn_realize(a, CDN_STAGE_ACCELERATION));
    OK_ON(b, cdn_state_copy(b, a));
    OK_ON(b, cdn_region_set(b, w.r->marks, 0, NULL));
  }
  ck_assert_int_eq(w.memory.calls, before);
  OK_ON(a, cdn_region_resize(a, w.r->marks, 100000));
  ck_assert_int_eq(w.memory.calls, before + 1);
  /* without memory for it, a copy leaves the State as it was */
  OK_ON(b, cdn_realize(b, CDN_STAGE_ACCELERATION));
  cdn_buffer saved = rig_saved(b);
  w.memory.fail_at = w.memory.calls + 1;
  FAILS(cdn_state_copy(b, a), CDN_ERR_NOMEM);
  ck_assert_int_eq(cdn_state_stage(b), CDN_STAGE_ACCELERATION);
  cdn_buffer now = rig_saved(b);
  ck_assert_uint_eq(saved.size, now.size);
  ck_assert_mem_eq(saved.bytes, now.bytes, now.size);
  cdn_buffer_free(&saved);
  cdn_buffer_free(&now);
  cdn_state_destroy(a);
  cdn_state_destroy(b);
  end(&w);
}
END_TEST

/* A region whose next contents are as many numbers as z says. */
typedef struct jump {
  cdn_zvar z;
  cdn_auto_region numbers;
} jump;

static cdn_status jump_next(const void *self, cdn_state *state, cdn_region_output *out) {
  void *to;
  return cdn_region_output_add(out, (int)*cdn_state_zvar(state, ((const jump *)self)->z), &to);
}
static cdn_status jump_declare(void *self, cdn_declarer *d) {
  jump *j = self;
  j->z = cdn_declare_z(d, 1, NULL);
  j->numbers = cdn_declare_auto_region(d, "numbers", sizeof(double), 0, NULL, jump_next, 1, &j->z.ticket);
  return CDN_OK;
}
static cdn_status jump_zdot(const void *self, cdn_state *state, double *zdot) {
  (void)self, (void)state;
  *zdot = 0;
  return CDN_OK;
}

START_TEST(a_region_and_its_update_have_the_same_room) {
  counting_allocator memory = { .fail_at = 0 };
  cdn_system_def def = cdn_default_system_def();
  def.allocator = allocator_of(&memory);
  cdn_system *system = cdn_system_create(&def);
  const cdn_subsystem_ops ops = { .struct_size = sizeof ops,
                                  .name = "jump",
                                  .self_size = sizeof(jump),
                                  .declare = jump_declare,
                                  .calc_zdot = jump_zdot };
  const jump *j = cdn_subsystem_self(system, cdn_system_add_subsystem(system, &ops, &(jump){ .z = { 0, { 0 } } }));
  cdn_state *state = NULL;
  OK_FREEZE(system);
  OK(cdn_state_create(system, &state));
  const double lengths[] = { 1000, 1000, 3, 1000, 999, 0 };
  int64_t calls = 0;
  for (int i = 0; i < 6; i++) {
    OK_ON(state, cdn_state_set_z(state, &lengths[i]));
    OK_ON(state, cdn_region_eval(state, j->numbers.update, NULL, NULL));
    OK_ON(state, cdn_state_auto_update(state));
    ck_assert_int_eq(rig_count(state, j->numbers.variable), (int)lengths[i]);
    if (i == 0) calls = memory.calls;
  }
  ck_assert_int_eq(memory.calls, calls);
  cdn_state_destroy(state);
  cdn_system_release(system);
  ck_assert_int_eq(memory.outstanding, 0);
}
END_TEST

START_TEST(steps_allocate_nothing_once_the_longest_was_seen) {
  world w;
  begin(&w, true);
  cdn_state *state = new_state(&w);
  cdn_stepper *stepper = NULL;
  cdn_stepper_def def = cdn_default_stepper_def();
  OK_ON(state, cdn_stepper_create(state, &def, &stepper));
  int64_t before = 0;
  int shortest = 1 << 30, longest = 0;
  /* the run is periodic, nearly: the first half has seen everything */
  for (int i = 1; i <= 4000; i++) {
    OK_STEP(stepper, cdn_stepper_advance(stepper, 0.01 * i, NULL));
    if (i == 2000) before = w.memory.calls;
    const int n = rig_count(cdn_stepper_state(stepper), w.r->memory.variable);
    shortest = n < shortest ? n : shortest;
    longest = n > longest ? n : longest;
  }
  ck_assert_int_eq(w.memory.calls, before);
  ck_assert_int_lt(shortest, 4);
  ck_assert_int_gt(longest, 20);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
  end(&w);
}
END_TEST

/* Whatever call of the allocator fails: a run with all of it ends with a message, and gives all back. */
START_TEST(every_allocation_of_a_run_may_fail) {
  for (int64_t at = 1;; at++) {
    counting_allocator memory = { .fail_at = 0 };
    const cdn_allocator a = allocator_of(&memory);
    const rig *r;
    cdn_system *system = rig_system(&a, true, NULL, &r);
    const int64_t built = memory.calls;
    const double charge = 3;
    cdn_buffer saved = { 0 };
    cdn_state *state = NULL, *other = NULL;
    cdn_stepper *stepper = NULL;
    memory.fail_at = built + at;
    cdn_status status = cdn_state_create(system, &state);
    if (status == CDN_OK) status = cdn_state_set_parameters(state, r->charges, 0, 1, &charge);
    if (status == CDN_OK) status = cdn_region_resize(state, r->marks, 100);
    if (status == CDN_OK) status = cdn_stepper_create(state, NULL, &stepper);
    if (status == CDN_OK) status = cdn_stepper_advance(stepper, 0.5, NULL);
    if (status == CDN_OK) status = cdn_region_append(cdn_stepper_state(stepper), r->marks, 1000, NULL);
    if (status == CDN_OK) status = cdn_stepper_advance(stepper, 1, NULL);
    if (status == CDN_OK) status = cdn_state_save(cdn_stepper_state(stepper), cdn_buffer_write, &saved);
    if (status == CDN_OK) status = cdn_state_create(system, &other);
    if (status == CDN_OK) status = cdn_state_load(other, cdn_buffer_read, &saved);
    cdn_buffer_free(&saved);
    cdn_stepper_destroy(stepper);
    cdn_state_destroy(other);
    cdn_state_destroy(state);
    cdn_system_release(system);
    ck_assert_int_eq(memory.outstanding, 0);
    ck_assert_int_eq(memory.misuse, 0);
    if (memory.calls < memory.fail_at) {
      OK(status);
      ck_assert_int_gt(at, 30);
      break;
    }
    ck_assert_int_eq(status, CDN_ERR_NOMEM);
  }
}
END_TEST

/* ---- threads ---------------------------------------------------------------------------------- */

enum { THREADS = 4, TURNS = 300 };
typedef struct job {
  const world *w;
  const cdn_state *common; /* everybody copies it, nobody changes it */
  int id;
  bool wrong;
} job;

/* No Check in here: its assertions are for the main thread. */
static void *work(void *argument) {
  job *j = argument;
  const rig *r = j->w->r;
  cdn_state *state = NULL;
  if (cdn_state_create(j->w->system, &state) != CDN_OK) j->wrong = true;
  for (int i = 0; i < TURNS && !j->wrong; i++) {
    const double charge = 1000 * j->id + i;
    j->wrong = cdn_state_copy(state, j->common) != CDN_OK;
    const double *charges = cdn_state_parameters(state, r->charges);
    j->wrong = j->wrong || charges[1] != 77 || charges[0] != -3;
    if (i % 2) j->wrong = j->wrong || cdn_state_set_parameters(state, r->charges, 0, 1, &charge) != CDN_OK;
    charges = cdn_state_parameters(state, r->charges);
    j->wrong = j->wrong || charges[1] != 77 || charges[0] != (i % 2 ? charge : -3);
    j->wrong = j->wrong || cdn_region_resize(state, r->marks, i) != CDN_OK;
    if (i % 50 == 0) { /* without memory of its own it shares anew */
      cdn_state_destroy(state);
      j->wrong = j->wrong || cdn_state_create(j->w->system, &state) != CDN_OK;
    }
  }
  cdn_state_destroy(state);
  return NULL;
}

START_TEST(threads_copy_one_state_and_change_their_own) {
  world w = { .system = NULL };
  w.system = rig_system(NULL, true, NULL, &w.r);
  cdn_state *common = new_state(&w);
  const double charge = 77;
  job jobs[THREADS];
  pthread_t threads[THREADS];
  OK_ON(common, cdn_state_set_parameters(common, w.r->charges, 1, 1, &charge));
  for (int k = 0; k < THREADS; k++) {
    jobs[k] = (job){ .w = &w, .common = common, .id = k + 1 };
    ck_assert_int_eq(pthread_create(&threads[k], NULL, work, &jobs[k]), 0);
  }
  for (int k = 0; k < THREADS; k++) {
    ck_assert_int_eq(pthread_join(threads[k], NULL), 0);
    ck_assert(!jobs[k].wrong);
  }
  ck_assert_double_eq(cdn_state_parameters(common, w.r->charges)[0], -3);
  cdn_state_destroy(common);
  cdn_system_release(w.system);
}
END_TEST

/* ---- checkpoints that lie ---------------------------------------------------------------------- */

/* Makes both checksums fit what is there. */
static void mend(unsigned char *bytes, size_t n) {
  enum { HEADER = 32 };
  const uint32_t sums[2] = { (uint32_t)crc32(0, bytes, HEADER - 4),
                             (uint32_t)crc32(0, bytes + HEADER, (uInt)(n - HEADER - 4)) };
  for (int i = 0; i < 4; i++) {
    bytes[HEADER - 4 + i] = (unsigned char)(sums[0] >> 8 * i);
    bytes[n - 4 + (size_t)i] = (unsigned char)(sums[1] >> 8 * i);
  }
}

START_TEST(a_count_that_is_not_true_is_refused_and_costs_nothing) {
  world w;
  begin(&w, true);
  cdn_state *state = new_state(&w);
  const mark marks[] = { { 1.25f, 0x1234567, 0x7654321 }, { 2.5f, 3, 4 } };
  OK_ON(state, cdn_region_set(state, w.r->marks, 2, marks));
  cdn_buffer saved = rig_saved(state);
  unsigned char *bytes = saved.bytes, *count = NULL;
  for (size_t i = 8; i + sizeof marks <= saved.size; i++)
    if (memcmp(bytes + i, marks, sizeof marks) == 0) count = bytes + i - 8;
  ck_assert_ptr_nonnull(count);
  ck_assert_mem_eq(count, ((const unsigned char[8]){ 2 }), 8);
  static const unsigned char wrong[][8] = { { 1 },
                                            { 3 },
                                            { 0, 0, 0, 1 },
                                            { 0, 0, 0, 5 },
                                            { 0, 0, 0, 0, 1 },
                                            { 255, 255, 255, 255, 255, 255, 255, 255 },
                                            { 0, 0, 0, 0, 0, 0, 0, 128 } };
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
    memcpy(count, wrong[k], 8);
    mend(bytes, saved.size);
    saved.at = 0;
    const int64_t before = w.memory.bytes;
    FAILS(cdn_state_load(state, cdn_buffer_read, &saved), CDN_ERR_PARSE);
    ck_assert_int_eq(w.memory.bytes, before);
    ck_assert_int_lt(w.memory.largest, 1 << 20);
    const void *is;
    int n;
    OK(cdn_region_get(state, w.r->marks, &is, &n));
    ck_assert_int_eq(n, 2);
    ck_assert_mem_eq(is, marks, sizeof marks);
  }
  cdn_buffer_free(&saved);
  cdn_state_destroy(state);
  end(&w);
}
END_TEST

static cdn_status declare_r(void *self, cdn_declarer *d) {
  cdn_declare_region(d, "r", *(size_t *)self, 0, NULL, CDN_STAGE_FORCE);
  return CDN_OK;
}

static cdn_state *state_with(size_t element) {
  cdn_system *system = cdn_system_create(NULL);
  const cdn_subsystem_ops ops = { .struct_size = sizeof ops, .name = "s", .self_size = 8, .declare = declare_r };
  cdn_state *state = NULL;
  cdn_system_add_subsystem(system, &ops, &element);
  OK_FREEZE(system);
  OK(cdn_state_create(system, &state));
  cdn_system_release(system);
  return state;
}

START_TEST(elements_of_another_size_make_another_system) {
  cdn_state *a = state_with(8), *b = state_with(16), *c = state_with(8);
  cdn_buffer saved = rig_saved(a);
  OK_ON(c, cdn_state_load(c, cdn_buffer_read, &saved));
  saved.at = 0;
  FAILS(cdn_state_load(b, cdn_buffer_read, &saved), CDN_ERR_ARG);
  cdn_error e;
  cdn_state_last_error(b, &e);
  ck_assert_msg(strstr(e.text, "elements of 16 bytes") && strstr(e.text, "elements of 8 bytes"), "%s", e.text);
  cdn_buffer_free(&saved);
  cdn_state_destroy(a);
  cdn_state_destroy(b);
  cdn_state_destroy(c);
}
END_TEST

CHECK_MAIN("memory of regions", a_thousand_states_hold_the_charges_once,
           an_ensemble_holds_charges_that_are_the_same_once, what_is_set_to_what_it_is_stays_shared,
           states_that_take_turns_settle_on_memory_of_their_own, a_change_without_memory_changes_nothing,
           only_what_is_longer_than_ever_allocates, a_region_and_its_update_have_the_same_room,
           steps_allocate_nothing_once_the_longest_was_seen, every_allocation_of_a_run_may_fail,
           threads_copy_one_state_and_change_their_own, a_count_that_is_not_true_is_refused_and_costs_nothing,
           elements_of_another_size_make_another_system)
