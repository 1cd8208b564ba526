/** Reads each line, the name of a component and a tab before its JSON, as the generated type, and writes it again. */
import { createInterface } from "node:readline";
import * as models from "../made/models/index.js";

const functions = models as unknown as Record<string, (value: unknown) => unknown>;

for await (const line of createInterface({ input: process.stdin })) {
  const tab = line.indexOf("\t");
  const name = line.slice(0, tab);
  try {
    const read = functions[`${name}FromJSON`]!(JSON.parse(line.slice(tab + 1)));
    console.log(JSON.stringify(functions[`${name}ToJSON`]!(read)));
  } catch (problem) {
    console.log(`!${String(problem).replaceAll(/\s+/g, " ")}`);
  }
}
