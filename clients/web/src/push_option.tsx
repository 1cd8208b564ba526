// The option for push messages among a table's settings.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { push, pushKey, subscribe, turnOff, turnOn } from "./push";
import type { Table } from "./table";
import { t } from "./texts";

/** Subscribe the reader's seat while the table is open, if push messages are on; call it once for each table. */
export function usePush(table: Table): void {
  const seat = table.seat.value;
  useEffect(() => {
    if (push.peek() === "on" && seat !== undefined) void pushKey(table).then((key) => (key ? subscribe(table, key) : undefined), () => {});
  }, [seat]);
}

export function PushOption({ table }: { table: Table }) {
  const key = useSignal<string | null>(null);
  const busy = useSignal(false);
  useEffect(() => {
    pushKey(table).then((found) => (key.value = found), () => {});
  }, []);
  if (!key.value) return null;
  const change = async (event: { currentTarget: HTMLInputElement }) => {
    const box = event.currentTarget;
    busy.value = true;
    await (box.checked ? turnOn(table, key.value!) : turnOff(table));
    busy.value = false;
    box.checked = push.value === "on";
  };
  return (
    <>
      <label class="check">
        <input type="checkbox" name="push" disabled={busy.value} checked={push.value === "on"} onChange={change} />
        {t("setting_push")}
      </label>
      {push.value === "refused" && <p class="small" role="alert">{t("push_refused")}</p>}
    </>
  );
}
