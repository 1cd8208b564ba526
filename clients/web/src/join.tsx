// Taking a seat: by an invitation, at an open table, or by a link that holds the seat itself.

import { useSignal, useSignalEffect } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { type GameCard, type State, read } from "./api";
import { Refusal } from "./controls";
import { named } from "./founding";
import { Face } from "./game_card";
import { Link, inviteLink } from "./links";
import { claiming, promise } from "./pledges";
import { go } from "./route";
import { held, hold, myName, seated, setMyName } from "./store";
import { type Refused, refusal } from "./refusal";
import { language, t } from "./texts";

interface Invitation {
  id: string;
  seat: number;
  code: string;
  game: string;
}

/** Take a seat that one was invited to, or that anybody may take; the link may name the game. */
export function Join({ id, seat, code, game }: Invitation) {
  const card = useSignal<GameCard | null>(null);
  useSignalEffect(() => {
    void language.value;
    if (game) read<GameCard>(`/v1/games/${game}`).then((found) => (card.value = found)).catch(() => {});
  });
  const name = useSignal(myName());
  const refused = useSignal<Refused | null>(null);
  const busy = useSignal(claiming(id, seat));
  const join = async (event: Event) => {
    event.preventDefault();
    setMyName(name.value.trim());
    busy.value = true;
    refused.value = null;
    try {
      const body = { ...(code ? { code } : {}), ...named(name.value) };
      await promise(`/v1/sessions/${id}/seats/${seat}/claim`, body, game, { id, seat });
      go(`/table/${id}`);
    } catch (error) {
      refused.value = refusal(error, seat);
    }
    busy.value = false;
  };
  if (seated(id)) return <OwnTable id={id} seat={seat} code={code} game={game} />;
  return (
    <main id="content" class="narrow">
      <h1>{t(code ? "invited" : "join")}</h1>
      {card.value && <p class="card"><Face game={card.value} /></p>}
      <form class="panel new" onSubmit={join}>
        <p>{t("seat_n", { n: seat + 1 })}</p>
        <label>{t("your_name")}<input name="name" maxLength={40} value={name.value} disabled={busy.value} onInput={(event) => (name.value = event.currentTarget.value)} /></label>
        <p><button disabled={busy.value}>{t("join")}</button></p>
      </form>
      <Refusal refused={refused} />
      {refused.value && <p class="row"><a href={`#/table/${id}`}>{t("watch")}</a><a href="#/">{t("home")}</a></p>}
    </main>
  );
}

/** A player at this table has opened an invitation to another seat. */
function OwnTable({ id, seat, code, game }: Invitation) {
  const mine = held(id)!.seat;
  return (
    <main id="content" class="narrow">
      <h1>{t("own_table", { n: (mine ?? 0) + 1 })}</h1>
      <p><a class="to-table" href={`#/table/${id}`}>{t("to_table")}</a></p>
      {code && seat !== mine && (
        <div class="panel invitation"><p>{t("own_invite", { n: seat + 1 })}</p><Link link={inviteLink(id, seat, code, game)} name={`invite-${seat}`} /></div>
      )}
      <p><a href="#/">{t("home")}</a></p>
    </main>
  );
}

/** Open a seat on this device by the code that another device shows. */
export function OtherDevice({ given }: { given: string }) {
  const code = useSignal(given);
  const refused = useSignal<Refused | null>(null);
  const busy = useSignal(false);
  const take = async (event?: Event) => {
    event?.preventDefault();
    busy.value = true;
    refused.value = null;
    try {
      const id = await promise("/v1/devices", { code: code.value.trim() }, "");
      history.replaceState(null, "", `#/table/${id}`); // the address forgets the code
      dispatchEvent(new Event("hashchange"));
    } catch (error) {
      refused.value = refusal(error, 0);
    }
    busy.value = false;
  };
  useEffect(() => void (given && take()), []);
  return (
    <main id="content">
      <h1>{t("device_open")}</h1>
      <form class="panel new" onSubmit={take}>
        <label>{t("device_code")}<input name="code" required minLength={12} maxLength={24} autoComplete="off" value={code.value} disabled={busy.value} onInput={(event) => (code.value = event.currentTarget.value)} /></label>
        <p><button disabled={busy.value}>{t("join")}</button></p>
      </form>
      <Refusal refused={refused} />
      <p><a href="#/">{t("home")}</a></p>
    </main>
  );
}

/** Take the seat that a link holds, if its token is valid: a wrong one must not replace a token that is kept. */
export function SeatLink({ id, seat, token, game }: { id: string; seat: number; token: string; game: string }) {
  const refused = useSignal<Refused | null>(null);
  const take = async () => {
    refused.value = null;
    try {
      const state = await read<State>(`/v1/sessions/${id}`, { token });
      hold({ id, game: state.game ?? game, seat: state.you?.seat ?? seat, token, lost: false, over: false, expires: state.expires_at! });
      history.replaceState(null, "", `#/table/${id}`); // the address forgets the token
      dispatchEvent(new Event("hashchange"));
    } catch (error) {
      refused.value = refusal(error, seat);
    }
  };
  useEffect(() => void take(), []);
  return (
    <main id="content" class="narrow">
      <h1>{t("seat_n", { n: seat + 1 })}</h1>
      <Refusal refused={refused} />
      {refused.value && <p class="row"><button onClick={take}>{t("join")}</button><a href="#/">{t("home")}</a></p>}
    </main>
  );
}
