#define _GNU_SOURCE
#include "newer_mujoco.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

const char *newer_mujoco_folder(void) {
  const char *folder = getenv("CARDAN_NEWER_MUJOCO");
  return folder && folder[0] ? folder : NULL;
}

bool newer_mujoco_is_there(void) {
  char package[1024];
  snprintf(package, sizeof package, "%s/node_modules/@mujoco/mujoco/mujoco.js", newer_mujoco_folder());
  return access(package, R_OK) == 0;
}

/* ---- the process ----------------------------------------------------------------------------- */

bool newer_server_start(newer_server *s) {
  int to[2], from[2];
  if (s->to && waitpid(s->child, NULL, WNOHANG) == 0) return true;
  newer_server_stop(s);
  signal(SIGPIPE, SIG_IGN);
  char script[1024];
  const char *root = getenv("CARDAN_SOURCE_ROOT");
  snprintf(script, sizeof script, "%s/tests/peers/newer_mujoco.mjs", root ? root : ".");
  if (pipe(to) != 0) return false;
  if (pipe(from) != 0) return false;
  s->child = fork();
  if (s->child == 0) {
    dup2(to[0], 0);
    dup2(from[1], 1);
    for (int i = 0; i < 2; i++) close(to[i]), close(from[i]);
    execlp("node", "node", "--stack-size=4000", script, newer_mujoco_folder(), (char *)NULL);
    _exit(127);
  }
  close(to[0]);
  close(from[1]);
  s->to = fdopen(to[1], "w");
  s->from = fdopen(from[0], "r");
  return s->child > 0 && s->to && s->from;
}

void newer_server_stop(newer_server *s) {
  if (s->to) fclose(s->to);
  if (s->from) fclose(s->from);
  if (s->child > 0 && waitpid(s->child, NULL, WNOHANG) == 0) {
    kill(s->child, SIGKILL);
    waitpid(s->child, NULL, 0);
  }
  *s = (newer_server){ .child = -1 };
}

static bool answer(newer_mujoco *n) {
  n->silent = fflush(n->server->to) != 0 || getline(&n->line, &n->room, n->server->from) <= 0;
  return !n->silent && strncmp(n->line, "failed", 6) != 0;
}

/* ---- the model, in JSON ---------------------------------------------------------------------- */

static const char *value_of(const newer_mujoco *n, const char *key) {
  char quoted[60];
  snprintf(quoted, sizeof quoted, "\"%s\":", key);
  const char *at = strstr(n->line, quoted);
  return at ? at + strlen(quoted) : "";
}

static int integer(const newer_mujoco *n, const char *key) { return atoi(value_of(n, key)); }

/* As many numbers as there should be; the rest is 0. */
static double *numbers(const newer_mujoco *n, const char *key, int count) {
  double *values = calloc((size_t)count + 1, sizeof *values);
  const char *at = value_of(n, key);
  for (int i = 0; values && i < count && (*at == '[' || *at == ','); i++) {
    char *end;
    values[i] = strtod(at + 1, &end);
    at = end;
  }
  return values;
}

static int *integers(const newer_mujoco *n, const char *key, int count) {
  double *values = numbers(n, key, count);
  int *whole = calloc((size_t)count + 1, sizeof *whole);
  for (int i = 0; values && whole && i < count; i++) whole[i] = (int)values[i];
  free(values);
  return whole;
}

static mjtByte *bytes(const newer_mujoco *n, const char *key, int count) {
  double *values = numbers(n, key, count);
  mjtByte *small = calloc((size_t)count + 1, sizeof *small);
  for (int i = 0; values && small && i < count; i++) small[i] = (mjtByte)values[i];
  free(values);
  return small;
}

static mjtByte *limits(const double *range, int count) {
  mjtByte *limited = calloc((size_t)count + 1, sizeof *limited);
  for (int i = 0; limited && i < count; i++) limited[i] = range[2 * i] < range[2 * i + 1];
  return limited;
}

/* The names of actuators, each with a 0 after it. */
static void read_names(newer_mujoco *n) {
  const char *at = value_of(n, "actuators");
  char *to = n->m.names = calloc(strlen(at) + 2, 1);
  n->m.nnames = (int)strlen(at) + 2;
  n->m.name_actuatoradr = calloc((size_t)n->m.nu + 1, sizeof(int));
  for (int i = 0; to && i < n->m.nu && (*at == '[' || *at == ','); i++) {
    n->m.name_actuatoradr[i] = (int)(to - n->m.names);
    for (at += 2; *at && *at != '"'; at++) {
      if (*at == '\\' && at[1]) at++;
      *to++ = *at;
    }
    *to++ = '\0';
    if (*at) at++;
  }
}

static void read_model(newer_mujoco *n) {
  mjModel *m = &n->m;
  m->nq = integer(n, "nq"), m->nv = integer(n, "nv"), m->nu = integer(n, "nu"), m->na = integer(n, "na");
  m->nbody = integer(n, "nbody"), m->njnt = integer(n, "njnt");
  m->jnt_type = integers(n, "jnt_type", m->njnt);
  m->jnt_qposadr = integers(n, "jnt_qposadr", m->njnt);
  m->jnt_dofadr = integers(n, "jnt_dofadr", m->njnt);
  m->jnt_range = numbers(n, "jnt_range", 2 * m->njnt);
  m->jnt_limited = limits(m->jnt_range, m->njnt);
  m->qpos0 = numbers(n, "qpos0", m->nq);
  m->body_inertia = numbers(n, "body_inertia", 3 * m->nbody);
  m->body_iquat = numbers(n, "body_iquat", 4 * m->nbody);
  m->body_sameframe = bytes(n, "body_sameframe", m->nbody);
  m->actuator_ctrlrange = numbers(n, "ctrlrange", 2 * m->nu);
  m->actuator_ctrllimited = limits(m->actuator_ctrlrange, m->nu);
  m->nkey = integer(n, "nkey");
  m->key_qpos = numbers(n, "key_qpos", m->nkey * m->nq);
  m->key_qvel = numbers(n, "key_qvel", m->nkey * m->nv);
  m->key_ctrl = numbers(n, "key_ctrl", m->nkey * m->nu);
  n->actadr = integers(n, "actadr", m->nu);
  read_names(n);
  double **parts[] = { &n->d.qpos, &n->d.qvel, &n->d.ctrl, &n->d.act, &n->d.qacc };
  const int sizes[] = { m->nq, m->nv, m->nu, m->na, m->nv };
  for (int i = 0; i < 5; i++) *parts[i] = calloc((size_t)sizes[i] + 1, sizeof(double));
}

/* ---- questions ------------------------------------------------------------------------------- */

bool newer_mujoco_open(newer_mujoco *n, const newer_server *s, const char *path, char *message, size_t size) {
  *n = (newer_mujoco){ .server = s };
  fprintf(s->to, "open %s\n", path);
  if (answer(n)) {
    read_model(n);
    return true;
  }
  snprintf(message, size, "%s", n->silent ? "node does not answer" : n->line);
  message[strcspn(message, "\n")] = '\0';
  return false;
}

static void send(const newer_mujoco *n, const double *values, int count) {
  for (int i = 0; i < count; i++) fprintf(n->server->to, " %.17g", values[i]);
}

bool newer_mujoco_prepare(newer_mujoco *n, bool touching) {
  fprintf(n->server->to, "axes");
  send(n, n->m.body_iquat, 4 * n->m.nbody);
  send(n, n->m.body_inertia, 3 * n->m.nbody);
  fprintf(n->server->to, "\n");
  if (!answer(n)) return false;
  if (touching) return true;
  fprintf(n->server->to, "untouched\n");
  return answer(n);
}

bool newer_mujoco_forward(newer_mujoco *n) {
  fprintf(n->server->to, "state");
  send(n, n->d.qpos, n->m.nq);
  send(n, n->d.qvel, n->m.nv);
  send(n, n->d.ctrl, n->m.nu);
  send(n, n->d.act, n->m.na);
  fprintf(n->server->to, "\n");
  if (!answer(n)) return false;
  char *at = n->line;
  for (int i = 0; i < n->m.nv; i++) n->d.qacc[i] = strtod(at, &at);
  return true;
}

bool newer_mujoco_sensors(newer_mujoco *n, int count, double *values) {
  fprintf(n->server->to, "sensors\n");
  if (!answer(n)) return false;
  char *at = n->line, *end = at;
  for (int i = 0; i < count; i++, at = end) {
    values[i] = strtod(at, &end);
    if (end == at) return false;
  }
  return strspn(at, " \n") == strlen(at);
}

bool newer_mujoco_step(newer_mujoco *n, int count, double *values) {
  fprintf(n->server->to, "step");
  send(n, n->d.ctrl, n->m.nu);
  fprintf(n->server->to, "\n");
  if (!answer(n)) return false;
  double *const parts[] = { values, n->d.qpos, n->d.qvel };
  const int sizes[] = { count, n->m.nq, n->m.nv };
  char *at = n->line, *end = at;
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < sizes[k]; i++, at = end) {
      parts[k][i] = strtod(at, &end);
      if (end == at) return false;
    }
  return strspn(at, " \n") == strlen(at);
}

bool newer_mujoco_go(newer_mujoco *n) {
  fprintf(n->server->to, "go\n");
  if (!answer(n)) return false;
  char *at = n->line;
  n->d.time = strtod(at, &at);
  for (int i = 0; i < n->m.nq; i++) n->d.qpos[i] = strtod(at, &at);
  return true;
}

void newer_mujoco_close(newer_mujoco *n) {
  mjModel *m = &n->m;
  void *const all[] = { n->line,
                        m->jnt_type,
                        m->jnt_qposadr,
                        m->jnt_dofadr,
                        m->jnt_range,
                        m->jnt_limited,
                        m->qpos0,
                        m->body_inertia,
                        m->body_iquat,
                        m->body_sameframe,
                        m->actuator_ctrlrange,
                        m->actuator_ctrllimited,
                        n->actadr,
                        m->key_qpos,
                        m->key_qvel,
                        m->key_ctrl,
                        m->names,
                        m->name_actuatoradr,
                        n->d.qpos,
                        n->d.qvel,
                        n->d.ctrl,
                        n->d.act,
                        n->d.qacc };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
  *n = (newer_mujoco){ .server = NULL };
}
