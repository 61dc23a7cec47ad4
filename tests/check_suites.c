/* The main of a program of several suites (check_main.h). */
#include "check_main.h"

#include <string.h>

struct check_entry *check_entries;

int main(int argc, char **argv) {
  for (struct check_entry *entry = check_entries; entry && argc == 2; entry = entry->next)
    if (strcmp(argv[1], entry->name) == 0) return entry->run();
  fprintf(stderr, "usage: %s SUITE, of these:\n", argv[0]);
  for (struct check_entry *entry = check_entries; entry; entry = entry->next) fprintf(stderr, "  %s\n", entry->name);
  return 99; // an error of how the test is run
}
