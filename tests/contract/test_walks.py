"""A fuzzer walks the contract along its links: a session and its moves, a snapshot and its moves, a job, a webhook.

After each step the response must fit the earlier responses to the same caller. Between the steps a worker runs, so that
a job has a result, or is cancelled before it has one.
"""

from __future__ import annotations

import json
from collections import Counter
from http import HTTPStatus
from time import monotonic
from typing import TYPE_CHECKING, Any, Final

import hypothesis
import pytest
from flask import Flask
from redis import Redis

from games.core.registry import registered
from service.auth.api_keys import SCOPES, KeyStore
from service.contract.links import BODY, STEPS
from service.jobs import queues
from service.jobs.store import ENDED
from tests.contract.test_schemathesis import CONFIG, application
from tests.faults.job_histories import JOBS, check_jobs
from tests.faults.kit import Answer, Exchange
from tests.workers import jobs

if TYPE_CHECKING:
    from schemathesis import Case
    from schemathesis.core.transport import Response
    from schemathesis.generation.stateful.state_machine import APIStateMachine, StepInput, StepOutput

UNENDING: Final = {"streamSessionEvents", "streamJobEvents", "listSimulatedGames", "listSearchedPositions"}
"""Responses that last as long as a job or a session. Before the end of a job they are requested for an unknown id."""

TABLES: Final = [(game.slug, seats) for game in registered().values() for seats in game.seat_numbers]
BODIES: Final[dict[str, Any]] = {
    "createSession": [
        {"game": slug, "seats": [{"kind": "human"}] * seats, "undo": "consent"} for slug, seats in TABLES
    ],
    "createSnapshot": [{"seat_count": 4}],
    "startSimulation": [
        {"game": slug, "seats": [{"bot": {"level": "random"}}] * seats, "games": 2} for slug, seats in TABLES
    ],
    "createWebhook": [{"url": "https://example.org/hook", "events": ["job.ended"]}],
}
"""Bodies at the start of a walk, all of which are accepted."""

PASSED_ON: Final = {step.to: step.body.keys() for step in STEPS if step.body}
CHANGES: Final = {
    *("makeMoveInSession", "claimSeat", "issueSeatToken", "assignSeat", "reclaimSeat", "resignSeat"),
    *("putStandingAnswers", "askForUndo", "consentToUndo", "refuseUndo"),
    *("askForPause", "consentToPause", "refusePause", "endPause", "takeVacation", "endVacation", "voteOnAbsence"),
}
OF_OWNERS: Final = {"abortSession", "assignSeat", "createBranch", "issueSeatToken", "reclaimSeat"}
REACHED: Final = {
    "createSession": {"getSession", "listSessionMoves", "listStandingAnswers", "drawSession", "getSessionHistory"},
    "createSnapshot": {"listLegalMoves", "makeSnapshotMove", "listPossibleDraws", "viewSnapshot", "drawPicture"},
    "startSimulation": {"getJob", "cancelJob", "listSimulatedGames", "streamJobEvents"},
    "createWebhook": {"getWebhook", "pingWebhook", "listDeliveries", "rotateWebhookSecret"},
}
"""Minimum coverage of a walk."""

FIRST_VERSION: Final = 1
"""Version of a new session, for everybody."""

LAST: Final = {"abortSession", "resignSeat", "beginRematch", "deleteWebhook"}
"""Operations that end a thing, or require an ended one; they wait until half of a walk is over."""

LINKS_CONFIG: Final = "[phases.stateful.inference]\nalgorithms = []\n"
ELSEWHERE: Final = ("ignored_auth", "negative_data_rejection", "positive_data_acceptance")
"""Checks that are impossible if the machine gives requests their tokens and bodies; the fuzzer of one operation does
them."""

WALKS: Final = 4
ROUNDS: Final = 6
"""Maximum number of walks to reach the required coverage: the draws of one round may miss a part."""

STEPS_OF_A_WALK: Final = 40
HALF_A_WALK: Final = 12
IDLE_STEPS: Final = 3
"""Number of steps after which all waiting jobs are done."""


class Seen:
    """The latest knowledge of the holders of tokens about sessions."""

    def __init__(self) -> None:
        self.versions: dict[str, int] = {}
        self.aborted: set[str] = set()

    def check(self, session: str, token: str, name: str, status: int, version: int | None) -> None:
        if version is not None:
            moved = (name, status) == ("makeMoveInSession", HTTPStatus.CREATED)
            assert version >= self.versions.get(token, FIRST_VERSION) + moved, name
            self.versions[token] = version
        if session in self.aborted:
            assert status >= HTTPStatus.BAD_REQUEST or name not in CHANGES, name
        if (name, status) == ("abortSession", HTTPStatus.NO_CONTENT):
            self.aborted.add(session)


class SeenJobs:
    def __init__(self) -> None:
        self.last = "nowhere"
        self._exchanges: list[Exchange] = []

    def check(self, case: Case[Any], answer: Answer) -> None:
        """Check that a job never goes back and stays as it ended; `last` is an ended job, if any."""
        path = case.formatted_path
        if path.startswith(JOBS) and "state" in answer.body and answer.body["id"]:  # a quote has no id
            self._exchanges.append(Exchange(case.method, path, None, {}, ended=monotonic(), answer=answer))
            check_jobs([self._exchanges])
            self.last = answer.body["id"] if answer.body["state"] in ENDED else self.last


def walker(begins: str, schema: Any, store: Redis, walked: Counter[str]) -> type[APIStateMachine]:
    """Return a machine that walks a document from an empty store, and counts the operations that succeeded."""

    class Walker(schema.as_state_machine()):  # type: ignore[misc]
        """Knows the tokens of the sessions it has begun."""

        def setup(self) -> None:
            store.flushdb()
            self.key = KeyStore(store).add("the walker", SCOPES)[1]
            self.tokens: dict[str, list[str]] = {}
            self.seen = Seen()
            self.jobs = SeenJobs()
            self.calls = 0
            self.token = ""

        def step(self, input: StepInput) -> StepOutput | None:  # noqa: A002 -- so it is called
            """Take a step; only what begins something is done without an answer that gave what it needs."""
            name = input.case.operation.definition.raw["operationId"]
            given = name == begins or (input.transition is not None and input.case.body != {})
            if not given or (name in LAST and self.calls < HALF_A_WALK):
                return None
            output: StepOutput = super().step(input)
            return output

        def before_call(self, case: Case[Any]) -> None:
            """Send the key, and the token of a participant of the session, each in turn."""
            name = case.operation.definition.raw["operationId"]
            case.headers.update({"Api-Key": self.key, "Accept-Encoding": "identity"})
            case.headers.pop("Prefer", None)  # nobody works, nobody plays on: there is nothing to wait for
            case.query.pop("wait", None)
            case.query.pop("sealed", None)
            if name in UNENDING:
                case.path_parameters["id"] = self.jobs.last
            self.calls += 1
            if self.calls % IDLE_STEPS == 0:
                jobs.work(store, queues.BULK)
            owner, *seats = self.tokens.get(str(case.path_parameters.get("id")), [""])
            if seats and name != "makeMoveInSession":  # the recipient of a move makes it
                self.token = owner if name in OF_OWNERS else seats[self.calls % len(seats)]
            if seats:
                case.headers["Authorization"] = f"Bearer {self.token}"

        def after_call(self, response: Response, case: Case[Any]) -> None:
            name, status = case.operation.definition.raw["operationId"], response.status_code
            body = json.loads(response.content) if response.content[:1] == b"{" and name not in UNENDING else {}
            walked[name] += status < HTTPStatus.BAD_REQUEST
            if name == "createSession" and status == HTTPStatus.CREATED:
                self.tokens[body["id"]] = [body["owner_token"], *(seat["token"] for seat in body["seats"])]
            self.jobs.check(case, Answer(status, {}, body))
            session = str(case.path_parameters.get("id"))
            if session in self.tokens and name != "beginRematch":  # which is about another session
                self.seen.check(session, self.token, name, status, body.get("version"))

    return Walker


def with_body(link: dict[str, Any], shared: dict[str, Any]) -> dict[str, Any]:
    """Return a link whose body stands where the fuzzer looks for it."""
    whole = shared[link["$ref"].rpartition("/")[2]] if "$ref" in link else link
    return {**whole, "requestBody": whole[BODY]} if BODY in whole else whole


@pytest.fixture(scope="module")
def app(redis_server: str) -> Flask:
    return application(redis_server)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("begins", "among"),
    [
        ("createSession", {"getSession", "listSessionMoves", "makeMoveInSession", "getSessionHistory", "askForUndo"}),
        ("createSession", None),
        ("createSnapshot", None),
        ("startSimulation", None),
        ("createWebhook", None),
    ],
    ids=["play", "session", "snapshot", "job", "webhook"],
)
def test_walks_along_links_find_nothing(begins: str, among: set[str] | None, app: Flask, redis_client: Redis) -> None:
    import schemathesis
    from schemathesis.checks import load_all_checks

    load_all_checks()
    raw: Any = app.test_client().get("/openapi.json").json
    for operation in (operation for item in raw["paths"].values() for operation in item.values()):
        name = operation.get("operationId")
        if name in {*BODIES, *PASSED_ON}:  # a link gives the whole body
            form = {"enum": BODIES[name]} if name in BODIES else {"type": "object", "maxProperties": 0}
            operation["requestBody"]["content"]["application/json"]["schema"] = form
        for response in operation.get("responses", {}).values():
            links = {to: link for to, link in response.get("links", {}).items() if among is None or to in among}
            response["links"] = {to: with_body(link, raw["components"]["links"]) for to, link in links.items()}
    schema = schemathesis.openapi.from_dict(raw, config=schemathesis.Config.from_str(CONFIG + LINKS_CONFIG))
    schema.app = app
    schema.config.checks.update(excluded_check_names=list(ELSEWHERE))
    schema.config.generation.update(modes=[schemathesis.GenerationMode.POSITIVE])
    walked: Counter[str] = Counter()
    machine = walker(begins, schema, redis_client, walked)
    settings = hypothesis.settings(
        max_examples=WALKS,
        stateful_step_count=STEPS_OF_A_WALK,
        deadline=None,
        phases=[hypothesis.Phase.generate],  # to shrink a walk takes minutes, and its replays draw otherwise
        database=None,
        suppress_health_check=list(hypothesis.HealthCheck),
    )
    missed = among or REACHED[begins]
    for number in range(ROUNDS):
        hypothesis.seed(number)(machine).run(settings=settings)
        missed = {name for name in missed if not walked[name]}
        if not missed:
            break
    assert missed == set()
