import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import type { Dispatcher } from 'undici';
import { Disk } from '../machine/disk.ts';
import { Machine } from '../machine/machine.ts';
import { here } from '../machine/world.ts';
import type { PromiseName } from '../promises/promises.ts';
import { SimClient } from '../service/network.ts';
import { KEYS } from '../service/service.ts';
import { type Lived, printing } from '../stories/life.ts';

/**
 * Where proc meets the world, something is broken, as if proc were. No mutant names a line of proc, so that each
 * holds however proc is built.
 */
interface Mutant {
  readonly breaks: PromiseName;
  /** Only these stories notice it. */
  readonly which?: 'meetings';
  /** Called once, before the first story. */
  install(): void;
}

const ALL = {
  'a write leaves twice': {
    breaks: 'a second request has proof that the first had no effect',
    install: () =>
      changeDispatch((send, options, handler) => {
        if (options.method === 'POST') dispatch.call(new SimClient(), options, DEAF);
        return send(options, handler);
      }),
  },
  'a broken write leaves again': {
    breaks: 'nothing is sent again that was applied or may still be',
    install: () =>
      changeDispatch((send, options, handler) => {
        if (options.method !== 'POST') return send(options, handler);
        const again = changed(handler, { onResponseError: () => void send(options, handler) });
        return send(options, again);
      }),
  },
  'a lost answer counts as success': {
    breaks: 'a created row is there, under its id',
    install: () =>
      changeDispatch((send, options, handler) => {
        if (options.method !== 'POST') return send(options, handler);
        let isLost = false;
        const made = changed(handler, {
          onRequestStart(...given) {
            isLost = true;
            handler.onRequestStart!(...given);
          },
          onResponseStart(...given) {
            isLost = false;
            handler.onResponseStart!(...given);
          },
          onResponseError(controller, error) {
            if (!isLost) return handler.onResponseError!(controller, error);
            const text = JSON.stringify({ ...JSON.parse(String(options.body)), id: 'made-up' });
            handler.onResponseStart!(controller, 201, { 'content-type': 'application/json' }, '');
            handler.onResponseData!(controller, Buffer.from(text));
            handler.onResponseEnd!(controller, {});
          },
        });
        return send(options, made);
      }),
  },
  'a failure counts as a refusal': {
    breaks: 'a rejected row is not there',
    install: () =>
      changeAnswers((status, headers) => [status >= 500 ? 400 : status, headers] as const),
  },
  'a wait that the service asks for is not heard': {
    breaks: 'a wait that the service asked for is kept',
    install: () =>
      changeAnswers((status, { 'retry-after': _, ...others }) => [status, others] as const),
  },
  'a list lacks some records': {
    breaks: 'what was there is not created',
    install: () =>
      changeDispatch((send, options, handler) => {
        if (!options.path.includes('limit=')) return send(options, handler);
        const lacking = changed(handler, {
          onResponseData(controller, bytes) {
            const text = bytes.toString().replaceAll(/\{[^{}]*"code":"[^"]*3"[^{}]*\},?/g, '');
            handler.onResponseData!(controller, Buffer.from(text.replace(/,\]/, ']')));
          },
        });
        return send(options, lacking);
      }),
  },
  'writes have the key of another organization': {
    breaks: 'an organization has only what was sent for it',
    install: () =>
      changeDispatch((send, options, handler) => {
        if (options.method === 'GET') return send(options, handler);
        const headers = { ...(options.headers as object), 'x-api-key': KEYS[1]!.apiKey };
        return send({ ...options, headers }, handler);
      }),
  },
  'the disk forgets a commit': {
    breaks: 'an intent is on the disk before its request leaves',
    install() {
      let count = 0;
      changeExec((exec, sql) => {
        const isOurs = here().machine.owner !== here().machine.around && sql === 'COMMIT';
        exec(isOurs && ++count % 11 === 0 ? 'ROLLBACK' : sql);
      });
    },
  },
  'the disk says too early that it has everything': {
    breaks: 'an intent outlives a loss of power',
    install: () =>
      changeFile({
        fdatasync: (_: number, done: (error: null) => void) =>
          void here().machine.after(0, () => done(null)),
      }),
  },
  'a crash takes what was on the disk': {
    breaks: 'no row of a run gets lost from the ledger',
    install() {
      const { kill } = Disk.prototype;
      Disk.prototype.kill = function (owner, crash) {
        kill.call(this, owner, crash);
        for (const name of fs.readdirSync(this.state, { recursive: true }).map(String)) {
          if (name.endsWith('.db-wal')) fs.truncateSync(join(this.state, name));
        }
      };
    },
  },
  'a machine forgets its ledgers': {
    breaks: 'nothing is sent again that was applied or may still be',
    install() {
      const { backUp } = Disk.prototype;
      Disk.prototype.backUp = function () {
        const putBack = backUp.call(this);
        return () => {
          putBack();
          fs.rmSync(join(this.config, 'memory'), { recursive: true, force: true });
        };
      };
    },
  },
  'every lock is free': {
    breaks: 'who holds the lock is alone with the run',
    which: 'meetings',
    install: () => changeExec((exec, sql) => exec(sql === 'BEGIN EXCLUSIVE' ? 'BEGIN' : sql)),
  },
  'the clock stands still': {
    breaks: 'a run comes to its end',
    install: () => changeClock((ms) => 0 * ms),
  },
  'the clock runs too fast': {
    breaks: 'a second request has proof that the first had no effect',
    install: () => changeClock((ms) => 20 * ms),
  },
  'the exit code is 0': {
    breaks: 'the exit code fits the rows',
    install: () => changePrinted((lived) => ({ ...lived, exitCode: 0 })),
  },
  'the summary counts a row twice': {
    breaks: 'the summary counts every row once',
    install: () =>
      changePrinted((lived) => ({
        ...lived,
        stdout: lived.stdout.replace(/(?<="created": ?)\d+/, (count) => String(Number(count) + 1)),
      })),
  },
  'all rows are printed with one id': {
    breaks: 'no two created rows of a run share an id',
    install: () =>
      changePrinted((lived) => ({
        ...lived,
        stdout: lived.stdout.replaceAll(/(?<="id": ?)"[a-z]+-\d+"/g, '"itm-1"'),
      })),
  },
  'hints get lost': {
    breaks: 'the next command is named and works',
    install: () =>
      changePrinted((lived) => ({ ...lived, stderr: lived.stderr.replaceAll(/proc \w+/g, '') })),
  },
} satisfies Readonly<Record<string, Mutant>>;

export type MutantName = keyof typeof ALL;

export const MUTANTS: Readonly<Record<MutantName, Mutant>> = ALL;

export function isMutant(name: string): name is MutantName {
  return name in MUTANTS;
}

type Options = Dispatcher.DispatchOptions;
type Handler = Dispatcher.DispatchHandler;

const { dispatch } = SimClient.prototype;

/** Nobody waits for the answer. */
const DEAF: Handler = {
  onRequestStart() {},
  onResponseStart() {},
  onResponseData() {},
  onResponseEnd() {},
  onResponseError() {},
};

function changed(handler: Handler, by: Handler): Handler {
  const to = (name: keyof Handler) =>
    (handler[name] as (...given: unknown[]) => void).bind(handler);
  return {
    onRequestStart: to('onRequestStart'),
    onResponseStart: to('onResponseStart'),
    onResponseData: to('onResponseData'),
    onResponseEnd: to('onResponseEnd'),
    onResponseError: to('onResponseError'),
    ...by,
  };
}

/** The transport. */
function changeDispatch(
  work: (
    send: (options: Options, handler: Handler) => boolean,
    options: Options,
    handler: Handler,
  ) => boolean,
): void {
  SimClient.prototype.dispatch = function (options, handler) {
    const isOurs = options.path.startsWith('/api/v1/');
    const send = (one: Options, other: Handler) => dispatch.call(this, one, other);
    return isOurs && handler.onResponseStart
      ? work(send, options, handler)
      : send(options, handler);
  };
}

type Headers = Readonly<Record<string, string | string[] | undefined>>;

function changeAnswers(
  work: (status: number, headers: Headers) => readonly [status: number, headers: Headers],
): void {
  changeDispatch((send, options, handler) => {
    if (options.method === 'GET') return send(options, handler);
    const other = changed(handler, {
      onResponseStart(controller, status, headers, message) {
        const [changedStatus, kept] = work(status, headers as Headers);
        handler.onResponseStart!(controller, changedStatus, { ...kept }, message);
      },
    });
    return send(options, other);
  });
}

/** SQLite. */
function changeExec(work: (exec: (sql: string) => void, sql: string) => void): void {
  const { prototype } = process.getBuiltinModule('node:sqlite').DatabaseSync;
  const { exec } = prototype;
  prototype.exec = function (sql) {
    work((text) => exec.call(this, text), sql);
  };
}

function changeFile(by: object): void {
  Object.assign(fs, by);
  syncBuiltinESMExports();
}

function changeClock(work: (ms: number) => number): void {
  const found = Object.getOwnPropertyDescriptors(Machine.prototype);
  for (const name of ['wall', 'monotonic'] as const) {
    const { get } = found[name];
    const of = new WeakMap<Machine, number>();
    Object.defineProperty(Machine.prototype, name, {
      get(this: Machine) {
        const now = get!.call(this);
        const began = of.get(this) ?? now;
        of.set(this, began);
        return Math.floor(began + work(now - began));
      },
    });
  }
}

function changePrinted(work: (lived: Lived) => Lived): void {
  printing.change = (lived) => (lived.exitCode === undefined ? lived : work(lived));
}
