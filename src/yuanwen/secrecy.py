"""Which files exist to be kept secret, and are never taken in, wherever they lie."""

import re

# Whole names, in lower case.
_NAME = re.compile(
    r"\.env.*|.*\.(?:pem|key|ppk|p12|pfx|kdbx?|jks|keystore)"
    r"|id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?(?:\.(?:bak|old))?"
    r"|[._]netrc|\.npmrc|\.pypirc|\.pgpass|\.htpasswd|\.git-credentials|\.dockercfg"
    r"|credentials(?:\.(?:json|ya?ml|toml|ini|csv|db|txt))?|client_secret.*\.json"
)
_KEY = re.compile(rb"^[ \t]*-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----", re.MULTILINE)
_HEAD = 65_536  # bytes that are looked through for a key


def is_secret_name(name: str) -> bool:
    """Return whether a file is called as those are that hold secrets."""
    return _NAME.fullmatch(name.lower()) is not None


def holds_key(data: bytes) -> bool:
    """Return whether the first bytes of a file hold a private key."""
    head = data[:_HEAD]
    return head.startswith(b"PuTTY-User-Key-File-") or _KEY.search(head) is not None
