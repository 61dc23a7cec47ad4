#include "core/threads.h"

#include <pthread.h>
#include <stdatomic.h>

typedef struct helper {
  cdni_threads *pool;
  pthread_t thread;
  int number; /* the caller is 0 */
} helper;

struct cdni_threads {
  cdn_allocator allocator;
  int n, size; /* helpers that run, and for how many there is room */
  helper *helpers;
  pthread_mutex_t mutex;
  pthread_cond_t work, done;
  /* Under the mutex. */
  int64_t round; /* counts the calls of run */
  int busy;      /* helpers that have not finished the present round */
  bool leave;
  /* Set before a round begins. */
  void (*job)(void *context, int thread, int i);
  void *context;
  int n_jobs;
  atomic_int next;
};

static void take_jobs(cdni_threads *p, int thread) {
  for (int i; (i = atomic_fetch_add(&p->next, 1)) < p->n_jobs;) p->job(p->context, thread, i);
}

static void *help(void *data) {
  const helper *self = data;
  cdni_threads *p = self->pool;
  int64_t seen = 0;
  pthread_mutex_lock(&p->mutex);
  for (;;) {
    while (!p->leave && p->round == seen) pthread_cond_wait(&p->work, &p->mutex);
    if (p->leave) break;
    seen = p->round;
    pthread_mutex_unlock(&p->mutex);
    take_jobs(p, self->number);
    pthread_mutex_lock(&p->mutex);
    if (--p->busy == 0) pthread_cond_signal(&p->done);
  }
  pthread_mutex_unlock(&p->mutex);
  return NULL;
}

cdni_threads *cdni_threads_create(const cdn_allocator *allocator, int n) {
  cdni_threads *p = cdni_calloc(allocator, sizeof *p);
  if (!p) return NULL;
  p->allocator = *allocator;
  pthread_mutex_init(&p->mutex, NULL);
  pthread_cond_init(&p->work, NULL);
  pthread_cond_init(&p->done, NULL);
  if (n > 1) p->helpers = cdni_calloc(allocator, (size_t)(n - 1) * sizeof *p->helpers);
  p->size = p->helpers ? n - 1 : 0;
  for (bool there = p->size == n - 1; p->n < n - 1; p->n++) {
    if (there) p->helpers[p->n] = (helper){ .pool = p, .number = p->n + 1 };
    there = there && pthread_create(&p->helpers[p->n].thread, NULL, help, &p->helpers[p->n]) == 0;
    if (there) continue;
    cdni_threads_destroy(p);
    return NULL;
  }
  return p;
}

void cdni_threads_destroy(cdni_threads *p) {
  if (!p) return;
  pthread_mutex_lock(&p->mutex);
  p->leave = true;
  pthread_cond_broadcast(&p->work);
  pthread_mutex_unlock(&p->mutex);
  for (int i = 0; i < p->n; i++) pthread_join(p->helpers[i].thread, NULL);
  if (p->helpers) cdni_free(&p->allocator, p->helpers, (size_t)p->size * sizeof *p->helpers);
  pthread_cond_destroy(&p->done);
  pthread_cond_destroy(&p->work);
  pthread_mutex_destroy(&p->mutex);
  const cdn_allocator a = p->allocator;
  cdni_free(&a, p, sizeof *p);
}

void cdni_threads_run(cdni_threads *p, void (*job)(void *context, int thread, int i), void *context, int n) {
  p->job = job;
  p->context = context;
  p->n_jobs = n;
  atomic_store(&p->next, 0);
  if (p->n == 0 || n <= 1) {
    take_jobs(p, 0);
    return;
  }
  pthread_mutex_lock(&p->mutex);
  p->round++;
  p->busy = p->n;
  pthread_cond_broadcast(&p->work);
  pthread_mutex_unlock(&p->mutex);
  take_jobs(p, 0);
  pthread_mutex_lock(&p->mutex);
  while (p->busy > 0) pthread_cond_wait(&p->done, &p->mutex);
  pthread_mutex_unlock(&p->mutex);
}
