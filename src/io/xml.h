/* XML for the readers: a document, its elements, and attributes that are marked when they are read, so that unread
 * attributes can be listed. Wraps libxml2; xml.c is the only file that includes it.
 *
 * A getter leaves its output unchanged if the attribute is absent, so callers set defaults first. Every failure is
 * stored on the log as "file:line: <element name='x'>: what is wrong". */
#ifndef CARDAN_IO_XML_H
#define CARDAN_IO_XML_H

#include "io/log.h"

typedef struct io_xml_document io_xml_document;
typedef struct io_xml_node io_xml_node; /* an element; lives as long as its document */

/* ---- documents ---- */

/* All bytes of a file, at most 256 MiB. The caller frees them, whatever is returned. */
cdn_status io_read_text(io_log *log, const char *path, cdni_array *text);
/* Parse a file, or a text in memory. On failure *out is NULL and the message is on the log. Nothing outside
 * the document is loaded, and a document that declares entities is refused. */
cdn_status io_xml_open(io_log *log, const char *path, io_xml_document **out);
cdn_status io_xml_open_memory(io_log *log, const char *text, size_t size, io_xml_document **out);
void io_xml_close(io_xml_document *document); /* NULL is allowed */
io_xml_node *io_xml_root(io_xml_document *document);

/* ---- elements. Comments and text between them are skipped; prefixes stay part of a name ("xacro:macro"). ---- */

const char *io_xml_name(const io_xml_node *node);
bool io_xml_is(const io_xml_node *node, const char *name);
int io_xml_line(const io_xml_node *node);            /* line on which its start tag ends */
io_xml_node *io_xml_parent(const io_xml_node *node); /* NULL for the root */
io_xml_node *io_xml_first(const io_xml_node *node);  /* first child element, or NULL */
io_xml_node *io_xml_next(const io_xml_node *node);   /* next sibling element, or NULL */
/* First child, or next sibling, of that name. */
io_xml_node *io_xml_child(const io_xml_node *node, const char *name);
io_xml_node *io_xml_next_named(const io_xml_node *node, const char *name);

/* The text in an element, without blanks around it, in `text`; NULL if there is none, or no room. */
const char *io_xml_text(const io_xml_node *node, char *text, size_t size);
/* The whole text as a number; false if it is none. */
bool io_xml_number(const io_xml_node *node, const char *text, double *value);

/* Writes "<joint name='knee'>", or "<axis> of <joint name='knee'>" for an element without a name. Returns `text`. */
const char *io_xml_describe(const io_xml_node *node, char *text, size_t size);
/* Calls io_fail with the element's description before the text. */
cdn_status io_xml_fail(io_log *log, cdn_status code, const io_xml_node *node, const char *format, ...) CDN_PRINTF(4, 5);
/* Fails because an attribute is missing; the message includes `remedy` (may be NULL). */
cdn_status io_xml_missing(io_log *log, const io_xml_node *node, const char *attribute, const char *remedy);

/* ---- attributes. Reading one, or testing for it, marks it. `present` may be NULL. ---- */

bool io_xml_has(io_xml_node *node, const char *attribute);
/* The text as in the file, or NULL. */
const char *io_xml_string(io_xml_node *node, const char *attribute);
/* The text without surrounding blanks. Missing or empty text is an error. */
cdn_status io_xml_need_string(io_log *log, io_xml_node *node, const char *attribute, const char **value);
cdn_status io_xml_double(io_log *log, io_xml_node *node, const char *attribute, double *value, bool *present);
/* Exactly n numbers. */
cdn_status io_xml_doubles(io_log *log, io_xml_node *node, const char *attribute, double *values, int n, bool *present);
/* How many words a text has. */
int io_xml_count(const char *text);
/* From `least` to `most` numbers; *count is their number, 0 if the attribute is absent. Values beyond the count stay
 * unchanged. */
cdn_status io_xml_doubles_upto(io_log *log, io_xml_node *node, const char *attribute, double *values, int least,
                               int most, int *count);
cdn_status io_xml_vec3(io_log *log, io_xml_node *node, const char *attribute, cdn_vec3 *value, bool *present);
cdn_status io_xml_int(io_log *log, io_xml_node *node, const char *attribute, int *value, bool *present);
/* "true" or "false"; "1" and "0" are accepted too. */
cdn_status io_xml_bool(io_log *log, io_xml_node *node, const char *attribute, bool *value, bool *present);
/* One of `n` words; *index is its number. The message of an error lists the words. */
cdn_status io_xml_keyword(io_log *log, io_xml_node *node, const char *attribute, const char *const *words, int n,
                          int *index, bool *present);

/* An attribute's text, without marking it, or NULL. */
const char *io_xml_peek(const io_xml_node *node, const char *attribute);
/* Attribute i; false: there are not so many. */
bool io_xml_attribute(const io_xml_node *node, int i, const char **name, const char **text);
/* strtod with a decimal point, in any locale of the program. */
double io_xml_strtod(const io_xml_node *node, const char *text, char **end);

/* ---- changing a document that is read in other words. False: memory ran out. ---- */

/* A document with the same tree. */
cdn_status io_xml_copy(io_log *log, const io_xml_node *root, io_xml_document **out);
/* A further child of that name, as if it stood on that line; NULL: memory ran out. */
io_xml_node *io_xml_add(io_xml_node *parent, const char *name, int line);
bool io_xml_set(io_xml_node *node, const char *attribute, const char *text);
/* The attribute's text between two others. */
bool io_xml_affix(io_xml_node *node, const char *attribute, const char *before, const char *after);
void io_xml_remove(io_xml_node *node);

/* ---- unread parts ---- */

/* Marks an element, or an attribute without reading it: it is known, and has no effect on the simulation. */
void io_xml_mark(io_xml_node *node);
void io_xml_ignore(io_xml_node *node, const char *attribute);
void io_xml_ignore_all(io_xml_node *node); /* marks every attribute of this element */
/* Lists this element's unmarked attributes ("joint friction") and unmarked child elements ("collision") as not
 * understood. Does not look below the children. */
void io_xml_report_rest(io_log *log, io_xml_node *node);

#endif
