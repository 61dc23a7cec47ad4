/* The trajectory file while it is being written: whole rows at a time, so that it can be read at any moment, counted
 * and summed, so that a run which is resumed can tell whether the file is its own. */
#define _POSIX_C_SOURCE 200809L
#include "simulate.h"

#include <errno.h>
#include <float.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

enum { STREAM_BUFFER = 1 << 16, MOST_WAITING = STREAM_BUFFER / 2 };

void trajectory_begin_in(trajectory *out, FILE *file, const simulate_arguments *a) {
  *out = (trajectory){ .file = file,
                       .path = a->output,
                       .interval = a->report,
                       .step_sizes = a->step_sizes,
                       .last_time = -DBL_MAX,
                       .last_flush = wall_clock() };
  if (file) setvbuf(file, NULL, _IOFBF, STREAM_BUFFER);
}

bool trajectory_open(trajectory *out, const simulate_arguments *a) {
  FILE *file;
  if (!open_output(a->output, &file)) return false;
  trajectory_begin_in(out, file, a);
  return true;
}

/* ---- rows ---------------------------------------------------------------------------------- */

static cdn_status append(void *context, const void *text, size_t n) {
  trajectory *out = context;
  fwrite(text, 1, n, out->file);
  out->bytes += (double)n;
  out->checksum = (double)crc32((uLong)out->checksum, text, (uInt)n);
  out->waiting += n;
  // whoever watches the file grow should see it, and little should be lost if the machine stops
  double now = wall_clock();
  if (out->waiting < MOST_WAITING && now - out->last_flush < 1) return CDN_OK;
  out->waiting = 0;
  out->last_flush = now;
  fflush(out->file);
  return CDN_OK; // a disk that is full shows when the file is closed
}

static cdn_trajectory_def make_def(bool step_sizes) {
  static const char *const own[] = { "step_size" };
  cdn_trajectory_def def = cdn_default_trajectory_def();
  def.all_measures = true;
  def.own = own, def.n_own = step_sizes ? 1 : 0;
  return def;
}

cdn_status trajectory_begin(trajectory *out, cdn_stepper *stepper, bool header) {
  if (!out->file) return CDN_OK;
  const cdn_trajectory_def def = make_def(out->step_sizes);
  cdn_status status = cdn_trajectory_create(cdn_stepper_state(stepper), &def, append, out, &out->writer);
  return status == CDN_OK && header ? cdn_trajectory_header(out->writer) : status;
}

cdn_status trajectory_row(trajectory *out, cdn_stepper *stepper) {
  int contacts;
  CDN_TRY(cdn_contact_count(cdn_stepper_state(stepper), &contacts));
  if (contacts > out->most_contacts) out->most_contacts = contacts;
  if (!out->writer) return CDN_OK;
  const double step = cdn_stepper_last_step(stepper);
  cdn_status status = cdn_trajectory_row(out->writer, cdn_stepper_state(stepper), &step);
  if (status == CDN_OK) out->last_time = cdn_state_time(cdn_stepper_state(stepper));
  return status;
}

void trajectory_end(trajectory *out) {
  cdn_trajectory_destroy(out->writer);
  out->writer = NULL;
}

/* ---- going on ------------------------------------------------------------------------------ */

bool trajectory_sync(trajectory *out) {
  if (!out->file || out->file == stdout) return true;
  out->waiting = 0;
  // a flush that failed before has lost its bytes: the next one has nothing left to fail with
  return fflush(out->file) == 0 && !ferror(out->file) && fsync(fileno(out->file)) == 0;
}

/* Whether the file begins with the names of the run's columns, and rows are known to follow. Without this, a checkpoint
 * that somebody else made could name any file as its trajectory. */
static bool has_header(FILE *file, const run_position *p, cdn_state *initial, bool step_sizes) {
  const cdn_trajectory_def def = make_def(step_sizes);
  cdn_buffer header = { .size = 0 };
  cdn_trajectory *writer = NULL;
  bool good = cdn_trajectory_create(initial, &def, cdn_buffer_write, &header, &writer) == CDN_OK &&
              cdn_trajectory_header(writer) == CDN_OK && p->bytes > (double)header.size;
  const char *expected = header.bytes;
  for (size_t i = 0; good && i < header.size; i++) good = fgetc(file) == (unsigned char)expected[i];
  cdn_trajectory_destroy(writer);
  cdn_buffer_free(&header);
  return good;
}

/* Whether the file begins with the output of the run so far. */
static bool has_rows(FILE *file, const run_position *p) {
  char piece[1 << 16];
  double left = p->bytes;
  uLong checksum = 0;
  while (left > 0) {
    size_t n = fread(piece, 1, left < sizeof piece ? (size_t)left : sizeof piece, file);
    if (n == 0) return false;
    checksum = crc32(checksum, (const Bytef *)piece, (uInt)n);
    left -= (double)n;
  }
  return (double)checksum == p->checksum;
}

/* Checks the file and cuts off the rows beyond the checkpoint, which will be written again. */
static FILE *reopen(const simulate_arguments *a, const run_position *p, cdn_state *initial) {
  const char *path = a->output;
  FILE *file = fopen(path, "r");
  if (!file) {
    complain("%s: the trajectory that is to be continued could not be opened: %s", path, strerror(errno));
    return NULL;
  }
  bool own = has_header(file, p, initial, a->step_sizes);
  rewind(file);
  own = own && has_rows(file, p);
  fclose(file);
  if (!own) {
    complain("%s: is not the trajectory of this checkpoint, which had written %.0f bytes of it", path, p->bytes);
    return NULL;
  }
  file = fopen(path, "a");
  if (file && ftruncate(fileno(file), (off_t)p->bytes) == 0) return file;
  complain("%s: could not be continued: %s", path, strerror(errno));
  if (file) fclose(file);
  return NULL;
}

bool trajectory_resume(trajectory *out, const simulate_arguments *a, const run_position *p, cdn_state *initial) {
  FILE *file = a->output ? reopen(a, p, initial) : NULL;
  if (a->output && !file) return false;
  trajectory_begin_in(out, file, a);
  out->last_time = p->last_time;
  out->bytes = p->bytes;
  out->checksum = p->checksum;
  out->most_contacts = p->most_contacts;
  return true;
}
