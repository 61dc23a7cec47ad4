/* shared by tests in this folder */
#include "random_numbers.h"

rng rng_of(uint64_t seed) {
  rng r = { seed * 0x9e3779b97f4a7c15u + 1 };
  return r;
}

uint64_t rng_next(rng *r) {
  uint64_t z = (r->state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

double uniform(rng *r, double lower, double upper) {
  return lower + (upper - lower) * ((double)(rng_next(r) >> 11) * 0x1p-53);
}

int pick(rng *r, int n) { return (int)(rng_next(r) % (uint64_t)n); }

cdn_vec3 random_vec3(rng *r, double size) {
  double x = uniform(r, -size, size), y = uniform(r, -size, size), z = uniform(r, -size, size);
  return cdn_v3(x, y, z);
}

cdn_rotation random_rotation(rng *r) {
  cdn_vec3 axis = random_vec3(r, 1);
  return cdn_rotation_axis_angle(axis, uniform(r, -3, 3));
}

cdn_spatial random_spatial(rng *r, double size) {
  cdn_spatial s;
  s.w = random_vec3(r, size);
  s.v = random_vec3(r, size);
  return s;
}

void random_numbers(rng *r, double size, double *x, int n) {
  for (int i = 0; i < n; i++) x[i] = uniform(r, -size, size);
}
