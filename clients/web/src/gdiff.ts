// Differences of pictures in the format GDIFF (https://www.w3.org/TR/NOTE-gdiff-19970901), and their checksum.

const HEAD = [0xd1, 0xff, 0xd1, 0xff, 4];
const END = 0;
const INSERT_SHORT = 247;
const INSERT_LONG = 248;
/** Commands of copies: how many bytes the place and the length have. */
const COPIES: Record<number, readonly [number, number]> = { 249: [2, 1], 250: [2, 2], 251: [2, 4], 252: [4, 1], 253: [4, 2], 254: [4, 4] };
const ADLER = 65_521;

/** Return a picture from its difference in GDIFF to another; raise RangeError for a broken one. */
export function applied(base: Uint8Array, delta: Uint8Array): Uint8Array<ArrayBuffer> {
  const view = new DataView(delta.buffer, delta.byteOffset, delta.byteLength);
  if (HEAD.some((byte, at) => delta[at] !== byte)) throw new RangeError("no GDIFF");
  const parts: Uint8Array[] = [];
  const read = (size: number) => ((at += size), size === 4 ? view.getUint32(at - 4) : size === 2 ? view.getUint16(at - 2) : view.getUint8(at - 1));
  let at = HEAD.length;
  for (let code = read(1); code !== END; code = read(1)) {
    const sizes = COPIES[code];
    if (sizes) {
      const [place, length] = [read(sizes[0]), read(sizes[1])];
      if (place + length > base.length) throw new RangeError("beyond the base");
      parts.push(base.subarray(place, place + length));
    } else {
      if (code > INSERT_LONG) throw new RangeError(`command ${code}`);
      const length = code === INSERT_SHORT ? read(2) : code === INSERT_LONG ? read(4) : code;
      if (at + length > delta.length) throw new RangeError("cut off");
      parts.push(delta.subarray(at, (at += length)));
    }
  }
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let end = 0;
  for (const part of parts) whole.set(part, end), (end += part.length);
  return whole;
}

/** Return the checksum of `Repr-Digest`: a page without TLS has no other. */
export function adler(bytes: Uint8Array): string {
  let [a, b] = [1, 0];
  for (const byte of bytes) (a = (a + byte) % ADLER), (b = (b + a) % ADLER);
  return `adler=:${btoa(String.fromCharCode(b >> 8, b & 255, a >> 8, a & 255))}:`;
}
