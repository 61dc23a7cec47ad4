/* A pool of threads that share a number of jobs; the caller is one of the threads. */
#ifndef CARDAN_CORE_THREADS_H
#define CARDAN_CORE_THREADS_H

#include "core/core.h"

typedef struct cdni_threads cdni_threads;

/* n threads in all, the caller's included; NULL if they cannot be started. */
cdni_threads *cdni_threads_create(const cdn_allocator *allocator, int n);
void cdni_threads_destroy(cdni_threads *threads);
/* Runs job(context, thread, i) for i = 0 ... n - 1, each once, on any thread; returns when all are done. */
void cdni_threads_run(cdni_threads *threads, void (*job)(void *context, int thread, int i), void *context, int n);

#endif
