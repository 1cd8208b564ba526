"""Clay, ink and words of one's own stand in a log of an earlier ruleset, and are read as today's."""

import json
from typing import Any, ClassVar

import redis
from msgspec import UNSET, UnsetType

from games.barbarossa import GAME
from games.barbarossa.game import Barbarossa
from games.barbarossa.table.codes import MODEL, kind_of
from games.barbarossa.table.hall import Hall
from games.core.evolution import Migration
from tests.games.barbarossa.people import INK, KEY, TERMS_OF, do, modelled
from tests.service.kit import Sitting, application


class Unchanged(Barbarossa):
    """A ruleset 3 that writes its log as ruleset 2 does."""

    ruleset: ClassVar = "barbarossa/3"
    migrations: ClassVar = (Migration(earlier="barbarossa/2", later="barbarossa/3"),)


class Rewritten(Barbarossa):
    """A ruleset 3 whose log has content as JSON: pieces as a list, a question as a string."""

    ruleset: ClassVar = "barbarossa/3"
    migrations: ClassVar = (
        Migration(
            earlier="barbarossa/2",
            later="barbarossa/3",
            content=lambda code, text: json.dumps(text.split("\n") if kind_of(code) == MODEL else text),
        ),
    )

    def content(self, table: Hall, /) -> str | UnsetType:
        text = super().content(table)
        if isinstance(text, UnsetType):
            return UNSET
        return json.dumps(text.split("\n") if text.startswith('{"format":') else text)

    def lay(self, table: Hall, content: str | UnsetType, /) -> None:
        if isinstance(content, UnsetType):
            super().lay(table, UNSET)
        else:
            text = json.loads(content)
            super().lay(table, "\n".join(text) if isinstance(text, list) else text)


def play_on(later: Barbarossa, redis_url: str) -> None:
    """Begin a game by ruleset 2, end it by a later one, and see that all of it replays with clay, ink and words."""
    sitting = modelled(application({GAME.slug: GAME}, redis_url=redis_url))
    do(sitting, 0, "spend_stones", stones=3)
    do(sitting, 0, "ask_freely", riddle=3, text='{"format": is it lovely?')
    do(sitting, 1, "answer_question", answer="yes")
    seen: Any = sitting.standing(1)["view"]
    sitting = Sitting(application({later.slug: later}, redis_url=redis_url), sitting.made)
    assert sitting.standing(1)["view"] == {**seen, "ruleset": "barbarossa/3"}
    do(sitting, 0, "ask_freely", riddle=6, text="Is it loud?")
    do(sitting, 2, "answer_question", answer="perhaps")
    for riddle, guess in ((3, TERMS_OF[1][0]), (6, TERMS_OF[2][0])):
        do(sitting, 0, "curse_to_attempt", riddle=riddle, guess=guess)
    assert sitting.standing(None)["status"] == "finished"
    whole: Any = sitting.look(None, "/history").json
    moves = [line["move"] for line in whole["lines"] if "move" in line]
    assert [riddle["piece"] for riddle in moves[0]["riddles"]] == [KEY, INK, INK]
    texts = [move["text"] for move in moves if move["kind"] == "ask_freely"]
    assert texts == ['{"format": is it lovely?', "Is it loud?"]
    record: Any = sitting.look(0, "/replay").json
    again: Any = sitting.app.test_client().post(f"/v1/games/{later.slug}/replays", json=record).json
    assert again["fits"] is True
    assert [line["move"] for line in again["moves"]] == moves


def test_content_that_a_later_ruleset_writes_alike_needs_no_word(redis_url: str, redis_client: redis.Redis) -> None:
    assert redis_client.dbsize() == 0
    play_on(Unchanged(), redis_url)


def test_content_with_a_new_form_in_a_later_ruleset_is_migrated(redis_url: str, redis_client: redis.Redis) -> None:
    assert redis_client.dbsize() == 0
    play_on(Rewritten(), redis_url)
