import type { Context } from '../context/context.ts'
import type { OptionChecks } from '../model/check-options.ts'
import type { Schema } from '../schema/standard-schema.ts'

/** What a mapper changes, so that validation, filters and document know. */
export interface MapperOptions {
  /**
   * Members it adds to what is sent, with their schemas. Any other member that the model does not
   * have is not sent.
   */
  readonly adds?: Readonly<Record<string, Schema>>
  /**
   * Members it leaves out of what is sent. For clients they do not exist: they can be neither
   * written, filtered nor sorted by, and PUT keeps them.
   */
  readonly hides?: readonly string[]
  /** Which of those that it hides clients may write all the same. */
  readonly writable?: readonly string[]
  /**
   * Which of those that it hides clients may filter and sort by all the same: by asking often
   * enough they can find out its values.
   */
  readonly filterable?: readonly string[]
}

export const mapperOptions: OptionChecks<MapperOptions> = {
  adds: true,
  hides: true,
  writable: true,
  filterable: true,
}

/**
 * Changes an item on its way out: gets it as an instance of the model's class, relations as
 * objects, and returns what is sent. It may be asynchronous, but is run for every item of a list.
 */
// biome-ignore lint/suspicious/noExplicitAny: what comes in is the item of a model that only registration knows
export type Mapper<Item = any> = (item: Item, context: Context) => object | Promise<object>
