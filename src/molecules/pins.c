/* Terms whose dihedral is a pin's q but for a constant, all of one pin together. With phi = q + offset and d = n offset
 * - phase, k (1 + cos(n phi - phase)) is k + k cos(d) cos(n q) - k sin(d) sin(n q). So a pin has one energy of each
 * kind, a sum over n, however many terms turn about it. */
#include <math.h>

#include "molecules/field.h"
#include "system/system.h"

/* Of a kind of term and a pin: a constant, then factors of cosines and sines by n. */
enum { PIN_KINDS = 2, PIN_NUMBERS = 1 + 2 * MOST_PERIODICITY };
static const cdn_energy_term kinds[PIN_KINDS] = { CDN_TERM_TORSION, CDN_TERM_IMPROPER };

static cdn_status calc_pins(const void *self, cdn_state *state, cdn_region_output *out) {
  const field *f = self;
  const double *parameter = cdn_state_parameters(state, f->v_parameter);
  void *memory;
  CDNI_TRY(cdn_region_output_add(out, PIN_KINDS * PIN_NUMBERS * f->n_bodies, &memory));
  double *all = memory;
  for (int i = 0; i < f->n_terms; i++) {
    const field_term *t = &f->terms[i];
    if (!mol_is_of_pin(t)) continue;
    double *e = all + PIN_NUMBERS * (PIN_KINDS * t->pin + (t->kind == CDN_TERM_IMPROPER));
    const double k = parameter[2 * t->number], d = t->n * t->offset - parameter[2 * t->number + 1];
    e[0] += k, e[2 * t->n - 1] += k * cos(d), e[2 * t->n] -= k * sin(d);
  }
  return CDN_OK;
}

void mol_declare_pins(field *f, cdn_declarer *d) {
  f->pins =
      cdn_declare_computed_region(d, "pins", sizeof(double), calc_pins, 1, &f->v_parameter.ticket, CDN_STAGE_EMPTY);
}

cdn_status mol_add_pins(const field *f, cdn_state *state, const double *factor, field_work *w) {
  const void *elements;
  CDNI_TRY(cdn_region_eval(state, f->pins, &elements, NULL));
  const double *e = elements, *q = cdn_state_q_eff(state);
  for (int b = 0; b < f->n_bodies; b++, e += PIN_KINDS * PIN_NUMBERS) {
    if (!f->turns[b]) continue;
    const double angle = q[cdn_body_first_q(cdn_state_system(state), f->bodies[b].body)];
    const double c1 = cos(angle), s1 = sin(angle);
    double c = 1, s = 0, energy[PIN_KINDS] = { e[0], e[PIN_NUMBERS] }, slope[PIN_KINDS] = { 0 };
    for (int n = 1; n <= MOST_PERIODICITY; n++) {
      const double before = c;
      c = c1 * c - s1 * s, s = s1 * before + c1 * s;
      for (int kind = 0; kind < PIN_KINDS; kind++) {
        const double by_cos = e[kind * PIN_NUMBERS + 2 * n - 1], by_sin = e[kind * PIN_NUMBERS + 2 * n];
        energy[kind] += by_cos * c + by_sin * s, slope[kind] += n * (by_sin * c - by_cos * s);
      }
    }
    for (int kind = 0; kind < PIN_KINDS; kind++) {
      w->energy[kinds[kind]] += factor[kinds[kind]] * energy[kind];
      w->torque[b] -= factor[kinds[kind]] * slope[kind];
    }
  }
  return CDN_OK;
}
