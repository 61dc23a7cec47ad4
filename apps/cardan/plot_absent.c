/* cardan plot and cardan render, where Cairo was not there when the program was built. */
#include "command.h"

static int refuse(const char *command) {
  complain("%s: this cardan was built without Cairo (libcairo2-dev); build it again with -Dplot=enabled", command);
  return CMD_FAILED;
}

int command_plot(int argc, char **argv) {
  (void)argc, (void)argv;
  return refuse("plot");
}

int command_render(int argc, char **argv) {
  (void)argc, (void)argv;
  return refuse("render");
}
