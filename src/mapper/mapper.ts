import type { Context } from '../context/context.ts'
import type { OptionChecks } from '../model/check-options.ts'
import type { FieldNameOf } from '../model/declare/fields-of.ts'
import type { Schema } from '../schema/standard-schema.ts'

/** The members that a mapper changes. Validation, filters and the OpenAPI document follow them. */
// biome-ignore lint/suspicious/noExplicitAny: as for mappers
export interface MapperOptions<Item = any> {
  /**
   * Members that the mapper adds, with their schemas. Any other member that the model does not have
   * is dropped. Default: none.
   */
  readonly adds?: Readonly<Record<string, Schema>>
  /**
   * Members that the mapper removes. Clients can neither write them nor filter or sort by them, and
   * PUT keeps them. Default: none.
   */
  readonly hides?: readonly FieldNameOf<Item>[]
  /** Hidden members that clients may write. Default: none. */
  readonly writable?: readonly FieldNameOf<Item>[]
  /**
   * Hidden members that clients may filter and sort by. A client that asks often enough can find
   * out their values. Default: none.
   */
  readonly filterable?: readonly FieldNameOf<Item>[]
}

export const mapperOptions: OptionChecks<MapperOptions> = {
  adds: true,
  hides: true,
  writable: true,
  filterable: true,
}

/**
 * Changes an item before it is sent. It gets an instance of the model's class, with relations as
 * objects, and returns the members to send. It may be asynchronous, and runs for each item of a
 * list.
 */
// biome-ignore lint/suspicious/noExplicitAny: what comes in is the item of a model that only registration knows
export type Mapper<Item = any, Caller = unknown> = (
  item: Item,
  context: Context<Caller>,
) => object | Promise<object>
