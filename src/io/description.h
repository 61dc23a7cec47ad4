/* The tree of a model file, the same for all file formats. The readers fill it, and publish.c makes a spec of it.
 *
 * Bodies are in depth-first order, and siblings are in the order of the file. Body 0 is the world. The anchors and axes
 * of a body's joints are given in the body's frame, as that frame stands when all coordinates have their reference
 * values. The joints of a body act in order: the first joint moves relative to the parent, and each joint moves all
 * later ones. A body without joints is welded to its parent. */
#ifndef CARDAN_IO_DESCRIPTION_H
#define CARDAN_IO_DESCRIPTION_H

#include <cardan/model.h>
#include <cardan/spec.h>

#include "core/core.h"
#include "io/names.h"

typedef enum io_joint_kind { IO_PIN, IO_SLIDER, IO_BALL, IO_FREE, IO_PLANAR } io_joint_kind;

typedef struct io_joint {
  char *name; /* unique; not NULL once the reader is done */
  int line;
  int body; /* index of the body that the joint moves */
  io_joint_kind kind;
  cdn_vec3 pos;                /* anchor in the body's frame (pin, slider, ball) */
  cdn_vec3 axis;               /* unit, in the body's frame: rotation or sliding axis, normal of the plane */
  double ref;                  /* pin, slider: the value of q in the configuration that X_PB describes */
  double stiffness, springref; /* of the spring; balls and free joints rest in the reference configuration */
  double damping, armature;
  bool limited;
  double lower, upper; /* pin, slider; `upper` is the largest angle of a ball */
  /* The softness of the limit, as MuJoCo's time constant and damping ratio. A time constant of 0 means 0.02 s. */
  double limit_timeconst, limit_dampratio;
  double friction; /* dry friction, which compliant models do not simulate */
  cdn_soft_law limit_law, friction_law;
  double margin;
  bool effort_limited, speed_limited;
  double effort_lower, effort_upper, speed_limit;
  bool drive_limited;                        /* the limits of effort hold for actuators */
  double spring_timeconst, spring_dampratio; /* 0: stiffness and damping are given themselves */
} io_joint;

typedef struct io_body {
  char *name; /* unique; not NULL once the reader is done */
  int line;
  int parent;               /* index, smaller than the body's own; -1 for the world */
  cdn_transform X_PB;       /* the body's frame in the parent's; for a free joint the initial pose */
  cdn_mass_properties mass; /* in the body's frame; all zero for a massless body */
  double gravity_compensation;
  bool mass_checked;         /* the reader has called io_check_mass already */
  int first_joint, n_joints; /* the body's joints are a run of the joints array */
  int model;                 /* of MJCF: which of the attached models has it; 0: the file itself */
} io_body;

/* An element that closes a loop or couples joints. */
typedef enum io_loop_kind {
  IO_CONNECT, /* the origins of the two frames coincide */
  IO_WELD,    /* the two frames coincide */
  IO_COUPLING /* y - ref_y = c0 + c1 (x - ref_x) + ... for joints y and x; y - ref_y = c0 without a joint x */
} io_loop_kind;

typedef struct io_loop {
  char *name; /* not NULL once the reader is done */
  int line;
  io_loop_kind kind;
  bool inactive;          /* starts switched off */
  int a, b;               /* bodies */
  cdn_transform X_A, X_B; /* the frames on them */
  int y, x;               /* joints that are pins or sliders; x is -1 if there is none */
  double c[5];
  cdn_soft_law law;
  double torque_scale; /* of a weld */
} io_loop;

/* A frame that is fixed on a body. */
typedef struct io_frame {
  int body; /* index; 0: the world */
  cdn_transform X_BS;
} io_frame;

/* An actuator; it becomes a control and a force. Its name is its own, its other texts are static or NULL: they are
 * filled in by publish.c. */
typedef struct io_actuator {
  cdn_spec_actuator actuator;
  int joint;      /* index; -1: it acts on a tendon or a frame */
  int tendon;     /* index; -1: none */
  io_frame frame; /* without a joint and a tendon */
  bool has_reference;
  io_frame reference;
  bool lost; /* it is not simulated; it is here because keyframes count it */
  bool has_activation;
  int model; /* as that of bodies */
} io_actuator;

/* A keyframe. The reader has converted the file's numbers: q and u follow the order of the joints array. The numbers of
 * free and ball joints are (quaternion[, p]) and (w[, v]) of M in F, expressed in F. */
typedef struct io_key {
  char *name;
  int line;
  bool has_time, has_q, has_u;
  double time;
  double *q, *u; /* sum of nq, sum of nu */
  double *c, *a; /* controls and activations, as many as actuators */
} io_key;

/* A named frame: a site, or a link that is part of a body. */
typedef struct io_named_frame {
  char *name; /* not NULL */
  int line;
  io_frame frame;
  cdn_shape_type volume; /* of a site, for sensors of touch */
  double volume_size[3];
} io_named_frame;

/* A shape on a body. The shape owns its texts, except the body's name. */
typedef struct io_shape {
  cdn_spec_shape shape;
  int body;
} io_shape;

/* A camera or light. It owns its texts, except the body's name. */
typedef struct io_camera {
  cdn_spec_camera camera;
  int body;
} io_camera;
typedef struct io_light {
  cdn_spec_light light;
  int body;
} io_light;

/* A sensor: a value of the State for which the file asks. It becomes a measure. */
typedef struct io_sensor {
  char *name;       /* unique; not NULL once the reader is done */
  const char *word; /* the file's word for the kind of sensor; static storage */
  int line;
  cdn_sensor_kind kind;
  int joint;      /* index of the joint that is measured; -1: none */
  io_frame frame; /* without a joint: the frame that is measured; a subtree is given by the body */
  bool has_reference;
  io_frame reference;
  double cutoff; /* above 0: the numbers stay within -cutoff .. cutoff */
  /* Of sensors of actuators, tendons, touch and contacts: what cdn_spec_sensor has; it owns its texts. */
  cdn_spec_sensor more;
} io_sensor;

typedef struct io_note {
  char *element;
  int count;
  int line;
} io_note;

typedef struct io_description {
  cdn_allocator allocator;
  char *name;            /* of the model */
  char *file;            /* for messages */
  const char *body_word; /* the format's word for a body: "link" or "body" (the default); static storage */
  bool has_gravity;
  bool meshes_have_looks;    /* colours and pictures of a mesh's file are the shape's where the model has none */
  bool parents_touch;        /* shapes touch those of the parent body */
  bool starts_within_limits; /* the format gives no pose: that of zeros is brought within the limits */
  bool overlaps_pass;        /* bodies that overlap in the first pose never touch: the format has no exclusions */
  cdn_vec3 gravity;
  cdn_spec_solver solver;
  bool has_solver;      /* the format has one (MJCF), or the spec was given one */
  cdni_array bodies;    /* io_body */
  cdni_array joints;    /* io_joint */
  cdni_array loops;     /* io_loop */
  cdni_array keys;      /* io_key */
  cdni_array actuators; /* io_actuator */
  cdni_array sensors;   /* io_sensor */
  cdni_array frames;    /* io_named_frame */
  cdni_array shapes;    /* io_shape */
  cdni_array assets;    /* cdn_spec_asset, with texts and data of their own */
  cdni_array contacts;  /* cdn_spec_contact, with texts of their own */
  cdni_array cameras;   /* io_camera */
  cdni_array lights;    /* io_light */
  cdni_array tendons;   /* cdn_spec_tendon, with names of their own; the texts of their joints are the joints' */
  cdni_array notes;     /* io_note: elements that were not understood */
  io_names note_names;  /* the indices of the notes */
  cdni_array warnings;  /* char * */
  cdn_error error;      /* the first error; its code is CDN_OK if there was none */
} io_description;

/* description.c */
void io_description_init(io_description *d, cdn_allocator allocator, const char *file);
void io_description_free(io_description *d);
/* Frees bodies, joints and all elements that refer to them. The log stays. */
void io_description_drop_tree(io_description *d);
/* Appends the notes and warnings of `from` to those of `to`. */
cdn_status io_description_copy_log(io_description *to, const io_description *from);
/* Free the texts and data of a shape, an asset or a contact. The name of the shape's body is not freed: the shape does
 * not own it. */
void io_shape_free(const cdn_allocator *a, cdn_spec_shape *shape);
void io_asset_free(const cdn_allocator *a, cdn_spec_asset *asset);
void io_contact_free(const cdn_allocator *a, cdn_spec_contact *contact);
int io_joint_nq(io_joint_kind kind);
int io_joint_nu(io_joint_kind kind);
/* Keeps the first error as "file:line: text", without a line if line <= 0. Returns `code`. */
cdn_status io_fail(io_description *d, cdn_status code, int line, const char *format, ...) CDN_PRINTF(4, 5);
/* Turns the error that was kept into a warning that ends with `consequence`. Lack of memory stays an error. */
cdn_status io_forgive(io_description *d, cdn_status status, const char *consequence);
void io_warn(io_description *d, int line, const char *format, ...) CDN_PRINTF(3, 4);
/* Counts an element (or "element attribute") that is not simulated. */
void io_not_understood(io_description *d, int line, const char *element);
/* Warns of an inertia that no body can have. The warning names the link or body ("link 'arm'"). A negative mass is an
 * error. */
cdn_status io_check_mass(io_description *d, int line, const char *what, const char *name,
                         const cdn_mass_properties *mass);

/* spec_solver.c: what is wrong with it, or NULL. */
const char *io_check_solver(const cdn_spec_solver *s);

/* Whether shapes become shapes of the System. */
static inline bool io_shapes_touch(const cdn_model_options *options) {
  return options->contact != CDN_MODEL_NO_CONTACT && !options->tree_only;
}

/* Whether limits and dry friction of joints become soft rows; else they become stops, and friction that sticks. */
static inline bool io_has_soft_rows(const cdn_model_options *options) {
  return options->contact == CDN_MODEL_SOFT && !options->tree_only; /* what the file decides is settled by then */
}

static inline bool io_has_soft_equalities(const cdn_model_options *options) {
  return options->equality == CDN_MODEL_SOFT_EQUALITY && !options->tree_only;
}

/* The readers. They look at documents through io/xml.h. */
struct io_xml_node;
cdn_status io_read_urdf(io_description *d, struct io_xml_node *root, const cdn_model_options *options);
cdn_status io_read_mjcf(io_description *d, struct io_xml_node *root, const cdn_model_options *options);

#endif
