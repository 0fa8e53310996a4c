import { ProcError } from '../../core/errors.ts';
import type { Ports } from '../../core/ports.ts';
import type { Scope } from '../../core/scope.ts';
import { typedAgain } from '../../core/text/typed.ts';
import { HISTORY } from '../../history/store.ts';
import { ownSandboxAt } from '../../sandbox/server/registration.ts';
import type { ImportTarget } from '../targets/import-target.ts';

const FLAG = '--first-run';

/**
 * The service cannot list this noun, so only the ledger tells which rows were sent before. An empty ledger
 * may be the first run of all, or a runner that lost its state folder: only a person can tell.
 *
 * @param isFirstRun `--first-run` was given
 * @throws ProcError `no_ledger`; `invalid_usage` if the ledger contradicts `--first-run`
 */
export async function requireLedger(
  { many, noun, listing }: ImportTarget,
  scope: Scope,
  isFirstRun: boolean,
  ports: Ports<'io' | 'api' | 'store' | 'self'>,
): Promise<void> {
  if (listing !== undefined) return;
  const { typed, env } = ports.self;
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
  const { baseUrl } = await ports.api.target();
  if ((await ownSandboxAt(env, baseUrl)) !== undefined) return;
  const text = `the ledger of this machine has no earlier import of ${many} into ${scope.service}, so proc cannot tell which rows were sent before`;
  const first = typedAgain(typed, [FLAG]);
  const hint = `Restore the ledger: set PROC_STATE_DIR to the folder that earlier imports used. Only if nothing was ever imported here, run: ${first}`;
  if (ports.api.isPreview || ports.io.terminal.interactive) {
    const end = ports.api.isPreview ? `; without a terminal the import will stop. ${hint}` : '';
    ports.io.say({ kind: 'warning', text: `${text}${end}` });
    return;
  }
  throw new ProcError('no_ledger', `${text}; nothing was sent`, {
    hint,
    details: { service: scope.service, organization: scope.organization, noun, command: first },
  });
}
