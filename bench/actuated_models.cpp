// Models with actuators, tendons, sensors and media.
#include "actuated_models.h"

#include <cmath>
#include <cstdio>
#include <vector>

namespace bench {

namespace {

template <typename... Arguments> std::string text(const char *format, Arguments... arguments) {
  char line[600];
  std::snprintf(line, sizeof line, format, arguments...);
  return line;
}

// ---- the leg ----

// Places are in the frame of a body, at its joint; z is up, x forward. An obstacle is passed on the side of a site.
struct Place {
  int body; // 0 pelvis, 1 thigh, 2 shank, 3 foot
  double x, y, z;
};

struct Muscle {
  const char *name;
  std::vector<Place> through;
  std::vector<const char *> around; // behind each place but the last: an obstacle and its side, or nothing
  double force;                     // N
};

const char *const HIP = "<geom geom='hip'/>", *const OUTSIDE = "<geom geom='hip' sidesite='hip_outside'/>";
const char *const KNEE_FRONT = "<geom geom='knee' sidesite='knee_front'/>";
const char *const KNEE_BACK = "<geom geom='knee' sidesite='knee_back'/>";
const char *const ANKLE_FRONT = "<geom geom='ankle' sidesite='ankle_front'/>";
const char *const ANKLE_BACK = "<geom geom='ankle' sidesite='ankle_back'/>";

const Muscle muscles[] = {
  { "glut_max1", { { 0, -0.08, 0.02, 0.05 }, { 1, -0.02, 0.02, -0.10 } }, { HIP }, 570 },
  { "glut_max2", { { 0, -0.09, 0.00, 0.02 }, { 1, -0.02, 0.02, -0.13 } }, { HIP }, 830 },
  { "glut_max3", { { 0, -0.09, -0.02, -0.02 }, { 1, -0.01, 0.02, -0.17 } }, { HIP }, 550 },
  { "glut_med1", { { 0, 0.03, 0.05, 0.08 }, { 1, 0.00, 0.06, -0.04 } }, { OUTSIDE }, 820 },
  { "glut_med2", { { 0, 0.00, 0.05, 0.09 }, { 1, 0.00, 0.06, -0.04 } }, { OUTSIDE }, 570 },
  { "glut_med3", { { 0, -0.04, 0.04, 0.08 }, { 1, 0.00, 0.06, -0.04 } }, { OUTSIDE }, 650 },
  { "add_long", { { 0, 0.03, -0.07, -0.05 }, { 1, 0.00, -0.01, -0.20 } }, { "" }, 630 },
  { "add_brev", { { 0, 0.01, -0.07, -0.06 }, { 1, 0.00, -0.01, -0.12 } }, { "" }, 430 },
  { "add_mag", { { 0, -0.03, -0.06, -0.08 }, { 1, 0.00, -0.02, -0.35 } }, { "" }, 1200 },
  { "iliacus", { { 0, 0.03, 0.02, 0.06 }, { 0, 0.05, -0.01, 0.00 }, { 1, 0.00, -0.01, -0.07 } }, { "", HIP }, 1070 },
  { "psoas", { { 0, 0.00, -0.03, 0.12 }, { 0, 0.05, -0.02, 0.00 }, { 1, 0.00, -0.02, -0.06 } }, { "", HIP }, 1110 },
  { "rect_fem",
    { { 0, 0.06, 0.00, 0.02 }, { 1, 0.05, 0.00, -0.32 }, { 2, 0.04, 0.00, -0.07 } },
    { HIP, KNEE_FRONT },
    1170 },
  { "vas_med",
    { { 1, 0.03, -0.03, -0.20 }, { 1, 0.04, -0.02, -0.33 }, { 2, 0.04, -0.01, -0.07 } },
    { "", KNEE_FRONT },
    1290 },
  { "vas_int",
    { { 1, 0.04, 0.00, -0.18 }, { 1, 0.05, 0.00, -0.30 }, { 2, 0.04, 0.00, -0.07 } },
    { "", KNEE_FRONT },
    1370 },
  { "vas_lat",
    { { 1, 0.03, 0.03, -0.19 }, { 1, 0.04, 0.02, -0.33 }, { 2, 0.04, 0.01, -0.07 } },
    { "", KNEE_FRONT },
    1870 },
  { "semimem", { { 0, -0.06, -0.02, -0.05 }, { 2, -0.03, -0.02, -0.06 } }, { KNEE_BACK }, 1290 },
  { "semiten", { { 0, -0.06, -0.01, -0.06 }, { 2, -0.02, -0.03, -0.08 } }, { KNEE_BACK }, 410 },
  { "bifem_lh", { { 0, -0.06, 0.01, -0.05 }, { 2, -0.03, 0.03, -0.06 } }, { KNEE_BACK }, 900 },
  { "bifem_sh", { { 1, -0.03, 0.01, -0.22 }, { 2, -0.03, 0.03, -0.06 } }, { KNEE_BACK }, 800 },
  { "gas_med",
    { { 1, -0.04, -0.02, -0.38 }, { 2, -0.04, -0.01, -0.16 }, { 3, -0.06, 0.00, -0.03 } },
    { KNEE_BACK, ANKLE_BACK },
    1560 },
  { "gas_lat",
    { { 1, -0.04, 0.02, -0.38 }, { 2, -0.04, 0.01, -0.16 }, { 3, -0.06, 0.00, -0.03 } },
    { KNEE_BACK, ANKLE_BACK },
    680 },
  { "soleus", { { 2, -0.03, 0.00, -0.15 }, { 3, -0.06, 0.00, -0.03 } }, { ANKLE_BACK }, 3550 },
  { "tib_ant",
    { { 2, 0.03, 0.00, -0.16 }, { 2, 0.04, -0.01, -0.37 }, { 3, 0.09, -0.02, -0.04 } },
    { "", ANKLE_FRONT },
    900 },
  { "per_long",
    { { 2, 0.00, 0.04, -0.16 }, { 2, -0.03, 0.04, -0.38 }, { 3, 0.03, 0.04, -0.06 } },
    { "", ANKLE_BACK },
    940 },
};

// Where a body's frame is as the leg hangs straight.
const double HEIGHT[] = { 0, 0, -0.42, -0.84 };

double distance(const Place &a, const Place &b) {
  return std::hypot(a.x - b.x, a.y - b.y, a.z + HEIGHT[a.body] - b.z - HEIGHT[b.body]);
}

std::string sites_on(int body) {
  std::string all;
  for (const Muscle &m : muscles)
    for (size_t i = 0; i < m.through.size(); i++)
      if (const Place &p = m.through[i]; p.body == body)
        all += text("<site name='%s%d' pos='%g %g %g'/>", m.name, static_cast<int>(i), p.x, p.y, p.z);
  return all;
}

std::string tendon_of(const Muscle &m) {
  std::string all = text("<spatial name='%s'>", m.name);
  for (size_t i = 0; i < m.through.size(); i++) {
    all += text("<site site='%s%d'/>", m.name, static_cast<int>(i));
    if (i < m.around.size()) all += m.around[i];
  }
  return all + "</spatial>";
}

// Its range of lengths is told: MuJoCo's compiler would look for it by simulating.
std::string actuator_of(const Muscle &m) {
  double length = 0;
  for (size_t i = 0; i + 1 < m.through.size(); i++) length += distance(m.through[i], m.through[i + 1]);
  return text("<muscle name='%s' tendon='%s' force='%g' lengthrange='%.4f %.4f' ctrllimited='true' ctrlrange='0 1'/>",
              m.name, m.name, m.force, 0.75 * length, 1.25 * length);
}

// ---- the quadruped ----

struct Corner {
  const char *name;
  int x, y;
};
const Corner corners[] = { { "fl", 1, 1 }, { "fr", 1, -1 }, { "hl", -1, 1 }, { "hr", -1, -1 } };

std::string quadruped_sensors() {
  std::string all =
      "<sensor><accelerometer site='imu'/><gyro site='imu'/><velocimeter site='imu'/><magnetometer site='imu'/>"
      "<framequat objtype='site' objname='imu'/><subtreecom body='trunk'/>";
  for (const Corner &c : corners) {
    for (const char *joint : { "roll", "hip", "knee" })
      all += text("<jointpos joint='%s_%s'/><jointvel joint='%s_%s'/><actuatorfrc actuator='%s_%s'/>", c.name, joint,
                  c.name, joint, c.name, joint);
    all += text("<touch site='%s_foot'/><framepos objtype='site' objname='%s_foot'/>", c.name, c.name);
  }
  return all + "</sensor>";
}

} // namespace

std::string leg_of_24_muscles() {
  std::string all = "<mujoco><compiler angle='degree'/><option timestep='0.002'/><size njmax='200' nconmax='10'/>"
                    "<default><joint type='hinge' limited='true' damping='1' armature='0.01'/>"
                    "<geom contype='0' conaffinity='0' rgba='.8 .7 .6 1'/><site size='.005'/></default>"
                    "<worldbody><geom type='box' size='.06 .08 .06' pos='0 -.05 .08'/>"
                    "<geom name='hip' type='sphere' size='.03' mass='0'/><site name='hip_outside' pos='0 .08 0'/>" +
                    sites_on(0);
  all += "<body name='thigh'><joint name='flexion' axis='0 -1 0' range='-20 100'/><joint name='abduction' axis='1 0 0' "
         "range='-30 40'/><joint name='rotation' axis='0 0 1' range='-30 30'/>"
         "<geom type='capsule' fromto='0 0 -.05 0 0 -.38' size='.05' mass='8'/>"
         "<geom name='knee' type='cylinder' pos='0 0 -.42' euler='90 0 0' size='.03 .06' mass='0'/>"
         "<site name='knee_front' pos='.08 0 -.42'/><site name='knee_back' pos='-.08 0 -.42'/>" +
         sites_on(1);
  all += "<body name='shank' pos='0 0 -.42'><joint name='knee' axis='0 1 0' range='0 120'/>"
         "<geom type='capsule' fromto='0 0 -.05 0 0 -.38' size='.04' mass='3.5'/>"
         "<geom name='ankle' type='cylinder' pos='0 0 -.42' euler='90 0 0' size='.025 .05' mass='0'/>"
         "<site name='ankle_front' pos='.08 0 -.42'/><site name='ankle_back' pos='-.08 0 -.42'/>" +
         sites_on(2);
  all += "<body name='foot' pos='0 0 -.42'><joint name='ankle' axis='0 -1 0' range='-40 30'/><joint name='inversion' "
         "axis='1 0 0' range='-20 20'/><geom type='box' size='.1 .04 .02' pos='.05 0 -.05' mass='1'/>" +
         sites_on(3);
  all +=
      "<body name='toes' pos='.14 0 -.05'><joint name='toes' axis='0 -1 0' range='-30 30' stiffness='2'/>"
      "<geom type='box' size='.03 .04 .015' pos='.03 0 0' mass='.2'/></body></body></body></body></worldbody><tendon>";
  for (const Muscle &m : muscles) all += tendon_of(m);
  all += "</tendon><actuator>";
  for (const Muscle &m : muscles) all += actuator_of(m);
  return all + "</actuator></mujoco>";
}

std::string quadruped(bool with_sensors) {
  std::string all =
      "<mujoco><compiler angle='degree'/><option timestep='0.002' solver='Newton'/><default><joint damping='1' "
      "armature='.01' limited='true'/><geom rgba='.6 .6 .7 1'/></default><worldbody><geom type='plane' size='0 0 1'/>"
      "<body name='trunk' pos='0 0 .36'><freejoint/><geom type='box' size='.22 .1 .06' mass='12' contype='0' "
      "conaffinity='0'/><site name='imu' pos='.05 0 .03'/>";
  for (const Corner &c : corners) {
    all += text("<body pos='%g %g 0'><joint name='%s_roll' axis='1 0 0' range='-40 40'/><geom type='sphere' size='.04' "
                "mass='.7' contype='0' conaffinity='0'/>",
                0.19 * c.x, 0.12 * c.y, c.name);
    all +=
        text("<body pos='0 %g 0'><joint name='%s_hip' axis='0 1 0' range='-60 90'/><geom type='capsule' fromto='0 0 0 "
             "-.06 0 -.17' size='.025' mass='1' contype='0' conaffinity='0'/>",
             0.06 * c.y, c.name);
    all += text(
        "<body pos='-.06 0 -.17'><joint name='%s_knee' axis='0 1 0' range='-60 60'/><geom type='capsule' fromto='0 "
        "0 0 .06 0 -.17' size='.018' mass='.2' contype='0' conaffinity='0'/><geom type='sphere' pos='.06 0 -.17' "
        "size='.022' mass='.05'/><site name='%s_foot' pos='.06 0 -.17' size='.03'/></body></body></body>",
        c.name, c.name);
  }
  all += "</body></worldbody><actuator>";
  for (const Corner &c : corners)
    for (const char *joint : { "roll", "hip", "knee" })
      all += text("<motor name='%s_%s' joint='%s_%s' gear='8' ctrllimited='true' ctrlrange='-1 1'/>", c.name, joint,
                  c.name, joint);
  return all + "</actuator>" + (with_sensors ? quadruped_sensors() : "") + "</mujoco>";
}

std::string swimmer(bool ellipsoids) {
  const int LINKS = 6;
  std::string all =
      text("<mujoco><option timestep='0.002' gravity='0 0 0' density='1000' viscosity='0.01' wind='.1 0 0'/>"
           "<default><geom type='ellipsoid' size='.1 .02 .05' density='1000' contype='0' conaffinity='0'%s/>"
           "<joint type='hinge' axis='0 0 1' limited='true' range='-80 80' damping='1e-3'/>"
           "<motor gear='.2' ctrllimited='true' ctrlrange='-1 1'/></default><worldbody>",
           ellipsoids ? " fluidshape='ellipsoid'" : "");
  std::string end;
  for (int i = 0; i < LINKS; i++) {
    if (i == 0) all += "<body><freejoint/><geom/>";
    else all += text("<body pos='%g 0 0'><joint name='j%d'/><geom pos='-.1 0 0'/>", i == 1 ? -0.1 : -0.2, i);
    end += "</body>";
  }
  all += end + "</worldbody><actuator>";
  for (int i = 1; i < LINKS; i++) all += text("<motor joint='j%d'/>", i);
  return all + "</actuator></mujoco>";
}

std::string thousand_bodies() {
  std::string all = "<mujoco><option timestep='0.002'/><default><joint type='hinge' damping='.1'/><geom type='capsule' "
                    "size='.02' contype='0' conaffinity='0'/></default><worldbody><body pos='0 0 2'><freejoint/><geom "
                    "type='box' size='1 1 .05'/>";
  for (int chain = 0; chain < 100; chain++) {
    for (int i = 0; i < 10; i++)
      all += i == 0
                 ? text("<body name='b%d_0' pos='%g %g 0'>", chain, 0.2 * (chain % 10) - 0.9, 0.2 * (chain / 10) - 0.9)
                 : text("<body name='b%d_%d' pos='0 0 -.1'>", chain, i),
          all +=
          text("<joint name='j%d_%d' axis='%d %d 0'/><geom fromto='0 0 0 0 0 -.1'/>", chain, i, i % 2, 1 - i % 2);
    for (int i = 0; i < 10; i++) all += "</body>";
  }
  return all + "</body></worldbody></mujoco>";
}

} // namespace bench
