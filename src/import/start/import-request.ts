import { ProcError } from '../../core/errors.ts';
import type { Ports } from '../../core/ports.ts';
import type { Scope } from '../../core/scope.ts';
import type { Target } from '../../core/service-target.ts';
import { typedAgain } from '../../core/text/typed.ts';
import { HISTORY } from '../../history/store.ts';
import { isShared, ledgerFolder } from '../../ledger/open-ledger.ts';
import type { ImportFlags } from '../import-flags.ts';
import { givenMap, type SavedMap } from '../map/saved-map.ts';
import type { Choices } from '../run-header.ts';
import { choicesOf, type RunOptions, refuseReports, runOptionsOf } from '../run-options.ts';
import { importsFolder } from '../store/runs.ts';
import type { ImportTarget } from '../targets/import-target.ts';

export interface ImportRequest {
  readonly target: ImportTarget;
  readonly file: string;
  readonly flags: ImportFlags;
  readonly choices: Choices;
  readonly options: RunOptions;
  readonly destination: Target;
  readonly scope: Scope;
  /** The folder of all imports on this machine. */
  readonly folder: string;
  readonly saved: SavedMap | undefined;
}

/**
 * Reads and checks everything about an import except the content of its file.
 *
 * @throws ProcError `invalid_usage`; `unknown_organization` if the key is new on this machine and
 * other keys have written to this service; `no_ledger` if only the ledger could tell what was sent
 * before, and it is empty
 */
export async function readRequest(
  target: ImportTarget,
  file: string,
  typed: ImportFlags,
  ports: Ports<'io' | 'api' | 'store' | 'self'>,
): Promise<ImportRequest> {
  const folder = importsFolder(ports.self);
  const saved = givenMap(typed.mapFile, ports.self.cwd);
  const flags = withSaved(typed, saved, target);
  if (ports.api.isPreview) refuseReports({ ...flags, results: undefined });
  const choices = choicesOf(flags, target.fields);
  const options = await runOptionsOf(flags, ports);
  const destination = await ports.api.target();
  // The history records which organization a key belongs to. The scope needs that, so open the
  // history first.
  await ports.store.open(HISTORY);
  const scope = await ports.store.scope();
  refuseNewKey(scope, ports);
  await requireLedger(target, scope, flags.firstRun === true, ports);
  return { target, file, flags, choices, options, destination, scope, folder, saved };
}

/** Adds `--key` and `--group-by` from the saved map. A typed flag takes precedence. */
function withSaved(
  flags: ImportFlags,
  saved: SavedMap | undefined,
  target: ImportTarget,
): ImportFlags {
  const { groupBy, key } = saved?.choices ?? {};
  return {
    ...flags,
    ...(target.listing === undefined ? { key: flags.key ?? key } : {}),
    ...(target.grouped === undefined ? {} : { groupBy: flags.groupBy ?? groupBy }),
  };
}

/**
 * A new key may belong to an organization that has already imported with another key. The same rows
 * could be sent twice.
 */
function refuseNewKey(
  { others, organization }: Scope,
  ports: Ports<'io' | 'api' | 'store' | 'self'>,
): void {
  if (others.length === 0) return;
  const names = others.join(', ');
  const text = `the key (${organization}) is new on this machine, which has written to the same address for other organizations: ${names}`;
  const [first] = others as [string];
  const same = typedAgain(ports.self.typed, ['--organization', first]);
  const hint = `Name the organization of the key with --organization NAME; proc remembers the name. If the key belongs to ${first}, run: ${same}`;
  if (!ports.api.isPreview) {
    throw new ProcError('unknown_organization', `${text}; nothing was sent`, {
      hint,
      details: { organization, others },
    });
  }
  const preview = `${text}; the import will stop. ${hint}`;
  ports.io.say({ kind: 'warning', text: preview });
}

const FLAG = '--first-run';

/**
 * The service cannot list this noun, so only the ledger tells which rows were sent before. An empty ledger
 * may be the first run of all, or a runner that lost its state folder: only a person can tell.
 *
 * @param isFirstRun `--first-run` was given
 * @throws ProcError `no_ledger`; `invalid_usage` if the ledger contradicts `--first-run`
 */
async function requireLedger(
  { many, noun, listing }: ImportTarget,
  scope: Scope,
  isFirstRun: boolean,
  ports: Ports<'io' | 'api' | 'store' | 'self'>,
): Promise<void> {
  if (listing !== undefined) return;
  const { typed } = ports.self;
  const shared = isShared(ledgerFolder(ports.self));
  const sentRows = (await ports.store.open(HISTORY)).sentRows(scope);
  const earlier = await sentRows.firstRun(noun);
  if (earlier !== undefined) {
    if (!isFirstRun) return;
    const without = typedAgain(
      typed.filter((word) => word !== FLAG),
      [],
    );
    throw new ProcError(
      'invalid_usage',
      `${FLAG}: this is not the first import of ${many}: the ledger has the run ${earlier}; nothing was sent`,
      { hint: `Run it without ${FLAG}: ${without}`, details: { run: earlier, command: without } },
    );
  }
  if (isFirstRun) return;
  const first = typedAgain(typed, [FLAG]);
  const text = `${shared ? 'the shared ledger' : 'the ledger of this machine'} has no earlier import of ${many} into ${scope.service}, so proc cannot tell which rows were sent before`;
  const hint = `${shared ? 'Check that PROC_LEDGER names the database that earlier imports used' : 'Restore the ledger: set PROC_STATE_DIR to the folder that earlier imports used'}. Only if nothing was ever imported here, run: ${first}`;
  if (ports.api.isPreview || ports.io.terminal.interactive) {
    const preview = `${text}; without a terminal the import will stop. ${hint}`;
    ports.io.say({ kind: 'warning', text: ports.api.isPreview ? preview : text });
    return;
  }
  throw new ProcError('no_ledger', `${text}; nothing was sent`, {
    hint,
    details: { service: scope.service, organization: scope.organization, noun, command: first },
  });
}
