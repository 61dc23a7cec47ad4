/* One contact of the inverse, in lanes; compiled for each set of kernels.
 *
 * With x = f_t / mu, n = f_n, h = mu g_t and w = mu^2 R_t the least of (23) has
 *
 *   x_k = -h_k n^2 / Q_k,   Q_k = w_k n^2 + P,   P = R_n n^2 + g_n n - kappa,   P (1 - tau) = 2 kappa,
 *
 * where tau = |x|^2 / n^2. So n alone is unknown. Without friction P is 2 kappa, which has one positive root n0, in
 * closed form. With n = n0 (1 + x), P = kappa (2 + p) and the numbers a, w, e without units the equation is
 *
 *   p (1 / tau - 1) = 2,   p = x (a x + a + 3),   tau = sum (e_k / q_k)^2,   q_k = (2 + p + w_k nu^2) / nu,  nu = 1 +
 *   x.
 *
 * Nothing in it cancels. Its left side grows and bends upward from where p > 0 and tau < 1, so that Newton's method
 * from the right descends to the only root. The start replaces each factor by its tangent at its own root. */
#include "math/lane.h"
#include "soft/invertible.h"

typedef struct contact {
  real a, w[2], e[2];
} contact;

/* The left side less 2, and its slope. */
CDNI_INLINE real excess(const contact *k, real x, real *slope, real u[2]) {
  const real nu = x + 1.0, over = 1.0 / nu;
  const real p = x * r_fma(k->a, x, k->a + 3.0), dp = r_fma(k->a + k->a, x, k->a + 3.0);
  const real P = p + 2.0;
  real square[2], growth[2];
  for (int i = 0; i < 2; i++) {
    const real q = r_fma(k->w[i], nu, P * over), dq = r_fma(over, r_fnma(P, over, dp), k->w[i]);
    const real r = 1.0 / q;
    u[i] = k->e[i] * r;
    square[i] = u[i] * u[i];
    growth[i] = dq * r;
  }
  const real S = 1.0 / r_max(square[0] + square[1], r_set(1e-280));
  const real dS = 2.0 * S * r_fma(square[0] * S, growth[0], square[1] * S * growth[1]);
  *slope = r_fma(dp, S - 1.0, p * dS);
  return r_fma(p, S - 1.0, r_set(-2.0));
}

/* Where the tangents of both factors have the product 2. */
CDNI_INLINE real begin(const contact *k) {
  const real tiny = r_set(1e-280);
  const real w = r_select(r_greater(k->w[0], k->w[1]), k->w[1], k->w[0]);
  const real e = r_max(r_sqrt(r_fma(k->e[0], k->e[0], k->e[1] * k->e[1])), tiny);
  const real alpha = r_max(k->a + w, tiny);
  const real B = k->a + 3.0 + 2.0 * w - e, C = 2.0 + w - e, other = 3.0 - k->a - e;
  const real D = r_sqrt(r_fma(other, other, 4.0 * alpha));
  /* the larger root of Q = T */
  const real root = r_select(r_greater(B, r_set(0)), -2.0 * C / (B + D), (D - B) / (2.0 * alpha));
  const real at = r_max(root, r_set(0)), nu = at + 1.0;
  const real ratio = r_select(r_greater(root, r_set(0)), r_set(2.0), 1.0 + (2.0 + w) / e);
  const real steep = (alpha * (at - root) + D) / (e * nu) * ratio;
  const real product = 2.0 / (r_fma(k->a, at, k->a + 3.0) * steep);
  const real half = 0.5 * root, far = r_sqrt(r_fma(half, half, product));
  return r_select(r_greater(root, r_set(0)), half + far, product / (far - half));
}

enum { MOST_ITERATIONS = 100 };

CDNI_INLINE void solve_contacts(const real *in, real *out) {
  const real *g = in, *R = in + 3, mu = in[6], kappa = in[7];
  const real zero = r_set(0), over = 1.0 / kappa;
  const real big = r_abs(g[2]) + r_sqrt(r_fma(g[2], g[2], 12.0 * kappa * R[2]));
  const real n0 = r_select(r_greater(g[2], zero), 6.0 * kappa / big, big / (2.0 * R[2]));
  const real unit = n0 * over;
  contact k = { .a = R[2] * n0 * unit };
  for (int i = 0; i < 2; i++) k.w[i] = mu * mu * R[i] * n0 * unit, k.e[i] = mu * r_abs(g[i]) * unit;

  real x = begin(&k), low = zero, high = r_set(HUGE_VAL), u[2], slope;
  rmask done = r_greater(zero, zero);
  for (int i = 0; i < MOST_ITERATIONS; i++) {
    const real F = excess(&k, x, &slope, u);
    const rmask right = r_greater(F, zero);
    low = r_select(right | done, low, x);
    high = r_select(right & ~done, x, high);
    real next = x - F / slope;
    const rmask good = r_greater(slope, zero) & r_greater(next, low) & r_greater(high, next);
    /* geometric halves find a root of any size */
    const real bounded = r_select(r_greater(low, zero), r_sqrt(low) * r_sqrt(high), high * 0x1p-10);
    const real other = r_select(r_greater(r_set(HUGE_VAL), high), bounded, 4.0 * x + 1.0);
    const rmask small = r_greater(r_set(0x1p-40) * x, r_abs(next - x)) | ~r_greater(r_abs(next - x), zero);
    next = r_select(good | small, next, other);
    x = r_select(done, x, next);
    done |= small | r_greater(low * (1 + 0x1p-50), high);
    if (r_all(done)) break;
  }
  (void)excess(&k, x, &slope, u);
  const real n = n0 * (x + 1.0);
  for (int i = 0; i < 2; i++) {
    const real f = mu * n * u[i];
    out[i] = r_select(r_greater(g[i], zero), -f, f);
  }
  out[2] = n;
}

static void contacts(const double *from, double *to) {
  real in[INVERTIBLE_IN], out[INVERTIBLE_OUT];
  memcpy(in, from, sizeof in);
  solve_contacts(in, out);
  memcpy(to, out, sizeof out);
}

/* Four rows at once read and write g a quarter as often. */
static void add_rows(int n, const double *A, int n_rows, const int32_t *rows, const double *y, double *restrict g) {
  int k = 0;
  for (; k + 4 <= n_rows; k += 4) {
    const double *a = A + (size_t)rows[k] * (size_t)n, *b = A + (size_t)rows[k + 1] * (size_t)n;
    const double *c = A + (size_t)rows[k + 2] * (size_t)n, *d = A + (size_t)rows[k + 3] * (size_t)n;
    const double ya = y[k], yb = y[k + 1], yc = y[k + 2], yd = y[k + 3];
    for (int i = 0; i < n; i++) g[i] += (ya * a[i] + yb * b[i]) + (yc * c[i] + yd * d[i]);
  }
  for (; k < n_rows; k++) {
    const double *a = A + (size_t)rows[k] * (size_t)n;
    for (int i = 0; i < n; i++) g[i] += y[k] * a[i];
  }
}

extern const invertible_kernels KERNEL_NAME(cdni_invertible_kernels_of);
const invertible_kernels KERNEL_NAME(cdni_invertible_kernels_of) = {
  .lanes = CDNI_LANES,
  .contacts = contacts,
  .add_rows = add_rows,
};
