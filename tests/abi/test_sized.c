/* What is written to a caller's struct ends where the caller says that it ends, and what is read of one is what is
 * there. The lists of defs and functions are made of the headers: none is left out. */
#include "../testing.h"

#include "sized_lists.h"

enum { ROOM = 8192 };
static unsigned char memory[ROOM];

/* All bytes from `size` on are as `fill` has left them. */
static void fill(void) { memset(memory, 0xAA, sizeof memory); }
static bool intact(size_t size) {
  for (size_t i = size; i < ROOM; i++)
    if (memory[i] != 0xAA) return false;
  return true;
}

/* ---- defs ---- */

static void check_def(const char *name, size_t size, void (*init)(void *def, size_t size)) {
  static unsigned char whole[ROOM];
  const size_t sizes[] = { 0, 1, 4, 8, 16, size - 8, size, size + 8, size + 400 };
  init(whole, size);
  for (int i = 0; i < (int)(sizeof sizes / sizeof *sizes); i++) {
    const size_t n = sizes[i], common = n < size ? n : size;
    uint32_t told = 0;
    fill();
    init(memory, n);
    ck_assert_msg(intact(n), "%s of %zu bytes: more was written", name, n);
    if (n < sizeof told) continue;
    memcpy(&told, memory, sizeof told);
    ck_assert_msg(told == n, "%s of %zu bytes says %u", name, n, told);
    ck_assert_msg(memcmp(memory + 4, whole + 4, common - 4) == 0, "%s of %zu bytes: other defaults", name, n);
    for (size_t k = size; k < n; k++) ck_assert_msg(memory[k] == 0, "%s: byte %zu of a newer def is not zero", name, k);
  }
}

START_TEST(defs_are_filled_to_the_callers_size) {
#define CHECK_DEF(type) check_def(#type, sizeof(type), type##_init);
  DEF_LIST(CHECK_DEF)
}
END_TEST

/* The finding: a program whose header lacks the last members, which calls the library with its own size. */
START_TEST(an_older_stepper_def_is_accepted) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def body = cdn_default_body_def();
  body.mobilizer = CDN_SLIDER, body.mass.mass = 1;
  cdn_system_add_body(system, &body);
  OK_FREEZE(system);
  cdn_state *state;
  OK(cdn_state_create(system, &state));
  cdn_stepper *stepper;
  const size_t older = offsetof(cdn_stepper_def, companion);
  fill();
  cdn_stepper_def_init(memory, older);
  ck_assert(intact(older));
  /* what follows in the caller's memory is no member */
  OK_ON(state, cdn_stepper_create(state, (const cdn_stepper_def *)(const void *)memory, &stepper));
  ck_assert(!cdn_stepper_get_def(stepper).companion);
  ck_assert_ptr_null(cdn_stepper_companion(stepper));
  cdn_stepper_destroy(stepper);

  /* sizes that no def has had */
  const uint32_t absurd[] = { 0, 1, 3, 8, (uint32_t)older + 1, UINT32_MAX, UINT32_MAX - 7, 1 << 30 };
  for (int i = 0; i < (int)(sizeof absurd / sizeof *absurd); i++) {
    cdn_stepper_def_init(memory, older);
    memcpy(memory, &absurd[i], sizeof absurd[i]);
    FAILS(cdn_stepper_create(state, (const cdn_stepper_def *)(const void *)memory, &stepper), CDN_ERR_VERSION);
    cdn_error error;
    cdn_state_last_error(state, &error);
    ck_assert_msg(strstr(error.text, "cdn_stepper_def") && strstr(error.text, "cdn_default_stepper_def()"), "%s",
                  error.text);
  }

  /* a newer def: accepted where what this library does not know is zero, else refused with the cause */
  const size_t newer = sizeof(cdn_stepper_def) + 16;
  cdn_stepper_def_init(memory, newer);
  OK_ON(state, cdn_stepper_create(state, (const cdn_stepper_def *)(const void *)memory, &stepper));
  cdn_stepper_destroy(stepper);
  memory[newer - 1] = 1;
  FAILS(cdn_stepper_create(state, (const cdn_stepper_def *)(const void *)memory, &stepper), CDN_ERR_VERSION);
  cdn_error error;
  cdn_state_last_error(state, &error);
  ck_assert_msg(strstr(error.text, "newer headers") && strstr(error.text, "cdn_stepper_def"), "%s", error.text);
  cdn_state_destroy(state);
  cdn_system_release(system);
}
END_TEST

/* ---- results ---- */

/* What the functions are asked of. */
static struct {
  cdn_system *system;
  cdn_state *state;
  cdn_stepper *stepper;
  cdn_ensemble *ensemble;
  cdn_assembly *assembly;
  cdn_model *model;
  cdn_spec *spec;
  cdn_spec_tree *tree;
  cdn_surface *surface;
  cdn_scene *scene;
  cdn_force pull;
  cdn_view *view;
  cdn_invertible *invertible;
  cdn_invertible_motion *motion;
  double q[5];
  cdn_stepper_def brief; /* to a near end */
} w;

static void make_world(void) {
  w.system = cdn_system_create(NULL);
  cdn_body_def body = cdn_default_body_def();
  body.mobilizer = CDN_SLIDER, body.mass.mass = 1;
  cdn_system_add_body(w.system, &body);
  /* two balls that touch */
  cdn_shape_def shape = cdn_default_shape_def();
  shape.geometry = (cdn_geometry){ .kind = CDN_GEOMETRY_SPHERE, .size = { 1 } };
  cdn_system_add_shape(w.system, &shape);
  shape.body = (cdn_body){ 1 };
  cdn_system_add_shape(w.system, &shape);
  w.pull = cdn_system_add_perturbation(w.system, NULL);
  OK_FREEZE(w.system);
  OK(cdn_surface_create_convex(4, (const double[]){ 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1 }, &w.surface));
  OK(cdn_state_create(w.system, &w.state));
  OK_ON(w.state, cdn_stepper_create(w.state, NULL, &w.stepper));
  w.brief = cdn_default_stepper_def(), w.brief.final_time = 1e-3;
  OK_ON(w.state, cdn_scene_create(w.state, NULL, &w.scene));
  const cdn_light_def light = cdn_default_light_def();
  OK(cdn_scene_add_light(w.scene, &light));
  const cdn_camera_def camera = cdn_default_camera_def();
  OK(cdn_scene_add_camera(w.scene, &camera));
  cdn_texture_def texture = cdn_default_texture_def();
  static const uint8_t pixel[4] = { 0 };
  texture.width = texture.height = 1, texture.rgba = pixel;
  OK(cdn_scene_add_texture(w.scene, &texture, NULL));
  cdn_view_def alone = cdn_default_view_def();
  alone.serve = false;
  (void)!cdn_view_open(w.state, &alone, &w.view); /* not in every build */
  cdn_ensemble_def many = cdn_default_ensemble_def();
  OK_ON(w.state, cdn_ensemble_create(w.state, &many, &w.ensemble));
  OK(cdn_assembly_create(w.system, NULL, &w.assembly));
  (void)!cdn_model_load_string("<robot name='r'/>", 17, "r", NULL, &w.model);
  OK(cdn_spec_create(NULL, &w.spec));
  OK(cdn_spec_make_tree(w.spec, &w.tree));
  OK(cdn_invertible_create(NULL, &w.invertible));
  OK_ON(w.state, cdn_invertible_motion_create(w.state, NULL, &w.motion));
  OK_ON(w.state, cdn_invertible_motion_advance(w.motion, 1));
}

static void drop_world(void) {
  cdn_invertible_motion_destroy(w.motion);
  cdn_invertible_destroy(w.invertible);
  cdn_view_close(w.view), cdn_scene_destroy(w.scene), cdn_surface_release(w.surface), cdn_spec_tree_destroy(w.tree),
      cdn_spec_destroy(w.spec);
  cdn_model_destroy(w.model), cdn_assembly_destroy(w.assembly), cdn_ensemble_destroy(w.ensemble);
  cdn_stepper_destroy(w.stepper), cdn_state_destroy(w.state), cdn_system_release(w.system);
}

static const cdn_certificate zero_certificate;
static const cdn_force_ops zero_ops;
/* name, sizeof what is written (0: nothing is), the call that writes to `out` of `size` bytes */
#define RESULT_LIST(X)                                                                                            \
  X(cdn_molecule_last_error, sizeof(cdn_error), (NULL, out, size))                                                \
  X(cdn_molecule_atom, 0, (NULL, 0, out, size))                                                                   \
  X(cdn_sweep_status, 0, (NULL, out, size))                                                                       \
  X(cdn_hmc_get_report, 0, (NULL, out, size))                                                                     \
  X(cdn_dcd_get_info, 0, (NULL, out, size))                                                                       \
  X(cdn_soft_get, 0, (w.state, 0, out, size))                                                                     \
  X(cdn_hybrid_get_totals, sizeof(cdn_hybrid_totals), (w.state, out, size))                                       \
  X(cdn_one_sided_get_change, sizeof(cdn_hybrid_change), (w.state, (cdn_one_sided){ 0 }, out, size))              \
  X(cdn_dry_friction_get_change, sizeof(cdn_hybrid_change), (w.state, (cdn_dry_friction){ 0 }, out, size))        \
  X(cdn_soft_get_statistics, sizeof(cdn_soft_statistics), (w.state, out, size))                                   \
  X(cdn_soft_get_iteration, 0, (w.state, 0, out, size))                                                           \
  X(cdn_calc_imbalance, sizeof(cdn_imbalance), (w.state, NULL, out, size))                                        \
  X(cdn_state_get_time, 0, (w.state, CDN_POSE, out, size))                                                        \
  X(cdn_stepper_get_time, 0, (w.stepper, CDN_POSE, out, size))                                                    \
  X(cdn_last_error, sizeof(cdn_error), (out, size))                                                               \
  X(cdn_invertible_motion_report, sizeof(cdn_invertible_report), (w.motion, out, size))                           \
  X(cdn_invertible_motion_get_contact, sizeof(cdn_invertible_contact), (w.motion, 0, out, size))                  \
  X(cdn_invertible_optimize_path, sizeof(cdn_invertible_path_report), (w.motion, NULL, 5, w.q, NULL, out, size))  \
  X(cdn_invertible_get_report, sizeof(cdn_invertible_report), (w.invertible, out, size))                          \
  X(cdn_check_get, sizeof(cdn_check_entry), (NULL, 0, out, size))                                                 \
  X(cdn_system_last_error, sizeof(cdn_error), (w.system, out, size))                                              \
  X(cdn_state_last_error, sizeof(cdn_error), (w.state, out, size))                                                \
  X(cdn_model_last_error, sizeof(cdn_error), (w.model, out, size))                                                \
  X(cdn_assembly_last_error, sizeof(cdn_error), (w.assembly, out, size))                                          \
  X(cdn_ensemble_error, sizeof(cdn_error), (w.ensemble, 0, out, size))                                            \
  X(cdn_ensemble_last_error, sizeof(cdn_error), (w.ensemble, out, size))                                          \
  X(cdn_ensemble_certificate, sizeof(cdn_certificate), (w.ensemble, 0, out, size))                                \
  X(cdn_body_driver, sizeof(cdn_driver), (w.state, (cdn_body){ 1 }, out, size))                                   \
  X(cdn_constraint_get_equations, sizeof(cdn_constraint_equations), (w.system, (cdn_constraint){ 0 }, out, size)) \
  X(cdn_stepper_get_def, sizeof(cdn_stepper_def), (w.stepper, out, size))                                         \
  X(cdn_stepper_certificate, sizeof(cdn_certificate), (w.stepper, out, size))                                     \
  X(cdn_stepper_distance, sizeof(cdn_distance), (w.stepper, w.state, out, size))                                  \
  X(cdn_deliver, sizeof(cdn_certificate), (w.state, &w.brief, NULL, NULL, out, NULL, size, 0))                    \
  X(cdn_deliver, sizeof(cdn_delivery), (w.state, &w.brief, NULL, NULL, NULL, out, 0, size))                       \
  X(cdn_stepper_failure, sizeof(cdn_failure), (w.stepper, out, size, size < 96 ? size : 96))                      \
  X(cdn_assemble, sizeof(cdn_assembly_report), (w.assembly, w.state, out, size))                                  \
  X(cdn_assemble_speeds, sizeof(cdn_assembly_report), (w.assembly, w.state, out, size))                           \
  X(cdn_track, sizeof(cdn_assembly_report), (w.assembly, w.state, 0, 0, NULL, out, size))                         \
  X(cdn_find_equilibrium, sizeof(cdn_equilibrium), (w.state, NULL, out, size))                                    \
  X(cdn_minimize, sizeof(cdn_minimization), (w.state, NULL, out, size))                                           \
  X(cdn_degrees_of_freedom, sizeof(cdn_freedom), (w.state, out, NULL, size))                                      \
  X(cdn_surface_get_info, sizeof(cdn_surface_info), (w.surface, out, size))                                       \
  X(cdn_model_get_hulls, sizeof(cdn_model_hull_info), (w.model, out, size))                                       \
  X(cdn_contact_get, sizeof(cdn_contact), (w.state, 0, out, size))                                                \
  X(cdn_system_contact_law, 0, (w.system, CDN_GEOMETRY_SPHERE, CDN_GEOMETRY_SPHERE, out, size))                   \
  X(cdn_scene_visual, sizeof(cdn_visual), (w.scene, 0, out, size))                                                \
  X(cdn_scene_light, sizeof(cdn_light_def), (w.scene, 0, out, size))                                              \
  X(cdn_scene_camera, sizeof(cdn_camera_def), (w.scene, 0, out, size))                                            \
  X(cdn_scene_texture, sizeof(cdn_texture_def), (w.scene, 0, out, size))                                          \
  X(cdn_perturbation_get, sizeof(cdn_perturbation), (w.state, w.pull, out, size))                                 \
  X(cdn_view_poll, sizeof(cdn_view_wishes), (w.view, w.state, 0, out, size))                                      \
  X(cdn_model_get_joint, sizeof(cdn_model_joint), (w.model, 0, out, size))                                        \
  X(cdn_model_not_understood, sizeof(cdn_model_note), (w.model, 0, out, size))                                    \
  X(cdn_element_parameter, sizeof(cdn_parameter), (w.system, CDN_ELEMENT_BODY, 0, 0, out, size))                  \
  X(cdn_model_get_frame, sizeof(cdn_model_frame), (w.model, 0, out, size))                                        \
  X(cdn_model_find_frame, sizeof(cdn_model_frame), (w.model, "f", out, size))                                     \
  X(cdn_model_get_sensor, sizeof(cdn_model_sensor), (w.model, 0, out, size))                                      \
  X(cdn_model_get_actuator, sizeof(cdn_model_actuator), (w.model, 0, out, size))                                  \
  X(cdn_spec_last_error, sizeof(cdn_error), (w.spec, out, size))                                                  \
  X(cdn_spec_tree_mobilizer, sizeof(cdn_spec_mobilizer), (w.tree, 0, out, size))                                  \
  X(cdn_spec_tree_loop, sizeof(cdn_spec_loop), (w.tree, 0, out, size))                                            \
  X(cdn_spec_attached, sizeof(cdn_attached), (w.spec, 0, out, size))                                              \
  X(cdn_carry_report_entry, sizeof(cdn_carried), (NULL, 0, out, size))                                            \
  X(cdn_spec_get_body, sizeof(cdn_spec_body), (w.spec, 0, out, size))                                             \
  X(cdn_spec_get_joint, sizeof(cdn_spec_joint), (w.spec, 0, out, size))                                           \
  X(cdn_spec_get_constraint, sizeof(cdn_spec_constraint), (w.spec, 0, out, size))                                 \
  X(cdn_spec_get_frame, sizeof(cdn_spec_frame), (w.spec, 0, out, size))                                           \
  X(cdn_spec_get_shape, sizeof(cdn_spec_shape), (w.spec, 0, out, size))                                           \
  X(cdn_spec_get_asset, sizeof(cdn_spec_asset), (w.spec, 0, out, size))                                           \
  X(cdn_spec_get_contact, sizeof(cdn_spec_contact), (w.spec, 0, out, size))                                       \
  X(cdn_spec_get_solver, sizeof(cdn_spec_solver), (w.spec, out, size))                                            \
  X(cdn_spec_get_medium, sizeof(cdn_spec_medium), (w.spec, out, size))                                            \
  X(cdn_spec_get_camera, sizeof(cdn_spec_camera), (w.spec, 0, out, size))                                         \
  X(cdn_spec_get_light, sizeof(cdn_spec_light), (w.spec, 0, out, size))                                           \
  X(cdn_spec_get_tendon, sizeof(cdn_spec_tendon), (w.spec, 0, out, size))                                         \
  X(cdn_spec_get_path_item, sizeof(cdn_spec_path_item), (w.spec, 0, out, size))                                   \
  X(cdn_spec_get_sensor, sizeof(cdn_spec_sensor), (w.spec, 0, out, size))                                         \
  X(cdn_spec_get_key, sizeof(cdn_spec_key), (w.spec, 0, out, size))                                               \
  X(cdn_spec_get_actuator, sizeof(cdn_spec_actuator), (w.spec, 0, out, size))                                     \
  X(cdn_certificate_verdict, 0, (&zero_certificate, out, size < 64 ? size : 64, size < 64 ? size : 64))           \
  X(cdn_certificate_suggestion, 0, (&zero_certificate, size < 64 ? size : 64))                                    \
  X(cdn_system_add_custom_force, 0, (w.system, &zero_ops, NULL, sizeof zero_ops.subsystem))

START_TEST(results_are_written_to_the_callers_size) {
  make_world();
#define CHECK_RESULT(name, bytes, arguments)                                                                         \
  for (int i = 0; i < 6; i++) {                                                                                      \
    const size_t known = (bytes), size = (size_t[]){ 0, 8, 16, known / 16 * 8, known, known + 200 }[i];              \
    void *const out = memory;                                                                                        \
    (void)out;                                                                                                       \
    fill();                                                                                                          \
    (void)!(name##_sized arguments, 0);                                                                              \
    ck_assert_msg(intact(size < 64 && known == 0 ? 64 : size), "%s: more than %zu bytes were written", #name, size); \
    for (size_t k = known; k < size && known > 0; k++)                                                               \
      ck_assert_msg(memory[k] == 0, "%s: byte %zu of a newer result is not zero", #name, k);                         \
  }
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-result"
  RESULT_LIST(CHECK_RESULT)
#pragma GCC diagnostic pop
  drop_world();
}
END_TEST

START_TEST(every_function_with_a_size_is_tested) {
#define NAME_OF(name, bytes, arguments) #name "_sized",
  const char *const tested[] = { RESULT_LIST(NAME_OF) };
  for (size_t i = 0; i < sizeof sized_functions / sizeof *sized_functions; i++) {
    bool found = false;
    for (size_t k = 0; k < sizeof tested / sizeof *tested && !found; k++)
      found = !strcmp(tested[k], sized_functions[i]);
    ck_assert_msg(found, "%s is not in RESULT_LIST", sized_functions[i]);
  }
}
END_TEST

CHECK_MAIN("sized", defs_are_filled_to_the_callers_size, an_older_stepper_def_is_accepted,
           results_are_written_to_the_callers_size, every_function_with_a_size_is_tested)
