"""The command in processes of its own that need not import torch again: forked from one that did, where there is fork.

With `Command` a test starts it, kills it, and knows when the last process it has started is gone.
"""

import multiprocessing
import os
import signal
import sys
from types import SimpleNamespace

from course_lib import study
from course_lib.study import distributed as processes
from course_lib.study.__main__ import main

from .common import SMALL

PATIENCE = 300  # seconds: what takes one where nothing else runs
FORKS = "forkserver" in multiprocessing.get_all_start_methods()
CONTEXT = multiprocessing.get_context("forkserver" if FORKS else "spawn")
if FORKS:
    CONTEXT.set_forkserver_preload([__name__])
study.run(SMALL, "copy-back", "none", 0)  # torch imports much when it first trains: once, here, and not in every fork


class Forked:
    """What `processes` needs of subprocess.Popen: the same command, forked."""

    def __init__(self, command, env):
        self.status = None
        self.pid = os.fork()
        if not self.pid:
            os.environ.update(env)
            signal.signal(signal.SIGTERM, signal.SIG_DFL)  # as in a new program
            os._exit(main(command[3:]))

    def wait(self):
        if self.status is None:
            self.status = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        return self.status

    def terminate(self):
        if self.status is None:
            os.kill(self.pid, signal.SIGTERM)


def hear_interrupts():
    """A shell starts what runs in the background with Ctrl-C ignored, and its children inherit that."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def _run(argv, said, env, alive):
    os.setsid()
    hear_interrupts()
    os.environ.update(env)
    processes.subprocess = SimpleNamespace(Popen=Forked)
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
        os.dup2(os.open(said, os.O_WRONLY | os.O_CREAT | os.O_APPEND), stream.fileno())
    sys.exit(main(argv))


class Command:
    """The command in a session of its own; what it says goes to the file `said`."""

    def __init__(self, argv, said, **env):
        self.said, (self.ends, alive) = said, CONTEXT.Pipe(duplex=False)
        self.process = CONTEXT.Process(target=_run, args=(list(map(str, argv)), str(said), env, alive))
        self.process.start()
        alive.close()

    def wait(self):
        """Its exit status, once it and all that it has started are gone: only then is nobody left to write."""
        assert self.ends.poll(PATIENCE), "still running"
        self.process.join()
        return self.process.exitcode

    def kill(self, sign=signal.SIGKILL, *, group):
        """Was there still something to kill?"""
        try:
            (os.killpg if group else os.kill)(self.process.pid, sign)
        except ProcessLookupError:  # over, or so early that it has no session of its own
            return False
        return True
