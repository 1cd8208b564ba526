// Links of a table: for spectators, and for one's own seat on another device.

import { Link, seatLink, watchLink } from "./links";
import { Qr } from "./qr";
import type { Table } from "./table";
import { t } from "./texts";

export function Share({ table }: { table: Table }) {
  const { game, you } = table.state.value!;
  const token = table.held?.token;
  const own = you && token && !table.lost.value ? seatLink(table.id, you.seat, token, game) : "";
  return (
    <section class="panel share" aria-labelledby="share">
      <h2 id="share">{t("share")}</h2>
      <p>{t("watch_link")}</p>
      <Link link={watchLink(table.id)} name="watch" />
      {own && (
        <>
          <p>{t("device_text")}</p>
          <Link link={own} name="device" />
          <Qr text={own} />
        </>
      )}
    </section>
  );
}
