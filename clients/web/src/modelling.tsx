// The one page that knows a game: Barbarossa's riddles, shaped of clay or drawn with a finger.

import { useComputed, useSignal, useSignalEffect } from "@preact/signals";
import { effect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { type Moves, type Picture, type Sheet, read, send } from "./api";
import { Board } from "./board";
import { type Part, ROLL, SHAPES, type Shape, outline, volume } from "./clay";
import { keep, parsed, stored } from "./storage";
import { riddlesOf } from "./store";
import type { Table } from "./table";
import { language, t } from "./texts";
import { dark } from "./theme";

const MOST_PARTS = 48;
const MOST_STROKES = 64;
const MOST_POINTS = 650;
/** Points of a line that are nearer to each other, of 1024, are one. */
const FINE = 6;
const PREVIEW_MS = 250;
const AXES = ["axis_across", "axis_deep", "axis_high"] as const;

interface Riddle {
  term: string;
  ink: boolean;
  parts: Part[];
  strokes: [number, number][][];
}

/** Return the number of riddles to model, or 0 in any other phase. */
export function models(moves: Moves | null): number {
  const move = moves?.moves[0]?.move as { kind?: string; riddles?: unknown[] } | undefined;
  return move?.kind === "model_riddles" ? (move.riddles?.length ?? 0) : 0;
}

const piece = (riddle: Riddle) =>
  riddle.ink ? { format: "strokes/1", strokes: riddle.strokes } : { format: "clay/1", parts: riddle.parts };
const isThere = (riddle: Riddle) => Boolean(riddle.term) && (riddle.ink ? riddle.strokes.length > 0 : riddle.parts.length > 0);
const asMove = (riddles: Riddle[]) => ({ kind: "model_riddles", riddles: riddles.map((each) => ({ term: each.term, piece: piece(each) })) });

export function Modelling({ table, count }: { table: Table; count: number }) {
  const kept = riddlesOf(table.id);
  const fresh = () => Array.from({ length: count }, (): Riddle => ({ term: "", ink: false, parts: [], strokes: [] }));
  const riddles = useSignal<Riddle[]>(parsed<Riddle[] | null>(stored(kept), null) ?? fresh());
  const at = useSignal(0);
  const open = useSignal(false);
  const terms = useSignal<Sheet | null>(null);
  const picture = useSignal<string | null>(null);
  const riddle = useComputed(() => riddles.value[at.value] ?? fresh()[0]!);

  useEffect(() => effect(() => void keep(kept, JSON.stringify(riddles.value))), []);

  useSignalEffect(() => {
    void language.value;
    if (open.value)
      read<Sheet[]>("/v1/games/barbarossa/reference").then((sheets) => (terms.value = sheets.find((each) => each.key === "terms") ?? null)).catch(() => {});
  });

  useSignalEffect(() => {
    const shown = riddle.value;
    const query = `?theme=${dark.value ? "dark" : "light"}`;
    if (!isThere(shown)) return;
    const body = { draft: asMove([shown]) } as Picture;
    const timer = setTimeout(() => {
      send("POST", `/v1/games/barbarossa/pictures${query}`, { body })
        .then((answer) => answer.text())
        .then((text) => (picture.value = text))
        .catch(() => {});
    }, PREVIEW_MS);
    return () => clearTimeout(timer);
  });

  const change = (changes: Partial<Riddle>) =>
    (riddles.value = riddles.value.map((each, number) => (number === at.value ? { ...each, ...changes } : each)));
  const used = riddles.value.reduce((sum, each) => sum + (each.ink ? 0 : each.parts.reduce((all, part) => all + volume(part), 0)), 0);
  const handIn = async () => {
    const move = asMove(riddles.value);
    if (!(await table.check(move))) return;
    keep(kept, null);
    table.play(move);
  };
  const headings = [...new Set(terms.value?.lines.map((each) => each.heading) ?? [])];

  if (!open.value) return <p><button name="model" onClick={() => (open.value = true)}>{t("model")}</button></p>;
  return (
    <section class="panel modelling" aria-label={t("model")}>
      <p class="small">{t("model_text")}</p>
      <p class="row" role="group" aria-label={t("model")}>
        {riddles.value.map((each, number) => (
          <button key={number} data-riddle={number} class={number === at.value ? "" : "plain"} aria-pressed={number === at.value} onClick={() => (at.value = number)}>
            {t("riddle_n", { n: number + 1 })}{isThere(each) ? " ✓" : ""}
          </button>
        ))}
      </p>
      <label>
        {t("term")}
        <select name="term" value={riddle.value.term} onChange={(event) => change({ term: event.currentTarget.value })}>
          <option value=""></option>
          {headings.map((heading) => (
            <optgroup key={heading} label={heading}>
              {terms.value!.lines.filter((each) => each.heading === heading).map((each) => <option key={each.id} value={each.id}>{each.text}</option>)}
            </optgroup>
          ))}
        </select>
      </label>
      <p class="row" role="group" aria-label={`${t("clay")}, ${t("ink")}`}>
        <button class={riddle.value.ink ? "plain" : ""} aria-pressed={!riddle.value.ink} onClick={() => change({ ink: false })}>{t("clay")}</button>
        <button class={riddle.value.ink ? "" : "plain"} name="ink" aria-pressed={riddle.value.ink} onClick={() => change({ ink: true })}>{t("ink")}</button>
      </p>
      {riddle.value.ink ? <Ink riddle={riddle} change={change} /> : <Clay key={at.value} riddle={riddle} change={change} />}
      <p class="small">{t("used", { n: Math.round((used / ROLL) * 100) })}</p>
      {isThere(riddle.value) && picture.value && <figure><figcaption class="small">{t("look")}</figcaption><Board picture={picture} /></figure>}
      <p class="row">
        <button name="hand-in" disabled={!riddles.value.every(isThere)} onClick={handIn}>{t("hand_in")}</button>
        <button class="plain" onClick={() => (open.value = false)}>{t("close")}</button>
      </p>
    </section>
  );
}

interface Properties {
  riddle: { value: Riddle };
  change: (changes: Partial<Riddle>) => void;
}

/** Return where a pointer is on a sheet of some width. */
function spot(event: PointerEvent, width: number): [number, number] {
  const box = (event.currentTarget as Element).getBoundingClientRect();
  const to = (value: number, size: number) => Math.min(width - 1, Math.max(0, Math.round((value / size) * width)));
  return [to(event.clientX - box.left, box.width), to(event.clientY - box.top, box.height)];
}

/** Keep a browser from taking a quick line for a fling: Chromium would let the next tap stop it, and make no click of it. */
const hold = (event: TouchEvent) => event.preventDefault();

const rounded = (value: number) => Math.round(value * 100) / 100;

function Clay({ riddle, change }: Properties) {
  const chosen = useSignal(0);
  const drag = useRef<[number, number] | null>(null);
  const parts = riddle.value.parts;
  const part = parts[chosen.value];

  const add = (shape: Shape) => {
    if (parts.length >= MOST_PARTS) return;
    const size = shape === "slab" || shape === "torus" ? [0.3, 0.3, 0.08] : shape === "ribbon" ? [0.4, 0.1, 0.12] : shape === "bend" ? [0.4, 0.08, 0.2] : [0.25, 0.25, 0.25];
    change({ parts: [...parts, { s: shape, p: [0, 0, 0.3], r: [0, 0, 0], z: size as Part["z"] }] });
    chosen.value = parts.length;
  };
  const set = (key: "p" | "z" | "r", axis: number, value: number) =>
    change({
      parts: parts.map((each, number) =>
        number === chosen.value ? { ...each, [key]: (each[key] ?? [0, 0, 0]).map((old, at) => (at === axis ? value : old)) } : each,
      ),
    });
  const down = (event: PointerEvent) => {
    const number = Number((event.target as Element).getAttribute("data-lump") ?? -1);
    if (number < 0) return;
    chosen.value = number;
    const [x, y] = spot(event, 1000);
    const [px = 0, , pz = 0] = parts[number]!.p;
    drag.current = [px * 1000 - x, pz * 1000 + y];
    (event.currentTarget as Element).setPointerCapture(event.pointerId);
  };
  const move = (event: PointerEvent) => {
    if (!drag.current) return;
    const [x, y] = spot(event, 1000);
    const at = [rounded((drag.current[0] + x) / 1000), rounded((drag.current[1] - y) / 1000)] as const;
    change({
      parts: parts.map((each, number) =>
        number === chosen.value ? { ...each, p: [Math.min(0.5, Math.max(-0.5, at[0])), each.p[1] ?? 0, Math.min(1, Math.max(0, at[1]))] } : each,
      ),
    });
  };
  const depth = parts.map((each, number) => [each.p[1] ?? 0, number] as const).sort((one, other) => other[0] - one[0]);
  const ranges = [["p", "place", [-0.5, 0.5]], ["z", "size", [0.02, 1]], ["r", "turn", [0, 355]]] as const;
  return (
    <>
      <p class="row" role="group" aria-label={t("add")}>
        {SHAPES.map((shape) => <button key={shape} class="plain" data-shape={shape} onClick={() => add(shape)}>+ {t(shape)}</button>)}
      </p>
      <svg class="sheet" viewBox="0 0 200 200" role="img" aria-label={t("front")} onTouchStart={hold} onPointerDown={down} onPointerMove={move} onPointerUp={() => (drag.current = null)} onPointerCancel={() => (drag.current = null)}>
        <line x1="0" x2="200" y1="199.5" y2="199.5" class="ground" />
        {depth.map(([, number]) => <path key={number} data-lump={number} class={number === chosen.value ? "lump is" : "lump"} d={outline(parts[number]!)} />)}
      </svg>
      <p class="small">{t("front")}</p>
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
          <p><button class="plain" onClick={() => { change({ parts: parts.filter((_, number) => number !== chosen.value) }); chosen.value = 0; }}>{t("remove")}</button></p>
        </>
      )}
    </>
  );
}

function Ink({ riddle, change }: Properties) {
  const drawing = useRef(false);
  const strokes = riddle.value.strokes;
  const points = strokes.reduce((sum, each) => sum + each.length, 0);
  const down = (event: PointerEvent) => {
    if (strokes.length >= MOST_STROKES || points >= MOST_POINTS) return;
    drawing.current = true;
    (event.currentTarget as Element).setPointerCapture(event.pointerId);
    change({ strokes: [...strokes, [spot(event, 1024)]] });
  };
  const move = (event: PointerEvent) => {
    const stroke = strokes.at(-1);
    if (!drawing.current || !stroke || points >= MOST_POINTS) return;
    const [x, y] = spot(event, 1024);
    const [oldX, oldY] = stroke.at(-1)!;
    if (Math.hypot(x - oldX, y - oldY) >= FINE) change({ strokes: [...strokes.slice(0, -1), [...stroke, [x, y]]] });
  };
  return (
    <>
      <svg class="sheet ink" viewBox="0 0 1024 1024" role="img" aria-label={t("draw_here")} onTouchStart={hold} onPointerDown={down} onPointerMove={move} onPointerUp={() => (drawing.current = false)} onPointerCancel={() => (drawing.current = false)}>
        {strokes.map((each, number) => <polyline key={number} points={each.concat(each.length === 1 ? [each[0]!] : []).map((one) => one.join(",")).join(" ")} />)}
      </svg>
      <p class="small">{t("draw_here")}</p>
      <p><button class="plain" disabled={strokes.length === 0} onClick={() => change({ strokes: strokes.slice(0, -1) })}>{t("erase")}</button></p>
    </>
  );
}

