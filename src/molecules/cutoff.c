/* Pairs within a cutoff: its description, and the list of neighbours, which a State keeps while no atom has moved by
 * half the skin. What the list has beyond the cutoff depends on where atoms have been; no sum depends on it
 * (kernels.c). */
#include <math.h>

#include "core/sized.h"
#include "molecules/field.h"
#include "system/system.h"

CDNI_DEF(cutoff_def, .distance = 1, .permittivity = 78.3, .skin = 0.15);

/* Where the switch begins, in cutoffs, if the user does not say. */
static const double SWITCHED_FROM = 0.9;

void cdn_molecule_set_cutoff(cdn_molecule *m, const cdn_cutoff_def *given) {
  if (!mol_takes(m, __func__)) return;
  cdn_cutoff_def def;
  const char *unreadable = read_cutoff_def(&def, given);
  if (unreadable) mol_fail(m, CDN_ERR_VERSION, __func__, m->name, "%s", unreadable);
  else if (!(def.distance > 0 && isfinite(def.distance) && def.switching >= 0 && def.skin >= 0 && isfinite(def.skin)))
    mol_fail(m, CDN_ERR_ARG, __func__, m->name,
             "the cutoff %g nm is not positive, or its switching %g nm or its skin %g nm is negative, or one is not "
             "finite",
             def.distance, def.switching, def.skin);
  else if (def.switching > def.distance)
    mol_fail(m, CDN_ERR_ARG, __func__, m->name, "switching begins at %g nm, beyond the cutoff %g nm: give less",
             def.switching, def.distance);
  else if (!(def.permittivity >= 1))
    mol_fail(m, CDN_ERR_ARG, __func__, m->name, "the permittivity %g beyond the cutoff is less than 1",
             def.permittivity);
  else m->cutoff = def;
}

void mol_cutoff_make(field *f, const cdn_cutoff_def *def) {
  const double d = def->distance, by_eps = 1 / def->permittivity; /* an infinite one is allowed */
  f->cutoff = (field_cutoff){ .distance = d, .skin = def->skin };
  if (d == 0) return;
  f->cutoff.first = def->switching > 0 ? def->switching : SWITCHED_FROM * d;
  f->cutoff.krf = (1 - by_eps) / (2 + by_eps) / (d * d * d);
  f->cutoff.crf = 3 / (2 + by_eps) / d;
}

/* ---- the list ---- */

/* What the bytes of the region begin with; the positions that it was made for follow, then starts and entries. */
typedef struct head {
  int32_t n, room; /* n: -1: it holds nowhere */
} head;

static size_t size_of(const field *f, int room) {
  return sizeof(head) + 3 * (size_t)f->row * sizeof(double) + ((size_t)f->row + (size_t)room) * sizeof(int32_t);
}
static double *positions_of(head *h) { return (double *)(void *)(h + 1); }
static int32_t *starts_of(const field *f, head *h) { return (int32_t *)(void *)(positions_of(h) + 3 * f->row); }

static cdn_status take(const field *f, cdn_state *state, int room) {
  void *bytes;
  CDNI_TRY(cdni_region_take(state, "cdn_realize", f->neighbours, size_of(f, room), &bytes));
  memset(bytes, 0, size_of(f, room));
  *(head *)bytes = (head){ -1, room };
  return CDN_OK;
}

/* Entries that an atom has at first: fewer than a protein has within a nanometre, so that memory follows need. */
enum { FIRST_ENTRIES = 16 };

static cdn_status forget(const void *self, cdn_state *state, cdn_region_output *out) {
  (void)out;
  const field *f = self;
  return take(f, state, FIRST_ENTRIES * f->n);
}

void mol_declare_list(field *f, cdn_declarer *d) {
  f->vicinity = cdn_declare_computed_region(d, "vicinity", 1, forget, 1, &f->v_factor.ticket, CDN_STAGE_EMPTY);
  cdni_declare_unsaved(d, f->vicinity.ticket);
  f->neighbours = cdni_declare_companion_region(d, "neighbours", 1, f->vicinity);
  cdni_declare_unsaved(d, f->neighbours.ticket);
}

/* Whether no atom has moved by more than half the skin. A position that is no number has moved. */
static bool holds(const field *f, head *h, const field_work *w) {
  if (h->n < 0) return false;
  const double *x = positions_of(h), *y = x + f->row, *z = y + f->row, most = 0.25 * f->cutoff.skin * f->cutoff.skin;
  bool within = true;
  for (int i = 0; i < f->n; i++) {
    const double dx = w->x[i] - x[i], dy = w->y[i] - y[i], dz = w->z[i] - z[i];
    within &= dx * dx + dy * dy + dz * dz <= most;
  }
  return within;
}

/* A part of the reach that rounding of distances takes. */
static const double LIST_ROUNDED = 1e-9;

static cdn_status renew(const field *f, cdn_state *state, const field_work *w) {
  const size_t blocks = (size_t)mol_blocks(f), row = (size_t)f->row;
  double *boxes = cdn_work_push(state, 6 * blocks * sizeof *boxes + blocks * sizeof(int32_t));
  if (!boxes) return cdni_state_fail(state, CDN_ERR_NOMEM, false, "cdn_realize", f->name, "out of memory");
  const double reach = (f->cutoff.distance + f->cutoff.skin) * (1 + LIST_ROUNDED);
  cdn_status status = CDN_OK;
  for (;;) {
    head *h = cdni_region_elements(state, f->neighbours);
    double *x = positions_of(h);
    int32_t *start = starts_of(f, h);
    const int n = mol_kernels()->list(f, w, reach, start, start + row, h->room, boxes, (int32_t *)(boxes + 6 * blocks));
    if (n <= h->room) {
      memcpy(x, w->x, row * sizeof *x), memcpy(x + row, w->y, row * sizeof *x),
          memcpy(x + 2 * row, w->z, row * sizeof *x);
      h->n = n;
      break;
    }
    const int before = h->room;
    status = take(f, state, n + n / 4);
    if (status == CDN_OK) continue;
    (void)!take(f, state, before); /* the list keeps its size, which never fails, and holds nowhere */
    break;
  }
  cdn_work_pop(state, boxes);
  return status;
}

cdn_status mol_get_list(const field *f, cdn_state *state, const field_work *w, field_list *list) {
  CDNI_TRY(cdni_state_ensure(state, f->vicinity.ticket));
  if (!holds(f, cdni_region_elements(state, f->neighbours), w)) CDNI_TRY(renew(f, state, w));
  const int32_t *start = starts_of(f, cdni_region_elements(state, f->neighbours));
  *list = (field_list){ start, start + f->row };
  return CDN_OK;
}
