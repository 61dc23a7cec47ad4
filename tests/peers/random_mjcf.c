/* Random MJCF models as text. Nothing here knows what the text means beyond what keeps it legal: the two readers that
 * are compared work that out on their own. A reader may still refuse a model (a class can hand a fromto to a sphere);
 * the caller then takes the next seed. */
#define _GNU_SOURCE
#include "random_mjcf.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846
#define MAX_JOINTS 128
#define MAX_BODY_JOINTS 4
#define MAX_CLASSES 6

typedef enum inertia_source { INERTIA_AUTO, INERTIA_TRUE, INERTIA_FALSE } inertia_source;

typedef struct writer {
  FILE *out;
  uint64_t rng;
  random_mjcf_frames frames;
  bool degree, bounded;
  inertia_source inertia;
  int bodies_left, n_bodies, n_geoms, n_joints, n_frames, n_sites;
  char kinds[MAX_JOINTS]; /* f b s h, in the order of the model's coordinates */
  int n_classes;
} writer;

/* ---- random numbers ------------------------------------------------------------------------ */

static uint64_t next_bits(uint64_t *state) {
  uint64_t z = (*state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

double random_uniform(uint64_t *state, double lo, double hi) {
  return lo + (hi - lo) * (double)(next_bits(state) >> 11) * 0x1p-53;
}

int random_below(uint64_t *state, int n) { return (int)(next_bits(state) % (uint64_t)n); }

void random_quaternion(uint64_t *state, double q[4]) {
  double length;
  do {
    length = 0;
    for (int i = 0; i < 4; i++) {
      q[i] = random_uniform(state, -1, 1);
      length += q[i] * q[i];
    }
  } while (length < 0.01 || length > 1);
  for (int i = 0; i < 4; i++) q[i] /= sqrt(length);
}

static double uniform(writer *w, double lo, double hi) { return random_uniform(&w->rng, lo, hi); }
static int below(writer *w, int n) { return random_below(&w->rng, n); }
static bool chance(writer *w, double p) { return uniform(w, 0, 1) < p; }

/* ---- attributes ---------------------------------------------------------------------------- */

static void write_random(writer *w, const char *name, int n, double lo, double hi) {
  fprintf(w->out, " %s=\"", name);
  for (int i = 0; i < n; i++) fprintf(w->out, "%s%.6g", i ? " " : "", uniform(w, lo, hi));
  fputc('"', w->out);
}

static void write_angle(writer *w, const char *name, int n, double lo, double hi) {
  double unit = w->degree ? 180 / PI : 1;
  write_random(w, name, n, lo * unit, hi * unit);
}

/* Every form in which an orientation may be given; lengths are not one, axes not perpendicular. */
static void write_orientation(writer *w) {
  switch (below(w, 6)) {
    case 0: break;
    case 1: write_random(w, "quat", 4, -2, 2); break;
    case 2: {
      double unit = w->degree ? 180 / PI : 1;
      fprintf(w->out, " axisangle=\"%.6g %.6g %.6g %.6g\"", uniform(w, -2, 2), uniform(w, 0.1, 2), uniform(w, -2, 2),
              uniform(w, -3, 3) * unit);
      break;
    }
    case 3: write_random(w, "xyaxes", 6, -1, 1); break;
    case 4: write_random(w, "zaxis", 3, -1, 1); break;
    default: write_angle(w, "euler", 3, -2, 2); break;
  }
}

static void write_class(writer *w, const char *attribute, double probability) {
  if (w->n_classes && chance(w, probability)) fprintf(w->out, " %s=\"c%d\"", attribute, below(w, w->n_classes));
}

/* ---- elements ------------------------------------------------------------------------------ */

/* In a class the kind is only a guess, so that a range (which a ball reads differently) stays out. */
static void write_joint_attributes(writer *w, char kind, bool in_class) {
  bool hinge = kind == 'h';
  if (chance(w, 0.3)) write_random(w, "armature", 1, 0, 0.5);
  if (chance(w, 0.3)) write_random(w, "damping", 1, 0, 3);
  if (chance(w, 0.3)) write_random(w, "stiffness", 1, 0, 20);
  if (kind == 'h' || kind == 's') {
    void (*write)(writer *, const char *, int, double, double) = hinge ? write_angle : write_random;
    if (chance(w, 0.3)) write(w, "ref", 1, -1, 1);
    if (chance(w, 0.3)) write(w, "springref", 1, -1, 1);
    if (!in_class && chance(w, 0.2)) {
      double unit = hinge && w->degree ? 180 / PI : 1;
      fprintf(w->out, " limited=\"true\" range=\"%.5g %.5g\"", uniform(w, -2, 0) * unit, uniform(w, 0, 2) * unit);
    }
  }
}

static void write_joint(writer *w, char kind, bool own_axis, bool own_pos) {
  if (kind == 'f' && chance(w, 0.5)) {
    fputs("<freejoint", w->out);
    if (chance(w, 0.5)) fprintf(w->out, " name=\"j%d\"", w->n_joints);
    fputs("/>\n", w->out);
    return;
  }
  static const char *const names[] = { "free", "ball", "slide", "hinge" };
  const char *type = names[strchr("fbsh", kind) - "fbsh"];
  fprintf(w->out, "<joint type=\"%s\"", type);
  if (chance(w, 0.8)) fprintf(w->out, " name=\"j%d\"", w->n_joints);
  write_class(w, "class", 0.3);
  if ((kind == 's' || kind == 'h') && (own_axis || chance(w, 0.7))) write_random(w, "axis", 3, -1, 1);
  if (kind != 'f' && (own_pos || chance(w, 0.5))) write_random(w, "pos", 3, -0.3, 0.3);
  if (chance(w, 0.7)) write_joint_attributes(w, kind, false);
  fputs("/>\n", w->out);
}

static void write_geom(writer *w) {
  static const char *const types[] = { "sphere", "capsule", "ellipsoid", "cylinder", "box" };
  int type = below(w, 5);
  bool fromto = type != 0 && chance(w, 0.3);
  fputs("<geom", w->out);
  if (chance(w, 0.5)) fprintf(w->out, " name=\"g%d\"", w->n_geoms);
  w->n_geoms++;
  write_class(w, "class", 0.3);
  bool from_class = !fromto && chance(w, 0.2);
  if (!from_class) fprintf(w->out, " type=\"%s\"", types[type]);
  if (fromto) {
    write_random(w, "fromto", 6, -0.5, 0.5);
    write_random(w, "size", 1 + (type == 2 || type == 4) + below(w, 2), 0.05, 0.3);
  } else {
    /* Fewer sizes than the type needs are filled from the class. */
    int n = from_class ? below(w, 4) : chance(w, 0.1) ? 1 + below(w, 3) : 3;
    if (n) write_random(w, "size", n, 0.05, 0.4);
    if (chance(w, 0.7)) write_random(w, "pos", 3, -0.4, 0.4);
    write_orientation(w);
  }
  if (chance(w, 0.3)) write_random(w, "density", 1, 200, 2000);
  if (chance(w, 0.3)) write_random(w, "mass", 1, 0.5, 8);
  if (chance(w, 0.2)) fprintf(w->out, " group=\"%d\"", below(w, 3));
  if (chance(w, 0.1)) fputs(" rgba=\".5 .5 .5 1\" contype=\"0\" conaffinity=\"0\"", w->out);
  fputs("/>\n", w->out);
}

/* Principal moments that a body can have: those of masses a, b, c on the axes. */
static void write_inertial(writer *w) {
  double a = uniform(w, 0.05, 1), b = uniform(w, 0.05, 1), c = uniform(w, 0.05, 1);
  double d[3] = { b + c, a + c, a + b };
  fputs("<inertial", w->out);
  write_random(w, "pos", 3, -0.3, 0.3);
  write_random(w, "mass", 1, 0.5, 10);
  if (chance(w, 0.5)) {
    write_orientation(w);
    fprintf(w->out, " diaginertia=\"%.6g %.6g %.6g\"/>\n", d[0], d[1], d[2]);
    return;
  }
  /* R d R^T for a random R. */
  double q[4], R[3][3];
  random_quaternion(&w->rng, q);
  for (int j = 0; j < 3; j++) {
    double v[3] = { j == 0, j == 1, j == 2 }, t[3];
    for (int i = 0; i < 3; i++) t[i] = 2 * (q[1 + (i + 1) % 3] * v[(i + 2) % 3] - q[1 + (i + 2) % 3] * v[(i + 1) % 3]);
    for (int i = 0; i < 3; i++)
      R[i][j] = v[i] + q[0] * t[i] + q[1 + (i + 1) % 3] * t[(i + 2) % 3] - q[1 + (i + 2) % 3] * t[(i + 1) % 3];
  }
  static const int row[6] = { 0, 1, 2, 0, 0, 1 }, column[6] = { 0, 1, 2, 1, 2, 2 };
  fputs(" fullinertia=\"", w->out);
  for (int e = 0; e < 6; e++) {
    double sum = 0;
    for (int k = 0; k < 3; k++) sum += R[row[e]][k] * d[k] * R[column[e]][k];
    fprintf(w->out, "%s%.17g", e ? " " : "", sum);
  }
  fputs("\"/>\n", w->out);
}

static void write_mass(writer *w, bool moving) {
  moving = moving || w->bounded; /* a bound puts mass on all bodies: where is defined only if they have some */
  bool inertial = w->inertia == INERTIA_FALSE ? moving || chance(w, 0.5) : chance(w, 0.3);
  int geoms = below(w, 3);
  if (moving && (w->inertia == INERTIA_TRUE || !inertial) && w->inertia != INERTIA_FALSE) geoms++;
  if (inertial) write_inertial(w);
  for (int i = 0; i < geoms; i++) write_geom(w);
  if (chance(w, 0.2)) fprintf(w->out, "<site name=\"s%d\" pos=\"0 0 .1\" size=\".01\"/>\n", w->n_sites++);
}

/* Joints of a body, in order: at most five mobilities, a rotation never after a ball. */
static int choose_joints(writer *w, bool top, char *kinds) {
  if (top && chance(w, 0.4)) {
    kinds[0] = 'f';
    return 1;
  }
  int n = below(w, 10), slides = 0, rotations = 0, count = 0;
  n = n < 1 ? 0 : n < 6 ? 1 : n < 8 ? 2 : n < 9 ? 3 : MAX_BODY_JOINTS;
  for (int i = 0; i < n; i++) {
    int r = below(w, 10);
    if (r < 2 && rotations < 2) {
      kinds[count++] = 'b';
      rotations = 9;
    } else if (r < 5 && slides < 2) {
      kinds[count++] = 's';
      slides++;
    } else if (rotations < 3) {
      kinds[count++] = 'h';
      rotations++;
    }
  }
  return count;
}

static void write_bodies(writer *w, int depth, bool moving);

static void write_body(writer *w, int depth, bool moving) {
  char kinds[MAX_BODY_JOINTS];
  int n = choose_joints(w, depth == 0, kinds);
  if (w->n_joints + n > MAX_JOINTS) return;
  fputs("<body", w->out);
  if (chance(w, 0.9)) fprintf(w->out, " name=\"b%d\"", w->n_bodies);
  w->n_bodies++;
  w->bodies_left--;
  write_class(w, "childclass", 0.2);
  if (chance(w, 0.8)) write_random(w, "pos", 3, -0.6, 0.6);
  write_orientation(w);
  fputs(">\n", w->out);
  memcpy(w->kinds + w->n_joints, kinds, (size_t)n);
  int first = w->n_joints;
  w->n_joints += n;
  /* Elements may come in any order: the coordinates are numbered by body first. */
  bool children_first = chance(w, 0.15);
  if (children_first) write_bodies(w, depth + 1, moving || n);
  int after = w->n_joints;
  w->n_joints = first;
  bool mass_first = chance(w, 0.3);
  if (mass_first) write_mass(w, n > 0);
  /* Mobilities of a body must differ: own axes, and own anchors where a hinge comes before a ball. */
  bool ball = n > 1 && memchr(kinds, 'b', (size_t)n);
  for (int i = 0; i < n; i++, w->n_joints++) write_joint(w, kinds[i], n > 1, ball);
  w->n_joints = after;
  if (!mass_first) write_mass(w, n > 0);
  if (!children_first) write_bodies(w, depth + 1, moving || n);
  fputs("</body>\n", w->out);
}

static void write_frame_or_body(writer *w, int depth, bool moving) {
  /* A frame must not hold a free joint here: a body in its place would make it an inner one. */
  if (w->frames == RANDOM_MJCF_NO_FRAMES || depth == 0 || !chance(w, 0.3)) {
    write_body(w, depth, moving);
    return;
  }
  bool frame = w->frames == RANDOM_MJCF_FRAMES;
  fputs(frame ? "<frame" : "<body", w->out);
  if (!frame) fprintf(w->out, " name=\"frame%d\"", w->n_frames);
  w->n_frames++;
  write_class(w, "childclass", 0.3);
  if (chance(w, 0.8)) write_random(w, "pos", 3, -0.5, 0.5);
  write_orientation(w);
  fputs(">\n", w->out);
  if (chance(w, 0.3)) write_frame_or_body(w, depth, moving);
  else write_body(w, depth, moving);
  if (chance(w, 0.5) && w->bodies_left > 0) write_body(w, depth, moving);
  fputs(frame ? "</frame>\n" : "</body>\n", w->out);
}

static void write_bodies(writer *w, int depth, bool moving) {
  int n = depth == 0 ? 1 + below(w, 3) : depth > 12 ? 0 : below(w, 10) < 6 ? 1 : below(w, 3);
  for (int i = 0; i < n && w->bodies_left > 0; i++) write_frame_or_body(w, depth, moving);
}

/* ---- what stands around the bodies --------------------------------------------------------- */

static void write_compiler(writer *w) {
  static const char *const sequences[] = { "xyz", "zyx", "ZYX", "xzx", "yXz", "zxy", "XYZ" };
  int angle = below(w, 3);
  w->degree = angle != 0;
  w->inertia = below(w, 4) < 2 ? INERTIA_AUTO : (inertia_source)below(w, 3);
  fputs("<compiler", w->out);
  if (angle < 2) fprintf(w->out, " angle=\"%s\"", angle ? "degree" : "radian");
  if (chance(w, 0.5)) fprintf(w->out, " eulerseq=\"%s\"", sequences[below(w, 7)]);
  if (w->inertia == INERTIA_TRUE) fputs(" inertiafromgeom=\"true\"", w->out);
  if (w->inertia == INERTIA_FALSE) fputs(" inertiafromgeom=\"false\"", w->out);
  if (w->inertia == INERTIA_AUTO && chance(w, 0.3)) fputs(" inertiafromgeom=\"auto\"", w->out);
  if (chance(w, 0.3)) fputs(" coordinate=\"local\"", w->out);
  if (chance(w, 0.3)) fprintf(w->out, " autolimits=\"%s\"", chance(w, 0.5) ? "true" : "false");
  if (chance(w, 0.1)) write_random(w, "settotalmass", 1, 1, 100);
  if (w->frames == RANDOM_MJCF_NO_FRAMES) { /* bounds would put mass on the bodies that stand for frames */
    w->bounded = chance(w, 0.1);
    if (w->bounded) write_random(w, "boundmass", 1, 1, 10);
    if (chance(w, 0.1)) write_random(w, "boundinertia", 1, 0.1, 1);
  }
  if (chance(w, 0.1)) fputs(" balanceinertia=\"true\"", w->out);
  if (chance(w, 0.2)) fprintf(w->out, " inertiagrouprange=\"0 %d\"", 1 + below(w, 4));
  fputs("/>\n", w->out);
}

static void write_default_elements(writer *w, bool root) {
  if (chance(w, 0.5)) {
    fputs("<joint", w->out);
    if (!root && chance(w, 0.3)) write_random(w, "pos", 3, -0.2, 0.2);
    if (chance(w, 0.3)) write_random(w, "axis", 3, -1, 1);
    write_joint_attributes(w, chance(w, 0.5) ? 'h' : 's', true);
    fputs("/>\n", w->out);
  }
  if (root || chance(w, 0.5)) {
    static const char *const types[] = { "sphere", "capsule", "ellipsoid", "cylinder", "box" };
    fputs("<geom", w->out);
    if (chance(w, 0.5)) fprintf(w->out, " type=\"%s\"", types[below(w, 5)]);
    write_random(w, "size", root ? 3 : 1 + below(w, 3), 0.05, 0.3);
    if (chance(w, 0.3)) write_random(w, "density", 1, 300, 1500);
    if (!root && chance(w, 0.15)) write_random(w, "mass", 1, 0.5, 5);
    if (!root && chance(w, 0.05)) write_random(w, "pos", 3, -0.2, 0.2);
    if (!root && chance(w, 0.2)) write_random(w, "quat", 4, -1, 1);
    fputs("/>\n", w->out);
  }
}

static void write_default_class(writer *w, int depth, int n) {
  fprintf(w->out, "<default class=\"c%d\">\n", w->n_classes++);
  write_default_elements(w, false);
  while (w->n_classes < n && depth < 4 && chance(w, 0.5)) write_default_class(w, depth + 1, n);
  fputs("</default>\n", w->out);
}

static void write_defaults(writer *w) {
  int n = below(w, MAX_CLASSES + 1);
  fputs("<default>\n", w->out);
  write_default_elements(w, true);
  while (w->n_classes < n) write_default_class(w, 1, n);
  fputs("</default>\n", w->out);
}

static void write_keys(writer *w) {
  int n = below(w, 3);
  if (!n || !w->n_joints) return;
  fputs("<keyframe>\n", w->out);
  for (int k = 0; k < n; k++) {
    fprintf(w->out, "<key name=\"k%d\" time=\"%.4g\"", k, uniform(w, 0, 5));
    for (int speeds = 0; speeds < 2; speeds++) {
      if (chance(w, 0.3)) continue;
      fputs(speeds ? " qvel=\"" : "\n qpos=\"", w->out);
      const char *gap = "";
      for (int j = 0; j < w->n_joints; j++) {
        char kind = w->kinds[j];
        double q[4];
        random_quaternion(&w->rng, q);
        int vector = kind == 'f' ? 3 + 3 * speeds : kind == 'b' ? 3 * speeds : 1;
        for (int i = 0; i < vector; i++, gap = " ") fprintf(w->out, "%s%.6g", gap, uniform(w, -2, 2));
        bool rotates = kind == 'f' || kind == 'b';
        if (rotates && !speeds) fprintf(w->out, "%s%.16g %.16g %.16g %.16g", gap, q[0], q[1], q[2], q[3]);
        gap = j % 4 == 3 ? "\n  " : " ";
      }
      fputc('"', w->out);
    }
    fputs("/>\n", w->out);
  }
  fputs("</keyframe>\n", w->out);
}

char *random_mjcf(uint64_t seed, random_mjcf_frames frames) {
  char *text = NULL;
  size_t size = 0;
  writer w = { .rng = seed * 0x2545f4914f6cdd1du + 12345, .frames = frames };
  w.out = open_memstream(&text, &size);
  if (!w.out) return NULL;
  w.bodies_left = 1 + below(&w, 20);
  fputs("<mujoco>\n", w.out);
  write_compiler(&w);
  if (chance(&w, 0.7)) {
    fputs("<option timestep=\"0.002\"", w.out);
    write_random(&w, "gravity", 3, -10, 10);
    fputs(">\n", w.out);
    if (chance(&w, 0.1)) fputs("<flag gravity=\"disable\"/>\n", w.out);
    if (chance(&w, 0.1)) fputs("<flag passive=\"disable\"/>\n", w.out);
    fputs("</option>\n", w.out);
  }
  write_defaults(&w);
  fputs("<worldbody>\n", w.out);
  if (chance(&w, 0.5)) fputs("<geom type=\"plane\" size=\"1 1 .1\"/>\n<light pos=\"0 0 3\"/>\n", w.out);
  write_bodies(&w, 0, false);
  fputs("</worldbody>\n", w.out);
  write_keys(&w);
  fputs("</mujoco>\n", w.out);
  if (fclose(w.out) != 0) {
    free(text);
    return NULL;
  }
  return text;
}
