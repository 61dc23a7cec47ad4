"""Failures of the library as exceptions: one class a status, each with the story."""
from __future__ import annotations

import threading

from ._low import ffi, lib, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Error(Exception):
    """A failure of the library.

    status: the number of the status; name: such as "CDN_ERR_STEP"; function: the public function that failed; element:
    the name of the element that it is about, or ""; stage: the name of the stage that was being realized; value: the
    offending number, or 0; advice: what to do, or "". report: of a run that failed, the members of cdn_failure (time,
    step, coordinate, last_time, last_step, last_error, advice; docs/failure-reports.md); else None.
    """

    report: Any = None

    def __init__(self, message: str, status: int = 0, function: str = '', element: str = '', stage: str = '',
                 value: float = 0.0, recoverable: bool = False) -> None:
        super().__init__(message)
        self.status, self.function, self.element, self.stage = status, function, element, stage
        self.value, self.recoverable = value, recoverable

    @property
    def name(self) -> str:
        """The name of the status, such as "CDN_ERR_ARG"."""
        return text(lib.cdn_status_name(self.status))

    @property
    def advice(self) -> str:
        """What to try."""
        if self.report is not None: return self.report.advice
        return text(lib.cdn_status_advice(self.status))

    def __reduce__(self):
        return (type(self), (self.args[0], self.status, self.function, self.element, self.stage, self.value,
                             self.recoverable), {'report': self.report})


# One class a status. Where Python has an exception of the same meaning, ours is one of that, too.
class OutOfMemoryError(Error, MemoryError): pass
class ArgumentError(Error, ValueError): pass
class VersionError(Error): pass
class FrozenError(Error): pass
class NonfiniteError(Error, ValueError): pass
class CycleError(Error): pass
class UndeclaredError(Error): pass
class SingularError(Error, ArithmeticError): pass
class StepError(Error): pass
class CallbackError(Error): pass
class FileError(Error, OSError): pass
class ParseError(Error, ValueError): pass
class UnsupportedError(Error, NotImplementedError): pass
class LimitError(Error): pass
class ChatterError(Error): pass
class ConstraintError(Error): pass
class NotFrozenError(Error): pass

_classes = {
    lib.CDN_ERR_NOMEM: OutOfMemoryError,
    lib.CDN_ERR_ARG: ArgumentError,
    lib.CDN_ERR_VERSION: VersionError,
    lib.CDN_ERR_FROZEN: FrozenError,
    lib.CDN_ERR_NONFINITE: NonfiniteError,
    lib.CDN_ERR_CYCLE: CycleError,
    lib.CDN_ERR_UNDECLARED: UndeclaredError,
    lib.CDN_ERR_SINGULAR: SingularError,
    lib.CDN_ERR_STEP: StepError,
    lib.CDN_ERR_CALLBACK: CallbackError,
    lib.CDN_ERR_FILE: FileError,
    lib.CDN_ERR_PARSE: ParseError,
    lib.CDN_ERR_UNSUPPORTED: UnsupportedError,
    lib.CDN_ERR_LIMIT: LimitError,
    lib.CDN_ERR_CHATTER: ChatterError,
    lib.CDN_ERR_CONSTRAINT: ConstraintError,
    lib.CDN_ERR_NOT_FROZEN: NotFrozenError,
}
for _status, _class in _classes.items(): _class.__doc__ = text(lib.cdn_status_text(_status))

# What functions of Python have raised while the library called them, by thread, until the call comes out with it; and
# whether the library knows: it may make another attempt then. A function without a status cannot tell it.
_raised = {}


def remember(exception, told=True):
    if _raised.get(threading.get_ident(), (None, True))[1]: _raised[threading.get_ident()] = exception, told


def raised_here():
    """What a function of Python has raised in this thread since the last call, and whether it told; or None."""
    return _raised.pop(threading.get_ident(), None)


def raised_by(status):
    """What the call that ends with this status has to raise: what was raised in this thread, or in threads that the
    library has started for it. None: nothing. After a call that succeeds, only what the library does not know."""
    if not _raised: return None
    found = [raised_here()]
    own = {thread.ident for thread in threading.enumerate()}  # Python's
    for ident in [ident for ident in list(_raised) if ident not in own]:
        if status == lib.CDN_ERR_CALLBACK or not _raised[ident][1]: found.append(_raised.pop(ident, None))
    return next((exception for exception, told in filter(None, reversed(found)) if status or not told), None)


def failure(status, error=None):
    """The exception for a status, with the thread's last error unless another is given."""
    if raised := raised_by(status): return raised
    if error is None or not error.code:
        error = ffi.new('cdn_error *')
        lib.cdn_last_error(error)
    message = text(error.text) or text(lib.cdn_status_text(status))
    element = text(error.element)
    if element and element not in message: message = f'{element}: {message}'
    return _classes.get(status, Error)(message, status, text(error.function), element,
                                       text(lib.cdn_stage_name(error.stage)), error.value, error.recoverable)


def failure_of(kind, thing, status=0):
    """The exception for the last failure that an object of a kind, such as "cdn_state", tells of itself."""
    error = ffi.new('cdn_error *')
    getattr(lib, kind + '_last_error')(thing, error)
    return failure(status or error.code, error)


def failure_of_run(stepper, status):
    """The exception for what a run has failed with, and its report."""
    from .structs import read
    report = ffi.new('cdn_failure *')
    lib.cdn_stepper_failure(stepper, report)
    made = failure(status, ffi.new('cdn_error *', report.error))
    if isinstance(made, Error): made.report = read(report[0])
    return made


def callback(function, failed=lib.CDN_ERR_CALLBACK):
    """Makes a function the one of its name that C calls; what it raises ends the call of the library, unchanged.
    failed: what C gets then; None: the function returns nothing."""
    told, result = failed == lib.CDN_ERR_CALLBACK, {} if failed is None else {'error': failed}
    return ffi.def_extern(onerror=lambda kind, raised, trace: remember(raised, told), **result)(function)


def check(status):
    """Raises unless the status is CDN_OK and all functions of Python could say what they raised."""
    if status: raise failure(status)
    if _raised and (raised := raised_by(status)): raise raised


def need(pointer):
    """The pointer; raises what went wrong if it is NULL."""
    if pointer == ffi.NULL:
        error = ffi.new('cdn_error *')
        lib.cdn_last_error(error)
        raise failure(error.code or lib.CDN_ERR_ARG, error)
    return pointer
