// Texts about a table's company and its options: push messages, phrases, watchers, replays. English, German, Italian.

export const TABLE_TEXTS = {
  setting_push: [
    "Notify me on this device when it is my turn, also while the page is closed",
    "Benachrichtige mich auf diesem Gerät, wenn ich am Zug bin, auch bei geschlossener Seite",
    "Avvisami su questo dispositivo quando tocca a me, anche a pagina chiusa",
  ],
  push_refused: [
    "Your browser does not allow notifications. You can change this in its settings.",
    "Dein Browser erlaubt keine Benachrichtigungen. Du kannst das in seinen Einstellungen ändern.",
    "Il tuo browser non permette le notifiche. Puoi cambiarlo nelle sue impostazioni.",
  ],
} as const satisfies Record<string, readonly [string, string, string]>;
