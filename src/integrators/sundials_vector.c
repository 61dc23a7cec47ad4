/* The vectors of the SUNDIALS methods. All operations but one are those of any vector. The exception is the weighted
 * norm, by which SUNDIALS measures errors of steps and of iterations: it is the stepper's own norm. */
#include <math.h>

#include "integrators/ggl.h"
#include "integrators/norm.h"
#include "integrators/stepper.h"
#include "integrators/sundials.h"

typedef struct vector {
  struct _generic_N_Vector generic;
  cdn_stepper *s;
  int n, references;
  size_t bytes;
  double data[];
} vector;

static vector *own(N_Vector v) { return v->content; }

double *cdni_vector_data(N_Vector v) { return own(v)->data; }

/* ---- life ---- */

static N_Vector make(cdn_stepper *s, SUNContext context, N_Vector_Ops ops) {
  const cdni_sundials *m = s->solver;
  int n = s->ny + 1 + cdni_ggl_count(m->ggl);
  size_t bytes = sizeof(vector) + sizeof(double) * (size_t)n;
  vector *v = cdni_calloc(&s->allocator, bytes);
  if (!v) return NULL;
  v->generic = (struct _generic_N_Vector){ .content = v, .ops = ops, .sunctx = context };
  v->s = s, v->n = n, v->references = 1, v->bytes = bytes;
  return &v->generic;
}

static void destroy(N_Vector v) {
  if (v && --own(v)->references == 0) cdni_free(&own(v)->s->allocator, own(v), own(v)->bytes);
}

/* SUNDIALS 6.4 uses a new vector without testing it for NULL. So, without memory, this function returns the model
 * vector again and sets `starved`. The maker of the solver tests `starved` before it uses the solver. */
static N_Vector clone(N_Vector model) {
  cdni_sundials *m = own(model)->s->solver;
  N_Vector v = make(own(model)->s, model->sunctx, model->ops);
  if (v) return v;
  m->starved = true;
  own(model)->references++;
  return model;
}

static N_Vector_ID id(N_Vector v) {
  (void)v;
  return SUNDIALS_NVEC_CUSTOM;
}

static sunindextype length(N_Vector v) { return own(v)->n; }

/* ---- element by element; results may be operands ---- */

#define EACH(v) for (int i = 0, n = own(v)->n; i < n; i++)
#define AT(v) (own(v)->data[i])

static void linear_sum(double a, N_Vector x, double b, N_Vector y, N_Vector z) {
  EACH(z) AT(z) = a * AT(x) + b * AT(y);
}
static void constant(double c, N_Vector z) { EACH(z) AT(z) = c; }
static void product(N_Vector x, N_Vector y, N_Vector z) { EACH(z) AT(z) = AT(x) * AT(y); }
static void quotient(N_Vector x, N_Vector y, N_Vector z) { EACH(z) AT(z) = AT(x) / AT(y); }
static void scale(double c, N_Vector x, N_Vector z) { EACH(z) AT(z) = c * AT(x); }
static void absolute(N_Vector x, N_Vector z) { EACH(z) AT(z) = fabs(AT(x)); }
static void inverse(N_Vector x, N_Vector z) { EACH(z) AT(z) = 1 / AT(x); }
static void add_constant(N_Vector x, double b, N_Vector z) { EACH(z) AT(z) = AT(x) + b; }

static double dot(N_Vector x, N_Vector y) {
  double sum = 0;
  EACH(x) sum += AT(x) * AT(y);
  return sum;
}

static double largest(N_Vector x) {
  double most = 0;
  EACH(x) most = fmax(most, fabs(AT(x)));
  return most;
}

static double least(N_Vector x) {
  double min = INFINITY;
  EACH(x) min = fmin(min, AT(x));
  return min;
}

/* ---- the norm ---- */

/* Of q, the lengths of quaternions with it: our norm does not see them, but solvers that do not project carry them on,
 * and of a rotation every other derivative points along its quaternion. */
static double norm_of_q(const cdn_stepper *s, const double *e) {
  const int count = s->nq - s->n_prescribed_q;
  double sum = 0, most = 0;
  for (int i = 0; i < s->nq; i++) {
    const double f = s->prescribed[i] ? 0 : s->q_weight[i] * e[i];
    sum += f * f;
    most = fmax(most, fabs(f));
  }
  return s->def.norm == CDN_NORM_INFINITY ? most : count ? sqrt(sum / count) : 0;
}

static double weighted(N_Vector x, N_Vector w) {
  cdn_stepper *s = own(x)->s;
  const cdni_sundials *m = s->solver;
  double norm;
  if (cdni_weighted_norm(s, cdni_vector_data(x), cdni_vector_data(w), &norm) != CDN_OK) return INFINITY;
  return fmax(norm, norm_of_q(s, cdni_vector_data(x))) / m->tolerance;
}

N_Vector cdni_sundials_vector(cdn_stepper *s, SUNContext context) {
  /* never written to, though its type does not say so */
  static const struct _generic_N_Vector_Ops ops = { .nvgetvectorid = id,
                                                    .nvgetlength = length,
                                                    .nvgetarraypointer = cdni_vector_data,
                                                    .nvclone = clone,
                                                    .nvdestroy = destroy,
                                                    .nvlinearsum = linear_sum,
                                                    .nvconst = constant,
                                                    .nvprod = product,
                                                    .nvdiv = quotient,
                                                    .nvscale = scale,
                                                    .nvabs = absolute,
                                                    .nvinv = inverse,
                                                    .nvaddconst = add_constant,
                                                    .nvdotprod = dot,
                                                    .nvmaxnorm = largest,
                                                    .nvmin = least,
                                                    .nvwrmsnorm = weighted };
  return make(s, context, (N_Vector_Ops)&ops);
}
