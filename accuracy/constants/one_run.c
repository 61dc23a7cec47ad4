/* One run of one problem: PROBLEM METHOD ACCURACY FILE. The true motion is read from FILE, or found and written there:
 * programs that repeat a run need not find it again. */
#include <stdio.h>
#include <stdlib.h>

#include "run.h"

static bool read_truth(const char *path, true_motion *truth) {
  FILE *from = fopen(path, "rb");
  if (!from) return false;
  const bool good = fread(truth, sizeof *truth, 1, from) == 1;
  fclose(from);
  return good;
}

static bool write_truth(const char *path, const true_motion *truth) {
  FILE *to = fopen(path, "wb");
  if (!to) return false;
  const bool good = fwrite(truth, sizeof *truth, 1, to) == 1;
  return !fclose(to) && good;
}

int main(int argc, char **argv) {
  static true_motion truth;
  static run out;
  run_request ask = { .companion = true, .most = 10000000 };
  const problem *p = argc == 5 ? find_problem(argv[1]) : NULL;
  if (!p) {
    fprintf(stderr, "usage: one_run PROBLEM METHOD ACCURACY FILE\n");
    return 2;
  }
  while (ask.method < CDN_METHOD_COUNT && strcmp(cdn_method_name(ask.method), argv[2]) != 0) ask.method++;
  ask.accuracy = atof(argv[3]);
  if (!read_truth(argv[4], &truth)) {
    find_truth(p, &truth);
    if (truth.failed || !write_truth(argv[4], &truth)) return 1;
  }
  cdn_state *start = p->start(p);
  run_problem(p, start, &truth, &ask, &out);
  printf(
      "%s, reached %.6g, error %.3e, estimate %.3e, verdict %d, evaluations %lld and %lld, steps %lld, rejected %lld\n",
      cdn_status_name(out.status), out.reached, out.error, out.estimate, (int)out.verdict, (long long)out.evaluations,
      (long long)out.companion_evaluations, (long long)out.steps, (long long)out.rejected);
  cdn_state_destroy(start);
  return out.status != CDN_OK;
}
