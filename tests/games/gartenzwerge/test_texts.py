"""What the club's texts say, in sentences that somebody has read."""

from __future__ import annotations

import pytest

from games.core.game import Event, Move
from games.core.texts import LANGUAGES
from games.gartenzwerge.events import AmountsOpened, ClubDecided, CompetitionJudged, DwarfBred, DwarfShown, RoundBegun
from games.gartenzwerge.moves import ChooseDeal, EnterCompetition, SeekPartner, TradeDwarfs
from games.gartenzwerge.options import EVENT_NAMES
from tests.games.gartenzwerge.positions import GAME, after, position, view_of
from tests.games.gartenzwerge.test_rules_deals import search

GERMAN_PRIZE = (
    "Beim braunen Wettbewerb tritt die Konkurrenz mit Braun und Rot an; Rot gewinnt, je Zwerg 250 Blüten für Rose und "
    "Tulpe."
)
ITALIAN_PRIZE = (
    "Al concorso marrone la concorrenza presenta marrone e rosso; vince rosso, per ogni nano 250 fiori a Rosa e "
    "Tulipano."
)
GERMAN_ROUND = (
    "Runde 3: Tulpe führt die Kasse, ausgeschrieben sind der braune und der rote Wettbewerb; Förderer: der Unterhalt "
    "kostet 50 je Zwerg."
)
ITALIAN_ROUND = (
    "Giro 3: la cassa è di Tulipano, i concorsi sono marrone e rosso; Mecenate: il mantenimento costa 50 per nano."
)
OPENED = AmountsOpened(seat=0, job="search", own=400, seats=[1, 2], amounts=[400, "no_bid"], schmiedel=None)


@pytest.mark.parametrize(
    ("move", "said"),
    [
        (SeekPartner(cap="orange", demand="red"), ["Seek a partner for an orange dwarf, with a red cap or higher",
            "Für einen orangefarbenen Zwerg einen Zuchtpartner suchen, mindestens Rot",
            "Cercare un compagno per un nano arancione, almeno rosso"]),
        (TradeDwarfs(cap="green"), ["Trade two green dwarfs for one of the next cap",
            "Zwei grüne Zwerge gegen einen der nächsten Stufe tauschen",
            "Scambiare due nani verdi con uno del grado successivo"]),
        (EnterCompetition(cap="red", competition="blue"), ["Send a red dwarf to the blue competition",
            "Einen roten Zwerg zum blauen Wettbewerb schicken", "Mandare un nano rosso al concorso blu"]),
        (ChooseDeal(partner=None), ["Make the deal with Herr Schmiedel", "Mit Herrn Schmiedel handelseinig werden",
            "Accordarsi con il signor Schmiedel"]),
    ],
)  # fmt: skip
def test_a_move_says_what_it_does(move: Move, said: list[str]) -> None:
    assert [GAME.label(move, language, view_of(search())) for language in LANGUAGES] == said


@pytest.mark.parametrize(
    ("event", "said"),
    [
        (DwarfShown(seat=1, cap=None), ["Tulip shows no dwarf.", "Tulpe bietet keinen Zwerg an.",
            "Tulipano non mostra alcun nano."]),
        (OPENED, ["All hands are open: Rose at most 400, Tulip and Carnation 400 and no bid.",
            "Alle Hände sind offen: Rose höchstens 400, Tulpe und Nelke 400 und kein Gebot.",
            "I pugni si aprono: Rosa al massimo 400, Tulipano e Garofano 400 e nessuna offerta."]),
        (CompetitionJudged(competition="brown", house=["brown", "red"], best="red", share=250, winners=[0, 1]), [
            "In the brown competition brown and red compete for the bank; red wins, 250 blossoms to Rose and Tulip.",
            GERMAN_PRIZE,
            ITALIAN_PRIZE]),
        (DwarfBred(seat=2, own="blue", mate="orange", drawn=["green"], gained=None), [
            "Carnation breeds blue with orange and draws green: no such dwarf is left in the supply.",
            "Nelke züchtet mit Blau und Orange und zieht Grün: im Vorrat ist kein solcher Zwerg mehr.",
            "Garofano alleva con blu e arancione e pesca verde: nella riserva non ce ne sono più."]),
        (ClubDecided(winners=[0], ending="gold"), ["A golden cap is bred! Rose takes the chair of the club.",
            "Eine goldene Mütze ist da! Rose übernimmt den Vorsitz.",
            "Ecco un berretto d'oro! La presidenza va a Rosa."]),
        (ClubDecided(winners=[0, 2], ending="cap"),
            ["The rounds are over. Rose and Carnation share the chair of the club.",
             "Die Runden sind um. Rose und Nelke teilen sich den Vorsitz.",
             "I giri sono finiti. Si dividono la presidenza Rosa e Garofano."]),
        (RoundBegun(round=3, treasurer=1, lower="brown", higher="red", event=None), [
            "Round 3: Tulip is treasurer, the competitions are brown and red.",
            "Runde 3: Tulpe führt die Kasse, ausgeschrieben sind der braune und der rote Wettbewerb.",
            "Giro 3: la cassa è di Tulipano, i concorsi sono marrone e rosso."]),
        (RoundBegun(round=3, treasurer=1, lower="brown", higher="red", event="sponsor"), [
            "Round 3: Tulip is treasurer, the competitions are brown and red; Sponsor: upkeep is 50 for each dwarf.",
            GERMAN_ROUND,
            ITALIAN_ROUND]),
    ],
)  # fmt: skip
def test_an_event_says_what_happened(event: Event, said: list[str]) -> None:
    told = [GAME.tell(event, language, GAME.seat_names(3, language)) for language in LANGUAGES]
    assert told == said


def test_the_headline_says_who_is_asked_for_what() -> None:
    assert [GAME.headline(view_of(search()), language) for language in LANGUAGES] == [
        "Sealed amounts are asked of Rose, Tulip and Carnation: wanted is a partner for a red dwarf.",
        "Verdeckt bieten Rose, Tulpe und Nelke: gesucht ist ein Partner für einen roten Zwerg.",
        "Puntano in segreto Rosa, Tulipano e Garofano: si cerca un compagno per un nano rosso.",
    ]
    seeking = after(position(), (0, SeekPartner(cap="brown")))
    assert (
        GAME.headline(view_of(seeking), "de")
        == "Tulpe darf einen Zwerg anbieten: Rose sucht einen Partner für einen braunen."
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_event_card_has_a_name_and_says_what_it_does(language: str) -> None:
    words = GAME.texts.sections[language]["words"]
    named = {words[event] for event in EVENT_NAMES}
    assert len(named) == len(EVENT_NAMES)
    assert all(words[f"{event}:effect"] != words[event] for event in EVENT_NAMES)
