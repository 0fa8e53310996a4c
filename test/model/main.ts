import { parseArgs } from 'node:util';
import { explore } from './explore.ts';
import * as protocol from './protocol.ts';
import { loadVariant, VARIANTS } from './variants.ts';

// Explores every interleaving of two processes, for services with a list and without one.
const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '2' },
    crashes: { type: 'string', default: '1' },
    'lost-locks': { type: 'string', default: '0' },
    variants: { type: 'boolean', default: false },
  },
});
const setting = { crashes: Number(values.crashes), lostLocks: Number(values['lost-locks']) };

for (const variant of [undefined, ...(values.variants ? VARIANTS : [])]) {
  for (const isListable of [false, true]) {
    const explored = variant === undefined ? protocol : await loadVariant(variant);
    const began = performance.now();
    const { states, failure } = explore(explored, Number(values.rows), { isListable, ...setting });
    const seconds = ((performance.now() - began) / 1000).toFixed(1);
    const name = variant === undefined ? 'the protocol' : `without "${variant.breaks}"`;
    const list = isListable ? 'a list' : 'no list';
    const outcome = failure === undefined ? 'every promise holds' : `breaks: ${failure.promise}`;
    process.stdout.write(`${name}, ${list}: ${states} states, ${seconds} s, ${outcome}\n`);
    for (const step of failure?.story ?? []) process.stdout.write(`  ${step}\n`);
    if (variant === undefined && failure !== undefined) process.exitCode = 1;
  }
}
