#define _GNU_SOURCE
#include "tendon_models.h"

#include <stdio.h>
#include <stdlib.h>

#include "random_mjcf.h"

enum { MOST_BODIES = 8 }; /* as many as soft rows of a path may be on */

typedef struct writer {
  FILE *out;
  uint64_t seed;
  const tendon_choice *choice;
  bool heavy; /* the tendon has armature, which MuJoCo has not for those around geoms */
  int bodies, hinges[3 * MOST_BODIES], n_hinges; /* the bodies of joints with one coordinate */
} writer;

static double uniform(writer *w, double low, double high) { return random_uniform(&w->seed, low, high); }
static int below(writer *w, int n) { return random_below(&w->seed, n); }
static bool chance(writer *w, double p) { return uniform(w, 0, 1) < p; }
static void vector(writer *w, const char *attribute, double size) {
  const double x = uniform(w, -size, size), y = uniform(w, -size, size), z = uniform(w, -size, size);
  fprintf(w->out, " %s='%.6g %.6g %.6g'", attribute, x, y, z);
}

/* Sites s0 and s1; a sphere and a cylinder, with a site beside the cylinder and one within each. */
static void write_things(writer *w, int i) {
  const double c[3] = { uniform(w, -0.3, 0.3), uniform(w, -0.3, 0.3), uniform(w, -0.3, 0.3) };
  const double radius = uniform(w, 0.08, 0.2);
  for (int k = 0; k < 2; k++) {
    fprintf(w->out, "<site name='s%d_%d'", i, k);
    vector(w, "pos", 0.5);
    fprintf(w->out, "/>");
  }
  fprintf(w->out, "<geom name='sphere%d' type='sphere' size='%.6g' pos='%.6g %.6g %.6g' mass='0'/>", i, radius, c[0],
          c[1], c[2]);
  fprintf(w->out, "<site name='in%d' pos='%.6g %.6g %.6g'/>", i, c[0] + 0.2 * radius, c[1] - 0.1 * radius, c[2]);
  fprintf(w->out, "<geom name='cylinder%d' type='cylinder' size='%.6g .1' pos='%.6g %.6g %.6g' mass='0'/>", i, radius,
          c[1], c[2], c[0]); /* along z of the body */
  fprintf(w->out, "<site name='out%d' pos='%.6g %.6g %.6g'/>", i, c[1] + 2 * radius, c[2] + radius, c[0]);
  fprintf(w->out, "<site name='within%d' pos='%.6g %.6g %.6g'/>", i, c[1] + 0.3 * radius, c[2] + 0.2 * radius, c[0]);
}

static void write_joints(writer *w, int i) {
  const int kind = below(w, 6);
  if (kind == 0) {
    fprintf(w->out, "<joint type='ball' name='j%d'/>", i);
    return;
  }
  for (int k = 0; k < 1 + (kind == 1); k++) {
    fprintf(w->out, "<joint name='j%d_%d' type='%s' armature='.02' springref='%.4g' ref='%.4g'", i, k,
            kind == 2 ? "slide" : "hinge", uniform(w, -10, 10) / (kind == 2 ? 50 : 1),
            uniform(w, -10, 10) / (kind == 2 ? 50 : 1));
    vector(w, "axis", 1);
    fprintf(w->out, "/>");
    w->hinges[w->n_hinges++] = 10 * i + k;
  }
}

static void write_body(writer *w, bool free) {
  const int i = w->bodies++;
  fprintf(w->out, "<body name='b%d'", i);
  vector(w, "pos", 0.5);
  vector(w, "euler", 40);
  fprintf(w->out, ">");
  if (free) fprintf(w->out, "<freejoint/>");
  else write_joints(w, i);
  fprintf(w->out, "<inertial");
  vector(w, "pos", 0.1);
  fprintf(w->out, " mass='%.4g' diaginertia='.1 .12 .15'/>", uniform(w, 0.5, 3));
  write_things(w, i);
  for (int k = 0; k < (w->choice->chain ? 1 : 2) && w->bodies < MOST_BODIES; k++)
    if (w->choice->chain || chance(w, 0.7)) write_body(w, false);
  fprintf(w->out, "</body>\n");
}

/* What a tendon of either kind may have; springs are left out where a look at the length alone is wanted. */
static void write_numbers(writer *w, int i) {
  fprintf(w->out, " name='t%d'", i);
  if (chance(w, 0.6)) fprintf(w->out, " stiffness='%.4g'", uniform(w, 1, 200));
  const double rest = uniform(w, 0.2, 1);
  if (w->choice->newer && chance(w, 0.5)) /* polynomials */
    fprintf(w->out, " class='bent'");
  if (w->choice->newer && chance(w, 0.5)) fprintf(w->out, " springlength='%.4g %.4g'", rest, rest + uniform(w, 0, 0.5));
  else if (chance(w, 0.4)) fprintf(w->out, " springlength='%.4g'", rest);
  w->heavy = w->choice->newer && chance(w, 0.5);
  if (w->heavy) fprintf(w->out, " armature='%.4g'", uniform(w, 0.1, 3));
  if (chance(w, 0.6)) fprintf(w->out, " damping='%.4g'", uniform(w, 0.1, 3));
  if (!w->choice->rows) return;
  if (chance(w, 0.5)) {
    const double low = uniform(w, -0.2, 0.8);
    fprintf(w->out, " limited='true' range='%.4g %.4g' margin='%.4g'", low, low + uniform(w, 0.1, 1),
            uniform(w, 0, 0.1));
  }
  if (chance(w, 0.4)) fprintf(w->out, " solreflimit='.05 .8' solimplimit='.6 .9 .2 .4 2'");
  if (chance(w, 0.4)) fprintf(w->out, " frictionloss='%.4g' solreffriction='.1 1'", uniform(w, 0.1, 5));
}

static void write_obstacle(writer *w, int body) {
  const bool sphere = chance(w, 0.5), inside = w->choice->inside && chance(w, 0.4);
  fprintf(w->out, "<geom geom='%s%d'", sphere ? "sphere" : "cylinder", body);
  if (inside) fprintf(w->out, " sidesite='%s%d'", sphere ? "in" : "within", body);
  /* 2.2.2 takes a side of a sphere for one inside where its projection is */
  else if (!sphere && chance(w, 0.4)) fprintf(w->out, " sidesite='out%d'", body);
  fprintf(w->out, "/>");
}

static void write_spatial(writer *w, int i) {
  fprintf(w->out, "<spatial");
  write_numbers(w, i);
  fprintf(w->out, ">");
  for (int branch = 0, branches = 1 + below(w, 3); branch < branches; branch++) {
    if (branch > 0) fprintf(w->out, "<pulley divisor='%.4g'/>", uniform(w, 1, 4));
    const int sites = 2 + below(w, 3), first = below(w, w->bodies);
    for (int k = 0; k < sites; k++) {
      const int body = (first + k * (1 + below(w, 2))) % w->bodies;
      if (k > 0 && !w->heavy && chance(w, 0.6)) write_obstacle(w, below(w, w->bodies));
      fprintf(w->out, "<site site='s%d_%d'/>", body, k % 2);
    }
  }
  fprintf(w->out, "</spatial>\n");
}

static void write_fixed(writer *w, int i) {
  fprintf(w->out, "<fixed");
  write_numbers(w, i);
  fprintf(w->out, ">");
  for (int k = 0, first = below(w, w->n_hinges); k < w->n_hinges && k < 4; k++) {
    const int joint = w->hinges[(first + k) % w->n_hinges];
    fprintf(w->out, "<joint joint='j%d_%d' coef='%.4g'/>", joint / 10, joint % 10, uniform(w, -1, 1));
  }
  fprintf(w->out, "</fixed>\n");
}

static void write_equality(writer *w, int y, int x) {
  fprintf(w->out, "<tendon tendon1='t%d'", y);
  if (chance(w, 0.7)) fprintf(w->out, " tendon2='t%d'", x);
  fprintf(w->out, " polycoef='%.4g %.4g %.4g %.4g 0' solref='.05 1'/>", uniform(w, -0.1, 0.1), uniform(w, -1, 1),
          uniform(w, -1, 1), uniform(w, -1, 1));
}

char *tendon_model_text(uint64_t seed, const tendon_choice *choice) {
  char *text;
  size_t size;
  writer w = { .seed = seed, .choice = choice, .out = open_memstream(&text, &size) };
  if (!w.out) return NULL;
  fprintf(w.out,
          "<mujoco><size njmax='500' nconmax='50'/><option timestep='.002' integrator='%s' iterations='500' "
          "tolerance='1e-15'><flag contact='disable' warmstart='disable'/></option>"
          "<default><geom contype='0' conaffinity='0'/>%s</default><worldbody>\n",
          choice->integrator,
          choice->newer ? "<default class='bent'><tendon stiffness='20 7 5' damping='2 .3 .2'/></default>" : "");
  while (w.bodies < 4 || w.n_hinges < 2) write_body(&w, chance(&w, 0.4));
  fprintf(w.out, "</worldbody><tendon>\n");
  for (int i = 0; i < choice->tendons; i++) chance(&w, 0.8) ? write_spatial(&w, i) : write_fixed(&w, i);
  fprintf(w.out, "</tendon>");
  if (choice->rows && choice->tendons > 2) {
    fprintf(w.out, "<equality>");
    write_equality(&w, 0, 1);
    fprintf(w.out, "</equality>");
  }
  fprintf(w.out, "</mujoco>");
  fclose(w.out);
  return text;
}
