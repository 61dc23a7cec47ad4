/* PDB files: columns, alternate locations, chains, models, bonds, numbers beyond the columns, and the atoms of a
 * topology in them. Other programs read what is written, where they are installed. */
#define _XOPEN_SOURCE 700
#include <sys/stat.h>
#include <unistd.h>

#include "molecule_rig.h"

static void enter(void) {
  static char directory[] = "/tmp/cardan_molecule_XXXXXX";
  ck_assert(mkdtemp(directory) && chdir(directory) == 0);
}

static cdn_status load(const char *text, cdn_pdb **p) {
  memory m = { { { "m.pdb", text, strlen(text) } } };
  const cdn_molecule_read_def def = reading(&m);
  return cdn_pdb_load("m.pdb", &def, p);
}

static const char pdb_text[] = "HEADER    TEST\n"
                               "TITLE     TWO RESIDUES\n"
                               "CRYST1   30.000   40.000   50.000  90.00  90.00  90.00 P 21 21 21    4\n"
                               "ATOM      1  N   ALA A   1      11.104   6.134  -6.504  1.00 12.50           N1+\n"
                               "ATOM      2  CA AALA A   1      11.639   6.071  -5.147  0.60 13.00           C\n"
                               "ATOM      3  CA BALA A   1      11.700   6.100  -5.200  0.40 13.00           C\n"
                               "ATOM      4  HB1 ALA A   1A      0.000   0.000   0.500\n"
                               "TER       5      ALA A   1A\n"
                               "HETATM    6 CA    CA B   2    -999.123   1.000   2.000  1.00  0.00\n"
                               "HETATM    7 HO11 LIG B   3       1.000   2.000   3.000\n"
                               "CONECT    1    2    6\n"
                               "CONECT    2    1    3\n"
                               "END\n";

START_TEST(columns_are_read) {
  cdn_pdb *p;
  const cdn_status status = load(pdb_text, &p);
  ck_assert_msg(status == CDN_OK, "%s", cdn_last_error_text());
  ck_assert_str_eq(p->title, "TWO RESIDUES");
  ck_assert(p->n_atoms == 5 && p->n_residues == 4 && p->n_models == 1);
  const cdn_pdb_atom *a = p->atoms;
  ck_assert(a[0].position.x == 11.104 / 10 && a[0].position.z == -6.504 / 10 && a[0].b_factor == 12.5);
  ck_assert(strcmp(a[0].name, "N") == 0 && strcmp(a[0].residue_name, "ALA") == 0 && strcmp(a[0].chain, "A") == 0);
  ck_assert(a[0].serial == 1 && a[0].residue_number == 1 && a[0].charge == 1 && !a[0].hetero && !a[0].ends_chain);
  ck_assert(a[1].alternate == 'A' && a[1].occupancy == 0.6 && strcmp(a[1].element, "C") == 0);
  ck_assert(a[2].insertion == 'A' && strcmp(a[2].element, "H") == 0 && a[2].ends_chain && a[2].occupancy == 1);
  ck_assert(a[3].hetero && strcmp(a[3].element, "Ca") == 0 && a[3].position.x == -99.9123 && a[3].residue == 2);
  ck_assert(strcmp(a[4].name, "HO11") == 0 && strcmp(a[4].element, "H") == 0);
  static const int first[] = { 0, 2, 3, 4, 5 };
  for (int k = 0; k < 5; k++) ck_assert_int_eq(p->residue_first[k], first[k]);
  /* 1-2 in both directions, 1-6; 3 is the other location */
  ck_assert(p->n_bonds == 2 && p->bonds[0][0] == 0 && p->bonds[0][1] == 1 && p->bonds[1][0] == 0 &&
            p->bonds[1][1] == 3);
  static const char *const told[] = { "m.pdb:3: CRYST1", "m.pdb:6: 1 alternate locations", "1 bonds of CONECT" };
  ck_assert_int_eq(p->n_warnings, 3);
  for (int k = 0; k < 3; k++) ck_assert_msg(strstr(p->warnings[k], told[k]), "%s", p->warnings[k]);
  cdn_pdb_destroy(p);
}
END_TEST

START_TEST(what_is_wrong_is_told_with_its_line) {
  static const struct {
    const char *old, *now, *message;
  } mistakes[] = {
    { "  11.104", "********", "m.pdb:4: the position (columns 31 to 38): a number did not fit into its columns" },
    { "  11.104", "     nan", "m.pdb:4: the position (columns 31 to 38): a number is not finite" },
    { "  11.104", "        ", "m.pdb:4: the position (columns 31 to 38): a number is missing" },
    { "  11.104", " 1 1.104", "numbers run together" },
    { "  0.60", "  0,60", "m.pdb:5: the occupancy (columns 55 to 60): this is no number" },
    { "2.000  1.00  0.00\n", "2.0\n", "m.pdb:9: the atom's line ends before its position does" },
    { "CONECT    1    2", "CONECT    1    ?", "m.pdb:11: CONECT: '    ?' is no number of an atom" },
  };
  cdn_pdb *p;
  for (size_t k = 0; k < sizeof mistakes / sizeof *mistakes; k++) {
    char *text = with(pdb_text, mistakes[k].old, mistakes[k].now);
    refused(load(text, &p), CDN_ERR_PARSE, mistakes[k].message);
    ck_assert(p == NULL);
    free(text);
  }
  refused(load("HEADER\n", &p), CDN_ERR_PARSE, "m.pdb: there is no record ATOM");
  refused(load("", &p), CDN_ERR_PARSE, "m.pdb: there is no record ATOM");
  refused(cdn_pdb_load("there/is/no", NULL, &p), CDN_ERR_FILE, "No such file");
  FAILS(cdn_pdb_load(NULL, NULL, &p), CDN_ERR_ARG);
  FAILS(cdn_pdb_save("a.pdb", NULL), CDN_ERR_VERSION);
  cdn_pdb_destroy(NULL);
}
END_TEST

#define ATOM(serial, name, x) "ATOM  " serial " " name " ALA A   1    " x "   0.000   0.000  1.00  0.00\n"

START_TEST(models_must_be_of_one_molecule) {
  cdn_pdb *p;
  OK(load("MODEL        1\n" ATOM("    1", " N  ", "   1.000")
              ATOM("    2", " CA ", "   2.000") "TER\nENDMDL\n"
                                                "MODEL        2\n" ATOM("    1", " N  ", "   3.000")
                                                    ATOM("    2", " CA ", "   4.000") "TER\nENDMDL\nEND\n",
          &p));
  ck_assert(p->n_models == 2 && p->n_atoms == 2);
  static const double x[] = { .1, .2, .3, .4 };
  for (int k = 0; k < 4; k++) ck_assert(p->positions[k].x == x[k]);
  cdn_pdb_destroy(p);
  refused(load("MODEL        1\n" ATOM("    1", " N  ", "   1.000") "ENDMDL\nMODEL        2\n" ATOM(
                   "    1", " CA ", "   3.000") "ENDMDL\n",
               &p),
          CDN_ERR_PARSE, "m.pdb:5: model 2 has the atom 'CA' of 'ALA' where the first one has 'N'");
  refused(load("MODEL        1\n" ATOM("    1", " N  ", "   1.000") ATOM(
                   "    2", " CA ", "   1.000") "ENDMDL\nMODEL        2\n" ATOM("    1", " N  ", "   3.000") "ENDMDL\n",
               &p),
          CDN_ERR_PARSE, "model 2 has 1 atoms, the first one 2");
}
END_TEST

/* Numbers beyond five columns, as two programs write them. The values of hybrid-36 are those of its definition. */
START_TEST(large_numbers_are_read) {
  cdn_pdb *p;
  OK(load(ATOM("99999", " A1 ", "   0.000") ATOM("A0000", " A2 ", "   0.000") ATOM("A000Z", " A3 ", "   0.000")
              ATOM("ZZZZZ", " A4 ", "   0.000") ATOM("a0000", " A5 ", "   0.000") ATOM("zzzzz", " A6 ", "   0.000"),
          &p));
  static const int hybrid[] = { 99999, 100000, 100035, 43770015, 43770016, 87440031 };
  for (int k = 0; k < 6; k++) ck_assert_int_eq(p->atoms[k].serial, hybrid[k]);
  cdn_pdb_destroy(p);
  OK(load(ATOM("99999", " A1 ", "   0.000") ATOM("186a0", " A2 ", "   0.000") ATOM("18700", " A3 ", "   0.000")
              ATOM("*****", " A4 ", "   0.000") "CONECT99999186a0\n",
          &p));
  static const int hexadecimal[] = { 99999, 100000, 100096, 100097 };
  for (int k = 0; k < 4; k++) ck_assert_int_eq(p->atoms[k].serial, hexadecimal[k]);
  ck_assert(p->n_bonds == 0 && p->n_warnings == 1);
  cdn_pdb_destroy(p);
}
END_TEST

START_TEST(what_is_written_is_read_again) {
  enter();
  enum { MANY = 100003 };
  cdn_pdb_atom *atoms = calloc(MANY, sizeof *atoms);
  for (int i = 0; i < MANY; i++) {
    cdn_pdb_atom *a = &atoms[i];
    *a = (cdn_pdb_atom){ .position = { i * 1e-3, -1, 0.00004 },
                         .occupancy = 0.5,
                         .b_factor = 1.25,
                         .residue_number = i / 3 + 1,
                         .insertion = ' ',
                         .hetero = i % 2,
                         .ends_chain = i % 300 == 299,
                         .charge = i == 4 ? -2 : 0 };
    snprintf(a->name, sizeof a->name, i % 3 == 0 ? "CA" : i % 3 == 1 ? "HD11" : "CL");
    snprintf(a->element, sizeof a->element, i % 3 == 0 ? "C" : i % 3 == 1 ? "H" : "Cl");
    snprintf(a->residue_name, sizeof a->residue_name, i / 3 % 2 ? "ALA" : "NALA");
    a->chain[0] = i % 600 < 300 ? 'A' : 'b';
  }
  static const int32_t bonds[][2] = { { 0, 1 }, { 2, 0 }, { 0, 5 }, { 0, 7 }, { 0, 9 }, { 0, 11 }, { 100000, 100002 } };
  cdn_pdb_def def = cdn_default_pdb_def();
  def.title = "many atoms", def.n_atoms = MANY, def.atoms = atoms, def.n_bonds = 7, def.bonds = bonds;
  OK(cdn_pdb_save("a.pdb.gz", &def));
  cdn_pdb *p;
  ck_assert_msg(cdn_pdb_load("a.pdb.gz", NULL, &p) == CDN_OK, "%s", cdn_last_error_text());
  ck_assert(p->n_atoms == MANY && p->n_bonds == 7 && p->n_warnings == 0 && strcmp(p->title, "many atoms") == 0);
  for (int i = 0; i < MANY; i++) {
    const cdn_pdb_atom *a = &p->atoms[i], *b = &atoms[i];
    ck_assert(strcmp(a->name, b->name) == 0 && strcmp(a->residue_name, b->residue_name) == 0 &&
              strcmp(a->chain, b->chain) == 0 && strcmp(a->element, b->element) == 0);
    ck_assert(a->residue_number == b->residue_number && a->hetero == b->hetero && a->ends_chain == b->ends_chain);
    ck_assert(a->charge == b->charge && a->occupancy == .5 && a->b_factor == 1.25);
    /* three decimals of an angstrom */
    ck_assert(fabs(a->position.x - b->position.x) < 1e-12 && a->position.z == 0 && a->position.y == -1);
  }
  ck_assert(p->bonds[6][0] == 100000 && p->bonds[6][1] == 100002 && p->bonds[5][1] == 11);
  cdn_pdb_destroy(p);

  cdn_vec3 positions[4] = { { .1, 0, 0 }, { .2, 0, 0 }, { .3, 0, 0 }, { .4, 0, 0 } };
  def.n_atoms = 2, def.n_models = 2, def.positions = positions, def.n_bonds = 1;
  OK(cdn_pdb_save("b.pdb", &def));
  OK(cdn_pdb_load("b.pdb", NULL, &p));
  ck_assert(p->n_models == 2 && p->positions[3].x == .4 && p->positions[0].x == .1 && p->n_bonds == 1);
  cdn_pdb_destroy(p);

  positions[2].y = 1e5;
  refused(cdn_pdb_save("b.pdb", &def), CDN_ERR_LIMIT, "atom 0 of 'b.pdb': its position needs more columns");
  positions[2].y = NAN;
  refused(cdn_pdb_save("b.pdb", &def), CDN_ERR_ARG, "a position is not finite");
  def.positions = NULL;
  refused(cdn_pdb_save("b.pdb", &def), CDN_ERR_ARG, "several models need positions");
  def.n_models = 1;
  memset(atoms[1].name, 'X', sizeof atoms[1].name);
  refused(cdn_pdb_save("b.pdb", &def), CDN_ERR_ARG, "atom 1: its name does not have 1 to 4 characters");
  def.n_atoms = 1;
  refused(cdn_pdb_save("b.pdb", &def), CDN_ERR_ARG, "bond 0 is of atom 1; there are 1");
  OK(cdn_pdb_load("b.pdb", NULL, &p)); /* as it was */
  cdn_pdb_destroy(p);
  free(atoms);
}
END_TEST

/* ---- atoms of a topology ---- */

static cdn_prmtop *four_atoms(const char *text) {
  memory m = { { { "m.prmtop", text, strlen(text) } } };
  const cdn_molecule_read_def def = reading(&m);
  cdn_prmtop *p;
  ck_assert_msg(cdn_prmtop_load("m.prmtop", &def, &p) == CDN_OK, "%s", cdn_last_error_text());
  return p;
}

#define LINE(name, residue, number) "ATOM      1 " name " " residue " A   " number "       1.000   0.000   0.000\n"

START_TEST(atoms_are_found_by_names) {
  char *renamed = with(prmtop_text, "AAA BBB", "HIE CALA"), *named = with(renamed, "HA  C1  C2  HB", "HB21C1  O2  HN");
  cdn_prmtop *p = four_atoms(named);
  cdn_pdb *pdb;
  int32_t at[4];
  OK(load(LINE(" C1 ", "HIS", "7") LINE("1HB2", "HIS", "7") LINE(" H  ", "ALA", "8") LINE(" OXT", "ALA", "8"), &pdb));
  const cdn_status status = cdn_prmtop_match_pdb(p, pdb, at);
  ck_assert_msg(status == CDN_OK, "%s", cdn_last_error_text());
  ck_assert(at[0] == 1 && at[1] == 0 && at[2] == 3 && at[3] == 2);
  cdn_pdb_destroy(pdb);
  static const struct {
    const char *text, *message;
  } wrong[] = {
    { LINE(" C1 ", "GLY", "7") LINE("HB21", "GLY", "7") LINE(" H  ", "ALA", "8") LINE(" OXT", "ALA", "8"),
      "residue 1 is 'HIE' in 'm.prmtop', and 'GLY' (number 7, chain 'A') in 'm.pdb'" },
    { LINE(" C1 ", "HIS", "7") LINE(" OXT", "ALA", "8"),
      "residue 1 ('HIE') has 2 atoms in 'm.prmtop', and 1 in 'm.pdb'" },
    { LINE(" C9 ", "HIS", "7") LINE("HB21", "HIS", "7") LINE(" H  ", "ALA", "8") LINE(" OXT", "ALA", "8"),
      "atom 'C1' of residue 1 ('HIE') of 'm.prmtop' is not in 'm.pdb' (number 7, chain 'A')" },
    { LINE(" C1 ", "HIS", "7") LINE("HB21", "HIS", "7"), "'m.prmtop' has 2 residues, and 'm.pdb' 1" },
  };
  for (int k = 0; k < 4; k++) {
    OK(load(wrong[k].text, &pdb));
    refused(cdn_prmtop_match_pdb(p, pdb, at), CDN_ERR_PARSE, wrong[k].message);
    cdn_pdb_destroy(pdb);
  }
  cdn_prmtop_destroy(p);
  free(renamed), free(named);
}
END_TEST

/* A topology's atoms as PDB, and back. */
START_TEST(a_topology_becomes_pdb) {
  enter();
  cdn_prmtop *p = four_atoms(prmtop_text);
  static const cdn_vec3 x[] = { { 1, 2, 3 }, { 2, 3, 4 }, { 3, 4, 5 }, { 4, 5, 6 } };
  cdn_pdb_atom atoms[4];
  OK(cdn_prmtop_pdb_atoms(p, x, atoms));
  cdn_pdb_def def = cdn_default_pdb_def();
  def.n_atoms = 4, def.atoms = atoms;
  OK(cdn_pdb_save("a.pdb", &def));
  cdn_pdb *pdb;
  OK(cdn_pdb_load("a.pdb", NULL, &pdb));
  int32_t at[4];
  OK(cdn_prmtop_match_pdb(p, pdb, at));
  for (int i = 0; i < 4; i++) ck_assert(at[i] == i && pdb->atoms[i].position.y == x[i].y);
  ck_assert(pdb->n_residues == 2 && !atoms[1].ends_chain && atoms[3].ends_chain && atoms[3].chain[0] == 'A');
  ck_assert_str_eq(pdb->atoms[2].element, "C");
  cdn_pdb_destroy(pdb);
  cdn_prmtop_destroy(p);
}
END_TEST

/* Debian's ParmEd and MDTraj read PDB and DCD that are written here: names, and positions within the files' digits. */
START_TEST(other_programs_read_what_is_written) {
  char prmtop[1000], inpcrd[1000];
  if (!shared_file("trpzip2.prmtop", prmtop, sizeof prmtop) || !shared_file("trpzip2.inpcrd", inpcrd, sizeof inpcrd))
    SKIP("no trpzip2");
  static const char *const programs[] = { "parmed", "mdtraj" };
  bool have[2];
  for (int k = 0; k < 2; k++) {
    char command[100];
    snprintf(command, sizeof command, "/usr/bin/python3 -c 'import %s' 2> /dev/null", programs[k]);
    have[k] = system(command) == 0;
  }
  if (!have[0] && !have[1]) SKIP("neither ParmEd nor MDTraj is installed (Debian: python3-parmed, python3-mdtraj)");
  enter();
  cdn_prmtop *p;
  cdn_restart *r;
  OK(cdn_prmtop_load(prmtop, NULL, &p));
  OK(cdn_restart_load(inpcrd, p, NULL, &r));
  cdn_pdb_atom *atoms = calloc((size_t)p->n_atoms, sizeof *atoms);
  OK(cdn_prmtop_pdb_atoms(p, r->positions, atoms));
  cdn_pdb_def def = cdn_default_pdb_def();
  def.n_atoms = p->n_atoms, def.atoms = atoms;
  OK(cdn_pdb_save("a.pdb", &def));
  cdn_dcd_def trajectory = cdn_default_dcd_def();
  trajectory.n_atoms = p->n_atoms, trajectory.time_step = 0.002;
  cdn_dcd_writer *w;
  OK(cdn_dcd_create("a.dcd", &trajectory, &w));
  for (int k = 0; k < 3; k++) OK(cdn_dcd_write(w, r->positions));
  OK(cdn_dcd_finish(w));
  cdn_restart_def restart = cdn_default_restart_def();
  restart.n_atoms = p->n_atoms, restart.positions = restart.velocities = r->positions, restart.time = 1;
  OK(cdn_restart_save("a.rst7", &restart));
  FILE *script = fopen("read.py", "w");
  fprintf(
      script,
      "import numpy as np\n"
      "x = np.array([float(line[k:k+12]) for line in list(open('%s'))[2:] for k in range(0, len(line.rstrip()), 12)])\n"
      "x = x.reshape(-1, 3)\n"
      "top = '%s'\n",
      inpcrd, prmtop);
  if (have[0])
    fputs("import parmed\n"
          "p, t = parmed.load_file('a.pdb'), parmed.load_file(top)\n"
          "assert [a.name for a in p.atoms] == [a.name for a in t.atoms]\n"
          "assert [a.element for a in p.atoms] == [a.element for a in t.atoms]\n"
          "assert [r.name for r in p.residues] == [r.name for r in t.residues]\n"
          "assert abs(p.coordinates - x).max() < 5.1e-4\n"
          "r = parmed.load_file('a.rst7')\n"
          "assert abs(r.coordinates[0] - x).max() < 5.1e-8 and abs(r.velocities[0] / 10 - x / 10).max() < 1e-5\n"
          "assert r.time == 1\n",
          script);
  if (have[1])
    fputs("import mdtraj\n"
          "p = mdtraj.load('a.pdb')\n"
          "assert abs(p.xyz[0] * 10 - x).max() < 5.1e-4 + 1e-5\n"
          "t = mdtraj.load_dcd('a.dcd', top='a.pdb')\n"
          "assert t.n_frames == 3 and abs(t.xyz * 10 - x).max() < 1e-5\n",
          script);
  fclose(script);
  const int failed = system("/usr/bin/python3 -W ignore read.py");
  ck_assert_int_eq(failed, 0);
  free(atoms);
  cdn_restart_destroy(r);
  cdn_prmtop_destroy(p);
}
END_TEST

CHECK_MAIN("molecule_pdb", columns_are_read, what_is_wrong_is_told_with_its_line, models_must_be_of_one_molecule,
           large_numbers_are_read, what_is_written_is_read_again, atoms_are_found_by_names, a_topology_becomes_pdb,
           other_programs_read_what_is_written)
