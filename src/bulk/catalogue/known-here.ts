import type { Scope } from '../../client/scope.ts';
import type { Context } from '../../core/command.ts';
import type { ImportTarget } from '../../resources/import-target.ts';
import type { Journal } from '../journal/journal.ts';
import { eachRun, importsFolder } from '../journal/runs.ts';
import { scopeOfRun, whoseRun } from '../journal/whose.ts';
import type { Listed } from '../listing/page.ts';
import { noteExisting } from '../plan/catalogue.ts';

/**
 * Notes as existing what this machine created for the organization at the service: by earlier imports and by single
 * commands. For a list that cannot be read to a verified end, that is all that is sure.
 */
export async function noteKnownHere(
  journal: Journal,
  target: ImportTarget,
  ctx: Context,
): Promise<void> {
  const { run, noun } = journal.header;
  const scope = await scopeOfRun(journal, ctx);
  eachRun(importsFolder(ctx.env), (one) => {
    const { header } = one;
    if (header.run === run || header.noun !== noun || whoseRun(one, scope) !== 'ours') return;
    const rows = one.database
      .prepare("SELECT id, code, name FROM rows WHERE state = 'created' AND id IS NOT NULL")
      .iterate();
    noteExisting(journal, rows as unknown as Iterable<Listed>);
  });
  noteExisting(journal, await createdByCommands(scope, target, ctx));
}

async function createdByCommands(
  scope: Scope,
  { create, keyField, listing }: ImportTarget,
  ctx: Context,
): Promise<Listed[]> {
  const text = (value: unknown) => (typeof value === 'string' ? value : null);
  const found: Listed[] = [];
  for (const entry of (await ctx.history()).entries()) {
    if (entry.endpoint !== create.id || entry.created === undefined) continue;
    if (scope.whose(entry) !== 'ours') continue;
    const body = (entry.payload ?? {}) as Readonly<Record<string, unknown>>;
    found.push({
      id: entry.created,
      code: text(body[keyField]),
      name: text(body[listing!.nameField]),
    });
  }
  return found;
}
