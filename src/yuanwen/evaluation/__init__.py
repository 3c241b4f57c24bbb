"""How well does a library answer the questions of a set? What does a draft of such a set look like?"""

from yuanwen.evaluation.run import (
    AnsweredQuestion,
    Comparison,
    Evaluation,
    ModeResult,
    compare,
    modes_of,
    run,
)
from yuanwen.evaluation.sets import Expected, Question, QuestionSet, read

__all__ = [
    "AnsweredQuestion",
    "Comparison",
    "Evaluation",
    "Expected",
    "ModeResult",
    "Question",
    "QuestionSet",
    "compare",
    "modes_of",
    "read",
    "run",
]
