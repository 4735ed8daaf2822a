import { checkOptions } from '../model/check-options.ts'
import { checkInfo } from '../openapi/check-info.ts'
import type { OutputOf, Schema } from '../schema/standard-schema.ts'
import { refuseFormerStoreMembers } from '../store/former-members.ts'
import { checkRequiredOptions, checkRequiredStore } from './check-required-options.ts'
import { refuseFormerOptions } from './former-options.ts'
import type { Router } from './router.ts'
import { type RouterOptions, routerOptions } from './router-options.ts'
import { routerOverStore } from './router-over-store.ts'
import { checkStores, isByCaller } from './stores-by-caller/check-stores.ts'
import { type RouterByCaller, routerByCaller } from './stores-by-caller/router-by-caller.ts'
import {
  type RouterByCallerOptions,
  routerByCallerOptions,
} from './stores-by-caller/router-by-caller-options.ts'

/**
 * Creates a router over several stores: each request uses that of its caller. The function `store`
 * is called once a request, and names one of the `stores`.
 *
 * ```ts
 * const users = { ada: process.env['ADA_PASSWORD'] ?? 'change me' }
 * const router = createRouter({
 *   policy: rest(),
 *   security: {
 *     authentication: [basic({ users, caller: (id) => ({ id, group: 'north' as const }) })],
 *     callerSchema: z.object({ id: z.string(), group: z.enum(['north', 'south']) }),
 *   },
 *   stores: { north: sqlite('north.db'), south: sqlite('south.db') },
 *   store: (caller) => caller?.group,
 * })
 * router.prepare(Genre)
 * await router.inStore('north').load(Genre, [{ id: 'novel', name: 'Novel' }])
 * ```
 *
 * @throws RegistrationError for an unknown or invalid option
 */
export function createRouter<S extends Schema = Schema, Name extends string = string>(
  options: RouterByCallerOptions<S, Name>,
): RouterByCaller<OutputOf<S>, Name>
/**
 * Creates a router. Prepare models on it, then serve it.
 *
 * ```ts
 * const router = createRouter({ policy: rest(), basePath: '/api', store: sqlite('books.db') })
 * router.prepare(Book)
 * const response = await router.handle(new Request('http://localhost/api/books'))
 * ```
 *
 * @throws RegistrationError for an unknown or invalid option
 */
export function createRouter<S extends Schema = Schema>(
  options: RouterOptions<S>,
): Router<OutputOf<S>>
export function createRouter<S extends Schema, Name extends string>(
  options: RouterOptions<S> | RouterByCallerOptions<S, Name>,
): Router<OutputOf<S>> {
  refuseFormerOptions(options)
  if (isByCaller<S, Name>(options)) {
    checkOptions<object>('createRouter()', options, routerByCallerOptions)
    checkRequiredOptions(options)
    checkInfo(options.info)
    return routerByCaller(options, checkStores(options))
  }
  // A misspelled option is named before the option that is missing because of it.
  checkOptions('createRouter()', options, routerOptions)
  checkRequiredOptions(options)
  checkRequiredStore(options)
  checkInfo(options.info)
  refuseFormerStoreMembers(options.store)
  return routerOverStore(options).router
}
