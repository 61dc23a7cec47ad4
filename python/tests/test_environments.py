"""Environments, with a stand-in of Gymnasium whose checker follows the rules of Gymnasium's."""
import math
import os
import pathlib
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent / 'stand_in'))

import gymnasium
import numpy

import cardan.gym as gym

TASKS = (gym.Quadruped, gym.Humanoid, gym.FourBar)


class Environments(unittest.TestCase):
    def test_the_checker_passes(self):
        for task in TASKS: gymnasium.check_env(gym.Environment(task()))
        gymnasium.check_env(gym.Environment(gym.FourBar(), render_mode='rgb_array', width=80, height=60))

    def test_an_episode_ends_at_its_limit_and_when_it_falls(self):
        env = gym.Environment(gym.FourBar(limit=3))
        env.reset(seed=1)
        self.assertEqual([env.step([0.0])[2:4] for _ in range(3)], [(False, False), (False, False), (False, True)])
        env = gym.Environment(gym.Quadruped())
        env.reset(seed=1)
        ends = [env.step(numpy.zeros(12))[2] for _ in range(30)]
        self.assertTrue(ends[-1])
        self.assertFalse(ends[0])

    def test_a_loop_stays_closed(self):
        env = gym.Environment(gym.FourBar())
        env.reset(seed=4)
        for k in range(100): env.step([10 * math.sin(k / 10)])
        self.assertLess(numpy.abs(env.state.qerr).max(), 1e-10)
        with self.assertRaises(ValueError): env.step([math.nan])

    def test_many_are_as_each_of_them(self):
        """The same States, actions and bits in one environment and in an ensemble of lanes and threads."""
        for task in TASKS:
            many = gym.VectorEnvironment(task(), 5, threads=2)
            seen, _ = many.reset(seed=[10, 11, 12, 13, 14])
            self.assertTrue(many.observation_space.contains(seen))
            rng = numpy.random.default_rng(0)
            actions = rng.uniform(many.action_space.low, many.action_space.high, (6, *many.action_space.shape))
            rows = [many.step(a) for a in actions]
            env = gym.Environment(task())
            first, _ = env.reset(seed=13)
            self.assertTrue((first == seen[3]).all())
            for k, action in enumerate(actions[:, 3]):
                seen_, reward, over, cut, _ = env.step(action)
                self.assertTrue((seen_ == rows[k][0][3]).all(), (task, k))
                self.assertEqual((reward, over, cut), (rows[k][1][3], rows[k][2][3], rows[k][3][3]))

    def test_they_begin_anew(self):
        many = gym.VectorEnvironment(gym.FourBar(limit=2), 3)
        many.reset(seed=5)
        actions = numpy.zeros((3, 1))
        _, _, over, cut, _ = many.step(actions)
        self.assertEqual((over.any(), cut.any()), (False, False))
        ended, _, over, cut, _ = many.step(actions)
        self.assertTrue(cut.all())
        begun, rewards, over, cut, _ = many.step(actions)
        self.assertEqual((rewards.tolist(), over.any(), cut.any()), ([0, 0, 0], False, False))
        self.assertEqual(begun[:, 2].tolist(), [0, 0, 0])  # at rest, at other angles
        self.assertGreater(numpy.abs(begun[:, :2] - ended[:, :2]).max(), 0.01)

    def test_one_that_fails_ends_alone(self):
        many = gym.VectorEnvironment(gym.FourBar(), 3)
        many.reset(seed=6)
        state = many.task.model.state()
        state.q, state.u = many.task.closed(0.3), [1e200, 0, 0]
        many._world.ensemble.set_state(1, state)
        _, rewards, over, _, _ = many.step(numpy.zeros((3, 1)))
        self.assertEqual(over.tolist(), [False, True, False])
        self.assertEqual(rewards[1], 0)
        seen, _, over, _, _ = many.step(numpy.zeros((3, 1)))
        self.assertFalse(over.any())
        self.assertLess(numpy.abs(seen).max(), 10)

    def test_without_gymnasium_the_reason_is_said(self):
        code = 'import sys; sys.modules["gymnasium"] = None\ntry: import cardan.gym\nexcept ImportError as e: print(e)'
        said = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True)
        self.assertEqual((said.stdout, said.stderr),
                         ('cardan.gym needs the package gymnasium: pip install gymnasium\n', ''))


if __name__ == '__main__':
    unittest.main()
