// The picture of the table: it marks touchable things, narrows the moves by touches, and shows changes.

import { useComputed, useSignalEffect } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { Signal } from "@preact/signals";
import { t } from "./texts";

const SVG = "http://www.w3.org/2000/svg";
/** Maximum distance in pixels at which a finger still touches a thing. */
const NEAR = 18;
/** Ratio of height to width beyond which a picture need not fit a window, because it would be too small to read. */
const TALL = 1.8;
/** Minimum distance of a move, in units of the picture. */
const MOVED = 3;
/** Attributes that make an element a button. */
const BUTTON = ["tabindex", "role", "aria-pressed", "aria-label"];
const still = matchMedia("(prefers-reduced-motion: reduce)");

interface Properties {
  picture: Signal<string | null>;
  chosen?: Signal<string[]>;
  touchable?: Signal<Set<string>>;
  /** The elements that a hint or a step of a tutorial points at. */
  hinted?: Signal<Set<string>>;
  touch?: (ref: string) => void;
  /** The text in the headline's place, empty if the page has it elsewhere. */
  headline?: Signal<string>;
}

/** Return a picture as elements, and its styles as a sheet: the page's policy allows no styles in documents. */
function parsed(text: string): [SVGSVGElement, CSSStyleSheet] {
  const styles: string[] = [];
  const bare = text.replace(/<style>([^<]*)<\/style>/g, (_, style: string) => {
    styles.push(style.replace(/&gt;/g, ">").replace(/&amp;/g, "&"));
    return "";
  });
  const svg = new DOMParser().parseFromString(bare, "image/svg+xml").documentElement as unknown as SVGSVGElement;
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(styles.join("\n"));
  for (const each of svg.querySelectorAll("script, foreignObject")) each.remove();
  svg.removeAttribute("width");
  svg.removeAttribute("height");
  const { width, height } = svg.viewBox.baseVal;
  svg.style.setProperty("--tall", String(height / width));
  if (height > TALL * width) svg.classList.add("tall");
  svg.setAttribute("role", "group");
  svg.setAttribute("aria-label", svg.querySelector("desc")?.textContent ?? t("picture"));
  svg.querySelector(":scope > title")?.remove();
  return [document.importNode(svg, true), sheet];
}

const byRef = (svg: SVGSVGElement) =>
  new Map([...svg.querySelectorAll<SVGGraphicsElement>("[data-ref]")].map((each) => [each.dataset["ref"]!, each]));

interface Shown {
  text: string;
  /** Where it is and how large, in units of the picture. */
  box: DOMRect;
}

function boxOf(element: SVGGraphicsElement, svg: SVGSVGElement): DOMRect {
  const box = element.getBoundingClientRect();
  const { a, d, e, f } = svg.getScreenCTM()?.inverse() ?? new DOMMatrix();
  return new DOMRect(a * box.x + e, d * box.y + f, a * box.width, d * box.height);
}

/** Return the things in a picture with their places, before another takes its place. */
function remember(svg: SVGSVGElement): Map<string, Shown> {
  return new Map([...byRef(svg)].map(([ref, each]) => [ref, { text: plain(each), box: boxOf(each, svg) }]));
}

/** Animate the differences to the previous picture; the ref identifies a thing in both. */
function animate(before: Map<string, Shown>, svg: SVGSVGElement, sameSize: boolean): void {
  if (still.matches) return;
  for (const [ref, element] of byRef(svg)) {
    if (element.querySelector("[data-ref]")) continue; // what changed lies within
    const old = before.get(ref);
    if (!old) element.animate([{ opacity: 0 }, { opacity: 1 }], { duration: 500 });
    else if (element.outerHTML !== old.text && !(sameSize && slide(old.box, element, svg)))
      element.animate([{ opacity: 0.25 }, { opacity: 1 }], { duration: 600, easing: "ease-out" });
  }
}

/**
 * Move an element from its old place; return whether it was elsewhere. An element of another size counts as changed.
 */
function slide(from: DOMRect, element: SVGGraphicsElement, svg: SVGSVGElement): boolean {
  const to = boxOf(element, svg);
  const screen = svg.getScreenCTM();
  const parent = (element.parentNode as SVGGraphicsElement).getScreenCTM();
  const [x, y] = [from.x - to.x, from.y - to.y];
  const grown = Math.max(Math.abs(from.width - to.width), Math.abs(from.height - to.height));
  if (!screen || !parent || grown >= MOVED || Math.hypot(x, y) < MOVED) return false;
  const within = parent.inverse().multiply(screen); // units of the picture to those the element is placed in
  const translate = `${within.a * x + within.c * y}px ${within.b * x + within.d * y}px`;
  element.animate([{ translate }, { translate: "0px 0px" }], { duration: 600, easing: "ease-in-out" });
  return true;
}

/** Apply a function to the picture in its final state, after all movement. */
function arrived(svg: SVGSVGElement, act: () => void): void {
  const moving = svg.getAnimations({ subtree: true }).filter((each) => each.effect?.getComputedTiming().iterations === 1);
  const times = moving.map((each) => each.currentTime);
  for (const each of moving) each.currentTime = each.effect!.getComputedTiming().endTime!;
  act();
  moving.forEach((each, at) => (each.currentTime = times[at]!));
}

export function Board({ picture, chosen, touchable, hinted, touch, headline }: Properties) {
  const place = useRef<HTMLDivElement>(null);
  const shown = useRef<{ svg: SVGSVGElement; sheet: CSSStyleSheet } | null>(null);
  const marks = useComputed(() => [touchable?.value ?? new Set<string>(), chosen?.value ?? [], hinted?.value ?? new Set<string>(), picture.value, headline?.value] as const);

  useSignalEffect(() => {
    const text = picture.value;
    if (!text || !place.current) return;
    const old = shown.current;
    const before = old && remember(old.svg);
    const focused = document.activeElement?.closest(".board [data-ref]")?.getAttribute("data-ref");
    const [svg, sheet] = parsed(text);
    document.adoptedStyleSheets = [...document.adoptedStyleSheets.filter((each) => each !== old?.sheet), sheet];
    place.current.replaceChildren(svg);
    shown.current = { svg, sheet };
    if (old) animate(before!, svg, old.svg.getAttribute("viewBox") === svg.getAttribute("viewBox"));
    mark();
    const again = focused && svg.querySelector<SVGElement>(`[data-ref="${CSS.escape(focused)}"]`);
    if (again) (again.querySelector<SVGElement>(":scope > [tabindex]") ?? again).focus();
  });

  useLayoutEffect(
    () => () => {
      const sheet = shown.current?.sheet;
      document.adoptedStyleSheets = document.adoptedStyleSheets.filter((each) => each !== sheet);
    },
    [],
  );

  /** Mark the touchable and chosen things, and let the keyboard reach them. */
  function mark(): void {
    const svg = shown.current?.svg;
    if (!svg) return;
    if (headline) retitle(svg, headline.peek());
    arrived(svg, () => frameAll(svg));
  }

  function frameAll(svg: SVGSVGElement): void {
    const [open, taken, best] = marks.peek();
    svg.querySelector(":scope > .marks")?.remove();
    const layer = document.createElementNS(SVG, "g");
    layer.setAttribute("class", "marks");
    const inverse = svg.getScreenCTM()?.inverse();
    for (const [ref, element] of byRef(svg)) {
      const may = open.has(ref);
      const is = taken.includes(ref);
      if (element.classList.contains("may")) {
        for (const each of [element, ...element.querySelectorAll(":scope > [aria-pressed]")]) for (const part of BUTTON) each.removeAttribute(part);
        element.classList.remove("may");
      }
      if (may || is) {
        if (!element.querySelector(":scope > title")) label(element, ref);
        const holder = holderOf(element, (each) => open.has(each) || taken.includes(each));
        if (holder !== element) holder.setAttribute("aria-label", element.querySelector(":scope > title")!.textContent!);
        holder.setAttribute("tabindex", "0");
        holder.setAttribute("role", "button");
        holder.setAttribute("aria-pressed", String(is));
        element.classList.add("may");
      }
      const name = is ? "is" : best.has(ref) ? "best" : may ? "may" : "";
      if (name && inverse) layer.append(frame(element, inverse, name));
    }
    svg.append(layer);
  }

  useSignalEffect(() => {
    void marks.value;
    mark();
  });

  /** Return the touched thing: the touchable one there, a small one there, or the nearest touchable one. */
  function touched(target: Element, x: number, y: number): string | null {
    const open = touchable?.value ?? new Set<string>();
    const taken = chosen?.value ?? [];
    const svg = shown.current!.svg;
    for (let at = target.closest("[data-ref]"); at; at = at.parentElement?.closest("[data-ref]") ?? null) {
      const ref = at.getAttribute("data-ref")!;
      if (open.has(ref) || taken.includes(ref)) return ref;
    }
    const exact = target.closest("[data-ref]");
    if (exact && !exact.querySelector("[data-ref]")) return exact.getAttribute("data-ref");
    let best: [number, string] | null = null;
    for (const [ref, element] of byRef(svg)) {
      if (!open.has(ref)) continue;
      const box = element.getBoundingClientRect();
      const away = Math.hypot(Math.max(box.left - x, 0, x - box.right), Math.max(box.top - y, 0, y - box.bottom));
      if (away <= NEAR && (!best || away < best[0])) best = [away, ref];
    }
    return best?.[1] ?? exact?.getAttribute("data-ref") ?? null;
  }

  const click = (event: MouseEvent) => {
    const ref = touch && touched(event.target as Element, event.clientX, event.clientY);
    if (ref) touch(ref);
  };
  const press = (event: KeyboardEvent) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    const ref = (event.target as Element).closest("[data-ref]")?.getAttribute("data-ref");
    if (!ref || !touch) return;
    event.preventDefault();
    touch(ref);
  };

  return <div class="board" ref={place} onClick={click} onKeyDown={press} />;
}

/** Return the part of an element that takes the focus: a shape of its own if other touchable things lie within. */
function holderOf(element: SVGGraphicsElement, isTouchable: (ref: string) => boolean): Element {
  const inner = [...element.querySelectorAll<SVGElement>("[data-ref]")].some((each) => isTouchable(each.dataset["ref"]!));
  const isOwn = (each: Element) => each instanceof SVGGraphicsElement && !each.matches("[data-ref]") && !each.querySelector("[data-ref]");
  return (inner && [...element.children].find(isOwn)) || element;
}

/** Write a text in place of the picture's headline, which may have several lines. */
function retitle(svg: SVGSVGElement, text: string): void {
  svg.querySelectorAll('[data-ref="headline"]').forEach((each, at) => {
    const said = at === 0 ? text : "";
    if (each.lastChild?.textContent !== said) each.textContent = said;
  });
}

/** Label an element without a title by its text. */
function label(element: Element, ref: string): void {
  const texts = element.tagName === "text" ? [element] : [...element.querySelectorAll("text")];
  const title = document.createElementNS(SVG, "title");
  title.setAttribute("class", "given");
  title.textContent = texts.map((each) => each.textContent!.trim()).join(" ") || ref;
  element.prepend(title);
}

/** Return a frame around an element, turned as it is. */
function frame(element: SVGGraphicsElement, inverse: DOMMatrix, name: string): SVGRectElement {
  const parts = [...element.children].filter((each): each is SVGGraphicsElement => each instanceof SVGGraphicsElement);
  const isTurned = (each: Element) => Boolean(each.getAttribute("transform")?.includes("rotate"));
  const turned = parts.length > 0 && isTurned(parts[0]!) && parts.every((each) => isTurned(each) || each.tagName === "text");
  const framed = turned ? parts[0]! : element;
  const { x, y, width, height } = framed.getBBox();
  const { a, b, c, d, e, f } = inverse.multiply(framed.getScreenCTM()!);
  const rect = document.createElementNS(SVG, "rect");
  const values = { x: x - 2, y: y - 2, width: width + 4, height: height + 4, rx: 8, class: name, transform: `matrix(${[a, b, c, d, e, f]})` };
  for (const [key, value] of Object.entries(values)) rect.setAttribute(key, String(value));
  return rect;
}

/** Return an element as it came, without what was marked on it. */
function plain(element: Element): string {
  const copy = element.cloneNode(true) as Element;
  for (const each of copy.querySelectorAll("title.given")) each.remove();
  for (const each of [copy, ...copy.querySelectorAll("[data-ref], [aria-pressed]")]) {
    for (const name of BUTTON) each.removeAttribute(name);
    each.classList.remove("may");
    if (!each.getAttribute("class")) each.removeAttribute("class");
  }
  return copy.outerHTML;
}
