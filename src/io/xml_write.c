/* Writing XML: elements and attributes. */
#include "io/xml_write.h"

#include <math.h>

cdn_status io_put_begin(io_xml_writer *w, const char *element) {
  w->indent++;
  return io_put(w->to, "%*s<%s", 2 * w->indent, "", element);
}

cdn_status io_put_end(io_xml_writer *w) {
  w->indent--;
  return io_put(w->to, "/>\n");
}

cdn_status io_put_into(io_xml_writer *w) { return io_put(w->to, ">\n"); }

cdn_status io_put_close(io_xml_writer *w, const char *element) {
  CDNI_TRY(io_put(w->to, "%*s</%s>\n", 2 * w->indent, "", element));
  w->indent--;
  return CDN_OK;
}

cdn_status io_put_text(io_xml_writer *w, const char *name, const char *text) {
  if (!text) return CDN_OK;
  CDNI_TRY(io_put(w->to, " %s=\"", name));
  for (const char *c = text; *c; c++) {
    const char *as = *c == '&' ? "&amp;" : *c == '<' ? "&lt;" : *c == '"' ? "&quot;" : NULL;
    if (as) CDNI_TRY(io_put(w->to, "%s", as));
    else CDNI_TRY(cdn_buffer_write(w->to, c, 1));
  }
  return io_put(w->to, "\"");
}

cdn_status io_put_numbers(io_xml_writer *w, const char *name, const double *x, int n) {
  char text[CDN_NUMBER_SIZE];
  CDNI_TRY(io_put(w->to, " %s=\"", name));
  for (int k = 0; k < n; k++) {
    cdn_number_text(x[k], text);
    const size_t length = strlen(text);
    if (length > 2 && strcmp(text + length - 2, ".0") == 0 && (x[k] != 0 || !signbit(x[k]))) text[length - 2] = '\0';
    CDNI_TRY(io_put(w->to, "%s%s", k ? " " : "", text));
  }
  return io_put(w->to, "\"");
}

cdn_status io_put_number(io_xml_writer *w, const char *name, double x) { return io_put_numbers(w, name, &x, 1); }

cdn_status io_put_int(io_xml_writer *w, const char *name, int x) { return io_put(w->to, " %s=\"%d\"", name, x); }

cdn_status io_put_bool(io_xml_writer *w, const char *name, bool x) {
  return io_put(w->to, " %s=\"%s\"", name, x ? "true" : "false");
}

cdn_status io_put_unless(io_xml_writer *w, const char *name, const double *x, const double *usual, int n) {
  return memcmp(x, usual, (size_t)n * sizeof *x) == 0 ? CDN_OK : io_put_numbers(w, name, x, n);
}

cdn_status io_put_number_unless(io_xml_writer *w, const char *name, double x, double usual) {
  return io_put_unless(w, name, &x, &usual, 1);
}

cdn_status io_put_int_unless(io_xml_writer *w, const char *name, int x, int usual) {
  return x == usual ? CDN_OK : io_put_int(w, name, x);
}
