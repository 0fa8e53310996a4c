import type { Ports } from '../core/ports.ts';
import type { Scope } from '../core/scope.ts';
import { type Entry, subjectOf } from '../history/entry.ts';
import { withHistory } from '../history/find-entry.ts';
import { deleteAddress, patchAddress } from '../nouns/addresses/index.ts';
import { readAddressBook, type SeenAddress } from '../nouns/shared/address-book.ts';

export interface KnownAddress extends SeenAddress {
  readonly aliases: readonly string[];
}

/**
 * All addresses of the target that this machine knows from responses, writes and aliases, most
 * recent first.
 */
export async function knownAddresses(ports: Ports<'store' | 'self'>): Promise<KnownAddress[]> {
  const scope = await ports.store.scope();
  const [seen, aliases] = await readAddressBook(
    ports,
    [[], new Map()] as [SeenAddress[], ReadonlyMap<string, string>],
    (book) => [book.seen(), book.aliases()],
  );
  const all = new Map(seen.map((address) => [address.id, address]));
  const bare = (id: string, seenAt: number): SeenAddress => ({
    id,
    formattedAddress: undefined,
    city: undefined,
    country: undefined,
    seenAt,
  });
  const sent = await withHistory(ports, new Map<string, number>(), async (history) =>
    sentIds(await history.entries(), scope),
  );
  for (const [id, at] of sent) if (!all.has(id)) all.set(id, bare(id, at));
  for (const id of aliases.values()) if (!all.has(id)) all.set(id, bare(id, 0));
  return [...all.values()]
    .sort((a, b) => b.seenAt - a.seenAt)
    .map((address) => ({
      ...address,
      aliases: [...aliases].filter(([, id]) => id === address.id).map(([alias]) => alias),
    }));
}

/**
 * Address ids in successful writes, each with the time of its newest write. Leaves out deleted
 * addresses.
 */
function sentIds(entries: Iterable<Entry>, scope: Scope): Map<string, number> {
  const found = new Map<string, number>();
  const gone = new Set<string>();
  for (const entry of entries) {
    if (scope.ownershipOf(entry) !== 'ours') continue;
    // A rejected write does not prove that its address exists.
    if (entry.state !== 'done' && entry.state !== 'adopted') continue;
    if (entry.endpoint === deleteAddress.id) gone.add(subjectOf(entry)!);
    for (const id of idsIn(entry)) if (!found.has(id) && !gone.has(id)) found.set(id, entry.at);
  }
  return found;
}

function idsIn(entry: Entry): string[] {
  if (entry.endpoint === patchAddress.id) return [subjectOf(entry)!];
  const payload = entry.payload as { addressId?: unknown; groups?: unknown } | null | undefined;
  const groups = Array.isArray(payload?.groups) ? payload.groups : [];
  return [payload, ...groups]
    .map((part) => (part as { addressId?: unknown } | null | undefined)?.addressId)
    .filter((id) => typeof id === 'string');
}
