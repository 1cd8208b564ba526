// boardgame.io's own server with Pebbles: `node server.js PORT LOBBY_PORT [FOLDER]`; matches are in memory, or files in a folder.
// The lobby has a port of its own, as the library offers, because newer releases of koa than its own leave it without one otherwise.

const { Server, FlatFile } = require('boardgame.io/server')
const { version } = require('boardgame.io/package.json')
const { pebbles } = require('./pebbles')

const [port, apiPort, dir] = process.argv.slice(2)
const server = Server({ games: [pebbles], origins: [/^http:/], db: dir ? new FlatFile({ dir }) : undefined })

server.run({
  port: Number(port),
  lobbyConfig: { apiPort: Number(apiPort) },
  callback: () => console.log(JSON.stringify({ version }))
})
