/* Measures the pictures of a page, one after the other, and leaves what is wrong with them as JSON in the page. */
"use strict";

const PHONE = 360;          // pixels: the width of a phone
const LEAST = 9.95;         // pixels: the smallest text there
const CONTRAST = 4.5;       // the least contrast of a text with what lies behind it
const SLACK = 0.75;         // units of the picture that things may overlap

/* Return the corners of a box of an element on the page. */
function corners(element, left, top, right, bottom) {
  const matrix = element.getScreenCTM();
  return [[left, top], [right, top], [right, bottom], [left, bottom]].map(([x, y]) => {
    const point = new DOMPoint(x, y).matrixTransform(matrix);
    return [point.x, point.y];
  });
}

/* Return the corners of the letters of a text: of its lines' boxes without the room above capitals and half of that
   below. */
function inked(element) {
  const box = element.getBBox();
  const size = sizes(element)[0];
  return corners(element, box.x, box.y + 0.2 * size, box.x + box.width, box.y + box.height - 0.2 * size);
}

/* Return the sizes of a text and of the parts of it, in its own units. */
function sizes(element) {
  return [element, ...element.querySelectorAll("tspan")].map((part) => parseFloat(getComputedStyle(part).fontSize));
}

/* Return how far corners reach along an axis. */
function reach(quad, [x, y]) {
  const found = quad.map((corner) => corner[0] * x + corner[1] * y);
  return [Math.min(...found), Math.max(...found)];
}

/* Tell whether two boxes, turned or not, have more than a little in common. */
function crosses(a, b, slack) {
  for (const quad of [a, b]) {
    for (const side of [0, 1]) {
      const [x, y] = [quad[side + 1][0] - quad[side][0], quad[side + 1][1] - quad[side][1]];
      const length = Math.hypot(x, y) || 1;
      const [[a0, a1], [b0, b1]] = [a, b].map((each) => reach(each, [x / length, y / length]));
      if (a1 <= b0 + slack || b1 <= a0 + slack) return false;
    }
  }
  return true;
}

/* Tell whether corners lie within an upright box. */
function inside(quad, box, slack) {
  const [[left, right], [top, bottom]] = [reach(box, [1, 0]), reach(box, [0, 1])];
  return quad.every(([x, y]) => x >= left - slack && x <= right + slack && y >= top - slack && y <= bottom + slack);
}

/* Return the middle of a letter of a text on the page. */
function spot(text, index) {
  const box = text.getExtentOfChar(index);
  return new DOMPoint(box.x + box.width / 2, box.y + box.height / 2).matrixTransform(text.getScreenCTM());
}

function upright(element) {
  const box = element.getBoundingClientRect();
  return [[box.left, box.top], [box.right, box.top], [box.right, box.bottom], [box.left, box.bottom]];
}

function channels(colour) {
  const found = colour.match(/[\d.]+/g);
  return found ? found.map(Number) : null;
}

function luminance(rgb) {
  const [r, g, b] = rgb.slice(0, 3).map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a, b) {
  const [x, y] = [luminance(a), luminance(b)];
  return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
}

function over(rgb, alpha, under) {
  return rgb.slice(0, 3).map((value, index) => alpha * value + (1 - alpha) * under[index]);
}

/* Return how opaque an element is through all that it stands in. */
function opacity(element) {
  let found = 1;
  for (let at = element; at && at.nodeType === 1; at = at.parentNode) found *= Number(getComputedStyle(at).opacity);
  return found;
}

/* Return the colour of a shape that is used at a point, null where it has none there. */
function within(use, x, y) {
  const shape = use.ownerSVGElement.querySelector(use.getAttribute("href"));
  const parts = shape instanceof SVGGeometryElement ? [shape] : [...shape.querySelectorAll("path, circle, ellipse, rect")];
  const point = new DOMPoint(x, y).matrixTransform(use.getScreenCTM().inverse());
  for (const part of parts.reverse()) {
    let at = new DOMMatrix();
    for (let step = part; step !== shape.parentNode; step = step.parentNode) {
      const own = step.transform && step.transform.baseVal.consolidate();
      if (own) at = new DOMMatrix([own.matrix.a, own.matrix.b, own.matrix.c, own.matrix.d, own.matrix.e, own.matrix.f]).multiply(at);
    }
    const fill = part.getAttribute("fill");
    if (fill === "none" || Number(part.getAttribute("fill-opacity") || 1) < 0.5) continue;
    if (!part.isPointInFill(point.matrixTransform(at.inverse()))) continue;
    const style = getComputedStyle(use);
    if (fill === "currentColor") return channels(style.color);
    if (!fill) return style.fill === "none" ? null : channels(style.fill);
    return channels(getComputedStyle(part).fill);
  }
  return null;
}

/* Return the colour behind a text at a point: the fills of what lies there, one over the other. */
function behind(text, x, y) {
  const layers = [];
  for (const element of document.elementsFromPoint(x, y)) {
    if (element === text || text.contains(element) || element.tagName === "text" || element.tagName === "tspan") continue;
    if (element instanceof SVGUseElement) {
      const found = within(element, x, y);
      if (found) layers.push([found, opacity(element)]);
      if (found && layers.at(-1)[1] >= 1) break;
      continue;
    }
    if (!(element instanceof SVGGeometryElement)) continue;
    const style = getComputedStyle(element);
    const rgb = channels(style.fill);
    if (!rgb || style.fill === "none") continue;
    const alpha = (rgb.length > 3 ? rgb[3] : 1) * Number(style.fillOpacity) * opacity(element);
    layers.push([rgb, alpha]);
    if (alpha >= 1) break;
  }
  let colour = [255, 255, 255];
  for (const [rgb, alpha] of layers.reverse()) colour = over(rgb, alpha, colour);
  return colour;
}

function measured(holder) {
  const faults = [];
  const svg = holder.querySelector("svg");
  const names = JSON.parse(holder.dataset.names);
  holder.style.display = "block";
  const frame = upright(svg);
  const width = svg.getBoundingClientRect().width;
  const unit = width / svg.viewBox.baseVal.width;
  const slack = SLACK * unit;
  const texts = [...svg.querySelectorAll("text")].filter((text) => text.textContent.trim());
  const boxes = texts.map(inked);
  const rects = [...svg.querySelectorAll("rect")].map((rect) => [rect, upright(rect)]);
  texts.forEach((text, index) => {
    const box = boxes[index], said = text.textContent;
    const fault = (what) => faults.push(`${what}: ${said}`);
    const matrix = text.getScreenCTM();
    const small = Math.min(...sizes(text)) * Math.hypot(matrix.a, matrix.b) / width * PHONE;
    if (small < LEAST) fault(`small ${small.toFixed(1)}`);
    if (!inside(box, frame, slack)) fault("outside");
    const cut = said.endsWith("…") && /\S…$/.test(said) ? said.slice(0, -1) : "";
    if (cut && !names.some((name) => name.startsWith(cut))) fault("cut off");
    for (let other = index + 1; other < texts.length; other++) {
      if (crosses(box, boxes[other], slack)) fault(`over "${texts[other].textContent}"`);
    }
    for (const [rect, edge] of rects) {
      if (crosses(box, edge, slack) && !inside(box, edge, slack)) fault(`over the border ${rect.getAttribute("class")}`);
    }
    const spots = [0, text.getNumberOfChars() >> 1].map((letter) => spot(text, letter));
    for (const { x, y } of spots) {
      const top = document.elementFromPoint(x, y);
      if (!top || (top !== text && !text.contains(top))) {
        fault(`covered by ${top && (top.getAttribute("class") || top.tagName)}`);
        break;
      }
    }
    const style = getComputedStyle(text);
    const ground = behind(text, spots[1].x, spots[1].y);
    const ink = over(channels(style.fill), Number(style.fillOpacity) * opacity(text), ground);
    const found = contrast(ink, ground);
    if (found < CONTRAST) fault(`contrast ${found.toFixed(2)}`);
  });
  for (const figure of svg.querySelectorAll("use")) {
    const box = upright(figure);
    for (const [rect, edge] of rects) {
      if (crosses(box, edge, 3 * slack) && !inside(box, edge, 3 * slack)) {
        faults.push(`figure ${figure.getAttribute("href")} over the border ${rect.getAttribute("class")}`);
      }
    }
  }
  holder.style.display = "none";
  return faults;
}

document.fonts.ready.then(() => {
  const found = {};
  for (const holder of document.querySelectorAll("[data-name]")) found[holder.dataset.name] = measured(holder);
  const result = document.createElement("script");
  result.type = "application/json";
  result.id = "found";
  result.textContent = JSON.stringify(found);
  document.body.replaceChildren(result);
});
