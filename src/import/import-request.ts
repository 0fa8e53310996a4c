import type { Context } from '../context.ts';
import { ProcError } from '../core/errors.ts';
import { isLoopback, type Scope, type Target } from '../core/service.ts';
import { inShell, typedAgain } from '../core/wording.ts';
import type { Ledger } from '../ledger/open-ledger.ts';
import type { Place } from '../ledger/rows.ts';
import type { ImportFlags } from './import-flags.ts';
import { givenMap, type SavedMap } from './map/saved-map.ts';
import { checkFiles } from './report/files.ts';
import type { Choices } from './run-header.ts';
import { mostOf, type RunOptions, runOptionsOf } from './run-options.ts';
import { badFlag } from './source/record.ts';
import { type ImportTarget, requiredBy, withoutRequired } from './targets/import-target.ts';
import { importsFolder } from './workplace.ts';

export interface ImportRequest {
  readonly target: ImportTarget;
  readonly file: string;
  readonly flags: ImportFlags;
  readonly choices: Choices;
  readonly options: RunOptions;
  readonly destination: Target;
  readonly scope: Scope;
  readonly where: Place;
  /** The folder for what imports keep while they run. */
  readonly folder: string;
  readonly saved: SavedMap | undefined;
  /** Of a dry run: the import itself will be refused. */
  readonly willStop: boolean;
}

/**
 * Reads and checks everything about an import except the content of its file.
 *
 * @throws ProcError `invalid_usage`; `no_ledger` if only the ledger could tell what was sent before, and it is empty;
 * `unknown_organization` if the key may be a new one of an organization that has written
 */
export async function readRequest(
  noun: ImportTarget,
  file: string,
  typed: ImportFlags,
  ledger: Ledger,
  ctx: Context,
): Promise<ImportRequest> {
  const saved = givenMap(typed.mapFile, ctx.cwd);
  const { map: _map, set: _set, values: _values, ...settings } = saved ?? {};
  const given = Object.entries(typed).filter(([, value]) => value !== undefined);
  const flags = { ...settings, ...Object.fromEntries(given) } as ImportFlags;
  const { key, allowMissing: allowed, maxCreate, maxRejected } = flags;
  const required = requiredBy(noun).map(([name = '']) => name);
  const missing =
    allowed === undefined ? [] : namesIn(`--allow-missing ${allowed}`, allowed, required);
  const target = withoutRequired(noun, missing);
  const fields = noun.fields.map(({ name }) => name);
  if (ctx.flags.dryRun && flags.rejected !== undefined)
    throw badFlag(
      '--rejected cannot be combined with --dry-run',
      'Remove --rejected, or use --results',
    );
  mostOf(maxRejected, 0);
  const isListed = target.listing !== undefined;
  const isKeyless = isListed || key === undefined;
  const isNone = key?.trim() === 'none';
  const choices: Choices = {
    again: flags.again,
    sendEqual: flags.sendEqual === true,
    exactCodes: flags.exactCodes === true,
    key: isKeyless ? undefined : isNone ? [] : namesIn(`--key ${key}`, key, fields),
    ...{ maxCreate, maxRejected, rate: flags.rate },
  };
  checkFiles(flags, file === '-' ? undefined : file, ctx.cwd);
  const options = await runOptionsOf(flags, ctx);
  const destination = await ctx.target();
  const scope = await ctx.scope();
  const { key: place, alias } = scope;
  const where = { place, alias, noun: target.noun, isListed, isExact: choices.exactCodes };
  const isNewKey = !isListed && refuseNewKey(scope, ctx);
  const isEmpty = !isListed && (await requireLedger({ target, where, scope, flags }, ledger, ctx));
  return {
    ...{ target, file, flags, choices, options, destination, scope, where, saved },
    ...{ folder: importsFolder(ctx), willStop: isNewKey || isEmpty },
  };
}

/**
 * Fields separated by commas.
 *
 * @param known the fields that may be named
 */
function namesIn(flag: string, text: string, known: readonly string[]): readonly string[] {
  const names = text.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !known.includes(name));
  if (unknown === undefined) return names;
  throw badFlag(
    `${flag}: expected fields, got ${JSON.stringify(unknown)}`,
    `Use: ${known.join(', ')}`,
  );
}

/** A new key may belong to an organization that has already imported with another key. @returns whether it does */
function refuseNewKey({ others, organization }: Scope, ctx: Context): boolean {
  const [first] = others;
  if (first === undefined) return false;
  const text = `the key (${organization}) is new on this machine, which has written to the same address for other organizations: ${others.join(', ')}`;
  const hint = `Name the organization of the key with PROC_ORGANIZATION; proc remembers the name. If the key belongs to ${first}, set PROC_ORGANIZATION=${inShell(first)}`;
  const details = { organization, others };
  if (!ctx.flags.dryRun)
    throw new ProcError('unknown_organization', `${text}; nothing was sent`, { hint, details });
  ctx.io.say({ kind: 'warning', text: `${text}; the import will stop. ${hint}` });
  return true;
}

const FLAG = '--first-run';

/**
 * The service cannot list this noun, or has rows without a code, so only the ledger tells which rows were sent before.
 * An empty ledger may be the first run of all, or a runner that lost its state folder: only a person can tell.
 *
 * @returns whether the import would be refused without a terminal
 * @throws ProcError `no_ledger`; `invalid_usage` if the ledger contradicts `--first-run`
 */
export async function requireLedger(
  { target, where, scope, flags }: Pick<ImportRequest, 'target' | 'where' | 'scope' | 'flags'>,
  { sql, memory }: Ledger,
  ctx: Context,
): Promise<boolean> {
  const { many, noun } = target;
  const { service, organization } = scope;
  const isFirstRun = flags.firstRun === true;
  const [last] = await sql.all(
    'SELECT name, phase FROM runs WHERE place = ? AND noun = ? AND last_intent > 0 ORDER BY number DESC LIMIT 1',
    ...[where.place, noun],
  );
  const isOther = (await memory?.check(sql, { ...where, isListed: false })) === true;
  // `sandbox exec` makes the ledger together with the service.
  const isSandbox = Boolean(ctx.env.PROC_SANDBOX_DB) && isLoopback(new URL(service).hostname);
  if (last === undefined ? isFirstRun || isSandbox : !isFirstRun) return isOther;
  if (last !== undefined) {
    // After a kill, the same command goes on. A job must not keep the flag: it would double after a lost ledger.
    if (last.phase !== 'ended') return isOther;
    const typed = ctx.typed.filter((word) => word !== FLAG);
    throw badFlag(
      `${FLAG}: this is not the first import of ${many}: the ledger has the run ${last.name}; nothing was sent`,
      `Run it without ${FLAG}: ${typedAgain(typed, [])}`,
      { details: { run: last.name, command: typedAgain(typed, []) } },
    );
  }
  const text = `the ledger of this machine has no earlier import of ${many} into ${service}, so proc cannot tell which rows were sent before`;
  const hint = `Restore the ledger: set PROC_STATE_DIR to the folder that earlier imports used. Only if nothing was ever imported here, run: ${typedAgain(ctx.typed, [FLAG])}`;
  const { dryRun } = ctx.flags;
  if (!dryRun && !ctx.io.terminal.interactive)
    throw new ProcError('no_ledger', `${text}; nothing was sent`, {
      hint,
      details: { service, organization, noun },
    });
  const preview = `${text}; without a terminal the import will stop. ${hint}`;
  ctx.io.say({ kind: 'warning', text: dryRun ? preview : text });
  return true;
}
