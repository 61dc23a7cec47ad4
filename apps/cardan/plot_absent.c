/* cardan plot, cardan render and pictures of molecules, where Cairo was not there when the program was built. */
#include "md.h"

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

int md_draw(const md_arguments *a, const md_molecule *m) {
  (void)a, (void)m;
  return refuse("md --picture");
}
