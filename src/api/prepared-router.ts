import type { AccessRules } from '../access/access-rules.ts'
import { type AccessCallback, declareAccess } from '../access/declare-access.ts'
import type { Mapper, MapperOptions } from '../mapper/mapper.ts'
import { mapperOptions } from '../mapper/mapper.ts'
import type { Middleware } from '../middleware/middleware.ts'
import { checkOptions } from '../model/check-options.ts'
import type { ActionInput, ActionOptions, ActionReturn } from '../model/declare/action-options.ts'
import { checkActionOptions } from '../model/declare/action-options.ts'
import { RegistrationError } from '../model/registration-error.ts'
import type { ItemOperation } from '../operation/action/item-api-operation.ts'
import type { Schema } from '../schema/standard-schema.ts'
import type { Registration } from './registration.ts'

/**
 * A registered model. Its methods register middleware, mappers and operations of this model.
 * @throws RegistrationError from any method after the first request, or for an invalid option
 */
export interface PreparedRouter<Item, Caller = unknown> {
  /** Adds middleware for the operations of the model, after earlier middleware. */
  use(middleware: Middleware<Item, Caller>): PreparedRouter<Item, Caller>
  /**
   * Declares who may read and write the items of the model, and which fields, as one value. Every
   * way to an item follows it: lists, includes, relationships, actions, uploads and batches.
   *
   * ```ts
   * prepared.access(({ item, caller, signedIn }) => ({
   *   read: item.inStock.equal(true).or(item.author.equal(caller.id)),
   *   create: signedIn,
   *   update: item.author.equal(caller.id),
   *   set: { author: caller.id },
   * }))
   * ```
   *
   * The class tells the names of `actions`. Those of `itemOperation` are named as
   * `prepared.access<'reserve'>(…)`, if the class has methods.
   *
   * @throws RegistrationError for what is no rule, and when called twice
   */
  access<OperationName extends string = never>(
    rules: AccessCallback<Item, Caller, NoInfer<OperationName>>,
  ): PreparedRouter<Item, Caller>
  /**
   * The rules that `access` declared, as frozen data; undefined before. `router.describeAccess()`
   * adds the tenant and `security.defaultAccess` to them.
   */
  readonly accessRules: AccessRules | undefined
  /**
   * Adds a response mapper, which changes each item before it is sent. The options declare the
   * members that it adds and hides, for the OpenAPI document and for filters.
   *
   * ```ts
   * prepared.map((book) => ({ ...book, displayPrice: `€ ${book.price}` }), {
   *   adds: { displayPrice: z.string() },
   * })
   * ```
   */
  map(mapper: Mapper<Item, Caller>, options?: MapperOptions<Item>): PreparedRouter<Item, Caller>
  /**
   * Adds an operation on one item at `POST /<plural>/<id>/<name>`. The callable gets the context of
   * the request with the item. The service validates and stores its changes when it returns. If it
   * returns a promise and another request changes the item in between, it is called again.
   *
   * ```ts
   * const input = z.object({ quantity: z.int().positive() })
   * const reserve: ItemOperation<Book, { quantity: number }> = ({ item: book, input }) => {
   *   if (book.stock < input.quantity) refuse('conflict', `Only ${book.stock} are left.`)
   *   book.stock -= input.quantity
   * }
   * prepared.itemOperation('reserve', reserve, { input, responses: { 409: 'Not enough left' } })
   * ```
   */
  itemOperation<I extends Schema | undefined = undefined, O extends Schema | undefined = undefined>(
    name: string,
    callable: ItemOperation<Item, ActionInput<I>, ActionReturn<O>, Caller>,
    options?: ActionOptions<I, O>,
  ): PreparedRouter<Item, Caller>
}

/** @param beforeChange throws if the router is open */
export function createPreparedRouter<Item, Caller>(
  registration: Registration,
  beforeChange: () => void,
): PreparedRouter<Item, Caller> {
  const self: PreparedRouter<Item, Caller> = {
    use: (middleware) => {
      beforeChange()
      registration.middleware.push(middleware as Middleware)
      return self
    },
    access: (rules) => {
      beforeChange()
      const { modelName } = registration.model
      if (registration.access)
        throw new RegistrationError(
          `The access rules of '${modelName}' are declared twice. Declare them in one call of access().`,
        )
      registration.access = declareAccess(modelName, rules as never)
      return self
    },
    get accessRules() {
      return registration.access
    },
    map: (mapper, options = {}) => {
      beforeChange()
      checkOptions('map()', options, mapperOptions)
      registration.mappers.push({ mapper: mapper as Mapper, options })
      return self
    },
    itemOperation: (name, callable, options = {}) => {
      beforeChange()
      checkActionOptions('itemOperation()', options)
      registration.operations.push({ name, callable, options })
      return self
    },
  }
  return self
}
