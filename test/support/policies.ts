import {
  type AnyModel,
  createRouter,
  type Router,
  type RouterOptions,
  type Store,
} from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { rest } from 'resourcery/rest'
import { expectLawful } from '../spec/support/lawful.ts'
import { type Client, type ClientResponse, client } from './client.ts'

/** A protocol, for tests that hold under every policy. */
export interface PolicyKind {
  readonly name: string
  readonly mediaType: string
  router(store: Store, options?: Omit<RouterOptions, 'policy' | 'store'>): Router
  client(router: Router): Client
  /** The body with the input of an action, and the pointer to the input. */
  input(input: unknown): unknown
  readonly inputAt: string
  /** The output of an action. */
  output(response: ClientResponse): unknown
  /** Values and ids of the item in a response, without its hash. */
  item(response: ClientResponse): Readonly<Record<string, unknown>>
}

export const policies: readonly PolicyKind[] = [
  {
    name: 'plain REST',
    mediaType: 'application/json',
    router: (store, options) => createRouter({ policy: rest(), store, ...options }),
    client,
    input: (input) => input,
    inputAt: '',
    output: (response) => response.body,
    item: (response) => {
      const { hash: _, ...members } = Object.values(response.body as object)[0]
      return members
    },
  },
  {
    name: 'JSON:API',
    mediaType: 'application/vnd.api+json',
    router: (store, options) => createRouter({ policy: jsonApi(), store, ...options }),
    client: (router) => client(lawful(router), 'http://localhost', 'application/vnd.api+json'),
    input: (meta) => ({ meta }),
    inputAt: '/meta',
    output: (response) => response.at('/meta'),
    item: (response) => {
      const data = response.at('/data') as Resource
      const linkage = Object.entries(data.relationships ?? {}).map(([name, one]) => [
        name,
        idsOf(one.data),
      ])
      return {
        id: data.id,
        ...data.attributes,
        ...Object.fromEntries(linkage.filter(([, ids]) => ids !== undefined)),
      }
    },
  },
]

interface Resource {
  readonly id: string
  readonly attributes?: object
  readonly relationships?: Readonly<Record<string, { readonly data?: Linkage }>>
}

type Linkage = { readonly id: string } | null | readonly { readonly id: string }[] | undefined

function idsOf(linkage: Linkage): unknown {
  if (linkage === null || linkage === undefined) return linkage
  return 'id' in linkage ? linkage.id : linkage.map((entry) => entry.id)
}

/** Checks every response against the rules of JSON:API for all responses. */
function lawful(router: Router): Pick<Router, 'handle'> {
  return {
    handle: async (request: Request) => {
      const { method, url } = request
      const requestText = await request.clone().text()
      const response = await router.handle(request)
      const text = await response.clone().text()
      expectLawful({ method, url, requestText, response, text })
      return response
    },
  }
}

/** A router with these models, and a client for its policy. */
export function prepared(
  kind: PolicyKind,
  store: Store,
  models: readonly AnyModel[],
  options: Omit<RouterOptions, 'policy' | 'store'> = {},
): { readonly router: Router; readonly api: Client } {
  const router = kind.router(store, options)
  for (const model of models) router.prepare(model)
  return { router, api: kind.client(router) }
}
