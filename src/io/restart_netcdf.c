/* Restarts of NetCDF, as AMBER's convention says (https://ambermd.org/netcdf/nctraj.xhtml, AMBERRESTART 1.0). */
#include <errno.h>
#include <math.h>
#include <netcdf.h>
#include <netcdf_mem.h>
#include <unistd.h>

#include "io/molecule.h"

static const double degree = 3.14159265358979323846 / 180;

/* ---- reading ---- */

enum { PIECE = 1 << 20 };
static const size_t largest = (size_t)1 << 31; /* of a file that is unpacked */

static cdn_status damaged(restart_data *r, const char *what, int error) {
  return io_fail(&r->log, CDN_ERR_PARSE, 0, "%s cannot be read (%s); the file is cut off or damaged", what,
                 error ? nc_strerror(error) : "it has another form");
}

/* The whole file, in memory that realloc has given, as NetCDF wants it. */
static cdn_status take_all(restart_data *r, char **all, size_t *size) {
  io_bytes *bytes = cdni_alloc(&r->log.allocator, sizeof *bytes);
  if (!bytes) return io_fail(&r->log, CDN_ERR_NOMEM, 0, "out of memory");
  *size = 0;
  size_t got = PIECE;
  cdn_status status = io_bytes_open(bytes, &r->log);
  while (status == CDN_OK && got == PIECE) {
    char *more = *size < largest ? realloc(*all, *size + PIECE) : NULL;
    if (!more) {
      status = *size < largest ? io_fail(&r->log, CDN_ERR_NOMEM, 0, "out of memory")
                               : io_fail(&r->log, CDN_ERR_LIMIT, 0, "the file has more than 2 GiB");
      break;
    }
    *all = more;
    status = io_bytes_read(bytes, &r->log, *all + *size, PIECE, &got);
    *size += got;
  }
  io_bytes_close(bytes);
  cdni_free(&r->log.allocator, bytes, sizeof *bytes);
  return status;
}

/* A variable of n doubles, as `dims` dimensions; *there false: there is none. `scale` is its scale_factor, 1 if it has
 * none. */
static cdn_status get(restart_data *r, int file, const char *name, int dims, size_t n, double *x, double *scale,
                      bool *there) {
  int id, found, dim[NC_MAX_VAR_DIMS];
  *there = nc_inq_varid(file, name, &id) == NC_NOERR;
  if (!*there) return CDN_OK;
  if (nc_inq_varndims(file, id, &found) != NC_NOERR || found != dims || nc_inq_vardimid(file, id, dim) != NC_NOERR)
    return damaged(r, name, 0);
  size_t all = 1;
  for (int k = 0; k < dims; k++) {
    size_t length;
    if (nc_inq_dimlen(file, dim[k], &length) != NC_NOERR || length > n) return damaged(r, name, 0);
    all *= length;
  }
  if (all != n) return damaged(r, name, 0);
  const int error = nc_get_var_double(file, id, x);
  if (error) return damaged(r, name, error);
  if (!cdni_all_finite(x, n, NULL)) return io_fail(&r->log, CDN_ERR_PARSE, 0, "%s: a number is not finite", name);
  if (scale && nc_get_att_double(file, id, "scale_factor", scale) != NC_NOERR) *scale = 1;
  return CDN_OK;
}

static cdn_vec3 *get_vectors(restart_data *r, int file, const char *name, double usual_scale) {
  const size_t n = (size_t)r->shown.n_atoms;
  cdn_vec3 *v = io_blocks_new(&r->blocks, &r->log, n, sizeof *v);
  double scale = 1;
  bool there = false;
  if (!v || get(r, file, name, 2, 3 * n, &v[0].x, &scale, &there) != CDN_OK || !there) return NULL;
  if (scale == 1) scale = usual_scale;
  for (size_t k = 0; k < 3 * n; k++) (&v[0].x)[k] = (&v[0].x)[k] * scale / CDN_ANGSTROM_PER_NM;
  return v;
}

static cdn_status read_open(restart_data *r, int file) {
  cdn_restart *s = &r->shown;
  char convention[64] = "", title[256] = "";
  size_t length, atoms;
  int dim, frame;
  if (nc_inq_attlen(file, NC_GLOBAL, "Conventions", &length) == NC_NOERR && length < sizeof convention)
    nc_get_att_text(file, NC_GLOBAL, "Conventions", convention);
  if (strncmp(convention, "AMBERRESTART", 12) != 0)
    return io_fail(&r->log, CDN_ERR_PARSE, 0, "its convention is '%.40s' instead of AMBERRESTART%s; give a restart",
                   convention, nc_inq_dimid(file, "frame", &frame) == NC_NOERR ? ": this is a trajectory" : "");
  if (nc_inq_attlen(file, NC_GLOBAL, "title", &length) == NC_NOERR && length < sizeof title)
    nc_get_att_text(file, NC_GLOBAL, "title", title);
  s->title = io_blocks_text(&r->blocks, &r->log, title);
  if (!s->title) return CDN_ERR_NOMEM;
  if (nc_inq_dimid(file, "atom", &dim) != NC_NOERR || nc_inq_dimlen(file, dim, &atoms) != NC_NOERR || atoms < 1)
    return damaged(r, "the number of atoms", 0);
  if (atoms > CDN_MOST_ATOMS)
    return io_fail(&r->log, CDN_ERR_LIMIT, 0, "there are %zu atoms; %d is the limit", atoms, CDN_MOST_ATOMS);
  s->n_atoms = (int32_t)atoms;
  s->positions = get_vectors(r, file, "coordinates", 1);
  if (!s->positions) return damaged(r, "the variable coordinates", 0);
  s->velocities = get_vectors(r, file, "velocities", CDN_AMBER_PER_PS);
  bool there;
  double number, cell[6];
  CDNI_TRY(r->log.error.code);
  CDNI_TRY(get(r, file, "time", 0, 1, &number, NULL, &there));
  if (there) s->time = number;
  CDNI_TRY(get(r, file, "temp0", 0, 1, &number, NULL, &there));
  if (there) s->temperature = number;
  CDNI_TRY(get(r, file, "cell_lengths", 1, 3, cell, NULL, &there));
  if (!there) return CDN_OK;
  CDNI_TRY(get(r, file, "cell_angles", 1, 3, cell + 3, NULL, &there));
  for (int k = 0; k < 6; k++) s->box[k] = k < 3 ? cell[k] / CDN_ANGSTROM_PER_NM : (there ? cell[k] : 90) * degree;
  return CDN_OK;
}

cdn_status io_restart_read_netcdf(restart_data *r) {
  char *all = NULL;
  size_t size = 0;
  int file;
  cdn_status status = take_all(r, &all, &size);
  if (status == CDN_OK) {
    const int error = nc_open_mem("restart", NC_NOWRITE, size, all, &file);
    status = error ? damaged(r, "the NetCDF file", error) : read_open(r, file);
    if (!error) nc_close(file);
  }
  free(all);
  return status;
}

/* ---- writing ---- */

static int put_text(int file, int variable, const char *name, const char *text) {
  return nc_put_att_text(file, variable, name, strlen(text), text);
}

#define NC_TRY(call)                       \
  do {                                     \
    const int error_ = (call);             \
    if (error_ != NC_NOERR) return error_; \
  } while (0)

static int define_vectors(int file, const char *name, const char *units, const int dims[2], int *id) {
  NC_TRY(nc_def_var(file, name, NC_DOUBLE, 2, dims, id));
  return put_text(file, *id, "units", units);
}

static int put_vectors(int file, int id, const cdn_vec3 *v, int32_t n, double factor) {
  for (int32_t i = 0; i < n; i++) {
    const size_t start[2] = { (size_t)i, 0 }, count[2] = { 1, 3 };
    const double x[3] = { v[i].x * factor, v[i].y * factor, v[i].z * factor };
    NC_TRY(nc_put_vara_double(file, id, start, count, x));
  }
  return NC_NOERR;
}

static int write_open(int file, const cdn_restart_def *def) {
  int dims[2], time = -1, positions, velocities = -1;
  NC_TRY(nc_def_dim(file, "atom", (size_t)def->n_atoms, &dims[0]));
  NC_TRY(nc_def_dim(file, "spatial", 3, &dims[1]));
  if (!isnan(def->time)) {
    NC_TRY(nc_def_var(file, "time", NC_DOUBLE, 0, NULL, &time));
    NC_TRY(put_text(file, time, "units", "picosecond"));
  }
  NC_TRY(define_vectors(file, "coordinates", "angstrom", dims, &positions));
  if (def->velocities) {
    NC_TRY(define_vectors(file, "velocities", "angstrom/picosecond", dims, &velocities));
    NC_TRY(nc_put_att_double(file, velocities, "scale_factor", NC_DOUBLE, 1, (const double[]){ CDN_AMBER_PER_PS }));
  }
  NC_TRY(put_text(file, NC_GLOBAL, "title", def->title ? def->title : ""));
  NC_TRY(put_text(file, NC_GLOBAL, "application", "Cardan"));
  NC_TRY(put_text(file, NC_GLOBAL, "program", "cardan"));
  char version[40];
  snprintf(version, sizeof version, "%d.%d.%d", CDN_VERSION_MAJOR, CDN_VERSION_MINOR, CDN_VERSION_PATCH);
  NC_TRY(put_text(file, NC_GLOBAL, "programVersion", version));
  NC_TRY(put_text(file, NC_GLOBAL, "Conventions", "AMBERRESTART"));
  NC_TRY(put_text(file, NC_GLOBAL, "ConventionVersion", "1.0"));
  NC_TRY(nc_enddef(file));
  if (time >= 0) NC_TRY(nc_put_var_double(file, time, &def->time));
  NC_TRY(put_vectors(file, positions, def->positions, def->n_atoms, CDN_ANGSTROM_PER_NM));
  if (!def->velocities) return NC_NOERR;
  return put_vectors(file, velocities, def->velocities, def->n_atoms, CDN_ANGSTROM_PER_NM / CDN_AMBER_PER_PS);
}

/* The bytes of the file are made in memory, so that it is written as a whole. */
cdn_status io_restart_write_netcdf(const char *path, const cdn_restart_def *def) {
  static const char function[] = "cdn_restart_save";
  int file;
  NC_memio bytes = { .memory = NULL };
  const size_t numbers = 3 * sizeof(double) * (size_t)def->n_atoms * (def->velocities ? 2 : 1);
  int error = nc_create_mem("restart", NC_64BIT_OFFSET, numbers + 4096, &file);
  if (error == NC_NOERR) {
    error = write_open(file, def);
    if (error) nc_abort(file);
    else error = nc_close_memio(file, &bytes);
  }
  if (error)
    return cdni_refuse(error == NC_ENOMEM ? CDN_ERR_NOMEM : CDN_ERR_FILE, function,
                       "the file '%s' cannot be written: %s", path, nc_strerror(error));
  cdni_whole_file whole;
  errno = 0;
  const bool begun = cdni_whole_begin(&whole, path);
  const bool good = begun && fwrite(bytes.memory, 1, bytes.size, whole.file) == bytes.size;
  const bool written = begun && cdni_whole_end(&whole, good);
  free(bytes.memory);
  if (written) return CDN_OK;
  return cdni_refuse(CDN_ERR_FILE, function, "the file '%s' cannot be written: %s", path,
                     errno ? strerror(errno) : "no reason is known");
}
