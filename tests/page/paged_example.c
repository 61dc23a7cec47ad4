/* Makes a page in a file of what an example shows: linked with one, in place of the functions that make and end Studies
 * and States, so that the example itself stays as it is. The page has what the last stepper of the program went
 * through, as far as its calls of cdn_stepper_advance stop; the first State that is destroyed, if there is no stepper.
 * CARDAN_EXAMPLE_PAGE names the file. */
#define _GNU_SOURCE
#include <cardan/cardan.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

cdn_status __real_cdn_stepper_create(cdn_state *initial, const cdn_stepper_def *def, cdn_stepper **out);
cdn_status __real_cdn_stepper_advance(cdn_stepper *stepper, double t, cdn_return_reason *reason);
void __real_cdn_stepper_destroy(cdn_stepper *stepper);
void __real_cdn_state_destroy(cdn_state *state);
cdn_status __wrap_cdn_stepper_create(cdn_state *initial, const cdn_stepper_def *def, cdn_stepper **out);
cdn_status __wrap_cdn_stepper_advance(cdn_stepper *stepper, double t, cdn_return_reason *reason);
void __wrap_cdn_stepper_destroy(cdn_stepper *stepper);
void __wrap_cdn_state_destroy(cdn_state *state);

static cdn_view *view;
static const cdn_stepper *shown; /* the stepper that the view shows */
static bool written, busy;       /* busy: the library's own calls, where it is linked statically */

/* Steppers of other threads are those of the library. */
static bool is_ours(void) { return !busy && gettid() == getpid() && getenv("CARDAN_EXAMPLE_PAGE"); }

static void complain(cdn_status status) {
  if (status == CDN_OK) return;
  fprintf(stderr, "%s: %s\n", getenv("CARDAN_EXAMPLE_PAGE"), cdn_last_error_text());
  exit(3);
}

static void open_view(cdn_state *state) {
  cdn_view_def def = cdn_default_view_def();
  def.serve = false, def.keep = true;
  complain(cdn_view_open(state, &def, &view));
  complain(cdn_view_show(view, state));
}

static void close_view(void) {
  if (!view) return;
  complain(cdn_view_write(view, getenv("CARDAN_EXAMPLE_PAGE")));
  cdn_view_close(view);
  view = NULL, shown = NULL, written = true;
}

cdn_status __wrap_cdn_stepper_create(cdn_state *initial, const cdn_stepper_def *def, cdn_stepper **out) {
  const cdn_status status = __real_cdn_stepper_create(initial, def, out);
  if (status != CDN_OK || !is_ours()) return status;
  busy = true;
  close_view();
  open_view(cdn_stepper_state(*out));
  shown = *out;
  busy = false;
  return status;
}

cdn_status __wrap_cdn_stepper_advance(cdn_stepper *stepper, double t, cdn_return_reason *reason) {
  const cdn_status status = __real_cdn_stepper_advance(stepper, t, reason);
  if (!is_ours() || !view || stepper != shown) return status;
  busy = true;
  complain(cdn_view_show(view, cdn_stepper_state(stepper)));
  busy = false;
  return status;
}

void __wrap_cdn_stepper_destroy(cdn_stepper *stepper) {
  if (is_ours() && view && stepper == shown) {
    busy = true;
    close_view();
    busy = false;
  }
  __real_cdn_stepper_destroy(stepper);
}

void __wrap_cdn_state_destroy(cdn_state *state) {
  if (is_ours() && state && !view && !written) {
    busy = true;
    open_view(state);
    close_view();
    busy = false;
  }
  __real_cdn_state_destroy(state);
}
