// Steps of model files with contact, here and in MuJoCo, from the same states.
#include "soft_race.h"

#include "soft_model.h"
#include "timing.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <random>

namespace bench {

namespace {

const Race_entry entries[] = {
  { "humanoid falls, pyramids", "humanoid_Euler_pyramidal.xml", 5, 0.3, 0, 600, 50, 12, false, false },
  { "  elliptic", "humanoid_Euler_elliptic.xml", 5, 0.3, 0, 600, 50, 12, false, false },
  { "  implicitfast, pyramids", "humanoid_implicitfast_pyramidal.xml", 5, 0.3, 0, 600, 50, 12, false, false },
  { "  implicitfast, elliptic", "humanoid_implicitfast_elliptic.xml", 5, 0.3, 0, 600, 50, 12, false, false },
  { "humanoid lies, 3 to 4 s", "humanoid_Euler_pyramidal.xml", 5, 0.3, 600, 200, 50, 12, false, false },
  { "22 humanoids, early", "x_22_humanoids.xml", 1, 0, 100, 200, 10, 5, false, false },
  { "22 humanoids, after 5 s", "x_22_humanoids.xml", 1, 0, 1000, 200, 10, 5, false, false },
  { "humanoid100", "x_humanoid100.xml", 1, 0, 100, 200, 10, 5, false, false },
  { "dominos", "x_dominos.xml", 1, 0, 100, 100, 10, 5, false, false },
  { "stonehenge", "x_stonehenge.xml", 1, 0, 100, 100, 10, 5, false, false },
  { "cards", "cards/x_cards.xml", 1, 0, 100, 100, 10, 5, false, false },
  { "cube", "cube/x_cube_3x3x3.xml", 1, 0, 100, 100, 10, 5, false, false },
  { "particles (CG)", "replicate/x_particle_free.xml", 1, 0, 100, 100, 10, 5, false, false },
  { "bunnies (CG)", "replicate/x_bunnies.xml", 1, 0, 100, 40, 10, 3, false, false },
  { "scattered 10", "boxes_scattered_10_pyramidal.xml", 1, 0, 350, 80, 10, 12, false, false },
  { "scattered 50", "boxes_scattered_50_pyramidal.xml", 1, 0, 350, 80, 10, 12, false, false },
  { "scattered 200", "boxes_scattered_200_pyramidal.xml", 1, 0, 350, 80, 10, 4, false, false },
  { "scattered 400", "boxes_scattered_400_pyramidal.xml", 1, 0, 350, 80, 10, 4, false, false },
  { "heaped 10", "boxes_heaped_10_pyramidal.xml", 1, 0, 350, 80, 10, 12, false, false },
  { "heaped 50", "boxes_heaped_50_pyramidal.xml", 1, 0, 350, 80, 10, 12, false, false },
  { "heaped 200", "boxes_heaped_200_pyramidal.xml", 1, 0, 350, 80, 10, 4, false, false },
  { "heaped 400", "boxes_heaped_400_pyramidal.xml", 1, 0, 350, 80, 10, 3, false, false },
  { "heaped 10, elliptic", "boxes_heaped_10_elliptic.xml", 1, 0, 350, 80, 10, 12, false, false },
  { "heaped 50, elliptic", "boxes_heaped_50_elliptic.xml", 1, 0, 350, 80, 10, 12, false, false },
  { "heaped 200, elliptic", "boxes_heaped_200_elliptic.xml", 1, 0, 350, 80, 10, 3, false, false },
};

bool is_there(const std::string &path) { return std::ifstream(path).good(); }

// MuJoCo 2 refuses what newer files say: MODEL.222.xml beside MODEL.xml is for it.
std::string file_for(const mujoco_functions *functions, const std::string &path) {
  const std::string older = path.substr(0, path.size() - 4) + ".222.xml";
  return functions->version[0] == '2' && is_there(older) ? older : path;
}

double length(const Numbers &a) {
  double sum = 0;
  for (double x : a) sum += x * x;
  return std::sqrt(sum);
}

Numbers minus(Numbers a, const Numbers &b) {
  for (size_t i = 0; i < a.size(); i++) a[i] -= b[i];
  return a;
}

void draw_controls(const Mujoco_model &m, std::mt19937_64 *generator, Moment *a) {
  Numbers lower(static_cast<size_t>(m.sizes().controls)), upper(lower.size());
  m.control_ranges(&lower, &upper);
  for (size_t i = 0; i < lower.size(); i++)
    a->ctrl.push_back(std::uniform_real_distribution<double>(lower[i], upper[i])(*generator));
}

class Race {
public:
  Race(const Race_entry &the_entry, const std::string &path, const std::vector<const mujoco_functions *> &mujocos)
      : entry(the_entry) {
    std::string message;
    ours = Soft_model::load(path, -1, &message);
    if (!ours) notes.push_back("cardan: " + message);
    else if (entry.sensors) ours->use_sensors();
    for (const mujoco_functions *each : mujocos) {
      theirs.push_back(Mujoco_model::load(each, file_for(each, path), &message));
      if (!theirs.back()) notes.push_back(std::string("MuJoCo ") + each->version + ": " + message);
      else if (entry.sensors) theirs.back()->use_sensors();
    }
  }
  void run(Report *report, const std::vector<std::string> &names);

private:
  const Race_entry &entry;
  std::unique_ptr<Soft_model> ours;
  std::vector<std::unique_ptr<Mujoco_model>> theirs;
  std::vector<std::string> notes;
  std::vector<Moment> moments;
  double contacts = 0, rows = 0;

  Mujoco_model *recorder() const {
    for (size_t i = theirs.size(); i-- > 0;)
      if (theirs[i]) return theirs[i].get();
    return nullptr;
  }
  void record();
  void compare(const std::vector<std::string> &names);
  std::vector<double> time();
};

void Race::record() {
  Mujoco_model *m = recorder();
  std::mt19937_64 generator(7);
  std::normal_distribution<double> normal;
  for (int start = 0; start < entry.starts; start++) {
    m->reset(start % (m->sizes().keyframes + 1) - 1);
    Moment a = m->moment();
    for (double &v : a.qvel) v += entry.speed * normal(generator);
    if (entry.controlled) draw_controls(*m, &generator, &a);
    m->put(a);
    m->step(entry.warm_up);
    for (int k = 0; k < entry.steps; k += entry.segment) {
      const Numbers ctrl = a.ctrl;
      a = m->moment(), a.ctrl = ctrl;
      moments.push_back(a);
      m->step(entry.segment);
      contacts += m->counts().contacts, rows += m->counts().rows;
    }
  }
  contacts /= static_cast<double>(moments.size()), rows /= static_cast<double>(moments.size());
}

// Accelerations at the moments, over 1 m/s^2 or their own size, and poses after a segment.
void Race::compare(const std::vector<std::string> &names) {
  for (size_t i = 0; ours && i < theirs.size(); i++) {
    if (!theirs[i]) continue;
    double by_acceleration = 0, by_pose = 0;
    for (const Moment &a : moments) {
      ours->put(a), theirs[i]->put(a);
      ours->realize(), theirs[i]->forward();
      const Numbers qacc = theirs[i]->qacc();
      by_acceleration = std::max(by_acceleration, length(minus(ours->qacc(), qacc)) / (1 + length(qacc)));
      ours->restart(), theirs[i]->put(a);
      ours->step(entry.segment), theirs[i]->step(entry.segment);
      for (double x : minus(ours->qpos(), theirs[i]->moment().qpos)) by_pose = std::max(by_pose, std::fabs(x));
    }
    char text[200];
    std::snprintf(text, sizeof text, "%s: accelerations differ by %.0e at most, q after %d steps by %.0e%s",
                  names[i + 1].c_str(), by_acceleration, entry.segment, by_pose,
                  by_acceleration > 1e-3 ? ": not the same motion (other points of contact, or an earlier end)" : "");
    notes.push_back(text);
  }
}

// Microseconds a step: of each segment the least of all sweeps, in turn.
std::vector<double> Race::time() {
  const size_t engines = 1 + theirs.size();
  std::vector<std::vector<double>> least(engines, std::vector<double>(moments.size(), INFINITY));
  for (int sweep = 0; sweep < entry.sweeps; sweep++)
    for (size_t e = 0; e < engines; e++)
      for (size_t i = 0; i < moments.size(); i++) {
        if (e == 0 ? !ours : !theirs[e - 1]) continue;
        if (e == 0) ours->put(moments[i]), ours->restart();
        else theirs[e - 1]->put(moments[i]);
        const double from = now();
        if (e == 0) ours->step(entry.segment);
        else theirs[e - 1]->step(entry.segment);
        least[e][i] = std::min(least[e][i], now() - from);
      }
  std::vector<double> times;
  for (const std::vector<double> &each : least) {
    double sum = 0;
    for (double t : each) sum += t;
    sum /= 1000. * entry.segment * static_cast<double>(moments.size());
    times.push_back(std::isfinite(sum) ? sum : NAN);
  }
  return times;
}

void Race::run(Report *report, const std::vector<std::string> &names) {
  if (recorder()) {
    record();
    compare(names);
    report->add(entry.label, "us", time(), names);
    if (contacts + rows > 0) std::printf("    %.0f contacts, %.0f rows\n", contacts, rows);
  } else {
    std::printf("%s\n", entry.label);
  }
  for (const std::string &note : notes) std::printf("    %s\n", note.c_str());
}

} // namespace

void run_race(const Race_entry &entry, const std::string &path, const std::vector<const mujoco_functions *> &mujocos,
              Report *report) {
  Race(entry, path, mujocos).run(report, columns(mujocos));
}

void run_soft_race(Report *report, const std::vector<const mujoco_functions *> &mujocos) {
  const char *shared = std::getenv("CARDAN_SHARED");
  const std::string folder = std::string(shared ? shared : "../shared") + "/models/race/";
  report->print_header("A step of files with contact", columns(mujocos));
  for (const Race_entry &entry : entries)
    if (is_there(folder + entry.file)) run_race(entry, folder + entry.file, mujocos, report);
    else std::printf("%s is not in %s: it is left out\n", entry.file, folder.c_str());
}

} // namespace bench
