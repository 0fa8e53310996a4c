import { DEFAULT_DIALECT } from '../../client/dialect.ts';
import { type Context, command } from '../../core/command.ts';
import { isSignalled, ProcError } from '../../core/errors.ts';
import type { Credential } from '../../core/ports.ts';
import type { Result } from '../../core/result.ts';
import { inShell } from '../../core/text/typed.ts';
import type { SettingsMessages } from '../../messages/settings.ts';
import { listSectors } from '../../nouns/sectors/api.ts';
import type { Prompts } from '../../terminal/prompts.ts';
import { messagesFor, requireTerminal } from '../credential/require-terminal.ts';
import { askedApiKey } from '../credential/secret-input.ts';
import { type BaseUrl, parseBaseUrl, withVersion } from '../read/base-url.ts';
import type { Config, EnvironmentSettings } from '../read/config-schema.ts';
import { environmentNames, hasProfile } from '../read/lookup.ts';
import { newName } from '../read/names.ts';
import { addEnvironment, refuseSharedKey } from '../write/edits.ts';
import { defaultOf } from './profile/profile-rows.ts';

/** An environment that was saved, and what is known of it. */
interface Saved {
  readonly environment: string;
  readonly hasKey: boolean;
  readonly isCurrent: boolean;
}

interface Guide {
  readonly ctx: Context;
  readonly prompts: Prompts;
  readonly words: SettingsMessages['setup'];
  readonly saved: Saved[];
}

export const setup = command({
  path: ['setup'],
  changes: 'local',
  prints: 'record',
  summary: 'Set up a profile, guided: name, address, key, check',
  examples: [
    { run: 'proc setup', doc: 'On a terminal' },
    { run: 'proc setup --lang es', doc: 'In Spanish' },
  ],
  exitCodes: [3],
  endpoints: [listSectors],
  async plan(_input, ctx) {
    requireTerminal(
      ctx,
      'setup',
      'Use instead: proc profile add NAME -e ENV --base-url URL --api-key-stdin < key.txt',
    );
    const words = (await messagesFor(ctx)).setup;
    const guide: Guide = { ctx, prompts: await ctx.prompts(), words, saved: [] };
    return { would: () => guided(guide), apply: () => guided(guide) };
  },
});

async function guided(guide: Guide): Promise<Result> {
  const { ctx, prompts, words, saved } = guide;
  ctx.say({ kind: 'notice', text: words.welcome });
  let profile: string | undefined;
  try {
    profile = await askProfile(guide);
    do await setUpEnvironment(guide, profile);
    while (await prompts.confirm(words.another, false));
    if (saved.length === 0) return { kind: 'none' };
    const isCurrent = saved.some((one) => one.isCurrent);
    const name = profile;
    if (!isCurrent && (await prompts.confirm(words.makeCurrent(name), true))) {
      await keep(ctx, (draft) => {
        draft.profile = name;
      });
    }
  } catch (thrown) {
    ctx.say({ kind: 'notice', text: whatIsStored(guide, profile) });
    throw thrown;
  }
  if (!ctx.previewing) {
    ctx.say({ kind: 'notice', text: words.done(await nextCommand(guide, profile)) });
  }
  const environments = saved.map(({ environment }) => environment);
  return { kind: 'record', value: { profile, environments }, idField: 'profile' };
}

/** Writes the change, or under `--dry-run` only checks it. */
async function keep(ctx: Context, change: (draft: Config) => void): Promise<void> {
  const settings = await ctx.settings();
  if (ctx.previewing) settings.preview(change);
  else await settings.update(change);
}

/** What whoever leaves halfway should know. */
function whatIsStored({ ctx, words, saved }: Guide, profile: string | undefined): string {
  if (saved.length === 0 || ctx.previewing) return words.leftNothing;
  const names = saved.map(
    ({ environment, hasKey }) =>
      `${profile}/${environment} (${hasKey ? words.withKey : words.withoutKey})`,
  );
  return words.left(names.join(', '));
}

/** A command that works with what was saved: it needs a key, and an environment where there are several. */
async function nextCommand({ ctx, saved }: Guide, profile: string): Promise<string> {
  const usual = defaultOf((await ctx.settings()).config(), profile);
  const ready = saved.find(({ hasKey }) => hasKey);
  const environment = (ready ?? saved[0]!).environment;
  if (ready === undefined)
    return `proc auth login -p ${inShell(profile)} -e ${inShell(environment)}`;
  const flags = usual === environment ? '' : ` -e ${inShell(environment)}`;
  return `proc orders list -p ${inShell(profile)}${flags}`;
}

async function askProfile({ ctx, prompts, words }: Guide): Promise<string> {
  for (;;) {
    const typed = await prompts.input(words.name, withDefault(ctx.globals.profile));
    const name = await accepted(ctx, () => newName(typed, 'profile'));
    if (name === undefined) continue;
    const exists = hasProfile((await ctx.settings()).config(), name);
    if (!exists || (await prompts.confirm(words.existing(name), true))) return name;
  }
}

/** One environment, asked, tried and saved, unless it failed the check and was given up. */
async function setUpEnvironment(guide: Guide, profile: string): Promise<void> {
  const { ctx, saved } = guide;
  const environment = await askEnvironment(guide, profile);
  const url = await askUrl(guide, environment);
  const answer = await askWorkingKey(guide, profile, url);
  if (answer === 'given up') return;
  const { credential } = answer;
  const settings: EnvironmentSettings = { baseUrl: url.href };
  if (credential !== undefined) settings.credential = { ...credential, origin: url.origin };
  let isCurrent = false;
  await keep(ctx, (draft) => {
    isCurrent = addEnvironment(draft, profile, environment, settings);
  });
  saved.push({ environment, hasKey: credential !== undefined, isCurrent });
}

/** A key that the service does not accept is asked for again; another failure may be saved anyway. */
async function askWorkingKey(
  guide: Guide,
  profile: string,
  url: BaseUrl,
): Promise<{ readonly credential: Credential | undefined } | 'given up'> {
  const { ctx, prompts, words } = guide;
  for (;;) {
    const credential = await askKey(guide, profile, url);
    if (credential === undefined) return { credential };
    const failure = await failureOf(guide, url, credential);
    if (failure === undefined) return { credential };
    // Its hint is about commands that find what is only now being set up.
    ctx.say({ kind: 'warning', text: failure.message });
    if (failure.code === 'unauthorized') {
      ctx.say({ kind: 'notice', text: words.wrongKey });
      continue;
    }
    return (await prompts.confirm(words.saveAnyway, false)) ? { credential } : 'given up';
  }
}

async function askEnvironment(
  { ctx, prompts, words, saved }: Guide,
  profile: string,
): Promise<string> {
  const stored = environmentNames((await ctx.settings()).config(), profile);
  const taken = [...stored, ...saved.map(({ environment }) => environment)];
  const free = ['staging', 'local', 'production'].filter((name) => !taken.includes(name));
  const other = ' ';
  const choices = [
    ...free.map((name) => ({ value: name, name })),
    { value: other, name: words.otherEnvironment },
  ];
  // One Enter too many must not choose production.
  const safe = choices.findIndex(({ value }) => value !== 'production');
  const choice = await prompts.select(words.environment, choices, safe);
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

/** Why a harmless read with this key failed; undefined where it did not. */
async function failureOf(
  guide: Guide,
  url: BaseUrl,
  credential: Credential,
): Promise<ProcError | undefined> {
  const { ctx, words } = guide;
  ctx.say({ kind: 'notice', text: words.checking(url.origin) });
  try {
    const target = {
      profile: undefined,
      environment: undefined,
      credentialProfile: undefined,
      isProjectChoice: false,
      isOtherAddress: false,
      baseUrl: url.href,
      credential,
      isProtected: false,
      allowHttp: false,
      dialect: () => DEFAULT_DIALECT,
    };
    await ctx.callAt(target, listSectors, {});
    ctx.say({ kind: 'notice', text: words.checked });
    return undefined;
  } catch (thrown) {
    if (!(thrown instanceof ProcError) || isSignalled(thrown)) throw thrown;
    return thrown;
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
  if (!(thrown instanceof ProcError) || isSignalled(thrown)) throw thrown;
  const hint = thrown.hint === undefined ? '' : ` ${thrown.hint}`;
  ctx.say({ kind: 'warning', text: `${thrown.message}.${hint}` });
}
