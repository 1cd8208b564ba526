// The keyboard keeps its place: when the focused element goes, the region around it that is still there gets the focus.

const REGIONS = "section, form, ul, .board, main, #app";
/** By these a control is known again in the place where it was. */
const NAMES = ["id", "name", "data-ref"];

let chain: Element[] = [];

const focusable = (each: Element) => each.isConnected && !each.matches(":disabled");

function focus(element: Element): boolean {
  (element as HTMLElement).focus({ preventScroll: true });
  return document.activeElement === element;
}

/** Return the same control within a region, after the region was rendered again. */
function again(lost: Element, region: Element): Element | null {
  for (const name of NAMES) {
    const value = lost.getAttribute(name);
    if (value) return region.querySelector(`${lost.localName}[${name}="${CSS.escape(value)}"]:not(:disabled)`);
  }
  return null;
}

function restore(app: Element): void {
  const lost = chain[0];
  if (!lost || (document.activeElement && document.activeElement !== document.body)) return;
  if (lost.isConnected && (lost.matches(":disabled") || focus(lost))) return;
  for (const each of chain.slice(1)) {
    if (!focusable(each) || !each.matches(REGIONS)) continue;
    const twin = again(lost, each);
    if (twin && focus(twin)) return;
    const region = each === app ? (app.querySelector("main h1") ?? app.querySelector("main") ?? app) : each;
    if (!region.hasAttribute("tabindex")) region.setAttribute("tabindex", "-1");
    if (focus(region)) return;
  }
}

export function keepFocus(app: Element): void {
  document.addEventListener("focusin", (event) => {
    chain = [];
    for (let each = event.target as Element | null; each; each = each.parentElement) chain.push(each);
  });
  document.addEventListener("pointerdown", () => (chain = []), { capture: true }); // a focus that follows sets it again
  new MutationObserver(() => restore(app)).observe(app, { childList: true, subtree: true, attributes: true, attributeFilter: ["disabled", "tabindex"] });
}
