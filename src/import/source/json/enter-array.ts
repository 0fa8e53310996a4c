import { ProcError } from '../../../core/errors.ts';
import { nearest } from '../../../core/text/nearest.ts';
import { showPath } from './json-path.ts';
import { type JsonWalker, UnexpectedEnd } from './json-walker.ts';

export async function enterArray(
  walker: JsonWalker,
  path: readonly string[],
  name: string,
): Promise<void> {
  try {
    for (const [depth, wanted] of path.entries()) {
      if (!(await walker.take('{'))) throw noArray(name, path.slice(0, depth), 'no object', []);
      const seen: string[] = [];
      let more = (await walker.peek()) !== '}';
      for (let found = ''; found !== wanted; seen.push(found)) {
        if (!more) throw noArray(name, path.slice(0, depth + 1), 'nothing', seen);
        found = await walker.name();
        if (found === wanted) break;
        if (!(await walker.skipValue())) throw new UnexpectedEnd();
        more = await walker.take(',');
      }
    }
    if (!(await walker.take('['))) throw noArray(name, path, 'no array', []);
  } catch (thrown) {
    if (!(thrown instanceof UnexpectedEnd)) throw thrown;
    throw new ProcError(
      'invalid_input',
      `${name} ends before the array at ${showPath(path)} starts`,
    );
  }
}

function noArray(
  name: string,
  path: readonly string[],
  found: string,
  seen: readonly string[],
): ProcError {
  const near = nearest(path.at(-1) ?? '', seen);
  return new ProcError(
    'invalid_input',
    `${name} has ${found} at ${path.length === 0 ? 'its top level' : showPath(path)}`,
    {
      hint:
        near !== undefined
          ? `Did you mean --path ${showPath([...path.slice(0, -1), near])}?`
          : seen.length > 0
            ? `Fields there: ${seen
                .slice(0, 10)
                .map((one) => showPath([one]))
                .join(', ')}`
            : undefined,
    },
  );
}
