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

/* Of one pin: energies by kind, and their derivatives by the angle. */
typedef struct pin_law {
  double energy[PIN_KINDS], slope[PIN_KINDS], curvature[PIN_KINDS];
} pin_law;

static pin_law law_at(const double *e, double angle) {
  const double c1 = cos(angle), s1 = sin(angle);
  double c = 1, s = 0;
  pin_law law = { .energy = { e[0], e[PIN_NUMBERS] } };
  for (int n = 1; n <= MOST_PERIODICITY; n++) {
    const double before = c;
    c = c1 * c - s1 * s, s = s1 * before + c1 * s;
    for (int kind = 0; kind < PIN_KINDS; kind++) {
      const double by_cos = e[kind * PIN_NUMBERS + 2 * n - 1], by_sin = e[kind * PIN_NUMBERS + 2 * n];
      const double energy = by_cos * c + by_sin * s;
      law.energy[kind] += energy, law.slope[kind] += n * (by_sin * c - by_cos * s);
      law.curvature[kind] -= n * n * energy;
    }
  }
  return law;
}

/* Calls `each` for all pins about which terms turn. */
static cdn_status for_pins(const field *f, cdn_state *state, void each(void *context, int body, const pin_law *law),
                           void *context) {
  const void *elements;
  CDNI_TRY(cdn_region_eval(state, f->pins, &elements, NULL));
  const double *e = elements, *q = cdn_state_q_eff(state);
  for (int b = 0; b < f->n_bodies; b++, e += PIN_KINDS * PIN_NUMBERS) {
    if (!f->turns[b]) continue;
    const pin_law law = law_at(e, q[cdn_body_first_q(cdn_state_system(state), f->bodies[b].body)]);
    each(context, b, &law);
  }
  return CDN_OK;
}

typedef struct pin_sums {
  const double *factor;
  field_work *w;
  double *stiffness;
} pin_sums;

static void add_forces(void *context, int body, const pin_law *law) {
  const pin_sums *s = context;
  for (int k = 0; k < PIN_KINDS; k++) {
    s->w->energy[kinds[k]] += s->factor[kinds[k]] * law->energy[k];
    s->w->torque[body] -= s->factor[kinds[k]] * law->slope[k];
  }
}

static void add_stiffness(void *context, int body, const pin_law *law) {
  const pin_sums *s = context;
  for (int k = 0; k < PIN_KINDS; k++) s->stiffness[body] += s->factor[kinds[k]] * law->curvature[k];
}

cdn_status mol_add_pins(const field *f, cdn_state *state, const double *factor, field_work *w) {
  return for_pins(f, state, add_forces, &(pin_sums){ .factor = factor, .w = w });
}

cdn_status mol_add_pins_stiffness(const field *f, cdn_state *state, const double *factor, double *stiffness) {
  return for_pins(f, state, add_stiffness, &(pin_sums){ .factor = factor, .stiffness = stiffness });
}
