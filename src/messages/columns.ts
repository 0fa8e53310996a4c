/** Questions about the columns of a file. Names of fields and columns stay as they are. */
export const columnMessages = {
  which: (field: string, at: number, all: number) =>
    `Which column fills ${field}? (${at} of ${all})`,
  none: 'None: leave it empty',
  rest: 'None for this field or the fields after it',
  back: (field: string) => `Back to ${field}`,
  empty: 'empty',
  taken: (field: string) => `fills ${field}`,
  use: (count: number): string =>
    count === 0 ? 'No column is used. Continue without any?' : 'Use these columns?',
  again: (command: string) => `To skip these questions next time, run: ${command}`,
};

/** Questions about where the records of a file are, which decimal mark it has, and which duplicate stays. */
export const placeMessages = {
  whichRow: 'Which row is the header?',
  whichSheet: 'Which sheet has the rows?',
  whichPath: 'Where are the records?',
  whichGroup: 'Which column holds the requisition? Rows with the same value form one.',
  whichDelivery: (column: string) => `The lines seem to be in ${column}. How are they delivered?`,
  whichValue: (field: string) => `No column fills ${field}. What is it in all of them?`,
  row: (row: number) => `row ${row}`,
  sheet: (name: string) => `sheet ${name}`,
  none: 'None of these: stop',
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
