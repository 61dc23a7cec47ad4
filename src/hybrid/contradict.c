/* Contacts that contradict each other: a press that is driven closes on a body that stands against a wall. Pushes
 * y >= 0 of such contacts cancel (W y = 0), and so no impulse at all changes the sum of their speeds weighed by y.
 * Where that sum is an approach, b y < 0, no solution exists (Farkas). Looking for y is itself a set of cones: the
 * pushes of
 *
 *   w = (W + b b^T) y + b >= 0,  y >= 0,  one of them an equality,
 *
 * make y^T W y + (b y + 1)^2 the least, which is zero if there are contradictions, and then only. */
#include <math.h>

#include "hybrid/moment.h"

/* Relative: sums that are zero but for rounding. */
static const double CANCELS = 1e-9;

/* Normals that move each other; contacts of others have no part in what they cancel. */
typedef struct search {
  const moment *m;
  int n;
  int *row, *place; /* rows of normals, and back; NOT_YET: it is in no search so far; OTHER: no normal */
  double *W, *scale, *b, *y, *w;
  int *first, *column;
  cone *cones;
} search;

enum { OTHER = -1, NOT_YET = -2 };

static size_t divide_lists(search *s, char *base) {
  size_t at = 0;
  s->row = cdni_part(base, &at, (size_t)s->m->n_cones, sizeof(int));
  s->place = cdni_part(base, &at, (size_t)s->m->rows, sizeof(int));
  return at;
}

static size_t divide(search *s, char *base) {
  const size_t n = (size_t)s->n, d = sizeof(double);
  size_t at = 0;
  s->W = cdni_part(base, &at, n * n, d), s->scale = cdni_part(base, &at, n, d), s->b = cdni_part(base, &at, n, d);
  s->y = cdni_part(base, &at, n, d), s->w = cdni_part(base, &at, n, d);
  s->first = cdni_part(base, &at, n + 1, sizeof(int)), s->column = cdni_part(base, &at, n * n, sizeof(int));
  s->cones = cdni_part(base, &at, n, sizeof *s->cones);
  return at;
}

static double scale_of(const moment *m, int row) {
  const double own = cdni_sparse_at(&m->W, row, row);
  return own > 0 ? 1 / sqrt(own) : 0;
}

/* Lists the normals that this one moves, and those that these move. */
static void collect(search *s, int start) {
  const sparse_rows *W = &s->m->W;
  s->n = 1, s->row[0] = start, s->place[start] = 0;
  for (int i = 0; i < s->n; i++)
    for (int k = W->first[s->row[i]]; k < W->first[s->row[i] + 1]; k++)
      if (s->place[W->column[k]] == NOT_YET) s->place[W->column[k]] = s->n, s->row[s->n++] = W->column[k];
}

/* In units in which W has a diagonal of 1, and the largest speed of all contacts is 1. */
static void fill(search *s, const double *b, double most) {
  const moment *m = s->m;
  for (int i = 0; i < s->n; i++) s->scale[i] = scale_of(m, s->row[i]);
  for (int i = 0; i < s->n; i++) {
    const int r = s->row[i];
    s->b[i] = most > 0 ? s->scale[i] * b[r] / most : 0;
    for (int k = m->W.first[r]; k < m->W.first[r + 1]; k++) {
      const int j = s->place[m->W.column[k]];
      if (j >= 0) s->W[i * s->n + j] = s->scale[i] * s->scale[j] * m->W.value[k];
    }
  }
}

/* Pushes that cancel, to s->y. */
static bool find(search *s) {
  const int n = s->n;
  double cancels = 0, most = 0, approach = 0;
  for (int i = 0; i < n; i++) {
    s->first[i] = i * n;
    s->cones[i] = (cone){ .normal = i, .tangent = -1, .closed = true };
    for (int j = 0; j < n; j++) s->column[i * n + j] = j, s->W[i * n + j] += s->b[i] * s->b[j];
  }
  s->first[n] = n * n;
  cone_problem problem = { .allocator = cdni_system_allocator(cdn_state_system(s->m->state)),
                           .rows = n,
                           .n = n,
                           .W = { s->first, s->column, s->W },
                           .b = s->b,
                           .cones = s->cones,
                           .p = s->y,
                           .w = s->w };
  if (!cdni_cones_solve(&problem)) return false;
  for (int i = 0; i < n; i++) most = fmax(most, s->y[i]), approach += s->b[i] * s->y[i];
  for (int i = 0; i < n; i++) cancels = fmax(cancels, fabs(s->w[i] - s->b[i] * (1 + approach)));
  return cancels <= CANCELS * most && approach <= -0.5;
}

static void name_of(const moment *m, int row, char *text, size_t size) {
  for (int i = 0; i < hybrid_sides(m->room); i++)
    if (m->side_cone[i] >= 0 && m->cones[m->side_cone[i]].normal == row)
      cdn_one_sided_text(m->state, (cdn_one_sided){ i }, text, size);
}

static cdn_status tell_one(const search *s, int i) {
  char name[128] = "?";
  name_of(s->m, s->row[i], name, sizeof name);
  return cdni_state_fail(
      s->m->state, CDN_ERR_CONSTRAINT, false, "cdn_settle", name,
      "what is driven closes '%s', where nothing can give way; let it be driven by a force or a motor "
      "with a limit",
      name);
}

/* The contact that pushes most, and of those of another name the one that does. */
static cdn_status tell(const search *s) {
  char name[2][128] = { "?", "itself" };
  for (int k = 0; k < 2; k++) {
    double most = 0;
    for (int i = 0; i < s->n; i++) {
      char other[128] = "?";
      name_of(s->m, s->row[i], other, sizeof other);
      if (!(s->scale[i] * s->y[i] > most) || (k > 0 && strcmp(other, name[0]) == 0)) continue;
      most = s->scale[i] * s->y[i];
      memcpy(name[k], other, sizeof other);
    }
  }
  return cdni_state_fail(s->m->state, CDN_ERR_CONSTRAINT, false, "cdn_settle", name[0],
                         "contacts contradict each other: what is driven closes '%s' against '%s', and no impulse "
                         "opens both; let what is driven give way, by a force or a motor with a limit",
                         name[0], name[1]);
}

/* Looks among the normals that have been collected. */
static cdn_status look(search *s, const double *b, double most) {
  const cdn_allocator *a = cdni_system_allocator(cdn_state_system(s->m->state));
  const size_t size = divide(s, NULL);
  char *memory = cdni_calloc(a, size);
  if (!memory) return cdni_moment_fits(s->m, false);
  divide(s, memory);
  fill(s, b, most);
  cdn_status status = CDN_OK;
  bool approach = false;
  for (int i = 0; i < s->n && status == CDN_OK; i++) {
    approach = approach || s->b[i] < 0;
    if (s->scale[i] == 0 && b[s->row[i]] < 0) status = tell_one(s, i);
  }
  if (status == CDN_OK && s->n > 1 && approach && find(s)) status = tell(s);
  cdni_free(a, memory, size);
  return status;
}

cdn_status cdni_moment_contradicts(const moment *m, const double *b) {
  search s = { .m = m };
  const cdn_allocator *a = cdni_system_allocator(cdn_state_system(m->state));
  const size_t size = divide_lists(&s, NULL) + 1;
  char *memory = cdni_calloc(a, size);
  if (!memory) return cdni_moment_fits(m, false);
  divide_lists(&s, memory);
  double most = 0;
  for (int r = 0; r < m->rows; r++) s.place[r] = OTHER;
  for (int i = 0; i < m->n_cones; i++) {
    const int r = m->cones[i].normal;
    if (r >= 0) s.place[r] = NOT_YET, most = fmax(most, fabs(scale_of(m, r) * b[r]));
  }
  cdn_status status = CDN_OK;
  for (int r = 0; r < m->rows && status == CDN_OK; r++) {
    if (s.place[r] != NOT_YET) continue;
    collect(&s, r);
    status = look(&s, b, most);
  }
  cdni_free(a, memory, size);
  return status;
}
