import { parseArgs } from 'node:util';
import { explore, type Protocol } from './explore.ts';
import {
  loadSharedVariant,
  loadVariant,
  MACHINES,
  ONE_MACHINE,
  SHARED_VARIANTS,
  VARIANTS,
  type Variant,
} from './variants.ts';

// Explores every interleaving of two processes, for services with a list and without one; with `--shared`, of two
// machines that share a ledger.
const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '2' },
    crashes: { type: 'string', default: '1' },
    'lost-locks': { type: 'string', default: '0' },
    'lost-files': { type: 'string', default: '0' },
    shared: { type: 'boolean', default: false },
    losses: { type: 'string', default: '0' },
    expiries: { type: 'string', default: '0' },
    variants: { type: 'boolean', default: false },
  },
});
const crashes = Number(values.crashes);

async function play<World, Setting extends { readonly isListable: boolean }>(
  protocol: Protocol<World, Setting>,
  setting: Omit<Setting, 'isListable'>,
  variants: readonly Variant[],
  load: (variant: Variant) => Promise<Protocol<World, Setting>>,
): Promise<void> {
  for (const variant of [undefined, ...(values.variants ? variants : [])]) {
    for (const isListable of [false, true]) {
      const explored = variant === undefined ? protocol : await load(variant);
      const began = performance.now();
      const all = { ...setting, isListable } as Setting;
      const { states, failure } = explore(explored, Number(values.rows), all);
      const seconds = ((performance.now() - began) / 1000).toFixed(1);
      const name = variant === undefined ? 'the protocol' : `without "${variant.breaks}"`;
      const list = isListable ? 'a list' : 'no list';
      const outcome = failure === undefined ? 'every promise holds' : `breaks: ${failure.promise}`;
      process.stdout.write(`${name}, ${list}: ${states} states, ${seconds} s, ${outcome}\n`);
      for (const step of failure?.story ?? []) process.stdout.write(`  ${step}\n`);
      if (variant === undefined && failure !== undefined) process.exitCode = 1;
    }
  }
}

if (values.shared) {
  const [losses, expiries] = [Number(values.losses), Number(values.expiries)];
  const setting = { crashes, losses, expiries, suspends: false };
  await play(MACHINES, setting, SHARED_VARIANTS, loadSharedVariant);
} else {
  const [lostLocks, lostFiles] = [Number(values['lost-locks']), Number(values['lost-files'])];
  const setting = { crashes, lostLocks, lostFiles };
  await play(ONE_MACHINE, setting, VARIANTS, loadVariant);
}
