// A tree as MJCF or URDF text, so that MuJoCo builds the same model.
#include "engine.h"

#include <cmath>
#include <cstdarg>
#include <cstdio>

namespace bench {

namespace {

void append(std::string *text, const char *format, ...) {
  char line[1024];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  *text += line;
}

cdn_transform pose_at_zero(const peers::Body &body) {
  return cdn_transform_multiply(body.X_PF, cdn_transform_invert(body.X_BM));
}

void append_inertia(std::string *text, const char *format, const cdn_inertia &I) {
  append(text, format, I.xx, I.yy, I.zz, I.xy, I.xz, I.yz);
}

// Writes body i and what hangs on it. A massless body is no element of its own: its hinges become the first joints of
// the body that follows it; `X` and `hinges` carry them along.
class Mjcf {
public:
  explicit Mjcf(const peers::Tree &t) : tree(t), children(t.bodies.size() + 1) {
    for (size_t i = 0; i < tree.bodies.size(); i++)
      children[static_cast<size_t>(tree.bodies[i].parent + 1)].push_back(static_cast<int>(i));
  }
  std::string write() {
    text = "<mujoco><compiler angle=\"radian\" inertiafromgeom=\"false\"/><worldbody>\n";
    for (int child : children[0]) body(child, cdn_transform_identity(), {});
    text += "</worldbody></mujoco>\n";
    return text;
  }

private:
  void body(int i, cdn_transform X, std::vector<int> joints) {
    const peers::Body &b = tree.bodies[static_cast<size_t>(i)];
    X = cdn_transform_multiply(X, pose_at_zero(b));
    joints.push_back(i);
    const std::vector<int> &next = children[static_cast<size_t>(i) + 1];
    if (b.mass.mass == 0 && next.size() == 1) {
      body(next[0], X, joints);
      return;
    }
    cdn_quaternion q = cdn_quaternion_from_rotation(X.R);
    append(&text, "<body name=\"l%d\" pos=\"%.17g %.17g %.17g\" quat=\"%.17g %.17g %.17g %.17g\">\n", i, X.p.x, X.p.y,
           X.p.z, q.w, q.x, q.y, q.z);
    // Anchors and axes as they stand at zero, in this body's frame: X_BM of the last, and so on inwards.
    std::vector<cdn_transform> frames(joints.size());
    cdn_transform X_to_joint_body = cdn_transform_identity();
    for (size_t k = joints.size(); k-- > 0;) {
      const peers::Body &moved = tree.bodies[static_cast<size_t>(joints[k])];
      frames[k] = cdn_transform_multiply(X_to_joint_body, moved.X_BM);
      X_to_joint_body = cdn_transform_multiply(X_to_joint_body, cdn_transform_invert(pose_at_zero(moved)));
    }
    for (size_t k = 0; k < joints.size(); k++) joint(tree.bodies[static_cast<size_t>(joints[k])].kind, frames[k]);
    append(&text, "<inertial pos=\"%.17g %.17g %.17g\" mass=\"%.17g\"", b.mass.com.x, b.mass.com.y, b.mass.com.z,
           b.mass.mass);
    append_inertia(&text, " fullinertia=\"%.17g %.17g %.17g %.17g %.17g %.17g\"/>\n", b.mass.inertia);
    for (int child : next) body(child, cdn_transform_identity(), {});
    text += "</body>\n";
  }

  void joint(cdn_mobilizer kind, const cdn_transform &M) {
    if (kind == CDN_FREE) text += "<freejoint/>\n";
    if (kind == CDN_PIN || kind == CDN_BALL)
      append(&text, "<joint type=\"%s\" pos=\"%.17g %.17g %.17g\" axis=\"%.17g %.17g %.17g\"/>\n",
             kind == CDN_PIN ? "hinge" : "ball", M.p.x, M.p.y, M.p.z, M.R.z.x, M.R.z.y, M.R.z.z);
  }

  const peers::Tree &tree;
  std::vector<std::vector<int>> children; // of body i - 1
  std::string text;
};

void append_origin(std::string *text, const cdn_transform &X) {
  // R = Rz(yaw) Ry(pitch) Rx(roll)
  double roll = std::atan2(X.R.y.z, X.R.z.z), yaw = std::atan2(X.R.x.y, X.R.x.x);
  double pitch = std::atan2(-X.R.x.z, std::hypot(X.R.x.x, X.R.x.y));
  append(text, "<origin xyz=\"%.17g %.17g %.17g\" rpy=\"%.17g %.17g %.17g\"/>", X.p.x, X.p.y, X.p.z, roll, pitch, yaw);
}

} // namespace

std::string tree_as_mjcf(const peers::Tree &tree) { return Mjcf(tree).write(); }

// A link's frame is its joint's, so that each link is the M frame of its body.
std::string tree_as_urdf(const peers::Tree &tree) {
  std::string text = "<robot name=\"tree\"><mujoco><compiler fusestatic=\"false\"/></mujoco>\n<link name=\"base\"/>\n";
  for (size_t i = 0; i < tree.bodies.size(); i++) {
    const peers::Body &b = tree.bodies[i];
    cdn_mass_properties mass = cdn_mass_properties_transform(cdn_transform_invert(b.X_BM), b.mass);
    append(&text, "<link name=\"l%zu\"><inertial>", i);
    append_origin(&text, { cdn_rotation_identity(), mass.com });
    append(&text, "<mass value=\"%.17g\"/>", mass.mass);
    append_inertia(&text,
                   "<inertia ixx=\"%.17g\" iyy=\"%.17g\" izz=\"%.17g\" ixy=\"%.17g\" ixz=\"%.17g\" iyz=\"%.17g\"/>",
                   mass.inertia);
    append(&text, "</inertial></link>\n<joint name=\"j%zu\" type=\"continuous\">", i);
    cdn_transform X = b.X_PF;
    if (b.parent >= 0)
      X = cdn_transform_multiply(cdn_transform_invert(tree.bodies[static_cast<size_t>(b.parent)].X_BM), X);
    append_origin(&text, X);
    append(&text, "<parent link=\"%s\"/>", b.parent < 0 ? "base" : ("l" + std::to_string(b.parent)).c_str());
    append(&text, "<child link=\"l%zu\"/><axis xyz=\"0 0 1\"/></joint>\n", i);
  }
  return text + "</robot>\n";
}

} // namespace bench
