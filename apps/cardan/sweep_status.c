/* Where a study stands: what `cardan sweep --status` prints, and programs that run studies at their end. */
#include "sweep.h"

#include <math.h>

static void print_left(double seconds) {
  if (isnan(seconds)) printf("  time left      not known: nothing has been run yet\n");
  else if (seconds < 100) printf("  time left      %.2g s\n", seconds);
  else if (seconds < 7200) printf("  time left      %.0f min\n", seconds / 60);
  else printf("  time left      %.3g h\n", seconds / 3600);
}

int sweep_print_status(cdn_sweep *sweep) {
  cdn_sweep_report r;
  if (cdn_sweep_status(sweep, &r) != CDN_OK) {
    complain_last_error();
    return CMD_INPUT;
  }
  printf("%s: %lld of %lld cases, %lld of %lld blocks\n", visible(cdn_sweep_folder(sweep)), (long long)r.cases_done,
         (long long)r.cases, (long long)r.blocks_done, (long long)r.blocks);
  if (r.cases_done > 0)
    printf("  delivered      %lld, not delivered %lld, unknown %lld\n", (long long)r.delivered,
           (long long)r.not_delivered, (long long)(r.cases_done - r.failed - r.delivered - r.not_delivered));
  printf("  failed         %lld\n", (long long)r.failed);
  for (int i = 0; i < r.n_reasons; i++)
    printf("    %lld: %s (first: case %lld)\n", (long long)r.reason_count[i], cdn_sweep_status_text(r.reason[i]),
           (long long)r.reason_case[i]);
  if (r.blocks_running > 0) printf("  running        %lld blocks\n", (long long)r.blocks_running);
  if (r.cases_done < r.cases) print_left(r.seconds_left);
  return CMD_OK;
}
