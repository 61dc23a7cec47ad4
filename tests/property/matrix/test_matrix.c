/* The matrix of features: each alone and in pairs, on random trees, with every question (matrix.h).
 *
 * Within the suite each pair is asked on one tree, with one method each that takes turns from pair to pair; studies
 * are asked of some pairs only, in turns; each set of kernels has a third of the pairs. With CARDAN_TEST_LONG in the
 * environment (./run long) each pair is asked on trees of several sizes with every method. CARDAN_TEST_ONLY=NAME
 * crosses one feature only, CARDAN_TEST_ASK=NAME asks one question, of all pairs; CARDAN_TEST_SHOW counts. */
#include <stdio.h>
#include <stdlib.h>

#include "matrix.h"

typedef struct tally {
  int cells, refused, wrong, known, unsettled;
} tally;

static bool whole(void) { return getenv("CARDAN_TEST_LONG") != NULL; }

/* Pairs are dealt out by 21; a run has one share. Each set of kernels has a third, sanitizers a 24th of the pairs and a
 * third of the features alone; -1: all of them. */
static int share(void) {
  static const char *const levels[] = { "base", "v3", "v4" };
  const char *level = getenv("CARDAN_TEST_KERNELS");
  for (int k = 0; level && k < 3; k++)
    if (strcmp(level, levels[k]) == 0) return whole() ? -1 : k;
  return SANITIZED && !whole() ? 0 : -1;
}

/* ---- one cell ---- */

static void label(const scene *s, const cell *c, const char *asked, char *text, size_t size) {
  snprintf(text, size, "%s%s%s, %d bodies, seed %llu: %s%s%s", s->feature[0]->name, s->features > 1 ? " + " : "",
           s->features > 1 ? s->feature[1]->name : "", s->size, (unsigned long long)s->seed, asked,
           c && c->method ? ", " : "", c && c->method ? c->method : "");
}

static void judge(tally *t, const scene *s, const cell *c, const char *asked, const char *wrong, const char *refused) {
  char where[256];
  label(s, c, asked ? asked : "freezing", where, sizeof where);
  const expectation e = expected_refusal(c, s, asked);
  const char *known = known_failure(c, s, asked), *message = NULL, *detail = "";
  const bool expected = e.text[0] || e.text[1];
  const bool named = (e.text[0] && strstr(refused, e.text[0])) || (e.text[1] && strstr(refused, e.text[1]));
  t->cells++;
  if (wrong[0]) message = "is wrong", detail = wrong;
  else if (refused[0] && !expected) message = "is refused", detail = refused;
  else if (expected && !refused[0]) message = "is not refused", detail = "";
  else if (expected && !named) message = "is refused without the name", detail = refused;
  if (expected && !message) t->refused++;
  if (known && message) t->known++;
  else if (known) t->wrong++, printf("%s is right: strike it from the known failures (%s)\n", where, known);
  else if (message) t->wrong++, printf("%s %s: %s\n", where, message, detail);
}

/* ---- one pair ---- */

static void ask(tally *t, scene *s, int turn) {
  const char *asked = getenv("CARDAN_TEST_ASK");
  for (int i = 0; i < question_count(); i++) {
    const question *q = question_at(i);
    if (asked ? strcmp(asked, q->name) != 0 : !whole() && (turn + i) % q->every != 0) continue;
    const int first = whole() ? 0 : turn % q->turns, n = whole() ? q->turns : 1;
    for (int k = first; k < first + n; k++) {
      cell c;
      if (cell_open(&c, s, k)) q->ask(&c);
      t->unsettled += c.unsettled;
      if (!c.idle) judge(t, s, &c, q->name, c.wrong, c.refused);
      cell_close(&c);
    }
  }
}

static void cross_on(tally *t, const feature *const *features, int n, int size, uint64_t seed, int turn) {
  scene s;
  scene_build(&s, features, n, size, seed);
  if (!s.state) {
    cdn_error e;
    cdn_last_error(&e);
    const char *text = cdn_last_error_text();
    const bool unsupported = e.code == CDN_ERR_UNSUPPORTED;
    judge(t, &s, NULL, NULL, unsupported ? "" : text, unsupported ? text : "");
  } else if (s.unsettled) t->unsettled++;
  else ask(t, &s, turn);
  scene_drop(&s);
}

/* What decides on trees, numbers and turns of a pair: its names, so that a new feature changes nothing for others. */
static int number_of(const feature *const *features, int n) {
  uint32_t hash = 2166136261u;
  for (int i = 0; i < n; i++)
    for (const char *c = features[i]->name; *c; c++) hash = (hash ^ (uint32_t)(unsigned char)*c) * 16777619u;
  return (int)(hash >> 8);
}

/* Of all shapes that have none of their own. */
static bool has_model(const feature *f) { return f->contact == COMPLIANT_CONTACT || f->contact == SOFT_CONTACT; }

static void cross(tally *t, const feature *const *features, int n) {
  const int number = number_of(features, n);
  const bool apart =
      n > 1 && has_model(features[0]) && has_model(features[1]) && features[0]->contact != features[1]->contact;
  const int shares = SANITIZED && n > 1 ? 24 : 3;
  if (apart || (share() >= 0 && number / 21 % shares != share())) return;
  static const int sizes[] = { 1, 4, 2 }, seeds[] = { 3, 6, 10, 12, 15, 28, 30, 32, 36, 40, 45 };
  enum { SEEDS = sizeof seeds / sizeof *seeds };
  for (int k = 0; k < (whole() ? 3 : 1); k++)
    cross_on(t, features, n, sizes[(number + k) % 3], (uint64_t)seeds[(number + 4 * k) % SEEDS], number);
}

/* ---- the matrix ---- */

START_TEST(crosses_with_all_before) {
  const char *only = getenv("CARDAN_TEST_ONLY");
  tally t = { 0 };
  const feature *pair[2] = { feature_at(_i), NULL };
  if (!only || strcmp(only, pair[0]->name) == 0) cross(&t, pair, 1);
  for (int j = 0; j < _i; j++) {
    pair[1] = feature_at(j);
    if (only && strcmp(only, pair[0]->name) != 0 && strcmp(only, pair[1]->name) != 0) continue;
    cross(&t, pair, 2);
  }
  if (getenv("CARDAN_TEST_SHOW"))
    printf("%-28s %5d cells, %4d refused, %3d known failures, %2d unsettled\n", pair[0]->name, t.cells, t.refused,
           t.known, t.unsettled);
  fflush(stdout);
  ck_assert_msg(only || t.unsettled <= 2 + t.cells / 100, "%s: %d of %d cells tell nothing", pair[0]->name, t.unsettled,
                t.cells);
  ck_assert_msg(t.wrong == 0, "%s: %d of %d cells", pair[0]->name, t.wrong, t.cells);
}
END_TEST

START_TEST(geometries_have_rows) { contact_features_have_all_kinds(); }
END_TEST

static void add_all(TCase *tcase) {
  tcase_add_test(tcase, geometries_have_rows);
  tcase_add_loop_test(tcase, crosses_with_all_before, 0, feature_count());
}

CHECK_MAIN_OF("matrix", whole() ? 36000 : 300, add_all)
