/* Sums over pairs in shares that threads take. Which rows a share has is decided when the molecule is added, and shares
 * are added up in their order: no result depends on who made them. */
#include <math.h>
#include <stdatomic.h>

#include "core/threads.h"
#include "molecules/field.h"
#include "system/system.h"

/* The threads of a field. States of its System may ask for sums at the same time: one of them has the threads, and
 * the others go without. */
typedef struct field_threads {
  atomic_flag busy;
  cdni_threads *pool;
} field_threads;

bool mol_shares_make(field *f, int threads) {
  f->n_shares = f->n >= SHARED_FROM ? MOST_SHARES : 1;
  for (int s = 0; s <= f->n_shares; s++) {
    /* Lists have as many entries in each row, triangles fewer and fewer. */
    const double part = (double)s / f->n_shares, rows = f->cutoff.distance > 0 ? part : 1 - sqrt(1 - part);
    f->share[s] = s == f->n_shares ? f->n : (int32_t)(rows * f->n);
  }
  if (threads > f->n_shares) threads = f->n_shares;
  if (threads < 2) return true;
  f->threads = cdni_calloc(&f->memory, sizeof *f->threads);
  if (!f->threads) return false;
  atomic_flag_clear(&f->threads->busy);
  f->threads->pool = cdni_threads_create(&f->memory, threads);
  return f->threads->pool != NULL;
}

void mol_shares_free(field *f) {
  if (!f->threads) return;
  cdni_threads_destroy(f->threads->pool);
  cdni_free(&f->memory, f->threads, sizeof *f->threads);
  f->threads = NULL;
}

/* ---- a sum ---- */

typedef struct job {
  const field_sum *sum;
  field_kernel *kernel;
  field_share *share;
} job;

enum { SHARE_ROWS = 5 };

static void run(void *context, int thread, int i) {
  (void)thread;
  const job *j = context;
  field_share *s = &j->share[i];
  const field *f = j->sum->f;
  const size_t size = (size_t)f->row * sizeof *s->row;
  if (f->n_shares > 1) memset(s->fx, 0, size), memset(s->fy, 0, size), memset(s->fz, 0, size);
  memset(s->row, 0, size);
  j->kernel(j->sum, s);
}

static void run_all(const field *f, job *j) {
  field_threads *t = f->threads;
  if (t && !atomic_flag_test_and_set_explicit(&t->busy, memory_order_acquire)) {
    cdni_threads_run(t->pool, run, j, f->n_shares);
    atomic_flag_clear_explicit(&t->busy, memory_order_release);
  } else
    for (int i = 0; i < f->n_shares; i++) run(j, 0, i);
}

static void add_row(const field *f, double *restrict to, const double *restrict from, int first) {
  for (int i = first; i < f->row; i++) to[i] += from[i];
}

cdn_status mol_sum(const field_sum *sum, cdn_state *state, field_kernel *kernel, field_work *w, double *row,
                   double energy[2]) {
  const field *f = sum->f;
  const size_t size = (size_t)f->row;
  const bool alone = f->n_shares == 1; /* it adds its forces where they belong */
  double *memory = cdn_work_push(state, SHARE_ROWS * (size_t)f->n_shares * size * sizeof *memory);
  if (!memory) return cdni_state_fail(state, CDN_ERR_NOMEM, false, "cdn_realize", f->name, "out of memory");
  field_share share[MOST_SHARES];
  for (int s = 0; s < f->n_shares; s++) {
    double *own = memory + (size_t)s * SHARE_ROWS * size;
    share[s] = (field_share){ .first = f->share[s],
                              .end = f->share[s + 1],
                              .fx = alone ? w->fx : own,
                              .fy = alone ? w->fy : own + size,
                              .fz = alone ? w->fz : own + 2 * size,
                              .row = own + 3 * size,
                              .places = (int32_t *)(own + 4 * size) };
  }
  run_all(f, &(job){ sum, kernel, share });
  energy[0] = energy[1] = 0;
  for (int s = 0; s < f->n_shares; s++) {
    field_share *h = &share[s];
    energy[0] += h->energy[0], energy[1] += h->energy[1];
    /* a sum of Born models begins in the block of its first row */
    const int first = h->first / FIELD_ROW * FIELD_ROW;
    if (row) add_row(f, row, h->row, first);
    if (alone) continue;
    add_row(f, w->fx, h->fx, first), add_row(f, w->fy, h->fy, first), add_row(f, w->fz, h->fz, first);
  }
  cdn_work_pop(state, memory);
  return CDN_OK;
}
