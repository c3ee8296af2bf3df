"""What the tasks of this chapter share: names for the channels of two pairs."""

from course_kit.checking import Axis

FOUR_CHANNELS = Axis("channel", ("sin 0", "cos 0", "sin 1", "cos 1"))
