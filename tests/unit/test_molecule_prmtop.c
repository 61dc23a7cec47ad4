/* AMBER's topologies: what is read of a small one, each refusal with its flag and line, old files, and those that are
 * shared. */
#include "molecule_rig.h"

static cdn_prmtop *load(const char *text, bool ignore_box) {
  memory m = { { { "m.prmtop", text, strlen(text) } } };
  cdn_molecule_read_def def = reading(&m);
  def.ignore_box = ignore_box;
  cdn_prmtop *p;
  const cdn_status status = cdn_prmtop_load("m.prmtop", &def, &p);
  ck_assert_msg(status == CDN_OK, "%s", cdn_last_error_text());
  return p;
}

START_TEST(all_of_a_small_one_is_read) {
  cdn_prmtop *p = load(prmtop_text, false);
  ck_assert_int_eq(p->n_warnings, 0);
  ck_assert_str_eq(p->file, "m.prmtop");
  ck_assert_str_eq(p->title, "Four atoms in a row");
  ck_assert(p->n_atoms == 4 && p->n_residues == 2 && p->n_lj_types == 2);
  static const char *const names[] = { "HA", "C1", "C2", "HB" }, *const types[] = { "HC", "CT", "CT", "HC" },
                           *const tree[] = { "M", "M", "M", "E" };
  static const double charge[] = { 0.1, -0.1, -0.2, 0.2 }, radius[] = { 1.3, 1.7, 1.71, 1.31 },
                      screen[] = { .85, .72, .73, .86 };
  for (int i = 0; i < 4; i++) {
    const bool carbon = i == 1 || i == 2;
    ck_assert_str_eq(p->name[i], names[i]);
    ck_assert_str_eq(p->type_name[i], types[i]);
    ck_assert_str_eq(p->tree_class[i], tree[i]);
    ck_assert_int_eq(p->atomic_number[i], carbon ? 6 : 1);
    ck_assert_int_eq(p->residue[i], i / 2);
    ck_assert_int_eq(p->lj_type[i], carbon);
    NEAR(p->charge[i], charge[i], 1e-16);
    NEAR(p->charge_raw[i], charge[i] * 18.2223, 1e-15);
    ck_assert(p->mass[i] == (carbon ? 12.01 : 1.008) && p->born_radius[i] == radius[i] && p->screen[i] == screen[i]);
  }
  ck_assert_str_eq(p->radius_set, "modified Bondi radii (mbondi)");
  ck_assert_str_eq(p->residue_name[1], "BBB");
  ck_assert(p->residue_first[0] == 0 && p->residue_first[1] == 2 && p->residue_first[2] == 4);

  ck_assert(p->n_bonds == 3 && p->n_angles == 2 && p->n_dihedrals == 2 && p->has_scale_factors);
  ck_assert(p->bonds[1].atom[0] == 2 && p->bonds[1].atom[1] == 3 && p->bonds[1].has_hydrogen && p->bonds[1].type == 0);
  ck_assert(p->bonds[2].atom[0] == 1 && p->bonds[2].atom[1] == 2 && !p->bonds[2].has_hydrogen);
  ck_assert(p->bonds[2].k == 310 && p->bonds[2].r0 == 1.526 && p->bonds[0].k == 340 && p->bonds[0].r0 == 1.09);
  ck_assert(p->angles[1].atom[0] == 1 && p->angles[1].atom[1] == 2 && p->angles[1].atom[2] == 3);
  ck_assert(p->angles[1].k == 50 && p->angles[1].theta0 == 1.91113553);
  const cdn_prmtop_dihedral *d = p->dihedrals;
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < 4; i++) ck_assert_int_eq(d[k].atom[i], i);
  ck_assert(!d[0].improper && !d[0].ignore_14 && d[1].improper && d[1].ignore_14);
  ck_assert(d[0].k == .15 && d[0].periodicity == 3 && d[0].phase == 0 && d[0].scee == 1.2 && d[0].scnb == 2);
  ck_assert(d[1].k == 1.1 && d[1].periodicity == 2 && d[1].phase == 3.141594);

  static const double A[] = { 7516.07703, 97170.8117, 97170.8117, 1043080.23 },
                      B[] = { 21.7257828, 126.919150, 126.919150, 675.612247 };
  for (int k = 0; k < 4; k++) ck_assert(p->lj_A[k] == A[k] && p->lj_B[k] == B[k]);
  static const int first[] = { 0, 3, 5, 6, 6 }, excluded[] = { 1, 2, 3, 2, 3, 3 };
  for (int k = 0; k < 5; k++) ck_assert_int_eq(p->excluded_first[k], first[k]);
  for (int k = 0; k < 6; k++) ck_assert_int_eq(p->excluded[k], excluded[k]);
  cdn_prmtop_destroy(p);
}
END_TEST

/* What a file must not have, and what is said. The message has the line that was changed. */
typedef struct mistake {
  const char *old, *now;
  cdn_status code;
  const char *message;
} mistake;

#define PARSE CDN_ERR_PARSE
#define UNSUPPORTED CDN_ERR_UNSUPPORTED
static const mistake mistakes[] = {
  { "%FLAG TITLE", "%FLAG CTITLE", UNSUPPORTED, "m.prmtop:2: %FLAG CTITLE: this is CHARMM's force field (CHAMBER)" },
  { "%FLAG TITLE", "%FLAG FORCE_FIELD_TYPE", UNSUPPORTED, "m.prmtop:2: %FLAG FORCE_FIELD_TYPE: " },
  { "%FLAG TITLE", "%FLAG CHARMM_CMAP_COUNT", UNSUPPORTED, "m.prmtop:2: %FLAG CHARMM_CMAP_COUNT: " },
  { "%FLAG TITLE", "%FLAG CMAP_COUNT", UNSUPPORTED, "%FLAG CMAP_COUNT: it has correction maps of torsions (CMAP)" },
  { "%FLAG TITLE", "%FLAG LENNARD_JONES_CCOEF", UNSUPPORTED, "%FLAG LENNARD_JONES_CCOEF: it has 12-6-4 terms" },
  { "%FLAG TITLE", "%FLAG POLARIZABILITY", UNSUPPORTED, "%FLAG POLARIZABILITY: it has polarizable atoms" },
  { "%FLAG TITLE", "%FLAG AMOEBA_FORCEFIELD", UNSUPPORTED, "this is the AMOEBA force field" },
  { "%FLAG RADIUS_SET", "%FLAG IPOL\n%FORMAT(1I8)\n       1\n%FLAG RADIUS_SET", UNSUPPORTED,
    "%FLAG IPOL: atoms are polarizable (IPOL = 1)" },
  { "2       0\n       0\n", "2       0\n       3\n", UNSUPPORTED,
    "m.prmtop:10: %FLAG POINTERS: there are 3 extra points" },
  { "HB\n", "EP\n", UNSUPPORTED, "m.prmtop:13: %FLAG ATOM_NAME: atom 4 ('EP') is an extra point" },
  { "       1       6       6       1\n", "       1       6       6       0\n", UNSUPPORTED,
    "m.prmtop:19: %FLAG ATOMIC_NUMBER: atom 4 ('HB') is an extra point" },
  { "0       0       0       0       0       0       0       0       2       0\n",
    "0       0       0       0       0       0       0       2       2       0\n", UNSUPPORTED,
    "m.prmtop:9: %FLAG POINTERS: the system is in a periodic box (IFBOX = 2)" },
  { "       7       2       1       0       0       2       1       2       2       0\n       0",
    "       7       2       1       0       0       2       1       2       2       0\n       1", UNSUPPORTED,
    "m.prmtop:9: %FLAG POINTERS: the topology is perturbed" },
  { "%VERSION", "VERSION", UNSUPPORTED, "m.prmtop:1: the file does not begin with %VERSION" },
  /* numbers */
  { "  1.82223000E+00 -1.82223000E+00", "  1.82223000E+00 ***************", PARSE,
    "m.prmtop:16: %FLAG CHARGE: a number did not fit into its columns" },
  { "  1.82223000E+00 -1.82223000E+00", "  1.82223000E+00             NaN", PARSE,
    "%FLAG CHARGE: a number is not finite" },
  { "  1.82223000E+00 -1.82223000E+00", "  1.82223000E+00       -Infinity", PARSE,
    "m.prmtop:16: %FLAG CHARGE: a number is not" },
  { "  1.82223000E+00 -1.82223000E+00", "  1.82223000E+00 -1.82223000E999", PARSE,
    "%FLAG CHARGE: a number is too large" },
  { "  1.82223000E+00 -1.82223000E+00", "  1.82223000E+00-1.82223000E+0-1", PARSE,
    "%FLAG CHARGE: numbers run together" },
  { "  1.82223000E+00 -1.82223000E+00", "  1.82223000E+00 -1.8222300 E+00", PARSE,
    "%FLAG CHARGE: numbers run together" },
  { "  1.82223000E+00 -1.82223000E+00", "  1.82223000E+00 -1.82x23000E+00", PARSE, "%FLAG CHARGE: this is no number" },
  { "  1.82223000E+00 -1.82223000E+00", "  1.82223000E+00                ", PARSE,
    "%FLAG CHARGE: a number is missing" },
  { "3.64446000E+00\n", "3.64446000E\n", PARSE, "m.prmtop:16: %FLAG CHARGE: the line ends within a number" },
  { "       1       6       6       1\n", "       1       6     6.5       1\n", PARSE,
    "%FLAG ATOMIC_NUMBER: this is no number" },
  { "       1       6       6       1\n", "       1       6       6      99\n", PARSE,
    "atom 4 ('HB', 1.008 Da) is of no element" },
  { "  1.00800000E+00  1.20100000E+01", " -1.00800000E+00  1.20100000E+01", PARSE,
    "m.prmtop:22: %FLAG MASS: the mass of atom 1" },
  /* counts */
  { "       4       2       2       1", "       5       2       2       1", PARSE,
    "m.prmtop:14: %FLAG CHARGE: the section has 4 numbers; POINTERS (line 5) says 5" },
  { "       4       2       2       1", "      -4       2       2       1", PARSE,
    "m.prmtop:7: %FLAG POINTERS: NATOM is negative" },
  { "       4       2       2       1", "       0       2       2       1", PARSE, "none may be 0" },
  { "       4       2       2       1", "200000000       2       2       1", PARSE, "%FLAG POINTERS: " },
  { "       4       2       2       1", "20000000       2       2       1", PARSE,
    "%FLAG ATOM_NAME: the section has 20 names" },
  { "-3.64446000E+00  3.64446000E+00\n", "-3.64446000E+00\n", PARSE,
    "%FLAG CHARGE: the section has 3 numbers; POINTERS" },
  { "E+00  1.20100000E+01  1.20100000E+01", "E+00\n  1.20100000E+01  1.20100000E+01", PARSE,
    "m.prmtop:22: %FLAG MASS: the line has fewer than 5 numbers" },
  { "3.64446000E+00\n", "3.64446000E+00  3.64446000E+00  3.64446000E+00\n", PARSE,
    "m.prmtop:16: %FLAG CHARGE: the line is longer than its 5 columns of 16" },
  { "%FLAG MASS", "%FLAG MASSES", PARSE, "there is no section %FLAG MASS" },
  { "%FLAG POINTERS", "%FLAG POINTER", PARSE, "there is no section %FLAG POINTERS" },
  { "%FLAG MASS", "%FLAG CHARGE", PARSE, "m.prmtop:20: %FLAG CHARGE is here and in line 14" },
  { "%FLAG MASS\n%FORMAT(5E16.8)", "%FLAG MASS\n%FORMAT(5I16)", PARSE,
    "m.prmtop:21: %FLAG MASS: the format '%FORMAT(5I16)'" },
  { "%FLAG MASS\n%FORMAT(5E16.8)", "%FLAG MASS\n%FORMAT(E)", PARSE,
    "%FLAG MASS: the format '%FORMAT(E)' cannot be read" },
  { "%FLAG MASS\n%FORMAT(5E16.8)", "%FLAG MASS", PARSE, "m.prmtop:21: %FLAG MASS: there are data before its %FORMAT" },
  /* indices */
  { "       1       2       2       1\n", "       1       2       3       1\n", PARSE,
    "%FLAG ATOM_TYPE_INDEX: the type of atom 3 is 3" },
  { "       1       3\n", "       1       5\n", PARSE, "%FLAG RESIDUE_POINTER: residue 2 begins at atom 5" },
  { "       1       3\n", "       2       3\n", PARSE, "%FLAG RESIDUE_POINTER: residue 1 begins at atom 2" },
  { "       3       6       2\n", "       3      12       2\n", PARSE,
    "%FLAG BONDS_WITHOUT_HYDROGEN: bond 1 has the index 12" },
  { "       3       6       2\n", "       3       5       2\n", PARSE,
    "%FLAG BONDS_WITHOUT_HYDROGEN: bond 1 has the index 5" },
  { "       3       6       2\n", "       3      -6       2\n", PARSE, "has the negative index -6" },
  { "       3       6       2\n", "       3       3       2\n", PARSE, "bond 1 has atom 2 ('C1') twice" },
  { "       3       6       2\n", "       3       6       3\n", PARSE,
    "bond 1 has the parameters 3; POINTERS says that there are 2" },
  { "  3.00000000E+00  2.00000000E+00", "  2.50000000E+00  2.00000000E+00", PARSE,
    "%FLAG DIHEDRAL_PERIODICITY: the periodicity 2.5" },
  { "  1.20000000E+00  0.00000000E+00", "  0.00000000E+00  0.00000000E+00", PARSE,
    "%FLAG SCEE_SCALE_FACTOR: the factor" },
  { "       1       2       2       3\n", "       1       2       2       4\n", PARSE,
    "%FLAG NONBONDED_PARM_INDEX: the index 4" },
  { "       1       2       2       3\n", "       1       2       3       3\n", PARSE,
    "types 1 and 2 have the index 2" },
  { "       1       2       2       3\n", "       1       2       2      -1\n", PARSE,
    "%FLAG NONBONDED_PARM_INDEX: the index -1" },
  { "       3       2       1       1\n", "       3       2       1       2\n", PARSE,
    "%FLAG NUMBER_EXCLUDED_ATOMS: atom 4 has 2" },
  { "       3       2       1       1\n", "       3       2       1       0\n", PARSE,
    "the atoms have 6 excluded atoms" },
  { "       3       4       4       0\n", "       2       4       4       0\n", PARSE,
    "%FLAG EXCLUDED_ATOMS_LIST: atom 2 excludes atom 2" },
};

START_TEST(what_is_wrong_is_told_with_flag_and_line) {
  for (size_t k = 0; k < sizeof mistakes / sizeof *mistakes; k++) {
    char *text = with(prmtop_text, mistakes[k].old, mistakes[k].now);
    memory m = { { { "m.prmtop", text, strlen(text) } } };
    const cdn_molecule_read_def def = reading(&m);
    cdn_prmtop *p = (cdn_prmtop *)&m;
    refused(cdn_prmtop_load("m.prmtop", &def, &p), mistakes[k].code, mistakes[k].message);
    ck_assert(p == NULL);
    free(text);
  }
}
END_TEST

/* 10-12 pairs are harmless while their coefficients are 0. */
START_TEST(hydrogen_bonds_act_only_with_coefficients) {
  char *counted =
      with(prmtop_text, "       1       2       2       0\n       0", "       1       2       2       1\n       0");
  char *negative = with(counted, "       1       2       2       3\n", "       1       2       2      -1\n");
  for (int acts = 0; acts < 2; acts++) {
    char *text = with(
        negative, "%FLAG AMBER_ATOM_TYPE",
        acts
            ? "%FLAG HBOND_ACOEF\n%FORMAT(5E16.8)\n  7.55700000E+03\n%FLAG HBOND_BCOEF\n%FORMAT(5E16.8)\n  2.38500000E+03\n"
              "%FLAG AMBER_ATOM_TYPE"
            : "%FLAG HBOND_ACOEF\n%FORMAT(5E16.8)\n  0.00000000E+00\n%FLAG HBOND_BCOEF\n%FORMAT(5E16.8)\n  0.00000000E+00\n"
              "%FLAG AMBER_ATOM_TYPE");
    if (acts) {
      memory m = { { { "m.prmtop", text, strlen(text) } } };
      const cdn_molecule_read_def def = reading(&m);
      cdn_prmtop *p;
      refused(cdn_prmtop_load("m.prmtop", &def, &p), CDN_ERR_UNSUPPORTED, "have a 10-12 hydrogen bond (HBOND_ACOEF");
    } else {
      cdn_prmtop *p = load(text, false);
      ck_assert(p->lj_A[3] == 0 && p->lj_B[3] == 0 && p->lj_A[0] > 0);
      cdn_prmtop_destroy(p);
    }
    free(text);
  }
  free(negative);
  free(counted);
}
END_TEST

/* Old files lack sections; editors cut blanks off; Fortran writes numbers that touch, exponents with D. */
START_TEST(old_files_and_odd_forms_are_read) {
  char *box = with(prmtop_text, "0       0       0       0       0       0       0       0       2       0\n",
                   "0       0       0       0       0       0       0       1       2       0\n");
  char *a = with(box, "%FLAG SCEE_SCALE_FACTOR", "%FLAG SOLTY");
  char *b = with(a, "%FLAG SCNB_SCALE_FACTOR", "%FLAG HBCUT");
  char *c = with(b, "%FLAG SCREEN", "%FLAG MY_OWN");
  char *d = with(c, "%FLAG ATOMIC_NUMBER", "%FLAG JOIN_ARRAY");
  char *e = with(d, "  1.82223000E+00 -1.82223000E+00", "  18.2223000D-01-0.182223000+001");
  char *text = with(e, "HA  C1  C2  HB\n", "HA  C1  C2  HB                  \r\n");
  cdn_prmtop *p = load(text, true);
  static const char *const told[] = { "%FLAG MY_OWN: this section is not known",
                                      "m.prmtop:7: the periodic box is dropped",
                                      "there is no section %FLAG ATOMIC_NUMBER", "there is no section %FLAG SCREEN",
                                      "there are no sections %FLAG SCEE_SCALE_FACTOR" };
  ck_assert_int_eq(p->n_warnings, 5);
  for (int k = 0; k < 5; k++) ck_assert_msg(strstr(p->warnings[k], told[k]), "%s", p->warnings[k]);
  ck_assert(p->atomic_number[0] == 1 && p->atomic_number[1] == 6 && p->atomic_number[3] == 1 && p->box == 1);
  ck_assert(p->screen[0] == .85 && p->screen[1] == .72 && !p->has_scale_factors);
  ck_assert(p->dihedrals[0].scee == 1.2 && p->dihedrals[0].scnb == 2.0);
  NEAR(p->charge[0], 0.1, 1e-16);
  NEAR(p->charge[1], -0.1, 1e-16);
  ck_assert_str_eq(p->name[3], "HB");
  cdn_prmtop_destroy(p);
  free(box), free(a), free(b), free(c), free(d), free(e), free(text);
}
END_TEST

/* The counts of tests/../shared/molecular/SOURCES.md; charges are whole, masses those of the sequences. */
START_TEST(shared_files_are_read) {
  static const struct {
    const char *name;
    int atoms;
    double charge;
  } known[] = { { "alanine-dipeptide", 22, 0 }, { "trpzip2", 220, 2 }, { "bpti", 892, 6 }, { "dhfr", 2489, -11 } };
  char path[1000];
  for (int k = 0; k < 4; k++) {
    char name[200];
    snprintf(name, sizeof name, "%s.prmtop", known[k].name);
    if (!shared_file(name, path, sizeof path)) SKIP("no %s", name);
    cdn_prmtop *p;
    ck_assert_msg(cdn_prmtop_load(path, NULL, &p) == CDN_OK, "%s", cdn_last_error_text());
    ck_assert_int_eq(p->n_atoms, known[k].atoms);
    double charge = 0;
    for (int i = 0; i < p->n_atoms; i++) charge += p->charge[i];
    NEAR(charge, known[k].charge, 2e-5);
    /* atoms bonded to each other exclude each other */
    for (int b = 0; b < p->n_bonds; b++) {
      const int *e = p->bonds[b].atom, low = e[0] < e[1] ? e[0] : e[1], high = e[0] + e[1] - low;
      bool found = false;
      for (int x = p->excluded_first[low]; x < p->excluded_first[low + 1]; x++) found = found || p->excluded[x] == high;
      ck_assert(found);
    }
    snprintf(name, sizeof name, "%s.inpcrd", known[k].name);
    shared_file(name, path, sizeof path);
    cdn_restart *r;
    ck_assert_msg(cdn_restart_load(path, p, NULL, &r) == CDN_OK, "%s", cdn_last_error_text());
    ck_assert(r->n_atoms == p->n_atoms && !r->velocities);
    cdn_restart_destroy(r);
    cdn_prmtop_destroy(p);
  }
  cdn_prmtop *p;
  shared_file("extra-points.prmtop", path, sizeof path);
  refused(cdn_prmtop_load(path, NULL, &p), CDN_ERR_UNSUPPORTED,
          "extra-points.prmtop:10: %FLAG POINTERS: there are 15 extra points");
}
END_TEST

START_TEST(wrong_calls_are_refused) {
  cdn_prmtop *p;
  FAILS(cdn_prmtop_load(NULL, NULL, &p), CDN_ERR_ARG);
  FAILS(cdn_prmtop_load("x", NULL, NULL), CDN_ERR_ARG);
  refused(cdn_prmtop_load("there/is/no.prmtop", NULL, &p), CDN_ERR_FILE,
          "there/is/no.prmtop: the file cannot be read: No such");
  refused(cdn_prmtop_load("/", NULL, &p), CDN_ERR_FILE, "it is a directory");
  cdn_prmtop_destroy(NULL);
}
END_TEST

CHECK_MAIN("molecule_prmtop", all_of_a_small_one_is_read, what_is_wrong_is_told_with_flag_and_line,
           hydrogen_bonds_act_only_with_coefficients, old_files_and_odd_forms_are_read, shared_files_are_read,
           wrong_calls_are_refused)
