/* How a molecule looks: balls for atoms, rods for bonds, in the colours of the elements. */
#include <cardan/scene.h>

#include "molecules/field.h"

/* Balls have this part of the van der Waals radius, so that bonds are seen; nm. */
static const double PART = 0.25, BOND_RADIUS = 0.012;

typedef struct look {
  double radius; /* van der Waals: Bondi 1964; hydrogen of Rowland and Taylor 1996; nm */
  float rgba[4]; /* after Corey, Pauling and Koltun's models */
} look;

static look look_of(int element) {
  switch (element) {
    case 1: return (look){ 0.110, { 0.92f, 0.92f, 0.92f, 1 } };
    case 6: return (look){ 0.170, { 0.35f, 0.35f, 0.35f, 1 } };
    case 7: return (look){ 0.155, { 0.15f, 0.30f, 0.90f, 1 } };
    case 8: return (look){ 0.152, { 0.90f, 0.10f, 0.10f, 1 } };
    case 9: return (look){ 0.147, { 0.45f, 0.85f, 0.30f, 1 } };
    case 15: return (look){ 0.180, { 1.00f, 0.55f, 0.00f, 1 } };
    case 16: return (look){ 0.180, { 0.95f, 0.80f, 0.15f, 1 } };
    case 17: return (look){ 0.175, { 0.20f, 0.75f, 0.20f, 1 } };
    case 35: return (look){ 0.185, { 0.60f, 0.20f, 0.10f, 1 } };
    case 53: return (look){ 0.198, { 0.45f, 0.10f, 0.60f, 1 } };
    default: return (look){ 0.170, { 0.55f, 0.50f, 0.55f, 1 } };
  }
}

static cdn_vec3 place(const field_work *w, int slot) { return cdn_v3(w->x[slot], w->y[slot], w->z[slot]); }

/* Each half of a bond has the colour of its atom. */
static cdn_status add_half(cdn_decorations *d, cdn_vec3 from, cdn_vec3 to, const float rgba[4]) {
  const cdn_vec3 along = cdn_sub(to, from);
  const double length = cdn_norm(along);
  if (!(length > 0)) return CDN_OK;
  cdn_mark m = { .kind = CDN_MARK_LINE,
                 .body = { -1 },
                 .X_G = { cdn_rotation_z_to(along), from },
                 .size = { length, BOND_RADIUS },
                 .rgba = { rgba[0], rgba[1], rgba[2], rgba[3] } };
  return cdn_decorate(d, &m);
}

static cdn_status add_bond(cdn_decorations *d, const field *f, const field_work *w, const int32_t slot[2]) {
  const cdn_vec3 a = place(w, slot[0]), b = place(w, slot[1]), middle = cdn_scale(0.5, cdn_add(a, b));
  CDNI_TRY(add_half(d, a, middle, look_of(f->element[slot[0]]).rgba));
  return add_half(d, b, middle, look_of(f->element[slot[1]]).rgba);
}

cdn_status mol_decorate(const void *self, cdn_state *state, cdn_decorations *d) {
  const field *f = self;
  field_work w;
  cdn_status status = mol_begin(f, state, &w);
  for (int i = 0; !status && i < f->n; i++) {
    const look l = look_of(f->element[i]);
    status = cdn_decorate_point(d, place(&w, i), PART * l.radius, l.rgba);
  }
  for (int i = 0; !status && i < f->n_bonds; i++) status = add_bond(d, f, &w, f->bond[i]);
  mol_end(state, &w);
  return status;
}
