/* A System in motion under invertible contact: how it is made, and what it tells. */
#include "studies/invertible.h"

#include "core/sized.h"
#include "forces/forces.h"
#include "hybrid/hybrid.h"

CDNI_DEF(invertible_motion_def, .step = 0.01, .friction = -1, .bounce_speed = 0.1);

/* ---- failures ---- */

cdn_status cdni_motion_no_memory(cdn_invertible_motion *motion, const char *function) {
  return cdni_state_fail(motion->state, CDN_ERR_NOMEM, false, function, NULL, "out of memory for contacts");
}

cdn_status cdni_motion_tell(cdn_invertible_motion *motion, const char *function, cdn_status status) {
  if (status == CDN_OK) return status;
  if (status == CDN_ERR_NOMEM) return cdni_motion_no_memory(motion, function);
  cdn_error error;
  cdn_last_error(&error);
  return cdni_state_fail(motion->state, status, error.recoverable, function, error.element[0] ? error.element : NULL,
                         "%s", error.text);
}

/* ---- a def ---- */

static cdn_status check_def(cdn_state *state, const char *function, const cdn_invertible_motion_def *def) {
  const double numbers[] = { def->step, def->friction, def->restitution, def->bounce_speed };
  if (!cdni_all_finite(numbers, CDNI_COUNT(numbers), NULL))
    return cdni_state_fail(state, CDN_ERR_NONFINITE, false, function, NULL,
                           "a number of the def is not finite: give finite numbers");
  if (!(def->step > 0))
    return cdni_state_fail(state, CDN_ERR_ARG, false, function, NULL, "the step is %g: give a time above 0 (s)",
                           def->step);
  if (!(def->restitution >= 0 && def->restitution <= 1 && def->bounce_speed >= 0))
    return cdni_state_fail(state, CDN_ERR_ARG, false, function, NULL,
                           "restitution is %g and bounce_speed is %g: give 0 to 1, and a speed >= 0 (m/s)",
                           def->restitution, def->bounce_speed);
  if (def->n_limits < 0 || def->n_limits > 10000 || (def->n_limits > 0 && !def->limits))
    return cdni_state_fail(state, CDN_ERR_ARG, false, function, NULL,
                           "n_limits is %d, or limits is NULL: give as many limits as there are", def->n_limits);
  return CDN_OK;
}

static cdn_status check_limits(cdn_state *state, const char *function, const matter *m,
                               const cdn_invertible_limit *limits, int n) {
  for (int i = 0; i < n; i++) {
    const int body = limits[i].body.i;
    if (body < 1 || body >= m->tree.n)
      return cdni_state_fail(state, CDN_ERR_ARG, false, function, NULL, "limit %d is of body %d: there is none", i,
                             body);
    const char *name = cdn_body_name(cdn_state_system(state), limits[i].body);
    if (m->tree.node[body].nu != 1 || m->tree.node[body].nq != 1)
      return cdni_state_fail(state, CDN_ERR_ARG, false, function, name,
                             "limit %d is of '%s', whose mobilizer has %d speeds: limits need one coordinate", i, name,
                             (int)m->tree.node[body].nu);
    if (!(limits[i].lower <= limits[i].upper))
      return cdni_state_fail(state, CDN_ERR_ARG, false, function, name,
                             "limit %d of '%s' is from %g to %g: give lower <= upper", i, name, limits[i].lower,
                             limits[i].upper);
  }
  return CDN_OK;
}

/* ---- making and giving up ---- */

static size_t vector_size(const cdn_invertible_motion *m) {
  return 8 * ((size_t)m->nq + (size_t)m->nu + (size_t)m->nz + 1) * sizeof(double);
}

/* Room for the def's limits, and for as many stops as there may be. */
static size_t given_size(const cdn_invertible_motion *m) {
  return ((size_t)m->def.n_limits + (size_t)cdn_system_force_count(m->system) + 1) * sizeof(bound_given);
}

/* Whether force i of a State is a stop that is a limit from now on. */
static bool is_limit(const cdn_state *state, int i, bound_given *out) {
  int32_t slots[2];
  double bounds[2];
  if (!cdn_force_is_enabled(state, (cdn_force){ i }) || !cdni_force_stop(state, i, slots, bounds)) return false;
  *out = (bound_given){ slots[0], slots[1], bounds[0], bounds[1] };
  return true;
}

/* A copy whose shapes no other law of contact sees, and whose stops are no forces. */
static cdn_status copy_state(cdn_invertible_motion *motion, const cdn_state *from, cdn_state **out) {
  CDNI_TRY(cdn_state_create(motion->system, out));
  CDNI_TRY(cdn_state_copy(*out, from));
  for (int i = 0; i < motion->shapes; i++) CDNI_TRY(cdn_shape_set_enabled(*out, (cdn_shape){ i }, false));
  bound_given stop;
  for (int i = 0; !motion->def.keep_stops && i < cdn_system_force_count(motion->system); i++)
    if (is_limit(from, i, &stop)) CDNI_TRY(cdn_force_set_enabled(*out, (cdn_force){ i }, false));
  return CDN_OK;
}

static void gather_limits(cdn_invertible_motion *motion, const cdn_state *state, const cdn_invertible_motion_def *def) {
  for (int i = 0; i < def->n_limits; i++) {
    const tree_node *node = &motion->m->tree.node[def->limits[i].body.i];
    motion->given[i] = (bound_given){ node->q, node->u, def->limits[i].lower, def->limits[i].upper };
  }
  motion->n_given = def->n_limits;
  for (int i = 0; !def->keep_stops && i < cdn_system_force_count(motion->system); i++)
    motion->n_given += is_limit(state, i, &motion->given[motion->n_given]);
}

/* Its law needs distances from what does not touch yet, and how points and normals change: sources tell neither. */
static cdn_status check_sources(cdn_state *state, const char *function) {
  const char *source = cdni_contact_source_name(cdni_contact(cdn_state_system(state)));
  if (!source) return CDN_OK;
  return cdni_state_fail(state, CDN_ERR_UNSUPPORTED, false, function, source,
                         "invertible contact does not see the contacts of source '%s', which has no distances before "
                         "it touches: give the shapes a geometry of your own, or run the System with soft or compliant "
                         "contact",
                         source);
}

/* Statuses change at events, of which such a motion knows nothing. Shapes, which have a law of its own, may touch
 * nothing yet. */
static cdn_status check_statuses(cdn_state *state, const char *function) {
  const cdn_system *system = cdn_state_system(state);
  const hybrid_room *room = cdni_hybrid(system);
  char text[128] = "";
  for (int i = 0; i < cdn_system_one_sided_count(system) && !text[0]; i++)
    if (!cdni_hybrid_is_of_pool(room, i) || cdn_one_sided_is_on(state, (cdn_one_sided){ i }))
      cdn_one_sided_text(state, (cdn_one_sided){ i }, text, sizeof text);
  for (int i = 0; i < cdn_system_dry_friction_count(system) && !text[0]; i++)
    if (cdni_hybrid_friction_is_alone(room, i))
      cdn_dry_friction_text(state, (cdn_dry_friction){ i }, text, sizeof text);
  if (!text[0]) return CDN_OK;
  return cdni_state_fail(
      state, CDN_ERR_UNSUPPORTED, false, function, text,
      "'%s' touches, lets go, sticks or slips at events, of which motion with an inverse knows none: "
      "use a constraint or a force in its place, or run the System by a stepper",
      text);
}

static cdn_status fill(cdn_invertible_motion *motion, cdn_state *state, const cdn_invertible_motion_def *def) {
  motion->nq = motion->m->tree.nq, motion->nu = motion->m->tree.nu, motion->nz = cdn_system_nz(motion->system);
  motion->shapes = cdn_system_shape_count(motion->system);
  motion->vector = cdni_calloc(&motion->allocator, vector_size(motion));
  motion->enabled = cdni_calloc(&motion->allocator, ((size_t)motion->shapes + 1) * sizeof *motion->enabled);
  motion->def = *def;
  motion->def.limits = NULL, motion->def.law = &motion->law;
  motion->given = cdni_calloc(&motion->allocator, given_size(motion));
  if (!motion->vector || !motion->enabled || !motion->given) return CDN_ERR_NOMEM;
  gather_limits(motion, state, def);
  if (motion->shapes > 0)
    memcpy(motion->enabled, cdni_contact_enabled(cdni_contact(motion->system), state),
           (size_t)motion->shapes * sizeof *motion->enabled);
  CDNI_TRY(copy_state(motion, state, &motion->state));
  CDNI_TRY(copy_state(motion, state, &motion->scratch));
  return cdn_invertible_create(&motion->allocator, &motion->solver);
}

cdn_status cdn_invertible_motion_create(cdn_state *state, const cdn_invertible_motion_def *def,
                                        cdn_invertible_motion **out) {
  CDNI_NEED(state, out);
  *out = NULL;
  cdn_invertible_motion_def d = invertible_motion_def_defaults;
  const char *wrong = def ? read_invertible_motion_def(&d, def) : NULL;
  if (wrong) return cdni_state_fail(state, CDN_ERR_VERSION, false, __func__, NULL, "%s", wrong);
  const matter *m = NULL;
  CDNI_TRY(cdni_study_matter(state, __func__, &m));
  CDNI_TRY(check_def(state, __func__, &d));
  CDNI_TRY(check_limits(state, __func__, m, d.limits, d.n_limits));
  CDNI_TRY(check_sources(state, __func__));
  CDNI_TRY(check_statuses(state, __func__));
  cdn_invertible_law law;
  cdn_status status = cdni_invertible_read_law(__func__, &law, d.law);
  if (status != CDN_OK) {
    cdn_error error;
    cdn_last_error(&error);
    return cdni_state_fail(state, status, false, __func__, NULL, "%s", error.text);
  }
  const cdn_allocator a = *cdni_system_allocator(cdn_state_system(state));
  cdn_invertible_motion *motion = cdni_calloc(&a, sizeof *motion);
  if (!motion) return cdni_state_fail(state, CDN_ERR_NOMEM, false, __func__, NULL, "out of memory for a motion");
  motion->allocator = a, motion->system = cdn_state_system(state), motion->m = m, motion->law = law;
  motion->report.worst = -1;
  status = fill(motion, state, &d);
  if (status != CDN_OK) {
    cdn_invertible_motion_destroy(motion);
    return cdni_state_fail(state, status, false, __func__, NULL, "out of memory for a motion");
  }
  *out = motion;
  return CDN_OK;
}

void cdn_invertible_motion_destroy(cdn_invertible_motion *motion) {
  if (!motion) return;
  const cdn_allocator a = motion->allocator;
  cdn_invertible_destroy(motion->solver);
  cdni_contact_rows_free(motion, &motion->rows);
  for (int i = 0; i < CDNI_COUNT(motion->own); i++) cdni_contact_rows_free(motion, &motion->own[i]);
  cdni_array_free(&a, &motion->closings);
  cdni_free(&a, motion->vector, vector_size(motion));
  cdni_free(&a, motion->enabled, ((size_t)motion->shapes + 1) * sizeof *motion->enabled);
  cdni_free(&a, motion->given, given_size(motion)); /* which asks the System, as long as a State keeps it */
  cdn_state_destroy(motion->state);
  cdn_state_destroy(motion->scratch);
  cdni_free(&a, motion, sizeof *motion);
}

/* ---- what it tells ---- */

cdn_state *cdn_invertible_motion_state(cdn_invertible_motion *motion) {
  CDNI_NEED_OBJECT(motion, NULL);
  return motion->state;
}

cdn_status cdn_invertible_motion_report_sized(const cdn_invertible_motion *motion, cdn_invertible_report *out,
                                              size_t size) {
  CDNI_NEED_OBJECT(motion, CDN_ERR_ARG);
  CDNI_NEED_OBJECT(out, CDN_ERR_ARG);
  cdni_sized_write(out, size, &motion->report, sizeof motion->report);
  return CDN_OK;
}

int cdn_invertible_motion_contact_count(const cdn_invertible_motion *motion) {
  CDNI_NEED_OBJECT(motion, 0);
  return motion->rows.normals;
}

cdn_status cdn_invertible_motion_get_contact_sized(const cdn_invertible_motion *motion, int i,
                                                   cdn_invertible_contact *out, size_t size) {
  CDNI_NEED_OBJECT(motion, CDN_ERR_ARG);
  CDNI_NEED_OBJECT(out, CDN_ERR_ARG);
  const contact_rows *rows = &motion->rows;
  if (i < 0 || i >= rows->normals)
    return cdni_refuse(CDN_ERR_ARG, __func__, "there is no contact %d: give a number from 0 to %d", i,
                       rows->normals - 1);
  const int row = invertible_normal_row(&rows->problem, i), limits = rows->problem.n_limits;
  cdn_invertible_contact c = { .limit = -1,
                               .a = { -1 },
                               .b = { -1 },
                               .distance = contact_rows_distance(rows, i),
                               .R = rows->R[row],
                               .v_min = rows->v_min[i] };
  if (i < limits) {
    const bound_within *b = &rows->bounds[i];
    c.limit = b->limit, c.feature = b->side;
    c.impulse.x = -b->side * rows->f[row], c.velocity.x = -b->side * rows->v[row];
  } else {
    const contact_within *p = &rows->points[i - limits];
    const cdn_vec3 axes[3] = { p->tangent, cdn_cross(p->normal, p->tangent), p->normal };
    c.a.i = p->a, c.b.i = p->b, c.feature = p->feature, c.point = p->point, c.normal = p->normal;
    for (int k = 0; k < 3; k++) {
      c.impulse = cdn_add(c.impulse, cdn_scale(rows->f[row - 2 + k], axes[k]));
      c.velocity = cdn_add(c.velocity, cdn_scale(rows->v[row - 2 + k], axes[k]));
    }
  }
  cdni_sized_write(out, size, &c, sizeof c);
  return CDN_OK;
}
