"""What the library returns -> lines of text for people."""

from __future__ import annotations  # so that the model is named here, but not loaded

import os
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from yuanwen.cli import passage
from yuanwen.cli.messages import count, filled, say, sentences
from yuanwen.cli.passage import INDENT
from yuanwen.cli.terminal import Role, Screen, cells, clip, flat, one_line, pad, short_path, table

if TYPE_CHECKING:
    from yuanwen import model, reports
    from yuanwen.absence import Skip, StaleSource
    from yuanwen.doctor import Finding
    from yuanwen.documents import Extracted, Passage, Reading

FEW = 10  # files that are named for one reason


# ------------------------------------------------------------------------------------------ an answer


def evidence(screen: Screen, found: model.Evidence, *, offset: int, verbose: bool) -> list[str]:
    """Return the hits, numbered from `offset` + 1, or why there are none."""
    if not found.hits:
        return _absence(screen, found, verbose=verbose)
    lines: list[str] = []
    for rank, hit in enumerate(found.hits, offset + 1):
        lines += ["", *_hit(screen, hit, rank, whole=verbose or found.mode == "raw")]
    return lines[1:]


def about(screen: Screen, found: model.Evidence, *, offset: int) -> list[str]:
    """Return what there is to say about an answer as a whole."""
    paragraphs = [sentences(one_line(filled(note))) for note in found.notes]
    if found.strength == "weak":
        paragraphs.insert(0, _weak(found.doubts))
    if found.hits:
        last = offset + len(found.hits)
        number = count(found.found, "{n} passage found", "{n} passages found")
        if found.found_is == "at_least":
            number = say("at least {n} passages found", n=f"{found.found:,}")
        parts = [number]
        if len(found.hits) < found.found:
            parts.append(say("shown: {first} to {last}", first=offset + 1, last=last))
        if last < found.found or found.found_is == "at_least":
            parts.append(say("more: --offset {n}", n=last))
        searched = say(
            "Searched {passages:,} passages of {documents:,} documents in {ms:.1f} ms",
            passages=found.searched.passages,
            documents=found.searched.documents,
            ms=found.elapsed_ms,
        )
        paragraphs.append(sentences(say("; ").join(parts), searched))
    lines = [line for text in paragraphs for line in screen.paragraph(text, role="quiet")]
    return ["", *lines] if lines else []


def _weak(doubts: Sequence[str]) -> str:
    """Return that what was found may not answer the question, and why."""
    reasons = {
        "negation": say("a negation"),
        "opposite": say("an opposite"),
        "name": say("a name"),
        "number": say("a number"),
        "kind": say("the kind of thing that is asked for"),
    }
    named = [reasons[doubt] for doubt in doubts if doubt in reasons]
    lacks = say("its nearest sentence lacks {things}", things=say(", ").join(named)) if named else ""
    return sentences(say("Weak evidence: the first passage may not answer the question"), lacks)


def passages(screen: Screen, hits: Sequence[model.Hit]) -> list[str]:
    """Return passages that were asked for by name, whole."""
    lines: list[str] = []
    before = None
    for hit in hits:
        columns = _columns(hit)
        lines += ["", *_hit(screen, hit, None, whole=True, columns=columns != before)]
        before = columns
    return lines[1:]


def _columns(found: model.Hit | Passage) -> tuple[str, ...]:
    """Return what stands above the columns of a passage of a sheet, after the sheet; nothing elsewhere."""
    return (found.place.name, *found.place.columns) if found.place and found.place.columns else ()


def _hit(screen: Screen, hit: model.Hit, rank: int | None, *, whole: bool, columns: bool = True) -> list[str]:
    """Return a hit of a search, which has a `rank`, or a passage that was asked for by its name."""
    shown = (
        passage.words(screen, hit, hit.matches, hit.evidence, inline=not rank, columns=columns)
        if whole
        else passage.excerpt(screen, hit)
    )
    lines = [_headline(screen, hit, rank)]
    for beside in hit.before:
        lines += screen.paragraph(beside.text.strip("\n"), indent=INDENT, role="quiet")
    lines += shown
    for beside in hit.after:
        lines += screen.paragraph(beside.text.strip("\n"), indent=INDENT, role="quiet")
    lines += passage.marks(screen, hit, doubts_only=rank is not None)
    lines += passage.now(screen, hit, short=rank is not None)
    lines.append(INDENT + screen.style(_address(hit, scored=rank is not None), "quiet"))
    if hit.explain:
        rows = [(one_line(name), f"{value:.3f}") for name, value in hit.explain.items()]
        lines += [INDENT + screen.style(row, "quiet") for row in table(rows, right=(1,))]
    return lines


def _headline(screen: Screen, hit: model.Hit, rank: int | None) -> str:
    """Return rank, title, headings and place on one line; the state where the file is not as it was."""
    number = pad(f"{rank} ", len(INDENT)) if rank else ""
    place = passage.place(hit)
    state = _state(hit.state)
    if hit.now is not None:
        state = say("[old version, {date}]", date=passage.dates(hit.now)[0])
    title = flat(hit.title) or _file_name(hit.source)
    path = " › ".join(passage.headings(hit, title))
    room = screen.width - cells(number + place + state) - 2 * (1 + bool(state))
    if screen.width:
        title = clip(title, max(room, 8))
        path = clip(path, max(room - cells(title) - 3, 0), keep_end=True) if room - cells(title) > 8 else ""
    line = screen.style(number, "rank") + screen.style(title, "title")
    line += screen.style(" › ", "quiet") + path if path else ""
    line += "  " + screen.style(place, "quiet")
    return line + ("  " + screen.style(state, _colour(hit.state)) if state else "")


def _address(hit: model.Hit, *, scored: bool) -> str:
    names = [one_line(hit.label)] if hit.label else []
    how = _how(hit) if scored else []
    return " · ".join([*names, hit.id, short_path(hit.source), *how])


def _how(hit: model.Hit) -> list[str]:
    """Return how much of a question a hit covers, and whether it is near in meaning; nothing for the very string."""
    covers = say("covers {n} %", n=round(100 * hit.coverage))
    return {
        "terms": [covers],
        "terms+semantic": [covers, say("near in meaning")],
        "semantic": [say("near in meaning")],
    }.get(hit.match, [])


def _absence(screen: Screen, found: model.Evidence, *, verbose: bool) -> list[str]:
    """Return why an answer is empty, and what to do about it."""
    absence = found.absence
    if absence is None:
        return [say("Nothing further: {n} passages in all.", n=f"{found.found:,}")]
    missing = [flat(term) for term in absence.missing_terms]
    lines: list[str] = []
    if found.searched.documents == 0:
        lines += screen.paragraph(say("Nothing found: the library is empty."))
        advice = say("Add documents with: yuanwen add FOLDER")
    elif absence.kind == "stale":
        lines += screen.paragraph(say("Nothing found, but these files have changed or gone since they were indexed:"))
        lines += _stale(screen, absence.stale, verbose=verbose)
        advice = say("Bring the library up to date with: yuanwen sync")
    elif absence.kind == "unsearchable":
        lines += screen.paragraph(say("Nothing found, but these files could not be searched:"))
        lines += _skips(screen, absence.unsearchable, verbose=verbose)
        advice = say("Make them readable, then run: yuanwen sync")
    else:
        lines += screen.paragraph(
            say("Nothing found: everything is indexed and current, and no passage has these words.")
        )
        advice = say("Try fewer words, or other words for the same thing.")
    if missing:
        lines += screen.paragraph(say("Words that occur nowhere: {words}", words=say(", ").join(missing)))
    if absence.suggestions:
        words = say(", ").join(map(flat, absence.suggestions))
        lines += screen.paragraph(say("Perhaps you mean: {words}", words=words))
    return [*lines, *screen.paragraph(advice)]


# --------------------------------------------------------------------------------- what was taken in


def report(screen: Screen, done: reports.Report, *, verbose: bool, dry_run: bool) -> list[str]:
    """Return what `add`, `sync` or `import` did: counts that add up, then what was skipped and why."""
    counts = say(
        "{files}: {indexed:,} indexed, {unchanged:,} unchanged, {skipped:,} skipped",
        files=count(done.files, "{n} file", "{n} files"),
        indexed=done.indexed,
        unchanged=done.unchanged,
        skipped=len(done.skipped),
    )
    removed = count(done.removed, "{n} document removed", "{n} documents removed") if done.removed else ""
    written = say(
        "{passages} in {seconds:.1f} s",
        passages=count(done.passages, "{n} passage", "{n} passages"),
        seconds=done.elapsed_ms / 1000,
    )
    dry = say("Dry run: nothing was changed") if dry_run else ""
    lines = screen.paragraph(sentences(counts, removed, written, dry))
    for warning in done.warnings if verbose else done.warnings[:FEW]:
        lines += screen.paragraph(one_line(filled(short_path(warning))), role="changed")
    lines += [line.lstrip() for line in _more(len(done.warnings), verbose=verbose)]
    if done.skipped:
        lines += ["", say("Skipped:"), *_skips(screen, done.skipped, verbose=verbose)]
    return lines


def reading(screen: Screen, found: Reading, file: str) -> list[str]:
    """Return what a file would become: each document with its passages, then what could not be read."""
    lines: list[str] = []
    for extracted, passages in found.documents:
        lines += ["", *_about(screen, extracted, len(passages), file)]
        before = None
        for each in passages:
            columns = _columns(each)
            path = [*passage.headings(each, flat(extracted.title)), passage.place(each)]
            lines += ["", *screen.paragraph(" › ".join(path), role="quiet")]
            lines += passage.words(screen, each, columns=columns != before)
            lines += passage.marks(screen, each)
            before = columns
    if found.unread:
        lines += ["", say("Not read:"), *_skips(screen, found.unread, verbose=True)]
    return lines[1:]


def _about(screen: Screen, extracted: Extracted, passages: int, file: str) -> list[str]:
    """Return what a document says of itself, and how much there is of it."""
    source = extracted.source or "/".join(filter(None, (short_path(file), extracted.inside)))
    said = [_kind(extracted.media_type), extracted.author, (extracted.dated or "")[:10], *extracted.tags]
    size = count(passages, "{n} passage", "{n} passages"), count(len(extracted.text), "{n} character", "{n} characters")
    lines = screen.paragraph(flat(extracted.title) or _file_name(source), role="title")
    lines += screen.paragraph(" · ".join([*filter(None, map(flat, said)), *size]), role="quiet")
    lines.append(screen.style(one_line(source), "quiet"))
    for warning in extracted.warnings:
        lines += screen.paragraph(one_line(filled(warning)), role="changed")
    return lines


def _skips(screen: Screen, skips: Iterable[Skip], *, verbose: bool) -> list[str]:
    """Return files by the reason why they were not indexed, those left out by a rule last."""
    groups: dict[tuple[bool, str, str], list[str]] = {}
    for skip in skips:
        groups.setdefault((skip.by_rule, skip.reason, skip.hint), []).append(skip.source)
    lines: list[str] = []
    for (_, reason, hint), sources in sorted(groups.items(), key=lambda group: (group[0][0], -len(group[1]))):
        head = one_line(filled(reason))
        if len(sources) > 1:
            head = say("{reason} ({n})", reason=head, n=f"{len(sources):,}")
        lines += screen.paragraph(sentences(head, one_line(filled(hint))), indent="  ")
        names = [screen.style(short_path(source), "quiet") for source in sources if source]
        lines += _some(names, verbose=verbose)
    return lines


def _stale(screen: Screen, stale: Iterable[StaleSource], *, verbose: bool) -> list[str]:
    rows = [f"{screen.style(_state(s.state), _colour(s.state))}  {short_path(s.source)}" for s in stale]
    return _some(rows, verbose=verbose)


def _some(lines: Sequence[str], *, verbose: bool) -> list[str]:
    """Return lines, the first few unless all are wanted."""
    shown = lines if verbose else lines[:FEW]
    return [f"    {line}" for line in shown] + _more(len(lines), verbose=verbose)


def _more(number: int, *, verbose: bool) -> list[str]:
    """Return how many of a number of lines are not shown."""
    more = 0 if verbose else number - FEW
    return [f"    {say('... and {n} more (-v names them all)', n=f'{more:,}')}"] if more > 0 else []


# -------------------------------------------------------------------------------------- about a library


def documents(screen: Screen, found: Sequence[reports.Document], *, verbose: bool) -> list[str]:
    """Return the documents as a table."""
    if not found:
        return [say("The library is empty. Add documents with: yuanwen add FOLDER")]
    rows: list[tuple[str, ...]] = [(say("TITLE"), say("TYPE"), say("PASSAGES"), say("DATE"), say("SOURCE"))]
    for each in found:
        title = flat(each.title) or _file_name(each.source)
        rows.append((title, _kind(each.media_type), f"{each.passages:,}", each.dated[:10], short_path(each.source)))
    states = [(_state(each.state), _colour(each.state)) for each in found]
    if screen.width and not verbose:
        rows = _fitted(rows, screen.width - max(cells(state) + 2 * bool(state) for state, _ in states))
    lines = table(rows, right=(2,))
    shown = [screen.style(lines[0], "quiet")]
    for line, (state, colour) in zip(lines[1:], states, strict=True):
        shown.append(line + ("  " + screen.style(state, colour) if state else ""))
    return shown


def _fitted(rows: Sequence[tuple[str, ...]], width: int) -> list[tuple[str, ...]]:
    """Return rows whose titles and sources, the first column and the last, are cut to what fits."""
    widths = [max(map(cells, column)) for column in zip(*rows, strict=True)]
    room = max(width - sum(widths[1:-1]) - 2 * (len(widths) - 1), 24)
    title = min(widths[0], max(room - widths[-1], room * 2 // 5))
    return [(clip(first, title), *middle, clip(last, room - title, keep_end=True)) for first, *middle, last in rows]


def tags(screen: Screen, found: Sequence[reports.Tag]) -> list[str]:
    """Return the tags as a table."""
    if not found:
        return [say("There are no tags. Give them with: yuanwen add FOLDER --tag NAME")]
    rows = [(say("TAG"), say("DOCUMENTS")), *((flat(each.tag), f"{each.documents:,}") for each in found)]
    lines = table(rows, right=(1,))
    return [screen.style(lines[0], "quiet"), *lines[1:]]


def status(screen: Screen, found: reports.Status, *, verbose: bool) -> list[str]:
    """Return the health of a library."""
    behind = found.generation - found.index_position
    caught_up = say("up to date") if behind <= 0 else count(behind, "{n} change behind", "{n} changes behind")
    rows = [
        (say("Library"), one_line(found.path)),
        (say("Documents"), f"{found.documents:,}"),
        (say("Versions"), f"{found.versions:,}"),
        (say("Passages"), f"{found.passages:,}"),
        (say("Characters"), f"{found.characters:,}"),
        (
            say("Size"),
            say(
                "{library} and the index {index}",
                library=size(found.library_bytes),
                index=size(found.index_bytes),
            ),
        ),
        (say("Index"), say("{name} ({note})", name=found.index, note=caught_up)),
        *((say("Meaning"), each) for each in _vectors(found.vectors)),
        (say("Format"), str(found.format)),
    ]
    lines = table(rows)
    if found.roots:
        lines += ["", say("Folders and files kept in step:")]
        lines += [f"  {line}" for line in map(_root, found.roots)]
    if found.stale:
        lines += ["", say("Changed or gone since they were indexed (run: yuanwen sync):")]
        lines += _stale(screen, found.stale, verbose=verbose)
    if found.skipped:
        lines += ["", say("Skipped:"), *_skips(screen, found.skipped, verbose=verbose)]
    if found.unread:
        lines += ["", say("Parts of files that were not read:"), *_skips(screen, found.unread, verbose=verbose)]
    if found.replaced:
        lines += ["", say("Files with bytes that could not be read as text:")]
        names = [_replaced(each) for each in found.replaced]
        lines += _some(names, verbose=verbose)
    return lines


def _vectors(found: reports.Vectors | None) -> Iterator[str]:
    """Yield which vectors there are, by which model."""
    if found is None:
        return
    note = say("{n} passages embedded", n=f"{found.embedded:,}")
    if found.missing:
        note += say(", {n} to do", n=f"{found.missing:,}")
    if found.skipped:
        note += say(", {n} without words", n=f"{found.skipped:,}")
    if found.searched not in ("", found.model):
        note += say(", until then those of {model} are searched", model=found.searched)
    yield say("{name} ({note})", name=one_line(found.model), note=note)


def _replaced(document: reports.Document) -> str:
    number = count(document.replaced, "{n} character", "{n} characters")
    return f"{short_path(document.source)}  " + say("{name} ({note})", name=one_line(document.encoding), note=number)


def _root(root: reports.Root) -> str:
    parts = [short_path(root.path)]
    for name, values in (("--tag", root.tags), ("--include", root.include), ("--exclude", root.exclude)):
        parts += [f"{name} {flat(value)}" for value in values]
    return "  ".join(parts)


# ----------------------------------------------------------------------------------------------- upkeep


def check(screen: Screen, found: reports.Check) -> list[str]:
    """Return the result of a check."""
    checked = count(found.passages, "{n} passage checked", "{n} passages checked")
    lines = [f"  {one_line(filled(each))}" for each in found.problems]
    mended = [f"  {one_line(filled(each))}" for each in found.repaired]
    if mended:
        mended = [screen.style(say("Repaired:"), "good"), *mended]
    if not lines:
        return [*mended, sentences(screen.style(say("The library is sound"), "good"), checked)]
    advice = say("Run: yuanwen check --repair. If that does not help, restore a copy, or make the library anew.")
    return [
        *mended,
        screen.style(say("Problems:"), "missing"),
        *lines,
        sentences(checked),
        *screen.paragraph(advice),
    ]


def compacted(done: reports.Compacted) -> list[str]:
    """Return what `compact` won."""
    sizes = say("{before} before, {after} after", before=size(done.before_bytes), after=size(done.after_bytes))
    dropped = say(
        "dropped: {versions} and {passages}",
        versions=count(done.versions, "{n} superseded version", "{n} superseded versions"),
        passages=count(done.passages, "{n} passage", "{n} passages"),
    )
    return [sentences(sizes, dropped if done.versions else "")]


def forgotten(screen: Screen, done: reports.Forgotten) -> list[str]:
    """Return what `forget` removed."""
    line = say(
        "removed: {documents}, {versions}, {passages}",
        documents=count(done.documents, "{n} document", "{n} documents"),
        versions=count(done.versions, "{n} version", "{n} versions"),
        passages=count(done.passages, "{n} passage", "{n} passages"),
    )
    proof = say("Nothing of them is left in the library or its index")
    return [
        *(f"  {short_path(source)}" for source in done.sources),
        *screen.paragraph(sentences(line, proof)),
    ]


def exported(documents: int, file: str) -> list[str]:
    """Return what `export` wrote."""
    written = count(documents, "{n} document", "{n} documents")
    return [sentences(say("{documents} written to {file}", documents=written, file=short_path(file)))]


def findings(screen: Screen, found: Sequence[Finding], *, verbose: bool) -> list[str]:
    """Return what the doctor found."""
    lines: list[str] = []
    names = [say(each.name) for each in found]
    width = max(map(cells, names)) + 2
    indent = " " * (width + 2)
    for each, name in zip(found, names, strict=True):
        mark = screen.style("✗", "missing") if not each.ok else "·" if each.fix else screen.style("✓", "good")
        text = one_line(each.text(each.detail, say))
        if each.listing and not verbose:
            text = screen.clip(text, screen.width - len(indent))
        detail = screen.paragraph(text, indent=indent) or [""]
        lines.append(f"{mark} {pad(name, width)}{detail[0].lstrip()}")
        lines += detail[1:]
        if each.fix:
            lines += screen.paragraph("→ " + one_line(each.text(each.fix, say)), indent=indent, role="changed")
    return lines


# ---------------------------------------------------------------------------------------------- pieces


def size(octets: int) -> str:
    """Return a number of bytes as people read it."""
    amount = float(octets)
    for unit in ("B", "KB", "MB", "GB"):
        if amount < 1000 or unit == "GB":
            return f"{amount:.0f} {unit}" if unit == "B" or amount >= 100 else f"{amount:.1f} {unit}"
        amount /= 1000
    raise AssertionError("unreachable")


def _kind(media_type: str) -> str:
    """Return a media type as people write it: the first suffix of such files."""
    from yuanwen.extract.formats import MEDIA_TYPES

    suffixes = (suffix.removeprefix(".") for suffix, named in MEDIA_TYPES.items() if named == media_type)
    return next(suffixes, media_type.rpartition("/")[2].removeprefix("x-"))


def _state(state: model.State) -> str:
    return {"current": "", "changed": say("[changed]"), "missing": say("[missing]")}[state]


def _colour(state: model.State) -> Role:
    return "missing" if state == "missing" else "changed"


def _file_name(source: str) -> str:
    return flat(os.path.basename(source.replace("\\", "/").rstrip("/"))) or flat(source)
