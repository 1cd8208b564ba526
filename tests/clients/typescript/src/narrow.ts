import createClient from "openapi-fetch";
import type { paths } from "./contract.js";

/** Return the sentences of a seat's legal moves. */
export async function legalMoves(url: string, id: string, token: string): Promise<string[]> {
  const client = createClient<paths>({ baseUrl: url });
  const { data, error } = await client.GET("/v1/sessions/{id}", {
    params: { path: { id }, query: { expand: "legal_moves" } },
    headers: { Authorization: `Bearer ${token}` },
  });
  if (!data) throw new Error(error?.detail);
  // An owner who may not watch gets an overview, which has no view and no moves.
  if (data.form !== "view") throw new Error("a seat's token gets a view");
  return data.legal_moves?.moves.map((move) => move.label) ?? [];
}
