/* The first error, the warnings, and the elements of a file that are not simulated. */
#include "io/log.h"

#include <stdio.h>

void io_log_init(io_log *log, cdn_allocator allocator, const char *file) {
  memset(log, 0, sizeof *log);
  log->allocator = cdni_allocator_or_default(allocator);
  log->body_word = "body", log->function = "cdn_model_load";
  log->file = cdni_strdup(&log->allocator, file ? file : "model");
  if (!log->file) io_fail(log, CDN_ERR_NOMEM, 0, "out of memory");
}

void io_log_free(io_log *log) {
  const cdn_allocator *a = &log->allocator;
  io_names_free(a, &log->note_names);
  for (size_t i = 0; i < log->notes.count; i++) cdni_strfree(a, CDNI_AT(log->notes, io_note, i).element);
  for (size_t i = 0; i < log->warnings.count; i++) cdni_strfree(a, CDNI_AT(log->warnings, char *, i));
  cdni_array_free(a, &log->notes);
  cdni_array_free(a, &log->warnings);
  cdni_strfree(a, log->file);
  memset(log, 0, sizeof *log);
}

/* Writes "file:line: text". Of a long path only the end is written, because the end tells files apart. */
static void put_message(const io_log *log, int line, const char *format, va_list args, char *message, size_t size) {
  char text[512];
  cdni_vprint(text, sizeof text, format, args);
  const char *file = log->file ? log->file : "model";
  const size_t length = strlen(file), most = 120;
  const char *shown = length > most ? file + length - most : file;
  const char *dots = length > most ? "..." : "";
  char raw[1024];
  if (line > 0) snprintf(raw, sizeof raw, "%s%s:%d: %s", dots, shown, line, text);
  else snprintf(raw, sizeof raw, "%s%s: %s", dots, shown, text);
  /* Names come from files: the message is one line, and has no control characters. */
  for (char *c = raw; *c; c++)
    if (*c >= '\t' && *c <= '\r') *c = ' ';
  cdn_visible_text(raw, message, size);
}

cdn_status io_fail(io_log *log, cdn_status code, int line, const char *format, ...) {
  if (log->error.code != CDN_OK) return code;
  char message[1024];
  va_list args;
  va_start(args, format);
  put_message(log, line, format, args, message, sizeof message);
  va_end(args);
  return cdni_error_set(&log->error, code, log->function, NULL, "%s", message);
}

/* Keeps a copy of the text. */
static void keep_warning(io_log *log, const char *text) {
  char *copy = cdni_strdup(&log->allocator, text);
  if (copy && cdni_array_push(&log->allocator, &log->warnings, sizeof copy, &copy)) return;
  cdni_strfree(&log->allocator, copy);
  io_fail(log, CDN_ERR_NOMEM, 0, "out of memory");
}

cdn_status io_forgive(io_log *log, cdn_status status, const char *consequence) {
  if (status == CDN_OK || status == CDN_ERR_NOMEM) return status;
  char text[600];
  snprintf(text, sizeof text, "%.500s; %s", log->error.text, consequence);
  log->error = (cdn_error){ 0 };
  keep_warning(log, text);
  return log->error.code;
}

void io_warn(io_log *log, int line, const char *format, ...) {
  char message[1024];
  va_list args;
  va_start(args, format);
  put_message(log, line, format, args, message, sizeof message);
  va_end(args);
  keep_warning(log, message);
}

/* Removes half of a UTF-8 character from the end of a text that was cut. */
static void trim_utf8(char *text) {
  size_t n = strlen(text), tail = 0;
  while (tail < n && tail < 3 && ((unsigned char)text[n - 1 - tail] & 0xC0) == 0x80) tail++;
  if (tail >= n) return;
  const unsigned char lead = (unsigned char)text[n - 1 - tail];
  const size_t needed = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : lead >= 0xC0 ? 1 : 0;
  if (lead >= 0xC0 && tail < needed) text[n - 1 - tail] = 0;
}

void io_not_understood(io_log *log, int line, const char *long_name) {
  char element[200];
  snprintf(element, sizeof element, "%s", long_name);
  trim_utf8(element);
  const int known = io_names_find(&log->note_names, element);
  if (known >= 0) {
    CDNI_AT(log->notes, io_note, known).count++;
    return;
  }
  io_note note = { cdni_strdup(&log->allocator, element), 1, line };
  const int index = (int)log->notes.count;
  if (note.element && cdni_array_push(&log->allocator, &log->notes, sizeof note, &note)) {
    if (io_names_add(&log->allocator, &log->note_names, note.element, index) == index) return;
  } else {
    cdni_strfree(&log->allocator, note.element);
  }
  io_fail(log, CDN_ERR_NOMEM, 0, "out of memory");
}

cdn_status io_log_copy(io_log *to, const io_log *from) {
  for (size_t i = 0; i < from->warnings.count; i++) keep_warning(to, CDNI_AT(from->warnings, char *, i));
  for (size_t i = 0; i < from->notes.count; i++) {
    const io_note *note = &CDNI_AT(from->notes, io_note, i);
    io_not_understood(to, note->line, note->element);
    const int known = io_names_find(&to->note_names, note->element);
    if (known >= 0) CDNI_AT(to->notes, io_note, known).count += note->count - 1;
  }
  return to->error.code;
}

static void take_warning(io_log *from, const char *text) {
  for (size_t i = from->warnings.count; i-- > 0;) {
    char **at = &CDNI_AT(from->warnings, char *, i);
    if (strcmp(*at, text) != 0) continue;
    cdni_strfree(&from->allocator, *at);
    memmove(at, at + 1, (from->warnings.count - i - 1) * sizeof *at);
    from->warnings.count--;
    return;
  }
}

/* Later notes get other numbers, so that the table of names is made again. */
static void drop_empty_notes(io_log *log) {
  size_t kept = 0;
  io_names_free(&log->allocator, &log->note_names);
  for (size_t i = 0; i < log->notes.count; i++) {
    const io_note note = CDNI_AT(log->notes, io_note, i);
    if (note.count <= 0) cdni_strfree(&log->allocator, note.element);
    else CDNI_AT(log->notes, io_note, kept++) = note;
  }
  log->notes.count = kept;
  for (size_t i = 0; i < kept; i++)
    if (io_names_add(&log->allocator, &log->note_names, CDNI_AT(log->notes, io_note, i).element, (int)i) < 0)
      io_fail(log, CDN_ERR_NOMEM, 0, "out of memory");
}

void io_log_take(io_log *from, const io_log *what) {
  for (size_t i = 0; i < what->warnings.count; i++) take_warning(from, CDNI_AT(what->warnings, char *, i));
  for (size_t i = 0; i < what->notes.count; i++) {
    const io_note *note = &CDNI_AT(what->notes, io_note, i);
    const int known = io_names_find(&from->note_names, note->element);
    if (known >= 0) CDNI_AT(from->notes, io_note, known).count -= note->count;
  }
  drop_empty_notes(from);
}

cdn_status io_check_mass(io_log *log, int line, const char *what, const char *name, const cdn_mass_properties *mass) {
  if (mass->mass < 0)
    return io_fail(log, CDN_ERR_PARSE, line, "%s '%s' has a negative mass (%g kg)", what, name, mass->mass);
  double moments[3];
  cdn_inertia_principal(mass->inertia, moments, NULL);
  /* Files have few digits. Errors that rounding explains cause no warning. */
  const double slack = 1e-6 * (moments[2] > 0 ? moments[2] : 0);
  if (moments[0] < -slack)
    io_warn(log, line,
            "%s '%s': its inertia has a negative principal moment (%.4g kg m^2), which no body has; "
            "used as it stands",
            what, name, moments[0]);
  else if (moments[2] > moments[0] + moments[1] + slack)
    io_warn(log, line,
            "%s '%s': its principal moments %.4g, %.4g, %.4g kg m^2 break the triangle inequality (none can "
            "exceed the sum of the others); used as they stand",
            what, name, moments[0], moments[1], moments[2]);
  else if (mass->mass == 0 && moments[2] > 0)
    io_warn(log, line, "%s '%s' has inertia but no mass; used as it stands", what, name);
  return CDN_OK;
}
