import type { AccessRules } from '../access/access-rules.ts'
import type { ForeignRequest } from '../adapter/foreign-request.ts'
import type { Service } from '../adapter/service.ts'
import type { ItemsOptions } from '../context/items-options.ts'
import type { ApiRequest } from '../http/api-request.ts'
import type { ApiResponse } from '../http/api-response.ts'
import type { Middleware } from '../middleware/middleware.ts'
import type { AnyModel } from '../model/declare/model.ts'
import type { Items, ItemsOf } from '../model/items/items.ts'
import type { BinaryResource } from '../model/stored-resource.ts'
import type { OpenApiDocument } from '../openapi/document.ts'
import type { OpenApiOptions } from '../openapi/open-api-options.ts'
import type { OwnOperations } from '../openapi/own-routes.ts'
import type { IQuery } from '../query/iquery.ts'
import type { Rule } from '../rule/rule.ts'
import type { PlanStep } from '../store/store-plan.ts'
import type { PruneOptions, UndeclaredData } from '../store/undeclared-data.ts'
import type { LoadedItem } from './load-items.ts'
import type { ResourceContent, ResourceLocation } from './load-resource.ts'
import type { OwnServiceOptions, RouteHandler } from './own-service.ts'
import type { PreparedRouter } from './prepared-router.ts'
import type { RouterWork } from './router-work.ts'

export interface AuthenticateOptions {
  /**
   * The address of the client, for limits of wrong credentials. Default: `ip` of Express and
   * Fastify, else the address of the connection; none for web requests.
   */
  readonly address?: string | undefined
}

/**
 * An HTTP API over the models that are prepared on it. `Caller` is the type of `context.caller`, as
 * `security.callerSchema` of `createRouter` says it.
 */
export interface Router<Caller = unknown> extends Service, RouterWork {
  /**
   * Registers a model. The result registers middleware and mappers of this model.
   * @throws RegistrationError after the first request, or if the model is registered already
   */
  prepare<M extends AnyModel>(model: M): PreparedRouter<InstanceType<M>, Caller>
  /**
   * Adds middleware for every model, which runs before that of the models. Middleware that knows
   * the fields of one model does not compile here: use it on the result of `prepare`.
   * @throws RegistrationError after the first request
   */
  // biome-ignore lint/suspicious/noExplicitAny: see IQuery
  use<M extends Middleware<any, Caller>>(
    middleware: M & (M extends Middleware<unknown, Caller> ? unknown : never),
  ): this
  /**
   * The access rules of every registered model as they hold, by the name of the model: with the
   * tenant, with the rules that computed fields get from what they are made of, and with what
   * `security.defaultAccess` says where a rule is missing. The option decides about missing actions
   * as well. Query hooks may refuse more.
   *
   * ```ts
   * router.describeAccess().book?.read // { kind: 'anyone' }
   * ```
   *
   * @throws RegistrationError for computed fields that cannot be registered
   */
  describeAccess(): Readonly<Record<string, AccessRules>>
  /**
   * Every rule, frozen: the routing table. @throws RegistrationError if a registration is invalid
   */
  readonly rules: readonly Rule[]
  /**
   * Inserts items without middleware and policy, for seeds and imports. Members have their names in
   * the model, hidden and read-only ones too; relations are ids. Values are validated, also by
   * `validate` of the model; the existence of related items is not checked, unless the database
   * does. Items whose id exists are skipped. Each 1 000 items are one transaction, whose items may
   * lead to each other; those before a transaction that fails stay.
   * @returns the number of inserted items
   * @throws TypeError if an item is invalid, or another item has the same value of a unique field
   */
  load<M extends AnyModel>(model: M, items: Iterable<LoadedItem<M>>): Promise<number>
  /**
   * Sets a binary resource of an item without middleware and policy. The model limits its type and
   * size.
   *
   * ```ts
   * const cover = { bytes, contentType: 'image/png' }
   * await router.loadResource(Book, { id: 'dune', path: 'cover' }, cover)
   * ```
   *
   * @throws ApiError if the model does not accept the bytes, TypeError if there is no such resource
   */
  loadResource(
    model: AnyModel,
    location: ResourceLocation,
    content: ResourceContent,
  ): Promise<BinaryResource>
  /**
   * Deletes unreferenced blobs, as opening the router does, for services that run for a long time.
   * Every router that shares the blob store must be open.
   * @param graceMs blobs younger than this stay; default: the option `blobGraceMs`
   * @returns the number of deleted blobs
   * @throws Error if one of these routers is not open
   */
  sweep(graceMs?: number): Promise<number>
  /**
   * Erases what the log of changes, and other options that keep former items, keep of an item: its
   * members, its id and its callers. That something changed stays, so that those who follow the
   * changes read again. The item itself stays: delete it first, because each later change is kept
   * again.
   *
   * ```ts
   * await router.items(Author).delete('jane-austen')
   * await router.erase(Author, 'jane-austen')
   * ```
   *
   * @returns the number of erased entries
   * @throws RegistrationError if the model is not prepared on this router
   */
  erase(model: AnyModel, id: string): Promise<number>
  /**
   * Queries the store without policy and middleware, for jobs and scripts. Relations are ids.
   *
   * ```ts
   * const count = await router.query(Book).where('inStock').equal(true).size()
   * ```
   *
   * @throws RegistrationError if the model is not prepared on this router
   */
  query<M extends AnyModel>(model: M): IQuery<InstanceType<M>>
  /**
   * The items of a model, for code of the service: reads and writes with the checks of requests,
   * and with hooks around writes. No other hooks run, unless `as` names the request in whose name
   * the code acts.
   *
   * ```ts
   * const book = await router.items(Book).update('emma', { price: 5 })
   * ```
   *
   * @throws RegistrationError if the model is not prepared on this router
   */
  items<M extends AnyModel>(model: M, options?: ItemsOptions): Items<M>
  /**
   * Runs code in one transaction: all of its writes are stored, or none. It reads what it has
   * written itself. It runs again when it conflicts with another transaction, so it must not do
   * what cannot be undone: use the hook `afterCommit` for that. `router.items` and
   * `router.transaction` join the transaction in whose function they are called.
   *
   * ```ts
   * await router.transaction(async (items) => {
   *   const author = await items(Author).create({ name: 'Jane Austen' })
   *   await items(Book).update('emma', { author: author.id })
   * })
   * ```
   */
  transaction<T>(work: (items: ItemsOf) => Promise<T>, options?: ItemsOptions): Promise<T>
  /**
   * The OpenAPI document of every rule registered so far, as a plain object. It does not depend on
   * the order of registration.
   *
   * ```ts
   * const text = JSON.stringify(router.toOpenApi({ info: { title: 'Bookstore', version: '1' } }))
   * ```
   */
  toOpenApi(options?: OpenApiOptions): OpenApiDocument
  /**
   * Adds a route to the OpenAPI document that the service serves beside the router: as a `Service`,
   * or in its framework. It describes the route and does not serve it.
   *
   * ```ts
   * router.describe('/health', {
   *   get: { summary: 'Check the health', responses: { 200: { description: 'It is up' } } },
   * })
   * ```
   *
   * @param path from the root of the server, with parameters in braces: `/exports/{name}`
   * @param operations an Operation Object (OpenAPI 3.1) for each method, in lower case
   * @throws RegistrationError after the first request, for an invalid operation, or for a path that
   * is described already; paths of rules are refused when the router opens
   */
  describe(path: string, operations: OwnOperations): this
  /**
   * Who sent a request to a route of your own: undefined for an anonymous request. It refuses what
   * the router refuses before its rules: a write of a page of another site (403), a wrong
   * credential (401) and too many of them (429), and one that cannot be checked now (503).
   *
   * ```ts
   * const reports = async (request: Request) => {
   *   const caller = await router.authenticate(request)
   *   return Response.json({ isSignedIn: caller !== undefined })
   * }
   * ```
   *
   * @param request a web `Request`, one of `node:http`, Express or Fastify, or a plain one
   * @throws ApiError with `status` and `headers`, which Express and Fastify send; what an
   * authenticator throws
   */
  authenticate(request: ForeignRequest, options?: AuthenticateOptions): Promise<Caller | undefined>
  /**
   * Routes of your own as a service, with the callers, CORS and errors of the router. Each request
   * is one point of its limits. Serve it as you serve the router: by `serve`, `nodeHandler` or
   * `fetchHandler`, or call its `respond` in `fallback` of `serve`. The router need not be served
   * by the same host. Responses to GET and HEAD are `private, no-cache` unless the handler sets
   * `cache-control`, with the headers of the authenticators in `Vary`; all have `nosniff`.
   *
   * ```ts
   * const reports = router.service('/reports', ({ caller }) => {
   *   if (!caller) refuse('unauthorized', 'Sign in to read reports.')
   *   return respond(200, {}, 'the report')
   * })
   * ```
   *
   * @param basePath has no parameters: the service gets all paths at and below it
   * @throws RegistrationError for an invalid option, a path with parameters, and no handler; paths
   * of rules are refused when the router opens, because a host would give their requests to the
   * service
   */
  service(basePath: string, handle: RouteHandler<Caller>, options?: OwnServiceOptions): Service
  /** Handles a web `Request`, without a socket. */
  handle(request: Request): Promise<Response>
  /** Handles a plain request; adapters call it. The first request freezes the router. */
  respond(request: ApiRequest): Promise<ApiResponse>
  /** May the request read many items? A list with a small page does not. */
  isScan(request: ApiRequest): boolean
  /**
   * Reports errors while responses are sent; adapters call it. Absent if the router has no option
   * `onError`: adapters then use their own.
   */
  readonly onError?: (error: unknown) => void
  /**
   * Freezes the router and opens its store, so that errors appear before the first request.
   * @throws RegistrationError if a registration is invalid, or what the store throws
   */
  open(): Promise<void>
  /**
   * What opening the store would do to its tables, without doing it: `resourcery plan` prints it.
   * Undefined if the store cannot tell.
   */
  plan(): Promise<readonly PlanStep[] | undefined>
  /**
   * What the store keeps although no model of this router declares it; drops it on demand, for
   * good. `resourcery prune` calls it. Models of other routers over the store count as undeclared.
   * Undefined if the store cannot tell.
   *
   * @throws RegistrationError if the store may not drop it
   */
  prune(options: PruneOptions): Promise<readonly UndeclaredData[] | undefined>
  /** Closes the store and the blob store. */
  close(): Promise<void>
}
