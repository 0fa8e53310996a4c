import { fold } from '../../compose/match-line.ts';
import type { Address } from '../../compose/requisition-sheet.ts';
import { ProcError } from '../../core/errors.ts';
import { isObject } from '../../core/is-object.ts';
import type { Ports } from '../../core/ports.ts';
import type { Row } from '../../core/result.ts';
import { type Entry, wasApplied } from '../../history/entry.ts';
import { withHistory } from '../../history/history.ts';
import { getAddress } from '../../nouns/addresses/index.ts';
import { listSectors } from '../../nouns/sectors/index.ts';
import { type Catalogue, type CatalogueItem, readItems } from '../../nouns/shared/catalogue.ts';

const MOST_MATCHES = 50;
/** Each address that is offered takes a request. */
const MOST_ADDRESSES = 20;

type LookupsPorts = Ports<'io' | 'lookup' | 'store' | 'self'>;

/** Reads each list of the service once. A dry run that may not read gets empty lists. */
export class Lookups {
  readonly #ports: LookupsPorts;
  readonly #reading: () => void;
  #addresses: Promise<readonly Address[]> | undefined;
  #sectors: Promise<readonly Row[]> | undefined;
  #items: Promise<Catalogue> | undefined;

  constructor(ports: LookupsPorts, reading: () => void) {
    this.#ports = ports;
    this.#reading = reading;
  }

  sectors(): Promise<readonly Row[]> {
    this.#sectors ??= this.#readSectors().catch((thrown: unknown) => {
      // A failed read is not cached.
      this.#sectors = undefined;
      throw thrown;
    });
    return this.#sectors;
  }

  async #readSectors(): Promise<readonly Row[]> {
    const { lookup } = this.#ports;
    return (await lookup.allowed()) ? lookup.call(listSectors, {}) : [];
  }

  /** The addresses of requisitions that were sent before, newest first. The service cannot list addresses. */
  addresses(): Promise<readonly Address[]> {
    this.#addresses ??= this.#readAddresses().catch((thrown: unknown) => {
      this.#addresses = undefined;
      throw thrown;
    });
    return this.#addresses;
  }

  async #readAddresses(): Promise<readonly Address[]> {
    const found: Address[] = [];
    for (const id of (await sentAddresses(this.#ports)).slice(0, MOST_ADDRESSES)) {
      const address = await this.address(id);
      if (address !== undefined) found.push(address);
    }
    return found;
  }

  /** An address with its text, which a dry run may not read. Undefined if the service does not return it. */
  async address(id: string): Promise<Address | undefined> {
    const input = { params: { id } };
    try {
      const row = await this.#ports.lookup.before(getAddress, input, { isShown: false });
      const label = row?.formattedAddress;
      return typeof label === 'string' ? { id, label } : { id };
    } catch (thrown) {
      if (thrown instanceof ProcError && NOT_THERE.has(thrown.code)) return undefined;
      throw thrown;
    }
  }

  async catalogue(): Promise<readonly CatalogueItem[]> {
    return (await this.items()).items;
  }

  items(): Promise<Catalogue> {
    this.#items ??= this.#readItems().catch((thrown: unknown) => {
      this.#items = undefined;
      throw thrown;
    });
    return this.#items;
  }

  async #readItems(): Promise<Catalogue> {
    if (!(await this.#ports.lookup.allowed())) return { items: [], isWhole: false };
    this.#reading();
    return readItems(this.#ports);
  }
}

const NOT_THERE: ReadonlySet<string> = new Set([
  'not_found',
  'forbidden',
  'refused',
  'invalid_usage',
  'invalid_input',
]);

/** Ids of addresses in requisitions and groups that this organization created, newest first. */
async function sentAddresses(ports: Ports<'store' | 'self'>): Promise<readonly string[]> {
  const scope = await ports.store.scope();
  const entries = await withHistory(ports, [], (history) =>
    history.entries({ scope, noun: 'requisitions' }),
  );
  const ids = new Set<string>();
  for (const entry of entries) {
    if (wasApplied(entry)) for (const id of idsIn(entry)) ids.add(id);
  }
  return [...ids];
}

function idsIn({ payload }: Entry): string[] {
  const groups: unknown = isObject(payload) ? payload.groups : undefined;
  return [payload, ...(Array.isArray(groups) ? groups : [])]
    .map((part: unknown) => (isObject(part) ? part.addressId : undefined))
    .filter((id) => typeof id === 'string');
}

/** Items that contain every word of the term in code or name, best matches first. */
export function searchItems(
  catalogue: readonly CatalogueItem[],
  term: string | undefined,
): readonly CatalogueItem[] {
  const wanted = fold(term);
  if (wanted === '') return catalogue.slice(0, MOST_MATCHES);
  const words = wanted.split(' ');
  const ranked = catalogue.flatMap((item) => {
    const [code, name] = [fold(item.code), fold(item.name)];
    if (!words.every((word) => code.includes(word) || name.includes(word))) return [];
    const rank =
      code === wanted || name === wanted
        ? 0
        : code.startsWith(wanted) || name.startsWith(wanted)
          ? 1
          : 2;
    return [{ item, rank }];
  });
  return ranked
    .sort((a, b) => a.rank - b.rank)
    .slice(0, MOST_MATCHES)
    .map(({ item }) => item);
}
