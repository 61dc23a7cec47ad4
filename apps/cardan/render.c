/* cardan render: a picture of a model, or a video of a run, drawn without a window. */
#include "render.h"
#include "simulate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const help_page page = {
  "render", "MODEL [RUN.csv] [options]  or  MOLECULE.prmtop COORDS.inpcrd|RUN.dcd [options]",
  "Draws a model, off screen: at its start, or as it was at a time of a run that 'cardan simulate' wrote. The picture is a PNG.\n"
  "With -o FILE.mp4 or FILE.gif it is a video of the run, made by ffmpeg.\n"
  "Both are good drafts, drawn fast; --samples 4 draws with all rays.\n"
  "--depth and --segmentation measure in place of drawing: how far each pixel is, or which shape or body it shows.\n"
  "A molecule is an AMBER topology, with coordinates or a DCD trajectory, each frame of which becomes one of a video.\n",
  "  cardan render walker.xml -o walker.png\n"
  "  cardan simulate walker.xml --duration 2 --report 0.02 -o walk.csv && cardan render walker.xml walk.csv -o walk.mp4\n"
  "  cardan render walker.xml --depth -o walker-depth.png && cardan render walker.xml --depth -o walker-depth.npy\n"
  "  cardan render protein.prmtop protein.inpcrd -o protein.png\n"
  "  cardan render five_bar.xml --show joints,constraints --from 0,-1,0.2 -o bars.png\n",
  WHICH_MODEL
};

/* ---- options ------------------------------------------------------------------------------- */

static const struct {
  const char *name;
  uint32_t layer;
} layers[] = {
  { "joints", CDN_LAYER_JOINTS }, { "frames", CDN_LAYER_FRAMES },     { "masses", CDN_LAYER_MASSES },
  { "forces", CDN_LAYER_FORCES }, { "contacts", CDN_LAYER_CONTACTS }, { "constraints", CDN_LAYER_CONSTRAINTS },
  { "points", CDN_LAYER_POINTS }, { "labels", CDN_LAYER_LABELS },     { "cones", CDN_LAYER_CONES },
  { "rows", CDN_LAYER_ROWS },     { "paths", CDN_LAYER_PATHS },       { "rays", CDN_LAYER_RAYS },
  { "media", CDN_LAYER_MEDIA },   { "statuses", CDN_LAYER_STATUSES }, { "all", CDN_LAYER_ALL }
};
enum { N_LAYERS = sizeof layers / sizeof *layers };
_Static_assert((1 << N_LAYERS) - 1 == CDN_LAYER_ALL, "each layer has a name, but what programs draw themselves");

static bool read_layers(const char *list, uint32_t *out) {
  char *words = allocate(strlen(list) + 1, 1);
  strcpy(words, list);
  bool good = true;
  for (char *rest = words, *word; good && (word = strtok_r(rest, ",", &rest)) != NULL;) {
    int i = 0;
    while (i < N_LAYERS && strcmp(layers[i].name, word) != 0) i++;
    good = i < N_LAYERS;
    if (good) *out |= layers[i].layer;
    else
      complain(
          "--show: there is no layer '%s'; there are joints, frames, masses, constraints, contacts, forces, points, "
          "labels, cones, rows, paths, rays, media, statuses, all",
          word);
  }
  free(words);
  return good;
}

static bool read_places(render_arguments *a) {
  char extra;
  if (a->size && (sscanf(a->size, "%dx%d%c", &a->width, &a->height, &extra) != 2 || a->width < 1 || a->height < 1 ||
                  a->width > 16384 || a->height > 16384)) {
    complain("--size is WIDTHxHEIGHT in pixels, such as 640x480, not '%s'", a->size);
    return false;
  }
  cdn_vec3 *d = &a->direction;
  if (a->from && (sscanf(a->from, "%lf,%lf,%lf%c", &d->x, &d->y, &d->z, &extra) != 3 || !(cdn_norm(*d) > 0) ||
                  !isfinite(cdn_norm(*d)))) {
    complain("--from is the direction from the model to the camera, such as 1,-1,0.5, not '%s'", a->from);
    return false;
  }
  if (a->samples > 16) {
    complain("--samples is at most 16");
    return false;
  }
  return !a->show || read_layers(a->show, &a->layers);
}

static bool is_measured(const render_arguments *a) { return a->depth || a->segmentation; }

static bool is_video(const char *path) { return ends_in(path, ".mp4") || ends_in(path, ".gif"); }

static bool is_kind(const char *word) { return strcmp(word, "shapes") == 0 || strcmp(word, "bodies") == 0; }

static bool measuring_makes_sense(const render_arguments *a) {
  if (a->depth && a->segmentation) complain("--depth and --segmentation are two pictures: call the command for each");
  else if (a->unit > 0 && !a->depth) complain("--unit is the unit of a picture of depth: it needs --depth");
  else if (a->segmentation && !is_kind(a->segmentation))
    complain("--segmentation is shapes or bodies, not '%s'", a->segmentation);
  else if (is_measured(a) && !ends_in(a->output, ".png") && !ends_in(a->output, ".npy"))
    complain("-o %s: what is measured is a picture, .png, or the numbers, .npy, as the name ends", a->output);
  else if (is_measured(a) && (a->samples > 0 || a->show || a->transparent))
    complain("--samples, --show and --transparent are for drawn pictures: %s has one ray a pixel, and no marks",
             a->depth ? "--depth" : "--segmentation");
  else return true;
  return false;
}

static bool makes_sense(const render_arguments *a) {
  if (!measuring_makes_sense(a)) return false;
  if (!is_measured(a) && !is_video(a->output) && !ends_in(a->output, ".png"))
    complain("-o %s: pictures are .png, videos .mp4 or .gif, as the name ends", a->output);
  else if (a->runs.n > 1) complain("render draws one run, and %d are named", a->runs.n);
  else if (is_video(a->output) && a->runs.n == 0 && a->orbit == 0)
    complain(
        "a video needs a run ('cardan simulate %s -o run.csv', then name run.csv behind the model), or --orbit T, in "
        "which the camera goes around the model",
        a->model.path);
  else if (a->orbit > 0 && !is_video(a->output)) complain("--orbit is for videos: -o FILE.mp4 or FILE.gif");
  else if (a->orbit > 0 && a->camera)
    complain("--orbit turns about the model, and --camera stays where the model has it: choose one");
  else if (a->time && a->runs.n == 0) complain("--time is a time of a run, and none is named");
  else if (!cdn_renderer_is_available())
    complain("this library was built without Embree and draws no pictures (install libembree-dev and build it again)");
  else return true;
  return false;
}

/* ---- the camera ---------------------------------------------------------------------------- */

typedef struct stage {
  const render_arguments *a;
  played shown;
  cdn_renderer *renderer;
  picture picture;
  video *video;
  int camera;           /* of the model; -1: a view of everything */
  cdn_vec3 least, most; /* what the run needs */
  double time;          /* of the frame */
} stage;

static int find_camera(const stage *s, const char *name) {
  for (int i = 0; name && i < cdn_scene_camera_count(s->shown.scene); i++)
    if (strcmp(cdn_scene_camera_name(s->shown.scene, i), name) == 0) return i;
  return -1;
}

/* So wide that the model is in the picture from every side. */
static void widen(stage *s) {
  const cdn_vec3 middle = cdn_scale(0.5, cdn_add(s->least, s->most));
  const double half = 0.5 * hypot(s->most.x - s->least.x, s->most.y - s->least.y);
  s->least.x = middle.x - half, s->least.y = middle.y - half;
  s->most.x = middle.x + half, s->most.y = middle.y + half;
}

/* The box of a molecule is about the middles of its atoms, whose balls are in the picture, too. */
static void make_room(stage *s) {
  static const double BALL = 0.05; /* nm */
  s->least = cdn_sub(s->least, cdn_v3(BALL, BALL, BALL)), s->most = cdn_add(s->most, cdn_v3(BALL, BALL, BALL));
}

/* The box about the model all along the run, from fifty of its moments. */
static cdn_status survey(stage *s, double from, double to) {
  enum { MOMENTS = 50 };
  s->least = cdn_v3(INFINITY, INFINITY, INFINITY), s->most = cdn_v3(-INFINITY, -INFINITY, -INFINITY);
  for (int i = 0; i <= (to > from ? MOMENTS : 0); i++) {
    cdn_vec3 l, m;
    CDN_TRY(played_show(&s->shown, from + (to - from) * i / MOMENTS));
    cdn_scene_bounds(s->shown.scene, &l, &m);
    s->least = cdn_v3(fmin(s->least.x, l.x), fmin(s->least.y, l.y), fmin(s->least.z, l.z));
    s->most = cdn_v3(fmax(s->most.x, m.x), fmax(s->most.y, m.y), fmax(s->most.z, m.z));
  }
  if (!s->shown.model) make_room(s);
  if (s->a->orbit > 0) widen(s);
  return CDN_OK;
}

/* The camera goes once around the upright through the middle in the time of the orbit. */
static void go_around(const stage *s, cdn_view_point *view) {
  const double angle = 2 * acos(-1) * (s->time - s->shown.from) / s->a->orbit;
  const cdn_rotation R = cdn_rotation_axis_angle(cdn_v3(0, 0, 1), angle);
  const cdn_vec3 middle = cdn_scale(0.5, cdn_add(s->least, s->most));
  view->X_GC.p = cdn_add(middle, cdn_rotate(R, cdn_sub(view->X_GC.p, middle)));
  view->X_GC.R = cdn_rotation_multiply(R, view->X_GC.R);
}

static cdn_status choose_view(const stage *s, cdn_view_point *view) {
  if (s->camera >= 0) return cdn_scene_camera_view(s->shown.scene, s->camera, view);
  CDN_TRY(cdn_fit_view(s->least, s->most, s->a->direction, cdn_v3(0, 0, 1), (double)s->a->width / s->a->height, view));
  if (s->a->orbit > 0) go_around(s, view);
  return CDN_OK;
}

/* ---- drawing ------------------------------------------------------------------------------- */

/* The scene's frame. */
static cdn_status draw(stage *s) {
  cdn_view_point view;
  CDN_TRY(choose_view(s, &view));
  CDN_TRY(cdn_renderer_draw(s->renderer, &view, s->picture.rgba));
  picture_labels(&s->picture, s->shown.scene, s->renderer, &view);
  return CDN_OK;
}

/* Of a picture its moment, of a video the whole run; then the scene is as it is when the drawing begins. */
static int look_around(stage *s, double begin) {
  const double end = is_video(s->a->output) ? s->shown.end : begin;
  if (survey(s, begin, end) != CDN_OK || played_show(&s->shown, begin) != CDN_OK) return played_failed(&s->shown);
  return CMD_OK;
}

static int measure_picture(stage *s, double time) {
  cdn_view_point view;
  if (played_show(&s->shown, time) != CDN_OK || choose_view(s, &view) != CDN_OK) return played_failed(&s->shown);
  const int code = measured_write(s->a, s->shown.scene, s->renderer, &view);
  return code == CMD_FAILED ? played_failed(&s->shown) : code;
}

static int draw_picture(stage *s, double time) {
  if (is_measured(s->a)) return measure_picture(s, time);
  if (played_show(&s->shown, time) != CDN_OK || draw(s) != CDN_OK) return played_failed(&s->shown);
  return picture_write(&s->picture, s->a->output) ? CMD_OK : CMD_OUTPUT;
}

/* ---- videos -------------------------------------------------------------------------------- */

static cdn_render_def renderer_def(const stage *s, int width, int height) {
  const render_arguments *a = s->a;
  cdn_render_def def = cdn_default_render_def();
  def.width = width, def.height = height;
  def.samples = (int)ceil(a->samples);
  def.collision = a->collision;
  if (a->transparent) def.background[3] = 0;
  else if (s->shown.model) def.floor = s->least.z;
  if (a->layers & ~(uint32_t)CDN_LAYER_LABELS) def.opacity = 0.4; /* most marks are inside bodies */
  return def;
}

/* Seconds that the present frame takes in a picture of about so many pixels; *pixels is how many there were. Negative:
 * it failed. */
static double try_small(const stage *s, double *pixels) {
  const render_arguments *a = s->a;
  const double scale = sqrt(*pixels / ((double)a->width * a->height));
  const cdn_render_def def = renderer_def(s, (int)ceil(scale * a->width), (int)ceil(scale * a->height));
  uint8_t *rgba = allocate(4 * (size_t)def.width * (size_t)def.height, 1);
  cdn_renderer *renderer = NULL;
  cdn_view_point view;
  double seconds = -1;
  *pixels = (double)def.width * def.height;
  if (choose_view(s, &view) == CDN_OK && cdn_renderer_create(s->shown.scene, &def, &renderer) == CDN_OK &&
      cdn_renderer_draw(renderer, &view, rgba) == CDN_OK) {
    const double began = wall_clock();
    if (cdn_renderer_draw(renderer, &view, rgba) == CDN_OK) seconds = wall_clock() - began;
  }
  cdn_renderer_destroy(renderer);
  free(rgba);
  return seconds;
}

/* Seconds that a frame takes: as long as the first one does, or, where that takes long, so many times as long as a
 * small one as it has more pixels. Negative: it failed, and the frame itself tells what is wrong. */
static double try_frame(stage *s) {
  static const double FEW = 10000, RAYS = 4e6;
  const double pixels = (double)s->a->width * s->a->height;
  double few = FEW;
  if (pixels * fmax(1, s->a->samples * s->a->samples) > RAYS) return try_small(s, &few) * pixels / few;
  const double began = wall_clock();
  return draw(s) == CDN_OK ? wall_clock() - began : -1;
}

/* Says beforehand how long a video takes: on a terminal always, elsewhere if it is long. */
static void tell_time(stage *s) {
  static const double LONG = 10;
  const render_arguments *a = s->a;
  if (a->model.quiet) return;
  const double frames = played_frame_count(&s->shown, a->fps), each = try_frame(s), all = frames * each;
  if (each < 0 || (all < LONG && !isatty(STDERR_FILENO))) return;
  complain("%s: %.0f frames take about %.2g s on this machine%s", a->output, frames, all,
           all < LONG       ? ""
           : a->samples > 0 ? "; less without --samples, with a smaller --size or fewer --fps"
                            : "; less with a smaller --size or fewer --fps");
}

static int add_to_video(void *to, double time) {
  stage *s = to;
  s->time = time;
  if (draw(s) != CDN_OK) return played_failed(&s->shown);
  return video_add(s->video, &s->picture) ? CMD_OK : CMD_OUTPUT;
}

static int draw_video(stage *s) {
  s->time = s->shown.from;
  tell_time(s);
  s->video = video_open(s->a->output, &s->picture, s->a->fps, s->a->samples > 0);
  const int code = played_frames(&s->shown, "drawing", s->a->fps, add_to_video, s);
  return video_close(s->video) || code != CMD_OK ? code : CMD_OUTPUT;
}

/* ---- the whole ----------------------------------------------------------------------------- */

static int open_renderer(stage *s) {
  const render_arguments *a = s->a;
  const cdn_render_def def = renderer_def(s, a->width, a->height);
  s->camera = find_camera(s, a->camera);
  if (a->camera && s->camera < 0) {
    complain("--camera: the model has no camera '%s'; --from X,Y,Z says from where to look", a->camera);
    return CMD_USAGE;
  }
  if (cdn_renderer_create(s->shown.scene, &def, &s->renderer) != CDN_OK) return played_failed(&s->shown);
  s->picture = (picture){ a->width, a->height, allocate(4 * (size_t)a->width * (size_t)a->height, 1) };
  return CMD_OK;
}

static int render(const render_arguments *a) {
  stage s = { .a = a };
  double time = 0;
  int code = played_open(&s.shown, &a->model, a->runs.n > 0 ? a->runs.item[0] : NULL,
                         a->layers | CDN_LAYER_PATHS | CDN_LAYER_RAYS);
  if (code == CMD_OK && a->orbit > 0 && a->runs.n == 0) s.shown.end = s.shown.from + a->orbit;
  if (code == CMD_OK && !played_time(&s.shown, a->time, &time)) code = CMD_USAGE;
  if (code == CMD_OK) code = look_around(&s, is_video(a->output) ? s.shown.from : time);
  if (code == CMD_OK) code = open_renderer(&s);
  if (code == CMD_OK) code = is_video(a->output) ? draw_video(&s) : draw_picture(&s, time);
  if (code == CMD_OK && !a->model.quiet && !is_measured(a)) printf("%s\n", a->output);
  free(s.picture.rgba);
  cdn_renderer_destroy(s.renderer);
  played_close(&s.shown);
  return code;
}

int command_render(int argc, char **argv) {
  render_arguments a = {
    .output = "picture.png", .width = 960, .height = 720, .fps = 30, .direction = { 1, -0.8, 0.35 }
  };
  const option table[] = {
    { "run", 0, OPTION_OPERANDS, &a.runs, NULL, NULL },
    { "output", 'o', OPTION_TEXT, &a.output, "FILE",
      "the picture, .png, or the video, .mp4 or .gif (default: picture.png)" },
    { "size", 0, OPTION_TEXT, &a.size, "WxH", "pixels (default: 960x720)" },
    { "time", 0, OPTION_TEXT, &a.time, "T", "of a run: the picture at this time, s (default: the end)" },
    { "fps", 0, OPTION_POSITIVE, &a.fps, "N", "frames a second of a video (default: 30)" },
    { "orbit", 0, OPTION_POSITIVE, &a.orbit, "T", "of a video: the camera goes once around the model in T seconds" },
    { "from", 0, OPTION_TEXT, &a.from, "X,Y,Z", "from which side: the direction from the model to the camera" },
    { "camera", 0, OPTION_TEXT, &a.camera, "NAME", "a camera of the model" },
    { "show", 0, OPTION_TEXT, &a.show, "A,B,...",
      "marks: joints, frames, masses, constraints, contacts, forces, points, labels, cones, rows, paths, rays, media, statuses, all" },
    { "depth", 0, OPTION_FLAG, &a.depth, NULL,
      "a picture of depth along the camera's axis, 16 bits, or its numbers in m, .npy" },
    { "unit", 0, OPTION_POSITIVE, &a.unit, "M", "of --depth: what one step of grey is, m (default: one that fits)" },
    { "segmentation", 0, OPTION_TEXT, &a.segmentation, "WHAT",
      "a colour, or a number in .npy, for each of the shapes or bodies; FILE.json says which" },
    { "collision", 0, OPTION_FLAG, &a.collision, NULL, "shapes of contact in place of looks" },
    { "transparent", 0, OPTION_FLAG, &a.transparent, NULL,
      "no floor, and a background that lets through what is behind" },
    { "samples", 0, OPTION_POSITIVE, &a.samples, "N",
      "the best quality: N x N rays in each pixel (default: as many as a pixel needs)" },
    { "key", 0, OPTION_TEXT, &a.model.key, "NAME", "start from this keyframe" },
    { "state", 0, OPTION_TEXT, &a.model.state, "FILE", "start from this JSON file" },
    MODEL_OPTIONS(a.model),
  };
  const int code = options_parse(&page, table, sizeof table / sizeof *table, argc, argv, &a.model.path);
  if (code != OPTIONS_GO) return code;
  return read_places(&a) && makes_sense(&a) ? render(&a) : CMD_USAGE;
}
