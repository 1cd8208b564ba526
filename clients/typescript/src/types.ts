// The contract's types by game: `Move<"hoher-rat">` is the union of its moves, distinguished by `kind`.

import type { components } from "./generated/contract.js";

export type Schemas = components["schemas"];

type AnyMove = Schemas["Move"];
type AnyView = Schemas["View"];

/** The slug of a game; a service may have more games than the contract of this package. */
export type Game = AnyView["game"];

type Prefix<Slug extends string> = Slug extends `${infer Word}-${infer Rest}`
  ? `${Capitalize<Word>}${Prefix<Rest>}`
  : Capitalize<Slug>;

type Named<Name extends string, Otherwise> = Name extends keyof Schemas ? Schemas[Name] : Otherwise;

/** The moves of a game, distinguished by `kind`. */
export type Move<G extends string = string> = Named<`${Prefix<G>}Move`, AnyMove>;

/** A seat's view of a game. */
export type View<G extends string = string> = G extends Game ? Extract<AnyView, { game: G }> : AnyView;

/** A legal move with its code and its label. */
export type ListedMove<G extends string = string> = Omit<Schemas["ListedMove"], "move"> & { move: Move<G> };

/** A session as its seat sees it. */
export type State<G extends string = string> = Omit<Schemas["SessionState"], "game" | "view"> & {
  game: G;
  view?: View<G>;
};

/** The result of a move: the new state for its seat, and the events. */
export type Played<G extends string = string> = State<G> & Pick<Schemas["MovePlayed"], "events">;

/** The messages of a stream, distinguished by `event`: first `state`, then each `change`, and `end`. */
export type Message<G extends string = string> =
  | (Omit<Schemas["StateMessage"], "data"> & { data: State<G> })
  | Exclude<Schemas["SessionStreamMessage"], Schemas["StateMessage"] | Schemas["HeartbeatMessage"]>;
