/** What the tests use of a client that comes without types. */
declare module 'devour-client' {
  interface Found {
    // biome-ignore lint/suspicious/noExplicitAny: its items have the members that a server sends.
    readonly data: any
    readonly links: Readonly<Record<string, string>>
  }
  interface Builder {
    one(model: string, id: string): Builder
    all(model: string): Builder
    relationships(name?: string): Builder
    get(parameters?: object): Promise<Found>
    post(payload: object): Promise<Found>
    patch(payload: object | null): Promise<Found>
    destroy(payload?: object): Promise<Found>
  }
  class JsonApi {
    constructor(options: { readonly apiUrl: string; readonly logger?: boolean })
    define(
      model: string,
      attributes: object,
      options?: { readonly readOnly?: readonly string[] },
    ): void
    findAll(model: string, parameters?: object): Promise<Found>
    find(model: string, id: string, parameters?: object): Promise<Found>
    create(model: string, payload: object): Promise<Found>
    update(model: string, payload: object): Promise<Found>
    destroy(model: string, id: string): Promise<Found>
    one(model: string, id: string): Builder
  }
  export = JsonApi
}
