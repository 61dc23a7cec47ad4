"""consumers.py SOURCE_ROOT BUILD_ROOT: a program of a stranger finds the library by pkg-config, by CMake and by Meson, and
links the shared or the static one. The library is installed into one folder and moved to another: nothing that is
installed remembers where it was built or installed."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

source, build = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
folder = pathlib.Path(tempfile.mkdtemp())
mistakes, skipped = [], []

PROGRAM = r'''#include <cardan/core.h>
#include <stdio.h>
int main(void) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def arm = cdn_default_body_def();
  arm.mobilizer = CDN_PIN, arm.X_BM.p = cdn_v3(0, 1, 0), arm.mass.mass = 1;
  cdn_system_add_body(system, &arm);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, -9.80665, 0));
  cdn_state *state = NULL;
  if (cdn_system_freeze(system) || cdn_state_create(system, &state) || cdn_state_set_q(state, (double[]){ 1 })) return 1;
  const double *udot = cdn_state_udot(state);
  printf("%.15g\n", udot ? udot[0] : 0);
  cdn_stepper *stepper = NULL;
  if (cdn_stepper_create(state, NULL, &stepper) || cdn_stepper_advance(stepper, 0.1, NULL)) return 1;
  cdn_stepper_destroy(stepper), cdn_state_destroy(state), cdn_system_release(system);
  return 0;
}
'''
ANSWER = '-8.25201' # -9.80665 sin 1: a point of 1 kg, 1 m below its pin


def sh(what, *command, where=folder, env=None):
    done = subprocess.run([str(c) for c in command], cwd=where, env=env, capture_output=True, text=True)
    if done.returncode: mistakes.append(f'{what}: {" ".join(map(str, command))} failed:\n{done.stdout[-800:]}{done.stderr[-800:]}')
    return done


def install():
    """The installed tree, moved."""
    sh('install', 'meson', 'install', '-C', build, '--no-rebuild', '--quiet', env={**os.environ, 'DESTDIR': str(folder / 'first')})
    files = list((folder / 'first').rglob('cardan.pc'))
    if not files: sys.exit('\n'.join(mistakes) or 'no cardan.pc was installed')
    prefix = next(p for p in files[0].parents if (p / 'include').is_dir())
    moved = shutil.move(prefix, folder / 'moved')
    return pathlib.Path(moved)


def check_run(what, program, env):
    if not program.exists(): return # said already
    done = sh(what, program, env=env)
    if done.returncode == 0 and not done.stdout.startswith(ANSWER): mistakes.append(f'{what}: says {done.stdout!r}, not {ANSWER}')


def check_texts(prefix):
    for path in [*prefix.rglob('*.pc'), *prefix.rglob('*.cmake'), *prefix.rglob('*.h'), *prefix.rglob('*.hpp')]:
        text = path.read_text()
        for place in {str(source), str(build), str(folder), '/usr/lib/gcc'}:
            if place in text: mistakes.append(f'{path.relative_to(prefix)} names {place}')


def needed(program):
    return subprocess.run(['readelf', '-d', program], capture_output=True, text=True).stdout


def by_pkg_config(env):
    (folder / 'main.c').write_text(PROGRAM)
    flags = sh('pkg-config', 'pkg-config', '--cflags', '--libs', 'cardan', env=env).stdout.split()
    sh('pkg-config', 'cc', 'main.c', *flags, '-o', 'shared', env=env)
    check_run('pkg-config', folder / 'shared', env)
    if 'Requires' in (pathlib.Path(env['PKG_CONFIG_PATH']) / 'cardan.pc').read_text():
        mistakes.append('cardan.pc asks for the development files of other libraries')
    flags = sh('pkg-config, static', 'pkg-config', '--cflags', '--libs', 'cardan-static', env=env).stdout.split()
    sh('pkg-config, static', 'cc', 'main.c', *flags, '-o', 'static', env=env)
    check_run('pkg-config, static', folder / 'static', env)
    if (folder / 'static').exists() and 'libcardan' in needed(folder / 'static'): mistakes.append('the static program needs libcardan.so')


def by_cmake(prefix, env):
    if not shutil.which('cmake'): return skipped.append('there is no cmake')
    version = '.'.join(re.findall(r'#define CDN_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)', (source / 'include/cardan/base.h').read_text()))
    project = folder / 'cmake'
    project.mkdir()
    (project / 'main.c').write_text(PROGRAM)
    (project / 'CMakeLists.txt').write_text(f'''cmake_minimum_required(VERSION 3.18)
project(consumer C)
find_package(cardan {version} REQUIRED COMPONENTS static)
add_executable(shared main.c)
target_link_libraries(shared cardan::cardan)
add_executable(static main.c)
target_link_libraries(static cardan::static)
find_package(cardan 99 QUIET)
if(cardan_FOUND)
  message(FATAL_ERROR "version 99 was found")
endif()
''')
    sh('cmake', 'cmake', '-B', 'build', f'-DCMAKE_PREFIX_PATH={prefix}', where=project, env=env)
    sh('cmake', 'cmake', '--build', 'build', where=project, env=env)
    for name in ('shared', 'static'): check_run(f'cmake, {name}', project / 'build' / name, env)


def by_meson(env):
    project = folder / 'meson'
    project.mkdir()
    (project / 'main.c').write_text(PROGRAM)
    (project / 'meson.build').write_text("project('consumer', 'c')\nexecutable('consumer', 'main.c', dependencies: dependency('cardan'))\n")
    sh('meson', 'meson', 'setup', 'build', where=project, env=env)
    sh('meson', 'meson', 'compile', '-C', 'build', where=project, env=env)
    check_run('meson', project / 'build/consumer', env)


def as_subproject():
    """The whole library is compiled again for that: only the program is, here."""
    project = folder / 'outer'
    (project / 'subprojects').mkdir(parents=True)
    (project / 'subprojects/cardan').symlink_to(source)
    (project / 'main.c').write_text(PROGRAM)
    off = ', '.join(f"'{name}=disabled'" for name in ('tests', 'peers', 'bench', 'accuracy', 'python', 'app'))
    (project / 'meson.build').write_text(
        f"project('consumer', 'c')\nexecutable('consumer', 'main.c', dependencies: dependency('cardan', default_options: [{off}]))\n")
    env = {**os.environ, 'PKG_CONFIG_PATH': ''}
    sh('subproject', 'meson', 'setup', 'build', '--wrap-mode=forcefallback', where=project, env=env)
    sh('subproject', 'ninja', '-C', 'build', 'consumer.p/main.c.o', where=project, env=env)


prefix = install()
check_texts(prefix)
libraries = next(prefix.rglob('cardan.pc')).parent.parent
env = {**os.environ, 'PKG_CONFIG_PATH': str(libraries / 'pkgconfig'), 'LD_LIBRARY_PATH': str(libraries)}
env.pop('DESTDIR', None)
by_pkg_config(env)
by_cmake(prefix, env)
by_meson(env)
as_subproject()
shutil.rmtree(folder)
print('\n'.join(mistakes + skipped) or 'programs find the library by pkg-config, CMake and Meson')
sys.exit(1 if mistakes else 77 if skipped else 0)
