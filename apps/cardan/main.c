/* The command `cardan`: a thin face over the library. Finds the command that was asked for and runs it. */
#include "command.h"

#include <string.h>

/* In the order of the help. */
static const command_entry commands[] = {
  { "info", command_info, "what a model holds: bodies, joints, coordinates, mass, and what is not simulated" },
  { "eval", command_eval, "one evaluation: poses, velocities, accelerations, energies, mass matrix" },
  { "assemble", command_assemble, "coordinates that satisfy the constraints, near what is wanted" },
  { "equilibrium", command_equilibrium, "where the model comes to rest" },
  { "modes", command_modes, "how it vibrates there: frequencies, damping, shapes" },
  { "simulate", command_simulate, "a trajectory of asked accuracy, and a certificate of what it is worth" },
  { "md", command_md, "a molecule of AMBER's files: energies by term, a run of some of its bonds" },
  { "compare", command_compare, "two trajectories: by how much each quantity differs, and when" },
  { "plot", command_plot, "a picture of a trajectory: coordinates, energies, step sizes" },
  { "render", command_render, "a picture of the model, or a video of a run" },
  { "view", command_view, "the model in a browser, running: to look at, to steer, to pull" },
  { "export", command_export, "the model and its motion as glTF, poses, or a keyframe" },
  { "convert", command_convert, "the model as a file of another format" },
  { "rollout", command_rollout, "many runs under given controls, and their states as an array" },
  { "sweep", command_sweep, "many runs as a study says: what varies, what is kept; run, looked at, gathered" },
  { "speed", command_speed, "what the model costs on this machine: realizations, dynamics, steps a second" },
};
enum { N_COMMANDS = sizeof commands / sizeof commands[0] };

#define WHAT "simulation of jointed bodies, from a model file (URDF or MJCF; molecules: prmtop)"
static const char help[] =
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
    "  8  compare: the trajectories differ by more than the tolerance\n"
    "  130  interrupted (128 + the signal's number); the rows written so far are kept\n";

/* One line: what the build lacks, with the package that brings it. */
static void print_help(FILE *to) {
  fputs("cardan: " WHAT "\n\nusage: cardan COMMAND FILE [options]\n\ncommands\n", to);
  for (int i = 0; i < N_COMMANDS; i++) fprintf(to, "  %-11s  %s\n", commands[i].name, commands[i].about);
  fprintf(to, "  %-11s  %s\n", "help", "this page; 'cardan COMMAND --help' has the options of one command");
  fprintf(to, "  %-11s  %s\n\n", "completion", "a script by which bash, zsh or fish completes what you type");
  fputs(help, to);
  fprintf(to, "\nthis build %s%s\n", BUILD_LACKS[0] ? "lacks " : "has everything", BUILD_LACKS);
}

static int dispatch(int argc, char **argv) {
  if (argc < 2) {
    print_help(stderr);
    return CMD_USAGE;
  }
  const char *word = argv[1];
  if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0) return print_version();
  bool asks_help = strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0;
  if (asks_help && argc < 3) {
    print_help(stdout);
    return CMD_OK;
  }
  if (strcmp(word, "completion") == 0) return print_completion(argv[2], commands, N_COMMANDS);
  // "cardan help simulate" is "cardan simulate --help"; "cardan help --man simulate" is the page of the manual
  char *only_help[] = { "--help" };
  if (asks_help) {
    const bool manual = strcmp(argv[2], "--man") == 0;
    if (manual && argc < 4) {
      print_main_manual(commands, N_COMMANDS, WHAT, help);
      return CMD_OK;
    }
    word = argv[manual ? 3 : 2];
    for (int i = 0; i < N_COMMANDS && manual; i++)
      if (strcmp(word, commands[i].name) == 0) choose_manual(commands[i].about);
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
  const char *closest = cdni_closest_word(word, names, N_COMMANDS);
  const char *kind = word[0] == '-' ? "option" : "command";
  char list[N_COMMANDS * 16] = "";
  for (int i = 0; i < N_COMMANDS; i++)
    snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s",
             i == 0               ? ""
             : i + 1 < N_COMMANDS ? ", "
                                  : " and ",
             names[i]);
  if (closest) complain("unknown %s '%s'; did you mean 'cardan %s'?", kind, word, closest);
  else complain("unknown %s '%s'; the commands are %s ('cardan --help' explains)", kind, word, list);
  return CMD_USAGE;
}

int main(int argc, char **argv) {
  int code = dispatch(argc, argv);
  // what went to standard output counts as written only now
  if (!finish_output(stdout, "standard output") && code == CMD_OK) code = CMD_OUTPUT;
  return code;
}
