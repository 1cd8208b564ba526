// The tables of this browser: the game, the other players, and whether it is the reader's turn.

import { useSignal, useSignalEffect } from "@preact/signals";
import { type Session, type State, Refusal, read } from "./api";
import { type Held, amend, forget, tables } from "./store";
import { language, t } from "./texts";

/** Tables whose state is read; older ones show less. */
const MAX_READ = 12;

type Found = Partial<State> & Pick<State, "status">;

/** Return the state of a table in a few words. */
function stateOf(found: Found | undefined, { seat, over }: Held): string {
  if (over || (found && !["running", "waiting"].includes(found.status))) return t("ended");
  if (!found) return "";
  if (found.status === "waiting") return t("waits");
  return seat !== undefined && found.actors?.includes(seat) ? t("your_turn") : t("others_turn");
}

export function YourTables({ title }: { title: (slug: string) => string }) {
  const states = useSignal<Record<string, Found>>({});
  useSignalEffect(() => {
    void language.value; // the names of bots depend on it
    for (const each of tables.peek().slice(0, MAX_READ)) {
      // Every event at a table postpones its end, so only the service can show whether it is gone.
      const isOld = !(Date.parse(each.expires) > Date.now());
      if (each.over && !isOld) continue;
      read<Session>(`/v1/sessions/${each.id}`, { token: each.lost ? undefined : (each.token ?? each.owner) }).then(
        (found) => {
          states.value = { ...states.peek(), [each.id]: found as Found };
          if ("expires_at" in found) amend(each.id, { expires: found.expires_at });
        },
        (error) => isOld && error instanceof Refusal && error.status === 404 && amend(each.id, { over: true }),
      );
    }
  });
  if (tables.value.length === 0) return null;
  const isTurn = (each: Held) => stateOf(states.value[each.id], each) === t("your_turn");
  const sorted = [...tables.value].sort((one, other) => Number(isTurn(other)) - Number(isTurn(one)));
  return (
    <section aria-labelledby="yours">
      <h2 id="yours">{t("your_tables")}</h2>
      <ul class="tables">
        {sorted.map((each) => {
          const found = states.value[each.id];
          const others = found?.names?.filter((_, seat) => seat !== each.seat) ?? [];
          const seat = each.seat === undefined ? "" : t("seat_n", { n: each.seat + 1 });
          return (
            <li key={each.id}>
              <a href={`#/table/${each.id}`}>{title(each.game)}</a>
              <span class="small">{others.length ? t("with", { names: others.join(", ") }) : seat}</span>
              <span class={isTurn(each) ? "badge mine" : "badge"}>{stateOf(found, each)}</span>
              <button class="plain" onClick={() => forget(each.id)}>{t("forget")}</button>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
