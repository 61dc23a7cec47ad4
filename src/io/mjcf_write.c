/* A spec as MJCF: what elements have in common, sites, and the order of the sections. */
#include "io/mjcf_write.h"

#include <math.h>
#include <stdio.h>

static const double ROUNDING = 1e-15; /* of a product of rotations */

/* ---- attributes ------------------------------------------------------------------------------- */

cdn_status io_mjcf_put_polynomial(mjcf_writer *w, const char *name, double linear, const double higher[2]) {
  const double c[3] = { linear, higher[0], higher[1] };
  if (c[1] == 0 && c[2] == 0) return io_put_number_unless(&w->xml, name, linear, 0);
  return io_put_numbers(&w->xml, name, c, 3);
}

cdn_status io_mjcf_put_pose(mjcf_writer *w, const cdn_transform *X) {
  static const double origin[3];
  const cdn_transform usual = cdn_transform_identity();
  CDNI_TRY(io_put_unless(&w->xml, "pos", &X->p.x, origin, 3));
  if (memcmp(&X->R, &usual.R, sizeof usual.R) == 0) return CDN_OK;
  const cdn_quaternion q = cdn_quaternion_from_rotation(X->R);
  if (fmax(fmax(fabs(q.x), fabs(q.y)), fabs(q.z)) < ROUNDING) return CDN_OK; /* mjcf_exact.c has the bits */
  return io_put_numbers(&w->xml, "quat", &q.w, 4);
}

cdn_status io_mjcf_put_law(mjcf_writer *w, const char *ref, const char *imp, const cdn_soft_law *law) {
  const cdn_soft_law usual = cdn_default_soft_law();
  CDNI_TRY(io_put_unless(&w->xml, ref, law->ref, usual.ref, 2));
  return io_put_unless(&w->xml, imp, law->imp, usual.imp, 5);
}

cdn_status io_mjcf_put_range(mjcf_writer *w, const char *limited, const char *range, double lower, double upper) {
  if (isinf(lower) && isinf(upper)) return CDN_OK;
  /* a bound that is not there is a number that is never reached */
  const double bounds[2] = { fmax(lower, -1e300), fmin(upper, 1e300) };
  CDNI_TRY(io_put_bool(&w->xml, limited, true));
  return io_put_numbers(&w->xml, range, bounds, 2);
}

/* ---- bodies and sites ------------------------------------------------------------------------ */

int io_mjcf_body_of(const mjcf_writer *w, const char *name) {
  const int i = io_spec_find_body(&w->names, name);
  return i < 0 ? -1 : i;
}

static cdn_status no_memory(void) { return cdni_refuse(CDN_ERR_NOMEM, "cdn_spec_save", "out of memory"); }

static bool has_volume(const mjcf_written_site *site, const cdn_spec_sensor *s) {
  return site->volume == s->volume && memcmp(site->volume_size, s->volume_size, sizeof s->volume_size) == 0;
}

/* Where only the place counts, X has no axes. */
static bool is_at(const mjcf_written_site *site, const cdn_transform *X) {
  return memcmp(&site->X.p, &X->p, sizeof X->p) == 0 &&
         (cdn_norm(X->R.x) == 0 || memcmp(&site->X.R, &X->R, sizeof X->R) == 0);
}

static int find_site(const mjcf_writer *w, const char *body, const cdn_transform *X, const cdn_spec_sensor *volume) {
  const int b = io_mjcf_body_of(w, body);
  for (size_t i = 0; i < w->sites.count; i++) {
    const mjcf_written_site *site = &CDNI_AT(w->sites, mjcf_written_site, i);
    if (site->body != b || !is_at(site, X)) continue;
    if (!volume || !site->has_volume || has_volume(site, volume)) return (int)i;
  }
  return -1;
}

cdn_status io_mjcf_need_site(mjcf_writer *w, const char *body, const cdn_transform *X, const cdn_spec_sensor *volume) {
  int i = find_site(w, body, X, volume);
  mjcf_written_site made = { .body = io_mjcf_body_of(w, body), .X = *X };
  if (cdn_norm(X->R.x) == 0) made.X.R = cdn_rotation_identity();
  if (i < 0 && !cdni_array_push(NULL, &w->sites, sizeof made, &made)) return no_memory();
  if (i < 0) i = (int)w->sites.count - 1;
  mjcf_written_site *site = &CDNI_AT(w->sites, mjcf_written_site, i);
  if (!volume) return CDN_OK;
  site->has_volume = true, site->volume = volume->volume;
  memcpy(site->volume_size, volume->volume_size, sizeof site->volume_size);
  return CDN_OK;
}

bool io_mjcf_has_site(const mjcf_writer *w, const char *body, const cdn_transform *X) {
  return find_site(w, body, X, NULL) >= 0;
}

cdn_status io_mjcf_put_site_name(mjcf_writer *w, const char *attribute, int i) {
  const char *name = i < 0 ? NULL : CDNI_AT(w->sites, mjcf_written_site, i).name;
  char made[40];
  snprintf(made, sizeof made, "cardan site %d", i);
  return io_put_text(&w->xml, attribute, name ? name : made);
}

cdn_status io_mjcf_put_site(mjcf_writer *w, const char *attribute, const char *body, const cdn_transform *X,
                            const cdn_spec_sensor *volume) {
  return io_mjcf_put_site_name(w, attribute, find_site(w, body, X, volume));
}

/* ---- the sections ---------------------------------------------------------------------------- */

/* MuJoCo's older versions do not know all of them: one is there if it is not as usual. */
static cdn_status put_flag(mjcf_writer *w, const char *name, bool on, bool usual) {
  return on == usual ? CDN_OK : io_put_text(&w->xml, name, on ? "enable" : "disable");
}

static cdn_status write_options(mjcf_writer *w) {
  static const char *const integrators[] = { "Euler", "RK4", "implicit", "implicitfast" };
  static const char *const cones[] = { "pyramidal", "elliptic" }, *const solvers[] = { "Newton", "CG", "PGS" };
  const io_whole *all = &w->spec->whole;
  const cdn_spec_solver *s = &all->solver, usual = cdn_default_spec_solver();
  const cdn_spec_medium *m = &all->medium, still = cdn_default_spec_medium();
  CDNI_TRY(io_put_begin(&w->xml, "compiler"));
  CDNI_TRY(io_put_text(&w->xml, "angle", "radian"));
  CDNI_TRY(io_put_bool(&w->xml, "autolimits", false));
  CDNI_TRY(io_put_bool(&w->xml, "inertiafromgeom", false));
  CDNI_TRY(io_put_end(&w->xml));
  CDNI_TRY(io_put_begin(&w->xml, "option"));
  CDNI_TRY(io_put_numbers(&w->xml, "gravity", &all->gravity.x, 3));
  CDNI_TRY(io_put_number(&w->xml, "timestep", s->timestep));
  if (s->integrator != usual.integrator) CDNI_TRY(io_put_text(&w->xml, "integrator", integrators[s->integrator]));
  if (s->cone != usual.cone) CDNI_TRY(io_put_text(&w->xml, "cone", cones[s->cone]));
  if (s->solver != usual.solver) CDNI_TRY(io_put_text(&w->xml, "solver", solvers[s->solver]));
  CDNI_TRY(io_put_int_unless(&w->xml, "iterations", s->iterations, usual.iterations));
  CDNI_TRY(io_put_int_unless(&w->xml, "ls_iterations", s->ls_iterations, usual.ls_iterations));
  CDNI_TRY(io_put_int_unless(&w->xml, "noslip_iterations", s->noslip_iterations, usual.noslip_iterations));
  CDNI_TRY(io_put_number_unless(&w->xml, "tolerance", s->tolerance, usual.tolerance));
  CDNI_TRY(io_put_number_unless(&w->xml, "ls_tolerance", s->ls_tolerance, usual.ls_tolerance));
  CDNI_TRY(io_put_number_unless(&w->xml, "noslip_tolerance", s->noslip_tolerance, usual.noslip_tolerance));
  CDNI_TRY(io_put_number_unless(&w->xml, "impratio", s->impratio, usual.impratio));
  CDNI_TRY(io_put_number_unless(&w->xml, "density", m->density, still.density));
  CDNI_TRY(io_put_number_unless(&w->xml, "viscosity", m->viscosity, still.viscosity));
  CDNI_TRY(io_put_unless(&w->xml, "wind", &m->wind.x, &still.wind.x, 3));
  for (int i = 0; i < cdn_spec_count(w->spec, CDN_SPEC_SENSOR); i++)
    if (io_spec_sensor(w->spec, i)->kind == CDN_SENSOR_MAGNETOMETER) { /* one field for all */
      CDNI_TRY(io_put_numbers(&w->xml, "magnetic", &io_spec_sensor(w->spec, i)->field.x, 3));
      break;
    }
  CDNI_TRY(io_put_into(&w->xml));
  CDNI_TRY(io_put_begin(&w->xml, "flag"));
  CDNI_TRY(put_flag(w, "filterparent", !all->parents_touch, true));
  CDNI_TRY(put_flag(w, "refsafe", s->refsafe, true));
  CDNI_TRY(put_flag(w, "eulerdamp", s->eulerdamp, true));
  CDNI_TRY(put_flag(w, "contact", !w->no_contacts, true));
  CDNI_TRY(put_flag(w, "diagexact", s->exact_diagonal, false));
  for (int i = 0; i < cdn_spec_count(w->spec, CDN_SPEC_SENSOR); i++)
    if (io_spec_sensor(w->spec, i)->noisy) {
      CDNI_TRY(put_flag(w, "sensornoise", true, false));
      break;
    }
  CDNI_TRY(io_put_end(&w->xml));
  return io_put_close(&w->xml, "option");
}

/* Shapes with masks, none of which touches, and no pair. */
static bool has_no_contacts(const cdn_spec *spec) {
  bool masks = false;
  for (int i = 0; i < cdn_spec_count(spec, CDN_SPEC_SHAPE); i++) {
    const cdn_spec_shape *s = io_spec_shape(spec, i);
    if (s->collision) return false;
    masks = masks || s->contype != 0 || s->conaffinity != 0;
  }
  return masks && cdn_spec_count(spec, CDN_SPEC_CONTACT) == 0;
}

static cdn_status list_sites(mjcf_writer *w) {
  for (int i = 0; i < cdn_spec_count(w->spec, CDN_SPEC_FRAME); i++) {
    const cdn_spec_frame *f = io_spec_frame(w->spec, i);
    const mjcf_written_site site = { .name = f->name, .body = io_mjcf_body_of(w, f->body), .X = f->X_BF };
    if (!cdni_array_push(NULL, &w->sites, sizeof site, &site)) return no_memory();
  }
  return io_mjcf_need_sites(w);
}

static cdn_status write_all(mjcf_writer *w, const io_lost *lost) {
  static cdn_status (*const sections[])(
      mjcf_writer *) = { write_options,           io_mjcf_write_assets,     io_mjcf_write_worldbody,
                         io_mjcf_write_contacts,  io_mjcf_write_equalities, io_mjcf_write_tendons,
                         io_mjcf_write_actuators, io_mjcf_write_sensors,    io_mjcf_write_keys };
  CDNI_TRY(list_sites(w));
  CDNI_TRY(io_put(w->xml.to, "<mujoco"));
  CDNI_TRY(io_put_text(&w->xml, "model", cdn_spec_name(w->spec)));
  CDNI_TRY(io_put(w->xml.to, ">\n"));
  for (int i = 0; i < CDNI_COUNT(sections); i++) CDNI_TRY(sections[i](w));
  return io_mjcf_write_exact(w, lost);
}

/* ---- a body called "world" -------------------------------------------------------------------- */

/* What names a body. */
static const struct {
  cdn_spec_kind kind;
  const char *field;
} of_bodies[] = {
  { CDN_SPEC_BODY, "name" },         { CDN_SPEC_JOINT, "parent" },       { CDN_SPEC_JOINT, "child" },
  { CDN_SPEC_CONSTRAINT, "body_a" }, { CDN_SPEC_CONSTRAINT, "body_b" },  { CDN_SPEC_FRAME, "body" },
  { CDN_SPEC_SHAPE, "body" },        { CDN_SPEC_CONTACT, "body_a" },     { CDN_SPEC_CONTACT, "body_b" },
  { CDN_SPEC_CAMERA, "body" },       { CDN_SPEC_CAMERA, "target" },      { CDN_SPEC_LIGHT, "body" },
  { CDN_SPEC_LIGHT, "target" },      { CDN_SPEC_PATH_ITEM, "body" },     { CDN_SPEC_PATH_ITEM, "side_body" },
  { CDN_SPEC_ACTUATOR, "body" },     { CDN_SPEC_ACTUATOR, "reference" }, { CDN_SPEC_SENSOR, "body" },
  { CDN_SPEC_SENSOR, "reference" },  { CDN_SPEC_SENSOR, "name_a" },      { CDN_SPEC_SENSOR, "name_b" }
};

static cdn_status rename_text(const cdn_spec *spec, cdn_spec_kind kind, const char *field, const char *from,
                              const char *to) {
  const io_element_kind *of = &io_element_kinds()[kind];
  for (int k = 0; k < of->n_fields; k++)
    for (int i = 0; i < cdn_spec_count(spec, kind) && strcmp(of->fields[k].name, field) == 0; i++) {
      const char **text = io_spec_text(spec, kind, i, of->fields[k].offset);
      if (!*text || strcmp(*text, from) != 0) continue;
      char *copy = cdni_strdup(&spec->log.allocator, to);
      if (!copy) return no_memory();
      cdni_strfree(&spec->log.allocator, (char *)*text);
      *text = copy;
    }
  return CDN_OK;
}

/* MJCF calls the worldbody so; URDF's root often has that name. A weld is called by its body. */
static cdn_status rename_world(cdn_spec *spec, const io_lost *lost) {
  char name[40] = "world link";
  if (cdn_spec_find(spec, CDN_SPEC_BODY, "world") < 0) return CDN_OK;
  if (!lost->tell)
    return cdni_refuse(CDN_ERR_UNSUPPORTED, "cdn_spec_save",
                       "MJCF cannot hold a body called 'world', as its worldbody is: give it another name");
  lost->tell(lost->context, "body 'world': name (it becomes 'world link')");
  while (cdn_spec_find(spec, CDN_SPEC_BODY, name) >= 0 && strlen(name) + 2 < sizeof name) strcat(name, "_");
  for (int i = 0; i < CDNI_COUNT(of_bodies); i++)
    CDNI_TRY(rename_text(spec, of_bodies[i].kind, of_bodies[i].field, "world", name));
  char weld[60];
  snprintf(weld, sizeof weld, "%s weld", name);
  return rename_text(spec, CDN_SPEC_JOINT, "name", "world weld", weld);
}

cdn_status io_write_mjcf(cdn_spec *spec, const char *path, const io_lost *lost, cdn_buffer *to) {
  const size_t bodies = (size_t)cdn_spec_count(spec, CDN_SPEC_BODY),
               joints = (size_t)cdn_spec_count(spec, CDN_SPEC_JOINT);
  mjcf_writer w = { .spec = spec,
                    .path = path,
                    .xml = { .to = to },
                    .no_contacts = has_no_contacts(spec),
                    .joint_of = cdni_alloc(NULL, (bodies + 1) * sizeof(int)),
                    .place_of = cdni_alloc(NULL, (bodies + 1) * sizeof(int)),
                    .order = cdni_alloc(NULL, (joints + 1) * sizeof(int)) };
  cdn_status status = w.joint_of && w.place_of && w.order ? rename_world(spec, lost) : no_memory();
  if (status == CDN_OK) status = io_spec_names_make(spec, &w.names);
  if (status != CDN_OK && spec->log.error.code != CDN_OK)
    status = cdni_refuse(status, "cdn_spec_save", "%s", spec->log.error.text);
  if (status == CDN_OK) status = write_all(&w, lost);
  io_spec_names_free(spec, &w.names);
  cdni_array_free(NULL, &w.sites);
  cdni_free(NULL, w.joint_of, 0);
  cdni_free(NULL, w.place_of, 0);
  cdni_free(NULL, w.order, 0);
  return status;
}
