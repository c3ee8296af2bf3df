"""Where the tasks were in version 0.1: a notebook that was saved then learns here where they are now."""

raise ImportError(
    "The tasks have moved. Open the exercises again from the folder `exercises`, or write, for example, "
    "`from course_tasks import bias_by_hand as task`: the tasks of a chapter are now found by its topic."
)
