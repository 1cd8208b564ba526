"""The sentences of Der Hohe Rat in three languages."""

from collections import Counter
from typing import Any, Final

import msgspec
import pytest

from games.core.dice import CHOICE, FastDice
from games.core.texts import LANGUAGES
from games.hoher_rat import GAME
from games.hoher_rat.events import (
    CardOffered,
    CardReturned,
    CardsDrawn,
    Convinced,
    CouncilDecided,
    Discussed,
    FollowerPlaced,
    Pondered,
    TrilithPlayed,
)
from games.hoher_rat.moves import ClaimField, Confer, Convince, Discuss, EndTurn, PlaceFollower, PlayTrilith, ReturnCard
from games.hoher_rat.options import CouncilOptions
from games.hoher_rat.speech import consequences
from games.hoher_rat.view import CouncilView
from tests.games.hoher_rat.positions import on, position


def sections(language: str) -> dict[str, dict[str, Any]]:
    return GAME.texts.sections[language]


@pytest.mark.parametrize("language", LANGUAGES)
def test_all_languages_have_the_same_keys(language: str) -> None:
    english, other = sections("en"), sections(language)
    assert other.keys() - {"rules", "chapters", "sources"} == english.keys()  # in English they stand in RULES.md
    for name in english.keys() - {"words"}:
        assert other[name].keys() == english[name].keys(), name
    plain = {word for word in english["words"] if ":" not in word}
    assert {word for word in other["words"] if ":" not in word} == plain


@pytest.mark.parametrize("language", LANGUAGES)
def test_english_rules_stand_in_the_rules_file_alone(language: str) -> None:
    told = sections(language).get("rules")
    if language == "en":
        assert told is None
        assert [GAME.sentence(rule, language) for rule in GAME.rules] == [rule.sentence for rule in GAME.rules]
        return
    assert told is not None
    assert list(told) == [rule.id for rule in GAME.rules]
    assert [GAME.sentence(rule, language) for rule in GAME.rules] == list(told.values())
    assert len(set(told.values())) == len(told)
    assert all(sentence.endswith(".") and sentence[0].isupper() for sentence in told.values())


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_colour_has_every_form_of_the_language(language: str) -> None:
    words = sections(language)["words"]
    shapes = {word.partition(":")[2] for word in words if word.startswith("white:")}
    for hue in ("blue", "green", "yellow", "red", "black"):
        assert {word.partition(":")[2] for word in words if word.startswith(f"{hue}:")} == shapes, hue
    letters = [words[f"{hue}:short"] for hue in ("white", "blue", "green", "yellow", "red", "black")]
    assert len(set(letters)) == len(letters)


COURSE: Final = position(
    seats=4,
    pieces={6: "red", 7: "yellow", 20: "blue speaker"},
    arguments={0: {"white": 3}, 2: {"white": 1, "green": 5}},
    hands={0: [6, 7, 31]},
)
"""Four at a table, White with everything that labels show: costly and cheap targets, and room for two white
arguments."""

LABELS: Final = [
    (
        Discuss(cards=[7], argument="white"),
        "Diskutieren: Karte 7 ausspielen und ein weißes Argument nehmen",
        "Discuss: play card 7 and take one white argument",
        "Discutere: giocare la carta 7 e prendere un argomento bianco",
    ),
    (
        Discuss(cards=[6, 7, 13], argument="white"),
        (
            "Diskutieren: Karten 6 (schwarz), 7 und 13 ausspielen und nur 2 weiße Argumente nehmen (mehr ist nicht zu "
            "haben)"
        ),
        "Discuss: play cards 6 (black), 7 and 13 and take only 2 white arguments (there is room for no more)",
        "Discutere: giocare le carte 6 (nera), 7 e 13 e prendere solo 2 argomenti bianchi (per altri non c'è posto)",
    ),
    (
        PlayTrilith(card=32, arguments=["green", "red"]),
        "Diskutieren: Trilith II ausspielen und ein grünes und ein rotes Argument nehmen",
        "Discuss: play Trilith II and take one green and one red argument",
        "Discutere: giocare Trilite II e prendere un argomento verde e uno rosso",
    ),
    (
        PlayTrilith(card=31, arguments=["green", "green"]),
        "Diskutieren: Trilith I ausspielen und zwei grüne Argumente nehmen",
        "Discuss: play Trilith I and take two green arguments",
        "Discutere: giocare Trilite I e prendere due argomenti verdi",
    ),
    (
        PlaceFollower(card=1, colour="blue", moved_from=30),
        "Auf Feld 1 mit einem blauen Anhänger Platz nehmen (versetzt von Feld 30)",
        "Take the seat on field 1 with a blue follower (moved from field 30)",
        "Prendere posto sulla casella 1 con un seguace blu (spostato dalla casella 30)",
    ),
    (
        ClaimField(card=30, field=6, argument="green", colour="red"),
        "Mit Karte 30 (schwarz) und drei grünen Argumenten Feld 6 mit einem roten Anhänger besetzen",
        "Claim field 6 for a red follower with card 30 (black) and three green arguments",
        "Occupare la casella 6 con un seguace rosso, giocando la carta 30 (nera) e tre argomenti verdi",
    ),
    (
        Confer(card=31),
        "Sich mit Cy beraten und Karte Trilith I verdeckt weitergeben",
        "Confer with Cy and pass card Trilith I face down",
        "Consultarsi con Cy e passare coperta la carta Trilite I",
    ),
    (
        ReturnCard(card=5),
        "Karte 5 verdeckt an Cy zurückgeben",
        "Give card 5 back to Cy face down",
        "Restituire coperta la carta 5 a Cy",
    ),
    (
        Convince(source=7, target=6, argument="white", colour="yellow"),
        "Von Feld 7 aus den roten Anhänger auf Feld 6 überzeugen: ein weißes Argument, Gelb zieht ein",
        "From field 7, win over the red follower on field 6 for one white argument: yellow moves in",
        "Dalla casella 7, per un argomento bianco, convincere il seguace rosso sulla 6: entra un seguace giallo",
    ),
    (
        Convince(source=19, target=20, argument="white", colour="yellow", moved_from=7),
        (
            "Von Feld 19 aus den blauen Wortführer auf Feld 20 überzeugen: 3 weiße Argumente, Gelb zieht ein (versetzt "
            "von Feld 7)"
        ),
        "From field 19, win over the blue speaker on field 20 for 3 white arguments: yellow moves in (from field 7)",
        (
            "Dalla casella 19, per 3 argomenti bianchi, convincere il portavoce blu sulla 20: entra un seguace giallo "
            "(spostato dalla casella 7)"
        ),
    ),
    (EndTurn(), "Den Zug ohne Aktion beenden", "End the turn without an action", "Chiudere il turno senza azione"),
]


@pytest.mark.parametrize(("move", "german", "english", "italian"), LABELS)
def test_labels_tell_what_a_move_costs_yields_and_meets(move: Any, german: str, english: str, italian: str) -> None:
    view, names = GAME.view(COURSE, 0), ["Ada", "Bo", "Cy", "Di"]
    told = [GAME.label(move, language, view, names) for language in LANGUAGES]
    assert told == [english, german, italian]


@pytest.mark.rule("HR-D30")
@pytest.mark.parametrize(
    ("course", "label"),
    [
        ({"turns": 298}, "End the turn without an action"),
        ({"turns": 299}, "End the turn without an action, which ends the game"),
        ({"turns": 299, "acted": True}, "End the turn, which ends the game"),
        ({"idle": 7}, "End the turn without an action, which ends the game"),
        ({"idle": 7, "acted": True}, "End the turn"),
        (
            {"turns": 299, "idle": 7, "options": CouncilOptions(turn_cap=0, idle_cap=0)},
            "End the turn without an action",
        ),
    ],
    ids=str,
)
def test_a_turn_that_ends_the_game_says_so(course: dict[str, Any], label: str) -> None:
    table = position(**course)
    assert GAME.label(EndTurn(), "en", GAME.view(table, 0)) == label
    over = GAME.outcome(GAME.step(table, 0, GAME.encode(table, 0, EndTurn()), FastDice(1)).table) is not None
    assert over == label.endswith("ends the game")


def test_labels_tell_the_price_and_the_yield_that_the_events_tell() -> None:
    dice, told = FastDice(1), Counter[str]()
    for seats in (2, 4) * 3:
        table = GAME.new(seats, CouncilOptions(turn_cap=0, idle_cap=0), dice)
        while actors := GAME.actors(table):
            codes = GAME.legal(table, actors[0])
            dear = [code for code in codes if isinstance(GAME.decode(table, code), Convince)]
            code = (dear or codes)[int(dice.below(len(dear or codes), CHOICE))]
            move, view = GAME.decode(table, code), GAME.view(table, actors[0])
            step = GAME.step(table, actors[0], code, dice)
            for heard in step.heard:
                if isinstance(heard.event, Convinced):
                    assert isinstance(view, CouncilView)
                    assert consequences(move, view)["price"] == heard.event.price
                    told[f"price {heard.event.price}, vote {view.voting}"] += 1
                if isinstance(heard.event, Discussed):
                    assert isinstance(view, CouncilView)
                    assert consequences(move, view)["taken"] == heard.event.taken
                    told["cut" if heard.event.taken < len(heard.event.cards) else "whole"] += 1
            table = step.table
    assert {"cut", "whole", "price 1, vote True", "price 1, vote False", "price 2, vote False"} <= set(told)


CONVINCED: Final = Convinced(
    seat=0,
    source=7,
    target=6,
    argument="white",
    price=1,
    colour="yellow",
    replaced="red",
    rank="follower",
    moved_from=None,
)

STORIES: Final = [
    (
        Discussed(seat=0, cards=[7, 13], argument="white", taken=1),
        "Pro diskutiert mit den Karten 7 und 13 und nimmt ein weißes Argument.",
        "Pro discusses with cards 7 and 13 and takes one white argument.",
        "Pro discute con le carte 7 e 13 e prende un argomento bianco.",
    ),
    (
        TrilithPlayed(seat=1, card=31, arguments=["blue"]),
        "Contra diskutiert mit Trilith I und nimmt ein blaues Argument.",
        "Contra discusses with Trilith I and takes one blue argument.",
        "Contro discute con Trilite I e prende un argomento blu.",
    ),
    (
        FollowerPlaced(seat=0, field=3, colour="white", moved_from=12),
        "Pro nimmt auf Feld 3 mit einem weißen Anhänger Platz, versetzt von Feld 12.",
        "Pro takes the seat on field 3 with a white follower, moved from field 12.",
        "Pro prende posto sulla casella 3 con un seguace bianco, spostato dalla casella 12.",
    ),
    (
        Pondered(seat=0, cards=[4, 5, 32]),
        "Pro grübelt und wirft die Karten 4, 5 und Trilith II ab.",
        "Pro ponders and throws away cards 4, 5 and Trilith II.",
        "Pro riflette e scarta le carte 4, 5 e Trilite II.",
    ),
    (
        CardsDrawn(seat=0, count=1, cards=None),
        "Pro zieht eine Karte.",
        "Pro draws a card.",
        "Pro pesca una carta.",
    ),
    (
        CardsDrawn(seat=0, count=2, cards=[1, 31]),
        "Pro zieht 2 Karten: 1 und Trilith I.",
        "Pro draws 2 cards: 1 and Trilith I.",
        "Pro pesca 2 carte: 1 e Trilite I.",
    ),
    (
        CONVINCED,
        (
            "Pro überzeugt von Feld 7 aus den roten Anhänger auf Feld 6: Für ein weißes Argument zieht dort ein gelber "
            "Anhänger ein."
        ),
        "Pro wins over the red follower on field 6 from field 7: for one white argument a yellow follower moves in.",
        (
            "Pro convince dalla casella 7 il seguace rosso sulla casella 6: per un argomento bianco entra un seguace "
            "giallo."
        ),
    ),
    (
        msgspec.structs.replace(CONVINCED, price=3, rank="speaker", moved_from=20),
        (
            "Pro überzeugt von Feld 7 aus den roten Wortführer auf Feld 6: Für 3 weiße Argumente zieht dort ein gelber "
            "Anhänger ein, versetzt von Feld 20."
        ),
        (
            "Pro wins over the red speaker on field 6 from field 7: for 3 white arguments a yellow follower moves in, "
            "from field 20."
        ),
        (
            "Pro convince dalla casella 7 il portavoce rosso sulla casella 6: per 3 argomenti bianchi entra un seguace "
            "giallo, spostato dalla casella 20."
        ),
    ),
    (
        CouncilDecided(winner="contra", reason="block"),
        "Contra bringt den Antrag zu Fall, mit einem Block von mindestens sechzehn.",
        "Contra defeats the motion, with a block of at least sixteen.",
        "Contro fa cadere la mozione, con un blocco di almeno sedici.",
    ),
    (
        CouncilDecided(winner="draw", reason="cap"),
        "Der Rat ist gespalten, die Partie endet unentschieden, weil die Zeit der Debatte um ist.",
        "The council is split and the game is drawn, for the time to debate is up.",
        "Il consiglio è diviso e la partita finisce in pareggio, perché il tempo del dibattito è finito.",
    ),
]


@pytest.mark.parametrize(("event", "german", "english", "italian"), STORIES)
def test_events_read_like_sentences(event: Any, german: str, english: str, italian: str) -> None:
    told = [GAME.tell(event, language, GAME.seat_names(2, language)) for language in LANGUAGES]
    assert told == [english, german, italian]


@pytest.mark.rule("HR-D21")
def test_cards_of_a_conference_are_named_to_those_who_know_them_alone() -> None:
    names = ["Ada", "Bo", "Cy", "Di"]
    given = CardOffered(seat=0, partner=2, card=9)
    assert GAME.tell(given, "en", names) == "Ada confers with Cy and passes card 9 face down."
    hidden = msgspec.structs.replace(given, card=None)
    assert GAME.tell(hidden, "en", names) == "Ada confers with Cy and passes a card face down."
    returned = CardReturned(seat=2, partner=0, card=None)
    assert GAME.tell(returned, "de", names) == "Cy gibt Ada verdeckt eine Karte zurück."


def test_sheets_tell_the_actions_the_prices_and_the_fields() -> None:
    overview, fields = GAME.reference("en")
    assert {line.id for line in overview.lines} >= {"discuss", "ponder", "confer", "single", "speaker", "vote"}
    assert [(line.heading, line.text) for line in fields.lines][::5] == [
        ("white", "1, 7, 13, 19, 25"),
        ("black", "6, 12, 18, 24, 30"),
    ]


@pytest.mark.parametrize(
    ("ring", "headline"),
    [
        ({1: "white"}, "Pro (Ada and Cy) carries the motion, having the larger following at the end of the debate."),
        ({1: "red"}, "Contra (Bo and Di) defeats the motion, having the larger following at the end of the debate."),
        ({}, "The council is split and the game is drawn."),
    ],
)
def test_the_last_headline_names_who_has_won(ring: dict[int, str], headline: str) -> None:
    table = position(seats=4, pieces=ring, turns=299, acted=True)
    over = GAME.step(table, 0, GAME.encode(table, 0, EndTurn()), FastDice(1)).table
    assert GAME.headline(GAME.view(over, 1), "en", ["Ada", "Bo", "Cy", "Di"]) == headline
    assert "(" not in GAME.headline(GAME.view(over, 1), "en")


@pytest.mark.parametrize(("ring", "said"), [({1: "white"}, "Pro (Rosa) carries"), ({1: "red"}, "Contra defeats")])
def test_the_last_headline_repeats_no_name_that_is_the_factions_own(ring: dict[int, str], said: str) -> None:
    table = position(pieces=ring, turns=299, acted=True)
    over = GAME.step(table, 0, GAME.encode(table, 0, EndTurn()), FastDice(1)).table
    assert GAME.headline(GAME.view(over, 0), "en", ["Rosa", "Contra"]).startswith(f"{said} the motion")


@pytest.mark.rule("HR-D30")
@pytest.mark.parametrize(
    ("changes", "language", "headline"),
    [
        ({"turns": 20, "idle": 7}, "de", "mit dem größeren Rückhalt, nachdem 8 Züge lang nichts geschehen ist."),
        (
            {"turns": 20, "idle": 7},
            "en",
            "having the larger following after 8 idle turns.",
        ),
        (
            {"turns": 20, "idle": 7},
            "it",
            "con il seguito più ampio, dopo 8 turni in cui nulla è accaduto.",
        ),
        ({"turns": 299, "idle": 7}, "en", "having the larger following at the end of the debate."),
        ({"turns": 299}, "en", "having the larger following at the end of the debate."),
    ],
)
def test_the_last_headline_names_the_cap_that_ended_it(changes: dict[str, int], language: str, headline: str) -> None:
    table = position(pieces={1: "white", 2: "white", 6: "red"}, **changes)
    over = GAME.step(table, 0, GAME.encode(table, 0, EndTurn()), FastDice(1)).table
    for names in (None, ["Ada", "Bo"]):
        assert GAME.headline(GAME.view(over, 1), language, names).endswith(headline)


def test_headline_tells_the_decision() -> None:
    def said(table: Any, language: str = "en") -> str:
        return GAME.headline(GAME.view(table, 0), language)

    assert said(position()) == "Pro is to move and has an action left."
    assert said(position(acted=True)) == "Pro has taken the action and may still convince."
    full = on("white", *range(1, 11)) | on("red", *range(11, 21)) | on("yellow", *range(21, 25))
    full |= on("blue", *range(25, 31))
    assert said(position(pieces=full, voting=True, seats=4, turn=1)) == "Vote: Red is to move and has an action left."
    assert said(position(pieces=full, voting=True, acted=True), "de") == (
        "Abstimmung: Pro hat die Aktion hinter sich und kann noch überzeugen."
    )
    conference: Any = {"seats": 4, "turn": 1, "acted": True, "offered": 9, "hands": {1: [1, 2], 3: [3, 4, 5, 9]}}
    assert said(position(**conference, shown={3: [9]}), "de") == "Blau schuldet Rot noch eine Karte zurück."
    won = on("white", *range(25, 31)) | on("yellow", *range(1, 11))
    assert said(position(pieces=won, winner="pro")) == "Pro carries the motion with a block of 16."
    assert said(position(turns=300, pieces={3: "red"}, winner="contra"), "it") == (
        "Contro fa cadere la mozione con il seguito più ampio alla fine del dibattito."
    )
    assert said(position(turns=300, winner="draw")) == "The council is split and the game is drawn."


def test_seats_are_named_after_what_they_play() -> None:
    for seats in GAME.seat_numbers:
        table = GAME.new(seats, GAME.presets["standard"], FastDice(3))
        view: Any = GAME.view(table, 0)
        for language in LANGUAGES:
            words = sections(language)["words"]
            keys = [other.faction if seats == 2 else other.colours[0] for other in view.councillors]
            expected = [words[key].capitalize() for key in keys]
            assert GAME.seat_names(seats, language) == expected
