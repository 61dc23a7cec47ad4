/* The curves of a muscle, as MuJoCo has them: force by length, force by velocity, passive force, activation. Pieces are
 * parabolas that meet without a bend. */
#include "actuators/internal.h"

/* Divisors count as at least this, as MuJoCo's mjMINVAL. */
static const double LEAST = 1e-15;
static double divisor(double x) { return x > LEAST ? x : LEAST; }

cdn_muscle cdn_default_muscle(void) {
  const cdn_muscle m = { .range = { 0.75, 1.05 },
                         .peak = -1,
                         .scale = 200,
                         .lmin = 0.5,
                         .lmax = 1.6,
                         .vmax = 1.5,
                         .fpmax = 1.3,
                         .fvmax = 1.2,
                         .length_range = { 0, 1 },
                         .acceleration = 1 };
  return m;
}

const char *cdni_muscle_complaint(const cdn_muscle *m) {
  if (!cdni_all_finite((const double *)m, sizeof *m / sizeof(double), NULL))
    return "its muscle has a NaN or an infinity";
  if (!(m->range[0] < m->range[1])) return "of its muscle's range the first number must be below the second";
  if (!(m->lmin < 1 && m->lmax > 1)) return "its muscle needs lmin below 1 and lmax above 1";
  if (!(m->scale > 0 && m->vmax > 0 && m->fpmax > 0 && m->fvmax > 0))
    return "scale, vmax, fpmax and fvmax of its muscle must be above zero";
  if (!(m->length_range[0] < m->length_range[1]))
    return "of its muscle's length range the first number must be below the second";
  return NULL;
}

static double peak_of(const cdn_muscle *m) { return m->peak < 0 ? m->scale / divisor(m->acceleration) : m->peak; }

static double optimal_length(const cdn_muscle *m) {
  return (m->length_range[1] - m->length_range[0]) / divisor(m->range[1] - m->range[0]);
}

/* A value, and its slope. */
typedef struct curve {
  double value, slope;
} curve;

/* From 0 at `from` to 1 at `to`, where its slope is 0: two parabolas that meet in the middle. */
static curve rise(double x, double from, double to) {
  const double middle = 0.5 * (from + to), width = middle - from, sign = width < 0 ? -1 : 1;
  const double w = sign * divisor(fabs(width));
  const bool low = sign * x <= sign * middle;
  const double y = low ? (x - from) / w : (to - x) / w;
  return low ? (curve){ 0.5 * y * y, y / w } : (curve){ 1 - 0.5 * y * y, y / w };
}

static curve force_by_length(const cdn_muscle *m, double L) {
  if (!(L >= m->lmin && L <= m->lmax)) return (curve){ 0, 0 };
  return L <= 1 ? rise(L, m->lmin, 1) : rise(L, m->lmax, 1);
}

/* V: shortening at full speed is -1. */
static curve force_by_velocity(const cdn_muscle *m, double V) {
  const double y = m->fvmax - 1;
  if (V <= -1) return (curve){ 0, 0 };
  if (V <= 0) return (curve){ (V + 1) * (V + 1), 2 * (V + 1) };
  if (V <= y) return (curve){ m->fvmax - (y - V) * (y - V) / divisor(y), 2 * (y - V) / divisor(y) };
  return (curve){ m->fvmax, 0 };
}

muscle_force cdni_muscle_active(const cdn_muscle *m, double length, double rate) {
  const double L0 = divisor(optimal_length(m)), v0 = divisor(L0 * m->vmax), peak = peak_of(m);
  const curve FL = force_by_length(m, m->range[0] + (length - m->length_range[0]) / L0);
  const curve FV = force_by_velocity(m, rate / v0);
  return (muscle_force){ -peak * FL.value * FV.value, -peak * FL.slope * FV.value / L0,
                         -peak * FL.value * FV.slope / v0 };
}

muscle_force cdni_muscle_passive(const cdn_muscle *m, double length) {
  const double L0 = divisor(optimal_length(m)), b = 0.5 * (1 + m->lmax), width = divisor(b - 1);
  const double L = m->range[0] + (length - m->length_range[0]) / L0, most = peak_of(m) * m->fpmax;
  if (L <= 1) return (muscle_force){ 0, 0, 0 };
  const double x = ((L < b ? L : b) - 1) / width;
  if (L <= b) return (muscle_force){ -most * 0.5 * x * x, -most * x / width / L0, 0 };
  return (muscle_force){ -most * (0.5 + (L - b) / width), -most / width / L0, 0 };
}

double cdn_muscle_gain(const cdn_muscle *muscle, double length, double rate) {
  CDNI_NEED_OBJECT(muscle, NAN);
  return cdni_muscle_active(muscle, length, rate).value;
}

double cdn_muscle_bias(const cdn_muscle *muscle, double length) {
  CDNI_NEED_OBJECT(muscle, NAN);
  return cdni_muscle_passive(muscle, length).value;
}

/* ---- activation ---- */

/* The polynomial of degree five from 0 to 1 with no slope and no bend at its ends. */
static curve sigmoid(double x) {
  if (x <= 0) return (curve){ 0, 0 };
  if (x >= 1) return (curve){ 1, 0 };
  return (curve){ x * x * x * (3 * x * (2 * x - 5) + 10), 30 * x * x * (1 - x) * (1 - x) };
}

/* The time constant, and its slopes by the activation at a given control (at 0 and at 1, from within), and by the
 * control. */
typedef struct time_constant {
  double value, slope, by_control;
} time_constant;

static time_constant time_of(const double time[3], double difference, double activation) {
  const double a = drive_within(activation, 0, 1), da = activation >= 0 && activation <= 1 ? 1.5 : 0;
  const double s = 0.5 + 1.5 * a;
  const time_constant rising = { time[0] * s, time[0] * da, 0 }, falling = { time[1] / s, -time[1] * da / (s * s), 0 };
  if (time[2] < LEAST) return difference > 0 ? rising : falling;
  const curve part = sigmoid(difference / time[2] + 0.5);
  const double more = rising.value - falling.value, by_control = more * part.slope / time[2];
  return (time_constant){ falling.value + more * part.value,
                          falling.slope + (rising.slope - falling.slope) * part.value - by_control, by_control };
}

double cdn_muscle_rate(const double time[3], double control, double activation) {
  CDNI_NEED_OBJECT(time, NAN);
  const double difference = drive_within(control, 0, 1) - activation;
  return difference / divisor(time_of(time, difference, activation).value);
}

double cdni_muscle_rate_slope(const double time[3], double control, double activation) {
  const double difference = drive_within(control, 0, 1) - activation;
  const time_constant T = time_of(time, difference, activation);
  const double t = divisor(T.value);
  return -1 / t - difference * T.slope / (t * t);
}

double cdni_muscle_rate_by_control(const double time[3], double control, double activation) {
  const double difference = drive_within(control, 0, 1) - activation;
  const time_constant T = time_of(time, difference, activation);
  const double t = divisor(T.value);
  return control < 0 || control > 1 ? 0 : 1 / t - difference * T.by_control / (t * t);
}
