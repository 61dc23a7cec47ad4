/* The dependency graph: what is computed again and what is not, copies, serials. */
#include "bare_system.h"

/* ---- the graph: what is computed again, and what is not ------------------------------------- */

/* z -> a -> b, t -> c, (b, c) -> d; every entry counts its evaluations in what it holds. */
typedef struct counted {
  uint64_t evaluations;
  double value;
} counted;
typedef struct graph {
  cdn_zvar z;
  cdn_dvar choice;
  cdn_cache a, b, c, d, eager;
} graph;

static double read_value(cdn_state *state, cdn_cache entry) {
  const counted *v = cdn_eval(state, entry);
  return v ? v->value : NAN;
}

static cdn_status calc_a(const void *self, cdn_state *state, void *out) {
  counted *v = out;
  v->evaluations++, v->value = 2 * cdn_state_zvar(state, ((const graph *)self)->z)[0];
  return CDN_OK;
}
static cdn_status calc_b(const void *self, cdn_state *state, void *out) {
  counted *v = out;
  v->evaluations++, v->value = 1 + read_value(state, ((const graph *)self)->a);
  return CDN_OK;
}
static cdn_status calc_c(const void *self, cdn_state *state, void *out) {
  counted *v = out;
  (void)self;
  v->evaluations++, v->value = 10 * cdn_state_time(state);
  return CDN_OK;
}
static cdn_status calc_d(const void *self, cdn_state *state, void *out) {
  const graph *g = self;
  counted *v = out;
  v->evaluations++, v->value = read_value(state, g->b) + read_value(state, g->c);
  return CDN_OK;
}
static cdn_status calc_eager(const void *self, cdn_state *state, void *out) {
  counted *v = out;
  v->evaluations++, v->value = *(const double *)cdn_state_discrete(state, ((const graph *)self)->choice);
  return CDN_OK;
}

static cdn_status declare_graph(void *self, cdn_declarer *d) {
  graph *g = self;
  const double start = 3;
  g->z = cdn_declare_z(d, 1, &start);
  g->choice = cdn_declare_discrete(d, "choice", sizeof start, &start, CDN_STAGE_VELOCITY);
  g->a = cdn_declare_cache(d, "a", sizeof(counted), calc_a, 1, &g->z.ticket);
  g->b = cdn_declare_cache(d, "b", sizeof(counted), calc_b, 1, &g->a.ticket);
  g->c = cdn_declare_cache(d, "c", sizeof(counted), calc_c, 1, &CDN_T);
  cdn_ticket both[] = { g->b.ticket, g->c.ticket };
  g->d = cdn_declare_cache(d, "d", sizeof(counted), calc_d, 2, both);
  g->eager = cdn_declare_eager_cache(d, "eager", sizeof(counted), calc_eager, 1, &g->choice.ticket, CDN_STAGE_VELOCITY);
  return CDN_OK;
}

static cdn_status no_zdot(const void *self, cdn_state *state, double *zdot) {
  (void)self, (void)state;
  zdot[0] = 0;
  return CDN_OK;
}

static const cdn_subsystem_ops graph_ops = { .struct_size = sizeof graph_ops,
                                             .name = "graph",
                                             .self_size = sizeof(graph),
                                             .declare = declare_graph,
                                             .calc_zdot = no_zdot };

/* A State of the graph, and the graph's ids in *g. */
static cdn_state *graph_state(const graph **g) {
  cdn_system *system = bare_system(true);
  graph blank = { .z = { 0, { 0 } } };
  cdn_subsystem id = cdn_system_add_subsystem(system, &graph_ops, &blank);
  cdn_state *state = bare_state(system);
  *g = cdn_subsystem_self(system, id);
  return state;
}

static uint64_t evaluations(cdn_state *state, cdn_cache entry) {
  const counted *v = cdn_eval(state, entry);
  ck_assert_ptr_nonnull(v);
  return v->evaluations;
}

START_TEST(test_only_what_depends_is_recomputed) {
  const graph *g;
  cdn_state *state = graph_state(&g);
  ck_assert_double_eq(read_value(state, g->d), 7);
  ck_assert_double_eq(read_value(state, g->d), 7);
  ck_assert_uint_eq(evaluations(state, g->d), 1);
  OK(cdn_state_set_time(state, 2));
  ck_assert_double_eq(read_value(state, g->d), 27);
  ck_assert_uint_eq(evaluations(state, g->a), 1);
  ck_assert_uint_eq(evaluations(state, g->b), 1);
  ck_assert_uint_eq(evaluations(state, g->c), 2);
  double z = 5;
  OK(cdn_state_set_z(state, &z));
  ck_assert_double_eq(read_value(state, g->d), 31);
  ck_assert_uint_eq(evaluations(state, g->a), 2);
  ck_assert_uint_eq(evaluations(state, g->c), 2);
  ck_assert_uint_eq(evaluations(state, g->d), 3);
  cdn_state_destroy(state);
}
END_TEST

START_TEST(test_lazy_and_eager) {
  const graph *g;
  cdn_state *state = graph_state(&g);
  OK_ON(state, cdn_realize(state, CDN_STAGE_REPORT));
  ck_assert_int_eq(cdn_state_stage(state), CDN_STAGE_REPORT);
  ck_assert_uint_eq(evaluations(state, g->d), 1); /* nobody had asked before */
  uint64_t before = evaluations(state, g->eager);
  double choice = 8;
  OK(cdn_state_set_discrete(state, g->choice, &choice));
  ck_assert_int_lt(cdn_state_stage(state), CDN_STAGE_VELOCITY);
  OK_ON(state, cdn_realize(state, CDN_STAGE_POSITION));
  OK_ON(state, cdn_realize(state, CDN_STAGE_VELOCITY));
  ck_assert_double_eq(read_value(state, g->eager), 8);
  ck_assert_uint_eq(evaluations(state, g->eager), before + 1);
  cdn_state_destroy(state);
}
END_TEST

START_TEST(test_copy_carries_results) {
  const graph *g;
  cdn_state *state = graph_state(&g), *copy = NULL;
  double z = -1, choice = 4;
  OK(cdn_state_set_z(state, &z));
  OK(cdn_state_set_discrete(state, g->choice, &choice));
  OK_ON(state, cdn_realize(state, CDN_STAGE_REPORT));
  ck_assert_double_eq(read_value(state, g->d), -1);
  OK(cdn_state_create(cdn_state_system(state), &copy));
  OK(cdn_state_copy(copy, state));
  ck_assert_int_eq(cdn_state_stage(copy), CDN_STAGE_REPORT);
  ck_assert_double_eq(read_value(copy, g->d), -1);
  ck_assert_uint_eq(evaluations(copy, g->d), evaluations(state, g->d)); /* not computed again */
  /* from here on they are two */
  z = 7;
  OK(cdn_state_set_z(copy, &z));
  ck_assert_double_eq(read_value(copy, g->d), 15);
  ck_assert_double_eq(read_value(state, g->d), -1);
  ck_assert_double_eq(cdn_state_z(state)[0], -1);
  cdn_state_destroy(state);
  z = 8; /* the System lives on with its other State */
  OK(cdn_state_set_z(copy, &z));
  ck_assert_double_eq(read_value(copy, g->d), 17);
  cdn_state_destroy(copy);
}
END_TEST

START_TEST(test_states_of_two_systems_do_not_mix) {
  const graph *g;
  cdn_state *one = graph_state(&g), *other = graph_state(&g);
  FAILS(cdn_state_copy(one, other), CDN_ERR_ARG);
  cdn_state_destroy(one);
  cdn_state_destroy(other);
}
END_TEST

START_TEST(test_serials_count_changes) {
  const graph *g;
  cdn_state *state = graph_state(&g);
  double z = 1;
  uint64_t of_z = cdn_state_serial(state, CDN_Z), of_t = cdn_state_serial(state, CDN_T);
  uint64_t of_choice = cdn_state_serial(state, g->choice.ticket);
  OK(cdn_state_set_z(state, &z));
  OK(cdn_state_set_zvar(state, g->z, &z));
  ck_assert_uint_eq(cdn_state_serial(state, CDN_Z), of_z + 2);
  ck_assert_uint_eq(cdn_state_serial(state, CDN_T), of_t);
  OK(cdn_state_set_discrete(state, g->choice, &z));
  ck_assert_uint_eq(cdn_state_serial(state, g->choice.ticket), of_choice + 1);
  ck_assert_double_eq(read_value(state, g->d), 3); /* evaluating changes no serial */
  ck_assert_uint_eq(cdn_state_serial(state, CDN_Z), of_z + 2);
  cdn_state_destroy(state);
}
END_TEST

START_TEST(test_two_subsystems_of_a_kind) {
  cdn_system *system = bare_system(true);
  graph blank = { .z = { 0, { 0 } } };
  cdn_subsystem_ops second_ops = graph_ops;
  second_ops.name = "graph two";
  cdn_subsystem one = cdn_system_add_subsystem(system, &graph_ops, &blank);
  cdn_subsystem two = cdn_system_add_subsystem(system, &second_ops, &blank);
  cdn_state *state = bare_state(system);
  const graph *g1 = cdn_subsystem_self(system, one), *g2 = cdn_subsystem_self(system, two);
  double z = 20;
  OK(cdn_state_set_zvar(state, g2->z, &z));
  ck_assert_double_eq(cdn_state_zvar(state, g1->z)[0], 3);
  ck_assert_double_eq(cdn_state_z(state)[0], 3);
  ck_assert_double_eq(cdn_state_z(state)[1], 20);
  ck_assert_double_eq(read_value(state, g1->d), 7);
  ck_assert_double_eq(read_value(state, g2->d), 41);
  cdn_state_destroy(state);
}
END_TEST

CHECK_MAIN("graph", test_only_what_depends_is_recomputed, test_lazy_and_eager, test_copy_carries_results,
           test_states_of_two_systems_do_not_mix, test_serials_count_changes, test_two_subsystems_of_a_kind)
