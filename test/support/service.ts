import {
  type AnyModel,
  createRouter,
  type Router,
  type RouterOptions,
  type Store,
} from 'resourcery'
import { rest } from 'resourcery/rest'
import { type Client, client } from './client.ts'

/** A plain REST service over these models at the root, and its client. */
export function service(
  store: Store,
  models: readonly AnyModel[],
  options: Omit<RouterOptions, 'policy' | 'store'> = {},
): { readonly router: Router; readonly api: Client } {
  const router = createRouter({ policy: rest(), store, ...options })
  for (const model of models) router.prepare(model)
  return { router, api: client(router) }
}
