import { grouped } from '../../core/text/decimal.ts';
import { someOf } from '../../core/text/listed.ts';
import type { OtherNames } from '../store/facts.ts';
import type { Run } from '../store/run-file.ts';
import type { ImportTarget } from '../targets/import-target.ts';

const NAMED = 3;

/** @returns undefined if all names agree */
export function noteOtherNames(run: Run, { listing }: ImportTarget): OtherNames | undefined {
  const found =
    listing === undefined ? undefined : run.rows.catalogue.otherNames(listing.nameField, NAMED);
  if (found !== undefined) run.note({ otherNames: found });
  return found;
}

/** `2 existing rows have another name in the catalogue: A-1 (file: Bolt; catalogue: Bolts), …`. */
export function otherNamesText({ count, samples }: OtherNames): string {
  const names = samples.map(
    (one) => `${one.code} (file: ${one.name}; catalogue: ${one.catalogueName})`,
  );
  return `${count === 1 ? '1 existing row has' : `${grouped(count)} existing rows have`} another name in the catalogue: ${someOf(names, count)}`;
}
