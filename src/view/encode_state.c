/* Texts about a State and a run: values of sliders, parameters, the selected body, the status. */
#include <math.h>
#include <stdio.h>

#include <cardan/dynamics.h>
#include <cardan/measures.h>
#include <cardan/mobilizers.h>
#include <cardan/operators.h>
#include <cardan/soft.h>

#include "view/encode.h"

static void begin(view_text *t, const char *type) {
  cdni_text_clear(t);
  cdni_text_open(t, NULL, '{');
  cdni_text_string(t, "type", type);
}

void cdni_encode_event(view_text *t, double time, const char *kind, const char *text) {
  begin(t, "event");
  cdni_text_number(t, "time", time);
  cdni_text_string(t, "kind", kind);
  cdni_text_string(t, "text", text);
  cdni_text_close(t, '}');
}

/* The numbers of all measures, one after another, as the list of series has them. */
static void encode_measures(view_text *t, cdn_state *state) {
  const cdn_system *system = cdn_state_system(state);
  cdni_text_open(t, "measures", '[');
  for (int i = 0; i < cdn_system_measure_count(system); i++) {
    const cdn_measure measure = { i };
    const double *value = cdn_measure_value(state, measure);
    for (int k = 0; k < cdn_measure_size(system, measure); k++) cdni_text_rounded(t, NULL, value ? value[k] : NAN);
  }
  cdni_text_close(t, ']');
}

void cdni_encode_values(view_text *t, cdn_state *state, const view_coordinate *coordinates, int n_coordinates) {
  begin(t, "values");
  cdni_text_open(t, "coordinates", '[');
  for (int i = 0; i < n_coordinates; i++) cdni_text_rounded(t, NULL, cdn_state_q(state)[coordinates[i].slot]);
  cdni_text_close(t, ']');
  cdni_text_open(t, "controls", '[');
  for (int i = 0; i < cdn_system_control_count(cdn_state_system(state)); i++) {
    double value = NAN;
    (void)!cdn_control_value(state, (cdn_control){ i }, &value);
    cdni_text_rounded(t, NULL, value);
  }
  cdni_text_close(t, ']');
  encode_measures(t, state);
  cdni_text_close(t, '}');
}

bool cdni_encode_parameters(view_text *t, const cdn_state *state, cdn_element_type type, int element) {
  const cdn_system *system = cdn_state_system(state);
  const int n = cdn_element_parameter_count(system, type, element);
  if (n <= 0) return false;
  begin(t, "parameters");
  cdni_text_string(t, "element_type", cdn_element_type_name(type));
  cdni_text_integer(t, "element", element);
  cdni_text_open(t, "list", '[');
  for (int k = 0; k < n; k++) {
    cdn_parameter p;
    double value;
    if (cdn_element_parameter(system, type, element, k, &p) != CDN_OK ||
        cdn_element_get_parameters(state, type, element, k, 1, &value) != CDN_OK)
      continue;
    cdni_text_open(t, NULL, '{');
    cdni_text_integer(t, "index", k);
    cdni_text_string(t, "name", p.name);
    cdni_text_string(t, "unit", p.unit);
    cdni_text_number(t, "value", value);
    cdni_text_number(t, "lower", p.lower);
    cdni_text_number(t, "upper", p.upper);
    cdni_text_close(t, '}');
  }
  cdni_text_close(t, ']');
  cdni_text_close(t, '}');
  return true;
}

/* ---- what is selected ---- */

static void line(view_text *t, const char *label, const char *format, ...) CDN_PRINTF(3, 4);
static void line(view_text *t, const char *label, const char *format, ...) {
  char value[160];
  va_list args;
  va_start(args, format);
  cdni_vprint(value, sizeof value, format, args);
  va_end(args);
  cdni_text_open(t, NULL, '{');
  cdni_text_string(t, "label", label);
  cdni_text_string(t, "value", value);
  cdni_text_close(t, '}');
}

/* In what the System calls a unit of the SI. */
static void vector(view_text *t, const cdn_system *system, const char *label, cdn_vec3 v, const char *si) {
  line(t, label, "%.4g, %.4g, %.4g %s", v.x, v.y, v.z, cdn_system_unit(system, si));
}

static void describe_motion(view_text *t, cdn_state *state, cdn_body body) {
  cdn_transform X;
  cdn_spatial V;
  if (cdn_body_pose(state, body, &X) == CDN_OK) vector(t, cdn_state_system(state), "position", X.p, "m");
  if (cdn_body_velocity(state, body, &V) != CDN_OK) return;
  vector(t, cdn_state_system(state), "velocity", V.v, "m/s");
  vector(t, cdn_state_system(state), "angular velocity", V.w, "rad/s");
}

static void describe_coordinates(view_text *t, cdn_state *state, cdn_body body) {
  const cdn_system *system = cdn_state_system(state);
  const struct {
    cdn_pool pool;
    int first, n;
    const double *values;
  } pools[] = {
    { CDN_POOL_Q, cdn_body_first_q(system, body), cdn_body_nq(system, body), cdn_body_q(state, body) },
    { CDN_POOL_U, cdn_body_first_u(system, body), cdn_body_nu(system, body), cdn_body_u(state, body) },
  };
  for (int p = 0; p < CDNI_COUNT(pools); p++)
    for (int k = 0; k < pools[p].n; k++) {
      char name[96];
      cdn_system_slot_name(system, pools[p].pool, pools[p].first + k, name, sizeof name);
      line(t, name, "%.6g", pools[p].values[k]);
    }
}

/* All bodies are computed at once; one is shown. */
static void describe_loads(view_text *t, cdn_state *state, cdn_body body) {
  const int n = cdn_system_body_count(cdn_state_system(state));
  cdn_spatial *F = cdn_work_push(state, (size_t)n * sizeof *F);
  if (!F) return;
  if (cdn_applied_forces(state, F, NULL) == CDN_OK) {
    vector(t, cdn_state_system(state), "force", F[body.i].v, "N");
    vector(t, cdn_state_system(state), "moment", F[body.i].w, "N m");
  }
  if (cdn_constraint_forces(state, F, NULL) == CDN_OK && cdn_system_constraint_count(cdn_state_system(state)) > 0)
    vector(t, cdn_state_system(state), "force of constraints", F[body.i].v, "N");
  const double *udot = cdn_state_udot(state);
  if (udot && cdn_calc_reaction_forces(state, udot, CDN_REACTION_ON_BODY_AT_M, F) == CDN_OK) {
    vector(t, cdn_state_system(state), "reaction of the joint", F[body.i].v, "N");
    vector(t, cdn_state_system(state), "moment of the joint", F[body.i].w, "N m");
  }
  cdn_work_pop(state, F);
}

static void describe_contacts(view_text *t, cdn_state *state, cdn_body body) {
  enum { MOST = 12 };
  const cdn_system *system = cdn_state_system(state);
  int n = 0, own = 0;
  if (cdn_system_shape_count(system) == 0 || cdn_contact_count(state, &n) != CDN_OK) return;
  for (int i = 0; i < n; i++) {
    cdn_contact c;
    if (cdn_contact_get(state, i, &c) != CDN_OK) continue;
    const bool first = cdn_shape_body(system, c.a).i == body.i;
    if ((!first && cdn_shape_body(system, c.b).i != body.i) || own++ >= MOST) continue;
    char label[128];
    snprintf(label, sizeof label, "contact with %.100s", cdn_shape_name(system, first ? c.b : c.a));
    const char *N = cdn_system_unit(system, "N"), *m = cdn_system_unit(system, "m");
    line(t, label, "%.4g %s, depth %.3g %s, friction %.4g %s", c.force, N, c.depth, m, cdn_norm(c.friction), N);
  }
  line(t, "contacts", "%d", own);
}

/* Soft rows of the body's joint, or on the body, by name. */
static void describe_rows(view_text *t, cdn_state *state, cdn_body body) {
  enum { MOST = 12 };
  static const char *const kinds[] = { "equality", "friction loss", "limit", "cone", "pyramid" };
  int n = 0, own = 0;
  if (cdn_soft_count(state, &n) != CDN_OK) return;
  for (int i = 0; i < n && own < MOST; i++) {
    cdn_soft_group g;
    if (cdn_soft_get(state, i, &g) != CDN_OK || g.contact >= 0) continue;
    if (g.joint.i != body.i && g.a.i != body.i && g.b.i != body.i) continue;
    char label[128], forces[128];
    size_t used = 0;
    for (int k = 0; k < g.rows; k++)
      used += (size_t)cdni_print(forces + used, sizeof forces - used, "%s%.4g", k ? ", " : "", g.force[k]);
    snprintf(label, sizeof label, "row %.100s", g.name);
    line(t, label, "%s: %s", kinds[g.kind], forces);
    own++;
  }
}

void cdni_encode_selected(view_text *t, cdn_state *state, cdn_body body) {
  const cdn_system *system = cdn_state_system(state);
  const bool is_body = body.i >= 0 && body.i < cdn_system_body_count(system);
  begin(t, "selected");
  if (is_body) cdni_text_integer(t, "body", body.i);
  else cdni_text_string(t, "body", NULL);
  cdni_text_string(t, "name", is_body ? cdn_body_name(system, body) : NULL);
  cdni_text_open(t, "lines", '[');
  if (is_body && body.i > 0) {
    line(t, "mass", "%.6g %s", cdn_body_mass_properties(state, body).mass, cdn_system_unit(system, "kg"));
    line(t, "joint", "%s, %s", cdn_body_mobilizer_name(system, body),
         cdn_mobilizer_name(cdn_body_mobilizer(system, body)));
    describe_motion(t, state, body);
    describe_coordinates(t, state, body);
    describe_loads(t, state, body);
  }
  if (is_body) describe_contacts(t, state, body);
  if (is_body && body.i > 0) describe_rows(t, state, body);
  cdni_text_close(t, ']');
  cdni_text_close(t, '}');
}

/* ---- curves ---- */

void cdni_encode_curves(view_text *t, int run, const int *series, int n_series, const double *times,
                        const double *values, int n) {
  begin(t, "curves");
  cdni_text_integer(t, "run", run);
  cdni_text_open(t, "series", '[');
  for (int i = 0; i < n_series; i++) cdni_text_integer(t, NULL, series[i]);
  cdni_text_close(t, ']');
  cdni_text_numbers(t, "times", times, n);
  cdni_text_open(t, "values", '[');
  for (int i = 0; i < n_series; i++) {
    cdni_text_open(t, NULL, '[');
    for (int k = 0; k < n; k++) cdni_text_rounded(t, NULL, values[k * n_series + i]);
    cdni_text_close(t, ']');
  }
  cdni_text_close(t, ']');
  cdni_text_close(t, '}');
}

/* ---- the status ---- */

void cdni_encode_status(view_text *t, const view_status *s) {
  begin(t, "status");
  cdni_text_number(t, "time", s->time);
  cdni_text_string(t, "state", s->state);
  cdni_text_number(t, "speed", s->speed);
  cdni_text_number(t, "reached", s->reached);
  cdni_text_number(t, "accuracy", s->accuracy);
  cdni_text_string(t, "method", s->method);
  cdni_text_string(t, "contact", s->contact);
  cdni_text_integer(t, "layers", s->layers);
  cdni_text_open(t, "plots", '[');
  for (int i = 0; i < s->n_plots; i++) cdni_text_integer(t, NULL, s->plots[i]);
  cdni_text_close(t, ']');
  cdni_text_number(t, "step", s->step);
  cdni_text_integer(t, "steps", s->steps);
  cdni_text_integer(t, "evaluations", s->evaluations);
  cdni_text_number(t, "energy", s->energy);
  cdni_text_number(t, "estimate", s->estimate);
  cdni_text_string(t, "verdict", s->verdict);
  if (s->delivered == CDN_VERDICT_UNKNOWN) cdni_text_string(t, "delivered", NULL);
  else cdni_text_boolean(t, "delivered", s->delivered == CDN_VERDICT_DELIVERED);
  if (s->companion < 0) cdni_text_string(t, "companion", NULL);
  else cdni_text_boolean(t, "companion", s->companion > 0);
  cdni_text_number(t, "from", s->from);
  cdni_text_number(t, "to", s->to);
  cdni_text_string(t, "recording", s->recording);
  cdni_text_string(t, "note", s->note);
  cdni_text_string(t, "offers", s->offers);
  cdni_text_close(t, '}');
}
