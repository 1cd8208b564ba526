"""A free question finds its attribute, or none."""

import pytest

from games.barbarossa.terms.catalogue import ATTRIBUTE_NUMBERS, ATTRIBUTES
from games.barbarossa.terms.questions import attribute_of
from games.core.texts import LANGUAGES


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_wording_asks_for_its_own_attribute(language: str) -> None:
    for number, attribute in enumerate(ATTRIBUTES):
        for text in (attribute.question[language], *attribute.also[language]):
            assert attribute_of(text, language) == number, text


RULEBOOK = [
    ("Soll dieses Rätsel ein Lebewesen darstellen?", "living"),
    ("Ist hier ein Nahrungsmittel dargestellt?", "food"),
    ("Stellt das Rätsel einen Körperteil dar?", "body_part"),
    ("Besteht der dargestellte Gegenstand aus Metall?", "metal"),
]


@pytest.mark.parametrize(("text", "attribute"), RULEBOOK)
def test_the_questions_that_the_rulebook_allows_are_understood(text: str, attribute: str) -> None:
    assert attribute_of(text, "de") == ATTRIBUTE_NUMBERS[attribute]


FREE = [
    ("de", "ist es groesser als ein auto", "over_car"),
    ("de", "Besitzt dein Rätsel Räder?", "wheels"),
    ("de", "Ist das aus Glas oder Keramik?", "glass"),
    ("en", "Is your thing made of wood?", "wood"),
    ("en", "Has it got wings or fins?", "wings"),
    ("en", "could I eat it raw", "eaten_raw"),
    ("de", "Könnte ich das roh essen?", "eaten_raw"),
    ("it", "Il tuo oggetto ha le ruote?", "wheels"),
    ("it", "è di legno?", "wood"),
    ("it", "È più grande di un\u2019automobile?", "over_car"),
]


@pytest.mark.parametrize(("language", "text", "attribute"), FREE)
def test_words_without_meaning_do_not_matter(language: str, text: str, attribute: str) -> None:
    assert attribute_of(text, language) == ATTRIBUTE_NUMBERS[attribute]


OTHERWISE = [
    ("de", "Ist es kein Tier?"),
    ("de", "Ist es nicht aus Holz?"),
    ("de", "Ist es kleiner als ein Auto?"),
    ("de", "Ist es ein Tier, das bellt?"),
    ("de", "Ist es ein Tier und aus Holz?"),
    ("de", "Ist es ein Tier oder eine Pflanze?"),
    ("de", "Ist es ein Flügel?"),
    ("de", "Hat es Flügel?"),
    ("de", "Kann man es trinken?"),
    ("de", "Kann es essen?"),
    ("en", "Does it eat?"),
    ("it", "Mangia?"),
    ("de", "Ist es ein Musikinstrument?"),
    ("de", "Gab es das schon vor 1800?"),
    ("de", "Ist es eine Küche?"),
    ("de", "Ist der erste Buchstabe ein A?"),
    ("de", "Wurde hier ein Schlüssel dargestellt?"),
    ("en", "Is it not an animal?"),
    ("en", "Is it a wheel?"),
    ("en", "Is it smaller than a car?"),
    ("it", "Non è un animale?"),
    ("it", "È una ruota?"),
    ("de", ""),
    ("de", "Ist es?"),
    ("de", "tier hund " * 1_000),
]


@pytest.mark.parametrize(("language", "text"), OTHERWISE, ids=lambda text: text[:40])
def test_questions_for_more_or_for_the_opposite_do_not_match(language: str, text: str) -> None:
    assert attribute_of(text, language) is None
