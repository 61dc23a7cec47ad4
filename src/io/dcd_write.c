/* DCD trajectories that are written: each frame first, then the header's count of frames. */
#define _POSIX_C_SOURCE 200809L /* fseeko, ftruncate */
#include <errno.h>
#include <math.h>
#include <unistd.h>

#include "core/sized.h"
#include "io/dcd.h"

struct cdn_dcd_writer {
  cdn_allocator allocator;
  char *path;
  FILE *file;
  int32_t n_atoms;
  int64_t header, n_frames, first_step, interval;
  unsigned char *frame; /* of frame_size bytes */
  size_t frame_size;
};

CDNI_DEF(dcd_def, .interval = 1);

static cdn_status unwritten(const cdn_dcd_writer *w, const char *function) {
  return cdni_refuse(CDN_ERR_FILE, function, "the trajectory '%s' cannot be written: %s", w->path,
                     errno ? strerror(errno) : "no reason is known");
}

/* ---- bytes, the least significant first ---- */

static unsigned char *put_word(unsigned char *to, uint32_t word) {
  for (int k = 0; k < 4; k++) *to++ = (unsigned char)(word >> 8 * k);
  return to;
}

static unsigned char *put_float(unsigned char *to, float x) {
  uint32_t word;
  memcpy(&word, &x, sizeof word);
  return put_word(to, word);
}

static bool write_at(cdn_dcd_writer *w, int64_t position, const void *bytes, size_t n) {
  errno = 0;
  return fseeko(w->file, (off_t)position, SEEK_SET) == 0 && fwrite(bytes, 1, n, w->file) == n;
}

/* The count of frames, and the step after the last one, which OpenMM has there. */
static bool write_count(cdn_dcd_writer *w) {
  unsigned char word[4];
  const int64_t steps = w->first_step + w->n_frames * w->interval;
  put_word(word, (uint32_t)w->n_frames);
  if (!write_at(w, DCD_NUMBERS_AT + 4 * DCD_FRAMES, word, 4)) return false;
  put_word(word, (uint32_t)(steps < INT32_MAX ? steps : INT32_MAX));
  return write_at(w, DCD_NUMBERS_AT + 4 * DCD_STEPS, word, 4) && fflush(w->file) == 0;
}

/* ---- beginning ---- */

static const char *wrong_with(const cdn_dcd_def *d) {
  if (d->n_atoms < 1 || d->n_atoms > CDN_MOST_ATOMS) return "its number of atoms makes no sense";
  if (!(d->time_step > 0) || !isfinite(d->time_step)) return "its time step is not > 0";
  if (d->interval < 1 || d->interval > INT32_MAX) return "the interval of its frames is not from 1 to 2147483647";
  if (d->first_step < 0 || d->first_step > INT32_MAX) return "its first step is not from 0 to 2147483647";
  if (d->title && strlen(d->title) > DCD_LINE) return "its title has more than 80 bytes";
  return NULL;
}

static cdn_status begin(const char *function, const char *path, const cdn_dcd_def *def, cdn_dcd_def *known,
                        cdn_dcd_writer **out) {
  if (!path || !out) return cdni_refuse(CDN_ERR_ARG, function, "the path, or where the writer shall go, is NULL");
  const char *unreadable = read_dcd_def(known, def);
  if (unreadable) return cdni_refuse(CDN_ERR_VERSION, function, "%s", unreadable);
  const char *wrong = wrong_with(known);
  if (wrong) return cdni_refuse(CDN_ERR_ARG, function, "the trajectory '%s': %s", path, wrong);
  if (io_ends_in(path, ".gz"))
    return cdni_refuse(CDN_ERR_UNSUPPORTED, function,
                       "the trajectory '%s' would be compressed while its header still changes; "
                       "write it without .gz, and compress it afterwards",
                       path);
  const cdn_allocator a = cdni_allocator_or_default((cdn_allocator){ .alloc = NULL });
  cdn_dcd_writer *w = cdni_calloc(&a, sizeof *w);
  if (!w) return cdni_refuse(CDN_ERR_NOMEM, function, "out of memory");
  w->allocator = a;
  w->n_atoms = known->n_atoms, w->first_step = known->first_step, w->interval = known->interval;
  w->frame_size = 3 * (4 * (size_t)known->n_atoms + 2 * DCD_MARK);
  w->path = cdni_strdup(&a, path);
  w->frame = cdni_alloc(&a, w->frame_size);
  if (w->path && w->frame) {
    *out = w;
    return CDN_OK;
  }
  (void)cdn_dcd_finish(w);
  return cdni_refuse(CDN_ERR_NOMEM, function, "out of memory");
}

static bool write_header(cdn_dcd_writer *w, const cdn_dcd_def *d) {
  enum { LINES = 2, TITLE = 4 + LINES * DCD_LINE, SIZE = DCD_FIRST_RECORD + TITLE + 4 + 6 * DCD_MARK };
  unsigned char bytes[SIZE], *to = put_word(bytes, DCD_FIRST_RECORD);
  memcpy(to, "CORD", 4), to += 4;
  for (int k = 0; k < DCD_NUMBERS; k++) {
    if (k == DCD_STEP) to = put_float(to, (float)(d->time_step / DCD_TIME_UNIT));
    else
      to = put_word(to, k == DCD_FIRST      ? (uint32_t)d->first_step
                        : k == DCD_INTERVAL ? (uint32_t)d->interval
                        : k == DCD_VERSION  ? DCD_CHARMM_VERSION
                                            : 0);
  }
  to = put_word(to, DCD_FIRST_RECORD);
  to = put_word(to, TITLE);
  to = put_word(to, LINES);
  memset(to, 0, LINES * DCD_LINE);
  const char *title = d->title ? d->title : "Created by Cardan";
  memcpy(to, title, strlen(title)), to += LINES * DCD_LINE;
  to = put_word(to, TITLE);
  to = put_word(put_word(put_word(to, 4), (uint32_t)d->n_atoms), 4);
  w->header = to - bytes;
  return write_at(w, 0, bytes, (size_t)w->header) && write_count(w);
}

cdn_status cdn_dcd_create(const char *path, const cdn_dcd_def *def, cdn_dcd_writer **out) {
  if (out) *out = NULL;
  cdn_dcd_def known;
  cdn_dcd_writer *w = NULL;
  CDNI_TRY(begin(__func__, path, def, &known, out ? &w : NULL));
  errno = 0;
  w->file = fopen(path, "w+b");
  if (w->file && write_header(w, &known)) {
    *out = w;
    return CDN_OK;
  }
  const cdn_status status = unwritten(w, __func__);
  (void)cdn_dcd_finish(w);
  return status;
}

/* ---- going on ---- */

static cdn_status check_old(const cdn_dcd *d, const cdn_dcd_def *def, int64_t keep) {
  static const char function[] = "cdn_dcd_append";
  const char *path = d->log.file;
  if (d->bytes.packed || !io_dcd_is_little(d) || d->has_cell || d->xplor)
    return cdni_refuse(CDN_ERR_UNSUPPORTED, function, "the trajectory '%s' is %s; write a new one", path,
                       d->bytes.packed ? "compressed"
                       : d->has_cell   ? "one with unit cells"
                       : d->xplor      ? "of X-PLOR's kind"
                                       : "in the other order of bytes");
  if (d->n_atoms != def->n_atoms || d->interval != def->interval ||
      fabs(d->time_step - def->time_step) > 1e-6 * def->time_step)
    return cdni_refuse(CDN_ERR_PARSE, function,
                       "the trajectory '%s' has %d atoms and a frame every %lld steps of %.9g ps; the "
                       "frames to append have %d, %lld, %.9g ps; write a new one",
                       path, d->n_atoms, (long long)d->interval, d->time_step, def->n_atoms, (long long)def->interval,
                       def->time_step);
  if (keep > d->n_frames)
    return cdni_refuse(CDN_ERR_ARG, function, "the trajectory '%s' has %lld frames, and %lld are to stay", path,
                       (long long)d->n_frames, (long long)keep);
  return CDN_OK;
}

cdn_status cdn_dcd_append(const char *path, const cdn_dcd_def *def, int64_t keep, cdn_dcd_writer **out) {
  if (out) *out = NULL;
  cdn_dcd_def known;
  cdn_dcd_writer *w = NULL;
  CDNI_TRY(begin(__func__, path, def, &known, out ? &w : NULL));
  cdn_molecule_read_def reading = cdn_default_molecule_read_def();
  reading.allocator = w->allocator;
  cdn_dcd *d = NULL;
  cdn_status status = io_dcd_open(__func__, path, NULL, &reading, &d);
  if (status == CDN_OK) status = check_old(d, &known, keep);
  if (status == CDN_OK) {
    w->header = d->header, w->first_step = d->first_step;
    w->n_frames = keep < 0 ? d->n_frames : keep;
  }
  cdn_dcd_close(d);
  if (status == CDN_OK) {
    errno = 0;
    w->file = fopen(path, "r+b");
    if (!w->file || !write_count(w) ||
        ftruncate(fileno(w->file), (off_t)(w->header + w->n_frames * (int64_t)w->frame_size)) != 0)
      status = unwritten(w, __func__);
  }
  if (status == CDN_OK) *out = w;
  else (void)cdn_dcd_finish(w);
  return status;
}

/* ---- frames ---- */

cdn_status cdn_dcd_write(cdn_dcd_writer *w, const cdn_vec3 *positions) {
  CDNI_NEED_OBJECT(w, CDN_ERR_ARG);
  CDNI_NEED_OBJECT(positions, CDN_ERR_ARG);
  if (w->n_frames == INT32_MAX)
    return cdni_refuse(CDN_ERR_LIMIT, __func__, "the trajectory '%s' has as many frames as a DCD can have", w->path);
  unsigned char *to = w->frame;
  for (int axis = 0; axis < 3; axis++) {
    to = put_word(to, 4 * (uint32_t)w->n_atoms);
    for (int32_t i = 0; i < w->n_atoms; i++) {
      const float x = (float)((&positions[i].x)[axis] * CDN_ANGSTROM_PER_NM);
      if (!isfinite(x))
        return cdni_refuse(CDN_ERR_NONFINITE, __func__, "the position of atom %d is not finite, or too large for '%s'",
                           i, w->path);
      to = put_float(to, x);
    }
    to = put_word(to, 4 * (uint32_t)w->n_atoms);
  }
  if (!write_at(w, w->header + w->n_frames * (int64_t)w->frame_size, w->frame, w->frame_size) || fflush(w->file) != 0)
    return unwritten(w, __func__);
  w->n_frames++;
  return write_count(w) ? CDN_OK : unwritten(w, __func__);
}

cdn_status cdn_dcd_finish(cdn_dcd_writer *w) {
  if (!w) return CDN_OK;
  const cdn_allocator a = w->allocator;
  errno = 0;
  const bool good = !w->file || fclose(w->file) == 0;
  const cdn_status status = good ? CDN_OK : unwritten(w, __func__);
  cdni_strfree(&a, w->path);
  cdni_free(&a, w->frame, w->frame_size);
  cdni_free(&a, w, sizeof *w);
  return status;
}
