"""What `yuanwen serve` serves: MCP over HTTP at /mcp, a sign of life, and a page that says so. All of it guarded."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse
from starlette.routing import Route
from starlette.types import ASGIApp

from yuanwen import __version__
from yuanwen.web.door import Door
from yuanwen.web.guard import BODY, Guard
from yuanwen.web.journal import Journal
from yuanwen.web.problems import HANDLERS

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server

__all__ = ["MCP", "application"]

MCP = "/mcp"
API = "/api/v1"

SESSIONS = 1000  # of MCP, open at once; only clients of the older protocols have any
IDLE = 30 * 60.0  # seconds after which a session is ended that was not used

PAGE = f"""Yuanwen {__version__} finds the original words in documents.

MCP over streamable HTTP is at {MCP} of this address: point an assistant there.

原文（Yuanwen）{__version__}：在文档里检索原话。

MCP（streamable HTTP）在本地址的 {MCP}，请在助手中填写。
"""


def application(mcp: "Server[Any]", door: Door) -> ASGIApp:
    """Return the whole app: this MCP server and the pages beside it, behind the door. It can be started once."""
    # Without a host of its own the SDK checks none: the guard does that, for every route.
    served = mcp.streamable_http_app(
        streamable_http_path=MCP,
        host="",
        max_request_body_size=BODY,
        session_idle_timeout=IDLE,
        max_sessions=SESSIONS,
    )
    running: Callable[[Starlette], AbstractAsyncContextManager[None]] = lambda app: mcp.session_manager.run()  # noqa: E731
    routes = [Route("/", _page), Route(f"{API}/healthz", _health), *served.routes]
    return Journal(Guard(Starlette(routes=routes, lifespan=running, exception_handlers=HANDLERS), door))


async def _page(request: Request) -> PlainTextResponse:
    return PlainTextResponse(PAGE)


async def _health(request: Request) -> JSONResponse:
    return JSONResponse({"status": "ok", "version": __version__})
