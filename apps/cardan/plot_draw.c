/* Drawing panels with Cairo: a grid of them over one time axis, each with its legend beside it. */
#include "plot_draw.h"

#include <cairo-svg.h>
#include <errno.h>
#include <math.h>
#include <string.h>

/* Sizes in points (SVG) and pixels (PNG). */
enum {
  MARGIN = 14,
  HEAD = 30,    /* the figure's title */
  LABELS = 58,  /* left of a panel */
  SAMPLE = 19,  /* of a line, in the legend */
  CAPTION = 20, /* above it */
  FOOT = 40,    /* the time axis, under the lowest panel of each column */
  GUTTER = 18,  /* between columns */
  SMALL = 11,   /* heights of letters */
  LARGE = 14
};

/* The grid: how many columns of panels, and how large everything is. */
typedef struct layout {
  int columns, rows;
  double panel_width, panel_height, legend, width, height;
} layout;

/* ---- ranges -------------------------------------------------------------------------------- */

static void widen(span *s, double x) {
  if (!isfinite(x)) return;
  s->least = fmin(s->least, x);
  s->most = fmax(s->most, x);
}

/* A range that is not empty: a constant is drawn in the middle. */
static span settle(span s, double margin) {
  if (!(s.least <= s.most)) return (span){ 0, 1 };
  double size = fmax(fabs(s.least), fabs(s.most)), width = s.most - s.least;
  double pad = width > 1e-12 * size ? margin * width : size > 0 ? 0.5 * size : 1;
  if (!isfinite(s.least - pad) || !isfinite(s.most + pad)) return s;
  return (span){ s.least - pad, s.most + pad };
}

static span range_of_time(const figure *f) {
  span s = { INFINITY, -INFINITY };
  for (size_t i = 0; i < f->table->rows; i++) widen(&s, table_at(f->table, i, 0));
  return settle(s, 0);
}

static span range_of_values(const figure *f, const panel *p) {
  span s = { INFINITY, -INFINITY };
  for (int k = 0; k < p->n; k++) {
    for (size_t i = 0; i < f->table->rows; i++) widen(&s, curve_value(f, p, &p->curves[k], i));
  }
  s = settle(s, 0.06);
  // at least a decade, so that there is a number to read
  if (p->logarithmic) s = (span){ fmin(s.least, floor(s.least + 0.1)), fmax(s.most, ceil(s.most - 0.1)) };
  return s;
}

/* ---- text ---------------------------------------------------------------------------------- */

static double text_width(cairo_t *cr, const char *text) {
  cairo_text_extents_t e;
  cairo_text_extents(cr, text, &e);
  return e.x_advance;
}

/* The first and the last n / 2 bytes of a text with dots between them, never half of a character. */
static void shorten(const char *text, size_t n, char *kept, size_t size) {
  size_t length = strlen(text), head = (n + 1) / 2, tail = length - n / 2;
  while (head > 0 && ((unsigned char)text[head] & 0xc0) == 0x80) head--;
  while (tail < length && ((unsigned char)text[tail] & 0xc0) == 0x80) tail++;
  snprintf(kept, size, "%.*s\xe2\x80\xa6%s", (int)head, text, text + tail);
}

/* Text from x on (anchor 0), around it (0.5) or before it (1), shortened to a width. */
static void write_text(cairo_t *cr, double x, double y, double anchor, const char *text, double width) {
  char kept[128];
  size_t n = strlen(text);
  if (n < sizeof kept - 4) strcpy(kept, text);
  else shorten(text, n = sizeof kept - 8, kept, sizeof kept);
  while (n > 1 && text_width(cr, kept) > width) shorten(text, --n, kept, sizeof kept);
  cairo_move_to(cr, x - anchor * text_width(cr, kept), y);
  cairo_show_text(cr, kept);
}

static void set_letters(cairo_t *cr, double size, bool bold) {
  cairo_select_font_face(cr, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                         bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
  cairo_set_font_size(cr, size);
}

static void grey(cairo_t *cr, double g) { cairo_set_source_rgb(cr, g, g, g); }

/* ---- where everything is ------------------------------------------------------------------- */

/* How wide the widest legend is, within reason. */
static double measure_legends(const figure *f) {
  cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_A8, 1, 1);
  cairo_t *cr = cairo_create(surface);
  double widest = 0;
  set_letters(cr, SMALL, false);
  for (int i = 0; i < f->n; i++) {
    for (int k = 0; k < f->panels[i].n; k++) widest = fmax(widest, text_width(cr, f->panels[i].curves[k].label));
  }
  cairo_destroy(cr);
  cairo_surface_destroy(surface);
  return fmin(ceil(widest), 180) + SAMPLE + 14;
}

static layout plan(const figure *f) {
  int n = f->n;
  layout l = { .columns = n <= 6 ? 1 : n <= 14 ? 2 : 3, .legend = measure_legends(f) };
  l.rows = (n + l.columns - 1) / l.columns;
  l.panel_width = l.columns == 1 ? 720 : l.columns == 2 ? 440 : 380;
  l.panel_height = n <= 2 ? 220 : n <= 4 ? 150 : 110;
  l.width = 2 * MARGIN + l.columns * (LABELS + l.panel_width + l.legend) + (l.columns - 1) * GUTTER;
  l.height = 2 * MARGIN + HEAD + l.rows * (CAPTION + l.panel_height) + FOOT;
  return l;
}

/* Panels go down the columns, so that neighbours in the file are neighbours under each other. */
static box place(const layout *l, int i) {
  int column = i / l->rows, row = i % l->rows;
  return (box){ MARGIN + LABELS + column * (LABELS + l->panel_width + l->legend + GUTTER),
                MARGIN + HEAD + row * (CAPTION + l->panel_height) + CAPTION, l->panel_width, l->panel_height };
}

/* ---- a panel ------------------------------------------------------------------------------- */

static void draw_line(cairo_t *cr, double x0, double y0, double x1, double y1) {
  cairo_move_to(cr, x0, y0);
  cairo_line_to(cr, x1, y1);
  cairo_stroke(cr);
}

static void draw_axes(cairo_t *cr, box b, span time, span values, const ticks *x, const ticks *y, bool lowest) {
  set_letters(cr, SMALL, false);
  cairo_set_line_width(cr, 0.6);
  for (int i = 0; i < x->n; i++) {
    double at = along(time, x->at[i], b.x, b.x + b.w);
    grey(cr, 0.88);
    draw_line(cr, at, b.y, at, b.y + b.h);
    grey(cr, 0.25);
    if (lowest) write_text(cr, at, b.y + b.h + SMALL + 5, 0.5, x->label[i], 80);
  }
  for (int i = 0; i < y->n; i++) {
    double at = along(values, y->at[i], b.y + b.h, b.y);
    grey(cr, 0.88);
    draw_line(cr, b.x, at, b.x + b.w, at);
    grey(cr, 0.25);
    write_text(cr, b.x - 6, at + 0.36 * SMALL, 1, y->label[i], LABELS - 8);
  }
  grey(cr, 0.45);
  cairo_set_line_width(cr, 0.8);
  cairo_rectangle(cr, b.x, b.y, b.w, b.h);
  cairo_stroke(cr);
}

static void draw_panel_curves(cairo_t *cr, const figure *f, const panel *p, box b, span time, span values) {
  cairo_save(cr);
  cairo_rectangle(cr, b.x, b.y, b.w, b.h);
  cairo_clip(cr);
  draw_curves(cr, f, p, b, time, values);
  cairo_restore(cr);
}

static void draw_legend(cairo_t *cr, const panel *p, box b, double width) {
  double pitch = fmin(SMALL + 5, b.h / p->n), x = b.x + b.w + 10;
  set_letters(cr, fmin(SMALL, pitch), false);
  for (int k = 0; k < p->n; k++) {
    double y = b.y + (k + 0.75) * pitch;
    set_curve_colour(cr, k);
    cairo_set_line_width(cr, 2);
    draw_line(cr, x, y - 0.36 * SMALL, x + SAMPLE - 5, y - 0.36 * SMALL);
    grey(cr, 0.15);
    write_text(cr, x + SAMPLE, y, 0, p->curves[k].label, width - SAMPLE - 12);
  }
}

static void draw_panel(cairo_t *cr, const figure *f, const panel *p, box b, double legend, span time, const ticks *x,
                       bool lowest) {
  span values = range_of_values(f, p);
  ticks y;
  char title[192];
  if (p->logarithmic) make_log_ticks(&y, values.least, values.most, (int)(b.h / 19));
  else make_ticks(&y, values.least, values.most, (int)(b.h / 19));
  draw_axes(cr, b, time, values, x, &y, lowest);
  draw_panel_curves(cr, f, p, b, time, values);
  draw_legend(cr, p, b, legend);
  set_letters(cr, SMALL, true);
  grey(cr, 0.15);
  // labels that are differences say from what
  if (y.base != 0) snprintf(title, sizeof title, "%s, less %.9g", p->title, y.base);
  else snprintf(title, sizeof title, "%s", p->title);
  write_text(cr, b.x, b.y - 5, 0, title, b.w);
}

/* ---- the figure ---------------------------------------------------------------------------- */

static void draw(cairo_t *cr, const figure *f, const layout *l) {
  span time = range_of_time(f);
  ticks x;
  make_ticks(&x, time.least, time.most, (int)(l->panel_width / 80));
  cairo_set_source_rgb(cr, 1, 1, 1);
  cairo_paint(cr);
  set_letters(cr, LARGE, true);
  grey(cr, 0.1);
  write_text(cr, MARGIN, MARGIN + LARGE, 0, f->title, l->width - 2 * MARGIN);
  for (int i = 0; i < f->n; i++) {
    box b = place(l, i);
    bool lowest = i % l->rows == l->rows - 1 || i == f->n - 1;
    draw_panel(cr, f, &f->panels[i], b, l->legend, time, &x, lowest);
    if (!lowest) continue;
    char label[96];
    if (x.base != 0)
      snprintf(label, sizeof label, "%.40s, %s, less %.9g", f->table->name[0], f->table->time_unit, x.base);
    else snprintf(label, sizeof label, "%.40s, %s", f->table->name[0], f->table->time_unit);
    set_letters(cr, SMALL, false);
    grey(cr, 0.15);
    write_text(cr, b.x + b.w / 2, b.y + b.h + 2 * SMALL + 10, 0.5, label, b.w);
  }
}

static cairo_status_t write_to_file(void *file, const unsigned char *bytes, unsigned int n) {
  return fwrite(bytes, 1, n, file) == n ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

static cairo_status_t draw_to_file(const figure *f, FILE *file, bool is_svg) {
  layout l = plan(f);
  // twice as many dots as points, for screens that have them
  const double dots = 2;
  cairo_surface_t *surface =
      is_svg ? cairo_svg_surface_create_for_stream(write_to_file, file, l.width, l.height)
             : cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)(dots * l.width), (int)(dots * l.height));
  if (!is_svg) cairo_surface_set_device_scale(surface, dots, dots);
  cairo_t *cr = cairo_create(surface);
  draw(cr, f, &l);
  cairo_status_t status = cairo_status(cr);
  cairo_destroy(cr);
  if (status == CAIRO_STATUS_SUCCESS && !is_svg)
    status = cairo_surface_write_to_png_stream(surface, write_to_file, file);
  cairo_surface_finish(surface);
  if (status == CAIRO_STATUS_SUCCESS) status = cairo_surface_status(surface);
  cairo_surface_destroy(surface);
  return status;
}

bool draw_figure(const figure *f, const char *path) {
  FILE *file = fopen(path, "wb");
  if (!file) {
    complain("%s: could not be written: %s", path, strerror(errno));
    return false;
  }
  const char *dot = strrchr(path, '.');
  cairo_status_t status = draw_to_file(f, file, dot && strcmp(dot, ".svg") == 0);
  if (status != CAIRO_STATUS_SUCCESS && status != CAIRO_STATUS_WRITE_ERROR) {
    complain("%s: could not be drawn: %s", path, cairo_status_to_string(status));
  }
  return finish_output(file, path) && status == CAIRO_STATUS_SUCCESS;
}
