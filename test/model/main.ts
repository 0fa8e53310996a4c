import { parseArgs } from 'node:util';
import { explore } from './explore.ts';
import { loadVariant, NIGHTLY, PROTOCOL, SETTINGS, VARIANTS } from './variants.ts';

// Explores every order of the steps of two processes; with `--whole`, also with more misfortunes; with `--variants`,
// the protocol without one of its rules, and the shortest story of the promise that breaks.
const { values } = parseArgs({
  options: {
    whole: { type: 'boolean', default: false },
    variants: { type: 'boolean', default: false },
  },
});

const write = (text: string) => process.stdout.write(`${text}\n`);
let all = 0;
for (const [name, setting] of Object.entries({ ...SETTINGS, ...(values.whole ? NIGHTLY : {}) })) {
  const began = performance.now();
  const { states, failure } = explore(PROTOCOL, setting);
  all += states;
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  write(`${name}: ${states} states, ${seconds} s, ${failure?.promise ?? 'every promise holds'}`);
  for (const step of failure?.story ?? []) write(`  ${step}`);
  if (failure !== undefined) process.exitCode = 1;
}
write(`${all} states`);
for (const variant of values.variants ? VARIANTS : []) {
  const { failure } = explore(await loadVariant(variant), SETTINGS[variant.in]);
  write(
    `without "${variant.breaks}" (${variant.in}): ${failure?.promise ?? 'every promise holds'}`,
  );
  for (const step of failure?.story ?? []) write(`  ${step}`);
}
