/* The tree of a model file, free of any file format: what the readers fill, and publish.c turns into a spec.
 *
 * Bodies are in depth-first order, siblings in the file's order; body 0 is the world. A body's joints are at stations
 * and axes of its own frame, as it stands when all its coordinates are at their reference values; they act in order,
 * each moving everything after it (so the first joint moves relative to the parent). No joints: welded. */
#ifndef CARDAN_IO_DESCRIPTION_H
#define CARDAN_IO_DESCRIPTION_H

#include <cardan/model.h>
#include <cardan/spec.h>

#include "core/core.h"
#include "io/names.h"

typedef enum io_joint_kind { IO_PIN, IO_SLIDER, IO_BALL, IO_FREE, IO_PLANAR } io_joint_kind;

typedef struct io_joint {
  char *name; /* unique; never NULL once the reader is done */
  int line;
  int body; /* index of the body that it moves */
  io_joint_kind kind;
  cdn_vec3 pos;                /* anchor in the body's frame (pin, slider, ball) */
  cdn_vec3 axis;               /* unit, in the body's frame: rotation or sliding axis, normal of the plane */
  double ref;                  /* value of q in the configuration that X_PB describes (pin, slider) */
  double stiffness, springref; /* spring; for ball and free: about the reference configuration */
  double damping, armature;
  bool limited;
  double lower, upper; /* pin, slider; a ball's cone angle is `upper` */
  /* Limit softness as MuJoCo's time constant and damping ratio; time constant 0: the reader's default applies. */
  double limit_timeconst, limit_dampratio;
  double friction; /* dry; a number that is not simulated */
  bool effort_limited, speed_limited;
  double effort_lower, effort_upper, speed_limit;
} io_joint;

typedef struct io_body {
  char *name; /* unique; never NULL once the reader is done */
  int line;
  int parent;                /* index, smaller than its own; -1 for the world */
  cdn_transform X_PB;        /* in the parent body's frame; for a free joint the initial pose in the parent */
  cdn_mass_properties mass;  /* in the body's frame; massless: all zero */
  bool mass_checked;         /* the reader has checked its mass with io_check_mass already */
  int first_joint, n_joints; /* a run of the joints array */
} io_body;

/* What closes a loop or couples joints. */
typedef enum io_loop_kind {
  IO_CONNECT, /* the origins of the two frames are in one place */
  IO_WELD,    /* the two frames are one */
  IO_COUPLING /* y - ref_y = c0 + c1 (x - ref_x) + ... of joints y and x, or y - ref_y = c0 */
} io_loop_kind;

typedef struct io_loop {
  char *name; /* never NULL once the reader is done */
  int line;
  io_loop_kind kind;
  bool inactive;          /* starts switched off */
  int a, b;               /* bodies */
  cdn_transform X_A, X_B; /* the frames on them */
  int y, x;               /* joints, pins or sliders; x: -1 for none */
  double c[5];
} io_loop;

/* A keyframe in the *file's* own order and conventions, already converted to ours: q and u per joint in the order of
 * the joints array, free and ball joints as (quaternion[, p]) and (w[, v]) of M in F expressed in F. */
typedef struct io_key {
  char *name;
  int line;
  bool has_time, has_q, has_u;
  double time;
  double *q, *u; /* sum of nq, sum of nu */
} io_key;

/* A frame that is fixed on a body. */
typedef struct io_frame {
  int body; /* index; 0: the world */
  cdn_transform X_BS;
} io_frame;

/* A frame that has a name: a site, or a link that is part of a body. */
typedef struct io_named_frame {
  char *name; /* never NULL */
  int line;
  io_frame frame;
} io_named_frame;

/* A shape on a body. Its texts, but for the body's name, are its own. */
typedef struct io_shape {
  cdn_spec_shape shape;
  int body;
} io_shape;

/* A value of the State that the file asks for: it becomes a measure. */
typedef struct io_sensor {
  char *name;       /* unique; never NULL once the reader is done */
  const char *word; /* the file's for its kind; static storage */
  int line;
  cdn_sensor_kind kind;
  int joint;      /* index; -1: of no joint */
  io_frame frame; /* of no joint: what it is of; of a subtree only the body counts */
  bool has_reference;
  io_frame reference;
  double cutoff; /* > 0: its numbers stay within -cutoff .. cutoff */
} io_sensor;

typedef struct io_note {
  char *element;
  int count;
  int line;
} io_note;

typedef struct io_description {
  cdn_allocator allocator;
  char *name;            /* model's name */
  char *file;            /* for messages */
  const char *body_word; /* what the format calls a body: "link", "body" (the default); static storage */
  bool has_gravity;
  cdn_vec3 gravity;
  cdni_array bodies;   /* io_body */
  cdni_array joints;   /* io_joint */
  cdni_array loops;    /* io_loop */
  cdni_array keys;     /* io_key */
  cdni_array sensors;  /* io_sensor */
  cdni_array frames;   /* io_named_frame */
  cdni_array shapes;   /* io_shape */
  cdni_array assets;   /* cdn_spec_asset, with texts of their own */
  cdni_array notes;    /* io_note: not understood */
  io_names note_names; /* their indices */
  cdni_array warnings; /* char * */
  cdn_error error;     /* first error met; code CDN_OK if none */
} io_description;

/* description.c */
void io_description_init(io_description *d, cdn_allocator allocator, const char *file);
void io_description_free(io_description *d);
/* Frees bodies, joints and all that refers to them; the log stays. */
void io_description_drop_tree(io_description *d);
/* Appends notes and warnings to those of another. */
cdn_status io_description_copy_log(io_description *to, const io_description *from);
/* Their texts; a shape's body belongs to nobody. */
void io_shape_free(const cdn_allocator *a, cdn_spec_shape *shape);
void io_asset_free(const cdn_allocator *a, cdn_spec_asset *asset);
int io_joint_nq(io_joint_kind kind);
int io_joint_nu(io_joint_kind kind);
/* Keeps the first error as "file:line: text"; returns code. line <= 0: no line. */
cdn_status io_fail(io_description *d, cdn_status code, int line, const char *format, ...) CDN_PRINTF(4, 5);
/* Turns a failure that was kept, other than for lack of memory, into a warning with `consequence`. */
cdn_status io_forgive(io_description *d, cdn_status status, const char *consequence);
void io_warn(io_description *d, int line, const char *format, ...) CDN_PRINTF(3, 4);
/* Counts an element (or "element attribute") that is not simulated. */
void io_not_understood(io_description *d, int line, const char *element);
/* Warns of an inertia that no body can have, naming the link or body ("link 'arm'"); a negative mass is an error. */
cdn_status io_check_mass(io_description *d, int line, const char *what, const char *name,
                         const cdn_mass_properties *mass);

/* xml.h wraps libxml2 (the only file that includes it): a document, elements with line numbers, attributes that are
 * ticked off as they are read so that the rest can be reported. The readers: */
struct io_xml_node;
cdn_status io_read_urdf(io_description *d, struct io_xml_node *root, const cdn_model_options *options);
cdn_status io_read_mjcf(io_description *d, struct io_xml_node *root, const cdn_model_options *options);

#endif
