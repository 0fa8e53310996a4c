import type { Problem } from '../../../core/problem/row-problem.ts';
import { textOf } from '../../map/convert.ts';
import { columnOf } from '../../map/mapping.ts';
import { normalise } from '../../map/match.ts';
import { isAddedColumn } from '../../map/repair/marks.ts';
import type { RowStep, StepContext } from '../row-step.ts';

/**
 * Rejects rows that describe the table instead of being part of it: totals, footers, rules, headers
 * repeated among the rows, and units below the header. Sent as a record, a total would book a sum
 * twice.
 */
export const notData: RowStep = {
  begin(run) {
    if (run.header.choices.allow.includes('non-data')) return undefined;
    const partFound = tableParts(run);
    return {
      apply(row) {
        if (row.isUnread === true || row.fields === undefined || Array.isArray(row.fields)) {
          return row;
        }
        const problem = partFound(row.fields as Readonly<Record<string, unknown>>, row.row);
        return problem === undefined ? row : { ...row, isNotData: true, problem };
      },
    };
  },
};

/**
 * Rejects totals without a word that tells: rows whose amount is the sum of the rows above, and that have no
 * reference of their own, although all rows above have one.
 */
export const unnamedTotals: RowStep = {
  begin({ target: { against, keyField }, header }) {
    if (against === undefined || header.choices.allow.includes('non-data')) return undefined;
    let rows = 0;
    let all = 0;
    let sinceTotal = 0;
    let hasTotals = false;
    let isNamed = true;
    return {
      apply(row) {
        const amount = row.body?.[against.amount];
        if (!isNamed || typeof amount !== 'number') return row;
        const key = row.body?.[keyField];
        const isOwn = typeof key === 'string' && /\d/.test(key);
        const isSum = [all, sinceTotal].some((sum) => Math.abs(amount - sum) < 0.005);
        if (!isOwn && isSum && amount !== 0 && (rows > 1 || hasTotals)) {
          hasTotals = true;
          sinceTotal = 0;
          const problem = { code: 'sum_of_rows', args: {} } as const;
          return { ...row, body: undefined, isNotData: true, problem };
        }
        isNamed = isOwn;
        rows++;
        all += amount;
        sinceTotal += amount;
        return row;
      },
    };
  },
};

interface Cell {
  readonly column: string;
  readonly text: string;
}

const oneOf = (lines: string): string =>
  lines
    .trim()
    .split(/\s*\n\s*/)
    .join('|');

/** Words for a total in the languages of exports. */
const TOTAL = oneOf(`
  (?:grand|gran|sub|sous|running|overall|final|batch|check|control|hash|eind|deel)?[ -]?tot(?:al(?:es|s|e|i|is|en|t)?|aux|ais|aal|\\.)
  (?:check|control)?[ -]?sums?|itogo
  sumas?
  sumatoria
  soma(?:s|t[óo]rio)?
  somm[ae]s?
  (?:del)?summa
  \\p{L}*summen?
  zwischentotal
  insgesamt
  (?:gesamt|zwischen|teil)?ergebnis(?:se)?
  gesamt(?:betrag|wert|menge|preis)?
  (?:end|rechnungs)betrag
  razem
  итого
  всего
  (?:合|总|總|小)[计計]
  toplam
  celkem
  yhteensä
  összesen
  [σ∑]
`);
/** Words that are no total beside other values: `Transporte` may be an account. */
const CARRIED = oneOf(`
  [üu]bertrag
  uebertrag
  (?:saldo)?vortrag
  suma y sigue
  suma anterior
  vienen
  van
  arrastre
  a?\\s?transportar
  transporte
  [àa] reporter
  report(?: à nouveau)?
  a? ?riport(?:o|are)
  saldo(?: \\p{L}+)?
  (?:opening|closing|final)? ?balance(?: [bc]/?f)?
  (?:carr(?:ied|y)|brought|bring) (?:forward|over)
  amount due
  net amount
  cumul(?:ative|é|ado)?
  acumulado
  net[oa]?
  brut[oa]
  i alt
`);
/** Words beside a total that name nothing. */
const OF = oneOf(`
  general|net[oa]?|brut[oa]|gross|overall|amounts?|items?|rows?|records?|units?|lines?|quantity|qty|value
  cost|price|orders?|invoices?|page|periods?|month|year|report[es]*|column|account|group|as|incl|excl|vat|tax
  cantidad(?:es)?|importes?|monto|valor(?:es)?|unidades|art[íi]culos|productos|filas|registros|[íi]tems|piezas
  l[íi]neas|parcial|final|acumulado|p[áa]gina|facturas|facturado|cuenta|periodo|anterior|centro|costos?|pagar|iva
  netto|brutto|betr[äa]ge?|menge|wert|positionen|zeilen|artikel|kosten|seite|konto|mwst|inkl|zzgl
  g[ée]n[ée]ral[e]?|montants?|lignes|articles|ttc|ht|tva|cumul[ée]|partiel|commandes?
  geral|itens|linhas|registos|quantidade|generale|complessiv[oa]|importo|documento|righe|articoli|parziale|fattura
  imponibile|quantità|generaal|bedrag|regels
  of|de|del|la|las|los|el|a|al|da|do|di|du|des|le|les|der|die|aller?|all|the|for|per|por|con|sin|von|in
  eur|usd|ars|clp|mxn|cop|uyu|pen|brl|chf|gbp
`);
const BETWEEN = `(?:\\s*[(),:;/=]\\s*|\\s+[-–—+]\\s+|\\s+)`;
const NUMBER = `[-+]?\\d[\\d.,'’/]*|[€$£%]`;
/** The whole cell: "Total", "TOTAL GENERAL:", "Net total", "Total de artículos", "Summe EUR: 40". */
const STRONG = new RegExp(
  `^(?:(?:${OF})${BETWEEN})*(?:${TOTAL})(?:${BETWEEN}(?:${TOTAL}|${OF}|${NUMBER}))*[\\s:=.)]*$`,
  'iu',
);
const CARRIES = new RegExp(`^(?:${CARRIED})(?:${BETWEEN}(?:${OF}|${NUMBER}))*[\\s:=.)]*$`, 'iu');
/** A group with its total: "Total PO-17", "4010 Ergebnis". */
const WEAK = new RegExp(`^(?:${TOTAL})[\\s:]+\\S|\\S\\s+(?:${TOTAL})\\s*:?$`, 'iu');
/** Most cells have none of these, so they need no further look. */
const MAY_BE_TOTAL =
  /tot|t o t|s[uo]m|sald|ergeb|gesamt|betrag|bertrag|vortrag|transport|report|riport|forward|carried|balance|cumul|vienen|^van|arrastre|amount|^net|^bru|^i alt|razem|toplam|celkem|yhteens|összes|итог|всег|itogo|[计計σ∑]/i;

const BY = '(?:by|on|at|from|por|el|en|von|am|vom|durch|par|le|depuis|du|em|da|dal|il)';
const WHAT =
  '(?:(?:report|list|file|listado|informe|reporte|archivo|documento|liste|bericht|datei|rapport|fichier|relat[óo]rio|rapporto|elenco)\\s+(?:was\\s+)?)?';
const DATE = '\\d{1,4}[-./]\\d{1,2}[-./]\\d{1,4}';
const FOOTER = new RegExp(
  oneOf(`
    ^[-\\s*=(]*(?:page|p[áa]g(?:ina)?\\.?|seite|hoja|sheet|blatt|feuille|foglio|folha)\\s*:?\\s*\\d+(?:\\s*(?:of|/|de|von|sur|di|van|-)\\s*\\d+)?[-\\s*=)]*$
    ^${WHAT}(?:printed|generated|created|exported|produced|run|downloaded|prepared|extracted)(?:\\s+${BY}\\b|\\s*:)
    ^${WHAT}(?:impreso|generad[oa]|emitid[oa]|exportad[oa]|cread[oa]|elaborad[oa]|descargad[oa]|preparad[oa])(?:\\s+${BY}\\b|\\s*:)
    ^${WHAT}(?:(?:aus)?gedruckt|erstellt|exportiert|erzeugt|generiert|heruntergeladen)(?:\\s+${BY}\\b|\\s*:)
    ^${WHAT}(?:imprimée?|généré|édité|exporté|créé|extrait)(?:\\s+${BY}\\b|\\s*:)
    ^${WHAT}(?:impresso|gerado|emitido|criado|extraído|stampato|generato|esportato|creato|estratto)(?:\\s+${BY}\\b|\\s*:)
    ^(?:print|run|report|export|creation)\\s?(?:date|time|id)\\b
    ^(?:fecha|hora) de (?:emisi[óo]n|impresi[óo]n|generaci[óo]n|exportaci[óo]n|creaci[óo]n)
    ^(?:druck|erstellungs|export)(?:datum|zeit)\\b
    ^date (?:d['’]|de l['’]?)(?:impression|édition|export|extraction)
    ^data (?:di|de|da) (?:stampa|estrazione|impress[ãa]o|emiss[ãa]o|exporta[çc][ãa]o)
    ^(?:date|fecha|datum|data|stand)\\s*:?\\s*${DATE}
    ^[-\\s*=(<]*(?:end|eof|fine?|fim|final|ende)(?:\\s+(?:of|del?|der|des|la|el|dem|du|do|di))*\\s*(?:the\\s+)?(?:report|list(?:ing|e|ado|a)?|file|data|table|document|informe|reporte|archivo|documento|datos|tabla|berichte?s?|datei|daten|tabelle|dokuments?|rapporto?|relat[óo]rio|elenco|fichier|arquivo)[-\\s*=)>]*$
    ^[-\\s*=(]*\\d[\\d.,]*\\s+(?:rows?|records?|entries|filas?|registros?|zeilen?|datens[äa]tze?|s[äa]tze|eintr[äa]ge|lignes?|enregistrements?|righe|linhas|registos)(?:\\s+(?:selected|affected|found|exported|returned|in total|encontrad[oa]s|exportad[oa]s|seleccionad[oa]s|ausgew[äa]hlt|gefunden|exportiert|trouvée?s))?[-\\s*=).]*$
    ^(?:[-*=<(]+\\s*(?:end|eof|fin|ende)\\s*[-*=>)]+|eof)$
    ^(?:number|no\\.?|count|total) of (?:rows|records|items|lines|entries)\\b
    ^(?:cantidad|n[úu]mero|n[°º]|total) de (?:registros|filas|l[íi]neas|art[íi]culos|[íi]tems|linhas|registos)\\b
    ^anzahl(?:(?: der)? (?:datens[äa]tze|zeilen|s[äa]tze|positionen|eintr[äa]ge|artikel)\\b|\\s*:\\s*\\d)
    ^(?:nombre de lignes|numero (?:di )?righe)\\b
    ^(?:continued on|contin[úu]a en|continua (?:na|alla)|fortsetzung auf|suite (?:à la )?page)\\b
    ^(?:©|\\(c\\)\\s|copyright\\b)
    ^(?:confidential|confidencial|confidentiel|vertraulich|riservato|internal use only|uso interno)\\b.{0,40}$
    ^(?:source|fuente|quelle|user|usuario|utilisateur|utente|benutzer|system|sistema|plant|werk|company code|buchungskreis)\\s*:\\s*\\S
    ^(?:applied filters|filters applied|filtros aplicados|filtres|filtri|filter|filtros)\\s*:
    ^(?:powered by|sap list viewer)\\b
  `),
  'iu',
);
const RULE = /^[-=_*~.·+|#–—─━═\s]{2,}$/;

const UNIT_WORDS = oneOf(`
  kg|g|mg|t|lb|m|mm|cm|km|m2|m²|m3|m³|in|ft|l|ml|h|pcs?|pzas?|pz|st|stk|stück|stueck|ea|each|un|und|unid|uds?
  units?|unidad(?:es)?|unidades?|unités?|unità|pièces?|pezzi|einheit(?:en)?
  eur|usd|ars|clp|mxn|cop|uyu|pen|brl|chf|gbp|€|\\$|%
  text[eo]?|testo|string|str|char|varchar|alphanum(?:eric)?|alfanum[ée]rico|zeichen|free text|max\\.? \\d+(?: \\p{L}+)?
  number|n[úu]mero|num[ée]rico|numeric|numerisch|zahl|integer|int|decimal|dec|float|date|fecha|datum|boolean
  required|optional|mandatory|obligatorio|opcional|pflicht(?:feld)?|obligatoire|facultatif|obbligatorio|facoltativo
  obrigatório|unique(?: id)?|x|-|–|col(?:umn)? ?\\d+|muster|beispiel|ejemplo|example|exemple|esempio|exemplo
  (?:e\\. ?g\\.|z\\. ?b\\.|p\\. ?ej\\.|ej\\.|par ex\\.|(?:ejemplo|example|beispiel|exemple|esempio|exemplo)\\s*:).*
  matnr|maktx|meins|mfrnr|mfrpn|mtart|matkl|werks|ebeln|ebelp|belnr|bukrs|kostl|saknr|hkont|dmbtr|wrbtr|waers|menge|txz01
  code|codice|código|désignation|designation|libellé|marque|marca|descri[çc][ãa]o|descrizione|bezeichnung|nom[e]?
`);
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

/** @returns says what part of a table a row is; undefined if it may be data */
function tableParts({ mapping, target, shape, source, header: { groupBy } }: StepContext) {
  const columnsFor = (fields: readonly string[]) =>
    fields.flatMap((field) => columnOf(mapping, field) ?? []);
  const references = (shape.references ?? []).flatMap(({ field, into }) => [field, into ?? field]);
  /** The column that identifies a row. */
  const key = groupBy ?? columnOf(mapping, target.keyField);
  /** Rows have amounts, which a total would book twice. Names of items may repeat their codes. */
  const isBooked = target.against !== undefined;
  /** Columns that refer to records, e.g. orders. */
  const orders = new Set(isBooked ? columnsFor(references) : []);
  /** Other columns of codes, e.g. accounts. */
  const accounts = columnsFor(target.codeFields ?? []);
  /** Columns of codes and references, in which "Total" is never a value. */
  const codes = new Set([
    ...(groupBy === undefined ? [] : [groupBy]),
    ...columnsFor([target.keyField, ...references]),
    ...accounts,
    ...(groupBy === undefined ? [] : columnsFor(['title', 'item.name', 'item.code', 'item.id'])),
  ]);
  /** Columns in which "Total PO-17" may be a label. For items it may be a name. */
  const labels =
    target.listing !== undefined
      ? new Set<string>()
      : groupBy === undefined
        ? codes
        : new Set([groupBy, ...columnsFor(['title', 'code'])]);
  /** By mapped column: the column's header, and other headers of its field. */
  const headers = new Map<string, { readonly own: string; readonly all: ReadonlySet<string> }>();
  for (const { name, synonyms } of shape.fields.fields) {
    const column = columnOf(mapping, name);
    if (column === undefined) continue;
    const own = headerOf(column, source.table?.repeated);
    const all = [own, name, ...synonyms];
    headers.set(column, { own: normalise(own), all: new Set(all.map(normalise)) });
  }
  const nulls = new Set(mapping.nulls);

  return (fields: Readonly<Record<string, unknown>>, row: number): Problem | undefined => {
    const cells: Cell[] = [];
    let mayBeTotal = false;
    for (const column in fields) {
      const text = textOf(fields[column])?.trim();
      if (text === undefined || text === '' || isAddedColumn(column) || nulls.has(text)) continue;
      cells.push({ column, text });
      mayBeTotal ||= MAY_BE_TOTAL.test(text);
    }
    const [first] = cells;
    if (first === undefined) return undefined;
    const total = mayBeTotal ? totalIn(cells) : undefined;
    if (total !== undefined) return { code: 'total', args: { text: total } };
    if (isHeader(cells)) return { code: 'repeated_header', args: {} };
    if (cells.every(({ text }) => RULE.test(text))) return { code: 'rule', args: {} };
    if (isFooter(cells, first)) return { code: 'footer', args: { text: first.text } };
    const areUnits = row <= LAST_UNITS_ROW && cells.length > 1 && isUnits(cells);
    return areUnits ? { code: 'units', args: {} } : undefined;
  };

  function totalIn(cells: readonly Cell[]): string | undefined {
    const hasKey = cells.some(({ column }) => column === key);
    const isAccountless = accounts.some(
      (account) => !cells.some(({ column }) => column === account),
    );
    for (const { column, text: whole } of cells) {
      if (whole.length > 80 || !MAY_BE_TOTAL.test(whole)) continue;
      const text = wordsOf(whole);
      /** A total may name its group in other cells: its order, or what its own label contains. */
      const isAlone = (hasOrder: boolean) =>
        cells.every(
          (one) =>
            one.column === column ||
            (text.includes(one.text) && isBooked) ||
            (one.text !== text && NUMERIC.test(one.text)) ||
            RULE.test(one.text) ||
            (hasOrder && orders.has(one.column)),
        );
      if (STRONG.test(text)) {
        const isCode = codes.has(column) && !/\d/.test(text);
        if (isCode || isAlone(codes.has(column))) return whole;
        // Without its key, a row with the word is a total, unless the word is in a note.
        if (key !== undefined && !hasKey && cells.length < 5) return whole;
      } else if (CARRIES.test(text)) {
        const hasAccount = cells.some(
          (one) => one.column !== column && accounts.includes(one.column),
        );
        if (!hasAccount && isAlone(codes.has(column))) return whole;
      } else if (WEAK.test(text) && labels.has(column) && isAlone(isAccountless)) {
        return whole;
      }
    }
    return undefined;
  }

  function isHeader(cells: readonly Cell[]): boolean {
    let same = 0;
    let count = 0;
    for (const { column, text } of cells) {
      const names = headers.get(column);
      if (names === undefined) continue;
      const spelled = normalise(text);
      if (!names.all.has(spelled)) return false;
      if (spelled === names.own) same++;
      count++;
    }
    // One word alone may be a value, e.g. an item named "Article", unless it is the column's header.
    return count > 1 || (count === 1 && same === 1);
  }

  function isFooter(cells: readonly Cell[], first: Cell): boolean {
    if (first.text.length > 120 || !FOOTER.test(first.text)) return false;
    if (first.column === key) return true;
    const own = cells.find(({ column }) => column === key)?.text;
    return own === undefined || !/\d/.test(own) || /^\d{1,4}[-./]\d{1,2}[-./]\d{1,4}/.test(own);
  }

  function isUnits(cells: readonly Cell[]): boolean {
    if (!cells.some(({ column }) => headers.has(column))) return false;
    if (cells.length > 2 && cells.every(isColumnNumber)) return true;
    return (
      cells.every(({ text }) => UNIT.test(text)) && cells.some(({ text }) => !/^[-–]$/.test(text))
    );
  }
}

/** Without decoration, and `T O T A L` as one word. */
function wordsOf(text: string): string {
  const bare = text.replace(/^[*=#>•–—\-\s"'«»<[(]+|[*=#<•–—\-\s"'«»>\]]+$/gu, '');
  return /^(?:\p{L}\s)+\p{L}$/u.test(bare) ? bare.replaceAll(' ', '') : bare;
}

/** The columns are numbered: 1, 2, 3 or A, B, C. */
function isColumnNumber({ text }: Cell, at: number): boolean {
  const bare = text.replace(/[()]/g, '').toLowerCase();
  return bare === String(at + 1) || bare === String.fromCharCode(97 + at);
}

function headerOf(
  column: string,
  repeated: ReadonlyMap<string, readonly string[]> | undefined,
): string {
  for (const [header, same] of repeated ?? []) if (same.includes(column)) return header;
  return column;
}
