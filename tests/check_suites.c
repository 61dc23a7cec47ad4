/* The main of a program of several suites (check_main.h): its argument is the name of a file, test_lane for
 * unit/test_lane.c. A program of one suite needs none. */
#include "check_main.h"

#include <string.h>

struct check_entry *check_entries;

/* Without folder and suffix. */
static void name_of(const struct check_entry *entry, char *name, size_t size) {
  const char *slash = strrchr(entry->file, '/'), *base = slash ? slash + 1 : entry->file;
  snprintf(name, size, "%.*s", (int)strcspn(base, "."), base);
}

int main(int argc, char **argv) {
  char name[128];
  for (struct check_entry *entry = check_entries; entry; entry = entry->next) {
    name_of(entry, name, sizeof name);
    if (argc == 2 ? strcmp(argv[1], name) == 0 : argc == 1 && !check_entries->next) return entry->run();
  }
  fprintf(stderr, "usage: %s SUITE, of these:\n", argv[0]);
  for (struct check_entry *entry = check_entries; entry; entry = entry->next) {
    name_of(entry, name, sizeof name);
    fprintf(stderr, "  %s\n", name);
  }
  return 99; // an error of how the test is run
}
