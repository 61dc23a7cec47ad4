/* Doubts: reasons why the accuracy may not have been delivered although the run and its companion agree. Both may have
 * made the same mistake, or agree by chance. The verdict is "unknown" then, and the certificate names the reason. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include <cardan/contact.h>
#include <cardan/forces.h>
#include <cardan/matter.h>
#include <cardan/soft.h>

#include "contact/contact.h"
#include "core/archive.h"
#include "integrators/certificate.h"
#include "integrators/companion.h"
#include "integrators/doubt.h"
#include "integrators/gauge.h"
#include "integrators/step.h"
#include "integrators/stepper.h"
#include "soft/soft.h"

/* ---- what is noted at the steps ---- */

void cdni_note_qualm(cdni_qualm *q, double time, double size, const char *name) {
  if (!(size > q->worst)) return;
  q->time = time;
  q->worst = size;
  snprintf(q->name, sizeof q->name, "%s", name ? name : "");
}

/* The group of soft rows with the largest force, at the present `work`. */
static void name_rows(cdn_stepper *s, char *name, size_t size) {
  const cdn_system *system = s->system;
  double most = -1;
  int n = 0;
  snprintf(name, size, "%s", "");
  if (cdn_soft_count(s->work, &n) != CDN_OK) return;
  for (int i = 0; i < n; i++) {
    cdn_soft_group g;
    double force = 0;
    if (cdn_soft_get(s->work, i, &g) != CDN_OK) return;
    for (int k = 0; k < g.rows; k++) force = fmax(force, fabs(g.force[k]));
    if (!(force > most)) continue;
    most = force;
    if (g.name) snprintf(name, size, "%s", g.name);
    else if (g.joint.i > 0) snprintf(name, size, "%s", cdn_body_mobilizer_name(system, g.joint));
    else snprintf(name, size, "%.28s and %.28s", cdn_body_name(system, g.a), cdn_body_name(system, g.b));
  }
}

/* The residual bounds the relative error of the accelerations. One far below the accuracy is none of the run's. */
static const double NEGLIGIBLE = 0.02;

static void note_rows(cdn_stepper *s) {
  char name[64];
  if (!(s->unsolved > fmax(s->inexact.worst, NEGLIGIBLE * cdni_asked(s)))) return;
  name_rows(s, name, sizeof name);
  cdni_note_qualm(&s->inexact, s->step.t1, s->unsolved, name);
}

static cdn_status note_memory(cdn_stepper *s) {
  char name[64];
  cdn_shape a, b;
  int without;
  CDNI_TRY(cdni_contact_without_memory(s->work, &without, &a, &b));
  if (!(without > s->forgotten.worst)) return CDN_OK;
  snprintf(name, sizeof name, "%.28s and %.28s", cdn_body_name(s->system, cdn_shape_body(s->system, a)),
           cdn_body_name(s->system, cdn_shape_body(s->system, b)));
  cdni_note_qualm(&s->forgotten, s->step.t1, without, name);
  return CDN_OK;
}

cdn_status cdni_doubt_accept(cdn_stepper *s) {
  if (s->def.fixed_step > 0) return CDN_OK;
  note_rows(s);
  return note_memory(s);
}

/* ---- the balance of energy ---- */

static cdn_status energy_at(cdn_stepper *s, const double *y, double *energy) {
  cdn_state *place = s->companion->place;
  double kinetic, potential;
  CDNI_TRY(cdn_state_set_ty(place, s->t, y));
  CDNI_TRY(cdni_prescribe_values(s, place, NULL));
  CDNI_TRY(cdn_kinetic_energy(place, &kinetic));
  CDNI_TRY(cdn_potential_energy(place, &potential));
  *energy = kinetic + potential;
  return CDN_OK;
}

/* What a change of y[i] by one unit is; of a speed, relative to it. */
static double unit_of(const cdn_stepper *s, int i, double y) {
  const int u = i - s->nq;
  if (u < 0) return 1 / s->q_weight[i];
  return u < s->nu ? fmax(s->def.u_weights ? 1 / s->def.u_weights[u] : 1, fabs(y)) : 0;
}

/* The change of the energy for changes of y by what is delivered: all up, all down, and with alternating signs. */
static cdn_status find_play(cdn_stepper *s, double *play) {
  const double *y0 = s->y[s->at];
  double *y = s->scratch + s->stride, here, there;
  *play = 0;
  CDNI_TRY(cdn_state_copy(s->companion->place, s->work));
  CDNI_TRY(energy_at(s, y0, &here));
  for (int k = 0; k < 4; k++) {
    for (int i = 0; i < s->ny; i++) {
      const bool up = (k & 1) ^ ((k & 2) && (i & 1));
      y[i] = y0[i] + (up ? CDNI_DELIVERED : -CDNI_DELIVERED) * cdni_asked(s) * unit_of(s, i, y0[i]);
    }
    CDNI_TRY(energy_at(s, y, &there));
    *play = fmax(*play, fabs(there - here));
  }
  return CDN_OK;
}

/* Parts of the energy in motion that a right run may miss: work is the sum over steps by a quadrature, which kinks in
 * the power spoil; a relative error of speeds counts twice. */
static const double SPOILT = 0.1, OF_SPEEDS = 10;

static bool energy_contradicts(cdn_stepper *s, const cdn_certificate *c, double scale) {
  double play;
  if (!(fabs(c->energy_residual) > SPOILT + OF_SPEEDS * cdni_asked(s))) return false;
  return find_play(s, &play) == CDN_OK && !(fabs(c->energy_residual) * scale <= play + s->uncertain_work);
}

/* ---- the certificate ---- */

enum { NAME = 40 }; /* so that the reason has room beside a name */

static void say(cdn_certificate *out, const char *format, ...) CDN_PRINTF(2, 3);
static void say(cdn_certificate *out, const char *format, ...) {
  va_list args;
  va_start(args, format);
  cdni_vprint(out->doubt, sizeof out->doubt, format, args);
  va_end(args);
}

/* Two runs that both err by rounding, or that are about as accurate, may come close to each other by chance. */
static void doubt_rounding(const cdn_stepper *s, cdn_certificate *out) {
  static const double NOISE = 0.2, NEAR_ROUNDING = 3e-12, ALLOWED = 4;
  const cdn_stepper *judge = s->companion->run;
  char size[CDNI_BRIEF];
  /* roundings have any sign; steps are allowed several */
  const double alpha = cdni_asked(s), floor_size = sqrt(s->floor) / ALLOWED;
  if (s->singular.rounding > NOISE * alpha)
    say(out, "rounding at singular poses may add %.1g, and more where the motion amplifies it", s->singular.rounding);
  else if (judge->def.method >= CDN_METHOD_CVODE_BDF && judge->def.accuracy <= NEAR_ROUNDING &&
           s->companion->largest > alpha)
    say(out, "the companion, at %.1g, is too near to rounding to tell", judge->def.accuracy);
  else if (out->below_rounding[0])
    say(out, "%.*s is rounded to %s, more than the accuracy", NAME, out->below_rounding,
        cdni_brief(out->below_rounding_size, size));
  else if (out->rounding_steps > out->steps / 2 && s->companion->largest <= floor_size && floor_size > alpha)
    say(out, "%.0f %% of the steps are as exact as rounding allows, which may add up to %s",
        floor(100. * (double)out->rounding_steps / (double)out->steps), cdni_brief(floor_size, size));
}

/* What steps have noted, of the run and of its companion (NULL: none). */
static void doubt_steps(const cdn_stepper *s, const cdn_stepper *judge, cdn_certificate *out) {
  char size[CDNI_BRIEF];
  const cdni_qualm *rows = judge && judge->inexact.worst > s->inexact.worst ? &judge->inexact : &s->inexact;
  const cdni_qualm *memory = judge && s->forgotten.worst == 0 ? &judge->forgotten : &s->forgotten;
  const cdni_graze *graze = NULL;
  const cdn_certificate *passage = judge && !out->passed[0] ? &judge->certificate : out;
  if (passage->passed[0])
    say(out, "%.70s went through each other at t = %.4g s", passage->passed, passage->passed_time);
  /* an event that an error of the run would decide, but none of its companion, is decided */
  else if (judge && (graze = cdni_graze_undecided(judge)))
    say(out, "event '%.*s' is grazed at t = %.4g s, and the least error decides whether it occurs", NAME,
        cdn_event_name(s->system, (cdn_event){ graze->event }), graze->time);
  else if (rows->worst > cdni_asked(s))
    say(out, "the soft rows of %.*s were solved to %s only at t = %.4g s", NAME, rows->name,
        cdni_brief(rows->worst, size), rows->time);
  else if (memory->worst > 0)
    say(out, "friction had no memory for %.0f contacts at t = %.4g s (as of %.*s): they creep", memory->worst,
        memory->time, NAME, memory->name);
}

static void doubt_agreement(cdn_stepper *s, cdn_certificate *out, double energy_scale) {
  char size[CDNI_BRIEF];
  if (s->companion->compared < s->reported)
    say(out, "the run is at t = %.9g s, and its companion has not caught up with it yet", s->reported);
  if (!out->doubt[0]) doubt_rounding(s, out);
  if (!out->doubt[0]) doubt_steps(s, s->companion->run, out);
  if (!out->doubt[0] && out->below_tolerance[0])
    say(out, "%.*s moves by %s only, less than the accuracy, and is not resolved", NAME, out->below_tolerance,
        cdni_brief(out->below_tolerance_motion, size));
  if (!out->doubt[0] && energy_contradicts(s, out, energy_scale))
    say(out, "the balance of energy is off by %s times the energy in motion",
        cdni_brief(fabs(out->energy_residual), size));
}

void cdni_doubt_certify(cdn_stepper *s, cdn_certificate *out, double energy_scale) {
  const cdni_companion *c = s->companion;
  memset(out->doubt, 0, sizeof out->doubt);
  /* a companion whose rows are not solved is no judge */
  const bool judges = c && c->run->inexact.worst <= cdni_asked(s);
  if (s->def.fixed_step > 0) return;
  if (out->delivered == CDN_VERDICT_DELIVERED) doubt_agreement(s, out, energy_scale);
  else if (!c || (out->delivered == CDN_VERDICT_NOT_DELIVERED && !judges)) doubt_steps(s, c ? c->run : NULL, out);
  if (out->doubt[0]) out->delivered = CDN_VERDICT_UNKNOWN;
}

/* ---- checkpoints ---- */

void cdni_doubt_archive(cdn_stepper *s, cdni_archive *a) {
  cdni_qualm *const qualms[] = { &s->inexact, &s->forgotten };
  cdni_archive_mark(a, "DOUB");
  for (int i = 0; i < CDNI_COUNT(qualms); i++) {
    cdni_archive_double(a, &qualms[i]->time);
    cdni_archive_double(a, &qualms[i]->worst);
    cdni_archive_bytes(a, qualms[i]->name, sizeof qualms[i]->name);
    qualms[i]->name[sizeof qualms[i]->name - 1] = 0;
  }
  cdni_grazes_archive(s, a);
}
