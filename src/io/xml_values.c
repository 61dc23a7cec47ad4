/* Attributes as values, read strictly: every character must be valid, and a mistake is reported with its line. */
#include "io/xml.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>

#include "io/xml.h"

bool io_xml_number(const io_xml_node *node, const char *text, double *value) {
  char *end;
  *value = io_xml_strtod(node, text, &end);
  return end != text && !*end;
}

/* ---- messages ---- */

const char *io_xml_describe(const io_xml_node *node, char *text, size_t size) {
  const char *name = io_xml_peek(node, "name");
  if (name) {
    snprintf(text, size, "<%.40s name='%.60s'>", io_xml_name(node), name);
    return text;
  }
  /* The nearest element around it that has a name tells the place. */
  const io_xml_node *outer = io_xml_parent(node);
  while (outer && !io_xml_peek(outer, "name")) outer = io_xml_parent(outer);
  if (outer && io_xml_parent(outer))
    snprintf(text, size, "<%.40s> of <%.40s name='%.60s'>", io_xml_name(node), io_xml_name(outer),
             io_xml_peek(outer, "name"));
  else snprintf(text, size, "<%.40s>", io_xml_name(node));
  return text;
}

cdn_status io_xml_fail(io_log *log, cdn_status code, const io_xml_node *node, const char *format, ...) {
  char where[200], what[400];
  va_list args;
  va_start(args, format);
  cdni_vprint(what, sizeof what, format, args);
  va_end(args);
  return io_fail(log, code, io_xml_line(node), "%s: %s", io_xml_describe(node, where, sizeof where), what);
}

cdn_status io_xml_missing(io_log *log, const io_xml_node *node, const char *attribute, const char *remedy) {
  return io_xml_fail(log, CDN_ERR_PARSE, node, "attribute '%s' is missing%s%s", attribute, remedy ? "; " : "",
                     remedy ? remedy : "");
}

/* ---- words ---- */

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
static const char *skip_blanks(const char *s) {
  while (is_blank(*s)) s++;
  return s;
}
static size_t word_length(const char *s) {
  size_t n = 0;
  while (s[n] && !is_blank(s[n])) n++;
  return n;
}

bool io_xml_has(io_xml_node *node, const char *attribute) { return io_xml_string(node, attribute) != NULL; }

cdn_status io_xml_need_string(io_log *log, io_xml_node *node, const char *attribute, const char **value) {
  const char *text = io_xml_string(node, attribute);
  if (!text) return io_xml_missing(log, node, attribute, NULL);
  if (!*skip_blanks(text)) return io_xml_fail(log, CDN_ERR_PARSE, node, "attribute '%s' is empty", attribute);
  *value = text;
  return CDN_OK;
}

/* True if the attribute's text is this one word, blanks around it aside. */
static bool is_word(const char *text, const char *word) {
  text = skip_blanks(text);
  const size_t n = strlen(word);
  return strncmp(text, word, n) == 0 && !*skip_blanks(text + n);
}

cdn_status io_xml_keyword(io_log *log, io_xml_node *node, const char *attribute, const char *const *words, int n,
                          int *index, bool *present) {
  const char *text = io_xml_string(node, attribute);
  if (present) *present = text != NULL;
  if (!text) return CDN_OK;
  for (int i = 0; i < n; i++) {
    if (!is_word(text, words[i])) continue;
    *index = i;
    return CDN_OK;
  }
  char list[200] = "";
  for (int i = 0; i < n; i++) {
    const size_t used = strlen(list);
    snprintf(list + used, sizeof list - used, "%s%s", i == 0 ? "" : i == n - 1 ? " or " : ", ", words[i]);
  }
  return io_xml_fail(log, CDN_ERR_PARSE, node, "attribute '%s' is '%.40s'; it can be %s", attribute, text, list);
}

cdn_status io_xml_bool(io_log *log, io_xml_node *node, const char *attribute, bool *value, bool *present) {
  static const char *const words[] = { "false", "true", "0", "1" };
  const char *text = io_xml_string(node, attribute);
  if (present) *present = text != NULL;
  if (!text) return CDN_OK;
  for (int i = 0; i < CDNI_COUNT(words); i++) {
    if (!is_word(text, words[i])) continue;
    *value = i % 2 == 1;
    return CDN_OK;
  }
  return io_xml_fail(log, CDN_ERR_PARSE, node, "attribute '%s' is '%.40s'; it can be true or false", attribute, text);
}

/* ---- numbers ---- */

/* Decimal numbers only: strtod alone would take nan, inf and hexadecimal as well. */
static bool looks_like_number(const char *s, size_t n) {
  size_t i = 0, digits = 0;
  if (i < n && (s[i] == '+' || s[i] == '-')) i++;
  for (; i < n && s[i] >= '0' && s[i] <= '9'; i++) digits++;
  if (i < n && s[i] == '.') i++;
  for (; i < n && s[i] >= '0' && s[i] <= '9'; i++) digits++;
  if (digits == 0) return false;
  if (i == n) return true;
  if (s[i] != 'e' && s[i] != 'E') return false;
  i++;
  if (i < n && (s[i] == '+' || s[i] == '-')) i++;
  const size_t exponent = i;
  while (i < n && s[i] >= '0' && s[i] <= '9') i++;
  return i == n && i > exponent;
}

static cdn_status read_number(io_log *log, const io_xml_node *node, const char *attribute, const char *word, size_t n,
                              double *value) {
  const int shown = n > 40 ? 40 : (int)n;
  if (!looks_like_number(word, n)) {
    const char *hint = strstr(word, "${") ? "; this looks like xacro, which must be expanded first" : "";
    return io_xml_fail(log, CDN_ERR_PARSE, node, "attribute '%s': '%.*s' is not a finite decimal number%s", attribute,
                       shown, word, hint);
  }
  *value = io_xml_strtod(node, word, NULL);
  if (!isfinite(*value))
    return io_xml_fail(log, CDN_ERR_PARSE, node, "attribute '%s': '%.*s' is too large for a number", attribute, shown,
                       word);
  return CDN_OK;
}

int io_xml_count(const char *text) {
  int n = 0;
  for (const char *s = skip_blanks(text); *s && n < INT_MAX; s = skip_blanks(s)) {
    n++;
    s += word_length(s);
  }
  return n;
}

cdn_status io_xml_doubles_upto(io_log *log, io_xml_node *node, const char *attribute, double *values, int least,
                               int most, int *count) {
  *count = 0;
  const char *text = io_xml_string(node, attribute);
  if (!text) return CDN_OK;
  int found = 0;
  for (const char *s = skip_blanks(text); *s; s = skip_blanks(s)) {
    const size_t n = word_length(s);
    double value = 0;
    CDNI_TRY(read_number(log, node, attribute, s, n, &value));
    if (found < most) values[found] = value;
    if (found < INT_MAX) found++;
    s += n;
  }
  if (found >= least && found <= most) {
    *count = found;
    return CDN_OK;
  }
  char needed[60];
  if (least == most) snprintf(needed, sizeof needed, "%d %s", least, least == 1 ? "is" : "are");
  else snprintf(needed, sizeof needed, "%d to %d are", least, most);
  return io_xml_fail(log, CDN_ERR_PARSE, node, "attribute '%s' has %d number%s, %s needed", attribute, found,
                     found == 1 ? "" : "s", needed);
}

cdn_status io_xml_doubles(io_log *log, io_xml_node *node, const char *attribute, double *values, int n, bool *present) {
  int count;
  CDNI_TRY(io_xml_doubles_upto(log, node, attribute, values, n, n, &count));
  if (present) *present = io_xml_has(node, attribute);
  return CDN_OK;
}

cdn_status io_xml_double(io_log *log, io_xml_node *node, const char *attribute, double *value, bool *present) {
  return io_xml_doubles(log, node, attribute, value, 1, present);
}

cdn_status io_xml_vec3(io_log *log, io_xml_node *node, const char *attribute, cdn_vec3 *value, bool *present) {
  double v[3];
  bool has;
  CDNI_TRY(io_xml_doubles(log, node, attribute, v, 3, &has));
  if (has) *value = cdn_v3(v[0], v[1], v[2]);
  if (present) *present = has;
  return CDN_OK;
}

cdn_status io_xml_int(io_log *log, io_xml_node *node, const char *attribute, int *value, bool *present) {
  double number;
  bool has;
  CDNI_TRY(io_xml_double(log, node, attribute, &number, &has));
  if (present) *present = has;
  if (!has) return CDN_OK;
  if (number != floor(number) || number < INT_MIN || number > INT_MAX)
    return io_xml_fail(log, CDN_ERR_PARSE, node, "attribute '%s' must be a whole number", attribute);
  *value = (int)number;
  return CDN_OK;
}
