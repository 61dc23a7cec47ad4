/* The checkpoint of a run of `cardan simulate`: one line that says what it is, the run's arguments and how far it has come
 * as JSON, the initial State, the stepper. A file is replaced in one go: whatever happens, it holds a whole checkpoint. */
#define _POSIX_C_SOURCE 200809L
#include "simulate.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

enum { FORMAT = 2, FIRST_LINE = 96 };

/* The members of the JSON, written and read from one list. */
typedef enum field_kind { FIELD_TEXT, FIELD_NUMBER, FIELD_FLAG } field_kind;
typedef struct field {
  const char *name;
  field_kind kind;
  void *value; /* const char *, double or bool */
} field;

enum { MOST_FIELDS = 32 };

static int list_fields(simulate_arguments *a, run_position *p, field *fields) {
  const field all[] = { { "model", FIELD_TEXT, &a->model.path },
                        { "key", FIELD_TEXT, &a->model.key },
                        { "initial", FIELD_TEXT, &a->model.state },
                        { "strict", FIELD_FLAG, &a->model.strict },
                        { "keep_fixed", FIELD_FLAG, &a->model.keep_fixed },
                        { "floating_base", FIELD_FLAG, &a->model.floating_base },
                        { "tree_only", FIELD_FLAG, &a->model.tree_only },
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
                        { "bytes", FIELD_NUMBER, &p->bytes },
                        { "checksum", FIELD_NUMBER, &p->checksum },
                        { "wall_seconds", FIELD_NUMBER, &p->wall_seconds } };
  _Static_assert(sizeof all / sizeof *all <= MOST_FIELDS, "more fields than there is room for");
  memcpy(fields, all, sizeof all);
  return (int)(sizeof all / sizeof *all);
}

/* ---- writing ------------------------------------------------------------------------------- */

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

static cdn_status write_to_file(void *context, const void *bytes, size_t size) {
  return fwrite(bytes, 1, size, context) == size ? CDN_OK : CDN_ERR_FILE;
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

static bool write_all(FILE *file, const char *head, cdn_state *initial, cdn_stepper *stepper) {
  size_t n = strlen(head);
  unsigned long checksum = crc32(0, (const Bytef *)head, (uInt)n);
  fprintf(file, "cardan checkpoint %d, %zu bytes of JSON, checksum %08lx\n%s", FORMAT, n, checksum, head);
  if (cdn_state_save(initial, write_to_file, file) != CDN_OK) return false;
  if (cdn_stepper_save(stepper, write_to_file, file) != CDN_OK) return false;
  return fflush(file) == 0 && fsync(fileno(file)) == 0;
}

bool checkpoint_write(const simulate_arguments *a, const run_position *p, cdn_state *initial, cdn_stepper *stepper,
                      bool in_silence) {
  char *head = make_head(a, p), *temporary = malloc(strlen(a->checkpoint) + sizeof ".part");
  bool written = false;
  errno = 0;
  if (head && temporary) {
    strcpy(temporary, a->checkpoint);
    strcat(temporary, ".part");
    FILE *file = fopen(temporary, "wb");
    if (file) {
      written = write_all(file, head, initial, stepper);
      written = fclose(file) == 0 && written;
      written = written && rename(temporary, a->checkpoint) == 0;
      if (!written) {
        int reason = errno;
        (void)!unlink(temporary);
        errno = reason;
      }
    }
  }
  if (written) sync_directory(a->checkpoint);
  else if (!in_silence)
    complain("%s: the checkpoint could not be written%s%s", a->checkpoint, errno ? ": " : "",
             errno ? strerror(errno) : "");
  free(head);
  free(temporary);
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
  good = good && a->model.path && a->duration > 0 && a->report > 0;
  if (!good) {
    complain("%s: is not a whole checkpoint of 'cardan simulate'", path);
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
