"""Parses the Redis URLs in the settings REDIS_URL and SESSIONS_URL.

- `redis://`, `rediss://` and `unix://` name a single Redis. redis-py defines these forms.
- `redis+cluster://user:password@host:port,host:port` names one or more nodes of a cluster.
- `redis+sentinel://user:password@host:port,host:port/name/0` names Sentinels, their master, and a database.

`rediss+` in place of `redis+` enables TLS. The query may contain `sentinel_password` and options of redis-py.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import parse_qs, urlencode, urlsplit

from redis.connection import SSLConnection, parse_url

FORMS: Final = "redis://, rediss://, unix://, redis+cluster:// or redis+sentinel://"
CLUSTER_PORT: Final = 6379
SENTINEL_PORT: Final = 26379

Nodes = tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Alone:
    """A single Redis."""

    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """A Redis Cluster: the addresses of some nodes, and options for every connection to it."""

    nodes: Nodes
    options: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Watched:
    """A Redis master that Sentinels monitor under the name `name`. `nodes` contains the addresses of the Sentinels."""

    nodes: Nodes
    options: Mapping[str, Any]
    name: str
    sentinel_options: Mapping[str, Any]


def read(url: str) -> Alone | Cluster | Watched:
    """Parse a URL. Raise ValueError if the URL is not supported.

    The message of the error contains neither the URL nor its password.
    """
    parts = urlsplit(url)
    scheme, _, kind = parts.scheme.partition("+")
    if not kind:
        return Alone(url=url)
    if scheme not in {"redis", "rediss"} or kind not in {"cluster", "sentinel"}:
        raise ValueError(f"the URL of a Redis begins with {FORMS}")
    user, at, hosts = parts.netloc.rpartition("@")
    query = parse_qs(parts.query)
    password = query.pop("sentinel_password", [None])[0]
    if kind == "cluster":
        options = _options(f"{scheme}://{user}{at}host{parts.path}", query)
        if options.pop("db", 0):
            raise ValueError("a cluster has no database but 0")
        return Cluster(nodes=_nodes(hosts, CLUSTER_PORT), options=options)
    name, _, database = parts.path.strip("/").partition("/")
    if not name:
        raise ValueError("the URL of Sentinels ends in the name by which they know the Redis")
    options = _options(f"{scheme}://{user}{at}host/{database}", query)
    secured = {"ssl": True} if "ssl" in options else {}
    return Watched(
        nodes=_nodes(hosts, SENTINEL_PORT),
        options=options,
        name=name,
        sentinel_options={"password": password, **secured},
    )


def _options(url: str, query: Mapping[str, list[str]]) -> dict[str, Any]:
    found: dict[str, Any] = dict(parse_url(f"{url}?{urlencode(query, doseq=True)}"))
    del found["host"]
    if found.pop("connection_class", None) is SSLConnection:
        found["ssl"] = True
    return found


def _nodes(hosts: str, port: int) -> Nodes:
    parts = [urlsplit(f"//{host}") for host in hosts.split(",")]
    if not all(part.hostname for part in parts):
        raise ValueError("the URL of a Redis names hosts as host:port,host:port")
    return tuple((part.hostname or "", part.port or port) for part in parts)
