"""Environments of Gymnasium (pip install gymnasium): quadrupeds that stand up, a four-bar robot whose crank turns at a
steady speed, a humanoid that falls. Controllers stand where a policy would."""
import numpy

import cardan.gym

# ---- 32 quadrupeds rise from a crouch: proportional and derivative control of the joints

many = cardan.gym.VectorEnvironment(cardan.gym.Quadruped(substeps=2, limit=500), 32)
seen, _ = many.reset(seed=1)
crouch, stand = numpy.tile([0.0, 1.0, -2.0], 4), numpy.tile([0.0, 0.6, -1.2], 4)
total = numpy.zeros(32)
for k in range(500):
    wanted = crouch + (stand - crouch) * min(1.0, k / 250)
    angles, speeds = seen[:, 5:17], seen[:, 23:35]
    seen, rewards, terminated, truncated, _ = many.step(120 * (wanted - angles) - 3 * speeds)
    total += rewards
print("quadrupeds: mean reward", total.mean(), "and height", seen[:, 4].mean(), "m")
assert not terminated.any() and truncated.all() and (seen[:, 4] > 0.33).all()

# ---- one four-bar robot: its speed is kept, and its loop stays closed

env = cardan.gym.Environment(cardan.gym.FourBar(speed=4))
seen, _ = env.reset(seed=2)
torque = 0.0
for k in range(400):
    torque += 2 * (4 - seen[2])
    seen, reward, *_ = env.step([numpy.clip(torque + 8 * (4 - seen[2]), -20, 20)])
print("four-bar: speed", seen[2], "rad/s, reward", reward, "and the loop is open by", abs(env.state.qerr).max(), "m")
assert abs(env.state.qerr).max() < 1e-6

# ---- a humanoid without a controller

human = cardan.gym.Environment(cardan.gym.Humanoid())
human.reset(seed=3)
steps, terminated = 0, False
while not terminated:
    _, _, terminated, truncated, _ = human.step(numpy.zeros(17))
    steps += 1
print("humanoid: fell after", steps, "actions of", human.task.step * human.task.substeps, "s")
