// Links of a table: for spectators, and a code for one's own seat on another device.

import { useSignal } from "@preact/signals";
import { type DeviceCode, write } from "./api";
import { Refusal } from "./controls";
import { Link, deviceLink, watchLink } from "./links";
import { Qr } from "./qr";
import { type Refused, refusal } from "./refusal";
import { newKey } from "./store";
import { PublicReplay } from "./replay";
import type { Table } from "./table";
import { language, t } from "./texts";

export function Share({ table }: { table: Table }) {
  const { you } = table.state.value!;
  const token = table.held?.token;
  return (
    <section class="panel share" aria-labelledby="share">
      <h2 id="share">{t("share")}</h2>
      <p>{t("watch_link")}</p>
      <Link link={watchLink(table.id)} name="watch" />
      {you && token && !table.lost.value && <OtherDevice id={table.id} seat={you.seat} token={token} />}
      {table.over.value && table.held?.owner && <PublicReplay table={table} />}
    </section>
  );
}

/** A code that opens the seat on another device; this one stays valid. */
function OtherDevice({ id, seat, token }: { id: string; seat: number; token: string }) {
  const made = useSignal<DeviceCode | null>(null);
  const refused = useSignal<Refused | null>(null);
  const ask = async () => {
    refused.value = null;
    try {
      made.value = await write<DeviceCode>(`/v1/sessions/${id}/seats/${seat}/device-codes`, undefined, { token, key: newKey() });
    } catch (error) {
      refused.value = refusal(error, seat);
    }
  };
  const until = made.value && new Date(made.value.expires_at).toLocaleTimeString(language.value, { timeStyle: "short" });
  return (
    <>
      <p><button type="button" class="device" onClick={ask}>{t("device")}</button></p>
      {made.value && (
        <>
          <p>{t("device_text", { until: until! })}</p>
          <p class="code">{made.value.code}</p>
          <Link link={deviceLink(made.value.code)} name="device" />
          <Qr text={deviceLink(made.value.code)} />
        </>
      )}
      <Refusal refused={refused} />
    </>
  );
}
