"""`create_app`, the only place that wires."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache
from typing import Any, Final

import msgspec
from flask import Flask, Response
from flask.json.provider import JSONProvider
from flask.typing import ResponseReturnValue
from flask_cors.core import (
    ACL_REQUEST_HEADER_PRIVATE_NETWORK,
    CorsOptionsInput,
    get_cors_headers,
    get_cors_options,
)
from werkzeug.datastructures import Headers, MultiDict
from werkzeug.routing import Rule

from games.core.game import Game
from games.core.registry import found
from service.api import (
    batches,
    branches,
    callers,
    docs,
    engine,
    errors,
    fairness,
    histories,
    jobs,
    keys,
    listings,
    meta,
    pictures,
    players,
    presence,
    rematches,
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
from service.api.fast_paths import ORIGINS_KEPT, CorsHeaders, FastPaths
from service.api.looks import LookPath
from service.api.plain_moves import PlainMovePath
from service.api.polls import PollPath
from service.context import AppContext
from service.http import (
    access_log,
    compression,
    deprecation,
    error_handlers,
    openapi,
    preconditions,
    request_context,
    targets,
    work_clock,
)
from service.http.blueprint import Api, Plugin, body_limit
from service.http.deprecation import RETIRED, Retirement
from service.http.handover import resumed
from service.http.metrics import Metrics
from service.http.openapi_document import Document
from service.http.problems import FaultDocument, ProblemDocument
from service.http.request_context import current_span
from service.launch.prepare import prepare_process
from service.packaged_games import check_prefixes, make_with_fitting_games
from service.settings import Settings
from service.snapshots.records import MOST_SEATS
from service.telemetry import logs
from service.telemetry.refused_games import log_refused_games
from service.telemetry.store_metrics import StoreMetrics
from service.telemetry.tracing import Tracing
from service.wire.fields import describe
from service.wire.webhook_messages import describe_webhooks

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
    sessions.batches,
    seats.blp,
    undo.blp,
    rematches.blp,
    streams.blp,
    presence.blp,
    pictures.blp,
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
    """A rule that compiles what writes its addresses when one is first written: the service only reads them."""

    def _compile_builder(self, append_unknown: bool = True) -> Callable[..., tuple[str, str]]:  # noqa: FBT001, FBT002 -- werkzeug's
        compiled = cache(super()._compile_builder)

        def build(*args: Any, **kwargs: Any) -> tuple[str, str]:
            return compiled(append_unknown)(*args, **kwargs)

        return build


class Service(Flask):
    """Flask for functions of which none is a coroutine, so that it need not look at each of them each time."""

    url_rule_class = LateRule

    def ensure_sync(self, func: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function as it is."""
        return func

    def preprocess_request(self) -> ResponseReturnValue | None:
        """Begin a request, or go on with one that has waited."""
        before = resumed()
        return super().preprocess_request() if before is None else before.resume()


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
    """Return the application; without settings or tracing those of the environment, without games all there are.

    A game of a package that the contract cannot hold is left out, with its reason in the log.
    """
    settings = settings or Settings.from_env()
    logs.configure(settings.log_level)
    if games is None:
        log_refused_games()
        return make_with_fitting_games(lambda fitting: wire(settings, fitting, retired, tracing), found())
    return wire(settings, games, retired, tracing)


def wire(
    settings: Settings, games: Mapping[str, Game], retired: Sequence[Retirement], tracing: Tracing | None
) -> Flask:
    """Return the application of these games."""
    app = Service(__name__, static_folder=None)
    app.json = Provider(app)
    app.config["MAX_CONTENT_LENGTH"] = settings.limits.body_bytes
    app.url_map.merge_slashes = False
    app.extensions["context"] = context = AppContext.of(settings, games)
    app.extensions["metrics"] = metrics = Metrics()
    request_context.install(app, tracing or Tracing.from_env("web"))
    access_log.install(app)
    metrics.install(app)
    metrics.watch(StoreMetrics(context.redis, context.sessions_redis, context.sessions.hooks, context.sessions.now))
    callers.install(app)
    targets.install(app)
    app.after_request(sign_response)
    error_handlers.install(app)
    errors.install(app)
    work_clock.install(app, settings.limits.request_cpu_milliseconds)
    deprecation.install(app, retired)
    cors = cors_headers(app, settings)

    @app.after_request
    def add_cors_headers(response: Response) -> Response:
        http_request = request_context.this_request()
        response.headers.extend(cors(http_request.headers, http_request.method))
        return response

    preconditions.install(app)
    for resource in RESOURCES:
        app.register_blueprint(resource)
    app.register_blueprint(docs.blp)
    app.register_blueprint(security_txt.blp)
    app.extensions["body_limit"] = body_limit(app)
    compression.install(app)
    proxies = callers.trust_proxies(lambda *_: (), settings.trusted_proxies)
    app.extensions["fast_paths"] = paths = [
        path(app, cors, proxies)
        for path in (LookPath, PollPath, PlainMovePath)
        if not deprecation.is_deprecated(retired, path.endpoint)  # such an answer has more to say
    ]
    app.wsgi_app = FastPaths(app, paths)  # type: ignore[method-assign]
    app.wsgi_app = targets.reading_targets(app.wsgi_app)  # type: ignore[assignment,method-assign]
    # Outside of what looks at the address.
    app.wsgi_app = callers.trust_proxies(app.wsgi_app, settings.trusted_proxies)  # type: ignore[assignment,method-assign]
    packages = {slug: type(game).__module__.rpartition(".")[0] for slug, game in games.items()}
    deprecation.check(app, retired)
    app.extensions["openapi"] = Document(
        lambda: gather_contract(app, games),
        lambda gathered: deprecation.describe(openapi.finish(gathered, packages, MOST_SEATS), retired),
    )
    prepare_process()
    return app


def gather_contract(app: Flask, games: Mapping[str, Game]) -> dict[str, Any]:
    """Return what the contract tells, not yet in its form; raise UnfitGameError for a game that it cannot hold."""
    api = Api(app, spec_kwargs=openapi.preamble(Plugin()))
    schemas = api.spec.components.schemas
    api.spec.components.schema("Fault", schema=FaultDocument)
    api.spec.components.schema("Problem", schema=ProblemDocument)
    for resource in RESOURCES:
        api.describe(resource)
    check_prefixes(games, (*schemas, *describe(())))
    schemas.update(describe(games.values()))
    webhooks = describe_webhooks(schemas)
    return {**api.spec.to_dict(), "webhooks": webhooks}


def cors_headers(app: Flask, settings: Settings) -> CorsHeaders:
    """Return a function for the CORS headers of an answer, by Flask-CORS; its own hook costs twice as much.

    What is no preflight gets the same headers as whatever came from the same origin before.
    """
    options: CorsOptionsInput = {
        "origins": list(settings.cors_origins),
        "expose_headers": list(EXPOSED),
        "send_wildcard": True,
        "max_age": 600,
    }
    computed = get_cors_options(app, options)

    @lru_cache(ORIGINS_KEPT)
    def plain(origin: str | None) -> MultiDict[str, Any]:
        return get_cors_headers(computed, Headers() if origin is None else Headers({"Origin": origin}), "GET")

    def headers(given: Headers, method: str) -> MultiDict[str, Any]:
        if method == "OPTIONS" or ACL_REQUEST_HEADER_PRIVATE_NETWORK in given:
            return get_cors_headers(computed, given, method)
        return plain(given.get("Origin"))

    return headers


def sign_response(response: Response) -> Response:
    """Give every answer its ids, its language where it has one, and what browsers and caches keep to."""
    current_span().sign(response.headers)
    return response
