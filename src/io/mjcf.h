/* The MJCF reader (MuJoCo's model format). Each section of the format has a file:
 *
 *   mjcf.c             the sections of the file in the order in which they must be understood, what is not simulated
 *   mjcf_include.c     walking an element's children, with <include> replaced by what the included file holds
 *   mjcf_attach.c      models that are attached: each is read into a spec of its own
 *   mjcf_part.c        the body, the frame or the world of them that an <attach> names
 *   mjcf_join.c        how that gets into the spec and into the tables of names
 *   mjcf_references.c  which attributes are names of other elements
 *   mjcf_copies.c      what names copies of replicate
 *   mjcf_option.c      <compiler> and <option>
 *   mjcf_defaults.c    default classes, and attributes looked up through them
 *   mjcf_orientation.c positions and the five ways to write an orientation
 *   mjcf_body.c        bodies, frames, inertial
 *   mjcf_composite.c   composites, written out as bodies: mjcf_cable.c, mjcf_lattice.c
 *   mjcf_joint.c       joints
 *   mjcf_geom.c        geoms: mass properties and shapes
 *   mjcf_align.c       free bodies whose frames are moved to their inertia's
 *   mjcf_camera.c      cameras and lights
 *   mjcf_asset.c       meshes, height fields, textures, materials
 *   mjcf_contact.c     who touches whom beside the geoms' masks
 *   mjcf_equality.c    what closes loops
 *   mjcf_tendon.c      tendons that are sums of coordinates
 *   mjcf_actuator.c    actuators
 *   mjcf_mesh.c        the mass of meshes
 *   mjcf_shell.c       primitives with their mass on the surface
 *   mjcf_mass.c        a body's mass properties as a whole: bounds, balance, total mass
 *   mjcf_site.c        sites, and where other things are that sensors name
 *   mjcf_sensor.c      sensors
 *   mjcf_key.c         keyframes
 *   mjcf_names.c       unique names, and what has them */
#ifndef CARDAN_IO_MJCF_H
#define CARDAN_IO_MJCF_H

#include "io/mjcf_references.h"
#include "io/names.h"
#include "io/tree.h"
#include "io/xml.h"

/* Where mass properties come from (compiler inertiafromgeom). */
typedef enum mjcf_inertia_source { MJCF_INERTIA_INERTIAL, MJCF_INERTIA_GEOMS, MJCF_INERTIA_AUTO } mjcf_inertia_source;

/* The elements that default classes speak of, as far as we read them. */
typedef enum mjcf_kind {
  MJCF_JOINT,
  MJCF_GEOM,
  MJCF_SITE,
  MJCF_EQUALITY,
  MJCF_MESH,
  MJCF_MATERIAL,
  MJCF_ACTUATOR,
  MJCF_PAIR,
  MJCF_CAMERA,
  MJCF_LIGHT,
  MJCF_TENDON,
  MJCF_NO_DEFAULTS
} mjcf_kind;

/* What counts for the mass of a mesh (its attribute inertia): the solid within it, by the legacy way or exactly; its
 * hull; or its surface. */
typedef enum mjcf_mesh_inertia {
  MJCF_LEGACY_INERTIA,
  MJCF_EXACT_INERTIA,
  MJCF_CONVEX_INERTIA,
  MJCF_SHELL_INERTIA,
  MJCF_UNSAID_INERTIA /* it is exact, and what the legacy way has in its place is said */
} mjcf_mesh_inertia;

typedef struct mjcf_compiler {
  bool degrees, autolimits, balanceinertia;
  bool alignfree; /* frames of free bodies are moved, if their joints do not say */
  char eulerseq[4];
  mjcf_inertia_source inertia_source;
  int first_group, last_group;               /* geoms of these groups have mass */
  double boundmass, boundinertia, totalmass; /* totalmass <= 0: as it comes */
  mjcf_mesh_inertia mesh_inertia;            /* of meshes that do not say */
  bool fit_boxes;                            /* fitaabb: primitives are fitted to boxes along the axes of meshes */
  bool strippath;                            /* files of assets are named without their directories */
  const char *meshdir, *texturedir;          /* the document's, or NULL */
} mjcf_compiler;

/* What <flag> switches off. */
typedef struct mjcf_flags {
  bool springs, dampers, limits, contacts, frictionloss, equality, actuation, gravity, clampctrl, filterparent;
  bool sleep, sensornoise; /* off, unless the file says so */
  bool passive;            /* compensation of gravity, and the medium */
} mjcf_flags;

/* Which pairs of geoms may touch (option collision): all, those of <contact> alone, those of the masks alone. */
typedef enum mjcf_collision { MJCF_COLLISION_ALL, MJCF_COLLISION_PREDEFINED, MJCF_COLLISION_DYNAMIC } mjcf_collision;

enum { MJCF_ACTUATOR_GROUPS = 31 };

/* The main file is document 0; the others are included. */
typedef struct mjcf_document {
  io_xml_document *xml; /* NULL for the main file, which the caller owns, and for those of attached models */
  io_xml_node *include; /* the element that asked for it */
  char *path;
  int parent; /* document that holds `include`; -1 for the main file */
} mjcf_document;

/* A model among the assets. */
typedef struct mjcf_model_asset {
  char *name, *path;
} mjcf_model_asset;

/* One element inside a <default>; the elements of a class and then of its ancestors are found along `next`. */
typedef struct mjcf_default {
  io_xml_node *node;
  int document, next;
} mjcf_default;
typedef struct mjcf_class {
  const char *name;
  int parent, line;
  int first[MJCF_NO_DEFAULTS]; /* newest default element of this class itself, or -1 */
} mjcf_class;

/* An element whose attributes fall back on a default class. */
typedef struct mjcf_element {
  io_xml_node *node;
  mjcf_kind kind;
  int class;
} mjcf_element;

/* A body, or what is attached, that waits for its turn: bodies are read from a stack, so that depth costs no
 * recursion. */
typedef struct mjcf_pending {
  io_xml_node *node;
  int document, parent, class, frame;
  cdn_transform X_PS;
  const char *suffix;
  int attachment; /* -1: a body */
} mjcf_pending;

/* How many elements there are of each kind. */
typedef struct mjcf_counts {
  int of[CDN_SPEC_KIND_COUNT];
} mjcf_counts;

/* A frame with a name, and what is in it beside bodies: the elements since `before`, up to `after`. */
typedef struct mjcf_frame {
  char *name;
  int outer;          /* the frame with a name around it in its body; -1: none */
  cdn_transform X_BS; /* the frame around it in its body */
  mjcf_counts before, after;
} mjcf_frame;

/* The mass of a body. */
typedef struct mjcf_body_mass {
  cdn_mass_properties of;
  cdn_rotation principal; /* axes that the file has for it; zero: none */
} mjcf_body_mass;

/* The mass of a mesh. */
typedef struct mjcf_mesh_mass {
  bool measured;
  cdn_mass_properties of; /* at density 1; mass 0: it is not to be had */
  char reason[400];       /* it is not, or why the hull counts; "": neither */
} mjcf_mesh_mass;

/* A mesh among the assets. */
typedef struct mjcf_mesh {
  int asset;
  mjcf_mesh_inertia inertia;
  io_xml_node *node; /* for the triangles of vertices that are in the file itself */
  mjcf_mesh_mass solid, shell;
  bool framed, has_frame; /* it was asked for, and there is one */
  cdn_transform frame;    /* as MuJoCo has it, in the mesh's own */
} mjcf_mesh;

/* A point of a body, by the body's place in the tree, and the element that marks it. */
typedef struct mjcf_where {
  int place;
  cdn_transform X;
  cdn_spec_kind of; /* a frame (site), a shape (geom) or a camera; CDN_SPEC_BODY: the body itself */
  int i;            /* element of the spec; of a body 0, or MJCF_POSE_GIVEN */
} mjcf_where;
enum { MJCF_POSE_OF_REFERENCE, MJCF_POSE_GIVEN }; /* of a weld */

/* What a text of an element names: the text alone has the body. */
typedef struct mjcf_source {
  int element;
  size_t text;
  cdn_spec_kind of;
  int i, place; /* as in mjcf_where */
} mjcf_source;

/* What sensors and actuators ask of a site, which is a frame of the spec. */
typedef struct mjcf_site {
  int place;
  cdn_shape_type volume; /* for sensors of touch */
  double volume_size[3];
} mjcf_site;

struct mjcf_reader;
/* A geom as its file has it, from which its mass is read again where it is attached to a body. */
typedef struct mjcf_solid {
  struct mjcf_reader *reader; /* of its file */
  io_xml_node *node;
  int document, class;
  cdn_transform X_BS; /* the frame around it in the body here */
} mjcf_solid;

/* What sensors and tendons name beside bodies and sites: a geom, a camera. */
typedef enum mjcf_object_kind { MJCF_OBJECT_GEOM, MJCF_OBJECT_CAMERA, MJCF_OBJECT_KINDS } mjcf_object_kind;
typedef struct mjcf_object {
  const char *name; /* the spec's; NULL: the file gives none */
  int place;
  bool fixed; /* X is right: some cameras turn */
  const char
      *mesh; /* of a geom: X is that of the mesh, whose own frame MuJoCo takes for the geom's; NULL: there is none */
  cdn_transform X;
  double focal[2], pixels[2]; /* of a camera, in pixels */
  double extent;              /* of a camera that sees without perspective: the height of its picture, m; else 0 */
  mjcf_solid solid;           /* of a geom */
} mjcf_object;

/* An actuator of the file, as keyframes count it. */
typedef struct mjcf_drive {
  const char *name;
  int element; /* the spec's; -1: it is left out */
  bool has_activation;
  bool itself; /* it is attached, of the model itself: its own keyframes do not count it */
} mjcf_drive;

/* What takes the place of all contacts' own, if the file says so. */
typedef struct mjcf_override {
  bool enabled;
  double margin, friction[5];
  int frictions; /* how many numbers of friction the file gives; 0: the contacts keep theirs */
  cdn_soft_law law;
} mjcf_override;

typedef struct mjcf_reader {
  bool shapes_touch;            /* they become shapes of the System */
  cdn_drive_user actuator_user; /* of the options */
  bool soft_rows;               /* limits and friction of joints and tendons become soft rows */
  cdn_spec *spec;               /* what is read goes into it */
  io_log *log;                  /* the spec's */
  io_tree tree;
  mjcf_compiler compiler;
  mjcf_flags flags;
  mjcf_collision collision;
  mjcf_override override;
  uint32_t idle_groups;                    /* a bit for each group of actuators that does not act */
  cdni_array documents;                    /* mjcf_document */
  int document;                            /* the one being read: log->file is its path */
  io_xml_node *root;                       /* of the main file */
  struct mjcf_reader *outer;               /* of the model to which this one is attached; NULL: it is the main file's */
  bool itself;                             /* it is the outer model once more */
  cdni_array model_assets;                 /* mjcf_model_asset */
  cdni_array children;                     /* struct mjcf_child *: models that are attached to this one */
  cdni_array attachments;                  /* struct mjcf_attachment *: one for each <attach> that is met */
  cdni_array attached_order;               /* int: their indices in the order of the tree */
  int n_attached;                          /* how many there are, with those in them */
  cdni_array frames;                       /* mjcf_frame */
  cdni_array sources[CDN_SPEC_KIND_COUNT]; /* mjcf_source: of an attached model, in the order of elements */
  bool conflict_fails, conflict_merges;    /* the main file's compiler conflict */
  cdni_array classes;                      /* mjcf_class; the first is "main" */
  io_names class_names;                    /* their indices */
  cdni_array defaults;                     /* mjcf_default */
  cdni_array pending;                      /* mjcf_pending */
  cdni_array meshes;                       /* mjcf_mesh */
  const char *suffix;                      /* of the names in the copy that is being read (replicate); NULL: none */
  char full_name[512];                     /* of io_mjcf_name */
  cdni_array suffixes;                     /* mjcf_suffix *: what scopes borrow */
  io_names copied[MJCF_OF_KINDS];          /* full names of copies, with their suffix */
  io_names bare[MJCF_OF_KINDS];            /* the same without it */
  cdni_array copied_names;                 /* char *: what these borrow */
  int own_keys;                            /* keyframes of the file; those of attached models follow */
  bool lost_joints;                        /* something that may hold joints was not understood */
  bool lost_tendons;                       /* a tendon was left out */
  bool aligns;      /* the frame of the body that is read is moved to its inertia's, if it is alone */
  cdni_array sites; /* mjcf_site, one for each of the spec's frames */
  cdni_array objects[MJCF_OBJECT_KINDS]; /* mjcf_object, one for each of the spec's shapes, and of its cameras */
  cdn_vec3 magnetic;                     /* the field of <option>, which magnetometers show */
  cdni_array drives;                     /* mjcf_drive */
  io_names site_names;                   /* their indices */
  io_names names[7]; /* of bodies, joints, keyframes, sensors, actuators, tendons, equalities: by MJCF_NAME_... */
} mjcf_reader;

/* Where the contents of a body or frame are: frame S in the body at `place`, and the class of elements that name
 * none. */
typedef struct mjcf_scope {
  int place, class, depth;
  cdn_transform X_BS;
  const char *suffix; /* of names; NULL: none */
  int frame;          /* the frame with a name around it; -1: none */
} mjcf_scope;

enum { MJCF_MAIN_CLASS }; /* the outermost default class, which is the first one */

/* ---- mjcf.c ---- */

/* Reads the sections of one name in a model's file. */
typedef cdn_status mjcf_section(mjcf_reader *r, io_xml_node *node);
cdn_status io_mjcf_read_sections(mjcf_reader *r, io_xml_node *root, const char *name, mjcf_section *read);
/* A reader of a file into a spec; the caller frees it in any case. */
cdn_status io_mjcf_start(mjcf_reader *r, cdn_spec *spec, io_xml_node *root, mjcf_reader *outer);
void io_mjcf_free(mjcf_reader *r);
/* An attached model has the options of the one around it. */
void io_mjcf_inherit(mjcf_reader *r);
cdn_status io_mjcf_read_model(mjcf_reader *r);
/* Of a model that is attached to itself, what names something that was not copied is left out: the main file's own
 * reading tells what is wrong. */
cdn_status io_mjcf_leave_strangers(mjcf_reader *r, cdn_status status);

/* ---- mjcf_attach.c ---- */

cdn_status io_mjcf_read_model_asset(mjcf_reader *r, io_xml_node *node);
/* The reader of a model among the assets, of which the document is open; *child is NULL if there is none of that
 * name. */
cdn_status io_mjcf_open_model(mjcf_reader *r, io_xml_node *node, const char *name, mjcf_reader **child);
/* Attaches what an <attach> names: what lies on its Ground at once, and its mass is added to *sum (NULL: to nothing).
 * *attachment: it has bodies, which io_mjcf_attach_bodies attaches in their turn; -1: nothing was attached. */
cdn_status io_mjcf_attach(mjcf_reader *r, io_xml_node *node, const mjcf_scope *scope, mjcf_body_mass *sum,
                          int *selected, int *attachment);
bool io_mjcf_attachment_has_bodies(const mjcf_reader *r, int attachment);
void io_mjcf_free_attachments(mjcf_reader *r);
/* What went wrong in an attached model's reader went wrong here. Returns `status`. */
cdn_status io_mjcf_take_error(mjcf_reader *r, const mjcf_reader *child, cdn_status status);

/* ---- mjcf_join.c ---- */

cdn_status io_mjcf_attach_bodies(mjcf_reader *r, int attachment);
/* Once the file's own elements of a section are read: those of the attached models. */
cdn_status io_mjcf_attach_section(mjcf_reader *r, cdn_spec_kind kind);

/* ---- mjcf_conflict.c ---- */

/* Before options are read: where the main file's compiler asks for it, with those of the models that it attaches. */
cdn_status io_mjcf_merge_options(mjcf_reader *r);
/* What an attached model says differently about the world than the main file. */
cdn_status io_mjcf_compare_options(mjcf_reader *r);

/* ---- mjcf_include.c ---- */

enum { MJCF_INCLUDE_DEPTH = 8 };
/* A walk over the children of an element; every one is marked as known, the caller reports those that are not. */
typedef struct mjcf_walk {
  mjcf_reader *r;
  io_xml_node *next[MJCF_INCLUDE_DEPTH + 1];
  int document[MJCF_INCLUDE_DEPTH + 1], depth;
  cdn_status status;
} mjcf_walk;

mjcf_walk io_mjcf_walk(mjcf_reader *r, io_xml_node *parent);
/* The next child, or NULL at the end or on failure: see `status`. */
io_xml_node *io_mjcf_walk_next(mjcf_walk *walk);
/* Visits all that is below every worldbody of the file, included files' too: the children of what sets *deeper. */
typedef cdn_status mjcf_visit(mjcf_reader *r, io_xml_node *node, bool *deeper);
cdn_status io_mjcf_descend_worlds(mjcf_reader *r, mjcf_visit *visit);
/* Makes a document the one being read, for messages; returns the one before. */
int io_mjcf_enter(mjcf_reader *r, int document);
void io_mjcf_close_documents(mjcf_reader *r);
/* The path of a file that is named relative to the main file. */
char *io_mjcf_join_path(mjcf_reader *r, const char *file);
/* Fails, and names the element that asks for the file, if it cannot be read, or is being read already. */
cdn_status io_mjcf_check_file(mjcf_reader *r, io_xml_node *node, const char *path);

/* ---- mjcf_option.c ---- */

void io_mjcf_default_options(mjcf_reader *r);
void io_mjcf_default_compiler(mjcf_compiler *compiler);
cdn_status io_mjcf_read_compiler(mjcf_reader *r, io_xml_node *node);
cdn_status io_mjcf_read_option(mjcf_reader *r, io_xml_node *node);

/* ---- mjcf_defaults.c ---- */

/* The outermost class, and the plain one. */
cdn_status io_mjcf_start_classes(mjcf_reader *r);
/* The classes of an attached model, with a prefix. */
cdn_status io_mjcf_join_classes(mjcf_reader *r, const mjcf_reader *child, const char *prefix);
/* A <default> at the top level. */
cdn_status io_mjcf_read_defaults(mjcf_reader *r, io_xml_node *node);
/* The class that attribute `attribute` of a node names; *class is left alone when there is none. */
cdn_status io_mjcf_find_class(mjcf_reader *r, io_xml_node *node, const char *attribute, int *class);
/* A joint or geom with its class: its own, or the scope's. */
cdn_status io_mjcf_element(mjcf_reader *r, io_xml_node *node, mjcf_kind kind, int scope_class, mjcf_element *out);
/* Ticks off the attributes that say nothing about the motion and reports what is left. */
void io_mjcf_finish_element(mjcf_reader *r, const mjcf_element *e);

/* Calls `visit` for the elements of an element's classes, from the outermost inwards, and then for the element. */
cdn_status io_mjcf_visit(mjcf_reader *r, const mjcf_element *e,
                         cdn_status (*visit)(mjcf_reader *r, io_xml_node *node, void *context), void *context);
/* How far from the element an attribute is found: 0 on itself, 1 in its class, ...; -1 if nowhere. */
int io_mjcf_level(mjcf_reader *r, const mjcf_element *e, const char *attribute);
bool io_mjcf_has(mjcf_reader *r, const mjcf_element *e, const char *attribute);
cdn_status io_mjcf_doubles(mjcf_reader *r, const mjcf_element *e, const char *attribute, double *values, int n,
                           bool *present);
cdn_status io_mjcf_double(mjcf_reader *r, const mjcf_element *e, const char *attribute, double *value);
/* `limited` and `range` of a joint or a tendon: whether its range counts. */
cdn_status io_mjcf_range(mjcf_reader *r, const mjcf_element *e, double range[2], bool *limited);
/* 1 to `most` numbers; a short list keeps the tail of the class's. *count: how many are defined in all. */
cdn_status io_mjcf_doubles_upto(mjcf_reader *r, const mjcf_element *e, const char *attribute, double *values, int most,
                                int *count);
cdn_status io_mjcf_vec3(mjcf_reader *r, const mjcf_element *e, const char *attribute, cdn_vec3 *value);
cdn_status io_mjcf_int(mjcf_reader *r, const mjcf_element *e, const char *attribute, int *value);
cdn_status io_mjcf_bool(mjcf_reader *r, const mjcf_element *e, const char *attribute, bool *value);
/* *value is the document's; left alone where there is none. */
cdn_status io_mjcf_string(mjcf_reader *r, const mjcf_element *e, const char *attribute, const char **value);
cdn_status io_mjcf_keyword(mjcf_reader *r, const mjcf_element *e, const char *attribute, const char *const *words,
                           int n, int *index);

/* ---- mjcf_orientation.c ---- */

double io_mjcf_angle(const mjcf_reader *r, double value); /* the file's unit to rad */
/* Three angles in the file's unit and sequence. */
cdn_rotation io_mjcf_euler(const mjcf_reader *r, const double angles[3]);
/* Reads quat, axisangle, euler, xyaxes or zaxis into *R; left alone, and *present false, when there is none. */
cdn_status io_mjcf_orientation(mjcf_reader *r, const mjcf_element *e, cdn_rotation *R, bool *present);
/* pos and orientation; what is absent is zero and the identity. */
cdn_status io_mjcf_pose(mjcf_reader *r, const mjcf_element *e, cdn_transform *X);
/* The pose of something that lies between two points, v: in the middle, z from the second one to the first. */
cdn_status io_mjcf_fromto(mjcf_reader *r, const mjcf_element *e, const double v[6], cdn_transform *X);
/* The rotation that takes z to a direction the shortest way; half a turn about x for the opposite direction. */
cdn_rotation io_mjcf_z_to(cdn_vec3 z);

/* ---- mjcf_body.c, mjcf_joint.c, mjcf_geom.c, mjcf_mass.c ---- */

cdn_status io_mjcf_read_worldbody(mjcf_reader *r, io_xml_node *node);
/* A body in the world where all joints are at their reference values, once all bodies are read. */
cdn_transform io_mjcf_reference_pose(const mjcf_reader *r, int place);
cdn_status io_mjcf_read_joint(mjcf_reader *r, io_xml_node *node, const mjcf_scope *scope);
/* actuatorfrcrange of a joint or a tendon, which is `range`: whether it counts. */
cdn_status io_mjcf_check_drive_range(mjcf_reader *r, const mjcf_element *e, const double range[2], bool *limited);
/* What is attached to a body must not move freely. */
cdn_status io_mjcf_refuse_free(mjcf_reader *r, io_xml_node *node, const cdn_spec *attached);
/* After all joints of a body were read: what joints may stand together. */
cdn_status io_mjcf_check_joints(mjcf_reader *r, int place, io_xml_node *node);
/* Adds a geom's mass properties, in the body's frame, to *sum unless `massless`. */
cdn_status io_mjcf_read_geom(mjcf_reader *r, io_xml_node *node, const mjcf_scope *scope, bool massless,
                             mjcf_body_mass *sum, int *selected);
/* The same mass once more, of a geom that is attached to a body; warnings are the log's. */
cdn_status io_mjcf_add_solid(const mjcf_solid *solid, io_log *log, mjcf_body_mass *sum, int *selected);
cdn_status io_mjcf_read_inertial(mjcf_reader *r, io_xml_node *node, mjcf_body_mass *mass);
/* For the newest asset, a mesh. */
cdn_status io_mjcf_read_mesh_inertia(mjcf_reader *r, const mjcf_element *e);
/* The mass of the mesh of this name, measured: of its surface if it or `shell` says so. NULL: there is no such mesh. */
const mjcf_mesh_mass *io_mjcf_mesh_mass(mjcf_reader *r, const char *name, bool shell);
/* The frame that MuJoCo gives a mesh, in the mesh's own: at the centre of its mass, along principal axes. False: there
 * is none. */
bool io_mjcf_mesh_frame(mjcf_reader *r, const char *name, cdn_transform *X);
/* Area and, for a mass on it, central inertia of the surface of a primitive. */
double io_mjcf_shell_area(cdn_shape_type type, const double *size);
cdn_inertia io_mjcf_shell_inertia(cdn_shape_type type, double mass, const double *size);
/* Once all bodies are read: boundmass, boundinertia, balanceinertia, settotalmass. */
void io_mjcf_finish_masses(mjcf_reader *r);
/* Once they have their names: warns of inertias that no body can have. */
cdn_status io_mjcf_check_masses(mjcf_reader *r);

/* ---- mjcf_align.c ---- */

/* The frame of a body's inertia, as MuJoCo has it: with the axes that the file names, or others. */
cdn_transform io_mjcf_inertia_frame(const cdn_spec_body *body);

mjcf_counts io_mjcf_count(const mjcf_reader *r);
/* Moves the frame of the newest body, whose mass is known, to the frame of its inertia, if its free joint asks for it:
 * what came since `before` is the body's, and stays where it is. */
void io_mjcf_align(mjcf_reader *r, const mjcf_counts *before, bool alone);

/* ---- mjcf_camera.c ---- */

/* A camera or light that is wrong is left out with a warning: the model moves without it. */
cdn_status io_mjcf_read_camera(mjcf_reader *r, io_xml_node *node, const mjcf_scope *scope);
cdn_status io_mjcf_read_light(mjcf_reader *r, io_xml_node *node, const mjcf_scope *scope);

/* ---- mjcf_asset.c ---- */

cdn_status io_mjcf_read_assets(mjcf_reader *r, io_xml_node *node);

/* ---- mjcf_contact.c ---- */

/* Once all bodies are read. */
cdn_status io_mjcf_read_contact(mjcf_reader *r, io_xml_node *node);

/* ---- mjcf_equality.c ---- */

/* Once all bodies are read. */
cdn_status io_mjcf_read_equality(mjcf_reader *r, io_xml_node *node);
/* Has a connection or a weld, of bodies at two places, hold in the reference configuration, where the file gives the
 * pose on the one side alone. */
void io_mjcf_place_equality(const mjcf_reader *r, int a, int b, cdn_spec_constraint *made);

/* ---- mjcf_tendon.c, mjcf_path.c ---- */

/* An item of a tendon's path on its way into the spec, and where it is. */
typedef struct mjcf_path_item {
  cdn_spec_path_item made;
  mjcf_where at, side;
} mjcf_path_item;
typedef struct mjcf_path {
  cdni_array items; /* mjcf_path_item */
} mjcf_path;

/* Once all bodies are read, and joints have their names. */
cdn_status io_mjcf_read_tendons(mjcf_reader *r, io_xml_node *node);
/* The children of a <spatial>. *lost: it is left out, which has been told. */
cdn_status io_mjcf_read_path(mjcf_reader *r, io_xml_node *node, mjcf_path *path, bool *lost);

/* ---- mjcf_actuator.c ---- */

/* Once all bodies are read. */
cdn_status io_mjcf_read_actuators(mjcf_reader *r, io_xml_node *node);

/* ---- mjcf_soft.c ---- */

/* solref and solimp of an element, by the names of their attributes, or the defaults. */
cdn_status io_mjcf_law(mjcf_reader *r, const mjcf_element *e, const char *ref, const char *imp, cdn_soft_law *law);
void io_mjcf_default_solver(mjcf_reader *r);
/* The attributes of <option> that are for soft rows. */
cdn_status io_mjcf_read_solver(mjcf_reader *r, io_xml_node *node);
/* Once all contacts are read. */
void io_mjcf_override_contacts(mjcf_reader *r);

/* ---- mjcf_key.c ---- */

/* Once all actuators are read. */

cdn_status io_mjcf_read_keyframe(mjcf_reader *r, io_xml_node *node);

/* ---- mjcf_site.c ---- */

cdn_status io_mjcf_read_site(mjcf_reader *r, io_xml_node *node, const mjcf_scope *scope);
/* False: there is no site of this name. */
bool io_mjcf_find_site(const mjcf_reader *r, const char *name, mjcf_where *where);
/* Of the newest shape or camera. */
cdn_status io_mjcf_add_object(mjcf_reader *r, mjcf_object_kind kind, const mjcf_object *object);
/* Has a text of an element be the name of the body of a place that something marks. */
cdn_status io_mjcf_refer(mjcf_reader *r, cdn_spec_kind kind, int element, size_t text, const mjcf_where *where);
#define MJCF_REFER(r, KIND, type, element, member, where) \
  io_mjcf_refer(r, CDN_SPEC_##KIND, element, offsetof(cdn_spec_##type, member), where)
/* The first of the sources of an element, and how many it has. */
const mjcf_source *io_mjcf_sources(const mjcf_reader *r, cdn_spec_kind kind, int element, int *n);
/* NULL: there is none of that name. */
const mjcf_object *io_mjcf_find_object(const mjcf_reader *r, mjcf_object_kind kind, const char *name);

/* ---- mjcf_sensor.c ---- */

/* The file's word for a kind of sensor. */
const char *io_mjcf_sensor_word(cdn_sensor_kind kind);
/* Once all bodies are read and have their masses. */
cdn_status io_mjcf_read_sensors(mjcf_reader *r, io_xml_node *node);

/* ---- mjcf_names.c ---- */

enum {
  MJCF_NAME_BODY,
  MJCF_NAME_JOINT,
  MJCF_NAME_KEY,
  MJCF_NAME_SENSOR,
  MJCF_NAME_ACTUATOR,
  MJCF_NAME_TENDON,
  MJCF_NAME_EQUALITY
};
/* Takes "world" for the worldbody. */
cdn_status io_mjcf_name_world(mjcf_reader *r);
/* By names that the file gives: the place of a body, 0 for the worldbody; -1: there is none. A joint, or NULL. */
int io_mjcf_find_body(const mjcf_reader *r, const char *name);
const struct cdn_spec_joint *io_mjcf_find_joint(const mjcf_reader *r, const char *name);
/* The name of an element, with the suffix of the copy that is being read; NULL: it has none. Valid until the next
 * call. */
const char *io_mjcf_name(mjcf_reader *r, io_xml_node *node);
/* Copies a name that the file gives (NULL or "": leaves *out NULL); an error if another of its kind has it. */
cdn_status io_mjcf_take_name(mjcf_reader *r, io_xml_node *node, int kind, const char **out);
/* Names bodies, joints, sensors, actuators and keyframes that have none. */
cdn_status io_mjcf_name_the_rest(mjcf_reader *r);

cdn_status io_mjcf_out_of_memory(mjcf_reader *r);

/* ---- mjcf_exact.c ---- */

/* Of <custom>, once all elements have their names: numbers to the last bit. */
cdn_status io_mjcf_restore(mjcf_reader *r, io_xml_node *section);

#endif
