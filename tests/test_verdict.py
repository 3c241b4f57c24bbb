"""Whether what was found is evidence, and how strong: by words alone, and with the cosine of a model."""

import pytest

from yuanwen import verdict
from yuanwen.ranking import Question
from yuanwen.verdict import Seen, judge, rivals

TEXT = "1898 年，戊戌变法开始，光绪帝颁布了一系列诏书。变法在一百零三天后失败。"
ENGLISH = "The Normans conquered England in 1066. Their leader was William. They built many castles of stone."


def weights(question: str) -> dict[str, float]:
    asked = Question(question)
    return dict.fromkeys([*asked.pairs, *asked.words], 5.0)


def judged(question: str, seen: Seen | None) -> verdict.Verdict:
    return judge(Question(question), weights(question), seen)


def test_nothing_found_is_no_evidence() -> None:
    assert judged("光绪帝", None) == verdict.NOTHING


@pytest.mark.parametrize("query", ["戊戌变法", "变法 诏书", "光绪帝", "1898", "变法"])
def test_words_that_all_stand_in_a_passage_are_strong_evidence(query: str) -> None:
    assert judged(query, Seen("清史", TEXT, 2.0, [1.9, 1.8])).strength == "strong"


def test_an_article_that_is_named_is_strong_evidence() -> None:
    seen = Seen("劳动合同法", "第三十八条 用人单位有下列情形之一的，劳动者可以解除劳动合同：", 6.5, [5.3, 4.8])
    assert judged("劳动合同法第三十八条", seen).strength == "strong"


def test_a_question_whose_words_stand_nowhere_has_no_evidence() -> None:
    assert judged("量子纠缠是谁提出的？", Seen("清史", TEXT, 0.2, [0.2])) == verdict.NOTHING


def test_a_question_that_the_passage_answers_is_evidence_and_one_of_something_else_is_not() -> None:
    answered = judged("戊戌变法开始于哪一年？", Seen("清史", TEXT, 2.6, [0.9, 0.8, 0.8, 0.7, 0.7]))
    beside = judged("维也纳会议于哪一年开始？", Seen("清史", TEXT, 0.8, [0.8, 0.8, 0.8, 0.7, 0.7]))
    assert answered.strength == "strong" and beside.strength == "none"
    assert 0.0 <= beside.confidence < verdict.LEAST < verdict.STRONG <= answered.confidence <= 1.0


@pytest.mark.parametrize(
    ("question", "doubt"),
    [
        ("Who did not lead the Normans in 1066?", "negation"),
        ("When did the Normans conquer France?", "name"),
        ("Did the Normans conquer England in 1166?", "number"),
        ("How many castles of stone did they build?", "kind"),
    ],
)
def test_what_speaks_against_a_passage_is_named(question: str, doubt: str) -> None:
    plain = judged("Did the Normans conquer England?", Seen("Normans", ENGLISH, 1.6, [0.9]))
    turned = judged(question, Seen("Normans", ENGLISH, 1.6, [0.9]))
    assert doubt in turned.why and turned.confidence < plain.confidence


def test_an_opposite_is_named() -> None:
    seen = Seen("Prices", "Prices increased in the north.", 1.6, [0.9])
    assert judged("Where did prices decrease?", seen).why == ("opposite",)


def test_the_nearer_in_meaning_the_more_confident() -> None:
    question = "Who led the army that took England?"
    found = [
        judged(question, Seen("Normans", ENGLISH, 0.9, [0.7], cosine, model)).confidence
        for model, cosine in (("use", 0.1), ("use", 0.3), ("use", 0.6))
    ]
    assert found == sorted(set(found))


def test_a_model_whose_scale_is_not_known_changes_nothing() -> None:
    question = "Who led the Normans?"
    alone = judged(question, Seen("Normans", ENGLISH, 1.2, [0.7]))
    assert judged(question, Seen("Normans", ENGLISH, 1.2, [0.7], 0.99, "http:other")) == alone


def test_a_passage_in_the_other_language_is_weak_evidence_by_its_vectors_alone() -> None:
    near = judged("诺曼人的领袖是谁？", Seen("-", ENGLISH, 0.1, [], 0.45, "use"))
    far = judged("诺曼人的领袖是谁？", Seen("-", ENGLISH, 0.1, [], 0.05, "use"))
    assert (near.strength, far.strength) == ("weak", "none")


def test_passages_under_the_title_of_the_first_are_no_rivals() -> None:
    assert rivals("甲", [("甲", 1.0), ("乙", 0.9), ("甲", 0.8)]) == [0.9]
    assert rivals("-", [("-", 1.0), ("乙", 0.9)]) == [1.0, 0.9]


@pytest.mark.parametrize("text", ["", " \n", "\x00", "\ufdfa" * 40, "a" * 50_000, "🙂🙂"])
def test_any_passage_and_any_question_has_a_verdict(text: str) -> None:
    for question in ("什么是缓存？", "x", "what", text or "?"):
        found = judged(question, Seen(text, text, 0.0, [0.0], 0.5, "use"))
        assert 0.0 <= found.confidence <= 1.0 and found.strength in ("strong", "weak", "none")
