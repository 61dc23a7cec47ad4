/* Shared by xml.c and xml_values.c only. */
#ifndef CARDAN_IO_XML_PRIVATE_H
#define CARDAN_IO_XML_PRIVATE_H

#include "io/xml.h"

/* An attribute's text, without marking it, or NULL. */
const char *io_xml_peek(const io_xml_node *node, const char *attribute);
/* strtod with a decimal point, in any locale of the program. */
double io_xml_strtod(const io_xml_node *node, const char *text, char **end);

#endif
