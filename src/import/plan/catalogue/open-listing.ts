import { dialectFor, parseDialect } from '../../../client/dialect.ts';
import type { Ports } from '../../../core/ports.ts';
import type { Sender } from '../../../core/service/sender.ts';
import type { Target } from '../../../core/service-target.ts';
import { Listing } from '../../../listing/listing.ts';
import { patientReader } from '../../../listing/patient-reader.ts';
import type { Learned } from '../../ledger/header.ts';
import { importPatience } from '../../patient-reads.ts';
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

/** The noun's list for this run. Retries failed reads for at most `patienceMs`. */
export async function listingFor(
  target: ImportTarget,
  names: Names,
  ports: Ports<'io' | 'api' | 'self'>,
  { connections = 1, patienceMs }: { connections?: number; patienceMs?: number } = {},
): Promise<Listing> {
  const sender = await senderFor(target, names, ports, connections);
  return new Listing(target, {
    target: sender.target,
    read: patientReader(sender, importPatience(ports, patienceMs)),
    takesSort: names.get('learned')?.takesSort,
  });
}
