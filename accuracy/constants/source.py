"""Named constants of src/: what the source says of them.

A constant is known by its room, its name and its value as the source spells it, not by its file and line: code moves
between the files of a room."""
import os
import re

TYPES = r'(?:double|float|int|size_t|unsigned|int32_t|int64_t|uint32_t|uint64_t)'
DECLARATION = re.compile(r'\bstatic const (' + TYPES + r') ((?:[^;{}()\[\]*]|\((?:[^;{}()]|\([^()]*\))*\)|\*)+?);')
DEFINE = re.compile(r'^[ ]*#define (\w+) (\(?-?[0-9][^\n]*|\(?-?\.[0-9][^\n]*)$', re.M)
ENUM = re.compile(r'\benum (?:\w+ )?\{([^{}]*)\}')
NAMED = re.compile(r'^\s*([A-Za-z_]\w*)\s*=\s*(.*\S)\s*$', re.S)


class Place:
    """One place in the source where a constant gets its value."""

    def __init__(self, path, kind, name, value, begin, end):
        self.path, self.kind, self.name, self.value = path, kind, name, ' '.join(value.split())
        self.begin, self.end = begin, end  # of the whole declaration
        self.room = path.split(os.sep)[0]

    @property
    def key(self):
        return self.room, self.name, self.value


def without_comments(text):
    """The same text with blanks in place of comments and strings."""
    blank = lambda m: re.sub(r'[^\n]', ' ', m.group(0))
    return re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', blank, text, flags=re.S)


def at_commas(text):
    parts, depth = [''], 0
    for c in text:
        depth += (c in '({[') - (c in ')}]')
        if c == ',' and depth == 0:
            parts.append('')
        else:
            parts[-1] += c
    return parts


def files_of(src):
    for folder, folders, names in os.walk(src):
        folders.sort()
        for name in sorted(names):
            if name.endswith(('.c', '.h')):
                yield os.path.relpath(os.path.join(folder, name), src)


def places_in(path, text):
    text = without_comments(text)
    for m in DECLARATION.finditer(text):
        for part in at_commas(m.group(2)):
            named = NAMED.match(part)
            if named and '*' not in part.split('=')[0]:
                yield Place(path, m.group(1), named.group(1), named.group(2), m.start(), m.end())
    for m in DEFINE.finditer(text):
        if not m.group(1).startswith('_'):  # of the C library
            yield Place(path, 'define', m.group(1), m.group(2), m.start(), m.end())
    for m in ENUM.finditer(text):
        for part in at_commas(m.group(1)):
            named = NAMED.match(part)
            if named and re.search(r'(?<!\w)\d', named.group(2)) and named.group(1) == named.group(1).upper():
                yield Place(path, 'enum', named.group(1), named.group(2), m.start(), m.end())


def all_places(src):
    places = []
    for path in files_of(src):
        with open(os.path.join(src, path), encoding='utf-8') as f:
            places += places_in(path, f.read())
    return places
