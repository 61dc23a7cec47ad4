"""Cardan: simulation of jointed bodies in internal coordinates.

    import cardan
    model = cardan.load("humanoid.xml")
    run = cardan.simulate(model, 3, accuracy=1e-6)
    run.q["knee"]          # one row a report
    print(run.verdict)     # how accurate the run is, and how that is known

Numbers are plain SI: metres, radians, kilograms, seconds, newtons. `cardan.lib` has every function of the C interface,
`cardan.ffi` its types.
"""
from ._low import ffi, lib, version
from .columns import Columns
from .errors import (ArgumentError, CallbackError, ChatterError, ConstraintError, CycleError, Error, FileError,
                     FrozenError, LimitError, NonfiniteError, NotFrozenError, OutOfMemoryError, ParseError,
                     SingularError, StepError, UndeclaredError, UnsupportedError, VersionError)
from .models import Function, Model, load, loads
from .runs import Certificate, Event, Run, Stepper, simulate
from .states import State, Status
from .structs import Element
from .tables import Table, TableWriter, read_table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .assembly import Assembly
    from .callbacks import Adder, Rows, Slopes
    from .contacts import Contacts, Sources
    from .ensembles import Ensemble
    from .sweeps import Sweep, sweep
    from .views import Camera, View, view

# What many programs do not need is loaded when it is asked for: an import costs little more than NumPy's.
_LATER = {'Assembly': 'assembly', 'Adder': 'callbacks', 'Rows': 'callbacks', 'Slopes': 'callbacks',
          'Contacts': 'contacts', 'Sources': 'contacts', 'Ensemble': 'ensembles', 'Sweep': 'sweeps', 'sweep': 'sweeps',
          'Camera': 'views', 'View': 'views', 'view': 'views'}

__all__ = ['Adder', 'ArgumentError', 'Assembly', 'CallbackError', 'Camera', 'Certificate', 'ChatterError', 'Columns',
           'ConstraintError', 'Contacts', 'CycleError', 'Element', 'Ensemble', 'Error', 'Event', 'FileError', 'FrozenError',
           'Function', 'LimitError', 'Model', 'NonfiniteError', 'NotFrozenError', 'OutOfMemoryError', 'ParseError',
           'Rows', 'Run', 'SingularError', 'Slopes', 'Sources', 'State', 'Status', 'StepError', 'Stepper', 'Sweep', 'Table',
           'TableWriter', 'UndeclaredError', 'UnsupportedError', 'VersionError', 'View', 'ffi', 'lib', 'load', 'loads',
           'read_table', 'simulate', 'sweep', 'version', 'view']
__version__ = version()


if not TYPE_CHECKING:
    def __getattr__(name):
        if name not in _LATER: raise AttributeError(f'module {__name__!r} has no attribute {name!r}')
        import importlib
        globals()[name] = found = getattr(importlib.import_module('.' + _LATER[name], __name__), name)
        return found


def __dir__(): return sorted({*globals(), *_LATER})
