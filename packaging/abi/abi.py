"""The gate of the ABI: what programs of an earlier release rely on is still there.

    abi.py check SOURCE_ROOT    compares today's headers with packaging/abi/libcardan.abi.gz by abidiff
    abi.py keep SOURCE_ROOT     makes today's headers the ones to compare with: at a release that may break programs

What is compared are functions and structs as the headers declare them, in a library of empty functions that takes a
second to compile. That the library itself exports these symbols is tested elsewhere (exports.sh, symbols). The kept
file has no line numbers and no paths: it changes only with the interface.
"""
import gzip
import importlib.util
import pathlib
import shutil
import subprocess
import sys
import tempfile

verb, root = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
sys.path.insert(0, str(root / 'tools'))
import headers

KEPT = root / 'packaging/abi/libcardan.abi.gz'


def growing():
    """Structs to which a release may append members (docs/abi.md)."""
    spec = importlib.util.spec_from_file_location('tables', root / 'tests/abi/headers.py')
    tables = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tables)
    return [*tables.DEFS, *tables.OPS, *tables.RESULTS, *tables.GIVEN]


def empty_library(folder, include):
    """All functions and constants that the headers declare, empty; one more that takes every struct."""
    reading = headers.read(include.parent)
    lines = ['#include <cardan/cardan.h>']
    for item in reading:
        if not item.exported: continue
        if item.kind == 'constant': lines.append(f'{item.returns} {item.name};')
        else: lines.append(f'{item.text.rstrip(";")} {{ __builtin_trap(); }}')
    structs = ', '.join(f'{name} *p{i}' for i, name in enumerate(reading.structs))
    lines += [f'CDN_API void cdn_structs({structs});', f'void cdn_structs({structs}) {{}}']
    (folder / 'empty.c').write_text('\n'.join(lines) + '\n')
    subprocess.run(['cc', '-std=c17', '-g', '-O0', '-w', '-fPIC', '-shared', '-fvisibility=hidden', f'-I{include}', 'empty.c', '-o',
                    'libcardan.so', '-Wl,-soname,libcardan.so'], cwd=folder, check=True)
    return folder / 'libcardan.so'


def written(folder, include):
    kept = folder / 'libcardan.abi'
    subprocess.run(['abidw', '--no-corpus-path', '--no-comp-dir-path', '--no-show-locs', '--type-id-style', 'hash',
                    '--out-file', kept, empty_library(folder, include)], check=True)
    return kept


def difference(folder, include):
    """What abidiff says of the kept ABI and that of the headers in a folder: "" if programs go on running."""
    rules = folder / 'growing'
    rules.write_text(''.join(f'[suppress_type]\ntype_kind = struct\nname = {name}\nhas_data_member_inserted_at = end\n'
                             f'has_size_change = yes\n' for name in growing()))
    kept = folder / 'kept.abi'
    kept.write_bytes(gzip.decompress(KEPT.read_bytes()))
    done = subprocess.run(['abidiff', '--suppressions', rules, '--no-added-syms', kept, written(folder, include)],
                          capture_output=True, text=True)
    if done.returncode & 3: raise SystemExit(done.stdout + done.stderr)
    return done.stdout if done.returncode & 12 else ''


def with_change(change):
    """What the gate says of headers of which one text is replaced."""
    header, old, new = change
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        shutil.copytree(root / 'include', folder / 'include')
        text = (folder / 'include/cardan' / header).read_text()
        if text.count(old) != 1: raise SystemExit(f'abi.py: {header} does not have "{old}" once')
        (folder / 'include/cardan' / header).write_text(text.replace(old, new))
        return difference(folder, folder / 'include')


# A gate that lets everything pass, or nothing, is none.
PASS = {
    'a member is appended to a def': ('trajectory.h', '\n} cdn_trajectory_def;', '\n  double another; /**< of a later release */\n} cdn_trajectory_def;'),
    'a member is appended to a result': ('base.h', '\n} cdn_error;', '\n  int another; /**< of a later release */\n} cdn_error;'),
    'a function is added': ('matter.h', '\nCDN_END_DECLS\n#endif', '\nCDN_API int cdn_another(void);\nCDN_END_DECLS\n#endif'),
}
FAIL = {
    'a member is inserted into a def': ('trajectory.h', '\n  bool energies;', '\n  double another;\n  bool energies;'),
    'a value type grows': ('math.h', 'typedef struct cdn_vec3 { double x, y, z; } cdn_vec3;', 'typedef struct cdn_vec3 { double x, y, z, w; } cdn_vec3;'),
    'a parameter changes its type': ('math.h', 'cdn_rotation_axis_angle(cdn_vec3 axis, double angle)', 'cdn_rotation_axis_angle(cdn_vec3 axis, float angle)'),
    'a function is gone': ('math.h', 'CDN_API double cdn_norm(cdn_vec3 a);', ''),
}

if not shutil.which('abidiff'):
    print('there is no abidiff: install abigail-tools')
    sys.exit(77)
if verb == 'keep':
    with tempfile.TemporaryDirectory() as folder: KEPT.write_bytes(gzip.compress(written(pathlib.Path(folder), root / 'include').read_bytes(), mtime=0))
    sys.exit(0)
with tempfile.TemporaryDirectory() as folder: said = difference(pathlib.Path(folder), root / 'include')
if said: sys.exit(f'programs of the release before would not run (docs/abi.md):\n{said}')
for what, change in PASS.items():
    if said := with_change(change): sys.exit(f'the gate does not let pass: {what}\n{said}')
for what, change in FAIL.items():
    if not with_change(change): sys.exit(f'the gate lets pass: {what}')
print('programs of the release before run')
