"""The binding itself, and how texts and arrays of C become Python's."""
import os
import sys

import numpy

# Symbols of the 60 shared libraries behind ours are looked up when they are called, not all at once.
_flags = sys.getdlopenflags()
sys.setdlopenflags(os.RTLD_LAZY)
try: from ._binding import ffi, lib
finally: sys.setdlopenflags(_flags)

FLOAT, DOUBLES = numpy.dtype(numpy.float64), ffi.typeof('double[]')

__all__ = ['array', 'doubles', 'encode', 'ffi', 'fill', 'given', 'lib', 'numbers', 'text', 'version', 'view',
           'within', 'Working']


def version() -> str:
    """The version of the library that runs, such as "0.1.0"."""
    number = lib.cdn_version()
    return f'{number // 1000000}.{number // 1000 % 1000}.{number % 1000}'


def text(chars):
    """A text of C, "" for NULL."""
    return ffi.string(chars).decode('utf-8', 'replace') if chars != ffi.NULL else ''


def encode(name):
    if not isinstance(name, (str, bytes)) and not hasattr(name, '__fspath__'):
        raise TypeError(f'a name is a str, not {type(name).__name__}')
    return os.fsencode(name)


def within(pointer, owner):
    """A pointer to what the owner has, which keeps the owner alive."""
    return ffi.gc(pointer, lambda _, owner=owner: None)


def view(pointer, n, owner):
    """The n numbers at a pointer that stay there as long as the owner: read-only, and the owner lives on in it."""
    if n == 0: return numpy.empty(0)
    return numpy.frombuffer(memoryview(ffi.buffer(within(pointer, owner), 8 * n)).toreadonly(), dtype=numpy.float64)


def array(pointer, n):
    """A copy of n numbers."""
    made = numpy.empty(n)
    if n: ffi.memmove(made, pointer, 8 * n)
    return made


class Working:
    """What is at work in C, and does not go to other processes."""

    def __reduce__(self):
        raise TypeError(f'a cardan.{type(self).__name__} cannot be pickled or copied: its model and its States can')


def numbers(values, shape, what):
    """Numbers for C: a C-contiguous array of float64 of this shape. Reals of any kind are converted, others refused."""
    made = numpy.asarray(values)
    if made.dtype.kind not in 'fiub':
        raise TypeError(f'{what}: real numbers are needed, not {made.dtype}')
    made = numpy.ascontiguousarray(made, dtype=numpy.float64)
    if made.shape != shape: raise ValueError(f'{what}: shape {shape} is needed, not {made.shape}')
    return made


def fill(out, shape, what):
    """`out`, or a new array of this shape, to be written by C."""
    if out is None: return numpy.empty(shape)
    if not isinstance(out, numpy.ndarray) or out.dtype != numpy.float64 or not out.flags.c_contiguous:
        raise TypeError(f'{what}: out must be a C-contiguous array of float64')
    if not out.flags.writeable: raise ValueError(f'{what}: out is read-only')
    if out.shape != shape: raise ValueError(f'{what}: out must have shape {shape}, not {out.shape}')
    return out


def doubles(made):
    """The address of an array for C; it must be C-contiguous."""
    return ffi.from_buffer(DOUBLES, made)


def given(values, shape, what):
    """Numbers for C: the address of an array of this shape."""
    if type(values) is not numpy.ndarray or values.dtype is not FLOAT or values.shape != shape or \
            not values.flags.c_contiguous: values = numbers(values, shape, what)
    return ffi.from_buffer(DOUBLES, values)
