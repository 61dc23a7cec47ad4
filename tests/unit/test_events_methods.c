/* Events with every error-controlled method: located on its own dense output, before the step is accepted. */
#include "event_rig.h"

static const double pi = 3.14159265358979323846;

/* Those whose order lets them deliver 1e-8. */
static const cdn_method methods[] = { CDN_METHOD_MERSON,    CDN_METHOD_DORMAND_PRINCE,   CDN_METHOD_BOGACKI_SHAMPINE,
                                      CDN_METHOD_FEHLBERG,  CDN_METHOD_DORMAND_PRINCE_8, CDN_METHOD_ADAMS,
                                      CDN_METHOD_CVODE_BDF, CDN_METHOD_CVODE_ADAMS };
enum { METHODS = sizeof methods / sizeof *methods };

/* Delivered errors are within a few ten times the accuracy (docs/evidence/methods.md); dense output adds as much. */
static const double accuracy = 1e-8, factor = 100;

static event_log seen;

/* z of the swing at `where` passed upwards and downwards; NULL where the library has no such method. */
static cdn_stepper *watch(cdn_method method, const double *where, cdn_event_handle_fn *handle, cdn_state **state) {
  cdn_system *system = event_system(&swing_ode, NULL);
  cdn_event_def def = cdn_default_event_def();
  def.value = z_minus, def.self = where, def.self_size = sizeof *where;
  def.window = 1e-12;
  if (handle) def.handle = handle;
  else def.report = log_report;
  cdn_system_add_event(system, &def);
  *state = event_state(system);
  cdn_stepper_def how = event_stepper_def(&seen, accuracy);
  how.method = method;
  cdn_stepper *stepper = NULL;
  cdn_status status = cdn_stepper_create(*state, &how, &stepper);
  if (status == CDN_ERR_UNSUPPORTED) return NULL; /* a library built without SUNDIALS */
  OK_ON(*state, status);
  return stepper;
}

/* sin t passes 1/2 at pi/6, 5 pi/6 and a turn later again. `cut`: by a handler that changes nothing, which ends
 * steps. */
static void passes(bool cut) {
  const double half = 0.5;
  for (int i = 0; i < METHODS; i++) {
    cdn_state *state;
    cdn_stepper *stepper = watch(methods[i], &half, cut ? log_handle : NULL, &state);
    if (stepper) {
      OK_STEP(stepper, cdn_stepper_advance(stepper, 20, NULL));
      ck_assert_int_eq(seen.n, 7);
      for (int k = 0; k < seen.n; k++) {
        double t = 2 * pi * (k / 2) + (k % 2 ? 5 * pi / 6 : pi / 6);
        NEAR(seen.at[k].time, t, factor * accuracy * 2);
        NEAR(seen.z[k], half, 1e-10); /* the window, and the dense output against the state it is taken from */
      }
      NEAR(z_of(stepper), sin(20), factor * accuracy);
      cdn_stepper_destroy(stepper);
    }
    cdn_state_destroy(state);
  }
}

START_TEST(crossings_in_closed_form) { passes(false); }
END_TEST
START_TEST(steps_that_are_cut_go_on_as_well) { passes(true); }
END_TEST

/* Turns the swing back where it comes down to 0: z = |sin t| from then on. */
static cdn_status reflect(const void *self, cdn_state *state, const cdn_occurrence *what, cdn_action *action) {
  const double back[] = { 0, fabs(cdn_state_z(state)[1]) };
  (void)self, (void)action;
  cdn_status status = log_occurrence(state, what);
  return status == CDN_OK ? cdn_state_set_z(state, back) : status;
}

START_TEST(jumps_in_closed_form) {
  const double zero = 0;
  for (int i = 0; i < METHODS; i++) {
    cdn_state *state;
    cdn_stepper *stepper = watch(methods[i], &zero, reflect, &state);
    if (stepper) {
      OK_STEP(stepper, cdn_stepper_advance(stepper, 20, NULL));
      ck_assert_int_eq(seen.n, 6);
      for (int k = 0; k < seen.n; k++) NEAR(seen.at[k].time, pi * (k + 1), factor * accuracy * (k + 1));
      NEAR(z_of(stepper), fabs(sin(20)), 7 * factor * accuracy);
      cdn_stepper_destroy(stepper);
    }
    cdn_state_destroy(state);
  }
}
END_TEST

CHECK_MAIN("events by method", crossings_in_closed_form, steps_that_are_cut_go_on_as_well, jumps_in_closed_form)
