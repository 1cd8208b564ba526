"""JSON schemas of values whose type depends on the game, as references into the OpenAPI document."""

from __future__ import annotations

from typing import Annotated, Any, Final

from msgspec import Meta

SCHEMAS: Final = "#/components/schemas/"

AnyMove = Annotated[Any, Meta(extra_json_schema={"$ref": f"{SCHEMAS}Move"})]
"""A move of any game, in an answer."""

AnyEvent = Annotated[Any, Meta(extra_json_schema={"$ref": f"{SCHEMAS}Event"})]
"""An event of any game, in an answer."""

AnyView = Annotated[Any, Meta(extra_json_schema={"$ref": f"{SCHEMAS}View"})]
"""A view of any game, in an answer."""
