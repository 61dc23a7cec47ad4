/* Contacts as results: what the room of contact knows, and what the rows of a contact did where contact is soft or
 * rigid. */
#include "core/sized.h"
#include "dynamics/dynamics.h"
#include "hybrid/hybrid.h"
#include "soft/soft.h"

cdn_status cdni_contact_force_of_rows(cdn_state *state, int contact, contact_force *out) {
  const contact_room *room = cdni_contact(cdn_state_system(state));
  cdn_contact_model model;
  int number;
  CDNI_TRY(cdni_contact_number_in_model(state, room, contact, &model, &number));
  return model == CDN_CONTACT_SOFT ? cdni_soft_contact_force(state, number, out)
                                   : cdni_hybrid_contact_force(state, number, out);
}

cdn_status cdn_contact_get_sized(cdn_state *state, int i, cdn_contact *out, size_t size) {
  static const char function[] = "cdn_contact_get";
  CDNI_NEED(state, out);
  const contact_room *room = cdni_contact(cdn_state_system(state));
  cdn_contact_model model;
  int n, number;
  /* forces of rows are known with accelerations */
  if (cdni_contact_has_rows(room)) CDNI_TRY(cdni_state_ensure(state, CDN_ACCELERATION));
  CDNI_TRY(cdn_contact_count(state, &n));
  if (i < 0 || i >= n)
    return cdni_state_fail(state, CDN_ERR_ARG, false, function, NULL, "there is no contact %d: the State has %d", i, n);
  cdn_contact c;
  contact_force rows;
  CDNI_TRY(cdni_contact_number_in_model(state, room, i, &model, &number));
  const bool has_rows = model != CDN_CONTACT_COMPLIANT;
  if (has_rows) CDNI_TRY(cdni_contact_force_of_rows(state, i, &rows));
  CDNI_TRY(cdni_contact_report(state, room, i, has_rows ? &rows : NULL, &c));
  CDNI_TRY(cdni_contact_energy(state, room, i, &c.elastic));
  cdni_sized_write(out, size, &c, sizeof c);
  return CDN_OK;
}
