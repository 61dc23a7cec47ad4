/* A person without muscles falls on the floor, twice: with compliant contact in implicit contact steps, and with soft
 * contact in the steps that the file names, as MuJoCo takes them. Side by side: how high the pelvis and the head are,
 * and what the runs cost. The same on the command line:
 *
 *   cardan simulate examples/models/puppet.xml --duration 3 --method implicit-contact --accuracy 1e-2 -o convex.csv
 *   cardan simulate examples/models/puppet.xml --duration 3 --method file -o soft.csv
 *   cardan view examples/models/puppet.xml convex.csv soft.csv */
#include <cardan/core.h>
#include <cardan/model.h>
#include <cardan/contact.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { TIMES = 13 }; /* every quarter of a second */

typedef struct fall {
  cdn_model *model;
  cdn_state *state;
  cdn_stepper *stepper;
  double height[TIMES][2]; /* of pelvis and head, m */
  double depth, force;     /* of the deepest contact at the end, m; what the floor bears, N */
  double weight, seconds;  /* of the person, N; of the processor */
  cdn_certificate certificate;
} fall;

static cdn_status begin(fall *f, bool soft) {
  const char *root = getenv("CARDAN_SOURCE_ROOT");
  char path[1024];
  snprintf(path, sizeof path, "%s/examples/models/puppet.xml", root ? root : ".");
  cdn_model_options options = cdn_default_model_options();
  cdn_stepper_def how = cdn_default_stepper_def();
  options.contact = soft ? CDN_MODEL_SOFT : CDN_MODEL_COMPLIANT;
  cdn_status status = cdn_model_load(path, &options, &f->model);
  if (status) return status;
  status = cdn_state_create(cdn_model_system(f->model), &f->state);
  how.method = CDN_METHOD_IMPLICIT_CONTACT, how.accuracy = 1e-2;
  if (!status && soft) status = cdn_model_steps_of_file(f->model, &how.method, &how.fixed_step);
  return status ? status : cdn_stepper_create(f->state, &how, &f->stepper);
}

/* Height of a body of this name. */
static cdn_status height_of(const fall *f, const char *name, double *height) {
  cdn_transform X;
  CDN_TRY(cdn_body_pose(cdn_stepper_state(f->stepper), cdn_model_find_body(f->model, name), &X));
  *height = X.p.z;
  return CDN_OK;
}

static cdn_status run(fall *f) {
  const clock_t start = clock();
  int n;
  for (int i = 0; i < TIMES; i++) {
    CDN_TRY(cdn_stepper_advance(f->stepper, 0.25 * i, NULL));
    CDN_TRY(height_of(f, "pelvis", &f->height[i][0]));
    CDN_TRY(height_of(f, "head", &f->height[i][1]));
  }
  f->seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
  cdn_state *state = cdn_stepper_state(f->stepper);
  CDN_TRY(cdn_contact_count(state, &n));
  for (int i = 0; i < n; i++) {
    cdn_contact c;
    CDN_TRY(cdn_contact_get(state, i, &c));
    f->depth = fmax(f->depth, c.depth), f->force += c.force * c.normal.z;
  }
  CDN_TRY(cdn_system_mass(state, &f->weight, NULL));
  f->weight *= 9.81;
  return cdn_stepper_certificate(f->stepper, &f->certificate);
}

static void end(fall *f) { cdn_stepper_destroy(f->stepper), cdn_state_destroy(f->state), cdn_model_destroy(f->model); }

static void report(const char *name, const fall *f) {
  printf(
      "%s: %lld steps, %lld evaluations, %.0f ms of the processor; at the end %.2f mm deep, the floor bears %.0f of %.0f N\n",
      name, (long long)f->certificate.steps, (long long)f->certificate.evaluations, 1e3 * f->seconds, 1e3 * f->depth,
      f->force, f->weight);
}

int main(void) {
  fall soft = { 0 }, convex = { 0 };
  cdn_status status = begin(&soft, true);
  if (!status) status = run(&soft);
  end(&soft);
  if (!status) status = begin(&convex, false);
  if (!status) status = run(&convex);
  end(&convex);
  if (status) {
    fprintf(stderr, "humanoid: %s\n", cdn_last_error_text());
    return 1;
  }
  printf("time, s   pelvis, m: implicit contact step, soft    head, m: implicit contact step, soft\n");
  for (int i = 0; i < TIMES; i++)
    printf("%7.2f %19.3f %8.3f %19.3f %8.3f\n", 0.25 * i, convex.height[i][0], soft.height[i][0], convex.height[i][1],
           soft.height[i][1]);
  report("implicit contact step", &convex);
  report("soft", &soft);
  bool good = true;
  for (int i = 0; i < 2; i++) {
    const fall *f = i ? &soft : &convex;
    good = good && f->height[TIMES - 1][0] < 0.3 && f->depth < 5e-3 && fabs(f->force / f->weight - 1) < 0.1;
  }
  return good ? 0 : 1;
}
