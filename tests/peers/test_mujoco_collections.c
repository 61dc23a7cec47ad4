/* A folder of model files by others in Cardan and in MuJoCo: 2.2.2, or a newer one if CARDAN_NEWER_MUJOCO names where
 * it is (newer_mujoco.h). CARDAN_MODELS names the folder, whose folders are the collections, or one file.
 * Of every file: whether both load it, whether we leave something out, accelerations at six random states, and a
 * second of steps.
 * A file in which the two differ should have said why: an element that is not understood, or a warning. Where they
 * are alike without
 * contact, the points and directions of contacts differ, as docs/evidence/soft_contact.md says of some pairs of shapes.
 *
 * MuJoCo gets our principal axes, as its own are off by up to 1e-6, and both solve their soft rows to the end. So
 * what differs is the model. What is printed is the table of docs/evidence/collections.md; CARDAN_TEST_VERBOSE prints a
 * line for each file. */
#define _GNU_SOURCE
#include "mujoco_bridge.h"
#include "newer_mujoco.h"

#include "random_mjcf.h"
#include "../check_main.h"

#include <cardan/controls.h>
#include <dirent.h>
#include <math.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { STATES = 6, SECONDS = 60, MOST_COLLECTIONS = 100 };
/* CARDAN_MODELS_SECONDS: for a file, where 60 are too few. */
static unsigned seconds(void) {
  const char *given = getenv("CARDAN_MODELS_SECONDS");
  return given && atoi(given) > 0 ? (unsigned)atoi(given) : SECONDS;
}
static const double ALIKE = 1e-6;
/* A file with thousands of contacts shall not take the machine's memory. */
static const rlim_t MOST_BYTES = (rlim_t)6 << 30;

/* Why a second of steps parts: what makes it alike all along. */
typedef enum parting { TOGETHER, BY_RATES, BY_SPIN, BY_CONTACT, BY_MORE, PARTINGS } parting;
static const char *const partings[] = { "", " only without rates of rows", " only by implicit", " only without contact",
                                        " in no way" };

/* What is found out about a file, in a process of its own. */
typedef struct finding {
  bool ours, theirs, complete, said, compared, stepped;
  bool unanswered; /* the peer had ended before this file */
  /* Of accelerations: as they are, without contact, and with rows that do not follow how directions turn; of
   * coordinates after a second. Relative to the largest, and 1. */
  double off, untouched, straight, second;
  double until;   /* s: when coordinates begin to differ by more; 1: they do not */
  double reached; /* s: how far both came */
  parting parts;
  char text[800];   /* what we say */
  char reason[400]; /* why MuJoCo does not load it */
} finding;

/* How a model is compared: whether anything touches; whether rows follow how directions turn; whether steps are taken,
 * too, and then whether those of implicitfast are taken as those of implicit. */
typedef struct way {
  bool touches, rates, steps, spins;
} way;

typedef struct pair {
  cdn_model *model;
  cdn_state *state;
  mjModel *m;
  mjData *d;
  newer_mujoco newer; /* m and d are its own, if there is one */
  bool has_newer, touching;
  mj_bridge bridge;
  int *actuators;         /* MuJoCo's number of each of ours */
  int nq, nu;             /* ours, with those of mocap bodies */
  double *q, *u, *theirs; /* in our order; of `theirs` those of mocap bodies are ours */
} pair;

/* ---- loading ------------------------------------------------------------------------------- */

/* The file's rows; they are solved to the end, whatever the file says of iterations. 2.2.2 leaves out how the
 * directions of equalities turn. */
static void set_rows(const cdn_spec_solver *file, bool rates, cdn_system *system) {
  cdn_soft_def soft = cdn_default_soft_def();
  soft.rates = rates, soft.tolerance = 1e-15;
  soft.cone = file->cone == CDN_SPEC_ELLIPTIC ? CDN_SOFT_ELLIPTIC : CDN_SOFT_PYRAMIDAL;
  soft.impedance_ratio = file->impratio;
  soft.shortest_time = file->refsafe ? 2 * file->timestep : 0;
  cdn_system_set_soft(system, &soft);
}

/* What touches nothing. */
static cdn_status switch_off_contact(cdn_spec *spec) {
  cdn_status status = CDN_OK;
  for (int i = 0; i < cdn_spec_count(spec, CDN_SPEC_SHAPE) && status == CDN_OK; i++) {
    cdn_spec_shape shape;
    status = cdn_spec_get_shape(spec, i, &shape);
    shape.collision = false, shape.contype = shape.conaffinity = 0;
    if (status == CDN_OK) status = cdn_spec_set_shape(spec, i, &shape);
  }
  while (cdn_spec_count(spec, CDN_SPEC_CONTACT) > 0 && status == CDN_OK)
    status = cdn_spec_remove(spec, CDN_SPEC_CONTACT, 0);
  return status;
}

static cdn_status build(const char *path, way how, cdn_system *system, cdn_model **model, char *text, size_t size) {
  cdn_model_options options = cdn_default_model_options();
  options.contact = CDN_MODEL_SOFT, options.equality = CDN_MODEL_SOFT_EQUALITY;
  options.solving = CDN_MODEL_SOLVE_AS_FILE; /* delays count steps; rows are ours, below */
  cdn_spec *spec = NULL;
  cdn_spec_solver solver;
  cdn_error error = { .code = CDN_OK };
  cdn_status status = cdn_spec_load(path, &options, &spec);
  if (status == CDN_OK) {
    status = cdn_spec_get_solver(spec, &solver);
    if (status == CDN_OK && !how.touches) status = switch_off_contact(spec);
  }
  if (status == CDN_OK) status = cdn_model_build(spec, &options, system, model);
  if (status == CDN_OK) set_rows(&solver, how.rates, system);
  if (status != CDN_OK && *model) cdn_model_last_error(*model, &error);
  else if (status != CDN_OK && spec) cdn_spec_last_error(spec, &error);
  if (status == CDN_OK && (status = cdn_system_freeze(system)) != CDN_OK) cdn_system_last_error(system, &error);
  cdn_spec_destroy(spec);
  if (status != CDN_OK) snprintf(text, size, "%.700s", error.text);
  return status;
}

static void note_what_we_say(const cdn_model *model, finding *f) {
  size_t used = 0;
  f->complete = cdn_model_not_understood_count(model) == 0;
  f->said = !f->complete || cdn_model_warning_count(model) > 0;
  for (int i = 0; i < cdn_model_not_understood_count(model) && used < sizeof f->text; i++)
    used +=
        (size_t)snprintf(f->text + used, sizeof f->text - used, "[%s] ", cdn_model_not_understood(model, i).element);
  for (int i = 0; i < cdn_model_warning_count(model) && used < sizeof f->text; i++)
    used += (size_t)snprintf(f->text + used, sizeof f->text - used, "%.90s; ", cdn_model_warning(model, i));
}

/* MuJoCo 2.2.2 has actuators with an activation after all others, newer ones in the order of the file. */
static void pair_actuators(pair *p) {
  const int n = cdn_model_actuator_count(p->model);
  int next = 0;
  for (int turn = 0; turn < 2; turn++)
    for (int i = 0; i < n; i++) {
      cdn_model_actuator a;
      if (cdn_model_get_actuator(p->model, i, &a) != CDN_OK || (p->has_newer ? 0 : a.activation.group >= 0) != turn)
        continue;
      const int named = mj_name2id(p->m, mjOBJ_ACTUATOR, a.name);
      p->actuators[i] = named >= 0 ? named : n == p->m->nu ? next : -1;
      next++;
    }
}

static void give_our_axes(pair *p) {
  for (int i = 0; i < p->m->ngeom; i++) p->m->geom_sameframe[i] = 0;
  for (int i = 0; i < p->m->nsite; i++) p->m->site_sameframe[i] = 0;
  for (int b = 1; b < p->m->nbody && cdn_model_body_count(p->model) == p->m->nbody - 1; b++) {
    const cdn_inertia I = cdn_body_mass_properties(p->state, cdn_model_body(p->model, b - 1)).inertia;
    const cdn_inertia J = mj_bridge_inertia(p->m, b);
    const double *x = &I.xx, *y = &J.xx;
    bool alike = true;
    for (int k = 0; k < 6; k++) alike = alike && fabs(x[k] - y[k]) <= 1e-5 * (fabs(J.xx) + fabs(J.yy) + fabs(J.zz));
    if (alike) mj_bridge_set_inertia(p->m, b, I);
  }
}

static bool start(pair *p) {
  const size_t n = (size_t)cdn_model_actuator_count(p->model) + 1;
  if (cdn_state_create(cdn_model_system(p->model), &p->state) != CDN_OK) return false;
  if (cdn_realize(p->state, CDN_STAGE_INSTANCE) != CDN_OK) return false;
  if (!mj_bridge_init(&p->bridge, p->m, p->model)) return false;
  p->actuators = calloc(n, sizeof *p->actuators);
  p->nq = cdn_system_nq(cdn_model_system(p->model)), p->nu = cdn_system_nu(cdn_model_system(p->model));
  p->q = calloc((size_t)(p->nq + p->nu) + 1, 2 * sizeof *p->q);
  p->u = p->q + p->nq, p->theirs = p->u + p->nu;
  memcpy(p->q, cdn_state_q(p->state), (size_t)p->nq * sizeof *p->q); /* of mocap bodies they stay */
  pair_actuators(p);
  give_our_axes(p);
  if (p->has_newer) return newer_mujoco_prepare(&p->newer, p->touching);
  p->m->opt.tolerance = 0, p->m->opt.iterations = 300, p->m->opt.noslip_iterations = 0;
  p->m->opt.solver = mjSOL_NEWTON;
  p->m->opt.disableflags |= mjDSBL_WARMSTART;
  if (!p->touching) p->m->opt.disableflags |= mjDSBL_CONTACT;
  p->d = mj_makeData(p->m);
  mj_setConst(p->m, p->d);
  return true;
}

/* ---- states -------------------------------------------------------------------------------- */

static void reset(pair *p) {
  if (!p->has_newer) {
    mj_resetData(p->m, p->d);
    return;
  }
  memcpy(p->d->qpos, p->m->qpos0, (size_t)p->m->nq * sizeof(double));
  memset(p->d->qvel, 0, (size_t)p->m->nv * sizeof(double));
  memset(p->d->ctrl, 0, (size_t)p->m->nu * sizeof(double));
  memset(p->d->act, 0, (size_t)p->m->na * sizeof(double));
  p->d->time = 0;
}

static bool forward(pair *p) {
  if (p->has_newer) return newer_mujoco_forward(&p->newer);
  mj_forward(p->m, p->d);
  return true;
}

/* Where an actuator has its activation; -1: it has none. */
static int activation_of(const pair *p, int id) {
  if (p->has_newer) return p->newer.actadr[id];
  return id >= p->m->nu - p->m->na ? id - (p->m->nu - p->m->na) : -1;
}

/* Around the first pose, within limits where there are some, so that contacts are as likely as in the file. */
static bool draw(pair *p, uint64_t *rng, double spread, double speed) {
  mjModel *m = p->m;
  reset(p);
  for (int j = 0; j < m->njnt; j++) {
    double *qpos = p->d->qpos + m->jnt_qposadr[j], *range = m->jnt_range + 2 * j, turn[4];
    if (m->jnt_type[j] == mjJNT_HINGE || m->jnt_type[j] == mjJNT_SLIDE) {
      const double all = m->jnt_limited[j] ? range[1] - range[0] : 1;
      *qpos += random_uniform(rng, -spread, spread) * all;
      continue;
    }
    double *w = m->jnt_type[j] == mjJNT_FREE ? qpos + 3 : qpos;
    random_quaternion(rng, turn);
    for (int k = 0; k < 4; k++) w[k] += spread * turn[k];
    mju_normalize4(w);
    for (int k = 0; k < 3 && w != qpos; k++) qpos[k] += random_uniform(rng, -spread, spread) / 10;
  }
  for (int i = 0; i < m->nv; i++) p->d->qvel[i] = random_uniform(rng, -speed, speed);
  mj_bridge_q_from_mujoco(&p->bridge, p->d->qpos, p->q);
  mj_bridge_u_from_mujoco(&p->bridge, p->q, p->d->qvel, p->u);
  bool good = cdn_state_set_time(p->state, 0) == CDN_OK && cdn_state_set_q(p->state, p->q) == CDN_OK &&
              cdn_state_set_u(p->state, p->u) == CDN_OK;
  for (int i = 0; i < cdn_model_actuator_count(p->model) && good; i++) {
    cdn_model_actuator a;
    good = cdn_model_get_actuator(p->model, i, &a) == CDN_OK;
    const int id = p->actuators[i];
    if (!good || id < 0) continue;
    if (speed > 0) p->d->ctrl[id] = random_uniform(rng, -1, 1);
    if (speed > 0 && m->actuator_ctrllimited[id])
      p->d->ctrl[id] = random_uniform(rng, m->actuator_ctrlrange[2 * id], m->actuator_ctrlrange[2 * id + 1]);
    good = cdn_control_set(p->state, a.control, p->d->ctrl[id]) == CDN_OK;
    if (a.activation.group < 0 || activation_of(p, id) < 0) continue;
    double *act = &p->d->act[activation_of(p, id)];
    if (speed > 0) *act = random_uniform(rng, 0, 0.5);
    good = good && cdn_state_set_zvar(p->state, a.activation, act) == CDN_OK;
  }
  return good;
}

static double difference(const double *ours, const double *theirs, int n) {
  double off = 0, size = 1;
  for (int i = 0; i < n; i++) {
    size = fmax(size, fabs(theirs[i]));
    off = fabs(ours[i] - theirs[i]) <= off ? off : fabs(ours[i] - theirs[i]); /* a NaN stays */
  }
  return off / size;
}

static void compare_accelerations(pair *p, finding *f) {
  uint64_t rng = 20;
  memset(p->theirs, 0, (size_t)p->nu * sizeof *p->theirs);
  for (int i = 0; i < STATES; i++) {
    if (!draw(p, &rng, i == 0 ? 0 : 0.05 * i, i == 0 ? 0 : 1)) return;
    if (!forward(p)) return;
    mj_bridge_u_from_mujoco(&p->bridge, p->q, p->d->qacc, p->theirs);
    const double *ours = cdn_state_udot(p->state);
    f->said = f->said || !ours; /* the System says why it has none */
    const double off = ours ? difference(ours, p->theirs, p->nu) : INFINITY;
    if (!(off <= f->off)) f->off = off;
  }
  f->compared = true;
}

static bool step_peer(pair *p) {
  if (p->has_newer) return newer_mujoco_go(&p->newer);
  mj_step(p->m, p->d);
  return true;
}

/* Histories of delays know nothing of the states before. */
static bool forget(pair *p) {
  cdn_state_destroy(p->state);
  p->state = NULL;
  return cdn_state_create(cdn_model_system(p->model), &p->state) == CDN_OK;
}

/* From the first state, by the file's method and step; the peer goes along, for half of the file's time. Motions that
 * amplify differences, as where bodies fall on each other, part at some time, however alike their accelerations are. */
static void compare_second(pair *p, bool spins, finding *f) {
  uint64_t rng = 1;
  cdn_stepper_def def = cdn_default_stepper_def();
  cdn_stepper *stepper = NULL;
  const time_t begun = time(NULL);
  if (!forget(p) || !draw(p, &rng, 0, 0) || (p->has_newer && !forward(p))) return;
  if (cdn_model_steps_of_file(p->model, &def.method, &def.fixed_step) != CDN_OK) return;
  if (spins && def.method == CDN_METHOD_MUJOCO_IMPLICIT_FAST) def.method = CDN_METHOD_MUJOCO_IMPLICIT;
  def.companion = false;
  if (cdn_stepper_create(p->state, &def, &stepper) != CDN_OK) return;
  f->stepped = true, f->until = 1;
  while (p->d->time < 1 - 1e-9 && f->stepped && difftime(time(NULL), begun) < seconds() / 2) {
    f->stepped = step_peer(p) && cdn_stepper_advance(stepper, p->d->time, NULL) == CDN_OK;
    memcpy(p->theirs, p->q, (size_t)p->nq * sizeof *p->q);
    mj_bridge_q_from_mujoco(&p->bridge, p->d->qpos, p->theirs);
    f->second = difference(cdn_state_q(cdn_stepper_state(stepper)), p->theirs, p->nq);
    if (!(f->second <= ALIKE)) f->until = fmin(f->until, p->d->time);
  }
  f->reached = p->d->time;
  f->stepped = f->stepped && f->reached >= 1 - 1e-9;
  cdn_stepper_destroy(stepper);
}

/* `touching` false: only accelerations, without contact. */
static newer_server server; /* for all files */

static bool open_peer(pair *p, const char *path, char *message, int size) {
  p->has_newer = newer_mujoco_folder() != NULL;
  if (!p->has_newer) return (p->m = mj_bridge_load_file(path, message, size)) != NULL;
  if (!newer_mujoco_open(&p->newer, &server, path, message, (size_t)size)) return false;
  p->m = &p->newer.m, p->d = &p->newer.d;
  return true;
}

static void close_peer(pair *p) {
  if (p->has_newer) {
    newer_mujoco_close(&p->newer);
    return;
  }
  if (p->d) mj_deleteData(p->d);
  if (p->m) mj_deleteModel(p->m);
}

static void look(const char *path, way how, finding *f) {
  pair p = { .model = NULL, .touching = how.touches };
  cdn_system *system = cdn_system_create(NULL);
  char message[500] = "";
  mj_bridge_handlers();
  f->ours = build(path, how, system, &p.model, f->text, sizeof f->text) == CDN_OK;
  if (f->ours) note_what_we_say(p.model, f);
  f->theirs = open_peer(&p, path, message, sizeof message);
  f->unanswered = p.newer.silent;
  if (!f->theirs) snprintf(f->reason, sizeof f->reason, "%.390s", message);
  if (f->ours && f->theirs && start(&p)) {
    compare_accelerations(&p, f);
    if (how.steps) compare_second(&p, how.spins, f);
    mj_bridge_free(&p.bridge);
  }
  free(p.actuators);
  free(p.q);
  close_peer(&p);
  cdn_state_destroy(p.state);
  cdn_model_destroy(p.model);
  cdn_system_release(system);
}

/* How far they are apart in another way, and not comparable: infinite. */
static double off_in(const char *path, way how) {
  finding f = { .ours = false };
  look(path, how, &f);
  return f.compared ? f.off : INFINITY;
}

/* Whether a second of steps is alike all along in another way. */
static bool together_in(const char *path, way how) {
  finding f = { .ours = false };
  how.steps = true;
  look(path, how, &f);
  return f.stepped && f.until >= 1;
}

/* Newer ones take what turns free bodies into account in implicitfast, too. */
static parting look_for_parting(const char *path, bool newer, const finding *f) {
  if (!f->stepped || f->until >= 1) return TOGETHER;
  if (newer && together_in(path, (way){ .touches = true })) return BY_RATES;
  if (newer && together_in(path, (way){ .touches = true, .rates = true, .spins = true })) return BY_SPIN;
  if (together_in(path, (way){ .rates = newer, .spins = newer })) return BY_CONTACT;
  return newer && together_in(path, (way){ .spins = true }) ? BY_CONTACT : BY_MORE;
}

/* Where they differ, why: what makes them alike. MuJoCo's rows of tendons do not follow how these turn in any version;
 * contacts of the file may differ besides. */
static void look_again(const char *path, finding *f) {
  const bool rates = newer_mujoco_folder() != NULL;
  f->untouched = f->straight = INFINITY;
  look(path, (way){ .touches = true, .rates = rates, .steps = true }, f);
  f->parts = look_for_parting(path, rates, f);
  if (!f->compared || f->off <= ALIKE) return;
  f->untouched = off_in(path, (way){ .touches = false, .rates = rates });
  if (!rates || f->untouched <= ALIKE) return;
  f->straight = off_in(path, (way){ .touches = true, .rates = false });
  if (!(f->straight <= ALIKE)) f->straight = off_in(path, (way){ .touches = false, .rates = false });
}

/* ---- the table ----------------------------------------------------------------------------- */

typedef struct row {
  char name[80];
  int files, ours, theirs, both, complete, alike, by_contact, by_rates, differ_said, differ_unsaid, stepped,
      parts[PARTINGS], crashed;
} row;

static row rows[MOST_COLLECTIONS];
static int n_rows;

static row *row_of(const char *collection) {
  int i = 0;
  while (i < n_rows && strcmp(rows[i].name, collection) != 0) i++;
  if (i == MOST_COLLECTIONS) i--;
  if (i == n_rows) snprintf(rows[n_rows++].name, sizeof rows->name, "%s", collection);
  return &rows[i];
}

static void count(row *to, const finding *f, bool crashed, const char *path) {
  const bool both = f->ours && f->theirs, alike = both && f->compared && f->off <= ALIKE;
  const bool by_contact = both && !alike && f->untouched <= ALIKE;
  const bool by_rates = both && !alike && !by_contact && f->straight <= ALIKE;
  const bool differs = both && !alike && !by_contact && !by_rates;
  to->files++;
  to->crashed += crashed;
  to->ours += f->ours, to->theirs += f->theirs, to->both += both, to->complete += f->complete, to->alike += alike;
  to->stepped += both && f->stepped, to->parts[f->parts] += both && f->stepped;
  to->by_contact += by_contact, to->by_rates += by_rates, to->differ_said += differs && f->said,
      to->differ_unsaid += differs && !f->said;
  if (!getenv("CARDAN_TEST_VERBOSE")) return;
  printf("%-9s %s: here %d, there %d",
         alike        ? "alike"
         : !both      ? "one-sided"
         : by_contact ? "contact"
         : by_rates   ? "rates"
         : f->said    ? "said"
                      : "UNSAID",
         path, f->ours, f->theirs);
  if (both) printf(", off %.2g", f->compared ? f->off : NAN);
  if (both && f->reached > 0)
    printf(", alike until %.3g s, at %.3g s %.2g%s", f->until, f->reached, f->second,
           f->stepped ? partings[f->parts] : " (not done)");
  printf("%s. %s%s%s\n", crashed ? " CRASHED" : "", f->text, f->reason[0] ? " THERE: " : "", f->reason);
}

/* A file in a process of its own: what ends it is counted, and the others go on. */
static void judge(const char *path, const char *collection, bool again) {
  int ends[2], status = 0;
  finding f = { .ours = false };
  if (newer_mujoco_folder() && !newer_server_start(&server)) return;
  if (pipe(ends) != 0) return;
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    alarm(seconds());
    setrlimit(RLIMIT_AS, &(struct rlimit){ MOST_BYTES, MOST_BYTES });
    look_again(path, &f);
    const bool told = write(ends[1], &f, sizeof f) == (ssize_t)sizeof f;
    _exit(told ? 0 : 1);
  }
  close(ends[1]);
  const bool whole = read(ends[0], &f, sizeof f) == (ssize_t)sizeof f;
  close(ends[0]);
  if (child < 0) return;
  waitpid(child, &status, 0);
  if (!whole || f.unanswered) newer_server_stop(&server);
  if (f.unanswered && !again) {
    judge(path, collection, true);
    return;
  }
  const bool late = WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM;
  if (late) snprintf(f.text, sizeof f.text, "not done in %u s", seconds());
  count(row_of(collection), &f, !whole && !late, path);
}

/* Whether the file's root is one of the two formats': files that others include have <mujocoinclude>. */
static bool is_model(const char *path) {
  char text[4097];
  FILE *file = fopen(path, "r");
  if (!file) return false;
  text[fread(text, 1, sizeof text - 1, file)] = '\0';
  fclose(file);
  const char *root = strstr(text, "<mujoco");
  return root && (root[7] == '>' || root[7] == ' ' || root[7] == '\n' || root[7] == '\r');
}

static int by_name(const struct dirent **a, const struct dirent **b) { return strcmp((*a)->d_name, (*b)->d_name); }

static void walk(const char *folder, const char *collection) {
  struct dirent **entries;
  const int n = scandir(folder, &entries, NULL, by_name);
  for (int i = 0; i < n; i++) {
    char path[4096];
    struct stat info;
    const char *name = entries[i]->d_name, *dot = strrchr(name, '.');
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (name[0] != '.' && stat(path, &info) == 0) {
      if (S_ISDIR(info.st_mode)) walk(path, collection ? collection : name);
      else if (dot && strcmp(dot, ".xml") == 0 && is_model(path)) judge(path, collection ? collection : ".", false);
    }
    free(entries[i]);
  }
  if (n >= 0) free(entries);
}

START_TEST(files_by_others) {
  const char *folder = getenv("CARDAN_MODELS");
  if (!folder || !folder[0]) SKIP("CARDAN_MODELS names no folder of model files");
  if (newer_mujoco_folder() && !newer_mujoco_is_there())
    SKIP("npm has not installed @mujoco/mujoco in the folder that CARDAN_NEWER_MUJOCO names");
  int crashed = 0;
  struct stat info;
  if (stat(folder, &info) == 0 && S_ISDIR(info.st_mode)) walk(folder, NULL);
  else judge(folder, ".", false);
  printf(
      "| collection | files | load here | load in %s | complete | in both | within 1e-6 | only contact differs | "
      "only rates differ | differs, said | differs, unsaid | "
      "a second of steps | alike all along | only without rates | only by implicit | only without contact | not alike |\n"
      "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n",
      newer_mujoco_folder() ? "the newer one" : "2.2.2");
  for (int i = 0; i < n_rows; i++) {
    const row *r = &rows[i];
    printf("| %s | %d | %d | %d | %d | %d | %d | %d | %d | %d | %d | %d", r->name, r->files, r->ours, r->theirs,
           r->complete, r->both, r->alike, r->by_contact, r->by_rates, r->differ_said, r->differ_unsaid, r->stepped);
    for (int k = 0; k < PARTINGS; k++) printf(" | %d", r->parts[k]);
    printf(" |\n");
    crashed += r->crashed;
  }
  fflush(stdout);
  newer_server_stop(&server);
  ck_assert_msg(n_rows > 0, "there are no model files in %s", folder);
  ck_assert_msg(crashed == 0, "%d files ended the process that read them", crashed);
}
END_TEST

static void add(TCase *tcase) { tcase_add_test(tcase, files_by_others); }
CHECK_MAIN_OF("mujoco collections", 3600, add)
