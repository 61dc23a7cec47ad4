/* What the rooms of the library compute depends on nothing that is not upstream of it: the audit of what is read, for
 * compute functions that read by pointers of their own. Every variable is changed in turn, everything is computed anew,
 * and entries that are not downstream of the variable must be the same bytes. */
#include <stdio.h>

#include "../../src/constraints/numbers.h"
#include "../../src/system/structs.h"
#include "../unit/force_rig.h"

/* ---- the sweep ---- */

/* All entries of a State, computed anew. */
static void evaluate(cdn_state *state) {
  const cdn_system *s = cdn_state_system(state);
  memset(state->valid, 0, (size_t)s->words * sizeof *state->valid);
  OK_ON(state, cdn_realize(state, CDN_STAGE_REPORT));
  for (int32_t i = 1; (size_t)i < s->nodes.count; i++)
    if (node_at(s, i)->kind == NODE_ENTRY) OK_ON(state, cdni_state_ensure(state, (cdn_ticket){ i }));
}

static void change(double *values, int n) {
  for (int i = 0; i < n; i++) values[i] = 1.003 * values[i] + 0.002;
}

/* Where a variable's numbers are; 0 of them where it is none, or holds something else than numbers. */
static int numbers_of(cdn_state *state, int32_t ticket, double **values) {
  const cdn_system *s = cdn_state_system(state);
  const node *n = node_at(s, ticket);
  double *y = state_doubles(state, s->off_y);
  switch (ticket) {
    case TICKET_T: *values = state_doubles(state, s->off_t); return 1;
    case TICKET_Q: *values = y; return s->nq;
    case TICKET_U: *values = y + s->nq; return s->nu;
    case TICKET_Z: *values = y + s->nq + s->nu; return s->nz;
    default: break;
  }
  *values = state_doubles(state, n->offset);
  return n->kind == NODE_VARIABLE && n->parameters ? (int)(n->size / sizeof(double)) : 0;
}

/* The k-th array of an entry of the constraints, which is in a region of the State; NULL past the end. */
static const void *kept(cdn_state *state, int32_t entry, int k, size_t *bytes) {
  const constraint_room *room = cdni_constraints(cdn_state_system(state));
  if (!room || !node_at(cdn_state_system(state), entry)->unsaved) return NULL;
  const loop_plan *p = cdni_constraint_plan_now(room, state);
  const constraint_numbers *n = cdni_constraint_numbers(room, state);
  const struct {
    int32_t entry;
    const void *data;
    size_t bytes;
  } all[] = { { room->plan.ticket.i, p->equations, (size_t)p->n_blocks * sizeof(int32_t) },
              { room->rows.ticket.i, n->J, (size_t)p->n_J * sizeof(sv) },
              { room->rows.ticket.i, n->g, (size_t)p->n_g * sizeof(double) },
              { room->bias.ticket.i, n->bias, (size_t)p->m * sizeof(double) },
              { room->redundant.update.ticket.i, n->f.S, (size_t)p->n_S * sizeof(real) },
              { room->redundant.update.ticket.i, n->f.P + 1, (size_t)(p->tree->n - 1) * sizeof(articulated_inertia) } };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (all[i].entry == entry && k-- == 0) {
      *bytes = all[i].bytes;
      return all[i].data;
    }
  return NULL;
}

static bool same_kept(cdn_state *a, cdn_state *b, int32_t entry) {
  size_t bytes = 0;
  bool same = true;
  for (int k = 0; kept(a, entry, k, &bytes); k++)
    same = same && memcmp(kept(a, entry, k, &bytes), kept(b, entry, k, &bytes), bytes) == 0;
  return same;
}

/* How many pairs of a variable and an entry contradict the graph; the last of them is told in `text`. */
static int contradictions(const cdn_state *state, char *text, size_t size, int *pairs) {
  const cdn_system *s = cdn_state_system(state);
  int found = 0;
  cdn_state *here = NULL, *there = NULL;
  OK(cdn_state_create(s, &here));
  OK(cdn_state_create(s, &there));
  OK(cdn_state_copy(here, state));
  evaluate(here);
  for (int32_t v = 1; (size_t)v < s->nodes.count; v++) {
    double *values;
    OK(cdn_state_copy(there, state));
    const int n = numbers_of(there, v, &values);
    if (n == 0) continue;
    change(values, n);
    evaluate(there);
    for (int32_t e = 1; (size_t)e < s->nodes.count; e++) {
      const node *x = node_at(s, e);
      if ((x->kind != NODE_ENTRY && x->kind != NODE_COMPANION) || (x->size == 0 && !x->unsaved)) continue;
      if (bit_is_set(s->downstream + (size_t)v * (size_t)s->words, e)) continue;
      ++*pairs;
      if (memcmp(here->block + x->offset, there->block + x->offset, x->size) == 0 && same_kept(here, there, e) &&
          (x->storage != IN_REGION || x->unsaved || cdni_region_is_same(here, there, e)))
        continue;
      snprintf(text, size, "'%s' depends on '%s', which is not upstream of it", x->name, node_at(s, v)->name);
      found++;
    }
  }
  cdn_state_destroy(here);
  cdn_state_destroy(there);
  return found;
}

/* ---- Systems with everything in them ---- */

static void add_forces(rig *r) {
  const double k[6] = { 1, 2, 3, 4, 5, 6 }, c[6] = { 0.1, 0.2, 0.3, 0.4, 0.5, 0.6 };
  cdn_transform X = { cdn_rotation_axis_angle(v(1, 1, 0), 0.3), v(0.1, 0.2, 0.3) };
  cdn_system_add_gravity(r->system, NULL, v(1, -9, 3));
  cdn_system_add_mobility_spring(r->system, NULL, r->pin, 0, 20, 0.1);
  cdn_system_add_mobility_damper(r->system, NULL, r->slider, 0, 2);
  cdn_system_add_mobility_force(r->system, NULL, r->free, 1, 4);
  cdn_system_add_mobility_stop(r->system, NULL, r->slider, 0, -0.1, 0.1, 300, 0.4);
  cdn_system_add_mobility_friction(r->system, NULL, r->slider, 0, 50, 200, 0.1);
  cdn_system_add_mobility_friction(r->system, NULL, r->ball, 1, 0.1, 200, 0.1);
  cdn_system_add_tendon_friction(r->system, NULL, 2, (cdn_mobility[]){ { r->pin, 0 }, { r->slider, 0 } },
                                 (double[]){ 0.5, 2 }, 0.1, 200, 0.1);
  cdn_system_add_rotation_spring(r->system, NULL, r->ball, 6, cdn_rotation_axis_angle(v(1, 1, 0), 0.3));
  cdn_system_add_two_point_spring(r->system, NULL, r->slider, v(0.1, 0, 0.2), r->free, v(0, -0.2, 0.1), 30, 0.4);
  cdn_system_add_two_point_damper(r->system, NULL, r->ball, v(0, 0.1, 0), r->free, v(0.2, 0, 0), 5);
  cdn_smooth_contact_def smooth = cdn_default_smooth_contact_def();
  smooth.ball_body = r->ball, smooth.radius = 0.5;
  cdn_system_add_smooth_contact(r->system, &smooth);
  cdn_exponential_spring_def foot = cdn_default_exponential_spring_def();
  foot.body = r->free, foot.p_B = v(0.1, 0.2, -0.1), foot.d2 = 5;
  cdn_system_add_exponential_spring(r->system, &foot);
  cdn_system_add_linear_bushing(r->system, NULL, r->ball, X, ground, cdn_transform_identity(), k, c);
  cdn_system_add_body_force(r->system, NULL, r->ball, v(0.1, 0.2, 0.3), v(1, 2, 3), v(-1, 0, 2));
  cdn_system_add_global_damper(r->system, NULL, 0.2);
}

/* Balls on all bodies and a floor, with all kinds of friction. */
static void add_contact(rig *r, cdn_contact_model model) {
  const cdn_body bodies[] = { ground, r->pin, r->slider, r->ball, r->free };
  cdn_contact_material m = cdn_default_contact_material();
  m.modulus = 1e4, m.torsional_friction = 0.01, m.rolling_friction = 0.02, m.viscous_friction = 0.1;
  cdn_contact_def def = cdn_default_contact_def();
  def.model = model, def.parent_child = true;
  if (model == CDN_CONTACT_COMPLIANT) def.friction = CDN_FRICTION_STICKING, def.memory_slots = 5;
  cdn_system_set_contact(r->system, &def);
  for (int i = 0; i < 5; i++) {
    cdn_shape_def surface = cdn_default_shape_def();
    surface.body = bodies[i], surface.material = &m;
    surface.geometry.kind = i == 0 ? CDN_GEOMETRY_HALF_SPACE : i % 2 ? CDN_GEOMETRY_SPHERE : CDN_GEOMETRY_BOX;
    for (int k = 0; k < 3; k++) surface.geometry.size[k] = 0.8;
    surface.surface_velocity = v(0.1, 0.2, 0.3), surface.surface_spin = v(0.3, 0.2, 0.1);
    cdn_system_add_shape(r->system, &surface);
  }
}

/* A motor with z, a force that reads it, a parameter, and a row. */
typedef struct motor {
  cdn_body body;
  cdn_zvar z;
  cdn_dvar gain;
} motor;

static cdn_status motor_rate(const void *self, cdn_state *state, double *zdot) {
  const motor *m = self;
  zdot[0] = *cdn_state_parameters(state, m->gain) - cdn_state_zvar(state, m->z)[0];
  return CDN_OK;
}

static cdn_status motor_force(const void *self, cdn_state *state, cdn_forces *forces) {
  const motor *m = self;
  cdn_forces_add_mobility(forces, m->body, 0, cdn_state_zvar(state, m->z)[0]);
  return CDN_OK;
}

static cdn_status motor_rows(const void *self, cdn_state *state, cdn_row_list *rows) {
  const motor *m = self;
  cdn_row_def def = cdn_default_row_def();
  def.R[0] = 0.5, def.target[0] = -*cdn_state_parameters(state, m->gain);
  cdn_row_list_add(rows, &def);
  cdn_row_list_add_mobility(rows, m->body, 0, 1);
  return CDN_OK;
}

static cdn_status declare_motor(void *self, cdn_declarer *d) {
  motor *m = self;
  const double z0 = 0.3, gain = 2;
  m->z = cdn_declare_z(d, 1, &z0);
  m->gain = cdn_declare_parameters(d, "gain", 1, &gain);
  const cdn_force_provider forces = { .struct_size = sizeof forces, .calc_force = motor_force };
  const cdn_row_provider rows = { .struct_size = sizeof rows, .calc_rows = motor_rows };
  cdn_declare_forces(d, &forces);
  cdn_declare_rows(d, &rows);
  return CDN_OK;
}

enum { CONVEX = CDN_CONTACT_SOFT + 1, COMPLIANT = CDN_CONTACT_COMPLIANT + 1 };

/* `contact`: 0: none, or a model of contact. */
static void check(bool forces, bool constraints, bool provides, bool locks, int contact) {
  rig r = make_rig();
  char text[256] = "";
  int pairs = 0;
  if (forces) add_forces(&r);
  if (contact) add_contact(&r, (cdn_contact_model)(contact - 1));
  if (constraints) {
    cdn_system_constrain_rod(r.system, NULL, r.slider, v(0, 0, 0.1), r.ball, v(0.2, 0, 0), 1);
    cdn_system_constrain_ball(r.system, NULL, r.ball, v(0, 0.3, 0), r.free, v(0.1, 0, 0));
  }
  if (provides) {
    const motor m = { .body = r.slider };
    const cdn_subsystem_ops ops = { .struct_size = sizeof ops,
                                    .name = "motor",
                                    .self_size = sizeof m,
                                    .declare = declare_motor,
                                    .calc_zdot = motor_rate };
    cdn_system_add_subsystem(r.system, &ops, &m);
  }
  start(&r);
  OK(cdn_state_set_q(r.state, (double[]){ 0.4, 0.3, 0.9, 0.3, -0.2, 0.5, 0.8, -0.5, 0.1, 0.4, 1.2, -0.7, 0.6 }));
  OK(cdn_state_set_u(r.state, (double[]){ 0.7, -1.1, 0.4, -0.9, 1.3, 0.8, -0.6, 0.5, 1.4, 0.2, -1.0 }));
  OK(cdn_state_set_applied_body_force(r.state, r.slider, (cdn_spatial){ v(1, 2, 3), v(-3, 2, 1) }));
  if (locks) OK_ON(r.state, cdn_body_lock(r.state, r.pin, CDN_LEVEL_VELOCITY));
  int slots = 0, used = 0, without = 0;
  OK_ON(r.state, cdn_contact_memory(r.state, &slots, &used, &without));
  if (contact == COMPLIANT) ck_assert(used == 5 && without > 0);
  int soft = 0;
  OK_ON(r.state, cdn_soft_count(r.state, &soft));
  if (contact == CONVEX) ck_assert_int_gt(soft, 5);
  const int found = contradictions(r.state, text, sizeof text, &pairs);
  ck_assert_msg(found == 0, "%d times, the last: %s", found, text);
  ck_assert_int_gt(pairs, 50);
  stop(&r);
}

START_TEST(test_rooms) {
  for (int k = 0; k < 32; k++) check(k & 1, k & 2, k & 4, k & 8, k & 16 ? COMPLIANT : 0);
  for (int k = 0; k < 8; k++) check(k & 1, k & 2, false, k & 4, CONVEX);
}
END_TEST

/* ---- the sweep finds what it is for ---- */

static cdn_status calc_sly(const void *self, cdn_state *state, void *out) {
  (void)self;
  *(double *)out = state_doubles(state, cdn_state_system(state)->off_y)[0];
  return CDN_OK;
}

static cdn_status declare_sly(void *self, cdn_declarer *d) {
  (void)self;
  cdn_declare_cache(d, "sly", sizeof(double), calc_sly, 1, &CDN_T);
  return CDN_OK;
}

START_TEST(test_is_found) {
  rig r = make_rig();
  char text[256] = "";
  int pairs = 0;
  const cdn_subsystem_ops ops = { .struct_size = sizeof ops, .name = "fox", .declare = declare_sly };
  cdn_system_add_subsystem(r.system, &ops, NULL);
  start(&r);
  ck_assert_int_eq(contradictions(r.state, text, sizeof text, &pairs), 1);
  ck_assert_str_eq(text, "'fox.sly' depends on 'q', which is not upstream of it");
  stop(&r);
}
END_TEST

CHECK_MAIN("declared reads", test_rooms, test_is_found)
