// A model file with soft contact, by the file's steps.
#include "soft_model.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace bench {

namespace {

size_t size_of(int n) { return static_cast<size_t>(n); }

} // namespace

void must(cdn_status status, const char *what) {
  if (status == CDN_OK) return;
  std::fprintf(stderr, "bench_soft: %s: %s\n", what, cdn_status_text(status));
  std::exit(1);
}

std::unique_ptr<Soft_model> Soft_model::load(const std::string &path, int method, std::string *message) {
  std::unique_ptr<Soft_model> m(new Soft_model);
  cdn_model_options options = cdn_default_model_options();
  options.contact = CDN_MODEL_SOFT, options.equality = CDN_MODEL_SOFT_EQUALITY;
  cdn_status status = cdn_model_load(path.c_str(), &options, &m->model);
  if (status == CDN_OK) status = cdn_state_create(cdn_model_system(m->model), &m->s);
  if (status == CDN_OK) status = cdn_model_steps_of_file(m->model, &m->chosen, &m->h);
  if (method >= 0) m->chosen = static_cast<cdn_method>(method);
  cdn_stepper_def def = cdn_default_stepper_def();
  def.method = m->chosen, def.fixed_step = m->h, def.companion = false;
  if (status == CDN_OK) status = cdn_stepper_create(m->s, &def, &m->stepper);
  if (status == CDN_OK && !mj_bridge_init(&m->bridge, nullptr, m->model)) status = CDN_ERR_NOMEM;
  if (status != CDN_OK) {
    cdn_error error;
    cdn_last_error(&error);
    *message = std::string(cdn_status_text(status)) + ": " + error.text;
    return nullptr;
  }
  const size_t nu = size_of(m->nu());
  m->q.resize(size_of(cdn_system_nq(cdn_model_system(m->model)))), m->u.resize(nu), m->f.resize(nu);
  return m;
}

Soft_model::~Soft_model() {
  mj_bridge_free(&bridge);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(s);
  cdn_model_destroy(model);
}

void Soft_model::put(const Moment &a) {
  mj_bridge_q_from_mujoco(&bridge, a.qpos.data(), q.data());
  mj_bridge_u_from_mujoco(&bridge, q.data(), a.qvel.data(), u.data());
  must(cdn_state_set_q(s, q.data()), "q");
  must(cdn_state_set_u(s, u.data()), "u");
  if (!a.act.empty()) must(cdn_state_set_z(s, a.act.data()), "activations");
  if (!a.ctrl.empty()) must(cdn_control_set_all(s, a.ctrl.data()), "controls");
}

void Soft_model::realize() { must(cdn_realize(s, CDN_STAGE_ACCELERATION), "realize"); }

void Soft_model::realize_position() { must(cdn_realize(s, CDN_STAGE_POSITION), "realize"); }

void Soft_model::restart() {
  must(cdn_state_set_time(s, 0), "t");
  must(cdn_stepper_restart(stepper, s), "restart");
}

void Soft_model::read_sensors() {
  for (int i = 0; i < cdn_model_sensor_count(model); i++) {
    cdn_model_sensor sensor;
    must(cdn_model_get_sensor(model, i, &sensor), "sensor");
    if (!cdn_measure_value(cdn_stepper_state(stepper), sensor.measure)) must(CDN_ERR_ARG, sensor.name);
  }
}

void Soft_model::read_paths() {
  for (int i = 0; i < cdn_system_path_count(cdn_model_system(model)); i++) {
    double length;
    must(cdn_path_length(s, cdn_path{ i }, &length), "length");
    must(cdn_path_moments(s, cdn_path{ i }, f.data()), "moments");
  }
}

void Soft_model::step(int count) {
  for (int i = 0; i < count && reads_sensors; i++) {
    read_sensors();
    must(cdn_stepper_step(stepper, INFINITY), "step");
  }
  if (reads_sensors) return;
  must(cdn_stepper_advance(stepper, cdn_state_time(cdn_stepper_state(stepper)) + count * h, nullptr), "advance");
}

Numbers Soft_model::qpos() {
  Numbers to(q.size());
  mj_bridge_q_to_mujoco(&bridge, cdn_state_q(cdn_stepper_state(stepper)), to.data());
  return to;
}

Numbers Soft_model::qacc() {
  Numbers to(u.size());
  mj_bridge_u_to_mujoco(&bridge, cdn_state_q(s), cdn_state_udot(s), to.data());
  return to;
}

Numbers Soft_model::ours(const Numbers &speeds) {
  Numbers to(u.size());
  mj_bridge_u_from_mujoco(&bridge, cdn_state_q(s), speeds.data(), to.data());
  return to;
}

void Soft_model::inverse(const Numbers &udot) {
  must(cdn_constrained_inverse_dynamics(s, udot.data(), nullptr, f.data(), nullptr, nullptr), "inverse dynamics");
}

void Soft_model::derivatives() {
  for (Numbers *each : { &by_q, &by_u, &by_f }) each->resize(u.size() * u.size());
  must(cdn_forward_dynamics_derivatives(s, by_q.data(), by_u.data(), by_f.data(), nullptr), "derivatives");
}

void Soft_model::step_derivatives() {
  const size_t all = 2 * u.size() + size_of(cdn_system_nz(cdn_model_system(model)));
  A.resize(all * all), B.resize(all * size_of(controls()));
  must(cdn_step_derivatives(s, chosen, h, A.data(), nullptr, B.data()), "derivatives of a step");
}

int Soft_model::iterations() {
  cdn_soft_statistics statistics;
  must(cdn_soft_get_statistics(s, &statistics), "statistics");
  return static_cast<int>(statistics.factorizations);
}

} // namespace bench
