/* Words that somebody mistyped. */
#include "core/words.h"

#include <stdbool.h>
#include <string.h>

int cdni_edit_distance(const char *a, const char *b) {
  enum { LONGEST = 40 };
  int n = (int)strlen(a), m = (int)strlen(b);
  if (n > LONGEST || m > LONGEST) return LONGEST;
  int d[LONGEST + 1][LONGEST + 1];
  for (int i = 0; i <= n; i++) {
    for (int j = 0; j <= m; j++) {
      if (i == 0 || j == 0) {
        d[i][j] = i + j;
        continue;
      }
      int best = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
      if (d[i - 1][j] + 1 < best) best = d[i - 1][j] + 1;
      if (d[i][j - 1] + 1 < best) best = d[i][j - 1] + 1;
      bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped && d[i - 2][j - 2] + 1 < best) best = d[i - 2][j - 2] + 1;
      d[i][j] = best;
    }
  }
  return d[n][m];
}

const char *cdni_closest_word(const char *word, const char *const *candidates, int n) {
  const char *closest = NULL;
  int best = (int)strlen(word) / 3 + 2; /* a longer word may hold more typing errors */
  for (int i = 0; i < n; i++) {
    if (!candidates[i]) continue;
    int distance = cdni_edit_distance(word, candidates[i]);
    /* a word cut short (or run on) is close as well */
    size_t k = strlen(word) < strlen(candidates[i]) ? strlen(word) : strlen(candidates[i]);
    if (k >= 3 && strncmp(word, candidates[i], k) == 0 && distance > 1) distance = 1;
    if (distance < best) {
      best = distance;
      closest = candidates[i];
    }
  }
  return closest;
}
