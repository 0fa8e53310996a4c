// A headless Chromium, driven over its own protocol, without a library.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const FLAGS = [
  ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
  ...['--disable-default-apps', '--hide-scrollbars', '--remote-debugging-port=0'],
];

type Params = Readonly<Record<string, unknown>>;

/** A message of Chromium: an event, or the result of the command with this id. */
interface Message {
  readonly id?: number;
  readonly sessionId: string;
  readonly method: string;
  readonly params: EventParams;
  readonly result: unknown;
  readonly error?: { readonly message: string };
}

/** The parts of events that are read here. Each event has some of them. */
interface EventParams {
  readonly request?: { readonly url: string };
  readonly issue?: {
    readonly details: {
      readonly contentSecurityPolicyIssueDetails?: { readonly violatedDirective: string };
    };
  };
}

type Listener = (session: string, method: string, params: EventParams) => void;

export class Browser {
  readonly #process: ChildProcess;
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, { done(value: unknown): void; fail(error: Error): void }>();
  readonly #listeners = new Set<Listener>();
  #last = 0;

  private constructor(process: ChildProcess, socket: WebSocket) {
    this.#process = process;
    this.#socket = socket;
    socket.onmessage = ({ data }) => this.#received(JSON.parse(String(data)));
  }

  /** @param folder an empty folder for its profile */
  static async start(folder: string): Promise<Browser> {
    const path = process.env.CHROMIUM ?? '/usr/bin/chromium';
    const child = spawn(path, [...FLAGS, `--user-data-dir=${folder}`, 'about:blank'], {
      stdio: 'ignore',
      detached: true,
    });
    const file = join(folder, 'DevToolsActivePort');
    while (!existsSync(file) || readFileSync(file, 'utf8').split('\n').length < 2) {
      if (child.exitCode !== null) throw new Error(`${path} ended with ${child.exitCode}`);
      await new Promise((done) => setTimeout(done, 50));
    }
    const [port, path2] = readFileSync(file, 'utf8').trim().split('\n');
    const socket = new WebSocket(`ws://127.0.0.1:${port}${path2}`);
    await new Promise((done, fail) => {
      socket.onopen = done;
      socket.onerror = fail;
    });
    return new Browser(child, socket);
  }

  async page(): Promise<Page> {
    const { targetId } = await this.send<{ readonly targetId: string }>('Target.createTarget', {
      url: 'about:blank',
    });
    const { sessionId } = await this.send<{ readonly sessionId: string }>('Target.attachToTarget', {
      targetId,
      flatten: true,
    });
    const page = new Page(this, sessionId);
    await page.open();
    return page;
  }

  send<Result>(method: string, params: Params = {}, sessionId?: string): Promise<Result> {
    const id = ++this.#last;
    this.#socket.send(JSON.stringify({ id, method, params, sessionId }));
    return new Promise((done, fail) =>
      this.#waiting.set(id, { done: (value) => done(value as Result), fail }),
    );
  }

  listen(listener: Listener): void {
    this.#listeners.add(listener);
  }

  #received(message: Message): void {
    if (message.id === undefined) {
      for (const one of this.#listeners) one(message.sessionId, message.method, message.params);
      return;
    }
    const waiting = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if (message.error === undefined) waiting?.done(message.result);
    else waiting?.fail(new Error(message.error.message));
  }

  async close(): Promise<void> {
    const ended = once(this.#process, 'exit');
    await this.send('Browser.close').catch(() => undefined);
    await ended;
  }
}

interface Encoded {
  readonly data: string;
}

/** What the browser requested, and what it refused, while it showed a page. */
export interface Seen {
  /** Addresses that it requested, the page itself included. */
  readonly requests: readonly string[];
  /** Rules of the page's policy that the page broke, e.g. `style-src-elem`. */
  readonly refused: readonly string[];
}

export class Page {
  readonly #browser: Browser;
  readonly #session: string;
  #requests: string[] = [];
  #refused: string[] = [];
  #loaded: (() => void) | undefined;

  constructor(browser: Browser, session: string) {
    this.#browser = browser;
    this.#session = session;
    browser.listen((from, method, params) => {
      if (from !== session) return;
      // Browsers ask every server for its icon, whatever the page says.
      const url = method === 'Network.requestWillBeSent' ? params.request?.url : undefined;
      if (url !== undefined && !url.endsWith('/favicon.ico')) this.#requests.push(url);
      if (method === 'Audits.issueAdded') {
        const details = params.issue?.details.contentSecurityPolicyIssueDetails;
        if (details !== undefined) this.#refused.push(details.violatedDirective);
      }
      if (method === 'Page.loadEventFired') this.#loaded?.();
    });
  }

  async open(): Promise<void> {
    for (const domain of ['Page', 'Network', 'Audits', 'DOM', 'Runtime']) {
      await this.send(`${domain}.enable`);
    }
  }

  send<Result>(method: string, params: Params = {}): Promise<Result> {
    return this.#browser.send(method, params, this.#session);
  }

  async show(url: string): Promise<Seen> {
    this.#requests = [];
    this.#refused = [];
    const loaded = new Promise<void>((done) => {
      this.#loaded = done;
    });
    await this.send('Page.navigate', { url });
    await loaded;
    // Time for requests that a page sends after it is loaded.
    await new Promise((done) => setTimeout(done, 300));
    return { requests: this.#requests, refused: this.#refused };
  }

  async scheme(scheme: 'light' | 'dark', media = 'screen'): Promise<void> {
    const features = [{ name: 'prefers-color-scheme', value: scheme }];
    await this.send('Emulation.setEmulatedMedia', { media, features });
  }

  async size(width: number, height: number, scale = 1): Promise<void> {
    const metrics = { width, height, deviceScaleFactor: scale, mobile: false };
    await this.send('Emulation.setDeviceMetricsOverride', metrics);
  }

  /** The texts of the page and its charts, in the order of its layout. */
  async texts(): Promise<readonly string[]> {
    const { documents, strings } = await this.send<{
      readonly documents: readonly [{ readonly layout: { readonly text: readonly number[] } }];
      readonly strings: readonly string[];
    }>('DOMSnapshot.captureSnapshot', { computedStyles: [] });
    return documents[0].layout.text
      .map((at) => strings[at]?.replace(/\s+/g, ' ').trim() ?? '')
      .filter((text) => text !== '');
  }

  /** The value of a JavaScript expression in the page, even if the policy of the page allows no script. */
  async evaluate<Value>(expression: string): Promise<Value> {
    const { result, exceptionDetails } = await this.send<{
      readonly result: { readonly value: Value };
      readonly exceptionDetails?: unknown;
    }>('Runtime.evaluate', {
      expression,
      awaitPromise: true,
      returnByValue: true,
    });
    if (exceptionDetails !== undefined) throw new Error(JSON.stringify(exceptionDetails));
    return result.value;
  }

  async picture(): Promise<Buffer> {
    const { data } = await this.send<Encoded>('Page.captureScreenshot', { format: 'png' });
    return Buffer.from(data, 'base64');
  }

  async pdf(): Promise<Buffer> {
    const { data } = await this.send<Encoded>('Page.printToPDF', {
      preferCSSPageSize: true,
      paperWidth: 8.27,
      paperHeight: 11.69,
      printBackground: true,
    });
    return Buffer.from(data, 'base64');
  }
}
