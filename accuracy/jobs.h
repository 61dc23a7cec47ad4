/* Work in processes of its own, several at a time: a run that crashes or hangs takes nothing with it. */
#ifndef CARDAN_ACCURACY_JOBS_H
#define CARDAN_ACCURACY_JOBS_H

#include <stdbool.h>
#include <stddef.h>

/* Memory that these processes share, zeros to begin with; NULL if there is none. It lasts until the program ends. */
void *shared_memory(size_t bytes);

typedef struct jobs {
  int n;
  void (*work)(void *context, int job);     /* in a process of its own */
  void (*finished)(void *context, int job); /* in this one, in the order of the jobs; may be NULL */
  void *context;
  const char *what; /* for the line of progress */
} jobs;

/* Runs them by `workers` processes (0: one a processor), each job for at most `seconds` of a processor. False if no
 * process can be started. Progress is shown on a terminal. */
bool run_jobs(const jobs *jobs, int workers, unsigned seconds);

#endif
