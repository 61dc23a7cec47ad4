/* Motions and markers that follow tables. */
#include <cardan/follow.h>
#include <cardan/functions.h>

#include <math.h>
#include <stdio.h>

#include "core/sized.h"
#include "matter/kinds.h"
#include "matter/matter.h"

CDNI_DEF(follow_def, .linear = false);

static const double degree = 3.14159265358979323846 / 180;

/* ---- columns ---- */

/* Whether a column is coordinate k of a joint. */
static bool is_coordinate(const char *column, const char *joint, int nq, int k) {
  static const char value[] = "/value";
  const size_t n = strlen(joint), length = strlen(column), last = sizeof value - 1;
  char number[16];
  if (nq > 1) {
    snprintf(number, sizeof number, "[%d]", k);
    return length == n + strlen(number) && strncmp(column, joint, n) == 0 && strcmp(column + n, number) == 0;
  }
  if (strncmp(column, joint, n) == 0) return !column[n] || strcmp(column + n, ".q") == 0;
  return length > n + last && strcmp(column + length - last, value) == 0 && column[length - last - n - 1] == '/' &&
         strncmp(column + length - last - n, joint, n) == 0;
}

static int find_column(const cdn_table *t, const char *joint, int nq, int k) {
  int i = 1;
  while (i < cdn_table_column_count(t) && !is_coordinate(cdn_table_column_name(t, i), joint, nq, k)) i++;
  return i < cdn_table_column_count(t) ? i : -1;
}

static bool in_degrees(const cdn_table *t, int column) {
  const char *all = cdn_table_attribute_text(t, "inDegrees"), *unit = cdn_table_column_unit(t, column);
  return strcmp(unit, "deg") == 0 || (!unit[0] && all && strcmp(all, "yes") == 0);
}

/* ---- functions of time ---- */

/* n, then n times, then n values: straight on beyond both ends. */
static cdn_status calc_line(const void *self, const double *x, int order, cdn_function_result *out) {
  const double *numbers = self;
  int low = 0, high = (int)numbers[0] - 1;
  const double *t = numbers + 1, *y = t + high + 1;
  while (high - low > 1) {
    const int middle = low + (high - low) / 2;
    if (x[0] < t[middle]) high = middle;
    else low = middle;
  }
  const double slope = (y[high] - y[low]) / (t[high] - t[low]);
  out->value = y[low] + slope * (x[0] - t[low]);
  if (order >= 1) out->d1[0] = slope;
  return CDN_OK;
}

static cdn_function *make_line(int n, const double *t, const double *y) {
  const cdn_allocator a = cdni_allocator_or_default((cdn_allocator){ 0 });
  const size_t bytes = (2 * (size_t)n + 1) * sizeof *t;
  double *numbers = cdni_alloc(&a, bytes);
  if (!numbers) return NULL;
  numbers[0] = n;
  memcpy(numbers + 1, t, (size_t)n * sizeof *t);
  memcpy(numbers + 1 + n, y, (size_t)n * sizeof *y);
  cdn_function *f =
      cdn_function_create(&(cdn_function_ops){ sizeof(cdn_function_ops), "lines", bytes, 1, calc_line, NULL }, numbers);
  cdni_free(&a, numbers, bytes);
  return f;
}

/* ---- a motion ---- */

enum { MOST_COORDINATES = 6 };

typedef struct follower {
  int n;
  const cdn_function *f[MOST_COORDINATES];
} follower;

static cdn_status calc(const void *self, const cdn_motion_input *in, int order, double *out) {
  const follower *x = self;
  for (int k = 0; k < x->n; k++) {
    cdn_function_result r;
    CDNI_TRY(cdn_function_calc(x->f[k], &in->t, order, &r));
    out[k] = order == 0 ? r.value : order == 1 ? r.d1[0] : r.d2[0];
  }
  return CDN_OK;
}

static cdn_status calc_q(const void *self, const cdn_motion_input *in, double *out) { return calc(self, in, 0, out); }
static cdn_status calc_qdot(const void *self, const cdn_motion_input *in, double *out) {
  return calc(self, in, 1, out);
}
static cdn_status calc_qdotdot(const void *self, const cdn_motion_input *in, double *out) {
  return calc(self, in, 2, out);
}

static void release_functions(void *self) {
  follower *x = self;
  for (int k = 0; k < x->n; k++) cdn_function_release(x->f[k]);
}

/* ---- all motions of a table ---- */

static const char function[] = "cdn_system_follow_table";

typedef struct table_rows {
  cdn_allocator allocator;
  const cdn_table *table;
  int n;
  double *time, *value; /* n each; value: work */
  bool linear;
} table_rows;

static cdn_status check_times(const table_rows *r) {
  for (int i = 0; i < r->n; i++) {
    if (!isfinite(r->time[i])) return cdni_refuse(CDN_ERR_NONFINITE, function, "the time of row %d is no number", i);
    if (i > 0 && !(r->time[i] > r->time[i - 1]))
      return cdni_refuse(CDN_ERR_ARG, function, "times do not increase: behind %g comes %g in row %d", r->time[i - 1],
                         r->time[i], i);
  }
  return CDN_OK;
}

static cdn_status make_function(const table_rows *r, int column, bool angle, const cdn_function **out) {
  const double scale = angle && in_degrees(r->table, column) ? degree : 1, *values = cdn_table_values(r->table);
  const size_t columns = (size_t)cdn_table_column_count(r->table);
  for (int i = 0; i < r->n; i++) {
    r->value[i] = scale * values[(size_t)i * columns + (size_t)column];
    if (isfinite(r->value[i])) continue;
    return cdni_refuse(CDN_ERR_NONFINITE, function, "column '%s' has no number in row %d, at t = %g: fill the gap",
                       cdn_table_column_name(r->table, column), i, r->time[i]);
  }
  *out = r->linear ? make_line(r->n, r->time, r->value) : cdn_function_natural_spline(r->n, r->time, r->value);
  return *out ? CDN_OK : cdni_refuse(CDN_ERR_NOMEM, function, "out of memory for a motion");
}

/* The motion of a mobilizer, if its coordinates are columns. */
static cdn_status follow_body(cdn_system *system, const table_rows *r, cdn_body body, bool *used, int *n_motions) {
  const char *joint = cdn_body_mobilizer_name(system, body);
  const int nq = cdn_body_nq(system, body);
  int column[MOST_COORDINATES] = { 0 }, found = 0;
  for (int k = 0; k < nq && k < MOST_COORDINATES; k++)
    if ((column[k] = find_column(r->table, joint, nq, k)) > 0) found++;
  if (found == 0) return CDN_OK;
  if (cdn_body_has_quaternion(system, body))
    return cdni_refuse(CDN_ERR_ARG, function, "joint '%s' turns by a quaternion, which a table cannot prescribe",
                       joint);
  if (found < nq)
    return cdni_refuse(CDN_ERR_ARG, function,
                       "joint '%s' has %d coordinates, and the table %d of them: '%s[0]' and so on", joint, nq, found,
                       joint);
  follower x = { .n = nq };
  cdn_status status = CDN_OK;
  for (int k = 0; k < nq && status == CDN_OK; k++) {
    const bool angle = cdni_kind_dimension(cdni_body_kind(cdni_matter_building(system), body.i), k) == 'A';
    status = make_function(r, column[k], angle, &x.f[k]);
    if (used) used[column[k]] = true;
  }
  static const cdn_motion_ops ops = { .struct_size = sizeof ops,
                                      .name = "follows a table",
                                      .self_size = sizeof x,
                                      .q = calc_q,
                                      .qdot = calc_qdot,
                                      .qdotdot = calc_qdotdot,
                                      .destroy = release_functions };
  cdn_motion_def def = cdn_default_motion_def();
  def.name = joint, def.body = body, def.kind = CDN_MOTION_CUSTOM, def.custom = &ops, def.custom_self = &x;
  if (status == CDN_OK && cdn_system_add_motion(system, &def).i >= 0) {
    ++*n_motions;
    return CDN_OK;
  }
  if (status == CDN_OK) {
    cdn_error error;
    cdn_system_last_error(system, &error);
    status = error.code;
  }
  release_functions(&x);
  return status;
}

static cdn_status follow(cdn_system *system, const table_rows *r, bool *used, int *n_motions) {
  CDNI_TRY(check_times(r));
  for (int b = 1; b < cdn_system_body_count(system); b++)
    CDNI_TRY(follow_body(system, r, (cdn_body){ b }, used, n_motions));
  if (*n_motions > 0) return CDN_OK;
  return cdni_refuse(CDN_ERR_ARG, function, "no column has the name of a joint, such as '%s'",
                     cdn_system_body_count(system) > 1 ? cdn_body_mobilizer_name(system, (cdn_body){ 1 }) : "");
}

cdn_status cdn_system_follow_table(cdn_system *system, const cdn_table *table, const cdn_follow_def *def, bool *used,
                                   int *n_motions) {
  cdn_follow_def known;
  int n = 0;
  if (n_motions) *n_motions = 0;
  if (!system || !table) return cdni_refuse(CDN_ERR_ARG, function, "the System or the table is NULL");
  const char *unreadable = read_follow_def(&known, def ? def : &follow_def_defaults);
  if (unreadable) return cdni_refuse(CDN_ERR_VERSION, function, "%s", unreadable);
  if (cdn_system_is_frozen(system))
    return cdni_refuse(CDN_ERR_FROZEN, function, "the System is frozen: motions are added while it is built");
  const int64_t rows = cdn_table_row_count(table), most = 1 << 20;
  if (rows < 2 || rows > most || strcmp(cdn_table_column_name(table, 0), "time") != 0)
    return cdni_refuse(CDN_ERR_ARG, function,
                       "the table has a first column 'time' and 2 to %lld rows, not '%s' and %lld", (long long)most,
                       cdn_table_column_name(table, 0), (long long)rows);
  const cdn_allocator a = cdni_allocator_or_default((cdn_allocator){ 0 });
  const size_t bytes = (size_t)rows * sizeof(double), columns = (size_t)cdn_table_column_count(table);
  table_rows r = { a, table, (int)rows, cdni_alloc(&a, bytes), cdni_alloc(&a, bytes), known.linear };
  cdn_status status = r.time && r.value ? CDN_OK : cdni_refuse(CDN_ERR_NOMEM, function, "out of memory for motions");
  for (size_t i = 0; i < (size_t)rows && status == CDN_OK; i++) r.time[i] = cdn_table_values(table)[i * columns];
  for (size_t i = 0; i < columns && used; i++) used[i] = false;
  if (status == CDN_OK) status = follow(system, &r, used, &n);
  cdni_free(&a, r.time, bytes);
  cdni_free(&a, r.value, bytes);
  if (n_motions) *n_motions = n;
  return status;
}

/* ---- markers ---- */

/* The frame whose place begins at a column; false: these are not three columns of one. */
static bool find_frame(const cdn_table *t, int column, const cdn_model *model, cdn_model_frame *frame) {
  char name[256];
  const char *first = cdn_table_column_name(t, column);
  const size_t n = strlen(first);
  if (column + 2 >= cdn_table_column_count(t) || n < 3 || n >= sizeof name || strcmp(first + n - 2, ".x") != 0)
    return false;
  for (int k = 1; k < 3; k++) {
    const char *other = cdn_table_column_name(t, column + k);
    if (strlen(other) != n || strncmp(other, first, n - 1) != 0 || other[n - 1] != "xyz"[k]) return false;
  }
  snprintf(name, sizeof name, "%.*s", (int)n - 2, first);
  return cdn_model_find_frame(model, name, frame) == CDN_OK;
}

cdn_status cdn_assembly_add_table_markers(cdn_assembly *assembly, const cdn_model *model, const cdn_table *table,
                                          int *columns, int *n) {
  if (n) *n = 0;
  if (!assembly || !model || !table || !columns || !n)
    return cdni_refuse(CDN_ERR_ARG, __func__, "the assembly, the model, the table, or a result is NULL");
  for (int i = 1; i < cdn_table_column_count(table); i++) {
    cdn_model_frame frame;
    if (!find_frame(table, i, model, &frame)) continue;
    if (cdn_assembly_add_marker(assembly, frame.name, frame.body, frame.X_BF.p, 1).i < 0) {
      cdn_error error;
      cdn_assembly_last_error(assembly, &error);
      return error.code;
    }
    columns[(*n)++] = i;
    i += 2;
  }
  if (*n > 0) return CDN_OK;
  return cdni_refuse(CDN_ERR_ARG, __func__,
                     "the table has no columns NAME.x, NAME.y, NAME.z of a frame of the model%s%s",
                     cdn_table_column_count(table) > 1 ? ": its second column is " : "",
                     cdn_table_column_count(table) > 1 ? cdn_table_column_name(table, 1) : "");
}

cdn_status cdn_table_markers(const cdn_table *table, int64_t row, int n, const int *columns, cdn_vec3 *markers) {
  const int most = cdn_table_column_count(table);
  if (!table || n < 0 || (n > 0 && (!columns || !markers)) || row < 0 || row >= cdn_table_row_count(table))
    return cdni_refuse(CDN_ERR_ARG, __func__, "the table, the columns or the result is NULL, or there is no row %lld",
                       (long long)row);
  const double *x = cdn_table_values(table) + row * most;
  for (int i = 0; i < n; i++) {
    if (columns[i] < 0 || columns[i] + 2 >= most)
      return cdni_refuse(CDN_ERR_ARG, __func__, "marker %d has column %d, and the table %d columns", i, columns[i],
                         most);
    markers[i] = cdn_v3(x[columns[i]], x[columns[i] + 1], x[columns[i] + 2]);
  }
  return CDN_OK;
}
