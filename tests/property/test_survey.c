/* Looking at many directions at once: every set of kernels finds the support points that one direction after the other
 * finds, with the same bits as the others, and no direction of a cell is below the cell's bound. */
#include "../testing.h"
#include "geometry/convex/survey.h"
#include "geometry_reference.h"

static const cdn_geometry_kind kinds[] = { CDN_GEOMETRY_CAPSULE, CDN_GEOMETRY_ELLIPSOID, CDN_GEOMETRY_CYLINDER,
                                           CDN_GEOMETRY_BOX, CDN_GEOMETRY_CONVEX };
enum { KINDS = sizeof kinds / sizeof *kinds, COUNT = 21 };

/* The core of a geometry, without a radius. */
static core core_of(const cdn_geometry *g) {
  core c = { .corner = kind_of(g)->corner, .curve = kind_of(g)->curve, .geometry = g };
  if (c.corner == CORNER_HULL) c.kernels = cdni_survey_kernels[cdni_kernel_set(1)];
  for (int k = 0; k < 3; k++) c.size[k] = g->size[k];
  return c;
}

static const survey_kernels *set_of(int i) {
  static const int levels[KERNEL_SET_COUNT] = {
#define LEVEL(name, lanes, level) [KERNEL_SET_##name] = level,
    KERNEL_SETS_LONE(LEVEL)
#undef LEVEL
  };
  return levels[i] > 0 && levels[i] <= cdni_machine_level() ? cdni_survey_kernels[i] : NULL;
}

static cdn_vec3 direction_of(const survey *s, int i) { return cdn_v3(s->m[0][i], s->m[1][i], s->m[2][i]); }

static void check_cells(core_pair *pair, const survey *s, const survey_kernels *kernels, double *bounds) {
  survey_cell cells[COUNT / 3];
  for (int i = 0; i < COUNT / 3; i++)
    cells[i] = (survey_cell){ { (int16_t)(3 * i), (int16_t)(3 * i + 1), (int16_t)(3 * i + 2) } };
  kernels->bound(s, COUNT / 3, cells, bounds);
  for (int i = 0; i < COUNT / 3; i++) {
    double least = INFINITY;
    for (int k = 0; k < 30; k++) {
      cdn_vec3 m = cdn_v3(0, 0, 0);
      for (int j = 0; j < 3; j++) m = g_fma(sample_number(0, 1), direction_of(s, 3 * i + j), m);
      m = cdn_scale(1 / cdn_norm(m), m);
      probe q;
      pair_probe(pair, m, &q);
      least = fmin(least, cdn_dot(m, q.w));
    }
    for (int j = 0; j < 3; j++) least = fmin(least, s->h[3 * i + j]);
    /* the bound says nothing where it is negative */
    if (bounds[i] > 0) ck_assert_double_le(bounds[i], least + 1e-13);
  }
}

START_TEST(support_points_and_bounds) {
  for (int i = 0; i < KINDS; i++)
    for (int j = 0; j < KINDS; j++)
      for (int pose = 0; pose < 10; pose++) {
        sample_geometry a, b;
        sample_make(kinds[i], 1, &a), sample_make(kinds[j], 1, &b);
        core_pair pair = { .a = core_of(&a.geometry), .b = core_of(&b.geometry), .R = sample_rotation() };
        pair.p = cdn_scale(sample_number(0, 1), sample_direction());
        static survey first, s;
        double first_bounds[SURVEY_CELLS], bounds[SURVEY_CELLS];
        s.n = COUNT;
        for (int k = 0; k < COUNT / 3; k++) {
          const cdn_vec3 m = sample_direction();
          for (int c = 0; c < 3; c++) {
            const cdn_vec3 d = cdn_add(m, cdn_scale(0.3, sample_direction())), n = cdn_scale(1 / cdn_norm(d), d);
            s.m[0][3 * k + c] = n.x, s.m[1][3 * k + c] = n.y, s.m[2][3 * k + c] = n.z;
          }
        }
        bool is_first = true;
        for (int set = 0; set < KERNEL_SET_COUNT; set++) {
          const survey_kernels *kernels = set_of(set);
          if (!kernels) continue;
          kernels->probe(&pair, &s, 0);
          for (int k = 0; k < COUNT; k++) {
            probe q;
            pair_probe(&pair, direction_of(&s, k), &q);
            NEAR(s.h[k], cdn_dot(direction_of(&s, k), q.w), 1e-14);
          }
          check_cells(&pair, &s, kernels, bounds);
          if (is_first) first = s, memcpy(first_bounds, bounds, sizeof bounds);
          is_first = false;
          ck_assert(memcmp(first.h, s.h, COUNT * sizeof *s.h) == 0);
          for (int k = 0; k < 3; k++) ck_assert(memcmp(first.w[k], s.w[k], COUNT * sizeof *s.h) == 0);
          ck_assert(memcmp(first_bounds, bounds, COUNT / 3 * sizeof *bounds) == 0);
        }
        sample_free(&a), sample_free(&b);
      }
}
END_TEST

/* Of hulls and boxes that overlap: the search for the least depth. A plane at that depth holds them, along any other
 * direction they are at least as deep, and every set finds it with the same bits. */
START_TEST(least_depth) {
  static const cdn_geometry_kind of[] = { CDN_GEOMETRY_BOX, CDN_GEOMETRY_CONVEX };
  int n_apart = 0, n_found = 0;
  for (int pose = 0; pose < 200; pose++) {
    sample_geometry a, b;
    sample_make(of[pose % 2], 1, &a), sample_make(CDN_GEOMETRY_CONVEX, 1, &b);
    core_pair pair = { .a = core_of(&a.geometry), .b = core_of(&b.geometry), .R = sample_rotation(), .scale = 2 };
    pair.far = -INFINITY;
    pair.p = cdn_scale(sample_number(0, 0.5), sample_direction());
    const cdn_vec3 ahead = sample_direction();
    probe toward;
    pair_probe(&pair, ahead, &toward);
    const deep_start start = { .axis = cdn_scale(-1, ahead), .cosine = -0.8, .toward = &toward };
    core_answer first = { 0 }, answer;
    bool is_first = true, found = false;
    for (int set = 0; set < KERNEL_SET_COUNT; set++) {
      const survey_kernels *kernels = set_of(set);
      if (!kernels) continue;
      answer = (core_answer){ .normal = ahead };
      pair.a.kernels = pair.a.kernels ? kernels : NULL, pair.b.kernels = pair.b.kernels ? kernels : NULL;
      const bool overlap = kernels->deepest(&pair, &start, &answer);
      if (is_first) first = answer, found = overlap;
      is_first = false;
      ck_assert_int_eq(overlap, found);
      ck_assert(memcmp(&first, &answer, sizeof answer) == 0);
    }
    probe q;
    pair_probe(&pair, answer.normal, &q);
    if (!found) n_apart += cdn_dot(answer.normal, q.w) < 0;
    else {
      n_found++;
      NEAR(-answer.distance, cdn_dot(answer.normal, q.w), 1e-13);
      for (int k = 0; k < 300; k++) {
        const cdn_vec3 n = sample_direction();
        pair_probe(&pair, n, &q);
        ck_assert_double_ge(cdn_dot(n, q.w), -answer.distance - 1e-13);
      }
    }
    sample_free(&a), sample_free(&b);
  }
  /* The few that remain begin with four directions that see a flat corner of M. */
  ck_assert_int_ge(n_found, 100);
  ck_assert_int_ge(n_apart + n_found, 190);
}
END_TEST

/* A box and a hull: the axis that is found is the least deep of all directions, or parts them best of the axes. */
START_TEST(axes_of_box_and_hull) {
  int n_apart = 0;
  for (int pose = 0; pose < 200; pose++) {
    sample_geometry a, b;
    sample_make(CDN_GEOMETRY_BOX, 1, &a), sample_make(CDN_GEOMETRY_CONVEX, 1, &b);
    const cdn_surface *s = b.geometry.surface;
    ck_assert_int_gt(s->n_edge_columns, 0);
    const cdn_rotation R = sample_rotation();
    box_at_hull box = { { R.x, R.y, R.z },
                        cdn_add(s->center, cdn_scale(sample_number(0, 2.5), sample_direction())),
                        { 0 } };
    for (int k = 0; k < 3; k++) box.half[k] = a.geometry.size[k];
    hull_axis first = { 0 }, x = { 0 };
    bool is_first = true;
    for (int set = 0; set < KERNEL_SET_COUNT; set++) {
      if (!set_of(set)) continue;
      cdni_box_hull_kernels[set]->faces(s, &box, &x);
      cdni_box_hull_kernels[set]->edges(s, &box, &x);
      if (is_first) first = x;
      is_first = false;
      ck_assert(first.h == x.h && first.part == x.part && first.at == x.at && first.k == x.k);
    }
    double least = INFINITY;
    for (int i = 0; i < 1000; i++) {
      const cdn_vec3 n = sample_direction(), v = cdni_support(&b.geometry, n);
      double h = cdn_dot(n, cdn_sub(v, box.center));
      for (int k = 0; k < 3; k++) h += box.half[k] * fabs(cdn_dot(n, box.axis[k]));
      least = fmin(least, h);
    }
    n_apart += least < 0;
    if (least < 0) ck_assert_double_lt(x.h, 0);
    else if (x.h > 0) ck_assert_double_le(x.h, least + 1e-14);
    sample_free(&a), sample_free(&b);
  }
  ck_assert_int_gt(n_apart, 10);
  ck_assert_int_lt(n_apart, 190);
}
END_TEST

/* Of a small hull, whose corners are in columns. */
START_TEST(farthest_corners) {
  for (int hull = 0; hull < 40; hull++) {
    sample_geometry g;
    sample_make(CDN_GEOMETRY_CONVEX, 1, &g);
    const cdn_surface *s = g.geometry.surface;
    ck_assert_int_gt(s->n_columns, 0);
    const cdn_vec3 m = sample_direction();
    double most = -INFINITY;
    for (int i = 0; i < s->info.n_vertices; i++)
      most = fmax(most, cdn_dot(m, cdn_v3(s->vertices[3 * i], s->vertices[3 * i + 1], s->vertices[3 * i + 2])));
    for (int set = 0; set < KERNEL_SET_COUNT; set++) {
      if (!set_of(set)) continue;
      const int at = set_of(set)->farthest(s->n_columns, s->columns, m);
      ck_assert(at >= 0 && at < s->n_columns);
      const double *v = &s->vertices[3 * (at < s->info.n_vertices ? at : 0)];
      NEAR(cdn_dot(m, cdn_v3(v[0], v[1], v[2])), most, 1e-15);
    }
    sample_free(&g);
  }
}
END_TEST

CHECK_MAIN("survey", support_points_and_bounds, least_depth, axes_of_box_and_hull, farthest_corners)
