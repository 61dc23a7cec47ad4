/* The table of `simulate --events`: a row for each change that impacts, contact and dry friction make. What has been
 * written is counted and summed, as in tables of numbers, so that a run which is resumed knows its own file. */
#define _POSIX_C_SOURCE 200809L
#include "simulate.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

static void put(events *e, const char *text) {
  const size_t n = strlen(text);
  FILE *to = e->temporary ? e->temporary : e->file;
  if (fwrite(text, 1, n, to) != n) e->failed = true;
  if (e->temporary) return;
  e->written.rows += (double)n;
  e->written.checksum = (double)crc32((uLong)e->written.checksum, (const Bytef *)text, (uInt)n);
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* Names may hold what divides fields. */
static void put_name(events *e, const char *name) {
  char quoted[600];
  size_t k = 0;
  if (!strpbrk(name, ",\"\r\n")) {
    put(e, name);
    return;
  }
  quoted[k++] = '"';
  for (; *name && k + 3 < sizeof quoted; name++) {
    if (*name == '"') quoted[k++] = '"';
    quoted[k++] = *name;
  }
  quoted[k++] = '"', quoted[k] = '\0';
  put(e, quoted);
}

static void put_row(events *e, const cdn_hybrid_change *c) {
  const double numbers[] = { hypot(hypot(c->impulse[0], c->impulse[1]), c->impulse[2]), c->energy };
  char number[CDN_NUMBER_SIZE];
  put(e, cdn_number_text(c->time, number));
  put(e, ",");
  put_name(e, c->element);
  put(e, ",");
  put(e, c->what);
  for (int k = 0; k < 2; k++) {
    put(e, ",");
    put(e, cdn_number_text(numbers[k], number));
  }
  put(e, "\n");
}

void events_note(events *e, cdn_state *state) {
  const cdn_system *system = cdn_state_system(state);
  const double moments = cdn_hybrid_get_totals(state).moments;
  if (!e->file || e->failed || moments == e->moments) return;
  e->moments = moments;
  for (int i = 0; i < cdn_system_one_sided_count(system); i++) {
    const cdn_hybrid_change c = cdn_one_sided_get_change(state, (cdn_one_sided){ i });
    if (c.what) put_row(e, &c);
  }
  for (int i = 0; i < cdn_system_dry_friction_count(system); i++) {
    const cdn_hybrid_change c = cdn_dry_friction_get_change(state, (cdn_dry_friction){ i });
    if (c.what) put_row(e, &c);
  }
}

/* ---- the file -------------------------------------------------------------------------------- */

bool events_open(events *e, const char *path) {
  *e = (events){ .path = path };
  if (!open_output(path, &e->file)) return false;
  if (e->file) put(e, "time,element,change,impulse,energy\n");
  return true;
}

/* Whether the file begins with what has been written; it is then open at the end of that. */
static bool is_own(events *e, extent so_far) {
  char piece[1 << 14];
  uLong checksum = 0;
  double left = so_far.rows;
  while (left > 0) {
    const size_t n = fread(piece, 1, (size_t)fmin(left, sizeof piece), e->file);
    if (n == 0) return false;
    checksum = crc32(checksum, (const Bytef *)piece, (uInt)n);
    left -= (double)n;
  }
  return (double)checksum == so_far.checksum && ftruncate(fileno(e->file), (off_t)so_far.rows) == 0 &&
         fseek(e->file, 0, SEEK_END) == 0;
}

bool events_resume(events *e, const char *path, extent so_far, double moments) {
  *e = (events){ .path = path, .written = so_far, .moments = moments };
  if (!path) return true;
  e->file = fopen(path, "r+");
  if (!e->file) complain("the events that are to be continued: %s: %s", path, strerror(errno));
  else if (is_own(e, so_far)) return true;
  else {
    complain("%s: is not the table of events of this checkpoint, which had written %.0f bytes of it", path,
             so_far.rows);
    fclose(e->file), e->file = NULL;
  }
  return false;
}

bool events_sync(events *e) {
  if (e->file && fflush(e->file) != 0) e->failed = true;
  return !e->failed;
}

void events_pour(events *e, FILE *temporary) {
  char line[1 << 12];
  if (!e->file || !temporary) return;
  e->temporary = NULL;
  rewind(temporary);
  while (fgets(line, sizeof line, temporary)) put(e, line);
}

bool events_close(events *e) {
  const bool good = !e->file || finish_output(e->file, e->path);
  *e = (events){ .path = NULL };
  return good;
}
