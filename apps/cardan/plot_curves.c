/* Drawing curves: no more points than can be seen, and curves that hide each other are dashed in turn. */
#include "plot_draw.h"

#include <math.h>
#include <stdlib.h>

enum {
  DASH = 12,          /* points; of curves that lie on each other */
  SHORTEST = 2 * DASH /* curves that meet over less than this are only crossing */
};
static const double LINE_WIDTH = 1.3;

/* Okabe and Ito's colours, which most people can tell apart; yellow is left out, being too pale for lines. */
static const double colours[MOST_LINES][3] = { { 0, 0.45, 0.7 },    { 0.84, 0.37, 0 },    { 0, 0.62, 0.45 },
                                               { 0.8, 0.47, 0.65 }, { 0.34, 0.71, 0.91 }, { 0.9, 0.62, 0 },
                                               { 0, 0, 0 } };

void set_curve_colour(cairo_t *cr, int k) { cairo_set_source_rgb(cr, colours[k][0], colours[k][1], colours[k][2]); }

double along(span s, double x, double from, double to) {
  // halves, so that a range of all doubles does not overflow
  return from + (to - from) * ((0.5 * x - 0.5 * s.least) / (0.5 * s.most - 0.5 * s.least));
}

double curve_value(const figure *f, const panel *p, const curve *c, size_t row) {
  double y = table_at(f->table, row, c->column) + (c->plus < 0 ? 0 : table_at(f->table, row, c->plus)) - c->less;
  if (!p->logarithmic) return y;
  return y > 0 ? log10(y) : NAN;
}

/* ---- curves that coincide ------------------------------------------------------------------ */

/* How many curves hide a curve, or are hidden by it, where a row has it, itself included, and which of them in order it
 * is. */
typedef struct turn {
  unsigned char of, number;
} turn;

/* The points of all curves of a panel, and their turns: curve after curve. */
typedef struct points {
  size_t rows;
  double *x, *y;
  turn *turns;
} points;

static bool same_turn(turn a, turn b) { return a.of == b.of && a.number == b.number; }

/* Curves that only cross have no turns. */
static void forget_crossings(const points *p, turn *turns) {
  for (size_t i = 0, end; i < p->rows; i = end) {
    for (end = i + 1; end < p->rows && same_turn(turns[end], turns[i]);) end++;
    if (turns[i].of == 1 || fabs(p->x[end - 1] - p->x[i]) >= SHORTEST) continue;
    for (size_t k = i; k < end; k++) turns[k] = (turn){ .of = 1 };
  }
}

static void find_turns(points *p, int n) {
  for (int k = 0; k < n; k++) {
    const double *y = p->y + (size_t)k * p->rows;
    turn *turns = p->turns + (size_t)k * p->rows;
    for (size_t i = 0; i < p->rows; i++) {
      turns[i] = (turn){ .of = 1 };
      for (int other = 0; other < n; other++) {
        if (other == k || !(fabs(p->y[(size_t)other * p->rows + i] - y[i]) <= LINE_WIDTH / 2)) continue;
        turns[i].of++;
        if (other < k) turns[i].number++;
      }
    }
    forget_crossings(p, turns);
  }
}

static points make_points(const figure *f, const panel *p, box b, span time, span values) {
  points made = { .rows = f->table->rows };
  const size_t n = made.rows * (size_t)p->n;
  made.x = allocate(made.rows, sizeof *made.x);
  made.y = allocate(n, sizeof *made.y);
  made.turns = allocate(n, sizeof *made.turns);
  for (size_t i = 0; i < made.rows; i++) made.x[i] = along(time, table_at(f->table, i, 0), b.x, b.x + b.w);
  for (int k = 0; k < p->n; k++) {
    for (size_t i = 0; i < made.rows; i++) {
      made.y[(size_t)k * made.rows + i] = along(values, curve_value(f, p, &p->curves[k], i), b.y + b.h, b.y);
    }
  }
  find_turns(&made, p->n);
  return made;
}

static void free_points(points *p) {
  free(p->x);
  free(p->y);
  free(p->turns);
}

/* ---- lines --------------------------------------------------------------------------------- */

/* Points that share a column of dots are drawn as their first, least, greatest and last: a million of them look the
 * same, and do not make the file larger. */
typedef struct bunch {
  bool any;
  double x, first, least, most, last;
} bunch;

static void draw_bunch(cairo_t *cr, bunch *b) {
  if (!b->any) return;
  if (cairo_has_current_point(cr)) cairo_line_to(cr, b->x, b->first);
  else cairo_move_to(cr, b->x, b->first);
  if (b->least < b->most) {
    cairo_line_to(cr, b->x, b->least);
    cairo_line_to(cr, b->x, b->most);
    cairo_line_to(cr, b->x, b->last);
  }
  b->any = false;
}

/* Draws the curve up to here: as a line where it is alone or the lowest, as its dashes elsewhere. */
static void end_line(cairo_t *cr, turn t) {
  const double pattern[2] = { DASH, (t.of - 1) * DASH };
  if (t.number == 0) cairo_set_dash(cr, NULL, 0, 0);
  else cairo_set_dash(cr, pattern, 2, -t.number * DASH);
  cairo_stroke(cr);
}

static void draw_curve(cairo_t *cr, const points *p, int k, bool dense) {
  const double *y = p->y + (size_t)k * p->rows;
  const turn *turns = p->turns + (size_t)k * p->rows;
  bunch here = { .any = false };
  turn now = { .of = 1 };
  for (size_t i = 0; i < p->rows; i++) {
    if (!isfinite(p->x[i]) || !isfinite(y[i])) {
      // a gap where there is no number
      draw_bunch(cr, &here);
      end_line(cr, now);
      continue;
    }
    // a tenth of a point cannot be seen, and digits make files large
    const double at_x = dense ? round(2 * p->x[i]) / 2 : round(10 * p->x[i]) / 10, at_y = round(10 * y[i]) / 10;
    const bool turns_change = !same_turn(turns[i], now);
    if (here.any && (at_x != here.x || turns_change)) draw_bunch(cr, &here);
    if (turns_change) {
      double from_x, from_y;
      const bool goes_on = cairo_has_current_point(cr);
      cairo_get_current_point(cr, &from_x, &from_y);
      end_line(cr, now);
      if (goes_on) cairo_move_to(cr, from_x, from_y);
      now = turns[i];
    }
    if (!here.any) here = (bunch){ true, at_x, at_y, at_y, at_y, at_y };
    here.least = fmin(here.least, at_y);
    here.most = fmax(here.most, at_y);
    here.last = at_y;
  }
  draw_bunch(cr, &here);
  end_line(cr, now);
}

void draw_curves(cairo_t *cr, const figure *f, const panel *p, box b, span time, span values) {
  points all = make_points(f, p, b, time, values);
  cairo_set_line_width(cr, LINE_WIDTH);
  cairo_set_line_join(cr, CAIRO_LINE_JOIN_ROUND);
  for (int k = 0; k < p->n; k++) {
    set_curve_colour(cr, k);
    draw_curve(cr, &all, k, all.rows > 2 * (size_t)b.w);
  }
  cairo_set_dash(cr, NULL, 0, 0);
  free_points(&all);
}
