import type { Mapper, MapperOptions } from '../mapper/mapper.ts'
import type { Middleware } from '../middleware/middleware.ts'
import type { Registration } from './registration.ts'

/** A model that is registered; takes what belongs to it alone. */
export interface PreparedRouter<Item> {
  /** Middleware for the model's operations, after what was registered before. */
  use(middleware: Middleware): PreparedRouter<Item>
  /**
   * A response mapper: changes each item on its way out. What it adds and hides is declared, so that the document stays true and hidden
   * members cannot be filtered by.
   *
   * ```ts
   * prepared.map((book) => ({ ...book, displayPrice: `€ ${book.price}` }), { adds: { displayPrice: z.string() } })
   * ```
   */
  map(mapper: Mapper<Item>, options?: MapperOptions): PreparedRouter<Item>
}

/** @param changing refuses changes once the router answers requests. */
export function prepared<Item>(registration: Registration, changing: () => void): PreparedRouter<Item> {
  const self: PreparedRouter<Item> = {
    use: (middleware) => {
      changing()
      registration.middleware.push(middleware)
      return self
    },
    map: (mapper, options = {}) => {
      changing()
      registration.mappers.push({ mapper, options })
      return self
    },
  }
  return self
}
