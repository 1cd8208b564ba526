// A published game: its positions by a slider, for anybody with the link.

import { useSignal, useSignalEffect } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { type Schemas, type State, read } from "./api";
import { Board } from "./board";
import { Link } from "./links";
import { Pictures } from "./pictures";
import { refusal } from "./refusal";
import type { Table } from "./table";
import { language, t } from "./texts";
import { dark } from "./theme";

type Shown = Schemas["ReplayShown"];

/** The id of the replay that the address names, if it names one. */
export const replayId = () => /^\/play\/replay\/([\w-]+)$/.exec(location.pathname)?.[1];

export function Replay({ id }: { id: string }) {
  const shown = useSignal<Shown | null>(null);
  const wrong = useSignal("");
  const at = useSignal(0);
  const picture = useSignal<string | null>(null);
  const path = `/v1/replays/${id}`;
  const pictures = useMemo(() => new Pictures(path), [path]);

  useSignalEffect(() => {
    void language.value; // the request names it
    read<Shown>(path)
      .then((found) => {
        if (!shown.peek()) at.value = found.positions.length - 1;
        shown.value = found;
      })
      .catch((error) => (wrong.value = refusal(error).text));
  });

  useSignalEffect(() => {
    const version = shown.value?.positions[at.value]?.version;
    if (!version) return;
    const ending = new AbortController();
    pictures
      .draw({ version } as State, dark.value ? "dark" : "light", { signal: ending.signal })
      .then((text) => (picture.value = text))
      .catch(() => {});
    return () => ending.abort();
  });

  useEffect(() => {
    document.title = `${t("replay")} · Dorfplatz`;
  });

  const found = shown.value;
  if (wrong.value) return <main id="content"><h1>{t("replay")}</h1><p role="alert">{wrong.value}</p><p><a href="/play">{t("home")}</a></p></main>;
  const total = found?.positions.length ?? 0;
  const step = (by: number) => (at.value = Math.min(total - 1, Math.max(0, at.value + by)));
  return (
    <main id="content" class="table" aria-busy={!found}>
      <section class="history left" aria-labelledby="replay">
        <h1 id="replay">{t("replay")}</h1>
        <p>{found?.names.join(" · ")}</p>
        {found?.outcome && <p><b>{found.outcome.headline}</b></p>}
        <p class="row">
          <button class="plain" name="earlier" aria-label={t("earlier")} disabled={at.value <= 0} onClick={() => step(-1)}>◀</button>
          <input type="range" min={0} max={Math.max(0, total - 1)} value={at.value} aria-label={t("position", { n: at.value + 1, total })} onInput={(event) => (at.value = Number(event.currentTarget.value))} />
          <button class="plain" name="later" aria-label={t("later")} disabled={at.value >= total - 1} onClick={() => step(1)}>▶</button>
        </p>
        <p class="small" role="status">{t("position", { n: at.value + 1, total })}: {found?.positions[at.value]?.texts.join(" ")}</p>
        <Board picture={picture} />
        <p><a href="/play">{t("home")}</a></p>
      </section>
    </main>
  );
}

/** The buttons that publish the replay of a table that is over, and withdraw it. */
export function PublicReplay({ table }: { table: Table }) {
  const link = useSignal("");
  useEffect(() => {
    read<Schemas["ReplayLink"]>(`${table.path}/replay-link`, table.asked({ token: table.held?.owner }))
      .then((found) => (link.value = location.origin + found.page), () => {}); // it is not published
  }, [table]);
  const publish = async () => {
    const made = await table.manage<Schemas["ReplayLink"]>("PUT", "replay-link", undefined);
    if (made) link.value = location.origin + made.page;
  };
  const withdraw = async () => {
    if ((await table.manage("DELETE", "replay-link", undefined)) !== null) link.value = "";
  };
  return (
    <>
      <p>{t("replay_text")}</p>
      {link.value && <Link link={link.value} name="replay" />}
      <p class="row">
        {link.value
          ? <button class="plain" name="withdraw" onClick={withdraw}>{t("replay_withdraw")}</button>
          : <button class="plain" name="publish" onClick={publish}>{t("replay_publish")}</button>}
      </p>
    </>
  );
}
