import type { ByteSource } from '../bytes/byte-source.ts';
import { Window } from '../bytes/window.ts';
import { JsonWalker } from './json-walker.ts';

const MOST_DEPTH = 6;
const MOST_PATHS = 10;

/** The paths of the first arrays of objects in a document, also below its top level. */
export async function nestedArrays(
  source: ByteSource,
  name: string,
): Promise<readonly (readonly string[])[]> {
  const walker = new JsonWalker(new Window(source), name);
  const found: (readonly string[])[] = [];
  try {
    if ((await walker.peek()) === '{') await collect(walker, [], found);
  } catch {
    // The paths found so far help even if the document is damaged further on.
  }
  return found;
}

async function collect(
  walker: JsonWalker,
  path: readonly string[],
  found: (readonly string[])[],
): Promise<void> {
  await walker.expect('{');
  if (await walker.take('}')) return;
  do {
    const own = [...path, await walker.name()];
    const first = await walker.peek();
    if (first === '{' && own.length < MOST_DEPTH) await collect(walker, own, found);
    else if (await walker.take('[')) {
      if ((await walker.peek()) === '{' && found.length < MOST_PATHS) found.push(own);
      await walker.skipRest();
    } else await walker.skipValue();
  } while (await walker.take(','));
  await walker.expect('}');
}
