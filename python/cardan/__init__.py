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
from .assembly import Assembly
from .callbacks import Adder, Rows, Slopes
from .columns import Columns
from .contacts import Contacts, Sources
from .ensembles import Ensemble
from .errors import (ArgumentError, CallbackError, ChatterError, ConstraintError, CycleError, Error, FileError,
                     FrozenError, LimitError, NonfiniteError, NotFrozenError, OutOfMemoryError, ParseError,
                     SingularError, StepError, UndeclaredError, UnsupportedError, VersionError)
from .models import Function, Model, load, loads
from .runs import Certificate, Run, Stepper, simulate
from .states import State
from .structs import Element
from .sweeps import Sweep, sweep
from .tables import Table, TableWriter, read_table
from .views import Camera, View, view

__all__ = ['Adder', 'ArgumentError', 'Assembly', 'CallbackError', 'Camera', 'Certificate', 'ChatterError', 'Columns',
           'ConstraintError', 'Contacts', 'CycleError', 'Element', 'Ensemble', 'Error', 'FileError', 'FrozenError',
           'Function', 'LimitError', 'Model', 'NonfiniteError', 'NotFrozenError', 'OutOfMemoryError', 'ParseError',
           'Rows', 'Run', 'SingularError', 'Slopes', 'Sources', 'State', 'StepError', 'Stepper', 'Sweep', 'Table',
           'TableWriter', 'UndeclaredError', 'UnsupportedError', 'VersionError', 'View', 'ffi', 'lib', 'load', 'loads',
           'read_table', 'simulate', 'sweep', 'version', 'view']


__version__ = version()
