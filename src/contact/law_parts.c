/* What the law between two kinds of geometry says, and what it lacks: columns of the tables of laws, for freezing and
 * for those who ask. */
#include <stdio.h>

#include "contact/law_kinds.h"
#include "contact/laws.h"
#include "contact/room.h"
#include "core/sized.h"

/* By bit: what it is, and what is done without it. */
static const struct {
  const char *part, *instead;
} texts[CDN_LAW_PARTS] = {
  { "a pressure by depth and rate", "implicit steps take a spring with the stiffness force / depth" },
  { "slopes of its pressure", "they are differences" },
  { "a potential", "the power of its force is integrated, where a contact does not tell its energy" },
  { "bends", "steps do not end where a contact lets go" },
  { "a distance of the two kinds", "steps do not end where they begin to touch" },
  { "derivatives in closed form", "they are differences" },
};

unsigned cdni_law_parts(const contact_room *room, cdn_geometry_kind a, cdn_geometry_kind b) {
  const own_law *own = cdni_contact_own_law(room, a, b);
  const contact_law *law = own ? &own->law : cdni_library_law(a, b);
  if (!law) return 0;
  const pressure_law *p = pressure_at(room, law->pressure);
  const bool told = !own || own->pressure.pressure; /* or else p stands in for a pressure */
  unsigned parts = p->bends ? CDN_LAW_BENDS : 0;
  if (told) parts |= CDN_LAW_PRESSURE;
  if (p->slopes) parts |= CDN_LAW_SLOPES;
  if (law->energy || (told && p->potential)) parts |= CDN_LAW_POTENTIAL;
  if (law->near || cdn_geometry_pair_is_supported(a, b)) parts |= CDN_LAW_DISTANCE;
  if (law->exact) parts |= CDN_LAW_DERIVATIVES;
  return parts;
}

void cdni_law_lacks(unsigned parts, unsigned wanted, char *text, size_t size) {
  size_t used = 0;
  text[0] = 0;
  for (int i = 0; i < CDN_LAW_PARTS; i++)
    if (wanted & ~parts & 1u << i && used < size)
      used +=
          (size_t)snprintf(text + used, size - used, "%s%s (%s)", used ? ", " : "", texts[i].part, texts[i].instead);
}

cdn_status cdn_system_contact_law_sized(const cdn_system *system, cdn_geometry_kind a, cdn_geometry_kind b,
                                        cdn_contact_law_info *out, size_t size) {
  static const char function[] = "cdn_system_contact_law";
  CDNI_NEED_OBJECT(system, CDN_ERR_ARG);
  CDNI_NEED_OBJECT(out, CDN_ERR_ARG);
  cdn_contact_law_info info = { .name = NULL };
  cdni_sized_write(out, size, &info, sizeof info);
  if ((unsigned)a >= CDN_GEOMETRY_KIND_COUNT || (unsigned)b >= CDN_GEOMETRY_KIND_COUNT)
    return cdni_refuse(CDN_ERR_ARG, function, "a and b must be kinds of geometry: they are %d and %d", (int)a, (int)b);
  static const contact_room none = { .system = NULL };
  const contact_room *room = cdni_contact(system);
  if (!room) room = &none;
  const own_law *own = cdni_contact_own_law(room, a, b);
  const contact_law *law = own ? &own->law : cdni_library_law(a, b);
  if (!law)
    return cdni_refuse(CDN_ERR_UNSUPPORTED, function,
                       "there is no law of a %s and a %s: give them one by cdn_system_add_contact_law",
                       cdn_geometry_kind_name(a), cdn_geometry_kind_name(b));
  info.name = law->name, info.own = own != NULL, info.parts = cdni_law_parts(room, a, b);
  cdni_law_lacks(info.parts, (1u << CDN_LAW_PARTS) - 1, info.lacks, sizeof info.lacks);
  cdni_sized_write(out, size, &info, sizeof info);
  return CDN_OK;
}
