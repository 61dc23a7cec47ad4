/* The list of neighbours: the pairs of shapes whose boxes, made larger, overlap. While every box lies within its larger
 * box, each pair of boxes that overlap is in the list, so that the broad phase has nothing to do. The list holds
 * more pairs than overlap, and how many more depends on where the shapes have been. So nobody may use a pair of it
 * before he has looked at its boxes: what is then found is the same after any history.
 *
 * Boxes are seen from the middle of all shapes, so that shapes that fly together keep their neighbours. */
#include <math.h>

#include "contact/pairs.h"
#include "contact/room.h"
#include "contact/search.h"

static double larger(double a, double b) { return a > b ? a : b; }

/* What the bytes of a region begin with; larger boxes, what is known of clear times, and pairs follow. */
typedef struct list {
  int32_t n_pairs, room;
  double reach; /* see cdni_contact_neighbours */
} list;

static size_t list_size(int n, int room) {
  return sizeof(list) + (size_t)n * sizeof(cdni_box) + cdni_contact_clearance_size(n) +
         2 * (size_t)room * sizeof(int32_t);
}
static cdni_box *boxes_of(list *l) { return (cdni_box *)(l + 1); }
static struct clearance_list *clearance_of(list *l, int n) {
  return (struct clearance_list *)(void *)(boxes_of(l) + n);
}
static int32_t *pairs_of(list *l, int n) {
  return (int32_t *)(void *)((char *)clearance_of(l, n) + cdni_contact_clearance_size(n));
}

struct clearance_list *cdni_contact_clearance_list(const contact_room *room, cdn_state *state) {
  return clearance_of(cdni_region_elements(state, room->neighbours), (int)room->shapes.count);
}

/* An empty list holds for no boxes. */
cdn_status cdni_contact_forget_neighbours(const void *self, cdn_state *state, cdn_region_output *out) {
  (void)out;
  const contact_room *room = contact_of(self);
  const int n = (int)room->shapes.count, most = 2 * n + 64;
  void *bytes;
  CDNI_TRY(cdni_region_take(state, "cdn_realize", room->neighbours, list_size(n, most), &bytes));
  memset(bytes, 0, sizeof(list) + (size_t)n * sizeof(cdni_box));
  list *l = bytes;
  l->room = most;
  l->reach = -1;
  cdni_contact_clearance_forget(clearance_of(l, n));
  return CDN_OK;
}

/* `from`: the place from which boxes are seen. */
static bool holds(const cdni_box *within, const cdni_box *box, const double from[3]) {
  return (within->least[0] <= box->least[0] - from[0]) & (box->most[0] - from[0] <= within->most[0]) &
         (within->least[1] <= box->least[1] - from[1]) & (box->most[1] - from[1] <= within->most[1]) &
         (within->least[2] <= box->least[2] - from[2]) & (box->most[2] - from[2] <= within->most[2]);
}

/* The middle of all boxes that have one. */
static void find_middle(int n, const cdni_box *boxes, double middle[3]) {
  double sum[3] = { 0 };
  int count = 0;
  for (int i = 0; i < n; i++) {
    const double *least = boxes[i].least, *most = boxes[i].most;
    const double c[3] = { least[0] + most[0], least[1] + most[1], least[2] + most[2] };
    if (!(fabs(c[0]) + fabs(c[1]) + fabs(c[2]) < HUGE_VAL)) continue;
    for (int k = 0; k < 3; k++) sum[k] += 0.5 * c[k];
    count++;
  }
  for (int k = 0; k < 3; k++) middle[k] = count > 0 ? sum[k] / count : 0;
}

/* Moving by this part of its longest side, a shape keeps its neighbours. Overlaps are looked for in slightly larger
 * boxes, because places seen from the middle are rounded. */
static const double MARGIN = 0.1, ROUNDED = 1e-6;

/* A box without an end, seen from a middle that moves, would have to be looked at again and again: it is a neighbour of
 * all. */
static cdni_box enlarged(const cdni_box *box, const double from[3], double part) {
  static const cdni_box everywhere = { { -INFINITY, -INFINITY, -INFINITY }, { INFINITY, INFINITY, INFINITY } };
  double side = 0;
  cdni_box large;
  for (int k = 0; k < 3; k++) side = larger(side, box->most[k] - box->least[k]);
  if (!(side < INFINITY)) return everywhere;
  for (int k = 0; k < 3; k++) {
    large.least[k] = box->least[k] - from[k] - part * side;
    large.most[k] = box->most[k] - from[k] + part * side;
  }
  return large;
}

/* Shapes that are all in one place are a mistake, and would take all the memory that there is. */
enum { MOST_PAIRS = 1 << 20 };
static cdn_status refuse(const contact_room *room, cdn_state *state, list *l, const int32_t first[2]) {
  const char *a = CDNI_AT(room->shapes, shape, first[0]).name, *b = CDNI_AT(room->shapes, shape, first[1]).name;
  const int found = l->n_pairs;
  l->n_pairs = 0, l->reach = -1;
  return cdni_state_fail(state, CDN_ERR_LIMIT, false, "cdn_realize", a,
                         "%d pairs of shapes are near each other, '%s' and '%s' among them, and contacts are found of "
                         "%d pairs at most: move the shapes apart, or exclude them from contact",
                         found, a, b, (int)MOST_PAIRS);
}

/* Fills the list; its room grows until all pairs have it, and what it has once been it stays. Where the boxes of steps
 * to come have too many pairs, the list is for those of the step. */
static cdn_status renew(const contact_room *room, cdn_state *state, const cdni_box *of_step, const cdni_box *boxes,
                        const double from[3], double reach) {
  const cdn_computed_region region = room->neighbours;
  const int n = (int)room->shapes.count;
  list *l = cdni_region_elements(state, region);
  const shapes_on f = { room, cdn_state_parameters(state, room->enabled) };
  for (int most = l->room;;) {
    char *work = cdn_work_push(state, cdni_broad_size(n));
    if (!work) return CDN_ERR_NOMEM;
    cdni_box *large = boxes_of(l);
    for (int i = 0; i < n; i++) large[i] = enlarged(&boxes[i], from, MARGIN * (1 + ROUNDED));
    l->n_pairs = cdni_broad_pairs(n, large, cdni_contact_take_part, &f, most, pairs_of(l, n), work);
    cdn_work_pop(state, work);
    for (int i = 0; i < n; i++) large[i] = enlarged(&boxes[i], from, MARGIN);
    l->reach = reach;
    if (l->n_pairs > MOST_PAIRS && boxes == of_step) return refuse(room, state, l, pairs_of(l, n));
    if (l->n_pairs <= most) return CDN_OK;
    if (l->n_pairs > MOST_PAIRS) {
      boxes = of_step;
      continue;
    }
    most = l->n_pairs + l->n_pairs / 4;
    const int before = l->room;
    void *bytes;
    l->reach = -1;
    const cdn_status status = cdni_region_take(state, "cdn_realize", region, list_size(n, most), &bytes);
    if (status != CDN_OK) { /* the list keeps its size, which never fails, and holds for no boxes */
      (void)!cdni_region_take(state, "cdn_realize", region, list_size(n, before), &bytes);
      return status;
    }
    l = bytes;
    *l = (list){ .room = most, .reach = -1 };
    cdni_contact_clearance_forget(clearance_of(l, n));
  }
}

/* So many pairs a shape are what a heap has anyway: a list of no more is kept, however long its reach is. Steps that
 * begin anew, short, and grow would make it again and again. */
enum { FEW = 8 };

cdn_status cdni_contact_neighbours(const contact_room *room, cdn_state *state, const cdni_box *present,
                                   const cdni_box *boxes, const cdni_box *wide, double reach, const int32_t **pairs,
                                   int *n_pairs) {
  const int n = (int)room->shapes.count;
  CDNI_TRY(cdni_state_ensure(state, room->vicinity.ticket));
  list *l = cdni_region_elements(state, room->neighbours);
  double from[3];
  find_middle(n, present, from);
  /* a list for a far longer reach may have too many pairs */
  bool good = l->reach >= 0 && (reach == 0 || l->reach <= 16 * reach || l->n_pairs <= FEW * n);
  const cdni_box *large = boxes_of(l);
  for (int i = 0; good && i < n; i++) good = holds(&large[i], &boxes[i], from);
  if (!good) CDNI_TRY(renew(room, state, boxes, wide, from, reach));
  l = cdni_region_elements(state, room->neighbours);
  *pairs = pairs_of(l, n);
  *n_pairs = l->n_pairs;
  return CDN_OK;
}

void cdni_contact_last_neighbours(const contact_room *room, cdn_state *state, const int32_t **pairs, int *n_pairs) {
  list *l = cdni_region_elements(state, room->neighbours);
  *pairs = pairs_of(l, (int)room->shapes.count);
  *n_pairs = l->reach >= 0 ? l->n_pairs : 0;
}
