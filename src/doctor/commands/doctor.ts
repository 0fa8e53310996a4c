import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { storedEnvironment } from '../../config/config-file.ts';
import {
  findCredential,
  listNamesOf,
  resolve,
  resolveTarget,
  type Selection,
  shownCredential,
} from '../../config/resolve-target.ts';
import { updateConfig } from '../../config/write-config.ts';
import { type Context, command } from '../../context.ts';
import { EXIT, isSignalled, ProcError } from '../../core/errors.ts';
import type { Result } from '../../core/result.ts';
import { placeName } from '../../core/service.ts';
import { writerOf } from '../../history/entry.ts';
import { newId } from '../../history/history.ts';
import { problemOf } from '../../ledger/ledger-locks.ts';
import { ledgerExists } from '../../ledger/open-ledger.ts';
import { insertInto } from '../../ledger/sql.ts';
import { listSectors } from '../../nouns/sectors/index.ts';
import { chooseFormat } from '../../output/format.ts';
import { configFile, doubtOf, makeFolder, stateDir } from '../../store/folder.ts';
import { confirmChange } from '../../terminal/confirm-change.ts';
import type { Word } from '../detect.ts';
import { asVariable, detectLists, newNames } from '../list-names.ts';

interface Check {
  readonly check: string;
  /** `unknown`: could not be decided. Only a `problem` sets the exit code. */
  readonly status: 'ok' | 'warning' | 'problem' | 'unknown' | 'skipped';
  readonly finding: string;
  readonly hint?: string | undefined;
  readonly error?: ProcError;
}

const WORDS: Readonly<Record<Word, string>> = {
  limit: 'limit',
  position: 'offset or page',
  sort: 'sort',
  dir: 'direction',
};

const LIST_NAMES = 'list names';
/** A problem of one of these does not prevent reads from the service. */
const ASIDE = ['state folder', 'output', 'ledger'];

export const doctor = command({
  path: ['doctor'],
  changes: 'local',
  prints: 'list',
  summary: "Check the setup and detect the service's parameter names",
  description:
    'Checks the settings, whether the service can be reached, and the key. The contract does not state the names of the list parameters, so doctor then detects them with 20 to 150 harmless GETs, stores them in the environment, and prints the variable that sets the same. Changes nothing in the service.',
  flags: {
    acceptLedger: {
      kind: 'boolean',
      doc: 'only accept a ledger that may lack writes; check the service first',
    },
  },
  examples: [
    { run: 'proc doctor', doc: 'run all checks' },
    { run: 'proc doctor -o json', doc: 'for a script' },
    { run: 'proc doctor -v', doc: 'with each request' },
  ],
  exitCodes: [EXIT.configuration, EXIT.unauthorized, EXIT.notFound, EXIT.refused, EXIT.unreachable],
  toleratesSettings: true,
  async run(ctx, _args, flags) {
    return flags.acceptLedger ? acceptLedger(ctx) : report(await examine(ctx), ctx);
  },
});

/** After a failover, a restore or a switch, a person decides whether what is in the ledger is enough. */
async function acceptLedger(ctx: Context): Promise<Result> {
  const { sql, locks, memory } = await ctx.ledger();
  const { key: place, alias } = await ctx.scope();
  const found = await locks?.durability();
  const isMoved = found !== undefined && found.timeline !== found.known;
  const forgets = [
    ...(isMoved ? [problemOf({ ...found, unsafe: [] })!.message] : []),
    ...(await memory!.doubts(sql, { place, alias })).map(({ text }) => text),
  ];
  if (forgets.length === 0) {
    ctx.io.say({ kind: 'notice', text: 'The ledger has not changed. Nothing was accepted.' });
    return { kind: 'record', value: { accepted: false } };
  }
  for (const text of forgets) ctx.io.say({ kind: 'warning', text });
  const text = 'proc would send again what the ledger does not know: check at the service first.';
  ctx.io.say({ kind: 'warning', text });
  await confirmChange('accept the ledger as it is', ctx);
  const historyId = newId(randomBytes(6));
  await sql.transaction(async (within) => {
    if (isMoved) await within.run('UPDATE proc_ledger SET timeline = ?', found.timeline);
    await memory!.accept(within);
    const entry = acceptedEntry(forgets, place, ctx);
    await within.run(
      insertInto('entries', { id: historyId, ...entry }),
      historyId,
      ...Object.values(entry),
    );
  });
  memory!.use({ place, alias });
  return { kind: 'record', value: { accepted: true, forgets, historyId } };
}

/** In the history, so that others see who has decided. */
function acceptedEntry(forgets: readonly string[], place: string, { clock, env, io }: Context) {
  const now = clock.now();
  const request = {
    ...{ what: 'accept the ledger as it is', endpoint: '', method: '', path: '', baseUrl: '' },
    ...{ payload: forgets, writer: writerOf(env, io.terminal) },
  };
  return {
    ...{ place, noun: 'ledger', digest: '', intent: 0, state: 'done', at: now },
    ...{ request: JSON.stringify(request), outcome: JSON.stringify({ endedAt: now }) },
  };
}

async function examine(ctx: Context): Promise<readonly Check[]> {
  const { checks, selection } = await checkSettings(ctx);
  const isFine = () =>
    !checks.some(({ check, status }) => status === 'problem' && !ASIDE.includes(check));
  if (selection !== undefined && isFine()) {
    await attempt(checks, 'service', async () => {
      await ctx.http().call(listSectors, {});
      checks.push(ok('service', `GET ${listSectors.path} returns a list`));
    });
  }
  if (selection !== undefined && isFine()) {
    checks.push(...(await checkNames(ctx, selection)));
    return checks;
  }
  const left = ['target', 'credential', 'service', LIST_NAMES].filter(
    (name) => !checks.some(({ check }) => check === name),
  );
  const finding = 'fix the problems above first';
  return [...checks, ...left.map((check) => ({ check, status: 'skipped', finding }) as const)];
}

/** Checks each part of the settings separately, so that an invalid part does not hide the others. */
async function checkSettings(ctx: Context): Promise<{
  readonly checks: Check[];
  /** Undefined if the settings select no target. */
  readonly selection: Selection | undefined;
}> {
  const { flags, env } = ctx;
  const checks: Check[] = [];
  const selection = await attempt(checks, 'config', async () => {
    const target = await resolveTarget({ flags, env, needCredential: false });
    const path = configFile(env);
    checks.push(ok('config', existsSync(path) ? path : `${path} (none yet)`));
    const { profile, baseUrl, readOnly } = target;
    checks.push(ok('target', profile === undefined ? baseUrl : `${placeName(target)}: ${baseUrl}`));
    if (readOnly !== undefined) {
      const by = readOnly === 'setting' ? 'readOnly' : readOnly;
      checks.push(ok('read-only', `by ${by}: proc sends no write`));
    }
    return resolve({ flags, env });
  });
  if (selection !== undefined) {
    await attempt(checks, 'credential', () => {
      const { value, place } = findCredential(selection);
      checks.push(ok('credential', `${shownCredential(value)}, from ${place}`));
    });
  }
  const hasKey = checks.some(({ check, status }) => check === 'credential' && status === 'ok');
  await attempt(checks, 'output', () =>
    chooseFormat({
      ...{ env: env.PROC_OUTPUT, flag: undefined, outFile: undefined },
      stdoutIsTerminal: false,
    }),
  );
  if (ledgerExists(ctx)) {
    await attempt(checks, 'ledger', async () => {
      const { sql, locks, memory, path = 'shared' } = await ctx.ledger();
      const failed = locks && problemOf(await locks.durability());
      if (failed !== undefined) throw failed;
      const scope = hasKey ? await ctx.scopeIn(sql) : undefined;
      const where = scope && { place: scope.key, alias: scope.alias };
      const [doubt] = await memory!.doubts(sql, where);
      if (doubt !== undefined) throw new ProcError('ledger_changed', doubt.text, doubt);
      checks.push(ok('ledger', path));
    });
  }
  await attempt(checks, 'state folder', () => {
    const folder = stateDir(env);
    makeFolder(folder);
    const doubt = doubtOf(folder);
    checks.push(
      doubt === undefined
        ? ok('state folder', folder)
        : { check: 'state folder', status: 'warning', finding: doubt },
    );
  });
  return { checks, selection };
}

async function attempt<T>(
  checks: Check[],
  name: string,
  work: () => T | Promise<T>,
): Promise<T | undefined> {
  try {
    return await work();
  } catch (thrown) {
    if (!(thrown instanceof ProcError) || isSignalled(thrown)) throw thrown;
    const { message: finding, hint } = thrown;
    checks.push({ check: name, status: 'problem', finding, hint, error: thrown });
    return undefined;
  }
}

/** Detects the names of the list parameters. The last check says which were stored. */
async function checkNames(ctx: Context, selection: Selection): Promise<readonly Check[]> {
  const { clock, signal } = ctx;
  const sender = await ctx.http().sender(1);
  const findings = await detectLists({ sender, clock, signal });
  const checks = [...findings].flatMap(([noun, found]) =>
    found.map(({ word, name, why }): Check => {
      const check = `${noun} ${WORDS[word]}`;
      return name === undefined
        ? { check, status: 'unknown', finding: why }
        : ok(check, `${name}: ${why}`);
    }),
  );
  const names = newNames(listNamesOf(selection).text, findings, sender.target.dialect);
  if (names === undefined) return checks;
  const { known } = selection;
  const variable = asVariable(names);
  if (known === undefined) {
    const finding = 'not stored, because no profile is selected';
    const hint = `Set the variable ${variable}`;
    return [...checks, { check: LIST_NAMES, status: 'warning', finding, hint }];
  }
  const { profile, environment } = known;
  await updateConfig(ctx.env, (draft) => {
    storedEnvironment(draft, profile, environment).settings.listNames = names;
  });
  const finding = `stored for ${profile} · ${environment}: ${names}`;
  const hint = `For other machines: ${variable}`;
  if ((ctx.env.PROC_LIST_NAMES ?? '') === '')
    return [...checks, { ...ok(LIST_NAMES, finding), hint }];
  const unset = 'Unset PROC_LIST_NAMES, which overrides them';
  return [...checks, { check: LIST_NAMES, status: 'warning', finding, hint: unset }];
}

function ok(check: string, finding: string): Check {
  return { check, status: 'ok', finding };
}

function report(checks: readonly Check[], ctx: Context): Result {
  // A table on a terminal has no room for a column of hints. The footnote has them.
  const hasNext =
    !ctx.io.terminal.stdoutIsTerminal && checks.some(({ hint }) => hint !== undefined);
  return {
    kind: 'rows',
    columns: [
      { key: 'check', header: 'CHECK', priority: 3 },
      { key: 'status', header: 'STATUS', priority: 3 },
      { key: 'finding', header: 'FINDING', priority: 2 },
      ...(hasNext ? [{ key: 'hint', header: 'NEXT STEP', priority: 1 }] : []),
    ],
    rows: checks.map(({ check, status, finding, hint, error }) => ({
      ...{ check, status, finding, hint: hint ?? null, exitCode: error?.exitCode ?? null },
    })),
    idField: 'check',
    empty: 'No checks.',
    footnote: () => footnote(checks),
    failure: checks
      .flatMap(({ error }) => error ?? [])
      .toSorted((one, other) => other.exitCode - one.exitCode)[0],
  };
}

function footnote(checks: readonly Check[]): string {
  const hints = checks.flatMap(({ check, hint }) =>
    hint === undefined ? [] : `${check}: ${hint}`,
  );
  const said = (['problem', 'warning', 'unknown'] as const).flatMap((wanted) => {
    const count = checks.filter(({ status }) => status === wanted).length;
    return count === 0 ? [] : `${wanted}: ${count}`;
  });
  const isWell = !checks.some(({ status }) => status === 'problem' || status === 'warning');
  return `\n${[...hints, `${[...(isWell ? ['All well'] : []), ...said].join(', ')}.`].join('\n')}`;
}
