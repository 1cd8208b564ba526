// One table: seats, picture, moves, events, and tools.

import { useComputed, useSignal, useSignalEffect } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { SearchResult } from "./api";
import { chime } from "./attention";
import { ActionBar } from "./bar";
import { Hand, Revealed } from "./dice";
import { Board } from "./board";
import { fitting, imagined, touchable } from "./choice";
import { riddleAgain } from "./exhibits";
import { Announced, Say, Watchers, hasCompany } from "./company";
import { MoveList } from "./controls";
import { Founder, Invitations } from "./founder";
import { Hints } from "./hints";
import { HistoryView } from "./history";
import { search } from "./jobs";
import { Lesson } from "./lesson";
import { Modelling } from "./modelling";
import { models } from "./models";
import { PauseTool, Pauses } from "./pauses";
import { PushOption, usePush } from "./push_option";
import { byValue } from "./ranking";
import { type Refused, refusal } from "./refusal";
import { Result } from "./result";
import { StandingAnswers } from "./riddles";
import { Rules, RulesNow } from "./rules";
import { Seats, nameOf } from "./seats";
import { settings, setSetting } from "./settings";
import { Share } from "./share";
import { mayCurse } from "./standing";
import type { LogLine, SheetLine } from "./story";
import { Table } from "./table";
import { language, t } from "./texts";

/** How many moves are checked to find the rule that forbids a touch. */
const MAX_CHECKS = 4;

type Tool = "" | "history" | "rules" | "resign" | "host" | "pause" | "say" | "settings" | "share";

/** How many events stand in the log. */
const LOG_LINES = 30;

/** Scroll back to the picture after a move, where most of it is out of sight. */
function lookAtBoard(): void {
  const board = document.querySelector(".left .board");
  if (!board || board.getBoundingClientRect().bottom > innerHeight / 2) return;
  board.scrollIntoView({ behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth", block: "start" });
}

export function TablePage({ id }: { id: string }) {
  const table = useMemo(() => new Table(id), [id]);
  useEffect(() => () => table.close(), [table]);
  usePush(table);
  const chosen = useSignal<string[]>([]);
  const hints = useSignal<SearchResult | null>(null);
  const from = useSignal(0);
  const looking = useSignal<Tool>("");
  const open = useComputed(() => (table.mine.value ? touchable(table.moves.value?.moves ?? [], chosen.value) : new Set<string>()));
  const looked = useSignal<number | null>(null);
  const hinted = useComputed(() => {
    const best = hints.value && (looked.value ?? byValue(hints.value.moves)[0]?.code);
    return new Set<string>(table.moves.value?.moves.find((each) => each.code === best)?.refs);
  });
  const headline = useComputed(() => {
    const { moves = [], groups = [] } = (table.mine.value && table.moves.value) || {};
    const passes = moves.filter((each) => each.refs.every((ref) => ref === "headline"));
    return passes.length < 2 ? (passes[0]?.label ?? "") : (groups.find((each) => each.key === passes[0]!.group)?.label ?? "");
  });
  const shown = useComputed(() => fitting(table.moves.value?.moves ?? [], chosen.value));

  const last = useRef<string[]>([]);
  useSignalEffect(() => {
    const { value: moves } = table.moves; // choices among other moves are over, except for a riddle
    if (chosen.peek().length) last.current = chosen.peek();
    chosen.value = moves ? riddleAgain(last.current, moves) : [];
    if (moves) last.current = [];
    hints.value = null;
    looked.value = null;
  });

  const wasMine = useSignal(true); // no sound for a table that was just opened
  useSignalEffect(() => {
    const isMine = table.mine.value;
    const name = table.about.value?.names[language.value] ?? "Dorfplatz";
    document.title = isMine ? `● ${t("your_turn")} · ${name}` : `${name} · Dorfplatz`;
    if (isMine && !wasMine.peek()) chime();
    if (!isMine && wasMine.peek() && !table.over.peek()) lookAtBoard();
    wasMine.value = isMine;
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
      // no listed move is like it, or none of the game is: no rule explains it
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

  const tool = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (looking.value) tool.current?.scrollIntoView({ block: "nearest" });
    if (looking.value === "history") document.querySelector(".history")?.scrollIntoView({ block: "nearest" });
  }, [looking.value]);

  const state = table.state.value;
  if (table.broken.value) return <main id="content" class="narrow"><h1>{t("wrong")}</h1><p role="alert">{table.broken.value}</p><p><a href="#/">{t("home")}</a></p></main>;
  if (!state) return <main id="content" aria-busy="true"><h1 class="unseen">{t("picture")}</h1>{!table.connected.value && <p role="status">{t("offline")}</p>}</main>;

  const modelling = models(table.moves.value);
  const plays = state.you && state.status === "running";
  return (
    <main id="content" class="table">
      <h1 class="unseen">{t("picture")}</h1>
      <div class="left">
        <Seats table={table} />
        <Announced table={table} />
        {table.stoodIn.value && <StandIn table={table} />}
        {looking.value === "history" ? (
          <HistoryView table={table} from={from} close={() => ((from.value = 0), (looking.value = ""))} />
        ) : state.status === "waiting" ? (
          <Invitations table={table} />
        ) : (
          <Board picture={table.picture} chosen={chosen} touchable={open} hinted={hinted} touch={touch} headline={headline} />
        )}
      </div>
      {table.over.value && <Result table={table} show={(version) => ((from.value = version), (looking.value = "history"))} />}
      <div class="right">
        {state.undo_request && <UndoRequest table={table} />}
        <Pauses table={table} />
        {plays && <Lesson table={table} />}
        {plays && ( // it stays between decisions, so the keyboard's focus does
          <section class="decision" aria-labelledby="moves">
            <h2 id="moves">{t("moves")}</h2>
            {table.mine.value ? (
              <>
                {modelling > 0 && <Modelling table={table} count={modelling} />}
                <Hints table={table} hints={hints} looked={looked} />
                <RulesNow table={table} />
                {modelling > 0 ? (
                  <details><summary>{t("ready_riddles")}</summary><MoveList table={table} fitting={shown.value} chosen={chosen} /></details>
                ) : (
                  <>
                    <p class="small">{t("touch")}</p>
                    <MoveList table={table} fitting={shown.value} chosen={chosen} />
                  </>
                )}
              </>
            ) : (
              <p class="small">{t("not_yet")}</p>
            )}
            {mayCurse(state.game) && <StandingAnswers />}
          </section>
        )}
        <Watchers table={table} />
        <Tools table={table} looking={looking} hints={hints} />
        <div class="tool" ref={tool}>
          {looking.value === "host" && table.held?.owner && <Founder table={table} close={() => (looking.value = "")} />}
          {looking.value === "pause" && state.pauses && <PauseTool table={table} close={() => (looking.value = "")} />}
          {looking.value === "resign" && <Resign table={table} close={() => (looking.value = "")} />}
          {looking.value === "rules" && <Rules table={table} />}
          {looking.value === "share" && <Share table={table} />}
          {looking.value === "say" && hasCompany(table) && <Say table={table} />}
          {looking.value === "settings" && <SettingsPanel table={table} />}
        </div>
        <Log table={table} />
      </div>
      <Revealed table={table} />
      <ActionBar table={table} fitting={shown.value} chosen={chosen} />
      {table.story.sheet.value && <RoundSheet table={table} lines={table.story.sheet.value} />}
    </main>
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
      hints.value = await search(table);
    } catch (error) {
      table.refused.value = refusal(error);
    }
    busy.value = false;
  };
  const toggle = (what: Tool) => (looking.value = looking.value === what ? "" : what);
  return (
      <p class="tools">
        {table.mine.value && <button class="plain" name="hint" disabled={busy.value} onClick={hint}>{t(busy.value ? "thinking" : "hint")}</button>}
        {state.status !== "waiting" && <button class="plain" name="history" aria-pressed={looking.value === "history"} onClick={() => toggle("history")}>{t("history")}</button>}
        <button class="plain" name="rules" aria-pressed={looking.value === "rules"} onClick={() => toggle("rules")}>{t("rules")}</button>
        {state.status !== "waiting" && <button class="plain" name="share" aria-pressed={looking.value === "share"} onClick={() => toggle("share")}>{t("share")}</button>}
        {hasCompany(table) && <button class="plain" name="say" aria-pressed={looking.value === "say"} onClick={() => toggle("say")}>{t("say")}</button>}
        {table.held?.owner && !table.over.value && <button class="plain" name="host" aria-pressed={looking.value === "host"} onClick={() => toggle("host")}>{t("host")}</button>}
        {running && state.you && state.pauses && <button class="plain" name="pause" aria-pressed={looking.value === "pause"} onClick={() => toggle("pause")}>{t("pause")}</button>}
        {running && state.you && <button class="plain" name="resign" aria-pressed={looking.value === "resign"} onClick={() => toggle("resign")}>{t("resign")}</button>}
        <button class="plain" name="settings" aria-pressed={looking.value === "settings"} onClick={() => toggle("settings")}>{t("settings")}</button>
      </p>
  );
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
      <p>{t("undo_asked", { name: nameOf(state, seat) })}</p>
      <p class="row">
        <button name="agree" onClick={() => table.act("undo/consent", {})}>{t("agree")}</button>
        <button class="plain" name="refuse" onClick={() => table.act("undo/refuse", {})}>{t("refuse")}</button>
      </p>
    </section>
  );
}

/** The end of a round: its scores, until the reader goes on to the next deal. */
function RoundSheet({ table, lines }: { table: Table; lines: SheetLine[] }) {
  return (
    <section class="panel sheet-of-round" role="dialog" aria-labelledby="round">
      <h2 id="round">{t("round_over")}</h2>
      <ul>{lines.map(({ text, hand }, at) => <li key={at}>{hand && <Hand table={table} cards={hand} />}{text}</li>)}</ul>
      <p><button name="go-on" ref={(button) => button?.focus({ preventScroll: true })} onClick={() => table.story.go()}>{t("go_on")}</button></p>
    </section>
  );
}

/** The events since the reader's last move, then the earlier ones. */
function Log({ table }: { table: Table }) {
  const own = table.ownVersion.value;
  const lines = table.log.value.slice(-LOG_LINES).reverse();
  const [since, before] = [lines.filter((line) => own && line.version > own), lines.filter((line) => !own || line.version <= own)];
  const items = (shown: LogLine[]) => shown.map((line, at) => <li key={`${line.version}-${at}`}>{line.text}</li>);
  return (
    <section aria-labelledby="log" class="log">
      <h2 id="log">{t(since.length ? "since" : "events")}</h2>
      <ol aria-live="polite" aria-labelledby="log" tabIndex={0}>
        {items(since)}
        {since.length > 0 && before.length > 0 && <li class="earlier">{t("earlier_events")}</li>}
        {items(before)}
      </ol>
    </section>
  );
}

function SettingsPanel({ table }: { table: Table }) {
  return (
    <section class="panel" aria-labelledby="settings">
      <h2 id="settings">{t("settings")}</h2>
      {(["auto", "sound", "lessons", "curses"] as const).filter((name) => name !== "curses" || mayCurse(table.state.value!.game)).map((name) => (
        <label key={name} class="check">
          <input type="checkbox" name={name} checked={settings.value[name]} onChange={(event) => setSetting(name, event.currentTarget.checked)} />
          {t(`setting_${name}`)}
        </label>
      ))}
      <PushOption table={table} />
    </section>
  );
}
