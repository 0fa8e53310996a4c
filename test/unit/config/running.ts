import { PassThrough, Readable } from 'node:stream';
import { commands as authCommands } from '../../../src/config/commands/auth/commands.ts';
import { commands as profileCommands } from '../../../src/config/commands/profile/commands.ts';
import { setup } from '../../../src/config/commands/setup.ts';
import { resolveTarget } from '../../../src/config/resolve-target.ts';
import type { AnyInput, EndpointSpec } from '../../../src/core/endpoint.ts';
import type { AskPort, Env, Message } from '../../../src/core/ports.ts';
import type { Result } from '../../../src/core/result.ts';
import type { KeyedTarget } from '../../../src/core/service-target.ts';
import { systemClock } from '../../../src/core/time/clock.ts';
import { call } from '../../../src/http/call.ts';
import { openTransport } from '../../../src/http/connection.ts';
import { prepare } from '../../../src/http/request.ts';
import { send } from '../../../src/http/send-once.ts';
import { describeTerminal } from '../../../src/terminal/terminal.ts';
import { portsOf } from '../../support/ports-of.ts';
import type { World } from './world.ts';

const COMMANDS = [...authCommands, ...profileCommands, setup];

export interface Run {
  readonly args?: Readonly<Record<string, string | readonly string[]>>;
  readonly flags?: Readonly<Record<string, string | boolean>>;
  readonly profile?: string;
  readonly env?: string;
  readonly yes?: boolean;
  readonly offline?: boolean;
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
  const { profile, env: environment, yes = false, offline = false } = asked;
  const globals = { profile, env: environment, yes, offline, output: undefined };
  const env = { ...world.env, ...asked.variables };
  const said: Message[] = [];
  const say = (message: Message) => said.push({ ...message, text: message.text } as Message);
  const questions: string[] = [];
  const target = () => resolveTarget({ env, flags: globals, needCredential: true });
  const callAt = (target: KeyedTarget, spec: EndpointSpec, input: AnyInput) =>
    callOnce(target, spec, input, say);
  const terminal = describeTerminal(streams, env, { noInput: false, color: undefined });
  const given = portsOf({
    io: { streams, say, terminal },
    api: {
      isPreview: false,
      target,
      callAt,
      sender: async (_connections: number, _dialect: undefined, target: KeyedTarget) => ({
        target,
        send: (spec: EndpointSpec, input: AnyInput) => sendOnce(target, spec, input),
      }),
      read: async (spec: EndpointSpec, input: AnyInput, then: (response: unknown) => Result) =>
        then(await callAt(await target(), spec, input)),
    },
    ask: answering(asked.answers ?? [], questions),
    self: {
      env,
      cwd: world.cwd,
      flags: globals,
      typed: words.split(' '),
      clock: systemClock,
      signal: new AbortController().signal,
    },
  });
  const see = (result: unknown) => JSON.stringify([result, said, questions]);
  try {
    const input = { args: asked.args ?? {}, flags: { ...NO_FLAGS, ...asked.flags } };
    const result = await spec.run(input as never, given);
    const data = 'value' in result ? result.value : 'rows' in result ? result.rows : undefined;
    return { result, said, questions, shown: see(result), data: data as never };
  } catch (thrown) {
    const error = thrown as Error & { hint?: string; details?: unknown };
    Object.assign(error, { shown: see([error.message, error.hint, error.details, error.stack]) });
    throw error;
  }
}

async function callOnce(
  target: KeyedTarget,
  spec: EndpointSpec,
  input: AnyInput,
  say: (message: Message) => void,
): Promise<unknown> {
  const { origin } = new URL(target.baseUrl);
  const transport = openTransport({ origin, env: {}, connectTimeoutMs: 10_000 });
  const { signal } = new AbortController();
  const limits = { timeoutMs: 10_000, retries: 0, verbose: false };
  try {
    return await call(spec, input, {
      target,
      transport,
      clock: systemClock,
      signal,
      say,
      ...limits,
    });
  } finally {
    await transport.close();
  }
}

async function sendOnce(target: KeyedTarget, spec: EndpointSpec, input: AnyInput) {
  const { origin } = new URL(target.baseUrl);
  const transport = openTransport({ origin, env: {}, connectTimeoutMs: 10_000 });
  try {
    const options = { timeoutMs: 10_000, now: systemClock.now };
    return await send(prepare(spec, input, target), transport, options);
  } finally {
    await transport.close();
  }
}

const NO_FLAGS = { apiKeyStdin: false, tokenStdin: false };

function answering(answers: readonly (string | boolean)[], questions: string[]): AskPort {
  const left = [...answers];
  const next = async (message: string): Promise<never> => {
    questions.push(message);
    if (left.length === 0) throw new Error(`nobody answers: ${message}`);
    return left.shift() as never;
  };
  return {
    confirm: next,
    typed: next,
    input: next,
    secret: next,
    select: next,
    checkbox: next,
    search: next,
    lines: next,
  };
}
