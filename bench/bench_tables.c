/* What tables cost: the time and the size of HDF5 and NumPy beside comma-separated values, and the memory of a writer
 * at 10^4 and at 10^6 rows. Each table is written by a process of its own. */
#define _GNU_SOURCE
#include <cardan/table.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { COLUMNS = 54, FEW = 10000, MANY = 1000000, TURNS = 3 };

typedef struct measured {
  double seconds, bytes, peak; /* of the processor; of the file; of memory, MB */
} measured;

static double processor(void) {
  struct rusage u;
  getrusage(RUSAGE_SELF, &u);
  return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) + 1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

static void need(cdn_status status) {
  if (status == CDN_OK) return;
  fprintf(stderr, "bench_tables: %s\n", cdn_last_error_text());
  _exit(1);
}

/* Numbers with all their digits; a few thousand of them, so that making them does not count. */
static void write_table(const char *path, int rows, measured *out) {
  enum { PERIOD = 97 };
  static double numbers[PERIOD][COLUMNS];
  static char names[COLUMNS][24];
  const char *list[COLUMNS];
  for (int k = 0; k < COLUMNS; k++) {
    snprintf(names[k], sizeof names[k], k ? "joint %d.q" : "time", k);
    list[k] = names[k];
    for (int i = 0; i < PERIOD; i++) numbers[i][k] = sin(1. + i * COLUMNS + k) * pow(10, k % 5 - 2);
  }
  cdn_table_def def = cdn_default_table_def();
  def.names = list, def.n_columns = COLUMNS;
  cdn_table_writer *w;
  const double began = processor();
  need(cdn_table_create(path, &def, &w));
  for (int i = 0; i < rows; i++) {
    double *row = numbers[i % PERIOD];
    row[0] = i * 1e-3;
    need(cdn_table_rows(w, 1, row));
  }
  need(cdn_table_close(w));
  struct rusage u;
  struct stat info;
  getrusage(RUSAGE_SELF, &u);
  stat(path, &info);
  *out = (measured){ processor() - began, (double)info.st_size, (double)u.ru_maxrss / 1024 };
}

/* The least of several turns. */
static measured measure(const char *folder, const char *name, int rows) {
  char path[512];
  measured best = { INFINITY, 0, 0 };
  measured *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  snprintf(path, sizeof path, "%s/%s", folder, name);
  for (int i = 0; i < TURNS; i++) {
    int status;
    const pid_t child = fork();
    if (child == 0) write_table(path, rows, shared), _exit(0);
    waitpid(child, &status, 0);
    if (status != 0) exit(1);
    if (shared->seconds < best.seconds) best = *shared;
    unlink(path);
  }
  munmap(shared, sizeof *shared);
  return best;
}

static int tell(const char *what, double ratio, double target) {
  printf("%-40s %8.4f  target %g%s\n", what, ratio, target, ratio <= target ? "" : "  MISSED");
  return ratio <= target ? 0 : 1;
}

int main(void) {
  char folder[] = "/tmp/cardan-bench-XXXXXX";
  if (!mkdtemp(folder)) return 1;
  static const char *const names[] = { "run.csv", "run.h5", "run.npz" };
  measured few[3], many[3];
  for (int f = 0; f < 3; f++) {
    few[f] = measure(folder, names[f], FEW);
    printf("%-8s %8d rows of %d: %8.3f s, %6.1f ns a number, %8.2f MB, memory %6.1f MB\n", names[f], FEW, COLUMNS,
           few[f].seconds, 1e9 * few[f].seconds / FEW / COLUMNS, few[f].bytes / 1e6, few[f].peak);
  }
  for (int f = 1; f < 3; f++) {
    many[f] = measure(folder, names[f], MANY);
    printf("%-8s %8d rows of %d: %8.3f s, %6.1f ns a number, %8.2f MB, memory %6.1f MB\n", names[f], MANY, COLUMNS,
           many[f].seconds, 1e9 * many[f].seconds / MANY / COLUMNS, many[f].bytes / 1e6, many[f].peak);
  }
  rmdir(folder);
  int missed = 0;
  missed += tell("HDF5's time over that of CSV", many[1].seconds / MANY / (few[0].seconds / FEW), 1. / 20);
  missed += tell("HDF5's size over that of CSV", many[1].bytes / MANY / (few[0].bytes / FEW), 0.5);
  missed += tell("HDF5's memory at 10^6 rows over 10^4", many[1].peak / few[1].peak, 1.1);
  missed += tell("NumPy's time over that of CSV", many[2].seconds / MANY / (few[0].seconds / FEW), 1. / 20);
  return missed > 0;
}
