"""Models: Systems that files describe, or programs build."""
from __future__ import annotations

import functools
import os

from . import structs
from ._low import encode, ffi, lib, text
from ._methods import Adders
from .errors import failure, failure_of, need
from .structs import Element, unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, List, Optional, Tuple, Union

    from ._methods import Numbers, Path, Pool
    from .states import State
    from .tables import Table

POOL_NAMES: Tuple[Pool, Pool, Pool] = ('q', 'u', 'z')
POOLS = {'q': lib.CDN_POOL_Q, 'u': lib.CDN_POOL_U, 'z': lib.CDN_POOL_Z}


def pool_of(name):
    if name not in POOL_NAMES: raise ValueError(f'a pool is "q", "u" or "z", not {name!r}')
    return name


class Slots:
    """Where a joint's coordinates and speeds are: q[first_q] to q[first_q + nq - 1]; its cdn_body."""
    __slots__ = ('body', 'first_q', 'nq', 'first_u', 'nu')

    def __init__(self, body: Any, first_q: int, nq: int, first_u: int, nu: int) -> None:
        self.body, self.first_q, self.nq, self.first_u, self.nu = body, first_q, nq, first_u, nu

    def __repr__(self):
        return f'<q[{self.first_q}:{self.first_q + self.nq}], u[{self.first_u}:{self.first_u + self.nu}]>'


def load(path: Path, **options: Any) -> Model:
    """Reads a URDF or MJCF file, or a description that `cardan convert` wrote.

    Options are the members of cdn_model_options, such as contact: "compliant", "soft" (MuJoCo's parameters),
    "rigid", "as_file" or "no_contact"; equality: "exact_equality", "soft_equality"; strict: refuse what is not simulated;
    armature: least armature of joints, kg m^2 or kg. ground: a plane under the model, True or its height in m.
    building: the model is not frozen yet; elements are added by its methods. Raises FileError, ParseError (with file
    and line), UnsupportedError.
    """
    return Model._read('file', os.path.abspath(os.fsdecode(encode(path))), options)


def loads(contents: Union[str, bytes], name: str = 'model', **options: Any) -> Model:
    """Reads a model from a text; `name` stands for the file in messages. Options as those of load."""
    if not isinstance(contents, (str, bytes)): raise TypeError('the contents of a model are a text')
    return Model._read('text', (contents.encode() if isinstance(contents, str) else contents, name), options)


class Model(Adders):
    """A System. `load` and `loads` read one; `Model()` is empty, and its methods add elements:

        model = cardan.Model("pendulum")
        bob = model.add_body("bob", mobilizer="pin", X_BM=[0, 1, 0], mass=(2, [0, 0, 0], [0.1, 0.1, 0.1]))
        model.add_gravity("gravity", [0, -9.81, 0])

    The methods are the functions of C that take a System to build, without "cdn_system_"; members of defs and ops are
    keywords. Each returns an Element. Names do as well. The first State freezes the model: from then on it never
    changes, and threads and States share it.

    name; nq, nu, nz; bodies, joints, controls, measures, keys: names; warnings, not_simulated: lists of texts.
    """

    def __init__(self, name: Optional[str] = None) -> None:
        self._begin('new', name, {})

    @classmethod
    def _read(cls, kind, source, options):
        made = cls.__new__(cls)
        made._begin(kind, source, options)
        if not options.get('building'): made.freeze()
        return made

    def _begin(self, kind, source, options):
        self._source, self._calls, self._own, self._held, self._model = (kind, source, options), [], None, [], None
        self._frozen, self._slots = False, None
        if kind == 'new':
            writer = structs.Writer(ffi.NULL)  # it keeps what the def points to
            how = writer.filled('cdn_system_def', {'name': source})
            self._system = ffi.gc(need(lib.cdn_system_create(how)), lib.cdn_system_release)
            return
        writer = structs.Writer(ffi.NULL)
        how = writer.filled('cdn_model_options', _options(**options))
        if kind == 'file': read = lambda out: lib.cdn_spec_load(encode(source), how, out)
        else: read = lambda out: lib.cdn_spec_load_string(source[0], len(source[0]), encode(source[1]), how, out)
        spec = self._made('cdn_spec', read)
        self._system = ffi.gc(need(lib.cdn_system_create(ffi.NULL)), lib.cdn_system_release)
        self._model = self._made('cdn_model', lambda out: lib.cdn_model_build(spec, how, self._system, out))

    @staticmethod
    def _made(kind, make):
        """The object that a call of C makes, even if it fails: then it has the story."""
        out = ffi.new(kind + ' **')
        status = make(out)
        made = ffi.gc(out[0], getattr(lib, kind + '_destroy')) if out[0] != ffi.NULL else None
        if not status: return made
        raise failure(status) if made is None else failure_of(kind, made, status)

    # ---- building

    def _add(self, method, function, positional, keywords):
        """Calls a function that builds. What was added is kept as a description, unless it has functions of Python."""
        made, writer = structs.call(function, self._system, self._system, positional, keywords,
                                    functools.partial(self._private, positional, keywords))
        error = ffi.new('cdn_error *')
        lib.cdn_system_last_error(self._system, error)
        if error.code: raise failure_of('cdn_system', self._system)
        self._held += writer.objects
        if writer.functions or any(getattr(each, 'own', False) for each in writer.objects):
            self._own = self._own or f'{method} {(positional or [keywords.get("name", "")])[0]!r}'
        else:
            import copy  # few need it, and then NumPy's time of import is short
            self._calls.append((method, copy.deepcopy(positional), copy.deepcopy(keywords)))
        kind = ffi.typeof(made) if isinstance(made, ffi.CData) else None
        return Element(structs.named(kind)[4:], made.i) if kind and structs.is_id(kind) else None

    def _private(self, positional, keywords, writer):
        """What functions of Python find themselves by: a pointer, which C copies, to an object that the model keeps."""
        from .callbacks import Held
        given = {**keywords, **{k: v for each in keywords.values() if isinstance(each, dict) for k, v in each.items()}}
        sizes = {name: value for name, value in given.items() if isinstance(value, int)}
        sizes['n_params'] = len(given.get('params', ()))
        self._held.append(ffi.new_handle(Held(self, writer.functions, sizes)))
        return writer.keep(ffi.new('void **', self._held[-1]))

    def follow_table(self, table: Union[Table, Path], linear: bool = False) -> List[str]:
        """Lets joints move as the columns of a table, or of its file: natural cubic splines through its rows, or
        straight lines. Columns are called as joints are, or as Run.save calls them; those in degrees become radians.
        Returns the names of the columns that are followed."""
        from .tables import Table, opened, read_table
        given = table if isinstance(table, Table) else read_table(table)
        how, of_c = structs.Writer(ffi.NULL).filled('cdn_follow_def', {'linear': linear}), opened(given)
        used = ffi.new('bool[]', len(given.names))
        status = lib.cdn_system_follow_table(self._system, of_c, how, used, ffi.NULL)
        if status: raise failure_of('cdn_system', self._system, status)
        self._calls.append(('follow_table', (given, linear), {}))
        return [name for name, is_used in zip(given.names, used) if is_used]

    def freeze(self) -> Model:
        """Checks the model and finishes it: nothing can be added from then on. Returns the model."""
        if self._frozen: return self
        if status := lib.cdn_system_freeze(self._system): raise failure_of('cdn_system', self._system, status)
        self._frozen = True
        self._nq, self._nu, self._nz = (getattr(lib, f'cdn_system_n{pool}')(self._system) for pool in 'quz')
        self._slots = {}
        for i in range(1, lib.cdn_system_body_count(self._system)):
            body = ffi.new('cdn_body *', [i])[0]
            numbers = [getattr(lib, f'cdn_body_{n}')(self._system, body) for n in ('first_q', 'nq', 'first_u', 'nu')]
            if numbers[3]: self._slots[text(lib.cdn_body_mobilizer_name(self._system, body))] = Slots(body, *numbers)
        return self

    # ---- elements

    def joint(self, name: str) -> Slots:
        """Where a joint's coordinates and speeds are: body, first_q, nq, first_u, nu."""
        found = self.freeze()._slots.get(name)
        if found is None: raise KeyError(unknown('joint', name, self._slots))
        return found

    def body(self, name: Union[str, Element]) -> Any:
        """The body's cdn_body."""
        if isinstance(name, Element):
            return ffi.new('cdn_body *', [structs.Writer(self._system).id('cdn_body', name)])[0]
        find = lib.cdn_model_find_body if self._model else lib.cdn_system_find_body
        body = find(self._model or self._system, encode(name))
        if body.i < 0 and name == 'Ground': body.i = 0
        if body.i < 0: raise KeyError(unknown('body', name, self.bodies))
        return body

    @property
    def nq(self) -> int:
        """The number of coordinates."""
        return self.freeze()._nq
    @property
    def nu(self) -> int:
        """The number of speeds."""
        return self.freeze()._nu
    @property
    def nz(self) -> int:
        """The number of auxiliary states."""
        return self.freeze()._nz

    @property
    def name(self) -> str:
        """The name of the model."""
        return text(lib.cdn_model_name(self._model) if self._model else lib.cdn_system_name(self._system))
    @property
    def path(self) -> Optional[str]:
        """The file that it was read from; None if there is none."""
        return self._source[1] if self._source[0] == 'file' else None
    @property
    def joints(self) -> List[str]:
        """The names of the joints that move."""
        return list(self.freeze()._slots)
    @property
    def bodies(self) -> List[str]:
        """The names of the bodies, without Ground."""
        if not self._model: return structs.elements(self._system, 'body')[1:]
        return [text(lib.cdn_body_name(self._system, lib.cdn_model_body(self._model, i)))
                for i in range(lib.cdn_model_body_count(self._model))]
    @property
    def controls(self) -> List[str]:
        """The names of the control inputs."""
        return structs.elements(self._system, 'control')
    @property
    def measures(self) -> List[str]:
        """The names of the measures, those of sensors among them."""
        return structs.elements(self._system, 'measure')

    @property
    def keys(self) -> List[str]:
        """The names of the keyframes of the file."""
        return self._list('key', lambda i: text(lib.cdn_model_key_name(self._model, i)))
    @property
    def warnings(self) -> List[str]:
        """What the reader of the file warns of."""
        return self._list('warning', lambda i: text(lib.cdn_model_warning(self._model, i)))
    @property
    def not_simulated(self) -> List[str]:
        """What is in the file and is not simulated, with its line."""
        notes = self._list('not_understood', lambda i: lib.cdn_model_not_understood(self._model, i))
        return [f'{text(note.element)} (line {note.line})' for note in notes]

    def _list(self, what, each):
        """Of a model that was read; others have none."""
        return [each(i) for i in range(getattr(lib, f'cdn_model_{what}_count')(self._model))] if self._model else []

    def _size(self, pool):
        self.freeze()
        return {'q': self._nq, 'u': self._nu, 'z': self._nz}[pool_of(pool)]

    def slots(self, pool: Pool) -> List[str]:
        """Names of the slots of "q", "u" or "z"."""
        room, found = ffi.new('char[256]'), []
        for i in range(self._size(pool)):
            lib.cdn_system_slot_name(self._system, POOLS[pool], i, room, 256)
            found.append(text(room))
        return found

    def units(self, pool: Pool) -> List[str]:
        """Units of the slots of "q", "u" or "z": "rad", "m", "rad/s", "m/s"; "" for numbers of a quaternion, for z, and
        where only a function of yours knows."""
        found = [''] * self._size(pool)
        for slots in self._slots.values() if pool in 'qu' else ():
            first, n = (slots.first_q, slots.nq) if pool == 'q' else (slots.first_u, slots.nu)
            for k in range(n): found[first + k] = text(lib.cdn_body_unit(self._system, slots.body, POOLS[pool], k))
        return found

    def table(self) -> List[Tuple[str, str]]:
        """Rows of names and units of all coordinates, speeds and auxiliary states: [(name, unit)]."""
        return [row for pool in POOL_NAMES for row in zip(self.slots(pool), self.units(pool))]

    def state(self, key: Optional[str] = None) -> State:
        """A new State with default values, or those of a keyframe."""
        from .states import State
        return State(self, key)

    def __repr__(self):
        if not self._frozen: return f'<cardan.Model {self.name!r}, not frozen yet: {len(self.bodies)} bodies>'
        return f'<cardan.Model {self.name!r}: {len(self.bodies)} bodies, {self.nq} q, {self.nu} u, {self.nz} z>'

    def _repr_html_(self):
        return html_table(self.name, ('slot', 'unit'), self.table())

    # ---- copies

    def __reduce__(self):
        if self._own:
            raise TypeError(f'a model with functions of Python cannot be pickled, and {self._own} has one: pickle what '
                            'builds the model, and States by State.save()')
        return (_restored, (*self._source, self._calls, self._frozen))

    def __copy__(self): return self.__deepcopy__({})

    def __deepcopy__(self, memo):
        if self._frozen: return self  # it never changes
        rebuild, arguments = self.__reduce__()
        return rebuild(*arguments)


def _options(ground=False, building=False, **members):
    if ground is not False:
        members['ground'] = True
        if ground is not True: members['ground_height'] = ground
    return members


def _restored(kind, source, options, calls, frozen):
    made = Model.__new__(Model)
    made._begin(kind, source, options)
    for method, positional, keywords in calls: getattr(made, method)(*positional, **keywords)
    return made.freeze() if frozen else made


def html_table(title, heads, rows):
    import html
    cells = lambda tag, row: ''.join(f'<{tag}>{html.escape(str(cell))}</{tag}>' for cell in row)
    return (f'<table><caption>{html.escape(title)}</caption><tr>{cells("th", heads)}</tr>' +
            ''.join(f'<tr>{cells("td", row)}</tr>' for row in rows) + '</table>')


class Function:
    """A function of a few numbers for mobilizers, constraints and controls: f(x) or f(x, y, ...), with derivatives.

    A function of Python returns its value, or (value, first, second, third derivatives) as far as they are needed.
    `polynomial`, `linear`, `constant` and `spline` make those that C has.
    """

    def __init__(self, f: Callable[..., Any], inputs: int = 1) -> None:
        if not callable(f): raise TypeError('a function is needed')
        from .callbacks import Held
        writer = structs.Writer(ffi.NULL)
        self.own, self._made_by = True, None
        ops = writer.filled('cdn_function_ops', {'n_inputs': inputs, 'calc': f, 'name': getattr(f, '__name__', 'f')})
        self._handle = ffi.new_handle(Held(Model, writer.functions, {'n_inputs': inputs}))
        ops.self_size = ffi.sizeof('void *')
        self._hold(lib.cdn_function_create(ops, ffi.new('void **', self._handle)))

    def _hold(self, pointer):
        self._pointer = ffi.gc(need(pointer), lib.cdn_function_release)

    @classmethod
    def _of(cls, kind, *arguments):
        made = cls.__new__(cls)
        made.own, made._made_by, given = False, (kind, arguments), [list(map(float, a)) if hasattr(a, '__len__') else
                                                                   float(a) for a in arguments]
        count = () if kind == 'constant' else (len(given[0]),)
        if kind == 'natural_spline' and len(given[0]) != len(given[1]): raise ValueError('x and y have the same length')
        pointer = getattr(lib, 'cdn_function_' + kind)(*count, *given)
        if pointer == ffi.NULL:
            raise ValueError(f'{kind}: {arguments!r} make none: numbers must be finite, a spline has two points or '
                             'more, and its x ascend')
        made._hold(pointer)
        return made

    @classmethod
    def constant(cls, c: float) -> Function:
        """c."""
        return cls._of('constant', c)
    @classmethod
    def linear(cls, a: Numbers, c: float = 0.0) -> Function:
        """a[0] x[0] + a[1] x[1] + ... + c."""
        return cls._of('linear', a, c)
    @classmethod
    def polynomial(cls, a: Numbers) -> Function:
        """Of one variable; the coefficient of its highest power is the first."""
        return cls._of('polynomial', a)
    @classmethod
    def spline(cls, x: Numbers, y: Numbers) -> Function:
        """The natural cubic spline through (x[i], y[i])."""
        return cls._of('natural_spline', x, y)

    def __call__(self, *x: float) -> float:
        if len(x) != lib.cdn_function_n_inputs(self._pointer): raise TypeError('another number of inputs is needed')
        out = ffi.new('cdn_function_result *')
        status = lib.cdn_function_calc(self._pointer, [float(each) for each in x], 0, out)
        if status: raise failure(status)
        return out.value

    def __reduce__(self):
        if self.own: raise TypeError('a function of Python cannot be pickled')
        return (_function, self._made_by)

    def __deepcopy__(self, memo): return self  # it never changes


def _function(kind, arguments): return Function._of(kind, *arguments)
