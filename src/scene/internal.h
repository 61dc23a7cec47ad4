/* Types and functions that the files of the room share. Private to the room. */
#ifndef CARDAN_SCENE_INTERNAL_H
#define CARDAN_SCENE_INTERNAL_H

#include <cardan/constraints.h>
#include <cardan/matter.h>

#include "scene/scene.h"

typedef struct scene_point {
  char *name;
  cdn_body body;
  cdn_transform X_BP;
} scene_point;

typedef struct scene_range {
  cdn_body body;
  int k;
  double lower, upper;
} scene_range;

typedef struct scene_ray {
  cdn_body body;
  cdn_transform X_BR;
  cdn_measure measure;
  int k;
} scene_ray;

typedef struct scene_camera {
  cdn_camera_def def; /* the name is the scene's */
  bool has_com;
  cdn_vec3 com_G; /* in the frame: the centre of mass that it follows */
} scene_camera;

typedef struct scene_light {
  cdn_light_def def;
  scene_camera eye; /* looks along the light, and follows as it does */
} scene_light;

struct cdn_scene {
  const cdn_system *system;
  cdn_allocator allocator;
  uint32_t layers;
  cdni_array visuals;  /* cdn_visual; names are the scene's */
  cdni_array points;   /* scene_point */
  cdni_array ranges;   /* scene_range */
  cdni_array rays;     /* scene_ray */
  cdni_array cameras;  /* scene_camera */
  cdni_array lights;   /* scene_light */
  cdni_array textures; /* cdn_texture_def; names and pixels are the scene's */
  int sky;             /* a texture; -1: none */
  cdn_rotation R_GS;   /* of the sky */
  double weight;       /* of all that moves, N */
  bool is_measured;    /* what follows suits the visuals */
  double scale;        /* a length that suits the model, m */
  double force_scale;  /* length of an arrow for a force, m/N */
  int n_bodies;
  /* The frame. */
  bool has_frame;
  double time;
  cdn_transform *poses; /* n_bodies */
  cdn_spatial *loads;   /* n_bodies: work for forces */
  bool *outboard;       /* n_bodies: work for cameras */
  cdni_array marks;     /* cdn_mark; while the frame is made, `text` is a place in `text`, plus 1 */
  cdni_array text;      /* char */
};

/* The frame that is being made, for those who add to it. */
struct cdn_decorations {
  cdn_scene *scene;
  cdn_state *state;
  uint32_t layer; /* of the marks to come */
};

/* ---- scene.c ---- */

static inline cdn_visual *scene_visual(const cdn_scene *s, int i) { return &CDNI_AT(s->visuals, cdn_visual, i); }
bool cdni_scene_has_body(const cdn_scene *scene, cdn_body body);
cdn_status cdni_scene_no_memory(const char *function);
/* A copy of a name, or a made-up one of the list's next element, a "camera"; NULL: memory ran out. */
char *cdni_scene_name(const cdn_scene *scene, const char *name, const char *type, const cdni_array *list);
/* Element i of a list; NULL, and the message: there is none. */
const void *cdni_scene_element(const cdni_array *list, int i, const char *function, const char *type);

/* textures.c */
void cdni_scene_free_textures(cdn_scene *scene);
static inline const cdn_texture_def *scene_texture(const cdn_scene *s, int i) {
  return i < 0 ? NULL : &CDNI_AT(s->textures, cdn_texture_def, i);
}

/* anchors.c: the places on its bodies where a constraint acts, as far as it has such places. */
typedef struct scene_places {
  int n;
  cdn_body body[2];
  cdn_vec3 p_B[2]; /* on these bodies */
} scene_places;
cdn_status cdni_scene_anchors(const cdn_state *state, cdn_constraint constraint, scene_places *out);

/* skeleton.c: half axes of the ellipsoid of even density with this mass and inertia; its axes on the body. */
bool cdni_inertia_ellipsoid(const cdn_mass_properties *m, double half[3], cdn_rotation *axes);

/* look.c: what the cameras of the frame follow. */
void cdni_scene_aim(cdn_scene *scene, const cdn_state *state);

/* ---- marks ---- */

enum { MARK_NO_BODY = -1 };
extern const float cdni_layer_colors[][4]; /* by number of the layer's bit */
const float *cdni_layer_color(uint32_t layer);
/* A mark of the present layer, about a body. */
cdn_mark cdni_mark(const cdn_decorations *d, cdn_mark_kind kind, cdn_body body, cdn_transform X_G);
/* An arrow for a force at a point: nothing if the force is 0. A turn for a moment. */
cdn_status cdni_mark_force(cdn_decorations *d, cdn_body body, cdn_vec3 p_G, cdn_vec3 force);
cdn_status cdni_mark_moment(cdn_decorations *d, cdn_body body, cdn_vec3 p_G, cdn_vec3 moment);

/* marks_rows.c: a cone, or a pyramid, of friction on a body, with its normal, which points into the body. */
typedef struct friction_cone {
  cdn_body body;
  cdn_vec3 top, normal, tangent[2];
  double coefficient[2]; /* along the tangents */
  bool pyramid;
  double height; /* follows from the scene */
} friction_cone;
cdn_status cdni_mark_cone(cdn_decorations *d, friction_cone cone);

/* marks_bodies.c: what a speed of a joint turns or moves at present. */
typedef struct joint_axis {
  cdn_vec3 p, axis; /* in Ground; axis of unit length */
  double rate;      /* rad/s or m/s at the speed 1 */
  bool turns;
} joint_axis;
/* The motion across all joints for the k-th speed of each of them: V, one a body. */
cdn_status cdni_scene_motion_across(cdn_decorations *d, int k, cdn_spatial *V);
/* The axis of one speed of a body's mobilizer. False: the speed moves nothing at present. */
bool cdni_scene_axis(const cdn_decorations *d, cdn_body body, cdn_spatial V, joint_axis *out);
/* The most speeds of a joint. */
int cdni_scene_most_speeds(const cdn_scene *scene);

/* Each adds the marks of a layer. */
typedef cdn_status scene_layer_fn(cdn_decorations *d);
scene_layer_fn cdni_marks_joints, cdni_marks_frames, cdni_marks_masses, cdni_marks_constraints, cdni_marks_contacts,
    cdni_marks_forces, cdni_marks_points, cdni_marks_labels, cdni_marks_own, cdni_marks_cones, cdni_marks_rows,
    cdni_marks_paths, cdni_marks_rays, cdni_marks_media, cdni_marks_statuses;

#endif
