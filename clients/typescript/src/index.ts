export { Client, type ClientOptions, type PlayOptions, Table } from "./client.js";
export { CONTRACT_VERSION } from "./generated/contract.js";
export { Job, type Progress } from "./job.js";
export { DorfplatzError } from "./problems.js";
export { type HintSettings, Seat } from "./seat.js";
export type { Game, ListedMove, Message, Move, Played, Schemas, State, View } from "./types.js";
