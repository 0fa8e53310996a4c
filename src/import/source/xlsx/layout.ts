import { posix } from 'node:path';
import { isDateFormat, isSpanFormat } from './dates.ts';
import { escapedText } from './strings.ts';
import { readXml, type XmlListener } from './xml.ts';
import { WorkbookError, type Zip } from './zip.ts';

type DateStyle = 'date' | 'span';

export interface Sheet {
  readonly name: string;
  readonly part: string;
  readonly isHidden: boolean;
}

export interface Layout {
  /** In order, without sheets of charts. */
  readonly sheets: readonly Sheet[];
  readonly stringsPart: string | undefined;
  /** By style number: whether its numbers are dates or durations. */
  readonly dateStyles: readonly (DateStyle | undefined)[];
  /** Days are counted from 1904, as on old Macs. */
  readonly from1904: boolean;
}

export async function readLayout(zip: Zip): Promise<Layout> {
  const parts = new Map<string, { readonly type: string; readonly part: string }>();
  await readPart(zip, 'xl/_rels/workbook.xml.rels', {
    open(name, attribute) {
      if (name !== 'Relationship') return;
      const target = attribute('Target') ?? '';
      parts.set(attribute('Id') ?? '', {
        // Types are URLs. The strict and the transitional standard share only the last part.
        type: attribute('Type')?.split('/').at(-1) ?? '',
        part: target.startsWith('/') ? target.slice(1) : posix.join('xl', target),
      });
    },
  });
  const sheets: Sheet[] = [];
  let from1904 = false;
  await readPart(zip, 'xl/workbook.xml', {
    open(name, attribute) {
      if (name === 'workbookPr') from1904 ||= /^(1|true)$/.test(attribute('date1904') ?? '');
      if (name !== 'sheet') return;
      const target = parts.get(attribute('id') ?? '');
      if (target?.type !== 'worksheet') return;
      sheets.push({
        name: escapedText(attribute('name') ?? ''),
        part: target.part,
        isHidden: /^(?:very)?hidden$/i.test(attribute('state') ?? ''),
      });
    },
  });
  if (sheets.length === 0) throw new WorkbookError('it has no sheet with cells');
  const partOf = (type: string) => [...parts.values()].find((one) => one.type === type)?.part;
  const strings = partOf('sharedStrings');
  const styles = partOf('styles');
  return {
    sheets,
    from1904,
    stringsPart: strings !== undefined && zip.has(strings) ? strings : undefined,
    dateStyles: styles !== undefined && zip.has(styles) ? await cellStyles(zip, styles) : [],
  };
}

async function readPart(zip: Zip, part: string, listener: XmlListener): Promise<void> {
  for await (const _ of readXml(zip.read(part), part, listener));
}

async function cellStyles(zip: Zip, part: string): Promise<Layout['dateStyles']> {
  const templates = new Map<number, string>();
  const base: (number | undefined)[] = [];
  const own: { format: number | undefined; base: number | undefined }[] = [];
  let within = '';
  await readPart(zip, part, {
    open(name, attribute) {
      const number = (key: string) => {
        const value = attribute(key);
        return value === undefined ? undefined : Number(value);
      };
      if (name === 'cellXfs' || name === 'cellStyleXfs') within = name;
      if (name === 'numFmt') templates.set(number('numFmtId') ?? -1, attribute('formatCode') ?? '');
      if (name !== 'xf') return;
      if (within === 'cellStyleXfs') base.push(number('numFmtId'));
      if (within === 'cellXfs') own.push({ format: number('numFmtId'), base: number('xfId') });
    },
    close(name) {
      if (name === within) within = '';
    },
  });
  return own.map((style): DateStyle | undefined => {
    const format = style.format ?? (style.base === undefined ? undefined : base[style.base]);
    if (format === undefined || !isDateFormat(format, templates.get(format))) return undefined;
    return isSpanFormat(format, templates.get(format)) ? 'span' : 'date';
  });
}
