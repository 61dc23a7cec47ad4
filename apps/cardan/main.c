/* The command `cardan`: a thin face over the library. Finds the command that was asked for and runs it. */
#include "command.h"

#include <string.h>

static const struct {
  const char *name;
  int (*run)(int argc, char **argv);
} commands[] = {
  { "info", command_info },         { "eval", command_eval },
  { "assemble", command_assemble }, { "equilibrium", command_equilibrium },
  { "modes", command_modes },       { "simulate", command_simulate },
  { "plot", command_plot },         { "render", command_render },
  { "export", command_export },     { "speed", command_speed },
  { "view", command_view },
};
enum { N_COMMANDS = sizeof commands / sizeof commands[0] };

static const char help[] =
    "cardan: simulation of jointed bodies, from a model file (URDF or MJCF)\n"
    "\n"
    "usage: cardan COMMAND FILE [options]\n"
    "\n"
    "commands\n"
    "  info      what a model holds: bodies, joints, coordinates, mass, and what is not simulated\n"
    "  eval      one evaluation: poses, velocities, accelerations, energies, mass matrix\n"
    "  assemble  coordinates that satisfy the constraints, near what is wanted\n"
    "  equilibrium  where the model comes to rest\n"
    "  modes     how it vibrates there: frequencies, damping, shapes\n"
    "  simulate  a trajectory of asked accuracy, and a certificate of what it is worth\n"
    "  plot      a picture of a trajectory: coordinates, energies, step sizes\n"
    "  render    a picture of the model, or a video of a run\n"
    "  view      the model in a browser, running: to look at, to steer, to pull\n"
    "  export    the model and its motion as glTF, poses, or a keyframe\n"
    "  speed     what the model costs on this machine: realizations, dynamics, steps a second\n"
    "  help      this page; 'cardan COMMAND --help' has the options of one command\n"
    "\n"
    "examples\n"
    "  cardan info robot.urdf\n"
    "  cardan eval robot.urdf --state pose.json --json\n"
    "  cardan simulate humanoid.xml --duration 2 --accuracy 1e-6 -o fall.csv\n"
    "\n"
    "Numbers are in SI units and radians, and printed so that reading them back gives the same bits.\n"
    "\n"
    "exit codes\n"
    "  0  success\n"
    "  1  the numbers failed: a singular mass matrix, a step that became too small, no memory\n"
    "  2  a wrong option, value or name on the command line\n"
    "  3  a file could not be read, or its contents are wrong\n"
    "  4  a file or standard output could not be written\n"
    "  5  --strict: the model holds something that is not simulated\n"
    "  6  simulate --verify: the run did not deliver the accuracy that was asked for\n"
    "  7  simulate --verify: nobody knows whether the run delivered it\n"
    "  130  interrupted (128 + the signal's number); the rows written so far are kept\n";

/* One line: what the build lacks, with the package that brings it. */
static void print_help(FILE *to) {
  fputs(help, to);
  fprintf(to, "\nthis build %s%s\n", BUILD_LACKS[0] ? "lacks " : "has everything", BUILD_LACKS);
}

static int dispatch(int argc, char **argv) {
  if (argc < 2) {
    print_help(stderr);
    return CMD_USAGE;
  }
  const char *word = argv[1];
  if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0) {
    uint32_t v = cdn_version();
    printf("cardan %u.%u.%u\n", (unsigned)(v / 1000000), (unsigned)(v / 1000 % 1000), (unsigned)(v % 1000));
    return CMD_OK;
  }
  bool asks_help = strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0;
  if (asks_help && argc < 3) {
    print_help(stdout);
    return CMD_OK;
  }
  // "cardan help simulate" is "cardan simulate --help"
  char *only_help[] = { "--help" };
  if (asks_help) {
    word = argv[2];
    argc = 1;
    argv = only_help;
  } else {
    argc -= 2;
    argv += 2;
  }
  for (int i = 0; i < N_COMMANDS; i++) {
    if (strcmp(word, commands[i].name) == 0) return commands[i].run(argc, argv);
  }
  const char *names[N_COMMANDS];
  for (int i = 0; i < N_COMMANDS; i++) names[i] = commands[i].name;
  const char *closest = closest_word(word, names, N_COMMANDS);
  const char *what = word[0] == '-' ? "option" : "command";
  if (closest) complain("unknown %s '%s'; did you mean 'cardan %s'?", what, word, closest);
  else
    complain(
        "unknown %s '%s'; the commands are info, eval, assemble, equilibrium, modes, simulate, plot, render, view, export and speed "
        "('cardan --help' explains)",
        what, word);
  return CMD_USAGE;
}

int main(int argc, char **argv) {
  int code = dispatch(argc, argv);
  // what went to standard output counts as written only now
  if (!finish_output(stdout, "standard output") && code == CMD_OK) code = CMD_OUTPUT;
  return code;
}
