import { describe, it } from 'vitest';
import { checkFile } from '../support/check-not-data.ts';
import { DOUBTFUL_FILES } from '../support/not-data-files.ts';

/** `test/nightly/not-data-workbooks.test.ts` imports the tables among them from LibreOffice. */
describe('a file of which not all is data, by SQL', () => {
  it.each(DOUBTFUL_FILES.map((one) => [`${one.noun}: ${one.title}`, one] as const))(
    '%s',
    (_, one) => checkFile(one, one.name ?? 'table.csv', one.content),
  );
});
