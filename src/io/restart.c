/* Coordinates and restarts of AMBER as text: a title, the number of atoms with the time, then six numbers of twelve
 * columns a line: positions, velocities, the box (https://ambermd.org/FileFormats.php). */
#include <math.h>

#include "core/sized.h"
#include "io/molecule.h"

enum { COLUMNS = 12, PER_LINE = 6 };

/* ---- reading ---- */

static cdn_status read_counts(restart_data *r, const io_lines *l) {
  cdn_restart *s = &r->shown;
  double number[3] = { NAN, NAN, NAN };
  const char *c = l->text, *mistake = NULL;
  int n = 0;
  for (; n < 3; n++) {
    c += strspn(c, " ");
    const size_t width = strcspn(c, " ");
    if (width == 0) break;
    int32_t atoms;
    mistake = n == 0 ? io_field_int(c, width, &atoms) : io_field_double(l, c, width, &number[n]);
    if (mistake)
      return io_fail(&r->log, CDN_ERR_PARSE, l->line, "the number of atoms, or the time: %s: '%.40s'", mistake,
                     l->text);
    if (n == 0) s->n_atoms = atoms;
    c += width;
  }
  if (n == 0 || s->n_atoms < 1)
    return io_fail(&r->log, CDN_ERR_PARSE, l->line, "there is no number of atoms: this is no restart or inpcrd");
  if (s->n_atoms > CDN_MOST_ATOMS)
    return io_fail(&r->log, CDN_ERR_LIMIT, l->line, "there are %d atoms; %d is the limit", s->n_atoms, CDN_MOST_ATOMS);
  s->time = number[1], s->temperature = number[2];
  return CDN_OK;
}

static cdn_status read_numbers(restart_data *r, const io_lines *l) {
  size_t n = l->length;
  while (n > 0 && l->text[n - 1] == ' ') n--;
  if (n > PER_LINE * COLUMNS)
    return io_fail(&r->log, CDN_ERR_PARSE, l->line,
                   "the line is longer than six numbers of twelve columns; make the file again");
  if (n % COLUMNS != 0)
    return io_fail(
        &r->log, CDN_ERR_PARSE, l->line,
        "the line ends within a number, or numbers are not in columns of twelve: '%.12s'; the file is cut off or "
        "damaged",
        l->text + n / COLUMNS * COLUMNS);
  for (size_t at = 0; at < n; at += COLUMNS) {
    double x;
    const char *mistake = io_field_double(l, l->text + at, COLUMNS, &x);
    if (mistake)
      return io_fail(&r->log, CDN_ERR_PARSE, l->line,
                     "number %zu of the line: %s: '%.12s' in columns of 12; make the file "
                     "again",
                     at / COLUMNS + 1, mistake, l->text + at);
    if (!cdni_array_push(&r->log.allocator, &r->numbers, sizeof x, &x))
      return io_fail(&r->log, CDN_ERR_NOMEM, 0, "out of memory");
  }
  return CDN_OK;
}

/* All lines; *full is false where a line but the last of a section was short, which the caller sees by the counts. */
static cdn_status read_lines(restart_data *r, io_lines *l, cdni_array *line_end) {
  bool there;
  for (;;) {
    CDNI_TRY(io_lines_next(l, &there));
    if (!there) break;
    if (l->line == 1) {
      char title[IO_LONGEST_LINE + 1];
      io_field_text(l->text, l->length, title, sizeof title);
      r->shown.title = io_blocks_text(&r->blocks, &r->log, title);
      if (!r->shown.title) return CDN_ERR_NOMEM;
    } else if (l->line == 2) {
      CDNI_TRY(read_counts(r, l));
    } else if (l->text[strspn(l->text, " ")]) {
      CDNI_TRY(read_numbers(r, l));
      if (!cdni_array_push(&r->log.allocator, line_end, sizeof(size_t), &r->numbers.count))
        return io_fail(&r->log, CDN_ERR_NOMEM, 0, "out of memory");
    }
  }
  if (l->line < 2) return io_fail(&r->log, CDN_ERR_PARSE, l->line, "the file ends before its number of atoms");
  return CDN_OK;
}

/* Whether n numbers from number `at` on, which begin a line, are whole lines but for the last, which they end. */
static bool fills_lines(const cdni_array *line_end, size_t line, size_t at, size_t n) {
  const size_t lines = (n + PER_LINE - 1) / PER_LINE;
  if (line + lines > line_end->count) return false;
  for (size_t k = 0; k < lines; k++) {
    const size_t end = k + 1 < lines ? (k + 1) * PER_LINE : n;
    if (CDNI_AT(*line_end, size_t, line + k) != at + end) return false;
  }
  return true;
}

static cdn_vec3 *take_vectors(restart_data *r, size_t at, double unit_numerator, double unit_denominator) {
  cdn_vec3 *v = io_blocks_new(&r->blocks, &r->log, (size_t)r->shown.n_atoms, sizeof *v);
  const double *x = (const double *)r->numbers.data + at;
  for (int32_t i = 0; v && i < r->shown.n_atoms; i++, x += 3)
    v[i] = (cdn_vec3){ x[0] * unit_numerator / unit_denominator, x[1] * unit_numerator / unit_denominator,
                       x[2] * unit_numerator / unit_denominator };
  return v;
}

static void take_box(restart_data *r, size_t at, size_t n) {
  const double *x = (const double *)r->numbers.data + at, degree = 3.14159265358979323846 / 180;
  for (size_t k = 0; k < 6; k++) {
    const double number = k < n ? x[k] : 90;
    r->shown.box[k] = k < 3 ? number / CDN_ANGSTROM_PER_NM : number * degree;
  }
}

/* What the numbers are: their lines tell. */
static cdn_status divide(restart_data *r, const cdn_prmtop *prmtop, const cdni_array *line_end, int last_line) {
  cdn_restart *s = &r->shown;
  const size_t n = 3 * (size_t)s->n_atoms, lines = (n + PER_LINE - 1) / PER_LINE, all = r->numbers.count;
  if (!fills_lines(line_end, 0, 0, n))
    return io_fail(&r->log, CDN_ERR_PARSE, all < n ? last_line : 2,
                   "there are %d atoms, and %s; the file is cut off or damaged", s->n_atoms,
                   all < n ? "fewer positions" : "their positions do not fill lines of six numbers");
  const size_t left = line_end->count - lines, rest = all - n;
  const bool velocities_fit = fills_lines(line_end, lines, n, n);
  const bool box_fits = left == 1 && (rest == 3 || rest == 6);
  bool velocities = velocities_fit && (left == lines || left == lines + 1), box = box_fits;
  if (velocities && left == lines && box_fits) {
    if (!prmtop)
      return io_fail(&r->log, CDN_ERR_PARSE, last_line,
                     "the last line may be velocities or a box; give the topology, which "
                     "tells");
    velocities = prmtop->box == 0, box = !velocities;
  } else if (velocities && left == lines + 1) {
    box = rest - n == 3 || rest - n == 6;
    velocities = box;
  }
  if (left > 0 && !velocities && !box)
    return io_fail(
        &r->log, CDN_ERR_PARSE, last_line,
        "after the positions of %d atoms there are %zu numbers, which are neither velocities nor a box; the file "
        "is cut off or damaged",
        s->n_atoms, rest);
  s->positions = take_vectors(r, 0, 1, CDN_ANGSTROM_PER_NM);
  if (velocities) s->velocities = take_vectors(r, n, CDN_AMBER_PER_PS, CDN_ANGSTROM_PER_NM);
  if (box) take_box(r, n + (velocities ? n : 0), rest - (velocities ? n : 0));
  return r->log.error.code;
}

static cdn_status read_text(restart_data *r, const cdn_prmtop *prmtop) {
  io_lines *lines = cdni_alloc(&r->log.allocator, sizeof *lines);
  if (!lines) return io_fail(&r->log, CDN_ERR_NOMEM, 0, "out of memory");
  cdni_array line_end = { .data = NULL };
  cdn_status status = io_lines_open(lines, &r->log);
  if (status == CDN_OK) status = read_lines(r, lines, &line_end);
  if (status == CDN_OK) status = divide(r, prmtop, &line_end, lines->line);
  cdni_array_free(&r->log.allocator, &line_end);
  io_lines_close(lines);
  cdni_free(&r->log.allocator, lines, sizeof *lines);
  return status;
}

/* Whether its first bytes are NetCDF's. */
static cdn_status look(restart_data *r, bool *netcdf) {
  io_bytes *bytes = cdni_alloc(&r->log.allocator, sizeof *bytes);
  if (!bytes) return io_fail(&r->log, CDN_ERR_NOMEM, 0, "out of memory");
  char first[8];
  size_t got = 0;
  cdn_status status = io_bytes_open(bytes, &r->log);
  if (status == CDN_OK) status = io_bytes_read(bytes, &r->log, first, sizeof first, &got);
  *netcdf =
      status == CDN_OK && ((got > 3 && memcmp(first, "CDF", 3) == 0) || (got > 7 && memcmp(first, "\x89HDF", 4) == 0));
  io_bytes_close(bytes);
  cdni_free(&r->log.allocator, bytes, sizeof *bytes);
  return status;
}

static cdn_status fill(restart_data *r, const cdn_prmtop *prmtop) {
  cdn_restart *s = &r->shown;
  bool netcdf;
  CDNI_TRY(look(r, &netcdf));
  /* that it is of another molecule is told before what else is odd */
  const cdn_status status = netcdf ? io_restart_read_netcdf(r) : read_text(r, prmtop);
  if (status != CDN_ERR_NOMEM && prmtop && s->n_atoms > 0 && s->n_atoms != prmtop->n_atoms) {
    r->log.error = (cdn_error){ .code = CDN_OK };
    return io_fail(&r->log, CDN_ERR_PARSE, netcdf ? 0 : 2,
                   "the file has %d atoms, and the topology '%s' has %d; give two files of one molecule", s->n_atoms,
                   prmtop->file, prmtop->n_atoms);
  }
  CDNI_TRY(status);
  if (s->box[0] != 0 && !r->def.ignore_box)
    return io_fail(
        &r->log, CDN_ERR_UNSUPPORTED, 0,
        "the coordinates are in a periodic box, which forces do not know; drop the box (--ignore-box), or give a "
        "file without one");
  if (s->box[0] != 0) io_warn(&r->log, 0, "the periodic box is dropped");
  s->n_warnings = (int32_t)r->log.warnings.count;
  s->warnings = r->log.warnings.data;
  return r->log.error.code;
}

cdn_status cdn_restart_load(const char *path, const cdn_prmtop *prmtop, const cdn_molecule_read_def *def,
                            cdn_restart **out) {
  if (out) *out = NULL;
  cdn_molecule_read_def known;
  CDNI_TRY(io_molecule_arguments(__func__, !path || !out, def, &known));
  restart_data *r = cdni_calloc(&known.allocator, sizeof *r);
  if (!r) return cdni_refuse(CDN_ERR_NOMEM, __func__, "out of memory");
  r->def = known, r->blocks.allocator = known.allocator;
  r->shown.title = "", r->shown.time = r->shown.temperature = NAN;
  cdn_status status = io_molecule_log(&r->log, __func__, path, &known);
  r->shown.file = r->log.file;
  if (status == CDN_OK) status = fill(r, prmtop);
  cdni_array_free(&known.allocator, &r->numbers);
  if (status == CDN_OK) *out = &r->shown;
  else cdn_restart_destroy(&r->shown);
  return status;
}

void cdn_restart_destroy(cdn_restart *restart) {
  if (!restart) return;
  restart_data *r = (restart_data *)restart; /* its first member */
  const cdn_allocator a = r->blocks.allocator;
  io_blocks_free(&r->blocks);
  io_log_free(&r->log);
  cdni_free(&a, r, sizeof *r);
}

/* ---- writing ---- */

CDNI_DEF(restart_def, .time = NAN);

static const char *wrong_with(const cdn_restart_def *def) {
  if (def->n_atoms < 1 || !def->positions) return "there are no atoms, or no positions";
  if (def->velocities && isnan(def->time)) return "velocities need a time";
  if (isinf(def->time)) return "the time is not finite";
  if (def->title && strpbrk(def->title, "\r\n")) return "the title has more than one line";
  if (!cdni_all_finite(&def->positions[0].x, 3 * (size_t)def->n_atoms, NULL)) return "a position is not finite";
  if (def->velocities && !cdni_all_finite(&def->velocities[0].x, 3 * (size_t)def->n_atoms, NULL))
    return "a velocity is not finite";
  return NULL;
}

static cdn_status put_vectors(io_text_out *out, const cdn_vec3 *v, int32_t n, double factor) {
  const double *x = &v[0].x;
  for (size_t k = 0; k < 3 * (size_t)n; k++) {
    char text[64];
    if (cdni_print(text, sizeof text, "%*.7f", COLUMNS, x[k] * factor) > COLUMNS)
      return cdni_refuse(
          CDN_ERR_LIMIT, out->function,
          "atom %zu of '%s': the number %s does not fit into 12 columns; move the molecule to the origin, or "
          "write NetCDF (.ncrst)",
          k / 3 + 1, out->path, text);
    io_text_put(out, "%s%s", text, (k + 1) % PER_LINE == 0 || k + 1 == 3 * (size_t)n ? "\n" : "");
  }
  return CDN_OK;
}

static cdn_status put_restart(io_text_out *out, const cdn_restart_def *def) {
  io_text_put(out, "%-.80s\n%5d", def->title ? def->title : "", def->n_atoms);
  if (!isnan(def->time)) io_text_put(out, "%15.7E", def->time);
  io_text_put(out, "\n");
  CDNI_TRY(put_vectors(out, def->positions, def->n_atoms, CDN_ANGSTROM_PER_NM));
  if (!def->velocities) return CDN_OK;
  return put_vectors(out, def->velocities, def->n_atoms, CDN_ANGSTROM_PER_NM / CDN_AMBER_PER_PS);
}

cdn_status cdn_restart_save(const char *path, const cdn_restart_def *def) {
  CDNI_NEED_OBJECT(path, CDN_ERR_ARG);
  cdn_restart_def known;
  const char *unreadable = read_restart_def(&known, def);
  if (unreadable) return cdni_refuse(CDN_ERR_VERSION, __func__, "%s", unreadable);
  const char *wrong = wrong_with(&known);
  if (wrong) return cdni_refuse(CDN_ERR_ARG, __func__, "the restart '%s': %s", path, wrong);
  if (io_ends_in(path, ".nc") || io_ends_in(path, ".ncrst")) return io_restart_write_netcdf(path, &known);
  io_text_out out;
  CDNI_TRY(io_text_begin(&out, __func__, path));
  return io_text_end(&out, put_restart(&out, &known));
}
