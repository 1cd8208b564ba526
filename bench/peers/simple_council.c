/* A simplified Der Hohe Rat in plain C, played at random: what a hand-written loop reaches on this machine.
 *
 * Two factions with two colours each on a ring of thirty. A turn is any number of convincings and one action, then
 * its end. Left out against the full rules: relocation, conferring, ending a turn without an action, discussing with
 * less room than cards, triliths for one argument, and the cap on idle turns; 600 moves end a game undecided.
 * Every move does what the kernel does, on the same data: list all legal moves as packed numbers, pick one, apply it.
 *
 * Usage: simple_council SECONDS; prints one line of JSON, rated by the CPU time of the process.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NUMBER_CARDS 0x3FFFFFFFu
#define ALL_CARDS 0xFFFFFFFFu
#define EVERY_SIXTH 0x01041041u

enum { RING = 30, HUES = 6, BLACK = 5, ARGUMENTS = 5, FOLLOWERS = 10, HAND = 3, OWN_LIMIT = 6, SUPPLY = 10 };
enum { MAJORITY = 16, CLAIM_PRICE = 3, MOST_PLIES = 600, MOST_MOVES = 512, NO_CARD = 31, RUNNING = -1, UNDECIDED = 2 };

typedef enum { DISCUSS, TRILITH, FOLLOWER, SPEAKER, PROMOTE, CLAIM, PONDER, CONVINCE, END_TURN } Kind;

/* A packed move. card: the card played, or the field that convinces; also: second card, first argument or target
 * field; third: third card; hue: argument taken or paid; colour: of the piece set. */
typedef int Move;

static Move packed(Kind kind, int card, int also, int third, int hue, int colour) {
    return (int)kind | card << 4 | also << 9 | third << 14 | hue << 19 | colour << 22;
}

static int kind_of(Move move) { return move & 15; }
static int card_of(Move move) { return move >> 4 & 31; }
static int also_of(Move move) { return move >> 9 & 31; }
static int third_of(Move move) { return move >> 14 & 31; }
static int hue_of(Move move) { return move >> 19 & 7; }
static int colour_of(Move move) { return move >> 22; }

typedef struct {
    uint32_t colour[2]; /* fields, by colour */
    uint32_t speakers;  /* fields with a speaker */
    uint32_t hand, pile, played;
    uint32_t arguments; /* four bits a colour */
} Faction;

typedef struct {
    Faction faction[2];
    int turn, acted, voting, winner, plies;
} Table;

static int64_t generator;

static int below(int limit) {
    generator = generator * 48271 % 2147483647;
    return (int)(generator * limit >> 31);
}

static int size_of(uint32_t set) { return __builtin_popcount(set); }
static int lowest(uint32_t set) { return __builtin_ctz(set); }
static uint32_t only(int member) { return 1u << member; }

static uint32_t beside(uint32_t fields) {
    return (fields << 1 | fields >> (RING - 1) | fields >> 1 | fields << (RING - 1)) & NUMBER_CARDS;
}

static int held(const Faction *side, int hue) { return side->arguments >> 4 * hue & 15; }

static int run_length(uint32_t fields, int field) {
    uint32_t run = only(field), before = 0;
    while (run != before) {
        before = run;
        run = (run | beside(run)) & fields;
    }
    return size_of(run);
}

static uint32_t fields_of(const Faction *side) { return side->colour[0] | side->colour[1]; }

static int colour_at(const Faction *side, int field) { return side->colour[1] >> field & 1; }

static int group_at(const Faction *side, int field) { return run_length(side->colour[colour_at(side, field)], field); }

static int has_follower(const Faction *side, int colour) {
    return size_of(side->colour[colour] & ~side->speakers) < FOLLOWERS;
}

static int has_speaker(const Faction *side, int colour) { return !(side->colour[colour] & side->speakers); }

static int price_of(const Table *table, int source, int target) {
    const Faction *me = &table->faction[table->turn], *foe = &table->faction[!table->turn];
    int size = group_at(foe, target);
    if (table->voting && group_at(me, source) > size) return 1;
    return size > 3 || foe->speakers & only(target) ? 3 : size;
}

static int room_for(const Table *table, int hue) {
    int mine = held(&table->faction[table->turn], hue);
    int left = SUPPLY - mine - held(&table->faction[!table->turn], hue);
    return OWN_LIMIT - mine < left ? OWN_LIMIT - mine : left;
}

static Move *add(Move *next, Kind kind, int card, int also, int third, int hue, int colour) {
    *next = packed(kind, card, also, third, hue, colour);
    return next + 1;
}

/* One way of playing number cards: all of one hue, black ones serving as any. */
static Move *list_play(Move *next, const Table *table, int cards, int x, int y, int z) {
    int hue = x % HUES, hues[2] = {y % HUES, z % HUES};
    for (int other = 0; other < cards - 1; other++) {
        if (hue == BLACK) hue = hues[other];
        else if (hues[other] != BLACK && hues[other] != hue) return next;
    }
    if (hue != BLACK) return room_for(table, hue) >= cards ? add(next, DISCUSS, x, y, z, hue, 0) : next;
    for (hue = 0; hue < ARGUMENTS; hue++)
        if (room_for(table, hue) >= cards) next = add(next, DISCUSS, x, y, z, hue, 0);
    return next;
}

static Move *list_discussions(Move *next, const Table *table) {
    uint32_t hand = table->faction[table->turn].hand;
    for (uint32_t a = hand & NUMBER_CARDS; a; a &= a - 1) {
        next = list_play(next, table, 1, lowest(a), NO_CARD, NO_CARD);
        for (uint32_t b = a & (a - 1); b; b &= b - 1) {
            next = list_play(next, table, 2, lowest(a), lowest(b), NO_CARD);
            if (b & (b - 1)) next = list_play(next, table, 3, lowest(a), lowest(b), lowest(b & (b - 1)));
        }
    }
    for (uint32_t card = hand & ~NUMBER_CARDS; card; card &= card - 1)
        for (int one = 0; one < ARGUMENTS; one++) {
            int room = room_for(table, one);
            if (room < 1) continue;
            if (room > 1) next = add(next, TRILITH, lowest(card), one, 0, one, 0);
            for (int two = one + 1; two < ARGUMENTS; two++)
                if (room_for(table, two) > 0) next = add(next, TRILITH, lowest(card), one, 0, two, 0);
        }
    return next;
}

static Move *list_seats(Move *next, const Table *table, int first, int end) {
    const Faction *me = &table->faction[table->turn];
    uint32_t mine = fields_of(me), taken = mine | fields_of(&table->faction[!table->turn]);
    for (uint32_t cards = me->hand & NUMBER_CARDS; cards; cards &= cards - 1) {
        int card = lowest(cards), hue = card % HUES;
        if (!(taken & only(card))) {
            for (int colour = first; colour < end; colour++) next = add(next, FOLLOWER, card, card, 0, 0, colour);
            for (int colour = 0; colour < 2; colour++)
                if (has_speaker(me, colour)) next = add(next, SPEAKER, card, card, 0, 0, colour);
        } else if (mine & only(card) & ~me->speakers && has_speaker(me, colour_at(me, card))) {
            next = add(next, PROMOTE, card, card, 0, 0, colour_at(me, card));
        }
        for (int paid = 0; paid < ARGUMENTS; paid++) {
            if ((hue != BLACK && hue != paid) || held(me, paid) < CLAIM_PRICE) continue;
            for (uint32_t empty = EVERY_SIXTH << hue & NUMBER_CARDS & ~taken; empty; empty &= empty - 1)
                for (int colour = first; colour < end; colour++)
                    next = add(next, CLAIM, card, lowest(empty), 0, paid, colour);
        }
    }
    return next;
}

static Move *list_convincings(Move *next, const Table *table, int first, int end) {
    const Faction *me = &table->faction[table->turn];
    uint32_t foes = fields_of(&table->faction[!table->turn]);
    for (uint32_t sources = fields_of(me) & beside(foes); sources; sources &= sources - 1) {
        int source = lowest(sources), hue = source % HUES;
        if (hue != BLACK && held(me, hue) == 0) continue;
        for (uint32_t targets = beside(only(source)) & foes; targets; targets &= targets - 1) {
            int target = lowest(targets), price = price_of(table, source, target);
            for (int paid = 0; paid < ARGUMENTS; paid++) {
                if ((hue != BLACK && hue != paid) || held(me, paid) < price) continue;
                for (int colour = first; colour < end; colour++)
                    next = add(next, CONVINCE, source, target, 0, paid, colour);
            }
        }
    }
    return next;
}

static int list_moves(const Table *table, Move *moves) {
    const Faction *me = &table->faction[table->turn];
    int first = has_follower(me, 0) ? 0 : 1, end = has_follower(me, 1) ? 2 : 1;
    Move *next = moves;
    if (table->acted) {
        next = add(next, END_TURN, 0, 0, 0, 0, 0);
    } else {
        next = add(next, PONDER, 0, 0, 0, 0, 0);
        next = list_discussions(next, table);
        next = list_seats(next, table, first, end);
    }
    if (me->arguments && first < end) next = list_convincings(next, table, first, end);
    return (int)(next - moves);
}

static void draw(Faction *side, int cards) {
    while (cards-- > 0) {
        if (!side->pile) {
            side->pile = side->played;
            side->played = 0;
        }
        uint32_t left = side->pile;
        for (int skip = below(size_of(left)); skip > 0; skip--) left &= left - 1;
        uint32_t card = left & -left;
        side->pile ^= card;
        side->hand |= card;
    }
}

static void pay(Faction *side, int hue, int price) {
    side->arguments -= (uint32_t)price << 4 * hue;
}

static void take(Faction *side, int hue, int number) {
    side->arguments += (uint32_t)number << 4 * hue;
}

static void set_piece(Table *table, int field, int colour, int speaker) {
    Faction *me = &table->faction[table->turn], *foe = &table->faction[!table->turn];
    me->colour[colour] |= only(field);
    if (speaker) me->speakers |= only(field);
    if ((fields_of(me) | fields_of(foe)) == NUMBER_CARDS) table->voting = 1;
    if (run_length(fields_of(me), field) >= MAJORITY) table->winner = table->turn;
}

static void convince(Table *table, Move move) {
    Faction *foe = &table->faction[!table->turn];
    pay(&table->faction[table->turn], hue_of(move), price_of(table, card_of(move), also_of(move)));
    foe->colour[0] &= ~only(also_of(move));
    foe->colour[1] &= ~only(also_of(move));
    foe->speakers &= ~only(also_of(move));
    set_piece(table, also_of(move), colour_of(move), 0);
}

static void act(Table *table, Move move) {
    Faction *me = &table->faction[table->turn];
    uint32_t used = kind_of(move) == PONDER ? me->hand : only(card_of(move));
    if (kind_of(move) == DISCUSS && also_of(move) != NO_CARD) used |= only(also_of(move));
    if (kind_of(move) == DISCUSS && third_of(move) != NO_CARD) used |= only(third_of(move));
    table->acted = 1;
    me->hand ^= used;
    me->played |= used;
    switch (kind_of(move)) {
    case DISCUSS:
        take(me, hue_of(move), size_of(used));
        break;
    case TRILITH:
        take(me, also_of(move), 1);
        take(me, hue_of(move), 1);
        break;
    case CLAIM:
        pay(me, hue_of(move), CLAIM_PRICE);
        set_piece(table, also_of(move), colour_of(move), 0);
        break;
    case FOLLOWER:
        set_piece(table, also_of(move), colour_of(move), 0);
        break;
    case SPEAKER:
    case PROMOTE:
        set_piece(table, also_of(move), colour_of(move), 1);
        break;
    }
    draw(me, size_of(used));
}

static void apply(Table *table, Move move) {
    table->plies++;
    if (kind_of(move) == CONVINCE) {
        convince(table, move);
    } else if (kind_of(move) == END_TURN) {
        table->turn = !table->turn;
        table->acted = 0;
    } else {
        act(table, move);
    }
    if (table->winner == RUNNING && table->plies >= MOST_PLIES) table->winner = UNDECIDED;
}

static int play_game(void) {
    Table table;
    Move moves[MOST_MOVES];
    memset(&table, 0, sizeof table);
    table.winner = RUNNING;
    for (int side = 0; side < 2; side++) {
        table.faction[side].pile = ALL_CARDS;
        draw(&table.faction[side], HAND);
    }
    while (table.winner == RUNNING) {
        int number = list_moves(&table, moves);
        apply(&table, moves[below(number)]);
    }
    return table.plies;
}

static double cpu_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

int main(int count, char **arguments) {
    double wanted = count > 1 ? atof(arguments[1]) : 1.0, used = 0.0, began;
    int64_t games = 0, moves = 0;
    generator = 2654435761 % 2147483646 + 1;
    began = cpu_seconds();
    do {
        for (int game = 0; game < 100; game++) moves += play_game();
        games += 100;
        used = cpu_seconds() - began;
    } while (used < wanted);
    printf("{\"moves_per_second\": %.0f, \"games_per_second\": %.1f, \"moves_per_game\": %.2f}\n", (double)moves / used,
           (double)games / used, (double)moves / (double)games);
    return 0;
}
