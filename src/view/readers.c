/* What each page looks at: its selected body and its plots. Frames have the plots of all pages together. */
#include "view/internal.h"

static view_reader *find(cdn_view *view, const json_t *request) {
  const int64_t page = json_integer_value(json_object_get(request, LINK_PAGE));
  for (int i = 0; i < view->n_readers; i++)
    if (view->readers[i].page == page) return &view->readers[i];
  cdni_readers_leave(view);
  if (view->n_readers == VIEW_READERS) return NULL; /* more than there can be pages */
  view_reader *r = &view->readers[view->n_readers++];
  *r = (view_reader){ .page = page, .selected = { -1 } };
  return r;
}

static bool contains(const int *list, int n, int value) {
  for (int i = 0; i < n; i++)
    if (list[i] == value) return true;
  return false;
}

static bool is_wanted(const cdn_view *view, int series) {
  for (int i = 0; i < view->n_readers; i++)
    if (contains(view->readers[i].plots, view->readers[i].n_plots, series)) return true;
  return false;
}

/* Series that somebody still wants keep their order. */
static void drop_unwanted(cdn_view *view) {
  int n = 0;
  for (int i = 0; i < view->n_plots; i++)
    if (is_wanted(view, view->plots[i])) view->plots[n++] = view->plots[i];
  view->n_plots = n;
}

void cdni_reader_select(cdn_view *view, const json_t *request, cdn_body body) {
  view_reader *r = find(view, request);
  if (r) r->selected = body;
}

bool cdni_reader_plot(cdn_view *view, const json_t *request, const int *series, int n) {
  view_reader *r = find(view, request);
  if (!r) return false;
  const view_reader before = *r;
  r->n_plots = 0;
  for (int i = 0; i < n; i++)
    if (!contains(r->plots, r->n_plots, series[i])) r->plots[r->n_plots++] = series[i];
  int room = VIEW_PLOTS, more = 0;
  for (int i = 0; i < view->n_plots; i++) room -= is_wanted(view, view->plots[i]);
  for (int i = 0; i < r->n_plots; i++) more += !contains(view->plots, view->n_plots, r->plots[i]);
  if (more > room) {
    *r = before;
    return false;
  }
  drop_unwanted(view);
  for (int i = 0; i < r->n_plots; i++)
    if (!contains(view->plots, view->n_plots, r->plots[i])) view->plots[view->n_plots++] = r->plots[i];
  return true;
}

void cdni_readers_leave(cdn_view *view) {
  int n = 0;
  for (int i = 0; i < view->n_readers; i++) {
    const view_reader *r = &view->readers[i];
    if (r->page == 0 || (view->link && cdni_link_has_page(view->link, r->page))) view->readers[n++] = *r;
  }
  if (n == view->n_readers) return;
  view->n_readers = n;
  drop_unwanted(view);
}

void cdni_readers_clear_plots(cdn_view *view) {
  for (int i = 0; i < view->n_readers; i++) view->readers[i].n_plots = 0;
  view->n_plots = 0;
}

cdn_body cdni_readers_next(cdn_view *view) {
  for (int i = 0; i < view->n_readers; i++) {
    view->told = (view->told + 1) % view->n_readers;
    if (view->readers[view->told].selected.i >= 0) return view->readers[view->told].selected;
  }
  return (cdn_body){ -1 };
}
