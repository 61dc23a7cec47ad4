#!/usr/bin/env python3
"""Every public function and member has a comment, with units and lifetimes. comments.py ROOT

- A function or a member has a comment, or stands directly below one and shares its comment. A member may also be named
  in the comment of its struct. Known without: what cdn_default_NAME does, the number in an id, the count n_NAMES.
- A member that is a number of double precision, or made of such, has a unit, or a word that says what else it is: its
  own comment tells, or that of its struct. A function that takes or returns such numbers: its own comment tells, or
  the first comment of its header.
- A pointer has a lifetime. That of a function's result: its own comment tells, or the first comment of its header. That
  of a member of a struct that is no def: its own comment tells, or that of its struct. What a def points to is copied
  (base.h), but a `void *`: its comment says whose it is.
"""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
sys.path.insert(0, str(root / 'tools'))
import headers

SYMBOL = r'(?:kg|m|s|rad|N|J|W|Pa|K|e|nm|ps|Da|kJ|pixels?|degrees?|MiB|bytes?)'
UNIT = re.compile(rf'(?<![\w.])(?:1/)?{SYMBOL}(?:[ */^]+(?:{SYMBOL}|mol|\d))*(?![\w(])')
OTHER = re.compile(r'\b(?:SI|units?|ratios?|factors?|numbers?|coefficients?|weights?|weighted|relative|accurac(?:y|ies)|'
                   r'fractions?|parts?|directions?|quaternions?|rotations?|frames?|transforms?|spatial|vectors?|scale[sd]?|times|'
                   r'probabilit(?:y|ies)|exponents?|orders?|colours?|rgba?|normals?|axis|axes|cosines?|'
                   r'parameters?|errors?|tolerances?|divided|0 to 1)\b', re.I)
LIFETIME = re.compile(r'\b(?:valid|static storage|as long as|liv(?:es?|ing)|belongs?|release[sd]?|destroy(?:s|ed)?|references?|cop(?:y|ied|ies)|'
                      r'retain(?:s|ed)?|owns?|frees?|until|returns `\w+`|keeps?|during|pass(?:es|ed)|its first argument)\b', re.I)
NUMBERS = re.compile(r'(?:const )?(?:double|cdn_vec3|cdn_transform|cdn_spatial|cdn_mass_properties|cdn_inertia)\b(?!.*\(\*\))')
reading = headers.read(root)
defs = {item.name for item in reading.defs}
mistakes = []


def say(item, what): mistakes.append(f'{item.header}: {item.name}: {what}')


def has_unit(*comments): return any(UNIT.search(c) or OTHER.search(c) for c in comments)


for item in reading:
    about = headers.words(reading.texts[item.header].split('*/')[0] + '*/')
    if item.kind == 'enum':
        for constant in item.members:
            if not constant.doc and not item.doc and not constant.name.endswith('_COUNT'):
                say(item, f'{constant.name} has no comment')
    if item.kind in ('function', 'callback', 'constant') and not item.behind:
        if not item.doc and not item.name.startswith('cdn_default_'): say(item, 'there is no comment')
        numbers = item.returns == 'double' or any(NUMBERS.match(p.type) for p in item.parameters)
        if numbers and not has_unit(item.doc, about): say(item, 'no comment says the units of its numbers')
        if item.returns.endswith('*') and not LIFETIME.search(f"{item.doc} {about}"):
            say(item, 'no comment says how long what it returns lives, or who frees it')
    for member in item.members if item.kind == 'struct' else []:
        known = member.name == 'i' and len(item.members) == 1 or member.name.startswith('n_')
        if not member.doc and not known and not re.search(rf'\b{member.name}\b', item.doc):
            say(item, f'{member.name} has no comment')
        colour = re.search('rgb|background', member.name)
        if NUMBERS.match(member.type) and not colour and not has_unit(member.doc, item.doc):
            say(item, f'no comment says the unit of {member.name}')
        pointer = member.type.endswith('*') and (item.name not in defs or 'void' in member.type)
        pointer = pointer and '_fn *' not in member.type and member.type != 'const cdn_system *'
        if pointer and not LIFETIME.search(member.doc) and not LIFETIME.search(item.doc):
            say(item, f'no comment says how long {member.name} lives')

print('\n'.join(mistakes) or f'{len(reading.public)} functions and {sum(len(s.members) for s in reading.structs.values())} '
      'members have comments')
sys.exit(1 if mistakes else 0)
