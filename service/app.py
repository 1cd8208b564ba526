"""The application factory `create_app`. It builds the Flask application and registers all resources."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Final

import msgspec
from flask import Flask
from flask.json.provider import JSONProvider
from werkzeug.routing import Rule

from games.core.game import Game
from games.core.registry import found
from service.api import (
    batches,
    branches,
    devices,
    docs,
    engine,
    errors,
    fairness,
    histories,
    jobs,
    keys,
    listings,
    meta,
    pauses,
    phrases,
    pictures,
    players,
    presence,
    push,
    puzzles,
    rematches,
    replays,
    results,
    reviews,
    seats,
    security_txt,
    sessions,
    streams,
    tournaments,
    undo,
    webhooks,
)
from service.api import games as games_api
from service.api.session_operations import MakeMove, PollSession, ShowSession
from service.api.streams import StreamSessionEvents
from service.contract import document
from service.contract.operations import Api, Plugin
from service.contract.problem_schemas import describe_problems
from service.contract.served_forms import Document
from service.http import compression, error_handlers, flask_views
from service.http.blueprint import body_limit
from service.http.context import AppContext
from service.http.metrics import Metrics
from service.http.pipeline import OPERATIONS
from service.http.request_context import HEADER_POLICY
from service.http.response import HeaderPolicy, cors_headers
from service.launch.prepare import prepare_process
from service.packaged_games import check_prefixes, make_with_fitting_games
from service.settings import Settings
from service.snapshots.records import MAX_SEATS
from service.telemetry import logs
from service.telemetry.refused_games import log_refused_games
from service.telemetry.tracing import Tracing
from service.wire.fields import describe
from service.wire.webhook_messages import describe_webhooks

RESOURCES: Final = (
    games_api.blp,
    puzzles.blp,
    engine.blp,
    sessions.blp,
    histories.blp,
    fairness.blp,
    branches.blp,
    sessions.batches,
    seats.blp,
    devices.blp,
    undo.blp,
    pauses.blp,
    rematches.blp,
    streams.blp,
    push.blp,
    presence.blp,
    phrases.blp,
    pictures.blp,
    replays.blp,
    jobs.blp,
    listings.blp,
    keys.blp,
    batches.blp,
    reviews.blp,
    tournaments.blp,
    players.blp,
    results.blp,
    webhooks.blp,
    meta.blp,
)


class LateRule(Rule):
    """A routing rule that compiles its URL builder on first use. Most of these builders are never used."""

    def _compile_builder(self, append_unknown: bool = True) -> Callable[..., tuple[str, str]]:  # noqa: FBT001, FBT002 -- werkzeug's
        compiled = cache(super()._compile_builder)

        def build(*args: Any, **kwargs: Any) -> tuple[str, str]:
            return compiled(append_unknown)(*args, **kwargs)

        return build


class Service(Flask):
    """A Flask application without `async` views. Therefore, it skips Flask's check for such views."""

    url_rule_class = LateRule

    def ensure_sync(self, func: Callable[..., Any]) -> Callable[..., Any]:
        return func


class Provider(JSONProvider):
    """A JSON provider that uses msgspec. It encodes structs directly and keeps the order of keys."""

    def dumps(self, obj: Any, **_: Any) -> str:
        return msgspec.json.encode(obj).decode()

    def loads(self, s: str | bytes, **_: Any) -> Any:
        return msgspec.json.decode(s)


def create_app(
    settings: Settings | None = None,
    games: Mapping[str, Game] | None = None,
    tracing: Tracing | None = None,
) -> Flask:
    """Return the Flask application.

    If `settings` is None, the environment variables determine the settings. If `games` is None, all installed games are
    used. In this case, games that do not fit the API contract are logged and skipped.
    """
    settings = settings or Settings.from_env()
    logs.configure(settings.log_level)
    if games is None:
        log_refused_games()
        return make_with_fitting_games(lambda fitting: wire(settings, fitting, tracing), found())
    return wire(settings, games, tracing)


def wire(settings: Settings, games: Mapping[str, Game], tracing: Tracing | None) -> Flask:
    app = Service(__name__, static_folder=None)
    app.json = Provider(app)
    app.config["MAX_CONTENT_LENGTH"] = settings.limits.body_bytes
    app.url_map.merge_slashes = False
    app.extensions["context"] = AppContext(settings, games)
    app.extensions["metrics"] = Metrics()
    app.extensions["tracing"] = tracing or Tracing.from_env("web")
    flask_views.install(app)
    error_handlers.install(app)
    errors.install()
    for resource in RESOURCES:
        app.register_blueprint(resource)
    app.register_blueprint(docs.blp)
    app.register_blueprint(security_txt.blp)
    app.extensions["body_limit"] = body_limit(app)
    compression.install(app)
    app.extensions[HEADER_POLICY] = HeaderPolicy(cors_headers(app, settings.cors_origins))
    app.extensions[OPERATIONS] = [PollSession(app), ShowSession(app), MakeMove(app), StreamSessionEvents(app)]
    packages = {slug: type(game).__module__.rpartition(".")[0] for slug, game in games.items()}
    app.extensions["openapi"] = Document(lambda: document.finish(gather_contract(app, games), packages, MAX_SEATS))
    prepare_process()
    return app


def gather_contract(app: Flask, games: Mapping[str, Game]) -> dict[str, Any]:
    """Return the OpenAPI document with all operations. `document.finish` later adds shared parts and examples.

    Raise UnfitGameError if a game does not fit into the document.
    """
    api = Api(app, spec_kwargs=document.preamble(Plugin()))
    schemas = api.spec.components.schemas
    describe_problems(schemas)
    for resource in RESOURCES:
        api.describe(resource)
    check_prefixes(games, (*schemas, *describe(())))
    schemas.update(describe(games.values()))
    webhooks = describe_webhooks(schemas)
    return {**api.spec.to_dict(), "webhooks": webhooks}
