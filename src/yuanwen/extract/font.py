"""The one font that stands in for Chinese, Japanese and Korean fonts which a file names and does not carry.

Without it PDFium loses text, not only pictures; with another one offsets differ. So it is part of the extractor. The
home of `noto_cjk_sans_otc`, the Noto Sans CJK of Debian and Google under the SIL Open Font License.
"""

from functools import cache
from importlib.util import find_spec
from pathlib import Path

from yuanwen.errors import Unreadable

PACKAGE = "noto-cjk-sans-otc"
SHA256 = "b76b0433203017ca80401b2ee0dd69350349871c4b19d504c34dbdd80541690a"

_HINT = 'Run: python -m pip install --force-reinstall "{package}"'


@cache
def path() -> Path:
    """Return the font file. Raises Unreadable where it is missing, or is another one."""
    import hashlib

    found = find_spec("noto_cjk_sans_otc")
    file = Path(str(found.origin)).with_name("NotoSansCJK-Regular.ttc") if found else None
    if file is None or not file.is_file():
        raise Unreadable("the font that stands in for Chinese is missing", hint=_HINT, package=PACKAGE)
    if hashlib.sha256(file.read_bytes()).hexdigest() != SHA256:
        raise Unreadable("the font that stands in for Chinese is not the one expected", hint=_HINT, package=PACKAGE)
    return file
