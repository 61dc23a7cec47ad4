/* Messages on standard error, and the two failures that any command may meet: no memory, no room to write. */
#include "command.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void complain(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fputs("cardan: ", stderr);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  va_end(arguments);
}

void error_story(const cdn_error *error, char *text, size_t size) {
  const char *story = error->text[0] ? error->text : cdn_status_text(error->code);
  bool named = !error->element[0] || strstr(story, error->element);
  if (named) snprintf(text, size, "%s", story);
  else snprintf(text, size, "%s: %s", error->element, story);
}

void complain_error(const char *doing, const cdn_error *error) {
  char story[640];
  error_story(error, story, sizeof story);
  complain("%s%s%s", doing, doing[0] ? ": " : "", story);
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
