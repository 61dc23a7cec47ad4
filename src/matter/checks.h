/* Packing and checking of a body's parameters, when a body is added and when a State's parameters are set. */
#ifndef CARDAN_MATTER_CHECKS_H
#define CARDAN_MATTER_CHECKS_H

#include <cardan/matter.h>

#include "core/core.h"
#include "matter/kinds.h"

enum { FRAME_PARAMETERS = 24, MASS_PARAMETERS = 10 }; /* X_PF, X_BM; mass, com, central inertia */

/* R by columns, then p. */
void cdni_pack_transform(double out[12], cdn_transform X);
cdn_transform cdni_unpack_transform(const double in[12]);
void cdni_pack_mass(double out[10], cdn_mass_properties m);
cdn_mass_properties cdni_unpack_mass(const double in[10]);

/* CDN_OK, or why these are not mass properties of a body. */
cdn_status cdni_check_params(const mobilizer_kind *kind, const double *params, char *reason, size_t size);
cdn_status cdni_check_mass(cdn_mass_properties m, bool allow_improper, char *reason, size_t size);
/* CDN_OK if the numbers are finite and R is a rotation. */
cdn_status cdni_check_frame(cdn_transform X);

/* Whether a body lacks mobility k, or coordinate k whose rate is a speed: the reason then says what to do `instead`,
 * which is NULL for a mobility. */
bool cdni_body_lacks_slot(const cdn_system *system, cdn_body body, int k, const char *instead, char *reason,
                          size_t size);

/* parameters.c: the public setters, on behalf of a public function. `offset`: 0 for X_PF, 12 for X_BM. */
cdn_status cdni_body_set_mass(cdn_state *state, const char *function, cdn_body body, cdn_mass_properties mass);
cdn_status cdni_body_set_frame(cdn_state *state, const char *function, cdn_body body, int offset, cdn_transform X,
                               bool only_check);
cdn_status cdni_body_set_armature(cdn_state *state, const char *function, cdn_body body, double armature,
                                  bool only_check);
cdn_status cdni_body_set_mobilizer_params(cdn_state *state, const char *function, cdn_body body, const double *params,
                                          bool only_check);

#endif
