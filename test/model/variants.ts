import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Protocol } from './explore.ts';
import * as promises from './promises.ts';
import * as protocol from './protocol.ts';
import * as sharedLedger from './shared-ledger.ts';
import * as sharedPromises from './shared-promises.ts';

type One = Protocol<protocol.World, protocol.Setting>;
type Shared = Protocol<sharedLedger.World, sharedLedger.Setting>;

const { start, steps } = protocol;
export const ONE_MACHINE: One = { start, steps, ...promises };
export const MACHINES: Shared = {
  start: sharedLedger.start,
  steps: sharedLedger.steps,
  ...sharedPromises,
};

/** A rule of a protocol, and a text of its file with what breaks the rule. */
export interface Variant {
  readonly breaks: string;
  readonly replaces: string;
  readonly by: string;
  /** The promise that its shortest story breaks. */
  readonly promise: string;
  /** Only two processes at once on one run show it. */
  readonly needsLostLock?: true;
  /** Only the loss of the file of a run shows it. */
  readonly needsLostFile?: true;
  /** Only a lost answer of the ledger shows it, after a kill. */
  readonly needsLoss?: true;
}

export const VARIANTS: readonly Variant[] = [
  {
    breaks: 'a request leaves only after its intent is in the index',
    replaces: "world.index[row] = { state: 'maybe', run: self.run, intent: at.seen };",
    by: '',
    promise: 'the index knows what may be stored',
  },
  {
    breaks: 'the file has the intent before the index has it',
    replaces: "      self.requests[row] = 'ready';\n",
    by: "      self.requests[row] = 'ready';\n      run.file!.isBehind = true;\n",
    promise: 'a crash damages no run',
  },
  {
    breaks: 'an intent stays until its row has an outcome, also after a 429',
    replaces: "if (answer === 'throttled') self.requests[row] = 'ready';",
    by: "if (answer === 'throttled') { self.requests[row] = 'ready'; world.index[row]!.state = 'none'; }",
    promise: 'the index knows what may be stored',
  },
  {
    breaks: 'an intent needs the current generation',
    replaces: 'of.generation === self.generation',
    by: 'of.generation >= self.generation',
    promise: 'a finished run has sent every row',
    needsLostLock: true,
  },
  {
    breaks: 'a lost file is behind the one that was rebuilt',
    replaces: 'if (!run.isRemade) run.file = run.lost;',
    by: 'run.file = run.lost;',
    promise: 'a finished run has sent every row',
    needsLostFile: true,
  },
  {
    breaks: 'what a verb does is decided behind the lock',
    replaces: 'if (isRefused || isDamaged(opened)',
    by: 'if (isDamaged(opened)',
    promise: 'only send sends a staged run',
    needsLostLock: true,
  },
  {
    breaks: 'a run is published before it is removed',
    replaces: '    publish(next, run);\n    me.step = removes(me)',
    by: '    if (!removes(me)) publish(next, run);\n    me.step = removes(me)',
    promise: 'the index has every outcome that proc reported',
  },
  {
    breaks: 'a row whose request may have left is unconfirmed when its run is opened',
    replaces: "if (entry.state === 'maybe') at.state = 'unconfirmed';",
    by: "if (entry.state === 'maybe') at.state = 'pending';",
    promise: 'nothing is created twice',
  },
  {
    breaks: 'a row is looked up when its request can no longer arrive',
    replaces: 'const isUnderWay = world.orphans.some((request) => request.row === row);',
    by: 'const isUnderWay = false;',
    promise: 'nothing is created twice',
  },
  {
    breaks: 'a request leaves soon after its intent, or never',
    replaces: "const mayArrive = ['ready', 'left', 'throttled'];",
    by: "const mayArrive = ['left', 'throttled'];",
    promise: 'nothing is created twice',
    needsLostLock: true,
  },
  {
    breaks: 'a late outcome only confirms',
    replaces: "if (answer === 'created' || !isMine(self, run.file)) return;",
    by: "if (answer === 'created') return;",
    promise: 'rejected means not stored',
    needsLostLock: true,
  },
  {
    breaks: 'an import asks the index what may have been sent',
    replaces: "const open = state === 'maybe' ? 'unconfirmed' : 'pending';",
    by: "const open = 'pending';",
    promise: 'nothing is created twice',
  },
  {
    breaks: 'only send sends a staged run',
    replaces: "staged: ['send', 'discard'],",
    by: "staged: ['send', 'resume', 'discard'],",
    promise: 'only send sends a staged run',
  },
  {
    breaks: 'a lost answer proves nothing',
    replaces: "setRow(world, self, run, row, 'unconfirmed');",
    by: "setRow(world, self, run, row, 'rejected');",
    promise: 'rejected means not stored',
  },
  {
    breaks: 'a run is published before it is finished',
    replaces: "    publish(next, run);\n    if (run.phase === 'sending'",
    by: "    if (run.phase === 'sending'",
    promise: 'the index has every outcome that proc reported',
  },
  {
    breaks: 'late outcomes of a run that is being removed go to the index',
    replaces: 'run.file.isClosed = removes(me);',
    by: '',
    promise: 'the index has every outcome that proc reported',
    needsLostLock: true,
  },
  {
    breaks: 'only the run that wrote an intent withdraws it',
    replaces: 'const isOwn = world.runs[entry.run] === run;',
    by: 'const isOwn = true;',
    promise: 'the index knows what may be stored',
  },
  {
    breaks: 'every intent has a number of its own',
    replaces: 'at.seen = entry.intent + 1;',
    by: 'at.seen = self.run + 1;',
    promise: 'nothing is created twice',
    needsLostLock: true,
  },
  {
    breaks: 'an intent needs an entry that is as the run saw it',
    replaces: "entry.state === 'maybe' && entry.intent !== at.seen",
    by: 'false',
    promise: 'nothing is created twice',
    needsLostLock: true,
  },
];

/** Each breaks the protocol of machines that share a ledger. */
export const SHARED_VARIANTS: readonly Variant[] = [
  {
    breaks: 'whoever takes over a lock raises the generation',
    replaces: 'if (wasLost) for (const run of next.runs) run.generation += 1;',
    by: '',
    promise: 'nothing is created twice',
  },
  {
    breaks: 'whoever has opened a run checks that it still has the lock',
    replaces: 'if (next.lock.holder === p) return;',
    by: 'return;',
    promise: 'nothing is created twice',
  },
  {
    breaks: 'whoever takes over a lock waits',
    replaces: 'next.lock.isUnsettled && me.verb !==',
    by: 'false && me.verb !==',
    promise: 'nothing is created twice',
  },
  {
    breaks: 'a lost lock that is released stays unsettled',
    replaces: '{ ...next.lock, holder: NOBODY, isExpired: false }',
    by: '{ holder: NOBODY, isExpired: false, isUnsettled: false }',
    promise: 'nothing is created twice',
  },
  {
    breaks: 'a request leaves within 5 s of its intent',
    replaces: ", ready: 'old' }",
    by: ' }',
    promise: 'nothing is created twice',
  },
  {
    breaks: 'the 5 s begin before the COMMIT is asked for',
    replaces: "{ asked: 'asked, old', ",
    by: '{ ',
    promise: 'nothing is created twice',
  },
  {
    breaks: 'a request leaves after the COMMIT of its intent',
    replaces: "        me.requests[row] = 'asked';",
    by: "        me.requests[row] = 'ready';",
    promise: 'the index knows what may be stored',
  },
  {
    breaks: 'a request leaves only if that COMMIT was answered',
    replaces: "(one.startsWith('asked') ? 'none' : one));\n}",
    by: "(one === 'asked' ? 'checked' : one));\n}",
    promise: 'the index knows what may be stored',
  },
  {
    breaks: 'an outcome is published once its COMMIT was answered',
    replaces: "    after(_, me, run, p) {\n      me.step = me.verb === 'discard'",
    by: "    lost: (_, __, run) => {\n      run.rows = null;\n    },\n    after(_, me, run, p) {\n      me.step = me.verb === 'discard'",
    promise: 'the index has every outcome that proc reported',
    needsLoss: true,
  },
  {
    breaks: "a lock expires by the database's clock",
    replaces: 'lock.holder !== NOBODY && !lock.isExpired;',
    by: 'false;',
    promise: 'a lock that is renewed is kept',
  },
  {
    breaks: 'a row that another run may have sent is looked up after settle',
    replaces: "state === 'unconfirmed' && !isUnderWay(world, row) ? [row] : [],",
    by: "state === 'unconfirmed' && !(isUnderWay(world, row) && world.index[row]!.run === self.run) ? [row] : [],",
    promise: 'nothing is created twice',
  },
  {
    breaks: 'import again asks the index what may have been sent',
    replaces: "state === 'maybe' ? 'unconfirmed' : 'pending',",
    by: "state === 'maybe' ? 'pending' : 'pending',",
    promise: 'nothing is created twice',
  },
  {
    breaks: 'an intent needs the current generation',
    replaces: 'run.generation === me.generation',
    by: 'run.generation >= me.generation',
    promise: 'nothing is created twice',
  },
];

export const loadVariant = async (variant: Variant): Promise<One> => ({
  ...(await loadBroken<typeof protocol>('protocol.ts', variant)),
  ...promises,
});

export const loadSharedVariant = async (variant: Variant): Promise<Shared> => ({
  ...(await loadBroken<typeof sharedLedger>('shared-ledger.ts', variant)),
  ...sharedPromises,
});

/** The protocol with one text replaced. */
async function loadBroken<T>(file: string, { replaces, by, breaks }: Variant): Promise<T> {
  const source = await readFile(join(import.meta.dirname, file), 'utf8');
  if (source.split(replaces).length !== 2) {
    throw new Error(`${file} does not have exactly one "${replaces}" (${breaks})`);
  }
  const folder = await mkdtemp(join(tmpdir(), 'variant-'));
  const path = join(folder, 'protocol.ts');
  try {
    await writeFile(
      path,
      source.replace(replaces, () => by),
    );
    return (await import(pathToFileURL(path).href)) as T;
  } finally {
    await rm(folder, { recursive: true });
  }
}
