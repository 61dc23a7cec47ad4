/* Which columns go together into a panel. Names are those of `cardan simulate`: "joint.slot", energies, measures ("name" or
 * "name[0]", "name[1]", ...), the step size; any other column is drawn as if it were a coordinate. */
#include "plot.h"

#include <stdlib.h>
#include <string.h>

/* ---- what a column is ---------------------------------------------------------------------- */

/* The part behind the last dot, or an index, or "". */
static const char *slot_of(const char *column) {
  const char *dot = strrchr(column, '.'), *bracket = strchr(column, '[');
  return dot ? dot + 1 : bracket ? bracket : "";
}

size_t joint_length(const char *column) {
  const char *slot = slot_of(column);
  return slot[0] ? (size_t)(slot - column) - (slot[0] != '[' || slot[-1] == '.') : strlen(column);
}

/* Measures come after the energies. */
static bool is_measure(const table *t, int column) {
  int energy = table_find(t, "potential_energy");
  return energy > 0 && column > energy && strcmp(t->name[column], "step_size") != 0;
}

bool is_speed(const table *t, int column) {
  const char *slot = slot_of(t->name[column]);
  if (is_measure(t, column)) return false;
  return (slot[0] && strchr("uvw", slot[0])) || strcmp(slot, "bend") == 0 || strcmp(slot, "stretch") == 0;
}

static bool is_energy(const char *column) {
  return strcmp(column, "kinetic_energy") == 0 || strcmp(column, "potential_energy") == 0;
}

static bool is_step_size(const char *column) { return strcmp(column, "step_size") == 0; }

/* Slots that are the only one of their joint need no name of their own. */
static bool is_only_slot(const char *column) {
  const char *slot = slot_of(column);
  return strcmp(slot, "q") == 0 || strcmp(slot, "u") == 0;
}

/* Slots of one joint that have one unit go together: quaternions, angles, places, angular and linear velocities. */
static bool go_together(const char *a, const char *b) {
  size_t n = joint_length(a);
  return n == joint_length(b) && strncmp(a, b, n) == 0 && slot_of(a)[0] == slot_of(b)[0];
}

/* ---- panels -------------------------------------------------------------------------------- */

static panel *add_panel(figure *f, const char *title) {
  if (f->n == MOST_PANELS) return NULL;
  panel *p = &f->panels[f->n++];
  *p = (panel){ .n = 0 };
  snprintf(p->title, sizeof p->title, "%s", title);
  return p;
}

static void add_curve(figure *f, panel *p, int column, const char *label, size_t length) {
  if (!p || p->n == MOST_LINES) {
    f->left_out++;
    return;
  }
  curve *c = &p->curves[p->n++];
  *c = (curve){ .column = column, .plus = -1 };
  snprintf(c->label, sizeof c->label, "%.*s", (int)length, label);
}

/* A panel of one joint, named after it; its curves after their slots. */
static void add_bundle(figure *f, const int *columns, int n) {
  char title[96];
  const char *first = f->table->name[columns[0]];
  snprintf(title, sizeof title, "%.*s", (int)joint_length(first), first);
  panel *p = add_panel(f, title);
  for (int i = 0; i < n; i++) {
    const char *slot = slot_of(f->table->name[columns[i]]);
    add_curve(f, p, columns[i], slot, strlen(slot));
  }
}

/* Columns without company share panels, evenly. */
static void add_singles(figure *f, const int *columns, int n, const char *title) {
  enum { COMFORTABLE = 5 };
  int panels = (n + COMFORTABLE - 1) / COMFORTABLE;
  for (int k = 0, i = 0; k < panels; k++) {
    panel *p = add_panel(f, title);
    for (int end = n * (k + 1) / panels; i < end; i++) {
      const char *name = f->table->name[columns[i]];
      add_curve(f, p, columns[i], name, is_only_slot(name) ? joint_length(name) : strlen(name));
    }
  }
}

typedef enum column_kind { COORDINATES, SPEEDS, MEASURES } column_kind;

static column_kind kind_of(const table *t, int column) {
  return is_measure(t, column) ? MEASURES : is_speed(t, column) ? SPEEDS : COORDINATES;
}

/* Columns of a kind, in order: bundles by themselves, runs of single ones together. */
static void arrange_kind(figure *f, const bool *chosen, column_kind kind, const char *title) {
  const table *t = f->table;
  int *columns = allocate((size_t)t->columns, sizeof *columns), *single = allocate((size_t)t->columns, sizeof *single);
  int n = 0, singles = 0;
  for (int i = 1; i < t->columns; i++) {
    const char *name = t->name[i];
    if (chosen[i] && !is_energy(name) && !is_step_size(name) && kind_of(t, i) == kind) columns[n++] = i;
  }
  for (int i = 0, count; i < n; i += count) {
    count = 1;
    while (i + count < n && count < MOST_LINES && go_together(t->name[columns[i]], t->name[columns[i + count]]))
      count++;
    if (count == 1) {
      single[singles++] = columns[i];
      continue;
    }
    add_singles(f, single, singles, title);
    singles = 0;
    add_bundle(f, columns + i, count);
  }
  add_singles(f, single, singles, title);
  free(columns);
  free(single);
}

/* Potentials count from where they started: where zero is means nothing, and would hide what changes. */
static void arrange_energies(figure *f, const bool *chosen) {
  int kinetic = table_find(f->table, "kinetic_energy"), potential = table_find(f->table, "potential_energy");
  bool has_kinetic = kinetic > 0 && chosen[kinetic], has_potential = potential > 0 && chosen[potential];
  if (!has_kinetic && !has_potential) return;
  panel *p = add_panel(f, has_potential ? "energy, J, potential from its start" : "energy, J");
  if (has_kinetic) add_curve(f, p, kinetic, "kinetic", 7);
  if (has_potential) add_curve(f, p, potential, "potential", 9);
  if (!has_potential || !p) return;
  double start = table_at(f->table, 0, potential);
  p->curves[p->n - 1].less = start;
  if (!has_kinetic) return;
  add_curve(f, p, kinetic, "total", 5);
  p->curves[p->n - 1].plus = potential;
  p->curves[p->n - 1].less = start;
}

static void arrange_step_sizes(figure *f, const bool *chosen) {
  int column = table_find(f->table, "step_size");
  if (column < 1 || !chosen[column]) return;
  panel *p = add_panel(f, "step size, s");
  add_curve(f, p, column, "step size", 9);
  if (p) p->logarithmic = true;
}

void arrange(figure *f, const bool *chosen) {
  f->n = f->left_out = 0;
  arrange_kind(f, chosen, COORDINATES, "coordinates");
  arrange_kind(f, chosen, SPEEDS, "speeds");
  arrange_energies(f, chosen);
  arrange_kind(f, chosen, MEASURES, "measures");
  arrange_step_sizes(f, chosen);
}
