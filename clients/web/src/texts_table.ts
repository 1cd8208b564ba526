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
  slow: [
    "The game may take days: pauses, vacation, and a bot for absent players",
    "Die Partie darf Tage dauern: mit Pausen, Urlaub und einem Bot für Abwesende",
    "La partita può durare giorni: con pause, vacanze e un bot per gli assenti",
  ],
  pause: ["Pause", "Pause", "Pausa"],
  pause_hours: ["Ask for {n} h", "Um {n} Std. bitten", "Chiedi {n} h"],
  vacation_day: ["Take a day of vacation ({n} left)", "Einen Urlaubstag nehmen (noch {n})", "Prendi un giorno di vacanza (ne restano {n})"],
  paused: ["All clocks rest until {time}.", "Alle Uhren stehen bis {time} still.", "Tutti gli orologi sono fermi fino al {time}."],
  on_vacation: ["{name} is on vacation until {time}.", "{name} ist bis {time} im Urlaub.", "{name} è in vacanza fino al {time}."],
  end_pause: ["End it now", "Jetzt beenden", "Termina ora"],
  pause_asked: [
    "{name} would like to pause the clocks for {n} h.",
    "{name} möchte die Uhren für {n} Std. anhalten.",
    "{name} vorrebbe fermare gli orologi per {n} h.",
  ],
  pause_waits: [
    "You would like a pause. Waiting for the others.",
    "Du möchtest eine Pause. Die anderen müssen noch zustimmen.",
    "Vorresti una pausa. Si attende il consenso degli altri.",
  ],
  absence: ["{name} keeps the table waiting.", "{name} lässt auf sich warten.", "{name} si fa attendere."],
  absence_voted: [
    "You vote to continue without {name}.",
    "Du möchtest ohne {name} weiterspielen.",
    "Voti per continuare senza {name}.",
  ],
  go_without: ["Continue without", "Ohne weiterspielen", "Continua senza"],
  say: ["Say something", "Etwas sagen", "Di' qualcosa"],
  say_text: [
    "Everyone at the table reads it in their own language.",
    "Alle am Tisch lesen es in ihrer Sprache.",
    "Tutti al tavolo lo leggono nella propria lingua.",
  ],
  said_enough: [
    "You have said a lot. Wait a moment before you say more.",
    "Du hast schon viel gesagt. Warte einen Moment.",
    "Hai già detto molto. Aspetta un momento.",
  ],
  mute: ["Mute {name}", "{name} stumm schalten", "Silenzia {name}"],
  watchers: ["{n} {n|person is|people are} watching.", "{n} {n|Person sieht|Personen sehen} zu.", "{n} {n|persona guarda|persone guardano}."],
  replay: ["Replay", "Aufzeichnung", "Replay"],
  replay_text: [
    "Let anybody with a link step through this game, as spectators see it.",
    "Lass alle, die einen Link haben, diese Partie so ansehen, wie Zuschauer sie sehen.",
    "Permetti a chiunque abbia un link di rivedere questa partita come la vedono gli spettatori.",
  ],
  replay_publish: ["Create a link", "Link erstellen", "Crea un link"],
  replay_withdraw: ["End the link", "Link beenden", "Disattiva il link"],
} as const satisfies Record<string, readonly [string, string, string]>;
