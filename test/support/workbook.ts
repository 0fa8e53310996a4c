import { crc32, deflateRawSync } from 'node:zlib';

type Cell = string | number | boolean | Date | Odd | null;

type Odd =
  /** What a cell shows if its formula failed, e.g. `#N/A`. */
  | { readonly error: string }
  /** A number in the format `[h]:mm`. */
  | { readonly hours: number }
  /** A number in the format `00000`. */
  | { readonly zeros: number }
  /** A number with more digits than JavaScript can hold. */
  | { readonly digits: string };

const DAY_MS = 86_400_000;
const EPOCH = Date.UTC(1899, 11, 30);

/** A minimal .xlsx: text inline, dates as numbers with a date format. */
export function workbook(sheets: Readonly<Record<string, readonly (readonly Cell[])[]>>): Buffer {
  const names = Object.keys(sheets);
  const type = 'application/vnd.openxmlformats-officedocument.spreadsheetml';
  const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
  const main = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"';
  const relation = (id: number, kind: string, target: string) =>
    `<Relationship Id="rId${id}" Type="${office}/${kind}" Target="${target}"/>`;
  const relations = (inner: string) =>
    `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${inner}</Relationships>`;
  return zip({
    '[Content_Types].xml': `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="${type}.sheet.main+xml"/></Types>`,
    '_rels/.rels': relations(relation(1, 'officeDocument', 'xl/workbook.xml')),
    'xl/workbook.xml': `<workbook ${main} xmlns:r="${office}"><sheets>${names.map((name, at) => `<sheet name="${name}" sheetId="${at + 1}" r:id="rId${at + 1}"/>`).join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relations(
      names
        .map((_, at) => relation(at + 1, 'worksheet', `worksheets/sheet${at + 1}.xml`))
        .join('') + relation(names.length + 1, 'styles', 'styles.xml'),
    ),
    'xl/styles.xml': `<styleSheet ${main}><numFmts count="2"><numFmt numFmtId="164" formatCode="[h]:mm"/><numFmt numFmtId="165" formatCode="00000"/></numFmts><cellXfs count="4"><xf numFmtId="0"/><xf numFmtId="14" applyNumberFormat="1"/><xf numFmtId="164" applyNumberFormat="1"/><xf numFmtId="165" applyNumberFormat="1"/></cellXfs></styleSheet>`,
    ...Object.fromEntries(
      names.map((name, at) => [
        `xl/worksheets/sheet${at + 1}.xml`,
        `<worksheet ${main}><sheetData>${sheets[name]!.map(row).join('')}</sheetData></worksheet>`,
      ]),
    ),
  });
}

function row(cells: readonly Cell[], at: number): string {
  const inner = cells.map((cell, column) => {
    const [attributes, content] = cellOf(cell);
    const place = `${String.fromCharCode(65 + column)}${at + 1}`;
    return cell === null ? '' : `<c r="${place}"${attributes}>${content}</c>`;
  });
  return `<row r="${at + 1}">${inner.join('')}</row>`;
}

function cellOf(cell: Cell): readonly [attributes: string, content: string] {
  const value = (one: string | number, attributes = '') => [attributes, `<v>${one}</v>`] as const;
  if (typeof cell === 'string') {
    const text = cell.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
    return [' t="inlineStr"', `<is><t xml:space="preserve">${text}</t></is>`];
  }
  if (typeof cell === 'boolean') return value(cell ? 1 : 0, ' t="b"');
  if (typeof cell === 'number' || cell === null) return value(cell ?? '');
  if (cell instanceof Date) return value((cell.getTime() - EPOCH) / DAY_MS, ' s="1"');
  if ('error' in cell) return value(cell.error, ' t="e"');
  if ('zeros' in cell) return value(cell.zeros, ' s="3"');
  if ('hours' in cell) return value(cell.hours / 24, ' s="2"');
  return value(cell.digits);
}

export function zip(files: Readonly<Record<string, string>>): Buffer {
  const local: Buffer[] = [];
  const central: Buffer[] = [];
  let offset = 0;
  for (const [name, text] of Object.entries(files)) {
    const content = Buffer.from(text);
    const packed = deflateRawSync(content);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(8, 4);
    common.writeUInt32LE(crc32(content), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(content.length, 18);
    common.writeUInt16LE(Buffer.byteLength(name), 22);
    const head = Buffer.concat([Buffer.from('PK\x03\x04'), common, Buffer.from(name)]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    const version = Buffer.from([20, 0]);
    central.push(
      Buffer.concat([Buffer.from('PK\x01\x02'), version, common, rest, Buffer.from(name)]),
    );
    local.push(head, packed);
    offset += head.length + packed.length;
  }
  const directory = Buffer.concat(central);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(central.length, 8);
  end.writeUInt16LE(central.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...local, directory, end]);
}
