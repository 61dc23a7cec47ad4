// The MuJoCos that a benchmark compares with.
#include "mujocos.h"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

namespace bench {

std::unique_ptr<Mujoco_model> Mujoco_model::load(const mujoco_functions *functions, const std::string &path,
                                                 std::string *message) {
  char text[1000] = "";
  void *engine = functions->load(path.c_str(), text, sizeof text);
  *message = text;
  for (char &c : *message)
    if (c == '\n') c = ' ';
  return std::unique_ptr<Mujoco_model>(engine ? new Mujoco_model(functions, engine) : nullptr);
}

Moment Mujoco_model::moment() const {
  const mujoco_sizes n = sizes();
  Moment a;
  a.qpos.resize(static_cast<size_t>(n.nq)), a.qvel.resize(static_cast<size_t>(n.nv));
  a.warm.resize(a.qvel.size()), a.act.resize(static_cast<size_t>(n.activations));
  f->take(engine, a.qpos.data(), a.qvel.data(), a.warm.data(), a.act.data(), nullptr);
  return a;
}

Numbers Mujoco_model::qacc() const {
  Numbers a(static_cast<size_t>(sizes().nv));
  f->take(engine, nullptr, nullptr, nullptr, nullptr, a.data());
  return a;
}

std::vector<const mujoco_functions *> open_mujocos(const char *module) {
  std::vector<const mujoco_functions *> all = { mujoco_functions_here() };
  if (!module) return all;
  // Its own libmujoco comes before the one that this program is linked to.
  void *library = dlopen(module, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
  void *symbol = library ? dlsym(library, "mujoco_functions_here") : nullptr;
  if (!symbol) {
    std::fprintf(stderr, "bench: %s\n", dlerror());
    std::exit(1);
  }
  all.push_back(reinterpret_cast<const mujoco_functions *(*)()>(symbol)());
  return all;
}

std::vector<std::string> columns(const std::vector<const mujoco_functions *> &mujocos) {
  std::vector<std::string> names = { "cardan" };
  for (const mujoco_functions *each : mujocos) names.push_back(std::string("MuJoCo ") + each->version);
  return names;
}

} // namespace bench
