/** One position on the screen. */
export interface Cell {
  readonly text: string;
  readonly style: CellStyle;
}

export interface CellStyle {
  readonly bold?: true;
  readonly dim?: true;
  /** 0 to 7: black, red, green, yellow, blue, magenta, cyan, white. */
  readonly color?: number;
}

const PLAIN: CellStyle = {};
const BLANK: Cell = { text: ' ', style: PLAIN };

/** The text that a terminal shows after these bytes. */
export function screenOf(bytes: string, columns: number): string {
  return cellsOf(bytes, columns)
    .map((cells) =>
      cells
        .map(({ text }) => text)
        .join('')
        .trimEnd(),
    )
    .join('\n');
}

/**
 * The rows that a terminal shows after these bytes. Handles what proc uses: cursor movement, erasing, wrapping,
 * bold, dim and eight colours.
 */
export function cellsOf(bytes: string, columns: number): Cell[][] {
  const rows: Cell[][] = [[]];
  let row = 0;
  let column = 0;
  let style = PLAIN;
  const line = (): Cell[] => {
    while (rows.length <= row) rows.push([]);
    return rows[row]!;
  };
  const pattern = /\u001b\[([\d;?]*)([A-Za-z])|\u001b[78=>]|[\s\S]/gu;
  for (const [token, parameters = '', final] of bytes.matchAll(pattern)) {
    const count = Math.max(1, Number(parameters) || 1);
    if (final === undefined) {
      if (token === '\r') column = 0;
      else if (token === '\n') row++;
      else if (token === '\b') column = Math.max(0, column - 1);
      else if (token >= ' ') {
        if (column >= columns) {
          row++;
          column = 0;
        }
        const cells = line();
        while (cells.length < column) cells.push(BLANK);
        cells[column++] = { text: token, style };
      }
    } else if (final === 'A') row = Math.max(0, row - count);
    else if (final === 'B') row += count;
    else if (final === 'C') column += count;
    else if (final === 'D') column = Math.max(0, column - count);
    else if (final === 'G') column = count - 1;
    else if (final === 'K') {
      if (parameters === '2') rows[row] = [];
      else line().length = Math.min(line().length, column);
    } else if (final === 'J') {
      line().length = Math.min(line().length, column);
      rows.length = Math.min(rows.length, row + 1);
    } else if (final === 'm') {
      for (const code of parameters.split(';')) style = restyled(style, Number(code));
    }
  }
  return rows;
}

function restyled(style: CellStyle, code: number): CellStyle {
  const { bold, dim, color } = style;
  if (code === 0) return PLAIN;
  if (code === 1) return { ...style, bold: true };
  if (code === 2) return { ...style, dim: true };
  if (code === 22) return color === undefined ? PLAIN : { color };
  if (code >= 30 && code <= 37) return { ...style, color: code - 30 };
  if (code === 39) return { ...(bold && { bold }), ...(dim && { dim }) };
  return style;
}
