/* The broad phase: which boxes overlap.
 *
 * Few boxes are sorted by where they begin along the axis along which they are spread most, over their lengths. Each is
 * compared with those that begin before it ends. Of many that would be too many comparisons.
 *
 * Many boxes of about one size are put into a grid whose cells are as large as they are; then two that overlap are in
 * neighbouring cells. The boxes are sorted by cell, row after row. For each of the rows around a cell one goes through
 * the sorted boxes with two pointers that only go forward. So the time is linear, whatever the place and the number of
 * the boxes, as long as few of them share a cell. Boxes of other sizes are in groups: each group has a grid, into which
 * all smaller boxes are put, too. Boxes without an end are compared with all others. */
#include <float.h>
#include <math.h>

#include "geometry/geometry.h"

enum {
  MOST_CELLS = 1 << 20, /* along one axis; what is farther away is in the last one */
  FEW = 8,              /* a group of so few boxes is compared with all smaller ones */
  FEW_TO_SORT = 48,
  FEW_AT_ALL = 160 /* of so few no grid pays */
};

typedef struct item {
  int64_t key; /* of its cell */
  int32_t box;
  int32_t own; /* it is one of the group that the grid is for */
} item;

typedef struct broad {
  int n;
  const cdni_box *boxes;
  cdni_pair_filter *accept;
  const void *context;
  int room, found;
  int32_t *pairs;
  /* Working memory. */
  item *items, *other;
  cdni_box *sorted;
  int32_t *group; /* of each box; -1: it has no end */
  int32_t *next, *end;
} broad;

static size_t rounded_up(size_t size) { return (size + 15) / 16 * 16; }

size_t cdni_broad_size(int n) {
  const size_t count = (size_t)n;
  return 16 + 2 * count * sizeof(item) + rounded_up(count * sizeof(cdni_box)) +
         3 * rounded_up((count + 1) * sizeof(int32_t));
}

static void *take(char **at, size_t size) {
  void *memory = *at;
  *at += rounded_up(size);
  return memory;
}

static void place(broad *w, void *work) {
  char *at = (char *)work + (16 - (uintptr_t)work % 16) % 16;
  const size_t n = (size_t)w->n;
  w->items = take(&at, n * sizeof(item));
  w->other = take(&at, n * sizeof(item));
  w->sorted = take(&at, n * sizeof(cdni_box));
  w->group = take(&at, (n + 1) * sizeof(int32_t));
  w->next = take(&at, (n + 1) * sizeof(int32_t));
  w->end = take(&at, (n + 1) * sizeof(int32_t));
}

/* ---- pairs ---- */

static inline bool overlap(const cdni_box *a, const cdni_box *b) {
  return (a->least[0] <= b->most[0]) & (b->least[0] <= a->most[0]) & (a->least[1] <= b->most[1]) &
         (b->least[1] <= a->most[1]) & (a->least[2] <= b->most[2]) & (b->least[2] <= a->most[2]);
}

static void add_pair(broad *w, int a, int b) {
  const int i = a < b ? a : b, j = a < b ? b : a;
  if (w->accept && !w->accept(w->context, i, j)) return;
  if (w->found < w->room) {
    w->pairs[2 * (size_t)w->found] = i;
    w->pairs[2 * (size_t)w->found + 1] = j;
  }
  if (w->found < INT32_MAX) w->found++;
}

/* Pairs (i, j) of one i by their j: a heap sort, or insertion where there are few. */
static void sort_seconds(int32_t *pairs, int n) {
  if (n <= 24) {
    for (int k = 1; k < n; k++) {
      const int32_t j = pairs[2 * k + 1];
      int at = k;
      for (; at > 0 && pairs[2 * at - 1] > j; at--) pairs[2 * at + 1] = pairs[2 * at - 1];
      pairs[2 * at + 1] = j;
    }
    return;
  }
  for (int begin = n / 2, end = n; end > 1;) {
    int32_t j;
    if (begin > 0) j = pairs[2 * --begin + 1];
    else {
      j = pairs[2 * --end + 1];
      pairs[2 * end + 1] = pairs[1];
    }
    int at = begin, child;
    while ((child = 2 * at + 1) < end) {
      if (child + 1 < end && pairs[2 * child + 3] > pairs[2 * child + 1]) child++;
      if (j >= pairs[2 * child + 1]) break;
      pairs[2 * at + 1] = pairs[2 * child + 1];
      at = child;
    }
    pairs[2 * at + 1] = j;
  }
}

/* Sorts the pairs where they are: each goes to its first number's range, then each range is sorted. */
static void sort_pairs(broad *w) {
  const int n = w->found < w->room ? w->found : w->room;
  memset(w->next, 0, ((size_t)w->n + 1) * sizeof(int32_t));
  for (int k = 0; k < n; k++) w->next[w->pairs[2 * (size_t)k]]++;
  int32_t sum = 0;
  for (int i = 0; i < w->n; i++) {
    const int32_t count = w->next[i];
    w->next[i] = sum;
    sum += count;
    w->end[i] = sum;
  }
  for (int i = 0; i < w->n; i++)
    while (w->next[i] < w->end[i]) {
      int32_t *pair = w->pairs + 2 * (size_t)w->next[i];
      if (pair[0] == i) {
        w->next[i]++;
        continue;
      }
      int32_t *home = w->pairs + 2 * (size_t)w->next[pair[0]]++;
      const int32_t kept[2] = { home[0], home[1] };
      home[0] = pair[0], home[1] = pair[1];
      pair[0] = kept[0], pair[1] = kept[1];
    }
  for (int i = 0, begin = 0; i < w->n; begin = w->end[i++])
    if (w->end[i] - begin > 1) sort_seconds(w->pairs + 2 * (size_t)begin, w->end[i] - begin);
}

/* ---- groups by size ---- */

/* The exponent of the longest side, from 0 on; INT32_MAX: the box has no end, or is none. */
static int size_of(const cdni_box *box) {
  double longest = 0;
  for (int k = 0; k < 3; k++) {
    const double side = box->most[k] - box->least[k];
    if (!(side >= 0 && side < DBL_MAX)) return INT32_MAX;
    longest = side > longest ? side : longest;
  }
  uint64_t bits;
  memcpy(&bits, &longest, sizeof bits);
  return (int)(bits >> 52);
}

/* Groups from small to large, each with sides up to four times as long as its shortest ones. Returns how many there
 * are. */
static int find_groups(broad *w) {
  int first = INT32_MAX, groups = 0;
  for (int i = 0; i < w->n; i++) {
    w->next[i] = size_of(&w->boxes[i]);
    w->group[i] = -1;
    if (w->next[i] < first) first = w->next[i];
  }
  while (first != INT32_MAX) {
    int larger = INT32_MAX;
    for (int i = 0; i < w->n; i++) {
      if (w->next[i] < first) continue;
      if (w->next[i] <= first + 1) w->group[i] = groups;
      else if (w->next[i] < larger) larger = w->next[i];
    }
    first = larger;
    groups++;
  }
  return groups;
}

/* ---- one grid ---- */

typedef struct grid {
  double origin[3], per_length[3];
  int64_t cells[3];
} grid;

/* The grid for the boxes that are in w->items: its cells are as large as the largest of them along each axis. */
static grid make_grid(const broad *w, int n) {
  grid g;
  for (int k = 0; k < 3; k++) {
    double least = INFINITY, most = -INFINITY, side = 0;
    for (int i = 0; i < n; i++) {
      const cdni_box *box = &w->boxes[w->items[i].box];
      const double center = 0.5 * box->least[k] + 0.5 * box->most[k];
      least = center < least ? center : least;
      most = center > most ? center : most;
      const double s = box->most[k] - box->least[k];
      side = s > side ? s : side;
    }
    /* A little larger, because centres and quotients are rounded. */
    const double whole = most - least;
    const double cell = fmax(side * (1 + 1e-9), whole / (MOST_CELLS - 2)) + 1e-13 * fmax(fabs(least), fabs(most));
    g.origin[k] = least;
    g.per_length[k] = cell > 0 && whole < DBL_MAX ? 1 / cell : 0;
    g.cells[k] = 1 + (int64_t)fmin(whole < DBL_MAX ? whole * g.per_length[k] : 0, MOST_CELLS - 1);
  }
  return g;
}

static void set_keys(broad *w, int n, const grid *g) {
  for (int i = 0; i < n; i++) {
    const cdni_box *box = &w->boxes[w->items[i].box];
    int64_t at[3];
    for (int k = 0; k < 3; k++) {
      const double cell = (0.5 * box->least[k] + 0.5 * box->most[k] - g->origin[k]) * g->per_length[k];
      at[k] = (int64_t)cell < g->cells[k] ? (int64_t)cell : g->cells[k] - 1;
    }
    /* Rows and layers have one empty cell more, so that no neighbour is in another row. */
    w->items[i].key = (at[2] * (g->cells[1] + 1) + at[1]) * (g->cells[0] + 1) + at[0];
  }
}

/* By key; of equal keys in the order of the boxes, as they came. Few are inserted one by one: to count the digits of a
 * key costs as much for few as for many. */
static void sort_items(broad *w, int n, int64_t most) {
  for (int i = 1; i < n && n <= FEW_TO_SORT; i++) {
    const item moved = w->items[i];
    int at = i;
    for (; at > 0 && w->items[at - 1].key > moved.key; at--) w->items[at] = w->items[at - 1];
    w->items[at] = moved;
  }
  for (int shift = 0; shift < 63 && most >> shift && n > FEW_TO_SORT; shift += 8) {
    int32_t count[257] = { 0 };
    for (int i = 0; i < n; i++) count[1 + (w->items[i].key >> shift & 255)]++;
    for (int k = 0; k < 256; k++) count[k + 1] += count[k];
    for (int i = 0; i < n; i++) w->other[count[w->items[i].key >> shift & 255]++] = w->items[i];
    item *kept = w->items;
    w->items = w->other, w->other = kept;
  }
  for (int i = 0; i < n; i++) w->sorted[i] = w->boxes[w->items[i].box];
}

/* Pairs of own boxes with those in the row of cells that is `shift` away, from one cell before to one behind. */
static void compare_row(broad *w, int n, int64_t shift) {
  const item *items = w->items;
  for (int a = 0, begin = 0; a < n; a++) {
    if (!items[a].own) continue;
    const int64_t first = items[a].key + shift - 1, last = first + 2;
    while (begin < n && items[begin].key < first) begin++;
    for (int b = begin; b < n && items[b].key <= last; b++) {
      if (items[b].own && b <= a) continue; /* found from b, or a itself */
      if (overlap(&w->sorted[a], &w->sorted[b])) add_pair(w, items[a].box, items[b].box);
    }
  }
}

/* The own row, where all are of the group: only what comes behind. */
static void compare_own_row(broad *w, int n) {
  const item *items = w->items;
  for (int a = 0; a < n; a++)
    for (int b = a + 1; b < n && items[b].key <= items[a].key + 1; b++)
      if (overlap(&w->sorted[a], &w->sorted[b])) add_pair(w, items[a].box, items[b].box);
}

static void compare_in_grid(broad *w, int n, bool all_own) {
  const grid g = make_grid(w, n);
  set_keys(w, n, &g);
  const int64_t row = g.cells[0] + 1, layer = row * (g.cells[1] + 1);
  sort_items(w, n, layer * g.cells[2]);
  for (int z = -1; z <= 1; z++)
    for (int y = -1; y <= 1; y++) {
      if ((z && g.cells[2] == 1) || (y && g.cells[1] == 1)) continue;
      if (all_own && (z < 0 || (z == 0 && y < 0))) continue; /* found from there */
      if (all_own && z == 0 && y == 0) compare_own_row(w, n);
      else compare_row(w, n, z * layer + y * row);
    }
}

/* ---- all ---- */

/* Pairs of box a with smaller ones and, of its own group, with those of smaller numbers. */
static void compare_with_smaller(broad *w, int a, int group) {
  for (int b = 0; b < w->n; b++) {
    const bool smaller = group < 0 ? w->group[b] >= 0 : w->group[b] >= 0 && w->group[b] < group;
    if ((smaller || (w->group[b] == group && b < a)) && overlap(&w->boxes[a], &w->boxes[b])) add_pair(w, a, b);
  }
}

/* ---- few boxes ---- */

/* The axis along which the boxes are spread most, over their lengths. Boxes without an end do not count. */
static int widest_axis(const broad *w) {
  double low[3] = { INFINITY, INFINITY, INFINITY }, high[3] = { -INFINITY, -INFINITY, -INFINITY }, sum[3] = { 0 };
  for (int i = 0; i < w->n; i++)
    for (int k = 0; k < 3; k++) {
      const double least = w->boxes[i].least[k], most = w->boxes[i].most[k];
      if (!(most - least < DBL_MAX)) continue;
      low[k] = least < low[k] ? least : low[k], high[k] = most > high[k] ? most : high[k];
      sum[k] += most - least;
    }
  int widest = 0;
  double best = -INFINITY;
  for (int k = 0; k < 3; k++) {
    const double spread = (high[k] - low[k]) / sum[k];
    if (spread > best) best = spread, widest = k;
  }
  return widest;
}

typedef struct start {
  double at;
  int32_t box;
} start;
_Static_assert(sizeof(start) <= sizeof(item), "starts have room where items have");

/* Runs of two, of four, and so on are merged. Returns which of the two arrays has the result. */
static start *sort_starts(start *from, start *to, int n) {
  for (int run = 1; run < n; run *= 2) {
    for (int begin = 0; begin < n; begin += 2 * run) {
      const int middle = begin + run < n ? begin + run : n, end = begin + 2 * run < n ? begin + 2 * run : n;
      for (int k = begin, a = begin, b = middle; k < end; k++)
        to[k] = b == end || (a < middle && from[a].at <= from[b].at) ? from[a++] : from[b++];
    }
    start *kept = from;
    from = to, to = kept;
  }
  return from;
}

/* What is no number overlaps with nothing, and is in no order: it is left out. */
static void compare_few(broad *w) {
  const int axis = widest_axis(w);
  start *starts = (start *)(void *)w->items;
  int n = 0;
  for (int i = 0; i < w->n; i++)
    if (!isnan(w->boxes[i].least[axis])) starts[n++] = (start){ .at = w->boxes[i].least[axis], .box = i };
  starts = sort_starts(starts, (start *)(void *)w->other, n);
  for (int a = 0; a < n; a++) w->sorted[a] = w->boxes[starts[a].box];
  for (int a = 0; a < n; a++) {
    const cdni_box box = w->sorted[a];
    const double end = box.most[axis];
    for (int b = a + 1; b < n && starts[b].at <= end; b++)
      if (overlap(&box, &w->sorted[b])) add_pair(w, starts[a].box, starts[b].box);
  }
}

int cdni_broad_pairs(int n, const cdni_box *boxes, cdni_pair_filter *accept, const void *context, int room,
                     int32_t *pairs, void *work) {
  broad w = { .n = n, .boxes = boxes, .accept = accept, .context = context, .room = room, .pairs = pairs };
  place(&w, work);
  if (n <= FEW_AT_ALL) {
    compare_few(&w);
    sort_pairs(&w);
    return w.found;
  }
  const int groups = find_groups(&w);
  for (int group = 0; group < groups; group++) {
    int count = 0, own = 0;
    for (int i = 0; i < n; i++) {
      if (w.group[i] < 0 || w.group[i] > group) continue;
      w.items[count++] = (item){ .box = i, .own = w.group[i] == group };
      own += w.group[i] == group;
    }
    if (own > FEW) {
      compare_in_grid(&w, count, own == count);
      continue;
    }
    for (int i = 0; i < n; i++)
      if (w.group[i] == group) compare_with_smaller(&w, i, group);
  }
  for (int i = 0; i < n; i++)
    if (w.group[i] < 0) compare_with_smaller(&w, i, -1);
  sort_pairs(&w);
  return w.found;
}
