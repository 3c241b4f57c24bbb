"""A quotation against an original text: where its words stand, and what it changes of them."""

from yuanwen.comparison.alteration import altered, nearest
from yuanwen.comparison.changes import pieces
from yuanwen.comparison.original import Match, Original, keys, reach
from yuanwen.comparison.quotation import Quotation
from yuanwen.comparison.stand import standing

__all__ = ["Match", "Original", "Quotation", "altered", "keys", "nearest", "pieces", "reach", "standing"]
