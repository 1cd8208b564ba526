// Pictures of a session: each is requested once, and as a difference from the last one (RFC 3229, GDIFF).

import { type Asked, type State, Refusal, drawView, send } from "./api";
import { adler, applied } from "./gdiff";

const IM_USED = 226;
const GONE = 410;

/** The pictures of one session for one reader; the last one is the base of the next. */
export class Pictures {
  private last: { tag: string; bytes: Uint8Array } | null = null;

  constructor(private readonly path: string) {}

  /** Return the picture of a version of the reader's. */
  async draw(state: State, theme: "dark" | "light", asked: Asked): Promise<string> {
    try {
      return await this.requested(state.version, theme, asked);
    } catch (error) {
      if (!(error instanceof Refusal && error.status === GONE)) throw error;
      return drawView(state, state.view, theme, asked); // the service no longer has that version
    }
  }

  private async requested(version: number, theme: "dark" | "light", asked: Asked): Promise<string> {
    const { last } = this;
    const url = `${this.path}/picture?theme=${theme}&version=${version}`;
    const headers: Record<string, string> = last ? { "A-IM": "gdiff", "If-None-Match": last.tag } : {};
    const answer = await send("GET", url, { ...asked, headers, cache: "no-store" });
    let bytes: Uint8Array = new Uint8Array(await answer.arrayBuffer());
    if (answer.status === IM_USED) {
      const whole = this.whole(last!.bytes, bytes, answer.headers.get("Repr-Digest"));
      if (!whole) {
        this.last = null;
        return this.requested(version, theme, asked);
      }
      bytes = whole;
    }
    const tag = answer.headers.get("ETag");
    this.last = tag ? { tag, bytes } : null;
    return new TextDecoder().decode(bytes);
  }

  /** Return the picture of a difference, or null if the checksum is wrong. */
  private whole(base: Uint8Array, delta: Uint8Array, digest: string | null): Uint8Array | null {
    try {
      const bytes = applied(base, delta);
      return adler(bytes) === digest ? bytes : null;
    } catch {
      return null;
    }
  }
}
