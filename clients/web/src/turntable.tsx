// A figure as the others will see it; it can be turned by dragging, by buttons and by the keyboard.

import { type ReadonlySignal, useSignal, useSignalEffect } from "@preact/signals";
import { useRef } from "preact/hooks";
import { type Move, type Picture, send } from "./api";
import { Board } from "./board";
import { language, t } from "./texts";
import { dark } from "./theme";

/** Degrees between two views. */
const STEP = 15;
const PIXELS_PER_STEP = 14;
const DELAY_MS = 200;

/** `draft` is the move that would hand the figure in, as JSON. */
export function Turntable({ game, draft }: { game: string; draft: ReadonlySignal<string> }) {
  const angle = useSignal(0);
  const picture = useSignal<string | null>(null);
  const views = useRef({ draft: "", found: new Map<string, string>() });
  const drag = useRef<[x: number, angle: number] | null>(null);

  useSignalEffect(() => {
    const query = `theme=${dark.value ? "dark" : "light"}&angle=${angle.value}`;
    const text = `${language.value} ${draft.value}`;
    if (!draft.value) return;
    if (views.current.draft !== text) views.current = { draft: text, found: new Map() };
    const { found } = views.current;
    const known = found.get(query);
    if (known) return void (picture.value = known);
    const ending = new AbortController();
    const timer = setTimeout(() => {
      const body = { draft: JSON.parse(draft.peek()) as Move } as Picture;
      send("POST", `/v1/games/${game}/pictures?${query}`, { body, signal: ending.signal })
        .then((answer) => answer.text())
        .then((drawn) => (found.set(query, drawn), (picture.value = drawn)))
        .catch(() => {});
    }, drag.current ? 0 : DELAY_MS);
    return () => (clearTimeout(timer), ending.abort());
  });

  const turn = (to: number) => (angle.value = ((Math.round(to / STEP) * STEP) % 360 + 360) % 360);
  const down = (event: PointerEvent) => {
    drag.current = [event.clientX, angle.value];
    (event.currentTarget as Element).setPointerCapture(event.pointerId);
  };
  const move = (event: PointerEvent) => drag.current && turn(drag.current[1] + ((event.clientX - drag.current[0]) / PIXELS_PER_STEP) * STEP);
  const end = () => (drag.current = null);
  return (
    <figure class="turntable" data-angle={angle.value} hidden={!picture.value}>
      <figcaption class="small">{t("look")}</figcaption>
      <div onPointerDown={down} onPointerMove={move} onPointerUp={end} onPointerCancel={end}><Board picture={picture} /></div>
      <p class="row">
        <button class="plain" name="turn-left" aria-label={t("turn_left")} onClick={() => turn(angle.value - STEP)}>⟲</button>
        <input type="range" aria-label={t("turn_by")} min={0} max={360 - STEP} step={STEP} value={angle.value} onInput={(event) => turn(Number(event.currentTarget.value))} />
        <button class="plain" name="turn-right" aria-label={t("turn_right")} onClick={() => turn(angle.value + STEP)}>⟳</button>
      </p>
    </figure>
  );
}
