/* Soft rows of a state beside those of contacts: limits, friction losses, equalities that give way. */
#include "command.h"

#include <string.h>

static const char *const kinds[] = {
  [CDN_SOFT_EQUALITY] = "equality", [CDN_SOFT_FRICTION_LOSS] = "friction loss", [CDN_SOFT_LIMIT] = "limit",
  [CDN_SOFT_ELLIPTIC] = "cone",     [CDN_SOFT_PYRAMIDAL] = "pyramid",
};

cdn_status print_soft_rows_json(json_writer *w, cdn_state *state) {
  const cdn_system *system = cdn_state_system(state);
  int n;
  CDN_TRY(cdn_soft_count(state, &n));
  jw_array(w, "soft_rows", false);
  for (int i = 0; i < n; i++) {
    cdn_soft_group g;
    CDN_TRY(cdn_soft_get(state, i, &g));
    if (g.contact >= 0) continue;
    jw_object(w, NULL, true);
    jw_text(w, "name", g.name);
    jw_text(w, "kind", kinds[g.kind]);
    if (g.joint.i > 0) {
      jw_text(w, "joint", cdn_body_mobilizer_name(system, g.joint));
    } else {
      jw_text(w, "a", cdn_body_name(system, g.a));
      jw_text(w, "b", cdn_body_name(system, g.b));
    }
    jw_numbers(w, "force", g.force, g.rows);
    jw_numbers(w, "residual", g.residual, g.rows);
    jw_close(w);
  }
  jw_close(w);
  return CDN_OK;
}

cdn_status print_soft_rows(cdn_state *state) {
  char text[CDN_NUMBER_SIZE];
  bool first = true;
  int n;
  CDN_TRY(cdn_soft_count(state, &n));
  for (int i = 0; i < n; i++) {
    cdn_soft_group g;
    CDN_TRY(cdn_soft_get(state, i, &g));
    if (g.contact >= 0) continue;
    if (first) printf("\n  soft rows beside contacts: forces, N or N m\n");
    first = false;
    printf("  %-14s", kinds[g.kind]);
    for (int k = 0; k < g.rows; k++) printf(" %16s", rounded(g.force[k], text));
    printf("  %s\n", visible(g.name));
  }
  return CDN_OK;
}
