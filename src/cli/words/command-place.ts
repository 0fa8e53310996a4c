import type { CommandSpec, FlagSpecs } from '../../core/command-spec.ts';
import { GLOBAL_FLAGS } from '../flags/globals.ts';
import { HELP_NOUN, NOUNS, type Noun } from '../registry.ts';
import { verbSynonyms } from './verb-synonyms.ts';

/** Where the words of a command line lead: the root, a noun, a group or a command. */
export interface Place {
  /** Without aliases: `proc`, `proc orders`, `proc orders list`. */
  readonly name: string;
  readonly flags: FlagSpecs;
  readonly below: ReadonlyMap<string, () => Promise<Place>>;
  readonly spec?: CommandSpec | undefined;
}

const NOTHING_BELOW: Place['below'] = new Map();

export const ROOT: Place = {
  name: 'proc',
  flags: { version: { kind: 'boolean', short: 'V', doc: 'the version of proc' }, ...GLOBAL_FLAGS },
  below: new Map([
    ...NOUNS.flatMap((noun) => {
      const open = () => nounPlace(noun);
      const words = noun.alias === undefined ? [noun.name] : [noun.name, noun.alias];
      return words.map((word) => [word, open] as const);
    }),
    [
      HELP_NOUN.name,
      async () => ({ name: 'proc help', flags: HELP_NOUN.flags, below: NOTHING_BELOW }),
    ],
  ]),
};

async function nounPlace(noun: Noun): Promise<Place> {
  const specs = (await noun.load()).filter(({ path }) => path[0] === noun.name);
  return placeAt([noun.name], specs);
}

function placeAt(words: readonly string[], specs: readonly CommandSpec[]): Place {
  const own = specs.find(({ path }) => path.length === words.length);
  const below = new Map<string, () => Promise<Place>>();
  for (const { path } of specs) {
    const next = path[words.length];
    if (next === undefined) continue;
    const inside = specs.filter((one) => one.path[words.length] === next);
    below.set(next, async () => placeAt([...words, next], inside));
  }
  for (const [word, verb] of verbSynonyms(words, specs)) below.set(word, below.get(verb)!);
  return { name: ['proc', ...words].join(' '), flags: own?.flags ?? {}, below, spec: own };
}
