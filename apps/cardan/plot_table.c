/* Comma-separated values, as `cardan simulate` writes them. */
#define _POSIX_C_SOURCE 200809L
#include "plot.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* Text that can be drawn: valid UTF-8 in one line. */
static void make_drawable(char *text) {
  json_t *valid = json_string(text);
  for (char *c = text; *c; c++) {
    if ((unsigned char)*c < ' ' || *c == 0x7f) *c = ' ';
    else if (!valid && (unsigned char)*c >= 0x80) *c = '?';
  }
  json_decref(valid);
}

static void read_names(table *t, char *line) {
  int room = 0;
  while (line) {
    if (t->columns == room) {
      room = room ? 2 * room : 16;
      char **grown = realloc(t->name, (size_t)room * sizeof *grown);
      if (!grown) {
        complain("out of memory");
        exit(CMD_FAILED);
      }
      t->name = grown;
    }
    char *name = cdni_next_field(&line);
    make_drawable(name);
    t->name[t->columns] = allocate(strlen(name) + 1, 1);
    strcpy(t->name[t->columns++], name);
  }
}

/* Fills a row. Returns what is wrong with it, or NULL. */
static const char *read_row(const table *t, char *line, double *row) {
  for (int i = 0; i < t->columns; i++) {
    if (!line) return "has fewer fields than the header";
    char *field = cdni_next_field(&line), *end;
    row[i] = strtod(field, &end);
    if (end == field || *end) return "has a field that is no number";
  }
  return line ? "has more fields than the header" : NULL;
}

static void make_room(table *t, size_t *room) {
  if (t->rows < *room) return;
  *room = *room ? 2 * *room : 256;
  double *grown = realloc(t->value, *room * (size_t)t->columns * sizeof *grown);
  if (!grown) {
    complain("out of memory");
    exit(CMD_FAILED);
  }
  t->value = grown;
}

static bool read_lines(const char *path, FILE *file, table *t) {
  char *line = NULL;
  size_t size = 0, room = 0, number = 0;
  const char *wrong = NULL;
  ssize_t n;
  while (!wrong && (n = getline(&line, &size, file)) > 0) {
    number++;
    bool whole = line[n - 1] == '\n';
    while (n > 0 && (line[n - 1] == '\n' || line[n - 1] == '\r')) line[--n] = 0;
    if (number == 1) {
      read_names(t, line);
      if (t->columns < 2) wrong = "has no columns to draw: the first is time, the others are drawn over it";
      continue;
    }
    if (n == 0) continue;
    make_room(t, &room);
    wrong = read_row(t, line, t->value + t->rows * (size_t)t->columns);
    // a run that is being written, or was killed, may end within a row
    if (!whole) {
      t->cut = true;
      wrong = NULL;
      break;
    }
    t->rows++;
  }
  free(line);
  if (wrong) complain("%s:%zu: the line %s", path, number, wrong);
  else if (ferror(file)) complain("%s: could not be read: %s", path, strerror(errno));
  else if (t->rows == 0) complain("%s: holds no rows to draw", path);
  return !wrong && !ferror(file) && t->rows > 0;
}

int table_read(const char *path, table *t) {
  *t = (table){ .columns = 0 };
  bool is_input = strcmp(path, "-") == 0;
  FILE *file = is_input ? stdin : fopen(path, "r");
  if (!file) {
    complain("%s: could not be read: %s", path, strerror(errno));
    return CMD_INPUT;
  }
  bool good = read_lines(path, file, t);
  if (!is_input) fclose(file);
  if (good) describe_columns(t);
  return good ? CMD_OK : CMD_INPUT;
}

void table_free(table *t) {
  for (int i = 0; i < t->columns; i++) free(t->name[i]);
  free(t->name);
  free(t->meaning);
  free(t->value);
}
