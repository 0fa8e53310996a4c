import { storedEnvironment, typedPlace } from '../../config/config-file.ts';
import { setKeys } from '../../config/settings.ts';
import { updateConfig } from '../../config/write-config.ts';
import type { Context } from '../../context.ts';
import { ProcError } from '../../core/errors.ts';
import type { RecordResult } from '../../core/result.ts';
import { inShell } from '../../core/wording.ts';
import { openOwnLedger, sharedAddress } from '../../ledger/open-ledger.ts';
import { moveLedger } from '../../ledger/share-ledger.ts';
import { confirmChange } from '../../terminal/confirm-change.ts';
import { type ImportLock, lockImport } from '../import-lock.ts';
import { rowsIn } from '../report/words.ts';
import { IMPORT_TARGETS } from '../targets/all-targets.ts';
import { importsFolder } from '../workplace.ts';

/**
 * Moves what the ledger of this machine has of the organization of the key into the shared ledger: runs, single writes
 * and keys of `--once`. After a kill, the same command goes on.
 *
 * @throws ProcError `invalid_usage` if no shared ledger is set; `busy`
 */
export async function share(waitMs: number | undefined, ctx: Context): Promise<RecordResult> {
  const { sql: shared, locks, memory } = await ctx.ledger();
  if (locks === undefined) {
    throw new ProcError('invalid_usage', 'no shared ledger is set', {
      hint: 'Name it: PROC_LEDGER=postgres://USER@HOST/DATABASE proc imports share',
    });
  }
  const { organization, key: to, alias } = await ctx.scope();
  const { baseUrl, profile, environment } = await ctx.target();
  // With an empty variable, the stored address counts.
  const isStored = sharedAddress(ctx) === undefined;
  const at = isStored ? typedPlace({ profile: profile!, environment: environment! }) : '';
  const alone = isStored ? `proc profile set ${at} ledger= && ` : 'PROC_LEDGER= ';
  const own = openOwnLedger(ctx);
  try {
    const { key: from, organization: name } = await ctx.scopeIn(own.sql);
    const there = { place: to, alias };
    const here = { sql: own.sql, where: { place: from, alias } };
    const what = `move the runs and writes of ${name} on ${baseUrl} into the shared ledger`;
    await confirmChange(what, ctx);
    const held: ImportLock[] = [];
    try {
      const folder = importsFolder(ctx);
      for (const { noun } of IMPORT_TARGETS) {
        const waiting = { ...ctx, waitMs };
        held.push(await lockImport({ folder, noun, baseUrl, organization: name }, waiting));
        held.push(await lockImport({ folder, noun, baseUrl, organization }, waiting, locks));
      }
      await memory!.beginMove(shared, there, { ...here, memory: own.memory!, alone });
      const moved = await moveLedger(own.sql, shared, { from, to, organization });
      for (const where of [there, here.where]) memory!.use(where);
      const text = `${rowsIn(moved.runs, 'run')} and ${rowsIn(moved.writes, 'write')} are in the shared ledger`;
      ctx.io.say({ kind: 'notice', tone: 'done', text });
      await offerToStore(ctx);
      return { kind: 'record', value: { ...moved, organization: organization ?? null } };
    } finally {
      for (const lock of held.reverse()) await lock.release();
    }
  } finally {
    own.close();
  }
}

/** The address of the shared ledger may stand in a variable, which the next command may lack. */
async function offerToStore(ctx: Context): Promise<void> {
  const address = sharedAddress(ctx);
  const { profile, environment } = await ctx.target();
  if (address === undefined || profile === undefined || environment === undefined) return;
  const at = `${profile}/${environment}`;
  if (
    ctx.io.terminal.interactive &&
    (await ctx.prompt.confirm(`Store ${address} in ${at}?`, true))
  ) {
    await updateConfig(ctx.env, (draft) => {
      const { settings } = storedEnvironment(draft, profile, environment);
      setKeys(settings, [`ledger=${address}`], ctx.cwd);
    });
    return;
  }
  const command = `proc profile set ${inShell(profile)} -e ${inShell(environment)} ledger=${inShell(address)}`;
  const text = `Every command must use it from now on. To store it in ${at}: ${command}`;
  ctx.io.say({ kind: 'notice', text });
}
