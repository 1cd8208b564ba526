"""Builds the URL of a list's next page. The service returns a long list in several responses, called pages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode


def next_page_url(path: str, query: Mapping[str, Any], **cursor: object) -> str:
    """Return the URL of a list's next page. `query` contains the query parameters of the current page.

    `cursor` contains the query parameter that names the start of the next page.
    """
    values = {**query, **cursor}
    return f"{path}?{urlencode({name: _written(value) for name, value in values.items()})}"


def _written(value: object) -> object:
    return str(value).lower() if isinstance(value, bool) else value
