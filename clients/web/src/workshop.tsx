// The sheets on which a riddle is shaped: lumps of clay from the front and from above, and ink.

import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { type Part, SHAPES, type Shape, type Side, outline } from "./clay";
import { MAX_PARTS, MAX_POINTS, MAX_STROKES, type Riddle, newPart, placeOf, placed, scaled } from "./models";
import { t } from "./texts";

/** Points of a line that are nearer to each other, of 1024, are one. */
const FINE = 6;
const LARGER = 1.15;
const AXES = ["axis_across", "axis_deep", "axis_high"] as const;

interface Properties {
  riddle: { value: Riddle };
  change: (changes: Partial<Riddle>) => void;
}

/** Return the place of a pointer on a sheet of some width. */
function spot(event: PointerEvent, width: number): [number, number] {
  const box = (event.currentTarget as Element).getBoundingClientRect();
  const to = (value: number, size: number) => Math.min(width - 1, Math.max(0, Math.round((value / size) * width)));
  return [to(event.clientX - box.left, box.width), to(event.clientY - box.top, box.height)];
}

/** Keep a browser from taking a quick line for a fling: Chromium would let the next tap stop it, and make no click of it. */
const hold = (event: TouchEvent) => event.preventDefault();

interface SheetProperties {
  side: Side;
  parts: Part[];
  chosen: { value: number };
  put: (number: number, part: Part) => void;
}

/** All lumps seen from one side; each can be dragged. */
function ClaySheet({ side, parts, chosen, put }: SheetProperties) {
  const drag = useRef<{ from: [number, number]; part: Part } | null>(null);
  const down = (event: PointerEvent) => {
    const number = Number((event.target as Element).getAttribute("data-lump") ?? -1);
    if (number < 0) return;
    chosen.value = number;
    drag.current = { from: spot(event, 1000), part: parts[number]! };
    (event.currentTarget as Element).setPointerCapture(event.pointerId);
  };
  const move = (event: PointerEvent) => {
    if (!drag.current) return;
    const { from, part } = drag.current;
    const [x, y] = spot(event, 1000);
    const [across, up] = [(x - from[0]) / 1000, (from[1] - y) / 1000];
    const [px, py, pz] = placeOf(part);
    put(chosen.value, placed(part, side === "front" ? [px + across, py, pz + up] : [px + across, py + up, pz]));
  };
  const end = () => (drag.current = null);
  const far = (part: Part) => (side === "front" ? placeOf(part)[1] : -placeOf(part)[2]);
  const order = parts.map((each, number) => [far(each), number] as const).sort((one, other) => other[0] - one[0]);
  return (
    <figure>
      <svg class="sheet" viewBox="0 0 200 200" role="img" aria-label={t(side)} onTouchStart={hold} onPointerDown={down} onPointerMove={move} onPointerUp={end} onPointerCancel={end}>
        {side === "front" && <line x1="0" x2="200" y1="199.5" y2="199.5" class="ground" />}
        {order.map(([, number]) => <path key={number} data-lump={number} class={number === chosen.value ? "lump is" : "lump"} d={outline(parts[number]!, side)} />)}
      </svg>
      <figcaption class="small">{t(side)}</figcaption>
    </figure>
  );
}

export function Clay({ riddle, change }: Properties) {
  const chosen = useSignal(0);
  const parts = riddle.value.parts;
  const part = parts[chosen.value];
  const put = (number: number, other: Part) => change({ parts: parts.map((each, at) => (at === number ? other : each)) });
  const add = (shape: Shape) => {
    if (parts.length >= MAX_PARTS) return;
    change({ parts: [...parts, newPart(shape)] });
    chosen.value = parts.length;
  };
  const set = (key: "p" | "z" | "r", axis: number, value: number) =>
    put(chosen.value, { ...part!, [key]: (part![key] ?? [0, 0, 0]).map((old, at) => (at === axis ? value : old)) });
  const remove = () => {
    change({ parts: parts.filter((_, number) => number !== chosen.value) });
    chosen.value = 0;
  };
  const ranges = [["p", "place", [-0.5, 0.5]], ["z", "size", [0.02, 1]], ["r", "turn", [0, 355]]] as const;
  return (
    <>
      <p class="row" role="group" aria-label={t("add")}>
        {SHAPES.map((shape) => <button key={shape} class="plain" data-shape={shape} onClick={() => add(shape)}>+ {t(shape)}</button>)}
      </p>
      <div class="sides">
        {(["front", "above"] as const).map((side) => <ClaySheet key={side} side={side} parts={parts} chosen={chosen} put={put} />)}
      </div>
      {parts.length > 0 && (
        <label>
          {t("lumps")}
          <select value={chosen.value} onChange={(event) => (chosen.value = Number(event.currentTarget.value))}>
            {parts.map((each, number) => <option key={number} value={number}>{t("lump_n", { shape: t(each.s), n: number + 1 })}</option>)}
          </select>
        </label>
      )}
      {part && (
        <>
          <p class="row">
            <button class="plain" name="larger" onClick={() => put(chosen.value, scaled(part, LARGER))}>{t("larger")}</button>
            <button class="plain" name="smaller" onClick={() => put(chosen.value, scaled(part, 1 / LARGER))}>{t("smaller")}</button>
            <button class="plain" name="remove" onClick={remove}>{t("remove")}</button>
          </p>
          <details>
            <summary>{t("exactly")}</summary>
            {ranges.map(([key, title, [min, max]]) => (
              <fieldset key={key} class="axes">
                <legend>{t(title)}</legend>
                {AXES.map((axis, number) => (
                  <label key={axis}>
                    {t(axis)}
                    <input
                      type="range"
                      name={`${key}${number}`}
                      min={key === "p" && number === 2 ? 0 : min}
                      max={key === "p" && number === 2 ? 1 : max}
                      step={key === "r" ? 5 : 0.01}
                      value={part[key]?.[number] ?? 0}
                      onInput={(event) => set(key, number, Number(event.currentTarget.value))}
                    />
                  </label>
                ))}
              </fieldset>
            ))}
          </details>
        </>
      )}
    </>
  );
}

export function Ink({ riddle, change }: Properties) {
  const drawing = useRef(false);
  const strokes = riddle.value.strokes;
  const points = strokes.reduce((sum, each) => sum + each.length, 0);
  const down = (event: PointerEvent) => {
    if (strokes.length >= MAX_STROKES || points >= MAX_POINTS) return;
    drawing.current = true;
    (event.currentTarget as Element).setPointerCapture(event.pointerId);
    change({ strokes: [...strokes, [spot(event, 1024)]] });
  };
  const move = (event: PointerEvent) => {
    const stroke = strokes.at(-1);
    if (!drawing.current || !stroke || points >= MAX_POINTS) return;
    const [x, y] = spot(event, 1024);
    const [oldX, oldY] = stroke.at(-1)!;
    if (Math.hypot(x - oldX, y - oldY) >= FINE) change({ strokes: [...strokes.slice(0, -1), [...stroke, [x, y]]] });
  };
  const end = () => (drawing.current = false);
  return (
    <>
      <svg class="sheet ink" viewBox="0 0 1024 1024" role="img" aria-label={t("draw_here")} onTouchStart={hold} onPointerDown={down} onPointerMove={move} onPointerUp={end} onPointerCancel={end}>
        {strokes.map((each, number) => <polyline key={number} points={each.concat(each.length === 1 ? [each[0]!] : []).map((one) => one.join(",")).join(" ")} />)}
      </svg>
      <p class="small">{t("draw_here")}</p>
      <p><button class="plain" disabled={strokes.length === 0} onClick={() => change({ strokes: strokes.slice(0, -1) })}>{t("erase")}</button></p>
    </>
  );
}
