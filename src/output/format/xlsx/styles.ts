import { xmlText } from './xml-text.ts';

/** Indexes into {@link FIXED}. */
export const STYLE = {
  general: 0,
  text: 1,
  header: 2,
  /** Cells that a person should look at. */
  markedText: 3,
  marked: 4,
} as const;

/** Format 49 is `@` (text): a spreadsheet also keeps what a person types there as text. */
const FIXED = [
  '<xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>',
  '<xf numFmtId="49" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>',
  '<xf numFmtId="49" fontId="1" fillId="0" borderId="0" xfId="0" applyNumberFormat="1" applyFont="1"/>',
  '<xf numFmtId="49" fontId="1" fillId="2" borderId="0" xfId="0" applyNumberFormat="1" applyFont="1" applyFill="1"/>',
  '<xf numFmtId="0" fontId="1" fillId="2" borderId="0" xfId="0" applyFont="1" applyFill="1"/>',
];

/** Formats below this number are built in. */
const FIRST_FORMAT = 164;

export class Styles {
  readonly #numbers = new Map<string, number>();

  of(format: string): number {
    let number = this.#numbers.get(format);
    if (number === undefined) {
      number = FIXED.length + this.#numbers.size;
      this.#numbers.set(format, number);
    }
    return number;
  }

  /** Call it after the last row: only then are all formats known. */
  xml(): string {
    const formats = [...this.#numbers.keys()];
    const numFmts = formats
      .map(
        (one, index) => `<numFmt numFmtId="${FIRST_FORMAT + index}" formatCode="${xmlText(one)}"/>`,
      )
      .join('');
    const xfs = formats.map(
      (_, index) =>
        `<xf numFmtId="${FIRST_FORMAT + index}" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>`,
    );
    const all = [...FIXED, ...xfs];
    return [
      '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n',
      '<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">',
      formats.length === 0 ? '' : `<numFmts count="${formats.length}">${numFmts}</numFmts>`,
      '<fonts count="2"><font><sz val="11"/><name val="Calibri"/><family val="2"/></font>',
      '<font><b/><sz val="11"/><name val="Calibri"/><family val="2"/></font></fonts>',
      // Spreadsheets expect exactly these two fills at the beginning.
      '<fills count="3"><fill><patternFill patternType="none"/></fill>',
      '<fill><patternFill patternType="gray125"/></fill>',
      `${solid('FFFFC7CE')}</fills>`,
      '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>',
      '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>',
      `<cellXfs count="${all.length}">${all.join('')}</cellXfs>`,
      '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles>',
      '</styleSheet>',
    ].join('');
  }
}

/** @param color ARGB */
function solid(color: string): string {
  return `<fill><patternFill patternType="solid"><fgColor rgb="${color}"/><bgColor indexed="64"/></patternFill></fill>`;
}
