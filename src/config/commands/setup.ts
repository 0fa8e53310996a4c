import { DEFAULT_DIALECT } from '../../client/dialect.ts';
import { command } from '../../core/command.ts';
import { isSignalled, ProcError, withHint } from '../../core/errors.ts';
import type { Ports } from '../../core/ports.ts';
import type { Credential, KeyedTarget } from '../../core/service-target.ts';
import { inShell } from '../../core/text/typed.ts';
import { asVariable, detectLists, newNames } from '../../doctor/dialect/learn.ts';
import { listSectors } from '../../nouns/sectors/index.ts';
import { type BaseUrl, parseBaseUrl, withVersion } from '../base-url.ts';
import { readConfig } from '../config-file.ts';
import { environmentNames, hasProfile, newName } from '../names.ts';
import { authoritiesGiven, defaultEnvironment } from '../resolve-target.ts';
import { askedApiKey } from '../secret-input.ts';
import type { EnvironmentSettings } from '../settings.ts';
import { addEnvironment, updateConfig } from '../write-config.ts';

const PRODUCTION = 'production';

interface Saved {
  readonly environment: string;
  readonly hasKey: boolean;
  readonly isCurrent: boolean;
}

type Guide = Ports<'io' | 'api' | 'ask' | 'self'>;

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
    const { io, ask, self } = ports;
    if (!io.terminal.interactive) {
      const text = 'setup asks questions, and there is no terminal to ask on';
      throw new ProcError('invalid_usage', text, {
        hint: 'Run instead: proc profile add NAME -e ENV --base-url URL --api-key-stdin < key.txt',
      });
    }
    notice(ports, 'This sets up a profile: an organization with one or more environments.');
    const saved: Saved[] = [];
    let profile = '';
    try {
      profile = await askProfile(ports);
      do {
        const one = await setUpEnvironment(ports, profile);
        if (one !== undefined) saved.push(one);
      } while (await ask.confirm('Add another environment?', false));
      if (saved.length === 0) return { kind: 'none' };
      const isCurrent = saved.some((one) => one.isCurrent);
      if (!isCurrent && (await ask.confirm(`Make "${profile}" the current profile?`, true))) {
        await updateConfig(self.env, (draft) => {
          draft.profile = profile;
        });
      }
    } catch (thrown) {
      const names = saved.map(
        ({ environment, hasKey }) =>
          `${profile}/${environment} (${hasKey ? 'with its key' : 'without a key'})`,
      );
      const stored = `Stored so far: ${names.join(', ')}. To continue, run: proc setup`;
      notice(ports, saved.length === 0 ? 'Nothing was stored.' : stored);
      throw thrown;
    }
    notice(ports, `Done. To try it, run: ${nextCommand(ports, saved, profile)}`);
    const environments = saved.map(({ environment }) => environment);
    return { kind: 'record', value: { profile, environments }, idField: 'profile' };
  },
});

function notice({ io }: Guide, text: string): void {
  io.say({ kind: 'notice', text });
}

function nextCommand({ self }: Guide, saved: readonly Saved[], profile: string): string {
  const ready = saved.find(({ hasKey }) => hasKey);
  const { environment } = ready ?? saved[0]!;
  if (ready === undefined)
    return `proc auth login -p ${inShell(profile)} -e ${inShell(environment)}`;
  const isDefault = defaultEnvironment(readConfig(self.env), profile) === environment;
  const list = `proc orders list -p ${inShell(profile)}`;
  return isDefault ? list : `${list} -e ${inShell(environment)}`;
}

async function askProfile(ports: Guide): Promise<string> {
  const { ask, self } = ports;
  for (;;) {
    const question = 'Name of the profile (e.g. the organization)';
    const typed = await ask.input(question, withDefault(self.flags.profile));
    const name = accepted(ports, () => newName(typed, 'profile'));
    if (name === undefined) continue;
    if (!hasProfile(readConfig(self.env), name)) return name;
    if (await ask.confirm(`"${name}" already exists. Add another environment to it?`, true))
      return name;
  }
}

/** Undefined if the user gives up, because the key does not work. */
async function setUpEnvironment(ports: Guide, profile: string): Promise<Saved | undefined> {
  const environment = await askEnvironment(ports, profile);
  const url = await askUrl(ports, environment);
  const answer = await askWorkingKey(ports, profile, url);
  if (answer === 'given up') return undefined;
  const { credential, works } = answer;
  const settings: EnvironmentSettings = { baseUrl: url.href };
  const names = works ? await detectNames(ports, targetOf(ports, url, credential)) : undefined;
  if (names !== undefined) settings.listNames = names;
  let isCurrent = false;
  await updateConfig(ports.self.env, (draft) => {
    isCurrent = addEnvironment(draft, { profile, environment }, { ...settings }, credential);
  });
  return { environment, hasKey: credential !== undefined, isCurrent };
}

/** @returns the setting to store; undefined if the service has the default names */
async function detectNames(ports: Guide, target: KeyedTarget): Promise<string | undefined> {
  const { clock, signal } = ports.self;
  notice(ports, 'Detecting the names of the list parameters');
  const sender = await ports.api.sender(1, undefined, target);
  const findings = await detectLists({ sender, clock, signal });
  const names = newNames('', findings, target.dialect);
  const isSeen = [...findings.values()].flat().some(({ state }) => state === 'seen');
  notice(
    ports,
    names !== undefined
      ? `This service has other parameter names. On other machines, set ${asVariable(names)}`
      : isSeen
        ? 'The service has the usual parameter names.'
        : 'The lists do not show the parameter names. Once they have rows, run: proc doctor',
  );
  return names;
}

async function askWorkingKey(
  ports: Guide,
  profile: string,
  url: BaseUrl,
): Promise<{ credential: Credential | undefined; works: boolean } | 'given up'> {
  for (;;) {
    const question = `API key for ${url.origin} (from the service's support team; hidden; empty to add it later)`;
    const credential = await askedApiKey(ports, question, profile);
    if (credential === undefined) return { credential, works: false };
    notice(ports, `Checking the key: reading the sectors from ${url.origin}`);
    try {
      await ports.api.callAt(targetOf(ports, url, credential), listSectors, {});
      notice(ports, 'The service responded; the key works.');
      return { credential, works: true };
    } catch (thrown) {
      if (!(thrown instanceof ProcError) || isSignalled(thrown)) throw thrown;
      // The hint is left out: it names commands for an environment that is not saved yet.
      ports.io.say({ kind: 'warning', text: thrown.message });
      if (thrown.code === 'unauthorized') {
        const text =
          "The service does not accept this key. Type it again, or leave it empty to add it later. If you have no key, ask the service's support team.";
        notice(ports, text);
      } else {
        const isSaved = await ports.ask.confirm('Save it anyway?', false);
        return isSaved ? { credential, works: false } : 'given up';
      }
    }
  }
}

async function askEnvironment(ports: Guide, profile: string): Promise<string> {
  const { ask, self } = ports;
  const taken = environmentNames(readConfig(self.env), profile);
  const free = ['staging', 'local', PRODUCTION].filter((name) => !taken.includes(name));
  const other = ' ';
  const choices = [
    ...free.map((name) => ({ value: name, name })),
    { value: other, name: 'another name' },
  ];
  // One Enter too many must not select production.
  const safe = choices.findIndex(({ value }) => value !== PRODUCTION);
  const choice = await ask.select('Which environment?', choices, safe);
  if (choice !== other) return choice;
  for (;;) {
    const typed = await ask.input('Name of the environment', withDefault(self.flags.env));
    const name = accepted(ports, () => {
      const checked = newName(typed, 'environment');
      if (!taken.includes(checked)) return checked;
      throw new ProcError('invalid_usage', `${profile}/${checked} already exists`);
    });
    if (name !== undefined) return name;
  }
}

async function askUrl(ports: Guide, environment: string): Promise<BaseUrl> {
  const { ask } = ports;
  for (;;) {
    const typed = await ask.input(`Base URL of ${environment}`);
    const url = accepted(ports, () => {
      const parsed = parseBaseUrl(typed, 'Base URL', 'invalid_usage');
      if (!parsed.isPlainHttp || parsed.isLoopback) return parsed;
      throw new ProcError('insecure_url', 'plain http would send the key unencrypted', {
        hint: 'Use https. To allow http, leave setup and run: proc profile add NAME -e ENV --base-url URL, then proc profile set NAME -e ENV allowHttp=true',
      });
    });
    if (url === undefined) continue;
    const proposed = withVersion(url);
    if (proposed === undefined) return url;
    const question = `Base URLs of the service end in /api/v1. Use ${proposed}?`;
    return (await ask.confirm(question, true)) ? parseBaseUrl(proposed, 'Base URL') : url;
  }
}

function targetOf({ self }: Guide, url: BaseUrl, credential: Credential | undefined): KeyedTarget {
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
    authorities: authoritiesGiven(self.env),
    dialect: () => DEFAULT_DIALECT,
  };
}

function withDefault(text: string | undefined): { default?: string } {
  return text === undefined ? {} : { default: text };
}

/** If `work` refuses the answer, prints a warning and returns undefined. The caller then asks again. */
function accepted<T>({ io }: Guide, work: () => T): T | undefined {
  try {
    return work();
  } catch (thrown) {
    if (!(thrown instanceof ProcError) || isSignalled(thrown)) throw thrown;
    io.say({ kind: 'warning', text: withHint(thrown) });
    return undefined;
  }
}
