"""The command: a report in the terminal and as a page, an exit status for CI, and sentences for what is unreadable."""

import pytest

import course
from course_kit.checkup import main

from .families import family
from .faults import FAULTS


@pytest.fixture
def folder(tmp_path):
    family("llama").save_pretrained(tmp_path / "model")
    return tmp_path


def test_a_right_model_passes_and_a_broken_one_does_not(folder, capsys):
    page = folder / "checkup.html"
    command = [str(folder / "model"), "--html", str(page)]
    assert main(command) == 0 and "0 fault, " in capsys.readouterr().out
    assert "0 faults in" in page.read_text(encoding="utf-8")
    with FAULTS["RoPE left out"][2](None):
        assert main(command) == 1
    assert "fault   layers without positions" in capsys.readouterr().out


def test_two_folders_are_compared_and_a_config_is_read_in_words(folder, capsys):
    model = str(folder / "model")
    assert main([model, "--compare", model, "--html", str(folder / "compare.html")]) == 0
    assert "No call differs." in capsys.readouterr().out
    assert main([f"{model}/config.json"]) == 0
    assert capsys.readouterr().out.startswith("The file says: RoPE.\nRoPE in full attention: base 10,000, ")


@pytest.mark.parametrize(
    ("given", "fetched"),
    [([], True), (["--html", "page.html"], True), (["model"], False), (["--html", "page.html", "config.json"], False)],
)
def test_the_released_model_is_fetched_only_where_no_other_is_named(given, fetched, monkeypatch):
    called = []
    monkeypatch.setattr(course, "prepare", lambda *_: None)
    monkeypatch.setattr(course, "become", lambda *_: None)
    monkeypatch.setattr(course, "fetch_model", lambda: called.append(True))
    course.checkup(given)
    assert bool(called) == fetched


def test_what_cannot_be_read_is_told_in_a_sentence(folder, capsys, monkeypatch):
    assert main(["no/such/model"]) == 2
    assert "--download" in capsys.readouterr().err
    monkeypatch.setenv("COURSE_MODEL", "none")
    assert main([]) == 2
    assert "`python3 course.py model` fetches it" in capsys.readouterr().err
