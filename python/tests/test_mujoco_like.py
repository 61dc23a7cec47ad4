"""cardan.mujoco_like against MuJoCo 2.2.2 itself: steps, accelerations, poses, sensors, M, Jacobians."""
import math
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import numpy

import cardan
import cardan.mujoco_like as mujoco

ROOT = pathlib.Path(os.environ.get('CARDAN_SOURCE_ROOT', pathlib.Path(__file__).parents[2]))
BALLS = '''<mujoco><option timestep="0.002"/><worldbody><body name="arm" pos="0 0 1"><joint name="shoulder" type="ball"
  damping="0.1"/><geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.03"/><body name="hand" pos="0.3 0 0"><joint
  name="wrist" type="hinge" axis="0 1 0" stiffness="2"/>
  <geom type="box" size="0.05 0.03 0.02" pos="0.05 0 0"/>
  <site name="tip" pos="0.1 0 0"/></body></body><body name="loose" pos="0 1 0.3"><freejoint name="loose"/><geom type="ellipsoid"
  size="0.1 0.05 0.03"/></body></worldbody><actuator><motor name="turn" joint="wrist"/></actuator><sensor><jointpos
  name="angle" joint="wrist"/><framepos name="tip" objtype="site" objname="tip"/></sensor></mujoco>'''


@unittest.skipUnless(os.path.exists('/usr/include/mujoco/mujoco.h') and shutil.which('cc'), 'MuJoCo is not here')
class Mujoco(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.program = os.path.join(cls.folder.name, 'mujoco_run')
        source = str(pathlib.Path(__file__).parent / 'mujoco_run.c')
        subprocess.run(['cc', '-O1', source, '-o', cls.program, '-lmujoco', '-lm'], check=True)

    @classmethod
    def tearDownClass(cls): cls.folder.cleanup()

    def compare(self, path, steps, tolerance):
        said = subprocess.run([self.program, str(path), str(steps)], check=True, capture_output=True, text=True,
                              cwd=self.folder.name)
        theirs, at = numpy.array([float(x) for x in said.stdout.split()]), 0
        m = mujoco.MjModel.from_xml_path(path)
        d = mujoco.MjData(m)
        if m.nkey: mujoco.mj_resetDataKeyframe(m, d, 0)
        d.qvel[:] = 0.1 * numpy.sin(1.0 + numpy.arange(m.nv))
        for k in range(steps):
            d.ctrl[:] = 0.5 * numpy.sin(0.1 * k + numpy.arange(m.nu))
            d.qfrc_applied[-1] = 0.3
            d.xfrc_applied[-1, [0, 4]] = 0.2, 0.01
            mujoco.mj_step(m, d)
        after = [[d.time], d.qpos.copy(), d.qvel.copy()]
        mujoco.mj_forward(m, d)
        M, jacp, jacr = numpy.empty((m.nv, m.nv)), numpy.empty((3, m.nv)), numpy.empty((3, m.nv))
        mujoco.mj_fullM(m, M, d)
        mujoco.mj_jacBody(m, d, jacp, jacr, m.nbody - 1)
        names = ['time', 'qpos', 'qvel', 'qacc', 'xpos', 'xmat', 'sensordata', 'energy', 'M', 'jacp', 'jacr']
        for name, ours in zip(names, [*after, d.qacc, d.xpos, d.xmat, d.sensordata, d.energy, M, jacp, jacr]):
            ours = numpy.ravel(ours)
            wanted = theirs[at:at + len(ours)]
            at += len(ours)
            scale = 1 + numpy.abs(wanted).max(initial=0)
            bound = tolerance * (1e3 if name == 'qacc' else 1)  # a step of 2 ms multiplies it by 2e-3
            self.assertLess(numpy.abs(ours - wanted).max(initial=0) / scale, bound, name)
        self.assertEqual(at, len(theirs))

    def test_balls_and_free_joints(self):
        path = pathlib.Path(self.folder.name) / 'balls.xml'
        path.write_text(BALLS)
        self.compare(path, 100, 1e-9)

    def test_a_quadruped_with_contact(self): self.compare(ROOT / 'examples/models/quadruped.xml', 50, 1e-7)

    def test_a_humanoid(self):
        path = pathlib.Path(os.environ.get('CARDAN_SHARED', '')) / 'models/mjcf/humanoid.xml'
        if not path.is_file(): self.skipTest('the humanoid is not here')
        self.compare(path, 30, 1e-7)


class Small(unittest.TestCase):
    def test_names_and_views(self):
        m = mujoco.MjModel.from_xml_string(BALLS)
        d = mujoco.MjData(m)
        self.assertEqual((m.body('hand').id, m.joint('loose').qposadr, m.nq, m.nv), (2, 5, 12, 10))
        self.assertEqual(mujoco.mj_name2id(m, mujoco.mjtObj.mjOBJ_BODY, 'loose'), 3)
        self.assertEqual(mujoco.mj_id2name(m, mujoco.mjtObj.mjOBJ_JOINT, 1), 'wrist')
        self.assertIsNone(mujoco.mj_id2name(m, mujoco.mjtObj.mjOBJ_BODY, 77))
        d.joint('wrist').qpos[:] = 0.4
        d.actuator('turn').ctrl[:] = 2
        mujoco.mj_forward(m, d)
        self.assertEqual(d.sensor('angle').data[0], 0.4)
        self.assertLess(numpy.abs(d.body('loose').xpos - [0, 1, 0.3]).max(), 1e-15)
        m.opt.gravity[:] = 0
        mujoco.mj_forward(m, d)
        self.assertEqual(d.qacc[-4], 0)
        with self.assertRaises(KeyError): m.body('foot')
        with self.assertRaises(AttributeError): mujoco.mj_rnePostConstraint

    def test_numbers_written_between_steps_count(self):
        m = mujoco.MjModel.from_xml_string(BALLS)
        d = mujoco.MjData(m)
        mujoco.mj_step(m, d, 3)
        d.joint('loose').qpos[:3] = 0, 0, 5
        d.joint('loose').qvel[:] = 0
        mujoco.mj_step(m, d)
        self.assertAlmostEqual(d.joint('loose').qpos[2], 5 - 9.81 * 0.002 ** 2, delta=1e-12)
        mujoco.mj_resetData(m, d)
        self.assertEqual((d.time, d.joint('loose').qpos[2]), (0, 0.3))

    def test_it_is_small(self):
        self.assertLess(len(pathlib.Path(mujoco.__file__).read_text().splitlines()), 300)


if __name__ == '__main__':
    unittest.main()
