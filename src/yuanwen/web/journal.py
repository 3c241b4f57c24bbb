"""What was asked of the server, and how did it end? Lines of JSON on stderr, with nothing of what was said."""

import json
import logging
import sys
import time
import traceback
from datetime import UTC, datetime
from pathlib import PurePath

from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["Journal", "keep"]

PATH = 200  # characters of a path that are noted

log = logging.getLogger(__name__)


class Journal:
    """An app whose requests are noted: method, path without its query, status (0: none), milliseconds."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Have the app answer, and note that it did."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began, status = time.perf_counter(), 0

        async def noting(message: Message) -> None:
            nonlocal status
            status = message.get("status", status)
            await send(message)

        try:
            await self._app(scope, receive, noting)
        finally:
            spent = round((time.perf_counter() - began) * 1000, 1)
            asked = {"method": scope["method"], "path": scope["path"][:PATH], "status": status, "ms": spent}
            log.info("asked", extra={"asked": asked})


def keep(*, quiet: bool) -> None:
    """Have this process keep its journal from now on; where it is quiet, of troubles alone."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Line())
    logging.basicConfig(handlers=[handler], level=logging.WARNING, force=True)
    log.setLevel(logging.WARNING if quiet else logging.INFO)


class _Line(logging.Formatter):
    """A record as a line of JSON. Of troubles only what kind and where: a message may quote what a client sent."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        noted: dict[str, object] = {"at": datetime.fromtimestamp(record.created, UTC).isoformat(" ", "seconds")}
        asked = getattr(record, "asked", None)
        if asked is not None:
            return json.dumps(noted | asked)
        noted |= {"level": record.levelname.lower(), "logger": record.name, "where": _where(record)}
        if record.exc_info and record.exc_info[0]:
            noted["error"] = record.exc_info[0].__name__
        if record.name.split(".")[0] in ("uvicorn", "yuanwen"):  # whose messages are fixed texts
            noted["message"] = str(record.msg).strip()
        return json.dumps(noted)


def _where(record: logging.LogRecord) -> str:
    """Return the file and the line that a record is about."""
    frames = traceback.extract_tb(record.exc_info[2]) if record.exc_info else ()
    path, line = (frames[-1].filename, frames[-1].lineno) if frames else (record.pathname, record.lineno)
    return f"{PurePath(path).name}:{line}"
