import { ProcError } from '../../../core/errors.ts';
import { joinPath } from '../../../core/text/strict-json.ts';
import type { Survey } from './json-survey.ts';

/**
 * Parses `--path`: field names separated by dots. A name that contains a dot is in double quotes.
 */
export function parsePath(text: string): readonly string[] {
  const names: string[] = [];
  const segment = /(?:"((?:[^"\\]|\\.)*)"|([^".]+))(\.|$)/y;
  for (;;) {
    const match = segment.exec(text);
    if (match === null) {
      throw new ProcError(
        'invalid_usage',
        `--path ${text}: expected field names separated by dots`,
        {
          hint: 'Use e.g. --path products or --path data.items',
        },
      );
    }
    names.push(match[1] === undefined ? match[2]! : (JSON.parse(`"${match[1]}"`) as string));
    if (match[3] === '') return names;
  }
}

export function showPath(path: readonly string[]): string {
  return path.reduce<string>((whole, name) => joinPath(whole, name), '');
}

/**
 * Chooses the only array of objects at the top level, or else the only empty array. Returns
 * undefined if the object is itself a record.
 *
 * @param recordFields an object that has all of these is a record, whatever else it contains
 */
export function chooseArray(
  survey: Survey,
  name: string,
  recordFields: readonly string[] | undefined,
): readonly string[] | undefined {
  const names = survey.fields.map((field) => field.name);
  if (recordFields?.every((field) => names.includes(field)) === true) return undefined;
  const arrays = survey.fields.filter(({ holds }) => holds === 'objects');
  const candidates =
    arrays.length > 0 ? arrays : survey.fields.filter(({ holds }) => holds === 'empty array');
  if (candidates.length === 1) return [candidates[0]!.name];
  if (arrays.length > 1) {
    const paths = arrays.map((field) => showPath([field.name]));
    throw new ProcError(
      'invalid_input',
      `${name} contains ${arrays.length} arrays of objects: ${paths.join(', ')}`,
      { hint: `Choose the one with the records: --path ${paths[0]}`, details: { paths } },
    );
  }
  if (survey.fields.some(({ holds }) => holds === 'plain value')) return undefined;
  throw new ProcError(
    'invalid_input',
    `${name} is a JSON object without an array of objects at its top level` +
      (names.length === 0
        ? ''
        : `; its fields: ${names
            .slice(0, 10)
            .map((one) => showPath([one]))
            .join(', ')}`),
    { hint: 'If the array is nested, give its path, e.g. --path data.items' },
  );
}
