/* The forces' part of the description that checkpoints compare: kinds and places. Parameters are part of the State. */
#include <stdio.h>

#include "forces/elements/body_force.h"
#include "forces/elements/linear_bushing.h"
#include "forces/elements/two_point.h"
#include "forces/internal.h"

static const char *body_name(const force_room *room, int32_t body) {
  return cdn_body_name(room->system, (cdn_body){ body });
}

/* "(x y z) of 'body'": all digits, so that stations which differ are told apart. */
static void put_station(const force_room *room, int32_t body, cdn_vec3 p, char *text, size_t size) {
  char x[CDN_NUMBER_SIZE], y[CDN_NUMBER_SIZE], z[CDN_NUMBER_SIZE];
  snprintf(text, size, "(%s %s %s) of %s", cdn_number_text(p.x, x), cdn_number_text(p.y, y), cdn_number_text(p.z, z),
           body_name(room, body));
}

void cdni_describe_mobility(const force_room *room, const void *element, char *text, size_t size) {
  const force_mobility *at = element;
  char slot[96];
  cdn_system_slot_name(room->system, CDN_POOL_U, room->first_u + at->u, slot, sizeof slot);
  snprintf(text, size, " at %s", slot);
}

void cdni_describe_two_points(const force_room *room, const void *element, char *text, size_t size) {
  const two_point *e = element;
  char a[200], b[200];
  put_station(room, e->body_a, e->p_A, a, sizeof a);
  put_station(room, e->body_b, e->p_B, b, sizeof b);
  snprintf(text, size, " between %s and %s", a, b);
}

void cdni_describe_body_force(const force_room *room, const void *element, char *text, size_t size) {
  const body_force *e = element;
  char at[200];
  put_station(room, e->body, e->p_B, at, sizeof at);
  snprintf(text, size, " at %s", at);
}

void cdni_describe_bushing(const force_room *room, const void *element, char *text, size_t size) {
  const bushing *e = element;
  snprintf(text, size, " between %s and %s", body_name(room, e->body_a), body_name(room, e->body_b));
}

void cdni_forces_describe(const void *self, const cdn_system *system, cdn_description *d) {
  const force_room *room = *(const force_room *const *)self;
  (void)system;
  for (size_t i = 0; i < room->elements.count; i++) {
    const force_element *e = &CDNI_AT(room->elements, force_element, i);
    const force_kind *kind = cdni_force_kinds[e->kind];
    const char *elements = room->sets[e->kind].elements.data;
    char where[480] = "";
    if (kind->describe) kind->describe(room, elements + (size_t)e->index * kind->element_size, where, sizeof where);
    cdn_describe(d, e->name, "a force of kind %s%s", kind->name, where);
  }
}
