/* `cardan plot`: pictures that other programs can read, of any trajectory; messages for what is none. */
#define _XOPEN_SOURCE 700
#include "command_run.h"

#include <libxml/parser.h>
#include <unistd.h>
#include <zlib.h>

/* ---- pictures ------------------------------------------------------------------------------------ */

static unsigned char bytes[8 * TEXT_SIZE];

static size_t read_bytes(const char *name) {
  FILE *file = fopen(name, "rb");
  ck_assert_msg(file != NULL, "%s was not written", name);
  size_t n = fread(bytes, 1, sizeof bytes, file);
  fclose(file);
  ck_assert(n > 0 && n < sizeof bytes);
  return n;
}

static unsigned long number_at(const unsigned char *at) {
  return (unsigned long)at[0] << 24 | (unsigned long)at[1] << 16 | (unsigned long)at[2] << 8 | at[3];
}

/* The PNG specification's structure: signature, chunks with good checksums, IHDR first, IEND last. */
static void check_png(const char *name) {
  size_t n = read_bytes(name), at = 8;
  ck_assert(n > 100 && memcmp(bytes, "\x89PNG\r\n\x1a\n", 8) == 0);
  ck_assert(memcmp(bytes + 12, "IHDR", 4) == 0);
  ck_assert(number_at(bytes + 16) > 400 && number_at(bytes + 20) > 200); /* wide and high enough to see something */
  for (bool ended = false; !ended;) {
    ck_assert(at + 12 <= n);
    unsigned long length = number_at(bytes + at);
    ck_assert(at + 12 + length <= n);
    ck_assert(crc32(0, bytes + at + 4, (uInt)length + 4) == number_at(bytes + at + 8 + length));
    ended = memcmp(bytes + at + 4, "IEND", 4) == 0;
    at += 12 + length;
  }
  ck_assert(at == n);
}

/* Elements of this name below a node. */
static int count_elements(const xmlNode *node, const char *name) {
  int n = 0;
  for (; node; node = node->next) {
    n += node->type == XML_ELEMENT_NODE && strcmp((const char *)node->name, name) == 0;
    n += count_elements(node->children, name);
  }
  return n;
}

/* Well-formed, an svg, and something drawn. Returns the number of paths. */
static int check_svg(const char *name) {
  size_t n = read_bytes(name);
  xmlDoc *doc = xmlReadMemory((const char *)bytes, (int)n, name, NULL, XML_PARSE_NONET);
  ck_assert_msg(doc != NULL, "%s is not well-formed", name);
  ck_assert_str_eq((const char *)xmlDocGetRootElement(doc)->name, "svg");
  int paths = count_elements(xmlDocGetRootElement(doc), "path");
  ck_assert_int_gt(paths, 5);
  xmlFreeDoc(doc);
  return paths;
}

/* Whether there are pictures in this build; where there are not, that is said. */
static bool has_pictures(void) {
  write_file("probe.csv", "time,x\n0,1\n1,2\n");
  int code = cardan("plot probe.csv --quiet");
  if (code == 0) return true;
  ck_assert_int_eq(code, 1);
  SAYS(errors, "without Cairo");
  return false;
}

/* ---- what is drawn ------------------------------------------------------------------------------- */

START_TEST(every_shipped_model_can_be_drawn) {
  static const char *const models[] = { "arm.urdf", "gymnast.xml", "pendulum.xml", "top.xml", "walker.xml" };
  enter_directory();
  if (!has_pictures()) return;
  for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
    SUCCEEDS("simulate %s/examples/models/%s --duration 0.5 --step-sizes -o run.csv --quiet",
             getenv("CARDAN_SOURCE_ROOT"), models[i]);
    SUCCEEDS("plot run.csv");
    ck_assert_str_eq(output, "run.svg\n");
    check_svg("run.svg");
    SUCCEEDS("plot run.csv --all -o run.png");
    check_png("run.png");
  }
}
END_TEST

START_TEST(columns_are_chosen_by_name) {
  enter_directory();
  if (!has_pictures()) return;
  SUCCEEDS("simulate creature.xml --duration 0.5 --step-sizes -o run.csv --quiet");
  SUCCEEDS("plot run.csv -o all.svg --all");
  SUCCEEDS("plot run.csv -o one.svg --columns slide.q");
  SUCCEEDS("plot run.csv -o joint.svg --columns root");
  SUCCEEDS("plot run.csv -o units.svg --model creature.xml");
  check_svg("units.svg");
  EXITS(3, "plot run.csv -o units.svg --model nowhere.xml");
  SAYS(errors, "nowhere.xml");
  SUCCEEDS("plot run.csv -o three.svg --columns slide.u,kinetic_energy,step_size --quiet");
  ck_assert_str_eq(output, "");
  int all = check_svg("all.svg"), one = check_svg("one.svg"), joint = check_svg("joint.svg");
  check_svg("three.svg");
  ck_assert(one < joint && joint < all);
  EXITS(2, "plot run.csv --columns slid.q");
  SAYS(errors, "did you mean 'slide.q'");
  EXITS(2, "plot run.csv --columns 'slide.q,nothing like it'");
  SAYS(errors, "no column or joint 'nothing like it'");
  EXITS(2, "plot run.csv --columns ,");
  SAYS(errors, "nothing to draw");
}
END_TEST

static void write_table(const char *name, int columns, int rows, double scale, double offset) {
  FILE *file = fopen(name, "w");
  ck_assert_ptr_nonnull(file);
  fputs("time", file);
  for (int i = 0; i < columns; i++) fprintf(file, ",a_joint_with_quite_a_long_name_%d.q", i);
  for (int k = 0; k < rows; k++) {
    fprintf(file, "\n%.17g", 0.01 * k);
    for (int i = 0; i < columns; i++) fprintf(file, ",%.17g", offset + scale * sin(0.01 * k * (i + 1)));
  }
  fputs("\n", file);
  ck_assert_int_eq(fclose(file), 0);
}

START_TEST(odd_tables_can_be_drawn) {
  static const struct {
    int columns, rows;
    double scale, offset;
  } tables[] = {
    { 50, 300, 1, 0 },  { 1, 1, 1, 0 },      { 3, 30000, 1, 0 },  { 2, 9, 0, 0 },         { 2, 9, 0, -7 },
    { 2, 9, 1e308, 0 }, { 2, 9, 1e-308, 0 }, { 2, 9, 1e-9, 1e6 }, { 2, 9, 1e308, 1e308 }, { 400, 3, 1, 0 }
  };
  enter_directory();
  if (!has_pictures()) return;
  for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
    write_table("odd.csv", tables[i].columns, tables[i].rows, tables[i].scale, tables[i].offset);
    SUCCEEDS("plot odd.csv");
    if (tables[i].columns == 400) SAYS(errors, "left out");
    else ck_assert_str_eq(errors, "");
    check_svg("odd.svg");
    SUCCEEDS("plot odd.csv -o odd.png --quiet");
    check_png("odd.png");
  }
  // a picture of many rows is no larger than what can be seen of them
  write_table("odd.csv", 1, 300000, 1, 0);
  SUCCEEDS("plot odd.csv");
  ck_assert(read_bytes("odd.svg") < 300000);
  // gaps, infinities, time that stands still or goes back, names of all sorts
  write_file("odd.csv",
             "time,\"a \"\"b\"\", c\",x<&>.q,\xc3\xa9\xe2\x82\xac,\xff\xfe,,k\n0,nan,1,1,1,1,1\n0,inf,2,1,1,1,2\n"
             "-1,-inf,nan,1,1,1,1\nnan,1,1,1,1,1,1\n");
  SUCCEEDS("plot odd.csv --all");
  check_svg("odd.svg");
  write_file("bracket.csv", "time,[a,[b\n0,1,2\n1,2,3\n");
  SUCCEEDS("plot bracket.csv --columns '[a,[b'");
  check_svg("bracket.svg");
  SUCCEEDS("plot - -o pipe.svg < odd.csv");
  check_svg("pipe.svg");
}
END_TEST

/* Draws y over time, and what is `shift` above it until time 1 and `later` from then on. True if there are dashes. */
static bool has_dashes(double shift, double later) {
  FILE *file = fopen("two.csv", "w");
  ck_assert_ptr_nonnull(file);
  fputs("time,one.q,two.q\n", file);
  for (int i = 0; i <= 200; i++) {
    const double t = 0.01 * i, y = sin(3 * t);
    fprintf(file, "%.17g,%.17g,%.17g\n", t, y, y + (t < 1 ? shift : later));
  }
  ck_assert_int_eq(fclose(file), 0);
  SUCCEEDS("plot two.csv --quiet");
  check_svg("two.svg");
  const size_t n = read_bytes("two.svg");
  bytes[n] = 0;
  return strstr((const char *)bytes, "stroke-dasharray") != NULL;
}

START_TEST(equal_curves_are_both_seen) {
  enter_directory();
  if (!has_pictures()) return;
  ck_assert(has_dashes(0, 0));
  ck_assert(has_dashes(1e-6, -1e-6));
  ck_assert(has_dashes(0, 0.5));
  ck_assert(!has_dashes(0.5, 0.5));
  ck_assert(!has_dashes(-0.5, 0.5)); // they cross
}
END_TEST

/* ---- what cannot be ------------------------------------------------------------------------------ */

START_TEST(bad_files_give_messages) {
  static const struct {
    const char *text, *says;
  } bad[] = {
    { "", "holds no table" },
    { "time,x\n", "holds no rows" },
    { "time\n1\n", "has no columns to draw" },
    { "time,x\n1,2\n3\n", "the row '3...' has fewer fields" },
    { "time,x\n1,2,3\n", "the row '1,2,3...' has more fields" },
    { "time,x\n1,2\n2,two\n", "the row '2,two...' has a field that is no number" },
    { "time,x\n1,2x\n", "the row '1,2x...' has a field that is no number" },
    { "<mujoco/>\n", "no columns" },
  };
  enter_directory();
  if (!has_pictures()) return;
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    write_file("bad.csv", bad[i].text);
    EXITS(3, "plot bad.csv");
    SAYS(errors, bad[i].says);
    SAYS(errors, "bad.csv");
    ck_assert(!exists("bad.svg"));
  }
  EXITS(3, "plot nowhere.csv");
  SAYS(errors, "nowhere.csv");
  EXITS(2, "plot");
  SAYS(errors, "which trajectory");
  EXITS(2, "plot one.csv -o one.pdf");
  SAYS(errors, ".svg or .png");
  write_file("one.csv", "time,x\n0,1\n1,2\n");
  EXITS(4, "plot one.csv -o nowhere/one.svg");
  SAYS(errors, "nowhere/one.svg");
  EXITS(4, "plot one.csv -o nowhere/one.png");
  SAYS(errors, "nowhere/one.png");
  if (exists("/dev/full")) {
    ck_assert_int_eq(symlink("/dev/full", "full.svg") | symlink("/dev/full", "full.png"), 0);
    EXITS(4, "plot one.csv -o full.svg");
    SAYS(errors, "full.svg: could not be written");
    EXITS(4, "plot one.csv -o full.png");
    SAYS(errors, "full.png: could not be written");
  }
  ck_assert_int_eq(rename("one.csv", "one.svg"), 0);
  EXITS(2, "plot one.svg -o one.svg");
  SAYS(errors, "overwritten");

  // a row that is still being written is left out, and that is said
  write_file("cut.csv", "time,x\n0,1\n1,2\n2,3.");
  SUCCEEDS("plot cut.csv");
  SAYS(errors, "not whole");
  check_svg("cut.svg");
}
END_TEST

enum { DAMAGED = SANITIZED ? 12 : 60 };

START_TEST(damaged_files_do_no_harm) {
  enter_directory();
  if (!has_pictures()) return;
  SUCCEEDS("simulate creature.xml --duration 0.05 --report 0.01 -o run.csv --quiet");
  static char text[TEXT_SIZE], damaged[TEXT_SIZE];
  read_file("run.csv", text);
  size_t n = strlen(text);
  unsigned seed = 3;
  int drawn = 0;
  for (int i = 0; i < DAMAGED; i++) {
    memcpy(damaged, text, n + 1);
    for (int k = 0; k <= i % 3; k++) {
      seed = seed * 1664525u + 1013904223u;
      damaged[(seed >> 8) % n] = (char)(seed >> 3);
    }
    FILE *file = fopen("bad.csv", "wb");
    fwrite(damaged, 1, n, file);
    fclose(file);
    int code = cardan("plot bad.csv");
    ck_assert_msg(code == 0 || code == 3, "exit code %d: %s", code, errors);
    if (code == 0) {
      check_svg("bad.svg");
      drawn++;
    }
  }
  if (!SANITIZED) ck_assert(drawn > 0 && drawn < DAMAGED);
}
END_TEST

CHECK_MAIN("command plot", every_shipped_model_can_be_drawn, columns_are_chosen_by_name, odd_tables_can_be_drawn,
           equal_curves_are_both_seen, bad_files_give_messages, damaged_files_do_no_harm)
