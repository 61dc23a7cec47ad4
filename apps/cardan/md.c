/* cardan md: a molecule of AMBER's files in internal coordinates: its energies, its motion. */
#include "md.h"
#include "simulate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const help_page page = {
  "md", "MOLECULE.prmtop COORDS.inpcrd --duration T [options]  or  --energies",
  "Reads an AMBER topology and coordinates (inpcrd, rst7, NetCDF), and lets the bonds of --mobile move: a run at\n"
  "constant energy by equal steps of velocity Verlet. Speeds are fitted to the velocities of the file; without them\n"
  "the molecule starts at rest. --energies evaluates once and ends.\n"
  "\n"
  "rules of --mobile: torsions (bonds in no ring, but to end atoms), backbone, side-chains, bends, flexible, atoms,\n"
  "none; with residues, such as 'torsions 3-7,12'. Several add up: 'none; side-chains 4'.\n"
  "Times are in ps, or have a unit: 4fs, 0.004ps, 1ns.\n",
  "  cardan md protein.prmtop protein.inpcrd --energies --solvent obc2\n"
  "  cardan md protein.prmtop protein.rst7 --duration 10 --step 2fs --solvent obc2 -o run.dcd --table run.csv\n"
  "  cardan md protein.prmtop protein.inpcrd --energies --picture protein.png\n",
  "which molecule? Name an AMBER topology (prmtop) and coordinates (inpcrd, rst7)"
};

/* ---- arguments ----------------------------------------------------------------------------- */

/* Reads a time in ps: a number, then fs, ps or ns or nothing. */
static bool read_time(const char *flag, const char *text, double *ps) {
  char *end;
  *ps = strtod(text, &end);
  if (strcmp(end, "fs") == 0) *ps *= 1e-3;
  else if (strcmp(end, "ns") == 0) *ps *= 1e3;
  else if (*end && strcmp(end, "ps") != 0) end = NULL;
  if (end && end != text && isfinite(*ps) && *ps > 0) return true;
  complain("%s: '%s' is not a time above zero, such as 0.002 (ps), 2fs or 1ns", flag, visible(text));
  return false;
}

static bool find_solvent(md_arguments *a) {
  static const char *const names[] = { "vacuum", "hct", "obc1", "obc2", "gbn", "gbn2" };
  _Static_assert(sizeof names / sizeof *names == CDN_SOLVENT_COUNT, "a solvent has no name");
  for (int i = 0; a->solvent && i < CDN_SOLVENT_COUNT; i++)
    if (strcmp(a->solvent, names[i]) == 0) a->model = (cdn_solvent_model)i, a->solvent = NULL;
  if (a->solvent) {
    const char *closest = closest_word(a->solvent, names, CDN_SOLVENT_COUNT);
    complain("--solvent %s: the solvents are vacuum, hct, obc1, obc2, gbn and gbn2%s%s%s", visible(a->solvent),
             closest ? "; did you mean " : "", closest ? closest : "", closest ? "?" : "");
    return false;
  }
  if (a->salt > 0 && a->model == CDN_SOLVENT_VACUUM) {
    complain("--salt needs a solvent: --solvent hct, obc1, obc2, gbn or gbn2");
    return false;
  }
  return true;
}

static bool read_times(md_arguments *a) {
  if (a->step_text && !read_time("--step", a->step_text, &a->step)) return false;
  if (a->duration_text && !read_time("--duration", a->duration_text, &a->duration)) return false;
  if (a->report_text && !read_time("--report", a->report_text, &a->report)) return false;
  if (a->duration == 0 && !a->energies) {
    complain("md needs --duration T: how long to simulate, in ps; or --energies, for one evaluation");
    return false;
  }
  if (a->energies &&
      (a->duration > 0 || a->output || a->table || a->step_text || a->companion || a->checkpoint || a->resume)) {
    complain("--energies is one evaluation and takes no steps: leave --duration, --step, --companion, -o, --table and "
             "checkpoints out");
    return false;
  }
  if ((a->checkpoint || a->resume) && begins_anew_where_saved(a->method)) {
    complain("--checkpoint is not possible with --method %s, whose results depend on when it is saved",
             cdn_method_name(a->method));
    return false;
  }
  if (a->duration / a->step > 1e15) {
    complain("--duration and --step: that would be %.3g steps", a->duration / a->step);
    return false;
  }
  if (a->duration > 0 && a->duration < 0.5 * a->step) {
    complain("--duration %g ps is less than a step, which is %g ps", a->duration, a->step);
    return false;
  }
  return true;
}

static bool settle(md_arguments *a) {
  if (a->operands.n != 1) {
    complain(a->operands.n == 0 ? "which coordinates? Name an inpcrd or rst7 file behind the topology"
                                : "md takes one topology and one file of coordinates, and more are named");
    return false;
  }
  a->coordinates = a->operands.item[0];
  if (!find_method(a->method_name ? a->method_name : "verlet", &a->method)) return false;
  if (a->output && (ends_in(a->output, ".gz") || !ends_in(a->output, ".dcd"))) {
    complain("-o %s: a trajectory is a DCD file, and its name ends in .dcd", visible(a->output));
    return false;
  }
  if (a->picture && !ends_in(a->picture, ".png")) {
    complain("--picture %s: pictures are PNG files, and their names end in .png", visible(a->picture));
    return false;
  }
  const char *outputs[] = { a->output, a->table, a->picture, a->checkpoint };
  for (int i = 0; i < 4; i++) {
    if (outputs[i] && (strcmp(outputs[i], a->topology) == 0 || strcmp(outputs[i], a->coordinates) == 0)) {
      complain("%s would be overwritten: it is read by this run; choose another output file", visible(outputs[i]));
      return false;
    }
  }
  return find_solvent(a) && read_times(a);
}

/* ---- the command --------------------------------------------------------------------------- */

int command_md(int argc, char **argv) {
  md_arguments a = { .step = 0.001, .mobile = "torsions" };
  const option table[] = {
    { "coordinates", 0, OPTION_OPERANDS, &a.operands, NULL, NULL },
    { "energies", 0, OPTION_FLAG, &a.energies, NULL, "one evaluation: energies by term" },
    { "mobile", 0, OPTION_TEXT, &a.mobile, "RULE", "which bonds move (default: torsions)" },
    { "solvent", 0, OPTION_TEXT, &a.solvent, "NAME", "vacuum (the default), hct, obc1, obc2, gbn or gbn2" },
    { "salt", 0, OPTION_POSITIVE, &a.salt, "M", "salt in the solvent, mol/l of ions of one charge, at 300 K" },
    { "amber-coulomb", 0, OPTION_FLAG, &a.amber_coulomb, NULL, "Coulomb's constant as AMBER's programs have it" },
    { "duration", 0, OPTION_TEXT, &a.duration_text, "T", "how long to simulate" },
    { "step", 0, OPTION_TEXT, &a.step_text, "T", "the size of all steps (default: 1fs)" },
    { "method", 0, OPTION_TEXT, &a.method_name, "NAME", "of integration (default: verlet)" },
    { "companion", 0, OPTION_FLAG, &a.companion, NULL, "a second run of half the steps measures the error" },
    { "report", 0, OPTION_TEXT, &a.report_text, "T", "from frame to frame (default: a hundredth of the duration)" },
    { "output", 'o', OPTION_TEXT, &a.output, "RUN.dcd", "the trajectory" },
    { "table", 0, OPTION_TEXT, &a.table, "RUN.csv", "time, energies by term, temperature, dihedrals of bonds" },
    { "checkpoint", 0, OPTION_TEXT, &a.checkpoint, "FILE", "from which the run can go on: every 10 s, and at its end" },
    { "resume", 0, OPTION_TEXT, &a.resume, "FILE", "go on from a checkpoint; the other options as before" },
    { "picture", 0, OPTION_TEXT, &a.picture, "FILE.png", "a picture of the last conformation" },
    { "ignore-box", 0, OPTION_FLAG, &a.ignore_box, NULL, "drop a periodic box, which is refused otherwise" },
    { "json", 0, OPTION_FLAG, &a.json, NULL, "write JSON instead of tables" },
    { "quiet", 0, OPTION_FLAG, &a.quiet, NULL, "no warnings and no progress on standard error" },
  };
  int code = options_parse(&page, table, sizeof table / sizeof table[0], argc, argv, &a.topology);
  if (code != OPTIONS_GO) return code;
  if (!settle(&a)) return wrong_usage(&page);
  md_molecule m = { 0 };
  code = md_open(&m, &a);
  if (code == CMD_OK) code = a.energies ? md_print_energies(&a, &m) : md_run(&a, &m);
  if (code == CMD_OK && a.picture) code = md_draw(&a, &m);
  md_close(&m);
  return code;
}
