import type { ByteSource } from '../bytes/byte-source.ts';
import { MAX_COLUMNS } from '../bytes/limits.ts';
import { Window } from '../bytes/window.ts';
import { EndsInTheMiddle, JsonWalker } from './json-walker.ts';

/** What the outermost object of a document holds. */
export interface Survey {
  /** Its fields, in order. */
  readonly fields: readonly SurveyedField[];
  /** `more`: another value comes after the object. */
  readonly end: 'whole' | 'middle' | 'more';
  /** The object lies on one line. */
  readonly oneLine: boolean;
}

interface SurveyedField {
  readonly name: string;
  readonly holds: 'objects' | 'empty array' | 'other array' | 'object' | 'plain value';
}

/** Looks through a document that starts with `{`, all of it. Throws `invalid_input`. */
export async function survey(source: ByteSource, name: string): Promise<Survey> {
  const walker = new JsonWalker(new Window(source), name);
  const fields: SurveyedField[] = [];
  await walker.peek();
  const firstLine = walker.scanner.lines;
  try {
    await walker.expect('{');
    if (!(await walker.take('}'))) {
      do {
        const field = await walker.name();
        fields.push({ name: field, holds: await kindOf(walker) });
        if (fields.length > MAX_COLUMNS) throw walker.broken(`more than ${MAX_COLUMNS} fields`);
      } while (await walker.take(','));
      await walker.expect('}');
    }
  } catch (thrown) {
    if (!(thrown instanceof EndsInTheMiddle)) throw thrown;
    return { fields, end: 'middle', oneLine: walker.scanner.lines === firstLine };
  }
  const oneLine = walker.scanner.lines === firstLine;
  const more = (await walker.peek()) !== '';
  return { fields, end: more ? 'more' : 'whole', oneLine };
}

/** Tells the kind of the next value and passes over it. */
async function kindOf(walker: JsonWalker): Promise<SurveyedField['holds']> {
  const first = await walker.peek();
  let kind: SurveyedField['holds'] = first === '{' ? 'object' : 'plain value';
  if (await walker.take('[')) {
    const inner = await walker.peek();
    kind = inner === '{' ? 'objects' : inner === ']' ? 'empty array' : 'other array';
    try {
      await walker.skipRest();
    } catch (thrown) {
      // An array that is cut off still tells where the records are; reading it will say the rest.
      if (!(thrown instanceof EndsInTheMiddle)) throw thrown;
    }
  } else if (!(await walker.skipValue())) throw new EndsInTheMiddle();
  return kind;
}
