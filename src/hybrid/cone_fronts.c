/* The plan of an elimination by fronts (Duff and Reid 1983), from which cones are coupled: the order of the cones, the
 * tree of what waits for what, and places for all numbers.
 *
 * Cones that are eliminated one after another, and are then coupled with the same others, make one front: a dense
 * matrix of the equations of these and those. A few zeros more are worth fewer fronts. */
#include <stdint.h>
#include <string.h>

#include "core/core.h"
#include "hybrid/cone_set.h"

/* The part of a front that may be zeros for the sake of fewer fronts; measured. */
static const double ZEROS = 0.1;

/* What is known of the cones while the plan is made; by place: after it is in the order. */
typedef struct maker {
  int n;
  size_t words;
  uint64_t *bits; /* by cone: with which it is coupled when its turn comes */
  int *order, *place, *later, *parent, *child, *sibling, *stack, *new_order, *start;
  int *with; /* with which each is coupled at first, itself too, one cone after another */
} maker;

static size_t divide_maker(maker *m, char *base, size_t with) {
  const size_t n = (size_t)m->n;
  size_t at = 0;
  m->bits = cdni_part(base, &at, n * m->words, sizeof *m->bits);
  int **const ints[] = { &m->order,   &m->place, &m->later,     &m->parent, &m->child,
                         &m->sibling, &m->stack, &m->new_order, &m->start };
  for (int i = 0; i < CDNI_COUNT(ints); i++) *ints[i] = cdni_part(base, &at, n + 1, sizeof(int));
  m->with = cdni_part(base, &at, with, sizeof *m->with);
  return at;
}

/* ---- couplings ---- */

static void couple(const cone_set *s, maker *m) {
  for (int r = 0; r < s->rows; r++)
    for (int k = s->first[r]; k < s->first[r + 1]; k++)
      bits_put(m->bits + (size_t)(s->slot[r] / 3) * m->words, s->slot[s->column[k]] / 3);
  for (int i = 0; i < s->n; i++) bits_put(m->bits + (size_t)i * m->words, i);
}

/* The numbers of the bits that are set, in rising order. Returns how many. */
static int list_bits(const uint64_t *bits, size_t words, int *out) {
  int n = 0;
  for (size_t k = 0; k < words; k++)
    for (uint64_t rest = bits[k]; rest; rest &= rest - 1) out[n++] = (int)(64 * k) + __builtin_ctzll(rest);
  return n;
}

/* ---- the tree ---- */

/* A cone waits for those before it that it is then coupled with. By place: the first later one, or -1; how many. */
static void find_parents(maker *m) {
  for (int k = 0; k < m->n; k++) {
    const uint64_t *own = m->bits + (size_t)m->order[k] * m->words;
    m->parent[k] = -1, m->later[k] = 0;
    for (size_t w = 0; w < m->words; w++)
      for (uint64_t rest = own[w]; rest; rest &= rest - 1) {
        const int other = m->place[64 * w + (size_t)__builtin_ctzll(rest)];
        if (other <= k) continue;
        m->later[k]++;
        if (m->parent[k] < 0 || other < m->parent[k]) m->parent[k] = other;
      }
  }
}

/* Changes the order, and nothing that fills up, so that what waits for others comes just after them. */
static void sort_tree(maker *m) {
  int at = 0, roots = -1;
  for (int k = 0; k < m->n; k++) m->child[k] = -1;
  for (int k = m->n - 1; k >= 0; k--) {
    int *list = m->parent[k] < 0 ? &roots : &m->child[m->parent[k]];
    m->sibling[k] = *list, *list = k;
  }
  for (int root = roots; root >= 0; root = m->sibling[root]) {
    int depth = 0;
    m->stack[depth++] = root;
    while (depth > 0) {
      const int k = m->stack[depth - 1], first = m->child[k];
      if (first >= 0) m->child[k] = m->sibling[first], m->stack[depth++] = first;
      else m->new_order[at++] = m->order[k], depth--;
    }
  }
  memcpy(m->order, m->new_order, (size_t)m->n * sizeof *m->order);
  for (int k = 0; k < m->n; k++) m->place[m->order[k]] = k;
  find_parents(m);
}

/* ---- fronts ---- */

/* Divides the places; returns the number of fronts (NULL: only counted). */
static int find_fronts(const maker *m, cone_front *fronts) {
  int n = 0;
  for (int k = 0; k < m->n; n++) {
    cone_front x = { .first = k, .width = 1, .outer = m->later[k], .parent = -1 };
    double zeros = 0;
    while (k + 1 < m->n && m->parent[k] == k + 1) {
      const double width = x.width, more = zeros + width * (m->later[k + 1] + 1 - x.outer);
      if (more > ZEROS * (width + 1) * (0.5 * width + m->later[k + 1])) break;
      k++, zeros = more, x.width++, x.outer = m->later[k];
    }
    k++;
    if (fronts) fronts[n] = x;
  }
  return n;
}

static int size_of(const cone_front *x) { return 3 * (x->width + x->outer); }

/* Where the front's numbers are; returns their number, and *stack the largest that wait. */
static size_t place_numbers(cone_factor *f, size_t *stack, int *largest) {
  size_t at = 0, now = 0;
  *stack = 0, *largest = 0;
  for (int i = 0; i < f->fronts; i++) {
    cone_front *x = &f->front[i];
    const size_t width = 3 * (size_t)x->width, outer = 3 * (size_t)x->outer;
    x->at = at, at += width * (size_t)size_of(x);
    for (int c = x->child; c >= 0; c = f->front[c].sibling)
      now -= 9 * (size_t)f->front[c].outer * (size_t)f->front[c].outer;
    now += outer * outer;
    *stack = now > *stack ? now : *stack;
    *largest = size_of(x) > *largest ? size_of(x) : *largest;
  }
  return at;
}

/* The later places of each front, whose front it waits for, and where they are in that. */
static void list_rows(cone_factor *f, const maker *m, int *front_of) {
  int at = 0;
  for (int i = 0; i < f->fronts; i++)
    for (int k = 0; k < f->front[i].width; k++) front_of[f->front[i].first + k] = i;
  for (int i = 0; i < f->fronts; i++) {
    cone_front *x = &f->front[i];
    const int last = x->first + x->width - 1;
    const uint64_t *bits = m->bits + (size_t)m->order[last] * m->words;
    x->row = at, x->child = x->sibling = -1;
    for (int k = last + 1; k < m->n; k++)
      if (bits_has(bits, m->order[k])) f->row[at++] = k;
    x->parent = x->outer > 0 ? front_of[f->row[x->row]] : -1;
  }
  /* the last child comes first: what it has left is on top */
  for (int i = 0; i < f->fronts; i++) {
    const cone_front *x = &f->front[i];
    cone_front *up = x->parent >= 0 ? &f->front[x->parent] : NULL;
    int k = 0;
    if (!up) continue;
    f->front[i].sibling = up->child, up->child = i;
    for (int r = x->row; r < x->row + x->outer; r++) {
      const int inside = f->row[r] - up->first;
      if (inside < up->width) {
        f->local[r] = inside;
        continue;
      }
      while (f->row[up->row + k] != f->row[r]) k++;
      f->local[r] = up->width + k;
    }
  }
}

/* Place k in front x. */
static int find_local(const cone_factor *f, const cone_front *x, int k) {
  if (k < x->first + x->width) return k - x->first;
  int from = x->row, to = x->row + x->outer;
  while (to - from > 1) {
    const int middle = (from + to) / 2;
    if (f->row[middle] <= k) from = middle;
    else to = middle;
  }
  return x->width + from - x->row;
}

/* Which front takes each block of K, and where. */
static void place_blocks(cone_factor *f, const int *front_of) {
  for (int i = 0; i < f->fronts; i++) f->front[i].blocks = 0;
  for (int pass = 0; pass < 2; pass++) {
    for (int i = 0; i < f->n; i++)
      for (int k = f->start[i]; k < f->start[i + 1]; k++) {
        const int a = f->place[i], b = f->place[f->with[k]];
        cone_front *x = &f->front[front_of[a < b ? a : b]];
        if (pass == 0) {
          x->blocks++;
          continue;
        }
        const size_t row = 3 * (size_t)find_local(f, x, a), column = 3 * (size_t)find_local(f, x, b);
        f->block[x->block + x->blocks] = k, f->to[x->block + x->blocks++] = row * (size_t)size_of(x) + column;
      }
    for (int i = 0, at = 0; i < f->fronts && pass == 0; i++)
      f->front[i].block = at, at += f->front[i].blocks, f->front[i].blocks = 0;
  }
}

/* ---- all of it ---- */

static size_t divide_plan(cone_factor *f, char *base, size_t blocks, size_t rows) {
  const size_t n = (size_t)f->n;
  size_t at = 0;
  f->order = cdni_part(base, &at, n, sizeof *f->order);
  f->place = cdni_part(base, &at, n, sizeof *f->place);
  f->start = cdni_part(base, &at, n + 1, sizeof *f->start);
  f->with = cdni_part(base, &at, blocks, sizeof *f->with);
  f->block = cdni_part(base, &at, blocks, sizeof *f->block);
  f->to = cdni_part(base, &at, blocks, sizeof *f->to);
  f->front = cdni_part(base, &at, (size_t)f->fronts, sizeof *f->front);
  f->row = cdni_part(base, &at, rows, sizeof *f->row);
  f->local = cdni_part(base, &at, rows, sizeof *f->local);
  return at;
}

static size_t divide_numbers(cone_factor *f, char *base, size_t numbers, size_t stack, size_t largest) {
  size_t at = 0;
  f->K = cdni_part(base, &at, 9 * (size_t)f->start[f->n], sizeof(double));
  f->upper = cdni_part(base, &at, numbers, sizeof(double));
  f->lower = cdni_part(base, &at, numbers, sizeof(double));
  f->F = cdni_part(base, &at, largest * largest, sizeof(double));
  f->stack = cdni_part(base, &at, stack, sizeof(double));
  f->x = cdni_part(base, &at, 3 * (size_t)f->n + largest, sizeof(double));
  return at;
}

static bool plan(cone_set *s, maker *m) {
  cone_factor *f = &s->factor;
  size_t blocks = 0, rows = 0;
  couple(s, m);
  for (int i = 0; i < m->n; i++) {
    m->start[i] = (int)blocks;
    blocks += (size_t)list_bits(m->bits + (size_t)i * m->words, m->words, m->with + blocks);
    bits_drop(m->bits + (size_t)i * m->words, i);
  }
  m->start[m->n] = (int)blocks;
  cdni_cone_order(m->n, m->words, m->bits, m->order, m->place, m->later);
  find_parents(m);
  sort_tree(m);
  f->n = m->n, f->fronts = find_fronts(m, NULL);
  for (int k = 0; k < m->n; k++) rows += (size_t)m->later[k];
  f->plan_size = divide_plan(f, NULL, blocks, rows);
  f->plan = cdni_calloc(s->allocator, f->plan_size);
  if (!f->plan) return false;
  divide_plan(f, f->plan, blocks, rows);
  memcpy(f->order, m->order, (size_t)m->n * sizeof *f->order);
  memcpy(f->place, m->place, (size_t)m->n * sizeof *f->place);
  memcpy(f->start, m->start, ((size_t)m->n + 1) * sizeof *f->start);
  memcpy(f->with, m->with, blocks * sizeof *f->with);
  find_fronts(m, f->front);
  list_rows(f, m, m->stack);
  place_blocks(f, m->stack);
  return true;
}

static bool allocate_numbers(cone_set *s) {
  cone_factor *f = &s->factor;
  size_t stack;
  int largest;
  const size_t numbers = place_numbers(f, &stack, &largest);
  f->numbers_size = divide_numbers(f, NULL, numbers, stack, (size_t)largest);
  f->numbers = cdni_calloc(s->allocator, f->numbers_size);
  if (!f->numbers) return false;
  divide_numbers(f, f->numbers, numbers, stack, (size_t)largest);
  return true;
}

bool cdni_cone_factor_prepare(cone_set *s) {
  maker m = { .n = s->n, .words = ((size_t)s->n + 63) / 64 };
  if (s->factor.numbers) return true;
  const size_t with = (size_t)s->first[s->rows] + (size_t)s->n, size = divide_maker(&m, NULL, with);
  char *scratch = cdni_calloc(s->allocator, size);
  if (scratch) divide_maker(&m, scratch, with);
  const bool fits = scratch && plan(s, &m) && allocate_numbers(s);
  if (scratch) cdni_free(s->allocator, scratch, size);
  s->out_of_memory = !fits;
  return fits;
}

void cdni_cone_factor_free(cone_set *s) {
  cdni_free(s->allocator, s->factor.plan, s->factor.plan_size);
  cdni_free(s->allocator, s->factor.numbers, s->factor.numbers_size);
}
