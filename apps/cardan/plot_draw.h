/* What the two files that draw share: boxes, ranges, curves. */
#ifndef PLOT_DRAW_H
#define PLOT_DRAW_H

#include <cairo.h>

#include "plot.h"

typedef struct box {
  double x, y, w, h;
} box;

typedef struct span {
  double least, most;
} span;

/* ---- plot_curves.c ------------------------------------------------------------------------- */

/* Where x of a span is between two places. */
double along(span s, double x, double from, double to);
/* What is drawn of a curve in a row; its logarithm on a logarithmic axis, NAN where there is none. */
double curve_value(const figure *f, const panel *p, const curve *c, size_t row);
void set_curve_colour(cairo_t *cr, int k);
/* Draws the curves of a panel into its box. Where curves lie on each other they take turns, as dashes. */
void draw_curves(cairo_t *cr, const figure *f, const panel *p, box b, span time, span values);

#endif
