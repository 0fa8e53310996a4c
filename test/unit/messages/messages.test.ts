import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Lang, Said } from '../../../src/core/text/phrase.ts';
import { ageText, guardMessages } from '../../../src/messages/confirmations.ts';
import { findingText } from '../../../src/messages/findings.ts';
import { countOf } from '../../../src/messages/import-nouns.ts';
import { importRunMessages } from '../../../src/messages/import-run.ts';
import { ordersReportMessages } from '../../../src/messages/reports/orders-report.ts';
import { wizardMessages } from '../../../src/messages/wizard-messages.ts';
import { phrase, writeMessages } from '../../../src/messages/writes.ts';

const FOLDER = resolve(import.meta.dirname, '../../../src/messages');

type Catalogue = Readonly<Record<Lang, Readonly<Record<string, unknown>>>>;

/** All exports of the folder that have texts in both languages. Those of reports need arguments of their own. */
async function catalogues(): Promise<(readonly [string, Catalogue])[]> {
  const files = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !file.startsWith('reports'),
  );
  const modules = await Promise.all(
    files.map(async (file) => (await import(`${FOLDER}/${file}`)) as Record<string, unknown>),
  );
  return modules.flatMap((module) =>
    Object.entries(module).flatMap(([name, value]): (readonly [string, Catalogue])[] => {
      if (typeof value !== 'object' || value === null) return [];
      if ('en' in value && 'es' in value) return [[name, value as Catalogue]];
      const perText = { en: inLanguage(value, 'en'), es: inLanguage(value, 'es') };
      return Object.keys(perText.en).length === 0 ? [] : [[name, perText]];
    }),
  );
}

/** One language of a catalogue whose texts have both, each. */
function inLanguage(catalogue: object, lang: Lang): Readonly<Record<string, unknown>> {
  const one = (said: unknown): unknown => (said as Said)[lang];
  return Object.fromEntries(
    Object.entries(catalogue).flatMap(([key, said]): [string, unknown][] => {
      if (isSaid(said)) return [[key, one(said)]];
      if (typeof said !== 'function' || !isSaid(called(said))) return [];
      return [[key, spread(said.length, (values) => one(said(...values)))]];
    }),
  );
}

function isSaid(value: unknown): value is Said {
  return typeof value === 'object' && value !== null && 'en' in value && 'es' in value;
}

/** A function with as many parameters, which `texts` counts. */
function spread(count: number, say: (values: readonly unknown[]) => unknown): unknown {
  const saying = (...values: readonly unknown[]) => say(values);
  return Object.defineProperty(saying, 'length', { value: count });
}

/** Numbers that can be found in the texts, as text that has both languages too. */
function called(say: (...values: unknown[]) => unknown): unknown {
  try {
    return say(...numbers(say.length));
  } catch {
    return undefined;
  }
}

function numbers(count: number): unknown[] {
  return Array.from({ length: count }, (_, index) => {
    const text = String(71 + index);
    return Object.assign(new String(text), { en: text, es: text });
  });
}

/** Texts by their paths. Calls functions with numbers that can be found in their texts. */
function texts(part: unknown, path = ''): Map<string, string> {
  if (typeof part === 'string') return new Map([[path, part]]);
  if (typeof part === 'function') {
    // What a run counts is no value of its texts.
    const [head = ''] = String(part).split('=>');
    const names = head.replace(/\{[^}]*\}/g, 'record').match(/[\w$]+/g) ?? [];
    const values = numbers(part.length).map((value, at) => (names[at] === 'of' ? 'rows' : value));
    return new Map([[path, String(part(...values))]]);
  }
  const found = Object.entries(part as object).flatMap(([key, inner]) => [
    ...texts(inner, `${path}.${key}`),
  ]);
  return new Map(found);
}

it('finds the catalogues', async () => {
  const found = (await catalogues()).map(([, catalogue]) => catalogue);
  expect(found).toEqual(expect.arrayContaining([guardMessages, writeMessages]));
});

describe.each(await catalogues())('%s', (_, { en, es }) => {
  const english = texts(en);
  const spanish = texts(es);

  it('has the same messages in both languages', () => {
    expect([...spanish.keys()]).toEqual([...english.keys()]);
    expect(english.size).toBeGreaterThan(0);
  });

  it('has different texts in each', () => {
    for (const [path, text] of english) {
      expect(text.trim(), path).not.toBe('');
      expect(spanish.get(path)?.trim(), path).not.toBe('');
      expect(spanish.get(path), path).not.toBe(text);
    }
  });

  it('passes on the same values', () => {
    const values = (text: string) => (text.match(/\b7\d\b/g) ?? []).sort();
    for (const [path, text] of english) {
      expect(values(spanish.get(path) ?? ''), path).toEqual(values(text));
    }
  });
});

it.each([
  [0, 'just now', 'hace un momento'],
  [60_000, 'a minute ago', 'hace un minuto'],
  [59 * 60_000, '59 minutes ago', 'hace 59 minutos'],
  [3_600_000, 'an hour ago', 'hace una hora'],
  [47 * 3_600_000, '47 hours ago', 'hace 47 horas'],
  [48 * 3_600_000, '2 days ago', 'hace 2 días'],
])('shows the age of %i ms', (ms, en, es) => {
  expect(ageText(ms, guardMessages.en)).toBe(en);
  expect(ageText(ms, guardMessages.es)).toBe(es);
});

it('describes a write in each language', () => {
  expect(phrase('createRequisition', 'Parts', 1)).toEqual({
    en: 'create requisition "Parts" with 1 group',
    es: 'crear la requisición "Parts" con 1 grupo',
  });
  expect(phrase('createImputation', '22.5 USD', '6100', '').es).toBe(
    'crear una imputación de 22,5 USD en la cuenta 6100',
  );
  expect(phrase('patchSector', 'sec-9', 'name, description').es).toBe(
    'cambiar nombre, descripción del rubro sec-9',
  );
  expect(phrase('createImputation', '', '', '').en).toBe('create an imputation without an amount');
});

it('a question with a default already says that Enter keeps it', () => {
  const { en, es } = wizardMessages;
  expect(en.heading.orNone(en.item.code)).toBe(
    'Code of the new item (Enter keeps it, "-" for none)',
  );
  expect(es.heading.orNone(es.item.unitOfMeasure)).toBe(
    'Unidad de medida, por ejemplo EA o KG (Enter lo conserva, "-" lo quita)',
  );
});

describe('Spanish has the terms of one region, and addresses people with usted', async () => {
  const all = (await catalogues()).flatMap(([name, { es }]) =>
    [...texts(es)].map(([path, text]) => [`${name}${path}`, text] as const),
  );

  it.each([
    ['a purchase request, for what was sent', /solicitud/i],
    ['an importation as an execution', /\bejecuci(ón|ones)\b/i],
    ['tú', /\b(descartas|puedes|quieres|debes|tienes|escribe|elige|tu|tus)\b/i],
    ['another word for a fingerprint', /\bhash\b/i],
    ['añadir, which is agregar', /añad/i],
    ['importe, which is monto', /\bimportes?\b(?! (ese|las))/i],
    ['hecho por, which is generado con', /hecho por/i],
    ['an English field', /\b(code|name|amount|currency)\b/],
  ])('no %s', (_, term) => {
    expect(all.filter(([, text]) => term.test(text))).toEqual([]);
  });

  it('has these terms', () => {
    const { es } = wizardMessages;
    expect(es.lines.done).toBe('Terminar este grupo');
    expect(es.lines.leftOut).toBe('Estas líneas se omitieron y no se piden:');
    expect(guardMessages.es.repeat.created('hace un día', 'req-1')).toContain('La misma petición');
    const { created } = importRunMessages.es.result;
    expect(created(2, countOf(5_299, 'rows', 'es'), 'es')).toBe('Se crearon 2 de 5.299 filas');
    expect(created(1, countOf(1, 'requisitions', 'es'), 'es')).toBe('Se creó 1 de 1 requisición');
    expect(importRunMessages.es.labels.hash).toContain('huella (SHA-256)');
    expect(ordersReportMessages.es.without.month).toBe('sin fecha');
  });

  it.each([
    ['lost_zeros', 'code', 1, '1 código tiene menos de los 5 dígitos habituales (012)'],
    ['lost_zeros', 'orderId', 1_200, '1.200 órdenes tienen menos de los 5 dígitos habituales'],
    ['lost_zeros', 'sku', 2, '2 valores de sku tienen menos'],
    ['missing_amounts', 'amount', 1, '1 fila no tiene monto'],
  ] as const)('names the field of %s: %s', (kind, field, count, shown) => {
    const found = { kind, field, count, digits: 5, samples: [{ value: '012' }] };
    expect(findingText(found, 'es')).toContain(shown);
  });
});
