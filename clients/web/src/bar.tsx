// The action bar, always in sight: whose turn it is, the only or chosen action, and the way back.

import type { Signal } from "@preact/signals";
import { useSignalEffect } from "@preact/signals";
import type { ListedMove } from "./api";
import { Refusal } from "./controls";
import { models } from "./models";
import { settings } from "./settings";
import type { Table } from "./table";
import { t } from "./texts";

/** How long a forced move can be read before it is made. */
const FORCED_MS = 1_200;

interface Properties {
  table: Table;
  /** The moves that fit what was chosen. */
  fitting: ListedMove[];
  chosen: Signal<string[]>;
}

const isUnsent = (table: Table) => table.unsent.value || !table.connected.value;

/** The move that waits for a response, unless a standing answer made it. */
const pendingOf = (table: Table) => (table.pending.value?.quiet ? null : table.pending.value);

/** Return the reader's open decision, in a few words; nothing if it is not known yet. */
function turnOf(table: Table): string {
  const state = table.state.value!;
  if (table.over.value || state.status === "waiting") return "";
  if (table.lost.value) return t("seat_gone");
  if (!state.you) return t("spectator");
  if (table.stoodIn.value) return t("bot_plays");
  const pending = pendingOf(table);
  if (pending) return isUnsent(table) ? t(pending.tried ? "not_confirmed" : "not_sent") : t("sending");
  if (table.mine.value) return t("your_turn");
  if (!table.isAsked.value) return table.story.telling.value.length ? "" : t("not_yet");
  if (table.standing.value || table.pending.value) return t("not_yet");
  return table.moves.value ? t("others") : "";
}

/** Return the rest of the status: the decision, the event, or the reason for waiting. */
function promptOf(table: Table): string {
  const state = table.state.value!;
  const pending = pendingOf(table);
  if (pending && isUnsent(table)) return t(pending.tried ? "not_confirmed_text" : "not_sent_text");
  if (!table.connected.value) return t("offline");
  if (state.status === "waiting") return t("waiting");
  if (table.over.value) return t(state.status === "aborted" ? "aborted" : "over");
  if (table.mine.value) return table.moves.value?.prompt ?? state.headline;
  return table.story.telling.value.join(" ") || state.headline;
}

/** The status line, which screen readers announce. */
function Status({ table }: { table: Table }) {
  const state = table.state.value!;
  const turn = turnOf(table);
  const name = table.mine.value ? "status mine" : pendingOf(table) && isUnsent(table) ? "status unsent" : "status";
  return (
    <p class={name} role="status" data-connected={String(table.connected.value)} data-status={state.status} data-version={state.version}>
      {turn && <strong>{turn}</strong>} {promptOf(table)}
    </p>
  );
}

export function ActionBar({ table, fitting, chosen }: Properties) {
  const state = table.state.value!;
  const isMine = table.mine.value;
  const sole = isMine && fitting.length === 1 ? fitting[0]! : null;
  const isForced = Boolean(sole?.forced && settings.value.auto);

  useSignalEffect(() => {
    const moves = table.moves.value;
    const forced = moves?.count === 1 ? moves.moves[0] : undefined;
    if (!forced?.forced || !table.mine.value || !settings.value.auto || table.refused.value) return;
    const timer = setTimeout(() => table.play(forced.move), FORCED_MS);
    return () => clearTimeout(timer);
  });

  useSignalEffect(() => {
    const { value: standing } = table.standing;
    if (standing && !table.pending.value) table.play(standing.move, true);
  });

  const canUndo = state.undo_offer?.possible;
  return (
    <section class="bar" aria-label={t("action")}>
      <Refusal refused={table.refused} />
      <div class="line">
        <Status table={table} />
        <p class="row">
          {table.story.telling.value.length > 0 && <button class="plain" name="skip" onClick={() => table.story.skip()}>{t("skip")}</button>}
          {sole && (
            <button class={isForced ? "act soon" : "act"} name="act" onClick={() => table.play(sole.move)}>{sole.label}</button>
          )}
          {isMine && !sole && (
            <button class="plain" name="to-moves" onClick={() => document.getElementById("moves")?.scrollIntoView({ block: "start" })}>
              {models(table.moves.value) ? t("model") : t("moves_n", { n: fitting.length })}
            </button>
          )}
          {chosen.value.length > 0 && <button class="plain chosen" name="anew" onClick={() => (chosen.value = [])}>{t("undo_choice")}</button>}
          {canUndo && chosen.value.length === 0 && <button class="plain" name="undo" onClick={() => table.act("undo", {})}>{t("take_back")}</button>}
        </p>
      </div>
    </section>
  );
}
