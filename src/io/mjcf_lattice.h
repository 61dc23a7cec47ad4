/* Composites of bodies at the points of a lattice. */
#ifndef CARDAN_IO_MJCF_LATTICE_H
#define CARDAN_IO_MJCF_LATTICE_H

#include "io/mjcf_composite.h"

enum {
  LATTICE_PARTICLE,
  LATTICE_GRID,
  LATTICE_ROPE,
  LATTICE_LOOP,
  LATTICE_CLOTH,
  LATTICE_BOX,
  LATTICE_CYLINDER,
  LATTICE_ELLIPSOID,
  LATTICE_TYPES
};
/* What the joints and tendons of a composite are for. */
enum { LATTICE_JOINT, LATTICE_TWIST, LATTICE_STRETCH, LATTICE_TENDON, LATTICE_SHEAR, LATTICE_KINDS };

/* solref and solimp of equalities. */
typedef struct lattice_law {
  double ref[2], imp[5];
} lattice_law;

typedef struct lattice {
  mjcf_reader *r;
  io_xml_node *node, *root;
  io_xml_node *geom, *site;                  /* the element's, or NULL */
  io_xml_node *tendons, *equalities, *pairs; /* sections, made as they are needed */
  const char *prefix;
  int type, count[3], dim; /* dim: of the counts above 1 */
  double spacing, flatinertia;
  cdn_vec3 offset;
  double size[3];                 /* of the geom */
  bool has[LATTICE_KINDS];        /* the element has joints or tendons of this kind */
  lattice_law fix[LATTICE_KINDS]; /* of the equalities that hold these */
  lattice_law smooth;             /* of those between neighbours */
  bool good;                      /* memory has not run out */
} lattice;

/* ---- mjcf_lattice.c: elements of the document ---- */

/* A child of `parent`, or an element where the composite stands (NULL), that no default class touches; the name is
 * printed after the prefix, NULL: none. */
io_xml_node *io_lattice_add(lattice *g, io_xml_node *parent, const char *word, const char *name, ...) CDN_PRINTF(4, 5);
void io_lattice_text(lattice *g, io_xml_node *node, const char *attribute, const char *name, ...) CDN_PRINTF(4, 5);
void io_lattice_set(lattice *g, io_xml_node *node, const char *attribute, const double *x, int n);
void io_lattice_vec3(lattice *g, io_xml_node *node, const char *attribute, double x, double y, double z);
/* With the attributes that the composite has for it. */
io_xml_node *io_lattice_geom(lattice *g, io_xml_node *body);
io_xml_node *io_lattice_site(lattice *g, io_xml_node *body);
/* The attributes that the composite has for joints or tendons of a kind. */
void io_lattice_copy_kind(lattice *g, io_xml_node *to, int kind);
/* A joint at a point of its body; `hinge`, or a slider. */
io_xml_node *io_lattice_joint(lattice *g, io_xml_node *body, int kind, bool hinge, cdn_vec3 pos, cdn_vec3 axis);
/* In the sections of the model. `a` and `b` are printed names. */
io_xml_node *io_lattice_section(lattice *g, io_xml_node **section, const char *word);
/* A tendon of sites, at its rest length. */
void io_lattice_tendon(lattice *g, int kind, const char *tendon, const char *a, const char *b);
/* What holds a joint or tendon where it is. */
void io_lattice_hold(lattice *g, int kind, const char *element, const char *name);
void io_lattice_law(lattice *g, io_xml_node *equality, const lattice_law *law);

/* ---- mjcf_lattice_flat.c, mjcf_lattice_box.c: all elements of a type; errors are for wrong counts and names ---- */

cdn_status io_lattice_particles(lattice *g);
cdn_status io_lattice_grid(lattice *g);
cdn_status io_lattice_rope(lattice *g);
cdn_status io_lattice_cloth(lattice *g);
cdn_status io_lattice_box(lattice *g);

#endif
