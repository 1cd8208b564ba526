// Jobs of a table: started, and followed until they end.

import { type Job, type SearchResult, read, write } from "./api";
import { newKey } from "./store";
import type { Table } from "./table";

const LOOK_MS = 500;
const HINT_MS = 1_500;

interface Options {
  /** Seconds that the first request waits for the result. */
  wait?: number;
  progress?: (progress: Job["progress"]) => void;
}

/** Start a job and return its result; raise Refusal, or Error for a job that failed. */
export async function finish<T>(table: Table, path: "searches" | "reviews", body: unknown, { wait, progress }: Options = {}): Promise<T> {
  const headers: Record<string, string> = wait ? { Prefer: `wait=${wait}` } : {};
  let job = await write<Job>(`/v1/jobs/${path}`, body, table.asked({ key: newKey(), headers }));
  while (job.state === "queued" || job.state === "running") {
    progress?.(job.progress);
    await new Promise((done) => setTimeout(done, LOOK_MS));
    job = await read<Job>(`/v1/jobs/${job.id}`, table.asked());
  }
  if (!job.result) throw new Error(job.problem?.detail);
  return job.result as unknown as T;
}

/** Search for the best moves of the reader's seat, in the present position or as a view shows it. */
export function search(table: Table, view?: unknown): Promise<SearchResult> {
  const position = view ? { view } : { session: table.id };
  const body = { game: table.state.value!.game, ...position, budget: { milliseconds: HINT_MS }, explain: true };
  return finish<SearchResult>(table, "searches", body, { wait: 20 });
}
