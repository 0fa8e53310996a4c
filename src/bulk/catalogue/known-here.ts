import { serviceOf } from '../../client/service.ts';
import type { Context } from '../../core/command.ts';
import type { ImportTarget } from '../../resources/import-target.ts';
import type { RunHeader } from '../journal/header.ts';
import type { Journal } from '../journal/journal.ts';
import { eachRun, importsFolder } from '../journal/runs.ts';
import type { Listed } from '../listing/page.ts';
import { noteExisting } from '../plan/catalogue.ts';

type Place = Pick<RunHeader, 'baseUrl'>;

/** Whether what was created there exists here. The only place that decides it. */
function isSamePlace(there: Place, here: Place): boolean {
  return serviceOf(there.baseUrl) === serviceOf(here.baseUrl);
}

/**
 * Notes as existing what this machine created at the service: by earlier imports and by single
 * commands. For a list that cannot be read to a verified end, that is all that is sure.
 */
export async function noteKnownHere(
  journal: Journal,
  target: ImportTarget,
  ctx: Context,
): Promise<void> {
  const { run, noun } = journal.header;
  eachRun(importsFolder(ctx.env), (one) => {
    const { header } = one;
    if (header.run === run || header.noun !== noun || !isSamePlace(header, journal.header)) return;
    const rows = one.database
      .prepare("SELECT id, code, name FROM rows WHERE state = 'created' AND id IS NOT NULL")
      .iterate();
    noteExisting(journal, rows as unknown as Iterable<Listed>);
  });
  noteExisting(journal, await createdByCommands(journal, target, ctx));
}

async function createdByCommands(
  journal: Journal,
  { create, keyField, listing }: ImportTarget,
  ctx: Context,
): Promise<Listed[]> {
  const text = (value: unknown) => (typeof value === 'string' ? value : null);
  const found: Listed[] = [];
  for (const entry of (await ctx.history()).entries()) {
    if (entry.endpoint !== create.id || entry.created === undefined) continue;
    if (!isSamePlace(entry, journal.header)) continue;
    const body = (entry.payload ?? {}) as Readonly<Record<string, unknown>>;
    found.push({
      id: entry.created,
      code: text(body[keyField]),
      name: text(body[listing!.nameField]),
    });
  }
  return found;
}
