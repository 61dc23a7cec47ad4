/* shared by tests */
/* One constraint of every kind, with parameters at random, on bodies that are there; the setters of the kinds; and two
 * custom ones. */
#ifndef CARDAN_TESTS_CONSTRAINT_SAMPLES_H
#define CARDAN_TESTS_CONSTRAINT_SAMPLES_H

#include "random_tree.h"

/* What a constraint is put on. */
typedef struct constraint_place {
  cdn_system *system;
  cdn_body a, b, c;   /* a and b differ */
  cdn_mobility at[3]; /* coordinates whose rates are speeds, of different mobilizers */
} constraint_place;

typedef struct constraint_sample {
  const char *name;
  /* The adder, and the setter (NULL: there is none), with other parameters at each call. */
  cdn_constraint (*add)(const constraint_place *p, rng *r);
  cdn_status (*set)(cdn_state *state, cdn_constraint id, rng *r);
  cdn_mobilizer joint; /* for loop joints */
} constraint_sample;

/* Their number, and one of them. */
int constraint_sample_count(void);
const constraint_sample *constraint_sample_at(int i);
/* Adds the sample. */
cdn_constraint constraint_sample_add(int i, const constraint_place *p, rng *r);

/* Places on a tree: adds three bodies on a pin, a slider and a cylinder for their coordinates. */
constraint_place constraint_place_on(random_tree *tree, rng *r);

#endif
