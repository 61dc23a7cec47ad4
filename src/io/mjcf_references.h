/* Which attributes of MJCF's elements are names of others. */
#ifndef CARDAN_IO_MJCF_REFERENCES_H
#define CARDAN_IO_MJCF_REFERENCES_H

#include "io/xml.h"

/* What a name is of. ANYTHING: it cannot be said. */
typedef enum mjcf_named {
  MJCF_OF_BODY,
  MJCF_OF_JOINT,
  MJCF_OF_GEOM,
  MJCF_OF_SITE,
  MJCF_OF_TENDON,
  MJCF_OF_ACTUATOR,
  MJCF_OF_CAMERA,
  MJCF_OF_KINDS,
  MJCF_OF_ANYTHING
} mjcf_named;

typedef struct mjcf_reference {
  const char *attribute, *text; /* text NULL: the element does not have it */
  mjcf_named of;
} mjcf_reference;

/* Attribute i of those that may be names of other elements, in an element; false: there is none so far on. */
bool io_mjcf_reference(const io_xml_node *node, int i, mjcf_reference *out);
/* Whether it names an element of the model, and not the world. */
bool io_mjcf_is_of_the_model(const mjcf_reference *ref);
/* Of an element among bodies. */
mjcf_named io_mjcf_kind_of_element(const io_xml_node *node);

#endif
