"""More processes than one: the same results, and what is said when one of them does not come to its end."""

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from course_lib import study
from course_lib.study import distributed as processes
from course_lib.study.__main__ import RESUME

from .common import PLAN, RUNS, SMALL, TYPED, command, lines, numbers, result, small
from .forked import FORKS, PATIENCE, Command, hear_interrupts
from .test_kill import wait_for

ROOT = Path(__file__).resolve().parents[2]
ENV = {**os.environ, "PYTHONPATH": str(ROOT)}
needs_fork = pytest.mark.skipif(not FORKS, reason="nothing forks here")
needs_torchrun = pytest.mark.skipif(os.name == "nt", reason="its torchrun has no rendezvous there")
starts_processes = pytest.mark.slow
joins_processes = pytest.mark.slow


@pytest.fixture(scope="module")
def unbroken():
    return numbers(study.sweep(SMALL, RUNS))


@pytest.fixture
def path(tmp_path):
    return tmp_path / "study.jsonl"


def free_port():
    with socket.socket() as here:
        here.bind(("127.0.0.1", 0))
        return here.getsockname()[1]


def start(*words, module="course_lib.study"):
    """A real process in a group of its own. What it writes ends when it and all that it has started have ended."""
    argv = [sys.executable, *map(str, words), "-m", module, *TYPED, *PLAN]
    return lambda *more: subprocess.Popen(
        [*argv, *map(str, more)], env=ENV, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, process_group=0,
        preexec_fn=hear_interrupts if FORKS else None,
    )  # fmt: skip


def torchrun(*words, **options):
    return start("-m", "torch.distributed.run", "--nproc-per-node", *words, **options)


# --- started here -------------------------------------------------------------------------------------------------


@starts_processes
def test_two_processes_do_what_one_does(path, unbroken):
    said = start()("--out", path, "--processes", 2)
    out, err = said.communicate(timeout=PATIENCE)
    assert said.returncode == 0, err
    rows, notes = study.read(path, SMALL)
    assert numbers(rows) == unbroken and not notes
    by_plan = numbers(rows)
    assert out == study.table([by_plan[one] for one in RUNS]) + "\n"


@starts_processes
@needs_fork
def test_ctrl_c_in_a_terminal_ends_all(path):
    said = start()("--out", path, "--processes", 2, "--seeds", 400)
    wait_for(path, 2)
    os.killpg(said.pid, signal.SIGINT)
    out, err = said.communicate(timeout=PATIENCE)  # which also waits for the children
    assert said.returncode == 130 and out == "" and "Traceback" not in err
    assert err.endswith(f"\nStopped. {RESUME.format(path)}\n")
    assert not study.read(path, SMALL)[1]


@starts_processes
@needs_fork
def test_sigterm_to_the_parent_ends_all(path):
    said = start()("--out", path, "--processes", 2, "--seeds", 400)
    wait_for(path, 2)
    os.kill(said.pid, signal.SIGTERM)
    out, err = said.communicate(timeout=PATIENCE)  # which also waits for the children
    assert said.returncode == 128 + signal.SIGTERM and out == "" and "Traceback" not in err
    assert err.endswith(f"\nStopped. {RESUME.format(path)}\n")
    assert "is gone" not in err and not study.read(path, SMALL)[1]


@starts_processes
def test_a_process_that_fails_is_named_the_others_end_and_the_same_command_goes_on(path, capfd, monkeypatch, unbroken):
    popen = subprocess.Popen

    def one_fails(argv, env):
        return popen([sys.executable, "-c", "raise SystemExit(3)"] if env["LOCAL_RANK"] == "0" else argv, env=env)

    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setattr(processes.subprocess, "Popen", one_fails)
    assert command("--processes", 2, out=path) == 1
    said = capfd.readouterr()
    assert said.err.endswith("Process 0 of 2 ended with status 3; the same command does what it left.\n")
    assert said.out == "" and list(numbers(study.read(path, SMALL)[0])) == RUNS[1::2]
    assert command("--processes", 1, out=path) == 0
    assert numbers(study.read(path, SMALL)[0]) == unbroken


def test_what_the_others_have_lost_is_done_in_the_end(path, monkeypatch, capsys, unbroken):
    monkeypatch.setattr("course_lib.study.__main__.start_local", lambda number, argv: 0)  # says it went well
    assert command("--processes", 2, out=path) == 0
    assert numbers(study.read(path, SMALL)[0]) == unbroken


def test_ctrl_c_is_for_the_process_that_was_started_and_no_child_hears_it(monkeypatch):
    heard, before, usual = [], signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)

    class Child:
        def __init__(self, argv, env):
            assert signal.getsignal(signal.SIGTERM) is usual  # how the parent ends them
            heard.append((signal.getsignal(signal.SIGINT), env[processes.CHILD], env["LOCAL_RANK"]))

        def wait(self):
            assert signal.getsignal(signal.SIGINT) is before
            return 0

        def terminate(self):
            pass

    monkeypatch.setattr(processes.subprocess, "Popen", Child)
    assert processes.start_local(2, []) == 0
    assert signal.getsignal(signal.SIGTERM) is usual
    assert heard == [(signal.SIG_IGN, f"{rank}/2/{os.getpid()}", str(rank)) for rank in range(2)]


# --- under torchrun -----------------------------------------------------------------------------------------------


@joins_processes
@needs_torchrun
def test_torchrun_with_two_processes_does_what_one_does(path, unbroken):
    said = torchrun(2, "--standalone")("--out", path)
    out, err = said.communicate(timeout=PATIENCE)
    assert said.returncode == 0, err
    rows, notes = study.read(path, SMALL)
    assert numbers(rows) == unbroken and len(path.read_bytes().splitlines()) == len(RUNS) and not notes
    assert out == study.table([numbers(rows)[one] for one in RUNS]) + "\n"  # once, not twice


@joins_processes
@needs_torchrun
def test_on_two_nodes_each_gets_the_runs_of_both(tmp_path, unbroken):
    paths = [tmp_path / f"node{number}.jsonl" for number in range(2)]
    meet = ["--nnodes", 2, "--rdzv-backend", "c10d", "--rdzv-endpoint", f"127.0.0.1:{free_port()}", "--local-addr"]
    nodes = [torchrun(1, *meet, "127.0.0.1")("--out", path) for path in paths]
    said = [node.communicate(timeout=PATIENCE) for node in nodes]
    assert [node.returncode for node in nodes] == [0, 0], said
    for path in paths:
        assert numbers(study.read(path, SMALL)[0]) == unbroken
    assert sorted(len(out) > 0 for out, _ in said) == [False, True]


@joins_processes
@needs_torchrun
def test_a_process_of_torchrun_that_is_killed_is_reported_and_the_same_command_goes_on(path, capsys, unbroken):
    said = torchrun(2, "--standalone", module="tests.study.dying")("--out", path)
    out, err = said.communicate(timeout=PATIENCE)
    assert said.returncode != 0 and out == "" and "local_rank: 1" in err and "exitcode" in err
    rows, notes = study.read(path, SMALL)
    kept = numbers(rows)
    assert RUNS[1] in kept and RUNS[3] not in kept and not notes
    assert command("--processes", 1, out=path) == 0
    assert numbers(study.read(path, SMALL)[0]) == unbroken


class Nodes:
    """The command in as many processes as there are paths, each as torchrun starts it on a machine of its own."""

    def __init__(self, paths, *more):
        port, self.paths = free_port(), paths
        self.said = [path.with_suffix(".said") for path in paths]
        self.commands = [
            Command(
                [*TYPED, *PLAN, *words, "--out", path],
                said,
                RANK=str(rank),
                WORLD_SIZE=str(len(paths)),
                LOCAL_RANK="0",
                MASTER_ADDR="127.0.0.1",
                MASTER_PORT=str(port),
                TORCHELASTIC_RUN_ID="none",
            )
            for rank, (path, said, words) in enumerate(zip(paths, self.said, more, strict=True))
        ]


@pytest.fixture
def two(tmp_path):
    return [tmp_path / f"node{number}.jsonl" for number in range(2)]


@joins_processes
@needs_fork
def test_what_one_node_has_done_before_the_other_gets_too(two, unbroken):
    more = ("copy-back", "alibi", 7)  # of another plan, and nobody does it now
    study.sweep(SMALL, [*RUNS[:3], more], two[0])
    study.sweep(SMALL, RUNS[5:], two[1])
    before = [path.read_bytes() for path in two]
    nodes = Nodes(two, [], [])
    assert [node.wait() for node in nodes.commands] == [0, 0]
    for path, content in zip(two, before, strict=True):
        found = numbers(study.read(path, SMALL)[0])
        assert found.pop(more) and found == unbroken and path.read_bytes().startswith(content)


def test_a_line_that_a_shared_disk_has_lost_is_added_again(path, monkeypatch):
    dist = pytest.importorskip("torch.distributed")
    monkeypatch.setattr(dist, "get_world_size", lambda: 2)
    monkeypatch.setattr(dist, "all_gather_object", lambda into, rows, group: into.__setitem__(0, rows))
    for name in ("barrier", "destroy_process_group"):
        monkeypatch.setattr(dist, name, lambda *_: None)
    rows = [result("rope"), result("none")]
    path.write_bytes(lines(rows[0]))
    for local_rank, content in (("1", lines(rows[0])), ("0", lines(*rows)), ("0", lines(*rows))):
        monkeypatch.setenv("LOCAL_RANK", local_rank)
        processes.collect(path, SMALL, rows, None)
        assert path.read_bytes() == content


@joins_processes
@needs_fork
@pytest.mark.parametrize("victim", [0, 1])
def test_a_node_that_dies_is_noticed_by_the_other_and_what_was_finished_is_kept(two, victim):
    nodes = Nodes(two, *[["--seeds", "20"]] * 2)
    wait_for(two[victim], 1)
    nodes.commands[victim].kill(group=True)
    other = 1 - victim
    assert nodes.commands[other].wait() == 1
    said = nodes.said[other].read_text()
    words = "Stopped: a process of this study has ended early, here or elsewhere, or cannot be reached."
    assert f"\n{words} {RESUME.format(two[other])}\n" in said and "Traceback" not in said
    assert len(study.read(two[other], SMALL)[0]) == 40  # all of its share


@joins_processes
@needs_fork
def test_nodes_with_other_settings_are_not_mixed(two):
    nodes = Nodes(two, [], ["--steps", "3"])
    assert [node.wait() for node in nodes.commands] == [1, 1]
    assert "Stopped: process 1 has other settings (steps=3, not 2); expected the same" in nodes.said[0].read_text()
    assert "Stopped: process 0 has other settings (steps=2, not 3); expected the same" in nodes.said[1].read_text()
    assert len(study.read(two[0], SMALL)[0]) == len(study.read(two[1], small(steps=3))[0]) == 4
