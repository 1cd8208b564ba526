"""Texts of the club, in sentences that somebody has read."""

import msgspec
import pytest

from games.core.game import Event, Move
from games.core.texts import LANGUAGES
from games.gartenzwerge.events import (
    AmountSealed,
    AmountsOpened,
    ClubDecided,
    CompetitionJudged,
    DealStruck,
    DwarfBred,
    DwarfShown,
    GreysReturned,
    PartnerSought,
    RoundBegun,
    UpkeepPaid,
)
from games.gartenzwerge.moves import (
    ChooseDeal,
    EnterCompetition,
    ReturnGreys,
    SealAsk,
    SealMaximum,
    SeekPartner,
    SellDwarf,
    SendToGarden,
    ShowDwarf,
    TradeDwarfs,
)
from games.gartenzwerge.options import EVENT_NAMES, EventName
from games.gartenzwerge.view import Job
from tests.games.gartenzwerge.positions import GAME, after, money, position, record_of, sealed, view_of
from tests.games.gartenzwerge.test_rules_deals import search

PLAYERS = ["Ann", "Bo", "Cy"]
GERMAN_ROUND = (
    "Runde 3: Tulpe führt die Kasse, ausgeschrieben sind der braune und der rote Wettbewerb; Förderer: der Unterhalt "
    "kostet 50 je Zwerg."
)
ITALIAN_ROUND = (
    "Giro 3: la cassa è di Tulipano, i concorsi sono marrone e rosso; Mecenate: il mantenimento costa 50 per nano."
)


@pytest.mark.parametrize(
    ("move", "said"),
    [
        (SeekPartner(cap="orange", demand="red"), ["Seek a partner for an orange dwarf, with a red cap or higher",
            "Für einen orangefarbenen Zwerg einen Zuchtpartner suchen, mindestens Rot",
            "Cercare un compagno per un nano arancione, almeno rosso"]),
        (SeekPartner(cap="orange", demand="brown"), ["Seek a partner for an orange dwarf",
            "Für einen orangefarbenen Zwerg einen Zuchtpartner suchen",
            "Cercare un compagno per un nano arancione"]),
        (TradeDwarfs(cap="orange"), ["Trade two orange dwarfs for a red one",
            "Zwei orangefarbene Zwerge gegen einen roten tauschen",
            "Scambiare due nani arancioni con uno rosso"]),
        (TradeDwarfs(cap="green"), ["Trade two green dwarfs for a golden one",
            "Zwei grüne Zwerge gegen einen goldenen tauschen",
            "Scambiare due nani verdi con uno dorato"]),
        (EnterCompetition(cap="red", competition="orange"), ["Send a red dwarf to the orange competition (prize 1,500)",
            "Einen roten Zwerg zum orangefarbenen Wettbewerb schicken (Preisgeld 1.500)",
            "Mandare un nano rosso al concorso arancione (premio 1.500)"]),
        (SendToGarden(cap="brown"), ["Send a brown dwarf to the garden, for 50 blossoms",
            "Einen braunen Zwerg in den Garten schicken, für 50 Blüten",
            "Mandare un nano marrone in giardino, per 50 fiori"]),
        (SellDwarf(cap="red"), ["Sell a red dwarf for 300 blossoms", "Einen roten Zwerg für 300 Blüten verkaufen",
            "Vendere un nano rosso per 300 fiori"]),
        (ShowDwarf(cap="red"), ["Show Ann a red dwarf", "Ann einen roten Zwerg vorzeigen",
            "Mostrare ad Ann un nano rosso"]),
        (ReturnGreys(number=0), ["Return no grey dwarf", "Keinen grauen Zwerg zurückgeben",
            "Non restituire alcun nano grigio"]),
        (ReturnGreys(number=1), ["Return one grey dwarf", "Einen grauen Zwerg zurückgeben",
            "Restituire un nano grigio"]),
    ],
)  # fmt: skip
def test_a_move_says_what_it_does_and_what_it_brings(move: Move, said: list[str]) -> None:
    view = view_of(position(event="championship", highest="blue"))
    assert [GAME.label(move, language, view, PLAYERS) for language in LANGUAGES] == said


@pytest.mark.parametrize(
    ("event", "wage", "price"),
    [(None, 50, 150), ("bumper_harvest", 100, 150), ("rainy_week", 0, 150), ("collector_in_town", 50, 300)],
)
def test_a_label_tells_what_is_earned_under_the_event(event: EventName | None, wage: int, price: int) -> None:
    table = position(event=event, highest="blue" if event == "collector_in_town" else "orange")
    view = view_of(table)
    assert GAME.label(SendToGarden(cap="brown"), "en", view).endswith(f" for {wage} blossoms")
    assert GAME.label(SellDwarf(cap="orange"), "en", view).endswith(f" for {price} blossoms")
    before = record_of(table).members[0].blossoms
    assert money(after(table, (0, SendToGarden(cap="brown"))))[0] - before == wage
    assert money(after(table, (0, SellDwarf(cap="orange"))))[0] - before == price


def test_a_choice_among_equal_deals_names_partner_dwarf_and_price() -> None:
    tied = after(search(), (1, SealAsk(amount=300)), (2, SealAsk(amount=300)), (0, SealMaximum(amount=400)))
    assert [GAME.label(ChooseDeal(partner=1), language, view_of(tied), PLAYERS) for language in LANGUAGES] == [
        "Take the dwarf of Bo (orange), for 300 blossoms",
        "Mit Bo handelseinig werden (Orange), für 300 Blüten",
        "Accordarsi con Bo (arancione), per 300 fiori",
    ]
    assert GAME.headline(view_of(tied), "de", PLAYERS) == (
        "Ann wählt unter gleichen Angeboten: Bo und Cy, für 300 Blüten."
    )
    two = position(2, members={0: {"free": "red"}, 1: {"free": "orange"}}, highest="red")
    two = after(two, (0, SeekPartner(cap="red")), (1, ShowDwarf(cap="orange")), (1, SealAsk(amount=450)))
    script = [("chip", 100), ("chip", 50)]
    equal = after(two, (0, SealMaximum(amount=500)), script=script)
    assert GAME.label(ChooseDeal(partner=None), "de", view_of(equal)) == (
        "Mit Herrn Schmiedel handelseinig werden (Rot), für 450 Blüten"
    )


OPENED = AmountsOpened(seat=0, job="search", own=400, answers=sealed({1: 1400, 2: None}), schmiedel=None)
SHARED = CompetitionJudged(competition="brown", house=["brown", "red"], best="red", share=100, winners=[0, 1, 1])


@pytest.mark.parametrize(
    ("event", "said"),
    [
        (DwarfShown(seat=1, cap=None), ["Tulip shows no dwarf.", "Tulpe zeigt keinen Zwerg vor.",
            "Tulipano non mostra alcun nano."]),
        (OPENED, ["All hands are open: Rose at most 400; Tulip 1,400, Carnation no bid.",
            "Alle Hände sind offen: Rose höchstens 400; Tulpe 1.400, Nelke kein Gebot.",
            "I pugni si aprono: Rosa al massimo 400; Tulipano 1.400, Garofano nessuna offerta."]),
        (msgspec.structs.replace(OPENED, job="offer", answers=[], schmiedel=450),
            ["All hands are open: Rose at least 400; Herr Schmiedel 450.",
            "Alle Hände sind offen: Rose mindestens 400; Herr Schmiedel 450.",
            "I pugni si aprono: Rosa almeno 400; il signor Schmiedel 450."]),
        (DwarfBred(seat=2, own="blue", mate="orange", drawn=["green"], gained=None), [
            "Carnation breeds blue with orange and draws green: no such dwarf is left in the supply.",
            "Nelke züchtet mit Blau und Orange und zieht Grün: im Vorrat ist kein solcher Zwerg mehr.",
            "Garofano accoppia un nano blu e uno arancione e pesca il verde: nella riserva non ce ne sono più."]),
        (UpkeepPaid(seat=0, paid=1200, due=1200), ["Rose pays 1,200 blossoms for the upkeep.",
            "Rose zahlt 1.200 Blüten Unterhalt.", "Rosa paga 1.200 fiori di mantenimento."]),
        (UpkeepPaid(seat=0, paid=200, due=300), ["Rose pays 200 of 300 blossoms for the upkeep.",
            "Rose zahlt 200 von 300 Blüten Unterhalt.", "Rosa paga 200 fiori su 300 di mantenimento."]),
        (GreysReturned(seat=0, number=0), ["Rose returns no grey dwarf.", "Rose gibt keinen grauen Zwerg zurück.",
            "Rosa non restituisce alcun nano grigio."]),
        (AmountSealed(seat=0, amount=None), ["Rose makes no bid.", "Rose gibt verdeckt kein Gebot ab.",
            "Rosa non fa offerte."]),
        (DealStruck(seat=0, job="search", partner=1, price=350), ["Rose finds a partner with Tulip for 350 blossoms.",
            "Rose findet einen Zuchtpartner bei Tulpe, für 350 Blüten.",
            "Rosa trova un compagno da Tulipano, per 350 fiori."]),
        (DealStruck(seat=0, job="offer", partner=None, price=150),
            ["Rose rents the dwarf to Herr Schmiedel for 150 blossoms.",
            "Rose vermietet den Zwerg an Herrn Schmiedel, für 150 Blüten.",
            "Rosa dà a nolo il nano al signor Schmiedel, per 150 fiori."]),
        (PartnerSought(seat=0, cap="red", demand="brown"), ["Rose seeks a partner for a red dwarf.",
            "Rose sucht für einen roten Zwerg einen Zuchtpartner.", "Rosa cerca un compagno per un nano rosso."]),
        (ClubDecided(winners=[0], ending="gold"), ["There is a golden cap! Rose takes the chair of the club.",
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


@pytest.mark.parametrize(
    ("event", "said"),
    [
        (SHARED, ["red wins: 100 blossoms for Rose and 200 for Tulip.",
            "Rot gewinnt: 100 Blüten für Rose und 200 für Tulpe.",
            "vince il rosso: 100 fiori a Rosa e 200 a Tulipano."]),
        (msgspec.structs.replace(SHARED, winners=[]), ["red wins, and the prize stays in the bank.",
            "Rot gewinnt, und das Preisgeld bleibt in der Bank.",
            "vince il rosso, e il premio resta in banca."]),
    ],
)  # fmt: skip
def test_each_winner_of_a_competition_is_told_once_with_all_he_gets(event: Event, said: list[str]) -> None:
    began = [
        "In the brown competition the stack sends a brown and a red dwarf",
        "Beim braunen Wettbewerb tritt die Konkurrenz mit Braun und Rot an",
        "Al concorso marrone la concorrenza presenta marrone e rosso",
    ]
    told = [GAME.tell(event, language, GAME.seat_names(3, language)) for language in LANGUAGES]
    assert told == [f"{beginning}; {end}" for beginning, end in zip(began, said, strict=True)]


def test_a_player_whose_name_is_a_word_of_the_game_keeps_it() -> None:
    event = AmountsOpened(seat=0, job="offer", own=100, answers=sealed({1: 700, 2: 1400}), schmiedel=None)
    assert GAME.tell(event, "de", ["white", "gold", "none"]).endswith("gold 700, none 1.400.")


def test_the_headline_names_the_seats_and_their_decision() -> None:
    assert [GAME.headline(view_of(search()), language) for language in LANGUAGES] == [
        "Sealed amounts are asked of Rose, Tulip and Carnation: wanted is a partner for a red dwarf.",
        "Verdeckt bieten Rose, Tulpe und Nelke: gesucht ist ein Partner für einen roten Zwerg.",
        "Puntano in segreto Rosa, Tulipano e Garofano: si cerca un compagno per un nano rosso.",
    ]
    seeking = after(position(), (0, SeekPartner(cap="brown")))
    assert (
        GAME.headline(view_of(seeking), "de")
        == "Tulpe darf einen Zwerg vorzeigen: Rose sucht einen Partner für einen braunen."
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_event_card_has_a_name_and_says_what_it_does(language: str) -> None:
    words = GAME.texts.sections[language]["words"]
    named = {words[event] for event in EVENT_NAMES}
    assert len(named) == len(EVENT_NAMES)
    assert all(words[f"{event}:effect"] != words[event] for event in EVENT_NAMES)


def test_two_equal_cards_of_the_stack_are_told_as_two() -> None:
    equal = msgspec.structs.replace(SHARED, house=["brown", "brown"])
    told = [GAME.tell(equal, language, GAME.seat_names(3, language)) for language in LANGUAGES]
    assert "the stack sends two brown dwarfs;" in told[0]
    assert "mit zweimal Braun an;" in told[1]
    assert "presenta due nani marroni;" in told[2]


@pytest.mark.rule("GZ-D45")
def test_free_bidding_is_no_option() -> None:
    assert GAME.options_type.__struct_fields__ == ("cap_values", "breeding", "stock", "events", "round_cap")
    assert (
        len({type(GAME.decode(position(), code)) for code in GAME.legal(position(), 0)} & {SealAsk, SealMaximum}) == 0
    )


@pytest.mark.rule("GZ-64", "GZ-D46")
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_overview_cards_lie_beside_the_club(language: str) -> None:
    round_, jobs, caps, stacks, events = GAME.reference(language)
    assert [sheet.key for sheet in (round_, jobs, caps, stacks, events)] == [
        "round", "jobs", "caps", "stacks", "events",
    ]  # fmt: skip
    assert [len(sheet.lines) for sheet in (round_, jobs, caps, stacks, events)] == [5, 8, 7, 5, 18]
    assert [line.id for line in jobs.lines[:6]] == [str(kind.__struct_config__.tag) for kind in GAME.moves[:6]]
    red, gold = caps.lines[3].text, caps.lines[-1].text
    assert "300" in red
    assert "4" in red
    assert ("4,000" if language == "en" else "4.000") in gold
    numbers = [sum(int(word) for word in line.text.split() if word.isdigit()) for line in stacks.lines]
    assert numbers == [9] * 5


@pytest.mark.parametrize(
    ("job", "partner", "said"),
    [
        ("offer", 1, "Ben dà a nolo il nano ad Anna, per 150 fiori."),
        ("offer", None, "Ben dà a nolo il nano al signor Schmiedel, per 150 fiori."),
        ("search", 1, "Ben trova un compagno da Anna, per 150 fiori."),
        ("search", None, "Ben trova un compagno dal signor Schmiedel, per 150 fiori."),
    ],
)
def test_a_deal_in_italian_has_the_right_preposition(job: Job, partner: int | None, said: str) -> None:
    assert GAME.tell(DealStruck(seat=0, job=job, partner=partner, price=150), "it", ["Ben", "Anna"]) == said
