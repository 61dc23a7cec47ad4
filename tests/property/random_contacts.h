/* Random problems of contact space. */
#ifndef CARDAN_TESTS_RANDOM_CONTACTS_H
#define CARDAN_TESTS_RANDOM_CONTACTS_H

#include <stdint.h>

#include <cardan/invertible.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { RANDOM_CONTACTS_MOST = 24, RANDOM_ROWS_MOST = 3 * RANDOM_CONTACTS_MOST + 8 };
typedef struct random_contacts {
  cdn_invertible_problem problem; /* its arrays are those below */
  int n;
  double A[RANDOM_ROWS_MOST * RANDOM_ROWS_MOST], R[RANDOM_ROWS_MOST], mu[RANDOM_CONTACTS_MOST], v_min[RANDOM_ROWS_MOST],
      c[RANDOM_ROWS_MOST];
} random_contacts;

/* A number in [0, 1). */
double random_part(uint64_t *seed);
/* A problem of a body with `freedoms` of freedom (less than rows: A is singular). */
void make_random_contacts(random_contacts *out, int n_limits, int n_contacts, int freedoms, uint64_t *seed);

#ifdef __cplusplus
}
#endif
#endif
