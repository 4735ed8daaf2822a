/** The part of a client without types that the tests use. */
declare module 'devour-client' {
  interface FoundResources {
    // biome-ignore lint/suspicious/noExplicitAny: its items have the members that a server sends.
    readonly data: any
    readonly links: Readonly<Record<string, string>>
  }
  interface Builder {
    one(model: string, id: string): Builder
    all(model: string): Builder
    relationships(name?: string): Builder
    get(parameters?: object): Promise<FoundResources>
    post(payload: object): Promise<FoundResources>
    patch(payload: object | null): Promise<FoundResources>
    destroy(payload?: object): Promise<FoundResources>
  }
  class JsonApi {
    constructor(options: { readonly apiUrl: string; readonly logger?: boolean })
    define(
      model: string,
      attributes: object,
      options?: { readonly readOnly?: readonly string[] },
    ): void
    findAll(model: string, parameters?: object): Promise<FoundResources>
    find(model: string, id: string, parameters?: object): Promise<FoundResources>
    create(model: string, payload: object): Promise<FoundResources>
    update(model: string, payload: object): Promise<FoundResources>
    destroy(model: string, id: string): Promise<FoundResources>
    one(model: string, id: string): Builder
  }
  export = JsonApi
}
