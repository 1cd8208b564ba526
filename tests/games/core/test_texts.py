"""The little language of the sentence templates."""

import msgspec
import pytest

from games.core.texts import MAX_CACHED_SENTENCES, Name, Texts, filled

WORDS = {"none": "nichts", "and": "und", "white": "Weiß", "white:en": "weißen", "blue": "Blau", "31:card": "Trilith I"}
NAMES = ["Pro", "Contra"]
ITALIAN = {"and": "e", "none": "niente"}


def fill(template: str, **params: object) -> str:
    return filled(template, params, WORDS, NAMES, "de")


@pytest.mark.parametrize(
    ("template", "params", "sentence"),
    [
        pytest.param("{argument}", {"argument": "white"}, "Weiß", id="a string is translated"),
        pytest.param("{name}", {"name": "Ada"}, "Ada", id="a string that is no word stays"),
        pytest.param("{argument:en}", {"argument": "white"}, "weißen", id="a word has forms"),
        pytest.param("{argument:en}", {"argument": "blue"}, "Blau", id="a word without the form stays plain"),
        pytest.param("{card}", {"card": 31}, "31", id="a number stays a number"),
        pytest.param("{card:card}", {"card": 31}, "Trilith I", id="a number has forms"),
        pytest.param("{n} Blüten", {"n": 1250}, "1.250 Blüten", id="thousands are set apart"),
        pytest.param("auf {n}", {"n": -2}, "auf −2", id="a loss has a minus sign"),  # noqa: RUF001
        pytest.param("{cards}", {"cards": []}, "nichts", id="an empty list is none"),
        pytest.param("{cards}", {"cards": None}, "nichts", id="nothing is none"),
        pytest.param("{cards}", {"cards": [7]}, "7", id="a list of one"),
        pytest.param("{cards:card}", {"cards": [7, 13, 31]}, "7, 13 und Trilith I", id="a list ends with and"),
        pytest.param("{seat:name}", {"seat": 1}, "Contra", id="a seat has a name"),
        pytest.param("{n:eine|{n}} da", {"n": 1}, "eine da", id="one"),
        pytest.param("{n:eine|{n}} da", {"n": 4}, "4 da", id="many"),
        pytest.param("{n:eine|{n}} da", {"n": 0}, "0 da", id="zero is many"),
        pytest.param("{cards:die|alle}", {"cards": [5]}, "die", id="a list of one is one"),
        pytest.param("{cards:die|alle}", {"cards": [5, 6]}, "alle", id="a list of two is many"),
        pytest.param("da{n:? von {n}}", {"n": 1}, "da von 1", id="an optional part is said"),
        pytest.param("da{n:? von {n}}", {"n": None}, "da", id="an optional part is left out"),
        pytest.param("{n:?{n}|eine}", {"n": None}, "eine", id="an optional part has a substitute"),
        pytest.param("{n:?{n}|eine}", {"n": 0}, "0", id="zero is not nothing"),
        pytest.param("{n:?{n}|eine}", {"n": []}, "eine", id="a list of nothing is nothing"),
        pytest.param("{n:?{n}|eine}", {"n": [2, 3]}, "2 und 3", id="a list is something"),
        pytest.param("{n:ein {c:en}|zwei}", {"n": 1, "c": "white"}, "ein weißen", id="a form inside a choice"),
    ],
)
def test_template_reads_as_documented(template: str, params: dict[str, object], sentence: str) -> None:
    assert fill(template, **params) == sentence


def test_equal_parameters_of_other_types_are_other_sentences() -> None:
    texts = Texts("games.hoher_rat")
    texts.sections = {"de": {"words": WORDS, "said": {"one": "{a}", "two": "{a}{a}"}}}
    assert [texts.say("de", "said", "one", a=value) for value in (1, True, 1.0)] == ["1", "True", "1.0"]
    assert [texts.say("de", "said", "one", a=value) for value in ("white", Name("white"))] == ["Weiß", "white"]
    assert [texts.say("de", "said", key, a=7) for key in ("one", "two")] == ["7", "77"]


def test_the_names_of_the_seats_decide_a_sentence() -> None:
    texts = Texts("games.hoher_rat")
    texts.sections = {"de": {"words": WORDS, "said": {"who": "{seat:name}"}}}
    assert [texts.say("de", "said", "who", names, seat=1) for names in (NAMES, ["Ada", "Bo"])] == ["Contra", "Bo"]
    assert texts.with_names(["Ada", "Bo"]).say("de", "said", "who", NAMES, seat=1) == "Contra"


def test_sentences_are_kept_up_to_a_number() -> None:
    texts = Texts("games.hoher_rat")
    texts.sections = {"de": {"words": WORDS, "said": {"one": "{a}"}}}
    for number in range(MAX_CACHED_SENTENCES + 10):
        assert texts.say("de", "said", "one", a=number) == f"{number:,}".replace(",", ".")
    assert 0 < len(texts._said) <= MAX_CACHED_SENTENCES


def test_parameter_that_holds_template_signs_is_said_as_it_is() -> None:
    assert fill("{a} {b:?x}", a="{b}|?", b=None) == "{b}|? "


@pytest.mark.parametrize(
    ("name", "to"), [("Anna", "ad Anna"), ("àngela", "ad àngela"), ("Elena", "a Elena"), ("Bo", "a Bo"), ("|", "a |")]
)
def test_an_italian_a_takes_a_d_before_its_own_vowel(name: str, to: str) -> None:
    assert filled("{seat:ad}", {"seat": 0}, ITALIAN, [name], "it") == to
    assert filled("{seat:ad}", {"seat": Name(name)}, ITALIAN, [], "it") == to


@pytest.mark.parametrize(("other", "both"), [("Elena", "Bo ed Elena"), ("Émile", "Bo ed Émile"), ("Anna", "Bo e Anna")])
def test_an_italian_e_takes_a_d_before_its_own_vowel(other: str, both: str) -> None:
    assert filled("{seats:name}", {"seats": [0, 1]}, ITALIAN, ["Bo", other], "it") == both
    assert filled("{one:name} {other:ed}", {"one": 0, "other": 1}, ITALIAN, ["Bo", other], "it") == both


@pytest.mark.parametrize("name", ["a|b", "|", "?|", "{x}|"])
def test_a_bar_in_a_name_parts_no_texts(name: str) -> None:
    template = "{seats:{seats:name} gewinnt.|{seats:name} gewinnen.} {who:?{who}|niemand}"
    assert filled(template, {"seats": [0], "who": name}, WORDS, [name], "de") == f"{name} gewinnt. {name}"


@pytest.mark.parametrize(("language", "said"), [("en", "−12,500"), ("de", "−12.500"), ("it", "−12.500")])  # noqa: RUF001
def test_a_number_reads_as_the_language_writes_it(language: str, said: str) -> None:
    assert filled("{n}", {"n": -12_500}, WORDS, NAMES, language) == said


def test_missing_parameter_is_an_error() -> None:
    with pytest.raises(KeyError):
        fill("{missing}", there=1)


def test_phrase_takes_no_attribute_of_a_parameter() -> None:
    with pytest.raises(KeyError):
        fill("{secret.hand}", secret=msgspec.defstruct("Secret", [("hand", int)])(hand=3))
