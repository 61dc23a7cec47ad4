/* Sums over pairs by several threads: the same bits as by one, also where States of one System ask at the same time.
 * Meant for ThreadSanitizer as well. */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>

#include "../verify/lumps.h"

enum { LUMPS = 10, NU = 6 * LUMPS, CALLS = SANITIZED ? 1 : 5 };

typedef struct result {
  double udot[NU], energy[CDN_TERM_COUNT];
} result;

static result result_of(const molecule_system *l, cdn_state *state) {
  result r;
  OK_ON(state, cdn_realize(state, CDN_STAGE_ACCELERATION));
  memcpy(r.udot, cdn_state_udot(state), sizeof r.udot);
  OK_ON(state, cdn_force_field_energies(state, l->field, r.energy));
  return r;
}

/* In vacuum, with a cutoff, and in solvents with and without necks. */
static cdn_molecule *kind(int k) {
  static const cdn_solvent_model models[] = { CDN_SOLVENT_VACUUM, CDN_SOLVENT_VACUUM, CDN_SOLVENT_OBC2,
                                              CDN_SOLVENT_GBN2 };
  cdn_molecule *m = make_lumps(LUMPS);
  cdn_solvent_def solvent = cdn_default_solvent_def();
  cdn_cutoff_def cutoff = cdn_default_cutoff_def();
  solvent.model = models[k], cutoff.distance = 0.8;
  if (k == 1) cdn_molecule_set_cutoff(m, &cutoff);
  if (k > 1) cdn_molecule_set_solvent(m, &solvent);
  return m;
}

typedef struct caller {
  const molecule_system *l;
  cdn_state *state;
  const result *expected;
  int same;
} caller;

static void *call(void *data) {
  caller *c = data;
  for (int i = 0; i < CALLS; i++) {
    /* setting factors makes all sums anew */
    OK_ON(c->state, cdn_force_field_set_factor(c->state, c->l->field, CDN_TERM_LJ, 0.5));
    OK_ON(c->state, cdn_realize(c->state, CDN_STAGE_ACCELERATION));
    OK_ON(c->state, cdn_force_field_set_factor(c->state, c->l->field, CDN_TERM_LJ, 1));
    const result r = result_of(c->l, c->state);
    c->same += memcmp(&r, c->expected, sizeof r) == 0;
  }
  return NULL;
}

START_TEST(bits_do_not_depend_on_threads) {
  static const int threads[] = { 1, 2, 3, 20 };
  if (SANITIZED && _i == 3) return; /* the same code as without necks, for minutes */
  cdn_molecule *m = kind(_i);
  result first;
  for (int t = 0; t < (SANITIZED ? 2 : 4); t++) {
    cdn_molecule_set_threads(m, threads[t]);
    molecule_system l = build_molecule(m);
    ck_assert(cdn_system_nu(l.system) == NU && cdn_force_field_atom_count(l.system, l.field) == LUMPS * LUMP);
    const result r = result_of(&l, l.state);
    if (t == 0) first = r;
    ck_assert(memcmp(&r, &first, sizeof r) == 0);
    caller callers[2];
    pthread_t id[2];
    for (int k = 0; k < 2 && threads[t] == 2; k++) {
      callers[k] = (caller){ &l, NULL, &first, 0 };
      OK(cdn_state_create(l.system, &callers[k].state));
      ck_assert(pthread_create(&id[k], NULL, call, &callers[k]) == 0);
    }
    for (int k = 0; k < 2 && threads[t] == 2; k++) {
      pthread_join(id[k], NULL);
      ck_assert(callers[k].same == CALLS);
      cdn_state_destroy(callers[k].state);
    }
    drop_molecule(&l);
  }
  cdn_molecule_destroy(m);
}
END_TEST

START_TEST(numbers_of_threads_that_are_refused) {
  static const int wrong[] = { 0, -1, 4097 };
  for (int i = 0; i < 3; i++) {
    cdn_molecule *m = make_lumps(1);
    cdn_molecule_set_threads(m, wrong[i]);
    cdn_error error;
    cdn_molecule_last_error(m, &error);
    ck_assert_msg(error.code == CDN_ERR_ARG && strstr(error.text, "4096"), "%s", error.text);
    cdn_molecule_destroy(m);
  }
}
END_TEST

static void tests(TCase *tc) {
  tcase_add_loop_test(tc, bits_do_not_depend_on_threads, 0, 4);
  tcase_add_test(tc, numbers_of_threads_that_are_refused);
}

CHECK_MAIN_OF("molecule_threads", CHECK_TIMEOUT, tests)
