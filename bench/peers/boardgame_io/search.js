// boardgame.io's MCTS bot in tic-tac-toe: `node search.js SECONDS`; prints one line of JSON, rated by CPU time.
// An iteration walks down the tree, adds one move and plays at random to the end of the game.

const { Client } = require('boardgame.io/client')
const { MCTSBot } = require('boardgame.io/ai')
const { INVALID_MOVE } = require('boardgame.io/core')
const { version } = require('boardgame.io/package.json')

const ITERATIONS = 200
const LINES = ['012', '345', '678', '036', '147', '258', '048', '246'].map((line) => [...line].map(Number))

const empty = (cells) => cells.flatMap((owner, cell) => (owner === null ? [cell] : []))
const owned = (cells, line) => cells[line[0]] !== null && line.every((cell) => cells[cell] === cells[line[0]])

const game = {
  setup: () => ({ cells: Array(9).fill(null) }),
  turn: { minMoves: 1, maxMoves: 1 },
  moves: {
    mark: ({ G, playerID }, cell) => {
      if (G.cells[cell] !== null) return INVALID_MOVE
      G.cells[cell] = playerID
    }
  },
  endIf: ({ G, ctx }) => {
    if (LINES.some((line) => owned(G.cells, line))) return { winner: ctx.currentPlayer }
    return empty(G.cells).length === 0 ? { draw: true } : undefined
  },
  ai: { enumerate: (G) => empty(G.cells).map((cell) => ({ move: 'mark', args: [cell] })) }
}

const used = () => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}

const main = async (seconds) => {
  const client = Client({ game, numPlayers: 2, debug: false })
  client.start()
  const state = client.store.getState()
  let iterations = 0
  const began = used()
  while (used() - began < seconds || iterations === 0) {
    const bot = new MCTSBot({ game, enumerate: game.ai.enumerate, iterations: ITERATIONS, playoutDepth: 50, seed: `${iterations}` })
    await bot.play(state, '0')
    iterations += ITERATIONS
  }
  console.log(JSON.stringify({ iterations_per_second: iterations / (used() - began), version }))
  client.stop()
}

main(Number(process.argv[2]))
