import { PassThrough, Readable } from 'node:stream';
import { createContext } from '../../../src/context.ts';
import type { Env, Message, Prompt } from '../../../src/core/io.ts';
import type { Result } from '../../../src/core/result.ts';
import { systemClock } from '../../../src/core/time.ts';
import { commandsOf, NOUNS } from '../../../src/registry.ts';
import type { World } from './world.ts';

const NAMES = new Set(['auth', 'profile', 'setup']);
const COMMANDS = (
  await Promise.all(NOUNS.filter(({ name }) => NAMES.has(name)).map(commandsOf))
).flat();

export interface Run {
  readonly args?: Readonly<Record<string, string | readonly string[]>>;
  readonly flags?: Readonly<Record<string, string | boolean>>;
  readonly profile?: string;
  readonly env?: string;
  readonly yes?: boolean;
  readonly variables?: Env;
  readonly stdin?: string;
  /** The answers of a person, in order. If given, the streams are a terminal. */
  readonly answers?: readonly (string | boolean)[];
}

export interface Ran {
  readonly result: Result;
  readonly said: readonly Message[];
  readonly questions: readonly string[];
  /** Everything that a user could have seen. */
  readonly shown: string;
  readonly data: never;
}

/** Runs a settings command on real files with the real client. Only the keyboard is simulated. */
export async function run(world: World, words: string, asked: Run = {}): Promise<Ran> {
  const spec = COMMANDS.find((one) => one.path.join(' ') === words)!;
  const isTerminal = asked.answers !== undefined;
  const streams = {
    stdin: Object.assign(Readable.from([asked.stdin ?? '']), { isTTY: isTerminal }),
    stdout: Object.assign(new PassThrough(), { isTTY: isTerminal }),
    stderr: Object.assign(new PassThrough(), { isTTY: isTerminal }),
  };
  const { profile, env: environment, yes = false } = asked;
  const flags = { profile, env: environment, yes, timeoutMs: 10_000, retries: 0, where: [] };
  const env = { ...world.env, ...asked.variables };
  const said: Message[] = [];
  const say = (message: Message) => said.push({ ...message, text: message.text } as Message);
  const questions: string[] = [];
  const surroundings = {
    ...{ streams, env, cwd: world.cwd, typed: words.split(' '), clock: systemClock },
    ...{ selfCommand: [], pid: process.pid, signal: new AbortController().signal },
    ...{ json: false, written: [] },
  };
  const opened = createContext(surroundings, flags as never, spec);
  const prompt = answering(asked.answers ?? [], questions);
  const ctx = { ...opened, prompt, io: { ...opened.io, say } };
  const see = (result: unknown) => JSON.stringify([result, said, questions]);
  try {
    const args = asked.args ?? {};
    const result = await spec.run(ctx, args as never, { ...NO_FLAGS, ...asked.flags } as never);
    const data = 'value' in result ? result.value : 'rows' in result ? result.rows : undefined;
    return { result, said, questions, shown: see(result), data: data as never };
  } catch (thrown) {
    const error = thrown as Error & { hint?: string; details?: unknown };
    Object.assign(error, { shown: see([error.message, error.hint, error.details, error.stack]) });
    throw error;
  } finally {
    await opened.close();
  }
}

const NO_FLAGS = { apiKeyStdin: false, tokenStdin: false };

function answering(answers: readonly (string | boolean)[], questions: string[]): Prompt {
  const left = [...answers];
  const next = async (message: string): Promise<never> => {
    questions.push(message);
    if (left.length === 0) throw new Error(`nobody answers: ${message}`);
    return left.shift() as never;
  };
  return {
    confirm: next,
    typed: next,
    async input(message, { validate } = {}) {
      for (;;) {
        const answer: string = await next(message);
        const problem = validate?.(answer);
        if (problem === undefined) return answer;
        questions.push(problem);
      }
    },
    secret: next,
    select: next,
    checkbox: next,
    search: next,
    lines: next,
  };
}
