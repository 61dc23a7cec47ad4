"""The one reading of the public headers. The binding of Python and its stubs, docs/functions.md, the lists of symbols,
and the tests that look at the interface are made of it.

    from headers import read
    reading = read(ROOT)                    # or read_texts({name: text})
    reading.functions['cdn_norm'].doc

Run as a program it prints lists:

    headers.py ROOT symbols                 # what the library exports, one name a line
    headers.py ROOT declarations            # C that cffi understands

A comment belongs to what follows it without an empty line, and to what stands directly below that; a comment that
begins with a < belongs to what it stands behind.
"""
import dataclasses
import pathlib
import re
import sys

ATTRIBUTES = re.compile(r'\bCDN_(?:API|NODISCARD|BEGIN_DECLS|END_DECLS|PRINTF\([^)]*\))|\bstatic inline\b')


@dataclasses.dataclass
class Variable:
    """A parameter or a member: its type, with * for each pointer, its name, and the lengths of its array."""
    type: str
    name: str
    lengths: list = dataclasses.field(default_factory=list)
    doc: str = ''


@dataclasses.dataclass
class Item:
    """What a header declares. kind: "function", "callback" (the type of a function), "struct", "handle" (a struct
    whose members nobody sees), "enum", "constant" (a variable of the library) or "number" (a macro).

    returns, parameters: of functions and callbacks. members: of structs; of enums: Variables whose type is their
    number. behind: a function that takes sizes of structs for an inline one. text: the declaration for cffi."""
    kind: str
    name: str
    header: str
    doc: str = ''
    text: str = ''
    returns: str = ''
    parameters: list = dataclasses.field(default_factory=list)
    members: list = dataclasses.field(default_factory=list)
    exported: bool = False
    behind: bool = False
    place: tuple = (0, 0)  # of the members of a struct within the header's text


def parts(text, separator=','):
    """What separators separate outside of brackets."""
    found, depth, part = [], 0, ''
    for c in text:
        depth += (c in '({[') - (c in ')}]')
        if c == separator and depth == 0:
            found.append(part.strip())
            part = ''
        else:
            part += c
    return found + [part.strip()]


# ---- macros of base.h

def expand(text):
    """The text of headers without the macros of base.h that declare pairs of functions (CDN_DEF, CDN_SIZED, ...): each
    is replaced by the exported function, and the inline one that calls it."""
    def pair(attribute, kind, name, parameters, sizes):
        inside = parameters[1:-1]
        return (f'CDN_API {kind} {name}_sized({inside}, {sizes}) {attribute};\n'
                f'static inline {attribute} {kind} {name}({inside}) {{ }}')

    def replace(m):
        macro, a = m.group(1), parts(' '.join(m.group(2).split()))
        if macro == 'CDN_DEF': a += ['cdn_default_' + a[0], f'cdn_{a[0]}_init']
        if macro in ('CDN_DEF', 'CDN_DEF_PAIR'):
            return f'CDN_API void {a[2]}(void *def, size_t size);\nstatic inline cdn_{a[0]} {a[1]}(void) {{ }}'
        if macro == 'CDN_SIZED': return pair('CDN_NODISCARD', 'cdn_status', a[0], a[1], 'size_t struct_size')
        if macro == 'CDN_SIZED_VOID': return pair('', 'void', a[0], a[1], 'size_t struct_size')
        if macro == 'CDN_SIZED_VALUE':
            return (f'CDN_API void {a[1]}_sized({a[2][1:-1]}, {a[0]} *out, size_t struct_size);\n'
                    f'static inline {a[0]} {a[1]}{a[2]} {{ }}')
        return pair(a[0], a[1], a[3], a[4], a[6][1:-1])

    return re.sub(r'^(CDN_DEF(?:_PAIR)?|CDN_SIZED\w*)\(((?:[^;])*)\);', replace, text, flags=re.M)


def without_comments(text):
    return re.sub(r'/\*.*?\*/', '', text, flags=re.S)


# ---- comments and declarations

def words(comment):
    """The sentences of a comment, without what makes it one."""
    inside = re.sub(r'^/\*[*<]*|\*/$', '', comment)
    return ' '.join(re.sub(r'^\s*\*(?!\S*\*)', '', line).strip() for line in inside.split('\n')).strip()


def pieces(text, start=0):
    """[declaration, its comment, begin, end] in their order. A declaration ends at a semicolon outside of braces, or at
    the brace that closes an inline function. One without a
    comment that stands directly below another shares the comment above that."""
    found, own, shared, at = [], '', '', start
    while at < len(text):
        if text[at].isspace():
            if text.startswith('\n\n', at): own = shared = ''
            at += 1
        elif text.startswith('/*', at):
            end = text.index('*/', at) + 2
            if not text.startswith('/**<', at): own, shared = words(text[at:end]), ''
            elif found: found[-1][1] = ' '.join(filter(None, [found[-1][4], words(text[at:end])]))
            at = end
        else:
            begin, depth = at, 0
            while True:
                if text.startswith('/*', at): at = text.index('*/', at) + 2
                depth += (text[at] in '{(') - (text[at] in '})')
                at += 1
                if depth == 0 and (text[at - 1] == ';' or
                                   text[at - 1] == '}' and text.startswith('static inline', begin)): break
            shared = own or shared
            found.append([text[begin:at], shared, begin, at, own])
            own = ''
    return [piece[:4] for piece in found]


def variable(text, doc=''):
    """'const double a[6]' -> Variable('const double', 'a', ['6'])."""
    text = ' '.join(text.split())
    # a pointer to a function or to an array
    if m := re.match(r'(.*?)\(\s*\*\s*(?:const )?(\w*)((?:\[\w*\])*)\s*\)\s*((?:\(|\[).*)$', text):
        return Variable(f'{m.group(1).strip()} (*){m.group(4)}', m.group(2), [], doc)
    m = re.match(r'(.*?)(\w+)((?:\[[^\]]*\])*)$', text)
    if not m or m.group(1).strip() in ('', 'const', 'struct'): return Variable(text, '', [], doc)
    kind = re.sub(r'\s*(\*+)$', r' \1', m.group(1).strip())
    return Variable(kind, m.group(2), re.findall(r'\[([^\]]*)\]', m.group(3)), doc)


def parameters_of(text):
    inside = text.strip()[1:-1].strip()
    return [] if inside in ('void', '') else [variable(part) for part in parts(inside)]


def members_of(text):
    """The members of a struct; those of one declaration have its comment."""
    found = []
    for declared, doc, _, _ in pieces(text.replace('CDN_DEF_HEADER', 'uint32_t struct_size')):
        first, *others = parts(' '.join(without_comments(declared).rstrip(';').split()))
        first = variable(first, doc)
        if first.name == 'struct_size' and not doc: first.doc = 'The size of the struct, in bytes.'
        found.append(first)
        for other in others:
            base = first.type.rstrip('* ') + ' ' if '(*)' not in first.type else ''
            found.append(variable(base + other, doc))
    return found


def constants_of(text, statuses):
    found, doc, number = [], '', 0
    if 'CDN_STATUS_LIST' in text: return [Variable(code, 'CDN_' + name, [], doc) for name, code, doc in statuses]
    for m in re.finditer(r'(/\*.*?\*/)|(\w+)(\s*=\s*([^,/]+?))?\s*(,|(?=\s*(?:/\*.*?\*/)?\s*$))', text, flags=re.S):
        if m.group(1):
            if m.group(1).startswith('/**<') and found: found[-1].doc = words(m.group(1))
            else: doc = words(m.group(1))
            continue
        value = m.group(4) or (str(number) if isinstance(number, int) else f'{number}')
        found.append(Variable(value.strip(), m.group(2), [], doc))
        try: number = int(value, 0) + 1
        except ValueError: number = f'({value}) + 1'
        doc = ''
    return found


class Reading:
    """headers: {name: [Item]}; functions, callbacks, structs, handles, enums, constants, numbers: {name: Item}."""

    def __init__(self, texts):
        self.texts, self.headers = texts, {}
        every = '\n'.join(texts.values())
        self._statuses = re.findall(r'X\((\w+),\s*(-?\d+)\s*,\s*"([^"]*)"\)', every)
        for name, text in texts.items(): self.headers[name] = self._items(name, expand(text))
        for kind, attribute in (('function', 'functions'), ('callback', 'callbacks'), ('struct', 'structs'),
                                ('handle', 'handles'), ('enum', 'enums'), ('constant', 'constants'),
                                ('number', 'numbers')):
            setattr(self, attribute, {item.name: item for items in self.headers.values() for item in items
                                      if item.kind == kind})
        for name in set(self.handles) & set(self.structs): del self.handles[name]

    def _items(self, header, text):
        found = []
        first = text.index('*/') + 2 if text.startswith('/*') else 0
        body = re.sub(r'^#define(?:.*\\\n)*.*$|^ *#.*$', lambda m: re.sub(r'[^\n]', ' ', m.group()), text, flags=re.M)
        for m in re.finditer(r'^#define (CDN_\w+) \(?(-?[\d.]+)\)?(?: +/\*\*< (.*?) \*/)?$', text, flags=re.M):
            found.append(Item('number', m.group(1), header, m.group(3) or '', '', m.group(2)))
        body = re.sub(r'^CDN_(BEGIN|END)_DECLS$', lambda m: ' ' * len(m.group()), body, flags=re.M)
        for declared, doc, begin, _ in pieces(body, first):
            found += self._items_of(header, declared, doc, begin)
        behind = {item.name for item in found if item.behind}
        for item in found:
            if item.name + '_sized' in behind or item.name.replace('cdn_default_', 'cdn_') + '_init' in behind:
                item.behind = False
        return found

    def _items_of(self, header, declared, doc, begin):
        plain = ' '.join(ATTRIBUTES.sub('', without_comments(declared)).split())
        if plain in ('', ';') or plain.startswith('CDN_STATIC_ASSERT'): return []
        make = lambda kind, name, **more: Item(kind, name, header, doc, **more)
        if m := re.match(r'typedef (struct|enum) (\w+) \{', plain):
            open_, close = declared.index('{') + 1, declared.rindex('}')
            item = make('struct' if m.group(1) == 'struct' else 'enum', m.group(2), text=plain,
                        place=(begin + open_, begin + close))
            inside = declared[open_:close]
            item.members = members_of(inside) if item.kind == 'struct' else constants_of(inside, self._statuses)
            if item.kind == 'struct': item.text = plain.replace('CDN_DEF_HEADER', 'uint32_t struct_size')
            else: item.text = f'typedef enum {item.name} {{ {_constants(item)} }} {item.name};'
            return [item]
        if m := re.match(r'enum \{', plain):
            item = make('enum', 'enum ' + re.search(r'\w+', plain[6:]).group())
            item.members = constants_of(declared[declared.index('{') + 1:declared.rindex('}')], self._statuses)
            item.text = f'enum {{ {_constants(item)} }};'
            return [item]
        if m := re.match(r'typedef struct (\w+) (\w+);', plain): return [make('handle', m.group(2), text=plain)]
        if m := re.match(r'extern (const \w+) (.*);', plain):
            return [make('constant', name, text=f'extern {m.group(1)} {name};', returns=m.group(1), exported=True)
                    for name in parts(m.group(2))]
        if m := re.match(r'(typedef )?(.*?)\b(\w+)\s*(\(.*\))\s*(?:\{.*\}|;)$', plain, flags=re.S):
            kind, returns, name = 'callback' if m.group(1) else 'function', m.group(2).strip(), m.group(3)
            return [make(kind, name, returns=returns, parameters=parameters_of(m.group(4)),
                         text=f'{m.group(1) or ""}{returns} {name}{m.group(4)};',
                         exported=bool(re.match(r'CDN_API\b', declared)),
                         behind=bool(re.search(r'(_init|_sized)$', name)))]
        raise SystemExit(f'headers.py: {header}: what does this declare? {plain[:120]}')

    def __iter__(self):
        return (item for items in self.headers.values() for item in items)

    @property
    def public(self):
        """Names of the functions that programs call, inline ones included."""
        return [item.name for item in self.functions.values() if not item.behind]

    @property
    def symbols(self):
        """What the library exports: functions and constants."""
        return sorted(item.name for item in self if item.exported)

    @property
    def defs(self):
        """Structs that begin with their size and have defaults."""
        return [item for item in self.structs.values() if 'cdn_default_' + item.name[4:] in self.functions]

    def declarations(self):
        """All that the headers declare, as C that cffi understands: numbers by their values."""
        out = []
        lengths = {item.name: item.returns for item in self.numbers.values()}
        lengths.update({c.name: c.type for item in self.enums.values() for c in item.members})
        for item in self:
            if item.kind == 'number':
                if '.' not in item.returns: out.append(f'#define {item.name} {item.returns}')
                continue
            number = lambda m: re.sub(r'\bCDN_\w+', lambda c: lengths[c.group()], m.group())
            text = re.sub(r'\[[^\[\]]*\]', number, item.text)
            text = re.sub(r'\[([\d ]+(?:\* *[\d ]+)+)\]', lambda m: '[%d]' % _product(m.group(1)), text)
            out.append(re.sub(r'\bconst (int32_t \(\*\w+\)\[)', r'\1', text))  # cffi 1.15 writes faulty C for these
        return '\n'.join(out) + '\n'


def _product(text):
    made = 1
    for factor in text.split('*'): made *= int(factor)
    return made


def _constants(item):
    return ', '.join(f'{c.name} = {c.type}' for c in item.members)


def read_texts(texts):
    """The reading of headers by their texts, {name: text}, in the order in which they need each other."""
    return Reading(texts)


def order(root):
    """The names of the headers, each behind those that it includes."""
    include, found = pathlib.Path(root) / 'include/cardan', []

    def put(name):
        for other in re.findall(r'#include <cardan/(\w+\.h)>', (include / name).read_text()):
            if other not in found and other != name: put(other)
        if name not in found: found.append(name)

    put('cardan.h')
    return found


def read(root):
    """The reading of all public headers of a source tree."""
    include = pathlib.Path(root) / 'include/cardan'
    return Reading({name: (include / name).read_text() for name in order(root)})


if __name__ == '__main__':
    reading = read(sys.argv[1])
    print('\n'.join(reading.symbols) if sys.argv[2] == 'symbols' else reading.declarations())
