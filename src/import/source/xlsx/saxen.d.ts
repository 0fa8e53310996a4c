declare module 'saxen' {
  export class Parser {
    on(
      event: 'openTag',
      listener: (
        name: string,
        attributes: () => Record<string, string>,
        decodeEntities: (text: string) => string,
      ) => void,
    ): this;
    on(event: 'closeTag', listener: (name: string) => void): this;
    on(
      event: 'text',
      listener: (text: string, decodeEntities: (text: string) => string) => void,
    ): this;
    on(event: 'cdata', listener: (text: string) => void): this;
    /** `<!…>`, e.g. a document type. */
    on(event: 'attention', listener: (text: string) => void): this;
    on(event: 'error', listener: (error: Error) => void): this;
    write(text: string): this;
    end(): Error | undefined;
  }
}
