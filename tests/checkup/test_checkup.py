"""A healthy model gives no alarm, whatever its kind; each answer is a number; what cannot be examined is told."""

import re
from pathlib import Path

import pytest
import torch

from course_chapters import lesson_file, tasks_of
from course_kit import figures
from course_lib.checkup import checkup, compare, models, transformers_model
from course_lib.checkup.calls import CALLS
from course_lib.checkup.check import SAME, VERDICTS, Check, judged
from course_lib.checkup.run import USE
from course_lib.checkup.scheme import FIT, SCHEME
from course_lib.checkup.use import USES
from course_lib.nn.cache import KeyValueCache
from course_lib.nn.layer import RelativeAttention
from course_lib.nn.rope import RoPE
from tests.released.tiny import CONFIG, tiny

from .families import FAMILIES, family

ALL = [*SCHEME, *CALLS]
SURE = ("layers without positions", "depends on the distance alone", "keys that a query sees", "cache: one by one")


def by_name(report):
    return {check.name: check for check in report.checks}


@pytest.mark.parametrize("kind", FAMILIES)
def test_a_healthy_model_gives_no_alarm(kind):
    report = checkup(family(kind))
    found = by_name(report)
    assert not report.faults and list(found) == [*ALL, USE]
    assert all(found[name].verdict == "fine" for name in SURE)
    scheme = report.words[0].removeprefix("The file says: ").removesuffix(".")
    assert found["speeds of the rotation"].verdict == ("fine" if scheme == "RoPE" else "skipped")
    assert found["slopes of the heads"].verdict == ("fine" if scheme == "ALiBi" else "skipped")
    for check in report.checks:
        assert check.verdict in VERDICTS and (check.number is None) == (check.verdict == "skipped") and check.says
        if check.verdict == "fine" and check.group == "the calls":
            assert check.number < SAME / 10  # the margin
    if scheme == "RoPE":
        assert found["speeds of the rotation"].number < FIT / 10


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("kind", FAMILIES)
def test_other_weights_give_none_either(kind, seed):
    assert not checkup(family(kind, seed)).faults


def test_slopes_so_steep_that_far_weights_vanish_give_no_alarm():
    report = checkup(family("bloom", n_head=16, num_attention_heads=16))  # 192 · 2^(−1/2) = 136
    assert not report.faults and report.curves[0].min() == -80


def test_weights_that_belong_to_another_program_are_said():
    """Falcon with ALiBi, made for sdpa and asked for its weights, computes other logits. Why is not known."""
    assert by_name(checkup(family("falcon")))["weights belong to the logits"].verdict == "know"
    assert by_name(checkup(family("llama")))["weights belong to the logits"].verdict == "fine"


def test_a_model_in_bfloat16_is_examined_in_float32_and_left_as_it_was():
    transformers = pytest.importorskip("transformers")
    config = family("llama").config
    model = transformers.AutoModelForCausalLM.from_config(config, dtype=torch.bfloat16).eval()
    assert not checkup(model).faults and model.dtype == torch.bfloat16
    assert model.config._attn_implementation == "sdpa"


def test_a_model_that_was_cast_has_rounded_speeds():
    """`.bfloat16()` casts the buffer with the speeds, too; `dtype=` does not."""
    [fault] = checkup(family("llama").bfloat16()).faults
    assert fault.name == "speeds of the rotation" and "rounded to bfloat16" in fault.says


# The course's model, and code of one's own


def tiny_float32():
    """The tests' tiny decoder in the released model's class, with its own configuration."""
    model, _ = tiny()
    model.decoder.float()
    return model


def test_the_courses_model_is_asked_the_same():
    examined = models.Course(tiny_float32())
    assert examined.config["rope_theta"] == CONFIG.base
    report = checkup(examined)
    assert not report.faults
    fine = {check.name for check in report.checks if check.verdict == "fine"}
    assert {
        *SURE,
        "speeds of the rotation",
        "left padding, numbered by the mask",
        "packed, numbers start again",
    } <= fine


def own(position=True):
    """A function of one's own: one layer of the course between an embedding and its transpose, and its weights."""
    torch.manual_seed(0)
    layer, table = (
        RelativeAttention(32, 4, RoPE(8) if position else None, causal=True).requires_grad_(False),
        torch.randn(50, 32),
    )

    def logits(ids, positions=None, mask=None):
        mask = None if mask is None else mask[:, None]
        return (table[ids] + layer(table[ids], positions=positions, mask=mask)) @ table.T

    def weights(ids, positions):
        return [layer.weights(table[ids], positions=positions)]

    return logits, weights


def test_a_plain_function_is_examined_with_its_weights_and_without():
    logits, weights = own()
    report = checkup(logits, weights=weights)
    assert not report.faults and by_name(report)["depends on the distance alone"].verdict == "fine"
    assert by_name(checkup(logits))["layers without positions"].verdict == "skipped"
    assert by_name(checkup(logits))["left padding, numbered by the mask"].verdict == "fine"
    alone = by_name(checkup(weights=weights, vocabulary=50))
    assert alone["layers without positions"].verdict == "fine" and alone["cache: one by one"].verdict == "skipped"


class Engine(models.Examined):
    """An engine of one's own, with a cache: one layer with RoPE. `late` is added to positions behind a past."""

    vocabulary, config = 50, {}

    def __init__(self, late):
        torch.manual_seed(0)
        self.late, self.embed = late, torch.randn(50, 32)
        self.layer = RelativeAttention(32, 4, RoPE(8), causal=True).requires_grad_(False)

    def logits(self, asked):
        return self.read_on(asked.ids)[0]

    def read_on(self, ids, cache=None):
        cache = KeyValueCache() if cache is None else cache
        x, past = self.embed[ids], cache.read
        positions = past + torch.arange(ids.shape[1]) + self.late * (past > 0)
        return (x + self.layer(x, positions=positions, cache=cache)) @ self.embed.T, cache


def test_an_engine_with_a_cache_is_examined():
    name = "cache: one by one"
    assert by_name(checkup(Engine(late=0)))[name].verdict == "fine"
    assert by_name(checkup(Engine(late=1)))[name].verdict == "fault"


def test_weights_of_a_wrong_shape_are_told():
    found = by_name(checkup(own()[0], weights=lambda ids, positions: [torch.zeros(3, 5)]))
    assert "weights returned a tensor (3, 5) for a layer" in found["layers without positions"].says


def test_weights_alone_with_a_config_show_the_wrong_base():
    _, weights = own()
    config = {"num_hidden_layers": 1, "num_attention_heads": 4, "hidden_size": 32, "rope_theta": 1e4}
    speeds = "speeds of the rotation"
    assert by_name(checkup(weights=weights, vocabulary=50, config=config))[speeds].verdict == "fine"
    found = by_name(checkup(weights=weights, vocabulary=50, config=config | {"rope_theta": 1e5}))[speeds]
    assert found.verdict == "fault" and "base 10,000 explains it" in found.says


def test_two_implementations_that_agree_differ_in_no_call():
    from course_lib.released.decoder import filled
    from course_lib.released.model import Released
    from tests.released.test_decoder import llama, put_into, random_weights
    from tests.released.tiny import Letters

    weights = random_weights()
    ours, theirs = Released(filled(CONFIG, weights), Letters()), put_into(llama(CONFIG), weights, CONFIG)
    report = compare(theirs, ours)
    assert not report.faults and report.words == ["No call differs."]
    assert all(check.verdict == "fine" for check in report.checks)


# Bad input


def looks_ahead(ids):
    """Logits that depend on all tokens."""
    return own()[0](ids) + ids.sum() * torch.arange(50)


def raises(ids, positions=None):
    raise KeyError("no such token")


CAUSAL = "expected a causal model, not an encoder"
BAD = {
    "nothing": (lambda: checkup(), "model=None: expected a causal model"),
    "a name": (lambda: checkup("gpt2"), "model='gpt2': expected a causal model"),
    "weights without a vocabulary": (lambda: checkup(weights=print), "vocabulary=None: expected the number"),
    "a function that raises": (lambda: checkup(raises), "the model raised KeyError: 'no such token'"),
    "a function with wrong shapes": (
        lambda: checkup(lambda ids: torch.zeros(3, 5)), r"a tensor \(3, 5\), expected a torch tensor of logits"),
    "no numbers": (lambda: checkup(lambda ids: torch.full((*ids.shape, 9), torch.nan)), "its logits are not finite"),
    "a function of ids alone": (lambda: checkup(lambda ids: own()[0](ids)), "expected positions, a mask, a cache or"),
    "an encoder": (lambda: checkup(looks_ahead), CAUSAL),
    "a text of five tokens": (lambda: checkup(own()[0], torch.arange(5)), r"text of \(5,\) tokens: expected"),
    "a string without a tokenizer": (lambda: checkup(own()[0], "The cat"), "tokenizer=None: expected the model's"),
    "two vocabularies": (lambda: compare(own()[0], lambda ids: torch.zeros(*ids.shape, 9)), "a vocabulary of 9"),
}  # fmt: skip


@pytest.mark.parametrize("what", BAD)
def test_what_cannot_be_examined_is_told_in_a_sentence(what):
    call, message = BAD[what]
    with pytest.raises(ValueError, match=message):
        call()


def test_an_encoder_of_transformers_is_refused():
    transformers = pytest.importorskip("transformers")
    small = {"hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 64}
    model = transformers.BertForMaskedLM(transformers.BertConfig(vocab_size=101, **small))
    with pytest.raises(ValueError, match="in training mode"):
        checkup(model)
    with pytest.raises(ValueError, match=CAUSAL):
        checkup(model.eval())


def test_a_folder_without_a_model_is_told(tmp_path):
    pytest.importorskip("transformers")
    with pytest.raises(ValueError, match="cannot read it as a causal language model"):
        transformers_model.loaded(tmp_path)
    family("llama").config.save_pretrained(tmp_path)
    with pytest.raises(ValueError, match="cannot read it as a causal language model"):
        transformers_model.loaded(tmp_path)


@pytest.mark.parametrize("kind", ["llama", "gpt2"])  # GPT-2's tokenizer does without files, and knows no word
def test_a_model_in_a_folder_is_read_without_a_tokenizer(kind, tmp_path):
    family(kind).save_pretrained(tmp_path)
    model, tokenizer = transformers_model.loaded(tmp_path)
    assert model.config.model_type == kind and tokenizer is None


class Wrapper(torch.nn.Module):
    """A model in another, which names few arguments and hands the others on."""

    def __init__(self, model):
        super().__init__()
        self.model, self.config, self.dtype, self.device = model, model.config, model.dtype, model.device
        self.set_attn_implementation = model.set_attn_implementation

    def forward(self, input_ids=None, **more):
        return self.model(input_ids=input_ids, **more)


def test_a_wrapper_that_hands_positions_on_takes_them():
    assert by_name(checkup(Wrapper(family("llama")).eval()))["positions are read"].verdict == "fine"
    assert "forward() names no position_ids" in by_name(checkup(family("bloom")))["text moved by 1,000"].says


def test_positions_that_change_nothing_are_no_fault_without_a_file():
    """An engine with ALiBi is right to take them, and to ignore them."""
    logits, _ = own(position=False)
    check = by_name(checkup(lambda ids, positions=None: logits(ids)))["positions are read"]
    assert check.verdict == "know"


def test_numbers_alone_separate_texts_without_a_mask_and_a_cache_only():
    found = by_name(checkup(family("llama")))
    verdicts = [check.verdict for name, check in found.items() if name.startswith("packed by numbers alone")]
    assert verdicts == ["fine", "know", "know"]


def test_nan_is_no_agreement():
    assert judged(float("nan"), "good", "bad").verdict == "fault"


# What a reader finds


def test_every_check_leads_to_a_section_that_exists():
    for section, _ in (*SCHEME.values(), *CALLS.values(), *USES.values()):
        topic, _, heading = section.partition(": ")
        headings = re.findall(r"(?m)^# ##+ (.*)$", lesson_file(topic).read_text(encoding="utf-8"))
        assert heading in headings or heading in {task.title for task in tasks_of(topic).values()}, section


def test_a_report_counts_and_defines_its_verdicts():
    lines = str(checkup(family("gpt2"))).splitlines()
    assert lines[-5].startswith("0 fault, ") and [line.split()[0] for line in lines[-4:]] == list(VERDICTS)
    assert Check("fine", "", 0.5, 0.125).shown == "+0.50 ± 0.12" and Check("fine", "", 3).shown == "3"


def test_the_pictures_of_a_report_name_windows_and_layers_without_positions():
    report = checkup(family("cohere2"))
    shown = figures.position_curves(report.curves)
    assert "layer 0 window 16" in shown.alt and "layer 3 flat" in shown.alt
    with pytest.raises(ValueError, match=r"layers=\[0\]: expected a number for each of 4 curves"):
        figures.position_curves(report.curves, layers=[0])
    with pytest.raises(ValueError, match="gaps: expected some"):
        figures.gap_curve(report.gaps)


def test_code_that_comes_with_a_model_is_never_run():
    source = Path(transformers_model.__file__).read_text(encoding="utf-8")
    assert re.findall(r"trust_remote_code\W+(\w+)", source) == ["False"]
