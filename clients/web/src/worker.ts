// The service worker: keeps the page and its files, so that it opens without a network. It never answers for the service.

const CACHE = "dorfplatz:shell";
const PAGE = "/play";

/** A page of this client. */
interface Tab {
  url: string;
  visibilityState: string;
  focus(): Promise<Tab>;
  navigate(url: string): Promise<Tab | null>;
}

declare const self: {
  addEventListener(name: string, listen: (event: any) => void): void;
  skipWaiting(): Promise<void>;
  clients: {
    claim(): Promise<void>;
    matchAll(options: object): Promise<Tab[]>;
    openWindow(url: string): Promise<unknown>;
  };
  registration: { showNotification(title: string, options: object): Promise<void> };
};

/** Keep the page, and exactly those files that it names. */
async function keep(page: Response): Promise<void> {
  const files = [...(await page.clone().text()).matchAll(/"(\/docs\/[^"]+\?v=[^"]+)"/g)].map((each) => each[1]!.replaceAll("&amp;", "&"));
  const cache = await caches.open(CACHE);
  const kept = new Set((await cache.keys()).map((each) => new URL(each.url)).map((url) => url.pathname + url.search));
  await cache.addAll(files.filter((each) => !kept.has(each)));
  await cache.put(PAGE, page);
  for (const each of kept) if (each !== PAGE && !files.includes(each)) await cache.delete(each);
}

async function page(request: Request): Promise<Response> {
  try {
    const found = await fetch(request);
    if (found.ok) await keep(found.clone()).catch(() => {});
    return found;
  } catch (error) {
    const kept = await caches.match(PAGE);
    if (kept) return kept;
    throw error;
  }
}

self.addEventListener("install", (event) => {
  event.waitUntil(fetch(PAGE).then(keep).then(() => self.skipWaiting()));
});
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));
self.addEventListener("fetch", (event) => {
  const { pathname, searchParams } = new URL(event.request.url);
  if (event.request.mode === "navigate" && pathname === PAGE) event.respondWith(page(event.request));
  else if (searchParams.has("v")) event.respondWith(caches.match(event.request).then((kept) => kept ?? fetch(event.request)));
});

const tabs = () => self.clients.matchAll({ type: "window", includeUncontrolled: true });
const isAt = (tab: Tab, table: string) => tab.url.endsWith(`#${table}`);

/** Show that it is the reader's turn, unless they look at the table. */
async function notify({ session, text }: { session: string; text: string }): Promise<void> {
  const table = `/table/${session}`;
  if ((await tabs()).some((tab) => tab.visibilityState === "visible" && isAt(tab, table))) return;
  await self.registration.showNotification(text, { body: "Dorfplatz", tag: session, renotify: true, icon: "/docs/assets/icon.svg", data: table });
}

/** Show a table in the page that has it open, or in another page, or in a new one. */
async function open(table: string): Promise<void> {
  const all = await tabs();
  const tab = all.find((each) => isAt(each, table)) ?? all.find((each) => new URL(each.url).pathname === PAGE);
  if (!tab) await self.clients.openWindow(`${PAGE}#${table}`);
  else if (isAt(tab, table)) await tab.focus();
  else await (await tab.focus()).navigate(`${PAGE}#${table}`);
}

self.addEventListener("push", (event) => event.waitUntil(notify(event.data.json().data)));
self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(open(event.notification.data));
});

export {};
