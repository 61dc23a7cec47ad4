/* Writing a spec as MJCF. The file says what it can in MJCF's own terms. Numbers whose last bits its reader would
 * change are written once more in <custom>, as they are (mjcf_exact.c). */
#ifndef CARDAN_IO_MJCF_WRITE_H
#define CARDAN_IO_MJCF_WRITE_H

#include "io/joints.h"
#include "io/spec_fields.h"
#include "io/xml_write.h"

/* A site that is written: one of the spec's frames, or one for an element that needs it. */
typedef struct mjcf_written_site {
  const char *name; /* NULL: made up from its number */
  int body;         /* of the spec; -1: Ground */
  cdn_transform X;
  bool has_volume; /* for sensors that look into one */
  cdn_shape_type volume;
  double volume_size[3];
} mjcf_written_site;

typedef struct mjcf_writer {
  io_xml_writer xml;
  const cdn_spec *spec;
  const char *path; /* of the file */
  io_spec_names names;
  cdni_array sites; /* mjcf_written_site: the spec's frames, then the others */
  int *joint_of;    /* for each body the joint that moves it; -1: none */
  int *place_of;    /* for each body the next outer one that is no frame in between; -1: Ground */
  int *order;       /* joints in the order of the file */
  int n_order;
  bool no_contacts; /* a flag switches off all of them, whatever the masks are */
} mjcf_writer;

/* ---- mjcf_write.c: attributes ---- */

/* A number, or three of newer files. */
cdn_status io_mjcf_put_polynomial(mjcf_writer *w, const char *name, double linear, const double higher[2]);
cdn_status io_mjcf_put_pose(mjcf_writer *w, const cdn_transform *X);
cdn_status io_mjcf_put_law(mjcf_writer *w, const char *ref, const char *imp, const cdn_soft_law *law);
cdn_status io_mjcf_put_range(mjcf_writer *w, const char *limited, const char *range, double lower, double upper);

/* The body's number, -1 for Ground. */
int io_mjcf_body_of(const mjcf_writer *w, const char *name);
static inline const char *io_mjcf_body_name(const char *name) { return name ? name : "world"; }

/* A site with this pose (where X has no axes: at this place), and with this volume unless it is NULL. */
cdn_status io_mjcf_need_site(mjcf_writer *w, const char *body, const cdn_transform *X, const cdn_spec_sensor *volume);
bool io_mjcf_has_site(const mjcf_writer *w, const char *body, const cdn_transform *X);
cdn_status io_mjcf_put_site(mjcf_writer *w, const char *attribute, const char *body, const cdn_transform *X,
                            const cdn_spec_sensor *volume);
cdn_status io_mjcf_put_site_name(mjcf_writer *w, const char *attribute, int site);

/* ---- the sections ---- */

cdn_status io_mjcf_write_assets(mjcf_writer *w); /* mjcf_write_looks.c */
cdn_status io_mjcf_write_camera(mjcf_writer *w, const cdn_spec_camera *c);
cdn_status io_mjcf_write_light(mjcf_writer *w, const cdn_spec_light *l);
cdn_status io_mjcf_write_worldbody(mjcf_writer *w); /* mjcf_write_bodies.c */
cdn_status io_mjcf_write_contacts(mjcf_writer *w);  /* mjcf_write_parts.c */
cdn_status io_mjcf_write_equalities(mjcf_writer *w);
cdn_status io_mjcf_write_tendons(mjcf_writer *w);
cdn_status io_mjcf_write_keys(mjcf_writer *w);
cdn_status io_mjcf_write_actuators(mjcf_writer *w); /* mjcf_write_drives.c */
cdn_status io_mjcf_write_sensors(mjcf_writer *w);
/* Once the sites of the spec are known: those that these sections need besides. */
cdn_status io_mjcf_need_sites(mjcf_writer *w);

/* mjcf_exact.c: compares what was written with what is read of it, and writes the numbers that differ in their last
 * bits into <custom>. `lost` is called for all that the file cannot hold. */
cdn_status io_mjcf_write_exact(mjcf_writer *w, const io_lost *lost);

#endif
