// The client's own texts in three languages; the games' texts come from the service.

import { effect, signal } from "@preact/signals";
import { keep, stored } from "./storage";

export const LANGUAGES = { en: "English", de: "Deutsch", it: "Italiano" } as const;
export type Language = keyof typeof LANGUAGES;

const KEPT = "dorfplatz:language";
const wished = [stored(KEPT), ...navigator.languages.map((each) => each.slice(0, 2))];

export const language = signal<Language>((wished.find((each) => each && each in LANGUAGES) ?? "en") as Language);

effect(() => {
  document.documentElement.lang = language.value;
});

export function setLanguage(chosen: Language): void {
  keep(KEPT, chosen);
  language.value = chosen;
}

/** English, German, Italian. */
const TEXTS = {
  title: ["Play", "Spielen", "Giocare"],
  documents: ["Documentation", "Dokumentation", "Documentazione"],
  languages: ["Language", "Sprache", "Lingua"],
  theme: ["Colours", "Farben", "Colori"],
  theme_auto: ["as the device", "wie das Gerät", "come il dispositivo"],
  theme_light: ["light", "hell", "chiari"],
  theme_dark: ["dark", "dunkel", "scuri"],
  lead: [
    "Four board games against bots, or with friends: one link, no account.",
    "Vier Brettspiele gegen Bots oder mit Freunden: ein Link, kein Konto.",
    "Quattro giochi da tavolo contro i bot o con gli amici: un link, nessun account.",
  ],
  your_tables: ["Your tables", "Deine Tische", "I tuoi tavoli"],
  forget: ["Forget", "Vergessen", "Dimentica"],
  new_table: ["A new table", "Ein neuer Tisch", "Un nuovo tavolo"],
  game: ["Game", "Spiel", "Gioco"],
  seats: ["Seats", "Plätze", "Posti"],
  seat_n: ["Seat {n}", "Platz {n}", "Posto {n}"],
  you: ["you", "du", "tu"],
  your_name: ["Your name", "Dein Name", "Il tuo nome"],
  open_seat: ["open, by invitation", "offen, auf Einladung", "libero, su invito"],
  bot_of: ["bot: {level}", "Bot: {level}", "bot: {level}"],
  level_easy: ["easy", "leicht", "facile"],
  level_medium: ["medium", "mittel", "medio"],
  level_hard: ["hard", "schwer", "difficile"],
  level_expert: ["expert", "meisterlich", "esperto"],
  level_random: ["random", "zufällig", "casuale"],
  level_greedy: ["greedy", "gierig", "avido"],
  level_tuned: ["tuned", "abgestimmt", "calibrato"],
  clock: ["Time for a move", "Bedenkzeit je Zug", "Tempo per mossa"],
  no_clock: ["no clock", "ohne Uhr", "senza orologio"],
  minutes: ["{n} min, then a bot", "{n} Min., dann ein Bot", "{n} min, poi un bot"],
  watching: ["Others may watch", "Andere dürfen zusehen", "Altri possono guardare"],
  takeback: [
    "Moves may be taken back if all agree",
    "Züge dürfen zurückgenommen werden, wenn alle zustimmen",
    "Le mosse si possono ritirare se tutti sono d'accordo",
  ],
  begin: ["Begin", "Beginnen", "Comincia"],
  rules: ["Rules", "Regeln", "Regole"],
  search: ["Search", "Suchen", "Cerca"],
  rules_of: ["Rules of {game}", "Regeln von {game}", "Regole di {game}"],
  join: ["Take the seat", "Platz nehmen", "Prendi posto"],
  invited: ["You are invited to a table.", "Du bist an einen Tisch eingeladen.", "Hai un invito a un tavolo."],
  invite: ["Invite", "Einladen", "Invita"],
  invite_for: [
    "Send this link or show the code, for seat {n}:",
    "Schick diesen Link oder zeig den Code, für Platz {n}:",
    "Manda questo link o mostra il codice, per il posto {n}:",
  ],
  qr: ["QR code of the link", "QR-Code des Links", "Codice QR del link"],
  copy: ["Copy", "Kopieren", "Copia"],
  copied: ["Copied", "Kopiert", "Copiato"],
  waiting: [
    "Waiting for all seats to be taken.",
    "Warten, bis alle Plätze besetzt sind.",
    "In attesa che tutti i posti siano occupati.",
  ],
  spectator: ["You are watching.", "Du siehst zu.", "Stai guardando."],
  your_turn: ["Your turn", "Du bist am Zug", "Tocca a te"],
  to_move: ["to move", "am Zug", "di turno"],
  answered: ["has answered", "hat geantwortet", "ha risposto"],
  here: ["here", "da", "presente"],
  away: ["away", "nicht da", "assente"],
  out: ["given up", "aufgegeben", "ritirato"],
  others: [
    "You have answered; the others are still deciding.",
    "Du hast geantwortet; die anderen überlegen noch.",
    "Hai risposto; gli altri stanno ancora decidendo.",
  ],
  not_yet: ["It is the others' turn.", "Die anderen sind am Zug.", "È il turno degli altri."],
  touch: [
    "Touch the picture, or choose from the list.",
    "Berühre das Bild oder wähle aus der Liste.",
    "Tocca l'immagine o scegli dall'elenco.",
  ],
  moves: ["Moves", "Züge", "Mosse"],
  moves_n: ["{n} moves", "{n} Züge", "{n} mosse"],
  chosen: ["Chosen", "Gewählt", "Scelto"],
  undo_choice: ["Choose again", "Neu wählen", "Scegli di nuovo"],
  filter: ["Search the moves", "Züge durchsuchen", "Cerca tra le mosse"],
  more: ["{n} more; touch or search to narrow them down.", "{n} weitere; berühre oder suche, um einzugrenzen.", "Altre {n}; tocca o cerca per restringere."],
  change_move: ["Other words", "Andere Worte", "Altre parole"],
  change_text: [
    "The list contains only examples. Enter your own words here.",
    "Die Liste enthält nur Beispiele. Gib hier deine eigenen Worte ein.",
    "L'elenco contiene solo esempi. Scrivi qui le tue parole.",
  ],
  play_it: ["Do it", "Ausführen", "Esegui"],
  nothing_there: ["You can't use this right now.", "Damit kannst du gerade nichts tun.", "Ora non puoi usarlo."],
  why: ["Why not?", "Warum nicht?", "Perché no?"],
  rule: ["rule {id}", "Regel {id}", "regola {id}"],
  sending: ["Sending your move …", "Dein Zug wird gesendet …", "La tua mossa viene inviata …"],
  offline: [
    "No connection. The page reconnects by itself.",
    "Keine Verbindung. Die Seite verbindet sich von selbst wieder.",
    "Nessuna connessione. La pagina si ricollega da sola.",
  ],
  not_sent: ["Your move was not sent.", "Dein Zug wurde nicht gesendet.", "La tua mossa non è stata inviata."],
  not_sent_text: [
    "It is kept, and sent once the connection is back.",
    "Er bleibt gespeichert und wird gesendet, sobald die Verbindung wieder da ist.",
    "Resta salvata e parte appena torna la connessione.",
  ],
  not_confirmed: ["Your move is not confirmed yet.", "Dein Zug ist noch nicht bestätigt.", "La tua mossa non è ancora confermata."],
  not_confirmed_text: [
    "It is sent again until the service responds; it counts once.",
    "Er wird erneut gesendet, bis der Dienst antwortet; er zählt nur einmal.",
    "Viene inviata di nuovo finché il servizio risponde; conta una volta sola.",
  ],
  nothing_sent: [
    "No connection: nothing was sent. Try again when you are online.",
    "Keine Verbindung: Es wurde nichts gesendet. Versuche es noch einmal, wenn du online bist.",
    "Nessuna connessione: non è stato inviato nulla. Riprova quando sei in linea.",
  ],
  no_response: [
    "The service did not respond. Check the table, then try again.",
    "Der Dienst hat nicht geantwortet. Sieh auf dem Tisch nach und versuche es dann noch einmal.",
    "Il servizio non ha risposto. Controlla il tavolo, poi riprova.",
  ],
  unanswered: [
    "No response yet. Your request is kept, and sent again until the service responds.",
    "Noch keine Antwort. Deine Anfrage bleibt gespeichert und wird gesendet, bis der Dienst antwortet.",
    "Ancora nessuna risposta. La tua richiesta resta salvata e viene inviata finché il servizio risponde.",
  ],
  unsaved: [
    "This browser stores nothing for this page, or its storage is full. Keep this page open: your seats are lost when you close it.",
    "Dieser Browser speichert nichts für diese Seite, oder sein Speicher ist voll. Lass die Seite offen: Mit ihr gehen deine Plätze verloren.",
    "Questo browser non salva nulla per questa pagina, o la memoria è piena. Tieni aperta la pagina: se la chiudi perdi i tuoi posti.",
  ],
  bot_plays: ["A bot plays for you.", "Ein Bot spielt für dich.", "Un bot gioca al tuo posto."],
  take_seat_back: ["Take your seat back", "Platz zurücknehmen", "Riprendi il posto"],
  seat_gone: [
    "Your seat was given to another player.",
    "Dein Platz wurde jemand anderem gegeben.",
    "Il tuo posto è stato dato a qualcun altro.",
  ],
  seat_taken: ["Seat {n} is taken.", "Platz {n} ist besetzt.", "Il posto {n} è occupato."],
  wrong_invite: [
    "This link does not open seat {n}. Ask for a new one.",
    "Dieser Link öffnet Platz {n} nicht. Bitte um einen neuen.",
    "Questo link non apre il posto {n}. Chiedine uno nuovo.",
  ],
  seat_fixed: [
    "Seat {n} cannot be changed now.",
    "Platz {n} lässt sich gerade nicht ändern.",
    "Il posto {n} ora non si può cambiare.",
  ],
  own_table: [
    "You already have seat {n} at this table.",
    "Du hast an diesem Tisch schon Platz {n}.",
    "A questo tavolo hai già il posto {n}.",
  ],
  own_invite: [
    "This invitation is for another player, for seat {n}:",
    "Diese Einladung ist für jemand anderen, für Platz {n}:",
    "Questo invito è per un'altra persona, per il posto {n}:",
  ],
  to_table: ["To the table", "Zum Tisch", "Vai al tavolo"],
  watch: ["Watch the table", "Am Tisch zusehen", "Guarda il tavolo"],
  host: ["Manage", "Verwalten", "Gestisci"],
  host_text: ["You created this table.", "Du hast diesen Tisch eröffnet.", "Hai aperto tu questo tavolo."],
  bot_in: ["Seat a bot", "Bot setzen", "Metti un bot"],
  level: ["Level", "Stufe", "Livello"],
  open_again: ["Open the seat", "Platz öffnen", "Libera il posto"],
  new_link: ["New link for this seat", "Neuer Link für diesen Platz", "Nuovo link per questo posto"],
  replace: ["Replace the player", "Spieler ersetzen", "Sostituisci il giocatore"],
  new_name: ["Name of the new player", "Name des neuen Spielers", "Nome del nuovo giocatore"],
  new_link_text: [
    "Whoever opens this link has seat {n}; the old link and device lose it:",
    "Wer diesen Link öffnet, hat Platz {n}; der alte Link und das alte Gerät verlieren ihn:",
    "Chi apre questo link ha il posto {n}; il vecchio link e il vecchio dispositivo lo perdono:",
  ],
  end_table: ["End the table", "Tisch auflösen", "Chiudi il tavolo"],
  end_sure: [
    "End the table for everyone, without a result?",
    "Den Tisch für alle ohne Ergebnis auflösen?",
    "Chiudere il tavolo per tutti, senza risultato?",
  ],
  events: ["What happened", "Was geschah", "Che cosa è successo"],
  hint: ["Hint", "Tipp", "Suggerimento"],
  hints: ["Hints", "Tipps", "Suggerimenti"],
  hint_text: [
    "Estimated chance of winning, with the 95 % interval.",
    "Geschätzte Gewinnaussicht mit 95-%-Intervall.",
    "Probabilità di vittoria stimata, con intervallo al 95 %.",
  ],
  thinking: ["Searching …", "Suche läuft …", "Ricerca in corso …"],
  history: ["History", "Verlauf", "Cronologia"],
  position: ["Position {n} of {total}", "Stellung {n} von {total}", "Posizione {n} di {total}"],
  earlier: ["Earlier", "Früher", "Prima"],
  later: ["Later", "Später", "Dopo"],
  back_to_now: ["Back to the current position", "Zurück zur aktuellen Stellung", "Torna alla posizione attuale"],
  resign: ["Resign", "Aufgeben", "Abbandona"],
  resign_sure: ["Give up the game?", "Die Partie aufgeben?", "Abbandonare la partita?"],
  resign_bot: ["A bot plays on for me", "Ein Bot spielt für mich weiter", "Un bot gioca al mio posto"],
  resign_lose: ["I lose at once", "Ich verliere sofort", "Perdo subito"],
  cancel: ["Cancel", "Abbrechen", "Annulla"],
  take_back: ["Take back", "Zurücknehmen", "Ritira"],
  undo_asked: [
    "{name} would like to take back the last move.",
    "{name} möchte den letzten Zug zurücknehmen.",
    "{name} vorrebbe ritirare l'ultima mossa.",
  ],
  undo_waits: [
    "You would like to take back your last move. Waiting for the others.",
    "Du möchtest deinen letzten Zug zurücknehmen. Die anderen müssen noch zustimmen.",
    "Vorresti ritirare la tua ultima mossa. Si attende il consenso degli altri.",
  ],
  agree: ["Agree", "Zustimmen", "Accetta"],
  refuse: ["Refuse", "Ablehnen", "Rifiuta"],
  rematch: ["Rematch", "Revanche", "Rivincita"],
  rematch_join: ["Join the rematch", "Zur Revanche", "Vai alla rivincita"],
  rematch_watch: ["Watch the rematch", "Bei der Revanche zusehen", "Guarda la rivincita"],
  over: ["The game is over.", "Die Partie ist zu Ende.", "La partita è finita."],
  aborted: ["The table was closed.", "Der Tisch wurde aufgelöst.", "Il tavolo è stato chiuso."],
  points: ["{n} points", "{n} Punkte", "{n} punti"],
  won: ["won", "gewonnen", "ha vinto"],
  watch_link: ["Link for spectators, if the table allows them", "Link für Zuschauer, wenn der Tisch sie zulässt", "Link per gli spettatori, se il tavolo li ammette"],
  wrong: ["That did not work.", "Das hat nicht geklappt.", "Non ha funzionato."],
  stale: [
    "Something has changed meanwhile; choose again.",
    "Inzwischen hat sich etwas geändert; wähle noch einmal.",
    "Nel frattempo qualcosa è cambiato; scegli di nuovo.",
  ],
  open_tables: ["Open tables", "Offene Tische", "Tavoli aperti"],
  free: ["{n} free", "{n} frei", "{n} liberi"],
  listed: ["Anyone may take the open seats", "Die offenen Plätze darf jeder nehmen", "Chiunque può prendere i posti liberi"],
  review: ["Review", "Auswertung", "Analisi"],
  reviewing: ["Reviewing: {done} of {total}", "Auswertung: {done} von {total}", "Analisi: {done} di {total}"],
  accuracy: [
    "{name}: accuracy {n} %, {mistakes} {mistakes|mistake|mistakes}, {blunders} {blunders|blunder|blunders}",
    "{name}: Genauigkeit {n} %, {mistakes} Fehler, {blunders} Patzer",
    "{name}: precisione {n} %, {mistakes} {mistakes|errore|errori}, {blunders} {blunders|errore grave|errori gravi}",
  ],
  chart: [
    "Chart: accuracy of each seat and regret of each decision",
    "Diagramm: Genauigkeit jedes Platzes und Verlust jeder Entscheidung",
    "Grafico: precisione di ogni posto e perdita di ogni decisione",
  ],
  nothing_rated: [
    "No decision could be rated.",
    "Keine Entscheidung ließ sich bewerten.",
    "Non è stato possibile valutare alcuna decisione.",
  ],
  verdict_mistake: ["Mistake", "Fehler", "Errore"],
  verdict_blunder: ["Blunder", "Patzer", "Errore grave"],
  better: [
    "{played}. Better: {best} ({n} % higher chance of winning)",
    "{played}. Besser: {best} ({n} % mehr Gewinnaussicht)",
    "{played}. Meglio: {best} ({n} % di probabilità in più)",
  ],
  home: ["All tables", "Alle Tische", "Tutti i tavoli"],
  picture: ["The table", "Der Tisch", "Il tavolo"],
  close: ["Close", "Schließen", "Chiudi"],
  model: ["Model your riddles", "Forme deine Rätsel", "Modella i tuoi enigmi"],
  model_text: [
    "Choose a word for each riddle, then shape it of clay or draw it. Neither too plain nor too hard: both cost points.",
    "Wähle für jedes Rätsel einen Begriff und forme ihn aus Knete oder zeichne ihn. Nicht zu deutlich und nicht zu schwer: beides kostet Punkte.",
    "Scegli una parola per ogni enigma, poi modellala nella creta o disegnala. Né troppo chiara né troppo difficile: entrambe costano punti.",
  ],
  riddle_n: ["Riddle {n}", "Rätsel {n}", "Enigma {n}"],
  term: ["Word", "Begriff", "Parola"],
  clay: ["Clay", "Knete", "Creta"],
  ink: ["Drawing", "Zeichnung", "Disegno"],
  add: ["Add", "Hinzufügen", "Aggiungi"],
  remove: ["Remove", "Entfernen", "Rimuovi"],
  lumps: ["Lumps of clay", "Klumpen", "Pezzi di creta"],
  lump_n: ["{shape} {n}", "{shape} {n}", "{shape} {n}"],
  front: ["From the front: drag the lumps", "Von vorn: zieh die Klumpen", "Di fronte: trascina i pezzi"],
  draw_here: [
    "Draw here with a finger or the mouse",
    "Zeichne hier mit dem Finger oder der Maus",
    "Disegna qui con il dito o il mouse",
  ],
  erase: ["Erase the last line", "Letzte Linie löschen", "Cancella l'ultima linea"],
  axis_across: ["across", "quer", "di traverso"],
  axis_deep: ["deep", "tief", "in profondità"],
  axis_high: ["high", "hoch", "in altezza"],
  place: ["Place", "Ort", "Posizione"],
  size: ["Size", "Größe", "Grandezza"],
  turn: ["Turn", "Drehung", "Rotazione"],
  hand_in: ["Hand in", "Abgeben", "Consegna"],
  look: ["How the others will see it", "So sehen es die anderen", "Come la vedranno gli altri"],
  used: ["{n} % of the clay used", "{n} % der Knete verbraucht", "{n} % della creta usata"],
  ball: ["ball", "Kugel", "sfera"],
  egg: ["egg", "Ei", "uovo"],
  capsule: ["sausage", "Wurst", "salsicciotto"],
  cone: ["cone", "Kegel", "cono"],
  slab: ["disc", "Scheibe", "disco"],
  block: ["block", "Quader", "blocco"],
  torus: ["ring", "Ring", "anello"],
  bend: ["arch", "Bogen", "arco"],
  ribbon: ["wave", "Welle", "onda"],
  play_now: ["Play now", "Jetzt spielen", "Gioca subito"],
  learn: ["Learn", "Lernen", "Impara"],
  more_options: ["More options", "Weitere Möglichkeiten", "Altre opzioni"],
  players_n: ["{n} players", "{n} Personen", "{n} giocatori"],
  minutes_n: ["{n} min", "{n} Min.", "{n} min"],
  difficulty_n: ["Difficulty {n} of {of}", "Schwierigkeit {n} von {of}", "Difficoltà {n} su {of}"],
  share: ["Links", "Links", "Link"],
  device_text: [
    "Continue on another device: open this link there. Keep it secret; it holds your seat.",
    "Auf einem anderen Gerät weiterspielen: Öffne dort diesen Link. Halte ihn geheim; er enthält deinen Platz.",
    "Continua su un altro dispositivo: apri lì questo link. Tienilo segreto: contiene il tuo posto.",
  ],
  decision_n: ["decision {n}", "Entscheidung {n}", "decisione {n}"],
  action: ["Your action", "Deine Aktion", "La tua azione"],
  skip: ["Skip", "Überspringen", "Salta"],
  settings: ["Settings", "Einstellungen", "Impostazioni"],
  setting_auto: ["Make forced moves for me", "Erzwungene Züge für mich ausführen", "Esegui per me le mosse obbligate"],
  setting_sound: ["Play a sound when it is my turn", "Ton abspielen, wenn ich am Zug bin", "Suona quando tocca a me"],
  since: ["Since your last move", "Seit deinem letzten Zug", "Dalla tua ultima mossa"],
  earlier_events: ["Before that", "Davor", "Prima"],
  round_over: ["The round is over", "Die Runde ist zu Ende", "La manche è finita"],
  go_on: ["Continue", "Weiter", "Continua"],
  you_won: ["You have won!", "Du hast gewonnen!", "Hai vinto!"],
  place_of: ["Place", "Platz", "Posto"],
  player: ["Player", "Spieler", "Giocatore"],
  points_of: ["Points", "Punkte", "Punti"],
  all_rules: ["All rules, one by one", "Alle Regeln einzeln", "Tutte le regole, una per una"],
  hint_only: ["the only move", "der einzige Zug", "l'unica mossa"],
  hint_clear: ["clearly best", "klar am besten", "nettamente la migliore"],
  hint_likely: ["probably best", "wahrscheinlich am besten", "probabilmente la migliore"],
  hint_equal: ["about equal", "etwa gleich gut", "più o meno uguale"],
  hint_less: ["probably weaker", "wahrscheinlich schwächer", "probabilmente più debole"],
  hint_weak: ["clearly weaker", "klar schwächer", "nettamente più debole"],
  hint_figures: ["Figures", "Zahlen", "Cifre"],
} as const satisfies Record<string, readonly [string, string, string]>;

export type TextName = keyof typeof TEXTS;

const ORDER = ["en", "de", "it"];

/** Return a text in the reader's language; `{n|one|many}` chooses by a number. */
export function t(name: TextName, values: Record<string, string | number> = {}): string {
  const text: string = TEXTS[name][ORDER.indexOf(language.value)]!;
  const counted = text.replace(/\{(\w+)\|([^|}]*)\|([^}]*)\}/g, (_, key: string, one: string, many: string) => (values[key] === 1 ? one : many));
  return counted.replace(/\{(\w+)\}/g, (_, key: string) => String(values[key] ?? ""));
}

/** Return the name of a bot's level; an unknown level keeps its own. */
export function levelName(level: string | undefined): string {
  const name = `level_${level}`;
  return name in TEXTS ? t(name as TextName) : (level ?? "");
}
