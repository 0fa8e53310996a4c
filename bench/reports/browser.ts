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
// biome-ignore lint/suspicious/noExplicitAny: the answers of the browser have many shapes
type Answer = any;

export class Browser {
  readonly #process: ChildProcess;
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, { done(value: Answer): void; fail(error: Error): void }>();
  readonly #listeners = new Set<(session: string, method: string, params: Answer) => void>();
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
    const { targetId } = await this.send('Target.createTarget', { url: 'about:blank' });
    const { sessionId } = await this.send('Target.attachToTarget', { targetId, flatten: true });
    const page = new Page(this, sessionId);
    await page.open();
    return page;
  }

  send(method: string, params: Params = {}, sessionId?: string): Promise<Answer> {
    const id = ++this.#last;
    this.#socket.send(JSON.stringify({ id, method, params, sessionId }));
    return new Promise((done, fail) => this.#waiting.set(id, { done, fail }));
  }

  listen(listener: (session: string, method: string, params: Answer) => void): void {
    this.#listeners.add(listener);
  }

  #received(message: Answer): void {
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

/** What the browser asked for and complained about while it showed a page. */
export interface Seen {
  /** Addresses that it requested, the page itself included. */
  readonly requests: readonly string[];
  /** What the policy of the page refused. */
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
      if (method === 'Network.requestWillBeSent' && !params.request.url.endsWith('/favicon.ico'))
        this.#requests.push(params.request.url);
      if (method === 'Audits.issueAdded') {
        const details = params.issue.details.contentSecurityPolicyIssueDetails;
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

  send(method: string, params: Params = {}): Promise<Answer> {
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
    // What a page loads late would come now.
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

  /** The texts of the page as it is laid out, in order, those of drawings included. */
  async texts(): Promise<readonly string[]> {
    const { documents, strings } = await this.send('DOMSnapshot.captureSnapshot', {
      computedStyles: [],
    });
    return documents[0].layout.text
      .map((at: number) => strings[at]?.replace(/\s+/g, ' ').trim() ?? '')
      .filter((text: string) => text !== '');
  }

  /** Runs a function of the page. It may run although the page itself may run no script. */
  async evaluate(expression: string): Promise<Answer> {
    const { result, exceptionDetails } = await this.send('Runtime.evaluate', {
      expression,
      awaitPromise: true,
      returnByValue: true,
    });
    if (exceptionDetails !== undefined) throw new Error(JSON.stringify(exceptionDetails));
    return result.value;
  }

  async picture(): Promise<Buffer> {
    const { data } = await this.send('Page.captureScreenshot', { format: 'png' });
    return Buffer.from(data, 'base64');
  }

  /** The page on A4. */
  async pdf(): Promise<Buffer> {
    const { data } = await this.send('Page.printToPDF', {
      preferCSSPageSize: true,
      paperWidth: 8.27,
      paperHeight: 11.69,
      printBackground: true,
    });
    return Buffer.from(data, 'base64');
  }
}
