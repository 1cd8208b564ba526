"""The operator's settings, read once from environment variables. Every setting has a default."""

from __future__ import annotations

import re
import secrets
from dataclasses import dataclass, field, fields
from typing import Final

from environs import Env

KEY_CHARACTERS: Final = 32

HOUR_MS: Final = 3_600_000
DAY_MS: Final = 24 * HOUR_MS

_MAIL: Final = re.compile(r"mailto:[!-~]+@[!-~]+")
_CONTACT: Final = re.compile(r"(?:mailto|https|tel):[!-~]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """All limits that can affect a client. They are published under /v1/limits.

    The environment variable LIMIT_<NAME> overrides a limit.
    """

    body_bytes: int = 262_144
    table_bytes: int = 2_097_152  # a table with nine blank-padded ink drawings, and all its moves
    json_depth: int = 32
    json_values: int = 200_000
    seed_characters: int = 128
    replay_moves: int = 2_000
    wait_seconds: int = 25
    streams: int = 10_000
    streams_per_caller: int = 12
    heartbeat_seconds: int = 15
    ticket_seconds: int = 600
    snapshot_days: int = 30
    session_days: int = 30
    unmoved_session_hours: int = 24
    batch_sessions: int = 200
    request_cpu_milliseconds: int = 5_000
    drawings: int = 9
    history_lines: int = 1_000
    idempotency_hours: int = 24
    job_hours: int = 24
    search_milliseconds: int = 30_000
    search_iterations: int = 1_000_000
    search_seconds: int = 120
    batch_positions: int = 5_000
    batch_snapshots: int = 500
    batch_bytes: int = 8_388_608
    batch_seconds: int = 1_800
    simulation_games: int = 100_000
    simulation_seconds: int = 1_800
    tally_games: int = 100_000_000
    tally_hours: int = 336
    remote_games: int = 20_000
    remote_seconds: int = 3_600
    open_jobs: int = 1_000
    open_jobs_per_caller: int = 8
    open_jobs_per_key: int = 100
    # Without quotas. `Settings.from_env` uses `OPEN_QUOTAS` instead.
    open_requests_per_minute: int = 0
    open_request_cpu_milliseconds: int = 0
    open_sessions_per_hour: int = 0
    open_unfinished_sessions: int = 0
    open_stored_sessions: int = 0
    open_playouts_per_hour: int = 0
    open_streams_per_address: int = 0
    open_answer_bytes_per_hour: int = 0
    key_requests_per_minute: int = 6_000
    key_playouts_per_hour: int = 1_000_000_000
    devices_per_seat: int = 8
    device_code_seconds: int = 600
    device_code_failures_per_hour: int = 30
    webhooks_per_key: int = 20
    webhook_messages: int = 100
    webhook_failing_days: int = 5

    def __post_init__(self) -> None:
        """Limit `streams_per_caller` to half of `streams`, rounded up."""
        object.__setattr__(self, "streams_per_caller", min(self.streams_per_caller, (self.streams + 1) // 2))


OPEN_QUOTAS: Final = {
    "open_requests_per_minute": 1_200,
    "open_request_cpu_milliseconds": 25,
    "open_sessions_per_hour": 600,
    "open_unfinished_sessions": 500,
    "open_stored_sessions": 2_000,
    "open_playouts_per_hour": 100_000_000,
    "open_streams_per_address": 24,
    "open_answer_bytes_per_hour": 4_000_000,
}
"""Default quotas of callers without an API key. docs/api-keys.md gives the reasons.

`OPEN_QUOTAS=false` in the environment removes all of them.
"""

WITHOUT_QUOTAS: Final = {"open_jobs_per_caller": 0}
"""Values that replace defaults of `Limits` if the environment has `OPEN_QUOTAS=false`. The value 0 means no limit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The settings of one process. `from_env` reads them from the environment."""

    # For queues, jobs, keys, quotas and webhooks.
    redis_url: str = field(default="redis://127.0.0.1:6379/0", repr=False)
    # For sessions. If this is empty, `redis_url` stores the sessions, too.
    sessions_url: str = field(default="", repr=False)
    secret_key: str = field(default_factory=lambda: secrets.token_hex(32), repr=False)
    snapshot_keys: tuple[str, ...] = field(default=(), repr=False)
    cors_origins: tuple[str, ...] = ("*",)
    log_level: str = "info"
    keys_required: bool = False  # whether every creation requires an API key
    # Number of proxies in front of the service. Each appends its client's address to X-Forwarded-For.
    trusted_proxies: int = 0
    # Allow webhooks with http and private addresses, for tests and closed networks.
    webhooks_private: bool = False
    # These two identify this service to push services. Without them, it sends no push messages.
    vapid_private_key: str = field(default="", repr=False)  # base64url
    vapid_subject: str = ""  # mailto:
    # Addresses (mailto:, https: or tel:) in /.well-known/security.txt, the preferred one first.
    security_contacts: tuple[str, ...] = ()
    limits: Limits = Limits()

    def __post_init__(self) -> None:
        """Raise ValueError if a setting is invalid, or exceeds the maximum in the OpenAPI document."""
        if any(len(key) < KEY_CHARACTERS for key in self.snapshot_keys):
            raise ValueError(f"a key in SNAPSHOT_KEYS has {KEY_CHARACTERS} characters or more")
        if bool(self.vapid_private_key) != bool(self.vapid_subject):
            raise ValueError("VAPID_PRIVATE_KEY and VAPID_SUBJECT are set together")
        if self.vapid_subject and _MAIL.fullmatch(self.vapid_subject) is None:
            raise ValueError("VAPID_SUBJECT is an address that begins with mailto:")
        if self.limits.wait_seconds > Limits().wait_seconds:
            raise ValueError(f"LIMIT_WAIT_SECONDS is at most {Limits().wait_seconds}, as in the contract")
        if any(_CONTACT.fullmatch(contact) is None for contact in self.security_contacts):
            raise ValueError("a contact in SECURITY_CONTACTS is an address that begins with mailto:, https: or tel:")

    @classmethod
    def from_env(cls) -> Settings:
        """Read the settings from environment variables.

        The environment variable of a setting has the setting's name in upper case. The environment variable of a limit
        is LIMIT_<NAME>. If a setting is a list, commas separate its items.
        """
        env = Env()
        drawn = cls()
        usual = {bound.name: getattr(drawn.limits, bound.name) for bound in fields(Limits)}
        usual |= OPEN_QUOTAS if env.bool("OPEN_QUOTAS", default=True) else WITHOUT_QUOTAS
        bounds = {name: env.int(f"LIMIT_{name.upper()}", amount) for name, amount in usual.items()}
        return cls(
            redis_url=env.str("REDIS_URL", drawn.redis_url),
            sessions_url=env.str("SESSIONS_URL", drawn.sessions_url),
            secret_key=env.str("SECRET_KEY", drawn.secret_key),
            snapshot_keys=_parts(env.str("SNAPSHOT_KEYS", "")),
            cors_origins=tuple(env.list("CORS_ORIGINS", list(drawn.cors_origins))),
            log_level=env.str("LOG_LEVEL", drawn.log_level),
            keys_required=env.bool("KEYS_REQUIRED", drawn.keys_required),
            trusted_proxies=env.int("TRUSTED_PROXIES", drawn.trusted_proxies),
            webhooks_private=env.bool("WEBHOOKS_PRIVATE", drawn.webhooks_private),
            vapid_private_key=env.str("VAPID_PRIVATE_KEY", ""),
            vapid_subject=env.str("VAPID_SUBJECT", ""),
            security_contacts=_parts(env.str("SECURITY_CONTACTS", "")),
            limits=Limits(**bounds),
        )


def _parts(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())
