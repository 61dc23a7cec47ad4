/* Inverse weights of bodies and mobilities against the dense J M^-1 J^T and M^-1 at the default coordinates, for
 * mobilizers of every kind, with the masses of the State and whatever its own coordinates and locks are. */
#include "matter/matter.h"
#include "operator_samples.h"

static void check_weights(sample *s) {
  static double M_inv[MOST_NU * MOST_NU];
  inverse_weights w;
  const matter *m = cdni_matter(cdn_state_system(s->state));
  cdn_state *rest;
  if (s->nu == 0) return;
  OK(cdn_state_create(cdn_state_system(s->state), &rest));
  /* other masses than the default ones, in both */
  const int heavy = 1 + pick(&s->r, s->nb - 1);
  cdn_mass_properties mass = cdn_body_mass_properties(s->state, (cdn_body){ heavy });
  if (mass.mass > 0) {
    const double factor = 1.7;
    mass.mass *= factor;
    mass.inertia.xx *= factor, mass.inertia.yy *= factor, mass.inertia.zz *= factor;
    mass.inertia.xy *= factor, mass.inertia.xz *= factor, mass.inertia.yz *= factor;
    OK_ON(s->state, cdn_body_set_mass_properties(s->state, (cdn_body){ heavy }, mass));
    OK_ON(rest, cdn_body_set_mass_properties(rest, (cdn_body){ heavy }, mass));
  }
  for (int b = 1; b < s->nb; b += 3) OK_ON(s->state, cdn_body_lock(s->state, (cdn_body){ b }, CDN_LEVEL_POSITION));
  const cdn_status status = cdni_matter_inverse_weights(m, s->state, &w);
  if (cdn_calc_M_inv(rest, M_inv) != CDN_OK) {
    ck_assert(status == CDN_ERR_SINGULAR);
    cdn_state_destroy(rest);
    return;
  }
  OK_ON(s->state, status);
  for (int b = 0; b < s->nb; b++) {
    double L[36], size = 0;
    const cdn_body id = { b };
    const cdn_vec3 center = cdn_body_mass_properties(rest, id).com;
    OK_ON(rest, cdn_calc_frame_operational_inertia_inv(rest, 1, &id, &center, L));
    for (int k = 0; k < 6; k++) size += L[7 * k];
    NEAR(w.body[b][1], (L[0] + L[7] + L[14]) / 3, 1e-10 * size);
    NEAR(w.body[b][0], (L[21] + L[28] + L[35]) / 3, 1e-10 * size);
  }
  for (int b = 1; b < s->nb; b++) {
    const tree_node *n = &m->tree.node[b];
    const bool averaged = n->kind == CDN_BALL || n->kind == CDN_FREE;
    for (int k = 0; k < n->nu; k++) {
      double truth = 0;
      for (int l = 0; l < 3; l++) {
        const int at = n->u + (averaged ? k / 3 * 3 + l : k);
        truth += M_inv[at * s->nu + at] / 3;
      }
      NEAR(w.mobility[n->u + k], truth, 1e-10 * truth);
    }
  }
  cdn_state_destroy(rest);
}

START_TEST(test_weights) { on_trees(check_weights, 40, false); }
END_TEST

CHECK_MAIN("inverse weights", test_weights)
