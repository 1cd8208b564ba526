"""`create_app`, the only place that wires."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final

import msgspec
from flask import Flask, Response, request
from flask.json.provider import JSONProvider
from flask_cors.core import CorsOptionsInput, get_cors_headers, get_cors_options

from games.core.game import Game
from games.core.registry import registered
from service import answered
from service.api import (
    batches,
    branches,
    callers,
    docs,
    engine,
    fairness,
    histories,
    jobs,
    meta,
    pictures,
    presence,
    results,
    seats,
    session_batches,
    sessions,
    streams,
    tournaments,
    webhooks,
)
from service.api import games as games_api
from service.api.session_schemas import SessionState
from service.api.unchanged import ENDPOINT, Crossing, Unchanged
from service.contract import export, failures, retirement, trace
from service.contract.http import Api, Plugin
from service.contract.payloads import describe
from service.contract.problems import FaultDocument, ProblemDocument
from service.contract.retirement import RETIRED, Retirement
from service.contract.trace import visit
from service.figures import Figures
from service.house import House
from service.metrics import Metrics
from service.prepare import prepare_log_context, prepare_structs
from service.settings import Settings
from service.telemetry import logs
from service.telemetry.tracing import Tracing

EXPOSED: Final = (
    "ETag",
    "Location",
    "Request-Id",
    "RateLimit",
    "RateLimit-Policy",
    "Retry-After",
    "Idempotency-Replayed",
    "Preference-Applied",
    "Deprecation",
    "Sunset",
    "Link",
)

RESOURCES: Final = (
    games_api.blp,
    engine.blp,
    sessions.blp,
    histories.blp,
    fairness.blp,
    branches.blp,
    session_batches.blp,
    seats.blp,
    streams.blp,
    presence.blp,
    pictures.blp,
    jobs.blp,
    batches.blp,
    tournaments.blp,
    results.blp,
    webhooks.blp,
    meta.blp,
)


class Service(Flask):
    """Flask for functions of which none is a coroutine, so that it need not look at each of them each time."""

    def ensure_sync(self, func: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function as it is."""
        return func


class Provider(JSONProvider):
    """Writes JSON by msgspec: structs as they are, keys in their own order."""

    def dumps(self, obj: Any, **_: Any) -> str:
        """Return JSON text."""
        return msgspec.json.encode(obj).decode()

    def loads(self, s: str | bytes, **_: Any) -> Any:
        """Read JSON text."""
        return msgspec.json.decode(s)


def create_app(
    settings: Settings | None = None,
    games: Mapping[str, Game] | None = None,
    retired: Sequence[Retirement] = RETIRED,
    tracing: Tracing | None = None,
) -> Flask:
    """Return the application; without settings or tracing those of the environment, without games all there are."""
    settings = settings or Settings.from_env()
    games = registered() if games is None else games
    logs.configure(settings.log_level)
    app = Service(__name__, static_folder=None)
    app.json = Provider(app)
    app.config["MAX_CONTENT_LENGTH"] = settings.limits.body_bytes
    app.url_map.merge_slashes = False
    app.extensions["house"] = house = House.of(settings, games)
    app.extensions["metrics"] = metrics = Metrics()
    trace.install(app, tracing or Tracing.from_env("web"))
    answered.install(app)
    metrics.install(app)
    metrics.watch(Figures(house.redis, house.kept, house.sessions.hooks, house.sessions.now))
    callers.install(app, settings.trusted_proxies)
    app.after_request(signed)
    failures.install(app)
    retirement.install(app, retired)
    crossing = crossing_of(app, settings)

    @app.after_request
    def crossed(response: Response) -> Response:
        response.headers.extend(crossing(request.headers, request.method))
        return response

    api = Api(app, spec_kwargs=export.frame(Plugin()))
    api.spec.components.schema("Fault", schema=FaultDocument)
    api.spec.components.schema("Problem", schema=ProblemDocument)
    api.spec.components.schema("SessionState", schema=SessionState)
    api.spec.components.schemas.update(describe(games.values()))
    for resource in RESOURCES:
        api.register_blueprint(resource)
    app.register_blueprint(docs.blp)
    if not retirement.speaks_of(retired, ENDPOINT):  # such an answer has more to say
        app.wsgi_app = Unchanged(app, crossing)  # type: ignore[method-assign]
    app.extensions["openapi"] = spec = export.finished(api.spec.to_dict(), list(games))
    retirement.describe(spec, retired)
    prepare_structs()
    prepare_log_context()
    return app


def crossing_of(app: Flask, settings: Settings) -> Crossing:
    """Return what tells which other origins may read an answer, by Flask-CORS; its own hook costs twice as much."""
    told: CorsOptionsInput = {
        "origins": list(settings.cors_origins),
        "expose_headers": list(EXPOSED),
        "send_wildcard": True,
        "max_age": 600,
    }
    return partial(get_cors_headers, get_cors_options(app, told))


def signed(response: Response) -> Response:
    """Give every answer its ids, and its language where it has one."""
    visit().sign(response.headers)
    return response
