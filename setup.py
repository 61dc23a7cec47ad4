"""The Python package: `pip install --no-build-isolation .`, with Debian's python3-cffi, -numpy, -setuptools, -wheel.

It is linked with the library that pkg-config finds, or that CARDAN_PREFIX names. Without either, or with
CARDAN_PREFIX=none, the library is built here, by meson, and becomes a part of the package. So does the page of the
viewer, if `./run page` has made it or CARDAN_PAGE names it.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

from setuptools import setup
from setuptools.command.build_ext import build_ext

root = pathlib.Path(__file__).resolve().parent
base = (root / 'include/cardan/base.h').read_text()
version = '.'.join(re.findall(r'^#define CDN_VERSION_[A-Z]+ (\d+)$', base, flags=re.M))
sys.path.insert(0, str(root / 'python'))


def installed_library():
    """Folders of the headers and the library that is installed, or None."""
    if (prefix := os.environ.get('CARDAN_PREFIX')) == 'none': return None
    if prefix:
        folder = next(pathlib.Path(prefix).glob('lib*/**/libcardan.so')).parent
        return str(pathlib.Path(prefix) / 'include'), str(folder)
    ask = lambda what: subprocess.run(['pkg-config', f'--variable={what}', 'cardan'], capture_output=True,
                                      text=True).stdout.strip()
    return (ask('includedir'), ask('libdir')) if shutil.which('pkg-config') and ask('libdir') else None


def library_of_source(build):
    """Builds the library under `build`, and returns its folder."""
    if not (build / 'build.ninja').exists():
        subprocess.run(['meson', 'setup', str(build), str(root), '--buildtype=release', '-Dtests=disabled',
                        '-Dbench=disabled', '-Dpeers=disabled', '-Daccuracy=disabled'], check=True)
    subprocess.run(['ninja', '-C', str(build), f'libcardan.so.{version}'], check=True)
    return build


class BuildBinding(build_ext):
    def build_extension(self, extension):
        import binding
        package = pathlib.Path(self.get_ext_fullpath(extension.name)).parent
        package.mkdir(parents=True, exist_ok=True)
        reading = binding.read(root)
        (package / '_interface.py').write_text(binding.interface(reading))
        (package / '_methods.pyi').write_text(binding.signatures(reading))
        (package / 'data').mkdir(exist_ok=True)
        shutil.copy(root / 'examples/models/quadruped.xml', package / 'data')
        found = installed_library()
        folder = found[1] if found else library_of_source(pathlib.Path(self.build_temp).resolve() / 'library')
        extension.include_dirs = [found[0] if found else str(root / 'include')]
        extension.extra_link_args = [str(pathlib.Path(folder) / f'libcardan.so.{version}')]
        extension.runtime_library_dirs = [str(folder)] if found else ['$ORIGIN']
        super().build_extension(extension)
        if not found:
            shutil.copy(pathlib.Path(folder) / f'libcardan.so.{version}',
                        package / ('libcardan.so.' + '.'.join(version.split('.')[:2])))
            page = os.environ.get('CARDAN_PAGE') or root / 'build/page/viewer.html'
            if pathlib.Path(page).exists(): shutil.copy(page, package / 'data/viewer.html')


setup(
    version=version,
    package_dir={'': 'python'},
    packages=['cardan'],
    package_data={'cardan': ['py.typed', 'data/*.xml', 'data/viewer.html']},
    cffi_modules=['python/binding.py:builder'],
    cmdclass={'build_ext': BuildBinding},
    options={'bdist_wheel': {'py_limited_api': 'cp39'}},
)
