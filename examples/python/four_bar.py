"""A four-bar linkage that is driven by a motor: the loop holds exactly. The crank's angle is recorded as a measure, an
event counts its turns, and the motor's torque is a function of Python."""
import math

import cardan

ROD = (1.0, [0.0, 0.0, 0.0], [0.02, 0.02, 0.02])
LENGTH = {"crank": 0.4, "coupler": 1.0, "rocker": 0.8}

model = cardan.Model("four-bar")
crank = model.add_body("crank", mobilizer="pin", X_BM=[-0.2, 0, 0], mass=ROD)
coupler = model.add_body("coupler", parent=crank, mobilizer="pin", X_PF=[0.2, 0, 0], X_BM=[-0.5, 0, 0], mass=ROD)
rocker = model.add_body("rocker", mobilizer="pin", X_PF=[0.9, 0, 0], X_BM=[-0.4, 0, 0], mass=ROD)
model.constrain_point_in_plane("x", coupler, [1, 0, 0], 0.5, rocker, [0.4, 0, 0])
model.constrain_point_in_plane("y", coupler, [0, 1, 0], 0.0, rocker, [0.4, 0, 0])
model.add_mobility_damper("friction", rocker, 0, c=0.1)


def torque(state: cardan.State, add: cardan.Adder) -> None:
    add.joint("crank", 0.5 - 0.05 * state["crank"].u)


turns = []
model.add_custom_force("motor", calc_force=torque, reads="velocity")
model.add_event("turn", value=lambda state: math.sin(state["crank"].q / 2),
                report=lambda state, what: turns.append(state.time))

# the linkage closes at these angles: the ends of coupler and rocker meet
state = model.state()
q = state.q.copy()
start = 0.5
reach = [0.9 - 0.4 * math.cos(start), -0.4 * math.sin(start)]
distance, direction = math.hypot(*reach), math.atan2(reach[1], reach[0])
inner = math.acos((1 + distance ** 2 - 0.64) / (2 * distance))
coupler_angle = direction + inner
rocker_angle = math.atan2(0.4 * math.sin(start) + math.sin(coupler_angle),
                          0.4 * math.cos(start) + math.cos(coupler_angle) - 0.9)
state.q = [start, coupler_angle - start, rocker_angle]
run = cardan.simulate(model, 5, accuracy=1e-6, state=state)
print(run.verdict)
print("whole turns at", turns, "s; the loop is open by", run.certificate.max_position_error, "m at most")
assert run.certificate.max_position_error < 1e-6 and turns
