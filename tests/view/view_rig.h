/* A live run without a server: requests come from the test, messages go to it, and the clock is the test's. */
#ifndef CARDAN_TESTS_VIEW_RIG_H
#define CARDAN_TESTS_VIEW_RIG_H

#include "../robust/counting_allocator.h"
#include "view/live.h"

/* A frame, decoded as docs/wire.md has it. */
typedef struct read_frame {
  uint32_t run, number, bodies, values, marks, text_bytes, flags;
  double time;
  double value[VIEW_PLOTS];
  float pose[64][7];
  struct {
    int32_t kind;
    uint32_t layer;
    int32_t body, text;
    float pose[7], size[3], rgba[4];
  } mark[64];
  char text[4096];
} read_frame;
void frame_read(const void *bytes, size_t n, read_frame *out);

typedef struct view_rig {
  counting_allocator memory;
  cdn_system *system;
  cdn_model *model; /* NULL: none */
  cdn_state *state;
  cdn_force pull;
  cdn_view_def def;
  cdn_view *view;
  live *live;
  int frames, meshes;
  read_frame frame; /* the last one */
  json_t *hello, *model_text, *status, *selected, *values, *parameters, *event, *reply;
  int events;
} view_rig;

/* Its System is empty and not frozen. */
void live_rig_begin(view_rig *r);
/* Or that of a model, with a pull, frozen. */
void live_rig_load(view_rig *r, const char *text, cdn_model_contact contact);
/* Freezes, if it is not frozen, and makes a State. */
void live_rig_freeze(view_rig *r);
/* Opens the view by r->def (a def without a server). */
void live_rig_open(view_rig *r);
/* Begins the live run. */
void live_rig_run(view_rig *r, const cdn_stepper_def *def);
void live_rig_drop(view_rig *r);

/* One turn of the loop, a 60th of a second by the clock. */
void live_rig_turn(view_rig *r);
void live_rig_turns(view_rig *r, int n);
/* Sends a request and makes one turn. Returns the error of the reply, or NULL. The request is json_pack's. */
const char *live_rig_ask(view_rig *r, json_t *request);
extern double live_rig_clock, live_rig_tick;

double number_of(const json_t *object, const char *key);
const char *text_of(const json_t *object, const char *key);
/* The time of the State that is shown. */
double live_rig_time(view_rig *r);

#endif
