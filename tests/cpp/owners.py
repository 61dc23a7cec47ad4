"""owners.py SOURCE_ROOT: every object that a function of the library frees has an owner in <cardan/cardan.hpp>, and the
example in C++ is as short as the page says."""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
sys.path.insert(0, str(root / 'tools'))
import headers
mistakes = []
owned = (root / 'include/cardan/cardan.hpp').read_text()
for item in headers.read(root).functions.values():
    if item.returns == 'void' and re.search(r'_(destroy|release)$', item.name) and f'{{ {item.name}(p); }}' not in owned:
        mistakes.append(f'{item.header}: {item.name} has no owner in cardan.hpp: add a give_back to its list')

lines = len((root / 'examples/double_pendulum.cpp').read_text().splitlines())
said = re.search(r'energies and CSV, in (\d+)\s+lines', (root / 'docs/cpp.md').read_text())
if not said or int(said[1]) != lines: mistakes.append(f'docs/cpp.md: examples/double_pendulum.cpp has {lines} lines')

print('\n'.join(mistakes) or 'everything that is freed has an owner')
sys.exit(1 if mistakes else 0)
