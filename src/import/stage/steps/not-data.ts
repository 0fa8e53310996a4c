import { textOf } from '../../map/convert.ts';
import { normalise } from '../../map/normalise.ts';
import { isAddedColumn } from '../../map/repair/added-columns.ts';
import type { RowStep, StepContext } from '../row-step.ts';

/**
 * Rejects rows that describe the table instead of being part of it: totals, footers, rules, headers
 * repeated among the rows, and units below the header. Sent as a record, a total would book a sum
 * twice.
 */
export const notData: RowStep = {
  name: 'not data',
  begin(run) {
    if (run.header.choices.allow.includes('non-data')) return undefined;
    const judge = new TableParts(run);
    return {
      apply(row) {
        if (row.isUnread === true || row.fields === undefined || Array.isArray(row.fields)) {
          return row;
        }
        const message = judge.found(row.fields as Readonly<Record<string, unknown>>, row.row);
        if (message === undefined) return row;
        return { ...row, isNotData: true, problem: { message: `${message} (--allow non-data)` } };
      },
    };
  },
};

interface Cell {
  readonly column: string;
  readonly text: string;
}

const TOTAL = [
  '(?:grand|gran|sub|running|overall|final)?[ -]?tot(?:al(?:es|s|e)?|\\.)',
  ...['sum', 'suma', 'sumas', 'sumatoria', 'sous-total', 'saldo(?: (?:final|total|inicial))?'],
  ...['summen?', '(?:gesamt|zwischen|end|teil|netto|brutto)summen?', 'zwischentotal', 'insgesamt'],
  ...[
    '(?:gesamt|zwischen|teil)?ergebnis(?:se)?',
    'gesamt(?:betrag|wert|menge|preis)?',
    'total general',
  ],
  ...['[üu]bertrag', 'uebertrag', 'suma y sigue', 'suma anterior', 'transporte'],
  ...['(?:carried|brought|carry|bring) forward', 'balance [bc]/?f', 'σ', '∑'],
].join('|');
const OF = [
  ...[
    'general',
    'net[oa]?',
    'brut[oa]',
    'gross',
    'overall',
    'amounts?',
    'items?',
    'rows?',
    'records?',
  ],
  ...[
    'units?',
    'lines?',
    'quantity',
    'qty',
    'value',
    'cost',
    'price',
    'orders?',
    'invoices?',
    'page',
  ],
  ...[
    'cantidad(?:es)?',
    'importes?',
    'monto',
    'valor',
    'unidades',
    'art[íi]culos',
    'productos',
    'filas',
  ],
  ...[
    'registros',
    '[íi]tems',
    'piezas',
    'l[íi]neas',
    'parcial',
    'final',
    'acumulado',
    'p[áa]gina',
    'facturas',
  ],
  ...[
    'netto',
    'brutto',
    'betr[äa]ge?',
    'menge',
    'wert',
    'positionen',
    'zeilen',
    'artikel',
    'kosten',
    'seite',
  ],
  ...[
    'of',
    'de',
    'del',
    'la',
    'las',
    'los',
    'der',
    'des',
    'die',
    'aller?',
    'all',
    'the',
    'for',
    'report',
  ],
  ...[
    'report[es]*',
    'column',
    'account',
    'group',
    'eur',
    'usd',
    'ars',
    'clp',
    'mxn',
    'cop',
    'uyu',
    'pen',
  ],
].join('|');
/** The whole cell: "Total", "TOTAL GENERAL:", "Net total", "Total de artículos", "Summe EUR: 40". */
const STRONG = new RegExp(
  `^(?:(?:${OF})\\s+)*(?:${TOTAL})(?:[\\s(]+(?:${OF})\\)?)*(?:\\s*[:=]\\s*[-+\\d.,\\s%€$]*|\\s+[-+\\d.,\\s%€$]*)?$`,
  'iu',
);
/** A group with its total: "Total PO-17", "4010 Ergebnis". */
const WEAK = new RegExp(`^(?:${TOTAL})[\\s:]+\\S|\\S\\s+(?:${TOTAL})\\s*:?$`, 'iu');
/** Most cells have none of these, so they need no further look. */
const MAY_BE_TOTAL = /tot|sum|sald|ergeb|gesamt|bertrag|transporte|forward|balance|σ|∑/i;

const BY = '(?:by|on|at|from|por|el|en|von|am|vom|durch)';
const WHAT =
  '(?:(?:report|list|file|listado|informe|reporte|archivo|documento|liste|bericht|datei)\\s+(?:was\\s+)?)?';
const FOOTER = new RegExp(
  [
    '^[-\\s*=(]*(?:page|p[áa]g(?:ina)?\\.?|seite|hoja|sheet|blatt)\\s*:?\\s*\\d+(?:\\s*(?:of|/|de|von|-)\\s*\\d+)?[-\\s*=)]*$',
    `^${WHAT}(?:printed|generated|created|exported|produced|run|downloaded|prepared|extracted)\\s+${BY}\\b`,
    `^${WHAT}(?:impreso|generad[oa]|emitid[oa]|exportad[oa]|cread[oa]|elaborad[oa]|descargad[oa]|preparad[oa])\\s+${BY}\\b`,
    `^${WHAT}(?:(?:aus)?gedruckt|erstellt|exportiert|erzeugt|generiert|heruntergeladen)\\s+${BY}\\b`,
    '^(?:print|run|report|export|creation)\\s?(?:date|time|id)\\b',
    '^(?:fecha|hora) de (?:emisi[óo]n|impresi[óo]n|generaci[óo]n|exportaci[óo]n|creaci[óo]n)',
    '^(?:druck|erstellungs|export)(?:datum|zeit)\\b',
    '^[-\\s*=(<]*(?:end|eof|fin|final|ende)(?:\\s+(?:of|del?|der|des|la|el|dem))*\\s*(?:the\\s+)?(?:report|list(?:ing|e|ado)?|file|data|table|document|informe|reporte|archivo|documento|datos|tabla|berichte?s?|datei|daten|tabelle|dokuments?)[-\\s*=)>]*$',
    '^[-\\s*=(]*\\d[\\d.,]*\\s+(?:rows?|records?|entries|filas?|registros?|zeilen?|datens[äa]tze?|s[äa]tze|eintr[äa]ge)(?:\\s+(?:selected|affected|found|exported|returned|in total|encontrad[oa]s|exportad[oa]s|seleccionad[oa]s|ausgew[äa]hlt|gefunden|exportiert))?[-\\s*=).]*$',
    '^[-*=<(]+\\s*(?:end|eof|fin|ende)\\s*[-*=>)]+$',
    '^(?:number|no\\.?|count|total) of (?:rows|records|items|lines|entries)\\b',
    '^(?:cantidad|n[úu]mero|n[°º]|total) de (?:registros|filas|l[íi]neas|art[íi]culos|[íi]tems)\\b',
    '^anzahl(?: der)? (?:datens[äa]tze|zeilen|s[äa]tze|positionen|eintr[äa]ge|artikel)\\b',
    '^(?:©|\\(c\\)\\s|copyright\\b)',
    '^(?:confidential|confidencial|vertraulich|internal use only|uso interno)\\b.{0,40}$',
    '^(?:source|fuente|quelle|user|usuario|benutzer|system|sistema)\\s*:\\s*\\S',
  ].join('|'),
  'iu',
);
const RULE = /^[-=_*~.·+|#–—─━═\s]{2,}$/;

const UNIT_WORDS = [
  ...[
    'kg',
    'g',
    'mg',
    't',
    'lb',
    'm',
    'mm',
    'cm',
    'km',
    'm2',
    'm²',
    'm3',
    'm³',
    'in',
    'ft',
    'l',
    'ml',
    'h',
  ],
  ...[
    'pcs?',
    'pzas?',
    'st',
    'stk',
    'stück',
    'stueck',
    'ea',
    'each',
    'un',
    'und',
    'unid',
    'uds?',
    'units?',
  ],
  ...[
    'unidad(?:es)?',
    'einheit(?:en)?',
    'eur',
    'usd',
    'ars',
    'clp',
    'mxn',
    'cop',
    'uyu',
    'pen',
    '€',
    '\\$',
    '%',
  ],
  ...[
    'text',
    'texto',
    'string',
    'str',
    'char',
    'varchar',
    'alphanum(?:eric)?',
    'alfanum[ée]rico',
    'zeichen',
  ],
  ...[
    'number',
    'n[úu]mero',
    'num[ée]rico',
    'numeric',
    'numerisch',
    'zahl',
    'integer',
    'int',
    'decimal',
    'float',
  ],
  ...[
    'date',
    'fecha',
    'datum',
    'boolean',
    'required',
    'optional',
    'mandatory',
    'obligatorio',
    'opcional',
  ],
  ...['pflicht(?:feld)?', '-', '–'],
].join('|');
const UNIT = new RegExp(
  `^(?:(?:${UNIT_WORDS})(?:\\s?\\(\\d+(?:,\\d+)?\\)|\\d{1,3})?|[\\[(<][^\\])>]{0,24}[\\])>])$`,
  'iu',
);
/** Units stand directly below the header, or below a rule. */
const LAST_UNITS_ROW = 2;

const CURRENCY = '(?:[A-Z]{3}|US\\$|R\\$|[€$£¥])';
/** A number, an amount with its currency, a currency, or a date. */
const NUMERIC = new RegExp(
  `^(?:${CURRENCY}\\s?)?[-+(]?[\\d\\s.,:'’%/TZ-]*\\)?-?(?:\\s?${CURRENCY})?$`,
);

class TableParts {
  /** The column that identifies a row. */
  readonly #key: string | undefined;
  /** Columns of codes and references, in which "Total" is never a value. */
  readonly #codes: ReadonlySet<string>;
  /** Columns in which "Total PO-17" may be a label. For items it may be a name. */
  readonly #labels: ReadonlySet<string>;
  /** By mapped column: the column's header, and other headers of its field. */
  readonly #headers = new Map<
    string,
    { readonly own: string; readonly all: ReadonlySet<string> }
  >();
  readonly #nulls: ReadonlySet<string>;

  constructor({ mapping, target, shape, source, header: { groupBy } }: StepContext) {
    const columnOf = (field: string): string | undefined => {
      const rule = mapping.fields[field];
      return rule !== undefined && 'column' in rule ? rule.column : undefined;
    };
    this.#key = groupBy ?? columnOf(target.keyField);
    const fields = [
      ...[target.keyField, ...(target.codeFields ?? [])],
      ...(shape.references ?? []).flatMap(({ field, into }) => [field, into ?? field]),
      ...(groupBy === undefined ? [] : ['title', 'item.name', 'item.code', 'item.id']),
    ];
    const columns = fields.flatMap((field) => columnOf(field) ?? []);
    this.#codes = new Set(groupBy === undefined ? columns : [groupBy, ...columns]);
    this.#labels =
      target.listing !== undefined
        ? new Set()
        : groupBy === undefined
          ? this.#codes
          : new Set([groupBy, ...['title', 'code'].flatMap((field) => columnOf(field) ?? [])]);
    for (const { name, synonyms, fill } of shape.fields.fields) {
      const column = columnOf(name);
      if (column === undefined) continue;
      const own = headerOf(column, source.table?.repeated);
      const all = [own, name, ...synonyms, ...(fill === undefined ? [] : [fill.es])];
      this.#headers.set(column, { own: normalise(own), all: new Set(all.map(normalise)) });
    }
    this.#nulls = new Set(mapping.nulls);
  }

  /** @returns what the row is; undefined if it may be data */
  found(fields: Readonly<Record<string, unknown>>, row: number): string | undefined {
    const cells: Cell[] = [];
    let mayBeTotal = false;
    for (const column in fields) {
      const text = textOf(fields[column])?.trim();
      if (text === undefined || text === '' || isAddedColumn(column) || this.#nulls.has(text))
        continue;
      cells.push({ column, text });
      mayBeTotal ||= MAY_BE_TOTAL.test(text);
    }
    const [first] = cells;
    if (first === undefined) return undefined;
    const total = mayBeTotal ? this.#total(cells) : undefined;
    if (total !== undefined) return `looks like a total: ${JSON.stringify(total)}`;
    if (this.#isHeader(cells)) return 'repeats the header';
    if (cells.every(({ text }) => RULE.test(text))) return 'contains only lines';
    if (this.#isFooter(cells, first)) return `looks like a footer: ${JSON.stringify(first.text)}`;
    const isUnits = row <= LAST_UNITS_ROW && cells.length > 1 && this.#isUnits(cells);
    return isUnits ? 'contains units or types instead of values' : undefined;
  }

  #total(cells: readonly Cell[]): string | undefined {
    const hasKey = cells.some(({ column }) => column === this.#key);
    for (const { column, text: whole } of cells) {
      if (whole.length > 80 || !MAY_BE_TOTAL.test(whole)) continue;
      const text = whole.replace(/^[*=#>•–—\-\s]+|[*=#<•–—\-\s]+$/gu, '');
      const isAlone = () =>
        cells.every(
          (one) => one.column === column || NUMERIC.test(one.text) || RULE.test(one.text),
        );
      if (STRONG.test(text)) {
        if (this.#codes.has(column) || isAlone()) return whole;
        // Without its key, a row with the word is a total, unless the word is in a note.
        if (this.#key !== undefined && !hasKey && cells.length < 5) return whole;
      } else if (WEAK.test(text) && this.#labels.has(column) && isAlone()) {
        return whole;
      }
    }
    return undefined;
  }

  #isHeader(cells: readonly Cell[]): boolean {
    let same = 0;
    let count = 0;
    for (const { column, text } of cells) {
      const names = this.#headers.get(column);
      if (names === undefined) continue;
      const spelled = normalise(text);
      if (!names.all.has(spelled)) return false;
      if (spelled === names.own) same++;
      count++;
    }
    // One word alone may be a value, e.g. an item named "Article", unless it is the column's header.
    return count > 1 || (count === 1 && same === 1);
  }

  #isFooter(cells: readonly Cell[], first: Cell): boolean {
    if (first.text.length > 120 || !FOOTER.test(first.text)) return false;
    if (first.column === this.#key) return true;
    const key = cells.find(({ column }) => column === this.#key)?.text;
    return key === undefined || !/\d/.test(key) || /^\d{1,4}[-./]\d{1,2}[-./]\d{1,4}/.test(key);
  }

  #isUnits(cells: readonly Cell[]): boolean {
    return (
      cells.some(({ column }) => this.#headers.has(column)) &&
      cells.every(({ text }) => UNIT.test(text)) &&
      cells.some(({ text }) => !/^[-–]$/.test(text))
    );
  }
}

function headerOf(
  column: string,
  repeated: ReadonlyMap<string, readonly string[]> | undefined,
): string {
  for (const [header, same] of repeated ?? []) if (same.includes(column)) return header;
  return column;
}
