import { dialectFor, parseDialect } from '../../../client/dialect.ts';
import type { Sender } from '../../../client/port.ts';
import type { Context } from '../../../core/command.ts';
import type { Target } from '../../../core/ports.ts';
import { Listing } from '../../../listing/listing.ts';
import { patientReader, READ_PATIENCE_MS } from '../../../listing/patient-reader.ts';
import type { Journal } from '../../ledger/journal.ts';
import type { ImportTarget } from '../../targets/import-target.ts';

/** A sender in the dialect that the run has learned, else in that of the command. */
export async function senderFor(
  { noun }: Pick<ImportTarget, 'noun'>,
  journal: Journal,
  ctx: Context,
  connections: number,
): Promise<Sender> {
  const learned = journal.get('learned');
  if (learned === undefined) return ctx.sender(connections);
  const target = await ctx.target();
  const settings = parseDialect(learned.text, 'the dialect that was learned');
  const dialect: Target['dialect'] = (one) =>
    one === noun ? dialectFor(settings, noun) : target.dialect(one);
  return ctx.sender(connections, { ...target, dialect });
}

/** The noun's listing as this run knows it, for reads that are given up like any command's. */
export async function listingFor(
  target: ImportTarget,
  journal: Journal,
  ctx: Context,
  { connections = 1, patienceMs = READ_PATIENCE_MS } = {},
): Promise<Listing> {
  const { clock, signal, globals } = ctx;
  const sender = await senderFor(target, journal, ctx, connections);
  const patience = { clock, signal, retries: globals.retries, patienceMs };
  return new Listing(target, {
    target: sender.target,
    read: patientReader(sender, patience),
    takesSort: journal.get('learned')?.takesSort,
  });
}
