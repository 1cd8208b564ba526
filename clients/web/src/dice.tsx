// Dice and opened answers over the picture, before the position that they lead to.

import { useSignal, useSignalEffect } from "@preact/signals";
import { type Sheet, linesOf } from "./api";
import { FLIP_MS, type Face, type Reveal, TUMBLE_MS, settledMs } from "./reveal";
import { nameOf } from "./seats";
import type { Table } from "./table";
import { language, t } from "./texts";

/** Places of the pips of each face, on a grid of three by three from the upper left. */
const PIPS = [[4], [0, 8], [0, 4, 8], [0, 2, 6, 8], [0, 2, 4, 6, 8], [0, 2, 3, 5, 6, 8]];
const TURN_MS = 90;

function Die({ reveal }: { reveal: Extract<Reveal, { type: "die" }> }) {
  const shown = useSignal(1 + (reveal.face % 6));
  useSignalEffect(() => {
    const timer = setInterval(() => (shown.value = 1 + ((shown.peek() + 1 + Math.floor(Math.random() * 4)) % 6)), TURN_MS);
    const end = setTimeout(() => (clearInterval(timer), (shown.value = reveal.face)), TUMBLE_MS);
    return () => (clearInterval(timer), clearTimeout(end));
  });
  return (
    <svg class="die" viewBox="0 0 64 64" data-face={reveal.face} style={{ animationDuration: `${TUMBLE_MS}ms` }}>
      <rect x="2" y="2" width="60" height="60" rx="12" />
      {PIPS[shown.value - 1]!.map((at) => <circle key={at} cx={16 + 16 * (at % 3)} cy={16 + 16 * Math.floor(at / 3)} r="5.5" />)}
    </svg>
  );
}

function Cards({ table, faces }: { table: Table; faces: Face[] }) {
  const names = useSignal<Sheet["lines"]>([]);
  useSignalEffect(() => {
    void language.value; // the request names it
    if (faces.some((each) => each.card))
      linesOf(table.state.peek()!.game, "actions").then((found) => (names.value = found), () => {});
  });
  const written = ({ amount, card }: Face) => {
    if (amount !== undefined) return amount.toLocaleString(language.value);
    return card ? (names.value.find((each) => each.id === card)?.text.split(" (")[0] ?? "") : t("no_bid");
  };
  return (
    <ul class="opened">
      {faces.map((each, at) => (
        <li key={at} style={{ animationDelay: `${FLIP_MS * (at + 1)}ms` }}>
          <b>{written(each)}</b>
          <span>{each.seat === null ? t("house") : nameOf(table.state.value!, each.seat)}</span>
        </li>
      ))}
    </ul>
  );
}

/** An opened hand of gnomes, each with its short name and its value; the text beside it has the full names. */
export function Hand({ table, cards }: { table: Table; cards: string[] }) {
  const names = useSignal<Sheet["lines"]>([]);
  useSignalEffect(() => {
    void language.value; // the request names it
    linesOf(table.state.peek()!.game, "gnomes").then((found) => (names.value = found), () => {});
  });
  return (
    <ol class="opened hand" aria-hidden="true">
      {cards.map((card, at) => {
        const [, short = "", value = ""] = /\((.+?)\): ([^;]*)/.exec(names.value.find((each) => each.id === card)?.text ?? "") ?? [];
        return <li key={at} style={{ animationDelay: `${FLIP_MS * at}ms` }}><b>{short}</b><span>{value}</span></li>;
      })}
    </ol>
  );
}

/** Screen readers get the same from the log. */
export function Revealed({ table }: { table: Table }) {
  const reveal = table.story.reveal.value;
  if (!reveal) return null;
  return (
    <div class="reveal" aria-hidden="true" data-reveal={reveal.type} onClick={() => table.story.skip()}>
      {reveal.type === "die" ? <Die key={reveal.text} reveal={reveal} /> : <Cards key={reveal.text} table={table} faces={reveal.faces} />}
      <p style={{ animationDelay: `${settledMs(reveal)}ms` }}>{reveal.text}</p>
    </div>
  );
}
