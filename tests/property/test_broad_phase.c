/* The broad phase gives the pairs that a comparison of all boxes with all gives, in ascending order, whatever the boxes
 * are. */
#include "geometry/geometry.h"
#include "testing.h"

enum { MOST = SANITIZED ? 100 : 600 };

static uint64_t seed = 1;

static double uniform(double least, double most) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return least + (most - least) * ((double)(seed >> 11) * 0x1p-53);
}

static bool overlap(const cdni_box *a, const cdni_box *b) {
  for (int k = 0; k < 3; k++)
    if (!(a->least[k] <= b->most[k] && b->least[k] <= a->most[k])) return false;
  return true;
}

static bool odd_sum(const void *context, int i, int j) {
  (void)context;
  if (i >= j) ck_abort_msg("%d, %d", i, j);
  return (i + j) % 2 == 1;
}

/* Few boxes are found in another way than many are: so the first of them alone, too. */
enum { SOME = 100 };

/* Compares with all pairs, with and without a filter; the working memory begins with anything. */
static void check(int n, const cdni_box *boxes) {
  const int room = n * (n - 1) / 2 + 1;
  int32_t *pairs = malloc(2 * (size_t)room * sizeof *pairs);
  const size_t size = cdni_broad_size(n);
  unsigned char *work = malloc(size + 8);
  for (int filtered = 0; filtered < 2; filtered++) {
    for (size_t i = 0; i < size; i++) work[i] = (unsigned char)uniform(0, 256);
    memset(work + size, 0x5a, 8);
    const int found = cdni_broad_pairs(n, boxes, filtered ? odd_sum : NULL, NULL, room, pairs, work);
    int expected = 0;
    for (int i = 0; i < n; i++)
      for (int j = i + 1; j < n; j++) {
        if (!overlap(&boxes[i], &boxes[j]) || (filtered && !odd_sum(NULL, i, j))) continue;
        ck_assert_msg(expected < found && pairs[2 * expected] == i && pairs[2 * expected + 1] == j,
                      "pair %d of %d is not %d, %d", expected, found, i, j);
        expected++;
      }
    ck_assert_int_eq(found, expected);
    for (int i = 0; i < 8; i++) ck_assert_int_eq(work[size + (size_t)i], 0x5a);
  }
  free(pairs);
  free(work);
}

static cdni_box box_at(const double center[3], const double half[3]) {
  cdni_box box;
  for (int k = 0; k < 3; k++) box.least[k] = center[k] - half[k], box.most[k] = center[k] + half[k];
  return box;
}

START_TEST(random_boxes_of_one_size) {
  static cdni_box boxes[MOST];
  for (int n = 0; n <= MOST; n = n < FEWER(20) ? n + 1 : n + 97)
    for (int flat = 0; flat < 4; flat++) {
      const double length = cbrt(n + 1);
      for (int i = 0; i < n; i++) {
        double center[3], half[3];
        for (int k = 0; k < 3; k++) {
          center[k] = k < flat ? 3 : uniform(-length, length);
          half[k] = uniform(0.3, 0.6);
        }
        boxes[i] = box_at(center, half);
      }
      check(n, boxes);
    }
}
END_TEST

START_TEST(sizes_over_many_decades) {
  static cdni_box boxes[MOST];
  for (int decades = 1; decades <= 300; decades = 3 * decades + 1)
    for (int i = 0; i < MOST; i++) {
      double center[3], half[3];
      const double size = pow(10, uniform(-decades, 0));
      for (int k = 0; k < 3; k++) {
        center[k] = uniform(-1, 1) * (i % 3 ? size : 1);
        half[k] = size * pow(10, uniform(-3, 0));
      }
      boxes[i] = box_at(center, half);
      if (i == SOME - 1 || i == MOST - 1) check(i + 1, boxes);
    }
}
END_TEST

START_TEST(touching_boxes_overlap) {
  /* Cells of a lattice: each touches 26 others, at faces, edges and corners. */
  static cdni_box boxes[343];
  for (int i = 0; i < 343; i++) {
    const double center[3] = { 0.1 * (i % 7), 0.1 * (i / 7 % 7), 0.1 * (i / 49) }, half[3] = { 0.05, 0.05, 0.05 };
    boxes[i] = box_at(center, half);
  }
  check(343, boxes);
  check(SOME, boxes);
}
END_TEST

START_TEST(boxes_without_an_end) {
  static cdni_box boxes[300];
  for (int i = 0; i < 300; i++) {
    double center[3], half[3];
    for (int k = 0; k < 3; k++) center[k] = uniform(-5, 5), half[k] = uniform(0, 1);
    boxes[i] = box_at(center, half);
    for (int k = 0; k < 3; k++) {
      if (i % 11 == k) boxes[i].least[k] = -INFINITY;
      if (i % 13 == k) boxes[i].most[k] = INFINITY;
    }
  }
  check(300, boxes);
  check(SOME, boxes);
}
END_TEST

START_TEST(odd_numbers) {
  /* Boxes that are inside out, far away, tiny, huge, and no boxes at all. */
  static cdni_box boxes[240];
  const double odd[] = { 0, -0.0, 1e300, -1e300, 1e-300, 1.7e308, -1.7e308, INFINITY, -INFINITY, NAN, 1, 1e16 };
  for (int i = 0; i < 240; i++)
    for (int k = 0; k < 3; k++) {
      boxes[i].least[k] = odd[(int)uniform(0, CDNI_COUNT(odd))];
      boxes[i].most[k] = odd[(int)uniform(0, CDNI_COUNT(odd))];
      if (i % 2) boxes[i].least[k] = 0.1 * (i % 7), boxes[i].most[k] = boxes[i].least[k] + 0.1;
    }
  check(240, boxes);
  check(SOME, boxes);
}
END_TEST

START_TEST(one_box_far_away) {
  static cdni_box boxes[200];
  for (int i = 0; i < 200; i++) {
    double center[3];
    const double half[3] = { 0.5, 0.5, 0.5 };
    for (int k = 0; k < 3; k++) center[k] = i == 77 ? 1e12 : uniform(-3, 3);
    boxes[i] = box_at(center, half);
  }
  check(200, boxes);
  check(SOME, boxes);
}
END_TEST

START_TEST(coincident_boxes) {
  enum { N = 10000, ROOM = 1000 };
  static cdni_box boxes[N];
  static int32_t pairs[2 * ROOM + 1];
  for (int i = 0; i < N; i++) boxes[i] = (cdni_box){ { 0, 0, 0 }, { 1, 1, 1 } };
  void *work = malloc(cdni_broad_size(N));
  pairs[2 * ROOM] = 12345;
  ck_assert_int_eq(cdni_broad_pairs(N, boxes, NULL, NULL, ROOM, pairs, work), N * (N - 1) / 2);
  ck_assert_int_eq(pairs[2 * ROOM], 12345);
  ck_assert_int_eq(cdni_broad_pairs(N, boxes, NULL, NULL, 0, NULL, work), N * (N - 1) / 2);
  /* Those that are written are in order, too. */
  for (int k = 0; k < ROOM; k++) {
    ck_assert_int_lt(pairs[2 * k], pairs[2 * k + 1]);
    if (k)
      ck_assert(pairs[2 * k] > pairs[2 * k - 2] ||
                (pairs[2 * k] == pairs[2 * k - 2] && pairs[2 * k + 1] > pairs[2 * k - 1]));
  }
  check(MOST, boxes);
  free(work);
}
END_TEST

CHECK_MAIN("broad phase", random_boxes_of_one_size, sizes_over_many_decades, touching_boxes_overlap,
           boxes_without_an_end, odd_numbers, one_box_far_away, coincident_boxes)
