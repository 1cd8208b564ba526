// Actions of a table's owner: invite, seat bots, replace players, and end the table.

import { useSignal } from "@preact/signals";
import type { Level, Seat, SeatTaken } from "./api";
import { named } from "./founding";
import { LEVELS } from "./game_card";
import { Link, inviteLink, seatLink } from "./links";
import { Qr } from "./qr";
import { amend } from "./store";
import type { Table } from "./table";
import { levelName, t } from "./texts";

/** Assign a seat by the owner's token; return the seat with its secret, null if that is refused. */
async function assign(table: Table, seat: number, body: object): Promise<SeatTaken | null> {
  const given = await table.manage<SeatTaken>("POST", `seats/${seat}/assign`, body, seat);
  if (given?.invite) amend(table.id, { invites: { ...table.held?.invites, [seat]: given.invite } });
  return given;
}

function BotIn({ table, seat }: { table: Table; seat: number }) {
  const level = useSignal<Level>("easy");
  const put = () => assign(table, seat, { kind: "bot", bot: { level: level.value } });
  return (
    <p class="row">
      <select name={`level-${seat}`} aria-label={t("level")} value={level.value} onChange={(event) => (level.value = event.currentTarget.value as Level)}>
        {LEVELS.map((each) => <option key={each} value={each}>{t("bot_of", { level: levelName(each) })}</option>)}
      </select>
      <button class="plain" name={`bot-${seat}`} onClick={put}>{t("bot_in")}</button>
    </p>
  );
}

/** The open seats of a table that waits for players. */
export function Invitations({ table }: { table: Table }) {
  const { seats, game } = table.state.value!;
  const invites = table.held?.invites ?? {};
  const open = seats.filter((each) => each.kind === "open" && (invites[each.seat] || table.held?.owner));
  return (
    <section class="panel" aria-labelledby="invite">
      <h2 id="invite">{t("invite")}</h2>
      {open.map(({ seat }) => {
        const link = invites[seat] && inviteLink(table.id, seat, invites[seat], game);
        return (
          <div key={seat} class="invitation">
            {link && <><p>{t("invite_for", { n: seat + 1 })}</p><Link link={link} name={`invite-${seat}`} /><Qr text={link} /></>}
            {table.held?.owner && <BotIn table={table} seat={seat} />}
          </div>
        );
      })}
      {open.length === 0 && <p>{t("waiting")}</p>}
    </section>
  );
}

/** Actions on a taken seat. */
function SeatTools({ table, each }: { table: Table; each: Seat }) {
  const { seat, kind, bot } = each;
  const link = useSignal("");
  const name = useSignal("");
  const { status, game } = table.state.value!;
  const waits = status === "waiting";
  const linked = (given: SeatTaken | null) => {
    if (given?.token) link.value = seatLink(table.id, seat, given.token, game);
  };
  const open = () => assign(table, seat, { kind: "open", ...(each.name ? { name: each.name } : {}) });
  const replace = async (event: Event) => {
    event.preventDefault();
    linked(await assign(table, seat, { kind: "human", ...named(name.value) }));
  };
  const renew = async () => linked(await table.manage<SeatTaken>("POST", `seats/${seat}/token`, undefined, seat));
  const free = waits || (kind === "human" && bot); // a bot that stands in for a person makes way
  if (kind === "bot" && !waits) return null;
  return (
    <li>
      <b>{each.name ?? t("seat_n", { n: seat + 1 })}</b>
      <p class="row">
        {waits && <button class="plain" name={`open-${seat}`} onClick={open}>{t("open_again")}</button>}
        {kind === "human" && <button class="plain" name={`link-${seat}`} onClick={renew}>{t("new_link")}</button>}
      </p>
      {free && !waits && (
        <form class="row" onSubmit={replace}>
          <label>{t("new_name")}<input name={`name-${seat}`} maxLength={40} value={name.value} onInput={(event) => (name.value = event.currentTarget.value)} /></label>
          <button class="plain" name={`replace-${seat}`}>{t("replace")}</button>
        </form>
      )}
      {free && kind === "human" && <BotIn table={table} seat={seat} />}
      {link.value && <div class="invitation"><p>{t("new_link_text", { n: seat + 1 })}</p><Link link={link.value} name={`seat-${seat}`} /><Qr text={link.value} /></div>}
    </li>
  );
}

export function Founder({ table, close }: { table: Table; close: () => void }) {
  const sure = useSignal(false);
  const others = table.state.value!.seats.filter((each) => each.kind !== "open" && each.seat !== table.seat.value);
  const end = async () => {
    if ((await table.manage("DELETE", "", undefined)) !== null) close();
  };
  return (
    <section class="panel founder" aria-labelledby="founder">
      <h2 id="founder">{t("host")}</h2>
      <p class="small">{t("host_text")}</p>
      <ul class="tables">{others.map((each) => <SeatTools key={`${each.seat}-${each.kind}`} table={table} each={each} />)}</ul>
      {sure.value ? (
        <>
          <p>{t("end_sure")}</p>
          <p class="row"><button name="end-sure" onClick={end}>{t("end_table")}</button><button class="plain" onClick={() => (sure.value = false)}>{t("cancel")}</button></p>
        </>
      ) : (
        <p><button class="plain" name="end" onClick={() => (sure.value = true)}>{t("end_table")}</button></p>
      )}
    </section>
  );
}
