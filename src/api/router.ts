import type { Service } from '../adapter/service.ts'
import type { ApiRequest } from '../http/api-request.ts'
import type { ApiResponse } from '../http/api-response.ts'
import type { Middleware } from '../middleware/middleware.ts'
import type { ItemFromFields } from '../model/declare/item.ts'
import type { AnyModel, ModelClass } from '../model/declare/model.ts'
import type { BinaryResource } from '../model/stored-resource.ts'
import type { OpenApiDocument } from '../openapi/document.ts'
import type { OpenApiOptions } from '../openapi/open-api-options.ts'
import type { IQuery } from '../query/iquery.ts'
import type { Rule } from '../rule/rule.ts'
import type { StoredValues } from '../stored-item/stored-item.ts'
import type { LoadedItem } from './load-items.ts'
import type { ResourceContent, ResourceLocation } from './load-resource.ts'
import type { PreparedRouter } from './prepared-router.ts'

/** A complete HTTP API over the models that are prepared on it. */
export interface Router extends Service {
  /** Registers a model. What it returns takes the model's own middleware and mappers. */
  prepare<M extends AnyModel>(
    model: M,
  ): PreparedRouter<
    M extends ModelClass<string, infer F> ? ItemFromFields<F> & InstanceType<M> : InstanceType<M>
  >
  /** Middleware for every model, before the models' own. */
  use(middleware: Middleware): this
  /**
   * Every rule, frozen: the routing table. @throws RegistrationError when what is registered so far
   * does not hold together.
   */
  readonly rules: readonly Rule[]
  /**
   * Puts items into the store, past middleware and policy: for seeds and imports. Members go by the
   * model's own names, hidden and read-only ones too, relations as identifiers. Values are
   * validated; that what relations lead to is there is taken on trust. Items whose id is there
   * already are left as they are.
   * @returns how many were added
   */
  load(model: AnyModel, items: Iterable<LoadedItem>): Promise<number>
  /**
   * Puts a binary resource into an item, past middleware and policy; type and size are held to what
   * the model says.
   *
   * ```ts
   * await router.loadResource(Book, { id: 'dune', place: 'cover' }, { bytes, contentType: 'image/png' })
   * ```
   */
  loadResource(
    model: AnyModel,
    place: ResourceLocation,
    loaded: ResourceContent,
  ): Promise<BinaryResource>
  /**
   * Deletes the blobs that no item holds, as opening the router does: for services that run for
   * long. Every router of this process that shares the blobs has to be open.
   * @param graceMs younger ones are left; `blobGraceMs` unless given
   * @returns how many were deleted
   */
  sweep(graceMs?: number): Promise<number>
  /**
   * Asks the store past policy and middleware: for jobs and scripts. Items come as they are stored,
   * relations as identifiers.
   *
   * ```ts
   * const howMany = await router.query(Book).where('inStock').equal(true).size()
   * ```
   */
  query(model: AnyModel): IQuery<StoredValues>
  /**
   * The OpenAPI document of every rule, as a plain object. It is made of what is registered so far,
   * and is the same whatever the order of that.
   *
   * ```ts
   * const text = JSON.stringify(router.toOpenApi({ info: { title: 'Bookstore', version: '1' } }))
   * ```
   */
  toOpenApi(options?: OpenApiOptions): OpenApiDocument
  /** Answers a web request, without a socket. */
  handle(request: Request): Promise<Response>
  /** Answers a plain request: what the adapters call. The first one freezes the router. */
  respond(request: ApiRequest): Promise<ApiResponse>
  /**
   * Tells `onError` what goes wrong while answers are sent: what the adapters call. Absent where
   * the router was given none: they know a place then.
   */
  readonly report?: (error: unknown) => void
  /**
   * Freezes the router and opens its store, so that a fault shows at the start and not at the first
   * request.
   */
  open(): Promise<void>
  /** Closes the store, and that of the blobs. */
  close(): Promise<void>
}
