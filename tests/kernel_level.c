/* Which kernels a test program runs. CARDAN_TEST_KERNELS is base, v3 or v4: the sets for that level of x86-64,
 * ensembles in the most lanes that it has; without it the machine's best, as everywhere. A machine without that level
 * skips the program. This takes the place of the library's own choice (math/kernel_sets.h) in programs that are linked
 * to the archive. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "math/kernel_sets.h"

static int level;

__attribute__((constructor)) static void choose(void) {
  static const char *const names[] = { [1] = "base", [3] = "v3", [4] = "v4" };
  const char *wanted = getenv("CARDAN_TEST_KERNELS");
  const int machine = cdni_machine_level();
  level = wanted ? 0 : machine;
  for (int i = 1; wanted && i <= 4; i++)
    if (names[i] && strcmp(wanted, names[i]) == 0) level = i;
  if (level == 0) {
    fprintf(stderr, "CARDAN_TEST_KERNELS is '%s': it can be base, v3 or v4\n", wanted);
    exit(99);
  }
  if (level > machine) {
    fprintf(stderr, "skipped: this processor cannot run the kernels '%s'\n", wanted);
    exit(77);
  }
}

int cdni_kernel_level(void) { return level; }
