/** What the values of one item are made from. */
export interface ValueSource {
  /** The name of the field or member, which texts begin with. */
  readonly name: string
  /** The number of the item, from 1. Values that have room for it contain it. */
  readonly number: number
  /** From 0 up to 1. */
  readonly random: () => number
}
