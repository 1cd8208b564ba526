"""Texts of the village, in sentences that somebody has read."""

from typing import Final

import pytest

from games.core.dice import FastDice
from games.core.game import Event, Move
from games.core.table import Table
from games.core.texts import LANGUAGES
from games.wichtel.events import (
    BribeLaid,
    BribesOpened,
    GnomeOffered,
    GnomesMarched,
    GnomesSwapped,
    GnomeWon,
    RetinueScored,
)
from games.wichtel.moves import (
    ACTIONS,
    AcceptOutcome,
    Gnome,
    LayBribe,
    PassBribe,
    PassDie,
    RecruitGnome,
    ReturnGnome,
    RollForGnome,
    SwapGnome,
    VetoBribe,
)
from games.wichtel.options import VillageOptions
from games.wichtel.speech import needed
from games.wichtel.table.codes import OPENED, ROLLED
from games.wichtel.table.titles import POINTS
from tests.conformance.cases import walk
from tests.games.wichtel.positions import GAME, after, play, position, view_of, village

PLAYERS = ["Ann", "Bo", "Cy"]


def labels(table: Table, seat: int, move: Move) -> list[str]:
    return [GAME.label(move, language, view_of(table, seat), PLAYERS) for language in LANGUAGES]


def tell_event(event: Event) -> list[str]:
    """Return the texts of an event in every language, at a table of four."""
    return [GAME.tell(event, language, GAME.seat_names(4, language)) for language in LANGUAGES]


@pytest.mark.parametrize(
    ("move", "said"),
    [
        (SwapGnome(gnome="hauler", partner=1), ["Swap a hauler with Bo",
            "Mit Bo tauschen und einen Holzschieber hergeben", "Scambiare un trasportatore con Bo"]),
        (ReturnGnome(gnome="hauler", partner=0), ["Give Ann a hauler in return", "Ann dafür einen Holzschieber geben",
            "Dare in cambio ad Ann un trasportatore"]),
        (RecruitGnome(place=2), ["Recruit a sergeant on place 2", "Auf Platz 2 einen Waldwebel anwerben",
            "Arruolare un sergente al posto 2"]),
        (PassDie(), ["Pass the die on to Bo", "Den Würfel an Bo weiterreichen", "Passare il dado a Bo"]),
        (LayBribe(card="four_coins", recruiter=0), ["Lay 4 coins face down", "4 Rindentaler verdeckt auslegen",
            "Mettere 4 talleri a faccia in giù"]),
    ],
)  # fmt: skip
def test_a_move_names_the_seat_and_the_gnome_that_are_meant(move: Move, said: list[str]) -> None:
    assert labels(position(square="FA WW HS"), 0, move) == said


def table_with_bribes(*bribes: str | None) -> Table:
    """Return a table on which seat 0 courts the sergeant and has seen the bribes of seats 1 and 2."""
    held = {seat: [bribe] for seat, bribe in enumerate(bribes, 1) if bribe}
    table = after(position(square="FA WW HS", actions=held), 0, RecruitGnome(place=2))
    for seat, bribe in enumerate(bribes, 1):
        move = LayBribe(card=bribe, recruiter=0) if bribe else PassBribe()  # type: ignore[arg-type] # a card's name
        table = after(table, seat, move)
    return table


@pytest.mark.parametrize(
    ("bribes", "pips", "winner"),
    [
        ((None, None), 2,
            ["Let the gnome stay", "Den Wichtel auf dem Dorfplatz lassen", "Lasciare lo gnomo in piazza"]),
        (("four_coins", None), 4, ["Let Bo have the gnome", "Bo den Wichtel überlassen", "Lasciare lo gnomo a Bo"]),
        (("four_coins", "five_coins"), 5,
            ["Let Cy have the gnome", "Cy den Wichtel überlassen", "Lasciare lo gnomo a Cy"]),
        (("four_coins", "four_coins"), 4,
            ["Let Cy have the gnome", "Cy den Wichtel überlassen", "Lasciare lo gnomo a Cy"]),
    ],
)  # fmt: skip
def test_a_roll_tells_its_need_and_heir(bribes: tuple[str | None, ...], pips: int, winner: list[str]) -> None:
    table = table_with_bribes(*bribes)
    assert labels(table, 0, RollForGnome()) == [
        f"Roll for a sergeant, needing {pips} or more",
        f"Um einen Waldwebel würfeln, nötig ist mindestens eine {pips}",
        f"Tirare il dado per un sergente: serve almeno {pips}",
    ]
    failed = play(table, 0, RollForGnome(), roll=1).table
    assert labels(failed, 0, AcceptOutcome()) == winner
    assert GAME.headline(view_of(failed, 0), "de", PLAYERS) == f"Ann hat 1 gewürfelt und braucht {pips}."


def test_a_veto_says_whose_bribe_it_is_against() -> None:
    assert labels(table_with_bribes("four_coins", None), 0, VetoBribe(seat=1)) == [
        "Play “No way!” against 4 coins of Bo",
        "„Nix da!“ spielen gegen 4 Rindentaler von Bo",
        "Giocare «Niente da fare!» contro 4 talleri di Bo",
    ]


FOUR: Final[list[Gnome]] = ["family", "family", "hauler", "master"]


@pytest.mark.parametrize(
    ("event", "said"),
    [
        (BribesOpened(bribes=[None, None, "two_coins", "four_coins"]), [
            "The bribes are opened: Root 2 coins, Acorn 4 coins.",
            "Die Bestechungen werden aufgedeckt: Wurzel 2 Rindentaler, Eichel 4 Rindentaler.",
            "Si scoprono le corruzioni: Radice 2 talleri, Ghianda 4 talleri."]),
        (BribesOpened(bribes=[None, None, None, None]), ["Nobody has laid a bribe.", "Niemand hat bestochen.",
            "Nessuno ha corrotto."]),
        (GnomeWon(seat=3, gnome="family", briber=3, spent="four_coins"), [
            "Acorn wins a family and spends 4 coins.", "Eichel gewinnt eine Familie und gibt 4 Rindentaler aus.",
            "Ghianda conquista una famiglia e spende 4 talleri."]),
        (GnomeWon(seat=0, gnome="family", briber=3, spent="four_coins"), [
            "Moss wins a family; Acorn has spent 4 coins.",
            "Moos gewinnt eine Familie; Eichel hat 4 Rindentaler ausgegeben.",
            "Muschio conquista una famiglia; Ghianda ha speso 4 talleri."]),
        (GnomeWon(seat=3, gnome="family", briber=3, spent="i_am_best"), [
            "Acorn wins a family and plays “I am the best!”.",
            "Eichel gewinnt eine Familie und spielt „Ich bin der Beste!“.",
            "Ghianda conquista una famiglia e gioca «Il migliore sono io!»."]),
        (GnomeWon(seat=0, gnome="family", briber=3, spent="he_is_best"), [
            "Moss wins a family; Acorn has played “He is the best!”.",
            "Moos gewinnt eine Familie; Eichel hat „Der ist der Beste!“ gespielt.",
            "Muschio conquista una famiglia; Ghianda ha giocato «Il migliore è lui!»."]),
        (GnomeWon(seat=0, gnome="family", briber=None, spent=None), ["Moss wins a family.",
            "Moos gewinnt eine Familie.", "Muschio conquista una famiglia."]),
        (RetinueScored(seat=0, gnomes=[FOUR[0]] * 4, title="family_council", result=-5, bonus=0, total=0), [
            "Moss has 4 families, which makes a Family Council: −5 points, 0 in all.",  # noqa: RUF001
            "Moos hat 4 Familien, das ist der Titel Familien-Beirat: −5 Punkte, zusammen 0.",  # noqa: RUF001
            "Muschio ha 4 famiglie, cioè il titolo Consiglio di famiglia: −5 punti, in tutto 0."]),  # noqa: RUF001
        (RetinueScored(seat=0, gnomes=FOUR, title=None, result=1, bonus=5, total=-3), [
            "Moss has 2 families, a hauler and the master: 1 point and 5 more, −3 in all.",  # noqa: RUF001
            "Moos hat 2 Familien, einen Holzschieber und den Meister: ein Punkt und 5 dazu, zusammen −3.",  # noqa: RUF001
            "Muschio ha 2 famiglie, un trasportatore e il maestro: un punto e 5 in più, in tutto −3."]),  # noqa: RUF001
        (GnomesMarched(way="back", left="family", came="hauler"), [
            "The gnomes walk back: a family leaves the square, and a hauler comes.",
            "Die Wichtel wandern zurück. Vom Dorfplatz geht: Familie. Neu kommt: Holzschieber.",
            "Gli gnomi tornano indietro. Lascia la piazza: famiglia. Arriva: trasportatore."]),
        (GnomesMarched(way="onward", left="family", came="clubber"), [
            "The gnomes walk: a family leaves the square, and a clubber comes.",
            "Die Wichtel wandern. Vom Dorfplatz geht: Familie. Neu kommt: Keulenschwinger.",
            "Gli gnomi camminano. Lascia la piazza: famiglia. Arriva: clavigero."]),
        (GnomeOffered(seat=0, partner=2, gnome="family"), ["Moss hands Root a family face down.",
            "Moos reicht Wurzel eine Familie verdeckt hinüber.",
            "Muschio porge a Radice una famiglia a faccia in giù."]),
        (GnomesSwapped(seat=1, partner=2, given="foreman", returned="hauler"), [
            "Bark and Root swap a foreman for a hauler.",
            "Rinde und Wurzel tauschen einen Vorarbeiter gegen einen Holzschieber.",
            "Corteccia e Radice si scambiano un caposquadra e un trasportatore."]),
        (BribeLaid(seat=1, card="four_coins"), ["Bark lays 4 coins as a bribe face down.",
            "Rinde legt 4 Rindentaler verdeckt aus.", "Corteccia mette 4 talleri a faccia in giù."]),
    ],
)  # fmt: skip
def test_an_event_says_what_happened(event: Event, said: list[str]) -> None:
    assert tell_event(event) == said


def test_a_title_has_its_article_in_english() -> None:
    scored = RetinueScored(seat=0, gnomes=["master"], title="grey_eminence", result=1, bonus=0, total=1)
    assert ", which makes a Grey Eminence: 1 point, 1 in all." in tell_event(scored)[0]


@pytest.mark.rule("HW-52")
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_scoring_aid_and_the_decks_lie_beside_the_table(language: str) -> None:
    turn, titles, gnomes, special, actions = GAME.reference(language)
    assert [sheet.key for sheet in (turn, titles, gnomes, special, actions)] == [
        "turn", "titles", "gnomes", "special", "actions",
    ]  # fmt: skip
    points = [str(abs(number)) for number in POINTS[1:]]
    assert all(number in line.text for number, line in zip(points, titles.lines, strict=True))
    assert len(gnomes.lines) == 11
    assert sum(copies(line.text) for line in gnomes.lines) == 32
    assert sum(copies(line.text) for line in actions.lines) == 21


def copies(said: str) -> int:
    before = said.partition(";")[2] or said.partition("(")[2]
    return next((int(word) for word in before.split() if word.isdigit()), 1)


def test_the_scoring_aid_says_what_a_title_takes() -> None:
    master = [GAME.reference(language)[1].lines[3].text for language in LANGUAGES]
    assert master == [
        "Master takes a feller and a foreman, and for the rest haulers and fellers: 13 points",
        "Meister verlangt einen Holzfäller und einen Vorarbeiter, sonst nur Holzschieber und Holzfäller: 13 Punkte",
        "Maestro vuole uno spaccalegna e un caposquadra, e per il resto trasportatori e spaccalegna: 13 punti",
    ]


@pytest.mark.rule("HW-26", "HW-27")
@pytest.mark.parametrize("seats", GAME.seat_numbers)
def test_a_headline_says_as_many_pips_as_the_roll_takes(seats: int) -> None:
    tables = [made.before for made in walk(GAME, GAME.new(seats, VillageOptions(), FastDice(seats)), 5, 1_500)]
    opened = [village(table) for table in tables if village(table).phase in {OPENED, ROLLED}]
    assert all(needed(view_of(table, table.turn)) == table.wanted() for table in opened)
    assert len({table.wanted() for table in opened}) > 1


@pytest.mark.parametrize(("language", "least"), [("en", "at least as many"), ("de", "mindestens"), ("it", "almeno")])
def test_the_sheet_says_that_a_higher_roll_than_the_bribe_is_enough(language: str, least: str) -> None:
    lines = {line.id: line.text for sheet in GAME.reference(language) for line in sheet.lines}
    coins = [card for card in ACTIONS if card.endswith("_coins")]
    assert len(coins) == 5
    assert all(least in lines[card] for card in coins)
