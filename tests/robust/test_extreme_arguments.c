/* Every function of the library with arguments that make no sense: numbers that are not finite, huge or negative
 * counts, ids of things that are not there. One pointer may be NULL, the others are good ones. Nothing may crash (run
 * this under the sanitizers), hang, or leave a NaN in a State; a wrong id is an error; whoever fails has told the
 * thread's last error why, and named a public function. The calls are made from the public headers by
 * extreme_calls.py. */
#define _POSIX_C_SOURCE 200809L
#include <signal.h>
#include <unistd.h>

#include "extreme_draws.h"

enum { DRAWS = 60 };

/* ---- what is there ------------------------------------------------------------------------------- */

static cdn_status calc_nothing(const void *self, cdn_state *state, void *out) {
  (void)self, (void)state, (void)out;
  return CDN_OK;
}
static cdn_status find_nothing(const void *self, cdn_state *state, cdn_region_output *out) {
  (void)self, (void)state, (void)out;
  return CDN_OK;
}
static bool accept_all(const void *self, const cdn_system *system, cdn_shape a, cdn_shape b) {
  (void)self, (void)system, (void)a, (void)b;
  return true;
}
static void tell_nothing(void *context, const char *what) { (void)context, (void)what; }

static cdn_status visit_nothing(void *context, int k, cdn_state *state) {
  (void)context, (void)k, (void)state;
  return CDN_OK;
}
static cdn_status handle_nothing(const void *self, cdn_state *state, const cdn_occurrence *what, cdn_action *action) {
  (void)self, (void)state, (void)what, (void)action;
  return CDN_OK;
}
static cdn_status value_of_time(const void *self, cdn_state *state, double *value) {
  (void)self;
  *value = sin(cdn_state_time(state));
  return CDN_OK;
}

/* A subsystem with a little of everything. */
typedef struct own {
  cdn_dvar numbers, choice, shared;
  cdn_region region;
  cdn_computed_region found;
  cdn_auto_region memory;
  cdn_zvar z;
} own;
static own own_ids;

static cdn_status declare_own(void *self, cdn_declarer *d) {
  own *o = self;
  o->numbers = cdn_declare_parameters(d, "numbers", 3, (const double[]){ 1, 2, 3 });
  o->choice = cdn_declare_discrete(d, "choice", sizeof(double), &(double){ 1 }, CDN_STAGE_TIME);
  o->shared = cdn_declare_shared_parameters(d, "shared", 3, (const double[]){ 1, 2, 3 });
  o->region = cdn_declare_region(d, "region", sizeof(double), 3, (const double[]){ 1, 2, 3 }, CDN_STAGE_TIME);
  o->found = cdn_declare_computed_region(d, "found", 4, find_nothing, 1, &o->region.ticket, CDN_STAGE_TIME);
  o->memory = cdn_declare_auto_region(d, "memory", 1, 0, NULL, find_nothing, 1, &o->found.ticket);
  o->z = cdn_declare_z(d, 2, NULL);
  own_ids = *o;
  return CDN_OK;
}
static cdn_status no_rates(const void *self, cdn_state *state, double *rates) {
  (void)self, (void)state;
  rates[0] = rates[1] = 0;
  return CDN_OK;
}

/* Its own variables, and what are none. Ids of other subsystems' variables are not given out. */
static cdn_dvar draw_dvar(world *w) {
  if (draw_bool(w)) return draw_bool(w) ? own_ids.numbers : draw_bool(w) ? own_ids.shared : own_ids.choice;
  const int32_t i = draw_bool(w) ? draw_int(w) : draw_below(w, 30);
  w->wrong_id = true;
  return i > 30 && i <= 1000 ? (cdn_dvar){ 0, { -7 } } : (cdn_dvar){ 0, { i } };
}

static cdn_region draw_region(world *w) {
  if (draw_bool(w)) return draw_bool(w) ? own_ids.region : own_ids.memory.variable;
  const int32_t i = draw_int(w);
  w->wrong_id = true;
  const bool may_be_one = i >= 0 && i < 1 << 16; /* of another subsystem */
  return (cdn_region){ 0, { may_be_one ? -7 : i } };
}
static cdn_computed_region draw_computed_region(world *w) {
  if (draw_bool(w)) return draw_bool(w) ? own_ids.found : own_ids.memory.update;
  w->wrong_id = true;
  return (cdn_computed_region){ own_ids.region.of, own_ids.region.ticket };
}

/* Any kind and sizes; a surface only where it is the right one or none. */
static cdn_geometry draw_geometry(world *w) {
  cdn_geometry g = { .kind = (cdn_geometry_kind)draw_below(w, CDN_GEOMETRY_KIND_COUNT + 1) };
  for (int k = 0; k < 3; k++) g.size[k] = draw_bool(w) ? 1 : draw_double(w);
  g.surface = g.kind == CDN_GEOMETRY_CONVEX && draw_bool(w) ? w->surface : NULL;
  return g;
}
static const cdn_geometry *draw_geometry_at(world *w) {
  static cdn_geometry g[2];
  static int next;
  next = !next;
  g[next] = draw_geometry(w);
  return &g[next];
}

static void prepare_cdn_event_def(world *w, cdn_event_def *def) {
  static double times[500];
  for (int i = 0; i < 500; i++) times[i] = i;
  def->kind = (cdn_event_kind)draw_below(w, 6);
  def->handle = handle_nothing;
  def->period = 0.1;
  if (def->kind == CDN_EVENT_TRIGGERED) def->value = value_of_time;
  if (def->kind == CDN_EVENT_SCHEDULED) def->times = times, def->n_times = 3;
}

static void prepare_cdn_trajectory_def(world *w, cdn_trajectory_def *def) {
  static const char *names[500];
  for (int i = 0; i < 500; i++) names[i] = draw_text(w);
  def->own = names;
  def->measures = draw_ids(w);
  def->n_measures = draw_below(w, 4);
}

#include "extreme_calls.h"

/* Bodies of several kinds, what acts on them, and a loop; not frozen. */
static cdn_system *make(world *w) {
  cdn_system_def audited = cdn_default_system_def();
  audited.audit = true;
  cdn_system *s = cdn_system_create(&audited);
  cdn_body body[5] = { { 0 } };
  static const cdn_mobilizer kinds[5] = { CDN_WELD, CDN_PIN, CDN_BALL, CDN_FREE, CDN_SLIDER };
  for (int i = 1; i < 5; i++) {
    cdn_body_def def = cdn_default_body_def();
    def.mobilizer = kinds[i];
    if (i != 3) def.parent = body[i == 4 ? 2 : i - 1];
    def.X_BM.p = i == 3 ? cdn_v3(0, 0, 0) : cdn_v3(0, 1, 0);
    def.mass = (cdn_mass_properties){ .mass = 1, .inertia = { 1, 1, 1, 0, 0, 0 } };
    body[i] = cdn_system_add_body(s, &def);
  }
  cdn_system_add_gravity(s, "gravity", cdn_v3(0, -9.81, 0));
  cdn_system_add_mobility_spring(s, "spring", body[1], 0, 10, 0);
  cdn_system_add_mobility_damper(s, "damper", body[4], 0, 1);
  cdn_system_add_two_point_spring(s, "tether", body[0], cdn_v3(1, 1, 0), body[3], cdn_v3(0, 0, 0), 20, 0.1);
  cdn_system_add_linear_bushing(s, "bushing", body[0], cdn_transform_identity(), body[3], cdn_transform_identity(),
                                (const double[]){ 5, 5, 5, 5, 5, 5 }, NULL);
  cdn_control_def control = cdn_default_control_def();
  control.lower = -1, control.upper = 1;
  cdn_actuator_def actuator = cdn_default_actuator_def();
  actuator.body = body[1], actuator.control = cdn_system_add_control(s, &control);
  cdn_system_add_actuator(s, "actuator", &actuator);
  cdn_system_constrain_rod(s, "rod", body[0], cdn_v3(0, 0, 1), body[3], cdn_v3(0, 0, 0), 1);
  cdn_system_constrain_coordinate(s, "held", body[4], 0, 0);
  cdn_motion_def motion = cdn_default_motion_def();
  motion.body = body[4], motion.kind = CDN_MOTION_STEADY, motion.disabled = true;
  cdn_system_add_motion(s, &motion);
  const cdn_measure q = cdn_system_add_coordinate_measure(s, "q", body[1], CDN_Q, 0);
  cdn_system_add_station_measure(s, "station", body[2], cdn_v3(0, 0, 0), CDN_STATION_POSITION);
  cdn_system_add_variable_measure(s, "variable", 2, (const double[]){ 1, 2 });
  cdn_system_add_integral_measure(s, "integral", q, NULL, 1);
  cdn_delay_def late = cdn_default_delay_def();
  late.name = "late", late.operand = q, late.delay = 1;
  cdn_system_add_delay_measure(s, &late);
  cdn_system_add_result_measure(s, "result", 2, CDN_STAGE_INSTANCE, 0, NULL);
  cdn_event_def event = cdn_default_event_def();
  event.kind = CDN_EVENT_PERIODIC, event.period = 0.1, event.handle = handle_nothing;
  cdn_system_add_event(s, &event);
  const cdn_subsystem_ops ops = {
    .struct_size = sizeof ops, .name = "own", .self_size = sizeof(own), .declare = declare_own, .calc_zdot = no_rates
  };
  cdn_system_add_subsystem(s, &ops, &(own){ .z = { 0, { 0 } } });
  w->n_body = 5, w->n_force = 6, w->n_event = 1, w->n_motion = 1, w->n_constraint = 2, w->n_measure = 6;
  cdn_shape_def shape = cdn_default_shape_def();
  shape.geometry.kind = CDN_GEOMETRY_HALF_SPACE, shape.X_BS.p.z = -5;
  cdn_system_add_shape(s, &shape);
  shape.geometry.kind = CDN_GEOMETRY_SPHERE, shape.geometry.size[0] = 0.1, shape.body = body[3];
  cdn_system_add_shape(s, &shape);
  cdn_contact_pair_def pair = cdn_default_contact_pair_def();
  pair.a.i = 0, pair.b.i = 1;
  cdn_system_add_contact_pair(s, &pair);
  const cdn_path path = cdn_system_add_path(s, "path");
  cdn_path_add_point(s, path, body[0], cdn_v3(1, 2, 0));
  cdn_path_add_sphere(s, path, body[1], cdn_v3(0, 0, 0), 0.2);
  cdn_path_pass_by(s, path, body[1], cdn_v3(0, 1, 0));
  cdn_path_add_point(s, path, body[3], cdn_v3(0, 0, 1));
  cdn_system_add_path_spring(s, "cable", path, 3, 0, 1);
  w->n_path = 1, w->n_force++;
  cdn_one_sided_def rope = cdn_default_one_sided_def();
  rope.constraint = cdn_system_constrain_rod(s, "rope", body[0], cdn_v3(0, 0, 0), body[2], cdn_v3(0, 0, 0), 10),
  rope.upper = true;
  cdn_system_make_one_sided(s, &rope);
  cdn_dry_friction_def dry = cdn_default_dry_friction_def();
  dry.slip = cdn_system_constrain_speed(s, "dry", body[1], 0, 0), dry.load = 0.1, dry.mu_dynamic = 0.5;
  cdn_system_add_dry_friction(s, &dry);
  cdn_kept_reaction_def kept = cdn_default_kept_reaction_def();
  kept.push = cdn_system_constrain_speed(s, "wound", body[1], 0, 0), kept.constraint = rope.constraint;
  kept.value = 1e6, kept.keep = CDN_KEEP_AT_MOST;
  cdn_system_keep_reaction(s, &kept);
  w->n_one_sided = 1, w->n_dry_friction = 1, w->n_kept_reaction = 1, w->n_constraint = 5;
  w->n_event += 8; /* of the three, and of the start */
  w->n_subsystem = 1, w->n_goal = 2, w->n_control = 1, w->n_shape = 2, w->n_contact_pair = 1;
  return s;
}

static world *begin(uint64_t seed) {
  static _Alignas(64) char room[sizeof(double) * 6 * 500 * 6 * 500]; /* a square matrix of 500 frames */
  static world w;
  w.r = rng_of(seed);
  w.out = room;
  w.null = -1;
  return &w;
}

/* A System frozen, a State of it, and one of everything that runs. */
static void begin_running(world *w) {
  cdn_system *s = make(w);
  OK_FREEZE(s);
  w->system = s;
  OK(cdn_state_create(s, &w->state));
  OK(cdn_state_create(s, &w->pristine));
  cdn_stepper_def how = cdn_default_stepper_def();
  how.max_steps = 20;
  OK_ON(w->state, cdn_stepper_create(w->state, &how, &w->stepper));
  cdn_ensemble_def many = cdn_default_ensemble_def();
  many.count = 3;
  OK_ON(w->state, cdn_ensemble_create(w->state, &many, &w->ensemble));
  OK(cdn_assembly_create(s, NULL, &w->assembly));
  cdn_assembly_add_marker(w->assembly, "marker", (cdn_body){ 3 }, cdn_v3(0, 0, 0), 1);
  cdn_assembly_add_coordinate(w->assembly, "coordinate", (cdn_body){ 1 }, 0, 0.1, 1);
  OK_ON(w->state, cdn_trajectory_create(w->state, NULL, cdn_buffer_write, &w->bytes, &w->trajectory));
  static const char text[] = "<mujoco><worldbody><body name='b'><joint name='j'/><geom size='1'/></body></worldbody>"
                             "<keyframe><key name='k' qpos='1'/></keyframe></mujoco>";
  OK(cdn_model_load_string(text, strlen(text), "m.xml", NULL, &w->model));
  OK(cdn_check_mobilizer(w->state, (cdn_body){ 2 }, NULL, &w->check));
  OK(cdn_spec_load_string(text, strlen(text), "m.xml", NULL, &w->spec));
  OK(cdn_spec_make_tree(w->spec, &w->tree));
  OK_ON(w->state, cdn_state_carry(w->state, w->state, &w->report));
  OK(cdn_invertible_create(NULL, &w->invertible));
  OK(cdn_state_create(cdn_model_system(w->model), &w->plain));
  OK_ON(w->plain, cdn_invertible_motion_create(w->plain, NULL, &w->motion));
  static const double corners[] = { 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1 };
  OK(cdn_surface_create_convex(4, corners, &w->surface));
  OK(cdn_scene_create(w->state, NULL, &w->scene));
  OK(cdn_scene_complete(w->scene, w->state));
  OK(cdn_scene_update(w->scene, w->state));
  cdn_view_def alone = cdn_default_view_def();
  alone.serve = false;
  (void)!cdn_view_open(w->state, &alone, &w->view); /* not in every build */
  cdn_render_def picture = cdn_default_render_def();
  picture.width = picture.height = 10, picture.samples = 1;
  if (cdn_renderer_is_available()) OK(cdn_renderer_create(w->scene, &picture, &w->renderer));
  w->function = cdn_function_linear(2, (const double[]){ 1, 2 }, 3);
}

static void end_running(world *w) {
  cdn_function_release(w->function);
  cdn_renderer_destroy(w->renderer);
  w->renderer = NULL;
  cdn_view_close(w->view);
  cdn_scene_destroy(w->scene);
  cdn_surface_release(w->surface);
  cdn_check_destroy(w->check);
  cdn_invertible_motion_destroy(w->motion);
  cdn_state_destroy(w->plain);
  cdn_invertible_destroy(w->invertible);
  cdn_carry_report_destroy(w->report);
  cdn_spec_tree_destroy(w->tree);
  cdn_spec_destroy(w->spec);
  cdn_model_destroy(w->model);
  cdn_trajectory_destroy(w->trajectory);
  cdn_assembly_destroy(w->assembly);
  cdn_ensemble_destroy(w->ensemble);
  cdn_stepper_destroy(w->stepper);
  cdn_state_destroy(w->pristine);
  cdn_state_destroy(w->state);
  cdn_system_release(w->system);
  cdn_buffer_free(&w->bytes);
}

/* ---- what must hold after a call ------------------------------------------------------------------ */

static void check_finite(const char *name, cdn_state *state) {
  const cdn_system *s = cdn_state_system(state);
  const struct {
    const char *what;
    const double *x;
    int n;
  } pools[] = { { "q", cdn_state_q(state), cdn_system_nq(s) },
                { "u", cdn_state_u(state), cdn_system_nu(s) },
                { "z", cdn_state_z(state), cdn_system_nz(s) } };
  ck_assert_msg(isfinite(cdn_state_time(state)), "%s left the time %g", name, cdn_state_time(state));
  for (int p = 0; p < 3; p++)
    for (int i = 0; i < pools[p].n; i++)
      ck_assert_msg(isfinite(pools[p].x[i]), "%s left %s[%d] = %g", name, pools[p].what, i, pools[p].x[i]);
}

/* The State can be asked for everything, whatever the answer. */
static void use(cdn_state *state) {
  double numbers[64];
  (void)!cdn_realize(state, CDN_STAGE_REPORT);
  (void)!cdn_potential_energy(state, numbers);
  (void)!cdn_nonpotential_power(state, numbers);
  for (int i = 0; i < cdn_system_measure_count(cdn_state_system(state)); i++)
    (void)cdn_measure_value(state, (cdn_measure){ i });
}

/* A call that takes too long ends the program with its name. */
static const char *volatile calling;
enum { SECONDS = 120 };
static void tell_late(int signal_number) {
  (void)!write(STDERR_FILENO, calling, strlen(calling));
  (void)!write(STDERR_FILENO, " does not come back\n", 20);
  signal(signal_number, SIG_DFL);
  abort();
}

/* The message of a failure is that of this call, and names a function that the caller can look up. */
static void check_message(const char *name, cdn_status status) {
  cdn_error e;
  cdn_last_error(&e);
  ck_assert_msg(e.code == status, "%s returned %s, and the last error is %s: '%s'", name, cdn_status_name(status),
                cdn_status_name(e.code), e.text);
  ck_assert_msg(e.text[0] && e.function, "%s failed without a text", name);
  bool is_public = false;
  for (size_t i = 0; i < sizeof public_functions / sizeof *public_functions; i++)
    is_public = is_public || strcmp(public_functions[i], e.function) == 0;
  ck_assert_msg(is_public, "%s failed in '%s', which is no public function: '%s'", name, e.function, e.text);
}

static cdn_status run(world *w, const extreme_call *c) {
  w->wrong_id = w->is_nan = false;
  w->null = c->pointers == 0 || draw_below(w, 3) ? -1 : draw_below(w, c->pointers);
  calling = c->name;
  cdn_last_error_clear();
  signal(SIGALRM, tell_late);
  alarm(SECONDS);
  const cdn_status status = c->call(w);
  alarm(0);
  if (status != CDN_OK) check_message(c->name, status);
  ck_assert_msg(!c->says || w->null < 0 || w->null != c->object || status != CDN_OK,
                "%s did something without its object", c->name);
  return status;
}

/* ---- the tests -------------------------------------------------------------------------------------- */

enum { N_CALLS = sizeof calls / sizeof *calls };

START_TEST(test_building) {
  world *w = begin(1);
  for (int i = 0; i < N_CALLS; i++) {
    if (calls[i].kind != BUILDING) continue;
    for (int k = 0; k < DRAWS; k++) {
      cdn_system *s = w->building = make(w);
      (void)!run(w, &calls[i]);
      const cdn_status status = cdn_system_freeze(s);
      ck_assert_msg(!w->wrong_id || w->null >= 0 || status != CDN_OK, "%s: a wrong id passed", calls[i].name);
      cdn_state *state = NULL;
      if (cdn_system_is_frozen(s)) {
        OK(cdn_state_create(s, &state));
        use(state);
        check_finite(calls[i].name, state);
      } else {
        cdn_error e;
        cdn_system_last_error(s, &e);
        ck_assert_msg(e.code != CDN_OK && e.text[0], "%s: no message", calls[i].name);
      }
      cdn_state_destroy(state);
      cdn_system_release(s);
    }
  }
}
END_TEST

START_TEST(test_running) {
  world *w = begin(2);
  for (int i = 0; i < N_CALLS; i++) {
    if (calls[i].kind != RUNNING) continue;
    begin_running(w);
    for (int k = 0; k < DRAWS; k++) {
      OK(cdn_state_copy(w->state, w->pristine));
      if (w->bytes.size > 1 << 16) cdn_buffer_free(&w->bytes);
      const cdn_status status = run(w, &calls[i]);
      if (calls[i].says && w->wrong_id) ck_assert_msg(status != CDN_OK, "%s: a wrong id passed", calls[i].name);
      check_finite(calls[i].name, w->state);
      use(w->state);
    }
    end_running(w);
  }
}
END_TEST

/* ---- within callbacks: what a test calls there, and how often --------------------------------------- */

static const extreme_call *within;
static world *around;

static cdn_status call_within(void) {
  for (int k = 0; k < DRAWS; k++) (void)!run(around, within);
  return CDN_OK;
}

static cdn_status add_forces(const void *self, cdn_state *state, cdn_forces *forces) {
  (void)self, (void)state;
  around->forces = forces;
  return within->kind == FORCES ? call_within() : CDN_OK;
}
static cdn_status add_derivatives(const void *self, cdn_state *state, cdn_force_derivatives *derivatives) {
  (void)self, (void)state;
  around->derivatives = derivatives;
  return within->kind == DERIVATIVES ? call_within() : CDN_OK;
}
static cdn_status no_errors(const void *self, const cdn_constraint_input *in, double *errors) {
  (void)self, (void)in, (void)errors;
  return CDN_OK;
}
static cdn_status add_rows(const void *self, const cdn_constraint_input *in, cdn_rows *rows) {
  (void)self, (void)in;
  around->rows = rows;
  return within->kind == ROWS ? call_within() : CDN_OK;
}

static cdn_status provide_rows(const void *self, cdn_state *state, cdn_row_list *rows) {
  (void)self, (void)state;
  around->provided = rows;
  return within->kind == PROVIDED ? call_within() : CDN_OK;
}
static cdn_status add_rates(const void *self, cdn_state *state, cdn_zdot_derivatives *rates) {
  (void)self, (void)state;
  around->rates = rates;
  return within->kind == RATES ? call_within() : CDN_OK;
}
static cdn_status provide_elements(const void *self, cdn_state *state, cdn_region_output *out) {
  (void)self, (void)state;
  around->output = out;
  return within->kind == OUTPUT ? call_within() : CDN_OK;
}
static cdn_status declare_provider(void *self, cdn_declarer *d) {
  (void)self;
  cdn_declare_z(d, 2, NULL);
  cdn_declare_computed_region(d, "provided", sizeof(double), provide_elements, 1, &CDN_Z, CDN_STAGE_FORCE);
  const cdn_row_provider provider = { .struct_size = sizeof provider, .calc_rows = provide_rows };
  cdn_declare_rows(d, &provider);
  return CDN_OK;
}

START_TEST(test_within_callbacks) {
  world *w = around = begin(3);
  for (int i = 0; i < N_CALLS; i++) {
    const bool of_rows = calls[i].kind == ROWS || calls[i].kind == PROVIDED || calls[i].kind == OUTPUT;
    const bool of_rates = calls[i].kind == RATES;
    if (calls[i].kind != FORCES && !of_rows && !of_rates && calls[i].kind != DERIVATIVES) continue;
    within = &calls[i];
    cdn_system *s = make(w);
    const cdn_force_ops force = { .struct_size = sizeof force,
                                  .reads = CDN_READS_EVERYTHING,
                                  .calc_force = add_forces,
                                  .calc_derivative = add_derivatives };
    cdn_system_add_custom_force(s, &force, NULL);
    const cdn_constraint_ops rows = {
      .struct_size = sizeof rows, .np = 2, .calc_position = no_errors, .calc_rows = add_rows
    };
    const cdn_body bodies[] = { { 0 }, { 1 }, { 2 } };
    cdn_custom_constraint_def def = cdn_default_custom_constraint_def();
    def.ops = &rows, def.bodies = bodies, def.n_bodies = 3;
    cdn_system_constrain_custom(s, &def);
    const cdn_subsystem_ops ops = {
      .struct_size = sizeof ops, .declare = declare_provider, .calc_zdot = no_rates, .calc_zdot_derivative = add_rates
    };
    cdn_system_add_subsystem(s, &ops, NULL);
    OK_FREEZE(s);
    cdn_state *state = NULL;
    OK(cdn_state_create(s, &state));
    static double big[3][NUMBERS];
    for (int k = 0; k < DRAWS; k++) {
      const double z[5] = { k, k, k, k, k };
      OK(cdn_state_set_z(state, z)); /* all is computed anew */
      OK(cdn_state_set_slots(state, CDN_POOL_Q, 0, 1, z));
      use(state);
      const cdn_status status = of_rates ? cdn_calc_zdot_derivatives(state, big[0], big[1], big[2])
                                         : cdn_inverse_dynamics_derivatives(state, w->numbers, big[0], big[1], big[2]);
      /* sixty draws are not all good */
      if (!of_rows) ck_assert_msg(status != CDN_OK, "%s: nonsense passed", calls[i].name);
    }
    check_finite(calls[i].name, state);
    cdn_state_destroy(state);
    cdn_system_release(s);
  }
}
END_TEST

static cdn_status declare_anything(void *self, cdn_declarer *d) {
  (void)self;
  around->declarer = d;
  (void)!run(around, within);
  return CDN_OK;
}
static cdn_status no_triggers(const void *self, cdn_state *state, int group, double *values) {
  (void)self, (void)state, (void)group, (void)values;
  return CDN_OK;
}
static cdn_status no_rates_at_all(const void *self, cdn_state *state, double *rates) {
  (void)self, (void)state, (void)rates;
  return CDN_OK;
}
static cdn_status no_product(const void *self, cdn_state *state, const double *in, double *out) {
  (void)self, (void)state, (void)in, (void)out;
  return CDN_OK;
}

START_TEST(test_declaring) {
  world *w = around = begin(4);
  const cdn_subsystem_ops ops = { .struct_size = sizeof ops,
                                  .name = "anything",
                                  .declare = declare_anything,
                                  .calc_qdot = no_rates_at_all,
                                  .calc_udot = no_rates_at_all,
                                  .calc_zdot = no_rates_at_all,
                                  .multiply_by_N = no_product,
                                  .multiply_by_N_inv = no_product,
                                  .calc_qerr = no_rates_at_all,
                                  .calc_uerr = no_rates_at_all,
                                  .calc_udoterr = no_rates_at_all,
                                  .calc_multipliers = no_rates_at_all,
                                  .calc_event_triggers = no_triggers };
  for (int i = 0; i < N_CALLS; i++) {
    if (calls[i].kind != DECLARER) continue;
    within = &calls[i];
    for (int k = 0; k < DRAWS; k++) {
      cdn_system *s = make(w);
      cdn_system_add_subsystem(s, &ops, NULL);
      cdn_state *state = NULL;
      if (cdn_system_freeze(s) == CDN_OK) {
        OK(cdn_state_create(s, &state));
        use(state);
        check_finite(calls[i].name, state);
      }
      cdn_state_destroy(state);
      cdn_system_release(s);
    }
  }
}
END_TEST

CHECK_MAIN("extreme arguments", test_building, test_running, test_within_callbacks, test_declaring)
