/* What a kind of geometry is: one entry of one table. A new kind is a file in kinds/ that fills an entry, and a line of
 * CDNI_GEOMETRY_KINDS; docs/adding.md, "A shape", has the steps. A column that is NULL, 0 or false says that the kind
 * has none: its comment tells what is done then. */
#ifndef CARDAN_GEOMETRY_KIND_H
#define CARDAN_GEOMETRY_KIND_H

#include "geometry/geometry.h"

/* By kind, in the order of cdn_geometry_kind: its number, and the name of its entry. */
#define CDNI_GEOMETRY_KINDS(X) \
  X(SPHERE, sphere)            \
  X(HALF_SPACE, half_space)    \
  X(CAPSULE, capsule)          \
  X(ELLIPSOID, ellipsoid)      \
  X(CYLINDER, cylinder)        \
  X(BOX, box)                  \
  X(CONVEX, hull)              \
  X(MESH, mesh)                \
  X(HEIGHT_FIELD, field)       \
  X(CUSTOM, custom)

/* What the laws of compliant contact take a surface for. */
typedef enum geometry_contact {
  CONTACT_WITHOUT_LAW,
  CONTACT_ROUND,   /* Hertz's law, by the principal curvatures; a distance of the user's counts as flat */
  CONTACT_FACES,   /* pressure fields, by the planes of `faces`; flat for what is round */
  CONTACT_SPRINGS, /* springs on the triangles of its surface */
  CONTACT_HEIGHTS  /* columns of a height field, for pressure fields; flat for what is round */
} geometry_contact;

/* Of a convex kind, what its core is the sum of (convex/convex.h), for the search of the nearest points. */
typedef enum corner_form {
  CORNER_SUPPORT, /* none of these: `support` tells, and there is no curve. Normals are known to 1e-5 then */
  CORNER_POINT,   /* the origin of S */
  CORNER_SEGMENT, /* from -size[1] to size[1] along z */
  CORNER_BOX,     /* half lengths size */
  CORNER_HULL,    /* the hull of its surface */
  CORNER_TRIANGLE /* of a mesh; no kind has it */
} corner_form;
typedef enum curve_form {
  CURVE_NONE,
  CURVE_DISK,     /* of radius size[0] across z */
  CURVE_ELLIPSOID /* half axes size */
} curve_form;

/* How a surface is curved at one of its points. */
typedef struct surface_tensor {
  double k;      /* curvature 1/R in all directions, INFINITY: sharp; */
  cdn_vec3 axis; /* but in this one, zero: none, */
  double along;  /* which has this curvature */
} surface_tensor;

struct flat_part;
struct stand;

/* All vectors are in S, and n is a unit vector, unless something else is said. */
typedef struct geometry_kind {
  const char *name;
  int n_sizes;
  struct {
    const char *words, *parameter; /* in messages; as the parameter of a shape */
    bool may_be_zero;
  } size[3];
  bool has_surface;    /* cdn_geometry.surface is read */
  bool is_convex;      /* of custom geometries a support function tells */
  bool is_even;        /* it reaches as far along -n as along n */
  bool is_swept;       /* the core is swept by a ball of radius size[0], which is then the radius of what is round */
  bool stands_on_ends; /* two balls, at the ends of the core's segment, touch a half-space */
  bool is_round;       /* it touches in one point, whatever the other is */
  corner_form corner;
  curve_form curve;
  geometry_contact contact;
  /* The shape by which the viewer's page draws it, and how many numbers that has. NULL: by its triangles. */
  struct {
    const char *shape;
    int n;
  } page;
  /* A ball that contains the geometry. NULL: it has no end. */
  double (*ball)(const cdn_geometry *g, cdn_vec3 *center);
  /* The farthest point along n. NULL: it is not convex, or has no end. */
  cdn_vec3 (*support)(const cdn_geometry *g, cdn_vec3 n);
  /* The largest n . x. NULL: that of `support`. */
  double (*reach)(const cdn_geometry *g, cdn_vec3 n);
  /* Of an even one: the reach along the axes of W, for its rotation there. NULL: that of `reach` along each. */
  void (*spread)(const cdn_geometry *g, const cdn_rotation *R, double reach[3]);
  /* A box that contains the geometry, in O(1). NULL: the least one is as cheap. */
  bool (*box)(const cdn_geometry *g, cdn_vec3 *middle, double half[3]);
  /* The signed distance of p, the outward normal at the nearest point, the triangle or 0. NULL: by the search for two
   * convex geometries. */
  double (*point)(const cdn_geometry *g, cdn_vec3 p, cdn_vec3 *normal, int *feature);
  /* As cdni_ray. NULL: by distances of points, at a hundred times the cost. */
  int (*ray)(const cdn_geometry *g, const cdn_transform *X_WS, cdn_vec3 origin, cdn_vec3 direction, double reach,
             int room, cdn_ray_hit *hits);
  /* How often a ray meets it, at most. NULL: 2. */
  int (*most_hits)(const cdn_geometry *g);
  /* As cdni_curvature. NULL: the surface counts as not smooth, unless it is CONTACT_ROUND: then differences of
   * `support` have it. */
  bool (*curvature)(const cdn_geometry *g, cdn_vec3 p, double k[2], cdn_vec3 *direction);
  /* The same as a tensor, of edges and corners too: `at` and n are in W. NULL: flat. */
  surface_tensor (*tensor)(const cdn_geometry *g, const cdn_transform *X_WS, cdn_vec3 at, cdn_vec3 n);
  /* What may lie flat (convex/feature.h), farthest along n; f has n = 0. NULL: a point. */
  void (*feature)(const cdn_geometry *g, const cdn_transform *X_WS, cdn_vec3 n, struct flat_part *f);
  /* Its points on a half-space (convex/stand.h). NULL: the lowest one. */
  void (*stands)(const struct stand *s, const cdn_geometry *g, const cdn_transform *X_WS, cdn_manifold *out);
  /* About how deep its deepest point is: something that is as deep may come out on the other side. NULL: INFINITY. */
  double (*depth)(const cdn_geometry *g);
  /* CONTACT_FACES: as cdni_faces; how far the solid between the planes goes beyond the geometry (NULL: not at all). */
  const double *(*faces)(const cdn_geometry *g, double (*own)[4], int *n);
  double (*beyond)(const cdn_geometry *g);
} geometry_kind;

#define CDNI_GEOMETRY_ENTRY(NUMBER, entry) extern const geometry_kind cdni_kind_##entry;
CDNI_GEOMETRY_KINDS(CDNI_GEOMETRY_ENTRY)
#undef CDNI_GEOMETRY_ENTRY

/* CONTACT_ROUND by curvatures that depend on where it is touched: known by `curvature`, or by a support function. */
bool cdni_curvature_varies(const cdn_geometry *g);
/* Where the outward normal of a convex geometry is n: its curvature tensor (xx, xy, yy) along the unit vectors t and s
 * across n, by differences of its support function; to 1e-7 where this is smooth. Principal radii count as at least a
 * hundredth and at most ten times the radius of the ball about the geometry, at edges and on faces too. */
void cdni_support_tensor(const cdn_geometry *g, cdn_vec3 n, cdn_vec3 t, cdn_vec3 s, double A[3]);
/* How the surface of a geometry is curved at a point of it (W), where it has the normal n. */
surface_tensor cdni_surface_tensor(const cdn_geometry *g, const cdn_transform *X_WS, cdn_vec3 at, cdn_vec3 n);

extern const geometry_kind *const cdni_geometry_kinds[CDN_GEOMETRY_KIND_COUNT];
static inline const geometry_kind *kind_of(const cdn_geometry *g) { return cdni_geometry_kinds[g->kind]; }

/* What an entry lacks that its other columns call for, NULL: nothing. */
const char *cdni_geometry_kind_lacks(const geometry_kind *kind);

#endif
