/* DCD trajectories: records of Fortran, each between two marks of its length; a header, then for each frame x, y and z
 * of all atoms in single precision (https://www.ks.uiuc.edu/Research/vmd/plugins/molfile/dcdplugin.html). */
#include <math.h>

#include "core/sized.h"
#include "io/dcd.h"

enum { LONGEST_TITLE = 1 << 20, CELL = 48, PIECE = 1 << 12 };

static cdn_status damaged(cdn_dcd *d, const char *what) {
  return io_fail(&d->log, CDN_ERR_PARSE, 0, "%s; the trajectory is cut off or damaged, or is no DCD", what);
}

/* ---- bytes ---- */

static uint32_t turned(uint32_t x) { return x >> 24 | (x >> 8 & 0xff00) | (x << 8 & 0xff0000) | x << 24; }

static cdn_status read_words(cdn_dcd *d, uint32_t *words, size_t n) {
  size_t got;
  CDNI_TRY(io_bytes_read(&d->bytes, &d->log, words, 4 * n, &got));
  if (got < 4 * n) return damaged(d, "the file ends early");
  for (size_t k = 0; k < n && d->swapped; k++) words[k] = turned(words[k]);
  return CDN_OK;
}

static cdn_status expect_mark(cdn_dcd *d, uint32_t length, const char *what) {
  uint32_t mark;
  CDNI_TRY(read_words(d, &mark, 1));
  return mark == length ? CDN_OK : damaged(d, what);
}

bool io_dcd_is_little(const cdn_dcd *d) {
  const uint32_t one = 1;
  return (*(const unsigned char *)&one == 1) != d->swapped;
}

/* ---- the header ---- */

static cdn_status read_first_mark(cdn_dcd *d) {
  uint32_t mark;
  CDNI_TRY(read_words(d, &mark, 1));
  d->swapped = mark != DCD_FIRST_RECORD;
  if (!d->swapped || turned(mark) == DCD_FIRST_RECORD) {
    char name[4];
    size_t got;
    CDNI_TRY(io_bytes_read(&d->bytes, &d->log, name, 4, &got));
    if (got == 4 && memcmp(name, "CORD", 4) == 0) return CDN_OK;
    if (got == 4 && memcmp(name, "\0\0\0\0", 4) == 0)
      return io_fail(&d->log, CDN_ERR_UNSUPPORTED, 0,
                     "the marks of its records have 64 bits; write the trajectory anew, by "
                     "MDTraj or catdcd");
    if (got == 4 && memcmp(name, "VELD", 4) == 0)
      return io_fail(&d->log, CDN_ERR_UNSUPPORTED, 0, "it has velocities in place of positions; give the other file");
  }
  return damaged(d, "it does not begin with CORD between marks of 84 bytes");
}

static cdn_status take_numbers(cdn_dcd *d, const uint32_t words[DCD_NUMBERS]) {
  int32_t n[DCD_NUMBERS];
  memcpy(n, words, sizeof n);
  d->xplor = n[DCD_VERSION] == 0;
  float single;
  memcpy(&single, &words[DCD_STEP], sizeof single);
  double step = single;
  if (d->xplor) {
    /* a double of two words, in the file's order */
    const int low = io_dcd_is_little(d) ? 0 : 1;
    const uint64_t both = (uint64_t)words[DCD_STEP + 1 - low] << 32 | words[DCD_STEP + low];
    memcpy(&step, &both, sizeof step);
  }
  d->has_cell = !d->xplor && n[DCD_CELL] != 0;
  if (n[DCD_FIXED] != 0)
    return io_fail(&d->log, CDN_ERR_UNSUPPORTED, 0,
                   "%d atoms are fixed, and are in its first frame alone; write it anew with "
                   "all atoms, by MDTraj or catdcd",
                   n[DCD_FIXED]);
  if (!d->xplor && n[DCD_DIMENSION4] != 0)
    return io_fail(&d->log, CDN_ERR_UNSUPPORTED, 0, "its positions have a fourth dimension; write it anew without");
  if (!isfinite(step) || n[DCD_FRAMES] < 0) return damaged(d, "its time step or its count of frames makes no sense");
  d->n_told = n[DCD_FRAMES];
  d->first_step = n[DCD_FIRST], d->interval = n[DCD_INTERVAL] > 0 ? n[DCD_INTERVAL] : 1;
  d->time_step = step * DCD_TIME_UNIT;
  return CDN_OK;
}

static cdn_status read_title(cdn_dcd *d) {
  uint32_t length, lines;
  CDNI_TRY(read_words(d, &length, 1));
  if (length < 4 || length > LONGEST_TITLE || (length - 4) % DCD_LINE != 0)
    return damaged(d, "its title has no length of a title");
  CDNI_TRY(read_words(d, &lines, 1));
  const size_t bytes = length - 4;
  d->title_size = bytes + bytes / DCD_LINE + 1;
  d->title = cdni_calloc(&d->log.allocator, d->title_size);
  if (!d->title) return io_fail(&d->log, CDN_ERR_NOMEM, 0, "out of memory");
  char *to = d->title;
  for (size_t k = 0; k < bytes / DCD_LINE; k++) {
    char line[DCD_LINE + 1];
    size_t got;
    CDNI_TRY(io_bytes_read(&d->bytes, &d->log, line, DCD_LINE, &got));
    if (got < DCD_LINE) return damaged(d, "the file ends early");
    line[DCD_LINE] = 0;
    for (char *c = line; *c; c++)
      if ((unsigned char)*c < ' ') *c = ' ';
    if (k > 0) *to++ = '\n';
    io_field_text(line, strlen(line), to, DCD_LINE + 1);
    to += strlen(to);
  }
  while (to > d->title && to[-1] == '\n') *--to = 0;
  return expect_mark(d, length, "its title has no end");
}

static cdn_status read_header(cdn_dcd *d) {
  uint32_t words[DCD_NUMBERS], atoms;
  CDNI_TRY(read_first_mark(d));
  CDNI_TRY(read_words(d, words, DCD_NUMBERS));
  CDNI_TRY(expect_mark(d, DCD_FIRST_RECORD, "its header has no end"));
  CDNI_TRY(take_numbers(d, words));
  CDNI_TRY(read_title(d));
  CDNI_TRY(expect_mark(d, 4, "its number of atoms is not there"));
  CDNI_TRY(read_words(d, &atoms, 1));
  CDNI_TRY(expect_mark(d, 4, "its number of atoms has no end"));
  if (atoms < 1 || atoms > CDN_MOST_ATOMS) return damaged(d, "its number of atoms makes no sense");
  d->n_atoms = (int32_t)atoms;
  d->header = d->bytes.position;
  d->frame = 3 * (4 * (int64_t)d->n_atoms + 2 * DCD_MARK) + (d->has_cell ? CELL + 2 * DCD_MARK : 0);
  return CDN_OK;
}

static cdn_status count_frames(cdn_dcd *d) {
  int64_t size;
  CDNI_TRY(io_bytes_size(&d->bytes, &d->log, &size));
  d->n_frames = (size - d->header) / d->frame;
  const int64_t rest = (size - d->header) % d->frame;
  if (rest != 0)
    snprintf(d->warning, sizeof d->warning,
             "the last frame is cut off: %lld whole ones are there; the header says %lld", (long long)d->n_frames,
             (long long)d->n_told);
  else if (d->n_told != d->n_frames)
    snprintf(d->warning, sizeof d->warning, "%lld frames are there; the header says %lld", (long long)d->n_frames,
             (long long)d->n_told);
  return CDN_OK;
}

/* ---- opening ---- */

static cdn_status fill(cdn_dcd *d, const cdn_prmtop *prmtop) {
  CDNI_TRY(io_bytes_open(&d->bytes, &d->log));
  CDNI_TRY(read_header(d));
  if (prmtop && prmtop->n_atoms != d->n_atoms)
    return io_fail(&d->log, CDN_ERR_PARSE, 0,
                   "the trajectory has %d atoms, and the topology '%s' has %d; give two files of one "
                   "molecule",
                   d->n_atoms, prmtop->file, prmtop->n_atoms);
  return count_frames(d);
}

cdn_status io_dcd_open(const char *function, const char *path, const cdn_prmtop *prmtop,
                       const cdn_molecule_read_def *known, cdn_dcd **out) {
  cdn_dcd *d = cdni_calloc(&known->allocator, sizeof *d);
  if (!d) return cdni_refuse(CDN_ERR_NOMEM, function, "out of memory");
  d->log.allocator = known->allocator;
  cdn_status status = io_molecule_log(&d->log, function, path, known);
  if (status == CDN_OK) status = fill(d, prmtop);
  if (status == CDN_OK) *out = d;
  else cdn_dcd_close(d);
  return status;
}

cdn_status cdn_dcd_open(const char *path, const cdn_prmtop *prmtop, const cdn_molecule_read_def *def, cdn_dcd **out) {
  if (out) *out = NULL;
  cdn_molecule_read_def known;
  CDNI_TRY(io_molecule_arguments(__func__, !path || !out, def, &known));
  return io_dcd_open(__func__, path, prmtop, &known, out);
}

void cdn_dcd_close(cdn_dcd *d) {
  if (!d) return;
  const cdn_allocator a = d->log.allocator;
  io_bytes_close(&d->bytes);
  cdni_free(&a, d->title, d->title_size);
  io_log_free(&d->log);
  cdni_free(&a, d, sizeof *d);
}

cdn_status cdn_dcd_get_info_sized(const cdn_dcd *d, cdn_dcd_info *out, size_t struct_size) {
  CDNI_NEED_OBJECT(d, CDN_ERR_ARG);
  CDNI_NEED_OBJECT(out, CDN_ERR_ARG);
  const cdn_dcd_info full = { .n_atoms = d->n_atoms,
                              .n_frames = d->n_frames,
                              .time_step = d->time_step,
                              .first_step = d->first_step,
                              .interval = d->interval,
                              .has_cell = d->has_cell,
                              .swapped = d->swapped,
                              .title = d->title,
                              .warning = d->warning };
  cdni_sized_write(out, struct_size, &full, sizeof full);
  return CDN_OK;
}

/* ---- frames ---- */

static cdn_status read_axis(cdn_dcd *d, int64_t k, int axis, cdn_vec3 *positions) {
  uint32_t words[PIECE];
  const uint32_t length = 4 * (uint32_t)d->n_atoms;
  char what[80];
  snprintf(what, sizeof what, "frame %lld: a record has not the length of its atoms", (long long)k);
  CDNI_TRY(expect_mark(d, length, what));
  for (int32_t i = 0; i < d->n_atoms;) {
    const int32_t n = d->n_atoms - i < PIECE ? d->n_atoms - i : PIECE;
    CDNI_TRY(read_words(d, words, (size_t)n));
    for (int32_t j = 0; j < n; j++, i++) {
      float x;
      memcpy(&x, &words[j], sizeof x);
      if (!isfinite(x))
        return io_fail(&d->log, CDN_ERR_NONFINITE, 0, "frame %lld: the position of atom %d is not finite", (long long)k,
                       i);
      (&positions[i].x)[axis] = (double)x / CDN_ANGSTROM_PER_NM;
    }
  }
  return expect_mark(d, length, what);
}

cdn_status cdn_dcd_read(cdn_dcd *d, int64_t k, cdn_vec3 *positions) {
  CDNI_NEED_OBJECT(d, CDN_ERR_ARG);
  CDNI_NEED_OBJECT(positions, CDN_ERR_ARG);
  if (k < 0 || k >= d->n_frames)
    return cdni_refuse(CDN_ERR_ARG, __func__, "'%s' has no frame %lld: it has %lld", d->log.file, (long long)k,
                       (long long)d->n_frames);
  d->log.error = (cdn_error){ .code = CDN_OK }; /* each frame for itself */
  d->log.function = __func__;
  CDNI_TRY(io_bytes_seek(&d->bytes, &d->log, d->header + k * d->frame));
  if (d->has_cell) {
    uint32_t cell[CELL / 4];
    CDNI_TRY(expect_mark(d, CELL, "a record has not the length of a unit cell"));
    CDNI_TRY(read_words(d, cell, CELL / 4));
    CDNI_TRY(expect_mark(d, CELL, "a record of a unit cell has no end"));
  }
  for (int axis = 0; axis < 3; axis++) CDNI_TRY(read_axis(d, k, axis, positions));
  return CDN_OK;
}
