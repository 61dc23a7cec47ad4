/* cardan plot, where Cairo was not there when the program was built. */
#include "command.h"

int command_plot(int argc, char **argv) {
  (void)argc, (void)argv;
  complain("plot: this cardan was built without Cairo (libcairo2-dev); build it again with -Dplot=enabled");
  return CMD_FAILED;
}
