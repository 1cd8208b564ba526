"""The command `dorfplatz-mcp`: the server over stdio, or over streamable HTTP."""

from __future__ import annotations

import click

from dorfplatz_client import Client
from dorfplatz_mcp.server import build_server
from dorfplatz_mcp.service import Service


@click.command()
@click.option("--url", envvar="DORFPLATZ_URL", default="http://127.0.0.1:8000", show_default=True, help="The service.")
@click.option("--api-key", envvar="DORFPLATZ_API_KEY", help="A key of the service; better in DORFPLATZ_API_KEY.")
@click.option("--language", type=click.Choice(["de", "en", "it"]), default="en", show_default=True)
@click.option("--http", is_flag=True, help="Serve streamable HTTP at /mcp in place of stdio.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address for --http.")
@click.option("--port", type=click.IntRange(0, 65535), default=8100, show_default=True, help="Address for --http.")
@click.option("--legal-moves/--no-legal-moves", default=True, help="Whether agents may list legal moves.")
@click.option("--hints/--no-hints", default=True, help="Whether agents may request hints.")
def main(  # noqa: PLR0913 -- one for each option
    url: str,
    api_key: str | None,
    language: str,
    host: str,
    port: int,
    *,
    http: bool,
    legal_moves: bool,
    hints: bool,
) -> None:
    """Let agents play at the tables of a Dorfplatz service."""
    with Client(url, api_key=api_key, language=language) as client:
        server = build_server(Service(client), legal_moves=legal_moves, hints=hints)
        if http:
            server.run("streamable-http", host=host, port=port)
        else:
            server.run()


if __name__ == "__main__":
    main()
