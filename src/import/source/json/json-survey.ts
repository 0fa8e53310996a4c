import type { ByteSource } from '../bytes/byte-source.ts';
import { MAX_COLUMNS } from '../bytes/limits.ts';
import { Window } from '../bytes/window.ts';
import { JsonWalker, UnexpectedEnd } from './json-walker.ts';

export interface Survey {
  readonly fields: readonly SurveyedField[];
  /** `middle`: the source ends within the object. `more`: another value follows the object. */
  readonly end: 'whole' | 'middle' | 'more';
  readonly oneLine: boolean;
}

interface SurveyedField {
  readonly name: string;
  readonly holds: 'objects' | 'empty array' | 'other array' | 'object' | 'plain value';
}

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
        if (fields.length > MAX_COLUMNS)
          throw walker.broken({ code: 'json_many_fields', args: { most: MAX_COLUMNS } });
      } while (await walker.take(','));
      await walker.expect('}');
    }
  } catch (thrown) {
    if (!(thrown instanceof UnexpectedEnd)) throw thrown;
    return { fields, end: 'middle', oneLine: walker.scanner.lines === firstLine };
  }
  const oneLine = walker.scanner.lines === firstLine;
  const more = (await walker.peek()) !== '';
  return { fields, end: more ? 'more' : 'whole', oneLine };
}

/** Detects the kind of the next value, and skips the value. */
async function kindOf(walker: JsonWalker): Promise<SurveyedField['holds']> {
  const first = await walker.peek();
  let kind: SurveyedField['holds'] = first === '{' ? 'object' : 'plain value';
  if (await walker.take('[')) {
    const inner = await walker.peek();
    kind = inner === '{' ? 'objects' : inner === ']' ? 'empty array' : 'other array';
    try {
      await walker.skipRest();
    } catch (thrown) {
      // An incomplete array is good enough here: the reader of its rows reports the problem.
      if (!(thrown instanceof UnexpectedEnd)) throw thrown;
    }
  } else if (!(await walker.skipValue())) throw new UnexpectedEnd();
  return kind;
}
