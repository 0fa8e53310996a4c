/** Questions about the columns of a file. Names of fields and columns stay as they are. */
export const columnMessages = {
  which: (field: string) => `Which column fills ${field}?`,
  none: 'None: stop',
  empty: 'empty',
  again: (command: string) => `To skip these questions next time, run: ${command}`,
};

/** Questions about which decimal mark a file has, and which duplicate stays. */
export const placeMessages = {
  row: (row: number) => `row ${row}`,
  whichNumber: (field: string, text: string) => `Which number is ${text} in ${field}?`,
  grouped: (number: string, mark: string) =>
    `${number} (the ${mark === '.' ? 'point' : 'comma'} groups thousands)`,
  divided: (number: string, mark: string) =>
    `${number} (the ${mark === '.' ? 'point' : 'comma'} is the decimal mark)`,
  eachItself: 'Neither: reject such rows',
  differ: (key: string, rows: string, last: number) =>
    `${key} is in rows ${rows} and ${last}, which differ:`,
  whichDuplicate: (key: string, left: number) =>
    `Which row of ${key} is created?${left === 0 ? '' : ` (${left} more like it)`}`,
  allFirst: 'The first row, also for all that follow',
  allLast: 'The last row, also for all that follow',
  stop: 'Stop: create nothing',
  empty: '(empty)',
};
