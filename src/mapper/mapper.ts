import type { Context } from '../context/context.ts'
import type { KnownOptions } from '../model/check-options.ts'
import type { Schema } from '../schema/standard-schema.ts'

/** What a mapper changes, so that validation, filters and document know. */
export interface MapperOptions {
  /** Members it adds to what is sent, with their schemas. Any other member that the model does not have is not sent. */
  readonly adds?: Readonly<Record<string, Schema>>
  /** Members it leaves out of what is sent; they can then be neither filtered nor sorted by. */
  readonly hides?: readonly string[]
}

export const mapperOptions: KnownOptions<MapperOptions> = { adds: true, hides: true }

/**
 * Changes an item on its way out: gets it as an instance of the model's class, relations as objects, and returns what is sent.
 * It may be asynchronous, but is run for every item of a list.
 */
// biome-ignore lint/suspicious/noExplicitAny: what comes in is the item of a model that only registration knows
export type Mapper<Item = any> = (item: Item, context: Context) => object | Promise<object>
