"""Alarms and the dashboard name existing figures, and lead to sections of the runbook."""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import promql_parser
import pytest
import redis
import yaml
from prometheus_client.parser import text_string_to_metric_families

from games.core.registry import registered
from service.app import create_app
from service.jobs import queues
from service.sessions.services import milliseconds
from service.settings import Settings
from service.store.hooks import HookStore
from service.telemetry.store_metrics import StoreMetrics
from tests.figures import figures_of, store_figures_of

FOLDER = Path("k8s/components/monitoring")
RANGE = "[5m]"
"""What Grafana puts in place of its own word for a range."""


@pytest.fixture
def rules(checkout: Path) -> list[dict[str, Any]]:
    found = yaml.safe_load((checkout / FOLDER / "alarms.yaml").read_text())
    assert found["kind"] == "PrometheusRule"
    rules: list[dict[str, Any]] = [rule for group in found["spec"]["groups"] for rule in group["rules"]]
    return rules


@pytest.fixture
def dashboard(checkout: Path) -> Any:
    return json.loads((checkout / FOLDER / "dashboard.json").read_text())


@dataclass(frozen=True)
class Told:
    """The service's metrics: the labels of each figure's samples, and its routes."""

    figures: dict[str, list[dict[str, str]]]
    routes: set[str]


@pytest.fixture
def told(redis_url: str, redis_client: redis.Redis) -> Told:
    """Return the service's metrics once everything has happened."""
    HookStore(redis_client, 1).count("delivered")
    for function in queues.ALLOWED:
        queues.count(redis_client, function, "failed", 1)
    app = create_app(Settings(redis_url=redis_url, log_level="critical"), registered())
    app.extensions["metrics"].count_refusal("requests")
    app.extensions["metrics"].set_process("compiled", {"loop": 0.0, "broadcaster": 0.0})
    app.extensions["metrics"].set_faults(["threads stuck"])
    app.extensions["metrics"].count_admissions({})
    app.test_client().get("/readyz")
    found: dict[str, list[dict[str, str]]] = {}
    for family in text_string_to_metric_families(figures_of(app) + store_figures_of(app)):
        for sample in family.samples:
            found.setdefault(sample.name, []).append(sample.labels)
    return Told(found, {rule.rule for rule in app.url_map.iter_rules()})


def selectors(node: Any) -> Iterator[Any]:
    if isinstance(node, promql_parser.VectorSelector):
        yield node
    for name in ("expr", "lhs", "rhs", "vector_selector", "param"):
        part = getattr(node, name, None)
        if part is not None:
            yield from selectors(part)
    for argument in getattr(node, "args", None) or ():
        yield from selectors(argument)


def groupings(node: Any) -> Iterator[str]:
    if isinstance(node, promql_parser.AggregateExpr) and node.modifier is not None:
        yield from node.modifier.labels
    for name in ("expr", "lhs", "rhs", "param"):
        part = getattr(node, name, None)
        if part is not None:
            yield from groupings(part)
    for argument in getattr(node, "args", None) or ():
        yield from groupings(argument)


def checked(query: str, told: Told) -> set[str]:
    read = promql_parser.parse(query)
    asked = list(selectors(read))
    assert asked, query
    for selector in asked:
        assert selector.name in told.figures, query
        labels = {label for sample in told.figures[selector.name] for label in sample}
        assert {matcher.name for matcher in selector.matchers.matchers} <= labels, query
        for matcher in selector.matchers.matchers:
            if matcher.name == "route" and matcher.op is promql_parser.MatchOp.Equal:
                assert matcher.value in told.routes
    known = {label for selector in asked for sample in told.figures[selector.name] for label in sample}
    assert set(groupings(read)) <= known, query
    return {selector.name for selector in asked}


def test_every_alarm_asks_for_figures_that_there_are_and_leads_to_its_section_of_the_runbook(
    rules: list[dict[str, Any]], told: Told, checkout: Path
) -> None:
    runbook = (checkout / "docs" / "operations.md").read_text()
    sections = re.findall(r"^### (.+)$", runbook.partition("## Alarms")[2], re.MULTILINE)
    anchors = {section.lower().replace(" ", "-") for section in sections}
    linked = set()
    for rule in rules:
        checked(rule["expr"], told)
        assert set(rule) <= {"alert", "expr", "for", "labels", "annotations"}
        assert set(rule["annotations"]) == {"summary", "runbook_url"}
        assert rule["labels"]["severity"] in {"page", "ticket"}
        assert re.fullmatch(r"\d+[ms]", rule.get("for", "0m"))
        assert "$labels" not in rule["annotations"]["summary"] or " by (" in rule["expr"]
        page, _, anchor = rule["annotations"]["runbook_url"].partition("#")
        assert page == "docs/operations.md"
        linked.add(anchor)
    assert linked == anchors
    assert len({rule["alert"] for rule in rules}) == len(rules)


def test_a_label_that_a_summary_names_is_one_that_its_alarm_has(rules: list[dict[str, Any]]) -> None:
    for rule in rules:
        named = set(re.findall(r"\$labels\.(\w+)", rule["annotations"]["summary"]))
        assert named <= set(groupings(promql_parser.parse(rule["expr"])))


def test_the_dashboard_shows_every_figure_that_there_is_and_no_other(dashboard: Any, told: Told) -> None:
    shown: set[str] = set()
    for panel in dashboard["panels"]:
        assert {"id", "type", "title", "description", "gridPos", "targets", "datasource"} <= set(panel)
        assert panel["datasource"]["uid"] == "${source}"
        for target in panel["targets"]:
            shown |= checked(target["expr"].replace("[$__rate_interval]", RANGE), told)
            legend = set(re.findall(r"{{(\w+)}}", target["legendFormat"]))
            assert legend <= set(groupings(promql_parser.parse(target["expr"].replace("[$__rate_interval]", RANGE))))
    assert len({panel["id"] for panel in dashboard["panels"]}) == len(dashboard["panels"])
    assert [variable["name"] for variable in dashboard["templating"]["list"]] == ["source"]
    parts = ("_created", "_count", "_sum")
    assert {name for name in told.figures if name.startswith("dorfplatz_") and not name.endswith(parts)} == shown


def test_a_worker_that_was_killed_counts_no_more_although_the_queue_remembers_it(redis_client: redis.Redis) -> None:
    redis_client.sadd("rq:workers:play", "rq:worker:killed", "rq:worker:well")
    redis_client.hset("rq:worker:well", "state", "idle")
    figures = StoreMetrics(redis_client, redis_client, HookStore(redis_client, 1), milliseconds)
    (workers,) = (figure for figure in figures.collect() if figure.name == "dorfplatz_workers")
    counted = {sample.labels["queue"]: sample.value for sample in workers.samples}
    assert counted == {"play": 1, "search": 0, "bulk": 0, "remote": 0, "hooks": 0}


def test_panels_lie_beside_one_another_and_not_on_one_another(dashboard: Any) -> None:
    taken: set[tuple[int, int]] = set()
    for panel in dashboard["panels"]:
        place = panel["gridPos"]
        cells = {(place["x"] + x, place["y"] + y) for x in range(place["w"]) for y in range(place["h"])}
        assert place["x"] + place["w"] <= 24
        assert not cells & taken
        taken |= cells


def test_an_overlay_takes_the_component_up(checkout: Path, tmp_path: Path) -> None:
    if shutil.which("kubectl") is None:
        pytest.skip("kubectl is not installed, which builds the overlays")
    shutil.copytree(checkout / "k8s", tmp_path / "k8s")
    overlay = tmp_path / "k8s" / "overlays" / "production" / "kustomization.yaml"
    overlay.write_text(overlay.read_text().replace("components:\n", "components:\n  - ../../components/monitoring\n"))
    built = subprocess.run(["kubectl", "kustomize", overlay.parent], capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    made = {(one["kind"], one["metadata"]["name"]): one for one in yaml.safe_load_all(built.stdout)}
    shown = made["ConfigMap", "dorfplatz-dashboard"]
    assert json.loads(shown["data"]["dashboard.json"])["title"] == "Dorfplatz"
    assert shown["metadata"]["labels"]["grafana_dashboard"] == "1"
    monitor, web = made["PodMonitor", "dorfplatz"]["spec"], made["Deployment", "web"]["spec"]["template"]
    assert monitor["selector"]["matchLabels"].items() <= web["metadata"]["labels"].items()
    ports = {port["name"] for port in web["spec"]["containers"][0]["ports"]}
    assert {endpoint["port"] for endpoint in monitor["podMetricsEndpoints"]} <= ports
    assert made["PrometheusRule", "dorfplatz"]["metadata"]["namespace"] == "dorfplatz"
