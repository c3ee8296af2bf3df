"""What others need who use the course: actions that cannot change under us, forms that GitHub shows, true versions."""

import re

import pytest
import yaml

from tests.colab import current

from .. import ROOT

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_actions_are_pinned_and_may_only_read(path):
    text = path.read_text(encoding="utf-8")
    used = re.findall(r"uses: (.+)", text)
    assert used and all(re.fullmatch(r"actions/[\w-]+@[0-9a-f]{40}  # v\d+\.\d+\.\d+", action) for action in used)
    workflow = yaml.safe_load(text)
    assert workflow["permissions"] in ({}, {"contents": "read"})
    needed = {"contents": "read", "pages": "write", "id-token": "write"}  # to deploy the site
    for job in workflow["jobs"].values():
        assert job.get("permissions", {}).items() <= needed.items()
        steps = [step for step in job["steps"] if "checkout" in step.get("uses", "")]
        assert all(step["with"]["persist-credentials"] is False for step in steps) and "timeout-minutes" in job


# The packages of Colab


FREEZE = "torch @ https://download.pytorch.org/whl/cpu/torch-2.12.0%2Bcpu-cp313-cp313-linux_x86_64.whl\nnumpy==2.2.0\n"


def test_the_packages_that_colab_has_today_are_taken(tmp_path, capsys):
    (tmp_path / "freeze.txt").write_text(FREEZE + "jupyter_client==7.5.0\ntensorflow==9.0\n", encoding="utf-8")
    current.main(str(tmp_path / "packages.txt"), (tmp_path / "freeze.txt").as_uri())
    found = (tmp_path / "packages.txt").read_text(encoding="utf-8").split()
    assert sorted(found) == ["jupyter-client==7.5.0", "numpy==2.2.0", "torch==2.12.0"]
    said = capsys.readouterr().out
    assert "numpy 2.1.3 → 2.2.0" in said and "::warning::Colab does not list" in said and "ipywidgets" in said
