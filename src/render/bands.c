/* The pixels of a band of rows. By default every second pixel of every second row is looked at first: these are points
 * of a lattice. Four rays ask there for each light whether it is hidden; sixty-four directions alternate, and what
 * points in a row on one surface see of a light is averaged, so that soft shadows have no noise. A pixel between points
 * that are alike has their mean colour; else it is looked at as well. Pixels that differ from their neighbours get more
 * rays. All of these take the shadows of the lattice. Bands do not need each other: a picture does not depend on
 * threads. */
#include "render/internal.h"

enum { STEP = 2, KEPT = 4 }; /* pixels between points of the lattice; surfaces of a point whose shadows are averaged */
enum { REACH = 2 };          /* points beside one whose shadows are averaged with its own */
enum { AROUND = 2 };         /* points about a pixel's own whose shadows it may take */
enum { ASKED = 4 };          /* rays of a point for each light */
enum { EDGE_RAYS = 8 };      /* of a pixel that differs from its neighbours */
enum { VISIBLE = 8, SMOOTH = 6 }; /* in bytes of a colour: differences that are edges; those that are not straight */

/* What is seen at a point of the lattice, or in the middle of a pixel. */
typedef struct cell {
  float base[4];
  surface at[KEPT];
  int n;
  bool is_deep; /* there are more surfaces */
  uint8_t bytes[4];
} cell;

typedef struct pixel {
  const cell *cell; /* its own, or a near point's */
  uint8_t bytes[4];
} pixel;

struct worker {
  sights sights;
  int width, points, channels; /* pixels and points of the lattice in a row */
  int first, last;             /* rows of the lattice */
  int begin, end;              /* rows of pixels */
  cell *lattice;
  bool *is_plain;               /* whether a point and its neighbours to the right and below are alike */
  float *light;                 /* of each surface of each point: 3 numbers for each channel */
  uint8_t *asked;               /* of each surface of each point: of each channel, ASKED answers */
  uint8_t *lit, *across, *seen; /* the same: 0 to 255, ever more averaged */
  cell *own;                    /* of pixels that are looked at themselves */
  int n_own;
  pixel *pixels;
  int *columns; /* of a row: those that get rays */
  float *sums;
  float *borrowed;        /* for each channel, and how much there is of all */
  char *memory;           /* of all of these */
  draw draws[16 * ASKED]; /* for the points of squares of 4 x 4 */
  size_t bytes;
};

/* ---- numbers within 0 and 1 ---- */

/* The digits of i in base 2, behind the point: van der Corput's sequence. */
static float mirrored_digits(unsigned i) {
  float sum = 0, digit = 0.5f;
  for (; i > 0; i >>= 1, digit *= 0.5f) sum += i & 1 ? digit : 0;
  return sum;
}

/* The second dimension of Sobol's sequence: four that follow each other fill a square evenly with the digits above. */
static float second_digits(unsigned i) {
  uint32_t sum = 0;
  for (uint32_t digit = 1u << 31; i > 0; i >>= 1, digit ^= digit >> 1) sum ^= i & 1 ? digit : 0;
  return (float)(sum >> 8) * (1.0f / 16777216);
}

static void make_draws(worker *w) {
  for (unsigned i = 0; i < 16 * ASKED; i++)
    w->draws[i] = (draw){ mirrored_digits(i) + 0.5f / (16 * ASKED), second_digits(i) + 0.5f / (16 * ASKED) };
}

/* ---- life ---- */

enum { ROWS = BAND + 2, LATTICE_ROWS = BAND / STEP + 2 * (REACH + AROUND) + 4 };

static void *take(char *memory, size_t *used, size_t n, size_t size) {
  char *block = memory ? memory + *used : NULL;
  *used += (n * size + 63) / 64 * 64;
  return block;
}

/* Gives a worker its places in memory, or NULL everywhere; returns how many bytes it takes. */
static size_t lay_out(worker *w, char *memory, bool is_adaptive) {
  const size_t channels = (size_t)w->channels, width = (size_t)w->width, met = (size_t)RAYS * MOST_SEEN;
  const size_t points = (size_t)w->points * LATTICE_ROWS, places = channels * KEPT * points;
  size_t used = 0;
  w->sights.light = take(memory, &used, 3 * channels * met, sizeof *w->sights.light);
  w->sights.seen = take(memory, &used, channels * met, 1);
  w->columns = take(memory, &used, width, sizeof *w->columns);
  w->sums = take(memory, &used, 4 * width, sizeof *w->sums);
  w->borrowed = take(memory, &used, channels + 1, sizeof *w->borrowed);
  if (!is_adaptive) return used;
  w->lattice = take(memory, &used, points, sizeof *w->lattice);
  w->is_plain = take(memory, &used, points, sizeof *w->is_plain);
  w->light = take(memory, &used, 3 * places, sizeof *w->light);
  w->asked = take(memory, &used, ASKED * places, 1);
  w->lit = take(memory, &used, places, 1);
  w->across = take(memory, &used, places, 1);
  w->seen = take(memory, &used, places, 1);
  w->own = take(memory, &used, ROWS * width, sizeof *w->own);
  w->pixels = take(memory, &used, ROWS * width, sizeof *w->pixels);
  return used;
}

void cdni_render_drop_worker(const cdn_renderer *r, worker *w) {
  if (!w) return;
  cdni_free(&r->allocator, w->memory, w->bytes);
  cdni_free(&r->allocator, w, sizeof *w);
}

worker *cdni_render_make_worker(const cdn_renderer *r) {
  const bool is_adaptive = r->def.samples == 0;
  worker *w = cdni_calloc(&r->allocator, sizeof *w);
  if (!w) return NULL;
  make_draws(w);
  w->width = r->def.width, w->points = r->def.width / STEP + 2;
  w->channels = w->sights.channels = (int)r->lamps.count + 1;
  w->bytes = lay_out(w, NULL, is_adaptive);
  w->memory = cdni_alloc(&r->allocator, w->bytes);
  if (w->memory) {
    lay_out(w, w->memory, is_adaptive);
    return w;
  }
  cdni_render_drop_worker(r, w);
  return NULL;
}

/* ---- rays ---- */

static int at_most(int a, int b) { return a < b ? a : b; }

/* Through a place of the picture; there are so many rays a pixel along each side. */
static ray ray_to(const tracer *t, float column, float row, float rays) {
  const cdn_render_def *d = &t->renderer->def;
  const float x = t->tan_x * (2 * column / (float)d->width - 1), y = t->tan_y * (1 - 2 * row / (float)d->height);
  return (ray){ t->eye, unit(minus(add(scale(x, t->x), scale(y, t->y)), t->z)), 0, t->spread / rays };
}

static float part(float x) { return x - (float)floor_of(x); }

/* Numbers within 0 and 1, from a counter that is hashed (Wang and others; the constants are PCG's output permutation).
 */
static float random_number(uint32_t *state) {
  *state = *state * 747796405u + 2891336453u;
  uint32_t word = ((*state >> ((*state >> 28) + 4)) ^ *state) * 277803737u;
  word = word >> 22 ^ word;
  return (float)(word >> 8) * (1.0f / 16777216);
}

/* ---- the lattice ---- */

static size_t point_at(const worker *w, int i, int row) {
  return (size_t)(row - w->first) * (size_t)w->points + (size_t)i;
}

static void set_cell(cell *c, const sight *x) {
  memcpy(c->base, x->base, sizeof c->base);
  c->n = x->n < KEPT ? x->n : KEPT, c->is_deep = x->n > KEPT;
  for (int i = 0; i < c->n; i++) c->at[i] = x->at[i];
}

static void set_point(worker *w, const tracer *t, shadow_rays *s, int number, int i, int row) {
  /* each point has four directions that are spread, each of four squares of 2 x 2 points sixteen of its own */
  static const uint8_t order[2][2] = { { 0, 2 }, { 3, 1 } };
  const size_t p = point_at(w, i, row), channels = (size_t)w->channels;
  const sight *x = &w->sights.of[number];
  const draw *draws = w->draws + ASKED * (order[row & 1][i & 1] + 4 * order[row >> 1 & 1][i >> 1 & 1]);
  set_cell(&w->lattice[p], x);
  for (int k = 0; k < w->lattice[p].n; k++) {
    const size_t place = KEPT * p + (size_t)k;
    const float *light = light_of(&w->sights, number, k);
    memcpy(w->light + 3 * channels * place, light, 3 * channels * sizeof *light);
    cdni_render_ask_lights(t, s, &x->at[k], light, ASKED, draws, w->asked + ASKED * channels * place);
  }
}

/* The mean of a point's own answers. */
static void sum_up(worker *w, int row) {
  const size_t channels = (size_t)w->channels, begin = point_at(w, 0, row), points = (size_t)w->points;
  memset(w->lit + channels * KEPT * begin, 255, channels * KEPT * points);
  for (size_t p = begin; p < begin + points; p++)
    for (int i = 0; i < w->lattice[p].n; i++) {
      const size_t place = channels * (KEPT * p + (size_t)i);
      const uint8_t *asked = w->asked + ASKED * place;
      for (size_t c = 0; c < channels; c++, asked++)
        w->lit[place + c] =
            (uint8_t)((asked[0] + asked[channels] + asked[2 * channels] + asked[3 * channels] + 2) / ASKED);
    }
}

static void look_at_points(worker *w, const tracer *t, shadow_rays *s, int row) {
  for (int begin = 0; begin < w->points; begin += RAYS) {
    const int n = at_most(w->points - begin, RAYS);
    ray rays[RAYS];
    for (int i = 0; i < n; i++) rays[i] = ray_to(t, (float)(STEP * (begin + i)) + 0.5f, (float)(STEP * row) + 0.5f, 1);
    cdni_render_look(t, n, rays, &w->sights);
    for (int i = 0; i < n; i++) set_point(w, t, s, i, begin + i, row);
  }
}

/* Whether two places are on one surface, which turns by less than an angle with this cosine, and is no steeper seen
 * from the first than so. */
static bool are_alike(const surface *a, const surface *b, float cosine, float slope) {
  if (a->thing != b->thing || a->in_shadows != b->in_shadows || dot(a->normal, b->normal) < cosine) return false;
  const vec way = minus(b->point, a->point);
  const float up = dot(a->normal, way);
  return up * up <= slope * slope * dot(way, way);
}

/* The mean of a point and those of its four neighbours along a line that are alike. In the end each of the sixteen
 * directions has the same weight on a surface without an edge. */
static void average(const worker *w, size_t p, int before, int behind, ptrdiff_t stride, const uint8_t *from,
                    uint8_t *to) {
  static const int weights[2 * REACH + 1] = { 1, 2, 2, 2, 1 };
  const size_t channels = (size_t)w->channels, size = channels * KEPT;
  const uint8_t *own = from + size * p;
  bool is_same = true;
  for (int d = -before; d <= behind && is_same; d++)
    is_same = memcmp(own, own + d * stride * (ptrdiff_t)size, size) == 0;
  memcpy(to + size * p, own, size);
  for (int i = 0; i < w->lattice[p].n && !is_same; i++) {
    int used[2 * REACH + 1] = { 0 }, all = 0;
    for (int d = -before; d <= behind; d++) {
      const cell *other = &w->lattice[(ptrdiff_t)p + d * stride];
      if (other->n > i && are_alike(&w->lattice[p].at[i], &other->at[i], 0.5f, 0.5f))
        all += used[d + REACH] = weights[d + REACH];
    }
    for (size_t c = channels * (size_t)i; c < channels * ((size_t)i + 1) && all > 0; c++) {
      int sum = all / 2;
      for (int d = -before; d <= behind; d++) sum += used[d + REACH] * own[d * stride * (ptrdiff_t)size + (ptrdiff_t)c];
      to[size * p + c] = (uint8_t)(sum / all);
    }
  }
}

static void average_across(worker *w, int row) {
  for (int i = 0; i < w->points; i++)
    average(w, point_at(w, i, row), at_most(i, REACH), at_most(w->points - 1 - i, REACH), 1, w->lit, w->across);
}

static void average_upright(worker *w, int row) {
  const int before = at_most(row - w->first, REACH), behind = at_most(w->last - row, REACH);
  for (int i = 0; i < w->points; i++) average(w, point_at(w, i, row), before, behind, w->points, w->across, w->seen);
}

/* Of a sum of lights, premultiplied. */
static void set_bytes(const cdn_renderer *r, const float sum[4], float rays, uint8_t bytes[4]) {
  const float opacity = sum[3];
  for (int k = 0; k < 3; k++) bytes[k] = opacity > 0 ? cdni_render_byte(r, sum[k] / opacity) : 0;
  bytes[3] = (uint8_t)(255 * smaller(larger(opacity / rays, 0), 1) + 0.5f);
}

static void color_points(worker *w, const tracer *t, int row) {
  const size_t channels = (size_t)w->channels;
  for (int i = 0; i < w->points; i++) {
    const size_t p = point_at(w, i, row);
    cell *c = &w->lattice[p];
    float sum[4];
    memcpy(sum, c->base, sizeof sum);
    for (int k = 0; k < c->n; k++) {
      const size_t place = channels * (KEPT * p + (size_t)k);
      cdni_render_add_light(w->channels, w->light + 3 * place, w->seen + place, sum);
    }
    set_bytes(t->renderer, sum, 1, c->bytes);
  }
}

/* ---- differences ---- */

static bool differ(const cell *a, const uint8_t one[4], const cell *b, const uint8_t other[4], int most) {
  if (a->n != b->n || a->is_deep || b->is_deep) return true;
  for (int k = 0; k < 4; k++)
    if (abs(one[k] - other[k]) > most) return true;
  for (int i = 0; i < a->n && a != b; i++)
    if (!are_alike(&a->at[i], &b->at[i], 0.8f, 0.7f)) return true;
  return false;
}

static void compare_points(worker *w, int row) {
  const size_t along[3] = { 1, (size_t)w->points, (size_t)w->points + 1 };
  for (int i = 0; i + 1 < w->points; i++) {
    const size_t p = point_at(w, i, row);
    const cell *c = &w->lattice[p];
    bool is_plain = true;
    for (int k = 0; k < 3 && is_plain; k++) is_plain = !differ(c, c->bytes, &c[along[k]], c[along[k]].bytes, SMOOTH);
    w->is_plain[p] = is_plain;
  }
}

/* ---- rays of pixels ---- */

/* Where ray number `sample` of a pixel is in it. */
static draw place_in_pixel(int sample, int samples) {
  return (draw){ ((float)sample + 0.5f) / (float)samples,
                 part(mirrored_digits((unsigned)sample) + 0.5f / (float)samples) };
}

/* Adds what a point sees of the lights at a surface, if it is on the same one. */
static void add_seen(const worker *w, int i, int row, const surface *at, float weight, float *sums) {
  if (i < 0 || i >= w->points || row < w->first || row > w->last) return;
  const size_t p = point_at(w, i, row), channels = (size_t)w->channels;
  int n = 0;
  while (n < w->lattice[p].n && !are_alike(&w->lattice[p].at[n], at, 0.7f, 0.7f)) n++;
  if (n == w->lattice[p].n) return;
  const uint8_t *seen = w->seen + channels * (KEPT * p + (size_t)n);
  for (size_t c = 0; c < channels; c++) sums[c] += weight * (float)seen[c];
  sums[channels] += weight;
}

/* What the points about a place of the picture see of the lights at a surface: those on the same one, the more the
 * nearer they are; or those beside them. False: none is. */
static bool borrow(const worker *w, float x, float y, const surface *at, uint8_t *seen) {
  const int i = floor_of(x / STEP), j = floor_of(y / STEP);
  const float right = x / STEP - (float)i, down = y / STEP - (float)j;
  float *sums = w->borrowed, *all = sums + w->channels;
  memset(sums, 0, ((size_t)w->channels + 1) * sizeof *sums);
  for (int k = 0; k < 4; k++)
    add_seen(w, i + k % 2, j + k / 2, at, 0.01f + (k % 2 ? right : 1 - right) * (k / 2 ? down : 1 - down), sums);
  for (int k = 0; k < 16 && *all == 0; k++) add_seen(w, i - 1 + k % 4, j - 1 + k / 4, at, 1, sums);
  for (int c = 0; c<w->channels && * all> 0; c++) seen[c] = (uint8_t)(sums[c] / *all + 0.5f);
  return *all > 0;
}

/* Shadows of surfaces that a ray has met; they are known after the next answer. */
static void find_shadows(worker *w, const tracer *t, shadow_rays *s, int number, int column, int row, int sample,
                         int samples) {
  uint32_t random = (uint32_t)row * 9781u + (uint32_t)column * 6271u + 1;
  const float first = random_number(&random), second = random_number(&random);
  const draw place = place_in_pixel(sample, samples);
  const float x = (float)column + place.u - 0.5f, y = (float)row + place.v - 0.5f;
  const sight *met = &w->sights.of[number];
  for (int i = 0; i < met->n; i++) {
    uint8_t *seen = seen_of(&w->sights, number, i);
    if (w->lattice && borrow(w, x, y, &met->at[i], seen)) continue;
    /* multiples of the plane's counterpart of the golden ratio fill a square evenly */
    const draw d = { part(first + (float)sample * 0.75487767f), part(second + (float)sample * 0.56984029f) };
    cdni_render_ask_lights(t, s, &met->at[i], light_of(&w->sights, number, i), 1, &d, seen);
  }
}

/* Looks at those pixels of a row that are in w->columns, with so many rays each. `sums` are what they see; `cells`, if
 * there is one ray a pixel, what is there. */
static void look_at_pixels(worker *w, const tracer *t, shadow_rays *s, int row, int n_columns, int samples,
                           cell *cells) {
  const float side = sqrtf((float)samples);
  memset(w->sums, 0, 4 * (size_t)n_columns * sizeof *w->sums);
  for (int begin = 0; begin < n_columns * samples; begin += RAYS) {
    const int n = at_most(RAYS, n_columns * samples - begin);
    ray rays[RAYS];
    for (int i = 0; i < n; i++) {
      const int sample = (begin + i) % samples;
      const draw place = place_in_pixel(sample, samples);
      rays[i] = ray_to(t, (float)w->columns[(begin + i) / samples] + place.u, (float)row + place.v, side);
    }
    cdni_render_look(t, n, rays, &w->sights);
    for (int i = 0; i < n; i++)
      find_shadows(w, t, s, i, w->columns[(begin + i) / samples], row, (begin + i) % samples, samples);
    cdni_render_answer(t, s);
    for (int i = 0; i < n; i++) {
      float *sum = w->sums + 4 * ((begin + i) / samples);
      for (int k = 0; k < 4; k++) sum[k] += w->sights.of[i].base[k];
      for (int k = 0; k < w->sights.of[i].n; k++)
        cdni_render_add_light(w->channels, light_of(&w->sights, i, k), seen_of(&w->sights, i, k), sum);
      if (cells) set_cell(&cells[begin + i], &w->sights.of[i]);
    }
  }
}

/* ---- pixels ---- */

static pixel *pixel_at(const worker *w, int column, int row) {
  return &w->pixels[(size_t)(row - w->begin) * (size_t)w->width + (size_t)column];
}

/* The middle of four points that are alike has their mean. */
static void be_between(const worker *w, size_t p, bool right, bool below, pixel *x) {
  const cell *c = &w->lattice[p], *d = c + right, *e = c + (below ? w->points : 0), *f = e + right;
  x->cell = c;
  for (int k = 0; k < 4; k++) x->bytes[k] = (uint8_t)((c->bytes[k] + d->bytes[k] + e->bytes[k] + f->bytes[k] + 2) / 4);
}

static void set_pixels(worker *w, const tracer *t, shadow_rays *s, int row) {
  int n = 0;
  for (int x = 0; x < w->width; x++) {
    const size_t p = point_at(w, x / STEP, row / STEP);
    const bool right = x % STEP, below = row % STEP;
    if (w->is_plain[p] || (!right && !below)) be_between(w, p, right, below, pixel_at(w, x, row));
    else w->columns[n++] = x;
  }
  cell *own = w->own + w->n_own;
  look_at_pixels(w, t, s, row, n, 1, own);
  for (int i = 0; i < n; i++) {
    pixel *x = pixel_at(w, w->columns[i], row);
    set_bytes(t->renderer, w->sums + 4 * i, 1, x->bytes);
    x->cell = &own[i];
  }
  w->n_own += n;
}

static bool differ_pixels(const pixel *a, const pixel *b) {
  return differ(a->cell, a->bytes, b->cell, b->bytes, VISIBLE);
}

static bool is_edge(const worker *w, int column, int row) {
  const pixel *p = pixel_at(w, column, row);
  return p->cell->is_deep || (column > 0 && differ_pixels(p, p - 1)) ||
         (column + 1 < w->width && differ_pixels(p, p + 1)) || (row > w->begin && differ_pixels(p, p - w->width)) ||
         (row + 1 < w->end && differ_pixels(p, p + w->width));
}

/* Whether all points about a pixel and its neighbours are alike. */
static bool is_amid_plain(const worker *w, int column, int row) {
  const int i = column / STEP, j = row / STEP;
  if (i == 0 || j == w->first) return false;
  const bool *q = &w->is_plain[point_at(w, i, j)], *above = q - w->points;
  return q[0] && q[-1] && above[0] && above[-1];
}

static void finish_row(worker *w, const tracer *t, shadow_rays *s, int row) {
  uint8_t *to = t->rgba + 4 * (size_t)row * (size_t)w->width;
  int n = 0;
  for (int x = 0; x < w->width; x++) {
    memcpy(to + 4 * x, pixel_at(w, x, row)->bytes, 4);
    if (!is_amid_plain(w, x, row) && is_edge(w, x, row)) w->columns[n++] = x;
  }
  look_at_pixels(w, t, s, row, n, EDGE_RAYS, NULL);
  for (int i = 0; i < n; i++) set_bytes(t->renderer, w->sums + 4 * i, EDGE_RAYS, to + 4 * w->columns[i]);
}

/* ---- bands ---- */

static void draw_adaptively(worker *w, const tracer *t, shadow_rays *s, int begin, int end) {
  const int height = t->renderer->def.height;
  w->begin = begin > 0 ? begin - 1 : 0, w->end = at_most(end + 1, height);
  /* points about pixels, those whose shadows pixels take, and those whose shadows are averaged with theirs */
  const int top = w->begin / STEP - AROUND, bottom = (w->end - 1) / STEP + AROUND + 1;
  const int first = top > 0 ? top : 0;
  w->first = first > REACH ? first - REACH : 0, w->last = bottom + REACH, w->n_own = 0;
  for (int row = w->first; row <= w->last; row++) look_at_points(w, t, s, row);
  cdni_render_answer(t, s);
  for (int row = w->first; row <= w->last; row++) sum_up(w, row), average_across(w, row);
  for (int row = first; row <= bottom; row++) average_upright(w, row), color_points(w, t, row);
  for (int row = first; row < bottom; row++) compare_points(w, row);
  for (int row = w->begin; row < w->end; row++) set_pixels(w, t, s, row);
  for (int row = begin; row < end; row++) finish_row(w, t, s, row);
}

static void draw_all_rays(worker *w, const tracer *t, shadow_rays *s, int row, int samples) {
  for (int x = 0; x < w->width; x++) w->columns[x] = x;
  look_at_pixels(w, t, s, row, w->width, samples, NULL);
  uint8_t *to = t->rgba + 4 * (size_t)row * (size_t)w->width;
  for (int x = 0; x < w->width; x++) set_bytes(t->renderer, w->sums + 4 * x, (float)samples, to + 4 * x);
}

bool cdni_render_band(worker *w, const tracer *t, int band) {
  const int height = t->renderer->def.height, samples = t->renderer->def.samples;
  const int begin = band * BAND, end = at_most(begin + BAND, height);
  shadow_rays s;
  if (begin >= height) return false;
  s.n = 0;
  if (samples == 0) draw_adaptively(w, t, &s, begin, end);
  for (int row = begin; samples > 0 && row < end; row++) draw_all_rays(w, t, &s, row, samples * samples);
  return true;
}
