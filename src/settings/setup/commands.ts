import { DEFAULT_DIALECT } from '../../client/dialect.ts';
import { type CommandSpec, type Context, command } from '../../core/command.ts';
import { ProcError } from '../../core/errors.ts';
import { EXIT } from '../../core/exit-codes.ts';
import type { Credential } from '../../core/ports.ts';
import type { SettingsMessages } from '../../messages/settings.ts';
import { listSectors } from '../../resources/sectors/api.ts';
import type { Prompts } from '../../terminal/prompts.ts';
import { messagesFor, requireTerminal } from '../asking.ts';
import { type BaseUrl, parseBaseUrl, withVersion } from '../base-url.ts';
import { addEnvironment, refuseSharedKey } from '../edits.ts';
import { environmentNames, hasProfile } from '../lookup.ts';
import { newName } from '../names.ts';
import type { EnvironmentSettings } from '../schema.ts';
import { askedApiKey } from '../secret-input.ts';

interface Guide {
  readonly ctx: Context;
  readonly prompts: Prompts;
  readonly words: SettingsMessages['setup'];
}

const setup = command({
  path: ['setup'],
  summary: 'Set up a profile, guided: name, address, key, check',
  examples: [
    { run: 'proc setup', doc: 'On a terminal' },
    { run: 'proc setup --lang es', doc: 'In Spanish' },
  ],
  exitCodes: [3],
  endpoints: [listSectors],
  async handler(_input, ctx) {
    requireTerminal(
      ctx,
      'setup',
      'Use instead: proc profile add NAME -e ENV --base-url URL --api-key-stdin < key.txt',
    );
    const words = (await messagesFor(ctx)).setup;
    const guide: Guide = { ctx, prompts: await ctx.prompts(), words };
    ctx.say({ kind: 'notice', text: words.welcome });
    const profile = await askProfile(guide);
    const environments: string[] = [];
    let isCurrent = false;
    do {
      const saved = await setUpEnvironment(guide, profile);
      if (saved !== undefined) environments.push(saved.environment);
      isCurrent ||= saved?.isCurrent ?? false;
    } while (await guide.prompts.confirm(words.another, false));
    if (environments.length === 0) return { kind: 'none' };
    if (!isCurrent && (await guide.prompts.confirm(words.makeCurrent(profile), true))) {
      await (await ctx.settings()).update((draft) => {
        draft.profile = profile;
      });
    }
    ctx.say({ kind: 'notice', text: words.done(profile) });
    return { kind: 'record', value: { profile, environments }, idField: 'profile' };
  },
});

async function askProfile({ ctx, prompts, words }: Guide): Promise<string> {
  for (;;) {
    const typed = await prompts.input(words.name, withDefault(ctx.globals.profile));
    const name = await accepted(ctx, () => newName(typed, 'profile'));
    if (name === undefined) continue;
    const exists = hasProfile((await ctx.settings()).config(), name);
    if (!exists || (await prompts.confirm(words.existing(name), true))) return name;
  }
}

/** One environment, asked, tried and saved; undefined where it failed the check and was given up. */
async function setUpEnvironment(
  guide: Guide,
  profile: string,
): Promise<{ environment: string; isCurrent: boolean } | undefined> {
  const { ctx, prompts, words } = guide;
  const environment = await askEnvironment(guide, profile);
  const url = await askUrl(guide, environment);
  const credential = await askKey(guide, profile, url);
  if (credential !== undefined && !(await isWorking(guide, url, credential))) {
    if (!(await prompts.confirm(words.saveAnyway, false))) return undefined;
  }
  const settings: EnvironmentSettings = { baseUrl: url.href };
  if (credential !== undefined) settings.credential = { ...credential, origin: url.origin };
  let isCurrent = false;
  await (await ctx.settings()).update((draft) => {
    isCurrent = addEnvironment(draft, profile, environment, settings);
  });
  return { environment, isCurrent };
}

async function askEnvironment({ ctx, prompts, words }: Guide, profile: string): Promise<string> {
  const taken = environmentNames((await ctx.settings()).config(), profile);
  const free = ['production', 'staging', 'local'].filter((name) => !taken.includes(name));
  const other = ' ';
  const choice = await prompts.select(words.environment, [
    ...free.map((name) => ({ value: name, name })),
    { value: other, name: words.otherEnvironment },
  ]);
  if (choice !== other) return choice;
  for (;;) {
    const typed = await prompts.input(words.environmentName, withDefault(ctx.globals.env));
    const name = await accepted(ctx, () => {
      const checked = newName(typed, 'environment');
      if (!taken.includes(checked)) return checked;
      throw new ProcError('invalid_usage', `${profile}/${checked} exists already`);
    });
    if (name !== undefined) return name;
  }
}

async function askUrl({ ctx, prompts, words }: Guide, environment: string): Promise<BaseUrl> {
  for (;;) {
    const typed = await prompts.input(words.url(environment));
    const url = await accepted(ctx, () => {
      const parsed = parseBaseUrl(typed, 'Base URL', 'invalid_usage');
      if (!parsed.isPlainHttp || parsed.isLoopback) return parsed;
      throw new ProcError('insecure_url', 'Plain http would send the key unencrypted', {
        hint: 'Use https (or, outside of setup: proc profile add and proc profile set allowHttp=true)',
      });
    });
    if (url === undefined) continue;
    const proposed = withVersion(url);
    if (proposed === undefined) return url;
    const isTaken = await prompts.confirm(words.addVersion(proposed), true);
    return isTaken ? parseBaseUrl(proposed, 'Base URL') : url;
  }
}

async function askKey(
  guide: Guide,
  profile: string,
  url: BaseUrl,
): Promise<Credential | undefined> {
  const { ctx, words } = guide;
  for (;;) {
    const credential = await askedApiKey(ctx, words.key(url.origin));
    if (credential === undefined) return undefined;
    const config = (await ctx.settings()).config();
    const checked = await accepted(ctx, () => {
      refuseSharedKey(config, profile, credential);
      return credential;
    });
    if (checked !== undefined) return checked;
  }
}

/** One harmless read (docs/service-contract.md §4 row 11) with what was typed, before it is saved. */
async function isWorking(guide: Guide, url: BaseUrl, credential: Credential): Promise<boolean> {
  const { ctx, words } = guide;
  ctx.say({ kind: 'notice', text: words.checking(url.origin) });
  try {
    const target = {
      profile: undefined,
      environment: undefined,
      baseUrl: url.href,
      credential,
      isProtected: false,
      allowHttp: false,
      dialect: () => DEFAULT_DIALECT,
    };
    await ctx.callAt(target, listSectors, {});
    ctx.say({ kind: 'notice', text: words.checked });
    return true;
  } catch (thrown) {
    warn(ctx, thrown);
    return false;
  }
}

function withDefault(text: string | undefined): { default?: string } {
  return text === undefined ? {} : { default: text };
}

/** What `work` gives, or a warning and undefined where the user had better answer again. */
async function accepted<T>(ctx: Context, work: () => T): Promise<T | undefined> {
  try {
    return work();
  } catch (thrown) {
    warn(ctx, thrown);
    return undefined;
  }
}

function warn(ctx: Context, thrown: unknown): void {
  if (!(thrown instanceof ProcError) || thrown.exitCode >= EXIT.interrupted) throw thrown;
  const hint = thrown.hint === undefined ? '' : ` ${thrown.hint}`;
  ctx.say({ kind: 'warning', text: `${thrown.message}.${hint}` });
}

export const setupCommands: readonly CommandSpec[] = [setup];
