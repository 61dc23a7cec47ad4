/* Writing XML: elements within each other, with attributes. */
#ifndef CARDAN_IO_XML_WRITE_H
#define CARDAN_IO_XML_WRITE_H

#include "io/spec_fields.h"

typedef struct io_xml_writer {
  cdn_buffer *to;
  int indent;
} io_xml_writer;

cdn_status io_put_begin(io_xml_writer *w, const char *element);
cdn_status io_put_end(io_xml_writer *w);  /* of an element without contents */
cdn_status io_put_into(io_xml_writer *w); /* contents follow */
cdn_status io_put_close(io_xml_writer *w, const char *element);
cdn_status io_put_text(io_xml_writer *w, const char *name, const char *text); /* NULL: nothing */
cdn_status io_put_numbers(io_xml_writer *w, const char *name, const double *x, int n);
cdn_status io_put_number(io_xml_writer *w, const char *name, double x);
cdn_status io_put_int(io_xml_writer *w, const char *name, int x);
cdn_status io_put_bool(io_xml_writer *w, const char *name, bool x);
/* The same, if they differ from what holds without them. */
cdn_status io_put_unless(io_xml_writer *w, const char *name, const double *x, const double *usual, int n);
cdn_status io_put_number_unless(io_xml_writer *w, const char *name, double x, double usual);
cdn_status io_put_int_unless(io_xml_writer *w, const char *name, int x, int usual);

#endif
