#!/usr/bin/env python3
"""Makes docs/functions.md of the public headers: of what their first comments list under "I want to", in the order of
core.h, then by the subjects of cardan.h.

    make_functions.py ROOT [--check]

--check writes nothing, and fails if the document is not what the headers say, or a header does not list its functions.
"""
import pathlib
import re
import sys
import textwrap

root = pathlib.Path(sys.argv[1])
sys.path.insert(0, str(root / 'tools'))
import headers

include = root / 'include/cardan'
reading = headers.read(root)
page = root / 'docs/functions.md'
mistakes = []


def link(text):
    return re.sub(r'\bdocs/([\w-]+\.md)', r'[\1](\1)', text)


class Header:
    def __init__(self, name):
        text = reading.texts[name]
        declared = [item for item in reading.headers[name] if item.kind == 'function']
        self.name = name
        self.functions = [item.name for item in declared if not item.behind]
        self.behind = [item.name for item in declared if item.behind]
        comment = '\n'.join(re.sub(r'^ \* ?', '', line) for line in text[2:text.index('*/')].split('\n'))
        about, _, tasks = comment.partition('\nI want to\n')
        about = re.split(r'(?<=\.)\s', ' '.join(about.split()).replace('Cardan: ', '', 1) + ' ', maxsplit=1)[0]
        self.about = about.rstrip('.:')
        self.tasks = []
        for task in re.split(r'\n(?=  \S)', '\n' + tasks.rstrip())[1:] or []:
            m = re.fullmatch(r'(.*): (cdn_\w+(?:, cdn_\w+)*)', ' '.join(task.split()))
            if m: self.tasks.append((m.group(1), m.group(2).split(', ')))
            else:
                mistakes.append(f'{name}: after "I want to" a line says what, a colon, and names of functions: '
                                + task.strip())
        listed = [f for _, names in self.tasks for f in names]
        mistakes.extend(f'{name}: {f} is missing in what its first comment lists after "I want to"'
                        for f in self.functions if f not in listed)
        mistakes.extend(f'{name}: its first comment lists {f}, which it does not declare'
                        for f in listed if f not in self.functions)

    def rows(self):
        yield '| I want to | function |'
        yield '|---|---|'
        for what, names in self.tasks:
            yield '| %s | %s |' % (link(what), ', '.join('`%s`' % name for name in names))


def groups():
    """[(subject, [headers])]: the core, then the subjects of cardan.h."""
    core = re.findall(r'#include <cardan/(\w+\.h)>', (include / 'core.h').read_text())
    found = [('The core', core)]
    for line in (include / 'cardan.h').read_text().split('*/', 1)[1].split('\n'):
        if m := re.match(r'/\* (.*) \*/$', line): found.append((m.group(1), []))
        elif (m := re.match(r'#include <cardan/(\w+\.h)>', line)) and m.group(1) != 'core.h':
            found[-1][1].append(m.group(1))
    missing = {p.name for p in include.glob('*.h')} - {h for _, hs in found for h in hs} - {'core.h', 'cardan.h'}
    mistakes.extend(f'cardan.h: {name} is missing among its subjects' for name in sorted(missing))
    return [(subject, [Header(name) for name in names]) for subject, names in found]


def document(groups):
    first, rest = groups[0], groups[1:]
    out = ['# All functions', '', '<!-- Made by docs/make_functions.py of the public headers. -->', '',
           'Each row completes the sentence "I want to ...". The headers in `include/cardan/` say units, frames, stage,',
           'cost and errors. A first program needs the core: `#include <cardan/core.h>`. Everything else has headers by',
           'subject; `cardan/cardan.h` includes all. [words.md](words.md) translates from Simbody, MuJoCo, Pinocchio,',
           'Drake and OpenSim.', '',
           '| subject | headers |', '|---|---|']
    anchor = lambda name: '[%s](#%s)' % (name[:-2], name.replace('.', ''))
    for subject, headers in groups:
        out.append('| %s | %s |' % (subject, ' · '.join(anchor(h.name) for h in headers)))
    out += ['| Other languages | [sizes of structs](#call-from-another-language) |']
    for subject, headers in groups:
        out += ['', '## ' + subject]
        if headers is first[1]:
            out += ['', '`#include <cardan/core.h>`']
        for h in headers:
            about = link(h.about[:1].upper() + h.about[1:] + '.')
            out += ['', '### ' + h.name, '', *textwrap.wrap(about, 118, break_on_hyphens=False), '', *h.rows()]
    out += ['', '## Call from another language', '',
            'The inline functions of the headers pass the sizes of structs to these functions; a binding passes its own',
            '([abi.md](abi.md)). `cdn_default_NAME()` calls `cdn_NAME_init`; any other function calls the one of its name',
            'with `_sized`.', '', '| header | functions |', '|---|---|']
    for _, headers in groups:
        for h in headers:
            if h.behind: out.append('| %s | %s |' % (h.name, ', '.join('`%s`' % name for name in h.behind)))
    return '\n'.join(out) + '\n'


made = document(groups())
if sys.argv[2:] != ['--check']: page.write_text(made)
elif page.read_text() != made:
    mistakes.append('docs/functions.md is not what the headers say: python3 docs/make_functions.py . makes it')
print('\n'.join(mistakes) or 'docs/functions.md is what the headers say')
sys.exit(1 if mistakes else 0)
