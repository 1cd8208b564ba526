// Push messages: this browser is notified when the reader's seat has to decide, at every table that it opens.

import { signal } from "@preact/signals";
import { type Schemas, Refusal, read, send } from "./api";
import { keep, stored } from "./storage";
import type { Table } from "./table";

const KEPT = "dorfplatz:push";

export type PushState = "off" | "on" | "refused";

/** Whether the reader wants push messages, and whether the browser lets them. */
export const push = signal<PushState>(stored(KEPT) ? "on" : "off");

export const pushable = () => "serviceWorker" in navigator && "PushManager" in window && "Notification" in window;

const path = (table: Table) => `${table.path}/seats/${table.seat.value}/push`;

function set(wanted: PushState): void {
  push.value = wanted;
  keep(KEPT, wanted === "on" ? "on" : null);
}

/** Return the key of the service for push messages; null if it sends none, or the reader has no seat. */
export async function pushKey(table: Table): Promise<string | null> {
  if (!pushable() || table.seat.value === undefined || table.over.value) return null;
  try {
    return (await read<Schemas["SeatPush"]>(path(table), table.asked())).application_server_key;
  } catch (error) {
    if (error instanceof Refusal) return null;
    throw error;
  }
}

/** Return the browser's subscription for a key, in place of one for another key. */
async function subscription(key: string): Promise<PushSubscription> {
  const { pushManager } = await navigator.serviceWorker.ready;
  const options = { userVisibleOnly: true, applicationServerKey: key };
  try {
    return await pushManager.subscribe(options);
  } catch (error) {
    const old = await pushManager.getSubscription();
    if (!old) throw error;
    await old.unsubscribe();
    return pushManager.subscribe(options);
  }
}

/** Send the browser's subscription to a table; a browser that allows none changes the setting. */
export async function subscribe(table: Table, key: string): Promise<void> {
  try {
    const made = await subscription(key);
    await send("PUT", path(table), table.asked({ body: made.toJSON() }));
    set("on");
  } catch (error) {
    if (!(error instanceof Refusal || error instanceof TypeError)) set("refused");
  }
}

/** Ask the reader for permission, and subscribe. */
export async function turnOn(table: Table, key: string): Promise<void> {
  if ((await Notification.requestPermission()) === "granted") await subscribe(table, key);
  else set("refused");
}

/** End the browser's subscription; push services report that for all other tables. */
export async function turnOff(table: Table): Promise<void> {
  set("off");
  await send("DELETE", path(table), table.asked()).catch(() => {});
  const registration = await navigator.serviceWorker.getRegistration("/play");
  await (await registration?.pushManager.getSubscription())?.unsubscribe();
}
