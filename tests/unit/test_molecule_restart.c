/* AMBER's coordinates and restarts: text, compressed text, NetCDF; velocities, boxes, what is refused. */
#define _XOPEN_SOURCE 700
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "molecule_rig.h"

static cdn_status load(const char *text, const cdn_prmtop *prmtop, bool ignore_box, cdn_restart **r) {
  memory m = { { { "m.rst7", text, strlen(text) } } };
  cdn_molecule_read_def def = reading(&m);
  def.ignore_box = ignore_box;
  return cdn_restart_load("m.rst7", prmtop, &def, r);
}

#define VELOCITIES                                                             \
  "   1.0000000   2.0000000   3.0000000   4.0000000   5.0000000   6.0000000\n" \
  "   0.0000000   0.0000000   0.0000000   0.0000000   0.0000000  -1.0000000\n"
#define BOX "  30.0000000  31.0000000  32.0000000  90.0000000 109.4712190  90.0000000\n"

START_TEST(positions_velocities_and_time_are_read) {
  cdn_restart *r;
  OK(load(restart_text, NULL, false, &r));
  ck_assert_str_eq(r->title, "Four atoms in a row");
  ck_assert(r->n_atoms == 4 && r->time == 11000 && isnan(r->temperature) && !r->velocities && r->box[0] == 0);
  ck_assert(r->positions[0].x == 0.1 && r->positions[1].x == -0.15 && r->positions[1].z == -123.1234567 / 10);
  ck_assert(r->positions[3].z == 0.9 && r->n_warnings == 0);
  cdn_restart_destroy(r);

  char text[1000];
  snprintf(text, sizeof text, "%s%s", restart_text, VELOCITIES);
  OK(load(text, NULL, false, &r));
  /* A per 1/20.455 ps */
  NEAR(r->velocities[0].x, 2.0455, 1e-15);
  NEAR(r->velocities[3].z, -2.0455, 1e-15);
  cdn_restart_destroy(r);

  snprintf(text, sizeof text, "%s%s%s", restart_text, VELOCITIES, BOX);
  refused(load(text, NULL, false, &r), CDN_ERR_UNSUPPORTED, "m.rst7: the coordinates are in a periodic box");
  OK(load(text, NULL, true, &r));
  ck_assert(r->velocities && r->box[2] == 3.2 && r->n_warnings == 1);
  NEAR(r->box[4], 109.471219 * PI / 180, 1e-15);
  cdn_restart_destroy(r);
  snprintf(text, sizeof text, "%s%s", restart_text, BOX);
  OK(load(text, NULL, true, &r));
  ck_assert(!r->velocities && r->box[0] == 3);
  cdn_restart_destroy(r);
}
END_TEST

START_TEST(what_is_wrong_is_told_with_its_line) {
  static const struct {
    const char *old, *now;
    cdn_status code;
    const char *message;
  } mistakes[] = {
    { "    4  0.11", "    5  0.11", CDN_ERR_PARSE, "m.rst7:4: there are 5 atoms, and fewer positions" },
    { "    4  0.11", "    2  0.11", CDN_ERR_PARSE, "m.rst7:4: the last line may be velocities or a box" },
    { "    4  0.11", "    3  0.11", CDN_ERR_PARSE,
      "m.rst7:2: there are 3 atoms, and their positions do not fill lines" },
    { "    4  0.11", "    0  0.11", CDN_ERR_PARSE, "m.rst7:2: there is no number of atoms" },
    { "    4  0.11", "   -4  0.11", CDN_ERR_PARSE, "m.rst7:2: there is no number of atoms" },
    { "    4  0.11", "four  0.11", CDN_ERR_PARSE, "m.rst7:2: the number of atoms, or the time: this is no number" },
    { "    4  0.11", "900000000  0.11", CDN_ERR_LIMIT, "m.rst7:2: there are 900000000 atoms" },
    { "    4  0.11", "90000000  0.11", CDN_ERR_PARSE, "and fewer positions" },
    { "   4.0000000", "************", CDN_ERR_PARSE,
      "m.rst7:4: number 1 of the line: a number did not fit into its columns" },
    { "   4.0000000", "         NaN", CDN_ERR_PARSE, "m.rst7:4: number 1 of the line: a number is not finite" },
    { "   4.0000000", "         inf", CDN_ERR_PARSE, "a number is not finite" },
    { "   4.0000000", "   4.0000  0", CDN_ERR_PARSE, "numbers run together" },
    { "   9.0000000\n", "   9.000\n", CDN_ERR_PARSE, "m.rst7:4: the line ends within a number" },
    { "   9.0000000\n", "\n", CDN_ERR_PARSE, "fewer positions" },
    { "   9.0000000\n", "   9.0000000   9.0000000\n", CDN_ERR_PARSE, "m.rst7:4: the line is longer than six numbers" },
    { "   9.0000000\n", "   9.0000000\n   9.0000000   1.0000000\n", CDN_ERR_PARSE, "neither velocities nor a box" },
  };
  cdn_restart *r;
  for (size_t k = 0; k < sizeof mistakes / sizeof *mistakes; k++) {
    char *text = with(restart_text, mistakes[k].old, mistakes[k].now);
    refused(load(text, NULL, false, &r), mistakes[k].code, mistakes[k].message);
    ck_assert(r == NULL);
    free(text);
  }
  refused(load("", NULL, false, &r), CDN_ERR_PARSE, "m.rst7: the file ends before its number of atoms");
  refused(cdn_restart_load("there/is/no", NULL, NULL, &r), CDN_ERR_FILE, "No such file");
}
END_TEST

/* Files of two molecules are refused by both names; with a topology a short file is not ambiguous. */
START_TEST(the_topology_is_looked_at) {
  memory m = { { { "m.prmtop", prmtop_text, strlen(prmtop_text) } } };
  const cdn_molecule_read_def def = reading(&m);
  cdn_prmtop *p;
  OK(cdn_prmtop_load("m.prmtop", &def, &p));
  cdn_restart *r;
  OK(load(restart_text, p, false, &r));
  cdn_restart_destroy(r);
  char *text = with(restart_text, "    4  0.11", "    7  0.11");
  refused(load(text, p, false, &r), CDN_ERR_PARSE, "m.rst7:2: the file has 7 atoms, and the topology 'm.prmtop' has 4");
  free(text);
  cdn_prmtop_destroy(p);
}
END_TEST

static const char *enter(void) {
  static char directory[] = "/tmp/cardan_molecule_XXXXXX";
  ck_assert(mkdtemp(directory) && chdir(directory) == 0);
  return directory;
}

START_TEST(what_is_written_is_read_again) {
  enter();
  static const cdn_vec3 x[] = { { 0.1, -0.2, 12.34567891234 }, { 1e-9, 0, -9.99 }, { 1, 2, 3 } },
                        v[] = { { 1, -2, 0.1234567 }, { 0, 0, 3e-4 }, { -5, 4, 3 } };
  static const char *const names[] = { "a.rst7", "a.rst7.gz", "a.ncrst" };
  cdn_restart_def def = cdn_default_restart_def();
  def.title = "three", def.n_atoms = 3, def.positions = x, def.velocities = v, def.time = 12.5;
  for (int k = 0; k < 3; k++) {
    const bool text = k < 2;
    const cdn_status status = cdn_restart_save(names[k], &def);
    if (status == CDN_ERR_UNSUPPORTED && !text) continue; /* built without libnetcdf */
    ck_assert_msg(status == CDN_OK, "%s: %s", names[k], cdn_last_error_text());
    cdn_restart *r;
    ck_assert_msg(cdn_restart_load(names[k], NULL, NULL, &r) == CDN_OK, "%s", cdn_last_error_text());
    ck_assert_str_eq(r->title, "three");
    ck_assert(r->n_atoms == 3 && r->time == 12.5 && r->n_warnings == 0);
    /* half of the last of 7 decimals of an angstrom, and of A per 1/20.455 ps; NetCDF: rounding of the units */
    for (int i = 0; i < 3; i++)
      for (int c = 0; c < 3; c++) {
        NEAR((&r->positions[i].x)[c], (&x[i].x)[c], text ? 0.5001e-8 : 4e-15);
        NEAR((&r->velocities[i].x)[c], (&v[i].x)[c], text ? 2.0456 * 0.5001e-7 : 2e-15);
      }
    cdn_restart_destroy(r);
  }
  unsigned char first[2];
  FILE *file = fopen("a.rst7.gz", "rb");
  ck_assert(file && fread(first, 1, 2, file) == 2 && first[0] == 0x1f && first[1] == 0x8b);
  fclose(file);
}
END_TEST

START_TEST(what_cannot_be_written_leaves_the_old_file) {
  enter();
  cdn_vec3 x[] = { { 1, 2, 3 } };
  cdn_restart_def def = cdn_default_restart_def();
  def.n_atoms = 1, def.positions = x;
  OK(cdn_restart_save("a.rst7", &def));
  x[0].y = 123456;
  refused(cdn_restart_save("a.rst7", &def), CDN_ERR_LIMIT,
          "atom 1 of 'a.rst7': the number 1234560.0000000 does not fit");
  x[0].y = NAN;
  refused(cdn_restart_save("a.rst7", &def), CDN_ERR_ARG, "a position is not finite");
  def.velocities = x, x[0].y = 0;
  refused(cdn_restart_save("a.rst7", &def), CDN_ERR_ARG, "velocities need a time");
  refused(cdn_restart_save("no/a.rst7", &def), CDN_ERR_ARG, "velocities");
  def.velocities = NULL;
  refused(cdn_restart_save("no/a.rst7", &def), CDN_ERR_FILE, "cannot be written: No such file");
  def.n_atoms = 0;
  refused(cdn_restart_save("a.rst7", &def), CDN_ERR_ARG, "there are no atoms");
  cdn_restart *r;
  OK(cdn_restart_load("a.rst7", NULL, NULL, &r));
  ck_assert(r->positions[0].y == 2 && isnan(r->time));
  cdn_restart_destroy(r);
}
END_TEST

/* Of the shared restart the first and last numbers, as the file shows them. */
START_TEST(a_shared_restart_has_velocities) {
  char path[1000];
  if (!shared_file("velocities.rst7", path, sizeof path)) SKIP("no velocities.rst7");
  cdn_molecule_read_def def = cdn_default_molecule_read_def();
  cdn_restart *r;
  const cdn_status status = cdn_restart_load(path, NULL, &def, &r);
  ck_assert_msg(status == CDN_OK, "%s", cdn_last_error_text());
  ck_assert(r->n_atoms == 28 && r->time == 11000 && r->velocities);
  ck_assert(r->positions[0].x == 6.9962325 / 10 && r->positions[27].z == -1.8744943 / 10);
  NEAR(r->velocities[0].x, 0.3799223 * 2.0455, 1e-15);
  NEAR(r->velocities[27].z, -0.3891693 * 2.0455, 1e-15);
  cdn_restart_destroy(r);
}
END_TEST

CHECK_MAIN("molecule_restart", positions_velocities_and_time_are_read, what_is_wrong_is_told_with_its_line,
           the_topology_is_looked_at, what_is_written_is_read_again, what_cannot_be_written_leaves_the_old_file,
           a_shared_restart_has_velocities)
