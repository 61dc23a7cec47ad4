#!/usr/bin/env python3
"""docs/adding.md names every place that a new kind needs. Each recipe has a sample, a kind that is there. The files of
the library and of the command that name the sample are those of the recipe, neither more nor fewer; the tests and pages
of the recipe name it, too. Programs that make one from outside are examples, which are built and run.

    adding.py ROOT
"""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])

# By heading: how sources write the sample, and what a program calls to make one.
recipes = {
    'A mobilizer': (r'\bCDN_SCREW\b|X\(SCREW\b|\bscrew\.h\b|\bscrew_place\b', 'cdn_custom_mobilizer_ops'),
    'A force': (r'global_damper|GLOBAL_DAMPER', 'cdn_force_ops'),
    'A constraint': (r'constant_angle|CONSTANT_ANGLE|constrain_angle|`\.\.\._angle`', 'cdn_system_constrain_custom'),
    'A contact law': (r'\bLAW_EXPONENTIAL\b', 'cdn_system_add_contact_law'),
    'A shape': (r"\bCDN_(GEOMETRY|SHAPE)_CYLINDER\b|X\(CYLINDER, cylinder\) *\\|cdni_kind_cylinder|'cylinder\.c'",
                'cdn_surface_create_custom'),
    'A soft element': (r"SOFT_ELEMENT_LOSS|X\(LOSS, loss\)|soft_element_loss|friction_loss_def\b|'friction_loss\.c'",
                       'cdn_declare_rows'),
    'A measure': (r"sinusoid_measure|sinusoid_kind|'sinusoid\.c'", 'cdn_system_add_custom_measure'),
    'A sensor': (r'CDN_SENSOR_SUBTREE_MOMENTUM|X\(SUBTREE_MOMENTUM|subtreeangmom', 'cdn_system_add_custom_measure'),
    'An element of a file': (r"mjcf_read_camera|MJCF_CAMERA|'mjcf_camera\.c'", None),
    'A layer of marks': (r'LAYER_CONES|marks_cones|"cones"|/\* cones \*/', '.decorate'),
    'A method': (r"METHOD_BOGACKI_SHAMPINE|cdni_bogacki_shampine|'bogacki_shampine\.c'", None),
    'A subcommand': (r"command_speed|'speed\.c'", None),
}
# Files that use a sample, and would not use a new kind.
uses = {
    'A shape': {'src/contact/point_pairs.c',  # MuJoCo has a rule of its own for cylinders on planes
                'src/render/renderer.c'},     # its rods are cylinders
}

page = (root / 'docs/adding.md').read_text()
sections = dict(re.findall(r'^## ([^\n]*)\n(.*?)(?=^## |\Z)', page, flags=re.M | re.S))
sources = {str(path.relative_to(root)): path.read_text()
           for top in ('include', 'src', 'apps/cardan') for path in sorted((root / top).rglob('*'))
           if path.suffix in ('.c', '.h', '.build')}
examples = (root / 'examples/meson.build').read_text()

mistakes = [f'docs/adding.md: the recipe "{name}" is missing' for name in recipes if name not in sections]
mistakes += [f'tests/unit/adding.py: what is the sample of "{name}"?' for name in sections if name not in recipes]
for name in recipes.keys() & sections.keys():
    sample, outside = recipes[name]
    text, where = sections[name], f'docs/adding.md, {name}'
    word = re.search(r'^Sample: `<?(\w+)>?`', text, flags=re.M)
    if not word:
        mistakes.append(f'{where}: it has no line "Sample: `NAME`"')
        continue
    named = set()
    for row in re.findall(r'^\| (`.*?) \|', text, flags=re.M):
        named |= set(re.findall(r'`([\w./-]+)`', row))
    library = {path for path in named if path.split('/')[0] in ('include', 'src', 'apps')}
    found = {path for path, source in sources.items() if re.search(sample, source)} - uses.get(name, set())
    mistakes += [f'{where}: {path} has the sample, and no row' for path in sorted(found - library)]
    mistakes += [f'{where}: {path} does not have the sample' for path in sorted(library - found)]
    loose = sample + '|' + word[1].replace('_', '[_ -]')
    for path in sorted(named - library):
        if not (root / path).exists() or not re.search(loose, (root / path).read_text(), flags=re.I):
            mistakes.append(f'{where}: {path} does not have the sample')
    # programs
    for test in re.findall(r'`(?:unit|property|peers)_(test_\w+)`', text):
        if not any(root.glob(f'tests/*/{test}.c*')) and not (root / f'tests/property/matrix/{test}.c').exists():
            mistakes.append(f'{where}: there is no {test}')
    programs = re.findall(r'`examples/(\w+)\.c`', text)
    if outside and not programs:
        mistakes.append(f'{where}: it names no example')
    for program in programs:
        path = root / f'examples/{program}.c'
        if not path.exists() or f"'{program}'" not in examples:
            mistakes.append(f'{where}: examples/{program}.c is not there, or is not in examples/meson.build')
    if outside and not any(outside in (root / f'examples/{program}.c').read_text() for program in programs):
        mistakes.append(f'{where}: no example of it calls {outside}')

assert len(sources) > 500, 'sources are not where this program looks'
print('\n'.join(mistakes) or f'{len(recipes)} recipes have all places of their samples')
sys.exit(bool(mistakes))
