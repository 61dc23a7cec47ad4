/* What writes out a <composite>. */
#ifndef CARDAN_IO_MJCF_COMPOSITE_H
#define CARDAN_IO_MJCF_COMPOSITE_H

#include "io/mjcf_expand.h"

/* ---- mjcf_composite.c. False: memory ran out. ---- */

/* Writes n numbers, at most eight, into an attribute. */
bool io_composite_set(io_xml_node *node, const char *attribute, const double *x, int n);
/* All attributes of `from`, which may be NULL, but for those in the list. */
bool io_composite_copy(io_xml_node *from, io_xml_node *to, const char *const *but, int n);

/* ---- mjcf_cable.c, mjcf_lattice.c: write all before the element, or into new sections of `root` ---- */

cdn_status io_mjcf_expand_cable(mjcf_reader *r, io_xml_node *node, io_xml_node *root);
/* The number of a type that is no cable; -1: there is none of this name. */
int io_mjcf_lattice_type(const char *name);
cdn_status io_mjcf_expand_lattice(mjcf_reader *r, io_xml_node *node, int type, io_xml_node *root);

#endif
