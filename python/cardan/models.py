"""Model files as Systems."""
import difflib
import os

from ._low import encode, ffi, lib, text
from .errors import failure, failure_of, need
from .forces import add

CONTACT = {'none': 'CDN_MODEL_NO_CONTACT', 'compliant': 'CDN_MODEL_COMPLIANT', 'soft': 'CDN_MODEL_SOFT',
           'file': 'CDN_MODEL_AS_FILE'}
EQUALITY = {'exact': 'CDN_MODEL_EXACT_EQUALITY', 'soft': 'CDN_MODEL_SOFT_EQUALITY'}
POOLS = {'q': lib.CDN_POOL_Q, 'u': lib.CDN_POOL_U, 'z': lib.CDN_POOL_Z}


def choice(table, given, what):
    if given not in table: raise ValueError(f'{what} is one of {", ".join(table)}, not {given!r}')
    return getattr(lib, table[given])


def unknown(what, name, known):
    """What to say of a name that is not there."""
    near = difflib.get_close_matches(str(name), known, 1)
    return f'there is no {what} {name!r}' + (f'; {near[0]!r} is there' if near else '')


def _options(contact='compliant', equality='exact', ground=False, strict=False, floating_base=False, keep_fixed=False,
             tree_only=False, armature=0.0):
    options = ffi.new('cdn_model_options *', lib.cdn_default_model_options())
    options.contact = choice(CONTACT, contact, 'contact')
    options.equality = choice(EQUALITY, equality, 'equality')
    options.strict, options.floating_base, options.keep_fixed = strict, floating_base, keep_fixed
    options.tree_only, options.armature = tree_only, armature
    if ground is not False:
        options.ground = True
        if ground is not True: options.ground_height = ground
    return options


def load(path, **options):
    """Reads a URDF or MJCF file, or a description that `cardan convert` wrote.

    Options: contact: "compliant", "soft" (MuJoCo's parameters), "file" or "none". equality: "exact", or "soft" as in
    MuJoCo. ground: a plane under the model, True or its height in m. strict: refuse what is not simulated. armature:
    least armature of joints, kg m^2 or kg; floating_base, keep_fixed, tree_only: as those of the command. Raises
    FileError, ParseError (with file and line), UnsupportedError. forces: forces of your own by name (cardan.force).
    """
    return Model('file', os.path.abspath(os.fsdecode(encode(path))), options)


def loads(contents, name='model', **options):
    """Reads a model from a text; `name` stands for the file in messages. Options as those of load."""
    if not isinstance(contents, (str, bytes)): raise TypeError('the contents of a model are a text')
    return Model('text', (contents.encode() if isinstance(contents, str) else contents, name), options)


class Model:
    """A model file in a System that never changes: threads and States share it. Made by `load` and `loads`.

    name; nq, nu, nz; bodies, joints, sensors, controls, keys: names; warnings, not_simulated: lists of texts.
    """

    def __init__(self, kind, source, options):
        self._source = (kind, source, options)
        options = dict(options)
        forces = options.pop('forces', None) or {}
        c_options = _options(**options)
        if kind == 'file': read = lambda out: lib.cdn_spec_load(encode(source), c_options, out)
        else: read = lambda out: lib.cdn_spec_load_string(source[0], len(source[0]), encode(source[1]), c_options, out)
        spec = self._made('cdn_spec', read)
        self._system = ffi.gc(need(lib.cdn_system_create(ffi.NULL)), lib.cdn_system_release)
        self._model = self._made('cdn_model', lambda out: lib.cdn_model_build(spec, c_options, self._system, out))
        self._forces = [add(self, self._system, name, given) for name, given in forces.items()]
        if status := lib.cdn_system_freeze(self._system): raise failure_of('cdn_system', self._system, status)
        self.nq, self.nu = lib.cdn_system_nq(self._system), lib.cdn_system_nu(self._system)
        self.nz = lib.cdn_system_nz(self._system)

    @staticmethod
    def _made(kind, make):
        """The object that a call of C makes, even if it fails: then it has the story."""
        out = ffi.new(kind + ' **')
        status = make(out)
        made = ffi.gc(out[0], getattr(lib, kind + '_destroy')) if out[0] != ffi.NULL else None
        if not status: return made
        raise failure(status) if made is None else failure_of(kind, made, status)

    def joint(self, name):
        """The joint's cdn_model_joint."""
        i = lib.cdn_model_find_joint(self._model, encode(name))
        if i < 0: raise KeyError(unknown('joint', name, self.joints))
        return lib.cdn_model_get_joint(self._model, i)

    def body(self, name):
        """The body's cdn_body."""
        body = lib.cdn_model_find_body(self._model, encode(name))
        if body.i < 0: raise KeyError(unknown('body', name, self.bodies))
        return body

    @property
    def name(self): return text(lib.cdn_model_name(self._model))
    @property
    def path(self): return self._source[1] if self._source[0] == 'file' else None
    @property
    def bodies(self):
        return [text(lib.cdn_body_name(self._system, lib.cdn_model_body(self._model, i)))
                for i in range(lib.cdn_model_body_count(self._model))]
    @property
    def joints(self):
        return [text(lib.cdn_model_get_joint(self._model, i).name)
                for i in range(lib.cdn_model_joint_count(self._model))]
    @property
    def controls(self):
        return [text(lib.cdn_control_name(self._system, ffi.new('cdn_control *', [i])[0]))
                for i in range(lib.cdn_system_control_count(self._system))]
    @property
    def measures(self):
        return [text(lib.cdn_measure_name(self._system, ffi.new('cdn_measure *', [i])[0]))
                for i in range(lib.cdn_system_measure_count(self._system))]
    @property
    def keys(self):
        return [text(lib.cdn_model_key_name(self._model, i)) for i in range(lib.cdn_model_key_count(self._model))]
    @property
    def warnings(self):
        return [text(lib.cdn_model_warning(self._model, i)) for i in range(lib.cdn_model_warning_count(self._model))]
    @property
    def not_simulated(self):
        count = lib.cdn_model_not_understood_count(self._model)
        notes = [lib.cdn_model_not_understood(self._model, i) for i in range(count)]
        return [f'{text(note.element)} (line {note.line})' for note in notes]

    def slots(self, pool):
        """Names of the slots of "q", "u" or "z"."""
        count = {'q': self.nq, 'u': self.nu, 'z': self.nz}[pool]
        room, found = ffi.new('char[256]'), []
        for i in range(count):
            lib.cdn_system_slot_name(self._system, POOLS[pool], i, room, 256)
            found.append(text(room))
        return found

    def units(self, pool):
        """Units of the slots of "q" or "u": "rad", "m", "" (numbers of a quaternion), "rad/s", "m/s"."""
        count = {'q': self.nq, 'u': self.nu}[pool]
        found = [''] * count
        for i in range(lib.cdn_model_joint_count(self._model)):
            joint = lib.cdn_model_get_joint(self._model, i)
            units = text(joint.units)
            n, first = (joint.nq, joint.first_q) if pool == 'q' else (joint.nu, joint.first_u)
            for k in range(n): found[first + k] = _unit(units, pool, k, n)
        return found

    def state(self, key=None):
        """A new State with default values, or those of a keyframe."""
        from .states import State
        return State(self, key)

    def __repr__(self):
        return f'<cardan.Model {self.name!r}: {len(self.bodies)} bodies, {self.nq} q, {self.nu} u, {self.nz} z>'

    def __reduce__(self):
        return (Model, self._source)

    def __deepcopy__(self, memo):
        return self  # it never changes

    def __copy__(self):
        return self


def _unit(units, pool, k, n):
    if units.startswith('quaternion'):
        turns = 4 if pool == 'q' else 3
        if k < turns: return '' if pool == 'q' else 'rad/s'
        return 'm' if pool == 'q' else 'm/s'
    parts = [part.strip() for part in units.split(',')]
    unit = parts[k] if len(parts) == n else parts[0]
    return unit if pool == 'q' or not unit else unit + '/s'
