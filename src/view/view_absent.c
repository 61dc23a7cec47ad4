/* The view of a library without libwebsockets or jansson. */
#include <cardan/view.h>

#include "view/replay.h"

#include "core/sized.h"

CDNI_DEF(view_def, .serve = true, .speed = 1);

static cdn_status absent(const char *function) {
  return cdni_refuse(CDN_ERR_UNSUPPORTED, function,
                     "this library was built without libwebsockets or jansson and shows nothing (install "
                     "libwebsockets-dev and libjansson-dev and build it again)");
}

cdn_status cdn_view_open(cdn_state *state, const cdn_view_def *def, cdn_view **out) {
  CDNI_NEED_OBJECT(out, CDN_ERR_ARG);
  *out = NULL;
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  cdn_view_def d = view_def_defaults;
  const char *unreadable = def ? read_view_def(&d, def) : NULL;
  return unreadable ? cdni_refuse(CDN_ERR_VERSION, "cdn_view_open", "%s", unreadable) : absent("cdn_view_open");
}

/* No view can be opened, so that these have none to work with. */
void cdn_view_close(cdn_view *view) { (void)view; }
const char *cdn_view_address(const cdn_view *view) { return (void)view, cdni_misses(__func__, "view"), NULL; }
int cdn_view_pages(const cdn_view *view) { return (void)view, cdni_misses(__func__, "view"), 0; }
void cdn_view_stop(cdn_view *view) { (void)view; }
cdn_status cdn_view_show(cdn_view *view, cdn_state *state) {
  return (void)view, (void)state, cdni_misses(__func__, "view");
}
cdn_status cdn_view_poll_sized(cdn_view *view, cdn_state *state, double timeout, cdn_view_wishes *out, size_t size) {
  return (void)view, (void)state, (void)timeout, (void)out, (void)size, cdni_misses("cdn_view_poll", "view");
}
cdn_status cdn_view_run(cdn_view *view, const cdn_stepper_def *def) {
  return (void)view, (void)def, cdni_misses(__func__, "view");
}
cdn_status cdn_view_write(cdn_view *view, const char *path) {
  return (void)view, (void)path, cdni_misses(__func__, "view");
}
cdn_status cdn_view_say(cdn_view *view, double time, const char *text) {
  return (void)view, (void)time, (void)text, cdni_misses(__func__, "view");
}
cdn_status cdni_view_replay(cdn_view *view, const cdni_replayed *runs, int n) {
  return (void)view, (void)runs, (void)n, cdni_misses("cdn_view_open", "view");
}
cdn_status cdni_view_write_page(cdn_view *view, const cdni_replayed *runs, int n, const char *page, cdn_write_fn *write,
                                void *context, int64_t *frames, size_t *data) {
  (void)view, (void)runs, (void)n, (void)page, (void)write, (void)context, (void)frames, (void)data;
  return cdni_misses("cdn_view_open", "view");
}
