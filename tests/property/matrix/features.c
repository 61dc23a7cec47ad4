/* shared by tests in this folder */
/* All features. A further table is one more line. */
#include "matrix.h"

static feature_table (*const tables[])(void) = { force_features,  soft_features, contact_features,  constraint_features,
                                                 motion_features, own_features,  actuator_features, hybrid_features };
enum { TABLES = sizeof tables / sizeof *tables };

int feature_count(void) {
  int n = 0;
  for (int k = 0; k < TABLES; k++) n += tables[k]().n;
  return n;
}

const feature *feature_at(int i) {
  for (int k = 0; k < TABLES; k++) {
    const feature_table t = tables[k]();
    if (i < t.n) return &t.rows[i];
    i -= t.n;
  }
  ck_abort_msg("no feature");
  return NULL;
}
