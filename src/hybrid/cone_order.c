/* The order in which cones are eliminated: the one that is coupled with the fewest comes first each time, so that
 * little fills up. */
#include "hybrid/cone_set.h"

static int count(const uint64_t *bits, size_t words) {
  int n = 0;
  for (size_t k = 0; k < words; k++)
    for (uint64_t rest = bits[k]; rest; rest &= rest - 1) n++;
  return n;
}

void cdni_cone_order(int n, size_t words, uint64_t *bits, int *order, int *place, int *degree) {
  for (int i = 0; i < n; i++) degree[i] = count(bits + (size_t)i * words, words), place[i] = -1;
  for (int k = 0; k < n; k++) {
    int best = -1;
    for (int i = 0; i < n; i++)
      if (place[i] < 0 && (best < 0 || degree[i] < degree[best])) best = i;
    const uint64_t *own = bits + (size_t)best * words;
    order[k] = best, place[best] = k;
    for (int i = 0; i < n; i++) {
      if (!bits_has(own, i)) continue;
      uint64_t *other = bits + (size_t)i * words;
      for (size_t j = 0; j < words; j++) other[j] |= own[j];
      bits_drop(other, best), bits_drop(other, i);
      degree[i] = count(other, words);
    }
  }
}
