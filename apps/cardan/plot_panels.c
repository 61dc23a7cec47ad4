/* Grouping columns into panels, and the panels' titles. */
#include "plot.h"

#include <stdlib.h>
#include <string.h>

/* Slots that are the only one of their joint need no name of their own. */
static bool is_only_slot(const char *column) {
  const char *slot = slot_of(column);
  return strcmp(slot, "q") == 0 || strcmp(slot, "u") == 0;
}

/* Slots of one joint that have one unit go together: quaternions, angles, places, angular and linear velocities. */
static bool go_together(const table *t, int a, int b) {
  const char *name = t->name[a], *other = t->name[b];
  const size_t n = joint_length(name);
  if (n == 0 || n != joint_length(other) || strncmp(name, other, n) != 0) return false;
  if (strcmp(t->meaning[a].unit, t->meaning[b].unit) != 0) return false;
  return t->meaning[a].unit[0] || slot_of(name)[0] == slot_of(other)[0];
}

/* ---- panels -------------------------------------------------------------------------------- */

static panel *add_panel(figure *f, const char *title) {
  if (f->n == MOST_PANELS) return NULL;
  panel *p = &f->panels[f->n++];
  *p = (panel){ .n = 0 };
  snprintf(p->title, sizeof p->title, "%s", title);
  return p;
}

/* At most `length` bytes of a text, as many as fit, and no half of a character. */
static void put_text(char *to, size_t size, const char *text, size_t length) {
  size_t n = length < size ? length : size - 1;
  while (n > 0 && n < strlen(text) && ((unsigned char)text[n] & 0xc0) == 0x80) n--;
  memcpy(to, text, n);
  to[n] = 0;
}

static void add_curve(figure *f, panel *p, int column, const char *label, size_t length) {
  if (!p || p->n == MOST_LINES) {
    f->left_out++;
    return;
  }
  curve *c = &p->curves[p->n++];
  *c = (curve){ .column = column, .plus = -1 };
  put_text(c->label, sizeof c->label, label, length);
}

/* A panel of one joint, named after it; its curves after their slots. */
static void add_bundle(figure *f, const int *columns, int n) {
  char joint[96], title[sizeof f->panels->title];
  const char *first = f->table->name[columns[0]], *unit = f->table->meaning[columns[0]].unit;
  put_text(joint, sizeof joint, first, joint_length(first));
  snprintf(title, sizeof title, "%s%s%s", joint, unit[0] ? ", " : "", unit);
  panel *p = add_panel(f, title);
  for (int i = 0; i < n; i++) {
    const char *slot = slot_of(f->table->name[columns[i]]);
    add_curve(f, p, columns[i], slot, strlen(slot));
  }
}

/* The title of columns that form no other group. */
static const char *title_of(const table *t, int i) {
  static const struct {
    const char *unit, *title;
  } known[] = { { "rad", "angles, rad" },
                { "m", "displacements, m" },
                { "rad or m", "coordinates, rad or m" },
                { "rad/s", "angular velocities, rad/s" },
                { "m/s", "velocities, m/s" },
                { "rad/s or m/s", "speeds, rad/s or m/s" },
                { "quaternion", "quaternions" },
                { "kJ/mol", "energies, kJ/mol" },
                { "K", "temperature, K" },
                { "nm", "lengths, nm" } };
  if (t->meaning[i].kind == MEASURE) return "measures";
  for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
    if (strcmp(t->meaning[i].unit, known[k].unit) == 0) return known[k].title;
  }
  return slot_of(t->name[i])[0] ? (t->meaning[i].kind == SPEED ? "speeds" : "coordinates") : "columns";
}

static size_t name_length(const char *name) { return is_only_slot(name) ? joint_length(name) : strlen(name); }

/* Columns without company share panels, evenly. */
static void add_singles(figure *f, const int *columns, int n, const char *what) {
  enum { COMFORTABLE = 5 };
  int panels = (n + COMFORTABLE - 1) / COMFORTABLE;
  for (int k = 0, i = 0; k < panels; k++) {
    const int end = (int)((int64_t)n * (k + 1) / panels);
    const char *first = f->table->name[columns[i]], *last = f->table->name[columns[end - 1]];
    char from[40], to[40], title[sizeof f->panels->title];
    put_text(from, sizeof from, first, name_length(first));
    put_text(to, sizeof to, last, name_length(last));
    if (panels == 1) snprintf(title, sizeof title, "%s", what);
    else snprintf(title, sizeof title, "%s (%d of %d): %s to %s", what, k + 1, panels, from, to);
    panel *p = add_panel(f, title);
    for (; i < end; i++) {
      const char *name = f->table->name[columns[i]];
      add_curve(f, p, columns[i], name, name_length(name));
    }
  }
}

/* How many columns from i on, of n, go into one panel of their own. */
static int count_bundle(const table *t, const int *columns, int n, int i) {
  int count = 1;
  while (i + count < n && count < MOST_LINES && go_together(t, columns[i], columns[i + count])) count++;
  return count;
}

/* Columns of a kind: single ones by their quantity, in the order of first appearance, then bundles. */
static void arrange_kind(figure *f, const bool *chosen, column_kind kind) {
  enum { MOST_TITLES = 12 };
  const table *t = f->table;
  int *columns = allocate((size_t)t->columns, sizeof *columns), *single = allocate((size_t)t->columns, sizeof *single);
  const char *titles[MOST_TITLES];
  int n = 0, n_titles = 0;
  for (int i = 1; i < t->columns; i++) {
    if (chosen[i] && t->meaning[i].kind == kind) columns[n++] = i;
  }
  for (int i = 0, count; i < n; i += count) {
    count = count_bundle(t, columns, n, i);
    const char *title = title_of(t, columns[i]);
    bool is_new = count == 1 && n_titles < MOST_TITLES;
    for (int k = 0; k < n_titles; k++) is_new = is_new && titles[k] != title;
    if (is_new) titles[n_titles++] = title;
  }
  for (int k = 0; k < n_titles; k++) {
    int singles = 0;
    for (int i = 0, count; i < n; i += count) {
      count = count_bundle(t, columns, n, i);
      if (count == 1 && title_of(t, columns[i]) == titles[k]) single[singles++] = columns[i];
    }
    add_singles(f, single, singles, titles[k]);
  }
  for (int i = 0, count; i < n; i += count) {
    count = count_bundle(t, columns, n, i);
    if (count > 1) add_bundle(f, columns + i, count);
  }
  free(columns);
  free(single);
}

/* The chosen column of this name, or -1. */
static int find_chosen(const table *t, const bool *chosen, const char *name) {
  for (int i = 1; i < t->columns; i++) {
    if (chosen[i] && strcmp(t->name[i], name) == 0) return i;
  }
  return -1;
}

/* Potential energies are drawn from their initial value: their zero has no meaning, and would hide the changes. */
static void arrange_energies(figure *f, const bool *chosen) {
  int kinetic = find_chosen(f->table, chosen, "kinetic_energy");
  int potential = find_chosen(f->table, chosen, "potential_energy");
  bool has_kinetic = kinetic > 0, has_potential = potential > 0;
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
  int column = find_chosen(f->table, chosen, "step_size");
  if (column < 1) return;
  panel *p = add_panel(f, "step size, s");
  add_curve(f, p, column, "step size", 9);
  if (p) p->logarithmic = true;
}

void arrange(figure *f, const bool *chosen) {
  f->n = f->left_out = 0;
  arrange_kind(f, chosen, COORDINATE);
  arrange_kind(f, chosen, SPEED);
  arrange_energies(f, chosen);
  arrange_kind(f, chosen, MEASURE);
  arrange_step_sizes(f, chosen);
}
