/* The table of a trajectory file, for drawing. */
#include "plot.h"

#include <cardan/table.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* Text that can be drawn: valid UTF-8 in one line. */
static char *make_drawable(const char *name) {
  char *text = strcpy(allocate(strlen(name) + 1, 1), name);
  json_t *valid = json_string(text);
  for (char *c = text; *c; c++) {
    if ((unsigned char)*c < ' ' || *c == 0x7f) *c = ' ';
    else if (!valid && (unsigned char)*c >= 0x80) *c = '?';
  }
  json_decref(valid);
  return text;
}

/* What the file says of units counts for more than what names tell. */
static void take_units(table *t) {
  for (int i = 1; i < t->columns; i++) {
    const char *unit = cdn_table_column_unit(t->file, i);
    if (unit[0] && strcmp(unit, "1") != 0) t->meaning[i].unit = unit;
  }
  const char *unit = cdn_table_column_unit(t->file, 0);
  if (unit[0]) t->time_unit = unit;
}

int table_read(const char *path, table *t) {
  *t = (table){ .columns = 0 };
  if (cdn_table_read(path, &t->file) != CDN_OK) {
    complain_last_error();
    return CMD_INPUT;
  }
  const int columns = cdn_table_column_count(t->file);
  t->rows = (size_t)cdn_table_row_count(t->file);
  t->value = cdn_table_values(t->file);
  t->cut = cdn_table_is_cut(t->file);
  if (columns < 2) complain("%s: has no columns to draw: the first is time, the others are drawn over it", path);
  else if (t->rows == 0) complain("%s: holds no rows to draw", path);
  if (columns < 2 || t->rows == 0) return CMD_INPUT;
  t->name = allocate((size_t)columns, sizeof *t->name);
  for (; t->columns < columns; t->columns++)
    t->name[t->columns] = make_drawable(cdn_table_column_name(t->file, t->columns));
  describe_columns(t);
  take_units(t);
  return CMD_OK;
}

void table_free(table *t) {
  for (int i = 0; i < t->columns; i++) free(t->name[i]);
  free(t->name);
  free(t->meaning);
  cdn_table_destroy(t->file);
}
