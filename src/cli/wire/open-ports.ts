import { stateDir } from '../../config/paths.ts';
import type { Command } from '../../core/command.ts';
import { ProcError } from '../../core/errors.ts';
import { EXIT, type ExitCode } from '../../core/exit-codes.ts';
import type { GlobalFlags } from '../../core/global-flags.ts';
import type {
  AllPorts,
  AskPort,
  Clock,
  Env,
  IoPort,
  PortName,
  Ports,
  SelfPort,
  Streams,
  Terminal,
  Written,
} from '../../core/ports.ts';
import type { Result, Row } from '../../core/result.ts';
import { requireWritable } from '../../core/service/read-only.ts';
import { listedAndMore } from '../../core/text/listed.ts';
import { errorsAsJson } from '../../output/format.ts';
import type { OutputForm } from '../../output/output-plan.ts';
import { renderError } from '../../output/render-error.ts';
import { doubtOf } from '../../store/owner.ts';
import { createSay } from '../../terminal/say.ts';
import { describeTerminal } from '../../terminal/terminal.ts';
import { writeNow } from '../../terminal/write.ts';
import { loadTree } from '../tree.ts';
import type { Placeholders } from './create-ports.ts';
import { createDestination, once } from './destination.ts';

export async function openPorts(
  surroundings: Surroundings,
  flags: GlobalFlags,
): Promise<OpenPorts> {
  const { streams, env, cwd } = surroundings;
  const terminal = describeTerminal(streams, env, flags);
  const json = errorsAsJson({
    flag: flags.output,
    env: env.PROC_OUTPUT,
    outFile: flags.out,
    ...terminal,
  });
  const isPreview = flags.dryRun;
  const self = createSelf(surroundings, flags);
  const said = createIo({ streams, terminal, self, json });
  const io: IoPort = {
    ...said,
    async showsTable() {
      const { format, out, query } = await plan();
      return (
        terminal.stdoutIsTerminal && format === 'table' && out === undefined && query === undefined
      );
    },
  };
  const ask = createAsk(io, self);
  const destination = createDestination({ io, self }, isPreview);
  const placeholders: Placeholders = new Set();
  const written: Written[] = [];
  const onWritten = (done: Written): void => void written.push(done);
  const show = async (record: Row) =>
    (await import('../../compose/review-table.ts')).showRecord(record, { io });

  const store = once(async () => {
    const { createStore } = await import('./create-ports.ts');
    return createStore({ isPreview, self, say: io.say, target: destination.target });
  });
  let isStoreOpen = false;
  const openStore = () => {
    const doubt = isStoreOpen ? undefined : doubtOf(stateDir(env));
    if (doubt !== undefined) io.say({ kind: 'warning', text: doubt });
    isStoreOpen = true;
    return store();
  };

  const load: { readonly [Name in PortName]: () => Promise<AllPorts[Name]> } = {
    io: async () => io,
    self: async () => self,
    ask: async () => ask,
    store: openStore,
    input: async () => (await import('./create-ports.ts')).createInput(io, self),
    api: once(async () => {
      if (isPreview) {
        const { createApiTwin } = await import('./create-ports.ts');
        return createApiTwin({
          ...{ self, terminal, destination, placeholders, io, show },
          store: openStore,
        });
      }
      const { createApi } = await import('./create-ports.ts');
      const { target, clientPorts: client } = destination;
      const writing = { self, io, ask, store: openStore, target, client, show, onWritten };
      return createApi({ self, io, destination, writing });
    }),
    lookup: once(async () => {
      if (isPreview) {
        const { createLookupTwin } = await import('./create-ports.ts');
        return createLookupTwin(destination, { io, self }, placeholders);
      }
      return (await import('./create-ports.ts')).createLookup(destination, { io, self });
    }),
  };

  let form: OutputForm = {};
  const plan = once(async () => {
    const { planOutput } = await import('../../output/output-plan.ts');
    return planOutput({ globals: flags, env, form, terminal, cwd });
  });

  return {
    io,
    flags,
    isPreview,
    json,
    async give<Names extends PortName>(needs: readonly Names[]): Promise<Ports<Names>> {
      const given = await Promise.all(
        needs.map(async (name) => [name, await load[name]()] as const),
      );
      return Object.fromEntries(given) as unknown as Ports<Names>;
    },
    async requireWritable(what) {
      if (isPreview) return;
      const { readOnlyTarget } = await import('../../config/resolve-target.ts');
      requireWritable(readOnlyTarget({ flags, env }), what);
    },
    async ready(spec) {
      form = spec;
      await plan();
    },
    async render(result) {
      const { render } = await import('../../output/render.ts');
      try {
        const { say } = io;
        return await render(result, { plan: await plan(), streams, terminal, say });
      } catch (thrown) {
        throw undelivered(thrown, written, result);
      }
    },
    undelivered: (thrown) => undelivered(thrown, written),
    async close() {
      if (isStoreOpen) (await store()).close();
      await destination.close();
    },
  };
}

function createSelf(surroundings: Surroundings, flags: GlobalFlags): SelfPort {
  const { env, cwd, typed, selfCommand, pid, clock, signal } = surroundings;
  return { flags, typed, env, cwd, clock, signal, selfCommand, pid, tree: loadTree };
}

/** Loads the library of prompts with the first question. */
function createAsk({ streams, terminal }: IoPort, { signal }: SelfPort): AskPort {
  const prompts = once(async () => {
    const { createPrompts } = await import('../../terminal/create-prompts.ts');
    return createPrompts({ streams, terminal, signal });
  });
  return {
    confirm: async (...asked) => (await prompts()).confirm(...asked),
    typed: async (...asked) => (await prompts()).typed(...asked),
    select: async (...asked) => (await prompts()).select(...asked),
    checkbox: async (...asked) => (await prompts()).checkbox(...asked),
    search: async (...asked) => (await prompts()).search(...asked),
    lines: async (...asked) => (await prompts()).lines(...asked),
    input: async (...asked) => (await prompts()).input(...asked),
    secret: async (...asked) => (await prompts()).secret(...asked),
  };
}

interface IoOptions {
  readonly streams: Streams;
  readonly terminal: Terminal;
  readonly self: SelfPort;
  readonly json: boolean;
}

function createIo({ streams, terminal, self, json }: IoOptions): Omit<IoPort, 'showsTable'> {
  const { flags } = self;
  return {
    streams,
    terminal,
    say: createSay({ streams, terminal, json, quiet: flags.quiet }),
    complain: (error) =>
      writeNow(streams.stderr, renderError(error, { json, color: terminal.color.stderr })),
  };
}

const NAMED = 5;
/** A field that the printed result does not have is found after the write, too. */
const UNDELIVERED: ReadonlySet<string> = new Set(['unwritable_output', 'unknown_field']);

/**
 * If a write succeeded but its result could not be printed, returns an error that names the write.
 * Returns any other error unchanged.
 */
function undelivered(thrown: unknown, written: readonly Written[], result?: Result): unknown {
  const isOutput = thrown instanceof ProcError && UNDELIVERED.has(thrown.code);
  if (!isOutput || written.length === 0) return thrown;
  const failure = result !== undefined && 'failure' in result ? result.failure : undefined;
  // An unknown outcome or a signal matters more than lost output.
  if (failure instanceof ProcError && outranks(failure)) return failure;
  const named = written.map(({ what, created }) => {
    return created === undefined ? what : `${what} (${created})`;
  });
  return new ProcError(
    'undelivered',
    `done: ${listedAndMore(named, NAMED, ', ')}, but the result could not be written: ${thrown.message}`,
    {
      hint: `See it: ${written[0]!.see}`,
      details: { written: written.map(({ what, created = null }) => ({ what, created })) },
      cause: thrown,
    },
  );
}

function outranks({ exitCode }: ProcError): boolean {
  return exitCode === EXIT.outcomeUnknown || exitCode >= EXIT.hungUp;
}

export interface Surroundings {
  readonly streams: Streams;
  readonly env: Env;
  readonly cwd: string;
  /** The words after `proc`. */
  readonly typed: readonly string[];
  /** The command that starts this program again, e.g. the paths of Node and of the script. */
  readonly selfCommand: readonly string[];
  readonly pid: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

export interface OpenPorts {
  readonly io: IoPort;
  readonly flags: GlobalFlags;
  /** True with `--dry-run`: no write is sent. */
  readonly isPreview: boolean;
  readonly json: boolean;
  give<Names extends PortName>(needs: readonly Names[]): Promise<Ports<Names>>;
  /**
   * Fails before the first request if the target is read-only. A preview is always allowed.
   *
   * @throws ProcError `read_only`
   */
  requireWritable(what: string): Promise<void>;
  render(result: Result): Promise<ExitCode>;
  /**
   * If writes succeeded but their output failed, returns an error that names the writes. Returns any
   * other error unchanged.
   */
  undelivered(thrown: unknown): unknown;
  /** Checks the output flags before anything is sent. */
  ready(spec: OutputForm & Pick<Command, 'changes' | 'needs'>): Promise<void>;
  close(): Promise<void>;
}
