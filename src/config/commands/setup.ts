import { DEFAULT_DIALECT } from '../../client/dialect.ts';
import { command } from '../../core/command.ts';
import { isSignalled, ProcError, withHint } from '../../core/errors.ts';
import type { AskPort, Ports } from '../../core/ports.ts';
import type { Result } from '../../core/result.ts';
import type { Credential, KeyedTarget } from '../../core/service-target.ts';
import { inShell } from '../../core/text/typed.ts';
import { asVariable, detectLists, newNames } from '../../doctor/dialect/learn.ts';
import { listSectors } from '../../nouns/sectors/index.ts';
import { type BaseUrl, parseBaseUrl, withVersion } from '../base-url.ts';
import { authoritiesGiven } from '../certificate-setting.ts';
import { addEnvironment, boundTo, refuseSharedKey } from '../edits.ts';
import type { EnvironmentSettings } from '../keys.ts';
import { environmentNames, hasProfile, newName } from '../names.ts';
import { openSettings, type SaveConfig } from '../open-settings.ts';
import { askedApiKey } from '../secret-input.ts';
import { defaultOf } from './profile/profile-rows.ts';

const PRODUCTION = 'production';

interface Saved {
  readonly environment: string;
  readonly hasKey: boolean;
  readonly isCurrent: boolean;
}

interface Guide {
  readonly ports: Ports<'io' | 'api' | 'ask' | 'self'>;
  readonly prompts: AskPort;
  readonly saved: Saved[];
  readonly save: SaveConfig;
}

export const setup = command({
  path: ['setup'],
  changes: 'local',
  prints: 'record',
  summary: 'Set up a profile step by step: name, address, key, check, parameter names',
  examples: [{ run: 'proc setup', doc: 'on a terminal' }],
  exitCodes: [3],
  endpoints: [listSectors],
  needs: ['io', 'api', 'ask', 'self'],
  async run(_input, ports) {
    if (!ports.io.terminal.interactive) {
      const text = 'setup asks questions, and there is no terminal to ask on';
      throw new ProcError('invalid_usage', text, {
        hint: 'Run instead: proc profile add NAME -e ENV --base-url URL --api-key-stdin < key.txt',
      });
    }
    const save = openSettings(ports.self).update;
    return guided({ ports, prompts: ports.ask, saved: [], save });
  },
});

async function guided(guide: Guide): Promise<Result> {
  const { ports, prompts, saved, save } = guide;
  ports.io.say({
    kind: 'notice',
    text: 'This sets up a profile: an organization with one or more environments.',
  });
  let profile: string | undefined;
  try {
    profile = await askProfile(guide);
    do await setUpEnvironment(guide, profile);
    while (await prompts.confirm('Add another environment?', false));
    if (saved.length === 0) return { kind: 'none' };
    const isCurrent = saved.some((one) => one.isCurrent);
    const name = profile;
    if (!isCurrent && (await prompts.confirm(`Make "${name}" the current profile?`, true))) {
      await save((draft) => {
        draft.profile = name;
      });
    }
  } catch (thrown) {
    ports.io.say({ kind: 'notice', text: whatIsStored(guide, profile) });
    throw thrown;
  }
  ports.io.say({
    kind: 'notice',
    text: `Done. To try it, run: ${await nextCommand(guide, profile)}`,
  });
  const environments = saved.map(({ environment }) => environment);
  return { kind: 'record', value: { profile, environments }, idField: 'profile' };
}

function whatIsStored({ saved }: Guide, profile: string | undefined): string {
  if (saved.length === 0) return 'Nothing was stored.';
  const names = saved.map(
    ({ environment, hasKey }) =>
      `${profile}/${environment} (${hasKey ? 'with its key' : 'without a key'})`,
  );
  return `Stored so far: ${names.join(', ')}. To continue, run: proc setup`;
}

async function nextCommand({ ports, saved }: Guide, profile: string): Promise<string> {
  const usual = defaultOf(openSettings(ports.self).config(), profile);
  const ready = saved.find(({ hasKey }) => hasKey);
  const environment = (ready ?? saved[0]!).environment;
  if (ready === undefined)
    return `proc auth login -p ${inShell(profile)} -e ${inShell(environment)}`;
  const flags = usual === environment ? '' : ` -e ${inShell(environment)}`;
  return `proc orders list -p ${inShell(profile)}${flags}`;
}

async function askProfile({ ports, prompts }: Guide): Promise<string> {
  for (;;) {
    const typed = await prompts.input(
      'Name of the profile (e.g. the organization)',
      withDefault(ports.self.flags.profile),
    );
    const name = await accepted(ports, () => newName(typed, 'profile'));
    if (name === undefined) continue;
    const exists = hasProfile(openSettings(ports.self).config(), name);
    if (
      !exists ||
      (await prompts.confirm(`"${name}" already exists. Add another environment to it?`, true))
    )
      return name;
  }
}

async function setUpEnvironment(guide: Guide, profile: string): Promise<void> {
  const { saved, save } = guide;
  const environment = await askEnvironment(guide, profile);
  const url = await askUrl(guide, environment);
  const answer = await askWorkingKey(guide, profile, url);
  if (answer === 'given up') return;
  const { credential } = answer;
  const settings: EnvironmentSettings = { baseUrl: url.href };
  if (credential !== undefined) settings.credential = boundTo(url.origin, credential);
  if (answer.works) settings.listNames = await namesOf(guide, targetOf(guide, url, credential));
  let isCurrent = false;
  await save((draft) => {
    isCurrent = addEnvironment(draft, profile, environment, settings);
  });
  saved.push({ environment, hasKey: credential !== undefined, isCurrent });
}

/** @returns the setting to store; undefined if the service has the default names */
async function namesOf({ ports }: Guide, target: KeyedTarget): Promise<string | undefined> {
  const { clock, signal } = ports.self;
  ports.io.say({ kind: 'notice', text: 'Detecting the names of the list parameters' });
  const sender = await ports.api.sender(1, undefined, target);
  const findings = await detectLists({ sender, clock, signal });
  const names = newNames('', findings, target.dialect);
  const isSeen = [...findings.values()].flat().some(({ state }) => state === 'seen');
  const text =
    names !== undefined
      ? `This service has other parameter names. On other machines, set ${asVariable(names)}`
      : isSeen
        ? 'The service has the usual parameter names.'
        : 'The lists do not show the parameter names. Once they have rows, run: proc doctor';
  ports.io.say({ kind: 'notice', text });
  return names;
}

async function askWorkingKey(
  guide: Guide,
  profile: string,
  url: BaseUrl,
): Promise<{ credential: Credential | undefined; works: boolean } | 'given up'> {
  const { ports, prompts } = guide;
  for (;;) {
    const credential = await askKey(guide, profile, url);
    if (credential === undefined) return { credential, works: false };
    const failure = await failureOf(guide, url, credential);
    if (failure === undefined) return { credential, works: true };
    // The hint is left out: it names commands for an environment that is not saved yet.
    ports.io.say({ kind: 'warning', text: failure.message });
    if (failure.code === 'unauthorized') {
      ports.io.say({
        kind: 'notice',
        text: "The service does not accept this key. Type it again, or leave it empty to add it later. If you have no key, ask the service's support team.",
      });
      continue;
    }
    return (await prompts.confirm('Save it anyway?', false))
      ? { credential, works: false }
      : 'given up';
  }
}

async function askEnvironment({ ports, prompts, saved }: Guide, profile: string): Promise<string> {
  const stored = environmentNames(openSettings(ports.self).config(), profile);
  const taken = [...stored, ...saved.map(({ environment }) => environment)];
  const free = ['staging', 'local', PRODUCTION].filter((name) => !taken.includes(name));
  const other = ' ';
  const choices = [
    ...free.map((name) => ({ value: name, name })),
    { value: other, name: 'another name' },
  ];
  // One Enter too many must not select production.
  const safe = choices.findIndex(({ value }) => value !== PRODUCTION);
  const choice = await prompts.select('Which environment?', choices, safe);
  if (choice !== other) return choice;
  for (;;) {
    const typed = await prompts.input('Name of the environment', withDefault(ports.self.flags.env));
    const name = await accepted(ports, () => {
      const checked = newName(typed, 'environment');
      if (!taken.includes(checked)) return checked;
      throw new ProcError('invalid_usage', `${profile}/${checked} already exists`);
    });
    if (name !== undefined) return name;
  }
}

const NOT_ENCRYPTED = 'plain http would send the key unencrypted';

async function askUrl({ ports, prompts }: Guide, environment: string): Promise<BaseUrl> {
  for (;;) {
    const typed = await prompts.input(`Base URL of ${environment}`);
    const url = await accepted(ports, () => {
      const parsed = parseBaseUrl(typed, 'Base URL', 'invalid_usage');
      if (!parsed.isPlainHttp || parsed.isLoopback) return parsed;
      throw new ProcError('insecure_url', NOT_ENCRYPTED, {
        hint: 'Use https. To allow http, leave setup and run: proc profile add NAME -e ENV --base-url URL, then proc profile set NAME -e ENV allowHttp=true',
      });
    });
    if (url === undefined) continue;
    const proposed = withVersion(url);
    if (proposed === undefined) return url;
    const isTaken = await prompts.confirm(
      `Base URLs of the service end in /api/v1. Use ${proposed}?`,
      true,
    );
    return isTaken ? parseBaseUrl(proposed, 'Base URL') : url;
  }
}

async function askKey(
  guide: Guide,
  profile: string,
  url: BaseUrl,
): Promise<Credential | undefined> {
  const { ports } = guide;
  for (;;) {
    const credential = await askedApiKey(
      ports,
      `API key for ${url.origin} (from the service's support team; hidden; empty to add it later)`,
    );
    if (credential === undefined) return undefined;
    const config = openSettings(ports.self).config();
    const checked = await accepted(ports, () => {
      refuseSharedKey(config, profile, credential);
      return credential;
    });
    if (checked !== undefined) return checked;
  }
}

async function failureOf(
  guide: Guide,
  url: BaseUrl,
  credential: Credential,
): Promise<ProcError | undefined> {
  const { ports } = guide;
  ports.io.say({
    kind: 'notice',
    text: `Checking the key: reading the sectors from ${url.origin}`,
  });
  try {
    await ports.api.callAt(targetOf(guide, url, credential), listSectors, {});
    ports.io.say({ kind: 'notice', text: 'The service responded; the key works.' });
    return undefined;
  } catch (thrown) {
    if (!(thrown instanceof ProcError) || isSignalled(thrown)) throw thrown;
    return thrown;
  }
}

function targetOf({ ports }: Guide, url: BaseUrl, credential: Credential | undefined): KeyedTarget {
  return {
    profile: undefined,
    environment: undefined,
    credentialProfile: undefined,
    isOtherAddress: false,
    baseUrl: url.href,
    key: undefined,
    credential,
    readOnly: undefined,
    isProtected: false,
    allowHttp: false,
    authorities: authoritiesGiven(ports.self.env),
    dialect: () => DEFAULT_DIALECT,
  };
}

function withDefault(text: string | undefined): { default?: string } {
  return text === undefined ? {} : { default: text };
}

/**
 * If `work` refuses the answer, prints a warning and returns undefined. The caller then asks again.
 */
async function accepted<T>(ports: Ports<'io'>, work: () => T): Promise<T | undefined> {
  try {
    return work();
  } catch (thrown) {
    warn(ports, thrown);
    return undefined;
  }
}

function warn(ports: Ports<'io'>, thrown: unknown): void {
  if (!(thrown instanceof ProcError) || isSignalled(thrown)) throw thrown;
  ports.io.say({ kind: 'warning', text: withHint(thrown) });
}
