// Pebbles (tests/toy/RULES.md) in boardgame.io's format: a hidden card each, sealed bids, and pebbles to take.

const { INVALID_MOVE } = require('boardgame.io/core')

const CARDS = [1, 2, 3, 4, 5, 6]
const HEAP = 40

const mapped = (object, change) => Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value, key)]))

const taken = (G, ctx, player, amount) => {
  G.heap -= amount
  if (G.heap === 0) G.winner = player
}

const bid = {
  redact: true,
  client: false,
  move: ({ G, playerID }, amount) => {
    if (G.bids[playerID] !== null || ![0, 1, 2].includes(amount)) return INVALID_MOVE
    G.bids[playerID] = amount
  }
}

const take = ({ G, ctx, playerID }, amount) => {
  if (![1, 2, 3].includes(amount) || amount > G.heap) return INVALID_MOVE
  taken(G, ctx, playerID, amount)
}

const play = {
  client: false,
  move: ({ G, ctx, playerID }, card) => {
    if (G.hands[playerID] !== card || card > G.heap) return INVALID_MOVE
    G.played.push(card)
    G.hands[playerID] = G.deck.pop() ?? null
    taken(G, ctx, playerID, card)
  }
}

exports.pebbles = {
  name: 'pebbles',
  minPlayers: 2,
  maxPlayers: 2,
  setup: ({ ctx, random }) => {
    const deck = random.Shuffle(CARDS)
    const seats = Object.fromEntries(ctx.playOrder.map((player) => [player, null]))
    return { heap: HEAP, hands: mapped(seats, () => deck.pop()), bids: seats, deck, played: [], sealed: true, first: 0, winner: null }
  },
  playerView: ({ G, playerID }) => ({
    ...G,
    deck: G.deck.length,
    hands: mapped(G.hands, (card, player) => (player === playerID ? card : card !== null)),
    bids: G.sealed ? mapped(G.bids, (amount, player) => (player === playerID ? amount : null)) : G.bids
  }),
  phases: {
    bidding: {
      start: true,
      next: 'taking',
      turn: { activePlayers: { all: 'bid' }, stages: { bid: { moves: { bid } } } },
      endIf: ({ G }) => Object.values(G.bids).every((amount) => amount !== null),
      onEnd: ({ G, ctx }) => {
        const bids = ctx.playOrder.map((player) => G.bids[player])
        G.heap += bids.reduce((sum, amount) => sum + amount, 0)
        G.first = bids.indexOf(Math.max(...bids))
        G.sealed = false
      }
    },
    taking: {
      turn: {
        minMoves: 1,
        maxMoves: 1,
        order: { first: ({ G }) => G.first, next: ({ ctx }) => (ctx.playOrderPos + 1) % ctx.numPlayers }
      },
      moves: { take, play }
    }
  },
  endIf: ({ G }) => (G.winner === null ? undefined : { winner: G.winner })
}
