// Steps of models with actuators, tendons, sensors and media, here and in MuJoCo.
#include "actuated.h"

#include "actuated_models.h"
#include "soft_model.h"
#include "soft_race.h"
#include "timing.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <random>

#include <unistd.h>

namespace bench {

namespace {

// Texts as files in a folder that goes with this object.
class Files {
public:
  Files() {
    if (mkdtemp(folder)) return;
    std::fprintf(stderr, "bench_soft: no folder for models\n");
    std::exit(1);
  }
  ~Files() {
    for (const std::string &path : paths) std::remove(path.c_str());
    rmdir(folder);
  }
  Files(const Files &) = delete;
  std::string write(const std::string &name, const std::string &text) {
    paths.push_back(std::string(folder) + "/" + name);
    std::ofstream(paths.back()) << text;
    return paths.back();
  }

private:
  char folder[30] = "/tmp/cardan_bench_XXXXXX";
  std::vector<std::string> paths;
};

// The file's text; its muscles have the ranges of lengths that the first MuJoCo finds by simulating. Ours are the
// extremes of the lengths, and so another motion.
std::string with_ranges_of(const mujoco_functions *functions, const std::string &path) {
  std::string message;
  const std::unique_ptr<Mujoco_model> m = Mujoco_model::load(functions, path, &message);
  std::ifstream file(path);
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const std::string muscle = "<muscle name";
  size_t at = 0;
  for (int i = 0; m && (at = text.find(muscle, at)) != std::string::npos; i++) {
    double range[2];
    char attribute[100];
    m->length_range(i, range);
    std::snprintf(attribute, sizeof attribute, "<muscle lengthrange='%.17g %.17g' name", range[0], range[1]);
    text.replace(at, muscle.size(), attribute);
    at += muscle.size();
  }
  return text;
}

struct Model {
  const char *label;
  std::string path;
};

// A model in all engines, each at moments of the last MuJoCo's motion under random controls.
class Engines {
public:
  Engines(const Model &model, const std::vector<const mujoco_functions *> &mujocos) : label(model.label) {
    std::string message;
    ours = Soft_model::load(model.path, -1, &message);
    for (const mujoco_functions *each : mujocos) {
      theirs.push_back(Mujoco_model::load(each, model.path, &message));
      if (!theirs.back()) theirs.pop_back();
    }
    if (!ours || theirs.size() < mujocos.size()) std::printf("%s: %s: it is left out\n", label, message.c_str());
    else good = true, record();
  }
  bool good = false;
  const char *label;
  std::unique_ptr<Soft_model> ours;
  std::vector<std::unique_ptr<Mujoco_model>> theirs;
  std::vector<Moment> moments;

  // Microseconds a call at a moment, for each engine, in turn: of each moment the least of all sweeps.
  std::vector<double> time(int sweeps, int repeats, const std::function<void(const Moment &)> &us,
                           const std::function<void(Mujoco_model *, const Moment &)> &them) {
    std::vector<std::vector<double>> least(1 + theirs.size(), std::vector<double>(moments.size(), INFINITY));
    for (int sweep = 0; sweep < sweeps; sweep++)
      for (size_t e = 0; e < least.size(); e++)
        for (size_t i = 0; i < moments.size(); i++) {
          const double from = now();
          for (int k = 0; k < repeats; k++)
            if (e == 0) us(moments[i]);
            else them(theirs[e - 1].get(), moments[i]);
          least[e][i] = std::min(least[e][i], (now() - from) / repeats);
        }
    std::vector<double> times;
    for (const std::vector<double> &each : least) {
      double sum = 0;
      for (double t : each) sum += t;
      times.push_back(sum / 1000 / static_cast<double>(moments.size()));
    }
    return times;
  }

private:
  void record() {
    Mujoco_model *m = theirs.back().get();
    std::mt19937_64 generator(7);
    Moment a = m->moment();
    Numbers lower(static_cast<size_t>(m->sizes().controls)), upper(lower.size());
    m->control_ranges(&lower, &upper);
    for (size_t i = 0; i < lower.size(); i++)
      a.ctrl.push_back(std::uniform_real_distribution<double>(lower[i], upper[i])(generator));
    m->put(a);
    for (int k = 0; k < 8; k++) {
      m->step(20);
      const Numbers ctrl = a.ctrl;
      a = m->moment(), a.ctrl = ctrl;
      moments.push_back(a);
    }
  }
};

// What paths take beside the poses: lengths and moments.
void add_tendons(Report *report, const Model &model, const std::vector<const mujoco_functions *> &mujocos) {
  Engines e(model, mujocos);
  if (!e.good) return;
  const auto measure = [&](bool with_tendons) {
    return e.time(
        40, 100,
        [&](const Moment &a) {
          e.ours->put(a);
          e.ours->realize_position();
          if (with_tendons) e.ours->read_paths();
        },
        [&](Mujoco_model *m, const Moment &a) {
          m->put(a);
          m->poses(with_tendons);
        });
  };
  std::vector<double> all = measure(true);
  const std::vector<double> poses = measure(false);
  for (size_t i = 0; i < all.size(); i++) all[i] -= poses[i];
  report->add(model.label, "us", all, columns(mujocos));
}

void add_step_derivatives(Report *report, const Model &model, const std::vector<const mujoco_functions *> &mujocos) {
  Engines e(model, mujocos);
  if (!e.good) return;
  const std::vector<double> times = e.time(
      5, 1,
      [&](const Moment &a) {
        e.ours->put(a);
        e.ours->step_derivatives();
      },
      [](Mujoco_model *m, const Moment &a) {
        m->put(a);
        m->step_derivatives();
      });
  report->add(model.label, "us", times, columns(mujocos));
  // At the first moment, before activations come so near to their controls that their rates bend within a difference.
  // Hinges and slides have the same coordinates in both. MuJoCo's differences need rows that are solved to the end.
  if (static_cast<size_t>(e.ours->nu()) != e.ours->q_put().size()) return;
  e.ours->put(e.moments.front());
  e.ours->step_derivatives();
  for (size_t i = 0; i < e.theirs.size(); i++) {
    double off = 0, size = 1;
    e.theirs[i]->put(e.moments.front());
    e.theirs[i]->solve_to_the_end();
    e.theirs[i]->step_derivatives();
    const double *A = e.theirs[i]->transition();
    for (size_t k = 0; k < e.ours->transition().size(); k++) {
      off = std::max(off, std::fabs(e.ours->transition()[k] - A[k]));
      size = std::max(size, std::fabs(A[k]));
    }
    std::printf("    %s: they differ by %.0e of the largest\n", columns(mujocos)[i + 1].c_str(), off / size);
  }
}

// Milliseconds from the file to the end of the first step.
void add_first_step(Report *report, const Model &model, const std::vector<const mujoco_functions *> &mujocos) {
  std::vector<double> least(1 + mujocos.size(), INFINITY);
  for (int sweep = 0; sweep < 5; sweep++)
    for (size_t e = 0; e < least.size(); e++) {
      std::string message;
      const double from = now();
      if (e == 0) {
        const std::unique_ptr<Soft_model> m = Soft_model::load(model.path, -1, &message);
        if (m) m->step(1);
        if (m) least[e] = std::min(least[e], (now() - from) / 1e6);
      } else {
        const std::unique_ptr<Mujoco_model> m = Mujoco_model::load(mujocos[e - 1], model.path, &message);
        if (m) m->step(1);
        if (m) least[e] = std::min(least[e], (now() - from) / 1e6);
      }
      if (!std::isfinite(least[e])) std::printf("%s: %s\n", model.label, message.c_str());
    }
  report->add(model.label, "ms", least, columns(mujocos));
}

// The models that are there.
class Models {
public:
  explicit Models(const mujoco_functions *functions) {
    const char *shared = std::getenv("CARDAN_SHARED");
    const std::string folder = std::string(shared ? shared : "../shared") + "/models/mjcf/";
    if (std::ifstream(folder + "arm26.xml").good())
      add("arm26", files.write("arm26.xml", with_ranges_of(functions, folder + "arm26.xml")));
    if (std::ifstream(folder + "humanoid.xml").good()) add("humanoid", folder + "humanoid.xml");
    if (all.size() < 2) std::printf("not all files are in %s: what is not there is left out\n", folder.c_str());
    add("leg of 24 muscles", files.write("leg.xml", leg_of_24_muscles()));
    add("swimmer, inertia boxes", files.write("boxes.xml", swimmer(false)));
    add("swimmer, ellipsoids", files.write("ellipsoids.xml", swimmer(true)));
    add("quadruped", files.write("quadruped.xml", quadruped(false)));
  }
  std::string write(const char *name, const std::string &text) { return files.write(name, text); }
  std::vector<Model> all;

private:
  void add(const char *label, const std::string &path) { all.push_back({ label, path }); }
  Files files;
};

bool has_tendons(const Model &m) {
  return std::strcmp(m.label, "arm26") == 0 || std::strcmp(m.label, "leg of 24 muscles") == 0;
}

} // namespace

void run_actuated(Report *report, const std::vector<const mujoco_functions *> &mujocos) {
  Models models(mujocos[0]);
  const Model sensed = { "  50 sensors", models.write("sensors.xml", quadruped(true)) };
  const Model thousand = { "1000 bodies", models.write("thousand.xml", thousand_bodies()) };
  const auto race = [&](const Model &m, const char *label, bool reads) {
    const Race_entry entry = { label, "", 4, 0.1, 20, 200, 50, 40, true, reads };
    run_race(entry, m.path, mujocos, report);
  };
  report->print_header("A step", columns(mujocos));
  for (const Model &m : models.all) race(m, m.label, false);
  race(sensed, "  50 sensors, not read", false);
  race(sensed, "  50 sensors, read", true);
  report->print_header("Lengths, moments of tendons", columns(mujocos));
  for (const Model &m : models.all)
    if (has_tendons(m)) add_tendons(report, m, mujocos);
  report->print_header("From the file to a step, ms", columns(mujocos));
  add_first_step(report, thousand, mujocos);
  report->print_header("Derivatives of a step", columns(mujocos));
  for (const Model &m : models.all) add_step_derivatives(report, m, mujocos);
}

// Each round goes through the moments, so that counts of two numbers of rounds differ by these alone.
int run_actuated_once(const std::string &model, const std::string &operation, int rounds, bool peer,
                      const std::vector<const mujoco_functions *> &mujocos) {
  Models models(mujocos[0]);
  models.all.push_back({ "50 sensors", models.write("sensors.xml", quadruped(true)) });
  for (const Model &m : models.all) {
    if (model != m.label) continue;
    Engines e(m, { mujocos[0] });
    if (!e.good) return 1;
    Soft_model *us = e.ours.get();
    Mujoco_model *them = e.theirs[0].get();
    if (operation == "read") us->use_sensors(), them->use_sensors();
    for (int k = 0; k < rounds; k++)
      for (const Moment &a : e.moments) {
        if (peer) them->put(a);
        else us->put(a);
        if (operation == "step" || operation == "read") {
          if (peer) them->step(50);
          else us->restart(), us->step(50);
        } else if (operation == "derivatives") {
          if (peer) them->step_derivatives();
          else us->step_derivatives();
        } else {
          if (peer) them->poses(operation == "tendons");
          else us->realize_position();
          if (!peer && operation == "tendons") us->read_paths();
        }
      }
    return 0;
  }
  std::fprintf(stderr, "bench_soft: there is no model '%s'\n", model.c_str());
  return 1;
}

} // namespace bench
