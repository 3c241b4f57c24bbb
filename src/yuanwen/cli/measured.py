"""How well a library answers a question set, as text for people."""

from __future__ import annotations  # so that the model is named here, but not loaded

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from yuanwen.cli.messages import count, filled, say, sentences
from yuanwen.cli.terminal import Screen, clip, flat, one_line, short_path, table

if TYPE_CHECKING:
    from yuanwen.evaluation.metrics import Figure
    from yuanwen.evaluation.run import AnsweredQuestion, Comparison, Evaluation, ModeResult, Shown
    from yuanwen.evaluation.sets import Expected

FEW = 10  # failures that are shown of each mode
EXCERPT = 60  # columns of what came instead


def lines(screen: Screen, found: Evaluation, *, verbose: bool, figures_only: bool) -> list[str]:
    """Return the figures of each mode, and the questions that fail."""
    about = say(
        "{answerable} answerable and {unanswerable} unanswerable questions, {passages} passages",
        answerable=f"{found.answerable:,}",
        unanswerable=f"{found.unanswerable:,}",
        passages=f"{found.passages:,}",
    )
    told = screen.paragraph(say("{name}: {note}", name=one_line(found.name), note=about), role="title")
    told += ["", *_figures(found)]
    if figures_only:
        return told
    told += ["", *screen.paragraph(_legend(found), role="quiet")]
    for note in found.notes:
        told += ["", *screen.paragraph(sentences(one_line(filled(note))), role="missing")]
    for mode in found.modes:
        told += ["", *_failures(screen, mode, verbose)]
    return told


def _figures(found: Evaluation) -> list[str]:
    rows = [["", *(mode.mode for mode in found.modes)]]
    for name in found.modes[0].figures:
        rows.append([name, *(_figure(mode.figures[name]) for mode in found.modes)])
    rows.append([say("ms, median"), *(f"{mode.p50_ms:.1f}" for mode in found.modes)])
    rows.append([say("ms, 95 of 100"), *(f"{mode.p95_ms:.1f}" for mode in found.modes)])
    return table(rows) + _kinds(found)


def _figure(figure: Figure) -> str:
    return f"{figure.value:.3f} [{figure.low:.3f}, {figure.high:.3f}]"


def _kinds(found: Evaluation) -> list[str]:
    """Return how many of each kind of question are answered, where there are several."""
    kinds = found.modes[0].kinds
    if len(kinds) < 2:
        return []
    rows = [["", *(mode.mode for mode in found.modes)]]
    for kind in kinds:
        counts = [mode.kinds[kind] for mode in found.modes]
        told = [
            say(
                "{answered} of {asked} answered, {strong} strongly", answered=n.answered, asked=n.asked, strong=n.strong
            )
            for n in counts
        ]
        rows.append([one_line(kind or "-"), *told])
    return ["", *table(rows)]


def _legend(found: Evaluation) -> str:
    told = [
        say("In brackets: where 95 of 100 samples of the questions lie"),
        say("answered: of the answerable questions, by the verdict"),
    ]
    if found.unanswerable:
        told += [
            say("refused: of the unanswerable ones"),
            say("AUROC: how often an answerable question has the higher confidence"),
            say("kept: answerable questions that are left where one in ten of the others is let through"),
        ]
    return sentences(*told)


# --------------------------------------------------------------------------------------------- failures


def _failures(screen: Screen, mode: ModeResult, verbose: bool) -> Iterator[str]:
    failures = mode.failures
    number = count(len(failures), "{n} question fails", "{n} questions fail")
    yield screen.style(say("{name}: {note}", name=mode.mode, note=number), "title")
    shown = failures if verbose else failures[:FEW]
    for each in shown:
        yield from screen.paragraph(flat(each.question.text), indent="  ")
        for text in _what_came(each):
            yield from screen.paragraph(text, indent="    ", role="quiet")
    if len(shown) < len(failures):
        yield "  " + say("... and {n} more (-v names them all)", n=len(failures) - len(shown))


def _what_came(each: AnsweredQuestion) -> Iterator[str]:
    """Yield what was expected of a question, and what came first."""
    if not each.question.answerable:
        yield say("expected: no answer")
    else:
        expected = say(", ").join(_expected(one) for one in each.question.expected[:3])
        place = say("rank {n}", n=each.rank) if each.rank else say("not found")
        yield say("expected: {what} ({place})", what=expected, place=place)
        if not each.verdict.answered:
            yield say("the verdict is that there is no answer")
    if each.first is not None and each.rank != 1:
        yield say("first came: {what}", what=_came(each.first))


def _expected(expected: Expected) -> str:
    name = short_path(expected.source)
    return f"{name}「{clip(flat(expected.quote), EXCERPT)}」" if expected.quote else name


def _came(first: Shown) -> str:
    name = first.label if first.label is not None else f"{short_path(first.source)} [{first.id}]"
    return say("{name}: {note}", name=one_line(name), note=clip(flat(first.excerpt), EXCERPT))


# ------------------------------------------------------------------------------------------- two settings


def comparison(screen: Screen, compared: Comparison) -> list[str]:
    """Return how two settings differ, and whether that may be chance."""
    a, b = one_line(compared.a), one_line(compared.b)
    asked = count(compared.questions, "{n} question", "{n} questions")
    rows = [["", a, b, say("difference"), "p", say("better"), say("worse")]]
    for name, found in compared.differences.items():
        gap = f"{found.difference:+.3f} [{found.low:+.3f}, {found.high:+.3f}]"
        rows.append([name, f"{found.a:.3f}", f"{found.b:.3f}", gap, _p(found.p), str(found.better), str(found.worse)])
    told = [screen.style(say("{b} beside {a}: {questions}", a=a, b=b, questions=asked), "title"), *table(rows)]
    note = say("p: how often chance alone would make so large a difference (randomisation test)")
    return [*told, *screen.paragraph(sentences(note), role="quiet")]


def _p(p: float) -> str:
    return "<0.001" if p < 0.001 else f"{p:.3f}"


def below(screen: Screen, found: Sequence[Mapping[str, object]]) -> list[str]:
    """Return the figures that do not reach what they have to."""
    return [
        line
        for each in found
        for line in screen.paragraph(
            sentences(
                say(
                    "{measure} of {mode} is {value:.4f}, below {least}",
                    measure=each["measure"],
                    mode=each["mode"],
                    value=each["value"],
                    least=each["least"],
                )
            ),
            role="missing",
        )
    ]
