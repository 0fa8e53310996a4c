import { isObject } from '../core/is-object.ts';
import { grouped } from '../core/text/decimal.ts';
import type { Lang } from '../core/text/phrase.ts';
import { fieldName, hasSpanishName } from './import-nouns.ts';
import { importPlanMessages } from './planning.ts';

/** Something in a file that looks wrong but may be intended. Its rows stay in the plan. */
export interface Finding {
  readonly kind: FindingKind;
  /** Undefined if the finding is about rows or several fields. */
  readonly field?: string | undefined;
  readonly count: number;
  readonly samples: readonly FindingSample[];
  /** `lost_zeros` only: the usual number of digits. */
  readonly digits?: number | undefined;
}

export interface FindingSample {
  readonly value: string;
  /** Undefined if the value does not belong to one row. */
  readonly row?: number | undefined;
  readonly line?: number | null | undefined;
  /**
   * Of twins: the same code or unit in another spelling. Without a `row`, the code is in the catalogue.
   */
  readonly other?: Omit<FindingSample, 'other'> | undefined;
}

/** What one row adds to a finding. */
export interface RowFinding extends Pick<Finding, 'kind' | 'field'> {
  readonly sample: FindingSample;
}

export type FindingKind = keyof typeof en;

type Said = (found: Omit<Finding, 'kind'> & { readonly list: string }) => string;
type Words<K extends string> = Readonly<Record<K, Said>>;

const en = {
  twins: (found) =>
    `${found.count === 1 ? `1 ${found.field} matches another ${found.field}` : `${grouped(found.count)} ${found.field}s match other ${found.field}s`} except for case, spaces, dashes or Unicode form: ${found.list}`,
  unit_twins: (found) =>
    `${found.count === 1 ? '1 unit of measure differs from another' : `${grouped(found.count)} units of measure differ from others`} only in case, spaces or dashes: ${found.list}`,
  mojibake: (found) =>
    `${found.count === 1 ? '1 row has text' : `${grouped(found.count)} rows have text`} that was probably read in a wrong encoding: ${found.list}`,
  html_entities: (found) =>
    `${found.count === 1 ? '1 row has' : `${grouped(found.count)} rows have`} HTML entities instead of characters: ${found.list}`,
  line_breaks: (found) =>
    `${found.count === 1 ? '1 value has' : `${grouped(found.count)} values have`} line breaks: ${found.list}`,
  zero_amounts: (found) =>
    found.count === 1
      ? `1 row has the ${found.field} 0 (row ${found.list})`
      : `${grouped(found.count)} rows have the ${found.field} 0 (rows ${found.list})`,
  no_address: (found) =>
    found.count === 1
      ? `1 requisition has a delivery without an address (row ${found.list})`
      : `${grouped(found.count)} requisitions have a delivery without an address (rows ${found.list})`,
  lost_zeros: (found) =>
    found.count === 1
      ? `1 value of ${found.field} has fewer than the usual ${found.digits} digits (${found.list}): a spreadsheet may have removed its leading zeros`
      : `${grouped(found.count)} values of ${found.field} have fewer than the usual ${found.digits} digits (${found.list}): a spreadsheet may have removed their leading zeros`,
  unmapped_name: (found) =>
    `no column is mapped to ${found.field}, so ${found.count === 1 ? 'the row has no value' : `none of the ${grouped(found.count)} rows has a value`} for it (--map ${found.field}=COLUMN)`,
  missing_amounts: (found) =>
    found.count === 1
      ? `1 row has no ${found.field} (row ${found.list})`
      : `${grouped(found.count)} rows have no ${found.field} (rows ${found.list})`,
  other_currency: (found) =>
    `${found.count === 1 ? '1 row has' : `${grouped(found.count)} rows have`} a ${found.field} different from the order: ${found.list}`,
  exceeded_amounts: (found) =>
    `for ${found.count === 1 ? '1 order' : `${grouped(found.count)} orders`}, the rows of this file add up to more than the ${found.field} of the order: ${found.list}`,
  dates: (found) =>
    `${found.count === 1 ? '1 value' : `${grouped(found.count)} values`} of ${found.field} ${found.count === 1 ? 'looks like a date' : 'look like dates'} (${found.list}): a spreadsheet may have converted codes such as 3-12`,
} as const satisfies Words<string>;

const fieldOf = ({ field = '' }: Pick<Finding, 'field'>): string => fieldName(field, 'es');

/** `3 códigos`; for a field without a Spanish name `3 valores de colour`. */
function values({ field = '', count }: Pick<Finding, 'field' | 'count'>): string {
  const number = grouped(count, 'es');
  if (hasSpanishName(field)) return `${number} ${fieldName(field, 'es', count)}`;
  return `${number} ${count === 1 ? 'valor' : 'valores'} de ${field}`;
}

const es: Words<FindingKind> = {
  twins: (found) =>
    `${values(found)} solo se ${found.count === 1 ? 'distingue' : 'distinguen'} de otro por mayúsculas, espacios, guiones o forma Unicode: ${found.list}`,
  unit_twins: (found) =>
    `${found.count === 1 ? '1 unidad de medida solo se distingue de otra' : `${grouped(found.count, 'es')} unidades de medida solo se distinguen de otras`} por mayúsculas, espacios o guiones: ${found.list}`,
  mojibake: (found) =>
    `${found.count === 1 ? '1 fila tiene texto leído' : `${grouped(found.count, 'es')} filas tienen texto leído`} probablemente con otra codificación: ${found.list}`,
  html_entities: (found) =>
    `${found.count === 1 ? '1 fila tiene' : `${grouped(found.count, 'es')} filas tienen`} entidades HTML en lugar de caracteres: ${found.list}`,
  line_breaks: (found) =>
    `${found.count === 1 ? '1 valor tiene' : `${grouped(found.count, 'es')} valores tienen`} saltos de línea: ${found.list}`,
  zero_amounts: (found) =>
    found.count === 1
      ? `1 fila tiene 0 como ${fieldOf(found)} (fila ${found.list})`
      : `${grouped(found.count, 'es')} filas tienen 0 como ${fieldOf(found)} (filas ${found.list})`,
  no_address: (found) =>
    found.count === 1
      ? `1 requisición tiene una entrega sin dirección (fila ${found.list})`
      : `${grouped(found.count, 'es')} requisiciones tienen una entrega sin dirección (filas ${found.list})`,
  lost_zeros: (found) =>
    found.count === 1
      ? `${values(found)} tiene menos de los ${found.digits} dígitos habituales (${found.list}): una hoja de cálculo puede haber quitado sus ceros iniciales`
      : `${values(found)} tienen menos de los ${found.digits} dígitos habituales (${found.list}): una hoja de cálculo puede haber quitado sus ceros iniciales`,
  unmapped_name: (found) =>
    `ninguna columna está asignada a ${fieldOf(found)}, así que ${found.count === 1 ? 'la fila no tiene valor' : `ninguna de las ${grouped(found.count, 'es')} filas tiene valor`} en ese campo (--map ${found.field}=COLUMNA)`,
  missing_amounts: (found) =>
    found.count === 1
      ? `1 fila no tiene ${fieldOf(found)} (fila ${found.list})`
      : `${grouped(found.count, 'es')} filas no tienen ${fieldOf(found)} (filas ${found.list})`,
  other_currency: (found) =>
    `${found.count === 1 ? '1 fila tiene' : `${grouped(found.count, 'es')} filas tienen`} un valor de ${fieldOf(found)} distinto del de la orden: ${found.list}`,
  exceeded_amounts: (found) =>
    `en ${found.count === 1 ? '1 orden' : `${grouped(found.count, 'es')} órdenes`}, las filas de este archivo suman más que el ${fieldOf(found)} de la orden: ${found.list}`,
  dates: (found) =>
    `${values(found)} ${found.count === 1 ? 'parece una fecha' : 'parecen fechas'} (${found.list}): una hoja de cálculo puede haber convertido códigos como 3-12`,
};

type SaidOfRow = (field: string, value: string) => string;

/** Of one row, for lists and files of rows, which are in English. */
const OF_ROW: Readonly<Partial<Record<FindingKind, SaidOfRow>>> = {
  twins: (field, value) =>
    `${field} ${value} differs from another only in case, spaces, dashes or Unicode form`,
  unit_twins: (field, value) =>
    `${field} ${value} differs from another only in case, spaces or dashes`,
  mojibake: (_, value) => `text was probably read in a wrong encoding: ${value}`,
  html_entities: (_, value) => `HTML entities instead of characters: ${value}`,
  zero_amounts: (field) => `${field} is 0`,
  no_address: () => 'a delivery without an address',
  lost_zeros: (field, value) => `${field} ${value} may have lost leading zeros`,
  missing_amounts: (field) => `no ${field}`,
  other_currency: (_, value) => `a currency different from the order: ${value}`,
  exceeded_amounts: (_, value) => `the rows of this file exceed the order: ${value}`,
  dates: (field, value) => `${field} ${value} looks like a date`,
};

/** Whether a value of a file is a list of findings of one row. */
export function isRowFindings(value: unknown): value is readonly RowFinding[] {
  const isFinding = (one: unknown): boolean => {
    if (!isObject(one)) return false;
    const { kind, field, sample } = one as Partial<Record<string, unknown>>;
    return (
      typeof kind === 'string' &&
      Object.hasOwn(OF_ROW, kind) &&
      (field === undefined || typeof field === 'string') &&
      isObject(sample) &&
      typeof (sample as { readonly value?: unknown }).value === 'string'
    );
  };
  return Array.isArray(value) && value.length > 0 && value.every(isFinding);
}

export function rowFindingText({ kind, field = '', sample }: RowFinding): string {
  const { value, other } = sample;
  const text = OF_ROW[kind]?.(field, value) ?? kind;
  return other === undefined ? text : `${text} (${other.value})`;
}

/** Counts the findings of rows. Memory stays bounded: it keeps some samples of each kind and field. */
export class FindingTally {
  readonly #found = new Map<string, { count: number; samples: FindingSample[] } & RowFinding>();

  add(findings: readonly RowFinding[]): void {
    for (const one of findings) {
      const key = `${one.kind} ${one.field ?? ''}`;
      const known = this.#found.get(key);
      if (known === undefined) {
        this.#found.set(key, { ...one, count: 1, samples: [one.sample] });
        continue;
      }
      known.count++;
      if (known.samples.length < SAMPLES) known.samples.push(one.sample);
    }
  }

  /** In the order of {@link Finding.kind} above. */
  findings(): readonly Finding[] {
    const order = Object.keys(en);
    return [...this.#found.values()]
      .sort((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind))
      .map(({ kind, field, count, samples }) => ({
        kind,
        ...(field === undefined ? {} : { field }),
        count,
        samples,
      }));
  }
}

const SAMPLES = 3;

const WORDS: Readonly<Record<Lang, Words<FindingKind>>> = { en, es };

export function findingText(found: Finding, lang: Lang): string {
  const shown = found.samples.map((sample) => sampleText(sample, lang)).join(', ');
  const more = found.count > found.samples.length ? ', …' : '';
  return WORDS[lang][found.kind]({ ...found, list: `${shown}${more}` });
}

const EXISTING = { en: 'existing', es: 'existente' };
const AND = { en: 'and', es: 'y' };

function sampleText({ value, row, line, other }: FindingSample, lang: Lang): string {
  const { place } = importPlanMessages[lang];
  const at = row === undefined ? '' : ` (${place(row, line ?? null)})`;
  if (other === undefined) return `${value}${at}`;
  const where = other.row === undefined ? EXISTING[lang] : place(other.row, other.line ?? null);
  return `${value}${at} ${AND[lang]} ${other.value} (${where})`;
}
