// Dice that roll and hidden answers that open: the part of an event that is shown before its position.

import type { ToldEvent } from "./api";

/** The answer of one seat, as it is opened. */
export interface Face {
  /** Null for the answer of nobody at the table. */
  seat: number | null;
  amount?: number;
  /** Key of a card, in the game's reference sheet `actions`. */
  card?: string;
}

export type Reveal =
  | { type: "die"; text: string; face: number; needed?: number; success?: boolean }
  | { type: "cards"; text: string; faces: Face[] };

const face = (seat: number | null, amount: number | null): Face => (amount === null ? { seat } : { seat, amount });

/** Return the revealed thing of an event, or null if it reveals nothing. */
export function revealOf({ event, text }: ToldEvent): Reveal | null {
  switch (event.kind) {
    case "die_rolled":
      return { type: "die", text, face: event.face };
    case "gnome_rolled_for":
      return { type: "die", text, face: event.roll, needed: event.needed, success: event.success };
    case "amounts_opened": {
      const faces = [face(event.seat, event.own), ...event.answers.map((each) => face(each.seat, each.amount))];
      return { type: "cards", text, faces: event.schmiedel === null ? faces : [...faces, face(null, event.schmiedel)] };
    }
    case "bribes_opened": {
      const faces = event.bribes.map((card, seat) => (card === null ? { seat } : { seat, card }));
      const laid = faces.filter((each) => "card" in each);
      return laid.length ? { type: "cards", text, faces: laid } : null;
    }
    default:
      return null;
  }
}

export const revealsOf = (events: readonly ToldEvent[]): Reveal[] => events.flatMap((each) => revealOf(each) ?? []);

/** How long a die tumbles, and a card waits for the one before it. */
export const TUMBLE_MS = 700;
export const FLIP_MS = 220;
const READ_MS = 900;

/** Return the time until all of a reveal can be read. */
export const settledMs = (reveal: Reveal): number => (reveal.type === "die" ? TUMBLE_MS : FLIP_MS * (reveal.faces.length + 1));

/** Return the display time of a reveal. */
export const revealMs = (reveal: Reveal): number => READ_MS + settledMs(reveal);
