import { ProcError } from '../errors.ts';
import { MAX_DEPTH } from './strict-json.ts';

/** Far more than anybody types. The time to read an expression grows with the square of its length. */
const MAX_CHARACTERS = 4_000;

/**
 * Refuses an expression that would take too long or overflow the stack.
 *
 * @param place what the message calls the expression: `--query`
 * @throws ProcError `invalid_usage`
 */
export function checkExpression(expression: string, place: string): void {
  if (expression.length > MAX_CHARACTERS) {
    throw new ProcError(
      'invalid_usage',
      `${place} is ${expression.length} characters long, the maximum is ${MAX_CHARACTERS}`,
      { hint: 'Shorten it, or filter the output with another program: … -o json | jq' },
    );
  }
  let depth = 0;
  for (const character of expression) {
    if ('([{'.includes(character)) depth++;
    else if (')]}'.includes(character)) depth--;
    if (depth > MAX_DEPTH) {
      throw new ProcError('invalid_usage', `${place} is nested deeper than ${MAX_DEPTH} levels`, {
        hint: 'Simplify it, or filter the output with another program: … -o json | jq',
      });
    }
  }
}
