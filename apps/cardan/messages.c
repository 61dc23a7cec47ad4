/* Messages on standard error, and the two failures that any command may meet: no memory, no room to write. */
#include "command.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

const char *program_name = "cardan";

void complain(const char *format, ...) {
  char message[4096];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  fprintf(stderr, "%s: %s\n", program_name, visible(message));
}

const char *visible(const char *text) {
  enum { AT_A_TIME = 6, MOST = 8192 };
  static char kept[AT_A_TIME][MOST];
  static int next;
  next = (next + 1) % AT_A_TIME;
  return cdn_visible_text(text, kept[next], MOST);
}

const char *visible_slot(const cdn_system *system, cdn_pool pool, int i) {
  char name[128];
  cdn_system_slot_name(system, pool, i, name, sizeof name);
  return visible(name);
}

const char *rounded(double x, char text[CDN_NUMBER_SIZE]) {
  snprintf(text, CDN_NUMBER_SIZE, "%.9g", x);
  return cdn_number_text(strtod(text, NULL), text);
}

void error_message(const cdn_error *error, char *text, size_t size) {
  const char *message = error->text[0] ? error->text : cdn_status_text(error->code);
  bool named = !error->element[0] || strstr(message, error->element);
  if (named) snprintf(text, size, "%s", message);
  else snprintf(text, size, "%s: %s", error->element, message);
}

void complain_error(const char *doing, const cdn_error *error) {
  char message[640];
  error_message(error, message, sizeof message);
  complain("%s%s%s", doing, doing[0] ? ": " : "", message);
}

bool complain_last_error(void) {
  cdn_error error;
  cdn_last_error(&error);
  complain_error("", &error);
  return false;
}

void *allocate(size_t n, size_t size) {
  void *memory = calloc(n ? n : 1, size);
  if (!memory) {
    complain("out of memory");
    exit(CMD_FAILED);
  }
  return memory;
}

bool finish_output(FILE *file, const char *path) {
  // errno of an earlier failed write is gone by now; a failing flush or close sets it anew
  bool failed = ferror(file) != 0;
  errno = 0;
  if (fflush(file)) failed = true;
  int reason = errno;
  if (file != stdout && fclose(file)) {
    failed = true;
    if (!reason) reason = errno;
  }
  if (file == stdout) clearerr(stdout); // said once, though the program's end looks again
  if (failed) complain("%s: could not be written%s%s", path, reason ? ": " : "", reason ? strerror(reason) : "");
  return !failed;
}
