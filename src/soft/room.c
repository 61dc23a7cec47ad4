/* The room of soft rows: options, providers, and what a State has for them. */
#include "soft/internal.h"
#include "core/sized.h"
#include "rooms.h"

CDNI_DEF(soft_def, .iterations = 100, .tolerance = 1e-8, .line_iterations = 50, .line_tolerance = 1e-6, .rates = true,
         .cone = CDN_SOFT_ELLIPTIC, .impedance_ratio = 1, .cost_tolerance = -1, .noslip_tolerance = 1e-6);

static const soft_room *of(const void *self) { return *(const soft_room *const *)self; }

const soft_room *cdni_soft(const cdn_system *system) {
  const soft_room *room = cdni_system_room_get(system, CDNI_ROOM_SOFT);
  return room && room->matter && (room->providers.count > 0 || room->contact || room->elements) ? room : NULL;
}

const soft_room *cdni_soft_steps(const cdn_system *system) {
  const soft_room *room = cdni_system_room_get(system, CDNI_ROOM_SOFT);
  return room && room->matter ? room : NULL;
}

const char *cdni_soft_first_name(const soft_room *room) {
  if (room->providers.count > 0) return CDNI_AT(room->providers, soft_provider, 0).name;
  return room->elements ? CDNI_AT(room->elements->elements, soft_element, 0).name : "soft contact";
}

bool cdni_soft_has_providers(const soft_room *room) { return room->providers.count > 0; }

bool cdni_soft_is_scaled(const soft_room *room) { return room->contact || room->elements; }

cdn_ticket cdni_soft_ticket(const soft_room *room) { return room->groups.ticket; }

/* ---- options ---- */

void cdn_system_set_soft(cdn_system *system, const cdn_soft_def *given) {
  CDNI_NEED_OBJECT_OR_NOTHING(system);
  if (cdni_system_refuses(system, __func__)) return;
  cdn_soft_def d;
  const char *wrong = read_soft_def(&d, given);
  if (wrong) {
    cdni_system_fail(system, CDN_ERR_VERSION, __func__, NULL, "%s", wrong);
    return;
  }
  if (d.iterations < 1 || d.line_iterations < 1) wrong = "iterations and line_iterations must be at least 1";
  else if (!(d.tolerance >= 0 && d.tolerance < 1)) wrong = "the tolerance must be from 0 to below 1";
  else if (!(d.line_tolerance > 0 && d.line_tolerance < 1)) wrong = "the line_tolerance must be between 0 and 1";
  else if (d.cone != CDN_SOFT_ELLIPTIC && d.cone != CDN_SOFT_PYRAMIDAL)
    wrong = "the cone must be CDN_SOFT_ELLIPTIC or CDN_SOFT_PYRAMIDAL";
  else if (!(d.impedance_ratio > 0 && d.impedance_ratio <= 1e100)) wrong = "the impedance_ratio must be positive";
  else if (!(d.shortest_time >= 0 && d.shortest_time <= 1e100)) wrong = "the shortest_time must not be negative";
  else if (!(d.onset >= 0 && d.onset <= 1e100)) wrong = "the onset must not be negative";
  else if ((unsigned)d.solver > CDN_SOFT_PGS) wrong = "the solver is none of cdn_soft_solver";
  else if (!(d.cost_tolerance <= 1e100)) wrong = "the cost_tolerance must be a number, or -1";
  else if (d.noslip_iterations < 0 || !(d.noslip_tolerance >= 0 && d.noslip_tolerance <= 1e100))
    wrong = "noslip_iterations and noslip_tolerance must not be negative";
  if (wrong) {
    cdni_system_fail(system, CDN_ERR_ARG, __func__, NULL, "options of soft rows: %s", wrong);
    return;
  }
  soft_room *room = cdni_system_room(system, CDNI_ROOM_SOFT);
  if (room) room->def = d, room->has_def = true;
}

bool cdni_soft_is_given(const cdn_system *system) {
  const soft_room *room = cdni_system_room_get(system, CDNI_ROOM_SOFT);
  return room && room->has_def;
}

/* ---- providers ---- */

static cdn_row_set refuse(cdn_declarer *d, cdn_status code, const char *name, const char *reason) {
  cdn_declare_error(d, code, "row provider '%s': %s", name, reason);
  return (cdn_row_set){ -1 };
}

static void free_provider(const cdn_allocator *a, const soft_provider *p) {
  cdni_strfree(a, p->name);
  if (p->ops.prerequisites)
    cdni_free(a, (void *)p->ops.prerequisites, (size_t)p->ops.n_prerequisites * sizeof(cdn_ticket));
}

cdn_row_set cdn_declare_rows(cdn_declarer *d, const cdn_row_provider *given) {
  CDNI_NEED_OBJECT(d, (cdn_row_set){ -1 });
  cdn_system *system = (cdn_system *)cdni_declarer_system(d); /* it is being frozen */
  const cdn_allocator *a = cdni_system_allocator(system);
  cdn_row_provider known;
  const char *unreadable = CDNI_READ_OPS(cdn_row_provider, &known, given);
  const char *name = !unreadable && known.name ? known.name : "rows";
  if (unreadable) return refuse(d, CDN_ERR_VERSION, "?", unreadable);
  if (!known.calc_rows) return refuse(d, CDN_ERR_ARG, name, "it has no calc_rows");
  if (known.n_prerequisites < 0 || (known.n_prerequisites > 0 && !known.prerequisites))
    return refuse(d, CDN_ERR_ARG, name, "n_prerequisites is negative, or there is no list of them");
  if (!cdni_matter(system)) return refuse(d, CDN_ERR_ARG, name, "the System has no bodies: add them before freezing");
  soft_room *room = cdni_system_room(system, CDNI_ROOM_SOFT);
  if (!room) return (cdn_row_set){ -1 };
  if (room->matter)
    return refuse(d, CDN_ERR_FROZEN, name, "rows have been declared already: add the subsystem while building");
  soft_provider p = { .ops = known, .subsystem = cdni_declarer_subsystem(d), .name = cdni_strdup(a, name) };
  const size_t n = (size_t)known.n_prerequisites;
  cdn_ticket *copy = n ? cdni_alloc(a, n * sizeof *copy) : NULL;
  if (copy) memcpy(copy, known.prerequisites, n * sizeof *copy);
  p.ops.prerequisites = copy;
  if (p.name && (!n || copy) && cdni_array_push(a, &room->providers, sizeof p, &p))
    return (cdn_row_set){ (int32_t)room->providers.count - 1 };
  free_provider(a, &p);
  return refuse(d, CDN_ERR_NOMEM, name, "out of memory");
}

/* ---- declaring ---- */

static cdn_status find_moving(cdn_declarer *d, soft_room *room) {
  const tree *t = &room->matter->tree;
  const cdn_allocator *a = cdni_system_allocator(cdni_declarer_system(d));
  room->moves = cdni_calloc(a, (size_t)t->n);
  room->trunk = cdni_calloc(a, (size_t)t->n * sizeof *room->trunk);
  if (!room->moves || !room->trunk) return cdn_declare_error(d, CDN_ERR_NOMEM, "out of memory");
  for (int i = 1; i < t->n; i++) {
    const int parent = t->node[i].parent;
    room->moves[i] = t->node[i].nu > 0 || room->moves[parent];
    room->trunk[i] = parent > 0 ? room->trunk[parent] : i;
  }
  return CDN_OK;
}

/* The groups are computed from the points of contact, from the soft elements, and from how light the bodies are. */
static void declare_reads(soft_room *room, cdn_declarer *d) {
  const cdn_cache groups = { room->groups.of, room->groups.ticket };
  if (room->providers.count > 0 || room->contact || room->elements || room->def.cost_tolerance >= 0 ||
      room->def.noslip_iterations > 0)
    cdni_declare_prerequisite(d, groups, room->matter->inverse_weights.ticket);
  if (cdni_soft_is_exact(room)) cdni_declare_prerequisite(d, groups, room->matter->articulated.ticket);
  if (room->contact) cdni_declare_prerequisite(d, groups, cdni_contact_points_ticket(room->contact));
  if (room->contact) cdni_declare_prerequisite(d, groups, cdni_contact_surface_motion_ticket(room->contact));
  if (!room->elements) return;
  cdni_declare_prerequisite(d, groups, cdni_soft_element_ticket(room->elements));
  if (room->elements->has_paths) {
    cdni_declare_prerequisite(d, groups, cdn_path_ticket(cdni_declarer_system(d)));
    cdni_declare_prerequisite(d, groups, cdn_path_rate_ticket(cdni_declarer_system(d)));
  }
  if (room->elements->n_tendons > 0) cdni_declare_prerequisite(d, groups, cdni_soft_tendon_ticket(room->elements));
}

static cdn_status declare(void *self, cdn_declarer *d) {
  soft_room *room = *(soft_room **)self;
  const cdn_system *system = cdni_declarer_system(d);
  const contact_room *contact = cdni_contact(system);
  if (cdni_contact_any_soft(contact)) room->contact = contact;
  if (cdni_contact_any_compliant(contact)) room->compliant = contact;
  const soft_element_room *elements = cdni_soft_element_room(system);
  if (elements && elements->matter) room->elements = elements;
  if (!cdni_matter(system)) return CDN_OK;
  room->matter = cdni_matter(system);
  room->constraints = cdni_constraints_declared(system);
  if (!room->has_def) room->def = cdn_default_soft_def();
  room->newton = room->def;
  if (room->def.solver != CDN_SOFT_NEWTON || room->def.cost_tolerance >= 0 || room->def.noslip_iterations > 0) {
    const cdn_soft_def usual = cdn_default_soft_def();
    room->newton.solver = CDN_SOFT_NEWTON, room->newton.cost_tolerance = -1, room->newton.noslip_iterations = 0;
    room->newton.iterations = usual.iterations, room->newton.line_iterations = usual.line_iterations;
    room->newton.line_tolerance = usual.line_tolerance;
  }
  room->newton.tolerance = 0;
  CDNI_TRY(find_moving(d, room));
  const cdn_ticket reads[] = { CDN_POSE, CDN_TWIST, CDN_U_EFF, CDN_T, cdn_stage_ticket(CDN_STAGE_INSTANCE) };
  room->groups = cdn_declare_computed_region(d, "groups", sizeof(soft_group), cdni_soft_calc_groups, CDNI_COUNT(reads),
                                             reads, CDN_STAGE_EMPTY);
  declare_reads(room, d);
  const cdn_cache groups = { room->groups.of, room->groups.ticket };
  for (size_t i = 0; i < room->providers.count; i++) {
    const soft_provider *p = &CDNI_AT(room->providers, soft_provider, i);
    cdn_ticket own;
    for (int k = 0; (own = cdni_subsystem_variable(system, p->subsystem, k)).i != 0; k++)
      cdni_declare_prerequisite(d, groups, own);
    for (int k = 0; k < p->ops.n_prerequisites; k++) cdni_declare_prerequisite(d, groups, p->ops.prerequisites[k]);
  }
  cdni_soft_declare_guess(room, d);
  static const char *const names[2][2] = { { "plan", "shape" }, { "plan_apart", "shape_apart" } };
  for (int i = 0; i < 2; i++) {
    room->plan[i] = cdni_declare_companion_region(d, names[i][0], 1, room->groups);
    room->shape[i] = cdni_declare_companion_region(d, names[i][1], sizeof(int32_t), room->groups);
  }
  /* of the accelerations: a checkpoint that has these has the results, too */
  room->results =
      cdni_declare_companion_region(d, "results", 1, (cdn_computed_region){ room->groups.of, CDN_ACCELERATION });
  const cdn_computed_region unsaved[] = { room->groups, room->plan[0], room->plan[1], room->shape[0], room->shape[1] };
  for (int i = 0; i < CDNI_COUNT(unsaved); i++) cdni_declare_unsaved(d, unsaved[i].ticket);
  return CDN_OK;
}

static void describe(const void *self, const cdn_system *system, cdn_description *d) {
  const soft_room *room = of(self);
  (void)system;
  for (size_t i = 0; i < room->providers.count; i++)
    cdn_describe(d, CDNI_AT(room->providers, soft_provider, i).name, "a provider of rows");
}

static const cdn_subsystem_ops ops = { .struct_size = sizeof ops,
                                       .name = "soft rows",
                                       .self_size = sizeof(soft_room *),
                                       .declare = declare,
                                       .describe = describe };

static void destroy(cdn_system *system, void *data) {
  soft_room *room = data;
  const cdn_allocator *a = cdni_system_allocator(system);
  for (size_t i = 0; i < room->providers.count; i++) free_provider(a, &CDNI_AT(room->providers, soft_provider, i));
  cdni_array_free(a, &room->providers);
  if (room->moves) cdni_free(a, room->moves, (size_t)room->matter->tree.n);
  if (room->trunk) cdni_free(a, room->trunk, (size_t)room->matter->tree.n * sizeof *room->trunk);
}

static bool is_needed(const cdn_system *system) {
  return cdni_matter(system) != NULL; /* implicit steps have rows of their own */
}

const cdni_room_ops cdni_soft_room = {
  .size = sizeof(soft_room), .needed = is_needed, .subsystem = &ops, .destroy = destroy
};
