// The body of a request for a new table.

import type { GameCard, Level, NewSession } from "./api";

/** The choices for a new table. */
export interface Wish {
  name: string;
  language: string;
  /** The other seats: open, or a bot of a level. */
  others: readonly (Level | "open")[];
  watching: boolean;
  takeback: boolean;
  /** Whether anybody may take the open seats. */
  listed?: boolean;
  /** Minutes for a move, 0 without a clock. */
  minutes?: number;
  /** Whether the game may take days, with pauses and vacations. */
  slow?: boolean;
}

/** Return the field for a name, or nothing for an empty one. */
export const named = (name: string) => (name.trim() ? { name: name.trim().slice(0, 40) } : {});

const DAY_MS = 86_400_000;

/** The terms of a table that lasts for days. */
const SLOW: Pick<NewSession, "pauses" | "absence"> = {
  pauses: { consent: true, days_per_seat: 7 },
  absence: { then: "bot", bot: { level: "medium" }, after_ms: 7 * DAY_MS, vote_after_ms: DAY_MS },
};

export function newSession(game: Pick<GameCard, "game">, { name, language, others, watching, takeback, listed, minutes, slow }: Wish): NewSession {
  return {
    game: game.game,
    seats: [
      { kind: "human", ...named(name) },
      ...others.map((other) => (other === "open" ? { kind: "open" as const } : { kind: "bot" as const, bot: { level: other } })),
    ],
    spectators: watching ? "live" : "none",
    undo: takeback ? "consent" : "off",
    ...(slow ? SLOW : {}),
    ...(listed && others.includes("open") ? { listed: true, language: language as never } : {}),
    ...(game.game === "barbarossa" ? { options: { language } as never } : {}),
    ...(minutes ? { clock: { move_ms: minutes * 60_000, policy: "bot" as const, bot: { level: "medium" as Level } } } : {}),
  };
}

/** Return a table of one person and as few easy bots as the game allows. */
export function quickTable(game: GameCard, name: string, language: string): NewSession {
  const others = Array<Level>(game.seat_counts.allowed[0]! - 1).fill("easy");
  return newSession(game, { name, language, others, watching: true, takeback: true });
}
