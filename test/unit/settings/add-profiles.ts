import process from 'node:process';
import { updateConfig } from '../../../src/settings/store.ts';

/** A process of its own: adds profiles `NAME-0` … `NAME-<count - 1>`, one write each. */
const [name, count] = process.argv.slice(2);
for (let index = 0; index < Number(count); index++) {
  await updateConfig(process.env, (draft) => {
    draft.profiles ??= {};
    draft.profiles[`${name}-${index}`] = { environments: {} };
  });
}
