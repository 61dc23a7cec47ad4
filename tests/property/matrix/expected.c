/* shared by tests in this folder */
/* What is refused, by design, and what is known to be wrong. */
#include "matrix.h"

static bool same(const char *wanted, const char *name) { return !wanted || (name && strcmp(wanted, name) == 0); }

/* ---- refusals ---- */

/* By features, in their tables. */
static const char *refusal_of(const feature *f, const char *element, const char *asked, const char *method) {
  for (const refusal *r = f->refuses; r && r->question; r++)
    if (strcmp(r->question, asked) == 0 && same(r->method, method)) return r->text ? r->text : element;
  return NULL;
}

expectation expected_refusal(const cell *c, const scene *s, const char *asked) {
  expectation e = { { NULL, NULL } };
  if (!asked) return e; /* freezing */
  for (int i = 0; i < s->features; i++) e.text[i] = refusal_of(s->feature[i], s->element[i], asked, c->method);
  /* joints whose displacements along their speeds do not stay among themselves */
  static const char *const of_displacements[] = { "derivatives of a step", "a step by controls", "linearization",
                                                  "eigenvalues" };
  bool odd = false;
  for (int i = 0; i < 4; i++) odd = odd || strcmp(asked, of_displacements[i]) == 0;
  if (s->odd_joint && odd) e.text[e.text[0] ? 1 : 0] = s->odd_joint;
  return e;
}

/* ---- known failures ---- */

/* A feature with another (NULL: alone and with any), a question and a method (NULL: any), and why. Each cell that fits
 * fails: one that no longer does makes the test fail, until its row is struck out. */
typedef struct failure {
  const char *feature, *with, *question, *method, *reason;
} failure;
static const char by_reaction[] = "a step varies friction by a reaction at the State where it begins, to 1e-5",
                  beside_rows[] = "friction that slips beside soft rows that come and go finds no force",
                  struck[] = "an impact made it slip, slowly: differences of steps cross its end",
                  far_off[] = "what is pulled hard goes so far within a step that no pose near it keeps the contact",
                  redundant[] = "of redundant multipliers the least and the admissible ones differ";
static const failure failures[] = {
  { "bearing that slips", "constraint custom", "derivatives of a step", NULL, by_reaction },
  { "bearing that slips", "force_field", "derivatives of a step", NULL, by_reaction },
  { "rigid ball that slips", "convex law of the user's", "normal modes", NULL, beside_rows },
  { "rigid shapes that slip", "convex ball", "normal modes", NULL, beside_rows },
  { "rigid shapes that slip", "bearing that holds", "derivatives of a step", NULL, struck },
  { "rigid shapes that slip", "convex pressed", "a step by controls", "mujoco-implicit", struck },
  { "rigid shapes that stick", "brake that holds", "derivatives of a step", "mujoco-implicit", struck },
  { "rigid shapes that stick", "soft connect", "derivatives of a step", "semi-explicit-euler", far_off },
  { "rigid shapes without friction", "brake that holds", "derivatives of a step", NULL, struck },
  { "rigid shapes that slip", "constraint joint", "derivatives of multipliers", NULL, redundant },
  { "rigid shapes that stick", "constraint ball", "derivatives of multipliers", NULL, redundant },
  { "rigid shapes that stick", "constraint sphere_on_sphere", "derivatives of multipliers", NULL, redundant },
  { "rigid shapes that stick", "constraint line_on_line", "derivatives of multipliers", NULL, redundant },
  { "rigid shapes without friction", "constraint joint", "derivatives of multipliers", NULL, redundant },
  { "rigid shapes without friction", "constraint joint", "inverse of forward", NULL, redundant },
  { "stop out of reach", "global_damper", "checkpoint of a run", NULL, "6e-9, of which the cause is not known" },
};

const char *known_failure(const cell *c, const scene *s, const char *asked) {
  for (size_t k = 0; k < sizeof failures / sizeof *failures; k++) {
    const failure *f = &failures[k];
    for (int i = 0; i < s->features; i++) {
      const char *other = s->features > 1 ? s->feature[1 - i]->name : NULL;
      if (same(f->feature, s->feature[i]->name) && same(f->with, other) && same(f->question, asked) &&
          same(f->method, c ? c->method : NULL))
        return f->reason;
    }
  }
  return NULL;
}
