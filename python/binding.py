"""What cffi compiles: the binding of the whole public interface, as the headers declare it.

Run as a program it writes the binding's C file: binding.py ROOT FILE.c
"""
import pathlib
import sys

import cffi

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / 'tools'))
import headers

# Functions of Python that the library calls; each finds its object by the context that it gets.
CALLBACKS = '''
extern "Python" cdn_status cardan_report(void *context, cdn_stepper *stepper, int attempt, int64_t row);
extern "Python" cdn_status cardan_keep(void *context, int attempt);
extern "Python" cdn_status cardan_pause(void *context, cdn_stepper *stepper, int attempt);
extern "Python" cdn_status cardan_calc_force(const void *self, cdn_state *state, cdn_forces *forces);
extern "Python" cdn_status cardan_calc_potential(const void *self, cdn_state *state, double *energy);
'''


def builder(root=ROOT, **compiling):
    ffi = cffi.FFI()
    ffi.cdef(headers.read(root).declarations())
    ffi.cdef(CALLBACKS)
    ffi.set_source('cardan._binding', '#include <cardan/cardan.h>', **compiling)
    return ffi


if __name__ == '__main__':
    builder(sys.argv[1]).emit_c_code(sys.argv[2])
