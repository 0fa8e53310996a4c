import type { Problem } from '../../core/problem/row-problem.ts';
import { type Assembled, type FlatRow, headersIn, type TargetFields } from './import-target.ts';
import { MATERIAL_TEXTS } from './item-import.ts';

/** Headers of the number of a requisition, which identifies it better than its title. */
export const REQUEST_NUMBERS = `
  Request No. | Request Number | Request ID | Requisition No. | Requisition Number | Requisition ID
  PR | PR No. | PR Number | Nro. de solicitud | Nro. de requisición | Número de solicitud
  N° de solicitud | Nro. de pedido | Banf | Banf-Nr. | Anforderungsnummer | BANFN
  Purchase Requisition`;

export const FLAT_FIELDS: TargetFields = {
  fields: [
    {
      name: 'title',
      kind: 'string',
      synonyms: [
        'Requisition',
        'Título',
        'Requisición',
        'Pedido',
        'Betreff',
        'Titel',
        'Subject',
        'Asunto',
      ],
    },
    { name: 'type', kind: 'string', synonyms: ['Tipo'] },
    { name: 'sector', kind: 'string', synonyms: ['Rubro'] },
    {
      name: 'code',
      kind: 'string',
      synonyms: headersIn(REQUEST_NUMBERS),
    },
    {
      name: 'group.name',
      kind: 'string',
      synonyms: ['Group', 'Group Name', 'Grupo'],
    },
    {
      name: 'group.deliveryMethod',
      kind: 'string',
      choices: {
        pickup: headersIn(`
          pick-up | Recogida | Recogido | Retiro | Retira | Abholung | Selbstabholung`),
        delivery: ['deliver', 'Entrega', 'Envío', 'A domicilio', 'Lieferung', 'Zustellung'],
      },
      synonyms: ['Delivery', 'Delivery Method', 'Entrega'],
    },
    { name: 'group.addressId', kind: 'string', synonyms: [] },
    {
      name: 'item.code',
      kind: 'string',
      synonyms: headersIn(`
        SKU | Item Code | Part No. | Código de ítem | Código | Material | MATNR | Artikelnummer
        Artikel-Nr. | Materialnummer | Material-Nr.`),
    },
    { name: 'item.id', kind: 'string', synonyms: ['itemId'] },
    {
      name: 'item.name',
      kind: 'string',
      synonyms: headersIn(`
        Item | Item Name | Ítem | Artículo | Part | Part Name | Product | Product Name | Producto
        Artikel | Bezeichnung | Artikelbezeichnung | ${MATERIAL_TEXTS}`),
      orCode: {
        field: 'item.code',
        headers: ['Item', 'Ítem', 'Artículo', 'Part', 'Product', 'Producto'],
      },
    },
    {
      name: 'item.description',
      kind: 'string',
      synonyms: ['Description', 'Descripción', 'Item Description', 'Beschreibung'],
    },
    {
      name: 'item.unitOfMeasure',
      kind: 'string',
      synonyms: ['UOM', 'Unit', 'Unidad', 'Mengeneinheit', 'ME', 'Einheit', 'MEINS'],
    },
    {
      name: 'quantity',
      kind: 'integer',
      required: true,
      synonyms: headersIn(`
        Qty | Cantidad | Cant. | Menge | Anzahl | MENGE | Quantity Requested | Bestellmenge
        Stückzahl`),
    },
  ],
};

const OWN = ['title', 'type', 'sector', 'code'];
const GROUP = ['group.deliveryMethod', 'group.addressId'];

type Fields = Readonly<Record<string, unknown>>;

/**
 * Makes one requisition of several rows: one line per row, one group per `group.name`. Rows with
 * different values in a field of the requisition or group are a problem.
 *
 * Codes of existing items are already replaced by `item.id`. A row without `item.id` defines an item.
 */
export function assembleRequisition(rows: readonly FlatRow[]): Assembled {
  const body: Record<string, unknown> = {};
  const groups = new Map<
    unknown,
    { fields: Record<string, unknown>; items: Fields[]; rows: FlatRow[] }
  >();
  for (const row of rows) {
    const name = row.body['group.name'];
    const group = groups.get(name) ?? {
      fields: name === undefined ? {} : { name },
      items: [],
      rows: [],
    };
    groups.set(name, group);
    const problem =
      copyFields(body, row, rows, { names: OWN, prefix: '' }) ??
      copyFields(group.fields, row, rows, { names: GROUP, prefix: 'group.' });
    if (problem !== undefined) return { problem, place: row.place };
    const line = lineOf(row.body);
    if (line === undefined) {
      return { problem: { code: 'line_without_item', args: {} }, place: row.place };
    }
    group.items.push(line);
    group.rows.push(row);
  }
  return {
    body: {
      ...body,
      groups: [...groups.values()].map(({ fields, items }) => ({ ...fields, items })),
    },
    places: {
      groups: [...groups.values()].map((group) => ({
        items: group.rows.map(({ place: { row, line = '' } }) => `${line},${row}`),
      })),
    },
  };
}

export function fieldsAt([first = '', , second, , ...rest]: readonly string[]): readonly string[] {
  if (first !== 'groups') return [first];
  if (second !== 'items') return [`group.${second}`];
  const name = rest.join('.');
  if (name === 'quantity' || name.startsWith('item.')) return [name];
  return ['item.id', 'item.code', 'item.name'];
}

/** @returns the problem if a field differs from an earlier row */
function copyFields(
  into: Record<string, unknown>,
  row: FlatRow,
  rows: readonly FlatRow[],
  { names, prefix }: { readonly names: readonly string[]; readonly prefix: string },
): Problem | undefined {
  for (const name of names) {
    const value = row.body[name];
    if (value === undefined) continue;
    const key = name.slice(prefix.length);
    const earlier = into[key];
    if (earlier === undefined) into[key] = value;
    else if (earlier !== value) {
      const group = row.body['group.name'];
      const other = rows.find(
        ({ body }) => body[name] === earlier && (prefix === '' || body['group.name'] === group),
      );
      const values = [
        { value: JSON.stringify(earlier), place: other?.place ?? {} },
        { value: JSON.stringify(value), place: row.place },
      ];
      return { code: 'rows_differ', field: name, args: { values } };
    }
  }
  return undefined;
}

function lineOf(row: Fields): Fields | undefined {
  const { quantity } = row;
  if (row['item.id'] !== undefined) return { quantity, itemId: row['item.id'] };
  const item: Record<string, unknown> = {};
  for (const name of ['name', 'code', 'description', 'unitOfMeasure']) {
    const value = row[`item.${name}`];
    if (value !== undefined) item[name] = value;
  }
  return item.name === undefined ? undefined : { quantity, item };
}
