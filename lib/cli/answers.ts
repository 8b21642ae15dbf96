/**
 * Who is asked about calls, and who answers servers that ask: the values of `--elicit`, else the person at the terminal, else
 * nobody, and then nothing is declared to them. It asks nothing itself: what does is loaded when something is first asked.
 */
import type { Answerer, Answers } from "../client/answer-types.ts";
import type { Approver } from "../host/gate-types.ts";
import { textOf } from "./flags.ts";
import type { Io, Parsed } from "./types.ts";

/** Whoever is asked about calls: the person at the terminal; undefined where there is none. */
export function approverFrom(io: Io): Approver | undefined {
  if (!io.terminal.stdin || !io.terminal.stderr) return undefined;
  let loading: Promise<Approver> | undefined;
  const load = () => (loading ??= import("./approve.ts").then((room) => room.approverAt(io)));
  return async (call, question) => await (await load())(call, question);
}

/** Undefined where nobody answers. @throws HostError `usage` for an `--elicit` that cannot be read */
export async function answersFrom({ flags }: Parsed, io: Io): Promise<Answers | undefined> {
  const given = textOf(flags["elicit"]);
  if (given !== undefined) {
    const { givenAnswers } = await import("./elicit-given.ts");
    return givenAnswers(given, (error) => io.interrupt?.(error));
  }
  if (!io.terminal.stdin || !io.terminal.stderr) return undefined;
  let loading: Promise<Required<Pick<Answers, "elicit" | "elicitUrl">>> | undefined;
  const load = () => (loading ??= import("./elicit.ts").then(({ personAt }) => personAt(io)));
  const via =
    (kind: "elicit" | "elicitUrl"): Answerer =>
    async (params, asked) =>
      await (await load())[kind](params, asked);
  return { elicit: via("elicit"), elicitUrl: via("elicitUrl") };
}
