import { grouped } from '../core/text/decimal.ts';
import type { Lang } from '../core/text/phrase.ts';

/** The nouns in Spanish. In English, messages use the noun of the command. */
const SPANISH: Readonly<Record<string, string>> = {
  item: 'artículo',
  items: 'artículos',
  imputation: 'imputación',
  imputations: 'imputaciones',
  requisition: 'requisición',
  requisitions: 'requisiciones',
  orders: 'órdenes',
  sectors: 'rubros',
  addresses: 'direcciones',
};

export function inSpanish(noun: string): string {
  return SPANISH[noun] ?? noun;
}

/** Whether the Spanish word for a noun is feminine: *imputaciones*, *requisiciones*. */
export function isFeminine(noun: string): boolean {
  return /ci(ón|ones)$/.test(inSpanish(noun));
}

/** Fields of the contract in Spanish: one, several. English messages have the names of the contract. */
const FIELDS: Readonly<Record<string, readonly [one: string, many: string]>> = {
  code: ['código', 'códigos'],
  name: ['nombre', 'nombres'],
  title: ['título', 'títulos'],
  type: ['tipo', 'tipos'],
  sector: ['rubro', 'rubros'],
  description: ['descripción', 'descripciones'],
  brand: ['marca', 'marcas'],
  material: ['material', 'materiales'],
  certification: ['certificación', 'certificaciones'],
  unitOfMeasure: ['unidad de medida', 'unidades de medida'],
  quantity: ['cantidad', 'cantidades'],
  amount: ['monto', 'montos'],
  currency: ['moneda', 'monedas'],
  reference: ['referencia', 'referencias'],
  account: ['cuenta', 'cuentas'],
  notes: ['notas', 'notas'],
  orderId: ['orden', 'órdenes'],
  contractId: ['contrato', 'contratos'],
  itemId: ['artículo', 'artículos'],
  addressId: ['dirección', 'direcciones'],
  deliveryMethod: ['modo de entrega', 'modos de entrega'],
  groups: ['grupos', 'grupos'],
  items: ['líneas', 'líneas'],
};

/** A field as a person reads it: `código`. A field without a Spanish name keeps its own. */
export function fieldName(field: string, lang: Lang, count = 1): string {
  if (lang === 'en' || !Object.hasOwn(FIELDS, field)) return field;
  return FIELDS[field]![count === 1 ? 0 : 1];
}

export function hasSpanishName(field: string): boolean {
  return Object.hasOwn(FIELDS, field);
}

/** What the counts of a run count. Only requisitions are made of several rows. */
export type Counted = 'rows' | 'requisitions';

const COUNTED = {
  en: { rows: ['row', 'rows'], requisitions: ['requisition', 'requisitions'] },
  es: { rows: ['fila', 'filas'], requisitions: ['requisición', 'requisiciones'] },
} as const;

export function countedWord(count: number, counted: Counted, lang: Lang): string {
  return COUNTED[lang][counted][count === 1 ? 0 : 1];
}

/** E.g. `1 row`, `1,200 requisitions`. `numbers` is the language of separators in numbers. */
export function countOf(count: number, counted: Counted, lang: Lang, numbers = lang): string {
  return `${grouped(count, numbers)} ${countedWord(count, counted, lang)}`;
}
