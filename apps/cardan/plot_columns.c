/* Kinds and units of a trajectory's columns, from their names ("joint.slot", energies, measures as "name" or
 * "name[0]", "name[1]", ..., the step size) and, if a name does not tell, from the model. */
#include "plot.h"

#include <stdlib.h>
#include <string.h>

/* ---- names --------------------------------------------------------------------------------- */

const char *slot_of(const char *column) {
  const char *dot = strrchr(column, '.'), *bracket = strchr(column, '[');
  return dot ? dot + 1 : bracket ? bracket : "";
}

size_t joint_length(const char *column) {
  const char *slot = slot_of(column);
  if (!slot[0]) return strlen(column);
  const size_t n = (size_t)(slot - column);
  return n > 0 && column[n - 1] == '.' ? n - 1 : n;
}

/* ---- kinds --------------------------------------------------------------------------------- */

static bool is_speed_slot(const char *slot) {
  return (slot[0] && strchr("uvw", slot[0])) || strcmp(slot, "bend") == 0 || strcmp(slot, "stretch") == 0;
}

/* Measures come after the energies. */
static column_kind kind_of(const char *name, bool after_energies) {
  if (strcmp(name, "kinetic_energy") == 0 || strcmp(name, "potential_energy") == 0) return ENERGY;
  if (strcmp(name, "step_size") == 0) return STEP_SIZE;
  if (after_energies) return MEASURE;
  return is_speed_slot(slot_of(name)) ? SPEED : COORDINATE;
}

/* ---- units --------------------------------------------------------------------------------- */

/* The unit of a slot, if its name tells; else "". */
static const char *unit_of_slot(const char *slot) {
  static const struct {
    const char *slot, *unit;
  } known[] = { { "qw", "quaternion" }, { "qx", "quaternion" }, { "qy", "quaternion" }, { "qz", "quaternion" },
                { "ax", "rad" },        { "ay", "rad" },        { "az", "rad" },        { "angle", "rad" },
                { "azimuth", "rad" },   { "zenith", "rad" },    { "px", "m" },          { "py", "m" },
                { "pz", "m" },          { "length", "m" },      { "radius", "m" },      { "wx", "rad/s" },
                { "wy", "rad/s" },      { "wz", "rad/s" },      { "ux", "rad/s" },      { "uy", "rad/s" },
                { "uz", "rad/s" },      { "ua", "rad/s" },      { "bend", "rad/s" },    { "vx", "m/s" },
                { "vy", "m/s" },        { "vz", "m/s" },        { "ur", "m/s" },        { "stretch", "m/s" },
                { "q", "rad or m" },    { "u", "rad/s or m/s" } };
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    if (strcmp(slot, known[i].slot) == 0) return known[i].unit;
  }
  return "";
}

/* Tables of `cardan md` (docs/command_md.md) begin with energies of bonds; coordinates of bonds are of two atoms. */
static bool is_of_molecule(const table *t) {
  return t->columns > 2 && strcmp(t->name[1], "stretch") == 0 && strcmp(t->name[2], "bend") == 0;
}

static const char *unit_in_molecule(const char *name) {
  const bool of_bond = strchr(name, ':');
  if (strcmp(name, "temperature") == 0) return "K";
  if (!of_bond) return "kJ/mol";
  return strcmp(slot_of(name), "length") == 0 ? "nm" : strlen(slot_of(name)) == 1 ? "" : "rad";
}

void describe_columns(table *t) {
  t->meaning = allocate((size_t)t->columns, sizeof *t->meaning);
  t->time_unit = is_of_molecule(t) ? "ps" : "s";
  for (int i = 1; i < t->columns && is_of_molecule(t); i++)
    t->meaning[i] = (column_meaning){ COORDINATE, unit_in_molecule(t->name[i]) };
  if (is_of_molecule(t)) return;
  bool after_energies = false;
  for (int i = 1; i < t->columns; i++) {
    const char *name = t->name[i];
    const column_kind kind = kind_of(name, after_energies);
    const char *unit = kind == ENERGY      ? "J"
                       : kind == STEP_SIZE ? "s"
                       : kind == MEASURE   ? ""
                                           : unit_of_slot(slot_of(name));
    t->meaning[i] = (column_meaning){ kind, unit };
    after_energies = after_energies || strcmp(name, "potential_energy") == 0;
  }
}

/* ---- units by the model ---------------------------------------------------------------------- */

typedef struct joint_unit {
  const char *joint;
  bool angular;
} joint_unit;

static int compare_joints(const void *a, const void *b) {
  return strcmp(((const joint_unit *)a)->joint, ((const joint_unit *)b)->joint);
}

/* Joints of one coordinate, sorted by name; their number goes to *n. */
static joint_unit *list_joints(const cdn_model *model, int *n) {
  joint_unit *joints = allocate((size_t)cdn_model_joint_count(model), sizeof *joints);
  *n = 0;
  for (int i = 0; i < cdn_model_joint_count(model); i++) {
    const cdn_model_joint joint = cdn_model_get_joint(model, i);
    if (joint.nq == 1) joints[(*n)++] = (joint_unit){ joint.name, strcmp(joint.units, "rad") == 0 };
  }
  qsort(joints, (size_t)*n, sizeof *joints, compare_joints);
  return joints;
}

int units_from_model(table *t, const char *path) {
  const model_arguments arguments = { .path = path, .quiet = true };
  cdn_model *model;
  const int code = load_model(&arguments, &model);
  if (code != CMD_OK) return code;
  int n, found = 0;
  joint_unit *joints = list_joints(model, &n);
  for (int i = 1; i < t->columns; i++) {
    char *name = t->name[i];
    column_meaning *c = &t->meaning[i];
    if (strcmp(c->unit, "rad or m") != 0 && strcmp(c->unit, "rad/s or m/s") != 0) continue;
    const size_t length = joint_length(name);
    name[length] = 0; // the dot, for a moment
    const joint_unit *joint =
        bsearch(&(joint_unit){ .joint = name }, joints, (size_t)n, sizeof *joints, compare_joints);
    name[length] = '.';
    if (!joint) continue;
    c->unit = c->kind == SPEED ? (joint->angular ? "rad/s" : "m/s") : joint->angular ? "rad" : "m";
    found++;
  }
  if (found == 0 && n > 0) complain("%s: has none of the joints of one coordinate that the trajectory has", path);
  free(joints);
  cdn_model_destroy(model);
  return found == 0 && n > 0 ? CMD_USAGE : CMD_OK;
}
