"""A double pendulum: its motion to an accuracy that is asked for, its energies, and a table."""
import cardan

model = cardan.Model("double pendulum")
upper = model.add_body("upper", mobilizer="pin", X_BM=[0, 1, 0], mass=(1, [0, 0, 0], [0.01, 0.01, 0.01]))
model.add_body("lower", parent=upper, mobilizer="pin", X_BM=[0, 1, 0], mass=(1, [0, 0, 0], [0.01, 0.01, 0.01]))
model.add_gravity("gravity", [0, -9.81, 0])

state = model.state()
state["upper"].q = 1.5
state["lower"].q = -0.5
before = sum(state.energy)
run = cardan.simulate(model, 2, accuracy=1e-8, state=state)
print(run.verdict)
print("energy:", before, "J at the start,", sum(run.state.energy), "J at the end")
print("angles at the end:", run.q["upper"][-1], run.q["lower"][-1])
run.save("double_pendulum.csv")
assert abs(sum(run.state.energy) - before) < 1e-7
