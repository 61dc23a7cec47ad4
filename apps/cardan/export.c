/* cardan export: a model and its motion for other programs: glTF, poses as a table, a keyframe of MJCF. */
#include <cardan/spec_joints.h>

#include "gltf.h"
#include "played.h"

#include <cardan/table.h>
#include <stdlib.h>
#include <string.h>

static const help_page page = {
  "export", "MODEL [RUN.csv] -o FILE [options]",
  "Writes a model for other programs, as the file's name ends: FILE.glb is glTF 2.0 with looks, moved by the run; FILE.csv, .h5, ...\n"
  "have the poses of all bodies; FILE.xml is MJCF with the model's pose as a keyframe, for models of MJCF.\n",
  "  cardan simulate walker.xml --duration 2 --report 0.02 -o walk.csv && cardan export walker.xml walk.csv -o walk.glb\n"
  "  cardan export walker.xml walk.csv --time 1.5 -o pose.xml\n",
  WHICH_MODEL
};

typedef struct export_arguments {
  model_arguments model;
  text_list runs;
  const char *output, *time;
  double fps;
} export_arguments;

typedef struct export_job {
  const export_arguments *a;
  played shown;
  gltf *gltf;              /* what is written: this ... */
  cdn_table_writer *poses; /* ... or this */
  double *row;
} export_job;

/* ---- glTF ---------------------------------------------------------------------------------- */

static int add_to_gltf(void *to, double time) {
  const export_job *j = to;
  gltf_add_frame(j->gltf, j->shown.scene, time);
  return CMD_OK;
}

static int write_gltf(export_job *j) {
  if (played_show(&j->shown, j->shown.from) != CDN_OK) return played_failed(&j->shown);
  j->gltf = gltf_begin(j->shown.scene);
  const int code = played_frames(&j->shown, "exporting", j->a->fps, add_to_gltf, j);
  return gltf_end(j->gltf, j->a->output) ? code : CMD_OUTPUT;
}

/* ---- poses --------------------------------------------------------------------------------- */

enum { POSE = 7 }; /* numbers of one */

static int add_row(void *to, double time) {
  const export_job *j = to;
  const cdn_transform *X = cdn_scene_poses(j->shown.scene);
  double *at = j->row;
  *at++ = time;
  for (int i = 0; i < cdn_model_body_count(j->shown.model); i++, at += POSE) {
    const int b = cdn_model_body(j->shown.model, i).i;
    const cdn_quaternion q = cdn_quaternion_from_rotation(X[b].R);
    memcpy(at, (const double[]){ X[b].p.x, X[b].p.y, X[b].p.z, q.w, q.x, q.y, q.z }, POSE * sizeof *at);
  }
  return cdn_table_rows(j->poses, 1, j->row) == CDN_OK ? CMD_OK : CMD_OUTPUT; /* why is told when it is closed */
}

static cdn_status create_poses(export_job *j) {
  static const char *const slots[POSE] = { "px", "py", "pz", "qw", "qx", "qy", "qz" };
  const cdn_model *model = j->shown.model;
  const int n = 1 + POSE * cdn_model_body_count(model);
  char **names = allocate((size_t)n, sizeof *names);
  const char **units = allocate((size_t)n, sizeof *units);
  cdn_table_def def = cdn_default_table_def();
  names[0] = strcpy(allocate(sizeof "time", 1), "time"), units[0] = "s";
  for (int i = 1; i < n; i++) {
    const char *body = cdn_body_name(cdn_model_system(model), cdn_model_body(model, (i - 1) / POSE));
    const int k = (i - 1) % POSE;
    names[i] = allocate(strlen(body) + sizeof ".px", 1);
    sprintf(names[i], "%s.%s", body, slots[k]);
    units[i] = k < 3 ? "m" : "1";
  }
  def.names = (const char *const *)names, def.units = units, def.n_columns = n;
  const cdn_status status = cdn_table_create(j->a->output, &def, &j->poses);
  for (int i = 0; i < n; i++) free(names[i]);
  free(names), free(units);
  j->row = allocate((size_t)n, sizeof *j->row);
  if (status != CDN_OK) return status;
  const cdn_status kept = cdn_table_attribute(j->poses, "model", j->a->model.path);
  if (kept != CDN_OK) (void)!cdn_table_close(j->poses);
  return kept;
}

static int write_poses(export_job *j) {
  int code = CMD_OUTPUT;
  cdn_status status = create_poses(j);
  if (status == CDN_OK) code = played_frames(&j->shown, "exporting", j->a->fps, add_row, j);
  if (status == CDN_OK) status = cdn_table_close(j->poses);
  free(j->row);
  if (status == CDN_OK) return code;
  complain_last_error();
  return CMD_OUTPUT;
}

/* ---- a keyframe ---------------------------------------------------------------------------- */

/* MuJoCo lists a free joint as (position, quaternion) and (linear, angular) velocity, with angular velocities of free
 * and ball joints in the axes of the body; ours are (quaternion, position) and (angular, linear), in the axes of the
 * parent. */
static void put_joint(const export_job *j, const cdn_model_joint *joint, FILE *q_file, FILE *u_file) {
  const double *q = cdn_body_q(j->shown.state, joint->mobilized), *u = cdn_body_u(j->shown.state, joint->mobilized);
  double p[7], v[6];
  char text[CDN_NUMBER_SIZE];
  memcpy(p, q, (size_t)joint->nq * sizeof *p);
  memcpy(v, u, (size_t)joint->nu * sizeof *v);
  if (joint->nq == 7) memcpy(p, q + 4, 3 * sizeof *p), memcpy(p + 3, q, 4 * sizeof *p);
  if (joint->nq != joint->nu) {
    const cdn_rotation R = cdn_rotation_from_quaternion((cdn_quaternion){ q[0], q[1], q[2], q[3] });
    const cdn_vec3 w = cdn_rotate_inv(R, cdn_v3(u[0], u[1], u[2]));
    double *to = joint->nu == 6 ? v + 3 : v;
    if (joint->nu == 6) memcpy(v, u + 3, 3 * sizeof *v);
    to[0] = w.x, to[1] = w.y, to[2] = w.z;
  }
  for (int k = 0; k < joint->nq; k++) fprintf(q_file, " %s", cdn_number_text(p[k], text));
  for (int k = 0; k < joint->nu; k++) fprintf(u_file, " %s", cdn_number_text(v[k], text));
}

static int write_keyframe(export_job *j, double time) {
  if (ends_in(j->a->model.path, ".urdf")) {
    complain("-o %s: keyframes are MJCF's, and %s is a URDF: export .csv or .glb", j->a->output, j->a->model.path);
    return CMD_USAGE;
  }
  if (played_show(&j->shown, time) != CDN_OK) return played_failed(&j->shown);
  FILE *file = fopen(j->a->output, "w"), *speeds = tmpfile();
  if (!file || !speeds) {
    complain("%s: could not be written", j->a->output);
    if (file) fclose(file);
    if (speeds) fclose(speeds);
    return CMD_OUTPUT;
  }
  char text[CDN_NUMBER_SIZE];
  fprintf(file, "<mujoco>\n  <keyframe>\n    <key name=\"exported\" time=\"%s\" qpos=\"",
          cdn_number_text(cdn_state_time(j->shown.state), text));
  for (int i = 0; i < cdn_spec_count(cdn_model_spec(j->shown.model), CDN_SPEC_JOINT); i++) {
    cdn_spec_joint joint;
    if (cdn_spec_get_joint(cdn_model_spec(j->shown.model), i, &joint) != CDN_OK) continue;
    const int k = joint.name ? cdn_model_find_joint(j->shown.model, joint.name) : -1;
    if (k < 0) continue;
    const cdn_model_joint moved = cdn_model_get_joint(j->shown.model, k);
    put_joint(j, &moved, file, speeds);
  }
  fputs("\"\n         qvel=\"", file);
  rewind(speeds);
  for (int c; (c = fgetc(speeds)) != EOF;) fputc(c, file);
  fclose(speeds);
  fputs("\"/>\n  </keyframe>\n</mujoco>\n", file);
  return finish_output(file, j->a->output) ? CMD_OK : CMD_OUTPUT;
}

/* ---- the command --------------------------------------------------------------------------- */

static int export(export_job *j) {
  const export_arguments *a = j->a;
  double time;
  const int code = played_open(&j->shown, &a->model, a->runs.n > 0 ? a->runs.item[0] : NULL, 0);
  if (code != CMD_OK) return code;
  if (!played_time(&j->shown, a->time, &time)) return CMD_USAGE;
  return ends_in(a->output, ".glb")   ? write_gltf(j)
         : ends_in(a->output, ".xml") ? write_keyframe(j, time)
                                      : write_poses(j);
}

static bool is_table(const char *path) {
  static const char *const endings[] = { ".csv", ".h5", ".hdf5", ".npz", ".sto", ".mot" };
  for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
    if (ends_in(path, endings[i])) return true;
  return false;
}

static bool makes_sense(const export_arguments *a) {
  if (!a->output) complain("which file? Name it with -o: it ends in .glb, .xml, .csv, .h5, .npz or .sto");
  else if (!ends_in(a->output, ".glb") && !ends_in(a->output, ".xml") && !is_table(a->output))
    complain("-o %s: the name must end in .glb, .xml, .csv, .h5, .npz or .sto", a->output);
  else if (is_topology(a->model.path))
    complain("%s is the topology of a molecule, which is drawn ('cardan render', 'cardan view') and not exported",
             visible(a->model.path));
  else if (a->runs.n > 1) complain("export writes one run, and %d are named", a->runs.n);
  else if (a->time && (a->runs.n == 0 || !ends_in(a->output, ".xml")))
    complain("--time is a time of a run, for a keyframe (.xml)");
  else if (strcmp(a->output, a->model.path) == 0 || (a->runs.n == 1 && strcmp(a->output, a->runs.item[0]) == 0))
    complain("%s is an input and would be overwritten; choose another output file", a->output);
  else return true;
  return false;
}

int command_export(int argc, char **argv) {
  export_arguments a = { .fps = 30 };
  const option table[] = {
    { "run", 0, OPTION_OPERANDS, &a.runs, NULL, NULL },
    { "output", 'o', OPTION_TEXT, &a.output, "FILE", "the file: .glb, .xml, or a table .csv, .h5, .npz, .sto" },
    { "fps", 0, OPTION_POSITIVE, &a.fps, "N", "frames a second of a run (default: 30)" },
    { "time", 0, OPTION_TEXT, &a.time, "T", "of a keyframe: the time of the run, s (default: the end)" },
    { "key", 0, OPTION_TEXT, &a.model.key, "NAME", "start from this keyframe" },
    { "state", 0, OPTION_TEXT, &a.model.state, "FILE", "start from this JSON file" },
    MODEL_OPTIONS(a.model),
  };
  int code = options_parse(&page, table, sizeof table / sizeof *table, argc, argv, &a.model.path);
  if (code != OPTIONS_GO) return code;
  if (!makes_sense(&a)) return CMD_USAGE;
  export_job j = { .a = &a };
  code = export(&j);
  if (code == CMD_OK && !a.model.quiet) printf("%s\n", a.output);
  played_close(&j.shown);
  return code;
}
