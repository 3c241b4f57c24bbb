"""Office files with a password (an OLE2 file around a ZIP): decrypted, then read as what they are."""

from collections.abc import Iterable
from dataclasses import replace
from io import BytesIO

from yuanwen.absence import Skip
from yuanwen.documents import Extracted, Raw
from yuanwen.errors import Unreadable
from yuanwen.extract import extractor, media_type_of
from yuanwen.extract.refusals import locked

# Excel encrypts with it, without being asked for a password, what is only protected against changes.
DEFAULT_PASSWORD = "VelvetSweatshop"


def extract(raw: Raw) -> Iterable[Extracted | Skip]:
    """Return what the extractor for the content returns. Raises Unreadable without the right password."""
    try:
        import msoffcrypto  # optional: yuanwen[office-password]
    except ImportError as error:
        raise Unreadable(
            "it needs a password",
            hint='Run: pip install "yuanwen[office-password]", then give it with: --password',
        ) from error
    for password in filter(None, (*raw.passwords, DEFAULT_PASSWORD)):
        raw.allowance.beat()
        packed = BytesIO()
        try:
            file = msoffcrypto.OfficeFile(BytesIO(raw.data))
            file.load_key(password=password, verify_password=True)
            file.decrypt(packed)
        except msoffcrypto.exceptions.InvalidKeyError:
            continue
        except Exception as error:  # of many kinds, where the container is damaged or of an unknown form
            raise Unreadable("it is encrypted in an unknown way", hint="Save it without a password.") from error
        return _opened(replace(raw, data=packed.getvalue()))
    raise locked()


def _opened(raw: Raw) -> Iterable[Extracted | Skip]:
    media_type = media_type_of(raw.name, raw.data)
    return extractor(media_type)(replace(raw, media_type=media_type or ""))
