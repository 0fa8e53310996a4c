import { dialectFor, parseDialect } from '../../../client/dialect.ts';
import type { Ports } from '../../../core/ports.ts';
import type { Sender } from '../../../core/service/sender.ts';
import type { Target } from '../../../core/service-target.ts';
import { Listing } from '../../../listing/listing.ts';
import { patientReader, READ_PATIENCE_MS } from '../../../listing/patient-reader.ts';
import type { Learned } from '../../ledger/header.ts';
import type { ImportTarget } from '../../targets/import-target.ts';

export interface LearnedNames {
  get(fact: 'learned'): Learned | undefined;
  note(facts: { readonly learned: Learned }): void;
  forget(fact: 'learned'): void;
}

type Names = Pick<LearnedNames, 'get'>;

/** A sender that uses the dialect that the run detected, or else the configured dialect. */
export async function senderFor(
  { noun }: Pick<ImportTarget, 'noun'>,
  names: Names,
  ports: Ports<'api'>,
  connections: number,
): Promise<Sender> {
  const learned = names.get('learned');
  if (learned === undefined) return ports.api.sender(connections);
  const target = await ports.api.target();
  const settings = parseDialect(learned.text, 'the detected dialect');
  const dialect: Target['dialect'] = (one) =>
    one === noun ? dialectFor(settings, noun) : target.dialect(one);
  return ports.api.sender(connections, dialect);
}

/** The noun's list for this run. Retries failed reads within `--retries`, for at most `patienceMs`. */
export async function listingFor(
  target: ImportTarget,
  names: Names,
  ports: Ports<'api' | 'self'>,
  { connections = 1, patienceMs = READ_PATIENCE_MS } = {},
): Promise<Listing> {
  const { clock, signal, flags: globals } = ports.self;
  const sender = await senderFor(target, names, ports, connections);
  const patience = { clock, signal, retries: globals.retries, patienceMs };
  return new Listing(target, {
    target: sender.target,
    read: patientReader(sender, patience),
    takesSort: names.get('learned')?.takesSort,
  });
}
