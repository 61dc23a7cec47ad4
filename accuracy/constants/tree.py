"""A copy of the project in which constants can be scaled while a program runs, and in which costs can be counted.

Each constant is multiplied by a number of a table (those near 1: their distance from 1 is), which the environment
fills: CARDAN_SCALED=12:2 doubles constant 12. At its end a program appends a line to the file CARDAN_COUNTED: how many
basic blocks of the library ran, and which constants were read. Blocks are counted by what gcc's
-fsanitize-coverage=trace-pc calls: unlike time they are the same each time, on a busy machine, too."""
import filecmp
import os
import re
import shutil
import subprocess

import source

HEADER = '''
extern double cdni_scale[];
extern unsigned char cdni_scale_read[];
#define CDNI_SCALED(i, x) (cdni_scale_read[i] = 1, (x) * cdni_scale[i])
#define CDNI_SCALED_FROM_1(i, x) (cdni_scale_read[i] = 1, 1 + ((x) - 1) * cdni_scale[i])
#define CDNI_SCALED_INT(i, x) (cdni_scale_read[i] = 1, (int)((x) * cdni_scale[i] + 0.5))
'''

COUNTER = r'''
#include <stdio.h>
#include <stdlib.h>
#define NOT_COUNTED __attribute__((no_sanitize_coverage))
#define SEEN __attribute__((visibility("default")))
enum { CONSTANTS = %d };
SEEN double cdni_scale[CONSTANTS];
SEEN unsigned char cdni_scale_read[CONSTANTS];
static unsigned long long blocks;
SEEN void __sanitizer_cov_trace_pc(void);
NOT_COUNTED void __sanitizer_cov_trace_pc(void) { blocks++; }
NOT_COUNTED static void tell(void) {
  const char *path = getenv("CARDAN_COUNTED");
  FILE *to = path ? fopen(path, "a") : NULL;
  if (!to) return;
  fprintf(to, "%%llu", blocks);
  for (int i = 0; i < CONSTANTS; i++) {
    if (cdni_scale_read[i]) fprintf(to, " %%d", i);
  }
  fputs("\n", to);
  fclose(to);
}
NOT_COUNTED __attribute__((constructor)) static void begin(void) {
  const char *text = getenv("CARDAN_SCALED");
  int at;
  double by;
  for (int i = 0; i < CONSTANTS; i++) cdni_scale[i] = 1;
  if (text && sscanf(text, "%%d:%%lf", &at, &by) == 2 && at >= 0 && at < CONSTANTS) cdni_scale[at] = by;
  atexit(tell);
}
'''


def is_near_1(value):
    """Constants like 0.99 and 1.05 mean their distance from 1."""
    if not re.fullmatch(r'[0-9.]+', value):
        return value == '1 + 1e-9'
    return value != '1' and 0.85 <= float(value) <= 1.3


def scaled(number, value, whole):
    macro = 'CDNI_SCALED_INT' if whole else 'CDNI_SCALED_FROM_1' if is_near_1(value) else 'CDNI_SCALED'
    return f'{macro}({number}, {value})'


def with_named(text, places, number_of):
    """The file's text with its declarations replaced. Constants of a function stay variables; others become macros."""
    ends = {}
    for p in places:
        ends.setdefault((p.begin, p.end), []).append(p)
    for (begin, end), group in sorted(ends.items(), reverse=True):
        old = text[begin:end]
        wanted = [p for p in group if p.key in number_of]
        if not wanted:
            continue
        kind = group[0].kind
        line = text.rfind('\n', 0, begin) + 1
        local = begin > line and kind != 'define'
        new = ''
        if kind == 'enum':
            body = old
            for p in wanted:
                body, count = re.subn(r'\b' + p.name + r'\s*=[^,{}]*,?', '', body)
                assert count == 1, (p.path, p.name)
            new = '' if re.fullmatch(r'enum (\w+ )?\{[\s,]*\}', source.without_comments(body).strip()) else body + ';'
            end += text[end:].startswith(';')
        for p in group:
            whole = p.kind in ('enum', 'int', 'size_t')
            value = scaled(number_of[p.key], p.value, whole) if p.key in number_of else p.value
            if kind == 'enum':
                if p in wanted:
                    new += f'\n#undef {p.name}\n#define {p.name} {value}\n'
            elif local:
                new += f'const {kind} {p.name} = {value}; '
            else:
                new += f'\n#undef {p.name}\n#define {p.name} ({value})\n'
        text = text[:begin] + new + text[end:]
    return text


def with_bare(text, room, bare, number_of):
    for key in bare:
        if key[0] != room or key not in number_of or key[1] not in text:
            continue
        number = r'(?<![\w.])(?<!e-)' + re.escape(key[2]) + r'(?![\w.])'
        begin = re.search(number, key[1]).start()
        before, after = key[1][:begin], key[1][begin + len(key[2]):]
        text = text.replace(key[1], before + scaled(number_of[key], key[2], False) + after)
    return text


def add_flags(path, flags):
    """To the whole project, by its own build file: with c_args the compiler itself would be tried with them."""
    with open(path, encoding='utf-8') as f:
        text = f.read()
    first = text.index('add_project_arguments(')
    with open(path, 'w', encoding='utf-8') as f:
        f.write(text[:first] + f"add_project_arguments({flags}, language: 'c')\n" + text[first:])


def bring(new, old):
    """Moves a tree over another one, whose files keep their times where they have the same contents."""
    for folder, _, names in os.walk(new):
        there = os.path.join(old, os.path.relpath(folder, new))
        os.makedirs(there, exist_ok=True)
        for name in names:
            a, b = os.path.join(folder, name), os.path.join(there, name)
            if not os.path.exists(b) or not filecmp.cmp(a, b, shallow=False):
                os.replace(a, b)
    shutil.rmtree(new)


def make(root, to, numbered, bare):
    """Copies and patches; `numbered`: keys of constants in the order of their numbers. What was built before in the
    same folder is built again only where it has changed. Returns the folder of the build."""
    number_of = {key: i for i, key in enumerate(numbered)}
    final, to = to, to + '.new'
    shutil.rmtree(to, ignore_errors=True)
    skip = shutil.ignore_patterns('build', '.git', 'node_modules', '__pycache__')
    shutil.copytree(root, to, ignore=skip)
    src = os.path.join(to, 'src')
    for path in source.files_of(src):
        full = os.path.join(src, path)
        with open(full, encoding='utf-8') as f:
            text = f.read()
        new = with_named(text, source.places_in(path, text), number_of)
        new = with_bare(new, path.split(os.sep)[0], bare, number_of)
        if new != text:
            with open(full, 'w', encoding='utf-8') as f:
                f.write(new)
    with open(os.path.join(src, 'scaled.h'), 'w', encoding='utf-8') as f:
        f.write(HEADER)
    with open(os.path.join(src, 'core', 'scaled.c'), 'w', encoding='utf-8') as f:
        f.write(COUNTER % len(numbered))
    with open(os.path.join(src, 'core', 'meson.build'), 'a', encoding='utf-8') as f:
        f.write("cardan_sources += files('scaled.c')\n")
    header = os.path.join(final, 'src', 'scaled.h')
    add_flags(os.path.join(to, 'meson.build'), f"'-fsanitize-coverage=trace-pc', '-include', '{header}'")
    bring(to, final)
    build = os.path.join(final, 'build')
    if not os.path.exists(os.path.join(build, 'build.ninja')):
        subprocess.run(['meson', 'setup', build, final, '--buildtype=release', '-Doptimization=2', '-Dkernels=base',
                        '-Dtests=enabled', '-Dpeers=disabled', '-Dbench=disabled', '-Daccuracy=enabled',
                        '-Dview=disabled'], check=True, stdout=subprocess.DEVNULL)
    return build
