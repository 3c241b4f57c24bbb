"""The verb `serve`: the library over HTTP, for assistants on this machine or, with a token, on others."""

import os
import shlex
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from yuanwen.cli.messages import say
from yuanwen.cli.options import PROGRAM, Verb, number, option
from yuanwen.cli.settings import Settings, collect_garbage
from yuanwen.cli.terminal import emit, one_line

if TYPE_CHECKING:
    from yuanwen.web.serving import Address

TOKEN_VARIABLE = "YUANWEN_TOKEN"
HOST = "127.0.0.1"
PORT = 8642


def serve() -> click.Command:
    """Return the verb `serve`."""
    return Verb(
        "serve",
        _serve,
        brief=say("serve the library over HTTP, for assistants that speak MCP"),
        details=say(
            "Only this machine can reach it, unless --host says otherwise; then a token is needed. Nothing can be"
            " changed through it without --allow-write. Ctrl+C stops it."
        ),
        usage=say("[OPTIONS]"),
        params=[
            option("--host", metavar=say("HOST"), default=HOST, help=say("listen at this address; else 127.0.0.1")),
            number("--port", PORT, 0, say("listen at this port; 0 takes a free one")),
            option("--token", metavar=say("TOKEN"), help=say("ask everyone for this; better set YUANWEN_TOKEN")),
            option("--allow-write", help=say("let clients add notes, and bring the library in step")),
            option(
                "--allow-host",
                "allow_hosts",
                metavar=say("DOMAIN"),
                multiple=True,
                help=say("answer under this name too: docs.example.com"),
            ),
        ],
        examples=("yuanwen serve", "YUANWEN_TOKEN=... yuanwen serve --host 0.0.0.0 --allow-host docs.example.com"),
    )


def _serve(
    settings: Settings, *, host: str, port: int, token: str | None, allow_write: bool, allow_hosts: Sequence[str]
) -> None:
    from yuanwen.web import serving

    collect_garbage()

    def started(address: "Address") -> None:
        if settings.json:
            settings.answer(address._asdict())
        else:
            emit(one_line(say("Serving at {url}, MCP at {mcp}", url=address.url, mcp=address.mcp)), sys.stdout)

    serving.serve(
        settings.path,
        host=host,
        port=port,
        token=token if token is not None else os.environ.get(TOKEN_VARIABLE) or None,
        allow_hosts=allow_hosts,
        allow_write=allow_write,
        command=_command(settings, host, port, allow_write, allow_hosts),
        quiet=settings.quiet,
        started=started,
    )


def _command(settings: Settings, host: str, port: int, allow_write: bool, allow_hosts: Sequence[str]) -> str:
    """Return the command line that started this, but for the token."""
    words = [PROGRAM, "serve", "--host", host]
    words += ["-L", settings.library] if settings.library else []
    words += ["--port", str(port)] if port != PORT else []
    words += ["--allow-write"] if allow_write else []
    words += [word for each in allow_hosts for word in ("--allow-host", each)]
    return shlex.join(words)
