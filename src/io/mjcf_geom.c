/* Geoms, as far as they have mass: solid spheres, capsules, ellipsoids, cylinders and boxes. Their shapes matter for
 * contact only, which is not simulated. */
#include <math.h>

#include "io/mjcf.h"

static const double PI = 3.14159265358979323846;

/* In the order of `types` below. */
typedef enum shape { PLANE, HFIELD, MESH, SDF, SPHERE, CAPSULE, ELLIPSOID, CYLINDER, BOX } shape;
static const char *const types[] = { "plane",   "hfield",    "mesh",     "sdf", "sphere",
                                     "capsule", "ellipsoid", "cylinder", "box" };

/* Capsule and cylinder: radius, half length along z. Ellipsoid and box: half axes. Sphere: radius. */
static int size_count(shape s) { return s == SPHERE ? 1 : s == CAPSULE || s == CYLINDER ? 2 : 3; }

static double volume(shape s, const double *a) {
  switch (s) {
    case SPHERE: return 4 * PI / 3 * a[0] * a[0] * a[0];
    case CAPSULE: return PI * a[0] * a[0] * (2 * a[1] + 4 * a[0] / 3);
    case ELLIPSOID: return 4 * PI / 3 * a[0] * a[1] * a[2];
    case CYLINDER: return 2 * PI * a[0] * a[0] * a[1];
    case BOX: return 8 * a[0] * a[1] * a[2];
    default: return 0;
  }
}

/* Central inertia of the solid in its own axes. */
static cdn_inertia solid_inertia(shape s, double m, const double *a) {
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

/* ---- reading ---- */

static cdn_status read_fromto(mjcf_reader *r, const mjcf_element *e, shape s, double *size, cdn_transform *X) {
  double v[6];
  if (s != CAPSULE && s != CYLINDER && s != ELLIPSOID && s != BOX)
    return io_xml_fail(r->d, CDN_ERR_PARSE, e->node,
                       "fromto is for capsule, cylinder, ellipsoid and box, but the "
                       "type is %s; use pos and size",
                       types[s]);
  CDNI_TRY(io_mjcf_doubles(r, e, "fromto", v, 6, NULL));
  if (cdn_norm(X->p) != 0)
    return io_xml_fail(r->d, CDN_ERR_PARSE, e->node, "both pos and fromto place the geom; keep one of them");
  CDNI_TRY(io_mjcf_fromto(r, e, v, X));
  const double half = cdn_norm(cdn_sub(cdn_v3(v[0], v[1], v[2]), cdn_v3(v[3], v[4], v[5]))) / 2;
  /* The length comes from the points, the thickness from the first size. */
  if (s == ELLIPSOID || s == BOX) size[2] = half, size[1] = size[0];
  else size[1] = half;
  return CDN_OK;
}

static cdn_status read_shape(mjcf_reader *r, const mjcf_element *e, shape s, double *size, cdn_transform *X) {
  int count;
  CDNI_TRY(io_mjcf_doubles_upto(r, e, "size", size, 3, &count));
  const bool fromto = io_mjcf_has(r, e, "fromto");
  const int needed = fromto ? 1 : size_count(s);
  if (count < needed)
    return io_xml_fail(r->d, CDN_ERR_PARSE, e->node, "a %s%s needs %d number%s in 'size', %d given", types[s],
                       fromto ? " with fromto" : "", needed, needed == 1 ? "" : "s", count);
  CDNI_TRY(io_mjcf_vec3(r, e, "pos", &X->p));
  if (fromto) {
    CDNI_TRY(read_fromto(r, e, s, size, X));
  } else {
    bool present;
    CDNI_TRY(io_mjcf_orientation(r, e, &X->R, &present));
  }
  for (int i = 0; i < size_count(s); i++)
    if (size[i] <= 0)
      return io_xml_fail(r->d, CDN_ERR_PARSE, e->node, "size number %d of the %s is %g; it must be positive", i + 1,
                         types[s], size[i]);
  return CDN_OK;
}

static cdn_status read_mass(mjcf_reader *r, const mjcf_element *e, shape s, const double *size, double *mass) {
  double density = 1000;
  bool given;
  CDNI_TRY(io_mjcf_doubles(r, e, "mass", mass, 1, &given));
  CDNI_TRY(io_mjcf_double(r, e, "density", &density));
  if (!given) *mass = density * volume(s, size);
  if (*mass < 0)
    return io_xml_fail(r->d, CDN_ERR_PARSE, e->node, "the %s is negative; it must be 0 or more",
                       given ? "mass" : "density");
  return CDN_OK;
}

/* Whether the file says that a geom has no mass; then omitting it loses nothing. */
static cdn_status says_massless(mjcf_reader *r, const mjcf_element *e, bool *yes) {
  double mass = 0, density = 1000;
  bool given;
  CDNI_TRY(io_mjcf_doubles(r, e, "mass", &mass, 1, &given));
  CDNI_TRY(io_mjcf_double(r, e, "density", &density));
  *yes = given ? mass == 0 : density == 0;
  return CDN_OK;
}

/* A mesh's mass would need its file. */
static cdn_status report_mesh(mjcf_reader *r, const mjcf_element *e, shape s, int body) {
  bool massless;
  CDNI_TRY(says_massless(r, e, &massless));
  if (massless) return CDN_OK;
  const int line = io_xml_line(e->node);
  io_not_understood(r->d, line, s == SDF ? "geom type=sdf" : s == MESH ? "geom type=mesh" : "geom mesh");
  const char *name = CDNI_AT(r->d->bodies, io_body, body).name;
  io_warn(r->d, line, "body '%s': the mass of its mesh geom is missing; give the body an <inertial>",
          name ? name : "(unnamed)");
  return CDN_OK;
}

static cdn_status add_mass(mjcf_reader *r, const mjcf_element *e, const mjcf_scope *scope, shape s,
                           cdn_mass_properties *sum) {
  double size[3] = { 0, 0, 0 }, mass = 0;
  cdn_transform X_SG = cdn_transform_identity();
  CDNI_TRY(read_shape(r, e, s, size, &X_SG));
  CDNI_TRY(read_mass(r, e, s, size, &mass));
  if (mass == 0) return CDN_OK;

  bool shell = false;
  CDNI_TRY(io_mjcf_bool(r, e, "shellinertia", &shell));
  if (shell) {
    io_not_understood(r->d, io_xml_line(e->node), "geom shellinertia");
    io_warn(r->d, io_xml_line(e->node), "shellinertia is not understood: the %s counts as solid", types[s]);
  }
  const cdn_mass_properties own = { mass, cdn_v3(0, 0, 0), solid_inertia(s, mass, size) };
  const cdn_mass_properties in_B = cdn_mass_properties_transform(cdn_transform_multiply(scope->X_BS, X_SG), own);
  *sum = sum->mass == 0 ? in_B : cdn_mass_properties_merge(*sum, in_B);
  return CDN_OK;
}

static cdn_status report_contact(mjcf_reader *r, const mjcf_element *e) {
  int contype = 1, conaffinity = 1;
  CDNI_TRY(io_mjcf_int(r, e, "contype", &contype));
  CDNI_TRY(io_mjcf_int(r, e, "conaffinity", &conaffinity));
  if ((contype != 0 || conaffinity != 0) && r->flags.contacts)
    io_not_understood(r->d, io_xml_line(e->node), "geom contact");
  return CDN_OK;
}

cdn_status io_mjcf_read_geom(mjcf_reader *r, io_xml_node *node, const mjcf_scope *scope, bool massless,
                             cdn_mass_properties *sum, int *selected) {
  mjcf_element e;
  int type = SPHERE, group = 0;
  CDNI_TRY(io_mjcf_element(r, node, MJCF_GEOM, scope->class, &e));
  CDNI_TRY(io_mjcf_keyword(r, &e, "type", types, CDNI_COUNT(types), &type));
  CDNI_TRY(io_mjcf_int(r, &e, "group", &group));
  CDNI_TRY(report_contact(r, &e));
  const shape s = (shape)type;
  const bool in_groups = group >= r->compiler.first_group && group <= r->compiler.last_group;
  *selected += in_groups;
  /* A primitive with a mesh is fitted to it, so that its size is in the mesh's file. */
  const bool mesh = s == MESH || s == SDF || (s >= SPHERE && io_mjcf_has(r, &e, "mesh"));
  if (!massless && in_groups && mesh) CDNI_TRY(report_mesh(r, &e, s, scope->body));
  if (!massless && in_groups && !mesh && s >= SPHERE) CDNI_TRY(add_mass(r, &e, scope, s, sum));
  io_mjcf_finish_element(r, &e);
  return CDN_OK;
}
