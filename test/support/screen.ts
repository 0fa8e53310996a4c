/**
 * What a terminal shows after the bytes that it received: enough of a terminal for what prompts
 * draw (cursor movement, erasing, wrapping). Colours and modes are left out.
 */
export function screenOf(bytes: string, columns: number): string {
  const rows: string[][] = [[]];
  let row = 0;
  let column = 0;
  const line = (): string[] => {
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
        while (cells.length < column) cells.push(' ');
        cells[column++] = token;
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
    }
  }
  return rows.map((cells) => cells.join('').trimEnd()).join('\n');
}
