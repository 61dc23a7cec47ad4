"""One reading of the public headers: what the binding, its stubs and checks are made of.

The C preprocessor expands the headers. What remains is C without attributes, and inline functions without bodies:
declarations that cffi understands as they stand.
"""
import os
import pathlib
import re
import subprocess
import tempfile

# Macros that are no declarations. The compiler's own answers come from cffi's C file, which includes the real headers.
PLAIN = ['-DCDN_API=', '-DCDN_NODISCARD=', '-DCDN_PRINTF(a,b)=', '-D_Static_assert(...)=']
STANDARD = ['stdbool.h', 'stddef.h', 'stdint.h']


def preprocessed(root):
    """The text of cardan.h as the preprocessor leaves it, without the C library's headers."""
    include = pathlib.Path(root) / 'include'
    with tempfile.TemporaryDirectory() as empty:
        for name in STANDARD: (pathlib.Path(empty) / name).write_text('')
        command = [os.environ.get('CC', 'cc').split()[-1], '-E', '-P', '-nostdinc', '-undef',
                   '-D__STDC_VERSION__=201710L', '-I', empty, '-I', str(include), '-x', 'c', *PLAIN,
                   str(include / 'cardan/cardan.h')]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def without_bodies(text):
    """Inline functions become prototypes."""
    found, at = [], 0
    for m in re.finditer(r'\bstatic inline\b', text):
        if m.start() < at: continue
        found.append(text[at:m.start()])
        opening = text.index('{', m.end())
        found.append(' '.join(text[m.end():opening].split()) + ';')
        depth, at = 1, opening + 1
        while depth:
            depth += {'{': 1, '}': -1}.get(text[at], 0)
            at += 1
    return ''.join(found) + text[at:]


def declarations(root):
    """All that the headers declare, for cffi."""
    text = re.sub(r';(\s*;)+', ';', without_bodies(preprocessed(root)))
    return re.sub(r'\bconst (int32_t \(\*\w+\)\[)', r'\1', text)  # cffi 1.15 writes faulty C for these
