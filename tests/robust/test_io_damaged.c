/* Damaged files and exhausted memory: whatever comes in, a model or a message with its line comes out, and nothing is
 * read out of bounds or left behind (run this under the address sanitizer, too). */
#include "testing.h"

#include <ctype.h>
#include <stdio.h>

static const char urdf[] =
    "<?xml version='1.0'?>\n"
    "<robot name='arm'>\n"
    "  <material name='grey'/>\n"
    "  <link name='base'><inertial><origin xyz='0 0 0.1'/><mass value='4'/>\n"
    "    <inertia ixx='0.02' ixy='0' ixz='0' iyy='0.02' iyz='0' izz='0.03'/></inertial></link>\n"
    "  <joint name='turn' type='continuous'><parent link='base'/><child link='upper'/>\n"
    "    <origin xyz='0 0 0.2' rpy='0.1 0.2 0.3'/><axis xyz='0 0.6 0.8'/><dynamics damping='0.1'/>\n"
    "    <mimic joint='slide' multiplier='2' offset='0.1'/></joint>\n"
    "  <link name='upper'><inertial><mass value='1'/><inertia ixx='0.01' iyy='0.01' izz='0.01'/></inertial>\n"
    "    <collision/><collision name='c'><origin xyz='0 0 0.1'/><geometry><box size='0.1 0.2 0.3'/></geometry></collision>"
    "<collision name='c'><geometry><cylinder radius='0.1' length='0.3'/></geometry></collision></link>\n"
    "  <joint name='slide' type='prismatic'><parent link='upper'/><child link='tool'/><axis xyz='1 0 0'/>\n"
    "    <limit lower='-0.1' upper='0.2' effort='1' velocity='1'/></joint>\n"
    "  <link name='tool'><inertial><mass value='0.5'/><inertia ixx='0.01' iyy='0.01' izz='0.01'/></inertial>"
    "<collision><geometry><mesh filename='package://arm/none.stl' scale='1 2 3'/></geometry></collision></link>\n"
    "  <transmission name='t'><type>transmission_interface/SimpleTransmission</type><joint name='slide'>"
    "<hardwareInterface>hardware_interface/EffortJointInterface</hardwareInterface></joint>"
    "<actuator name='m'><mechanicalReduction>3</mechanicalReduction></actuator></transmission>\n"
    "  <joint name='mount' type='fixed'><parent link='tool'/><child link='tip'/><origin xyz='0.1 0 0'/></joint>\n"
    "  <link name='tip'><collision><geometry><sphere radius='0.3'/></geometry></collision><inertial><mass value='0.1'/><inertia ixx='0.01' iyy='0.01' izz='0.01'/></inertial></link>\n"
    "  <joint name='fly' type='floating'><parent link='base'/><child link='bird'/></joint>\n"
    "  <link name='bird'><inertial><mass value='0.1'/><inertia ixx='0.01' iyy='0.01' izz='0.01'/></inertial></link>\n"
    "</robot>\n";

static const char mjcf[] =
    "<mujoco model='arm'>\n"
    "  <compiler angle='degree' eulerseq='xyz'/>\n"
    "  <option gravity='0 0 -9.81' timestep='0.002'/>\n"
    "  <default><joint damping='0.1'/><default class='soft'><joint stiffness='2' springref='10'/>"
    "<general gear='2' ctrllimited='true'/></default></default>\n"
    "  <asset><mesh name='m' vertex='0 0 0 1 0 0 0 1 0 0 0 1' refpos='0.1 0 0' refquat='1 0.1 0 0'/>"
    "<mesh name='n' file='none.stl'/><hfield name='h' nrow='2' ncol='3' elevation='1 2 3 4 5 6' size='1 2 0.3 0.1'/></asset>\n"
    "  <worldbody><geom name='floor' type='plane' size='1 1 1' friction='0.3' condim='6' priority='1'/>"
    "<geom type='hfield' hfield='h' contype='2' margin='0.1' gap='0.1'/>\n"
    "    <body name='base' pos='0 0 1' euler='10 20 30' childclass='soft'>\n"
    "      <freejoint name='root'/>\n"
    "      <geom name='box' type='box' size='0.1 0.2 0.3' density='500'/><geom type='mesh' mesh='m' mass='0'/>"
    "<geom type='mesh' mesh='n' mass='0'/>\n"
    "      <frame pos='0.1 0 0'><body name='arm' quat='1 0.1 0 0'>\n"
    "        <joint name='x' type='hinge' axis='1 0 0' limited='true' range='-30 60' armature='0.01'/>\n"
    "        <joint name='y' type='slide' axis='0 1 0' ref='0.1' class='soft'/>\n"
    "        <inertial pos='0 0 0.1' mass='2' diaginertia='0.1 0.2 0.25'/><site name='tip' pos='0 0 1'/>\n"
    "        <body name='hand'><joint name='wrist' type='ball' range='0 40' limited='true'/>\n"
    "          <geom name='pill' type='capsule' condim='4' fromto='0 0 0 0 0 0.3' size='0.05' mass='1'/></body>\n"
    "      </body></frame>\n"
    "    </body>\n"
    "  </worldbody>\n"
    "  <actuator><motor joint='x'/><position class='soft' name='p' joint='y' kp='3' ctrlrange='-1 2'/>\n"
    "    <general site='tip' dyntype='filter' dynprm='0.1' biastype='affine' biasprm='1 2 3' forcerange='-3 4'/>\n"
    "    <velocity jointinparent='wrist' kv='2' gear='1 2 3'/><motor joint='root' gear='0 0 1'/>\n"
    "    <intvelocity joint='y' actrange='-1 1'/><damper joint='x' ctrlrange='0 1' kv='1'/></actuator>\n"
    "  <contact><exclude name='no' body1='base' body2='hand'/><exclude body1='world' body2='arm'/>"
    "<pair geom1='pill' geom2='floor' condim='4' friction='0.1 0.1 0.2 0.3 0.3'/></contact>\n"
    "  <equality><connect name='pin' body1='hand' body2='base' anchor='0.1 0 0.2'/>\n"
    "    <weld body1='hand' relpose='0 0 1 0.6 0 0.8 0' active='false'/>\n"
    "    <joint joint1='x' joint2='y' polycoef='0.1 2 0 0 -1'/></equality>\n"
    "  <sensor><jointpos joint='x' cutoff='1'/><framequat objtype='xbody' objname='hand' reftype='site' refname='tip'/>\n"
    "    <accelerometer name='acc' site='tip'/><subtreeangmom body='base'/><magnetometer site='tip'/></sensor>\n"
    "  <keyframe><key name='home' qpos='0 0 1 1 0 0 0 0.1 0.2 1 0 0 0' time='1'"
    " ctrl='1 2 3 4 5 6 7' act='0.1 0.2'/></keyframe>\n"
    "</mujoco>\n";

/* A file that attaches itself and another one, which is given as "attached.xml"; that attaches itself, too. */
static const char attaching[] =
    "<mujoco model='main'><asset><model name='sub' file='attached.xml'/></asset><worldbody>\n"
    "<body name='base' pos='0 0 1'><joint name='base' axis='0 1 0'/><geom size='0.1'/>\n"
    "<frame pos='0.2 0 0' euler='10 20 30'><attach model='sub' prefix='w_'/></frame></body>\n"
    "<replicate count='2' offset='0 1 0' sep='-'><attach model='sub' body='arm' prefix='a_'/></replicate>\n"
    "<frame name='f' pos='3 0 0'><attach model='sub' frame='end' prefix='f_'/></frame>\n"
    "<attach frame='f' prefix='g_'/><attach model='sub' body='b_arm' prefix='h_'/></worldbody>\n"
    "<actuator><motor joint='w_arm'/><motor joint='a_arm'/></actuator>"
    "<sensor><framepos objtype='site' objname='f_tip'/></sensor>"
    "<keyframe><key name='home' qpos='1 2 3 4 5'/></keyframe></mujoco>\n";
static const char attached[] =
    "<mujoco model='sub'><compiler angle='radian'/><default><geom density='9'/><default class='c'><joint damping='1'/>"
    "</default></default><asset><mesh name='m' vertex='0 0 0 1 0 0 0 1 0 0 0 1'/></asset><worldbody>\n"
    "<geom name='floor' size='0.3'/><site name='eye' pos='0 0 1'/>\n"
    "<body name='arm' pos='0 1 0' childclass='c'><joint name='arm' axis='1 0 0'/><geom type='mesh' mesh='m'/>\n"
    "<frame name='end' pos='0 0 1' euler='0 1 0'><site name='tip'/><geom name='cap' size='0.2'/>"
    "<body><joint/><joint type='slide'/><geom size='0.1'/></body></frame></body>\n"
    "<frame pos='5 0 0'><attach body='arm' prefix='b_'/></frame></worldbody>\n"
    "<contact><exclude body1='arm' body2='world'/></contact>\n"
    "<equality><connect body1='arm' anchor='0 0 1'/><weld site1='tip' site2='eye' active='false'/></equality>\n"
    "<tendon><spatial name='cord'><site site='tip'/><site site='eye'/></spatial></tendon>\n"
    "<actuator><motor name='m' site='tip' refsite='eye' gear='1 2 3 0 0 0'/><motor tendon='cord'/></actuator>\n"
    "<sensor><framepos objtype='geom' objname='cap'/><clock/></sensor>\n"
    "<keyframe><key name='k' qpos='1 2 3' ctrl='1 2'/></keyframe></mujoco>\n";

/* What "attached.xml" is. */
typedef struct given {
  const char *bytes;
  size_t size;
} given;
static given other = { attached, sizeof attached - 1 };

static cdn_status give_other(void *user, const char *path, const void **bytes, size_t *size) {
  const given *t = user;
  if (strcmp(path, "attached.xml") != 0) return CDN_ERR_FILE;
  *bytes = t->bytes, *size = t->size;
  return CDN_OK;
}

/* "name:line: text", the line a positive number. */
static void check_message(const char *text) {
  const char *name = strncmp(text, "attached", 8) == 0 ? "attached.xml:" : "damaged.xml:";
  ck_assert_msg(strncmp(text, name, strlen(name)) == 0, "no file in '%s'", text);
  ck_assert_msg(text[strlen(name)] >= '1' && text[strlen(name)] <= '9', "no line in '%s'", text);
  const char *end = text + strlen(name);
  while (isdigit((unsigned char)*end)) end++;
  ck_assert_msg(end[0] == ':' && end[1] == ' ' && end[2], "no text in '%s'", text);
}

/* What was read must also bear being looked at; whether it has dynamics is another matter. */
static void use(cdn_model *model) {
  cdn_state *state;
  OK(cdn_state_create(cdn_model_system(model), &state));
  cdn_status status = cdn_realize(state, CDN_STAGE_ACCELERATION);
  (void)status;
  for (int i = 0; i < cdn_system_measure_count(cdn_model_system(model)); i++)
    (void)cdn_measure_value(state, (cdn_measure){ i });
  for (int i = 0; i < cdn_model_key_count(model); i++) {
    status = cdn_model_set_key(model, cdn_model_key_name(model, i), state);
    (void)status;
  }
  cdn_state_destroy(state);
}

/* True if it loaded. The text is on the heap at its exact size, so that the sanitizer sees a step too far. */
static bool load(const char *text, size_t size) {
  char *copy = malloc(size ? size : 1);
  memcpy(copy, text, size);
  cdn_model *model = NULL;
  cdn_model_options options = cdn_default_model_options();
  options.contact = CDN_MODEL_COMPLIANT;
  options.read_file = give_other, options.read_file_user = &other;
  const cdn_status status = cdn_model_load_string(copy, size, "damaged.xml", &options, &model);
  free(copy);
  ck_assert_ptr_nonnull(model);
  if (status == CDN_OK) {
    use(model);
  } else {
    cdn_error error;
    cdn_model_last_error(model, &error);
    ck_assert_int_eq(error.code, status);
    check_message(error.text);
  }
  for (int i = 0; i < cdn_model_warning_count(model); i++) check_message(cdn_model_warning(model, i));
  cdn_model_destroy(model);
  return status == CDN_OK;
}

/* Good numbers for a test: a linear congruential generator (Knuth's multiplier). */
static uint64_t seed = 20240229;
static unsigned draw(unsigned n) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (unsigned)(seed >> 33) % n;
}

static void cut_everywhere(const char *text, size_t size) {
  ck_assert(load(text, size));
  /* Without its last line's end it is whole; without more it is not. */
  for (size_t n = 0; n + 1 < size; n++) ck_assert_msg(!load(text, n), "cut at %zu it was accepted", n);
}

static void flip_bytes(const char *text, size_t size, int times) {
  char *copy = malloc(size);
  for (int i = 0; i < times; i++) {
    memcpy(copy, text, size);
    const unsigned flips = 1 + draw(3);
    for (unsigned k = 0; k < flips; k++) copy[draw((unsigned)size)] = (char)draw(256);
    load(copy, size);
  }
  free(copy);
}

/* Numbers and names are where damage is not caught by XML: put odd characters into attribute values only. */
static void change_values(const char *text, size_t size, int times) {
  static const char odd[] = "0123456789+-.eE xyz";
  char *copy = malloc(size);
  for (int i = 0; i < times; i++) {
    memcpy(copy, text, size);
    for (unsigned k = 0; k < 2; k++) {
      size_t at = draw((unsigned)size);
      while (at < size && !(isdigit((unsigned char)copy[at]) || copy[at] == '-')) at++;
      if (at < size) copy[at] = odd[draw(sizeof odd - 1)];
    }
    load(copy, size);
  }
  free(copy);
}

START_TEST(test_urdf_cut_short) { cut_everywhere(urdf, sizeof urdf - 1); }
END_TEST
START_TEST(test_mjcf_cut_short) { cut_everywhere(mjcf, sizeof mjcf - 1); }
END_TEST
START_TEST(test_urdf_flipped) {
  flip_bytes(urdf, sizeof urdf - 1, 2000);
  change_values(urdf, sizeof urdf - 1, 2000);
}
END_TEST
START_TEST(test_mjcf_flipped) {
  flip_bytes(mjcf, sizeof mjcf - 1, 2000);
  change_values(mjcf, sizeof mjcf - 1, 2000);
}
END_TEST

/* The one file or the other. */
static void damage_other(unsigned flips, const char *odd, size_t n_odd) {
  char *copy = malloc(sizeof attached);
  memcpy(copy, attached, sizeof attached);
  for (unsigned k = 0; k < flips; k++)
    copy[draw(sizeof attached - 1)] = odd ? odd[draw((unsigned)n_odd)] : (char)draw(256);
  other = (given){ copy, sizeof attached - 1 };
  load(attaching, sizeof attaching - 1);
  other = (given){ attached, sizeof attached - 1 };
  free(copy);
}

START_TEST(test_attaching_flipped) {
  static const char odd[] = "0123456789_abcdefgmprtuwxyz'/<>";
  ck_assert(load(attaching, sizeof attaching - 1));
  flip_bytes(attaching, sizeof attaching - 1, 300);
  change_values(attaching, sizeof attaching - 1, 300);
  for (int i = 0; i < 600; i++) damage_other(1 + draw(2), i % 2 ? odd : NULL, sizeof odd - 1);
  for (size_t n = 0; n + 1 < sizeof attached - 1; n += 17) {
    other = (given){ attached, n };
    ck_assert_msg(!load(attaching, sizeof attaching - 1), "cut at %zu it was accepted", n);
  }
  other = (given){ attached, sizeof attached - 1 };
}
END_TEST

START_TEST(test_garbage) {
  char noise[600];
  for (int i = 0; i < 500; i++) {
    const size_t size = 1 + draw(sizeof noise);
    for (size_t k = 0; k < size; k++) noise[k] = (char)draw(256);
    ck_assert(!load(noise, size));
  }
}
END_TEST

/* Elements nested far deeper than any model: refused or read, but with no stack of calls to match. */
static void nest(const char *before, const char *open, const char *close, const char *after, int depth) {
  const size_t size = strlen(before) + strlen(after) + (size_t)depth * (strlen(open) + strlen(close)) + 1;
  char *text = malloc(size), *end = text;
  ck_assert_ptr_nonnull(text);
  end += sprintf(end, "%s", before);
  for (int i = 0; i < depth; i++) end += sprintf(end, "%s", open);
  for (int i = 0; i < depth; i++) end += sprintf(end, "%s", close);
  end += sprintf(end, "%s", after);
  load(text, (size_t)(end - text));
  free(text);
}

START_TEST(test_deep_nesting) {
  nest("<robot name='r'><link name='a'/>", "<x>", "</x>", "</robot>", 100000);
  nest("<mujoco><worldbody>", "<frame>", "</frame>", "</worldbody></mujoco>", 5000);
  nest("<mujoco><worldbody>", "<body><joint/><geom size='1'/>", "</body>", "</worldbody></mujoco>", 2000);
  nest("<mujoco>", "<default class='a'>", "</default>", "</mujoco>", 5000);
}
END_TEST

/* ---- memory ---- */

/* Hands out memory until `left` runs out, and counts what is not given back. */
typedef struct purse {
  long left, out;
} purse;

static void *take(void *context, size_t size, size_t align) {
  purse *p = context;
  if (p->left-- <= 0) return NULL;
  void *memory = aligned_alloc(align, (size + align - 1) / align * align);
  if (memory) p->out++;
  return memory;
}

static void give(void *context, void *memory, size_t size) {
  (void)size;
  ((purse *)context)->out--;
  free(memory);
}

static void run_out(const char *text, size_t size) {
  for (long allowed = 0;; allowed++) {
    purse p = { allowed, 0 };
    cdn_model_options options = cdn_default_model_options();
    options.allocator = (cdn_allocator){ take, give, &p };
    options.read_file = give_other, options.read_file_user = &other;
    options.contact = CDN_MODEL_COMPLIANT;
    cdn_model *model = NULL;
    const cdn_status status = cdn_model_load_string(text, size, "damaged.xml", &options, &model);
    cdn_error error;
    cdn_model_last_error(model, &error);
    ck_assert_msg(status == CDN_OK || status == CDN_ERR_NOMEM, "%s when allocation %ld fails: %s",
                  cdn_status_name(status), allowed, error.text);
    ck_assert((status == CDN_OK) == (cdn_model_system(model) != NULL));
    cdn_model_destroy(model);
    ck_assert_msg(p.out == 0, "%ld blocks of memory are lost when allocation %ld fails", p.out, allowed);
    if (status == CDN_OK) break;
  }
}

START_TEST(test_memory_runs_out) {
  run_out(urdf, sizeof urdf - 1);
  run_out(mjcf, sizeof mjcf - 1);
  run_out(attaching, sizeof attaching - 1);
}
END_TEST

CHECK_MAIN("io_damaged", test_urdf_cut_short, test_mjcf_cut_short, test_urdf_flipped, test_mjcf_flipped,
           test_attaching_flipped, test_garbage, test_deep_nesting, test_memory_runs_out)
