import { fold } from '../../compose/match-line.ts';
import type { Ports } from '../../core/ports.ts';
import type { Row } from '../../core/result.ts';
import { listSectors } from '../../nouns/sectors/index.ts';
import { type Catalogue, type CatalogueItem, readItems } from '../../nouns/shared/catalogue.ts';

const MOST_MATCHES = 50;

/** Reads each list of the service once. A dry run that may not read gets empty lists. */
export class Lookups {
  readonly #ports: Ports<'io' | 'lookup'>;
  readonly #reading: () => void;
  #sectors: Promise<readonly Row[]> | undefined;
  #items: Promise<Catalogue> | undefined;

  constructor(ports: Ports<'io' | 'lookup'>, reading: () => void) {
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
