"""What went wrong with a request, as RFC 9457 has it: problem details, and nothing of how the program works."""

from http import HTTPStatus
from typing import cast

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import HTTPExceptionHandler

__all__ = ["HANDLERS", "problem"]

DETAILS = {
    404: "there is nothing at this address; / says what there is",
    405: "this address is not for that method; Allow names those that it takes",
    500: "a fault of ours; the server's own log says where",
}


def problem(status: int, detail: str, **headers: str) -> Response:
    """Return a response with problem details. `_` in the name of a header stands for `-`."""
    document = {"type": "about:blank", "title": HTTPStatus(status).phrase, "status": status, "detail": detail}
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return JSONResponse(document, status, named, "application/problem+json")


async def _said(request: Request, error: Exception) -> Response:
    known = cast(HTTPException, error)
    return problem(known.status_code, DETAILS.get(known.status_code, known.detail), **dict(known.headers or {}))


async def _ours(request: Request, error: Exception) -> Response:
    return problem(500, DETAILS[500])


HANDLERS: dict[object, HTTPExceptionHandler] = {HTTPException: _said, Exception: _ours}
