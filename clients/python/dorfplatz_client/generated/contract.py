"""The types of the contract, written by `python3 dev.py clients` and by nobody's hand.

An answer is the dictionary that its JSON is: fields and members of unions that are younger than this file come through.
"""

from __future__ import annotations

from typing import Any, Final, Literal, NotRequired, TypeAlias, TypedDict

CONTRACT_VERSION: Final = '1.0.0'

AbsenceResult: TypeAlias = Literal['bot', 'forfeit', 'abort']

BarbarossaAnswer: TypeAlias = Literal['no', 'yes', 'perhaps', 'unclear']

BarbarossaAnswering: TypeAlias = Literal['auto', 'human', 'human_checked']

BarbarossaAsking: TypeAlias = Literal['free', 'mixed', 'structured']

BarbarossaCave: TypeAlias = Literal['dragon', 'dwarf', 'elf', 'ghost', 'riddle']

BarbarossaJudged: TypeAlias = Literal['close', 'right', 'waiting', 'wrong']

BarbarossaJudging: TypeAlias = Literal['list', 'modeller']

BarbarossaLanguage: TypeAlias = Literal['de', 'en', 'it']

BarbarossaLetterChooser: TypeAlias = Literal['asker', 'modeller']

BarbarossaPhase: TypeAlias = Literal['answering', 'dwarf_letter', 'first_round', 'giving', 'judging', 'modelling', 'moving', 'over', 'second_round']

BarbarossaQuestion: TypeAlias = Literal['living', 'animal', 'plant', 'body_part', 'food', 'tool', 'vehicle', 'building', 'furniture', 'clothing', 'machine', 'play', 'music', 'natural', 'metal', 'wood', 'plastic', 'glass', 'stone', 'textile', 'paper', 'soft', 'hard', 'transparent', 'under_thumb', 'under_fist', 'over_shoebox', 'over_human', 'over_car', 'over_house', 'round', 'long', 'flat', 'hole', 'point', 'legs', 'wings', 'wheels', 'hollow', 'branched', 'handle', 'curved', 'repeated', 'head', 'in_hand', 'worn', 'eaten_raw', 'drink', 'noise', 'moves', 'flies', 'powered', 'dangerous', 'text', 'seat', 'container', 'glows', 'home', 'kitchen', 'garden', 'wild', 'water', 'street', 'old']

BarbarossaReason: TypeAlias = Literal['cap', 'goal', 'spears']

BarbarossaSaid: TypeAlias = Literal['no', 'perhaps', 'rejected', 'unclear', 'waiting', 'yes']

BarbarossaShape: TypeAlias = Literal['ball', 'bend', 'block', 'capsule', 'cone', 'egg', 'ribbon', 'slab', 'torus']

BarbarossaTermSource: TypeAlias = Literal['free', 'table']

BarbarossaVerdict: TypeAlias = Literal['close', 'right', 'wrong']

BotLevel: TypeAlias = Literal['random', 'greedy', 'tuned', 'easy', 'medium', 'hard', 'expert']

BranchKind: TypeAlias = Literal['session', 'snapshot']

ChoiceFormValues: TypeAlias = int | str

ClockPolicy: TypeAlias = Literal['bot', 'random', 'forfeit']

ConfidenceCode: TypeAlias = Literal['only', 'close', 'open', 'clear_better', 'likely_better', 'likely_worse', 'clear_worse']

DeliveredEvent: TypeAlias = str

DeliveryProblem: TypeAlias = str

DeliveryState: TypeAlias = Literal['waiting', 'delivered', 'failed']

DisabledReason: TypeAlias = Literal['gone', 'failing']

EndStatus: TypeAlias = Literal['aborted', 'expired', 'finished', 'forfeited']

FaultPlace: TypeAlias = Literal['body', 'query', 'header', 'path']

ForfeitCause: TypeAlias = str

GameSlug: TypeAlias = Literal['barbarossa', 'gartenzwerge', 'hoher-rat', 'wichtel']

GartenzwergeCap: TypeAlias = Literal['blue', 'brown', 'gold', 'green', 'grey', 'orange', 'red']

GartenzwergeEnding: TypeAlias = Literal['cap', 'cash', 'gold', 'last', 'ruin']

GartenzwergeEventName: TypeAlias = Literal['bulky_waste', 'bumper_harvest', 'championship', 'club_grant', 'clubhouse_repair', 'collector_in_town', 'full_moon', 'hungry_winter', 'lonely_hearts', 'luxury_tax', 'membership_fee', 'open_show', 'rainy_week', 'regional_show', 'rental_day', 'sponsor', 'spring_clean', 'stud_market']

GartenzwergeJob: TypeAlias = Literal['offer', 'search']

GartenzwergeSaleable: TypeAlias = Literal['blue', 'brown', 'green', 'grey', 'orange', 'red']

GartenzwergeStage: TypeAlias = Literal['choosing', 'clearing', 'employing', 'naming', 'over', 'sealing', 'selling', 'showing']

GartenzwergeWorker: TypeAlias = Literal['blue', 'brown', 'green', 'orange', 'red']

Hearer: TypeAlias = int | str

HoherRatArgument: TypeAlias = Literal['blue', 'green', 'red', 'white', 'yellow']

HoherRatColour: TypeAlias = Literal['blue', 'red', 'white', 'yellow']

HoherRatFaction: TypeAlias = Literal['contra', 'pro']

HoherRatRank: TypeAlias = Literal['follower', 'speaker']

HoherRatReason: TypeAlias = Literal['block', 'cap']

HoherRatWinner: TypeAlias = Literal['contra', 'draw', 'pro']

JobEventName: TypeAlias = Literal['end', 'job', 'progress']

JobKind: TypeAlias = Literal['search', 'search_batch', 'review', 'simulation', 'tournament']

JobState: TypeAlias = Literal['queued', 'running', 'succeeded', 'failed', 'canceled']

KeyScope: TypeAlias = str

Language: TypeAlias = Literal['en', 'de', 'it']

LeavingChoice: TypeAlias = Literal['bot', 'forfeit']

ListingMode: TypeAlias = Literal['list', 'schema']

Nothing: TypeAlias = dict[str, Any]

OpenJobState: TypeAlias = Literal['queued', 'running']

Options: TypeAlias = dict[str, Any]

PatchOperationName: TypeAlias = Literal['add', 'remove', 'replace']

PhraseId: TypeAlias = str

ProblemCode: TypeAlias = str

ReviewVerdict: TypeAlias = Literal['good', 'mistake', 'blunder']

SeatKind: TypeAlias = Literal['human', 'bot', 'open']

SessionEventName: TypeAlias = Literal['change', 'end', 'phrase', 'presence', 'state']

SessionStatus: TypeAlias = Literal['waiting', 'running', 'finished', 'forfeited', 'aborted']

SnapshotKind: TypeAlias = Literal['open', 'sealed']

SpectatorAccess: TypeAlias = Literal['none', 'live']

Theme: TypeAlias = Literal['light', 'dark']

Undo: TypeAlias = Literal['off', 'consent']

UndoObstacle: TypeAlias = Literal['nothing-to-undo', 'undo-pending', 'undo-denied']

WebhookEvent: TypeAlias = Literal['seat.asked', 'job.ended', 'session.ended', 'seat.claimed', 'deadline.near']

WebhookState: TypeAlias = Literal['enabled', 'failing', 'disabled']

WichtelAction: TypeAlias = Literal['come_back', 'come_here', 'five_coins', 'four_coins', 'he_is_best', 'i_am_best', 'look_again', 'no_way', 'six_coins', 'stand_still', 'three_coins', 'two_coins']

WichtelBribe: TypeAlias = Literal['five_coins', 'four_coins', 'he_is_best', 'i_am_best', 'six_coins', 'three_coins', 'two_coins']

WichtelDirection: TypeAlias = Literal['back', 'onward']

WichtelGnome: TypeAlias = Literal['clubber', 'family', 'feller', 'foreman', 'general', 'hauler', 'master', 'sergeant', 'spear_thrower', 'widow', 'witch_doctor']

WichtelMovement: TypeAlias = Literal['come_back', 'come_here', 'stand_still']

WichtelPhase: TypeAlias = Literal['action', 'after', 'answer', 'before', 'bribing', 'ending', 'giving', 'laying', 'opened', 'over', 'rolled']

WichtelTitle: TypeAlias = Literal['family_council', 'feller', 'foreman', 'general', 'grey_eminence', 'lord_of_the_wood', 'master', 'sergeant', 'spear_thrower', 'tree_chief', 'tribal_chief', 'war_chief']

WichtelWay: TypeAlias = Literal['came', 'came_open', 'left']

class AbsenceShown(TypedDict):
    then: AbsenceResult
    bot: NotRequired[BotShown]
    after_ms: NotRequired[int]
    vote_after_ms: NotRequired[int]

class AbsenceVoteShown(TypedDict):
    seat: int
    voters: list[int]

class AbsenceVoted(TypedDict):
    kind: Literal['absence_voted']
    seat: int
    absent: int

class AbsenceWanted(TypedDict):
    then: AbsenceResult
    bot: NotRequired[BotWanted]
    after_ms: NotRequired[int]
    vote_after_ms: NotRequired[int]

class Absent(TypedDict):
    seat: int
    vote_from: NotRequired[str]
    at: NotRequired[str]

class ActionKindShown(TypedDict):
    kind: str
    first: int | None
    size: int
    parameters: list[ActionParameter]

class ActionParameter(TypedDict):
    name: str
    values: int

class ActionSpaceShown(TypedDict):
    code_limit: int
    size: int
    kinds: list[ActionKindShown]

class Advance(TypedDict):
    state: OpenJobState
    progress: JobProgress
    partial_result: NotRequired[JobResult]

class AnalysedMove(TypedDict):
    code: int
    move: Move
    label: str
    visits: int
    value: float
    interval: list[float]
    share: float
    reasons: NotRequired[Reasons]

class AnswerOffered(TypedDict):
    name: str
    label: str

class AnswersLeft(TypedDict):
    answers: list[str]

class AttemptShown(TypedDict):
    at: str
    milliseconds: int
    status: NotRequired[int]
    problem: NotRequired[DeliveryProblem]

class BarbarossaAnswerInsisted(TypedDict):
    kind: Literal['answer_insisted']
    seat: int
    riddle: int
    question: BarbarossaQuestion
    answer: BarbarossaAnswer

class BarbarossaAnswerQuestion(TypedDict):
    kind: Literal['answer_question']
    answer: BarbarossaAnswer
    insist: NotRequired[bool]

class BarbarossaAnswers(TypedDict):
    no: list[BarbarossaQuestion]
    yes: list[BarbarossaQuestion]
    perhaps: list[BarbarossaQuestion]
    unclear: list[BarbarossaQuestion]

class BarbarossaAskAbout(TypedDict):
    kind: Literal['ask_about']
    riddle: int
    question: BarbarossaQuestion

class BarbarossaAskFreely(TypedDict):
    kind: Literal['ask_freely']
    riddle: int
    text: str

class BarbarossaAskLetter(TypedDict):
    kind: Literal['ask_letter']
    riddle: int
    place: NotRequired[int | None]

class BarbarossaAskingEnded(TypedDict):
    kind: Literal['asking_ended']
    seat: int

class BarbarossaAttemptRiddle(TypedDict):
    kind: Literal['attempt_riddle']
    riddle: int
    guess: str

class BarbarossaAttemptWritten(TypedDict):
    kind: Literal['attempt_written']
    seat: int
    riddle: int
    term: str | None
    words: str | None
    cursed: bool

class BarbarossaCaveEntered(TypedDict):
    kind: Literal['cave_entered']
    seat: int
    cave: BarbarossaCave

class BarbarossaClay(TypedDict):
    format: Literal['clay/1']
    parts: list[BarbarossaPart]

class BarbarossaCurseForLetter(TypedDict):
    kind: Literal['curse_for_letter']
    riddle: int
    place: NotRequired[int | None]

class BarbarossaCurseToAttempt(TypedDict):
    kind: Literal['curse_to_attempt']
    riddle: int
    guess: str

class BarbarossaDieRolled(TypedDict):
    kind: Literal['die_rolled']
    seat: int
    face: int
    cave: int

class BarbarossaEndAsking(TypedDict):
    kind: Literal['end_asking']

class BarbarossaExhibit(TypedDict):
    riddle: int
    modeller: int
    term: str | None
    piece: BarbarossaSculpture | None
    solvers: list[int]
    answers: BarbarossaAnswers
    asked: list[BarbarossaQuestion]
    notes: list[BarbarossaSeatsNotes]

class BarbarossaForgoLetter(TypedDict):
    kind: Literal['forgo_letter']

class BarbarossaFreeQuestion(TypedDict):
    seat: int
    riddle: int
    text: str
    said: BarbarossaSaid

class BarbarossaGiveLetter(TypedDict):
    kind: Literal['give_letter']
    place: int

class BarbarossaHallOpened(TypedDict):
    kind: Literal['hall_opened']
    seat: int

class BarbarossaHatMoved(TypedDict):
    kind: Literal['hat_moved']
    seat: int
    steps: int
    hat: int

class BarbarossaHoldBack(TypedDict):
    kind: Literal['hold_back']

class BarbarossaJudgeAttempt(TypedDict):
    kind: Literal['judge_attempt']
    verdict: BarbarossaVerdict

class BarbarossaKneaded(TypedDict):
    format: Literal['kneaded']
    explicitness: int

class BarbarossaLetterAsked(TypedDict):
    kind: Literal['letter_asked']
    seat: int
    riddle: int
    place: int | None
    cursed: bool

class BarbarossaLetterForgone(TypedDict):
    kind: Literal['letter_forgone']
    seat: int

class BarbarossaLetterShown(TypedDict):
    kind: Literal['letter_shown']
    seat: int
    riddle: int
    place: int | None
    letter: str

class BarbarossaMasterFound(TypedDict):
    kind: Literal['master_found']
    winners: list[int]
    reason: BarbarossaReason
    terms: list[str]

class BarbarossaModelRiddles(TypedDict):
    kind: Literal['model_riddles']
    riddles: list[BarbarossaSketch]

class BarbarossaPart(TypedDict):
    s: BarbarossaShape
    p: list[float]
    r: NotRequired[list[float]]
    z: list[float]

class BarbarossaPenaltyTaken(TypedDict):
    kind: Literal['penalty_taken']
    seat: int
    riddle: int
    steps: int
    hat: int

class BarbarossaPending(TypedDict):
    asker: int
    riddle: int
    question: NotRequired[BarbarossaQuestion | None]
    guess: str | None
    interrupted: BarbarossaPhase
    closing: bool

class BarbarossaQuestionAnswered(TypedDict):
    kind: Literal['question_answered']
    seat: int
    riddle: int
    question: NotRequired[BarbarossaQuestion | None]
    answer: BarbarossaAnswer

class BarbarossaQuestionAsked(TypedDict):
    kind: Literal['question_asked']
    seat: int
    riddle: int
    question: NotRequired[BarbarossaQuestion | None]
    text: str | None

class BarbarossaQuestionRejected(TypedDict):
    kind: Literal['question_rejected']
    seat: int
    riddle: int

class BarbarossaRejectQuestion(TypedDict):
    kind: Literal['reject_question']

class BarbarossaRiddleAttempted(TypedDict):
    kind: Literal['riddle_attempted']
    seat: int
    riddle: int
    verdict: BarbarossaVerdict
    term: str | None
    words: str | None
    cursed: bool

class BarbarossaRiddlesModelled(TypedDict):
    kind: Literal['riddles_modelled']
    seat: int
    terms: list[str]
    pieces: list[BarbarossaSculpture]

class BarbarossaRiddlesShown(TypedDict):
    kind: Literal['riddles_shown']
    pieces: list[BarbarossaSculpture]
    seat: int

class BarbarossaRollDie(TypedDict):
    kind: Literal['roll_die']

class BarbarossaSeatsNotes(TypedDict):
    seat: int
    letters: list[BarbarossaSeenLetter]
    wrong: int
    close: int
    wrong_terms: NotRequired[list[str] | None]
    close_terms: NotRequired[list[str] | None]

class BarbarossaSecondRoundBegun(TypedDict):
    kind: Literal['second_round_begun']
    seat: int

class BarbarossaSeenLetter(TypedDict):
    place: int | None
    letter: str | None

class BarbarossaSketch(TypedDict):
    term: str
    piece: BarbarossaPiece

class BarbarossaSpendStones(TypedDict):
    kind: Literal['spend_stones']
    stones: int

class BarbarossaStonesSpent(TypedDict):
    kind: Literal['stones_spent']
    seat: int
    stones: int
    cave: int

class BarbarossaStrokes(TypedDict):
    format: Literal['strokes/1']
    strokes: list[list[list[int]]]

class BarbarossaWizard(TypedDict):
    seat: int
    cave: int
    stones: int
    curses: int
    hat: int

class BarbarossaWizardOptions(TypedDict):
    ring: NotRequired[list[BarbarossaCave]]
    goal: NotRequired[int]
    floor: NotRequired[int | None]
    simple: NotRequired[bool]
    questions: NotRequired[BarbarossaAsking]
    answers: NotRequired[BarbarossaAnswering]
    letter: NotRequired[BarbarossaLetterChooser]
    close_hints: NotRequired[bool]
    language: NotRequired[BarbarossaLanguage]
    terms: NotRequired[BarbarossaTermSource]
    judging: NotRequired[BarbarossaJudging]
    question_cap: NotRequired[int]
    turn_cap: NotRequired[int]

class BarbarossaWizardTurnBegun(TypedDict):
    kind: Literal['wizard_turn_begun']
    seat: int
    turns: int

class BarbarossaWizardView(TypedDict):
    game: Literal['barbarossa']
    options: BarbarossaWizardOptions
    phase: BarbarossaPhase
    starter: int
    turn: int
    turns: int
    questions: int
    spears: int
    holding_back: bool
    wizards: list[BarbarossaWizard]
    riddles: list[BarbarossaExhibit]
    free_questions: list[BarbarossaFreeQuestion]
    worded_attempts: list[BarbarossaWordedAttempt]
    pending: BarbarossaPending | None
    winners: list[int]
    ruleset: str
    seat_count: int
    ply: int
    seat: int | None
    actors: list[int]

class BarbarossaWordedAttempt(TypedDict):
    seat: int
    riddle: int
    words: str | None
    verdict: BarbarossaJudged

class BatchResult(TypedDict):
    kind: Literal['search_batch']
    positions: int
    refused: int
    iterations: int

class Bot(TypedDict):
    level: NotRequired[BotLevel]
    url: NotRequired[str]
    deadline_ms: NotRequired[int]
    in_flight: NotRequired[int]

class BotCount(TypedDict):
    games: int
    wins: int
    shared: int
    win_rate: float
    interval: list[float]
    score: float
    points: NotRequired[PointsCount]
    bot: str
    variance_ratio: float | None
    by_seat: list[SeatTally]
    forfeits: NotRequired[list[ForfeitCount]]

class BotEntered(TypedDict):
    bot: Bot

class BotSecret(TypedDict):
    secret: str

class BotShown(TypedDict):
    level: str

class BotWanted(TypedDict):
    level: BotLevel

class BranchMade(TypedDict):
    version: int
    session: NotRequired[SessionCreated]
    snapshot: NotRequired[Snapshot]
    actors: NotRequired[list[int]]

class Budget(TypedDict):
    iterations: NotRequired[int]
    half_width: NotRequired[float]
    milliseconds: NotRequired[int]

class ChanceDraw(TypedDict):
    what: str
    of: int
    possible: list[PossibleValue]

class ChanceKeys(TypedDict):
    set_up: str
    moves: str

class ChanceShown(TypedDict):
    draw: ChanceDraw | None

class Change(TypedDict):
    at: str
    events: list[ToldEvent]
    changes: list[PatchOperation]

class ChangeMessage(TypedDict):
    event: Literal['change']
    id: int
    cursor: str
    data: Change

class ChoiceForm(TypedDict):
    type: Literal['choice']
    field: str
    values: list[ChoiceFormValues]

class ClientSeed(TypedDict):
    seat: int
    hash: str

class ClockShown(TypedDict):
    move_ms: int
    bank_ms: NotRequired[int]
    increment_ms: NotRequired[int]
    banks: NotRequired[list[int]]
    latency: NotRequired[LatencyShown]
    hours: NotRequired[HoursShown]
    policy: ClockPolicy
    bot: NotRequired[BotShown]

class ClockWanted(TypedDict):
    move_ms: int
    bank_ms: NotRequired[int]
    increment_ms: NotRequired[int]
    policy: ClockPolicy
    bot: NotRequired[BotWanted]
    hours: NotRequired[HoursWanted]

class Confidence(TypedDict):
    code: ConfidenceCode
    text: str

class Cost(TypedDict):
    playouts: int

class Deadline(TypedDict):
    seat: int
    at: str

class DeadlineMatter(TypedDict):
    session: str
    seat: int
    url: str
    deadline: str

class DeadlineNearMessage(TypedDict):
    type: Literal['deadline.near']
    timestamp: str
    data: DeadlineMatter

class DecisionKept(TypedDict):
    kind: Literal['decision_kept']
    seat: int

class DecisionMatter(TypedDict):
    job: str
    game: str
    ruleset: str
    number: int
    seat: int
    deadline_ms: int
    view: View
    legal_moves: list[ListedCode]

class DecisionUndone(TypedDict):
    kind: Literal['decision_undone']
    seat: int

class DeliveryLog(TypedDict):
    deliveries: list[DeliveryShown]

class DeliveryShown(TypedDict):
    id: str
    event: DeliveredEvent
    body: dict[str, Any]
    state: DeliveryState
    created_at: str
    attempts: list[AttemptShown]
    next_attempt_at: NotRequired[str]

class DeviceAdded(TypedDict):
    id: str
    game: str
    seat: int
    name: NotRequired[str]
    device: str
    token: str
    version: int
    status: SessionStatus
    links: SessionLinks

class DeviceCodeShown(TypedDict):
    code: str
    expires_at: str

class DeviceList(TypedDict):
    devices: list[DeviceShown]

class DeviceShown(TypedDict):
    id: str
    current: bool
    created_at: NotRequired[str]

class Draw(TypedDict):
    what: str
    value: ChoiceFormValues

class Encounter(TypedDict):
    games: int
    wins: int
    shared: int
    win_rate: float
    interval: list[float]
    score: float
    points: NotRequired[PointsCount]
    name: str
    expected_score: float | None

class End(TypedDict):
    status: EndStatus

class EndMessage(TypedDict):
    event: Literal['end']
    data: End

class Entrant(TypedDict):
    bot: Bot
    name: NotRequired[str]

class EntrantCount(TypedDict):
    games: int
    wins: int
    shared: int
    win_rate: float
    interval: list[float]
    score: float
    points: NotRequired[PointsCount]
    name: str
    bot: str
    place: int
    rating: Rating
    by_seat: list[SeatTally]
    against: list[Encounter]
    forfeits: NotRequired[list[ForfeitCount]]

class FairnessShown(TypedDict):
    session: str
    game: str
    ruleset: str
    seat_count: int
    options: Options
    commitment: str
    client_seeds: NotRequired[list[ClientSeed]]
    keys: NotRequired[ChanceKeys]
    set_up: NotRequired[list[ProvenDraw]]
    moves: NotRequired[list[ProvenMove]]

class FairnessTold(TypedDict):
    commitment: str
    client_seeds: NotRequired[list[ClientSeed]]
    keys: NotRequired[ChanceKeys]

Fault = TypedDict(
    'Fault',
    {
        'in': 'FaultPlace',
        'pointer': 'str',
        'rule': 'NotRequired[str]',
        'rule_url': 'NotRequired[str]',
        'detail': 'str',
    },
)

class ForfeitCount(TypedDict):
    cause: ForfeitCause
    rule: NotRequired[str]
    games: int
    first_game: int

class ForfeitShown(TypedDict):
    seat: int
    cause: ForfeitCause
    rule: NotRequired[str]
    detail: NotRequired[str]

class GameCard(TypedDict):
    game: str
    ruleset: str
    names: dict[str, str]
    seat_counts: SeatCounts
    authors: list[str]
    year: int
    summary: str
    goal: str | None
    minutes: MinuteSpan | None
    difficulty: int | None

class GameDescription(TypedDict):
    game: str
    ruleset: str
    rulesets: list[str]
    names: dict[str, str]
    subtitle: str
    summary: str
    goal: str | None
    minutes: MinuteSpan | None
    difficulty: int | None
    seat_counts: SeatCounts
    authors: list[str]
    year: int
    options: OptionsOffered
    phases: list[Said]
    moves: list[str]
    refs: list[str]
    action_space: ActionSpaceShown
    events: list[str]
    round_events: list[str]
    information: list[Said]
    chance: list[Said]
    points: Said | None

class GameGroup(TypedDict):
    key: NotRequired[dict[str, str]]
    opening: NotRequired[list[OpeningMove]]

class GameLine(TypedDict):
    game: int
    deal: int
    bots: list[int]
    rewards: list[float]
    plies: int
    forfeit: NotRequired[ForfeitShown]
    points: NotRequired[list[int]]
    group: NotRequired[GameGroup]

class GartenzwergeAmountSealed(TypedDict):
    kind: Literal['amount_sealed']
    seat: int
    amount: int | None

class GartenzwergeAmountsOpened(TypedDict):
    kind: Literal['amounts_opened']
    seat: int
    job: GartenzwergeJob
    own: int
    answers: list[GartenzwergeSealedAnswer]
    schmiedel: int | None

class GartenzwergeBreedingStack(TypedDict):
    grey: NotRequired[int]
    brown: NotRequired[int]
    orange: NotRequired[int]
    red: NotRequired[int]
    blue: NotRequired[int]
    green: NotRequired[int]
    gold: NotRequired[int]

class GartenzwergeBreedingStacks(TypedDict):
    brown: NotRequired[GartenzwergeBreedingStack]
    orange: NotRequired[GartenzwergeBreedingStack]
    red: NotRequired[GartenzwergeBreedingStack]
    blue: NotRequired[GartenzwergeBreedingStack]
    green: NotRequired[GartenzwergeBreedingStack]

class GartenzwergeCapValues(TypedDict):
    brown: NotRequired[int]
    orange: NotRequired[int]
    red: NotRequired[int]
    blue: NotRequired[int]
    green: NotRequired[int]

class GartenzwergeChooseDeal(TypedDict):
    kind: Literal['choose_deal']
    partner: int | None

class GartenzwergeClubDeal(TypedDict):
    job: GartenzwergeJob
    cap: GartenzwergeWorker
    demand: GartenzwergeWorker
    shown: list[str | None]
    schmiedel: int | None
    tied: list[int | None]

class GartenzwergeClubDecided(TypedDict):
    kind: Literal['club_decided']
    winners: list[int]
    ending: GartenzwergeEnding

class GartenzwergeClubMember(TypedDict):
    seat: int
    blossoms: int
    out: bool
    free: GartenzwergeDwarfRow
    garden: GartenzwergeDwarfRow
    lower: GartenzwergeDwarfRow
    higher: GartenzwergeDwarfRow
    lent: GartenzwergeDwarfRow
    shed: list[GartenzwergeDwarfPair]

class GartenzwergeClubOptions(TypedDict):
    cap_values: NotRequired[GartenzwergeCapValues]
    breeding: NotRequired[GartenzwergeBreedingStacks]
    stock: NotRequired[GartenzwergeStock]
    events: NotRequired[list[GartenzwergeEventName]]
    round_cap: NotRequired[int]

class GartenzwergeClubView(TypedDict):
    game: Literal['gartenzwerge']
    options: GartenzwergeClubOptions
    round: int
    treasurer: int
    stage: GartenzwergeStage
    turn: int
    asking: int | None
    events_left: list[GartenzwergeEventName]
    highest: GartenzwergeWorker
    competitions: list[GartenzwergeWorker]
    begun: list[int]
    rested: list[int]
    members: list[GartenzwergeClubMember]
    deal: GartenzwergeClubDeal | None
    answers: list[GartenzwergeSealedAnswer]
    schmiedel_lent: GartenzwergeDwarfRow
    due: int
    winners: list[int]
    event: NotRequired[GartenzwergeEventName | None]
    ending: NotRequired[GartenzwergeEnding | None]
    ruleset: str
    seat_count: int
    ply: int
    seat: int | None
    actors: list[int]

class GartenzwergeCompetitionEntered(TypedDict):
    kind: Literal['competition_entered']
    seat: int
    cap: GartenzwergeWorker
    competition: GartenzwergeWorker

class GartenzwergeCompetitionJudged(TypedDict):
    kind: Literal['competition_judged']
    competition: GartenzwergeWorker
    house: list[GartenzwergeCap]
    best: GartenzwergeCap
    share: int
    winners: list[int]

class GartenzwergeDealStruck(TypedDict):
    kind: Literal['deal_struck']
    seat: int
    job: GartenzwergeJob
    partner: int | None
    price: int

class GartenzwergeDwarfBred(TypedDict):
    kind: Literal['dwarf_bred']
    seat: int
    own: GartenzwergeWorker
    mate: GartenzwergeWorker
    drawn: list[GartenzwergeCap]
    gained: NotRequired[GartenzwergeCap | None]

class GartenzwergeDwarfOffered(TypedDict):
    kind: Literal['dwarf_offered']
    seat: int
    cap: GartenzwergeWorker

class GartenzwergeDwarfPair(TypedDict):
    own: GartenzwergeWorker
    mate: GartenzwergeWorker
    owner: int | None

class GartenzwergeDwarfRow(TypedDict):
    grey: NotRequired[int]
    brown: NotRequired[int]
    orange: NotRequired[int]
    red: NotRequired[int]
    blue: NotRequired[int]
    green: NotRequired[int]
    gold: NotRequired[int]

class GartenzwergeDwarfShown(TypedDict):
    kind: Literal['dwarf_shown']
    seat: int
    cap: NotRequired[GartenzwergeWorker | None]

class GartenzwergeDwarfSold(TypedDict):
    kind: Literal['dwarf_sold']
    seat: int
    cap: GartenzwergeSaleable
    price: int

class GartenzwergeDwarfsTraded(TypedDict):
    kind: Literal['dwarfs_traded']
    seat: int
    cap: GartenzwergeWorker
    gained: GartenzwergeCap

class GartenzwergeEnterCompetition(TypedDict):
    kind: Literal['enter_competition']
    cap: GartenzwergeWorker
    competition: GartenzwergeWorker

class GartenzwergeGardened(TypedDict):
    kind: Literal['gardened']
    seat: int
    cap: GartenzwergeWorker
    wage: int

class GartenzwergeGreysLeft(TypedDict):
    kind: Literal['greys_left']
    seat: int

class GartenzwergeGreysReturned(TypedDict):
    kind: Literal['greys_returned']
    seat: int
    number: int

class GartenzwergeLeaveGreys(TypedDict):
    kind: Literal['leave_greys']

class GartenzwergeMemberOut(TypedDict):
    kind: Literal['member_out']
    seat: int

class GartenzwergeMoneyGiven(TypedDict):
    kind: Literal['money_given']
    seat: int
    amount: int

class GartenzwergeMoneyTaken(TypedDict):
    kind: Literal['money_taken']
    seat: int
    amount: int

class GartenzwergeNameMate(TypedDict):
    kind: Literal['name_mate']
    cap: GartenzwergeWorker

class GartenzwergeOfferDwarf(TypedDict):
    kind: Literal['offer_dwarf']
    cap: GartenzwergeWorker

class GartenzwergePairFormed(TypedDict):
    kind: Literal['pair_formed']
    seat: int
    own: GartenzwergeWorker
    mate: GartenzwergeWorker
    owner: int | None

class GartenzwergePartnerSought(TypedDict):
    kind: Literal['partner_sought']
    seat: int
    cap: GartenzwergeWorker
    demand: GartenzwergeWorker

class GartenzwergeReturnGreys(TypedDict):
    kind: Literal['return_greys']
    number: int

class GartenzwergeRoundBegun(TypedDict):
    kind: Literal['round_begun']
    round: int
    treasurer: int
    lower: GartenzwergeWorker
    higher: GartenzwergeWorker
    event: NotRequired[GartenzwergeEventName | None]

class GartenzwergeSealAsk(TypedDict):
    kind: Literal['seal_ask']
    amount: int

class GartenzwergeSealBid(TypedDict):
    kind: Literal['seal_bid']
    amount: int

class GartenzwergeSealMaximum(TypedDict):
    kind: Literal['seal_maximum']
    amount: int

class GartenzwergeSealMinimum(TypedDict):
    kind: Literal['seal_minimum']
    amount: int

class GartenzwergeSealNoBid(TypedDict):
    kind: Literal['seal_no_bid']

class GartenzwergeSealedAnswer(TypedDict):
    seat: int
    amount: int | None

class GartenzwergeSeekPartner(TypedDict):
    kind: Literal['seek_partner']
    cap: GartenzwergeWorker
    demand: NotRequired[GartenzwergeWorker]

class GartenzwergeSellDwarf(TypedDict):
    kind: Literal['sell_dwarf']
    cap: GartenzwergeSaleable

class GartenzwergeSellForUpkeep(TypedDict):
    kind: Literal['sell_for_upkeep']
    cap: GartenzwergeSaleable

class GartenzwergeSendToGarden(TypedDict):
    kind: Literal['send_to_garden']
    cap: GartenzwergeWorker

class GartenzwergeShowDwarf(TypedDict):
    kind: Literal['show_dwarf']
    cap: GartenzwergeWorker

class GartenzwergeShowNoDwarf(TypedDict):
    kind: Literal['show_no_dwarf']

class GartenzwergeSoldForUpkeep(TypedDict):
    kind: Literal['sold_for_upkeep']
    seat: int
    cap: GartenzwergeSaleable
    price: int

class GartenzwergeStock(TypedDict):
    grey: NotRequired[int]
    brown: NotRequired[int]
    orange: NotRequired[int]
    red: NotRequired[int]
    blue: NotRequired[int]
    green: NotRequired[int]
    gold: NotRequired[int]

class GartenzwergeTradeDwarfs(TypedDict):
    kind: Literal['trade_dwarfs']
    cap: GartenzwergeWorker

class GartenzwergeUpkeepPaid(TypedDict):
    kind: Literal['upkeep_paid']
    seat: int
    paid: int
    due: int

class GroupBy(TypedDict):
    outcome: NotRequired[list[GroupedField]]
    opening: NotRequired[int]
    top: NotRequired[int]

class GroupRow(TypedDict):
    key: dict[str, str]
    opening: NotRequired[list[OpeningMove]]
    games: int

class GroupedField(TypedDict):
    field: str
    bucket: NotRequired[int]

class GroupsFound(TypedDict):
    outcome: list[str]
    opening: NotRequired[int]
    rows: list[GroupRow]
    other: int
    share: float

class Guessed(TypedDict):
    about: int
    guess: str
    chance: float

class Health(TypedDict):
    status: str

class HeardEvent(TypedDict):
    event: Event
    text: str
    hearers: NotRequired[list[Hearer]]
    otherwise: NotRequired[list[HeardOtherwise]]

class HeardOtherwise(TypedDict):
    event: Event
    text: str
    hearers: list[Hearer]

class HeartbeatMessage(TypedDict):
    event: Literal['heartbeat']

class History(TypedDict):
    fits: bool
    draws: list[Draw]
    events: list[HeardEvent]
    moves: list[ReplayedMove]
    misfit: NotRequired[Misfit]
    snapshot: Snapshot
    actors: list[int]
    outcome: NotRequired[Outcome]

class HistoryLine(TypedDict):
    at: str
    version: NotRequired[int | None]
    seat: NotRequired[int | None]
    code: NotRequired[int | None]
    move: NotRequired[Move]
    label: NotRequired[str]
    draws: NotRequired[list[Draw]]
    undone: NotRequired[bool]
    events: list[HeardEvent]

class HoherRatArguments(TypedDict):
    white: NotRequired[int]
    blue: NotRequired[int]
    green: NotRequired[int]
    yellow: NotRequired[int]
    red: NotRequired[int]

class HoherRatCardOffered(TypedDict):
    kind: Literal['card_offered']
    seat: int
    partner: int
    card: int | None

class HoherRatCardReturned(TypedDict):
    kind: Literal['card_returned']
    seat: int
    partner: int
    card: int | None

class HoherRatCardsDrawn(TypedDict):
    kind: Literal['cards_drawn']
    seat: int
    count: int
    cards: NotRequired[list[int] | None]

class HoherRatClaimField(TypedDict):
    kind: Literal['claim_field']
    card: int
    field: int
    argument: HoherRatArgument
    colour: HoherRatColour
    moved_from: NotRequired[int | None]

class HoherRatConfer(TypedDict):
    kind: Literal['confer']
    card: int

class HoherRatConvince(TypedDict):
    kind: Literal['convince']
    source: int
    target: int
    argument: HoherRatArgument
    colour: HoherRatColour
    moved_from: NotRequired[int | None]

class HoherRatConvinced(TypedDict):
    kind: Literal['convinced']
    seat: int
    source: int
    target: int
    argument: HoherRatArgument
    price: int
    colour: HoherRatColour
    replaced: HoherRatColour
    rank: HoherRatRank
    moved_from: int | None

class HoherRatCouncilConvened(TypedDict):
    kind: Literal['council_convened']
    seat: int
    turn: int

class HoherRatCouncilDecided(TypedDict):
    kind: Literal['council_decided']
    winner: HoherRatWinner
    reason: HoherRatReason

class HoherRatCouncilOptions(TypedDict):
    turn_cap: NotRequired[int]
    idle_cap: NotRequired[int]

class HoherRatCouncilView(TypedDict):
    game: Literal['hoher-rat']
    options: HoherRatCouncilOptions
    turn: int
    turns: int
    idle: int
    acted: bool
    stirred: bool
    voting: bool
    ring: list[HoherRatPiece | None]
    supplies: list[HoherRatSupply]
    bank: HoherRatArguments
    piles: list[HoherRatPile]
    councillors: list[HoherRatCouncillor]
    conferring: bool
    offered: int | None
    partner_knows: list[int]
    winner: NotRequired[HoherRatWinner | None]
    ruleset: str
    seat_count: int
    ply: int
    seat: int | None
    actors: list[int]

class HoherRatCouncillor(TypedDict):
    seat: int
    faction: HoherRatFaction
    colours: list[HoherRatColour]
    arguments: HoherRatArguments
    cards: int
    known: list[int]

class HoherRatDeckReshuffled(TypedDict):
    kind: Literal['deck_reshuffled']
    faction: HoherRatFaction
    count: int

class HoherRatDiscuss(TypedDict):
    kind: Literal['discuss']
    cards: list[int]
    argument: HoherRatArgument

class HoherRatDiscussed(TypedDict):
    kind: Literal['discussed']
    seat: int
    cards: list[int]
    argument: HoherRatArgument
    taken: int

class HoherRatEndTurn(TypedDict):
    kind: Literal['end_turn']

class HoherRatFieldClaimed(TypedDict):
    kind: Literal['field_claimed']
    seat: int
    card: int
    field: int
    argument: HoherRatArgument
    colour: HoherRatColour
    moved_from: int | None

class HoherRatFollowerPlaced(TypedDict):
    kind: Literal['follower_placed']
    seat: int
    field: int
    colour: HoherRatColour
    moved_from: int | None

class HoherRatFollowerPromoted(TypedDict):
    kind: Literal['follower_promoted']
    seat: int
    field: int
    colour: HoherRatColour

class HoherRatPiece(TypedDict):
    colour: HoherRatColour
    rank: HoherRatRank

class HoherRatPile(TypedDict):
    faction: HoherRatFaction
    deck: int
    discard: list[int]
    elders: list[int]
    elders_low: int
    elders_high: int

class HoherRatPlaceFollower(TypedDict):
    kind: Literal['place_follower']
    card: int
    colour: HoherRatColour
    moved_from: NotRequired[int | None]

class HoherRatPlaceSpeaker(TypedDict):
    kind: Literal['place_speaker']
    card: int
    colour: HoherRatColour

class HoherRatPlayTrilith(TypedDict):
    kind: Literal['play_trilith']
    card: int
    arguments: list[HoherRatArgument]

class HoherRatPonder(TypedDict):
    kind: Literal['ponder']

class HoherRatPondered(TypedDict):
    kind: Literal['pondered']
    seat: int
    cards: list[int]

class HoherRatPromoteFollower(TypedDict):
    kind: Literal['promote_follower']
    card: int
    colour: HoherRatColour

class HoherRatReturnCard(TypedDict):
    kind: Literal['return_card']
    card: int

class HoherRatSpeakerPlaced(TypedDict):
    kind: Literal['speaker_placed']
    seat: int
    field: int
    colour: HoherRatColour

class HoherRatSupply(TypedDict):
    colour: HoherRatColour
    followers: int
    speakers: int

class HoherRatTrilithPlayed(TypedDict):
    kind: Literal['trilith_played']
    seat: int
    card: int
    arguments: list[HoherRatArgument]

class HoherRatTurnEnded(TypedDict):
    kind: Literal['turn_ended']
    seat: int
    next: int

class HoherRatVoteBegun(TypedDict):
    kind: Literal['vote_begun']

class HoursShown(TypedDict):
    start: str
    end: str
    time_zone: str

class HoursWanted(TypedDict):
    start: str
    end: str
    time_zone: str

class JobEndMessage(TypedDict):
    event: Literal['end']
    data: JobShown

class JobEndedMessage(TypedDict):
    type: Literal['job.ended']
    timestamp: str
    data: JobMatter

class JobList(TypedDict):
    jobs: list[JobListed]
    next: NotRequired[str]

class JobListed(TypedDict):
    id: str
    kind: JobKind
    game: str
    state: JobState
    progress: JobProgress
    cost: Cost
    created_at: str
    expires_at: str

class JobMatter(TypedDict):
    job: str
    state: JobState
    url: str

class JobMessage(TypedDict):
    event: Literal['job']
    data: JobShown

class JobProgress(TypedDict):
    done: int
    total: int

class JobServerSentEvent(TypedDict):
    event: JobEventName
    data: str
    retry: NotRequired[int]

class JobShown(TypedDict):
    id: str
    kind: JobKind
    game: str
    state: JobState
    progress: JobProgress
    cost: Cost
    created_at: str
    expires_at: str
    result: NotRequired[JobResult]
    partial_result: NotRequired[JobResult]
    problem: NotRequired[Problem]

class KeyLimits(TypedDict):
    games_per_job: int
    open_jobs: int

class KeyQuotas(TypedDict):
    requests: NotRequired[QuotaShown]
    playouts: NotRequired[QuotaShown]

class KeyShown(TypedDict):
    id: str
    name: str
    scopes: list[KeyScope]
    created_at: str
    expires_at: NotRequired[str]
    limits: KeyLimits
    quotas: KeyQuotas

class LatencyShown(TypedDict):
    move_ms: int
    total_ms: int

class LegalMoves(TypedDict):
    seat: int
    mode: ListingMode
    count: int
    phase: NotRequired[str]
    prompt: NotRequired[str]
    groups: NotRequired[list[MoveGroup]]
    moves: list[ListedMove]

LengthBar = TypedDict(
    'LengthBar',
    {
        'from': 'int',
        'to': 'int',
        'games': 'int',
    },
)

class Lengths(TypedDict):
    mean: float
    median: int
    shortest: int
    longest: int
    histogram: list[LengthBar]

class Limits(TypedDict):
    body_bytes: int
    table_bytes: int
    json_depth: int
    json_values: int
    seed_characters: int
    replay_moves: int
    wait_seconds: int
    streams: int
    streams_per_caller: int
    heartbeat_seconds: int
    ticket_seconds: int
    snapshot_days: int
    session_days: int
    unmoved_session_hours: int
    batch_sessions: int
    request_cpu_milliseconds: int
    drawings: int
    history_lines: int
    idempotency_hours: int
    job_hours: int
    search_milliseconds: int
    search_iterations: int
    search_seconds: int
    batch_positions: int
    batch_snapshots: int
    batch_bytes: int
    batch_seconds: int
    simulation_games: int
    simulation_seconds: int
    tally_games: int
    tally_hours: int
    remote_games: int
    remote_seconds: int
    open_jobs: int
    open_jobs_per_caller: int
    open_jobs_per_key: int
    open_requests_per_minute: int
    open_request_cpu_milliseconds: int
    open_sessions_per_hour: int
    open_unfinished_sessions: int
    open_stored_sessions: int
    open_playouts_per_hour: int
    open_streams_per_address: int
    open_answer_bytes_per_hour: int
    key_requests_per_minute: int
    key_playouts_per_hour: int
    devices_per_seat: int
    device_code_seconds: int
    device_code_failures_per_hour: int
    webhooks_per_key: int
    webhook_messages: int
    webhook_failing_days: int

class ListedCode(TypedDict):
    code: int
    move: Move
    index: int | None

class ListedMove(TypedDict):
    code: int
    move: Move
    label: str
    refs: list[str]
    index: NotRequired[int | None]
    group: NotRequired[str]
    forced: NotRequired[bool]

class MinuteSpan(TypedDict):
    min: int
    max: int

class Misfit(TypedDict):
    index: int
    problem: Problem

class MoveAndDraws(TypedDict):
    snapshot: Snapshot
    seat: int
    move: MoveOrCode
    draws: NotRequired[list[Draw]]

class MoveAskedMessage(TypedDict):
    type: Literal['move.asked']
    timestamp: str
    data: DecisionMatter

class MoveAtSnapshot(TypedDict):
    snapshot: Snapshot
    seat: int
    move: MoveOrCode
    draws: NotRequired[list[Draw]]

class MoveChecked(TypedDict):
    version: int
    code: int
    move: Move
    label: str
    refs: list[str]
    index: NotRequired[int | None]

class MoveCode(TypedDict):
    kind: Literal['code']
    code: int

class MoveGroup(TypedDict):
    key: str
    label: str
    form: NotRequired[MoveGroupForm]

class MoveMade(TypedDict):
    snapshot: Snapshot
    actors: list[int]
    expires_at: NotRequired[str]
    fresh: NotRequired[bool]
    events: list[HeardEvent]
    draws: NotRequired[list[Draw]]
    outcome: NotRequired[Outcome]

class MovePlayed(TypedDict):
    form: Literal['view']
    id: str
    game: str
    ruleset: str
    version: int
    practice: bool
    seats: list[SeatShown]
    names: list[str]
    you: You | None
    status: SessionStatus
    actors: list[int]
    fairness: NotRequired[FairnessTold]
    clock: NotRequired[ClockShown]
    bot_ms: NotRequired[int | None]
    undo: NotRequired[Undo]
    undo_request: NotRequired[UndoShown]
    pauses: NotRequired[PausesShown]
    pause_request: NotRequired[PauseRequestShown]
    paused: NotRequired[list[PauseShown]]
    absence: NotRequired[AbsenceShown]
    absence_vote: NotRequired[AbsenceVoteShown]
    from_snapshot: NotRequired[SnapshotKind]
    deadlines: NotRequired[list[Deadline]]
    undo_offer: NotRequired[UndoOfferShown]
    absences: NotRequired[list[Absent]]
    headline: str
    phase: NotRequired[str]
    outcome: NotRequired[Outcome]
    rematch: NotRequired[str]
    view: NotRequired[View]
    events: list[ToldEvent]
    created_at: str
    expires_at: str
    legal_moves: NotRequired[LegalMoves]

class Mutes(TypedDict):
    seats: list[int]

class MutesWanted(TypedDict):
    seats: list[int]

class NewBranch(TypedDict):
    kind: NotRequired[BranchKind]
    version: NotRequired[int]
    seed: NotRequired[str]
    seats: NotRequired[list[SeatWanted]]
    clock: NotRequired[ClockWanted]
    bot_ms: NotRequired[int | None]
    spectators: NotRequired[SpectatorAccess]

class NewDevice(TypedDict):
    code: str

class NewMove(TypedDict):
    move: MoveOrCode

class NewSession(TypedDict):
    game: str
    seats: list[SeatWanted]
    options: NotRequired[Options]
    snapshot: NotRequired[Snapshot]
    seat_keys: NotRequired[list[str]]
    seed: NotRequired[str]
    clock: NotRequired[ClockWanted]
    bot_ms: NotRequired[int | None]
    spectators: NotRequired[SpectatorAccess]
    undo: NotRequired[Undo]
    listed: NotRequired[bool]
    language: NotRequired[Language]
    pauses: NotRequired[PausesWanted]
    absence: NotRequired[AbsenceWanted]

class NewSessionBatch(TypedDict):
    sessions: list[NewSession]

class NewWebhook(TypedDict):
    url: str
    events: NotRequired[list[WebhookEvent]]

class NumberForm(TypedDict):
    type: Literal['number']
    field: str
    minimum: int
    maximum: int
    step: int
    default: int

class NumberSource(TypedDict):
    name: str
    value: str
    source: str
    kind: str

class OpenSession(TypedDict):
    form: Literal['open']
    id: str
    game: str
    practice: bool
    language: NotRequired[Language]
    seats_free: int
    seats: list[SeatShown]
    options: Options
    spectators: SpectatorAccess
    clock: NotRequired[ClockShown]
    undo: NotRequired[Undo]
    created_at: str
    links: SessionLinks

class OpeningMove(TypedDict):
    seat: int
    code: int
    move: NotRequired[Move]

class OptionsOffered(TypedDict):
    schema: dict[str, Any]
    presets: dict[str, dict[str, Any]]
    sources: list[NumberSource]

class Outcome(TypedDict):
    rewards: list[float]
    headline: str
    points: NotRequired[list[int]]

class PatchOperation(TypedDict):
    op: PatchOperationName
    path: str
    value: NotRequired[Any]

class PauseAsked(TypedDict):
    kind: Literal['pause_asked']
    seat: int

class PauseBegun(TypedDict):
    kind: Literal['pause_begun']

class PauseConsented(TypedDict):
    kind: Literal['pause_consented']
    seat: int

class PauseEnded(TypedDict):
    kind: Literal['pause_ended']

class PauseRefused(TypedDict):
    kind: Literal['pause_refused']
    seat: int

class PauseRequestShown(TypedDict):
    seat: int
    duration_ms: int
    awaited: list[int]

class PauseShown(TypedDict):
    seat: NotRequired[int]
    start: str
    until: str
    by: int

class PauseWanted(TypedDict):
    duration_ms: int

class PausesShown(TypedDict):
    consent: bool
    days_per_seat: int
    days_left: list[int]

class PausesWanted(TypedDict):
    consent: NotRequired[bool]
    days_per_seat: NotRequired[int]

class PhraseMessage(TypedDict):
    event: Literal['phrase']
    data: PhraseSent

class PhraseOffered(TypedDict):
    id: PhraseId
    text: str

class PhraseSent(TypedDict):
    number: int
    seat: int
    phrase: PhraseId
    text: str
    at: str

class PhraseWanted(TypedDict):
    phrase: PhraseId

class PhrasesOffered(TypedDict):
    phrases: list[PhraseOffered]

class PhrasesSent(TypedDict):
    phrases: list[PhraseSent]

class PictureRequest(TypedDict):
    snapshot: NotRequired[Snapshot]
    seat: NotRequired[int | None]
    view: NotRequired[View]
    names: NotRequired[list[str | None]]
    draft: NotRequired[MoveOrCode]

class PingMessage(TypedDict):
    type: Literal['webhook.ping']
    timestamp: str
    data: Nothing

class PointsCount(TypedDict):
    mean: float
    deviation: float

class Position(TypedDict):
    view: NotRequired[View]
    id: NotRequired[str]
    snapshot: NotRequired[Snapshot]
    seat: NotRequired[int]

class PossibleValue(TypedDict):
    value: ChoiceFormValues
    ways: int
    probability: float

class PresenceMessage(TypedDict):
    event: Literal['presence']
    data: PresenceTold

class PresenceTold(TypedDict):
    asked: list[int]
    answered: list[int]
    connected: list[int]
    paused: NotRequired[list[int]]
    watchers: NotRequired[int]

class Problem(TypedDict):
    type: str
    code: ProblemCode
    title: str
    status: int
    detail: str
    errors: list[Fault]
    trace_id: str
    version: NotRequired[int | None]

class ProblemType(TypedDict):
    type: str
    code: str
    status: int
    titles: dict[str, str]

class ProgressMessage(TypedDict):
    event: Literal['progress']
    data: Advance

class Proof(TypedDict):
    session: str
    game: str
    ruleset: str
    seat_count: int
    options: Options
    commitment: str
    client_seeds: NotRequired[list[ClientSeed]]
    keys: ChanceKeys
    set_up: list[ProvenDraw]
    moves: list[ProvenMove]

class ProvenDraw(TypedDict):
    what: str
    of: int
    place: int
    value: ChoiceFormValues
    among: NotRequired[list[ChoiceFormValues]]

class ProvenMove(TypedDict):
    seat: int
    ply: int
    move: Move
    draws: list[ProvenDraw]
    undone: NotRequired[bool]

class PushKeys(TypedDict):
    p256dh: str
    auth: str

class PuzzleAnswer(TypedDict):
    move: MoveOrCode

class PuzzleCard(TypedDict):
    id: str
    game: str
    seat_count: int
    seat: int
    difficulty: int
    solved: list[PuzzleRate]
    themes: list[PuzzleTheme]

class PuzzleList(TypedDict):
    puzzles: list[PuzzleCard]
    next: NotRequired[str]

class PuzzleMove(TypedDict):
    code: int
    move: Move
    label: str
    value: NotRequired[float]
    interval: NotRequired[list[float]]
    reasons: NotRequired[Reasons]

class PuzzleRate(TypedDict):
    level: str
    rate: float

class PuzzleShown(TypedDict):
    id: str
    game: str
    seat_count: int
    seat: int
    difficulty: int
    solved: list[PuzzleRate]
    themes: list[PuzzleTheme]
    ruleset: str
    view: View
    moves: LegalMoves

class PuzzleTheme(TypedDict):
    key: str
    text: str

class PuzzleVerdict(TypedDict):
    right: bool
    move: PuzzleMove
    solution: PuzzleMove

class QuotaShown(TypedDict):
    amount: int
    remaining: int
    window_seconds: int
    renews_in_seconds: int

class Rating(TypedDict):
    elo: float
    interval: list[float | None]
    variance_ratio: float | None

class RatingRule(TypedDict):
    half_width: float
    max_games: int

class ReasonGain(TypedDict):
    code: str
    seats: list[int]
    better: bool
    value: float
    share: float
    text: str
    amount: NotRequired[float]

class ReasonReply(TypedDict):
    seat: int
    code: int
    move: Move
    label: str
    frequency: float

class ReasonRisk(TypedDict):
    code: str
    params: dict[str, str]
    chance: float
    value: float
    otherwise: float
    margin: float
    text: str

class Reasons(TypedDict):
    confidence: Confidence
    gains: list[ReasonGain]
    risks: list[ReasonRisk]
    line: list[ReasonReply]
    against: NotRequired[int]
    difference: NotRequired[float]

class RematchBegun(TypedDict):
    kind: Literal['rematch']
    session: str

class RematchGiven(TypedDict):
    id: str
    seat: NotRequired[int | None]
    token: NotRequired[str]
    version: int
    status: SessionStatus
    seats: list[SeatShown]
    links: SessionLinks

class ReplayLink(TypedDict):
    id: str
    url: str
    page: str
    expires_at: str

class ReplayMove(TypedDict):
    seat: int
    move: MoveOrCode
    draws: NotRequired[list[Draw] | None]

class ReplayPosition(TypedDict):
    version: int
    at: str
    texts: list[str]

class ReplayRecord(TypedDict):
    ruleset: str
    seat_count: NotRequired[int]
    options: NotRequired[Options]
    draws: NotRequired[list[Draw]]
    snapshot: NotRequired[Snapshot]
    moves: list[ReplayMove]

class ReplayRequest(TypedDict):
    seat_count: NotRequired[int]
    ruleset: NotRequired[str]
    options: NotRequired[Options]
    seed: NotRequired[str]
    draws: NotRequired[list[Draw]]
    moves: list[ReplayMove]
    snapshot: NotRequired[Snapshot]

class ReplayShown(TypedDict):
    game: str
    ruleset: str
    names: list[str]
    status: str
    outcome: NotRequired[Outcome]
    positions: list[ReplayPosition]

class ReplayedMove(TypedDict):
    ply: int
    seat: int
    code: int
    move: Move
    label: str
    draws: list[Draw]
    events: list[HeardEvent]

class ReviewRequest(TypedDict):
    session: str
    iterations: NotRequired[int]
    bots: NotRequired[bool | None]
    seed: NotRequired[str]

class ReviewResult(TypedDict):
    kind: Literal['review']
    session: str
    seed: str
    iterations: int
    thresholds: ReviewThresholds
    seats: list[ReviewedSeat]
    decisions: list[ReviewedDecision]

class ReviewThresholds(TypedDict):
    mistake: float
    blunder: float

class ReviewedDecision(TypedDict):
    line: int
    seat: int
    legal_moves: int
    played: ReviewedMove
    best: ReviewedMove
    regret: float
    interval: list[float]
    verdict: ReviewVerdict
    reasons: NotRequired[Reasons]

class ReviewedMove(TypedDict):
    code: int
    move: Move
    label: str
    visits: int
    value: float
    interval: list[float]

class ReviewedSeat(TypedDict):
    seat: int
    decisions: int
    forced: int
    own_content: int
    accuracy: float | None
    mean_regret: float | None
    mistakes: int
    blunders: int

class Rewards(TypedDict):
    rewards: list[float]

class RuleLine(TypedDict):
    id: str
    sentence: str
    source: str
    decision: bool

class Said(TypedDict):
    key: str
    text: str

class SearchBatch(TypedDict):
    game: str
    budget: Budget
    level: NotRequired[BotLevel]
    seed: NotRequired[str]
    top: NotRequired[int]
    positions: list[Position]

class SearchForm(TypedDict):
    type: Literal['search']
    field: str
    sheet: str
    without: list[str]

class SearchRequest(TypedDict):
    game: str
    budget: Budget
    level: NotRequired[BotLevel]
    seed: NotRequired[str]
    top: NotRequired[int]
    explain: NotRequired[bool]
    compare: NotRequired[MoveOrCode]
    view: NotRequired[View]
    snapshot: NotRequired[Snapshot]
    seat: NotRequired[int]
    session: NotRequired[str]

class SearchResult(TypedDict):
    kind: Literal['search']
    seat: int
    seed: str
    iterations: int
    worlds: int
    legal_moves: int
    moves: list[AnalysedMove]
    hunches: NotRequired[list[Guessed]]
    compared: NotRequired[AnalysedMove]

class SearchedPosition(TypedDict):
    position: int
    id: NotRequired[str]
    result: NotRequired[SearchResult]
    problem: NotRequired[Problem]

class SeatAbsent(TypedDict):
    kind: Literal['seat_absent']
    seat: int

class SeatAskedMessage(TypedDict):
    type: Literal['seat.asked']
    timestamp: str
    data: SeatMatter

class SeatAssigned(TypedDict):
    kind: Literal['seat_assigned']
    seat: int

class SeatAssignedToBot(TypedDict):
    kind: Literal['seat_assigned_to_bot']
    seat: int
    level: str

class SeatAssignment(TypedDict):
    kind: SeatKind
    name: NotRequired[str]
    bot: NotRequired[BotWanted]

class SeatClaim(TypedDict):
    code: NotRequired[str]
    name: NotRequired[str]
    client_seed: NotRequired[str]

class SeatClaimed(TypedDict):
    kind: Literal['seat_claimed']
    seat: int

class SeatClaimedMessage(TypedDict):
    type: Literal['seat.claimed']
    timestamp: str
    data: SeatMatter

class SeatCounts(TypedDict):
    min: int
    max: int
    allowed: list[int]
    teams: dict[str, list[list[int]]]

class SeatGiven(TypedDict):
    seat: int
    kind: SeatKind
    name: NotRequired[str]
    bot: NotRequired[BotShown]
    out: NotRequired[bool]
    token: NotRequired[str]
    invite: NotRequired[str]

class SeatKeyGiven(TypedDict):
    seat: int
    key: str
    events: list[HeardEvent]

class SeatLeaving(TypedDict):
    then: NotRequired[LeavingChoice]
    bot: NotRequired[BotWanted]

class SeatLeft(TypedDict):
    kind: Literal['seat_left']
    seat: int
    level: str

class SeatMatter(TypedDict):
    session: str
    seat: int
    url: str

class SeatOpened(TypedDict):
    kind: Literal['seat_opened']
    seat: int

class SeatPush(TypedDict):
    application_server_key: str
    subscribed: bool

class SeatResigned(TypedDict):
    kind: Literal['seat_resigned']
    seat: int

class SeatShown(TypedDict):
    seat: int
    kind: SeatKind
    name: NotRequired[str]
    bot: NotRequired[BotShown]
    out: NotRequired[bool]

class SeatSubscription(TypedDict):
    endpoint: str
    keys: PushKeys
    expirationTime: NotRequired[int | None]

class SeatTaken(TypedDict):
    id: str
    seat: int
    kind: SeatKind
    name: NotRequired[str]
    bot: NotRequired[BotShown]
    out: NotRequired[bool]
    token: NotRequired[str]
    invite: NotRequired[str]
    client_seed: NotRequired[str]
    version: int
    status: SessionStatus
    links: SessionLinks

class SeatTakenBack(TypedDict):
    kind: Literal['seat_taken_back']
    seat: int

class SeatTakenOver(TypedDict):
    kind: Literal['seat_taken_over']
    seat: int
    level: str

class SeatTally(TypedDict):
    games: int
    wins: int
    shared: int
    win_rate: float
    interval: list[float]
    score: float
    points: NotRequired[PointsCount]
    seat: int

class SeatTimedOut(TypedDict):
    kind: Literal['seat_timed_out']
    seat: int

class SeatTokenIssued(TypedDict):
    kind: Literal['seat_token_issued']
    seat: int

class SeatWanted(TypedDict):
    kind: SeatKind
    name: NotRequired[str]
    bot: NotRequired[BotWanted]

class SeatedSnapshot(TypedDict):
    snapshot: Snapshot
    seat: int

class SecretRotated(TypedDict):
    secret: str
    previous_until: str

class ServerSentEvent(TypedDict):
    event: SessionEventName
    data: str
    id: NotRequired[str]
    retry: NotRequired[int]

class SessionAborted(TypedDict):
    kind: Literal['session_aborted']

class SessionBatchCreated(TypedDict):
    sessions: list[SessionCreated]

class SessionBroken(TypedDict):
    kind: Literal['session_broken']
    seat: int

class SessionCreated(TypedDict):
    id: str
    owner_token: str
    created_at: str
    expires_at: str
    game: str
    ruleset: str
    practice: bool
    status: SessionStatus
    spectators: SpectatorAccess
    fairness: NotRequired[FairnessTold]
    clock: NotRequired[ClockShown]
    bot_ms: NotRequired[int | None]
    undo: NotRequired[Undo]
    pauses: NotRequired[PausesShown]
    absence: NotRequired[AbsenceShown]
    from_snapshot: NotRequired[SnapshotKind]
    listed: NotRequired[bool]
    language: NotRequired[Language]
    options: Options
    seats: list[SeatGiven]
    links: SessionLinks

class SessionEndedMessage(TypedDict):
    type: Literal['session.ended']
    timestamp: str
    data: SessionMatter

class SessionHistory(TypedDict):
    id: str
    game: str
    ruleset: str
    status: SessionStatus
    complete: bool
    seats: list[SeatShown]
    options: Options
    draws: NotRequired[list[Draw]]
    total: int
    first: int
    lines: list[HistoryLine]
    next: NotRequired[str]

class SessionLinks(TypedDict):
    session: str
    legal_moves: str
    moves: str
    history: str
    replay: str
    fairness: str
    branches: str
    events: str
    presence: str
    picture: str
    resign: str
    standing_answers: str

class SessionList(TypedDict):
    sessions: list[SessionListSessions]
    next: NotRequired[str]

class SessionMatter(TypedDict):
    session: str
    url: str
    status: NotRequired[SessionStatus]
    outcome: NotRequired[Rewards]

class SessionOverview(TypedDict):
    form: Literal['overview']
    id: str
    game: str
    ruleset: str
    version: int
    practice: bool
    status: SessionStatus
    spectators: SpectatorAccess
    created_at: str
    expires_at: str
    seats: list[SeatShown]
    actors: list[int]
    clock: NotRequired[ClockShown]
    bot_ms: NotRequired[int | None]
    deadlines: NotRequired[list[Deadline]]
    outcome: NotRequired[Outcome]
    links: SessionLinks

class SessionSetUp(TypedDict):
    kind: Literal['session_set_up']

class SessionShown(TypedDict):
    form: Literal['view']
    id: str
    game: str
    ruleset: str
    version: int
    practice: bool
    seats: list[SeatShown]
    names: list[str]
    you: You | None
    status: SessionStatus
    actors: list[int]
    fairness: NotRequired[FairnessTold]
    clock: NotRequired[ClockShown]
    bot_ms: NotRequired[int | None]
    undo: NotRequired[Undo]
    undo_request: NotRequired[UndoShown]
    pauses: NotRequired[PausesShown]
    pause_request: NotRequired[PauseRequestShown]
    paused: NotRequired[list[PauseShown]]
    absence: NotRequired[AbsenceShown]
    absence_vote: NotRequired[AbsenceVoteShown]
    from_snapshot: NotRequired[SnapshotKind]
    deadlines: NotRequired[list[Deadline]]
    undo_offer: NotRequired[UndoOfferShown]
    absences: NotRequired[list[Absent]]
    headline: str
    phase: NotRequired[str]
    outcome: NotRequired[Outcome]
    rematch: NotRequired[str]
    view: NotRequired[View]
    created_at: str
    expires_at: str
    legal_moves: NotRequired[LegalMoves]
    picture_url: str
    stream_url: str
    links: SessionLinks

class SessionStarted(TypedDict):
    kind: Literal['session_started']

class SessionState(TypedDict):
    form: Literal['view']
    id: str
    game: str
    ruleset: str
    version: int
    practice: bool
    seats: list[SeatShown]
    names: list[str]
    you: You | None
    status: SessionStatus
    actors: list[int]
    fairness: NotRequired[FairnessTold]
    clock: NotRequired[ClockShown]
    bot_ms: NotRequired[int | None]
    undo: NotRequired[Undo]
    undo_request: NotRequired[UndoShown]
    pauses: NotRequired[PausesShown]
    pause_request: NotRequired[PauseRequestShown]
    paused: NotRequired[list[PauseShown]]
    absence: NotRequired[AbsenceShown]
    absence_vote: NotRequired[AbsenceVoteShown]
    from_snapshot: NotRequired[SnapshotKind]
    deadlines: NotRequired[list[Deadline]]
    undo_offer: NotRequired[UndoOfferShown]
    absences: NotRequired[list[Absent]]
    headline: str
    phase: NotRequired[str]
    outcome: NotRequired[Outcome]
    rematch: NotRequired[str]
    view: NotRequired[View]

class Sheet(TypedDict):
    key: str
    title: str
    lines: list[SheetLine]

class SheetLine(TypedDict):
    id: str
    heading: str
    text: str
    also: list[str]
    phases: NotRequired[list[str]]

class SimulationRequest(TypedDict):
    game: str
    seats: list[BotEntered]
    options: NotRequired[Options]
    seed: NotRequired[str]
    rotate_seats: NotRequired[bool | None]
    group_by: NotRequired[GroupBy]
    games: NotRequired[int]
    games_kept: NotRequired[bool | None]
    until: NotRequired[StopRule]

class SimulationResult(TypedDict):
    kind: Literal['simulation']
    seed: str
    games: int
    bots: list[BotCount]
    by_seat: list[SeatTally]
    plies: Lengths
    groups: NotRequired[GroupsFound]

class Snapshot(TypedDict):
    game: str
    ruleset: str
    ply: int
    sealed: bool
    seed: NotRequired[str]
    table: NotRequired[dict[str, Any]]
    token: NotRequired[str]

class SnapshotMade(TypedDict):
    snapshot: Snapshot
    actors: list[int]
    expires_at: NotRequired[str]
    fresh: NotRequired[bool]
    events: list[HeardEvent]
    seat_keys: NotRequired[list[SeatKeyGiven]]

class SnapshotRequest(TypedDict):
    seat_count: int
    options: NotRequired[Options]
    seed: NotRequired[str]

class StandingAnswers(TypedDict):
    answers: list[str]
    offered: list[AnswerOffered]

class StateMessage(TypedDict):
    event: Literal['state']
    id: int
    cursor: str
    data: SessionState

class StopRule(TypedDict):
    half_width: float
    max_games: int

class TimeRanOut(TypedDict):
    kind: Literal['time_ran_out']
    seat: int

class ToldEvent(TypedDict):
    event: Event
    text: str

class TournamentRequest(TypedDict):
    game: str
    seat_count: int
    entrants: list[Entrant]
    options: NotRequired[Options]
    seed: NotRequired[str]
    anchor: NotRequired[str]
    games: NotRequired[int]
    until: NotRequired[RatingRule]

class TournamentResult(TypedDict):
    kind: Literal['tournament']
    seed: str
    games: int
    rounds: int
    zero: list[str]
    entrants: list[EntrantCount]
    by_seat: list[SeatTally]
    plies: Lengths

class TutorialMove(TypedDict):
    seat: int
    move: Move

class TutorialShown(TypedDict):
    key: str
    title: str
    summary: str
    minutes: int
    seat: int
    table: TutorialTableShown
    steps: list[TutorialStepShown]

class TutorialStepShown(TypedDict):
    text: str
    refs: list[str]
    move: NotRequired[Move]
    replies: list[TutorialMove]

class TutorialTableShown(TypedDict):
    seat_count: int
    options: Options
    seed: str
    moves: list[TutorialMove]

class UndoAsked(TypedDict):
    kind: Literal['undo_asked']
    seat: int

class UndoConsented(TypedDict):
    kind: Literal['undo_consented']
    seat: int

class UndoOfferShown(TypedDict):
    possible: bool
    obstacle: NotRequired[UndoObstacle]
    consent_of: list[int]
    left: int

class UndoRefused(TypedDict):
    kind: Literal['undo_refused']
    seat: int

class UndoShown(TypedDict):
    seat: int
    awaited: list[int]

class VacationBegun(TypedDict):
    kind: Literal['vacation_begun']
    seat: int

class VacationEnded(TypedDict):
    kind: Literal['vacation_ended']
    seat: int

class VacationWanted(TypedDict):
    days: int

class Verdict(TypedDict):
    fair: bool
    moves: int
    draws: int
    faults: list[Fault]

class ViewedSnapshot(TypedDict):
    snapshot: Snapshot
    seat: int | None

class WebhookDisabledMessage(TypedDict):
    type: Literal['webhook.disabled']
    timestamp: str
    data: WebhookMatter

class WebhookList(TypedDict):
    webhooks: list[WebhookShown]

class WebhookMade(TypedDict):
    id: str
    url: str
    events: list[WebhookEvent]
    created_at: str
    state: WebhookState
    failing_since: NotRequired[str]
    last_error: NotRequired[AttemptShown]
    disabled_at: NotRequired[str]
    disabled_reason: NotRequired[DisabledReason]
    secret: str

class WebhookMatter(TypedDict):
    webhook: str
    reason: DisabledReason
    url: str

class WebhookShown(TypedDict):
    id: str
    url: str
    events: list[WebhookEvent]
    created_at: str
    state: WebhookState
    failing_since: NotRequired[str]
    last_error: NotRequired[AttemptShown]
    disabled_at: NotRequired[str]
    disabled_reason: NotRequired[DisabledReason]

class WichtelAcceptOutcome(TypedDict):
    kind: Literal['accept_outcome']

class WichtelBribeLaid(TypedDict):
    kind: Literal['bribe_laid']
    seat: int
    card: NotRequired[WichtelBribe | None]

class WichtelBribePassed(TypedDict):
    kind: Literal['bribe_passed']
    seat: int

class WichtelBribeVetoed(TypedDict):
    kind: Literal['bribe_vetoed']
    seat: int
    target: int
    card: WichtelBribe

class WichtelBribesOpened(TypedDict):
    kind: Literal['bribes_opened']
    bribes: list[str | None]

class WichtelBribesSpared(TypedDict):
    kind: Literal['bribes_spared']
    seat: int

class WichtelCallGnome(TypedDict):
    kind: Literal['call_gnome']
    gnome: WichtelGnome

class WichtelCandidate(TypedDict):
    seat: int
    points: int
    gnomes: int
    known: list[WichtelGnome]
    actions: int
    shown: list[WichtelAction]
    bribed: bool
    bribe: NotRequired[WichtelAction | None]

class WichtelCell(TypedDict):
    gnome: NotRequired[WichtelGnome | None]
    origin: int | None
    open: bool

class WichtelChiefCrowned(TypedDict):
    kind: Literal['chief_crowned']
    winners: list[int]

class WichtelCrossing(TypedDict):
    seat: int
    way: WichtelWay
    gnome: NotRequired[WichtelGnome | None]
    origin: int | None

class WichtelDiePassed(TypedDict):
    kind: Literal['die_passed']
    seat: int
    next: int

class WichtelEndDeclined(TypedDict):
    kind: Literal['end_declined']
    seat: int

class WichtelEndRound(TypedDict):
    kind: Literal['end_round']

class WichtelFreeOfficer(TypedDict):
    kind: Literal['free_officer']

class WichtelGiveGnome(TypedDict):
    kind: Literal['give_gnome']
    seat: int

class WichtelGnomeCalled(TypedDict):
    kind: Literal['gnome_called']
    seat: int
    laid: NotRequired[WichtelGnome | None]
    drawn: NotRequired[WichtelGnome | None]

class WichtelGnomeCourted(TypedDict):
    kind: Literal['gnome_courted']
    seat: int
    place: int
    gnome: WichtelGnome

class WichtelGnomeGiven(TypedDict):
    kind: Literal['gnome_given']
    seat: int
    taker: int
    gnome: WichtelGnome

class WichtelGnomeLaid(TypedDict):
    kind: Literal['gnome_laid']
    seat: int
    gnome: WichtelGnome
    place: int

class WichtelGnomeOffered(TypedDict):
    kind: Literal['gnome_offered']
    seat: int
    partner: int
    gnome: NotRequired[WichtelGnome | None]

class WichtelGnomeRefused(TypedDict):
    kind: Literal['gnome_refused']
    seat: int
    gnome: WichtelGnome

class WichtelGnomeRolledFor(TypedDict):
    kind: Literal['gnome_rolled_for']
    seat: int
    roll: int
    needed: int
    success: bool

class WichtelGnomeWon(TypedDict):
    kind: Literal['gnome_won']
    seat: int
    gnome: WichtelGnome
    briber: int | None
    spent: NotRequired[WichtelBribe | None]

class WichtelGnomesMarched(TypedDict):
    kind: Literal['gnomes_marched']
    way: WichtelDirection
    left: NotRequired[WichtelGnome | None]
    came: NotRequired[WichtelGnome | None]

class WichtelGnomesSwapped(TypedDict):
    kind: Literal['gnomes_swapped']
    seat: int
    partner: int
    given: NotRequired[WichtelGnome | None]
    returned: NotRequired[WichtelGnome | None]

class WichtelGoOn(TypedDict):
    kind: Literal['go_on']

class WichtelHandDealt(TypedDict):
    kind: Literal['hand_dealt']
    seat: int
    gnomes: list[WichtelGnome]
    actions: list[WichtelAction]

class WichtelHandFound(TypedDict):
    kind: Literal['hand_found']
    seat: int
    gnomes: list[WichtelGnome]
    actions: list[WichtelAction]

class WichtelLastRound(TypedDict):
    ended_by: int | None
    retinues: list[WichtelRetinue]

class WichtelLayBribe(TypedDict):
    kind: Literal['lay_bribe']
    card: WichtelBribe
    recruiter: int

class WichtelLayGnome(TypedDict):
    kind: Literal['lay_gnome']
    gnome: WichtelGnome

class WichtelLookAgain(TypedDict):
    kind: Literal['look_again']

class WichtelLookedAgain(TypedDict):
    kind: Literal['looked_again']
    seat: int

class WichtelMarchGnomes(TypedDict):
    kind: Literal['march_gnomes']

class WichtelMarchTurned(TypedDict):
    kind: Literal['march_turned']

class WichtelMovementPlayed(TypedDict):
    kind: Literal['movement_played']
    seat: int
    card: WichtelMovement
    place: int | None

class WichtelOfficerFreed(TypedDict):
    kind: Literal['officer_freed']
    seat: int

class WichtelPassBribe(TypedDict):
    kind: Literal['pass_bribe']

class WichtelPassDie(TypedDict):
    kind: Literal['pass_die']

class WichtelPlayMovement(TypedDict):
    kind: Literal['play_movement']
    card: WichtelMovement
    place: NotRequired[int | None]

class WichtelRecruitGnome(TypedDict):
    kind: Literal['recruit_gnome']
    place: int

class WichtelRetinue(TypedDict):
    seat: int
    gnomes: list[WichtelGnome]
    title: NotRequired[WichtelTitle | None]
    result: int
    bonus: int

class WichtelRetinueScored(TypedDict):
    kind: Literal['retinue_scored']
    seat: int
    gnomes: list[WichtelGnome]
    title: NotRequired[WichtelTitle | None]
    result: int
    bonus: int
    total: int

class WichtelRetinuesOpened(TypedDict):
    kind: Literal['retinues_opened']
    round: int
    seat: int | None

class WichtelReturnGnome(TypedDict):
    kind: Literal['return_gnome']
    gnome: WichtelGnome
    partner: int

class WichtelRollForGnome(TypedDict):
    kind: Literal['roll_for_gnome']

class WichtelSpareBribes(TypedDict):
    kind: Literal['spare_bribes']

class WichtelSwapGnome(TypedDict):
    kind: Literal['swap_gnome']
    gnome: WichtelGnome
    partner: int

class WichtelVetoBribe(TypedDict):
    kind: Literal['veto_bribe']
    seat: int

class WichtelVillageFound(TypedDict):
    kind: Literal['village_found']
    round: int
    seat: int
    square: list[WichtelGnome]

class WichtelVillageOptions(TypedDict):
    goal: NotRequired[int]
    best_bonus: NotRequired[int]
    worst_bonus: NotRequired[int]
    turn_cap: NotRequired[int]
    no_way_for_all: NotRequired[bool]
    pick_who_leaves: NotRequired[bool]
    short_titles: NotRequired[bool]
    feller: NotRequired[int]
    spear_thrower: NotRequired[int]
    foreman: NotRequired[int]
    sergeant: NotRequired[int]
    master: NotRequired[int]
    general: NotRequired[int]
    widow: NotRequired[int]

class WichtelVillageSetUp(TypedDict):
    kind: Literal['village_set_up']
    round: int
    first: int
    square: list[WichtelGnome]

class WichtelVillageView(TypedDict):
    game: Literal['wichtel']
    options: WichtelVillageOptions
    round: int
    turn: int
    turns: int
    phase: WichtelPhase
    asked: list[int]
    officer_free: bool
    onward: bool
    back: bool
    still: bool
    start: int
    caravan: list[WichtelCell]
    place: int | None
    roll: int | None
    offered: WichtelCell | None
    candidates: list[WichtelCandidate]
    actions: list[WichtelAction]
    spent: list[WichtelAction]
    trail: list[WichtelCrossing]
    last_round: WichtelLastRound | None
    winners: list[int]
    ruleset: str
    seat_count: int
    ply: int
    seat: int | None
    actors: list[int]

class You(TypedDict):
    seat: int

BarbarossaEvent: TypeAlias = BarbarossaRiddlesModelled | BarbarossaRiddlesShown | BarbarossaDieRolled | BarbarossaStonesSpent | BarbarossaCaveEntered | BarbarossaQuestionAsked | BarbarossaQuestionAnswered | BarbarossaQuestionRejected | BarbarossaSecondRoundBegun | BarbarossaAskingEnded | BarbarossaLetterForgone | BarbarossaAnswerInsisted | BarbarossaAttemptWritten | BarbarossaRiddleAttempted | BarbarossaLetterAsked | BarbarossaLetterShown | BarbarossaHatMoved | BarbarossaPenaltyTaken | BarbarossaWizardTurnBegun | BarbarossaMasterFound | BarbarossaHallOpened

BarbarossaMove: TypeAlias = BarbarossaModelRiddles | BarbarossaRollDie | BarbarossaSpendStones | BarbarossaAskAbout | BarbarossaAskFreely | BarbarossaAnswerQuestion | BarbarossaRejectQuestion | BarbarossaEndAsking | BarbarossaAttemptRiddle | BarbarossaAskLetter | BarbarossaForgoLetter | BarbarossaGiveLetter | BarbarossaHoldBack | BarbarossaCurseForLetter | BarbarossaCurseToAttempt | BarbarossaJudgeAttempt

BarbarossaPiece: TypeAlias = BarbarossaClay | BarbarossaStrokes | BarbarossaKneaded

BarbarossaSculpture: TypeAlias = BarbarossaClay | BarbarossaStrokes

Event: TypeAlias = BarbarossaRiddlesModelled | BarbarossaRiddlesShown | BarbarossaDieRolled | BarbarossaStonesSpent | BarbarossaCaveEntered | BarbarossaQuestionAsked | BarbarossaQuestionAnswered | BarbarossaQuestionRejected | BarbarossaSecondRoundBegun | BarbarossaAskingEnded | BarbarossaLetterForgone | BarbarossaAnswerInsisted | BarbarossaAttemptWritten | BarbarossaRiddleAttempted | BarbarossaLetterAsked | BarbarossaLetterShown | BarbarossaHatMoved | BarbarossaPenaltyTaken | BarbarossaWizardTurnBegun | BarbarossaMasterFound | BarbarossaHallOpened | GartenzwergeRoundBegun | GartenzwergeMoneyTaken | GartenzwergeMoneyGiven | GartenzwergeGreysReturned | GartenzwergeGardened | GartenzwergePartnerSought | GartenzwergeDwarfShown | GartenzwergeDwarfOffered | GartenzwergeAmountSealed | GartenzwergeAmountsOpened | GartenzwergeDealStruck | GartenzwergePairFormed | GartenzwergeDwarfSold | GartenzwergeDwarfsTraded | GartenzwergeCompetitionEntered | GartenzwergeGreysLeft | GartenzwergeDwarfBred | GartenzwergeCompetitionJudged | GartenzwergeUpkeepPaid | GartenzwergeSoldForUpkeep | GartenzwergeMemberOut | GartenzwergeClubDecided | HoherRatDiscussed | HoherRatTrilithPlayed | HoherRatFollowerPlaced | HoherRatSpeakerPlaced | HoherRatFollowerPromoted | HoherRatFieldClaimed | HoherRatPondered | HoherRatCardsDrawn | HoherRatDeckReshuffled | HoherRatCardOffered | HoherRatCardReturned | HoherRatConvinced | HoherRatVoteBegun | HoherRatTurnEnded | HoherRatCouncilDecided | HoherRatCouncilConvened | WichtelVillageSetUp | WichtelHandDealt | WichtelGnomesMarched | WichtelMarchTurned | WichtelMovementPlayed | WichtelGnomeCalled | WichtelGnomeOffered | WichtelGnomesSwapped | WichtelGnomeCourted | WichtelBribeLaid | WichtelBribePassed | WichtelBribesOpened | WichtelBribeVetoed | WichtelBribesSpared | WichtelGnomeRolledFor | WichtelLookedAgain | WichtelGnomeRefused | WichtelGnomeWon | WichtelGnomeGiven | WichtelGnomeLaid | WichtelEndDeclined | WichtelOfficerFreed | WichtelDiePassed | WichtelRetinuesOpened | WichtelRetinueScored | WichtelChiefCrowned | WichtelVillageFound | WichtelHandFound | SeatClaimed | SessionStarted | TimeRanOut | SeatTakenOver | SeatLeft | SeatAssigned | SeatAssignedToBot | SeatOpened | SeatTokenIssued | SeatTakenBack | SeatResigned | SeatTimedOut | SessionBroken | SessionSetUp | SessionAborted | DecisionKept | UndoAsked | UndoConsented | UndoRefused | DecisionUndone | RematchBegun | PauseAsked | PauseConsented | PauseRefused | PauseBegun | PauseEnded | VacationBegun | VacationEnded | AbsenceVoted | SeatAbsent

GartenzwergeEvent: TypeAlias = GartenzwergeRoundBegun | GartenzwergeMoneyTaken | GartenzwergeMoneyGiven | GartenzwergeGreysReturned | GartenzwergeGardened | GartenzwergePartnerSought | GartenzwergeDwarfShown | GartenzwergeDwarfOffered | GartenzwergeAmountSealed | GartenzwergeAmountsOpened | GartenzwergeDealStruck | GartenzwergePairFormed | GartenzwergeDwarfSold | GartenzwergeDwarfsTraded | GartenzwergeCompetitionEntered | GartenzwergeGreysLeft | GartenzwergeDwarfBred | GartenzwergeCompetitionJudged | GartenzwergeUpkeepPaid | GartenzwergeSoldForUpkeep | GartenzwergeMemberOut | GartenzwergeClubDecided

GartenzwergeMove: TypeAlias = GartenzwergeSendToGarden | GartenzwergeSeekPartner | GartenzwergeOfferDwarf | GartenzwergeSellDwarf | GartenzwergeTradeDwarfs | GartenzwergeEnterCompetition | GartenzwergeLeaveGreys | GartenzwergeShowDwarf | GartenzwergeShowNoDwarf | GartenzwergeSealMaximum | GartenzwergeSealAsk | GartenzwergeSealMinimum | GartenzwergeSealBid | GartenzwergeSealNoBid | GartenzwergeChooseDeal | GartenzwergeNameMate | GartenzwergeReturnGreys | GartenzwergeSellForUpkeep

HoherRatEvent: TypeAlias = HoherRatDiscussed | HoherRatTrilithPlayed | HoherRatFollowerPlaced | HoherRatSpeakerPlaced | HoherRatFollowerPromoted | HoherRatFieldClaimed | HoherRatPondered | HoherRatCardsDrawn | HoherRatDeckReshuffled | HoherRatCardOffered | HoherRatCardReturned | HoherRatConvinced | HoherRatVoteBegun | HoherRatTurnEnded | HoherRatCouncilDecided | HoherRatCouncilConvened

HoherRatMove: TypeAlias = HoherRatDiscuss | HoherRatPlayTrilith | HoherRatPlaceFollower | HoherRatPlaceSpeaker | HoherRatPromoteFollower | HoherRatClaimField | HoherRatPonder | HoherRatConfer | HoherRatReturnCard | HoherRatConvince | HoherRatEndTurn

JobResult: TypeAlias = SearchResult | BatchResult | ReviewResult | SimulationResult | TournamentResult

JobStreamMessage: TypeAlias = JobMessage | ProgressMessage | HeartbeatMessage | JobEndMessage

Move: TypeAlias = BarbarossaModelRiddles | BarbarossaRollDie | BarbarossaSpendStones | BarbarossaAskAbout | BarbarossaAskFreely | BarbarossaAnswerQuestion | BarbarossaRejectQuestion | BarbarossaEndAsking | BarbarossaAttemptRiddle | BarbarossaAskLetter | BarbarossaForgoLetter | BarbarossaGiveLetter | BarbarossaHoldBack | BarbarossaCurseForLetter | BarbarossaCurseToAttempt | BarbarossaJudgeAttempt | GartenzwergeSendToGarden | GartenzwergeSeekPartner | GartenzwergeOfferDwarf | GartenzwergeSellDwarf | GartenzwergeTradeDwarfs | GartenzwergeEnterCompetition | GartenzwergeLeaveGreys | GartenzwergeShowDwarf | GartenzwergeShowNoDwarf | GartenzwergeSealMaximum | GartenzwergeSealAsk | GartenzwergeSealMinimum | GartenzwergeSealBid | GartenzwergeSealNoBid | GartenzwergeChooseDeal | GartenzwergeNameMate | GartenzwergeReturnGreys | GartenzwergeSellForUpkeep | HoherRatDiscuss | HoherRatPlayTrilith | HoherRatPlaceFollower | HoherRatPlaceSpeaker | HoherRatPromoteFollower | HoherRatClaimField | HoherRatPonder | HoherRatConfer | HoherRatReturnCard | HoherRatConvince | HoherRatEndTurn | WichtelMarchGnomes | WichtelPlayMovement | WichtelCallGnome | WichtelSwapGnome | WichtelReturnGnome | WichtelRecruitGnome | WichtelLayBribe | WichtelPassBribe | WichtelVetoBribe | WichtelSpareBribes | WichtelRollForGnome | WichtelAcceptOutcome | WichtelLookAgain | WichtelGiveGnome | WichtelLayGnome | WichtelEndRound | WichtelGoOn | WichtelFreeOfficer | WichtelPassDie

MoveGroupForm: TypeAlias = NumberForm | ChoiceForm | SearchForm

MoveOrCode: TypeAlias = BarbarossaModelRiddles | BarbarossaRollDie | BarbarossaSpendStones | BarbarossaAskAbout | BarbarossaAskFreely | BarbarossaAnswerQuestion | BarbarossaRejectQuestion | BarbarossaEndAsking | BarbarossaAttemptRiddle | BarbarossaAskLetter | BarbarossaForgoLetter | BarbarossaGiveLetter | BarbarossaHoldBack | BarbarossaCurseForLetter | BarbarossaCurseToAttempt | BarbarossaJudgeAttempt | GartenzwergeSendToGarden | GartenzwergeSeekPartner | GartenzwergeOfferDwarf | GartenzwergeSellDwarf | GartenzwergeTradeDwarfs | GartenzwergeEnterCompetition | GartenzwergeLeaveGreys | GartenzwergeShowDwarf | GartenzwergeShowNoDwarf | GartenzwergeSealMaximum | GartenzwergeSealAsk | GartenzwergeSealMinimum | GartenzwergeSealBid | GartenzwergeSealNoBid | GartenzwergeChooseDeal | GartenzwergeNameMate | GartenzwergeReturnGreys | GartenzwergeSellForUpkeep | HoherRatDiscuss | HoherRatPlayTrilith | HoherRatPlaceFollower | HoherRatPlaceSpeaker | HoherRatPromoteFollower | HoherRatClaimField | HoherRatPonder | HoherRatConfer | HoherRatReturnCard | HoherRatConvince | HoherRatEndTurn | WichtelMarchGnomes | WichtelPlayMovement | WichtelCallGnome | WichtelSwapGnome | WichtelReturnGnome | WichtelRecruitGnome | WichtelLayBribe | WichtelPassBribe | WichtelVetoBribe | WichtelSpareBribes | WichtelRollForGnome | WichtelAcceptOutcome | WichtelLookAgain | WichtelGiveGnome | WichtelLayGnome | WichtelEndRound | WichtelGoOn | WichtelFreeOfficer | WichtelPassDie | MoveCode

SessionListSessions: TypeAlias = SessionOverview | OpenSession

SessionSeen: TypeAlias = SessionShown | SessionOverview

SessionStreamMessage: TypeAlias = StateMessage | ChangeMessage | PresenceMessage | PhraseMessage | HeartbeatMessage | EndMessage

View: TypeAlias = BarbarossaWizardView | GartenzwergeClubView | HoherRatCouncilView | WichtelVillageView

WichtelEvent: TypeAlias = WichtelVillageSetUp | WichtelHandDealt | WichtelGnomesMarched | WichtelMarchTurned | WichtelMovementPlayed | WichtelGnomeCalled | WichtelGnomeOffered | WichtelGnomesSwapped | WichtelGnomeCourted | WichtelBribeLaid | WichtelBribePassed | WichtelBribesOpened | WichtelBribeVetoed | WichtelBribesSpared | WichtelGnomeRolledFor | WichtelLookedAgain | WichtelGnomeRefused | WichtelGnomeWon | WichtelGnomeGiven | WichtelGnomeLaid | WichtelEndDeclined | WichtelOfficerFreed | WichtelDiePassed | WichtelRetinuesOpened | WichtelRetinueScored | WichtelChiefCrowned | WichtelVillageFound | WichtelHandFound

WichtelMove: TypeAlias = WichtelMarchGnomes | WichtelPlayMovement | WichtelCallGnome | WichtelSwapGnome | WichtelReturnGnome | WichtelRecruitGnome | WichtelLayBribe | WichtelPassBribe | WichtelVetoBribe | WichtelSpareBribes | WichtelRollForGnome | WichtelAcceptOutcome | WichtelLookAgain | WichtelGiveGnome | WichtelLayGnome | WichtelEndRound | WichtelGoOn | WichtelFreeOfficer | WichtelPassDie
