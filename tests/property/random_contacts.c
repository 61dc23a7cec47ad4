#include "random_contacts.h"

#include <math.h>

double random_part(uint64_t *seed) {
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 11) * 0x1p-53;
}

static double within(uint64_t *seed, double low, double high) { return low + (high - low) * random_part(seed); }

void make_random_contacts(random_contacts *out, int n_limits, int n_contacts, int freedoms, uint64_t *seed) {
  enum { MOST_FREEDOMS = 100 };
  const int n = n_limits + 3 * n_contacts;
  static _Thread_local double J[RANDOM_ROWS_MOST * MOST_FREEDOMS];
  out->n = n;
  for (int i = 0; i < n * freedoms; i++) J[i] = within(seed, -1, 1) / sqrt(freedoms);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double sum = 0;
      for (int k = 0; k < freedoms; k++) sum += J[i * freedoms + k] * J[j * freedoms + k];
      out->A[i * n + j] = sum;
    }
  for (int i = 0; i < n_limits; i++) out->R[i] = pow(10, within(seed, -2, 2));
  for (int i = 0; i < n_contacts; i++) {
    const double R = pow(10, within(seed, -2, 2));
    for (int k = 0; k < 3; k++) out->R[n_limits + 3 * i + k] = R;
    out->mu[i] = within(seed, 0.1, 1.5);
  }
  for (int i = 0; i < n_limits + n_contacts; i++) out->v_min[i] = within(seed, -1, 0.1);
  for (int i = 0; i < n; i++) out->c[i] = within(seed, -2, 2);
  out->problem = cdn_default_invertible_problem();
  out->problem.n_limits = n_limits, out->problem.n_contacts = n_contacts;
  out->problem.A = out->A, out->problem.R = out->R, out->problem.mu = out->mu, out->problem.v_min = out->v_min;
}
