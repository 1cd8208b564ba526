// Links to hand on: to an open seat, or to a seat itself.

import { useSignal } from "@preact/signals";
import { t } from "./texts";

export const inviteLink = (id: string, seat: number | string, code: string, game: string) => `${location.origin}/play#/join/${id}/${seat}/${code}/${game}`;
export const seatLink = (id: string, seat: number, token: string, game: string) => `${location.origin}/play#/seat/${id}/${seat}/${token}/${game}`;

/** The link holds a code that works once and for some minutes; the address behind # reaches no server. */
export const deviceLink = (code: string) => `${location.origin}/play#/device/${code}`;

export const watchLink = (id: string) => `${location.origin}/play#/table/${id}`;

export function Link({ link, name }: { link: string; name: string }) {
  const copied = useSignal(false);
  const copy = () => navigator.clipboard?.writeText(link).then(() => (copied.value = true));
  return (
    <p class="row">
      <input id={name} readOnly value={link} aria-label={t("invite")} onFocus={(event) => event.currentTarget.select()} />
      <button type="button" class="plain" onClick={copy}>{t(copied.value ? "copied" : "copy")}</button>
    </p>
  );
}
