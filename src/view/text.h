/* A text of JSON that grows: messages for pages. Private to the room. A member without a key (NULL) is one of a
 * list. */
#ifndef CARDAN_VIEW_TEXT_H
#define CARDAN_VIEW_TEXT_H

#include "core/core.h"

typedef struct view_text {
  const cdn_allocator *allocator;
  cdni_array bytes; /* char; ends with a 0 that is not counted */
  bool failed;      /* memory ran out: the text is not whole */
} view_text;

/* Empties the text and keeps its memory. */
void cdni_text_clear(view_text *t);
void cdni_text_free(view_text *t);
/* "" for an empty text. */
const char *cdni_text(const view_text *t);
static inline size_t cdni_text_length(const view_text *t) { return t->bytes.count > 0 ? t->bytes.count - 1 : 0; }

/* `bracket`: '{' or '['. */
void cdni_text_open(view_text *t, const char *key, char bracket);
void cdni_text_close(view_text *t, char bracket); /* '}' or ']' */
/* NULL: null. What is not UTF-8 and what controls a terminal is escaped visibly. */
void cdni_text_string(view_text *t, const char *key, const char *value);
/* What is not finite becomes null. */
void cdni_text_number(view_text *t, const char *key, double value);
/* To nine digits, which costs a tenth. */
void cdni_text_rounded(view_text *t, const char *key, double value);
void cdni_text_integer(view_text *t, const char *key, int64_t value);
void cdni_text_boolean(view_text *t, const char *key, bool value);
void cdni_text_numbers(view_text *t, const char *key, const double *values, int n);

#endif
