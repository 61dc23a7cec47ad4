/* Geoms: their mass as solids, and the shapes of all as data. */
#include <math.h>

#include "io/build.h"
#include "io/mjcf.h"

static const double PI = 3.14159265358979323846;

/* In the order of `types` below. */
typedef enum geom_type { PLANE, HFIELD, MESH, SDF, SPHERE, CAPSULE, ELLIPSOID, CYLINDER, BOX } geom_type;
static const char *const types[] = { "plane",   "hfield",    "mesh",     "sdf", "sphere",
                                     "capsule", "ellipsoid", "cylinder", "box" };

static const cdn_shape_type shapes[] = { [PLANE] = CDN_SHAPE_PLANE,
                                         [HFIELD] = CDN_SHAPE_HFIELD,
                                         [MESH] = CDN_SHAPE_MESH,
                                         [SDF] = CDN_SHAPE_MESH,
                                         [SPHERE] = CDN_SHAPE_SPHERE,
                                         [CAPSULE] = CDN_SHAPE_CAPSULE,
                                         [ELLIPSOID] = CDN_SHAPE_ELLIPSOID,
                                         [CYLINDER] = CDN_SHAPE_CYLINDER,
                                         [BOX] = CDN_SHAPE_BOX };

/* Capsule and cylinder: radius, half length along z. Ellipsoid and box: half axes. Sphere: radius. */
static int size_count(geom_type s) { return s == SPHERE ? 1 : s == CAPSULE || s == CYLINDER ? 2 : 3; }

static double volume(geom_type s, const double *a) {
  switch (s) {
    case SPHERE: return 4 * PI / 3 * a[0] * a[0] * a[0];
    case CAPSULE: return PI * a[0] * a[0] * (2 * a[1] + 4 * a[0] / 3);
    case ELLIPSOID: return 4 * PI / 3 * a[0] * a[1] * a[2];
    case CYLINDER: return 2 * PI * a[0] * a[0] * a[1];
    case BOX: return 8 * a[0] * a[1] * a[2];
    case PLANE:
    case HFIELD: return 0;
    case MESH:
    case SDF: break; /* its mesh tells */
  }
  return 0;
}

/* Central inertia of the solid in its own axes. */
static cdn_inertia solid_inertia(geom_type s, double m, const double *a) {
  double x = 0, y = 0, z = 0;
  if (s == SPHERE) {
    x = y = z = 2 * m * a[0] * a[0] / 5;
  } else if (s == ELLIPSOID || s == BOX) {
    const double k = s == BOX ? m / 3 : m / 5;
    x = k * (a[1] * a[1] + a[2] * a[2]);
    y = k * (a[0] * a[0] + a[2] * a[2]);
    z = k * (a[0] * a[0] + a[1] * a[1]);
  } else {
    /* A cylinder of radius a and half length h. A capsule also has half balls of radius a on both ends; their
     * centres of mass are 3/8 a outside of the ends, and their central inertias are those of a ball less m (3/8
     * a)^2. */
    const double r = a[0], h = a[1];
    const double balls = s == CAPSULE ? m * 2 * r / (2 * r + 3 * h) : 0;
    const double rod = m - balls;
    z = rod * r * r / 2 + balls * 2 * r * r / 5;
    x = y = rod * (3 * r * r + 4 * h * h) / 12 + balls * (2 * r * r / 5 + h * h + 3 * h * r / 4);
  }
  return (cdn_inertia){ x, y, z, 0, 0, 0 };
}

/* What has mass: the solid, or (shellinertia) its surface. */
static double content(geom_type s, const double *a, bool shell) {
  return shell ? io_mjcf_shell_area(shapes[s], a) : volume(s, a);
}

/* ---- reading ---- */

static cdn_status read_fromto(mjcf_reader *r, const mjcf_element *e, geom_type s, double *size, cdn_transform *X) {
  double v[6];
  if (s != CAPSULE && s != CYLINDER && s != ELLIPSOID && s != BOX)
    return io_xml_fail(r->log, CDN_ERR_PARSE, e->node,
                       "fromto is for capsule, cylinder, ellipsoid and box, but the "
                       "type is %s; use pos and size",
                       types[s]);
  CDNI_TRY(io_mjcf_doubles(r, e, "fromto", v, 6, NULL));
  if (cdn_norm(X->p) != 0)
    return io_xml_fail(r->log, CDN_ERR_PARSE, e->node, "both pos and fromto place the geom; keep one of them");
  CDNI_TRY(io_mjcf_fromto(r, e, v, X));
  const double half = cdn_norm(cdn_sub(cdn_v3(v[0], v[1], v[2]), cdn_v3(v[3], v[4], v[5]))) / 2;
  /* The length comes from the points, the thickness from the first size. */
  if (s == ELLIPSOID || s == BOX) size[2] = half, size[1] = size[0];
  else size[1] = half;
  return CDN_OK;
}

/* The sizes of a geom, and its pose in the frame around it. `fitted`: the sizes are in a mesh's file. */
typedef struct geometry {
  geom_type s;
  bool fitted;
  double size[3];
  cdn_transform X;
} geometry;

static cdn_status read_geometry(mjcf_reader *r, const mjcf_element *e, geometry *g) {
  int count;
  CDNI_TRY(io_mjcf_doubles_upto(r, e, "size", g->size, 3, &count));
  const bool fromto = !g->fitted && g->s >= SPHERE && io_mjcf_has(r, e, "fromto");
  const int needed = g->fitted || g->s < SPHERE ? 0 : fromto ? 1 : size_count(g->s);
  if (count < needed)
    return io_xml_fail(r->log, CDN_ERR_PARSE, e->node, "a %s%s needs %d number%s in 'size', %d given", types[g->s],
                       fromto ? " with fromto" : "", needed, needed == 1 ? "" : "s", count);
  CDNI_TRY(io_mjcf_vec3(r, e, "pos", &g->X.p));
  if (fromto) {
    CDNI_TRY(read_fromto(r, e, g->s, g->size, &g->X));
  } else {
    bool present;
    CDNI_TRY(io_mjcf_orientation(r, e, &g->X.R, &present));
  }
  for (int i = 0; needed > 0 && i < size_count(g->s); i++)
    if (g->size[i] <= 0)
      return io_xml_fail(r->log, CDN_ERR_PARSE, e->node, "size number %d of the %s is %g; it must be positive", i + 1,
                         types[g->s], g->size[i]);
  return CDN_OK;
}

/* The density is of the volume, or of the area of a shell. */
static cdn_status read_mass(mjcf_reader *r, const mjcf_element *e, double volume_or_area, double *mass) {
  double density = 1000;
  bool given;
  CDNI_TRY(io_mjcf_doubles(r, e, "mass", mass, 1, &given));
  CDNI_TRY(io_mjcf_double(r, e, "density", &density));
  if (!given) *mass = density * volume_or_area;
  if (*mass < 0)
    return io_xml_fail(r->log, CDN_ERR_PARSE, e->node, "the %s is negative; it must be 0 or more",
                       given ? "mass" : "density");
  return CDN_OK;
}

/* `own` is in the geom's frame, in which its principal axes are `axes`. */
static void add_to(mjcf_body_mass *sum, const cdn_mass_properties *own, cdn_transform X_BG, cdn_rotation axes) {
  const bool first = sum->of.mass == 0;
  const cdn_mass_properties in_B = cdn_mass_properties_transform(X_BG, *own);
  sum->of = first ? in_B : cdn_mass_properties_merge(sum->of, in_B);
  sum->principal =
      first ? cdn_rotation_multiply(X_BG.R, axes) : (cdn_rotation){ { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 } };
}

static cdn_status add_mass(mjcf_reader *r, const mjcf_element *e, const mjcf_scope *scope, const geometry *g,
                           mjcf_body_mass *sum) {
  const geom_type s = g->s;
  double mass = 0;
  bool shell = false;
  CDNI_TRY(io_mjcf_bool(r, e, "shellinertia", &shell));
  CDNI_TRY(read_mass(r, e, content(s, g->size, shell), &mass));
  if (mass == 0) return CDN_OK;
  const cdn_inertia I = shell ? io_mjcf_shell_inertia(shapes[s], mass, g->size) : solid_inertia(s, mass, g->size);
  const cdn_mass_properties own = { mass, cdn_v3(0, 0, 0), I };
  add_to(sum, &own, cdn_transform_multiply(scope->X_BS, g->X), cdn_rotation_identity());
  return CDN_OK;
}

/* What a geom with a mesh lacks, or counts in its stead. */
static void report_mesh(mjcf_reader *r, const mjcf_element *e, geom_type s, const char *body,
                        const mjcf_mesh_mass *mesh) {
  const int line = io_xml_line(e->node);
  const char *name = body ? body : "(unnamed)";
  if (s == MESH && mesh && mesh->of.mass > 0) {
    io_warn(r->log, line, "body '%s': the convex hull of a mesh geom counts for its mass: %s", name, mesh->reason);
    return;
  }
  io_not_understood(r->log, line, s == SDF ? "geom type=sdf" : s == MESH ? "geom type=mesh" : "geom mesh");
  io_warn(r->log, line, "body '%s': the mass of its mesh geom is missing%s%s; give the body an <inertial>", name,
          mesh && mesh->reason[0] ? ": " : "", mesh ? mesh->reason : "");
}

static const char *body_name(const mjcf_reader *r, int place) {
  return place > 0 ? io_body_at(&r->tree, place)->name : "world";
}

/* A geom with a mesh: the solid within it, or its surface, if the mesh says so; or the geom, as MuJoCo had it before
 * meshes could. */
static cdn_status add_mesh_mass(mjcf_reader *r, const mjcf_element *e, const mjcf_scope *scope, const geometry *g,
                                mjcf_body_mass *sum) {
  const char *name = NULL;
  double mass = 0;
  bool shell = false;
  CDNI_TRY(io_mjcf_bool(r, e, "shellinertia", &shell));
  CDNI_TRY(read_mass(r, e, 1, &mass)); /* 0 where its mass or density is */
  if (mass == 0) return CDN_OK;
  CDNI_TRY(io_mjcf_string(r, e, "mesh", &name));
  const mjcf_mesh_mass *mesh = g->s == MESH ? io_mjcf_mesh_mass(r, name, shell) : NULL;
  if (!mesh || mesh->reason[0]) report_mesh(r, e, g->s, body_name(r, scope->place), mesh);
  if (!mesh || !(mesh->of.mass > 0)) return CDN_OK;
  CDNI_TRY(read_mass(r, e, mesh->of.mass, &mass));
  const double k = mass / mesh->of.mass;
  const cdn_inertia I = mesh->of.inertia;
  const cdn_mass_properties own = { mass,
                                    mesh->of.com,
                                    { k * I.xx, k * I.yy, k * I.zz, k * I.xy, k * I.xz, k * I.yz } };
  add_to(sum, &own, cdn_transform_multiply(scope->X_BS, g->X), io_mujoco_axes(I));
  return CDN_OK;
}

static cdn_status read_fluid(mjcf_reader *r, const mjcf_element *e, cdn_spec_shape *shape) {
  static const char *const words[] = { "none", "ellipsoid" };
  int word = 0, count;
  CDNI_TRY(io_mjcf_keyword(r, e, "fluidshape", words, 2, &word));
  CDNI_TRY(io_mjcf_doubles_upto(r, e, "fluidcoef", shape->fluid_coefficients, 5, &count));
  shape->fluid = word == 1;
  return CDN_OK;
}

/* The shape as data: what collides with it, and how it is drawn. */
static cdn_status keep_shape(mjcf_reader *r, const mjcf_element *e, const mjcf_scope *scope, const geometry *g,
                             cdn_spec_shape *shape) {
  int count, index;
  shape->name = io_mjcf_name(r, e->node);
  shape->type = shapes[g->s];
  memcpy(shape->size, g->size, sizeof g->size);
  shape->X_BS = cdn_transform_multiply(scope->X_BS, g->X);
  shape->line = io_xml_line(e->node);
  CDNI_TRY(io_mjcf_string(r, e, g->s == HFIELD ? "hfield" : "mesh", &shape->asset));
  CDNI_TRY(io_mjcf_string(r, e, "material", &shape->material));
  CDNI_TRY(io_mjcf_doubles(r, e, "rgba", shape->rgba, 4, NULL));
  CDNI_TRY(io_mjcf_int(r, e, "condim", &shape->condim));
  CDNI_TRY(io_mjcf_int(r, e, "priority", &shape->priority));
  CDNI_TRY(io_mjcf_double(r, e, "margin", &shape->margin));
  CDNI_TRY(io_mjcf_double(r, e, "gap", &shape->gap));
  CDNI_TRY(io_mjcf_double(r, e, "solmix", &shape->solmix));
  CDNI_TRY(io_mjcf_law(r, e, "solref", "solimp", &shape->law));
  CDNI_TRY(io_mjcf_doubles_upto(r, e, "friction", shape->friction, 3, &count));
  CDNI_TRY(read_fluid(r, e, shape));
  CDNI_TRY(io_spec_append(r->spec, CDN_SPEC_SHAPE, shape, &index));
  const mjcf_object object = { .name = io_spec_shape(r->spec, index)->name,
                               .place = scope->place,
                               .fixed = !g->fitted || !r->compiler.fit_boxes || shape->type == CDN_SHAPE_MESH,
                               .mesh = g->fitted ? io_spec_shape(r->spec, index)->asset : NULL,
                               .X = shape->X_BS,
                               .solid = { r, e->node, r->document, scope->class, scope->X_BS } };
  CDNI_TRY(io_mjcf_add_object(r, MJCF_OBJECT_GEOM, &object));
  return IO_REFER(&r->tree, SHAPE, shape, index, body, scope->place);
}

static cdn_status add_any_mass(mjcf_reader *r, const mjcf_element *e, const mjcf_scope *scope, const geometry *g,
                               mjcf_body_mass *sum) {
  if (g->fitted) return add_mesh_mass(r, e, scope, g, sum);
  return g->s >= SPHERE ? add_mass(r, e, scope, g, sum) : CDN_OK;
}

/* A primitive with a mesh is fitted to it, so that its size is in the mesh's file. */
static bool is_fitted(mjcf_reader *r, const mjcf_element *e, geom_type s) {
  return s == MESH || s == SDF || (s >= SPHERE && io_mjcf_has(r, e, "mesh"));
}

static bool is_in_groups(const mjcf_reader *r, int group) {
  return group >= r->compiler.first_group && group <= r->compiler.last_group;
}

static cdn_status add_solid(const mjcf_solid *solid, mjcf_body_mass *sum, int *selected) {
  mjcf_reader *r = solid->reader;
  const mjcf_scope scope = { .class = solid->class, .X_BS = solid->X_BS };
  mjcf_element e;
  geometry g = { .X = cdn_transform_identity() };
  int type = SPHERE, group = 0;
  CDNI_TRY(io_mjcf_element(r, solid->node, MJCF_GEOM, scope.class, &e));
  CDNI_TRY(io_mjcf_keyword(r, &e, "type", types, CDNI_COUNT(types), &type));
  CDNI_TRY(io_mjcf_int(r, &e, "group", &group));
  if (!is_in_groups(r, group)) return CDN_OK;
  g.s = (enum geom_type)type;
  g.fitted = is_fitted(r, &e, g.s);
  CDNI_TRY(read_geometry(r, &e, &g));
  ++*selected;
  return add_any_mass(r, &e, &scope, &g, sum);
}

cdn_status io_mjcf_add_solid(const mjcf_solid *solid, io_log *log, mjcf_body_mass *sum, int *selected) {
  mjcf_reader *r = solid->reader;
  io_log *own = r->log;
  char *file = log->file;
  r->log = log;
  const int before = io_mjcf_enter(r, solid->document);
  const cdn_status status = add_solid(solid, sum, selected);
  r->document = before;
  r->log = own;
  log->file = file;
  return status;
}

cdn_status io_mjcf_read_geom(mjcf_reader *r, io_xml_node *node, const mjcf_scope *scope, bool massless,
                             mjcf_body_mass *sum, int *selected) {
  mjcf_element e;
  cdn_spec_shape shape = cdn_default_spec_shape();
  geometry g = { .X = cdn_transform_identity() };
  int type = SPHERE;
  CDNI_TRY(io_mjcf_element(r, node, MJCF_GEOM, scope->class, &e));
  CDNI_TRY(io_mjcf_keyword(r, &e, "type", types, CDNI_COUNT(types), &type));
  CDNI_TRY(io_mjcf_int(r, &e, "group", &shape.group));
  CDNI_TRY(io_mjcf_int(r, &e, "contype", &shape.contype));
  CDNI_TRY(io_mjcf_int(r, &e, "conaffinity", &shape.conaffinity));
  if (r->collision == MJCF_COLLISION_PREDEFINED) shape.contype = shape.conaffinity = 0;
  shape.collision = r->flags.contacts && (shape.contype != 0 || shape.conaffinity != 0);
  if (shape.collision && !r->shapes_touch) io_not_understood(r->log, io_xml_line(node), "geom contact");
  g.s = (enum geom_type)type;
  const bool in_groups = is_in_groups(r, shape.group);
  *selected += in_groups;
  g.fitted = is_fitted(r, &e, g.s);
  CDNI_TRY(read_geometry(r, &e, &g));
  if (!massless && in_groups) CDNI_TRY(add_any_mass(r, &e, scope, &g, sum));
  if (g.fitted && g.s >= SPHERE && !r->compiler.fit_boxes) {
    shape.fit_scale = 1;
    CDNI_TRY(io_mjcf_double(r, &e, "fitscale", &shape.fit_scale));
  }
  CDNI_TRY(keep_shape(r, &e, scope, &g, &shape));
  io_mjcf_finish_element(r, &e);
  return CDN_OK;
}
