/* Cardan: a force that pulls a body to a point, as a hand does.
 *
 * A *perturbation* is a force element without a body. In a State it can be given a station of any body and a point in
 * Ground, the target. Then a spring and a damper act between the two:
 *
 *   f = k (target - p) - c v      at the station, whose place in Ground is p and whose velocity is v
 *
 * k and c are chosen for the mass that the station shows in its pose: m = 3 / trace(Lambda^-1), the mean over all
 * directions. Constraints count: Lambda^-1 = J K J^T, where K takes generalized forces to the accelerations that the
 * constraints allow (cdn_solve_constrained). With omega = 10 rad/s, k = m omega^2 and c = 2 m omega: critical damping.
 * Body, station, target, k and c are parameters, Instance-stage variables of the State. The force has no potential: its
 * power is work from outside. A picture shows it as an arrow (layer CDN_LAYER_OWN). The viewer (view.h) pulls by the
 * mouse with it.
 *
 * I want to
 *   pull a body to a point, as a hand does: cdn_system_add_perturbation, cdn_perturbation_begin,
 *       cdn_perturbation_move, cdn_perturbation_end, cdn_perturbation_get */
#ifndef CARDAN_PERTURBATION_H
#define CARDAN_PERTURBATION_H

#include <cardan/forces.h>

CDN_BEGIN_DECLS

/** Adds a perturbation, which holds no body. `name` may be NULL: "perturbation". Copies the name; sticky (system.h). */
CDN_API cdn_force cdn_system_add_perturbation(cdn_system *system, const char *name);

/** Takes hold of station p_B (m, in the body's axes) of a body, and pulls it to target_G (m, in Ground). Computes k and
 *  c for the State's pose. Realizes Position. Errors: CDN_ERR_ARG (no perturbation; no such body, Ground, or a point
 *  that no mobility moves, or that constraints hold), CDN_ERR_NONFINITE, errors of realizing; then nothing changes.
 *  O(n + m) for n bodies and m equations of constraints, if loops close locally. */
CDN_API cdn_status cdn_perturbation_begin(cdn_state *state, cdn_force perturbation, cdn_body body, cdn_vec3 p_B,
                                          cdn_vec3 target_G) CDN_NODISCARD;
/** Moves the target of a perturbation that holds a body. CDN_ERR_ARG (no perturbation, or it holds none),
 *  CDN_ERR_NONFINITE. O(1). */
CDN_API cdn_status cdn_perturbation_move(cdn_state *state, cdn_force perturbation, cdn_vec3 target_G) CDN_NODISCARD;
/** Lets go. It is no error if nothing is held. CDN_ERR_ARG: no perturbation. O(1). */
CDN_API cdn_status cdn_perturbation_end(cdn_state *state, cdn_force perturbation) CDN_NODISCARD;

/** What a perturbation does in a State. Later releases append members. */
typedef struct cdn_perturbation {
  cdn_body body;             /**< { -1 }: it holds none; then all else is zero */
  cdn_vec3 p_B;              /**< the station, m */
  cdn_vec3 p_G, target_G;    /**< the station and the target in Ground, m */
  double stiffness, damping; /**< k, N/m; c, N s/m */
  cdn_vec3 force_G;          /**< on the body, N */
} cdn_perturbation;
/** Writes what a perturbation does. Realizes Velocity if it holds a body. CDN_ERR_ARG: no perturbation; errors of
 *  realizing. */
CDN_SIZED(cdn_perturbation_get, (cdn_state *state, cdn_force perturbation, cdn_perturbation *out),
          (state, perturbation, out), out);

CDN_END_DECLS
#endif
