"""Failures of the library as exceptions: one class a status, each with the story."""
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

# What Python functions raised while the library called them: the innermost call that fails raises it unchanged.
_raised = []


def remember(exception):
    """Keeps what a callback raised, and returns the status that ends the call."""
    _raised.append(exception)
    return lib.CDN_ERR_CALLBACK


def failure(status, error=None):
    """The exception for a status, with the thread's last error unless another is given."""
    if status == lib.CDN_ERR_CALLBACK and _raised:
        raised = _raised.pop()
        _raised.clear()  # what attempts raised that were made again
        return raised
    if error is None:
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


def callback(function):
    """Makes a function the one of its name that C calls; what it raises ends the call of the library, unchanged."""
    return ffi.def_extern(error=lib.CDN_ERR_CALLBACK,
                          onerror=lambda kind, raised, trace: remember(raised) and None)(function)


def check(status):
    """Raises unless the status is CDN_OK."""
    if status: raise failure(status)


def need(pointer):
    """The pointer; raises what went wrong if it is NULL."""
    if pointer == ffi.NULL:
        error = ffi.new('cdn_error *')
        lib.cdn_last_error(error)
        raise failure(error.code or lib.CDN_ERR_ARG, error)
    return pointer
