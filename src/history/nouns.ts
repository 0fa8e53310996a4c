import { nounOf } from '../core/endpoint.ts';
import { ProcError } from '../core/errors.ts';
import { nearest } from '../core/text/nearest.ts';
import { ENDPOINTS } from '../nouns/endpoints.ts';

/**
 * The noun as stored in the history, from singular or plural: `requisition` → `requisitions`.
 *
 * @throws ProcError `invalid_usage`
 */
export function knownNoun(typed: string): string {
  const nouns = [
    ...new Set(ENDPOINTS.filter(({ method }) => method !== 'GET').map((spec) => nounOf(spec))),
  ];
  const wanted = typed.toLowerCase();
  const found = nouns.find((noun) => noun === wanted || singular(noun) === wanted);
  if (found !== undefined) return found;
  const near = nearest(wanted, nouns);
  throw new ProcError('invalid_usage', `--noun "${typed}": there are no writes with this noun`, {
    hint: near === undefined ? `Use one of: ${nouns.join(', ')}` : `Did you mean ${near}?`,
  });
}

function singular(noun: string): string {
  return noun.replace(/(?<=ss)es$|s$/, '');
}
