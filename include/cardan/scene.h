/* Cardan: the picture of a State as data, for programs that draw it. Nothing here opens a window.
 *
 * A *scene* has three kinds of things:
 * - *visuals*: geometries with colours, fixed to bodies. They stay the same from frame to frame; only bodies move.
 * - *marks*: what a frame shows beside them: axes of joints, forces, contacts, text, decorations of a subsystem of
 *   yours. They are made anew in each frame.
 * - *cameras* and *lights*, fixed to bodies too, and *textures* with which visuals and the sky are painted.
 *
 * A scene is made once from a State (cdn_scene_create), gets what a model file says about looks (cdn_model_dress in
 * model.h) and rods for bodies without looks (cdn_scene_complete), and is updated to any State of the same System
 * (cdn_scene_update). Several scenes may show one System. A
 * scene belongs to one thread at a time. Lengths are in m, colours are red, green, blue and opacity from 0 to 1.
 *
 * I want to
 *   make one of a System of my own: cdn_scene_create, cdn_default_scene_def, cdn_scene_complete
 *   give up a scene: cdn_scene_destroy
 *   add a geometry with a colour to a body: cdn_scene_add_visual, cdn_default_visual_def
 *   add a picture or a cube with which visuals are painted, and the sky: cdn_scene_add_texture,
 *       cdn_default_texture_def, cdn_scene_set_sky
 *   add a named point, the range of a joint, the ray of a sensor: cdn_scene_add_point, cdn_scene_add_range,
 *       cdn_scene_add_ray
 *   add a camera or a light: cdn_scene_add_camera, cdn_default_camera_def, cdn_scene_add_light, cdn_default_light_def
 *   make the frame of a State: cdn_scene_update
 *   choose what is marked: joints, masses, contacts, forces, ...: cdn_scene_set_layers, cdn_scene_layers
 *   read the visuals: cdn_scene_visual_count, cdn_scene_visual
 *   read the frame: its time, poses of bodies, marks: cdn_scene_time, cdn_scene_poses, cdn_scene_marks
 *   read the textures and the sky: cdn_scene_texture_count, cdn_scene_texture, cdn_scene_sky
 *   make triangles of a visual or of the sky, with places in a texture: cdn_scene_triangles, cdn_scene_sky_triangles,
 *       cdn_painted_triangles_free
 *   read cameras and lights: cdn_scene_camera_count, cdn_scene_camera, cdn_scene_camera_name, cdn_scene_light_count,
 *       cdn_scene_light
 *   get the System of a scene: cdn_scene_system
 *   let my subsystem add marks: cdn_decorate, cdn_decorate_point, cdn_decorate_line, cdn_decorate_arrow,
 *       cdn_decorate_text, cdn_decorations_scale
 *   know how large the picture is: cdn_scene_bounds
 *   place a camera so that it sees all, or take the file's: cdn_scene_fit, cdn_fit_view, cdn_scene_camera_view
 *   where a light is in this frame, and where it shines: cdn_scene_light_ray
 *   find what is under the mouse: cdn_scene_pick
 *   make triangles of a geometry: cdn_geometry_triangles, cdn_triangles_free */
#ifndef CARDAN_SCENE_H
#define CARDAN_SCENE_H

#include <cardan/geometry.h>
#include <cardan/state.h>

CDN_BEGIN_DECLS

typedef struct cdn_scene cdn_scene;

/** Layers of marks. A frame has the marks of the layers that are on. */
typedef enum cdn_layer {
  CDN_LAYER_JOINTS = 1 << 0,      /**< axes of joints, and their ranges */
  CDN_LAYER_FRAMES = 1 << 1,      /**< frames of bodies */
  CDN_LAYER_MASSES = 1 << 2,      /**< centres of mass, and ellipsoids of inertia */
  CDN_LAYER_CONSTRAINTS = 1 << 3, /**< anchors of constraints, and their forces */
  CDN_LAYER_CONTACTS = 1 << 4,    /**< points, normals, patches and forces of contacts */
  CDN_LAYER_FORCES = 1 << 5,      /**< springs between points, forces from outside */
  CDN_LAYER_POINTS = 1 << 6,      /**< named points: markers, sites, sensors */
  CDN_LAYER_LABELS = 1 << 7,      /**< names of bodies */
  CDN_LAYER_OWN = 1 << 8,         /**< what the subsystems of a program add (cdn_subsystem_ops.decorate) */
  CDN_LAYER_CONES = 1 << 9,       /**< normals of contacts, and the cones and pyramids in which their forces stay */
  CDN_LAYER_ROWS =
      1 << 10, /**< forces of soft rows beside contacts: limits, friction losses, equalities, a program's own */
  CDN_LAYER_PATHS = 1 << 11, /**< the lines of paths, along their obstacles */
  CDN_LAYER_RAYS = 1 << 12,  /**< rays of sensors of distances, as far as what they meet */
  CDN_LAYER_MEDIA = 1 << 13, /**< forces of media on bodies: drag and lift */
  /** what acts on one side, and dry friction, in colours of statuses (docs/scene.md), with cones of friction and the
   *  impulses of the last 0.1 s */
  CDN_LAYER_STATUSES = 1 << 14,
  CDN_LAYER_ALL = (1 << 15) - 1
} cdn_layer;

typedef struct cdn_scene_def {
  CDN_DEF_HEADER;
  /** Which layers are on; default CDN_LAYER_CONTACTS | CDN_LAYER_OWN | CDN_LAYER_PATHS | CDN_LAYER_RAYS */
  uint32_t layers;
} cdn_scene_def;
CDN_DEF(scene_def);

/* ---- making ------------------------------------------------------------------------------ */

/** Makes a scene of a State's System, with a visual for each shape of contact, in the sizes and frames that it has in
 *  this State. `def` may be NULL: the defaults. The scene keeps the System alive, not the State. Realizes Position.
 *  Errors: CDN_ERR_ARG, CDN_ERR_NOMEM, errors of realizing; then *out is NULL. O(size of the model). */
CDN_API cdn_status cdn_scene_create(cdn_state *state, const cdn_scene_def *def, cdn_scene **out) CDN_NODISCARD;
CDN_API void cdn_scene_destroy(cdn_scene *scene); /**< NULL is allowed */
/** The layers of the frames to come. */
CDN_API void cdn_scene_set_layers(cdn_scene *scene, uint32_t layers);
CDN_API uint32_t cdn_scene_layers(const cdn_scene *scene);

/** A picture with which visuals are painted, or six of them: those of a cube's sides. */
typedef struct cdn_texture_def {
  CDN_DEF_HEADER;
  const char *name;  /**< copied; NULL: "texture0", ... */
  int width, height; /**< pixels, 1 to 16384; a cube's height is 6 times its width */
  /** Six square pictures, one below the other: what is seen in the directions +x, -x, +y, -y, +z, -z. That of +z has x
   *  to the right and y up, and the others are joined to it as OpenGL's are. Default false */
  bool cube;
  const uint8_t *rgba; /**< rows from top to bottom, 4 bytes a pixel: red, green, blue, opacity; copied */
} cdn_texture_def;
CDN_DEF(texture_def);
/** Adds a texture and writes its number (`texture` may be NULL). CDN_ERR_ARG (sizes, no pixels), CDN_ERR_NOMEM. */
CDN_API cdn_status cdn_scene_add_texture(cdn_scene *scene, const cdn_texture_def *def, int *texture) CDN_NODISCARD;
/** Makes a cube the sky, the background of pictures. R_GS turns the cube's axes into Ground's. A negative number: there
 *  is no sky, as at first. CDN_ERR_ARG (no such texture, or no cube; no rotation). */
CDN_API cdn_status cdn_scene_set_sky(cdn_scene *scene, int texture, cdn_rotation R_GS) CDN_NODISCARD;

/** The pattern of a half-space. Values never change; later releases append some. */
typedef enum cdn_pattern {
  CDN_PATTERN_PLAIN,
  CDN_PATTERN_CHECKER,  /**< rectangles of size `tile` along x and y, in turn of colour rgba and rgb2 */
  CDN_PATTERN_GRADIENT, /**< from rgba in the middle of each tile to rgb2 at its border */
  CDN_PATTERN_COUNT
} cdn_pattern;

typedef struct cdn_visual_def {
  CDN_DEF_HEADER;
  const char *name;      /**< copied; NULL: "visual0", "visual1", ... */
  cdn_body body;         /**< default Ground */
  cdn_geometry geometry; /**< must be set; a surface is retained */
  cdn_transform X_BV;    /**< frame of the geometry on the body, m. Default: identity */
  double rgba[4];        /**< colour and opacity, 0 to 1. Default 0.6 0.6 0.6 1 */
  int group;             /**< 0 to 31: groups are shown and hidden together. Default 0 */
  bool collision;        /**< it shows a shape of contact, not the look of the body. Default false */
  cdn_pattern pattern;   /**< of a half-space. Default CDN_PATTERN_PLAIN */
  double rgb2[3];        /**< the pattern's other colour. Default 0.8 0.8 0.8 */
  double tile[2];        /**< m, > 0. Default 1 1 */
  double half[2]; /**< a half-space is drawn up to this distance from its origin along x and y, m; 0 (the default):
                   *   without end */
  int texture;    /**< whose colours are multiplied by rgba's, in place of a pattern; default -1: none */
  /** Which place of the texture a point of the geometry has: place (x, y, z, 1). Of a picture: the place from the left
   *  and from the top, in widths and heights, and the picture repeats. Of a cube: the direction from its middle.
   *  Default: (x, y, z) */
  double place[3][4];
  /** Of a mesh and a picture, in place of `place`: the places of the three corners of each triangle, 6 numbers a
   *  triangle; copied. NULL: none */
  const float *corners;
  /** Specular reflection, shininess (the exponent of Phong's law is 128 times this) and emission, each 0 to 1.
   *  Defaults: 0.5, 0.5, 0 */
  double specular, shininess, emission;
  double reflectance; /**< the fraction of light that a half-space mirrors, 0 to 1. Default 0 */
} cdn_visual_def;
CDN_DEF(visual_def);
/** Adds a visual and writes its number (`visual` may be NULL). Visuals are numbered from 0 in the order of their
 *  addition. Errors: CDN_ERR_ARG (no such body; a geometry that cdn_geometry_check refuses; a frame, a colour or a size
 *  that is not finite; a tile that is not above 0; no such texture; corners of what is no mesh), CDN_ERR_NOMEM. A
 *  colour beyond 0 ... 1 is cut, and so are the numbers from `specular` on. */
CDN_API cdn_status cdn_scene_add_visual(cdn_scene *scene, const cdn_visual_def *def, int *visual) CDN_NODISCARD;
/** Gives a look to every body that has none. A body with shapes of contact shows these: they are no longer marked as
 *  `collision`. Any other body is drawn from its joints and its inertia, as they are in this State. Call it when all
 *  other visuals are there. Errors: CDN_ERR_ARG (a State of another System), CDN_ERR_NOMEM. O(bodies + visuals). */
CDN_API cdn_status cdn_scene_complete(cdn_scene *scene, cdn_state *state) CDN_NODISCARD;
/** Adds a point or frame with a name: a marker, a site, a sensor. CDN_ERR_ARG, CDN_ERR_NOMEM. */
CDN_API cdn_status cdn_scene_add_point(cdn_scene *scene, const char *name, cdn_body body,
                                       cdn_transform X_BP) CDN_NODISCARD;
/** Draws the range of coordinate k of a body's joint. An infinite bound is none. CDN_ERR_ARG, CDN_ERR_NOMEM. */
CDN_API cdn_status cdn_scene_add_range(cdn_scene *scene, cdn_body body, int k, double lower,
                                       double upper) CDN_NODISCARD;
/** Draws a ray along z of X_BR, from its origin as far as number k (from 0) of a measure says, m. A negative number, or
 *  one that is not finite, says that it meets nothing: then the frame has no ray. CDN_ERR_ARG, CDN_ERR_NOMEM. */
CDN_API cdn_status cdn_scene_add_ray(cdn_scene *scene, cdn_body body, cdn_transform X_BR, cdn_measure measure,
                                     int k) CDN_NODISCARD;

/** How a camera follows what it looks at. Values never change; later releases append some. */
typedef enum cdn_camera_mode {
  CDN_CAMERA_FIXED,      /**< it is fixed to its body */
  CDN_CAMERA_TRACK,      /**< it moves with the body's origin and does not turn: X_BC is along Ground's axes */
  CDN_CAMERA_TRACK_COM,  /**< likewise, with the centre of mass of the body and all bodies outboard of it */
  CDN_CAMERA_TARGET,     /**< it is fixed to its body at a point, and turns to the origin of `target` */
  CDN_CAMERA_TARGET_COM, /**< likewise, to the centre of mass of `target` and all bodies outboard of it */
  CDN_CAMERA_MODE_COUNT
} cdn_camera_mode;

/** A camera looks along -z of its frame, with y up. */
typedef struct cdn_camera_def {
  CDN_DEF_HEADER;
  const char *name;     /**< copied; NULL: "camera0", ... */
  cdn_body body;        /**< default Ground */
  cdn_transform X_BC;   /**< default identity */
  double fovy;          /**< angle of view from top to bottom, rad, between 0 and pi; default pi/4 */
  cdn_camera_mode mode; /**< default CDN_CAMERA_FIXED */
  cdn_body target;      /**< to which the camera turns in the modes TARGET; default Ground */
} cdn_camera_def;
CDN_DEF(camera_def);
CDN_API cdn_status cdn_scene_add_camera(cdn_scene *scene, const cdn_camera_def *def) CDN_NODISCARD;

typedef struct cdn_light_def {
  CDN_DEF_HEADER;
  cdn_body body;        /**< default Ground */
  cdn_vec3 position;    /**< on the body, m; not used by a directional light */
  cdn_vec3 direction;   /**< a vector of any length but 0, along which the light goes, on the body; default down */
  bool directional;     /**< all rays are parallel: the sun. Default true */
  double rgb[3];        /**< colour, 0 to 1. Default 1 1 1 */
  cdn_camera_mode mode; /**< default CDN_CAMERA_FIXED. It follows as a camera does. In the modes TRACK, `position` (from
                             what it follows) and `direction` are along Ground's axes; in the modes TARGET, `direction`
                             counts only where the light is at what it turns to */
  cdn_body target;      /**< to which the light turns in the modes TARGET; default Ground */
  /** Of a light that is not directional: it shines within this angle about its direction, rad, above 0, with the power
   *  `exponent` of the angle's cosine. Defaults: pi (on all sides), 0 */
  double cutoff, exponent;
  /** Its light is divided by a + b d + c d^2 at the distance d, each 0 or more; default 1 0 0 */
  double attenuation[3];
  bool castshadow; /**< default true */
} cdn_light_def;
CDN_DEF(light_def);
/** Adds a light. Copies the def. */
CDN_API cdn_status cdn_scene_add_light(cdn_scene *scene, const cdn_light_def *def) CDN_NODISCARD;

/* ---- what does not move on its body -------------------------------------------------------- */

/** A visual as the scene has it. Later releases append members. What has no comment here (body, geometry, X_BV, rgba,
 *  group, rgb2, tile, half, place, specular, shininess, emission, reflectance) is as in the def, in its units. */
typedef struct cdn_visual {
  const char *name; /**< lives as long as the scene */
  cdn_body body;
  cdn_geometry geometry;
  cdn_transform X_BV;
  double rgba[4];
  int group;
  bool collision, skeleton; /**< skeleton: made from joints and inertia */
  cdn_pattern pattern;      /**< of a half-space, with what follows */
  double rgb2[3], tile[2], half[2];
  int texture; /**< -1: none */
  double place[3][4];
  const float *corners; /**< lives as long as the scene */
  double specular, shininess, emission, reflectance;
} cdn_visual;
CDN_API cdn_system const *cdn_scene_system(const cdn_scene *scene);
CDN_API int cdn_scene_visual_count(const cdn_scene *scene);
/** Writes visual i. CDN_ERR_ARG if there is none. O(1). */
CDN_SIZED(cdn_scene_visual, (const cdn_scene *scene, int i, cdn_visual *out), (scene, i, out), out);
CDN_API int cdn_scene_texture_count(const cdn_scene *scene);
/** Writes texture i as it was added; name and pixels live as long as the scene. CDN_ERR_ARG if there is none. */
CDN_SIZED(cdn_scene_texture, (const cdn_scene *scene, int i, cdn_texture_def *out), (scene, i, out), out);
/** The sky's texture, or -1; R_GS may be NULL. */
CDN_API int cdn_scene_sky(const cdn_scene *scene, cdn_rotation *R_GS);
CDN_API int cdn_scene_camera_count(const cdn_scene *scene);
CDN_API const char *cdn_scene_camera_name(const cdn_scene *scene, int i); /**< NULL for a wrong number */
/** Writes camera i as it was added; its name lives as long as the scene. CDN_ERR_ARG if there is none. */
CDN_SIZED(cdn_scene_camera, (const cdn_scene *scene, int i, cdn_camera_def *out), (scene, i, out), out);
CDN_API int cdn_scene_light_count(const cdn_scene *scene);
/** Writes light i as it was added. CDN_ERR_ARG if there is none. */
CDN_SIZED(cdn_scene_light, (const cdn_scene *scene, int i, cdn_light_def *out), (scene, i, out), out);

/* ---- a frame ----------------------------------------------------------------------------- */

/** Makes the frame of a State: poses of all bodies, and the marks of the layers that are on. The State is realized as
 *  far as the layers need: Position at least; Acceleration for forces of constraints, of soft rows and of soft
 *  contacts. Where a State cannot be realized that far, the frame lacks these marks, and the call returns that status.
 *  Allocates nothing after the first few frames. Errors: CDN_ERR_ARG (a State of another System), CDN_ERR_NOMEM, errors
 *  of realizing. O(bodies + marks). */
CDN_API cdn_status cdn_scene_update(cdn_scene *scene, cdn_state *state) CDN_NODISCARD;

/** The time of the frame, s, and the poses X_GB of all bodies, Ground first. They live until the next update. NULL
 *  before the first update. */
CDN_API double cdn_scene_time(const cdn_scene *scene);
CDN_API const cdn_transform *cdn_scene_poses(const cdn_scene *scene);

/** The form of a mark. All but text are placed by X_G. Values never change; later releases append some. */
typedef enum cdn_mark_kind {
  CDN_MARK_POINT,     /**< a small ball of radius size[0] */
  CDN_MARK_LINE,      /**< from the origin along z of X_G; size[0]: length; size[1]: radius, 0: thin */
  CDN_MARK_ARROW,     /**< likewise, with its head at the far end */
  CDN_MARK_TURN,      /**< a moment: an arrow with two heads, likewise */
  CDN_MARK_FRAME,     /**< three axes of length size[0] */
  CDN_MARK_ELLIPSOID, /**< size: half axes */
  CDN_MARK_DISC,      /**< size[0], size[1]: half axes of an ellipse across z */
  CDN_MARK_ARC,       /**< across z, from angle size[0] to size[1] (rad from x), with radius size[2] */
  CDN_MARK_TEXT,      /**< `text` at the origin of X_G, towards the viewer */
  CDN_MARK_KIND_COUNT
} cdn_mark_kind;

/** A mark. The struct never changes. */
typedef struct cdn_mark {
  int32_t kind;      /**< cdn_mark_kind */
  uint32_t layer;    /**< the cdn_layer that it belongs to */
  cdn_body body;     /**< the body that it tells about, or { -1 } */
  cdn_transform X_G; /**< its frame in Ground, m */
  double size[3];    /**< lengths, m, as the kind has them */
  float rgba[4];     /**< colour and opacity, 0 to 1 */
  const char *text;  /**< of a text, else NULL; lives until the next update */
} cdn_mark;
/** The marks of the frame; they live until the next update. */
CDN_API const cdn_mark *cdn_scene_marks(const cdn_scene *scene, int *n);

/* ---- decorations: for cdn_subsystem_ops.decorate ------------------------------------------------
 *
 * These add marks to the frame that is being made. Numbers that are not finite are refused with CDN_ERR_NONFINITE; then
 * nothing was added. Other errors: CDN_ERR_NOMEM. rgba may be NULL: the layer's colour. */

/** Add a mark as it stands, a ball (radius, m), a line, an arrow or a text. The text is copied. Places in Ground, m. */
CDN_API cdn_status cdn_decorate(cdn_decorations *d, const cdn_mark *mark) CDN_NODISCARD;
CDN_API cdn_status cdn_decorate_point(cdn_decorations *d, cdn_vec3 p_G, double radius,
                                      const float rgba[4]) CDN_NODISCARD;
CDN_API cdn_status cdn_decorate_line(cdn_decorations *d, cdn_vec3 from_G, cdn_vec3 to_G,
                                     const float rgba[4]) CDN_NODISCARD;
CDN_API cdn_status cdn_decorate_arrow(cdn_decorations *d, cdn_vec3 from_G, cdn_vec3 to_G,
                                      const float rgba[4]) CDN_NODISCARD;
CDN_API cdn_status cdn_decorate_text(cdn_decorations *d, cdn_vec3 p_G, const char *text,
                                     const float rgba[4]) CDN_NODISCARD;
/** A length that suits the model: a twentieth of the radius of the ball about it. */
CDN_API double cdn_decorations_scale(const cdn_decorations *d);

/* ---- looking ----------------------------------------------------------------------------- */

/** The box, along Ground's axes, about the finite visuals that viewers show at first: looks of the groups 0 to 2;
 *  without any, looks of all groups; without any, shapes for collision; without any, the bodies' origins; false, and
 *  zeros, if there is nothing at all. O(visuals). */
CDN_API bool cdn_scene_bounds(const cdn_scene *scene, cdn_vec3 *least_G, cdn_vec3 *most_G);

/** What a camera sees: X_GC (it looks along -z, y is up) and the angle of view. The struct never changes. */
typedef struct cdn_view_point {
  cdn_transform X_GC; /**< the camera's frame in Ground, m */
  double fovy;        /**< the angle of view from the lower to the upper edge, rad */
} cdn_view_point;
/** A view of a box along Ground's axes, from the side that `direction` names (from the box to the camera, any length
 *  but 0), with `up` up, so near that the box just fills the picture. `aspect` is width over height. CDN_ERR_ARG. */
CDN_API cdn_status cdn_fit_view(cdn_vec3 least_G, cdn_vec3 most_G, cdn_vec3 direction, cdn_vec3 up, double aspect,
                                cdn_view_point *out) CDN_NODISCARD;
/** The same of the box of the present frame. CDN_ERR_ARG. */
CDN_API cdn_status cdn_scene_fit(const cdn_scene *scene, cdn_vec3 direction, cdn_vec3 up, double aspect,
                                 cdn_view_point *out) CDN_NODISCARD;
/** The view of camera i in this frame. CDN_ERR_ARG if there is none, or if it follows a centre of mass and was added
 *  after the frame was made. */
CDN_API cdn_status cdn_scene_camera_view(const cdn_scene *scene, int i, cdn_view_point *out) CDN_NODISCARD;
/** Where light i is in this frame, m, and the unit vector along which it shines, both in Ground. Either may be NULL.
 *  CDN_ERR_ARG if there is none, or if it follows a centre of mass and was added after the frame was made. */
CDN_API cdn_status cdn_scene_light_ray(const cdn_scene *scene, int i, cdn_vec3 *position_G,
                                       cdn_vec3 *direction_G) CDN_NODISCARD;

/** What a ray meets first. The struct never changes. */
typedef struct cdn_pick {
  int visual;                 /**< -1: nothing */
  cdn_body body;              /**< the body of the visual */
  double distance;            /**< from the start of the ray, m */
  cdn_vec3 point_G, normal_G; /**< where the ray meets it, m, and the outward unit vector there */
} cdn_pick;
/** The first visual in the frame that a ray meets, among the groups of the mask (bit g: group g). Errors: CDN_ERR_ARG.
 *  O(visuals). */
CDN_API cdn_status cdn_scene_pick(const cdn_scene *scene, cdn_vec3 origin_G, cdn_vec3 direction_G, uint32_t groups,
                                  cdn_pick *out) CDN_NODISCARD;

/* ---- triangles --------------------------------------------------------------------------- */

/** Triangles of a geometry, for programs that draw nothing else. The arrays belong to whoever asked for them, who frees
 *  them by cdn_triangles_free. */
typedef struct cdn_triangles {
  int n_vertices, n_triangles;
  float *positions; /**< 3 a vertex, in the frame of the geometry */
  float *normals;   /**< 3 a vertex, unit length, outward */
  int32_t *indices; /**< 3 a triangle, counterclockwise from outside */
} cdn_triangles;
/** Makes triangles of a geometry. Round ones get `segments` (>= 3) segments a turn. Edges of meshes that are sharper
 *  than 40 degrees stay sharp. A half-space is a square with sides of 2 `extent`. A custom geometry is its support
 *  function's, or the surface where rays from the middle of its ball meet it. Free it with cdn_triangles_free. Errors:
 *  CDN_ERR_ARG, CDN_ERR_NOMEM; then *out is zero. */
CDN_API cdn_status cdn_geometry_triangles(const cdn_geometry *g, int segments, double extent,
                                          cdn_triangles *out) CDN_NODISCARD;
CDN_API void cdn_triangles_free(cdn_triangles *t); /**< NULL is allowed */

/** Triangles, and where their vertices are in a texture. The struct never changes. cdn_painted_triangles_free frees the
 *  arrays. */
typedef struct cdn_painted_triangles {
  cdn_triangles triangles; /**< the triangles themselves */
  /** 2 a vertex: from the left and from the top, in widths and heights of the whole texture. NULL: there is none */
  float *places;
} cdn_painted_triangles;
/** Triangles of a visual, as cdn_geometry_triangles makes them, with their places in its texture. Those that lie on
 *  several sides of a cube are divided, and no place is nearer than half a pixel to the end of its side. Free them with
 *  cdn_painted_triangles_free. Errors: CDN_ERR_ARG, CDN_ERR_NOMEM; then *out is zero. O(triangles). */
CDN_API cdn_status cdn_scene_triangles(const cdn_scene *scene, int visual, int segments, double extent,
                                       cdn_painted_triangles *out) CDN_NODISCARD;
/** The cube of the sky about the origin, with half sides of 1 along Ground's axes. CDN_ERR_ARG (there is no sky),
 *  CDN_ERR_NOMEM. */
CDN_API cdn_status cdn_scene_sky_triangles(const cdn_scene *scene, cdn_painted_triangles *out) CDN_NODISCARD;
CDN_API void cdn_painted_triangles_free(cdn_painted_triangles *t); /**< NULL is allowed */

CDN_END_DECLS
#endif
