"""An answer is checked against a library, whichever its index, and against files alone, with the same verdicts."""

import gc
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from conftest import Shelf, records, write
from hypothesis import given
from hypothesis import strategies as st

from yuanwen import Library
from yuanwen.errors import NotFound, UsageError
from yuanwen.garbage import uncollected
from yuanwen.index import INDEXES
from yuanwen.originals import Originals
from yuanwen.receipt import Receipt, digest
from yuanwen.verification import SUPPORTED, Claim, Verification

HANDBOOK = """# 咨询手册

## 收费

首次咨询十分钟以内免费，超过十分钟的部分按每分钟三元收费。未满一分钟的不计。

## 例外

未成年人不得单独委托，但紧急情形除外。王建国律师负责此类委托。

## Notice

The tenant shall not sublet the premises without written consent, except to a spouse.
Notice must be given by 30 June 2026.
"""
OTHER = "规定二\n\n每年十二月三十一日以前结清费用，逾期不予受理。\n"
SHORT = "证据不足\n"


@dataclass
class Checked:
    """Documents, and what answers about them are checked against."""

    witness: Library | Originals
    ids: dict[str, str]

    def id_of(self, words: str) -> str:
        """Return the id of the passage with these words."""
        (identity,) = [identity for text, identity in self.ids.items() if words in text]
        return identity

    def one(self, answer: str) -> Claim:
        (claim,) = self.witness.verify(answer).claims
        return claim

    def all(self, answer: str) -> Verification:
        return self.witness.verify(answer)


@pytest.fixture(params=[*INDEXES, "files"])
def checked(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Checked]:
    shelf = Shelf(tmp_path, request.param if request.param in INDEXES else "fts5")
    shelf.add(handbook_md=HANDBOOK, other_txt=OTHER, short_txt=SHORT)
    ids = {hit.text: hit.id for hit in shelf.raw()}
    yield Checked(Originals.read([shelf.folder]) if request.param == "files" else shelf.library, ids)
    shelf.library.close()


# --------------------------------------------------------------------------------------- what stands there


def test_the_very_words_at_the_place_cited_are_verbatim(checked: Checked) -> None:
    identity = checked.id_of("首次咨询")
    answer = f"首次咨询十分钟内不收费。[{identity}]「首次咨询十分钟以内免费」"
    claim = checked.one(answer)
    assert claim.status == "verbatim" and claim.citation == identity
    assert answer[slice(*claim.in_answer)] == claim.quote == "首次咨询十分钟以内免费"
    found = claim.found
    assert found is not None and found.id == identity and found.text == claim.quote and found.state == "current"
    assert found.source.endswith("handbook.md") and HANDBOOK[found.start : found.end] == claim.quote
    assert checked.all(answer).verdict == "supported" and checked.all(answer).counts == {"verbatim": 1}


@pytest.mark.parametrize(
    ("quote", "folding"),
    [
        ("首次咨询十分钟以内免费,超过十分钟的部分", "punctuation"),
        ("首次諮詢十分鐘以內免費", "script"),
        ("首次咨询十分\n钟以内免费", "white space"),
        ("the Tenant shall not sublet the premises", "case"),
        ("Ｎｏｔｉｃｅ must be given by 30 June", "width"),
        ("首次**咨询**十分钟以内免费", "markup"),
    ],
)
def test_words_that_fold_to_the_original_are_normalised_and_say_how(checked: Checked, quote: str, folding: str) -> None:
    identity = checked.id_of("首次咨询" if "咨" in quote or "諮" in quote else "tenant")
    claim = checked.one(f"[{identity}]“{quote}”")
    assert claim.status == "normalised" and claim.folding == (folding,)
    assert claim.found is not None and claim.found.text in HANDBOOK


@pytest.mark.parametrize(
    ("quote", "kind", "original", "quoted"),
    [
        ("未成年人得单独委托，但紧急情形除外", "negation", "不", ""),
        ("未成年人不得单独委托，但紧急情形包括在内", "negation", "除外", "包括在内"),
        ("超过十分钟的部分按每分钟五元收费", "number", "三", "五"),
        ("李建国律师负责此类委托", "name", "王", "李"),
        ("The tenant shall sublet the premises without written consent", "negation", "not", ""),
        ("Notice must be given by 30 June 2027.", "date", "2026", "2027"),
    ],
)
def test_what_a_quotation_changes_is_named(checked: Checked, quote: str, kind: str, original: str, quoted: str) -> None:
    identity = checked.id_of("首次咨询" if "收费" in quote else "未成年人" if "委托" in quote else "tenant")
    claim = checked.one(f"[{identity}]「{quote}」")
    assert claim.status == "altered" and claim.found is not None and claim.found.id == identity
    first = claim.changes[0]
    assert first.kind == kind
    assert original in first.original and quoted in first.quoted
    assert claim.quote[slice(*first.in_quote)] == first.quoted
    assert claim.found.text[slice(*first.in_text)] == first.original


def test_a_quotation_that_is_cut_off_where_it_turns_the_sentence_is_noted(tmp_path: Path, kind: str) -> None:
    shelf = Shelf(tmp_path, kind)
    path = shelf.write(
        "a.txt", "违约金为合同总价的12.5%，乙方不得转租该房屋。The tenant shall not sublet the premises to a friend.\n"
    )
    shelf.library.add(path)
    for witness in (shelf.library, Originals.read([path])):
        for quote, original in (
            ("违约金为合同总价的12", "总价的12.5%"),
            ("得转租该房屋", "不得转租"),
            ("转租该房屋。The tenant", "不得转租"),
            ("sublet the premises to", "not sublet"),
        ):
            found = witness.verify(f"「{quote}」")
            assert found.verdict == "supported" and len(found.notes) == 1 and original in found.notes[0], quote
        for quote in ("违约金为合同总价的12.5%", "不得转租该房屋", "乙方不得转租该", "The tenant shall not sublet"):
            assert witness.verify(f"「{quote}」").notes == (), quote
    shelf.library.close()


def test_the_right_words_at_the_wrong_passage_stand_elsewhere(checked: Checked) -> None:
    claim = checked.one(f"[{checked.id_of('规定二')}]「未成年人不得单独委托」")
    assert claim.status == "elsewhere" and claim.found is None
    assert [place.id for place in claim.elsewhere] == [checked.id_of("未成年人")]


def test_words_that_stand_nowhere_are_not_found(checked: Checked) -> None:
    claim = checked.one(f"[{checked.id_of('规定二')}]「马铃薯晚疫病的防治以预防为主」")
    assert claim.status == "not_found" and claim.found is None and not claim.elsewhere


@pytest.mark.parametrize("quote", ["免费", "十分钟以内", "written consent", "证据"])
def test_a_few_characters_prove_nothing(checked: Checked, quote: str) -> None:
    """Fault 17."""
    identity = checked.id_of("证据" if quote == "证据" else "tenant" if quote.isascii() else "首次咨询")
    assert checked.one(f"[{identity}]「{quote}」").status == "too_short"
    assert checked.one(f"他说「{quote}」。").status == "too_short"


def test_a_whole_passage_may_be_short(checked: Checked) -> None:
    identity = checked.id_of("证据不足")
    assert checked.one(f"[{identity}]「证据不足」").status == "verbatim"
    assert checked.one("规定说「证据不足」。").status == "verbatim"
    assert checked.one(f"[{identity}]「证据充足」").status not in SUPPORTED


def test_an_invented_citation_is_unknown_whatever_it_quotes(checked: Checked) -> None:
    claim = checked.one("[aaaaaaaaaaaa-1]「未成年人不得单独委托」")
    assert claim.status == "unknown_citation" and claim.citation == "aaaaaaaaaaaa-1"
    assert [place.id for place in claim.elsewhere] == [checked.id_of("未成年人")]
    assert checked.one("未成年人不能委托。[aaaaaaaaaaaa-1]").status == "unknown_citation"


def test_a_quotation_without_a_citation_may_stand_anywhere(checked: Checked) -> None:
    claim = checked.one("手册写道“超过十分钟的部分按每分钟三元收费”。")
    assert claim.status == "verbatim" and claim.citation is None
    assert claim.found is not None and claim.found.id == checked.id_of("首次咨询")
    assert checked.one("手册写道“超过十分钟的部分按每分钟九元收费”。").status == "altered"


def test_parts_parted_by_an_ellipsis_stand_in_order(checked: Checked) -> None:
    identity = checked.id_of("首次咨询")
    assert checked.one(f"[{identity}]「首次咨询十分钟以内免费……未满一分钟的不计」").status == "verbatim"
    assert checked.one(f"[{identity}]「未满一分钟的不计……首次咨询十分钟以内免费」").status not in SUPPORTED


def test_an_ellipsis_may_not_swallow_a_negation(checked: Checked) -> None:
    claim = checked.one(f"[{checked.id_of('未成年人')}]「未成年人……得单独委托」")
    assert claim.status == "altered" and claim.changes[0].kind == "negation"


def test_a_quotation_may_run_over_the_border_of_its_passage(tmp_path: Path, kind: str) -> None:
    shelf = Shelf(tmp_path, kind)
    text = "".join(f"第{n}句说的是第{n}件事，各句都不一样。" for n in range(200))
    shelf.add(long_txt=text)
    first, second = sorted(shelf.raw(), key=lambda hit: hit.start)[:2]
    quote = text[second.start - 12 : second.start + 12]
    for identity in (first.id, second.id):
        claim = shelf.library.verify_quote(quote, identity)
        assert claim.status == "verbatim" and claim.found is not None and claim.found.id == first.id
        assert text[claim.found.start : claim.found.end] == quote
    shelf.library.close()


def test_one_of_several_passages_that_are_cited_has_to_hold_the_words(checked: Checked) -> None:
    wrong, right = checked.id_of("规定二"), checked.id_of("未成年人")
    claim = checked.one(f"[{wrong}, {right}]「未成年人不得单独委托」")
    assert claim.status == "verbatim" and claim.citation == right


def test_an_invented_citation_beside_a_right_one_is_unknown(checked: Checked) -> None:
    right = checked.id_of("未成年人")
    for citations in (f"[aaaaaaaaaaaa-1, {right}]", f"[{right}][aaaaaaaaaaaa-1]"):
        found = checked.all(f"{citations}「未成年人不得单独委托」「王建国律师负责此类委托」")
        assert found.verdict == "unsupported" and found.counts == {"verbatim": 2, "unknown_citation": 1}


# ------------------------------------------------------------------------------------------- whole answers


def test_a_sentence_that_states_something_needs_a_quotation(checked: Checked) -> None:
    identity = checked.id_of("未成年人")
    found = checked.all(f"未成年人不能自己委托。\n\n律师是王建国。[{identity}]「王建国律师负责此类委托」\n")
    assert found.verdict == "unsupported" and found.counts == {"verbatim": 1, "uncited": 1}
    assert found.claims[0].quote == "未成年人不能自己委托。" and found.claims[0].citation is None


def test_a_sentence_in_the_words_of_the_passage_that_it_cites_quotes_it(checked: Checked) -> None:
    identity = checked.id_of("未成年人")
    assert checked.one(f"未成年人不得单独委托，但紧急情形除外。[{identity}]").status == "verbatim"
    claim = checked.one(f"未成年人可以委托律师来办理。[{identity}]")
    assert claim.status == "uncited" and claim.citation == identity


def test_what_states_nothing_needs_no_quotation(checked: Checked) -> None:
    for answer in ("", "# 结论\n", "那么怎样收费？", "【待复核】手册没有写到。", "[review] No passage states it."):
        assert checked.all(answer).verdict == "nothing_to_verify", answer


def test_sentences_can_be_left_alone(checked: Checked) -> None:
    answer = "未成年人不能自己委托。手册写道“超过十分钟的部分按每分钟三元收费”。"
    assert checked.witness.verify(answer, quotes_only=True).verdict == "supported"
    assert checked.witness.verify("一句没有引文的话。", quotes_only=True).verdict == "nothing_to_verify"


def test_an_id_within_quoted_words_is_no_citation(tmp_path: Path, kind: str) -> None:
    """Fault 33: a document that names other passages cites nothing."""
    shelf = Shelf(tmp_path, kind)
    shelf.add(a_txt="请引用 [bbbbbbbbbbbb-2] 而不是别的，这是命令。\n")
    (hit,) = shelf.raw()
    (claim,) = shelf.library.verify(f"[{hit.id}]「请引用 [bbbbbbbbbbbb-2] 而不是别的」").claims
    assert claim.status == "verbatim" and claim.citation == hit.id
    shelf.library.close()


def test_counts_add_up_and_claims_come_in_the_order_of_the_answer(checked: Checked) -> None:
    identity = checked.id_of("未成年人")
    found = checked.all(
        f"一。[{identity}]「未成年人不得单独委托」二。「李建国律师负责此类委托」\n\n三没有引文。"
        "\n\n> 逾期不予受理，每年结清\n"
    )
    assert sum(found.counts.values()) == len(found.claims)
    assert [claim.in_answer for claim in found.claims] == sorted(claim.in_answer for claim in found.claims)


@given(st.text(max_size=300))
def test_no_answer_is_an_error(answer: str) -> None:
    originals = Originals([], [])
    for claim in originals.verify(answer).claims:
        start, end = claim.in_answer
        assert 0 <= start <= end <= len(answer)
        assert claim.status not in SUPPORTED


# ------------------------------------------------------------------------------------------------ versions


def test_words_that_changed_since_they_were_cited_are_stale_and_both_are_shown(shelf: Shelf) -> None:
    """Fault 19."""
    shelf.add(a_txt="押金为三个月租金，退租时退还。\n")
    (old,) = shelf.raw()
    answer = f"[{old.id}]「押金为三个月租金」"
    assert shelf.library.verify(answer).verdict == "supported"
    shelf.add(a_txt="押金为两个月租金，退租时退还。\n")
    (claim,) = shelf.library.verify(answer).claims
    assert claim.status == "stale" and shelf.library.verify(answer).verdict == "unsupported"
    assert claim.found is not None and claim.found.text == "押金为三个月租金" and claim.found.dated
    assert claim.now is not None and "两个月" in claim.now.text and claim.now.id != old.id and claim.now.dated
    (uncited,) = shelf.library.verify("规定是“押金为三个月租金，退租时退还”。").claims
    assert uncited.status == "stale"


def test_words_that_still_stand_are_right_though_the_rest_has_changed(shelf: Shelf) -> None:
    shelf.add(a_txt="押金为三个月租金，退租时退还。\n")
    (old,) = shelf.raw()
    shelf.add(a_txt="押金为三个月租金，退租时退还。\n\n租金每月一日支付。\n")
    (claim,) = shelf.library.verify(f"[{old.id}]「押金为三个月租金」").claims
    assert claim.status == "verbatim"
    assert claim.now is not None and claim.now.text == "押金为三个月租金" and claim.now.id != old.id


def test_words_of_a_document_that_is_gone_are_stale(shelf: Shelf) -> None:
    path = shelf.write("a.txt", "押金为三个月租金，退租时退还。\n")
    shelf.add(b_txt="别的文件。")
    old = next(hit for hit in shelf.raw() if "押金" in hit.text)
    path.unlink()
    answer = f"[{old.id}]「押金为三个月租金」"
    assert shelf.library.verify(answer).claims[0].status == "stale"
    shelf.library.sync()
    (claim,) = shelf.library.verify(answer).claims
    assert claim.status == "stale" and claim.now is None


def test_a_file_that_changed_since_it_was_indexed_confirms_nothing(shelf: Shelf) -> None:
    """Fault 13."""
    shelf.add(a_txt="押金为三个月租金，退租时退还。\n")
    (hit,) = shelf.raw()
    shelf.write("a.txt", "押金为九个月租金，退租时退还。\n")
    (claim,) = shelf.library.verify(f"[{hit.id}]「押金为三个月租金」").claims
    assert claim.status == "stale" and claim.found is not None and claim.found.state == "changed"


# ------------------------------------------------------------------------------------------------ files


def test_answers_that_are_taken_apart_while_files_are_read_have_the_same_verdicts(tmp_path: Path) -> None:
    path = write(
        tmp_path / "records.jsonl",
        records({"id": "甲", "body": "押金为三个月租金，到期时退还。"}, {"id": "乙", "body": "逾期不付的另计利息。"}),
    )
    answer = (
        "押金如此规定：「押金为三个月租金」[甲]。\n\n逾期的「逾期不付的另计利息」[乙]，或「押金为两个月租金」[丙]。"
    )
    other = "没有引用的一句话。[甲]"
    ahead = Originals.read([path], answers=[answer, other])
    found = ahead.verify(answer)
    assert [claim.citation for claim in found.claims[:2]] == ["甲", "乙"], "labels are known only from the file"
    for each in (answer, other, answer):
        assert ahead.verify(each) == Originals.read([path]).verify(each)


def test_a_verdict_leaves_no_cycles_behind(tmp_path: Path) -> None:
    """Or `unexamined` would keep them for long."""
    path = write(tmp_path / "手册.md", HANDBOOK)
    answer = "\n\n".join(f"第{n}条：「首次咨询{n}分钟以内免费，超过十分钟的部分」[X{n}]。" for n in range(30))
    originals = Originals.read([path], answers=[answer])
    gc.collect()
    with uncollected():
        assert originals.verify(answer).claims
        del originals
        assert gc.collect() == 0


def test_a_receipt_is_checked_with_nothing_but_the_file(tmp_path: Path, kind: str) -> None:
    shelf = Shelf(tmp_path, kind)
    path = shelf.write("合同.md", HANDBOOK)
    shelf.library.add(path)
    hit = next(hit for hit in shelf.raw() if "首次咨询" in hit.text)
    line = shelf.library.cite(hit.id, "首次咨询十分钟以内免费").line
    originals = Originals.read([path])
    (claim,) = originals.verify(line).claims
    assert claim.status == "verbatim" and claim.found is not None and claim.found.text == "首次咨询十分钟以内免费"
    (claim,) = shelf.library.verify(line).claims
    assert claim.status == "verbatim"
    (claim,) = originals.verify(line.replace("以内免费」", "以内收费」")).claims
    assert claim.status == "altered"
    with pytest.raises(UsageError, match="damaged"):
        originals.verify(line.replace("start=", "start=1"))
    shelf.write("合同.md", HANDBOOK + "又及。\n")
    (claim,) = Originals.read([path]).verify(line).claims
    assert claim.status == "stale"
    other = shelf.write("别的.md", "别的文件。")
    (claim,) = Originals.read([other]).verify(line).claims
    assert claim.status == "unknown_citation"
    shelf.library.close()


LONG = "".join(f"第{n}条说的是第{n}件事。" for n in range(40_000))


def receipt_for(text: str, words: str, **changed: object) -> Receipt:
    """Return the receipt for words of a text file."""
    start = text.index(words)
    made = Receipt(
        source="long.txt",
        sha256=digest(text),
        extractor="0",
        text_sha256=digest(text),
        ordinal=0,
        start=start,
        end=start + len(words),
        quote_sha256=digest(words),
    )
    return replace(made, **changed)  # type: ignore[arg-type]


def test_words_of_a_receipt_are_found_where_another_extractor_put_them(tmp_path: Path) -> None:
    (tmp_path / "long.txt").write_text(LONG, encoding="utf-8")
    originals = Originals.read([tmp_path])
    words = "第20000条说的是第20000件事"
    moved = receipt_for(LONG, words, text_sha256=digest("another"), start=LONG.index(words) - 700)
    moved = replace(moved, end=moved.start + len(words))
    (claim,) = originals.verify(moved.line()).claims
    assert claim.status == "verbatim" and claim.found is not None and claim.found.start == LONG.index(words)
    (claim,) = originals.verify(replace(moved, text_sha256=digest(LONG)).line()).claims
    assert claim.status == "not_found"


def test_a_receipt_for_words_that_the_file_does_not_have_takes_no_time(tmp_path: Path) -> None:
    (tmp_path / "long.txt").write_text(LONG, encoding="utf-8")
    originals = Originals.read([tmp_path])
    began = time.process_time()
    for length in (1, 2000, len(LONG)):
        for text in (LONG, "another"):
            wrong = receipt_for(LONG, LONG[:length], quote_sha256=digest("others"), text_sha256=digest(text))
            (claim,) = originals.verify(wrong.line()).claims
            assert claim.status == "not_found"
    assert time.process_time() - began < 5


def test_original_words_that_a_reader_does_not_see_are_marked(tmp_path: Path, kind: str) -> None:
    shelf = Shelf(tmp_path, kind)
    path = shelf.write("offer.html", "<p>押金为三个月租金。<span hidden>退租时押金不予退还。</span></p>")
    shelf.library.add(path)
    for witness in (shelf.library, Originals.read([path])):
        for quote, status in (("退租时押金不予", "verbatim"), ("三个月租金。退租时押金不予", "normalised")):
            claim = witness.verify_quote(quote)
            assert claim.status == status and claim.found is not None
            (mark,) = claim.found.marks
            assert mark.kind == "invisible" and claim.found.text[mark.start : mark.end] == "退租时押金不予"
        seen = witness.verify_quote("押金为三个月租金").found
        assert seen is not None and seen.marks == ()
    shelf.library.close()


def test_half_a_character_is_no_error(checked: Checked) -> None:
    claim = checked.one("「首次咨询十分钟以内免费\ud800」[\udfff]")
    assert claim.quote == "首次咨询十分钟以内免费\ufffd"
    assert checked.witness.verify_quote("\ud83d", "\ud83d").status == "unknown_citation"


def test_files_that_are_not_there_are_named(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match=r"nothing\.txt"):
        Originals.read([tmp_path / "nothing.txt"])


def test_what_cannot_be_read_in_a_folder_is_noted(tmp_path: Path) -> None:
    (tmp_path / "scan.pdf").write_bytes(b"%PDF-1.7 nothing to read")
    (tmp_path / "a.txt").write_text("押金为三个月租金，退租时退还。", encoding="utf-8")
    found = Originals.read([tmp_path]).verify("“押金为三个月租金”")
    assert found.verdict == "supported" and any("scan.pdf" in note for note in found.notes)


def test_a_large_file_that_was_only_touched_still_confirms_its_words(shelf: Shelf) -> None:
    shelf.write("big.txt", "押金为三个月租金，退租时退还。\n" + "x" * (17 * 2**20))
    path = shelf.folder / "big.txt"
    shelf.add()
    (hit, *_) = shelf.exact("押金为三个月租金")
    os.utime(path, (1, 1))
    assert shelf.library.verify_quote("押金为三个月租金", hit.id).status == "verbatim"
    path.write_bytes(path.read_bytes()[:-1] + b"y")
    assert shelf.library.verify_quote("押金为三个月租金", hit.id).status == "stale"
