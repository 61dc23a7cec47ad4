"""What the sweep runs: short problems that together reach most constants."""

# Problem, method, accuracy: one_run judges them by the distance from the true motion.
RUNS = [
    ('chain10', 'default', '1e-6'), ('chain10', 'dormand-prince', '1e-4'),
    ('double-pendulum', 'default', '1e-9'), ('double-pendulum', 'dormand-prince-8', '1e-8'),
    ('double-pendulum', 'merson', '1e-5'), ('double-pendulum', 'bogacki-shampine', '1e-3'),
    ('double-pendulum', 'ida', '1e-4'), ('heavy-top', 'verlet', '1e-2'), ('heavy-top', 'cvode-bdf', '1e-5'),
    ('oscillatory', 'cvode-bdf', '1e-4'), ('oscillatory', 'default', '1e-3'), ('stiff', 'cvode-bdf', '1e-5'),
    ('stiff', 'default', '1e-3'), ('stiff', 'dormand-prince', '1e-3'), ('humanoid', 'default', '1e-4'),
    ('humanoid', 'cvode-bdf', '1e-3'), ('maxwell', 'cvode-bdf', '1e-5'), ('heavy-top', 'default', '1e-6'),
    ('box', 'default', '1e-8'), ('a02-ladder-1', 'default', '1e-7'), ('a02-ladder-5', 'default', '1e-6'),
    ('a03-andrews', 'default', '1e-6'), ('a04-bricard', 'default', '1e-6'), ('slider-crank', 'default', '1e-6'),
    ('slider-crank', 'dormand-prince', '1e-5'), ('rolling-disc', 'default', '1e-6'),
    ('ball-0.9', 'default', '1e-6'), ('ball-to-rest', 'default', '1e-5'), ('relay', 'default', '1e-6'),
    ('bouncing', 'default', '1e-5'), ('bouncing', 'cvode-bdf', '1e-4'), ('stops', 'default', '1e-6'),
    ('stops-hard', 'dormand-prince', '1e-6'), ('bilinear', 'default', '1e-8'), ('coulomb', 'default', '1e-6'),
    ('pendulum-stop', 'merson', '1e-5'), ('digital', 'default', '1e-6'), ('masses-1e9', 'default', '1e-6'),
    ('chain-balls', 'default', '1e-5'), ('molecule-si', 'default', '1e-4'),
]

# The command's arguments, but for the folder of models.
COMMANDS = [
    ('walker as the file says', 'simulate walker.xml --duration 0.5 --method file --contact soft'),
    ('walker, compliant', 'simulate walker.xml --duration 0.4 --accuracy 1e-3'),
    ('puppet, compliant', 'simulate puppet.xml --duration 0.4 --accuracy 1e-2 --no-companion'),
    ('puppet, convex', 'simulate puppet.xml --duration 0.5 --method implicit-contact --accuracy 1e-2'),
    ('puppet, soft, implicit', 'simulate puppet.xml --duration 1 --method mujoco-implicit --step 0.002 --contact soft'),
    ('hexapod, soft', 'simulate hexapod.xml --duration 0.4 --method mujoco-implicit-fast --step 0.002 --contact soft'),
    ('hexapod, convex', 'simulate hexapod.xml --duration 0.4 --method implicit-contact --accuracy 1e-2 --no-companion'),
    ('slope, compliant', 'simulate slope.xml --duration 1 --accuracy 1e-3'),
    ('slope, slip', 'simulate slope.xml --duration 0.5 --accuracy 1e-3 --friction slip --no-companion'),
    ('slope, convex', 'simulate slope.xml --duration 1 --method implicit-contact --accuracy 1e-3'),
    ('stairs, soft', 'simulate stairs.xml --duration 0.5 --method file --contact soft'),
    ('gripper, convex', 'simulate gripper.xml --duration 0.4 --method implicit-contact --accuracy 1e-2 --no-companion'),
    ('gripper, soft equality', 'simulate gripper.xml --duration 0.5 --like mujoco'),
    ('press, soft equality', 'simulate press.xml --duration 0.5 --like mujoco'),
    ('five-bar', 'simulate five_bar.xml --duration 1 --accuracy 1e-6'),
    ('five-bar, delivered', 'simulate five_bar.xml --duration 0.5 --accuracy 1e-5 --deliver'),
    ('gymnast', 'simulate gymnast.xml --duration 1 --accuracy 1e-4'),
    ('gymnast at rest', 'equilibrium gymnast.xml'),
    ('lamp at rest', 'equilibrium lamp/lamp.xml'),
    ('press at rest', 'equilibrium press.xml'),
    ('gymnast, modes', 'modes gymnast.xml'),
    ('lamp, modes', 'modes lamp/lamp.xml'),
    ('five-bar assembled', 'assemble five_bar.xml'),
    ('press assembled', 'assemble press.xml'),
    ('lamp on the ground', 'simulate lamp/lamp.xml --duration 0.3 --accuracy 1e-3 --ground --no-companion'),
    ('arm', 'simulate arm.urdf --duration 1 --accuracy 1e-5 --deliver'),
    ('top', 'simulate top.xml --duration 1 --accuracy 1e-6 --method mujoco-midpoint --step 0.001'),
]

# Example programs: what they print is compared.
EXAMPLES = ['belt', 'bouncing_ball', 'closed_loop_robot', 'crane', 'custom_constraint', 'custom_contact_law',
            'custom_force', 'digital_pd', 'equilibrium', 'fit', 'four_bar', 'gear_train', 'inverse_kinematics',
            'maxwell', 'measures', 'modes', 'parameters', 'rangefinder', 'stiff', 'theo_jansen']
