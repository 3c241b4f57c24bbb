"""An evaluation -> a picture of it, as SVG: measures with their intervals, ranks, and the curve of abstention."""

from collections.abc import Callable, Iterator, Sequence
from html import escape

from yuanwen.evaluation.metrics import Figure
from yuanwen.evaluation.run import AnsweredQuestion, Evaluation, ModeResult

WIDTH = 780
MARGIN = 24
LABELS = 170  # pixels that the names on the left take
ROW = 22
SCALE = WIDTH - LABELS - 2 * MARGIN - 60
SIDE = 240  # of the curve

# Okabe and Ito (2008): colours that people with any colour vision tell apart.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
SHADES = ("#08519c", "#3182bd", "#6baed6", "#bdd7e7", "#d9d9d9")
RANKS = ((1, 1), (2, 3), (4, 10), (11, 100))

Say = Callable[..., str]


def svg(found: Evaluation, say: Say) -> str:
    """Return the picture; `say` gives a template its language and fills it."""
    parts = list(_title(found, say))
    parts += _measures(found.modes, 84, say)
    bottom = 84 + ROW * (len(found.modes[0].figures) * (len(found.modes) + 1) + 1)
    parts += _ranks(found.modes, bottom + 20, say)
    bottom += 20 + ROW * (len(found.modes) + 3)
    if found.unanswerable:
        parts += _curve(found.modes, bottom + 20, say)
        bottom += 20 + SIDE + 70
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{bottom}" viewBox="0 0 {WIDTH} {bottom}"'
            ' font-family="system-ui, Noto Sans CJK SC, Microsoft YaHei, sans-serif" font-size="13">',
            f'<rect width="{WIDTH}" height="{bottom}" fill="#fff"/>',
            *parts,
            "</svg>\n",
        ]
    )


def _title(found: Evaluation, say: Say) -> Iterator[str]:
    yield _text(MARGIN, 32, found.name, size=18, bold=True)
    told = say(
        "{answerable} answerable and {unanswerable} unanswerable questions, {passages} passages",
        answerable=f"{found.answerable:,}",
        unanswerable=f"{found.unanswerable:,}",
        passages=f"{found.passages:,}",
    )
    yield _text(MARGIN, 54, told, colour="#555")
    for place, mode in enumerate(found.modes):
        x = WIDTH - MARGIN - 90 * (len(found.modes) - 1 - place)
        yield _text(x, 54, mode.mode, anchor="end", colour=_colour(place))


def _colour(place: int) -> str:
    return COLOURS[place % len(COLOURS)]


def _measures(modes: Sequence[ModeResult], top: int, say: Say) -> Iterator[str]:
    """Yield a bar for each measure of each mode, with a line for its interval."""
    left = MARGIN + LABELS
    for tick in range(0, 11, 2):
        x = left + SCALE * tick / 10
        height = ROW * (len(modes[0].figures) * (len(modes) + 1))
        yield f'<line x1="{x:g}" y1="{top}" x2="{x:g}" y2="{top + height}" stroke="#e5e5e5"/>'
        yield _text(x, top + height + 14, f"{tick / 10:g}", anchor="middle", colour="#777")
    y = top
    for name in modes[0].figures:
        yield _text(left - 8, y + ROW * (len(modes) + 1) / 2, name, anchor="end")
        for place, mode in enumerate(modes):
            yield from _bar(left, y + ROW / 2 + ROW * place, mode.figures[name], _colour(place), mode.mode)
        y += ROW * (len(modes) + 1)


def _bar(left: float, y: float, figure: Figure, colour: str, name: str) -> Iterator[str]:
    """Yield a bar; its interval is drawn over it, and its value beside it."""
    told = f"{figure.value:.3f} [{figure.low:.3f}, {figure.high:.3f}]"
    yield (
        f'<rect x="{left}" y="{y + 3:g}" width="{SCALE * figure.value:.1f}" height="{ROW - 6}" fill="{colour}"'
        f' fill-opacity="0.75"><title>{escape(name)}: {told}</title></rect>'
    )
    low, high, middle = left + SCALE * figure.low, left + SCALE * figure.high, y + ROW / 2
    yield f'<path d="M{low:.1f} {middle - 4:g}v8m0-4H{high:.1f}m0-4v8" stroke="#222" fill="none"/>'
    yield _text(left + SCALE + 8, middle + 4, f"{figure.value:.3f}", colour=colour)


def _ranks(modes: Sequence[ModeResult], top: int, say: Say) -> Iterator[str]:
    """Yield for each mode a bar of the ranks at which what was expected came."""
    left = MARGIN + LABELS
    names = ("1", "2-3", "4-10", "11-100", say("not found"))
    yield _text(MARGIN, top + 14, say("Rank of what was expected"), bold=True)
    x = left + 40
    for name, shade in zip(names, SHADES, strict=True):
        yield f'<rect x="{x}" y="{top + 4}" width="12" height="12" fill="{shade}"/>'
        yield _text(x + 17, top + 14, name)
        x += 78
    for place, mode in enumerate(modes):
        y = top + ROW * (place + 1)
        yield _text(left - 8, y + 16, mode.mode, anchor="end", colour=_colour(place))
        x = left
        for name, shade, share in zip(names, SHADES, _shares(mode.questions), strict=True):
            wide = round(SCALE * share)
            yield (
                f'<rect x="{x}" y="{y + 3}" width="{wide}" height="{ROW - 6}" fill="{shade}">'
                f"<title>{escape(name)}: {share:.1%}</title></rect>"
            )
            x += wide


def _shares(questions: Sequence[AnsweredQuestion]) -> list[float]:
    """Return which share of the answerable questions has its rank in each of RANKS, and which has none."""
    ranks = [each.rank for each in questions if each.question.answerable]
    within = [sum(rank is not None and low <= rank <= high for rank in ranks) for low, high in RANKS]
    return [count / len(ranks) for count in (*within, ranks.count(None))]


def _curve(modes: Sequence[ModeResult], top: int, say: Say) -> Iterator[str]:
    """Yield how many questions of either kind are answered, at each threshold, and by the verdict."""
    left, y = MARGIN + LABELS, top + 24
    yield _text(MARGIN, top + 14, say("Answered by each threshold of confidence; the dot is the verdict"), bold=True)
    yield f'<rect x="{left}" y="{y}" width="{SIDE}" height="{SIDE}" fill="none" stroke="#bbb"/>'
    yield f'<path d="M{left} {y + SIDE}L{left + SIDE} {y}" stroke="#ddd"/>'
    yield _text(left + SIDE / 2, y + SIDE + 18, say("share of the unanswerable questions"), anchor="middle")
    yield _text(left - 8, y + SIDE / 2, say("of the answerable ones"), anchor="end")
    for place, mode in enumerate(modes):
        colour = _colour(place)
        points = " ".join(f"{left + SIDE * bad:.1f},{y + SIDE * (1 - good):.1f}" for bad, good in mode.curve)
        yield f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>'
        bad, good = 1 - mode.figures["refused"].value, mode.figures["answered"].value
        yield f'<circle cx="{left + SIDE * bad:.1f}" cy="{y + SIDE * (1 - good):.1f}" r="5" fill="{colour}"/>'
        told = f"{mode.mode}: AUROC {mode.figures['AUROC'].value:.3f}"
        yield _text(left + SIDE + 20, y + 20 + ROW * place, told, colour=colour)


def _text(
    x: float, y: float, text: str, *, anchor: str = "start", colour: str = "#222", size: int = 13, bold: bool = False
) -> str:
    weight = ' font-weight="600"' if bold else ""
    safe = escape("".join(each if each.isprintable() else "\N{REPLACEMENT CHARACTER}" for each in text))
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" fill="{colour}" font-size="{size}"{weight}>{safe}</text>'
