"""Failures of the library as exceptions: one class a status, each with the story."""
import threading

from ._low import ffi, lib, text

# Where Python has an exception of the same meaning, ours is one of that, too.
_LIKE = {'NOMEM': ('OutOfMemoryError', MemoryError), 'ARG': ('ArgumentError', ValueError),
         'VERSION': ('VersionError', None), 'FROZEN': ('FrozenError', None),
         'NONFINITE': ('NonfiniteError', ValueError), 'CYCLE': ('CycleError', None),
         'UNDECLARED': ('UndeclaredError', None),
         'SINGULAR': ('SingularError', ArithmeticError), 'STEP': ('StepError', None),
         'CALLBACK': ('CallbackError', None), 'FILE': ('FileError', OSError), 'PARSE': ('ParseError', ValueError),
         'UNSUPPORTED': ('UnsupportedError', NotImplementedError), 'LIMIT': ('LimitError', None),
         'CHATTER': ('ChatterError', None), 'CONSTRAINT': ('ConstraintError', None),
         'NOT_FROZEN': ('NotFrozenError', None)}


class Error(Exception):
    """A failure of the library.

    status: the number of the status; name: such as "CDN_ERR_STEP"; function: the public function that failed; element:
    the name of the element that it is about, or ""; stage: the name of the stage that was being realized; value: the
    offending number, or 0; advice: what to do, or "".
    """

    def __init__(self, message, status=0, function='', element='', stage='', value=0.0, recoverable=False):
        super().__init__(message)
        self.status, self.function, self.element, self.stage = status, function, element, stage
        self.value, self.recoverable = value, recoverable

    @property
    def name(self):
        return text(lib.cdn_status_name(self.status))

    @property
    def advice(self):
        return text(lib.cdn_status_advice(self.status))

    def __reduce__(self):
        return (type(self), (str(self), self.status, self.function, self.element, self.stage, self.value,
                             self.recoverable))


_classes = {}
for _key, (_name, _like) in _LIKE.items():
    _status = getattr(lib, 'CDN_ERR_' + _key)
    _classes[_status] = type(_name, (Error, _like) if _like else (Error,),
                             {'__doc__': text(lib.cdn_status_text(_status)), '__module__': __name__})
    globals()[_name] = _classes[_status]

__all__ = ['Error', *(name for name, _ in _LIKE.values())]

# What functions of Python have raised while the library called them, by thread, until the call comes out with it.
_raised = {}


def remember(exception):
    _raised[threading.get_ident()] = exception


def raised_by(status):
    """What the call that ends with this status has to raise: what was raised in this thread, or, if functions of Python
    have ended it, in threads that the library has started for it. None: nothing."""
    if not _raised: return None
    found = _raised.pop(threading.get_ident(), None)
    if status == lib.CDN_ERR_CALLBACK:
        own = {thread.ident for thread in threading.enumerate()}  # Python's
        for ident in [ident for ident in list(_raised) if ident not in own]:
            found = _raised.pop(ident, None) or found
    return found


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


def callback(function, failed=lib.CDN_ERR_CALLBACK):
    """Makes a function the one of its name that C calls; what it raises ends the call of the library, unchanged.
    failed: what C gets then; None: the function returns nothing."""
    result = {} if failed is None else {'error': failed}
    return ffi.def_extern(onerror=lambda kind, raised, trace: remember(raised), **result)(function)


def check(status):
    """Raises unless the status is CDN_OK."""
    if status: raise failure(status)
    if _raised: _raised.pop(threading.get_ident(), None)  # of an attempt that was made again


def need(pointer):
    """The pointer; raises what went wrong if it is NULL."""
    if pointer == ffi.NULL:
        error = ffi.new('cdn_error *')
        lib.cdn_last_error(error)
        raise failure(error.code or lib.CDN_ERR_ARG, error)
    return pointer
