/* cardan md: a molecule of AMBER's files in internal coordinates: its energies, its motion, samples of it. */
#include "md.h"

static const help_page page = {
  "md", "MOLECULE.prmtop COORDS.inpcrd --duration T [options]  or  --energies",
  "Reads an AMBER topology and coordinates (inpcrd, rst7, NetCDF), and lets the bonds of --mobile move: at constant\n"
  "energy, or at a --temperature that a thermostat holds, or by Monte Carlo (--sampler hmc). Without a temperature,\n"
  "speeds are fitted to the velocities of the file; if it has none, the molecule starts at rest. --energies evaluates\n"
  "once and ends.\n"
  "\n"
  "rules of --mobile: torsions (bonds in no ring, but to end atoms), backbone, side-chains, bends, flexible, atoms,\n"
  "none; with residues, such as 'torsions 3-7,12'. Several add up: 'none; side-chains 4'.\n"
  "Times are in ps, or have a unit: 4fs, 0.004ps, 1ns.\n",
  "  cardan md protein.prmtop protein.inpcrd --energies --solvent obc2\n"
  "  cardan md protein.prmtop protein.rst7 --duration 10 --step 2fs --solvent obc2 -o run.dcd --table run.csv\n"
  "  cardan md protein.prmtop protein.inpcrd --minimize --temperature 300 --fixman --duration 1ns --step 4fs\n"
  "  cardan md protein.prmtop protein.inpcrd --energies --picture protein.png\n",
  "which molecule? Name an AMBER topology (prmtop) and coordinates (inpcrd, rst7)"
};

int command_md(int argc, char **argv) {
  md_arguments a = { .step = 0.001, .mobile = "torsions", .seed = 1 };
  const option table[] = {
    { "coordinates", 0, OPTION_OPERANDS, &a.operands, NULL, NULL },
    { "energies", 0, OPTION_FLAG, &a.energies, NULL, "one evaluation: energies by term" },
    { "mobile", 0, OPTION_TEXT, &a.mobile, "RULE", "which bonds move (default: torsions)" },
    { "solvent", 0, OPTION_TEXT, &a.solvent, "NAME", "vacuum (the default), hct, obc1, obc2, gbn or gbn2" },
    { "salt", 0, OPTION_POSITIVE, &a.salt, "M", "salt in the solvent, mol/l of ions of one charge, at 300 K" },
    { "cutoff", 0, OPTION_POSITIVE, &a.cutoff, "NM", "leave out pairs that are farther apart, in vacuum" },
    { "threads", 0, OPTION_POSITIVE, &a.threads, "N", "threads for the pairs of 500 atoms or more (default: 1)" },
    { "amber-coulomb", 0, OPTION_FLAG, &a.amber_coulomb, NULL, "Coulomb's constant as AMBER's programs have it" },
    { "minimize", 0, OPTION_FLAG, &a.minimize, NULL, "go to a minimum of the energy first" },
    { "duration", 0, OPTION_TEXT, &a.duration_text, "T", "how long to simulate" },
    { "step", 0, OPTION_TEXT, &a.step_text, "T", "the size of all steps (default: 1fs)" },
    { "temperature", 0, OPTION_POSITIVE, &a.temperature, "K", "draw speeds at it, and hold it by a thermostat" },
    { "thermostat", 0, OPTION_TEXT, &a.thermostat_name, "NAME", "langevin (the default), nose-hoover, redraw or none" },
    { "thermostat-time", 0, OPTION_TEXT, &a.answer_text, "T", "the time in which it answers (default: 1ps)" },
    { "sampler", 0, OPTION_TEXT, &a.sampler, "NAME", "md (the default), or hmc: Hamiltonian Monte Carlo" },
    { "trajectory", 0, OPTION_TEXT, &a.trajectory_text, "T", "hmc: from test to test (default: 10 steps)" },
    { "fixman", 0, OPTION_FLAG, &a.fixman, NULL, "Fixman's potential: averages as those of stiff bonds" },
    { "seed", 0, OPTION_TEXT, &a.seed_text, "N", "of all random numbers, 0 to 4294967295 (default: 1)" },
    { "companion", 0, OPTION_FLAG, &a.companion, NULL, "a second run of half the steps measures the error" },
    { "report", 0, OPTION_TEXT, &a.report_text, "T", "from frame to frame (default: a hundredth of the duration)" },
    { "output", 'o', OPTION_TEXT, &a.output, "RUN.dcd", "the trajectory" },
    { "table", 0, OPTION_TEXT, &a.table, "FILE",
      ".csv, .h5, .npz, .sto: time, energies by term, temperature, dihedrals of bonds" },
    { "checkpoint", 0, OPTION_TEXT, &a.checkpoint, "FILE", "from which the run can go on: every 10 s, and at its end" },
    { "resume", 0, OPTION_TEXT, &a.resume, "FILE", "go on from a checkpoint; the other options as before" },
    { "picture", 0, OPTION_TEXT, &a.picture, "FILE.png", "a picture of the last conformation" },
    { "ignore-box", 0, OPTION_FLAG, &a.ignore_box, NULL, "drop a periodic box, which is refused otherwise" },
    { "json", 0, OPTION_FLAG, &a.json, NULL, "write JSON instead of tables" },
    { "quiet", 0, OPTION_FLAG, &a.quiet, NULL, "no warnings and no progress on standard error" },
  };
  int code = options_parse(&page, table, sizeof table / sizeof table[0], argc, argv, &a.topology);
  if (code != OPTIONS_GO) return code;
  if (!md_settle(&a)) return wrong_usage(&page);
  md_molecule m = { .fixman = { -1 }, .chain = { -1 } };
  code = md_open(&m, &a);
  if (code == CMD_OK) code = a.energies ? md_print_energies(&a, &m) : md_run(&a, &m);
  if (code == CMD_OK && a.picture) code = md_draw(&a, &m);
  md_close(&m);
  return code;
}
