// One table: who sits there, the picture, what one may do, what happened, and what leads out of it.

import { useComputed, useSignal, useSignalEffect } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { type Job, type RematchGiven, type RuleLine, type SearchResult, type State, read, rulesOf, write } from "./api";
import { Board } from "./board";
import { fitting, imagined, touchable } from "./choice";
import { MoveList, Refusal } from "./controls";
import { HistoryView } from "./history";
import { Modelling, models } from "./modelling";
import { Founder, Invitations } from "./founder";
import { Review } from "./review";
import { go } from "./route";
import { hold, newKey } from "./store";
import { type Refused, refusal } from "./refusal";
import { Table } from "./table";
import { language, levelName, t } from "./texts";

const HINT_MS = 1_500;

/** How many moves are checked to find the rule that forbids a touch. */
const MAX_CHECKS = 4;

type Tool = "" | "history" | "rules" | "hint" | "resign" | "host";

export function TablePage({ id }: { id: string }) {
  const table = useMemo(() => new Table(id), [id]);
  useEffect(() => () => table.close(), [table]);
  const chosen = useSignal<string[]>([]);
  const hints = useSignal<SearchResult | null>(null);
  const from = useSignal(0);
  const looking = useSignal<Tool>("");
  const open = useComputed(() => (table.mine.value ? touchable(table.moves.value?.moves ?? [], chosen.value) : new Set<string>()));
  const shown = useComputed(() => fitting(table.moves.value?.moves ?? [], chosen.value));

  useSignalEffect(() => {
    void table.moves.value; // other moves: what was chosen among the old ones is over
    chosen.value = [];
    hints.value = null;
  });

  const touch = async (ref: string) => {
    table.forgive();
    const listed = table.moves.value;
    const moves = listed?.moves ?? [];
    if (chosen.value.includes(ref) && !open.value.has(ref)) chosen.value = chosen.value.filter((each) => each !== ref);
    else if (open.value.has(ref)) chosen.value = [...chosen.value, ref];
    else if (touchable(moves, []).has(ref)) chosen.value = [ref];
    else if (table.mine.value) {
      const wanted = [...imagined(moves, chosen.value, ref), ...(chosen.value.length ? imagined(moves, [], ref) : [])];
      let said: Refused | null | undefined = null;
      for (const each of wanted.slice(0, MAX_CHECKS)) {
        said = await table.whyNot(each);
        if (said === undefined || said?.rule) break;
      }
      // no listed move is like it, or none of the game is: no rule says why
      if (said !== undefined && listed === table.moves.value) table.refused.value = said?.rule ? said : { text: t("nothing_there") };
    }
  };

  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key === "Escape") (chosen.value = []), (looking.value = "");
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);

  const state = table.state.value;
  if (table.broken.value) return <main id="content"><h1>{t("wrong")}</h1><p role="alert">{table.broken.value}</p><p><a href="#/">{t("home")}</a></p></main>;
  if (!state) return <main id="content" aria-busy="true"><h1 class="unseen">{t("picture")}</h1>{!table.connected.value && <p role="status">{t("offline")}</p>}</main>;

  const modelling = models(table.moves.value);
  const plays = state.you && state.status === "running";
  return (
    <main id="content" class="table">
      <h1 class="unseen">{t("picture")}</h1>
      <div class="left">
        <Status table={table} />
        {table.stoodIn.value && <StandIn table={table} />}
        {looking.value === "history" ? (
          <HistoryView table={table} from={from} close={() => ((from.value = 0), (looking.value = ""))} />
        ) : state.status === "waiting" ? (
          <Invitations table={table} />
        ) : (
          <Board picture={table.picture} chosen={chosen} touchable={open} touch={touch} />
        )}
      </div>
      <div class="right">
        <Seats table={table} />
        <Refusal refused={table.refused} />
        {table.over.value && <Result table={table} show={(version) => ((from.value = version), (looking.value = "history"))} />}
        {state.undo_request && <UndoRequest table={table} />}
        {plays && ( // it stays between decisions, so the keyboard's focus does
          <section class="decision" aria-labelledby="moves">
            <h2 id="moves">{t(table.mine.value ? "your_turn" : "moves")}</h2>
            {table.mine.value ? (
              <>
                {modelling > 0 && <Modelling table={table} count={modelling} />}
                <p class="small">{t("touch")} {shown.value.length > 1 && t("moves_n", { n: shown.value.length })}</p>
                <MoveList table={table} fitting={shown.value} chosen={chosen} hints={hints} />
              </>
            ) : (
              <p class="small">{turnOf(table)}</p>
            )}
          </section>
        )}
        <Tools table={table} looking={looking} hints={hints} />
        {looking.value === "host" && table.held?.owner && <Founder table={table} close={() => (looking.value = "")} />}
        {looking.value === "resign" && <Resign table={table} close={() => (looking.value = "")} />}
        {looking.value === "rules" && <Rules game={state.game} />}
        <section aria-labelledby="log" class="log">
          <h2 id="log">{t("events")}</h2>
          <ol aria-live="polite" aria-labelledby="log" tabIndex={0}>
            {table.log.value.slice(-30).reverse().map((line, at) => <li key={`${line.version}-${at}`}>{line.text}</li>)}
          </ol>
        </section>
      </div>
    </main>
  );
}

/** Return what the reader has to do, in a few words; nothing where that is not known yet. */
function turnOf(table: Table): string {
  const state = table.state.value!;
  if (table.over.value || state.status === "waiting") return "";
  if (table.lost.value) return t("seat_gone");
  if (!state.you) return t("spectator");
  if (table.stoodIn.value) return t("bot_plays");
  if (table.pending.value) return isUnsent(table) ? t(table.pending.value.tried ? "not_confirmed" : "not_sent") : t("sending");
  if (table.mine.value) return t("your_turn");
  if (!table.isAsked.value) return t("not_yet");
  return table.moves.value ? t("others") : "";
}

const isUnsent = (table: Table) => table.unsent.value || !table.connected.value;

/** Whose turn it is, in one line that screen readers hear. */
function Status({ table }: { table: Table }) {
  const state = table.state.value!;
  const pending = table.pending.value;
  const said = pending && isUnsent(table)
    ? t(pending.tried ? "not_confirmed_text" : "not_sent_text")
    : !table.connected.value
      ? t("offline")
      : state.status === "waiting"
        ? t("waiting")
        : table.over.value
          ? (state.outcome?.headline ?? t(state.status === "aborted" ? "aborted" : "over"))
          : state.headline;
  const turn = turnOf(table);
  return (
    <p class={table.mine.value ? "status mine" : pending && isUnsent(table) ? "status unsent" : "status"} role="status" data-connected={String(table.connected.value)} data-status={state.status} data-version={state.version}>
      {turn && <strong>{turn}</strong>} {said}
    </p>
  );
}

function Seats({ table }: { table: Table }) {
  const state = table.state.value!;
  const now = useSignal(Date.now());
  useEffect(() => {
    const timer = setInterval(() => (now.value = Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  const presence = table.presence.value;
  return (
    <ul class="seats" aria-label={t("seats")}>
      {state.seats.map((each) => {
        const asked = state.status === "running" && state.actors.includes(each.seat);
        const answered = presence?.answered.includes(each.seat);
        const deadline = state.deadlines?.find((one) => one.seat === each.seat);
        const left = deadline && Math.max(0, Math.round((Date.parse(deadline.at) - now.value) / 1_000));
        return (
          <li key={each.seat} class={asked && !answered ? "asked" : ""}>
            <span class="name">{each.name ?? t("seat_n", { n: each.seat + 1 })}</span>
            <span class="small">
              {each.seat === state.you?.seat && t("you")}
              {each.kind === "open" && t("open_seat")}
              {each.kind === "bot" && t("bot_of", { level: levelName(each.bot?.level) })}
              {each.kind === "human" && each.seat !== state.you?.seat && t(presence?.connected.includes(each.seat) ? "here" : "away")}
              {each.kind === "human" && each.bot && ` · ${t("bot_of", { level: levelName(each.bot.level) })}`}
              {each.out && ` · ${t("out")}`}
            </span>
            {asked && <span class="turn">{answered ? t("answered") : t("to_move")}</span>}
            {left !== undefined && <span class={left < 15 ? "clock short" : "clock"}>{Math.floor(left / 60)}:{String(left % 60).padStart(2, "0")}</span>}
          </li>
        );
      })}
    </ul>
  );
}

/** The way back to a seat in which a bot plays. */
function StandIn({ table }: { table: Table }) {
  const busy = useSignal(false);
  const back = async () => {
    busy.value = true;
    await table.act(`seats/${table.seat.value}/reclaim`, undefined);
    busy.value = false;
  };
  return <p class="stand-in"><button name="reclaim" disabled={busy.value} onClick={back}>{t("take_seat_back")}</button></p>;
}

interface ToolsProperties {
  table: Table;
  looking: { value: Tool };
  hints: { value: SearchResult | null };
}

function Tools({ table, looking, hints }: ToolsProperties) {
  const state = table.state.value!;
  const running = state.status === "running";
  const busy = useSignal(false);
  const hint = async () => {
    busy.value = true;
    try {
      hints.value = await searched(table);
    } catch (error) {
      table.refused.value = refusal(error);
    }
    busy.value = false;
  };
  const toggle = (what: Tool) => (looking.value = looking.value === what ? "" : what);
  return (
    <>
      <p class="tools">
        {table.mine.value && <button class="plain" name="hint" disabled={busy.value} onClick={hint}>{t(busy.value ? "thinking" : "hint")}</button>}
        {state.status !== "waiting" && <button class="plain" name="history" aria-pressed={looking.value === "history"} onClick={() => toggle("history")}>{t("history")}</button>}
        <button class="plain" name="rules" aria-pressed={looking.value === "rules"} onClick={() => toggle("rules")}>{t("rules")}</button>
        {running && state.you && state.undo === "consent" && <button class="plain" name="undo" onClick={() => table.act("undo", {})}>{t("take_back")}</button>}
        {table.held?.owner && !table.over.value && <button class="plain" name="host" aria-pressed={looking.value === "host"} onClick={() => toggle("host")}>{t("host")}</button>}
        {running && state.you && <button class="plain" name="resign" aria-pressed={looking.value === "resign"} onClick={() => toggle("resign")}>{t("resign")}</button>}
      </p>
      {hints.value && <p class="small" role="status">{t("hint_text")}</p>}
    </>
  );
}

/** Return what a search thinks of the moves at hand. */
async function searched(table: Table): Promise<SearchResult> {
  const body = { game: table.state.value!.game, session: table.id, budget: { milliseconds: HINT_MS } };
  const headers = { Prefer: "wait=20" };
  let job = await write<Job>("/v1/jobs/searches", body, table.asked({ key: newKey(), headers }));
  while (job.state === "queued" || job.state === "running") {
    await new Promise((done) => setTimeout(done, 500));
    job = await read<Job>(`/v1/jobs/${job.id}`, table.asked());
  }
  if (!job.result) throw new Error(job.problem?.detail);
  return job.result as unknown as SearchResult;
}

function Resign({ table, close }: { table: Table; close: () => void }) {
  const leave = async (then: "bot" | "forfeit") => {
    if (await table.act("resign", { then })) close();
  };
  return (
    <section class="panel" aria-labelledby="resign">
      <h2 id="resign">{t("resign_sure")}</h2>
      <p class="row">
        <button name="resign-bot" onClick={() => leave("bot")}>{t("resign_bot")}</button>
        <button name="resign-lose" onClick={() => leave("forfeit")}>{t("resign_lose")}</button>
        <button class="plain" onClick={close}>{t("cancel")}</button>
      </p>
    </section>
  );
}

function UndoRequest({ table }: { table: Table }) {
  const state = table.state.value!;
  const { seat, awaited } = state.undo_request!;
  if (state.you?.seat === seat) return <p class="panel asked-back" role="status">{t("undo_waits")}</p>;
  if (!state.you || !awaited.includes(state.you.seat)) return null;
  return (
    <section class="panel">
      <p>{t("undo_asked", { name: state.seats[seat]?.name ?? t("seat_n", { n: seat + 1 }) })}</p>
      <p class="row">
        <button name="agree" onClick={() => table.act("undo/consent", {})}>{t("agree")}</button>
        <button class="plain" name="refuse" onClick={() => table.act("undo/refuse", {})}>{t("refuse")}</button>
      </p>
    </section>
  );
}

function Result({ table, show }: { table: Table; show: (version: number) => void }) {
  const state = table.state.value!;
  const outcome = state.outcome;
  const shared = outcome?.rewards.every((each) => each === outcome.rewards[0]); // nobody has won what all have won
  const again = async () => {
    try {
      const made = await write<RematchGiven>(`${table.path}/rematch`, undefined, table.asked({ key: newKey() }));
      const name = state.you && state.seats[state.you.seat]?.name;
      const expires = (await read<State>(`/v1/sessions/${made.id}`, table.asked())).expires_at ?? table.held!.expires;
      const owner = table.held?.owner;
      hold({ id: made.id, game: state.game, expires, seat: made.seat!, token: made.token!, ...(name ? { name } : {}), ...(owner ? { owner } : {}) });
      go(`/table/${made.id}`);
    } catch (error) {
      table.refused.value = refusal(error);
    }
  };
  return (
    <section class="panel result" aria-labelledby="result">
      <h2 id="result">{outcome?.headline ?? t("over")}</h2>
      {outcome && (
        <ul>
          {state.seats.map((each) => (
            <li key={each.seat}>
              {each.name ?? t("seat_n", { n: each.seat + 1 })}
              {outcome.points && `: ${t("points", { n: outcome.points[each.seat] ?? 0 })}`}
              {(outcome.rewards[each.seat] ?? 0) > 0 && !shared && ` · ${t("won")}`}
            </li>
          ))}
        </ul>
      )}
      {(state.status === "finished" || state.status === "forfeited") && <Review table={table} show={show} />}
      {state.you && <p class="row"><button name="rematch" onClick={again}>{t(state.rematch ? "rematch_join" : "rematch")}</button></p>}
      {!state.you && state.rematch && <p><a href={`#/table/${state.rematch}`}>{t("rematch_watch")}</a></p>}
    </section>
  );
}

function Rules({ game }: { game: string }) {
  const rules = useSignal<RuleLine[]>([]);
  const words = useSignal("");
  useSignalEffect(() => {
    void language.value;
    rulesOf(game).then((found) => (rules.value = found)).catch(() => {});
  });
  const found = rules.value.filter((each) => `${each.id} ${each.sentence}`.toLowerCase().includes(words.value.toLowerCase()));
  return (
    <section class="panel rules" aria-labelledby="rules">
      <h2 id="rules"><a href={`/docs/rules/${game}/${language.value}`} target="_blank" rel="noopener">{t("rules")}</a></h2>
      <input type="search" aria-label={t("rules")} placeholder={t("search")} value={words.value} onInput={(event) => (words.value = event.currentTarget.value)} />
      <div tabIndex={0} role="group" aria-label={t("rules")}>
        <ul>{found.map((each) => <li key={each.id}><b>{each.id}</b> {each.sentence}</li>)}</ul>
      </div>
    </section>
  );
}
