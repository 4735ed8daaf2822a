import type { ApiTypes } from './api-types.ts'
import type { ModelCalls } from './call-types.ts'
import type { Manifest } from './manifest.ts'
import { modelClient } from './model-client.ts'
import { plainFormat } from './plain-format.ts'
import { resourceFormat } from './resource-format.ts'
import { type ClientOptions, createSender } from './sender.ts'

export type * from './api-types.ts'
export type * from './call-types.ts'
export { ClientError, type ClientProblem, OutdatedItemError } from './client-error.ts'
export type { ErrorCode } from './error-code.ts'
export type * from './list-types.ts'
export type * from './manifest.ts'
export type { Progress } from './progress.ts'
export type * from './query-types.ts'
export type * from './relation-types.ts'
export type * from './result-types.ts'
export type { ClientOptions } from './sender.ts'

/** The calls of a service, by the plurals of its models. */
export type Client<Api extends ApiTypes> = {
  readonly [Plural in keyof Api]: Pick<ModelCalls<Api, Plural>, Api[Plural]['calls']>
}

/**
 * A client of a service, with the types and the manifest that `resourcery client` has written.
 *
 * ```ts
 * const api = createClient(shopManifest, { url: 'https://shop.example/api' })
 * const { items } = await api.books.list({ filter: { price: { lt: 9 } }, include: ['author'] })
 * ```
 */
export function createClient<Api extends ApiTypes>(
  manifest: Manifest<Api>,
  options: ClientOptions,
): Client<Api> {
  const format = (manifest.policy === 'rest' ? plainFormat : resourceFormat)(manifest)
  const send = createSender(options, manifest.repeatsWrites ?? false)
  return Object.fromEntries(
    Object.keys(manifest.models).map((plural) => [
      plural,
      modelClient({ manifest, format, plural, send }),
    ]),
  ) as Client<Api>
}
