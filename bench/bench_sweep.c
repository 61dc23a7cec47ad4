/* What a sweep costs beside its runs: cases of about a millisecond, run by cdn_sweep_run_block and by a plain loop that
 * does the same by hand and writes nothing. They take turns, block by block; processor time with that of the system;
 * the median of the ratios of all blocks.
 *
 * bench_sweep MODEL [DURATION]    the model has a coordinate "elbow.q" and a force "elbow damper"; duration of its
 * runs, s, instead of one at which a case takes a millisecond
 *
 * To count instructions: valgrind --tool=callgrind --toggle-collect=run_block bench_sweep examples/models/arm.urdf 0.6,
 * and once more with plain_loop. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cardan/cardan.h>

enum { CASES = 2560 };
#define RESULTS "/tmp/cardan_bench_sweep"

static double duration;

#define DO(call)                                                   \
  do {                                                             \
    if ((call) != CDN_OK) {                                        \
      fprintf(stderr, "bench_sweep: %s\n", cdn_last_error_text()); \
      exit(1);                                                     \
    }                                                              \
  } while (0)

/* Of this process, with what the system does for it. */
static double processor_time(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static cdn_sweep *load(const char *model) {
  char text[2048];
  cdn_sweep *sweep;
  snprintf(text, sizeof text,
           "{ \"cardan study\": 1, \"model\": \"%s\", \"results\": \"%s\", \"duration\": %g, \"accuracy\": 1e-5,\n"
           "  \"cases\": %d, \"sampling\": \"sobol\",\n"
           "  \"vary\": { \"elbow.q\": { \"uniform\": [-0.5, 0.5] },\n"
           "    \"damping\": { \"log-uniform\": [0.5, 2], \"as\": \"factor\", \"sets\": \"force/elbow damper/c\" } },\n"
           "  \"keep\": { \"end\": [\"elbow.q\", \"total energy\"] } }",
           model, RESULTS, duration, (int)CASES);
  DO(cdn_sweep_load_string(text, strlen(text), "bench.json", &sweep));
  return sweep;
}

/* The runs by hand: the values are the sweep's. */
static double __attribute__((noinline, noclone)) plain_loop(cdn_sweep *sweep, int64_t first, int64_t cases) {
  const cdn_system *system = cdn_sweep_system(sweep);
  const int elbow = cdn_system_find_slot(system, CDN_POOL_Q, "elbow.q");
  cdn_state *base, *work;
  double damping, energy[2], sum = 0;
  DO(cdn_state_create(system, &base));
  DO(cdn_state_create(system, &work));
  DO(cdn_parameter_get(base, CDN_ELEMENT_FORCE, "elbow damper", "c", &damping));
  for (int64_t k = first; k < first + cases; k++) {
    double values[2];
    cdn_stepper *stepper;
    cdn_certificate certificate;
    cdn_stepper_def def = cdn_default_stepper_def();
    def.accuracy = 1e-5, def.final_time = duration, def.companion = true;
    DO(cdn_sweep_values(sweep, k, values));
    DO(cdn_state_copy(work, base));
    DO(cdn_state_set_slots(work, CDN_POOL_Q, elbow, 1, &values[0]));
    DO(cdn_parameter_set(work, CDN_ELEMENT_FORCE, "elbow damper", "c", damping * values[1]));
    DO(cdn_stepper_create(work, &def, &stepper));
    for (int i = 1; i <= 10; i++) DO(cdn_stepper_advance(stepper, i < 10 ? i * duration / 10 : duration, NULL));
    DO(cdn_stepper_certificate(stepper, &certificate));
    cdn_state *end = cdn_stepper_state(stepper);
    DO(cdn_kinetic_energy(end, &energy[0]));
    DO(cdn_potential_energy(end, &energy[1]));
    sum += cdn_state_q(end)[elbow] + energy[0] + energy[1] + certificate.error_estimate;
    cdn_stepper_destroy(stepper);
  }
  cdn_state_destroy(base);
  cdn_state_destroy(work);
  return sum;
}

static void __attribute__((noinline, noclone)) run_block(cdn_sweep *sweep, int64_t i) {
  DO(cdn_sweep_run_block(sweep, i, NULL));
}

static void empty(void) {
  if (system("rm -rf " RESULTS)) exit(1);
}

/* A duration with which a case takes a millisecond. */
static void choose_duration(const char *model) {
  duration = 0.05;
  for (double took = 0; took < 1e-3; duration *= took < 1e-3 ? 1.1 : 1) {
    cdn_sweep *sweep = load(model);
    const double began = processor_time();
    plain_loop(sweep, 0, CASES / 10);
    took = (processor_time() - began) / (CASES / 10);
    cdn_sweep_destroy(sweep);
  }
}

static int compare(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

int main(int argc, char **argv) {
  enum { MOST = 256 };
  double ratio[MOST], sum[2] = { 0 };
  if (argc < 2) return fputs("usage: bench_sweep MODEL [DURATION]\n", stderr), 2;
  if (argc > 2) duration = strtod(argv[2], NULL);
  else choose_duration(argv[1]);
  empty();
  cdn_sweep *sweep = load(argv[1]);
  const int64_t size = cdn_sweep_block_size(sweep);
  const int blocks = (int)cdn_sweep_block_count(sweep);
  for (int i = 0; i < blocks && i < MOST; i++) {
    const double began = processor_time();
    plain_loop(sweep, i * size, size);
    const double between = processor_time();
    run_block(sweep, i);
    const double ended = processor_time();
    ratio[i] = (ended - between) / (between - began);
    sum[0] += between - began, sum[1] += ended - between;
  }
  qsort(ratio, (size_t)blocks, sizeof *ratio, compare);
  printf("%d cases in %d blocks, runs of %.3g s\n", CASES, blocks, duration);
  printf("plain loop %.4f ms a case, sweep %.4f ms\n", 1e3 * sum[0] / CASES, 1e3 * sum[1] / CASES);
  printf("ratio %.4f (median of the blocks; quarters %.4f, %.4f)\n", ratio[blocks / 2], ratio[blocks / 4],
         ratio[3 * blocks / 4]);
  cdn_sweep_destroy(sweep);
  empty();
  return 0;
}
