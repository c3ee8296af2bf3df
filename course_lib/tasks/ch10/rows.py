"""What a smaller study measured, used for as long as the course's own results are not there.

Loss per character over the last 64, means over three seeds; 2 layers, d_model 64, 4 heads, 400 steps at length 64.
"""

LENGTHS = [64, 128, 256, 512]
LOSSES = {
    "none": [2.099, 2.187, 2.236, 2.282],
    "learned": [2.038, 2.261, 2.314, 2.348],
    "sinusoidal": [1.865, 2.822, 3.166, 3.252],
    "log-0.3": [2.015, 2.109, 2.179, 2.231],
    "log-1": [1.746, 1.766, 1.813, 1.858],
    "t5-128": [1.539, 1.803, 2.574, 2.908],
    "t5-32": [1.539, 1.514, 1.537, 1.613],
    "shaw-16": [1.646, 1.627, 1.662, 1.725],
    "transformer-xl": [1.545, 1.513, 1.517, 1.524],
    "alibi": [1.767, 1.753, 1.758, 1.759],
    "rope": [1.661, 1.751, 2.679, 2.993],
}
MEASURED_BEFORE = [
    {"task": "characters", "scheme": scheme, "lengths": LENGTHS, "loss": loss} for scheme, loss in LOSSES.items()
]
