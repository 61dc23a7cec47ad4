/* Cardan in C++17: the functions of C, with owners, exceptions, operators and lambdas.
 *
 * There is no second model of objects. Every function of <cardan/cardan.h> is called as it is: an owner converts to the
 * pointer that the function takes. What this header adds:
 *
 *   cardan::get(function, arguments...)  calls a function whose last argument is a place for its result, and returns the
 *                                        result: a value, or an owner of the object that was made
 *   cardan::check(result)                throws cardan::Error where a status, an id or a pointer says that a call failed
 *   cardan::q(state), set_q, ...         numbers of a State with their count
 *   a + b, R * v, X * p, ...             operators of vectors, rotations, transforms, spatial vectors
 *   cardan::add_force, add_event, add_measure  lambdas as elements of a System
 *   cardan::to_stream                    a cdn_write_fn that writes to a std::ostream
 *
 * An owner is a pointer that frees its object; a call through it costs what the call costs in C. See docs/cpp.md. */
#ifndef CARDAN_CARDAN_HPP
#define CARDAN_CARDAN_HPP

#include <cardan/cardan.h>

#include <cstring>
#include <exception>
#include <functional>
#include <initializer_list>
#include <new>
#include <ostream>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#if __cplusplus >= 202002L
#  include <span>
#endif

namespace cardan {

/* ---- failures ---- */

/** A call that failed. what() is its story in one line: function, message, status. */
class Error : public std::runtime_error {
public:
  Error(const cdn_error &error, const std::string &text) : std::runtime_error(text), error_(error) {}
  cdn_status status() const noexcept { return error_.code; }
  /** One line of advice for a run that failed so; "" if what() is enough. */
  const char *advice() const noexcept { return cdn_status_advice(error_.code); }
  /** The whole story: function, element, stage, value (base.h). */
  const cdn_error &story() const noexcept { return error_; }

private:
  cdn_error error_;
};

namespace inner {

/** What a lambda has thrown in this thread, and the message by which the library knows it. */
struct Thrown {
  std::exception_ptr exception;
  std::string text;
};
inline Thrown &thrown() {
  thread_local Thrown it;
  return it;
}

[[noreturn]] inline void raise(cdn_status status) {
  cdn_error error;
  cdn_last_error(&error);
  if (status != CDN_OK) error.code = status;
  Thrown &own = thrown();
  if (own.exception && std::strstr(error.text, own.text.c_str())) {
    const std::exception_ptr exception = std::exchange(own.exception, nullptr);
    std::rethrow_exception(exception);
  }
  throw Error(error, cdn_last_error_text());
}

} // namespace inner

/** Throws if a call failed: the exception of a lambda unchanged where one has thrown in this thread, otherwise Error. */
inline void check(cdn_status status) {
  if (status != CDN_OK) inner::raise(status);
}
/** The same for functions that return NULL on failure; returns the pointer. */
template <class T> T *check(T *pointer) {
  if (!pointer) inner::raise(CDN_OK);
  return pointer;
}
/** The same for adders and finders, which return the id { -1 }; returns the id. */
template <class Id> auto check(Id id) -> std::enable_if_t<std::is_same_v<decltype(id.i), int32_t>, Id> {
  if (id.i < 0) inner::raise(CDN_OK);
  return id;
}

/* ---- owners ---- */

namespace inner {
// clang-format off
inline void give_back(cdn_assembly *p) { cdn_assembly_destroy(p); }
inline void give_back(cdn_carry_report *p) { cdn_carry_report_destroy(p); }
inline void give_back(cdn_check *p) { cdn_check_destroy(p); }
inline void give_back(cdn_ensemble *p) { cdn_ensemble_destroy(p); }
inline void give_back(const cdn_function *p) { cdn_function_release(p); }
inline void give_back(cdn_hmc *p) { cdn_hmc_destroy(p); }
inline void give_back(cdn_invertible *p) { cdn_invertible_destroy(p); }
inline void give_back(cdn_invertible_motion *p) { cdn_invertible_motion_destroy(p); }
inline void give_back(cdn_model *p) { cdn_model_destroy(p); }
inline void give_back(cdn_molecule *p) { cdn_molecule_destroy(p); }
inline void give_back(cdn_pdb *p) { cdn_pdb_destroy(p); }
inline void give_back(cdn_prmtop *p) { cdn_prmtop_destroy(p); }
inline void give_back(cdn_renderer *p) { cdn_renderer_destroy(p); }
inline void give_back(cdn_restart *p) { cdn_restart_destroy(p); }
inline void give_back(cdn_scene *p) { cdn_scene_destroy(p); }
inline void give_back(cdn_spec *p) { cdn_spec_destroy(p); }
inline void give_back(cdn_spec_tree *p) { cdn_spec_tree_destroy(p); }
inline void give_back(cdn_state *p) { cdn_state_destroy(p); }
inline void give_back(cdn_stepper *p) { cdn_stepper_destroy(p); }
inline void give_back(const cdn_surface *p) { cdn_surface_release(p); }
inline void give_back(cdn_sweep *p) { cdn_sweep_destroy(p); }
inline void give_back(const cdn_system *p) { cdn_system_release(p); }
inline void give_back(cdn_table *p) { cdn_table_destroy(p); }
inline void give_back(cdn_trajectory *p) { cdn_trajectory_destroy(p); }
// clang-format on
} // namespace inner

/** Owns an object of the library: moved, not copied, and freed at the end of its scope. */
template <class T> class owner {
public:
  owner() noexcept = default;
  explicit owner(T *object) noexcept : object_(object) {}
  owner(owner &&other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  owner &operator=(owner &&other) noexcept {
    reset(std::exchange(other.object_, nullptr));
    return *this;
  }
  owner(const owner &) = delete;
  owner &operator=(const owner &) = delete;
  ~owner() { reset(); }
  T *get() const noexcept { return object_; }
  operator T *() const noexcept { return object_; }
  /** Hands the object over to the caller. */
  T *release() noexcept { return std::exchange(object_, nullptr); }
  void reset(T *object = nullptr) noexcept {
    T *before = std::exchange(object_, object);
    if (before) inner::give_back(before);
  }

private:
  T *object_ = nullptr;
};

using System = owner<cdn_system>;
using State = owner<cdn_state>;
using Stepper = owner<cdn_stepper>;
using Model = owner<cdn_model>;
using Table = owner<cdn_table>;
using Trajectory = owner<cdn_trajectory>;
using Ensemble = owner<cdn_ensemble>;
using Scene = owner<cdn_scene>;
using Spec = owner<cdn_spec>;
using Sweep = owner<cdn_sweep>;

namespace inner {

template <class... P> using last_of = std::tuple_element_t<sizeof...(P) - 1, std::tuple<P...>>;
template <class T> struct result_of_place {
  using type = T;
  static T give(T value) { return value; }
};
template <class T> struct result_of_place<T *> {
  using type = owner<T>;
  static owner<T> give(T *object) { return owner<T>(object); }
};

} // namespace inner

/** Calls function(arguments..., &result) and returns the result, owned if it is an object; throws if the call failed.
 *  `auto state = cardan::get(cdn_state_create, system); double T = cardan::get(cdn_kinetic_energy, state);` */
template <class... P, class... A> auto get(cdn_status (*function)(P...), A &&...arguments) {
  static_assert(sizeof...(P) == sizeof...(A) + 1, "all arguments but the last one, which is the place of the result");
  using result = std::remove_pointer_t<inner::last_of<P...>>;
  result place{};
  check(function(std::forward<A>(arguments)..., &place));
  return inner::result_of_place<result>::give(place);
}
/** Calls a function that returns a new object, or NULL on failure, and owns the object. */
template <class T, class... P, class... A> owner<T> get(T *(*function)(P...), A &&...arguments) {
  return owner<T>(check(function(std::forward<A>(arguments)...)));
}

/* ---- numbers ---- */

#if __cplusplus >= 202002L
template <class T> using span = std::span<T>;
#else
/** What std::span is from C++20 on: numbers and their count, owned by somebody else. */
template <class T> class span {
public:
  constexpr span() noexcept = default;
  constexpr span(T *data, size_t size) noexcept : data_(data), size_(size) {}
  template <class C, class = decltype(std::declval<C &>().data() + std::declval<C &>().size())>
  constexpr span(C &&all) noexcept : data_(all.data()), size_(all.size()) {}
  constexpr T *data() const noexcept { return data_; }
  constexpr size_t size() const noexcept { return size_; }
  constexpr bool empty() const noexcept { return size_ == 0; }
  constexpr T *begin() const noexcept { return data_; }
  constexpr T *end() const noexcept { return data_ + size_; }
  constexpr T &operator[](size_t i) const noexcept { return data_[i]; }

private:
  T *data_ = nullptr;
  size_t size_ = 0;
};
#endif
/** Numbers of a State: valid until the State changes. */
using numbers = span<const double>;

namespace inner {

inline numbers of(const double *first, int n) {
  return n > 0 ? numbers(check(first), static_cast<size_t>(n)) : numbers();
}
inline const cdn_system *system_of(const cdn_state *state) { return check(cdn_state_system(state)); }
inline const double *exactly(numbers values, int n, const char *what) {
  if (values.size() == static_cast<size_t>(n)) return values.data();
  throw std::invalid_argument(std::string(what) + ": " + std::to_string(values.size()) +
                              " numbers are given, and the State has " + std::to_string(n));
}

} // namespace inner

// clang-format off
inline numbers q(const cdn_state *s) { return inner::of(cdn_state_q(s), cdn_system_nq(inner::system_of(s))); }
inline numbers u(const cdn_state *s) { return inner::of(cdn_state_u(s), cdn_system_nu(inner::system_of(s))); }
inline numbers z(const cdn_state *s) { return inner::of(cdn_state_z(s), cdn_system_nz(inner::system_of(s))); }
/** Rates realize what they need. */
inline numbers qdot(cdn_state *s) { return inner::of(cdn_state_qdot(s), cdn_system_nq(inner::system_of(s))); }
inline numbers udot(cdn_state *s) { return inner::of(cdn_state_udot(s), cdn_system_nu(inner::system_of(s))); }
inline numbers zdot(cdn_state *s) { return inner::of(cdn_state_zdot(s), cdn_system_nz(inner::system_of(s))); }
inline numbers multipliers(cdn_state *s) {
  return inner::of(cdn_state_multipliers(s), cdn_system_nudoterr(inner::system_of(s)));
}
/** The value of a measure; realizes what it needs. */
inline numbers value(cdn_state *s, cdn_measure m) {
  return inner::of(cdn_measure_value(s, m), cdn_measure_size(inner::system_of(s), m));
}
/** Set all numbers of a pool; another count of numbers is a std::invalid_argument. */
inline void set_q(cdn_state *s, numbers values) { check(cdn_state_set_q(s, inner::exactly(values, cdn_system_nq(inner::system_of(s)), "q"))); }
inline void set_u(cdn_state *s, numbers values) { check(cdn_state_set_u(s, inner::exactly(values, cdn_system_nu(inner::system_of(s)), "u"))); }
inline void set_z(cdn_state *s, numbers values) { check(cdn_state_set_z(s, inner::exactly(values, cdn_system_nz(inner::system_of(s)), "z"))); }
inline void set_q(cdn_state *s, std::initializer_list<double> values) { set_q(s, numbers(values.begin(), values.size())); }
inline void set_u(cdn_state *s, std::initializer_list<double> values) { set_u(s, numbers(values.begin(), values.size())); }
inline void set_z(cdn_state *s, std::initializer_list<double> values) { set_z(s, numbers(values.begin(), values.size())); }
// clang-format on

/** A cdn_write_fn whose context is a std::ostream. */
inline cdn_status to_stream(void *stream, const void *bytes, size_t size) {
  auto &out = *static_cast<std::ostream *>(stream);
  try {
    out.write(static_cast<const char *>(bytes), static_cast<std::streamsize>(size));
  } catch (...) {
    return CDN_ERR_FILE; // the stream throws where others set its state
  }
  return out ? CDN_OK : CDN_ERR_FILE;
}

/* ---- lambdas ---- */

namespace inner {

/** The System keeps a copy of the function until it is freed. */
template <class F> F *keep(cdn_system *system, F function) {
  auto *kept = new F(std::move(function));
  cdn_subsystem_ops ops{};
  ops.struct_size = sizeof ops;
  ops.name = "a function of the program";
  ops.self_size = sizeof kept;
  ops.destroy = [](void *self) { delete *static_cast<F **>(self); };
  if (cdn_system_add_subsystem(system, &ops, &kept).i >= 0) return kept;
  delete kept;
  raise(CDN_OK);
}

template <class F> F &kept(const void *self) { return **static_cast<F *const *>(self); }

inline void note(cdn_state *state, const char *text) {
  Thrown &own = thrown();
  cdn_error error;
  (void)cdn_state_fail(state, CDN_ERR_CALLBACK, false, nullptr, "%s", text);
  cdn_last_error(&error);
  own.text = error.text;
  own.exception = std::current_exception();
}

/** Runs what a function of the program does; what the function throws fails the call, and check() throws it again. */
template <class Call> cdn_status guarded(cdn_state *state, Call call) noexcept {
  try {
    try {
      call();
      return CDN_OK;
    } catch (const Error &error) {
      note(state, error.what());
      return error.status() == CDN_OK ? CDN_ERR_CALLBACK : error.status();
    } catch (const std::exception &error) { note(state, error.what()); } catch (...) {
      note(state, "a function of the program has thrown something that is no std::exception");
    }
  } catch (...) { // there is no memory for the story
  }
  return CDN_ERR_CALLBACK;
}

/** Of a force whose private part is a pointer to what the System keeps. */
inline cdn_force_ops force_ops(const char *name, cdn_force_reads reads) {
  cdn_force_ops ops{};
  ops.subsystem.name = name;
  ops.subsystem.self_size = sizeof(void *);
  ops.struct_size = sizeof ops;
  ops.reads = reads;
  return ops;
}

} // namespace inner

/** Adds a force: calc(cdn_state *, cdn_forces *) adds its forces with cdn_forces_add_point and its kin. `reads` decides
 *  when the force is computed again (forces.h). Throws if the System is frozen. */
template <class F>
cdn_force add_force(cdn_system *system, const char *name, F calc, cdn_force_reads reads = CDN_READS_EVERYTHING) {
  F *kept = inner::keep(system, std::move(calc));
  cdn_force_ops ops = inner::force_ops(name, reads);
  ops.calc_force = [](const void *self, cdn_state *state, cdn_forces *forces) {
    return inner::guarded(state, [&] { inner::kept<F>(self)(state, forces); });
  };
  return check(cdn_system_add_custom_force(system, &ops, &kept));
}

/** Adds a force with a potential: potential(cdn_state *) returns its energy, J, a function of t, q and parameters. */
template <class F, class V>
cdn_force add_force(cdn_system *system, const char *name, F calc, V potential,
                    cdn_force_reads reads = CDN_READS_POSITION) {
  using Both = std::pair<F, V>;
  Both *kept = inner::keep(system, Both(std::move(calc), std::move(potential)));
  cdn_force_ops ops = inner::force_ops(name, reads);
  ops.calc_force = [](const void *self, cdn_state *state, cdn_forces *forces) {
    return inner::guarded(state, [&] { inner::kept<Both>(self).first(state, forces); });
  };
  ops.calc_potential = [](const void *self, cdn_state *state, double *energy) {
    return inner::guarded(state, [&] { *energy = inner::kept<Both>(self).second(state); });
  };
  return check(cdn_system_add_custom_force(system, &ops, &kept));
}

/** Adds a measure of n numbers that is computed from all of `stage`: calc(cdn_state *, double *) writes the numbers. */
template <class F> cdn_measure add_measure(cdn_system *system, const char *name, int n, cdn_stage stage, F calc) {
  F *kept = inner::keep(system, std::move(calc));
  cdn_measure_ops ops{};
  ops.struct_size = sizeof ops;
  ops.self_size = sizeof kept;
  ops.n = n;
  ops.stage = stage;
  ops.calc_value = [](const void *self, cdn_state *state, int, double *value) {
    return inner::guarded(state, [&] { inner::kept<F>(self)(state, value); });
  };
  return check(cdn_system_add_custom_measure(system, name, &ops, &kept));
}

/** What an event calls; those that its kind does not need stay empty (events.h). */
struct event_calls {
  std::function<double(cdn_state *)> value{};                              /**< of a triggered one */
  std::function<double(cdn_state *, double)> next_time{};                  /**< of a scheduled one: the time after */
  std::function<void(cdn_state *, const cdn_occurrence &)> report{};       /**< looks at the State */
  std::function<cdn_action(cdn_state *, const cdn_occurrence &)> handle{}; /**< may change it; CDN_STOP ends the run */
};

/** Adds an event. Of `def` the members self and self_size, and those of the calls that are given, are not read. */
inline cdn_event add_event(cdn_system *system, cdn_event_def def, event_calls calls) {
  event_calls *kept = inner::keep(system, std::move(calls));
  def.self = kept, def.self_size = 0;
  if (kept->value)
    def.value = [](const void *self, cdn_state *state, double *value) {
      return inner::guarded(state, [&] { *value = static_cast<const event_calls *>(self)->value(state); });
    };
  if (kept->next_time)
    def.next_time = [](const void *self, cdn_state *state, double after, double *time) {
      return inner::guarded(state, [&] { *time = static_cast<const event_calls *>(self)->next_time(state, after); });
    };
  if (kept->report)
    def.report = [](const void *self, cdn_state *state, const cdn_occurrence *what) {
      return inner::guarded(state, [&] { static_cast<const event_calls *>(self)->report(state, *what); });
    };
  if (kept->handle)
    def.handle = [](const void *self, cdn_state *state, const cdn_occurrence *what, cdn_action *action) {
      return inner::guarded(state, [&] { *action = static_cast<const event_calls *>(self)->handle(state, *what); });
    };
  return check(cdn_system_add_event(system, &def));
}

} // namespace cardan

/* ---- operators ---- */

/* Where the types of <cardan/math.h> are: the compiler finds them from everywhere. */
// clang-format off
inline cdn_vec3 operator+(cdn_vec3 a, cdn_vec3 b) { return cdn_add(a, b); }
inline cdn_vec3 operator-(cdn_vec3 a, cdn_vec3 b) { return cdn_sub(a, b); }
inline cdn_vec3 operator-(cdn_vec3 a) { return cdn_v3(-a.x, -a.y, -a.z); }
inline cdn_vec3 operator*(double s, cdn_vec3 a) { return cdn_scale(s, a); }
inline cdn_vec3 operator*(cdn_vec3 a, double s) { return cdn_scale(s, a); }
inline cdn_vec3 operator/(cdn_vec3 a, double s) { return cdn_v3(a.x / s, a.y / s, a.z / s); }
inline cdn_vec3 &operator+=(cdn_vec3 &a, cdn_vec3 b) { return a = a + b; }
inline cdn_vec3 &operator-=(cdn_vec3 &a, cdn_vec3 b) { return a = a - b; }
inline cdn_vec3 &operator*=(cdn_vec3 &a, double s) { return a = a * s; }
inline cdn_vec3 &operator/=(cdn_vec3 &a, double s) { return a = a / s; }
inline bool operator==(cdn_vec3 a, cdn_vec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }
inline bool operator!=(cdn_vec3 a, cdn_vec3 b) { return !(a == b); }
inline cdn_rotation operator*(cdn_rotation R_AB, cdn_rotation R_BC) { return cdn_rotation_multiply(R_AB, R_BC); }
inline cdn_vec3 operator*(cdn_rotation R_AB, cdn_vec3 v_B) { return cdn_rotate(R_AB, v_B); }
/** The inverse of a rotation, and of a transform. */
inline cdn_rotation operator~(cdn_rotation R_AB) { return cdn_rotation_transpose(R_AB); }
inline cdn_transform operator~(cdn_transform X_AB) { return cdn_transform_invert(X_AB); }
inline cdn_transform operator*(cdn_transform X_AB, cdn_transform X_BC) { return cdn_transform_multiply(X_AB, X_BC); }
/** The station p_B, from A's origin. */
inline cdn_vec3 operator*(cdn_transform X_AB, cdn_vec3 p_B) { return cdn_transform_point(X_AB, p_B); }
inline cdn_spatial operator+(cdn_spatial a, cdn_spatial b) { return { a.w + b.w, a.v + b.v }; }
inline cdn_spatial operator-(cdn_spatial a, cdn_spatial b) { return { a.w - b.w, a.v - b.v }; }
inline cdn_spatial operator-(cdn_spatial a) { return { -a.w, -a.v }; }
inline cdn_spatial operator*(double s, cdn_spatial a) { return { s * a.w, s * a.v }; }
inline cdn_spatial &operator+=(cdn_spatial &a, cdn_spatial b) { return a = a + b; }
inline cdn_spatial &operator-=(cdn_spatial &a, cdn_spatial b) { return a = a - b; }
// clang-format on

#endif
