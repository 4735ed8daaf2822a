import type { Mapper, MapperOptions } from '../mapper/mapper.ts'
import { mapperOptions } from '../mapper/mapper.ts'
import type { Middleware } from '../middleware/middleware.ts'
import { checkOptions } from '../model/check-options.ts'
import type { ActionInput, ActionOptions, ActionReturn } from '../model/declare/action.ts'
import { checkActionOptions } from '../model/declare/action.ts'
import type { ItemOperation } from '../operation/action/item-api-operation.ts'
import type { Schema } from '../schema/standard-schema.ts'
import type { Registration } from './registration.ts'

/** A model that is registered; takes what belongs to it alone. */
export interface PreparedRouter<Item> {
  /** Middleware for the model's operations, after what was registered before. */
  use(middleware: Middleware): PreparedRouter<Item>
  /**
   * A response mapper: changes each item on its way out. What it adds and hides is declared, so
   * that the document stays true and hidden members cannot be filtered by.
   *
   * ```ts
   * prepared.map((book) => ({ ...book, displayPrice: `€ ${book.price}` }), { adds: { displayPrice: z.string() } })
   * ```
   */
  map(mapper: Mapper<Item>, options?: MapperOptions): PreparedRouter<Item>
  /**
   * An operation on one item, at `POST /<plural>/<id>/<name>`: the callable gets the request's
   * context with the item in it. What it changes of the item is validated and stored when it
   * returns. One that returns a promise is called again when somebody else has changed the item
   * meanwhile.
   *
   * ```ts
   * prepared.itemOperation('reserve', ({ item: book, input: { quantity } }) => {
   *   if (book.stock < quantity) throw refuse('conflict', `Only ${book.stock} are left.`)
   *   book.stock -= quantity
   * }, { input: z.object({ quantity: z.int().positive() }), responses: { 409: 'There are not enough left' } })
   * ```
   */
  itemOperation<I extends Schema | undefined = undefined, O extends Schema | undefined = undefined>(
    name: string,
    callable: ItemOperation<Item, ActionInput<I>, ActionReturn<O>>,
    options?: ActionOptions<I, O>,
  ): PreparedRouter<Item>
}

/** @param changing refuses changes once the router answers requests. */
export function createPreparedRouter<Item>(
  registration: Registration,
  changing: () => void,
): PreparedRouter<Item> {
  const self: PreparedRouter<Item> = {
    use: (middleware) => {
      changing()
      registration.middleware.push(middleware)
      return self
    },
    map: (mapper, options = {}) => {
      changing()
      checkOptions('map()', options, mapperOptions)
      registration.mappers.push({ mapper, options })
      return self
    },
    itemOperation: (name, callable, options = {}) => {
      changing()
      checkActionOptions('itemOperation()', options)
      registration.operations.push({ name, callable, options })
      return self
    },
  }
  return self
}
