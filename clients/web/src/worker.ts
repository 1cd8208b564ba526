// The service worker: keeps the page and its files, so that it opens without a network. It never answers for the service.

const CACHE = "dorfplatz:shell";
const PAGE = "/play";

declare const self: {
  addEventListener(name: string, listen: (event: any) => void): void;
  skipWaiting(): Promise<void>;
  clients: { claim(): Promise<void> };
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

export {};
