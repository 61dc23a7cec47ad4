// What bench/python.py compares with: the same calls through pybind11, and as loops of C. Objects come as addresses.
#include <cardan/cardan.h>
#include <pybind11/pybind11.h>
#include <cstdint>
#include <ctime>
#include <stdexcept>

namespace py = pybind11;

template <class T> static T *at(std::uintptr_t address) { return reinterpret_cast<T *>(address); }

static double seconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec + 1e-9 * now.tv_nsec;
}

// Seconds for n times: set q to a row of a table, set u, get udot, all numbers copied.
static double udot_loop(std::uintptr_t state, std::uintptr_t q, std::uintptr_t u, std::uintptr_t udot, int nq, int nu,
                        int n) {
  cdn_state *s = at<cdn_state>(state);
  const double *table = at<double>(q);
  const double start = seconds();
  for (int i = 0; i < n; i++) {
    if (cdn_state_set_q(s, table + (std::size_t)i * nq) || cdn_state_set_u(s, at<double>(u))) return -1;
    const double *rates = cdn_state_udot(s);
    for (int k = 0; k < nu; k++) at<double>(udot)[k] = rates[k];
  }
  return seconds() - start;
}

// n times: controls of all States, one step, q and u of all States.
static void ensemble_loop(std::uintptr_t ensemble, std::uintptr_t controls, std::uintptr_t q, std::uintptr_t u,
                          double h, int n) {
  cdn_ensemble *e = at<cdn_ensemble>(ensemble);
  for (int i = 0; i < n; i++)
    if (cdn_ensemble_set_controls(e, at<double>(controls), 0) || cdn_ensemble_advance(e, h, 1) ||
        cdn_ensemble_get(e, CDN_POOL_Q, at<double>(q), 0) || cdn_ensemble_get(e, CDN_POOL_U, at<double>(u), 0))
      throw std::runtime_error(cdn_last_error_text());
}

PYBIND11_MODULE(python_peer, m) {
  m.def("state_time", [](std::uintptr_t state) { return cdn_state_time(at<cdn_state>(state)); });
  m.def(
      "state_time_released", [](std::uintptr_t state) { return cdn_state_time(at<cdn_state>(state)); },
      py::call_guard<py::gil_scoped_release>());
  m.def("udot_loop", &udot_loop);
  m.def("ensemble_loop", &ensemble_loop);
}
