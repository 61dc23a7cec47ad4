/* What the parts of `cardan plot` share: the table that a trajectory file holds, and the panels that are drawn of
 * it. */
#ifndef PLOT_H
#define PLOT_H

#include "command.h"

/* ---- plot_table.c -------------------------------------------------------------------------- */

typedef enum column_kind { COORDINATE, SPEED, ENERGY, MEASURE, STEP_SIZE } column_kind;

typedef struct column_meaning {
  column_kind kind;
  const char *unit; /* "rad", "m", "rad or m", "quaternion", ...; "" where it is not known */
} column_meaning;

typedef struct table {
  int columns; /* the first is what the others are drawn over */
  size_t rows;
  char **name;
  column_meaning *meaning; /* a column each */
  const char *time_unit;   /* of the first, if that is a time */
  const double *value;     /* row after row */
  bool cut;                /* the file ends within a row, which is left out, or lacks rows that its head tells */
  struct cdn_table *file;
} table;

/* Reads a table of any format. Returns CMD_OK, or the exit code after it has said what is wrong. Free it in either
 * case. */
int table_read(const char *path, table *t);
void table_free(table *t);

static inline double table_at(const table *t, size_t row, int column) {
  return t->value[row * (size_t)t->columns + (size_t)column];
}

/* ---- plot_columns.c ------------------------------------------------------------------------ */

/* Fills t->meaning. */
void describe_columns(table *t);
/* Whether joints of one coordinate turn or slide is not in their columns' names, but in the model. Returns CMD_OK, or
 * the exit code after it has said what is wrong. */
int units_from_model(table *t, const char *path);
/* How much of a column's name is that of its joint, or of its measure. */
size_t joint_length(const char *column);
/* The part behind the last dot, or an index, or "". */
const char *slot_of(const char *column);

/* ---- plot_panels.c ------------------------------------------------------------------------- */

enum { MOST_LINES = 7, MOST_PANELS = 60 };

/* A line in a panel: a column, or the sum of two, less a number. */
typedef struct curve {
  int column, plus; /* plus: -1 for none */
  double less;
  char label[96];
} curve;

typedef struct panel {
  char title[160];
  bool logarithmic;
  int n;
  curve curves[MOST_LINES];
} panel;

typedef struct figure {
  const table *table;
  const char *title;
  int n;
  panel panels[MOST_PANELS];
  int left_out; /* columns for which there was no room */
} figure;

/* Puts columns into panels: single ones of one unit side by side, those of one joint together, then energies, measures
 * and step sizes. `chosen` has a flag a column. */
void arrange(figure *f, const bool *chosen);

/* ---- plot_ticks.c -------------------------------------------------------------------------- */

enum { MOST_TICKS = 12, LABEL_SIZE = 24 };

/* Where an axis is marked. Labels are of the values less `base`, which is 0 unless they would be too long. */
typedef struct ticks {
  int n;
  double at[MOST_TICKS], base;
  char label[MOST_TICKS][LABEL_SIZE];
} ticks;

/* Round numbers within least .. most, at most `wanted` of them. */
void make_ticks(ticks *t, double least, double most, int wanted);
/* Powers of ten, given the logarithms of the ends. */
void make_log_ticks(ticks *t, double least, double most, int wanted);

/* ---- plot_draw.c --------------------------------------------------------------------------- */

/* Draws to a file that ends in .svg or .png; false, and said, if it could not be written. */
bool draw_figure(const figure *f, const char *path);

#endif
