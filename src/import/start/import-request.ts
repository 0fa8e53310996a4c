import { ProcError } from '../../core/errors.ts';
import type { Ports } from '../../core/ports.ts';
import type { Scope } from '../../core/scope.ts';
import type { Target } from '../../core/service-target.ts';
import { typedAgain } from '../../core/text/typed.ts';
import { HISTORY } from '../../history/store.ts';
import { parseWhere } from '../../output/select/where.ts';
import {
  choicesOf,
  type ImportFlags,
  type RunOptions,
  refuseReports,
  runOptionsOf,
} from '../import-flags.ts';
import type { Choices } from '../ledger/header.ts';
import { importsFolder } from '../ledger/runs.ts';
import type { ImportTarget } from '../targets/import-target.ts';

/** What an import is asked to do, and where. */
export interface ImportRequest {
  readonly target: ImportTarget;
  /** A path, or `-`. */
  readonly file: string;
  readonly flags: ImportFlags;
  readonly choices: Choices;
  readonly options: RunOptions;
  readonly destination: Target;
  readonly scope: Scope;
  /** Of all imports on this machine. */
  readonly folder: string;
}

/**
 * Everything that can be said of an import before its file is read.
 *
 * @throws ProcError `invalid_usage`; `unknown_organization` for a key that is new where others wrote
 */
export async function readRequest(
  target: ImportTarget,
  file: string,
  flags: ImportFlags,
  ports: Ports<'io' | 'api' | 'store' | 'self'>,
): Promise<ImportRequest> {
  refuseCurl(ports);
  if (ports.api.isPreview) refuseReports(flags);
  const { where } = ports.self.flags;
  parseWhere(where, 'columns');
  const choices = { ...choicesOf(flags), where: where.length === 0 ? undefined : where };
  const options = runOptionsOf(flags, ports.self.flags.timeoutMs);
  const destination = await ports.api.target();
  // What is learned of the key is kept there.
  await ports.store.open(HISTORY);
  const scope = await ports.store.scope();
  refuseNewKey(scope, ports);
  const folder = importsFolder(ports.self.env);
  return { target, file, flags, choices, options, destination, scope, folder };
}

function refuseCurl({ self: { flags: globals } }: Ports<'self'>): void {
  if (!globals.curl) return;
  throw new ProcError('invalid_usage', 'an import cannot be shown as a curl line', {
    hint: 'See what it would do: --dry-run',
  });
}

/**
 * A key that is new where others have written may be the new key of one of them, whose rows would be
 * sent again.
 */
function refuseNewKey(
  { others, organization }: Scope,
  ports: Ports<'io' | 'api' | 'store' | 'self'>,
): void {
  if (others.length === 0) return;
  const names = others.join(', ');
  const text = `the key (${organization}) is new at an address where others have written: ${names}`;
  const [first] = others as [string];
  const same = typedAgain(ports.self.typed, ['--organization', first]);
  const hint = `If it is the new key of one of them, name that one: ${same}. If not, give its organization a name of its own with --organization NAME. proc remembers the answer`;
  if (!ports.api.isPreview) {
    throw new ProcError('unknown_organization', `${text}; nothing was sent`, {
      hint,
      details: { organization, others },
    });
  }
  ports.io.say({ kind: 'warning', text: `${text}; the import will stop. ${hint}` });
}
