/* cardan plot: a picture of a trajectory. */
#define _POSIX_C_SOURCE 200809L
#include "plot.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const help_page page = {
  "plot", "FILE.csv [options]",
  "Draws a trajectory that 'cardan simulate' wrote ('-': standard input) over time: coordinates, energies, measures, and\n"
  "step sizes if they are there, in panels beside their legends. The picture is an SVG or a PNG, as its name ends.\n",
  "  cardan simulate walker.xml --duration 2 --step-sizes -o walk.csv && cardan plot walk.csv --model walker.xml\n"
  "  cardan plot walk.csv -o walk.png --columns knee_left,knee_right.q,kinetic_energy\n",
  "which trajectory? Name a file that 'cardan simulate -o' wrote"
};

/* ---- choosing columns ---------------------------------------------------------------------- */

/* The columns that a word names: one, or all of a joint or a measure. Returns their number. */
static int choose(const table *t, const char *word, bool *chosen) {
  size_t n = strlen(word);
  int found = 0;
  for (int i = 1; i < t->columns; i++) {
    const char *name = t->name[i];
    bool of_joint = joint_length(name) == n && strncmp(name, word, n) == 0;
    if (strcmp(name, word) != 0 && !of_joint) continue;
    chosen[i] = true;
    found++;
  }
  return found;
}

static bool choose_listed(const table *t, const char *path, const char *list, bool *chosen) {
  char *words = allocate(strlen(list) + 1, 1);
  bool good = true;
  strcpy(words, list);
  for (char *rest = words, *word; good && (word = strtok_r(rest, ",", &rest)) != NULL;) {
    good = choose(t, word, chosen) > 0;
    if (good) continue;
    const char *closest = cdni_closest_word(word, (const char *const *)t->name + 1, t->columns - 1);
    if (closest) complain("%s: has no column or joint '%s'; did you mean '%s'?", path, word, closest);
    else complain("%s: has no column or joint '%s'; its first line has their names", path, word);
  }
  free(words);
  return good;
}

/* ---- the picture's name -------------------------------------------------------------------- */

/* Beside the trajectory, if none was given. The caller frees it. */
static char *name_picture(const char *path, const char *given) {
  const char *from = given ? given : strcmp(path, "-") == 0 ? "trajectory" : path;
  char *name = allocate(strlen(from) + sizeof ".svg", 1);
  strcpy(name, from);
  if (given) return name;
  if (ends_in(name, ".csv")) name[strlen(name) - 4] = 0;
  return strcat(name, ".svg");
}

static bool name_makes_sense(const char *picture, const char *path) {
  struct stat a, b;
  if (!ends_in(picture, ".svg") && !ends_in(picture, ".png")) {
    complain("-o %s: pictures are .svg or .png, as the name ends", picture);
    return false;
  }
  if (stat(picture, &a) == 0 && stat(path, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino) {
    complain("%s is the input and would be overwritten; choose another output file", path);
    return false;
  }
  return true;
}

/* ---- the command --------------------------------------------------------------------------- */

static int draw_table(const table *t, const char *path, const char *picture, const char *columns, bool all) {
  bool *chosen = allocate((size_t)t->columns, sizeof *chosen);
  for (int i = 1; i < t->columns && !columns; i++) chosen[i] = all || t->meaning[i].kind != SPEED;
  int code = columns && !choose_listed(t, path, columns, chosen) ? CMD_USAGE : CMD_OK;
  figure *f = allocate(1, sizeof *f);
  const char *slash = strrchr(path, '/');
  f->table = t;
  f->title = slash ? slash + 1 : path;
  if (code == CMD_OK) arrange(f, chosen);
  if (code == CMD_OK && f->n == 0) {
    complain("%s: nothing to draw: no columns were chosen", path);
    code = CMD_USAGE;
  }
  if (code == CMD_OK && f->left_out > 0) {
    complain("%s: %d columns are left out of the picture, which has room for %d panels; name some with --columns", path,
             f->left_out, MOST_PANELS);
  }
  if (code == CMD_OK && !draw_figure(f, picture)) code = CMD_OUTPUT;
  free(f);
  free(chosen);
  return code;
}

int command_plot(int argc, char **argv) {
  const char *path, *output = NULL, *columns = NULL, *model = NULL;
  bool all = false, quiet = false;
  const option table_of_options[] = {
    { "output", 'o', OPTION_TEXT, &output, "FILE", "the picture, .svg or .png (default: FILE.svg)" },
    { "columns", 0, OPTION_TEXT, &columns, "A,B,...", "only these columns; a joint's name is all of its columns" },
    { "all", 0, OPTION_FLAG, &all, NULL, "speeds, too" },
    { "model", 0, OPTION_TEXT, &model, "MODEL", "the model that was simulated: tells angles from displacements" },
    { "quiet", 0, OPTION_FLAG, &quiet, NULL, "do not say where the picture is" },
  };
  int code =
      options_parse(&page, table_of_options, sizeof table_of_options / sizeof *table_of_options, argc, argv, &path);
  if (code != OPTIONS_GO) return code;
  char *picture = name_picture(path, output);
  if (!name_makes_sense(picture, path)) {
    free(picture);
    return CMD_USAGE;
  }
  table t;
  code = table_read(path, &t);
  if (code == CMD_OK && t.cut && !quiet) complain("%s: is not whole: the rows that are there are drawn", path);
  if (code == CMD_OK && model) code = units_from_model(&t, model);
  if (code == CMD_OK) code = draw_table(&t, path, picture, columns, all);
  if (code == CMD_OK && !quiet) printf("%s\n", picture);
  table_free(&t);
  free(picture);
  return code;
}
