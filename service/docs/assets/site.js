"use strict";

// The one script of the documentation: it sends requests of a reference page, and leads an old address to its page.

const GAME = "hoher-rat";
const BOTS = [{ bot: { level: "greedy" } }, { bot: { level: "random" } }];
const UNTIL_DONE = { Prefer: "wait=25" };

/** Send JSON and return the answer's; throw where it is refused. */
async function call(method, path, body, headers = {}) {
  const answer = await fetch(path, {
    method,
    headers: body ? { "Content-Type": "application/json", ...headers } : headers,
    body: body && JSON.stringify(body),
  });
  const said = await answer.json();
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${said.detail}`);
  return said;
}

// The operations on a session that need its owner's token.
const OWNED = new Set(["abortSession", "assignSeat", "issueSeatToken", "eraseSeatData", "getReplayLink", "putReplayLink", "deleteReplayLink"]);

const bearer = (token) => ({ Authorization: `Bearer ${token}` });

/** Begin a session for a request to one, and return what the request has to say: its path's fields, headers and body. */
async function setSession(id) {
  const second = id === "claimSeat" ? "open" : "human";
  const seats = [{ kind: "human", name: "Aine" }, { kind: second }];
  const undoes = id.endsWith("Undo");
  const terms = { pauses: { consent: true, days_per_seat: 3 }, absence: { then: "bot", vote_after_ms: 1000 } };
  const pauses = /Pause$|Vacation$|Absence$/.test(id);
  const wanted = { game: GAME, seats, spectators: "live", ...(undoes && { undo: "consent" }), ...(pauses && terms) };
  const made = await call("POST", "/v1/sessions", wanted);
  const at = `/v1/sessions/${made.id}`;
  const found = { path: { id: made.id, number: 0 }, headers: bearer(made.seats[0].token) };
  if (id === "claimSeat") {
    return { path: { id: made.id, number: 1 }, headers: {}, body: { code: made.seats[1].invite, name: "Tom" } };
  }
  if (/Device$/.test(id)) return { ...found, ...(await setDevice(id, made, at, found.headers)) };
  const ends = { getSessionReplay: "forfeit", beginRematch: "forfeit", getReplayLink: "forfeit", putReplayLink: "forfeit", deleteReplayLink: "forfeit", reclaimSeat: "bot" };
  if (id in ends) await call("POST", `${at}/resign`, { then: ends[id] }, found.headers);
  if (OWNED.has(id)) found.headers = bearer(made.owner_token);
  if (id === "getReplayLink") await call("PUT", `${at}/replay-link`, undefined, found.headers);
  if (pauses) return { ...found, ...(await setPause(id, made, at)) };
  if (undoes || ["makeMoveInSession", "checkMoveInSession"].includes(id)) {
    const { actors, version } = await call("GET", at);
    const me = bearer(made.seats[actors[0]].token);
    const { moves } = await call("GET", `${at}/legal-moves`, undefined, me);
    found.body = { move: moves[0].move };
    found.headers = { ...me, "If-Match": `"${version}"` };
    if (!undoes) return found;
    await call("POST", `${at}/moves`, found.body, found.headers);
    const [asked, other] = [me, bearer(made.seats[1 - actors[0]].token)];
    if (id !== "askForUndo") await call("POST", `${at}/undo`, undefined, { ...asked, "If-Match": "*" });
    return { path: found.path, headers: { ...(id === "askForUndo" ? asked : other), "If-Match": "*" } };
  }
  return found;
}

/** Prepare a pause, a vacation or an absent seat, and return the request's parts. */
async function setPause(id, made, at) {
  const [own, other] = made.seats.map((seat) => bearer(seat.token));
  const body = { duration_ms: 3600000 };
  if (id === "askForPause") return { body };
  if (id === "takeVacation") return { body: { days: 1 } };
  if (id === "endVacation") await call("POST", `${at}/vacation`, { days: 1 }, own);
  if (["consentToPause", "refusePause", "endPause"].includes(id)) {
    await call("POST", `${at}/pause`, body, id === "endPause" ? own : other);
    if (id === "endPause") await call("POST", `${at}/pause/consent`, undefined, { ...other, "If-Match": "*" });
  }
  if (id !== "voteOnAbsence") return { headers: { ...own, "If-Match": "*" } };
  await new Promise((done) => setTimeout(done, 1000));
  const [absent] = (await call("GET", at)).actors;
  return { path: { id: made.id, number: absent }, headers: bearer(made.seats[1 - absent].token) };
}

/** Prepare a device or its code, and return the request's parts. */
async function setDevice(id, made, at, mine) {
  if (id !== "addSeatDevice" && id !== "removeSeatDevice") return {};
  const { code } = await call("POST", `${at}/seats/0/device-codes`, undefined, mine);
  if (id === "addSeatDevice") return { path: {}, headers: {}, body: { code } };
  const { device } = await call("POST", "/v1/devices", { code });
  return { path: { id: made.id, number: 0, device } };
}

/** Publish a finished session for a request to its replay. */
async function setReplay() {
  const { path, headers } = await setSession("putReplayLink");
  return { path: { replay: (await call("PUT", `/v1/sessions/${path.id}/replay-link`, undefined, headers)).id } };
}

/** Begin a job for a request to one. */
async function setJob(id) {
  if (id === "listSearchedPositions") {
    const { snapshot, actors } = await call("POST", `/v1/games/${GAME}/snapshots`, { seat_count: 2 });
    const wanted = { game: GAME, budget: { iterations: 50 }, positions: [{ id: "opening", snapshot, seat: actors[0] }] };
    return { path: { id: (await call("POST", "/v1/jobs/searches:batch", wanted, UNTIL_DONE)).id } };
  }
  const headers = id === "cancelJob" ? {} : UNTIL_DONE;
  return { path: { id: (await call("POST", "/v1/jobs/simulations", { game: GAME, seats: BOTS, games: 4 }, headers)).id } };
}

/** Play and give up a session for a review of it. */
async function setReview() {
  const { path, headers, body } = await setSession("makeMoveInSession");
  const [at, mine] = [`/v1/sessions/${path.id}`, { Authorization: headers.Authorization }];
  await call("POST", `${at}/moves`, body, headers);
  await call("POST", `${at}/resign`, { then: "forfeit" }, mine);
  return { path: {}, headers: mine, body: { session: path.id, iterations: 100 } };
}

/** Return what makes what a request needs that is there for a while only, or null. */
function sceneOf({ id, path }) {
  if (id === "startReview") return setReview;
  if (path.startsWith("/v1/sessions/{id}") || id === "addSeatDevice") return setSession;
  if (path.startsWith("/v1/replays/")) return setReplay;
  return path.startsWith("/v1/jobs/{id}") ? setJob : null;
}

/** Tell whether a form still needs such a thing: its id is left empty, or its body is the recorded one. */
function lacks(form, trial) {
  const box = form.querySelector('[name="path id"], [name="path replay"]');
  return box ? !box.value : form.querySelector("textarea")?.value === trial.body;
}

/** Return a labelled field of the form. */
function field(name, where, value, needed) {
  const label = document.createElement("label");
  const box = document.createElement(where === "body" ? "textarea" : "input");
  Object.assign(box, { name: `${where} ${name}`, value: value ?? "", required: needed, spellcheck: false });
  label.append(where === "body" ? "Body" : `${name} (${where})`, box);
  return label;
}

/** Return the values of a path's fields, by the template it follows. */
function pathValues(template, path) {
  const names = [...template.matchAll(/\{(\w+)\}/g)].map((found) => found[1]);
  const pattern = new RegExp(`^${template.replace(/\{\w+\}/g, "([^/]+)")}$`);
  const values = pattern.exec(path)?.slice(1) ?? [];
  return Object.fromEntries(names.map((name, at) => [name, decodeURIComponent(values[at] ?? "")]));
}

/** Fill the form with a recorded request. */
function fill(form, trial) {
  const [path, query] = trial.recorded.split("?");
  const made = /\{(id|replay)\}/.exec(trial.path)?.[1];
  const live = made !== undefined;
  const values = { path: pathValues(trial.path, path), query: Object.fromEntries(new URLSearchParams(query)), header: trial.headers };
  delete values.query.ticket;
  if (live) values.path[made] = "";
  const rest = document.createElement("details");
  const more = document.createElement("fieldset");
  rest.append(Object.assign(document.createElement("summary"), { textContent: "More fields" }), more);
  const add = (name, where, needed) => {
    const value = where === "header" && (live || trial.keyed) && /^(Authorization|If-Match|If-None-Match|Api-Key)$/.test(name) ? "" : values[where][name];
    (needed || value !== undefined ? form : more).append(field(name, where, value, needed && !live));
  };
  const credentials = ["Api-Key", "Authorization", "Seat-Key"];
  const declared = trial.parameters.filter(([name]) => !credentials.includes(name) && name !== "Idempotency-Key" && name !== "ticket");
  for (const [name, where, needed] of declared) add(name, where, needed);
  for (const name of credentials) {
    if (name in trial.headers && !(name === "Api-Key" && trial.keyed)) add(name, "header", false);
  }
  if (trial.keyed) form.append(field("Api-Key", "header", "", true));
  if (trial.body !== null) form.append(field("", "body", trial.body, true));
  if (more.children.length) form.append(rest);
}

/** Return what the form says as a request. */
function read(form, trial) {
  let path = trial.path;
  const query = new URLSearchParams();
  const headers = {};
  let body;
  for (const box of form.querySelectorAll("input, textarea")) {
    const [where, name] = box.name.split(" ");
    if (!box.value) continue;
    if (where === "path") path = path.replace(`{${name}}`, encodeURIComponent(box.value));
    else if (where === "query") query.append(name, box.value);
    else if (where === "header") headers[name] = box.value;
    else [body, headers["Content-Type"]] = [box.value, "application/json"];
  }
  return [path + (query.size ? `?${query}` : ""), { method: trial.method, headers, body }];
}

/** Put what a scene has found into the empty fields of the form. */
function enter(form, scene) {
  for (const [where, found] of [["path", scene.path], ["header", scene.headers ?? {}]]) {
    for (const [name, value] of Object.entries(found)) {
      const box = form.querySelector(`[name="${where} ${name}"]`);
      if (box) box.value = value;
      else if (where === "header") form.querySelector("button").before(field(name, where, value, false));
    }
  }
  if (scene.body) form.querySelector("textarea").value = JSON.stringify(scene.body, null, 2);
}

/** Return the beginning of an answer's text; a stream is left after its first messages. */
async function textOf(answer) {
  if (!/event-stream|x-ndjson|jsonl/.test(answer.headers.get("Content-Type") ?? "")) return answer.text();
  const reader = answer.body.getReader();
  const { value } = await reader.read();
  await reader.cancel();
  return new TextDecoder().decode(value);
}

/** Show an answer. */
async function show(output, answer) {
  const type = answer.headers.get("Content-Type") ?? "";
  const status = Object.assign(document.createElement("p"), { textContent: `${answer.status} ${answer.statusText}` });
  status.className = `status s${Math.floor(answer.status / 100)}`;
  output.replaceChildren(status);
  output.dataset.status = answer.status;
  let text = await textOf(answer);
  if (type.startsWith("image/svg")) {
    const picture = new Image();
    picture.alt = "The picture that was drawn";
    picture.src = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
    output.append(picture);
    return;
  }
  if (type.includes("json") && !type.includes("ndjson")) {
    const said = JSON.parse(text);
    text = JSON.stringify(said, null, 2);
    for (const { rule, rule_url: address } of said.errors ?? []) {
      if (address) output.append(Object.assign(document.createElement("a"), { href: address, textContent: `Rule ${rule}` }));
    }
    if (type.includes("problem") && said.code) {
      output.append(Object.assign(document.createElement("a"), { href: `/docs/problems/${said.code}`, textContent: said.title }));
    }
  }
  const box = Object.assign(document.createElement("pre"), { className: "code", textContent: text, tabIndex: 0 });
  output.append(box);
}

/** Make the form of a reference page work. */
function install(form) {
  const trial = JSON.parse(document.getElementById("trial-data").textContent);
  fill(form, trial);
  const scene = sceneOf(trial);
  const output = document.createElement("output");
  if (scene && scene !== setReview) {
    form.prepend(Object.assign(document.createElement("p"), {
      className: "small",
      textContent: `Left empty, the id is that of a ${scene === setJob ? "job" : "session"} which is begun for this request.`,
    }));
  }
  form.append(Object.assign(document.createElement("button"), { className: "run", textContent: "Send" }), output);
  form.hidden = false;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    delete output.dataset.status;
    output.textContent = "…";
    try {
      if (scene && lacks(form, trial)) enter(form, await scene(trial.id));
      await show(output, await fetch(...read(form, trial)));
    } catch (error) {
      output.textContent = error.message;
      output.dataset.status = "none";
    }
  });
}

const trialForm = document.getElementById("trial");
if (trialForm) install(trialForm);

// `type` of a problem names an entry of the list; with a script the page of that entry opens at once.
const named = location.pathname === "/docs/problems" && document.getElementById(decodeURIComponent(location.hash.slice(1)));
if (named) location.replace(named.querySelector("a").href);
