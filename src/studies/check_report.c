/* The findings of a check: keeping them, merging equal findings at several poses, and writing them down. */
#include <math.h>
#include <stdio.h>

#include "studies/check.h"

CDNI_DEF(check_def, .poses = 20, .range = 1, .speed = 1, .tolerance = 1e-6, .seed = 1);

enum { MOST_POSES = 10000 };

cdn_status cdni_check_read_def(cdn_check_def *to, const cdn_check_def *from, const char *function) {
  const char *unreadable = read_check_def(to, from ? from : &check_def_defaults);
  if (unreadable) return cdni_refuse(CDN_ERR_VERSION, function, "%s", unreadable);
  if (to->poses >= 0 && to->poses <= MOST_POSES && to->range >= 0 && isfinite(to->range) && to->speed > 0 &&
      isfinite(to->speed) && to->tolerance > 0 && isfinite(to->tolerance))
    return CDN_OK;
  return cdni_refuse(CDN_ERR_ARG, function,
                     "def.poses is 0 to %d, range >= 0, speed and tolerance > 0, all of them finite", (int)MOST_POSES);
}

/* ---- noting ---- */

static cdn_check_entry *entry_at(const cdn_check *check, int i) { return &CDNI_AT(check->entries, cdn_check_entry, i); }

static cdn_check_entry *find(cdn_check *report, const char *what, int row, int column) {
  for (size_t i = 0; i < report->entries.count; i++) {
    cdn_check_entry *e = entry_at(report, (int)i);
    if (e->row == row && e->column == column && strcmp(e->what, what) == 0) return e;
  }
  return NULL;
}

void cdni_check_note(checker *c, const char *what, int row, int column, double expected, double found, double error,
                     const char *format, ...) {
  enum { MOST = 1000 };
  cdn_check *report = c->report;
  cdn_check_entry *e = find(report, what, row, column);
  if (!e && report->entries.count >= MOST) return;
  if (!e && !(e = cdni_array_push(&report->allocator, &report->entries, sizeof *e, NULL))) return;
  e->poses++;
  if (e->poses > 1 && !(error > e->error)) return;
  e->row = row, e->column = column, e->expected = expected, e->found = found, e->error = error;
  snprintf(e->what, sizeof e->what, "%s", what);
  snprintf(e->element, sizeof e->element, "%s", report->element);
  va_list args;
  va_start(args, format);
  cdni_vprint(e->text, sizeof e->text, format, args);
  va_end(args);
}

void cdni_check_compare(checker *c, const char *what, int row, int column, const char *where, double expected,
                        double found, double scale, double doubt, const char *hint) {
  const double size = fmax(scale, fmax(fabs(expected), fabs(found)));
  const double error = fabs(found - expected);
  if (isnan(expected) && isfinite(found)) return; /* it bends or jumps here, so differences are no test */
  if (error <= c->def.tolerance * size + doubt) return;
  cdni_check_note(c, what, row, column, expected, found, error / size,
                  "%s '%s' (%s): %s%s%s is %.6g and should be %.6g, off by %.2g of its size: %s", c->report->type,
                  c->report->element, c->report->kind, what, where[0] ? " of " : "", where, found, expected,
                  error / size, hint);
}

cdn_status cdni_check_failed(checker *c, cdn_status status) {
  cdn_error e;
  cdn_last_error(&e);
  if (status == CDN_ERR_NOMEM) return status;
  const bool may_be_without_meaning = c->pose > 0 && e.recoverable && status != CDN_ERR_NONFINITE;
  if (may_be_without_meaning) return CDN_OK;
  const bool undeclared = status == CDN_ERR_UNDECLARED;
  cdni_check_note(c, undeclared ? "declared reads" : "evaluation", -1, -1, NAN, NAN, INFINITY,
                  "%s '%s' (%s): %s: %.250s", c->report->type, c->report->element, c->report->kind,
                  cdn_status_name(status), e.text);
  return CDN_OK;
}

/* ---- telling ---- */

static int by_error(const void *a, const void *b) {
  const double x = ((const cdn_check_entry *)a)->error, y = ((const cdn_check_entry *)b)->error;
  return (x < y) - (x > y);
}

void cdni_check_tell(cdn_check *report) {
  const int n = cdn_check_count(report);
  if (n > 1) qsort(report->entries.data, (size_t)n, sizeof(cdn_check_entry), by_error);
  char poses[48];
  snprintf(poses, sizeof poses, "%d pose%s", report->poses, report->poses == 1 ? "" : "s");
  if (n == 0)
    snprintf(report->text, sizeof report->text, "%s '%s' (%s): nothing wrong was found at %s", report->type,
             report->element, report->kind, report->poses ? poses : "any pose, as it could be evaluated at none");
  else
    snprintf(report->text, sizeof report->text, "%d thing%s wrong at %s: %s", n, n == 1 ? "" : "s", poses,
             entry_at(report, 0)->text);
}

int cdn_check_count(const cdn_check *check) { return check ? (int)check->entries.count : 0; }
int cdn_check_poses(const cdn_check *check) { return check ? check->poses : 0; }
const char *cdn_check_text(const cdn_check *check) { return check ? check->text : ""; }

void cdn_check_get_sized(const cdn_check *check, int i, cdn_check_entry *out, size_t size) {
  static const cdn_check_entry none;
  const bool there = i >= 0 && i < cdn_check_count(check);
  cdni_sized_write(out, size, there ? entry_at(check, i) : &none, sizeof none);
}

void cdn_check_destroy(cdn_check *check) {
  if (!check) return;
  const cdn_allocator a = check->allocator;
  cdni_array_free(&a, &check->entries);
  cdni_free(&a, check, sizeof *check);
}
