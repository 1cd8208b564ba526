// Hints: the three best moves of a search, in words; the figures on demand.

import type { Signal } from "@preact/signals";
import type { SearchResult } from "./api";
import { Value } from "./controls";
import { byValue, verdict } from "./ranking";
import type { Table } from "./table";
import { t } from "./texts";

const SHOWN = 3;

type Searched = SearchResult["moves"][number];

interface Properties {
  table: Table;
  hints: Signal<SearchResult | null>;
  /** The code of the hint that the picture marks. */
  looked: Signal<number | null>;
}

/** Sentences of a move's main gains and risk. */
export function Reasons({ reasons }: { reasons: Searched["reasons"] }) {
  const told = reasons ? [...reasons.gains.slice(0, 2), ...reasons.risks.slice(0, 1)] : [];
  return told.length ? <small class="reasons">{told.map((each) => each.text).join(" ")}</small> : null;
}

export function Hints({ table, hints, looked }: Properties) {
  if (!hints.value || !table.mine.value) return null;
  const best = byValue(hints.value.moves).slice(0, SHOWN);
  return (
    <section class="panel hints" aria-labelledby="hints">
      <h2 id="hints">{t("hints")}</h2>
      <ol>
        {best.map((each, at) => (
          <li key={each.code}>
            <button class="move" onPointerEnter={() => (looked.value = each.code)} onFocus={() => (looked.value = each.code)} onClick={() => table.play(each.move)}><span>{each.label}</span> <em>{t(verdict(best, at))}</em></button>
            <Reasons reasons={each.reasons} />
          </li>
        ))}
      </ol>
      <details>
        <summary>{t("hint_figures")}</summary>
        <p class="small">{t("hint_text")}</p>
        <ul>{best.map((each) => <li key={each.code}>{each.label} <Value value={each.value} interval={each.interval as [number, number]} /></li>)}</ul>
      </details>
    </section>
  );
}
