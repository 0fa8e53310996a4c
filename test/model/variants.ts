import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Protocol } from './explore.ts';
import * as promises from './promises.ts';
import * as protocol from './protocol.ts';

export type Import = Protocol<protocol.World, protocol.Setting>;

export const PROTOCOL: Import = { start: protocol.start, steps: protocol.steps, ...promises };

const LIST: protocol.Setting = {
  isListable: true,
  files: [[0], [0]],
  keys: [0],
  sendsEqual: false,
  ...{ isExact: false, isAgain: false, isAlone: false },
  slots: 2,
  ...{ kills: 0, lostLocks: 0, troubles: 0, doubts: 0, powerFailures: 0, singles: 0, drops: 0 },
  ...{ remembers: false, restores: 0, switches: 0, turns: 0 },
};
const NO_LIST = { ...LIST, isListable: false };
const TWO_LINES = {
  files: [
    [0, 1],
    [0, 1],
  ],
  keys: [0, 1],
};
const TWO_VALUES = { files: [[1, 0], [0]], keys: [0, 0] };
const EQUAL = { ...NO_LIST, files: [[0, 0], [0]], sendsEqual: true };

/** Two spellings of one code. */
const EXACT = {
  ...LIST,
  files: [[0], [1], [0, 1]],
  keys: [0, 0],
  isExact: true,
  isAlone: true,
  kills: 2,
};
const MEMORY = { ...NO_LIST, remembers: true };
const AGAIN = { ...NO_LIST, ...TWO_LINES, isAgain: true, slots: 1, kills: 1 };
/** The same command, once more than it is killed. */
const THRICE = {
  ...AGAIN,
  files: [
    [0, 1],
    [0, 1],
    [0, 1],
  ],
  isAlone: true,
  kills: 2,
};

/** What two processes may meet. */
export const SETTINGS = {
  'a kill': { ...LIST, kills: 1 },
  'a kill, no list': { ...NO_LIST, kills: 1, drops: 1 },
  'a single write and a kill': { ...LIST, kills: 1, singles: 1 },
  'a single write and a kill, no list': { ...NO_LIST, kills: 1, singles: 1 },
  'a lost lock': { ...LIST, lostLocks: 1 },
  'a lost lock, no list': { ...NO_LIST, lostLocks: 1 },
  'a lost lock and trouble': { ...LIST, lostLocks: 1, troubles: 1 },
  'a single write and a lost lock': { ...LIST, lostLocks: 1, singles: 1 },
  'a doubted COMMIT and a lost lock': { ...LIST, doubts: 1, lostLocks: 1 },
  'a doubted COMMIT and a single write, no list': { ...NO_LIST, doubts: 1, singles: 1 },
  'a power failure and a lost lock': { ...LIST, powerFailures: 1, lostLocks: 1 },
  'one slot, a single write and trouble': {
    ...NO_LIST,
    ...TWO_LINES,
    files: [[0, 1]],
    slots: 1,
    singles: 1,
    troubles: 1,
  },
  'a power failure': { ...NO_LIST, powerFailures: 1 },
  'two lines and a kill': { ...LIST, ...TWO_LINES, kills: 1 },
  'two lines and one slot, no list': { ...NO_LIST, ...TWO_LINES, slots: 1, kills: 1 },
  'two values of a key and a kill': { ...NO_LIST, ...TWO_VALUES, kills: 1 },
  'a changed value': { ...NO_LIST, files: [[0], [1]], keys: [0, 0], kills: 1, singles: 1 },
  'equal lines and a kill': { ...EQUAL, kills: 1 },
  'equal lines and a lost lock': { ...EQUAL, lostLocks: 1 },
  'exact codes and a kill': EXACT,
  'again and a kill': AGAIN,
  'again, after two kills': THRICE,
  'memory, a kill and a lost lock': { ...MEMORY, kills: 1, lostLocks: 1 },
  'memory and a power failure': { ...MEMORY, powerFailures: 1 },
  'memory, a single write and a kill': { ...MEMORY, singles: 1, kills: 1 },
  'a restored ledger': { ...MEMORY, restores: 1, kills: 1 },
  'a restored ledger, and a list': { ...MEMORY, isListable: true, restores: 1, kills: 1 },
  'a restored ledger and single writes': {
    ...MEMORY,
    ...{ restores: 1, singles: 2, files: [[1]], keys: [0, 1] },
  },
  'another ledger': { ...MEMORY, switches: 2, kills: 1 },
  'another ledger, and a list': { ...MEMORY, isListable: true, switches: 2, kills: 1 },
  'a copied ledger': { ...MEMORY, files: [[0]], turns: 3, kills: 1 },
  'a copied ledger, and a list': { ...MEMORY, isListable: true, files: [[0]], turns: 3, kills: 1 },
} satisfies Readonly<Record<string, protocol.Setting>>;

type SettingName = keyof typeof SETTINGS;

/** `npm test` explores these, and each variant in the setting that shows it. */
export const QUICK: readonly SettingName[] = [
  ...(['a kill', 'a kill, no list', 'a lost lock', 'a lost lock, no list'] as const),
  ...(['a lost lock and trouble', 'a single write and a lost lock', 'a power failure'] as const),
  ...(['a doubted COMMIT and a lost lock', 'two lines and one slot, no list'] as const),
];

/** Larger ones: seconds to minutes each. */
export const NIGHTLY: Readonly<Record<string, protocol.Setting>> = {
  'a kill, a lost lock and trouble': { ...LIST, kills: 1, lostLocks: 1, troubles: 1 },
  'a kill, a lost lock and trouble, no list': { ...NO_LIST, kills: 1, lostLocks: 1, troubles: 1 },
  'a single write, a kill and a lost lock': { ...LIST, kills: 1, lostLocks: 1, singles: 1 },
  'a single write, a kill, a lost lock, no list': {
    ...NO_LIST,
    kills: 1,
    lostLocks: 1,
    singles: 1,
    drops: 1,
  },
  'three imports, two kills': { ...LIST, files: [[0], [0], [0]], kills: 2, singles: 1 },
  'two lines, a lost lock and trouble': { ...LIST, ...TWO_LINES, lostLocks: 1, troubles: 1 },
  'two lines, a kill and a single write': { ...LIST, ...TWO_LINES, kills: 1, singles: 1 },
  'two lines, a kill and a single write, no list': {
    ...NO_LIST,
    ...TWO_LINES,
    kills: 1,
    singles: 1,
  },
  'two values, a kill and a lost lock': { ...NO_LIST, ...TWO_VALUES, kills: 1, lostLocks: 1 },
  'equal lines, a kill and a lost lock': { ...EQUAL, kills: 1, lostLocks: 1 },
  'equal lines and two kills': { ...EQUAL, kills: 2 },
  'a power failure and a single write': { ...LIST, powerFailures: 1, singles: 1, kills: 1 },
  'two doubted COMMITs, two lines': { ...LIST, ...TWO_LINES, doubts: 2, kills: 1 },
  'two single writes': { ...NO_LIST, singles: 2, kills: 1, troubles: 1 },
};

/** A rule of the protocol, and a text of its file with what breaks the rule. */
export interface Variant {
  readonly breaks: string;
  readonly replaces: string;
  readonly by: string;
  /** The promise that its shortest story breaks. */
  readonly promise: string;
  readonly in: SettingName;
}

export const VARIANTS: readonly Variant[] = [
  {
    breaks: 'a request leaves only after the COMMIT of its intent',
    replaces: "    row.state = 'sending';\n    row.intent",
    by: '    row.intent',
    promise: 'what may be stored is known',
    in: 'a kill',
  },
  {
    breaks: 'a request leaves only when its intent is on the disk',
    replaces: "is: isSafe ? 'ready' : 'asked'",
    by: "is: isSafe || world.powerFailures > 0 ? 'ready' : 'asked'",
    promise: 'what may be stored is known',
    in: 'a power failure',
  },
  {
    breaks: 'what proc reports is on the disk',
    replaces: "      sync(next);\n      me.step = 'reports';",
    by: "      me.step = 'reports';",
    promise: 'what proc reported stays recorded',
    in: 'a power failure',
  },
  {
    breaks: 'a request leaves within 5 s of its intent',
    replaces: "if (is === 'ready' && !isOld) becomes",
    by: "if (is === 'ready') becomes",
    promise: 'what may be stored is known',
    in: 'a lost lock',
  },
  {
    breaks: 'the 5 s begin before the transaction of the intent',
    replaces: "becomes('ready', 'its intent is on the disk', (next) => {\n",
    by: "act('its intent is on the disk', (next, me) => {\n me.requests[at]!.is = 'ready'; me.requests[at]!.isOld = false;\n",
    promise: 'what may be stored is known',
    in: 'a power failure and a lost lock',
  },
  {
    breaks: 'whoever reconnects after a doubted COMMIT compares the number of its batch',
    replaces: 'else if (run.lastIntent === intent)',
    by: 'else if (next.ledger.intents >= intent)',
    promise: 'nothing is created twice',
    in: 'a doubted COMMIT and a single write, no list',
  },
  {
    breaks: 'whoever reconnects after a doubted COMMIT checks the generation, and its 5 s go on',
    replaces:
      '  if (!isMine(run, me)) loseRun(next, me, run);\n  else if (run.lastIntent === intent) [me.lastIntent, me.requests] = [intent, requests];',
    by: '  if (run?.lastIntent !== intent) return;\n  me.lastIntent = intent;\n  me.requests = requests.map((one) => one && { ...one, isOld: false });',
    promise: 'what may be stored is known',
    in: 'a doubted COMMIT and a lost lock',
  },
  {
    breaks: 'a batch needs the generation of its process',
    replaces: 'run?.generation === me.generation;',
    by: 'run !== undefined && me.generation > 0;',
    promise: 'an import leaves nothing open that its list decides',
    in: 'a lost lock',
  },
  {
    breaks: 'a late answer only confirms',
    replaces:
      "if (isOwn && request.is === 'created' && !isTaken(next, row, request)) row.state = 'created';",
    by: 'if (isOwn && isAnswer(request)) row.state = request.is as Answer;',
    promise: 'an import leaves nothing open that its list decides',
    in: 'a lost lock, no list',
  },
  {
    breaks: 'whoever opens a run raises its generation',
    replaces: '      run.generation += 1;\n      for',
    by: '      for',
    promise: 'an import leaves nothing open that its list decides',
    in: 'a lost lock',
  },
  {
    breaks: 'whoever opens a run opens all unfinished runs of the place',
    replaces: "      if (run.phase !== 'sending') continue;\n      run.generation",
    by: "      if (run.phase !== 'sending' || run.number !== me.run) continue;\n      run.generation",
    promise: 'what may be stored is known',
    in: 'a lost lock',
  },
  {
    breaks: 'what was being sent is unconfirmed when its run is opened',
    replaces: "if (row.state === 'sending') row.state = 'unconfirmed';",
    by: "if (row.state === 'sending') row.state = 'pending';",
    promise: 'what may be stored is known',
    in: 'a kill',
  },
  {
    breaks: 'whoever opens runs has the lock',
    replaces:
      '    if (next.lock !== p) return end(me);\n    const { ledger } = next;\n    if (raises',
    by: '    const { ledger } = next;\n    if (raises',
    promise: 'an import leaves nothing open that its list decides',
    in: 'a power failure and a lost lock',
  },
  {
    breaks: 'whoever creates a run has the lock',
    replaces:
      '    if (next.lock !== p) return end(me);\n    const { ledger } = next;\n    me.run =',
    by: '    const { ledger } = next;\n    me.run =',
    promise: 'an import leaves nothing open that its list decides',
    in: 'a lost lock',
  },
  {
    breaks: 'the number of a run is never used again',
    replaces: 'me.run = ++ledger.numbers;',
    by: 'me.run = Math.max(0, ...ledger.runs.map(({ number }) => number)) + 1;',
    promise: 'what is sent has a body',
    in: 'a lost lock',
  },
  {
    breaks: 'a row is looked up 5 s and settle after this process found it open',
    replaces: '      self.waits.length === 0 &&\n',
    by: '',
    promise: 'what may be stored is known',
    in: 'a kill',
  },
  {
    breaks: 'a row that a batch found open elsewhere waits, too',
    replaces: '  me.waits.push(...underWay(next));\n  return true;',
    by: '  return true;',
    promise: 'what may be stored is known',
    in: 'a single write and a kill',
  },
  {
    breaks: 'an import counts the time from when it compared its rows',
    replaces: '    me.waits = underWay(next);\n    // If',
    by: '    // If',
    promise: 'what may be stored is known',
    in: 'a single write and a kill',
  },
  {
    breaks: 'own rows wait after their connection broke',
    replaces: "    if (row.state === 'unconfirmed') me.waits.push(request.intent);\n",
    by: '',
    promise: 'what may be stored is known',
    in: 'a lost lock and trouble',
  },
  {
    breaks:
      'a row that was held back because others were open is compared again when its run is opened',
    replaces: "if (row.state === 'unconfirmed' && row.intent === 0) row.state = 'pending';",
    by: 'void row;',
    promise: 'an import leaves nothing open that its list decides',
    in: 'a single write and a kill',
  },
  {
    breaks: 'an import settles open rows that its list has shown',
    replaces: '    for (const line of me.shown) settle(next, line, true);\n',
    by: '',
    promise: 'an import leaves nothing open that its list decides',
    in: 'a kill',
  },
  {
    breaks: 'an import settles pending rows that its file has, and that exist',
    replaces: '    if (!next.sendsEqual) coverPending(next, me);\n',
    by: '',
    promise: 'an import leaves nothing open that its list decides',
    in: 'a single write and a kill',
  },
  {
    breaks: 'an import takes over for rows that are looked up, too',
    replaces: 'const wanted = [...to.rows];',
    by: "const wanted = to.rows.filter(({ state }) => state === 'pending');",
    promise: 'an import leaves nothing open that its list decides',
    in: 'a single write and a kill',
  },
  {
    breaks: 'a look-up settles open rows of other runs',
    replaces: '  settle(next, row.line, isFound);\n',
    by: "  row.state = isFound ? 'created' : 'dropped';\n",
    promise: 'an import leaves nothing open that its list decides',
    in: 'a kill',
  },
  {
    breaks: 'a look-up settles open single writes',
    replaces:
      "    if (entry.state === 'open' && isSame(entry)) entry.state = isFound ? 'created' : 'dropped';\n",
    by: '    void [entry, isSame];\n',
    promise: 'a record is that of one row',
    in: 'a single write and a kill',
  },
  {
    breaks: 'what a look-up finds is the row with an intent',
    replaces: "other.state = other.intent > 0 ? 'created' : 'existing';",
    by: "other.state = run === ledger.runs.at(-1) ? 'created' : 'existing';",
    promise: 'a record is that of one row',
    in: 'a single write and a kill',
  },
  {
    breaks: 'a row that is sent again by a person is compared with what others have sent since',
    replaces: 'if (intent > 0 && !next.sendsEqual && (sent',
    by: 'if (false && (sent',
    promise: 'nothing is created twice',
    in: 'a changed value',
  },
  {
    breaks: 'a row that is sent again makes its run unfinished',
    replaces: "        run.phase = 'sending';\n      });",
    by: '      });',
    promise: 'an import leaves nothing open that its list decides',
    in: 'a kill, no list',
  },
  {
    breaks: 'a row that a person gave up counts as sent',
    replaces: "row.state === 'created' || row.state === 'abandoned';",
    by: "row.state === 'created';",
    promise: 'nothing is created twice',
    in: 'a kill, no list',
  },
  {
    breaks: 'an import compares all rows behind the lock, also those that were sent before',
    replaces: "map((line) => {\n    if (me.shown.includes(line)) return 'existing';",
    by: "map((line, at) => {\n    if (me.plan[at] === 'existing' || me.plan[at] === 'known') return me.plan[at];",
    promise: 'a run comes to its end',
    in: 'equal lines and a kill',
  },
  {
    breaks: 'an import compares its rows again behind the lock if anybody has written since',
    replaces: '    if (me.seen !== versionOf(next)) compareFile(next, me);\n',
    by: '',
    promise: 'nothing is created twice',
    in: 'a kill, no list',
  },
  {
    breaks: 'whoever resumes compares all pending rows',
    replaces: '    compareAll(next, me, run, run.againUpTo, me.planned);',
    by: '    run.planned = me.planned;',
    promise: 'nothing is created twice',
    in: 'a single write and a kill',
  },
  {
    breaks: 'a batch compares with what others have sent since',
    replaces: '  for (const at of batch) compare(next, me, run, at, run.planned);\n',
    by: '',
    promise: 'nothing is created twice',
    in: 'a single write and a kill',
  },
  {
    breaks: 'planned moves only when all pending rows were compared',
    replaces: '  for (const at of batch) compare(next, me, run, at, run.planned);\n',
    by: '  for (const at of batch) compare(next, me, run, at, run.planned);\n  run.planned = run.lastIntent - 1;\n',
    promise: 'nothing is created twice',
    in: 'one slot, a single write and trouble',
  },
  {
    breaks: 'planned is noted before the rows are compared',
    replaces:
      "    me.step = isNew ? 'creates the run' : 'ended';\n    if (!isNew && next.lock === p) noteLeft(next, me);",
    by: "    me.step = isNew ? 'notes planned' : 'ended';\n  },\n  'notes planned'(next, me) {\n    me.planned = next.ledger.intents;\n    me.step = 'creates the run';",
    promise: 'nothing is created twice',
    in: 'a single write and a kill',
  },
  {
    breaks: 'a hit of equal lines stops the run',
    replaces: '  if (next.sendsEqual) {\n    end(me);\n    return true;\n  }\n',
    by: '',
    promise: 'nothing is lost',
    in: 'equal lines and a kill',
  },
  {
    breaks: 'rows match by their keys',
    replaces: 'world.keys[one.line] === world.keys[line] && isSpelled(world, one))),',
    by: 'false && isSpelled(world, one))),',
    promise: 'nothing is created twice',
    in: 'a changed value',
  },
  {
    breaks: 'an import moves pending rows of unfinished runs',
    replaces: '    moveRows(next, run);\n',
    by: '',
    promise: 'a run comes to its end',
    in: 'equal lines and a kill',
  },
  {
    breaks: 'with --exact-codes, what was created under another spelling is another record',
    replaces: '  return !isExact || isOpen(one);',
    by: '  void [isExact, one];\n  return true;',
    promise: 'nothing is lost',
    in: 'exact codes and a kill',
  },
  {
    breaks: 'with --exact-codes, a look-up tells nothing of another spelling',
    replaces: '    isExact ? one.line === line : keys[one.line] === keys[line];\n  for',
    by: '    (void isExact, keys[one.line] === keys[line]);\n  for',
    promise: 'what may be stored is known',
    in: 'exact codes and a kill',
  },
  {
    breaks: 'what was moved never counts as sent',
    replaces: "row.state === 'created' || row.state === 'abandoned';",
    by: "['created', 'abandoned', 'dropped'].includes(row.state);",
    promise: 'nothing is lost',
    in: 'a single write and a lost lock',
  },
  {
    breaks: '--again counts runs whose rest an unfinished run has taken over',
    replaces:
      "    run.phase !== 'ended' ||\n    run.movedTo.some((to) => runs.some((one) => one.number === to && isUnfinished(one)));",
    by: "    run.phase !== 'ended';",
    promise: 'nothing is created twice',
    in: 'again, after two kills',
  },
  {
    breaks: 'an import moves each row once',
    replaces: '      wanted.splice(at, 1);\n',
    by: '',
    promise: 'nothing is lost',
    in: 'equal lines and a kill',
  },
  {
    breaks: 'an import moves equal lines before equal keys',
    replaces: '    (a: number, b: number) => a === b,\n',
    by: '',
    promise: 'an import leaves nothing open that its list decides',
    in: 'two values of a key and a kill',
  },
  {
    breaks: 'a run ends only when nothing is left',
    replaces: '  if (isOver(run, world.isListable) && self',
    by: '  if (self',
    promise: 'what is sent has a body',
    in: 'a kill',
  },
  {
    breaks: 'with a list a run ends only when nothing is unconfirmed',
    replaces: 'if (isOver(run, world.isListable) && self',
    by: 'if (isOver(run, false) && self',
    promise: 'an import leaves nothing open that its list decides',
    in: 'a kill',
  },
  {
    breaks: 'bodies stay where no list shows what was created',
    replaces: 'ended.hasBodies = !next.isListable;',
    by: 'ended.hasBodies = false;',
    promise: 'what is sent has a body',
    in: 'a kill, no list',
  },
  {
    breaks: 'without a list, no more rows are marked than may leave at once',
    replaces: 'world.slots - self.requests.filter((one) => one && !isAnswer(one)).length,',
    by: 'world.slots + 1,',
    promise: 'a kill leaves few rows to a person',
    in: 'two lines and one slot, no list',
  },
  {
    breaks: 'an id belongs to one row',
    replaces: "return is === 'created' && world.sendsEqual && !isThere(world, line);",
    by: 'void [is, line];\n  return false;',
    promise: 'nothing is lost',
    in: 'equal lines and a lost lock',
  },
  {
    breaks: 'memory is written before a request leaves',
    replaces: '        sync(next);\n        remember(next, request.counter);\n',
    by: '        sync(next);\n',
    promise: 'nothing is created twice',
    in: 'a restored ledger and single writes',
  },
  {
    breaks: 'memory is written after COMMIT',
    replaces: '  return ++ledger.counter;',
    by: '  ledger.counter += 1;\n  remember(world, ledger.counter + 1);\n  return ledger.counter;',
    promise: 'no alarm is false',
    in: 'memory, a kill and a lost lock',
  },
  {
    breaks: 'memory is written when the transaction is on the disk',
    replaces: '  return ++ledger.counter;',
    by: '  ledger.counter += 1;\n  remember(world, ledger.counter);\n  return ledger.counter;',
    promise: 'no alarm is false',
    in: 'memory and a power failure',
  },
  {
    breaks: 'memory is never lowered',
    replaces: 'if (counter === 0 || (memory?.id === id && memory.counter >= counter)) return;',
    by: 'void memory;\n  if (counter === 0) return;',
    promise: 'nothing is created twice',
    in: 'a restored ledger and single writes',
  },
  {
    breaks: 'memory is compared under the lock of all writers',
    replaces: '    if (raisesAlarm(next, me)) return;\n    ledger.runs =',
    by: "    const seen = me.seen === '' ? ledger : (JSON.parse(me.seen) as Ledger);\n    next.hasAlarm = (next.memory?.counter ?? 0) > seen.counter;\n    ledger.runs =",
    promise: 'no alarm is false',
    in: 'memory, a single write and a kill',
  },
  {
    breaks: 'memory is compared when runs are opened',
    replaces: '    if (raisesAlarm(next, me)) return;\n    ledger.runs =',
    by: '    ledger.runs =',
    promise: 'nothing is created twice',
    in: 'a restored ledger',
  },
  {
    breaks: 'memory is compared before a single create',
    replaces: '  if (raisesAlarm(world, me)) return;\n  const intent',
    by: '  const intent',
    promise: 'nothing is created twice',
    in: 'a restored ledger and single writes',
  },
  {
    breaks: 'a machine remembers which ledger it has used',
    replaces: '(memory.id !== ledger.id || memory.counter > ledger.counter)',
    by: 'memory.id === ledger.id && memory.counter > ledger.counter',
    promise: 'nothing is created twice',
    in: 'another ledger',
  },
  {
    breaks: 'a ledger with rows of another machine under way is a copy',
    replaces: '!(isCopy && (!isListable',
    by: '!(false && isCopy && (!isListable',
    promise: 'nothing is created twice',
    in: 'a copied ledger',
  },
  {
    breaks: 'a machine that remembers a ledger has no copy',
    replaces: 'hasUnfinished && memory === null && ledger.writer !== machine',
    by: 'hasUnfinished && (memory === null || ledger.counter > 0)',
    promise: 'no alarm is false',
    in: 'memory, a kill and a lost lock',
  },
];

/** The protocol with one text replaced. */
export async function loadVariant({ replaces, by, breaks }: Variant): Promise<Import> {
  const source = await readFile(join(import.meta.dirname, 'protocol.ts'), 'utf8');
  if (source.split(replaces).length !== 2)
    throw new Error(`protocol.ts does not have exactly one "${replaces}" (${breaks})`);
  const folder = await mkdtemp(join(tmpdir(), 'variant-'));
  const path = join(folder, 'protocol.ts');
  try {
    await writeFile(
      path,
      source.replace(replaces, () => by),
    );
    return { ...((await import(pathToFileURL(path).href)) as typeof protocol), ...promises };
  } finally {
    await rm(folder, { recursive: true });
  }
}
