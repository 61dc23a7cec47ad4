"""A hundred pendulums that start at different angles, each under its own error control: K x nq arrays in and out."""
import numpy

import cardan

model = cardan.Model("pendulum")
model.add_body("bob", mobilizer="pin", X_BM=[0, 1, 0], mass=(1, [0, 0, 0], [1e-3, 1e-3, 1e-3]))
model.add_gravity("gravity", [0, -9.81, 0])

starts = numpy.linspace(0.01, 3, 100)[:, None]
many = cardan.Ensemble(model, q=starts, accuracy=1e-8, companion=True)
angles = []
for t in numpy.linspace(0, 2, 41)[1:]:
    many.advance(float(t))
    angles.append(many.q[:, 0])
print("the slowest and the fastest have delivered:", many.certificate(0).verdict, "and", many.certificate(99).verdict)
run = cardan.Run.of(model, numpy.linspace(0, 2, 41)[1:], numpy.array(angles)[:, 50:51])
print(run)
kinetic, potential = many.energies
expected = -9.81 * numpy.cos(starts[:, 0])
assert numpy.abs(kinetic + potential - expected).max() < 1e-6
