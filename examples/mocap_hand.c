/* A hand follows a mocap body through a soft weld and pushes a box: the program poses the body between steps, as a
 * tracker of motion would. How far is the hand behind the body, and where does the box go? Then the same hand goes on
 * from a vector of its State, to the same bits. On the command line the hand stays where its target is sent:
 *
 *   cardan simulate examples/models/mocap_hand.xml --contact soft --as-file --mocap target=-0.1,0,0.12 -o hand.csv
 *   cardan view examples/models/mocap_hand.xml hand.csv */
#include <cardan/core.h>
#include <cardan/model.h>
#include <cardan/vectors.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct hand {
  cdn_model *model;
  cdn_state *state;
  cdn_stepper *stepper;
  cdn_body target, palm, box;
  double step, behind; /* s; the largest distance of palm and target, m */
  bool wrong;
} hand;

static cdn_status begin(hand *h) {
  const char *root = getenv("CARDAN_SOURCE_ROOT");
  char path[1024];
  snprintf(path, sizeof path, "%s/examples/models/mocap_hand.xml", root ? root : ".");
  cdn_model_options options = cdn_default_model_options();
  options.contact = CDN_MODEL_SOFT, options.equality = CDN_MODEL_SOFT_EQUALITY;
  CDN_TRY(cdn_model_load(path, &options, &h->model));
  h->target = cdn_model_find_body(h->model, "target"), h->palm = cdn_model_find_body(h->model, "palm");
  h->box = cdn_model_find_body(h->model, "box");
  CDN_TRY(cdn_state_create(cdn_model_system(h->model), &h->state));
  return cdn_model_set_key(h->model, "start", h->state);
}

static cdn_status start(hand *h) {
  cdn_stepper_def how = cdn_default_stepper_def();
  CDN_TRY(cdn_model_steps_of_file(h->model, &how.method, &how.fixed_step));
  h->step = how.fixed_step;
  return cdn_stepper_create(h->state, &how, &h->stepper);
}

/* Where the tracker sees the hand: it comes to the box, pushes it by 0.3 m, and turns a little as it does. */
static cdn_transform seen_at(double t) {
  const double s = fmin(fmax(t / 2, 0), 1), way = s * s * (3 - 2 * s);
  const cdn_transform X = { cdn_rotation_axis_angle(cdn_v3(0, 0, 1), 0.15 * sin(3 * t) * way),
                            { -0.25 + 0.43 * way, 0, 0.12 } };
  return X;
}

/* Steps from..to: the body is posed before each, with the velocity that takes it to the next pose. */
static cdn_status follow(hand *h, int from, int to) {
  for (int i = from; i < to; i++) {
    cdn_state *state = cdn_stepper_state(h->stepper);
    const cdn_transform now = seen_at(h->step * i), next = seen_at(h->step * (i + 1));
    const cdn_spatial V = { { 0, 0, 0 }, cdn_scale(1 / h->step, cdn_sub(next.p, now.p)) };
    CDN_TRY(cdn_mocap_set_pose(state, h->target, now));
    CDN_TRY(cdn_mocap_set_velocity(state, h->target, V));
    CDN_TRY(cdn_stepper_advance(h->stepper, h->step * (i + 1), NULL));
    cdn_transform palm;
    CDN_TRY(cdn_body_pose(state, h->palm, &palm));
    h->behind = fmax(h->behind, cdn_norm(cdn_sub(palm.p, next.p)));
  }
  return CDN_OK;
}

enum { HALF = 500, ALL = 1250, MOST = 40 };

/* The run from the middle on once more, from the numbers of the State there. */
static cdn_status again(hand *h, const double *vector, int n, const double *end) {
  hand second = *h;
  second.stepper = NULL;
  CDN_TRY(cdn_state_set_vector(h->state, CDN_VECTOR_INTEGRATION, n, vector));
  cdn_status status = start(&second);
  if (status == CDN_OK) status = follow(&second, HALF, ALL);
  if (status == CDN_OK) {
    const cdn_state *state = cdn_stepper_state(second.stepper);
    const size_t size = (size_t)cdn_system_nq(cdn_state_system(state)) * sizeof *end;
    if (memcmp(cdn_state_q(state), end, size) != 0) {
      printf("the run from the vector ends elsewhere\n");
      h->wrong = true;
    }
  }
  cdn_stepper_destroy(second.stepper);
  return status;
}

static cdn_status run(hand *h, double **vector) {
  double end[MOST];
  cdn_transform box;
  CDN_TRY(begin(h));
  CDN_TRY(start(h));
  CDN_TRY(follow(h, 0, HALF));
  cdn_state *state = cdn_stepper_state(h->stepper);
  const int n = cdn_state_vector_size(state, CDN_VECTOR_INTEGRATION);
  *vector = malloc((size_t)n * sizeof **vector);
  if (!*vector) return CDN_ERR_NOMEM;
  CDN_TRY(cdn_state_get_vector(state, CDN_VECTOR_INTEGRATION, n, *vector));
  CDN_TRY(follow(h, HALF, ALL));
  CDN_TRY(cdn_body_pose(state, h->box, &box));
  memcpy(end, cdn_state_q(state), (size_t)cdn_system_nq(cdn_state_system(state)) * sizeof *end);
  printf("the box is at x = %.3f m; the palm was at most %.1f mm from its target\n", box.p.x, 1e3 * h->behind);
  CDN_TRY(again(h, *vector, n, end));
  printf("a State that gets the %d numbers of the middle ends at the same bits\n", n);
  const double should = 0.18 + 0.02 + 0.08; /* the target's place, and the halves of palm and box, m */
  if (fabs(box.p.x - should) > 0.02 || h->behind > 0.02) {
    printf("the box should be near %.2f m\n", should);
    h->wrong = true;
  }
  return CDN_OK;
}

int main(void) {
  hand h = { .model = NULL };
  double *vector = NULL;
  const cdn_status status = run(&h, &vector);
  if (status != CDN_OK) fprintf(stderr, "mocap_hand: %s\n", cdn_last_error_text());
  free(vector);
  cdn_stepper_destroy(h.stepper);
  cdn_state_destroy(h.state);
  cdn_model_destroy(h.model);
  return status == CDN_OK && !h.wrong ? 0 : 1;
}
