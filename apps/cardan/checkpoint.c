/* The checkpoint of a run of `cardan simulate`: one line that identifies it, the run's arguments and progress as
 * JSON, the initial State, the stepper. A file is replaced as a whole, so it always contains a complete checkpoint. */
#define _DEFAULT_SOURCE
#include "core/whole_file.h"
#include "simulate.h"

#include <errno.h>
#include <fcntl.h>
#include <float.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

enum { FORMAT = 7, FIRST_LINE = 96 };

/* The members of the JSON, written and read from one list. */
typedef enum field_kind { FIELD_TEXT, FIELD_NUMBER, FIELD_FLAG } field_kind;
typedef struct field {
  const char *name;
  field_kind kind;
  void *value; /* const char *, double or bool */
} field;

enum { MOST_FIELDS = 52 };

static int list_fields(simulate_arguments *a, run_position *p, field *fields) {
  const field all[] = { { "model", FIELD_TEXT, &a->model.path },
                        { "key", FIELD_TEXT, &a->model.key },
                        { "initial", FIELD_TEXT, &a->model.state },
                        { "strict", FIELD_FLAG, &a->model.strict },
                        { "keep_fixed", FIELD_FLAG, &a->model.keep_fixed },
                        { "floating_base", FIELD_FLAG, &a->model.floating_base },
                        { "tree_only", FIELD_FLAG, &a->model.tree_only },
                        { "armature", FIELD_NUMBER, &a->model.armature },
                        { "exact_hulls", FIELD_FLAG, &a->model.exact_hulls },
                        { "ground", FIELD_FLAG, &a->model.ground.there },
                        { "ground_at_height", FIELD_FLAG, &a->model.ground.has_height },
                        { "ground_height", FIELD_NUMBER, &a->model.ground.height },
                        { "contact", FIELD_TEXT, &a->model.contact },
                        { "as_file", FIELD_FLAG, &a->model.as_file },
                        { "equality", FIELD_TEXT, &a->model.equality },
                        { "friction", FIELD_TEXT, &a->model.friction },
                        { "stiffness", FIELD_NUMBER, &a->model.stiffness },
                        { "dissipation", FIELD_NUMBER, &a->model.dissipation },
                        { "motion", FIELD_TEXT, &a->model.motion },
                        { "motion_linear", FIELD_FLAG, &a->model.motion_linear },
                        { "duration", FIELD_NUMBER, &a->duration },
                        { "accuracy", FIELD_NUMBER, &a->accuracy },
                        { "step", FIELD_NUMBER, &a->step },
                        { "method", FIELD_TEXT, &a->method_name },
                        { "report", FIELD_NUMBER, &a->report },
                        { "output", FIELD_TEXT, &a->output },
                        { "summary", FIELD_TEXT, &a->summary },
                        { "verify", FIELD_FLAG, &a->verify },
                        { "no_companion", FIELD_FLAG, &a->no_companion },
                        { "step_sizes", FIELD_FLAG, &a->step_sizes },
                        { "checkpoint_every", FIELD_NUMBER, &a->checkpoint_every },
                        { "checkpoint_wall", FIELD_NUMBER, &a->checkpoint_wall },
                        { "time_initial", FIELD_NUMBER, &p->t0 },
                        { "rows", FIELD_NUMBER, &p->row },
                        { "last_row_time", FIELD_NUMBER, &p->last_time },
                        { "table_rows", FIELD_NUMBER, &p->written.rows },
                        { "checksum", FIELD_NUMBER, &p->written.checksum },
                        { "most_contacts", FIELD_NUMBER, &p->most_contacts },
                        { "wall_seconds", FIELD_NUMBER, &p->wall_seconds },
                        { "controls", FIELD_TEXT, &a->controls },
                        { "control_rows", FIELD_NUMBER, &p->control_rows },
                        { "control_checksum", FIELD_NUMBER, &p->control_checksum },
                        { "record_controls", FIELD_TEXT, &a->record_controls },
                        { "record_rows", FIELD_NUMBER, &p->recorded.rows },
                        { "record_checksum", FIELD_NUMBER, &p->recorded.checksum },
                        { "events", FIELD_TEXT, &a->events },
                        { "event_bytes", FIELD_NUMBER, &p->events.rows },
                        { "event_checksum", FIELD_NUMBER, &p->events.checksum },
                        { "on_divergence", FIELD_TEXT, &a->on_divergence },
                        { "resets", FIELD_NUMBER, &p->resets },
                        { "reset_time", FIELD_NUMBER, &p->reset_time } };
  _Static_assert(sizeof all / sizeof *all <= MOST_FIELDS, "more fields than there is room for");
  memcpy(fields, all, sizeof all);
  return (int)(sizeof all / sizeof *all);
}

/* ---- its parts ------------------------------------------------------------------------------- */

/* The JSON as a string that the caller frees. */
static char *make_head(const simulate_arguments *a, const run_position *p) {
  simulate_arguments arguments = *a;
  run_position position = *p;
  field fields[MOST_FIELDS];
  int n = list_fields(&arguments, &position, fields);
  char *text = NULL;
  size_t size = 0;
  FILE *file = open_memstream(&text, &size);
  if (!file) return NULL;
  json_writer w = jw_begin(file);
  for (int i = 0; i < n; i++) {
    const char *name = fields[i].name;
    switch (fields[i].kind) {
      case FIELD_TEXT: {
        const char *value = *(const char **)fields[i].value;
        if (value) jw_text(&w, name, value);
        break;
      }
      case FIELD_NUMBER: jw_number(&w, name, *(double *)fields[i].value); break;
      case FIELD_FLAG: jw_boolean(&w, name, *(bool *)fields[i].value); break;
    }
  }
  jw_end(&w);
  if (fclose(file) == 0) return text;
  free(text);
  return NULL;
}

/* Sees to it that a rename outlives a power cut. */
static void sync_directory(const char *path) {
  char *directory = strdup(path), *slash = directory ? strrchr(directory, '/') : NULL;
  if (slash) slash[slash == directory] = 0;
  int handle = directory ? open(slash ? directory : ".", O_RDONLY) : -1;
  if (handle >= 0) {
    (void)!fsync(handle);
    close(handle);
  }
  free(directory);
}

static bool write_all(FILE *file, const char *head, const cdn_buffer *bytes) {
  size_t n = strlen(head);
  unsigned long checksum = crc32(0, (const Bytef *)head, (uInt)n);
  fprintf(file, "cardan checkpoint %d, %zu bytes of JSON, checksum %08lx\n%s", FORMAT, n, checksum, head);
  fwrite(bytes->bytes, 1, bytes->size, file);
  return fflush(file) == 0 && !ferror(file) && fsync(fileno(file)) == 0;
}

/* ---- one run a file -------------------------------------------------------------------------- */

/* The checkpoint that this run wrote last is locked until the next one takes its place, or the process ends: another
 * run that would write to the same file finds out. */
static int held = -1;

/* The lock of a file that is about to take its place; -1: there is none. */
static int lock(FILE *file) {
  const int locked = dup(fileno(file));
  if (locked < 0 || flock(locked, LOCK_EX | LOCK_NB) == 0) return locked;
  close(locked);
  return -1;
}

static bool same(const struct stat *a, const struct stat *b) {
  return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

bool checkpoint_is_free(const char *path) {
  enum { ATTEMPTS = 100 };
  struct stat its, own, now;
  bool taken = false, replaced = true;
  for (int i = 0; i < ATTEMPTS && replaced && !taken; i++) {
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) return true;
    const bool ours = held >= 0 && fstat(held, &own) == 0 && fstat(file, &its) == 0 && same(&own, &its);
    taken = !ours && flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    // the other run lets go of a checkpoint when the next one has taken its place: look at that
    replaced = fstat(file, &its) == 0 && stat(path, &now) == 0 && !same(&its, &now);
    close(file);
  }
  return !taken;
}

void complain_taken(const char *path) {
  complain("%s: another run writes its checkpoints there, and goes on; give each run a file of its own", path);
}

/* ---- writing --------------------------------------------------------------------------------- */

bool checkpoint_write(const simulate_arguments *a, const run_position *p, cdn_state *initial, cdn_stepper *stepper,
                      bool in_silence) {
  char *head = make_head(a, p);
  // into memory first: methods that begin anew where they are saved do so whether the disk has room or not
  cdn_buffer bytes = { .size = 0 };
  cdni_whole_file file;
  const bool saved = cdn_state_save(initial, cdn_buffer_write, &bytes) == CDN_OK &&
                     cdn_stepper_save(stepper, cdn_buffer_write, &bytes) == CDN_OK;
  const bool may = checkpoint_is_free(a->checkpoint);
  bool written = false;
  int locked = -1;
  errno = 0;
  if (saved && head && may && cdni_whole_begin(&file, a->checkpoint)) {
    const bool good = write_all(file.file, head, &bytes);
    locked = lock(file.file);
    written = cdni_whole_end(&file, good);
  }
  const int outdated = written ? held : locked, reason = errno;
  if (written) held = locked;
  if (outdated >= 0) close(outdated);
  errno = reason;
  if (written) sync_directory(a->checkpoint);
  else if (!may && !in_silence) complain_taken(a->checkpoint);
  else if (!in_silence)
    complain("%s: the checkpoint could not be written%s%s", a->checkpoint, errno ? ": " : "",
             errno ? strerror(errno) : "");
  cdn_buffer_free(&bytes);
  free(head);
  return written;
}

/* ---- reading ------------------------------------------------------------------------------- */

/* The whole file. */
static bool slurp(const char *path, cdn_buffer *bytes) {
  char piece[1 << 16];
  FILE *file = fopen(path, "rb");
  bool ok = file != NULL;
  while (ok) {
    size_t n = fread(piece, 1, sizeof piece, file);
    if (n == 0) break;
    ok = cdn_buffer_write(bytes, piece, n) == CDN_OK;
  }
  ok = ok && !ferror(file);
  if (!ok) complain("%s: could not be read: %s", path, strerror(errno));
  if (file) fclose(file);
  return ok;
}

/* Where the JSON is in the bytes, and how long; false if it is not there, or damaged. */
static bool find_head(const cdn_buffer *bytes, const char **head, size_t *n) {
  char line[FIRST_LINE] = "";
  const char *end = bytes->size ? memchr(bytes->bytes, '\n', bytes->size) : NULL;
  int format;
  unsigned long checksum;
  if (!end || end - (const char *)bytes->bytes >= FIRST_LINE) return false;
  memcpy(line, bytes->bytes, (size_t)(end - (const char *)bytes->bytes));
  if (sscanf(line, "cardan checkpoint %d, %zu bytes of JSON, checksum %lx", &format, n, &checksum) != 3) return false;
  *head = end + 1;
  size_t left = bytes->size - (size_t)(*head - (const char *)bytes->bytes);
  return format == FORMAT && *n <= left && crc32(0, (const Bytef *)*head, (uInt)*n) == checksum;
}

static bool read_field(const field *f, const json_t *value) {
  switch (f->kind) {
    case FIELD_TEXT: *(const char **)f->value = json_string_value(value); return !value || json_is_string(value);
    case FIELD_NUMBER: *(double *)f->value = json_number_value(value); return json_is_number(value);
    case FIELD_FLAG: *(bool *)f->value = json_is_true(value); return json_is_boolean(value);
  }
  return false;
}

/* The name of the first number that no run can have, or NULL. */
static const char *find_nonsense(const simulate_arguments *a, const run_position *p) {
  const double exact = 0x1p53, no_row = -DBL_MAX;
  const struct {
    const char *name;
    double value, least, most;
    bool whole;
  } numbers[] = { { "duration", a->duration, DBL_MIN, DBL_MAX, false },
                  { "accuracy", a->accuracy, LEAST_ACCURACY, MOST_ACCURACY, false },
                  { "step", a->step, 0, DBL_MAX, false },
                  { "report", a->report, a->duration / MOST_TABLE_ROWS, DBL_MAX, false },
                  { "checkpoint_every", a->checkpoint_every, 0, DBL_MAX, false },
                  { "checkpoint_wall", a->checkpoint_wall, 0, DBL_MAX, false },
                  { "time_initial", p->t0, -DBL_MAX, DBL_MAX, false },
                  { "rows", p->row, 0, ceil(a->duration / a->report), true },
                  { "last_row_time", p->last_time, a->output ? p->t0 : no_row, p->t0 + a->duration, false },
                  { "table_rows", p->written.rows, 0, exact, true },
                  { "checksum", p->written.checksum, 0, UINT32_MAX, true },
                  { "wall_seconds", p->wall_seconds, 0, DBL_MAX, false },
                  { "control_rows", p->control_rows, 0, exact, true },
                  { "control_checksum", p->control_checksum, 0, UINT32_MAX, true },
                  { "record_rows", p->recorded.rows, 0, exact, true },
                  { "record_checksum", p->recorded.checksum, 0, UINT32_MAX, true },
                  { "event_bytes", p->events.rows, 0, exact, true },
                  { "event_checksum", p->events.checksum, 0, UINT32_MAX, true },
                  { "resets", p->resets, 0, exact, true } };
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    const double x = numbers[i].value;
    if (!(x >= numbers[i].least && x <= numbers[i].most) || (numbers[i].whole && x != floor(x))) return numbers[i].name;
  }
  return NULL;
}

bool checkpoint_read(checkpoint *c, const char *path, simulate_arguments *a) {
  field fields[MOST_FIELDS];
  int n = list_fields(a, &c->position, fields);
  const char *head;
  size_t size;
  if (!slurp(path, &c->bytes)) return false;
  bool good = find_head(&c->bytes, &head, &size);
  if (good) c->head = json_loadb(head, size, JSON_REJECT_DUPLICATES, NULL);
  good = good && c->head;
  for (int i = 0; good && i < n; i++) good = read_field(&fields[i], json_object_get(c->head, fields[i].name));
  good = good && a->model.path;
  if (!good) {
    complain("%s: is not a whole checkpoint of 'cardan simulate'", path);
    return false;
  }
  const char *nonsense = find_nonsense(a, &c->position);
  if (nonsense) {
    complain("%s: is not a whole checkpoint of 'cardan simulate': no run has such a number in '%s'", path, nonsense);
    return false;
  }
  a->checkpoint = path;
  c->bytes.at = (size_t)(head + size - (const char *)c->bytes.bytes);
  return true;
}

void checkpoint_close(checkpoint *c) {
  cdn_stepper_destroy(c->stepper);
  json_decref(c->head);
  cdn_buffer_free(&c->bytes);
}
